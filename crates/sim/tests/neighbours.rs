//! A backup that reads a file larger than memory beside a service that rarely uses its own, as in the scenario
//! `backup-evicts-neighbour` at 1/16: what the service keeps, against runs of it in a virtual machine with Linux 6.1.

mod lab;

use lab::{Lab, Stream, Walk, dropper, shuffle};
use pagetide_core::{Bytes, BytesPerSecond, Lru, Nanos};
use pagetide_sim::{GroupId, GroupLimits, MachineSpec, Mechanisms};

const INDEX: u64 = 32_768;

#[derive(Debug, Default)]
struct Night {
    /// Reads to load the index.
    warm_reads: u64,
    /// Reads of the backup and the service.
    reads: u64,
    stolen: u64,
    /// Pages of the index that stayed in memory.
    kept: u64,
}

fn night(lru: Lru, mechanisms: Mechanisms, twice: bool, high: Option<Bytes>) -> Night {
    let mut spec = MachineSpec::new(2, Bytes::new(106_695 * 4096));
    spec.system_files = Bytes::new(14_457 * 4096);
    spec.system = Bytes::new((106_695 - 14_457 - 59_599) * 4096);
    spec.costs = spec.costs.times(100.0);
    spec.lru = lru;
    spec.mechanisms = mechanisms;
    let device = lab::disk(Nanos::new(200_000), None, Some(BytesPerSecond::new(400_000_000)));
    let mut lab = Lab::new(spec, device);
    let service = lab.sim.host_mut().add_group("service", GroupId::ROOT).unwrap();
    let backup = lab.sim.host_mut().add_group("backup", GroupId::ROOT).unwrap();
    lab.sim.host_mut().set_group_limits(backup, &GroupLimits { high, ..GroupLimits::default() });
    let index = lab.file(INDEX);
    let everything = lab.file(4 * INDEX);
    let long = Nanos::new(1 << 50);
    let pass = || {
        let mut walk = Walk::new(index, 0, INDEX);
        walk.shuffled = Some(shuffle(INDEX, 1));
        walk
    };
    lab.run(dropper());
    let warm_reads = lab.measure(pass(), service, long)["reads"];
    if twice {
        lab.measure(pass(), service, long);
    }
    let mut rare = Walk::new(index, 0, u64::MAX);
    rare.rate = Some(20);
    let rare = lab.sim.spawn(Box::new(rare), service);
    let got = lab.measure(Stream::new(everything), backup, long);
    lab.sim.kill(rare);
    Night {
        warm_reads,
        reads: got["reads"],
        stolen: got["pgsteal_anon"] + got["pgsteal_file"],
        kept: lab.sim.host().cached_pages(index),
    }
}

#[test]
fn a_backup_evicts_what_was_used_once() {
    let got = night(Lru::Classic, Mechanisms::default(), false, None);
    // Runs of the virtual machine: 1 502 and 1 505 reads; 7 497, 10 364 and 11 865 pages kept; 108 486 to 113 841 stolen.
    assert!(got.warm_reads.abs_diff(1_503) < 30, "{got:?}");
    assert!((5_000..13_000).contains(&got.kept), "{got:?}");
    assert!((103_000..115_000).contains(&got.stolen), "{got:?}");
}

#[test]
fn pages_that_two_programs_used_stay() {
    let got = night(Lru::Classic, Mechanisms::default(), true, None);
    // 26 131, 27 487 and 28 066 pages kept; 594 to 648 reads, of which 512 are the backup's.
    assert!((26_000..30_000).contains(&got.kept), "{got:?}");
    assert!((512..680).contains(&got.reads), "{got:?}");
    let exact = night(Lru::Classic, Mechanisms::without("second_touch").unwrap(), true, None);
    assert!(exact.kept < 14_000, "without the second touch: {exact:?}");
}

#[test]
fn memory_high_keeps_the_backup_to_itself() {
    let got = night(Lru::Classic, Mechanisms::default(), false, Some(Bytes::new(4 << 20)));
    // 130 380 and 130 511 pages stolen, all of them the backup's.
    assert_eq!(got.kept, INDEX, "{got:?}");
    assert!((128_000..132_000).contains(&got.stolen), "{got:?}");
}

#[test]
fn generations_keep_what_was_mapped() {
    let got = night(Lru::Mglru, Mechanisms::default(), false, None);
    assert_eq!(got.kept, INDEX, "{got:?}");
}

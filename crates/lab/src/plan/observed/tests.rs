//! Machines and work from recordings.

use super::*;
use crate::plan::{PlanRequest, RunsProgress, parse_varied};
use crate::sim::ModelOptions;
use pagetide_core::{
    Bytes, Disk, Entity, Machine, Manifest, Plan, RecordingBuilder, Sample, Scale, Scenario, Schema, Stamp,
    Table as Rows,
};

const SECOND: i64 = 1_000_000_000;
const MIB: i64 = 1 << 20;

/// A host of 1 GiB on which `asked` and `read` MiB a second are read in requests of 8 KiB for `seconds`, with 400 MiB of file cache.
/// Requests of its disk take 2 ms in every tenth second and 8 ms in the others.
fn recording(seconds: i64, asked: i64, read: i64) -> Recording {
    recorded(seconds, asked, read, read * 128)
}

/// The same with so many requests of its disk a second.
fn recorded(seconds: i64, asked: i64, read: i64, requests: i64) -> Recording {
    refaulting(seconds, asked, read, requests, i64::MAX)
}

/// The same where all is refaulted that is read after the first so many MiB.
fn refaulting(seconds: i64, asked: i64, read: i64, requests: i64, first: i64) -> Recording {
    build(seconds, [asked, read, requests, first], &[])
}

/// The same of a program in a control group with these values, in MiB.
fn build(seconds: i64, [asked, read, requests, first]: [i64; 4], group: &[(&str, i64)]) -> Recording {
    let manifest = Manifest {
        cpus: 2,
        memory_total: Bytes::new(1 << 30),
        page_size: Bytes::new(4096),
        disks: vec![Disk { name: "vda".to_owned(), size: Bytes::new(8 << 30), ..Disk::default() }],
        sysctls: [
            ("vm.swappiness", "10"),
            ("vm.dirty_ratio", "30"),
            ("vm.dirty_bytes", "0"),
            ("vm.min_free_kbytes", "4000"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        ..Manifest::default()
    };
    let mut schema = Schema::default();
    let mut entity = |table, name: &str, label: &str| schema.push_entity(table, Entity::new(name, label));
    let host = entity(Rows::Host, "", "");
    let disk = entity(Rows::Disk, "vda", "vda");
    let reader = entity(Rows::Process, "77", "my db");
    let of_group: Vec<(&str, i64)> =
        group.iter().map(|(name, mib)| (*name, mib * MIB)).chain([("cgroup_id", 9)]).collect();
    let group = entity(Rows::Cgroup, "/sys/fs/cgroup/pod", "pod");
    let mut builder = RecordingBuilder::new(manifest);
    let mut waited = 0;
    for second in 0..=seconds {
        let mut sample = Sample::default();
        sample.stamp = Stamp { wall_ns: second * SECOND, mono_ns: second * SECOND, boot_ns: second * SECOND };
        waited += if second % 10 == 1 { 2 } else { 8 } * requests;
        let rows: [(Rows, _, &[(&str, i64)]); 4] = [
            (Rows::Cgroup, group, &of_group),
            (
                Rows::Host,
                host,
                &[
                    ("MemAvailable", 410 * MIB),
                    ("Cached", 420 * MIB),
                    ("Shmem", 20 * MIB),
                    ("workingset_refault_file", (second * read - first).max(0) * 256),
                ],
            ),
            (
                Rows::Disk,
                disk,
                &[
                    ("reads", second * requests),
                    ("writes", 0),
                    ("read_sectors", second * read * 2048),
                    ("write_sectors", 0),
                    ("read_ms", waited),
                    ("write_ms", 0),
                ],
            ),
            (
                Rows::Process,
                reader,
                &[
                    ("rchar", second * asked * MIB),
                    ("syscr", second * asked * 128),
                    ("read_bytes", second * read * MIB),
                    ("cgroup_id", 9),
                    ("wchar", 0),
                    ("syscw", 0),
                    ("write_bytes", 0),
                ],
            ),
        ];
        for (table, id, values) in rows {
            let columns: Vec<usize> = values.iter().map(|(name, _)| schema.column(table, name).0 as usize).collect();
            let row = sample.row(table, id, schema.columns(table).len());
            for (column, (_, value)) in columns.into_iter().zip(values) {
                row[column] = Some(*value);
            }
        }
        builder.sample(&schema, &sample);
    }
    builder.finish()
}

struct Silent;

impl RunsProgress for Silent {
    fn done(&self, _: usize, _: usize) {}
    fn interrupted(&self) -> bool {
        false
    }
}

fn plan(observed: &Observed, vary: &str) -> Plan {
    let request = PlanRequest {
        scenario: observed.name.clone(),
        text: Some(observed.text.clone()),
        scale: Scale::FULL,
        sets: Vec::new(),
        steps: Vec::new(),
        varied: vec![parse_varied(vary).unwrap()],
        show: observed.recorded.as_ref().map(RecordedFigure::show),
        goal: None,
        seeds: 1,
        seed: 1,
        model: ModelOptions::default(),
    };
    request.check().unwrap().run(1, &Silent).unwrap()
}

/// A scenario's machine made that of a recording.
fn machine_of(recording: &Recording) -> Machine {
    let machine = ObservedMachine::of_recording(recording).unwrap();
    let text = machine.replace_in(&catalogue::find("second-read", &[]).unwrap().text, "t").unwrap();
    Scenario::parse(&text, "t").unwrap().machine
}

#[test]
fn the_machine_is_that_of_the_recording() {
    let machine = machine_of(&recording(60, 8, 4));
    assert_eq!((machine.memory, machine.system), (Bytes::new(1 << 30), Bytes::new(614 << 20)));
    assert_eq!(
        machine.sysctl.into_iter().collect::<Vec<_>>(),
        [("vm.dirty_ratio".to_owned(), 30), ("vm.swappiness".to_owned(), 10)]
    );
    let disk = &machine.disks[0];
    // 2 ms without a queue; 4 MiB/s of 8 KiB while requests take 8 ms.
    assert_eq!((disk.latency.unwrap().get(), disk.iops, disk.bandwidth), (2_000_000, Some(512), None));
}

#[test]
fn half_of_the_reads_cached_means_a_file_of_twice_the_cache() {
    let observed = Observed::work_of(&recording(120, 2, 1)).unwrap();
    let recorded = observed.recorded.clone().unwrap();
    assert_eq!((recorded.show().as_str(), recorded.value), ("work.disk_read_bytes", 60.0 * MIB as f64));
    let file = observed.guesses.iter().find(|guess| guess.contains("my_db")).unwrap();
    assert!(file.contains("at random from 800 MiB in requests of 8 KiB, 2 MiB/s as recorded"), "{file}");
    // With the recorded memory the model reads as much as was recorded, with more memory less, and with enough nothing.
    let plan = plan(&observed, "memory=1024MiB,1280MiB,2048MiB");
    let read: Vec<f64> = plan.points.iter().map(|point| point.median().unwrap()).collect();
    assert!((read[0] / recorded.value - 1.0).abs() < 0.3, "{read:?} beside {}", recorded.value);
    assert!(read[1] < read[0] * 0.6 && read[2] < read[0] * 0.02, "{read:?}");
}

#[test]
fn a_control_groups_limit_holds_with_any_memory_of_the_host() {
    let read = |group: &[(&str, i64)]| {
        let observed = Observed::work_of(&build(120, [2, 1, 128, i64::MAX], group)).unwrap();
        let plan = plan(&observed, "memory=1024MiB,2048MiB");
        let recorded = observed.recorded.clone().unwrap().value;
        let shares = plan.points.iter().map(|point| point.median().unwrap() / recorded).collect::<Vec<_>>();
        let limit = observed.guesses.into_iter().find(|guess| guess.contains("control group"));
        ([shares[0], shares[1]], limit)
    };
    let used = [("current", 300), ("file", 220), ("shmem", 20), ("anon", 60)];
    let (limited, why) = read(&[&used[..], &[("max", 300)]].concat());
    assert!(limited.iter().all(|share| (0.7..1.3).contains(share)), "{limited:?}");
    let says = "my_db runs in the control group /pod, whose memory.max of 300 MiB leaves 200 MiB for file cache: more memory of the host \
                does not change that.";
    assert_eq!(why.as_deref(), Some(says));
    // A group without a limit has the cache of the host.
    let (free, why) = read(&used);
    assert!(free[0] > 0.5 && free[1] < 0.02 && why.is_none(), "{free:?} {why:?}");
}

#[test]
fn what_is_read_once_is_read_from_the_disk_with_any_memory() {
    let observed = Observed::work_of(&recording(30, 4, 4)).unwrap();
    assert!(observed.guesses.iter().any(|guess| guess.contains("reads nothing twice")), "{:?}", observed.guesses);
    let plan = plan(&observed, "memory=1GiB,2GiB");
    let recorded = observed.recorded.unwrap().value;
    assert!(plan.points.iter().all(|point| (point.median().unwrap() / recorded - 1.0).abs() < 0.05), "{plan:?}");
}

#[test]
fn what_is_read_again_after_its_eviction_is_cached_by_a_machine_that_it_fits() {
    let observed = Observed::work_of(&refaulting(300, 10, 10, 1280, 800)).unwrap();
    let file = observed.guesses.iter().find(|guess| guess.contains("my_db")).unwrap();
    assert!(file.contains("again and again as it was evicted meanwhile, 800 MiB in requests of 8 KiB"), "{file}");
    let plan = plan(&observed, "memory=1024MiB,2048MiB");
    let read: Vec<f64> = plan.points.iter().map(|point| point.median().unwrap() / MIB as f64).collect();
    assert!((550.0..650.0).contains(&read[0]) && read[1] < 10.0, "{read:?}");
    // A recording that begins later does not show the file.
    let error = Observed::work_of(&refaulting(120, 10, 10, 1280, 0)).unwrap_err();
    assert!(error.what.contains("how much memory helps is unknown"), "{}", error.what);
}

#[test]
fn a_recording_that_does_not_say_enough_is_refused_in_a_line() {
    let mut silent = recording(60, 0, 0);
    let refused = |recording: &Recording| Observed::work_of(recording).unwrap_err();
    let idle = refused(&silent);
    assert!(idle.what.contains("a disk that did 100 requests"), "{}", idle.what);
    let short = refused(&recording(5, 8, 4));
    assert!(short.what.contains("10 s of work: it covers 5.0 s"), "{}", short.what);
    silent.manifest.memory_total = Bytes::ZERO;
    assert!(refused(&silent).what.contains("MemTotal"));
    for error in [idle, short] {
        assert!(error.kind == pagetide_core::ErrorKind::Input && !error.what.contains('\n'));
    }
}

#[test]
fn a_disk_that_serves_few_requests_in_each_interval_has_a_latency() {
    // 5 requests a second of 2 ms or 8 ms: 20 of them in 4 s, of which one has those of 2 ms.
    let machine = machine_of(&recorded(60, 0, 0, 5));
    let disk = &machine.disks[0];
    assert_eq!(
        (disk.latency.unwrap().get(), disk.iops, disk.bandwidth),
        (6_500_000, None, None),
        "idle time is no limit"
    );
}

#[test]
fn what_reads_by_page_faults_only_is_named_as_the_reason() {
    let error = Observed::work_of(&recorded(60, 0, 4, 512)).unwrap_err();
    assert_eq!(error.what, "my_db read from disks only by page faults or from swap, which plan leaves out");
    assert!(error.kind == pagetide_core::ErrorKind::Input && !error.hint.contains("pagetide record"), "{}", error.hint);
}

//! The readers on the machine that the tests run on: held against the kernel itself and against another reader.

use pagetide_core::{Pages, Sample, Schema, Table};
use pagetide_kernel::formula::{self, Snapshot};
use pagetide_kernel::{
    Processes, Root, Sampler, Top, Watch, parse_diskstats, parse_meminfo, parse_process_io, parse_process_stat,
    parse_process_status, parse_vmstat,
};
use procfs::FromRead as _;
use std::time::{Duration, Instant};

/// The estimates of the kernel in a snapshot: MemAvailable, and both dirty thresholds, in pages.
fn shown(snapshot: &Snapshot) -> [Option<Pages>; 3] {
    let available = snapshot.meminfo.available().map(|bytes| Pages::new(bytes.get() / snapshot.page_size.get()));
    let vmstat = |name| snapshot.vmstat.pages(name);
    [available, vmstat("nr_dirty_background_threshold"), vmstat("nr_dirty_threshold")]
}

fn computed(snapshot: &Snapshot) -> [Option<Pages>; 3] {
    let dirty = formula::dirty_limits(snapshot);
    [formula::mem_available(snapshot), dirty.map(|limits| limits.background), dirty.map(|limits| limits.threshold)]
}

/// The boost of watermarks that the kernel's reserve holds and the computed one lacks; absent where something else differs. Whoever reads
/// vm.lowmem_reserve_ratio while a zone is boosted has the kernel compute its reserve with the boost (mm/page_alloc.c, 6.12:
/// lowmem_reserve_ratio_sysctl_handler), which then stays until it is computed again. Boosts are of whole page blocks (boost_watermark), which
/// no wrong formula meets but by chance.
fn boost(computed: Option<Pages>, shown: Option<Pages>) -> Option<u64> {
    const PAGE_BLOCK: u64 = 512;
    let (computed, shown) = computed.zip(shown)?;
    computed.get().checked_sub(shown.get()).filter(|pages| pages.is_multiple_of(PAGE_BLOCK))
}

/// The snapshot with a larger reserve.
fn with_reserve(mut snapshot: Snapshot, boost: u64) -> Snapshot {
    let largest = snapshot.zones.iter_mut().max_by_key(|zone| zone.managed).unwrap();
    largest.high = largest.high.map(|high| Pages::new(high.get() + boost));
    snapshot
}

#[test]
fn estimates_equal_the_kernels_to_the_page() {
    let root = Root::host();
    let deadline = Instant::now() + Duration::from_secs(120);
    let mut exact = 0;
    // The files are read one after the other, and memory moves between them: only a snapshot taken while it stood still has
    // three exact estimates. A wrong formula has none.
    while exact < 3 {
        let snapshot = Snapshot::read(&root).unwrap();
        let (ours, kernels) = (computed(&snapshot), shown(&snapshot));
        let boost = boost(ours[0], kernels[0]);
        exact += usize::from(boost.is_some_and(|boost| computed(&with_reserve(snapshot, boost)) == kernels));
        assert!(Instant::now() < deadline, "{ours:?} is not {kernels:?} to the page");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn watermarks_equal_the_kernels_to_the_page() {
    let snapshot = Snapshot::read(&Root::host()).unwrap();
    let computed = formula::watermarks(&snapshot).unwrap();
    assert!(!computed.is_empty());
    for marks in computed {
        let zone = snapshot.zones.iter().find(|zone| zone.entity() == marks.zone).unwrap();
        let boost = zone.boost.map_or(0, Pages::get);
        let shown = [zone.min, zone.low, zone.high].map(|pages| pages.unwrap().get() - boost);
        assert_eq!([marks.min, marks.low, marks.high].map(Pages::get), shown, "{}", marks.zone);
    }
}

/// One reading of a file, for two readers: what moves between two readings cannot tell them apart.
fn text(file: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(format!("/proc/{file}")).unwrap()).into_owned()
}

#[test]
fn meminfo_reads_as_another_reader_reads_it() {
    let text = text("meminfo");
    let ours = parse_meminfo(&text).unwrap();
    let other = procfs::Meminfo::from_read(text.as_bytes()).unwrap();
    for (name, value) in [
        ("MemTotal", Some(other.mem_total)),
        ("MemFree", Some(other.mem_free)),
        ("MemAvailable", other.mem_available),
        ("Buffers", Some(other.buffers)),
        ("Cached", Some(other.cached)),
        ("Active(file)", other.active_file),
        ("Inactive(file)", other.inactive_file),
        ("Dirty", Some(other.dirty)),
        ("Writeback", Some(other.writeback)),
        ("Slab", Some(other.slab)),
        ("SReclaimable", other.s_reclaimable),
        ("Committed_AS", Some(other.committed_as)),
        ("VmallocTotal", Some(other.vmalloc_total)),
        ("HugePages_Total", other.hugepages_total),
        ("Hugepagesize", other.hugepagesize),
    ] {
        let ours = ours.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        assert_eq!(ours, value, "{name}");
    }
}

#[test]
fn vmstat_and_diskstats_read_as_another_reader_reads_them() {
    let vmstat = text("vmstat");
    let ours = parse_vmstat(&vmstat).unwrap();
    let theirs = procfs::VmStat::from_read(vmstat.as_bytes()).unwrap().0;
    assert_eq!(ours.iter().count(), theirs.len());
    for (name, value) in &theirs {
        assert_eq!(ours.get(name), Some(u64::try_from(*value).unwrap()), "{name}");
    }
    let diskstats = text("diskstats");
    let ours = parse_diskstats(&diskstats).unwrap();
    let theirs = procfs::DiskStats::from_read(diskstats.as_bytes()).unwrap().0;
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(
            (&ours.name, ours.major.cast_signed(), ours.minor.cast_signed()),
            (&theirs.name, theirs.major, theirs.minor)
        );
        for (name, value) in [
            ("reads", theirs.reads),
            ("read_sectors", theirs.sectors_read),
            ("writes", theirs.writes),
            ("write_sectors", theirs.sectors_written),
            ("io_ms", theirs.time_in_progress),
        ] {
            assert_eq!(ours.get(name), Some(value), "{} {name}", ours.name);
        }
        assert_eq!(ours.get("discards"), theirs.discards);
        assert_eq!(ours.get("flushes"), theirs.flushes);
    }
}

#[test]
fn a_process_reads_as_another_reader_reads_it() {
    let (stat, io, status) = (text("self/stat"), text("self/io"), text("self/status"));
    let their_stat = procfs::process::Stat::from_read(stat.as_bytes()).unwrap();
    let their_io = procfs::process::Io::from_read(io.as_bytes()).unwrap();
    let their_status = procfs::process::Status::from_read(status.as_bytes()).unwrap();
    let (stat, io) = (parse_process_stat(&stat).unwrap(), parse_process_io(&io).unwrap());
    let status = parse_process_status(&status).unwrap();
    assert_eq!((stat.comm, stat.state), (their_stat.comm.as_str(), their_stat.state));
    assert_eq!(
        (stat.starttime, stat.vsize, stat.rss, stat.minflt, stat.majflt),
        (their_stat.starttime, their_stat.vsize, their_stat.rss, their_stat.minflt, their_stat.majflt)
    );
    assert_eq!(stat.delayacct_blkio_ticks, their_stat.delayacct_blkio_ticks);
    assert_eq!((stat.nice, stat.policy), (their_stat.nice, their_stat.policy.map(u64::from)));
    assert_eq!((io.get("rchar"), io.get("read_bytes")), (Some(their_io.rchar), Some(their_io.read_bytes)));
    assert_eq!(status.get("VmRSS").map(|bytes| bytes.get() / 1024), their_status.vmrss);
    assert_eq!(status.get("RssFile").map(|bytes| bytes.get() / 1024), their_status.rssfile);
}

#[test]
fn pressure_loadavg_swaps_and_mounts_agree_with_what_is_there() {
    let root = Root::host();
    let load = root.loadavg().unwrap();
    assert!(load.running >= 1 && load.total >= load.running && load.last_pid > 0);
    let stat = root.stat().unwrap();
    assert_eq!(Some(stat.boot_time_s.unwrap()), procfs::boot_time_secs().ok());
    assert_eq!(stat.cpus.len(), std::thread::available_parallelism().map(usize::from).unwrap_or(0));
    assert!(root.mounts().unwrap().iter().any(|mount| mount.point.to_str() == Some("/proc") && mount.kind == "proc"));
    // Somebody else may mount, or swap on, between two readings.
    let swaps = || std::fs::read_to_string("/proc/swaps").unwrap().lines().count() - 1;
    assert!((0..100).any(|_| root.mounts().unwrap().len() == root.mountinfo().unwrap().len()));
    assert!((0..100).any(|_| root.swaps().unwrap().len() == swaps()));
    let vm = root.vm_sysctls().unwrap();
    assert!(vm.get("swappiness").is_some() && vm.get("dirty_ratio").is_some());
    let blocks = root.buddyinfo().unwrap();
    let zones = root.zoneinfo().unwrap();
    for zone in blocks {
        assert!(zones.iter().any(|known| known.node == zone.node && known.name == zone.zone));
        assert!(zone.orders.len() >= 10);
    }
}

#[test]
fn a_child_of_a_watched_process_is_found_and_its_row_ends_with_it() {
    // A shell that starts two children of its own, one of them through another shell.
    let mut shell =
        std::process::Command::new("sh").args(["-c", "sh -c 'sleep 30; :' & sleep 30 & wait"]).spawn().unwrap();
    let watch = Watch { processes: Processes::Tree(vec![shell.id()]), ..Watch::default() };
    let mut sampler = Sampler::new(&Root::host(), watch).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    let names = |schema: &Schema, sample: &Sample| -> Vec<String> {
        let rows = sample.table(Table::Process).into_iter().flat_map(|rows| rows.rows().map(|(entity, _)| entity));
        rows.map(|entity| schema.entities(Table::Process)[entity.0 as usize].clone())
            .filter(|entity| !entity.label.starts_with("kswapd"))
            .map(|entity| entity.name)
            .collect()
    };
    let deadline = Instant::now() + Duration::from_secs(120);
    let mut found = Vec::new();
    while found.len() < 4 && Instant::now() < deadline {
        sampler.sample(&mut schema, &mut sample).unwrap();
        found = names(&schema, &sample);
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(found.len(), 4, "{found:?}: the shell, the inner shell and two sleeps");
    let pids: Vec<u32> = found.iter().map(|name| name.split_once('@').unwrap().0.parse().unwrap()).collect();
    for pid in &pids {
        let pid = rustix::process::Pid::from_raw(i32::try_from(*pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    shell.wait().unwrap();
    // The children may stay a moment as zombies of whoever adopts them.
    while !names(&schema, &sample).is_empty() && Instant::now() < deadline {
        sampler.sample(&mut schema, &mut sample).unwrap();
        let state = schema.find_column(Table::Process, "state").unwrap().0 as usize;
        let zombies = sample.table(Table::Process).into_iter().flat_map(|rows| rows.rows()).all(|(entity, values)| {
            schema.entities(Table::Process)[entity.0 as usize].label.starts_with("kswapd")
                || values[state] == Some(i64::from(u32::from('Z')))
        });
        if zombies {
            break;
        }
    }
    assert!(!names(&schema, &sample).contains(&found[0]), "the shell was waited for and has no row");
}

#[test]
fn a_sample_holds_what_the_readers_say() {
    let root = Root::host();
    let mut sampler = Sampler::new(&root, Watch::default()).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    sampler.sample(&mut schema, &mut sample).unwrap();
    let value = |table, entity: &str, name: &str| {
        let column = schema.find_column(table, name)?.0 as usize;
        let entity = schema.find_entity(table, entity)?;
        let rows = sample.table(table)?;
        rows.rows().find(|(id, _)| *id == entity).and_then(|(_, values)| values[column])
    };
    let meminfo = root.meminfo().unwrap();
    assert_eq!(value(Table::Host, "", "MemTotal"), meminfo.total().map(|bytes| bytes.get().cast_signed()));
    for zone in root.zoneinfo().unwrap() {
        let managed = zone.managed.map(|pages| i64::try_from(pages.get()).unwrap());
        assert_eq!(value(Table::Zone, &zone.entity(), "managed"), managed);
    }
    for disk in root.diskstats().unwrap() {
        let before = value(Table::Disk, &disk.name, "reads").unwrap();
        assert!(before <= i64::try_from(disk.get("reads").unwrap()).unwrap());
    }
    assert!(value(Table::Host, "", "psi_memory_some").is_some() == root.pressure().unwrap().memory.is_some());
    assert_eq!(schema.entities(Table::Process).iter().filter(|entity| entity.label == "kswapd0").count(), 1);
}

/// Spawns a program whose standard input is a FIFO that nobody writes to: the spawning thread waits in the kernel, in
/// uninterruptible sleep, for the child to get past opening it (`kernel/fork.c:wait_for_vfork_done`).
const BLOCK: &str = "
import os, sys, threading
def spawn():
    os.posix_spawn('/bin/true', ['true'], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, sys.argv[1], os.O_RDONLY, 0)])
";

/// Where the kernel says that vfork waits: in kernel_clone, into which compilers put wait_for_vfork_done, or not.
const PLACES: [&str; 3] = ["wchan_kernel_clone", "wchan_wait_for_vfork_done", "wchan__do_fork"];

/// The id of a process that runs this program, and the rows of its tasks in state D that wait where vfork does.
fn blocked(program: &str) -> (u32, Vec<Vec<(String, i64)>>) {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
    let mut child = std::process::Command::new("python3")
        .args(["-c", &format!("{BLOCK}{program}")])
        .arg(&fifo)
        .spawn()
        .expect("python3 is installed (apt-get install python3)");
    let watch = Watch { processes: Processes::Top(Top { each: 0, ..Top::default() }), ..Watch::default() };
    let mut sampler = Sampler::new(&Root::host(), watch).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    let deadline = Instant::now() + Duration::from_secs(120);
    let tasks = std::path::PathBuf::from(format!("/proc/{}/task", child.id()));
    let mut found = Vec::new();
    while found.is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
        sampler.sample(&mut schema, &mut sample).unwrap();
        let rows = sample.table(Table::Process).into_iter().flat_map(|rows| rows.rows());
        found = rows
            .filter(|(entity, _)| {
                let (id, _) = schema.entities(Table::Process)[entity.0 as usize].name.split_once('@').unwrap();
                tasks.join(id).exists()
            })
            .map(|(_, values)| {
                let columns = schema.columns(Table::Process).iter().zip(values);
                columns.filter_map(|(column, value)| Some((column.name.clone(), (*value)?))).collect::<Vec<_>>()
            })
            .filter(|row| row.contains(&("state".to_owned(), i64::from(u32::from('D')))))
            // While it starts, it may wait for a disk.
            .filter(|row| row.iter().any(|(name, value)| PLACES.contains(&name.as_str()) && *value == 1))
            .collect();
    }
    // Somebody who writes lets the child go on.
    let released = std::fs::OpenOptions::new().read(true).write(true).open(&fifo);
    let id = child.id();
    child.wait().unwrap();
    drop(released);
    (id, found)
}

#[test]
fn a_task_in_uninterruptible_sleep_has_a_row_that_says_where_it_waits() {
    let (_, rows) = blocked("spawn()");
    let has = |row: &Vec<(String, i64)>, name: &str| row.iter().any(|(known, _)| known == name);
    assert!(rows.len() == 1 && has(&rows[0], "utime") && !has(&rows[0], "tgid"), "the process: {rows:?}");

    let (process, rows) = blocked("threading.Thread(target=spawn).start()");
    assert_eq!(rows.len(), 1, "its second thread: {rows:?}");
    assert!(rows[0].contains(&("tgid".to_owned(), i64::from(process))) && !has(&rows[0], "utime"), "{rows:?}");
}

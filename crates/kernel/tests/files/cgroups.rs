//! Control groups of both versions, on files made here and on a real v1 group.

use crate::groups::{V2, groups, write};
use pagetide_core::{Sample, Schema, Table};
use pagetide_kernel::cgroup::{Limit, Version};
use pagetide_kernel::{Root, Sampler, Watch};
use std::path::Path;

#[test]
fn a_v2_group_in_full() {
    let root = tempfile::tempdir().unwrap();
    let path = Path::new("/sys/fs/cgroup/app");
    write(&root.path().join("sys/fs/cgroup/app"), &V2);
    let group = Root::new(root.path()).cgroup(path).unwrap();
    assert_eq!((group.version, group.max), (Version::V2, Some(Limit::Max)));
    assert!(matches!(group.high, Some(Limit::Bytes(bytes)) if bytes.get() == 4096));
    let wanted = [
        ("current", Some(8192)),
        ("max", None),
        ("high", Some(4096)),
        ("anon", Some(1)),
        ("workingset_refault_file", Some(3)),
        ("never_heard_of", Some(4)),
        ("events_high", Some(5)),
        ("events_oom_kill", Some(8)),
        ("psi_memory_full", Some(10)),
        ("cpu_usage", Some(11)),
        ("cpu_periods", Some(14)),
        ("cpu_throttled", Some(15)),
        ("cpu_throttled_time", Some(16)),
        ("nr_bursts", None),
        ("io_rbytes", Some(11)),
        ("io_wios", Some(44)),
        ("swap", None),
        ("frozen", Some(0)),
        ("populated", None),
    ];
    for (name, value) in wanted {
        assert_eq!(group.get(name), value, "{name}");
    }
}

#[test]
fn a_v1_group_has_the_names_of_v2() {
    let root = tempfile::tempdir().unwrap();
    let memory = root.path().join("sys/fs/cgroup/memory/app");
    let stat = "cache 1\nrss 1\nhierarchical_memory_limit 9223372036854771712\ntotal_cache 4096\ntotal_rss 8192\n\
                total_dirty 5\ntotal_pgpgin 6\ntotal_inactive_file 7\n";
    let files = [
        ("memory.usage_in_bytes", "12288\n"),
        ("memory.limit_in_bytes", "9223372036854771712\n"),
        ("memory.failcnt", "3\n"),
        ("memory.stat", stat),
    ];
    write(&memory, &files);
    let io = "8:0 Read 100\n8:0 Write 200\n8:0 Total 300\n8:16 Read 1\n8:16 Write 2\nTotal 303\n";
    let blkio = root.path().join("sys/fs/cgroup/blkio/app");
    write(&blkio, &[("blkio.throttle.io_service_bytes_recursive", io)]);
    let group = Root::new(root.path()).cgroup(Path::new("/sys/fs/cgroup/memory/app")).unwrap();
    assert_eq!((group.version, group.max), (Version::V1, Some(Limit::Max)));
    let mut values = group.values.clone();
    values.sort();
    let wanted = [
        ("anon", 8192),
        ("current", 12288),
        ("failcnt", 3),
        ("file", 4096),
        ("file_dirty", 5),
        ("inactive_file", 7),
        ("io_rbytes", 101),
        ("io_wbytes", 202),
        ("pgpgin", 6),
    ];
    assert_eq!(values, wanted.map(|(name, value)| (name.to_owned(), value)));
}

#[test]
fn a_group_has_rows_while_it_exists() {
    let memory = Path::new("/sys/fs/cgroup/memory");
    let parent = if memory.join("memory.stat").exists() { memory } else { Path::new("/sys/fs/cgroup") };
    let path = parent.join(format!("pagetide-test-{}", std::process::id()));
    let watch = Watch { cgroups: vec![path.clone()], ..Watch::default() };
    let mut sampler = Sampler::new(&Root::host(), watch).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    let mut rows = || {
        sampler.sample(&mut schema, &mut sample).unwrap();
        sample.table(Table::Cgroup).map_or(0, |rows| rows.rows().count())
    };
    assert_eq!(rows(), 0, "not made yet");
    for _ in 0..2 {
        std::fs::create_dir(&path)
            .unwrap_or_else(|error| panic!("{}: {error} (run the tests as root)", path.display()));
        let while_there = rows();
        std::fs::remove_dir(&path).unwrap();
        assert_eq!((while_there, rows()), (1, 0));
    }
    assert_eq!(schema.entities(Table::Cgroup).len(), 1, "made again under the same name");
    assert_eq!(schema.entities(Table::Cgroup)[0].name, path.to_str().unwrap());
}

#[test]
fn groups_of_a_real_tree_come_and_go() {
    let root = Root::host();
    let watch = Watch::flight_recorder(&root).unwrap();
    let pattern = watch.cgroups.first().expect("the machine has a memory controller, v1 or v2");
    let path = pattern.parent().unwrap().join(format!("pagetide-tree-{}", std::process::id()));
    let mut sampler = Sampler::new(&root, Watch { cgroups: vec![pattern.clone()], ..Watch::default() }).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    let name = |path: &Path| path.to_str().unwrap().replacen("/sys/fs/cgroup", "", 1);
    let mut has = |path: &Path| groups(&mut sampler, &mut schema, &mut sample).contains(&name(path));
    let inner = path.join("inner");
    assert!(!has(&path));
    for _ in 0..2 {
        std::fs::create_dir_all(&inner)
            .unwrap_or_else(|error| panic!("{}: {error} (run the tests as root)", path.display()));
        let there = (has(&path), has(&inner));
        std::fs::remove_dir(&inner).unwrap();
        let left = (has(&path), has(&inner));
        std::fs::remove_dir(&path).unwrap();
        assert_eq!((there, left, has(&path)), ((true, true), (true, false), false));
    }
}

/// The values of a row by column name, entity and label.
fn row(schema: &Schema, sample: &Sample, table: Table, entity: &str) -> Option<(String, Vec<(String, i64)>)> {
    let rows = sample.table(table)?;
    let (id, values) = rows.rows().find(|(id, _)| schema.entities(table)[id.0 as usize].name == entity)?;
    let named = schema.columns(table).iter().zip(values);
    let values = named.filter_map(|(column, value)| Some((column.name.clone(), (*value)?))).collect();
    Some((schema.entities(table)[id.0 as usize].label.clone(), values))
}

fn pairs(values: &[(&str, i64)]) -> Vec<(String, i64)> {
    values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

#[test]
fn io_and_limits_of_a_group_are_told_by_device_and_a_changed_limit_is_found() {
    let root = tempfile::tempdir().unwrap();
    let app = root.path().join("sys/fs/cgroup/app");
    write(&app, &V2);
    write(&app, &[("io.max", "8:16 rbps=max wbps=1048576 riops=90 wiops=max\n"), ("io.latency", "8:0 target=75000\n")]);
    write(&root.path().join("proc"), &[("meminfo", "MemTotal: 1 kB\n")]);
    let numbers = root.path().join("sys/dev/block");
    std::fs::create_dir_all(&numbers).unwrap();
    std::os::unix::fs::symlink("../../devices/virtual/block/sdb", numbers.join("8:16")).unwrap();
    let group = Path::new("/sys/fs/cgroup/app");
    let watch = Watch { cgroups: vec![group.into()], ..Watch::default() };
    let mut sampler = Sampler::new(&Root::new(root.path()), watch).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    sampler.sample(&mut schema, &mut sample).unwrap();
    let counters = [("rbytes", 10), ("wbytes", 20), ("rios", 30), ("wios", 40), ("dbytes", 0), ("dios", 0)];
    let (label, values) = row(&schema, &sample, Table::CgroupDisk, "/sys/fs/cgroup/app\tsdb").unwrap();
    assert_eq!(
        (label.as_str(), values),
        ("sdb", pairs(&[&counters[..], &[("max_wbps", 1 << 20), ("max_riops", 90)]].concat()))
    );
    let (label, values) = row(&schema, &sample, Table::CgroupDisk, "/sys/fs/cgroup/app\t8:0").unwrap();
    assert_eq!((label.as_str(), values.last().unwrap()), ("8:0", &("latency_target".to_owned(), 75_000)));
    write(
        &app,
        &[("io.stat", "8:16 rbytes=10 wbytes=20 rios=30 wios=40 dbytes=0 dios=0 cost.vrate=100.00 cost.usage=7\n")],
    );
    sampler.sample(&mut schema, &mut sample).unwrap();
    let (_, values) = row(&schema, &sample, Table::CgroupDisk, "/sys/fs/cgroup/app\tsdb").unwrap();
    assert!(values.contains(&("cost_usage".to_owned(), 7)), "{values:?}");
    write(&app, &[("io.stat", "8:16 rbytes=10 wbytes=20 rios=30 wios=40 dbytes=0 dios=0\n")]);
    sampler.sample(&mut schema, &mut sample).unwrap();
    let (_, values) = row(&schema, &sample, Table::CgroupDisk, "/sys/fs/cgroup/app\tsdb").unwrap();
    assert!(!values.iter().any(|(name, _)| name == "cost_usage"), "io.cost is off: {values:?}");
    write(&app, &[("io.max", "")]);
    let limited = |sampler: &mut Sampler, schema: &mut Schema, sample: &mut Sample| {
        sampler.sample(schema, sample).unwrap();
        let (_, values) = row(schema, sample, Table::CgroupDisk, "/sys/fs/cgroup/app\tsdb").unwrap();
        values.iter().any(|(name, _)| name.starts_with("max_"))
    };
    let samples = (0..8).take_while(|_| limited(&mut sampler, &mut schema, &mut sample)).count();
    assert!(samples < 8, "the limit was taken off");
}

#[test]
fn the_limit_of_cpu_time_is_told_in_us_a_second() {
    let root = tempfile::tempdir().unwrap();
    let app = root.path().join("sys/fs/cgroup/app");
    write(&app, &V2);
    let watch = Watch { cgroups: vec!["/sys/fs/cgroup/app".into()], ..Watch::default() };
    write(&root.path().join("proc"), &[("meminfo", "MemTotal: 1 kB\n")]);
    for (text, told) in [("5000 100000\n", Some(50_000)), ("30000 20000\n", Some(1_500_000)), ("max 100000\n", None)] {
        write(&app, &[("cpu.max", text)]);
        let mut sampler = Sampler::new(&Root::new(root.path()), watch.clone()).unwrap();
        let (mut schema, mut sample) = (Schema::default(), Sample::default());
        sampler.sample(&mut schema, &mut sample).unwrap();
        let (_, values) = row(&schema, &sample, Table::Cgroup, "/sys/fs/cgroup/app").unwrap();
        assert_eq!(values.iter().find(|(name, _)| name == "cpu_max").map(|(_, value)| *value), told, "{text}");
    }
    for text in ["max", "5000", "x 100000\n", "5000 0\n", ""] {
        write(&app, &[("cpu.max", text)]);
        let mut sampler = Sampler::new(&Root::new(root.path()), watch.clone()).unwrap();
        let outcome = sampler.sample(&mut Schema::default(), &mut Sample::default());
        assert_eq!(outcome.is_ok(), text == "5000 0\n", "{text:?}");
    }
}

#[test]
fn a_group_that_is_frozen_is_found_within_eight_samples() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("sys/fs/cgroup/app");
    write(&folder, &V2);
    write(&root.path().join("proc"), &[("meminfo", "MemTotal: 1 kB\n")]);
    let cgroups = vec!["/sys/fs/cgroup/app".into()];
    let mut sampler = Sampler::new(&Root::new(root.path()), Watch { cgroups, ..Watch::default() }).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    let mut frozen = || {
        sampler.sample(&mut schema, &mut sample).unwrap();
        let (_, values) = row(&schema, &sample, Table::Cgroup, "/sys/fs/cgroup/app").unwrap();
        values.into_iter().find(|(name, _)| name == "frozen").map(|(_, value)| value)
    };
    assert_eq!(frozen(), Some(0));
    write(&folder, &[("cgroup.events", "populated 1\nfrozen 1\n")]);
    let found = (1..=8).find(|_| frozen() == Some(1)).expect("people freeze groups, not the kernel");
    write(&folder, &[("cgroup.events", "populated 1\nfrozen 0\n")]);
    assert!((1..8).all(|_| frozen() == Some(1)), "every eighth sample looks: {found}");
    assert_eq!(frozen(), Some(0));
    // Before Linux 5.2.
    write(&root.path().join("sys/fs/cgroup/app"), &[("cgroup.events", "populated 1\n")]);
    assert_eq!(Root::new(root.path()).cgroup(Path::new("/sys/fs/cgroup/app")).unwrap().get("frozen"), None);
}

#[test]
fn a_v1_group_has_the_limits_of_its_blkio_group() {
    let root = tempfile::tempdir().unwrap();
    let memory = root.path().join("sys/fs/cgroup/memory/app");
    write(&memory, &[("memory.usage_in_bytes", "1\n"), ("memory.stat", "total_rss 1\n")]);
    write(
        &root.path().join("sys/fs/cgroup/blkio/app"),
        &[
            ("blkio.throttle.io_service_bytes_recursive", "8:16 Read 5\n8:16 Write 6\n8:16 Total 11\nTotal 11\n"),
            ("blkio.throttle.io_serviced_recursive", "8:16 Read 1\n8:16 Write 2\nTotal 3\n"),
            ("blkio.throttle.read_iops_device", "8:16 15\n"),
            ("blkio.throttle.write_bps_device", ""),
        ],
    );
    write(&root.path().join("proc"), &[("meminfo", "MemTotal: 1 kB\n")]);
    let watch = Watch { cgroups: vec!["/sys/fs/cgroup/memory/app".into()], ..Watch::default() };
    let mut sampler = Sampler::new(&Root::new(root.path()), watch).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    sampler.sample(&mut schema, &mut sample).unwrap();
    let (_, values) = row(&schema, &sample, Table::CgroupDisk, "/sys/fs/cgroup/memory/app\t8:16").unwrap();
    assert_eq!(values, pairs(&[("rbytes", 5), ("wbytes", 6), ("rios", 1), ("wios", 2), ("max_riops", 15)]));
    let (_, group) = row(&schema, &sample, Table::Cgroup, "/sys/fs/cgroup/memory/app").unwrap();
    assert!(group.contains(&("io_rbytes".to_owned(), 5)) && group.contains(&("io_wios".to_owned(), 2)), "{group:?}");
}

#[test]
fn a_process_knows_its_group_parent_user_and_script() {
    use std::os::unix::fs::MetadataExt;
    let root = tempfile::tempdir().unwrap();
    let group = root.path().join("sys/fs/cgroup/jobs/nightly");
    for folder in ["", "jobs", "jobs/nightly"] {
        write(&root.path().join("sys/fs/cgroup").join(folder), &V2);
    }
    let stat = |comm: &str, parent: u32, flags: u32, stack: u32| {
        format!(
            "77 ({comm}) S {parent} 1 1 0 -1 {flags} 5 0 0 0 3 4 0 0 20 0 1 0 7 4096 1 0 0 0 {stack} {}\n",
            ["0"; 24].join(" ")
        )
    };
    write(&root.path().join("proc"), &[("meminfo", "MemTotal: 1 kB\n")]);
    write(&root.path().join("proc/self"), &[("mounts", "none /sys/fs/cgroup cgroup2 rw 0 0\n")]);
    let process = root.path().join("proc/77");
    write(
        &process,
        &[
            ("stat", &stat("python3", 5, 0, 100)),
            ("status", "Name:\tpython3\nUid:\t1001\t0\t0\t0\nVmRSS:\t4 kB\n"),
            ("cgroup", "0::/jobs/nightly\n"),
            ("cmdline", "python3\0/opt/backup.py\0--password\0secret\0"),
        ],
    );
    let watch = Watch {
        cgroups: vec!["/sys/fs/cgroup/**".into()],
        processes: pagetide_kernel::Processes::All,
        ..Watch::default()
    };
    let mut sampler = Sampler::new(&Root::new(root.path()), watch).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    sampler.sample(&mut schema, &mut sample).unwrap();
    let (label, values) = row(&schema, &sample, Table::Process, "77@7").unwrap();
    let id = i64::try_from(std::fs::metadata(&group).unwrap().ino()).unwrap();
    let has = |values: &[(String, i64)], name: &str, value| values.contains(&(name.to_owned(), value));
    assert_eq!(label, "python3 backup.py");
    assert!(has(&values, "ppid", 5) && has(&values, "uid", 1001) && has(&values, "cgroup_id", id), "{values:?}");
    let (_, values) = row(&schema, &sample, Table::Cgroup, "/sys/fs/cgroup/jobs/nightly").unwrap();
    assert!(has(&values, "cgroup_id", id), "{values:?}");
    // It calls itself something else, which says what it runs, and later what it does.
    write(&process, &[("stat", &stat("backup", 5, 0, 100))]);
    sampler.sample(&mut schema, &mut sample).unwrap();
    assert_eq!(row(&schema, &sample, Table::Process, "77@7/backup").unwrap().0, "backup");
    write(&process, &[("stat", &stat("backup: idle", 5, 0, 100))]);
    sampler.sample(&mut schema, &mut sample).unwrap();
    assert_eq!(row(&schema, &sample, Table::Process, "77@7/backup").unwrap().0, "backup");
    // It runs another script, then another program.
    write(&process, &[("stat", &stat("python3", 5, 0, 200)), ("cmdline", "python3\0/opt/report.py\0")]);
    sampler.sample(&mut schema, &mut sample).unwrap();
    assert_eq!(row(&schema, &sample, Table::Process, "77@7/python3").unwrap().0, "python3 report.py");
    write(&process, &[("stat", &stat("report-worker", 1, 0, 300)), ("cgroup", "0::/jobs\n")]);
    sampler.sample(&mut schema, &mut sample).unwrap();
    let (label, values) = row(&schema, &sample, Table::Process, "77@7/report-worker").unwrap();
    let id = i64::try_from(std::fs::metadata(group.parent().unwrap()).unwrap().ino()).unwrap();
    assert!(label == "report-worker" && has(&values, "ppid", 1) && has(&values, "cgroup_id", id), "{values:?}");
}

#[test]
fn an_md_array_tells_what_it_does_to_itself() {
    let root = tempfile::tempdir().unwrap();
    let line = |minor: u32, name: &str| format!("   9       {minor} {name} {}\n", ["0"; 11].join(" "));
    write(&root.path().join("proc"), &[("diskstats", &(line(0, "md0") + &line(1, "md1")))]);
    let md = root.path().join("sys/block/md0/md");
    write(
        &md,
        &[
            ("sync_action", "check\n"),
            ("sync_completed", "4096 / 2095104\n"),
            ("sync_speed", "1000\n"),
            ("degraded", "0\n"),
        ],
    );
    let mut sampler = Sampler::new(&Root::new(root.path()), Watch::default()).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    let md_values = |schema: &Schema, sample: &Sample, disk: &str| {
        let (_, values) = row(schema, sample, Table::Disk, disk).unwrap();
        values.into_iter().filter(|(name, _)| name.starts_with("md_")).collect::<Vec<_>>()
    };
    // An array is found when its line is, and read from then on.
    sampler.sample(&mut schema, &mut sample).unwrap();
    sampler.sample(&mut schema, &mut sample).unwrap();
    assert_eq!(
        md_values(&schema, &sample, "md0"),
        pairs(&[
            ("md_sync_action", 3),
            ("md_sync_completed", 4096),
            ("md_sync_total", 2_095_104),
            ("md_sync_speed", 1_024_000),
            ("md_degraded", 0)
        ])
    );
    assert_eq!(md_values(&schema, &sample, "md1"), [], "an array without redundancy never syncs");
    write(&md, &[("sync_action", "idle\n"), ("degraded", "1\n")]);
    sampler.sample(&mut schema, &mut sample).unwrap();
    assert_eq!(md_values(&schema, &sample, "md0"), pairs(&[("md_sync_action", 0), ("md_degraded", 1)]));
}

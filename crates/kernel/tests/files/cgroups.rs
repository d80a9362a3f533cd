//! Control groups of both versions, on files made here and on a real v1 group.

use pagetide_core::{Sample, Schema, Table};
use pagetide_kernel::cgroup::{Limit, Version};
use pagetide_kernel::{Root, Sampler, Watch};
use std::path::Path;

fn write(folder: &Path, files: &[(&str, &str)]) {
    std::fs::create_dir_all(folder).unwrap();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

const V2: [(&str, &str); 9] = [
    ("cgroup.controllers", "memory io\n"),
    ("memory.current", "8192\n"),
    ("memory.max", "max\n"),
    ("memory.high", "4096\n"),
    ("memory.stat", "anon 1\nfile 2\nworkingset_refault_file 3\nnever_heard_of 4\n"),
    ("memory.events", "low 0\nhigh 5\nmax 6\noom 7\noom_kill 8\n"),
    (
        "memory.pressure",
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=9\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=10\n",
    ),
    (
        "cpu.stat",
        "usage_usec 11\nuser_usec 12\nsystem_usec 13\nnr_periods 14\nnr_throttled 15\nthrottled_usec 16\nnr_bursts 17\n",
    ),
    (
        "io.stat",
        "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0\n8:16 rbytes=10 wbytes=20 rios=30 wios=40 dbytes=0 dios=0\n",
    ),
];

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

/// Paths of the groups that have rows, below `/sys/fs/cgroup`, in order.
fn groups(sampler: &mut Sampler, schema: &mut Schema, sample: &mut Sample) -> Vec<String> {
    sampler.sample(schema, sample).unwrap();
    let rows = sample.table(Table::Cgroup).into_iter().flat_map(|rows| rows.rows());
    let name = |entity: pagetide_core::EntityId| schema.entities(Table::Cgroup)[entity.0 as usize].name.clone();
    let mut names: Vec<_> = rows.map(|(entity, _)| name(entity)).collect();
    names.sort();
    names.iter().map(|name| name.replacen("/sys/fs/cgroup", "", 1)).collect()
}

#[test]
fn a_tree_of_groups_is_followed_and_what_has_no_room_is_counted() {
    let root = tempfile::tempdir().unwrap();
    let top = root.path().join("sys/fs/cgroup");
    write(&top, &V2);
    write(&top.join("a/b"), &V2);
    write(&top.join("a"), &V2);
    std::fs::create_dir_all(root.path().join("proc")).unwrap();
    let watch = Watch { cgroups: vec!["/sys/fs/cgroup/**".into()], ..Watch::default() };
    let mut sampler = Sampler::new(&Root::new(root.path()), watch).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    assert_eq!(groups(&mut sampler, &mut schema, &mut sample), ["", "/a", "/a/b"]);
    write(&top.join("a/c"), &V2);
    assert_eq!(groups(&mut sampler, &mut schema, &mut sample), ["", "/a", "/a/b", "/a/c"], "a new one");
    for group in 0..4200 {
        write(&top.join(format!("many/{group:03}")), &V2);
    }
    let found = groups(&mut sampler, &mut schema, &mut sample);
    assert_eq!(found.len(), 4095, "4096 groups, of which many itself has no files");
    assert_eq!(found[..5], ["", "/a", "/a/b", "/a/c", "/many/000"], "those nearer to the top come first");
    let host = |name| {
        let column = schema.find_column(Table::Host, name).unwrap().0 as usize;
        sample.table(Table::Host).unwrap().rows().next().unwrap().1[column]
    };
    assert_eq!((host("scan_groups"), host("scan_groups_skipped")), (Some(4095), Some(109)));
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

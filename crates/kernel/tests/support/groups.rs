//! Control groups as files, and the names of those that a sampler finds.

use pagetide_core::{Sample, Schema, Table};
use pagetide_kernel::Sampler;
use std::path::Path;

/// Writes files of a group.
pub(crate) fn write(folder: &Path, files: &[(&str, &str)]) {
    std::fs::create_dir_all(folder).unwrap();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

/// A group of version 2.
pub(crate) const V2: [(&str, &str); 10] = [
    ("cgroup.controllers", "memory io\n"),
    ("cgroup.events", "populated 1\nfrozen 0\n"),
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

/// Paths of the groups that have rows, below `/sys/fs/cgroup`, in order.
pub(crate) fn groups(sampler: &mut Sampler, schema: &mut Schema, sample: &mut Sample) -> Vec<String> {
    sampler.sample(schema, sample).unwrap();
    let rows = sample.table(Table::Cgroup).into_iter().flat_map(|rows| rows.rows());
    let name = |entity: pagetide_core::EntityId| schema.entities(Table::Cgroup)[entity.0 as usize].name.clone();
    let mut names: Vec<_> = rows.map(|(entity, _)| name(entity)).collect();
    names.sort();
    names.iter().map(|name| name.replacen("/sys/fs/cgroup", "", 1)).collect()
}

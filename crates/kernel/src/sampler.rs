//! The sampler: everything that is recorded, read at once from files that stay open.

mod cgroup;
mod delays;
mod disk;
mod host;
mod kept;
mod learned;
mod listing;
mod process;
mod row;
mod zone;

use crate::error::Error;
use crate::root::Root;
use pagetide_core::{Kind, Sample, Schema, Table};
use std::path::{Path, PathBuf};

/// Which processes to sample.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Processes {
    /// Only the kernel's own reclaim threads: every `kswapd`.
    #[default]
    KernelThreads,
    /// These processes and all that they start, and the kernel threads.
    Tree(Vec<u32>),
    /// Every process.
    All,
}

/// What to sample beside the host, its zones and its disks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watch {
    /// Full paths of control groups: v1 memory groups or v2 groups.
    pub cgroups: Vec<PathBuf>,
    /// Which processes.
    pub processes: Processes,
}

/// Reads everything that is recorded into a [`Sample`].
///
/// Files stay open and are read into one buffer; once every line has been seen, taking a sample allocates nothing.
/// Use one [`Schema`] for the life of a sampler: it remembers the numbers that the schema gave out.
#[derive(Debug)]
pub struct Sampler {
    root: Root,
    buffer: kept::Buffer,
    host: host::HostFiles,
    zones: zone::Zones,
    disks: disk::Disks,
    cgroups: cgroup::Cgroups,
    processes: process::Watchers,
}

impl Sampler {
    /// Opens the files. A file that this kernel does not have is left out.
    pub fn new(root: &Root, watch: Watch) -> Result<Self, Error> {
        let mut sampler = Self {
            root: root.clone(),
            buffer: kept::Buffer::new(),
            host: host::HostFiles::open(root)?,
            zones: zone::Zones::open(root)?,
            disks: disk::Disks::open(root)?,
            cgroups: cgroup::Cgroups::default(),
            processes: process::Watchers::open(root, watch.processes)?,
        };
        for path in &watch.cgroups {
            sampler.watch_cgroup(path);
        }
        Ok(sampler)
    }

    /// Also samples this control group from now on, by the full path of its directory, which is its name in the
    /// samples. It need not exist yet.
    pub fn watch_cgroup(&mut self, path: &Path) {
        self.cgroups.watch(&self.root, path);
    }

    /// Also samples this process and all that it starts from now on.
    pub fn watch_pid(&mut self, pid: u32) {
        self.processes.watch(pid);
    }

    /// Forgets the rows of `sample` and fills in new ones; the stamp is the caller's. What cannot be read is absent
    /// from the sample; the first error is given back after everything else has been read, so the sample is good
    /// for what it holds even then. What no longer exists (a disk, a group, a process) has no row.
    pub fn sample(&mut self, schema: &mut Schema, sample: &mut Sample) -> Result<(), Error> {
        let Self { buffer, host, zones, disks, cgroups, processes, .. } = self;
        sample.clear();
        let results = [
            host.sample(buffer, schema, sample),
            zones.sample(buffer, schema, sample),
            disks.sample(buffer, schema, sample),
            cgroups.sample(buffer, schema, sample),
            processes.sample(buffer, schema, sample),
        ];
        results.into_iter().fold(Ok(()), Result::and)
    }

    /// How many columns the schema has that the metric table does not know: new lines of a newer kernel.
    pub fn unknown_fields(schema: &Schema) -> u64 {
        let unknown = |table| schema.columns(table).iter().filter(|column| column.kind == Kind::Unknown).count() as u64;
        Table::ALL.into_iter().map(unknown).sum()
    }
}

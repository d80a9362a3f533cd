//! The sampler: everything that is recorded, read at once from files that stay open.

mod disk;
mod host;
mod kept;
mod learned;
mod row;

use crate::error::Error;
use crate::root::Root;
use pagetide_core::{Sample, Schema};
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
    buffer: kept::Buffer,
    host: host::HostFiles,
    disks: disk::Disks,
}

impl Sampler {
    /// Opens the files. A file that this kernel does not have is left out.
    pub fn new(root: &Root, watch: Watch) -> Result<Self, Error> {
        let _ = watch;
        Ok(Self { buffer: kept::Buffer::new(), host: host::HostFiles::open(root)?, disks: disk::Disks::open(root)? })
    }

    /// Also samples this control group from now on, by the full path of its directory.
    pub fn watch_cgroup(&mut self, path: &Path) {
        let _ = path;
    }

    /// Also samples this process and all that it starts from now on.
    pub fn watch_pid(&mut self, pid: u32) {
        let _ = pid;
    }

    /// Forgets the rows of `sample` and fills in new ones; the stamp is the caller's. What cannot be read is absent
    /// from the sample; the first error is given back after everything else has been read, so the sample is good
    /// for what it holds even then.
    pub fn sample(&mut self, schema: &mut Schema, sample: &mut Sample) -> Result<(), Error> {
        sample.clear();
        let host = self.host.sample(&mut self.buffer, schema, sample);
        let disks = self.disks.sample(&mut self.buffer, schema, sample);
        host.and(disks)
    }
}

//! A control group for work, and the kernel's numbers of its memory.

use pagetide_core::{Bytes, Error};
use pagetide_kernel::Root;
use pagetide_kernel::cgroup::{Cgroup, Limit};
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

/// A memory control group: a directory of the v1 memory controller or of v2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    path: PathBuf,
    /// The group below it that processes join; the group itself when absent.
    leaf: Option<PathBuf>,
}

/// What a group uses, with all below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage(Cgroup);

impl Usage {
    /// Its limit; absent when it has none.
    pub fn limit(&self) -> Option<Bytes> {
        match self.0.max? {
            Limit::Bytes(bytes) => Some(bytes),
            Limit::Max => None,
        }
    }

    /// Anonymous memory.
    pub fn anon(&self) -> Option<Bytes> {
        self.get("anon").map(Bytes::new)
    }

    /// Memory that no reclaim can free while there is no swap: anonymous and shared.
    pub fn held(&self) -> Bytes {
        let anon = self.anon().unwrap_or(Bytes::ZERO);
        anon.checked_add(Bytes::new(self.get("shmem").unwrap_or(0))).unwrap_or(anon)
    }

    /// A number by its name in the metric table.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.get(name)
    }

    /// What a new process may still use: the limit minus anonymous memory.
    pub fn available(&self) -> Option<Bytes> {
        Some(self.limit()?.saturating_sub(self.anon()?))
    }

    /// What is charged to it.
    pub fn charged(&self) -> Option<Bytes> {
        self.0.current
    }

    /// What nobody uses: the limit less what is charged.
    pub fn free(&self) -> Option<Bytes> {
        Some(self.limit()?.saturating_sub(self.charged()?))
    }
}

impl Group {
    /// The group whose directory is `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), leaf: None }
    }

    /// The same group, whose processes join a group below it. A v2 group that gives its children limits has no processes of its own
    /// (`kernel/cgroup/cgroup.c:cgroup_vet_subtree_control_enable`).
    pub(crate) fn with_leaf(self, leaf: PathBuf) -> Self {
        Self { leaf: Some(leaf), ..self }
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file into which a process writes 0 to join (`cgroup.procs`).
    pub(crate) fn procs_file(&self) -> Result<File, Error> {
        let path = self.leaf.as_ref().unwrap_or(&self.path).join("cgroup.procs");
        OpenOptions::new().write(true).open(&path).map_err(|error| refuse("write", &path, &error))
    }

    /// What it uses now.
    ///
    /// # Errors
    /// The group is gone.
    pub fn usage(&self) -> Result<Usage, Error> {
        Root::host().cgroup(&self.path).map(Usage).map_err(|error| Error::system(error.to_string(), ""))
    }

    /// Writes one of its files.
    pub(crate) fn write(&self, file: &str, value: &str) -> Result<(), Error> {
        let path = self.path.join(file);
        fs::write(&path, value).map_err(|error| refuse(&format!("write {value} to"), &path, &error))
    }

    /// Whether it has this file.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.path.join(file).exists()
    }
}

/// The size of a page.
pub(crate) fn page_size() -> Bytes {
    Bytes::new(rustix::param::page_size() as u64)
}

fn refuse(what: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::system(format!("cannot {what} {}: {error}", path.display()), "run as root")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(files: &[(&str, &str)]) -> Usage {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Group::new(folder.path()).usage().unwrap()
    }

    #[test]
    fn both_versions_are_read_alike() {
        let v1 = usage(&[
            ("memory.limit_in_bytes", "402653184\n"),
            ("memory.usage_in_bytes", "300000000\n"),
            ("memory.stat", "cache 1\nrss 2\ntotal_cache 9437184\ntotal_rss 13520896\ntotal_shmem 4096\n"),
        ]);
        assert_eq!(v1.anon(), Some(Bytes::new(13_520_896)));
        assert_eq!(v1.available(), Some(Bytes::new(402_653_184 - 13_520_896)));
        assert_eq!(v1.held(), Bytes::new(13_524_992));
        let v2 = usage(&[
            ("memory.max", "402653184\n"),
            ("memory.current", "300000000\n"),
            ("memory.stat", "anon 13520896\nfile 9437184\nshmem 4096\nworkingset_refault_file 7\n"),
        ]);
        assert_eq!((v2.anon(), v2.available(), v2.free()), (v1.anon(), v1.available(), v1.free()));
    }

    #[test]
    fn without_a_limit_available_memory_is_unknown() {
        let none = usage(&[("memory.max", "max\n"), ("memory.current", "1\n"), ("memory.stat", "anon 1\n")]);
        assert_eq!((none.limit(), none.available(), none.free()), (None, None, None));
    }
}

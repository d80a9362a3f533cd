//! A control group that work is put into, and what the kernel says of its memory.

use pagetide_core::{Bytes, Refusal};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

/// A memory control group: a directory of the v1 memory controller or of v2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    path: PathBuf,
}

/// What a group uses. Values are those of the group with all below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// Its limit; absent when it has none.
    pub limit: Option<Bytes>,
    /// Memory charged to it (`memory.current`, v1 `memory.usage_in_bytes`).
    pub current: Option<Bytes>,
    /// `memory.stat`, by the kernel's names, of v1 without `total_`.
    stat: BTreeMap<String, u64>,
}

impl Usage {
    /// Anonymous memory (v1 `rss`).
    pub fn anon(&self) -> Option<Bytes> {
        self.stat("anon").or_else(|| self.stat("rss")).map(Bytes::new)
    }

    /// Memory that no reclaim can free while there is no swap: anonymous and shared.
    pub fn held(&self) -> Bytes {
        let anon = self.anon().unwrap_or(Bytes::ZERO);
        anon.checked_add(Bytes::new(self.stat("shmem").unwrap_or(0))).unwrap_or(anon)
    }

    /// A line of `memory.stat`.
    pub fn stat(&self, name: &str) -> Option<u64> {
        self.stat.get(name).copied()
    }

    /// What may still be used by somebody new: the limit less anonymous memory.
    pub fn available(&self) -> Option<Bytes> {
        Some(self.limit?.saturating_sub(self.anon()?))
    }

    /// What nobody uses: the limit less what is charged.
    pub fn free(&self) -> Option<Bytes> {
        Some(self.limit?.saturating_sub(self.current?))
    }
}

/// `memory.stat` by name. v1 has each number twice: of the group alone, and with all below it as `total_`; the latter counts.
fn parse_stat(text: &str) -> BTreeMap<String, u64> {
    let mut stat = BTreeMap::new();
    let numbers = text.lines().filter_map(|line| line.split_once(' '));
    for (name, number) in numbers.filter_map(|(name, number)| Some((name, number.trim().parse().ok()?))) {
        match name.strip_prefix("total_") {
            Some(name) => stat.insert(name.to_owned(), number),
            None => stat.insert(name.to_owned(), number),
        };
    }
    stat
}

impl Group {
    /// The group whose directory is `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file into which a process writes 0 to join.
    pub(crate) fn door(&self) -> Result<File, Refusal> {
        let path = self.path.join("cgroup.procs");
        OpenOptions::new().write(true).open(&path).map_err(|error| refuse("write", &path, &error))
    }

    /// What it uses now.
    ///
    /// # Errors
    /// The group is gone.
    pub fn usage(&self) -> Result<Usage, Refusal> {
        let number = |files: [&str; 2]| {
            let text = files.iter().find_map(|file| fs::read_to_string(self.path.join(file)).ok())?;
            text.trim().parse::<u64>().ok().map(Bytes::new)
        };
        let path = self.path.join("memory.stat");
        let stat = fs::read_to_string(&path).map_err(|error| refuse("read", &path, &error))?;
        Ok(Usage {
            // v2 says `max`, v1 a number near 2^63, for no limit.
            limit: number(["memory.max", "memory.limit_in_bytes"]).filter(|limit| limit.get() < 1 << 62),
            current: number(["memory.current", "memory.usage_in_bytes"]),
            stat: parse_stat(&stat),
        })
    }

    /// Writes one of its files.
    pub(crate) fn write(&self, file: &str, value: &str) -> Result<(), Refusal> {
        let path = self.path.join(file);
        fs::write(&path, value).map_err(|error| refuse(&format!("write {value} to"), &path, &error))
    }

    /// Whether it has this file.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.path.join(file).exists()
    }
}

fn refuse(what: &str, path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::system(format!("cannot {what} {}: {error}", path.display()), "run as root")
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
        assert_eq!(v2.stat("workingset_refault_file"), Some(7));
    }

    #[test]
    fn no_limit_is_absent() {
        let v1 = [("memory.limit_in_bytes", "9223372036854771712\n"), ("memory.stat", "total_rss 1\n")];
        let v2 = [("memory.max", "max\n"), ("memory.stat", "anon 1\n")];
        assert_eq!((usage(&v1).limit, usage(&v2).limit), (None, None));
    }
}

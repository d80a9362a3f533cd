//! One view of memory for a recording, whether the work ran on the whole host or in one control group of it.
//!
//! On a shrunk host (see the lab's host backend) the machine that matters is the group; the host's own
//! `/proc/meminfo` says nothing about its limit. Rules and plots ask this module and need not know.

use crate::metric::Table;
use crate::recording::{Recording, Series};

/// Memory in parts that add up to all of it, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Split {
    /// Anonymous and shared memory, which reclaim can only write to swap: AnonPages and Shmem.
    pub anonymous: f64,
    /// What is left: memory of the kernel, its slabs included, and pools of huge pages; absent where the total is not known.
    pub other: Option<f64>,
    /// Page cache that is changed and not yet on its device: Dirty and Writeback.
    pub dirty: f64,
    /// Page cache that reclaim frees without IO.
    pub clean: f64,
    /// Unused; absent where it is not known.
    pub free: Option<f64>,
}

/// The names under which [`Split::new`] looks for its members: of a host those of `/proc/meminfo`, of a control group those of its
/// files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitFields {
    anonymous: &'static str,
    shared: &'static str,
    /// Page cache, shared memory included.
    cache: [&'static str; 2],
    unwritten: [&'static str; 2],
    total: &'static str,
    used: Option<&'static str>,
    free: Option<&'static str>,
}

impl SplitFields {
    /// Of a host.
    pub const HOST: Self = Self {
        anonymous: "AnonPages",
        shared: "Shmem",
        cache: ["Cached", "Buffers"],
        unwritten: ["Dirty", "Writeback"],
        total: "MemTotal",
        used: None,
        free: Some("MemFree"),
    };

    /// Of a control group.
    pub const CGROUP: Self = Self {
        anonymous: "anon",
        shared: "shmem",
        cache: ["file", ""],
        unwritten: ["file_dirty", "file_writeback"],
        total: "max",
        used: Some("current"),
        free: None,
    };

    /// Those without which there is no [`Split`].
    pub const fn needed(self) -> [&'static str; 2] {
        [self.cache[0], self.anonymous]
    }

    /// All of them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let [cache, buffers] = self.cache;
        let [dirty, writeback] = self.unwritten;
        let always = [self.anonymous, self.shared, cache, buffers, dirty, writeback, self.total];
        always.into_iter().chain(self.used).chain(self.free).filter(|name| !name.is_empty())
    }
}

impl Split {
    /// The parts at one moment, from the values that `get` finds by name; absent where anonymous memory or cache is not known.
    pub fn new(fields: SplitFields, get: impl Fn(&str) -> Option<f64>) -> Option<Self> {
        let or_zero = |name: &str| get(name).unwrap_or(0.0);
        let shared = or_zero(fields.shared);
        let anonymous = get(fields.anonymous)? + shared;
        let cache = (get(fields.cache[0])? + or_zero(fields.cache[1]) - shared).max(0.0);
        let dirty = fields.unwritten.into_iter().map(or_zero).sum::<f64>().min(cache);
        let total = get(fields.total);
        let charged = fields.used.and_then(&get);
        let free = match fields.free {
            Some(free) => get(free),
            None => total.zip(charged).map(|(total, charged)| (total - charged).max(0.0)),
        };
        let used = charged.or_else(|| Some(total? - free?));
        let other = used.map(|used| (used - anonymous - cache).max(0.0));
        Some(Self { anonymous, other, dirty, clean: cache - dirty, free })
    }
}

/// The series that describe memory, all gauges in bytes, each absent when the recording lacks it.
#[derive(Debug, Clone)]
pub struct Memory<'a> {
    /// The control group, when the work ran in one.
    pub cgroup: Option<String>,
    /// All memory there is (MemTotal, or the group's limit).
    pub total: Option<Series<'a>>,
    /// Anonymous memory.
    pub anon: Option<Series<'a>>,
    /// Page cache of files. On a host this leaves out `Buffers`.
    pub file: Option<Series<'a>>,
    /// Page cache that waits to be written.
    pub dirty: Option<Series<'a>>,
    /// Page cache being written.
    pub writeback: Option<Series<'a>>,
    /// Memory charged to the group; absent on a host.
    pub used: Option<Series<'a>>,
    /// MemFree on a host; absent for a group, where it is total less used.
    pub free: Option<Series<'a>>,
    /// Refaults of file pages: a counter, in pages.
    pub refaults: Option<Series<'a>>,
}

impl<'a> Memory<'a> {
    /// The memory view of a recording.
    pub fn of(recording: &'a Recording) -> Self {
        if let Some(path) = recording.manifest.workload_cgroup.clone() {
            let get = |name: &str| recording.series(Table::Cgroup, &path, name);
            return Self {
                total: get("max"),
                anon: get("anon"),
                file: get("file"),
                dirty: get("file_dirty"),
                writeback: get("file_writeback"),
                used: get("current"),
                free: None,
                refaults: get("workingset_refault_file").or_else(|| get("workingset_refault")),
                cgroup: Some(path),
            };
        }
        let get = |name: &str| recording.host(name);
        Self {
            cgroup: None,
            total: get("MemTotal"),
            anon: get("AnonPages"),
            file: get("Cached"),
            dirty: get("Dirty"),
            writeback: get("Writeback"),
            used: None,
            free: get("MemFree"),
            refaults: get("workingset_refault_file").or_else(|| get("workingset_refault")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up_to_all_memory() {
        let host = [
            ("MemTotal", 1000.0),
            ("MemFree", 100.0),
            ("AnonPages", 300.0),
            ("Shmem", 50.0),
            ("Cached", 400.0),
            ("Buffers", 20.0),
            ("Dirty", 30.0),
            ("Writeback", 5.0),
        ];
        let get = |name: &str| host.iter().find(|field| field.0 == name).map(|field| field.1);
        let split = Split::new(SplitFields::HOST, get).unwrap();
        let parts = Split { anonymous: 350.0, other: Some(180.0), dirty: 35.0, clean: 335.0, free: Some(100.0) };
        assert_eq!(split, parts, "shared memory counts as anonymous, not as cache");
        assert!(SplitFields::HOST.names().all(|name| get(name).is_some()));
        assert_eq!(Split::new(SplitFields::HOST, |name| get(name).filter(|_| name != "Cached")), None);
    }

    #[test]
    fn of_a_group_free_is_what_its_limit_leaves() {
        let group = [("anon", 10.0), ("file", 20.0), ("current", 35.0), ("max", 40.0)];
        let get = |name: &str| group.iter().find(|field| field.0 == name).map(|field| field.1);
        let split = Split::new(SplitFields::CGROUP, get).unwrap();
        assert_eq!(split, Split { anonymous: 10.0, other: Some(5.0), dirty: 0.0, clean: 20.0, free: Some(5.0) });
        let unlimited = Split::new(SplitFields::CGROUP, |name| get(name).filter(|_| name != "max")).unwrap();
        assert_eq!((unlimited.free, unlimited.other), (None, Some(5.0)));
    }
}

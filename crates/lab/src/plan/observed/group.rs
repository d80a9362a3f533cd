//! Control groups whose limits bound the cache of the recorded work.

use super::machine::bytes;
use pagetide_core::{Bytes, Recording, Table as Rows, plain_name};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The kernel says that a group has no limit by a large number.
const NO_LIMIT: f64 = 1e15;
/// A group has room for this much cache at least, however much of its limit its processes take.
const MIN_ROOM: f64 = 4_194_304.0;

/// A control group with a limit of memory. The model has only the cache of its processes: their own memory is part of what the machine's system holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    path: String,
    /// Its name in the scenario.
    name: String,
    /// `memory.max` and `memory.high`.
    max: Option<f64>,
    high: Option<f64>,
    /// Memory charged to it that is no file cache.
    other: f64,
    /// Its file cache.
    pub(super) file: Option<f64>,
}

impl Group {
    /// The group with this path, if it has a limit.
    fn of(recording: &Recording, path: &str) -> Option<Self> {
        let series = |metric| recording.series(Rows::Cgroup, path, metric);
        let last = |metric| Some(series(metric)?.points().next_back()?.1 as f64);
        let limit = |metric| last(metric).filter(|limit| (1.0..NO_LIMIT).contains(limit));
        let median = |metric| {
            let mut values: Vec<i64> = series(metric)?.points().map(|(_, value)| value).collect();
            values.sort_unstable();
            Some(*values.get(values.len() / 2)? as f64)
        };
        let (max, high) = (limit("max"), limit("high"));
        max.or(high)?;
        let file = median("file").map(|file| (file - median("shmem").unwrap_or(0.0)).max(0.0));
        let other = median("current").zip(file).map(|(current, file)| current - file).or_else(|| median("anon"));
        let name = plain_name(path.rsplit('/').next().unwrap_or(path));
        Some(Self { path: path.to_owned(), name, max, high, other: other.unwrap_or(0.0).max(0.0), file })
    }

    /// What a limit leaves for file cache.
    fn left_of(&self, limit: f64) -> f64 {
        (limit - self.other).max(MIN_ROOM)
    }

    /// File cache that fits into its limits.
    pub(super) fn room(&self) -> f64 {
        let limits = [self.max, self.high].into_iter().flatten();
        limits.map(|limit| self.left_of(limit)).fold(f64::INFINITY, f64::min)
    }

    /// Its path, and the limit that is met first: `/edge, whose memory.max of 150 MiB`.
    pub(super) fn limited_by(&self, shown: impl Fn(f64) -> String) -> String {
        let (name, limit) = match (self.max, self.high) {
            (Some(max), Some(high)) if high < max => ("memory.high", high),
            (Some(max), _) => ("memory.max", max),
            (None, high) => ("memory.high", high.unwrap_or(NO_LIMIT)),
        };
        let path = self.path.strip_prefix("/sys/fs/cgroup").unwrap_or(&self.path);
        format!("{}, whose {name} of {}", path.escape_debug(), shown(limit))
    }

    /// It in a scenario.
    pub(super) fn spec(&self) -> Value {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a limit of memory")]
        let left = |limit: f64| bytes(Bytes::new(self.left_of(limit) as u64));
        let mut spec = Table::from_iter([("name".to_owned(), Value::from(self.name.clone()))]);
        for (key, limit) in [("memory_max", self.max), ("memory_high", self.high)] {
            spec.extend(limit.map(|limit| (key.to_owned(), left(limit))));
        }
        spec.into()
    }
}

/// The groups with a limit of memory in which processes of a recording ran.
#[derive(Debug, Default)]
pub(super) struct Groups {
    all: Vec<Group>,
    /// Paths by the kernel's id.
    paths: BTreeMap<i64, String>,
}

impl Groups {
    pub(super) fn of(recording: &Recording) -> Self {
        let id = |path: &str| recording.series(Rows::Cgroup, path, "cgroup_id")?.points().next().map(|(_, id)| id);
        let paths = recording.entities(Rows::Cgroup).filter_map(|(path, _)| Some((id(path)?, path.to_owned())));
        Self { all: Vec::new(), paths: paths.collect() }
    }

    /// The group that bounds the cache of a process: of its own and those above it the one with the least room.
    pub(super) fn of_process(&mut self, recording: &Recording, process: &str) -> Option<usize> {
        let ids = recording.series(Rows::Process, process, "cgroup_id")?;
        let own = self.paths.get(&ids.points().next_back()?.1)?;
        let up = std::iter::successors(Some(own.as_str()), |path| path.rsplit_once('/').map(|(above, _)| above));
        let limited = up.filter_map(|path| Group::of(recording, path));
        let mut group = limited.min_by(|one, other| one.room().total_cmp(&other.room()))?;
        if let Some(known) = self.all.iter().position(|known| known.path == group.path) {
            return Some(known);
        }
        if self.all.iter().any(|known| known.name == group.name) {
            group.name = format!("{}-{}", group.name, self.all.len());
        }
        self.all.push(group);
        Some(self.all.len() - 1)
    }

    pub(super) fn get(&self, at: usize) -> &Group {
        &self.all[at]
    }
}

//! Control groups: the memory controller of v1 and v2, and block IO where it is easily had.
//!
//! Both versions are told in v2's names, as the metric table lists them; of v1 the totals of the whole subtree are used,
//! which is what v2 gives (`mm/memcontrol-v1.c:memcg1_stat_format`, `mm/memcontrol.c:memory_stat_format`).

use crate::error::Error;
use crate::root::Root;
use pagetide_core::Bytes;
use pagetide_proctext::Problem;
use pagetide_proctext::cgroup_io::{by_operation, keyed as by_device};
use pagetide_proctext::keyed::spaced;
use pagetide_proctext::pressure;
use pagetide_proctext::text::{lines, number};
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// A limit of a control group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// This much.
    Bytes(Bytes),
    /// None at all.
    Max,
}

/// Which version of control groups a directory belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// The v1 memory controller.
    V1,
    /// The unified hierarchy.
    V2,
}

/// v1 has no word for "no limit": it prints the largest number of whole pages, or on kernels before 3.19 the largest
/// number. Both are above this, on pages of any size up to 64 KiB.
const V1_UNLIMITED: u64 = i64::MAX as u64 - 0xffff;

/// Parses a limit: `max`, or a number of bytes (where v1 prints a huge number when there is none).
pub fn parse_limit(text: &str) -> Result<Limit, Error> {
    const FILE: &str = "memory.max";
    let line = lines(FILE, text)?.next().map_or("", |(_, line)| line);
    if line == "max" {
        return Ok(Limit::Max);
    }
    let bytes = number(line).ok_or_else(|| Error::line(FILE, 1, Problem::NotANumber))?;
    Ok(if bytes >= V1_UNLIMITED { Limit::Max } else { Limit::Bytes(Bytes::new(bytes)) })
}

/// How a file of a control group is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    /// One number.
    Amount(&'static str),
    /// A limit: a number or `max`.
    Limit(&'static str),
    /// v1's memory.stat.
    StatV1,
    /// v2's memory.stat.
    StatV2,
    /// v2's cgroup.events, of which the state of the freezer is recorded.
    Frozen,
    /// memory.events: names that get `events_` before them.
    Events,
    /// v2's cpu.max.
    CpuMax,
    /// A pressure file: metric names of some and full.
    Pressure([&'static str; 2]),
    /// v2's cpu.stat.
    CpuStat,
    /// v2's io.stat.
    IoStat,
    /// v1's blkio counters by direction: metric names of reads and writes.
    Blkio([&'static str; 2]),
}

/// The files of a v2 group.
pub(crate) const V2: [(&str, Form); 13] = [
    ("memory.current", Form::Amount("current")),
    ("memory.max", Form::Limit("max")),
    ("memory.high", Form::Limit("high")),
    ("cpu.max", Form::CpuMax),
    ("memory.swap.current", Form::Amount("swap")),
    ("memory.stat", Form::StatV2),
    ("memory.events", Form::Events),
    ("memory.pressure", Form::Pressure(["psi_memory_some", "psi_memory_full"])),
    ("io.pressure", Form::Pressure(["psi_io_some", "psi_io_full"])),
    ("cpu.pressure", Form::Pressure(["psi_cpu_some", "psi_cpu_full"])),
    ("cpu.stat", Form::CpuStat),
    ("io.stat", Form::IoStat),
    ("cgroup.events", Form::Frozen),
];

/// The files of a v1 memory group.
pub(crate) const V1: [(&str, Form); 4] = [
    ("memory.usage_in_bytes", Form::Amount("current")),
    ("memory.limit_in_bytes", Form::Limit("max")),
    ("memory.failcnt", Form::Amount("failcnt")),
    ("memory.stat", Form::StatV1),
];

/// The files of the v1 blkio group of the same path. They count what reaches the devices and lack buffered writes,
/// which v1 does not attribute.
pub(crate) const BLKIO: [(&str, Form); 2] = [
    ("blkio.throttle.io_service_bytes_recursive", Form::Blkio(["io_rbytes", "io_wbytes"])),
    ("blkio.throttle.io_serviced_recursive", Form::Blkio(["io_rios", "io_wios"])),
];

/// What a line of v1's memory.stat is called in v2; `None` for what is not recorded: the group's own share.
fn v1_name(name: &str) -> Option<&str> {
    Some(match name.strip_prefix("total_") {
        Some("rss") => "anon",
        Some("rss_huge") => "anon_thp",
        Some("cache") => "file",
        Some("mapped_file") => "file_mapped",
        Some("dirty") => "file_dirty",
        Some("writeback") => "file_writeback",
        Some(other) => other,
        None if name.starts_with("hierarchical_") => name,
        None => return None,
    })
}

/// Reads one file of a group and hands out its numbers by metric name, with the line they stand on (from 0). Unlimited
/// limits are not handed out.
pub(crate) fn numbers<'a>(
    form: Form,
    text: &'a str,
    mut give: impl FnMut(usize, Cow<'a, str>, u64),
) -> Result<(), Error> {
    const FILE: &str = "cgroup";
    let wrong = |at, problem| Error::line(FILE, at, problem);
    match form {
        Form::Amount(name) => {
            let line = lines(FILE, text)?.next().map_or("", |(_, line)| line);
            give(0, name.into(), number(line).ok_or_else(|| wrong(1, Problem::NotANumber))?);
        }
        Form::Limit(name) => {
            if let Limit::Bytes(bytes) = parse_limit(text)? {
                give(0, name.into(), bytes.get());
            }
        }
        Form::StatV1 | Form::StatV2 | Form::Events => {
            for (at, line) in lines(FILE, text)? {
                let (name, value) = spaced(line).map_err(|problem| wrong(at, problem))?;
                match form {
                    Form::StatV2 => give(at - 1, name.into(), value),
                    Form::StatV1 => match v1_name(name) {
                        Some(name) if name.starts_with("hierarchical_") && value >= V1_UNLIMITED => {}
                        Some(name) => give(at - 1, name.into(), value),
                        None => {}
                    },
                    _ => give(at - 1, event_name(name), value),
                }
            }
        }
        Form::Frozen => {
            for (at, line) in lines(FILE, text)? {
                let (name, value) = spaced(line).map_err(|problem| wrong(at, problem))?;
                if name == "frozen" {
                    give(at - 1, name.into(), value);
                }
            }
        }
        Form::CpuMax => {
            let line = lines(FILE, text)?.next().map_or("", |(_, line)| line);
            let (quota, period) = line.split_once(' ').ok_or_else(|| wrong(1, Problem::Short))?;
            if quota != "max" {
                let part = |text| number(text).ok_or_else(|| wrong(1, Problem::NotANumber));
                give(0, "cpu_max".into(), part(quota)?.saturating_mul(SECOND) / part(period)?.max(1));
            }
        }
        Form::CpuStat => {
            for (at, line) in lines(FILE, text)? {
                let (name, value) = spaced(line).map_err(|problem| wrong(at, problem))?;
                if let Some((_, name)) = CPU_FIELDS.iter().find(|(field, _)| *field == name) {
                    give(at - 1, (*name).into(), value);
                }
            }
        }
        Form::Pressure([some, full]) => {
            for (at, (name, value)) in [some, full].into_iter().zip(pressure::totals(text)?).enumerate() {
                if let Some(value) = value {
                    give(at, name.into(), value);
                }
            }
        }
        Form::IoStat => {
            let mut sums = [0u64; IO_SUMS.len()];
            by_device(text, |_, key, value| {
                if let Some(at) = IO_KEYS.iter().position(|known| *known == key) {
                    sums[at] = sums[at].saturating_add(value);
                }
            })?;
            for (at, (name, sum)) in IO_SUMS.into_iter().zip(sums).enumerate() {
                give(at, name.into(), sum);
            }
        }
        Form::Blkio(names) => {
            let mut sums = [0u64; 2];
            by_operation(text, |_, operation, value| {
                if let Some(at) = ["Read", "Write"].iter().position(|known| *known == operation) {
                    sums[at] = sums[at].saturating_add(value);
                }
            })?;
            for (at, (name, sum)) in names.into_iter().zip(sums).enumerate() {
                give(at, name.into(), sum);
            }
        }
    }
    Ok(())
}

/// The unit of `cpu.max`, a quota and the period that it is of, is the µs (`kernel/sched/core.c:cpu_max_show`, 6.12).
const SECOND: u64 = 1_000_000;

/// The fields of cpu.stat that are recorded, and their metrics; those of a limit exist only where the CPU controller is on
/// (`kernel/cgroup/rstat.c:cgroup_base_stat_cputime_show`, `kernel/sched/core.c:cpu_extra_stat_show`, 6.12).
const CPU_FIELDS: [(&str, &str); 4] = [
    ("usage_usec", "cpu_usage"),
    ("nr_periods", "cpu_periods"),
    ("nr_throttled", "cpu_throttled"),
    ("throttled_usec", "cpu_throttled_time"),
];

/// The counters of io.stat whose sums over devices are in the group's row, and the metrics of these sums.
const IO_KEYS: [&str; 4] = ["rbytes", "wbytes", "rios", "wios"];
pub(crate) const IO_SUMS: [&str; 4] = ["io_rbytes", "io_wbytes", "io_rios", "io_wios"];

/// The metric of a line in memory.events, without allocating for those that exist today.
fn event_name(name: &str) -> Cow<'static, str> {
    Cow::Borrowed(match name {
        "low" => "events_low",
        "high" => "events_high",
        "max" => "events_max",
        "oom" => "events_oom",
        "oom_kill" => "events_oom_kill",
        "oom_group_kill" => "events_oom_group_kill",
        "sock_throttled" => "events_sock_throttled",
        other => return Cow::Owned(format!("events_{other}")),
    })
}

/// What a control group's files say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cgroup {
    /// Which version it is.
    pub version: Version,
    /// Memory charged to it.
    pub current: Option<Bytes>,
    /// Its hard limit; absent for the root of v2, which has none to set.
    pub max: Option<Limit>,
    /// The limit above which it is throttled; v2 only.
    pub high: Option<Limit>,
    /// Every number, by its name in the metric table.
    pub values: Vec<(String, u64)>,
}

impl Cgroup {
    /// A number by its name in the metric table, such as `file_dirty`.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

/// Where a group's directory is below a root: a path that lies below it already is taken as it is.
pub(crate) fn directory(root: &Root, path: &Path) -> PathBuf {
    if path.starts_with(root.path()) { path.to_owned() } else { root.join(path) }
}

/// Which version a group's directory is of; `None` when it does not exist.
pub(crate) fn version(directory: &Path) -> Option<Version> {
    if directory.join("memory.usage_in_bytes").exists() {
        Some(Version::V1)
    } else {
        (directory.join("cgroup.controllers").exists() || directory.join("memory.stat").exists()).then_some(Version::V2)
    }
}

/// The blkio directory beside a v1 memory directory: the same path under the other controller, where hierarchies are
/// mounted under their controllers' names.
pub(crate) fn blkio_beside(memory: &Path) -> Option<PathBuf> {
    let mut parts = memory.components();
    let mut front = PathBuf::new();
    while let Some(part) = parts.next() {
        if part.as_os_str() == "memory" {
            return Some(front.join("blkio").join(parts.as_path()));
        }
        front.push(part);
    }
    None
}

/// Directories of groups that are looked into for their processes.
const MOST_GROUPS: usize = 4096;

/// The processes that are now in a control group and in the groups below it, by the full path of its directory; absent when there is
/// no such group.
pub fn members(root: &Root, group: &Path) -> Option<Vec<u32>> {
    let is_plain = group.components().all(|part| !matches!(part, Component::ParentDir | Component::CurDir));
    if !is_plain || !trees(root).ok()?.iter().filter_map(|tree| tree.parent()).any(|top| group.starts_with(top)) {
        return None;
    }
    let (mut waiting, mut pids, mut looked) = (vec![directory(root, group)], Vec::new(), 0);
    while let Some(folder) = waiting.pop() {
        let text = std::fs::read_to_string(folder.join("cgroup.procs"));
        if looked == 0 && text.is_err() {
            return None;
        }
        looked += 1;
        pids.extend(text.unwrap_or_default().lines().filter_map(|line| line.parse::<u32>().ok()));
        let below = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let folders = below.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path());
        waiting.extend(folders.take(MOST_GROUPS.saturating_sub(looked + waiting.len())));
    }
    Some(pids)
}

/// Patterns for [`crate::Watch::cgroups`] that mean every control group whose memory this kernel accounts: the unified
/// hierarchy where it has the memory controller, else the hierarchy of v1 that has it.
///
/// # Errors
/// When the mounts cannot be read.
pub fn trees(root: &Root) -> Result<Vec<PathBuf>, Error> {
    let mounts = root.mounts()?;
    let all = |point: &PathBuf| vec![point.join("**")];
    let v2 = mounts.iter().find(|mount| mount.kind == "cgroup2").map(|mount| &mount.point);
    if let Some(point) = v2 {
        let controllers = root.optional(point.join("cgroup.controllers"))?.unwrap_or_default();
        if controllers.split(' ').any(|controller| controller == "memory") {
            return Ok(all(point));
        }
    }
    let has_memory = |options: &str| options.split(',').any(|option| option == "memory");
    let v1 = mounts.iter().find(|mount| mount.kind == "cgroup" && has_memory(&mount.options));
    Ok(v1.map_or_else(Vec::new, |mount| all(&mount.point)))
}

impl Root {
    /// Reads a control group by the full path of its directory (v1: that of the memory controller).
    pub fn cgroup(&self, path: &Path) -> Result<Cgroup, Error> {
        let directory = directory(self, path);
        let Some(version) = version(&directory) else {
            return Err(Error::Read { path: directory, source: std::io::ErrorKind::NotFound.into() });
        };
        let mut files: Vec<(PathBuf, Form)> = Vec::new();
        let mut add = |folder: &Path, list: &[(&str, Form)]| {
            files.extend(list.iter().map(|(name, form)| (folder.join(name), *form)));
        };
        match version {
            Version::V2 => add(&directory, &V2),
            Version::V1 => {
                add(&directory, &V1);
                if let Some(blkio) = blkio_beside(&directory) {
                    add(&blkio, &BLKIO);
                }
            }
        }
        let mut cgroup = Cgroup { version, current: None, max: None, high: None, values: Vec::new() };
        for (file, form) in files {
            let text = match std::fs::read_to_string(&file) {
                Ok(text) => text,
                Err(error) if crate::error::absent(&error) => continue,
                Err(source) => return Err(Error::Read { path: file, source }),
            };
            match form {
                Form::Limit("max") => cgroup.max = Some(parse_limit(&text).map_err(|error| error.at(&file))?),
                Form::Limit("high") => cgroup.high = Some(parse_limit(&text).map_err(|error| error.at(&file))?),
                _ => {}
            }
            numbers(form, &text, |_, name, value| cgroup.values.push((name.into_owned(), value)))
                .map_err(|error| error.at(&file))?;
        }
        cgroup.current = cgroup.get("current").map(Bytes::new);
        Ok(cgroup)
    }
}

//! A recording without the names of its host: each is replaced by a pseudonym, the same for the same name within one cut.
//!
//! Pseudonyms are hashes under a random key that is then forgotten, so nobody can find a name by hashing likely ones. This file lists what
//! is copied; everything else is left out. So a field that a later version records does not leak until somebody lists it.

use crate::import;
use pagetide_core::{
    Disk, EndedName, Entity, Kind, Manifest, Mark, MarkKind, Nanos, Recording, RecordingBuilder, SettingChange,
    StepResult, Swap, Table, Values, metric,
};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};

/// What a redacted cut still shows, one sentence each.
pub const REMAINS: [&str; 6] = [
    "the numbers and their times, which show the load of the host",
    "kernel release, number of CPUs, sizes of memory and disks, version of pagetide",
    "process ids, start times and parents, and names of kernel threads (kswapd0)",
    "numeric vm. settings and their changes, types of file systems and disks (nvme, dm, loop)",
    "the number of hosts, disks, groups and processes, and which rows belong to the same one or the same user",
    "from a trace: which of them evicted and read how much of which, the number of files, and device numbers",
];

/// A recording without names.
#[derive(Debug, Clone, PartialEq)]
pub struct Redacted {
    /// The recording.
    pub recording: Recording,
    /// The columns that it lacks, because pagetide does not know them.
    pub columns_left_out: usize,
}

/// Returns the recording with pseudonyms for the names of the host, processes, groups, disks, mounts, swap areas, settings and steps. Labels
/// and columns that pagetide does not know are left out, and so are notes, except those of a number under vm. that changed.
pub fn redact(recording: &Recording) -> Redacted {
    let names = Pseudonyms(RandomState::new());
    let mut builder = RecordingBuilder::new(names.manifest(&recording.manifest));
    recording.stamps().iter().for_each(|stamp| builder.stamp(*stamp));
    let mut left_out = BTreeSet::new();
    for table in Table::ALL {
        for (name, label) in recording.entities(table) {
            let entity = names.entity(table, name, label);
            let new = entity.name.clone();
            builder.entity(table, entity);
            for (column, values) in recording.columns(table, name) {
                if is_known(table, &column.name, column.kind) {
                    builder.values(table, &new, column.clone(), names.values(&column.name, values));
                } else {
                    left_out.insert((table, column.name.as_str()));
                }
            }
        }
    }
    recording.marks.iter().filter_map(|mark| names.mark(mark)).for_each(|mark| builder.mark(mark));
    Redacted { recording: builder.finish(), columns_left_out: left_out.len() }
}

/// Whether pagetide itself gives a column its name: as a kernel field that it knows, or to what another tool printed.
fn is_known(table: Table, name: &str, kind: Kind) -> bool {
    kind != Kind::Unknown && (metric::find(table, name).is_some() || import::is_column(table, name, kind))
}

/// A part of the name of a row of a trace.
enum Part {
    Group,
    Program,
    Number,
    Inode,
    User,
    Device,
    /// How pages were evicted.
    Mechanism,
}

/// Words that the recorder itself writes in such names.
const TRACE_WORDS: [&str; 6] = ["trace", "rest", "(others)", "direct", "group", "kswapd"];

/// The parts of the names of a trace's table (FORMAT.md).
const fn traced_parts(table: Table) -> &'static [Part] {
    use Part::{Device, Group, Inode, Mechanism, Number, Program, User};
    match table {
        Table::Eviction => &[Mechanism, Group, Program, Number, Inode, Group, Program, User, User],
        Table::Ghost => &[Group, Group, Number],
        Table::Throttle => &[Group, Program, Device],
        Table::Reclaim => &[Group, Program],
        Table::Replay => &[Group],
        _ => &[],
    }
}

fn number(text: &str) -> bool {
    text.len() < 20 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The pseudonyms of one cut, under its key.
struct Pseudonyms(RandomState);

impl Pseudonyms {
    /// `KIND-` and ten letters or digits.
    fn of(&self, kind: &str, name: &str) -> String {
        const DIGITS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        let mut hash = self.0.hash_one((kind, name));
        let mut text = format!("{kind}-");
        for _ in 0..10 {
            text.push(char::from(DIGITS[(hash % 32) as usize]));
            hash /= 32;
        }
        text
    }

    fn some(&self, kind: &str, name: &str) -> String {
        if name.is_empty() { String::new() } else { self.of(kind, name) }
    }

    /// A disk keeps its kind, by which rules pass over loop and zram devices.
    fn disk(&self, name: &str) -> String {
        const KINDS: [&str; 9] = ["loop", "zram", "ram", "dm-", "md", "nvme", "sd", "vd", "xvd"];
        let kind = KINDS.into_iter().find(|kind| name.starts_with(kind)).unwrap_or("disk");
        self.some(kind.trim_end_matches('-'), name)
    }

    /// The path of a group, part by part, so that the tree keeps its shape.
    fn group(&self, path: &str) -> String {
        let parts = path.split('/').map(|part| self.some("group", part));
        parts.collect::<Vec<_>>().join("/")
    }

    fn command(&self, name: &str) -> String {
        const THREADS: [&str; 4] = ["kswapd", "kcompactd", "khugepaged", "ksoftirqd/"];
        let numbered = |thread: &&str| {
            name.strip_prefix(*thread)
                .is_some_and(|rest| rest.len() < 5 && rest.bytes().all(|byte| byte.is_ascii_digit()))
        };
        if THREADS.iter().any(numbered) { name.to_owned() } else { self.some("process", name) }
    }

    /// Another number for the id of a file or a user; 0, the superuser, stays 0.
    fn number(&self, kind: &str, text: &str) -> String {
        match text.parse::<u64>() {
            Ok(number) => self.id(kind, number).to_string(),
            Err(_) => String::new(),
        }
    }

    fn id(&self, kind: &str, number: u64) -> u64 {
        if number == 0 { 0 } else { self.0.hash_one((kind, number)) % (1 << 31) }
    }

    /// The values of a column. Ids of users and groups are replaced, each id by the same number everywhere.
    fn values(&self, column: &str, values: &Values) -> Values {
        let kind = match column {
            "uid" => "user",
            "cgroup_id" => "group",
            _ => return values.clone(),
        };
        values.map(|value| self.id(kind, value.unsigned_abs()).cast_signed())
    }

    /// The name of a row of a trace, part by part.
    fn traced(&self, table: Table, name: &str) -> String {
        if TRACE_WORDS.contains(&name) {
            return name.to_owned();
        }
        let parts = name.split('\t').enumerate().map(|(at, part)| match traced_parts(table).get(at) {
            _ if part.is_empty() || TRACE_WORDS.contains(&part) => part.to_owned(),
            Some(Part::Group) => self.group(part),
            Some(Part::Program) => self.command(part),
            Some(Part::Number) if number(part) => part.to_owned(),
            Some(Part::Inode) => self.number("inode", part),
            Some(Part::User) => self.number("user", part),
            Some(Part::Device) if part.bytes().all(|byte| byte.is_ascii_digit() || byte == b':') => part.to_owned(),
            Some(Part::Device) => self.disk(part),
            _ => self.of("part", part),
        });
        parts.collect::<Vec<_>>().join("\t")
    }

    fn entity(&self, table: Table, name: &str, label: &str) -> Entity {
        match table {
            Table::Host => Entity::new(self.some("host", name), self.some("host", label)),
            Table::Process => {
                // What it became by exec(2) follows.
                let (id, program) = name.split_once('/').map_or((name, None), |(id, program)| (id, Some(program)));
                let is_id = id.split_once('@').is_some_and(|(pid, start)| number(pid) && number(start));
                let name = match program {
                    _ if EndedName::is(name) => name.to_owned(),
                    Some(program) if is_id => format!("{id}/{}", self.command(program)),
                    None if is_id => name.to_owned(),
                    _ => self.some("id", name),
                };
                Entity::new(name, self.command(label))
            }
            Table::Disk => {
                let new = self.disk(name);
                Entity::new(new.clone(), if label == name { new } else { self.some("model", label) })
            }
            Table::Cgroup => {
                let new = self.group(name);
                Entity::new(new.clone(), if label == name { new } else { self.some("container", label) })
            }
            Table::Zone => {
                const ZONES: [&str; 6] = ["DMA", "DMA32", "Normal", "HighMem", "Movable", "Device"];
                let known = name
                    .split_once('/')
                    .is_some_and(|(node, zone)| node.strip_prefix("node").is_some_and(number) && ZONES.contains(&zone));
                let new = if known { name.to_owned() } else { self.some("zone", name) };
                Entity::new(new.clone(), new)
            }
            Table::Cpu => {
                let new = if number(name) { name.to_owned() } else { self.some(table.name(), name) };
                Entity::new(new.clone(), new)
            }
            Table::CgroupDisk => {
                let (group, disk) = name.split_once('\t').unwrap_or((name, ""));
                Entity::new(format!("{}\t{}", self.group(group), self.disk(disk)), self.disk(label))
            }
            Table::Eviction => Entity::new(self.traced(table, name), self.some("file", label)),
            Table::Ghost => Entity::new(self.traced(table, name), self.traced(table, label)),
            Table::Throttle | Table::Reclaim | Table::Replay | Table::Trace => {
                let program = if label.is_empty() { String::new() } else { self.command(label) };
                let label = if label == name { self.traced(table, name) } else { program };
                Entity::new(self.traced(table, name), label)
            }
        }
    }

    fn manifest(&self, manifest: &Manifest) -> Manifest {
        let device = |path: &str| match path.strip_prefix("/dev/") {
            Some(disk) => format!("/dev/{}", self.disk(disk)),
            None => self.some("file", path),
        };
        let disk = |disk: &Disk| Disk {
            name: self.disk(&disk.name),
            // It would reveal the name: 8:16 is sdb.
            device_number: None,
            model: None,
            size: disk.size,
            rotational: disk.rotational,
            read_ahead: disk.read_ahead,
            below: disk.below.iter().map(|below| self.disk(below)).collect(),
            links: Vec::new(),
        };
        let kind =
            |kind: &str| kind.len() < 12 && kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        const KINDS: [&str; 12] =
            ["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "zfs", "vfat", "nfs", "nfs4", "overlay", "tmpfs"];
        let filesystems = manifest.filesystems.iter();
        Manifest {
            schema_version: manifest.schema_version,
            tool_version: manifest.tool_version.clone(),
            origin: manifest.origin,
            host: self.some("host", &manifest.host),
            kernel: release(&manifest.kernel),
            boot_id: self.some("boot", &manifest.boot_id),
            cpus: manifest.cpus,
            page_size: manifest.page_size,
            memory_total: manifest.memory_total,
            interval: manifest.interval,
            column_intervals: intervals(&manifest.column_intervals),
            disks: manifest.disks.iter().map(disk).collect(),
            swaps: manifest.swaps.iter().map(|swap| Swap { path: device(&swap.path), size: swap.size }).collect(),
            mounts: manifest.mounts.iter().map(|(at, disk)| (self.some("mount", at), device(disk))).collect(),
            filesystems: filesystems
                .filter(|(_, name)| kind(name) && KINDS.contains(&name.as_str()))
                .map(|(at, kind)| (self.some("mount", at), kind.clone()))
                .collect(),
            sysctls: settings(&manifest.sysctls),
            workload_cgroup: manifest.workload_cgroup.as_deref().map(|path| self.group(path)),
            workload_disk: manifest.workload_disk.as_deref().map(|name| self.disk(name)),
            lru: manifest.lru,
            recorder_cpu: manifest.recorder_cpu,
            samples: manifest.samples,
            late_samples: manifest.late_samples,
            missed_samples: manifest.missed_samples,
            lost_samples: manifest.lost_samples,
            cut: manifest.cut,
            ..Manifest::default()
        }
    }

    /// A step with a pseudonym for its id, without title and remarks, which are free text like notes.
    fn mark(&self, mark: &Mark) -> Option<Mark> {
        let kind = match &mark.kind {
            MarkKind::StepStarted { id, .. } => {
                MarkKind::StepStarted { id: self.some("step", id), title: String::new() }
            }
            MarkKind::StepEnded { result } => MarkKind::StepEnded {
                result: Box::new(StepResult {
                    id: self.some("step", &result.id),
                    kind: String::new(),
                    title: String::new(),
                    started_ns: result.started_ns,
                    ended_ns: result.ended_ns,
                    outcome: result.outcome,
                    notes: Vec::new(),
                    figures: result.figures.clone(),
                }),
            },
            MarkKind::Note { text } => {
                let change = SettingChange::parse(text)?;
                let told = is_setting(change.name) && is_numeric(change.from) && is_numeric(change.to);
                MarkKind::Note { text: told.then(|| change.note())? }
            }
        };
        Some(Mark { stamp: mark.stamp, kind })
    }
}

/// The version numbers at the start of a release. What follows may be a site's own words.
fn release(kernel: &str) -> String {
    kernel.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect()
}

/// Whether this is a setting under vm., as the kernel names them.
fn is_setting(name: &str) -> bool {
    name.strip_prefix("vm.").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
}

fn is_numeric(value: &str) -> bool {
    !value.is_empty()
        && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ' || byte == b'\t' || byte == b'-')
}

/// The intervals of the columns that pagetide knows. The name of another one may be a site's own word.
fn intervals(of: &BTreeMap<String, Nanos>) -> BTreeMap<String, Nanos> {
    let known = |key: &str| {
        let column = key.split_once('.').and_then(|(table, name)| Some((Table::by_name(table)?, name)));
        column.is_some_and(|(table, name)| {
            [Kind::Gauge, Kind::Counter, Kind::Rate].into_iter().any(|kind| is_known(table, name, kind))
        })
    };
    of.iter().filter(|(key, _)| known(key)).map(|(key, interval)| (key.clone(), *interval)).collect()
}

/// The kernel settings whose value is a number. A path or a word may be a name.
fn settings(sysctls: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let kept = sysctls.iter().filter(|(name, value)| is_setting(name) && is_numeric(value));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

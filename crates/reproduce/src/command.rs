//! What the processes of a command did.

use crate::effect::has_delays;
use crate::group::{self, Traffic};
use crate::stretch::Stretch;
use pagetide_core::{EndedName, Recording, Table};
use std::collections::BTreeMap;

/// A group holds the memory of a command if both differ by this share at most, and are at least so large.
const SAME_MEMORY: f64 = 0.15;
const MIN_MEMORY: f64 = 8e6;
/// Bytes of a page: what `rss` counts.
const PAGE: f64 = 4096.0;

/// What the processes of a command in a control group did in a stretch, per second.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Did {
    /// Bytes that system calls asked for, and the calls. They count pipes and sockets too.
    pub(crate) read_calls: f64,
    pub(crate) asked: f64,
    pub(crate) write_calls: f64,
    pub(crate) given: f64,
    /// Bytes read from devices, and dirtied for them.
    pub(crate) read: f64,
    pub(crate) written: f64,
    pub(crate) major_faults: f64,
    /// CPU time, waits for IO and waits for a CPU, as a share of the time, all processes together.
    pub(crate) cpu: f64,
    pub(crate) waits: f64,
    pub(crate) cpu_waits: f64,
    /// The share of the CPU time that direct reclaim took: the model takes that by itself.
    pub(crate) reclaim: f64,
    /// Anonymous memory at the begin and at the end, bytes; and of it in swap at the end.
    pub(crate) anon: (f64, f64),
    pub(crate) swapped: f64,
    /// Processes that read or wrote.
    pub(crate) active: usize,
}

/// A command of a control group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Command {
    /// What it is called (`comm`).
    pub(crate) name: String,
    /// The path of its group, where groups are recorded.
    pub(crate) group: Option<String>,
    /// Before the incident, and in it.
    pub(crate) calm: Did,
    pub(crate) trouble: Did,
    /// Its processes, as the recording calls them.
    pub(crate) processes: Vec<String>,
    /// When the first of its processes was seen, if that was after the calm began, ns on the axis.
    pub(crate) appeared: Option<i64>,
}

/// All commands that ran, but the threads of the kernel and pagetide itself.
pub(crate) fn all(calm: &Stretch<'_>, trouble: &Stretch<'_>) -> Vec<Command> {
    let recording = trouble.recording;
    let groups = group_ids(recording);
    let counts_delays = has_delays(recording);
    let mut commands: BTreeMap<(String, Option<String>), Command> = BTreeMap::new();
    for (process, name) in recording.entities_within(Table::Process, calm.from, trouble.to) {
        if name == "pagetide" || !has_own_counters(recording, process) || is_of_kernel(recording, process) {
            continue;
        }
        let group = recording
            .series(Table::Process, process, "cgroup_id")
            .and_then(|series| series.points().next_back())
            .and_then(|(_, id)| groups.get(&id).cloned());
        let command = commands.entry((name.to_owned(), group.clone())).or_insert_with(|| Command {
            name: name.to_owned(),
            group,
            calm: Did::default(),
            trouble: Did::default(),
            processes: Vec::new(),
            appeared: Some(i64::MAX),
        });
        command.processes.push(process.to_owned());
        command.calm.add(calm, process, counts_delays);
        command.trouble.add(trouble, process, counts_delays);
        let first = first_seen(recording, process);
        command.appeared = command.appeared.map(|seen| seen.min(first.unwrap_or(i64::MAX)));
    }
    let mut commands: Vec<Command> = commands.into_values().collect();
    commands.retain(|command| !has_io_of_children(command, calm, trouble));
    find_groups(&calm.with(calm.from, trouble.to), &mut commands);
    if !counts_delays {
        add_waits_of_threads(calm, &mut commands, |command| &mut command.calm);
        add_waits_of_threads(trouble, &mut commands, |command| &mut command.trouble);
    }
    for command in &mut commands {
        command.appeared = command.appeared.filter(|at| *at > calm.from && *at < i64::MAX);
    }
    commands
}

impl Did {
    /// The share of the time in which it worked, or waited for what it needs for that.
    pub(crate) fn at_work(&self) -> f64 {
        self.cpu + self.cpu_waits + self.waits
    }

    /// CPU time that it would use if it never waited for a CPU, as a share of the time.
    pub(crate) fn cpu_wanted(&self) -> f64 {
        self.cpu + self.cpu_waits
    }

    /// All bytes that it asked for, gave, read and wrote.
    pub(crate) fn sum(&self) -> f64 {
        self.asked + self.given + self.read + self.written
    }

    /// Adds what a process did. Delays are not always counted.
    fn add(&mut self, stretch: &Stretch<'_>, process: &str, counts_delays: bool) {
        let rate = |metric| stretch.rate(Table::Process, process, metric).unwrap_or(0.0);
        self.read_calls += rate("syscr");
        self.asked += rate("rchar");
        self.write_calls += rate("syscw");
        self.given += rate("wchar");
        self.read += rate("read_bytes");
        self.written += (rate("write_bytes") - rate("cancelled_write_bytes")).max(0.0);
        if rate("rchar") + rate("wchar") + rate("read_bytes") + rate("write_bytes") > 1024.0 {
            self.active += 1;
        }
        self.major_faults += rate("majflt");
        self.cpu += (rate("utime") + rate("stime")) / 100.0;
        if counts_delays {
            self.waits += rate("blkio_delay_total") / 1e9;
            self.cpu_waits += rate("cpu_delay_total") / 1e9;
        } else {
            // Of those that were not counted its samples say how often it was seen waiting.
            let seen = |state: u8| {
                let series = stretch.recording.series(Table::Process, process, "state");
                let states = || series.iter().flat_map(|series| series.within(stretch.from, stretch.to));
                let own = states().filter(|(_, is)| *is == i64::from(state)).count();
                own as f64 / states().count().max(1) as f64
            };
            self.waits += seen(b'D');
            self.cpu_waits += (seen(b'R') - (rate("utime") + rate("stime")) / 100.0).max(0.0);
        }
        let ends = |metric| stretch.ends(Table::Process, process, metric);
        let anon = ends("RssAnon").or_else(|| ends("rss").map(|(from, to)| (from * PAGE, to * PAGE)));
        if let Some((from, to)) = anon {
            // A process that comes had nothing before.
            let came = stretch
                .recording
                .series(Table::Process, process, "utime")
                .is_some_and(|series| series.points().next().is_some_and(|(at, _)| at > stretch.from));
            self.anon.0 += if came { 0.0 } else { from };
            self.anon.1 += to;
        }
        self.swapped += ends("VmSwap").map_or(0.0, |(_, to)| to);
    }
}

/// Adds the waits of threads that no sample saw, where a group waited for longer than its processes were seen to: in proportion to what its
/// commands read and wrote.
fn add_waits_of_threads(stretch: &Stretch<'_>, commands: &mut [Command], did: fn(&mut Command) -> &mut Did) {
    let mut paths: Vec<String> = commands.iter().filter_map(|command| command.group.clone()).collect();
    paths.sort();
    paths.dedup();
    for path in paths {
        let Some(waited) = stretch.rate(Table::Cgroup, &path, "psi_io_some").map(|us| us / 1e6) else { continue };
        let mut own: Vec<&mut Did> =
            commands.iter_mut().filter(|command| command.group.as_ref() == Some(&path)).map(did).collect();
        let missing = waited - own.iter().map(|did| did.waits).sum::<f64>();
        let moved: f64 = own.iter().map(|did| did.read + did.written).sum();
        for did in own.iter_mut().filter(|_| missing > 0.0 && moved > 0.0) {
            did.waits += missing * (did.read + did.written) / moved;
        }
    }
}

/// Whether what a command read and wrote was done by its children: the kernel adds the IO of a child that ended to its parent's, and not its CPU
/// time (`kernel/exit.c: wait_task_zombie`). A shell that "copied" a gigabyte in no time did not copy it.
fn has_io_of_children(command: &Command, calm: &Stretch<'_>, trouble: &Stretch<'_>) -> bool {
    /// Bytes that one CPU copies per second at most.
    const COPIES: f64 = 10e9;
    /// CPU time is counted in ticks: one may be missing for each end of a stretch.
    const TICKS: f64 = 0.02;
    let in_stretch = |did: &Did, stretch: &Stretch<'_>| {
        let copied = (did.asked + did.given) * stretch.seconds();
        copied / COPIES > did.cpu * stretch.seconds() + TICKS
    };
    in_stretch(&command.trouble, trouble) || in_stretch(&command.calm, calm)
}

/// Finds the groups of commands whose processes were recorded without: those that read and wrote at the same times, or hold as much memory.
fn find_groups(stretch: &Stretch<'_>, commands: &mut [Command]) {
    let recording = stretch.recording;
    let groups: Vec<&str> = group::below_root(stretch).collect();
    if groups.is_empty() || commands.iter().any(|command| command.group.is_some()) {
        return;
    }
    let disks: Vec<&str> = recording.entities(Table::CgroupDisk).map(|(row, _)| row).collect();
    let traffic = |path: &&str| {
        let own = disks.iter().filter(|row| row.split_once('\t').is_some_and(|(group, _)| group == *path));
        let rows: Vec<(Table, String)> = own.map(|row| (Table::CgroupDisk, (*row).to_owned())).collect();
        // Recordings before schema 4 have the sums over the disks.
        if rows.is_empty() {
            return Traffic::of(stretch, &[(Table::Cgroup, (*path).to_owned())], ["io_rbytes", "io_wbytes"]);
        }
        Traffic::of(stretch, &rows, ["rbytes", "wbytes"])
    };
    let of_groups: Vec<(&str, Traffic)> = groups.iter().map(|path| (*path, traffic(path))).collect();
    let held = |path: &str| stretch.ends(Table::Cgroup, path, "anon").map_or(0.0, |(_, to)| to);
    for command in commands {
        let rows: Vec<(Table, String)> =
            command.processes.iter().map(|process| (Table::Process, process.clone())).collect();
        let own = Traffic::of(stretch, &rows, ["read_bytes", "write_bytes"]);
        let holds = command.trouble.anon.1;
        let by_memory = || {
            let near = |path: &&&str| (held(path) / holds - 1.0).abs() < SAME_MEMORY;
            groups.iter().find(near).filter(|_| holds > MIN_MEMORY).copied()
        };
        command.group =
            group::of_traffic(&own, &of_groups, stretch.seconds()).or_else(by_memory).map(ToOwned::to_owned);
    }
}

/// Control groups by the kernel's id.
fn group_ids(recording: &Recording) -> BTreeMap<i64, String> {
    let id = |group: &str| recording.series(Table::Cgroup, group, "cgroup_id")?.points().next().map(|(_, id)| id);
    recording.entities(Table::Cgroup).filter_map(|(group, _)| Some((id(group)?, group.to_owned()))).collect()
}

/// Whether what the row counts is in no other: that of a thread is in its process's, and that of processes that no sample saw in their
/// parent's.
fn has_own_counters(recording: &Recording, process: &str) -> bool {
    recording.series(Table::Process, process, "tgid").is_none() && !EndedName::is(process)
}

/// Whether it has no memory of its own.
fn is_of_kernel(recording: &Recording, process: &str) -> bool {
    let resident = recording.series(Table::Process, process, "rss");
    resident.is_some_and(|series| series.points().all(|(_, pages)| pages == 0))
}

fn first_seen(recording: &Recording, process: &str) -> Option<i64> {
    let metrics = ["utime", "rss", "read_bytes"];
    let first = |metric: &&str| recording.series(Table::Process, process, metric)?.points().next().map(|(at, _)| at);
    metrics.iter().filter_map(first).min()
}

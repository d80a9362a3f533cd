//! A scenario that shows what a recording shows.

use crate::command::{self, Command};
use crate::disk::{self, DiskModel};
use crate::guess::{Factors, Guess};
use crate::load::{self, CommandLoad, HostShape, Kind};
use crate::stretch::{Stretch, at_onset, whole};
use crate::text::{Held, Text, is_limit};
use pagetide_core::{Diagnosis, Error, Nanos, Recording, Scenario, Table};
use std::collections::BTreeMap;

/// The longest incident and the longest time before it that a scenario repeats, s.
const TROUBLE: f64 = 60.0;
const CALM: f64 = 30.0;
/// The shortest.
const SHORTEST: f64 = 4.0;
/// Commands that a scenario has at most: those that do most.
const MOST_LOADS: usize = 12;
/// The id of the step in which it happens.
pub const INCIDENT: &str = "incident";

/// What a recording says of its incident, from which scenarios are made.
#[derive(Debug, Clone)]
pub struct Synthesis<'a> {
    /// Before the incident, and the incident, or its first minute.
    pub(crate) calm: Stretch<'a>,
    pub(crate) trouble: Stretch<'a>,
    pub(crate) disks: Vec<DiskModel>,
    pub(crate) loads: Vec<CommandLoad>,
    /// Anonymous memory of control groups that have limits, by their paths.
    pub(crate) group_memory: Vec<(String, f64)>,
    /// What the recording does not tell.
    pub guesses: Vec<Guess>,
    /// Parts of the scenario that began the incident, by name.
    pub culprits: Vec<String>,
    /// Time between samples of the recording.
    pub(crate) interval: Nanos,
}

impl Synthesis<'_> {
    /// The scenario with what the recording leaves open at these values: as a text that people can read and edit, with the guesses as comments,
    /// and the same, read.
    ///
    /// # Errors
    /// A value is out of range.
    pub(crate) fn scenario(&self, factors: Factors) -> Result<(String, Scenario), Error> {
        let (toml, _) = self.text(factors).write();
        let scenario = Scenario::parse(&toml, "reproduction.toml")?;
        Ok((toml, scenario))
    }

    /// The part of the recording that is repeated, and when in it the incident begins.
    pub const fn span(&self) -> (i64, i64, i64) {
        (self.calm.from, self.calm.to, self.trouble.to)
    }

    /// Before the incident and in it, of a trial.
    pub(crate) fn stretches<'b>(&self, recording: &'b Recording) -> Option<(Stretch<'b>, Stretch<'b>)> {
        let (begin, end) = recording.span()?;
        let onset = begin.saturating_add(self.calm.to - self.calm.from).min(end);
        Some((Stretch { recording, from: begin, to: onset }, Stretch { recording, from: onset, to: end }))
    }

    /// What the recording calls a disk of the model, which calls its disks vda, vdb and so on.
    pub(crate) fn recorded_disk(&self, name: &str) -> Option<&str> {
        let at = name.strip_prefix("vd")?.bytes().next()?.checked_sub(b'a')?;
        self.disks.get(usize::from(at)).map(|disk| disk.name.as_str())
    }

    fn text(&self, factors: Factors) -> Text<'_> {
        Text {
            calm: self.calm,
            trouble: self.trouble,
            disks: &self.disks,
            loads: &self.loads,
            group_memory: &self.group_memory,
            guesses: &self.guesses,
            factors,
        }
    }
}

/// Makes a scenario of the first incident of a recording.
///
/// # Errors
/// There is no incident with a cause, or the recording does not say enough.
pub fn synthesise<'a>(recording: &'a Recording, diagnosis: &Diagnosis) -> Result<Synthesis<'a>, Error> {
    let hint = "record the host with `pagetide record`, as root, while it happens";
    let refuse = |what: &str| Err(Error::input(what.to_owned(), hint));
    let Some(incident) = diagnosis.incidents.iter().find(|incident| incident.cause.is_some()) else {
        return Err(Error::input(
            "the recording has no incident with a cause: there is nothing to reproduce",
            "`pagetide diagnose` says what it shows",
        ));
    };
    let Some((begin, end)) = recording.span() else { return refuse("the recording has no samples") };
    if recording.manifest.cpus == 0 || recording.manifest.memory_total.get() == 0 {
        return refuse("the recording does not say how many CPUs and how much memory the host has");
    }
    if recording.entities(Table::Process).next().is_none() {
        return refuse("the recording has no processes: it does not say who did what");
    }
    let ns = |seconds: f64| whole(seconds * 1e9).cast_signed();
    let from = incident.range.from.ns().clamp(begin, end);
    let to = incident.range.to.ns().clamp(from, end).min(from.saturating_add(ns(TROUBLE)));
    let trouble = Stretch { recording, from, to };
    let calm = Stretch { recording, from: from.saturating_sub(ns(CALM)).max(begin), to: from };
    if trouble.seconds() < SHORTEST {
        return refuse("the incident is shorter than 4 s: too few samples to say what each process did");
    }
    let mut guesses = Vec::new();
    if calm.seconds() < SHORTEST {
        guesses.push(Guess::new(
            "what ran at the first sample ran before the incident",
            "the recording begins with it: it has no time before",
        ));
    }
    let whole = trouble.with(calm.from, to);
    let disks: Vec<DiskModel> = disk::used(&whole).iter().map(|name| disk::model(&whole, name, &mut guesses)).collect();
    if disks.is_empty() {
        return refuse("the recording has no disks, or none of them did anything");
    }
    let mut loads = loads(&calm, &trouble, &mut guesses);
    book_flushes(&trouble, &disks, &mut loads, &mut guesses);
    if loads.is_empty() {
        return refuse(
            "no process of the recording read, wrote or took memory in the incident: the IO of other users' processes needs root",
        );
    }
    if Held::of(&calm, &trouble).anonymous > recording.manifest.memory_total.as_f64() / 50.0 {
        guesses.push(Guess::new(
            "anonymous memory that was there before the incident is not in use",
            "a recording does not tell which pages a program touches",
        ));
    }
    let interval = recording.manifest.interval;
    let group_memory = group_memory(&calm, &trouble);
    let mut synthesis =
        Synthesis { calm, trouble, disks, loads, group_memory, guesses, culprits: Vec::new(), interval };
    synthesis.culprits = synthesis.text(Factors::FIRST).write().1;
    Ok(synthesis)
}

/// The loads of the commands that did most.
fn loads(calm: &Stretch<'_>, trouble: &Stretch<'_>, guesses: &mut Vec<Guess>) -> Vec<CommandLoad> {
    let rate = |metric: &str| trouble.host_rate(metric).unwrap_or(0.0);
    let cache_at_onset = at_onset(calm, trouble, "Cached").unwrap_or(0.0);
    let grown = trouble.ends(Table::Host, "", "Cached").map_or(0.0, |(from, to)| to - from);
    let stolen = rate("pgsteal_kswapd") + rate("pgsteal_direct") - rate("pgsteal_anon");
    let host = HostShape {
        memory: calm.recording.manifest.memory_total.as_f64(),
        cache: cache_at_onset - calm.host("Shmem").unwrap_or(0.0),
        read: rate("pgpgin") * 1024.0,
        cached: (grown / trouble.seconds() + stolen * 4096.0).max(0.0),
        read_size: disk::read_size(trouble, trouble.recording).unwrap_or(4096.0),
    };
    let mut commands = command::all(calm, trouble);
    let weight = |command: &Command| {
        let did = [&command.calm, &command.trouble];
        let io = did.iter().map(|did| did.read + did.written + did.asked / 16.0).fold(0.0, f64::max);
        let grown = (command.trouble.anon.1 - command.trouble.anon.0).max(0.0) / trouble.seconds();
        io + grown + command.trouble.cpu * 1e6
    };
    commands.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    commands.truncate(MOST_LOADS);
    // Commands that share a cache have it in proportion to what they ask for.
    let pool = |command: &Command| command.group.clone().filter(|path| path.as_str() != "/");
    let mut asked: BTreeMap<Option<String>, f64> = BTreeMap::new();
    for command in &commands {
        *asked.entry(pool(command)).or_default() += command.calm.asked;
    }
    let share = |command: &Command| {
        let own = command.calm.asked;
        let all = asked.get(&pool(command)).copied().unwrap_or(own);
        if all > 0.0 { own / all } else { 1.0 }
    };
    let file = |command: &Command| {
        let path = pool(command)?;
        let at_onset = calm.ends(Table::Cgroup, &path, "file").map(|ends| ends.1);
        at_onset.or_else(|| trouble.ends(Table::Cgroup, &path, "file").map(|ends| ends.0))
    };
    let mut loads = Vec::new();
    for command in &commands {
        let cache = file(command).map(|bytes| bytes * share(command));
        let shape = HostShape { cache: host.cache * share(command), ..host };
        loads.extend(load::of(command, &shape, cache, guesses));
    }
    loads.extend(lookups(trouble, &commands, guesses));
    for load in &mut loads {
        if let Kind::Grow { to, rate } = &mut load.kind {
            // Most of it may come at once.
            let time = trouble.time_of_rise("AnonPages", 0.9).map_or(trouble.seconds(), |time| time / 0.9);
            *rate = *to / time.clamp(0.5, trouble.seconds());
        }
    }
    loads
}

/// Who makes the kernel's slab grow: of those who began in the incident the one that used most CPU.
fn lookups(trouble: &Stretch<'_>, commands: &[Command], guesses: &mut Vec<Guess>) -> Option<CommandLoad> {
    /// Bytes of a dentry, and the share of memory that matters.
    const DENTRY: f64 = 192.0;
    const SHARE: f64 = 0.03;
    let (from, to) = trouble.ends(Table::Host, "", "SReclaimable")?;
    let memory = trouble.recording.manifest.memory_total.as_f64();
    if to - from < memory * SHARE {
        return None;
    }
    let more = |command: &&Command| command.trouble.cpu - command.calm.cpu;
    let command = commands.iter().max_by(|one, other| more(one).total_cmp(&more(other)))?;
    guesses.push(Guess::new(
        format!("{} looks up the names that the kernel's slab grew by", command.name),
        "slab is counted for the host; of those who began it uses most CPU",
    ));
    let rate = (to - from) / DENTRY / trouble.seconds();
    Some(CommandLoad { command: command.clone(), kind: Kind::Lookups { rate }, ran_before: false })
}

/// Anonymous memory of control groups that have limits, at the onset.
fn group_memory(calm: &Stretch<'_>, trouble: &Stretch<'_>) -> Vec<(String, f64)> {
    let recording = trouble.recording;
    let at = |group: &str, metric: &str| trouble.value_at(Table::Cgroup, group, metric, calm.to);
    let limited = |group: &str| {
        ["max", "high"].iter().any(|metric| {
            let limit = at(group, metric).into_iter().chain(trouble.value_at(Table::Cgroup, group, metric, trouble.to));
            limit.into_iter().any(is_limit)
        })
    };
    let groups = recording.entities(Table::Cgroup).map(|(group, _)| group).filter(|group| *group != "/");
    let held = groups.filter(|group| limited(group)).filter_map(|group| Some((group.to_owned(), at(group, "anon")?)));
    held.filter(|(_, bytes)| *bytes > 4e6).collect()
}

/// Gives the flushes of the disks to those who write: nobody counts the syncs of a process. A flush of a journal serves all who wait for it.
fn book_flushes(trouble: &Stretch<'_>, disks: &[DiskModel], loads: &mut [CommandLoad], guesses: &mut Vec<Guess>) {
    // The kernel's own writeback and a journal that commits every five seconds flush less often.
    const COMMITS: f64 = 1.0;
    let flushes: f64 = disks.iter().filter_map(|disk| trouble.rate(Table::Disk, &disk.name, "flushes")).sum();
    // Of a sync the journal flushes once before its commit block, and with that block (FUA, or a flush more).
    let syncs = flushes / 2.0;
    let writers =
        |load: &CommandLoad| if let Kind::Write { .. } = load.kind { load.command.trouble.written } else { 0.0 };
    // Who syncs waits for it: writers that wait have the flushes, in proportion to what they write. Delays are not always recorded.
    let told = loads.iter().any(|load| load.command.trouble.waits > 0.01);
    let waits = |load: &CommandLoad| !told || load.command.trouble.waits > 0.01;
    let all: f64 = loads.iter().filter(|load| waits(load)).map(writers).sum();
    if syncs < COMMITS || all <= 0.0 {
        return;
    }
    let every = all / syncs;
    for load in loads.iter_mut().filter(|load| waits(load)) {
        let Kind::Write { sync_every, block, .. } = &mut load.kind else { continue };
        *sync_every = Some(every.max(4096.0));
        *block = block.min(every).max(4096.0);
        guesses.push(Guess::new(
            format!("{} syncs every {:.0} KiB that it writes", load.command.name, every / 1024.0),
            "the flushes of the disks, booked to the writers that wait for IO",
        ));
    }
}

//! A scenario that shows what a recording shows.

use crate::change::{self, Change};
use crate::command::{self, Command, Did, Phase};
use crate::culprit::Culprit;
use crate::disk::{self, DiskModel};
use crate::effect::{self, Programs};
use crate::group::{self, Throttled};
use crate::guess::{Factors, Guess};
use crate::load::{self, CommandLoad, HostShape, Kind};
use crate::place;
use crate::reclaim;
use crate::stretch::{Stretch, at_onset, whole};
use crate::text::{Held, Text};
use pagetide_core::{Diagnosis, Error, Manifest, Nanos, Recording, RuleId, Scenario, Table};
use std::collections::BTreeMap;

/// The longest incident and the longest time before it that a scenario repeats, s.
const MAX_INCIDENT_SECONDS: f64 = 60.0;
const MAX_CALM_SECONDS: f64 = 30.0;
/// The shortest.
const MIN_INCIDENT_SECONDS: f64 = 4.0;
/// Commands that a scenario has at most: those that do most.
const MAX_LOADS: usize = 12;
/// CPUs that a program uses, at least, which goes over to computing all the time, and those that it used before, at most.
const MIN_CPU_OF_ONE: f64 = 0.8;
const MAX_CPU_BEFORE: f64 = 0.5;
/// The id of the step in which it happens.
pub const INCIDENT: &str = "incident";

/// What a recording says of its incident, from which scenarios are made.
#[derive(Debug, Clone)]
pub struct Synthesis<'a> {
    /// Before the incident, and the incident, or its first minute.
    pub(crate) calm: Stretch<'a>,
    pub(crate) trouble: Stretch<'a>,
    /// How long the incident was, ns.
    whole: i64,
    pub(crate) disks: Vec<DiskModel>,
    pub(crate) loads: Vec<CommandLoad>,
    /// Anonymous memory of control groups that have limits, by their paths.
    pub(crate) group_memory: Vec<(String, f64)>,
    /// File cache when the scenario begins, bytes.
    pub(crate) cache: f64,
    /// How many times as long reclaim of a page takes as on a current server.
    reclaim_slowdown: Option<u64>,
    /// Groups at limits of CPU time that were not recorded.
    throttled: Vec<Throttled>,
    /// What becomes of the host.
    changes: Vec<Change>,
    /// What the recording does not tell.
    pub guesses: Vec<Guess>,
    /// The loads that began the incident.
    pub culprits: Vec<Culprit>,
    /// What the processes of all its programs are called, of those that began it as well.
    pub(crate) programs: Vec<String>,
}

impl Synthesis<'_> {
    /// The scenario with what the recording leaves open at these values: as a text that people can read and edit, with the guesses as comments,
    /// and the same, read.
    ///
    /// # Errors
    /// A value is out of range.
    pub(crate) fn scenario(&self, factors: Factors) -> Result<(String, Scenario), Error> {
        let toml = self.text(factors).write().toml;
        let scenario = Scenario::parse(&toml, "reproduction.toml")?;
        Ok((toml, scenario))
    }

    /// The machine that was recorded.
    pub(crate) const fn manifest(&self) -> &Manifest {
        &self.calm.recording.manifest
    }

    /// The part of the recording that is repeated, and when in it the incident begins.
    pub const fn span(&self) -> (i64, i64, i64) {
        (self.calm.from, self.calm.to, self.trouble.to)
    }

    /// The programs of its scenarios.
    pub(crate) fn programs(&self) -> Programs<'_> {
        Programs { all: &self.programs, culprits: &self.culprits }
    }

    /// How long the incident was, where only its first minute is repeated.
    pub fn shortened_from(&self) -> Option<Nanos> {
        let whole = Nanos::new(self.whole.cast_unsigned());
        (self.whole > self.trouble.to - self.trouble.from).then_some(whole)
    }

    /// Before the incident and in it, of a trial. As in a recording, the incident begins with a sample: the last one before its loads do.
    pub(crate) fn stretches<'b>(&self, recording: &'b Recording) -> Option<(Stretch<'b>, Stretch<'b>)> {
        let (begin, end) = recording.span()?;
        let onset = begin.saturating_add(self.calm.to - self.calm.from).min(end);
        let moments = recording.stamps().iter().map(|stamp| stamp.boot_ns);
        let onset = moments.take_while(|at| *at <= onset).last().unwrap_or(onset);
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
            cache: self.cache,
            reclaim_slowdown: self.reclaim_slowdown,
            throttled: &self.throttled,
            changes: &self.changes,
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
    let Some((incident, cause)) = diagnosis.explained_incident() else {
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
    let over = cause.end_ns.clamp(from, end);
    // Of a shorter incident what follows it is repeated too.
    let to = over.min(from.saturating_add(ns(MAX_INCIDENT_SECONDS)));
    let to = to.max(from.saturating_add(ns(MIN_INCIDENT_SECONDS)).min(end));
    let trouble = Stretch { recording, from, to };
    let calm = Stretch { recording, from: from.saturating_sub(ns(MAX_CALM_SECONDS)).max(begin), to: from };
    if trouble.seconds() < MIN_INCIDENT_SECONDS {
        return refuse("less than 4 s were recorded from the onset on: too few samples to say what each process did");
    }
    let mut guesses = Vec::new();
    if calm.seconds() < MIN_INCIDENT_SECONDS {
        guesses.push(Guess::new(
            "what ran at the first sample ran before the incident",
            "the recording begins with it: it has no time before",
        ));
    }
    let whole = trouble.with(calm.from, to);
    let disks: Vec<DiskModel> =
        disk::used(&whole).iter().map(|name| disk::model(&whole, from, name, &mut guesses)).collect();
    if disks.is_empty() {
        return refuse("the recording has no disks, or none of them did anything");
    }
    let reclaim_slowdown = reclaim::slowdown(&whole);
    let mut throttled = group::throttled(&trouble);
    let held_back = group::held_back(&trouble);
    let commands = commands(&calm, &trouble, reclaim_slowdown, diagnosis, held_back);
    throttled.extend(held_back.and_then(|group| limit_of_held_back(&trouble, group, &commands)));
    let changes = change::all(&calm, &trouble, &commands);
    let is_changed = !changes.is_empty()
        || disks.iter().any(|disk| disk.slower.is_some())
        || change::of_limits(&calm, &trouble, &throttled, &commands);
    let is_dropped = changes.iter().any(Change::drops_files);
    let origins = diagnosis.cause.iter().flat_map(|cause| cause.origins.iter());
    let named: Vec<&str> = origins.filter_map(|actor| actor.as_command()).collect();
    let mut of_loads = Vec::new();
    // A thread that comes to compute all the time.
    let computes = |command: &Command| {
        cause.rule == RuleId::CpuBound && command.calm.cpu < MAX_CPU_BEFORE && command.trouble.cpu >= MIN_CPU_OF_ONE
    };
    let (mut loads, mut cache) = loads_of(&calm, &trouble, &commands, &named, is_dropped, &computes, &mut of_loads);
    if !is_changed && !loads.iter().any(CommandLoad::is_culprit) {
        // Nothing begins at the onset: a program that the rules name does something else from then on.
        of_loads.clear();
        (loads, cache) = loads_of(&calm, &trouble, &commands, &named, is_dropped, &|_| true, &mut of_loads);
    }
    guesses.append(&mut of_loads);
    book_flushes(&calm, &trouble, &disks, &mut loads, &mut guesses);
    for load in &loads {
        if let Kind::Write { random: Some(size), .. } = load.kind {
            guesses.push(Guess::new(
                format!("{} writes at random places of {} of files", load.command.name, load::megabytes(size)),
                "the writes of the disks are small: what is written in order is merged",
            ));
        }
    }
    book_depth(&calm, &trouble, &disks, &mut loads, &mut guesses);
    book_bursts(&calm, &trouble, &disks, &mut loads);
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
    let group_memory = group_memory(&calm, &trouble, &loads);
    let mut synthesis = Synthesis {
        calm,
        trouble,
        whole: over.max(to) - from,
        disks,
        loads,
        group_memory,
        cache,
        reclaim_slowdown,
        throttled,
        changes,
        guesses,
        culprits: Vec::new(),
        programs: Vec::new(),
    };
    let written = synthesis.text(Factors::FIRST).write();
    (synthesis.programs, synthesis.culprits) = (written.programs, written.culprits);
    Ok(synthesis)
}

/// The commands that did most.
fn commands(
    calm: &Stretch<'_>,
    trouble: &Stretch<'_>,
    reclaim_slowdown: Option<u64>,
    diagnosis: &Diagnosis,
    held_back: Option<&str>,
) -> Vec<Command> {
    let swapping = command::swapping(trouble);
    let mut commands = command::all(calm, trouble, swapping.as_ref());
    reclaim::book(calm, reclaim_slowdown, &mut commands, |command| &mut command.calm);
    reclaim::book(trouble, reclaim_slowdown, &mut commands, |command| &mut command.trouble);
    if let Some(stretch) = &swapping {
        reclaim::book(stretch, reclaim_slowdown, &mut commands, |command| command.swapping.get_or_insert_default());
    }
    // Where processes were recorded without their groups, the rules may have found whose it is.
    let origins = || diagnosis.cause.iter().flat_map(|cause| cause.origins.iter());
    if let Some(group) = origins().find_map(|actor| actor.as_group()) {
        let own = |command: &&mut Command| origins().any(|actor| actor.as_command() == Some(command.name.as_str()));
        commands.iter_mut().filter(|command| command.group.is_none()).filter(own).for_each(|command| {
            command.group = Some(group.to_owned());
        });
    }
    if let Some(group) = held_back {
        join_held_back(group, &mut commands);
    }
    if !effect::has_delays(trouble.recording) {
        book_cpu_waits(calm, &mut commands, |command| &mut command.calm);
        book_cpu_waits(trouble, &mut commands, |command| &mut command.trouble);
    }
    let weight = |command: &Command| {
        let did = [&command.calm, &command.trouble];
        let io = did.iter().map(|did| did.read + did.written + did.asked / 16.0).fold(0.0, f64::max);
        let grown = (command.trouble.anon.1 - command.trouble.anon.0).max(0.0) / trouble.seconds();
        io + grown + command.trouble.cpu * 1e6
    };
    commands.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    commands.truncate(MAX_LOADS);
    commands.into_iter().map(|command| command.while_it_ran(calm, trouble)).collect()
}

/// Puts those who wait for a CPU most of the time while CPUs are idle into the group that is held back, where processes were recorded without their groups:
/// a task that may run does so on an idle CPU.
fn join_held_back(group: &str, commands: &mut [Command]) {
    const MIN_WAITING: f64 = 0.5;
    if commands.iter().any(|command| command.group.is_some()) {
        return;
    }
    let waits = |command: &Command| command.trouble.cpu_of_each.iter().any(|(_, waits)| *waits >= MIN_WAITING);
    for command in commands.iter_mut().filter(|command| waits(command)) {
        command.group = Some(group.to_owned());
    }
}

/// Says of the program with threads that used most CPU time in a group that it waited for a CPU for as long as tasks of the group did: without delays the
/// waits of its threads are recorded of the group alone. At a limit (`cpu.max`) they wait for that.
fn book_cpu_waits(stretch: &Stretch<'_>, commands: &mut [Command], did: fn(&mut Command) -> &mut Did) {
    let waits = |group: &&str| stretch.rate(Table::Cgroup, group, "psi_cpu_some").map(|micros| micros / 1e6);
    let is_free = |group: &&str| group::limits(stretch, &[], group, stretch.to).cpu_max.is_none();
    for group in group::below_root(stretch).filter(is_free) {
        let Some(waits) = waits(&group) else { continue };
        let own = commands.iter_mut().filter(|command| command.group.as_deref() == Some(group));
        let used = own.map(|command| (did(command).cpu, command));
        let Some((_, first)) = used.max_by(|one, other| one.0.total_cmp(&other.0)) else { continue };
        if first.processes.iter().any(|process| command::has_threads(stretch, process)) {
            did(first).waited_for_cpu(waits);
        }
    }
}

/// The limit of the group that is held back, by what its commands use of the CPUs.
fn limit_of_held_back(trouble: &Stretch<'_>, group: &str, commands: &[Command]) -> Option<Throttled> {
    let own = commands.iter().filter(|command| command.group.as_deref() == Some(group));
    let processes: Vec<&String> = own.flat_map(|command| &command.processes).collect();
    group::limit_of_held_back(trouble, group, &processes)
}

/// The loads of commands, and the bytes of the file cache that none of them brings with it. Those that turn, of those that the rules name, do
/// something else from the onset on.
fn loads_of(
    calm: &Stretch<'_>,
    trouble: &Stretch<'_>,
    commands: &[Command],
    named: &[&str],
    is_dropped: bool,
    turn: &dyn Fn(&Command) -> bool,
    guesses: &mut Vec<Guess>,
) -> (Vec<CommandLoad>, f64) {
    let rate = |metric: &str| trouble.host_rate(metric).unwrap_or(0.0);
    let at_onset = |metric: &str| at_onset(calm, trouble, metric).unwrap_or(0.0);
    let grown = trouble.ends(Table::Host, "", "Cached").map_or(0.0, |(from, to)| to - from);
    // The host does not count what groups reclaim at their limits.
    let limited = group::below_root(trouble).filter(|path| group::has_limit(calm, trouble, path));
    let by_groups: f64 = limited.filter_map(|path| trouble.rate(Table::Cgroup, path, "pgsteal")).sum();
    let stolen = (rate("pgsteal_kswapd") + rate("pgsteal_direct") - rate("pgsteal_anon")).max(by_groups);
    let mut host = HostShape {
        memory: calm.recording.manifest.memory_total.as_f64(),
        cache: at_onset("Cached") + at_onset("Buffers") - calm.host("Shmem").unwrap_or(0.0),
        read: rate("pgpgin") * 1024.0,
        cached: (grown / trouble.seconds() + stolen * 4096.0).max(0.0),
        dirtied: trouble.rate(Table::Host, "", "nr_dirtied").map(|pages| pages * 4096.0),
        read_size: disk::request_size(trouble, "reads", "read_sectors").unwrap_or(4096.0),
        usual_read_size: disk::request_size(calm, "reads", "read_sectors"),
        write_size: disk::request_size(trouble, "writes", "write_sectors").unwrap_or(f64::MAX),
        read_time: disk::read_time(trouble).unwrap_or(0.0),
        busy: disk::busiest(trouble),
        seconds: trouble.seconds(),
        refaulted: 0.0,
        is_dropped,
        is_throttled: false,
    };
    // Commands that share a cache have it in proportion to what they ask for.
    let pool = |command: &Command| command.group.clone().filter(|path| group::has_limit(calm, trouble, path));
    let mut asked: BTreeMap<Option<String>, f64> = BTreeMap::new();
    for command in commands {
        *asked.entry(pool(command)).or_default() += command.calm.asked;
    }
    // What those who came before the onset had read and written is cached by then, and part of no working set.
    let passes_by = host.reads_directly();
    let brought = |group: Option<&String>| -> f64 {
        let came = commands.iter().filter(|command| command.appeared.is_some() && !passes_by);
        let own = came.filter(|command| group.is_none() || pool(command).as_ref() == group);
        own.map(|command| (command.calm.read + command.calm.written) * command.ran[0] * calm.seconds()).sum()
    };
    host.cache = (host.cache - brought(None)).max(0.0);
    let share = |command: &Command| {
        let own = command.calm.asked;
        let all = asked.get(&pool(command)).copied().unwrap_or(own);
        if all > 0.0 { own / all } else { 1.0 }
    };
    let file = |command: &Command| {
        let path = command.group.clone()?;
        let at_onset = calm.ends(Table::Cgroup, &path, "file").map(|ends| ends.1);
        let cached = at_onset.or_else(|| trouble.ends(Table::Cgroup, &path, "file").map(|ends| ends.0))?;
        Some((cached - brought(Some(&path))).max(0.0))
    };
    let mut loads = Vec::new();
    let moved: f64 = commands.iter().map(|command| command.moved()).sum();
    for command in commands {
        let charged = file(command).map(|bytes| bytes * share(command));
        let refaulted = refaulted(trouble, command, commands);
        let seconds = trouble.seconds() * command.ran[1];
        let is_throttled = command
            .group
            .as_ref()
            .is_some_and(|path| trouble.rate(Table::Cgroup, path, "events_high").is_some_and(|times| times > 0.0));
        let shape = HostShape { cache: host.cache * share(command), refaulted, seconds, is_throttled, ..host };
        let of_limited = charged.filter(|_| pool(command).is_some());
        let turns = turn(command) && command.appeared.is_none() && named.contains(&command.name.as_str());
        if turns {
            guesses.push(Guess::new(
                format!("{} does something else from the onset on", command.name),
                "the rules name it, and nothing else begins then, or it has come to compute all the time",
            ));
        }
        let phases = if turns { command.phases(calm.to).to_vec() } else { vec![command.clone()] };
        for phase in phases {
            let own = load::of(&phase, &shape, of_limited, guesses);
            let own = load::with_part(own, moved).into_iter();
            // What it did not use before, others had not read for it.
            let charged = charged.filter(|_| phase.phase != Phase::Changed);
            loads.extend(own.map(|load| CommandLoad { charged, ..load }));
        }
    }
    loads.extend(lookups(trouble, commands, named, guesses));
    for load in &mut loads {
        if let Kind::Grow { to, rate } = &mut load.kind {
            *rate = rate_of_growth(trouble, "AnonPages", *to);
        }
    }
    loads.extend(tmpfs(trouble, commands, guesses));
    book_kills(calm, trouble, &mut loads, guesses);
    (loads, host.cache)
}

/// Has what grew most, where the OOM killer ended processes, take more than there is: it was ended between two samples, and would have grown on.
fn book_kills(calm: &Stretch<'_>, trouble: &Stretch<'_>, loads: &mut [CommandLoad], guesses: &mut Vec<Guess>) {
    /// What is asked for beyond a limit.
    const BEYOND: f64 = 1.1;
    let killed = |group: &str| trouble.rate(Table::Cgroup, group, "events_oom_kill").is_some_and(|times| times > 0.0);
    // A group counts the kills of those below it.
    let limit = |group: &str| group::limits(trouble, &[], group, trouble.to).memory_max;
    let groups: Vec<(&str, f64)> = group::below_root(trouble)
        .filter(|group| killed(group))
        .filter_map(|group| Some((group, limit(group)? * BEYOND)))
        .collect();
    let by_host = groups.is_empty() && trouble.host_rate("oom_kill").is_some_and(|times| times > 0.0);
    let swap = trouble.most(Table::Host, "", "SwapTotal").unwrap_or(0.0);
    let all = by_host.then(|| (None, trouble.recording.manifest.memory_total.as_f64() + swap));
    let places = groups.iter().map(|(group, bytes)| (Some(*group), *bytes)).chain(all);
    for (place, bytes) in places {
        let is_in = |load: &CommandLoad| {
            let own = load.command.group.as_deref().map(|path| group::limited(calm, trouble, path));
            place.is_none() || own == place
        };
        let grown = |load: &CommandLoad| if let Kind::Grow { to, .. } = load.kind { to } else { 0.0 };
        let first =
            loads.iter_mut().filter(|load| is_in(load)).max_by(|one, other| grown(one).total_cmp(&grown(other)));
        let Some(CommandLoad { kind: Kind::Grow { to, .. }, command, .. }) = first else { continue };
        if *to < bytes {
            *to = bytes;
            guesses.push(Guess::new(
                format!("{} takes {}", command.name, load::megabytes(bytes)),
                "the OOM killer ended processes while it grew: it would have grown on",
            ));
        }
    }
}

/// Bytes per second that a command read again after they were evicted: its part of what its group refaulted, or all that no group did.
fn refaulted(trouble: &Stretch<'_>, command: &Command, commands: &[Command]) -> f64 {
    let of = |table, row: &str| {
        let metrics = ["workingset_refault_file", "workingset_refault"];
        metrics.iter().find_map(|metric| trouble.rate(table, row, metric)).unwrap_or(0.0) * 4096.0
    };
    let bytes = match &command.group {
        Some(path) => of(Table::Cgroup, path),
        None => {
            let paths: Vec<&str> = group::below_root(trouble).collect();
            let is_top = |path: &&&str| {
                !paths.iter().any(|other| path.strip_prefix(other).is_some_and(|rest| rest.starts_with('/')))
            };
            of(Table::Host, "") - paths.iter().filter(is_top).map(|path| of(Table::Cgroup, path)).sum::<f64>()
        }
    };
    // What comes back from swap is not of files.
    if command.trouble.is_swapped_in() {
        return 0.0;
    }
    let own = commands.iter().filter(|other| other.group == command.group && !other.trouble.is_swapped_in());
    let read: f64 = own.map(|other| other.trouble.read * other.ran[1]).sum();
    (bytes * command.trouble.read / read.max(1.0)).clamp(0.0, command.trouble.read)
}

/// Bytes per second of so much that grew with a gauge of the host: most of it may come at once.
fn rate_of_growth(trouble: &Stretch<'_>, metric: &str, bytes: f64) -> f64 {
    let time = trouble.time_of_rise(metric, 0.9).map_or(trouble.seconds(), |time| time / 0.9);
    bytes / time.clamp(0.5, trouble.seconds())
}

/// Who fills tmpfs or shared memory: the command with a process that mapped a good part of it, else the one that gave as much to write calls and to no
/// device. It takes that memory as its own.
fn tmpfs(trouble: &Stretch<'_>, commands: &[Command], guesses: &mut Vec<Guess>) -> Option<CommandLoad> {
    const SHARE_OF_MEMORY: f64 = 0.02;
    const SHARE_WRITTEN: f64 = 0.4;
    let (from, to) = trouble.ends(Table::Host, "", "Shmem")?;
    let grown = to - from;
    if grown < trouble.recording.manifest.memory_total.as_f64() * SHARE_OF_MEMORY {
        return None;
    }
    let rate = rate_of_growth(trouble, "Shmem", grown);
    // Processes of a command map the same memory.
    let mapped = |command: &Command| command.processes.iter().map(|one| mapped_anew(trouble, one)).fold(0.0, f64::max);
    let most_mapped = commands.iter().max_by(|one, other| mapped(one).total_cmp(&mapped(other)));
    if let Some(command) = most_mapped.filter(|command| mapped(command) >= SHARE_WRITTEN * grown) {
        guesses.push(Guess::new(
            format!("{} takes the {} that shared memory grew by", command.name, load::megabytes(grown)),
            "one of its processes mapped most of it",
        ));
        return Some(CommandLoad::new(command, Kind::Grow { to: grown, rate }, false));
    }
    let kept =
        |command: &Command| (command.trouble.given - command.trouble.written) * command.ran[1] * trouble.seconds();
    let command = commands.iter().max_by(|one, other| kept(one).total_cmp(&kept(other)))?;
    if kept(command) < SHARE_WRITTEN * grown || kept(command) > grown / SHARE_WRITTEN {
        return None;
    }
    guesses.push(Guess::new(
        format!("{} takes the {} that tmpfs grew by", command.name, load::megabytes(grown)),
        "it gave as much to write calls and to no device; memory in tmpfs belongs to no process",
    ));
    Some(CommandLoad::new(command, Kind::Grow { to: grown, rate }, false))
}

/// Bytes of shared memory that a process mapped in a stretch and had not before.
fn mapped_anew(trouble: &Stretch<'_>, process: &str) -> f64 {
    const METRIC: &str = "RssShmem";
    let had = trouble.sampled_at(Table::Process, process, METRIC, trouble.from).unwrap_or(0.0);
    let most = trouble.most(Table::Process, process, METRIC).unwrap_or(0.0);
    (most - had).max(0.0)
}

/// Who makes the kernel's slab grow: who the rules name, else of those who began in the incident the one that used most CPU.
fn lookups(
    trouble: &Stretch<'_>,
    commands: &[Command],
    named: &[&str],
    guesses: &mut Vec<Guess>,
) -> Option<CommandLoad> {
    /// Bytes of a dentry, and the share of memory that matters.
    const DENTRY: f64 = 192.0;
    const SHARE: f64 = 0.03;
    let (from, to) = trouble.ends(Table::Host, "", "SReclaimable")?;
    let memory = trouble.recording.manifest.memory_total.as_f64();
    if to - from < memory * SHARE {
        return None;
    }
    let is_named = |command: &Command| named.contains(&command.name.as_str());
    let more = |command: &Command| command.trouble.cpu - command.calm.cpu;
    let command = commands
        .iter()
        .max_by(|one, other| is_named(one).cmp(&is_named(other)).then(more(one).total_cmp(&more(other))))?;
    guesses.push(Guess::new(
        format!("{} looks up the names that the kernel's slab grew by", command.name),
        "slab is counted for the host; the rules name it, or of those who began it uses most CPU",
    ));
    let rate = (to - from) / DENTRY / trouble.seconds();
    Some(CommandLoad::new(command, Kind::Lookups { rate }, false))
}

/// What a control group that has a limit holds beside its files and what its loads bring: anonymous memory at the onset, and what the kernel charges it
/// for page tables, stacks and slab (`obj_cgroup_charge`). By a little of that a full group is above memory.high, which decides how long it sleeps.
fn group_memory(calm: &Stretch<'_>, trouble: &Stretch<'_>, loads: &[CommandLoad]) -> Vec<(String, f64)> {
    let recording = trouble.recording;
    let at = |group: &str, metric: &str| trouble.value_at(Table::Cgroup, group, metric, calm.to);
    let groups = recording.entities(Table::Cgroup).map(|(group, _)| group);
    // Their loads bring some of it.
    let brought = |group: &str| -> f64 {
        let own = loads.iter().filter(|load| load.command.group.as_deref() == Some(group));
        own.map(|load| load.brings(calm)).sum()
    };
    let kernel = |group: &str| {
        let end = |metric: &str| trouble.ends(Table::Cgroup, group, metric).map(|ends| ends.1);
        Some((end("current")? - end("anon")? - end("file")?).max(0.0))
    };
    // Less than this is the error of samples that are not taken at one moment.
    let more_than = |least: f64| move |bytes: &f64| *bytes > least;
    let held = groups.filter(|group| group::has_limit(calm, trouble, group)).map(|group| {
        let anon = at(group, "anon").map(|anon| anon - brought(group)).filter(more_than(4e6));
        (group.to_owned(), anon.unwrap_or(0.0) + kernel(group).filter(more_than(64e3)).unwrap_or(0.0))
    });
    held.filter(|(_, bytes)| *bytes > 0.0).collect()
}

/// Gives the requests that were in a disk at its limit to those who came and read most of what it read: they are those who filled it.
fn book_depth(
    calm: &Stretch<'_>,
    trouble: &Stretch<'_>,
    disks: &[DiskModel],
    loads: &mut [CommandLoad],
    guesses: &mut Vec<Guess>,
) {
    const MIN_SHARE: f64 = 0.3;
    // A disk that is at its limit now and then does not hold up those who read.
    const MIN_BUSY: f64 = 0.7;
    for disk in disks {
        let busy = trouble.rate(Table::Disk, &disk.name, "io_ms").unwrap_or(0.0) / 1e3;
        let Some(depth) = disk.depth.filter(|_| busy >= MIN_BUSY) else { continue };
        let read = trouble.rate(Table::Disk, &disk.name, "read_sectors").unwrap_or(0.0) * disk::SECTOR;
        // A sync has its data and its commit in the disk.
        const REQUESTS_PER_SYNC: f64 = 2.0;
        let written = trouble.rate(Table::Disk, &disk.name, "write_sectors").unwrap_or(0.0) * disk::SECTOR;
        let is_cold = |load: &CommandLoad| matches!(load.kind, Kind::Cold { .. } | Kind::Stream { direct: true, .. });
        let is_here = |load: &CommandLoad| place::disk_of(calm, trouble, disks, load) == disk.name;
        let usual = loads.iter().filter(|load| is_cold(load) && load.ran_before && is_here(load)).count() as f64;
        for load in loads.iter_mut().filter(|load| !load.ran_before && is_here(load)) {
            if let Kind::Write { rate, sync_every: Some(_), .. } = &mut load.kind
                && load.command.trouble.written >= MIN_SHARE * written
                && written > read
            {
                *rate = None;
                load.depth = Some((depth / REQUESTS_PER_SYNC).round().max(1.0));
            }
        }
        for load in loads.iter_mut().filter(|load| is_cold(load) && !load.ran_before && is_here(load)) {
            let (Kind::Cold { rate, .. } | Kind::Stream { rate, .. }) = &mut load.kind else { continue };
            if load.command.trouble.read >= MIN_SHARE * read {
                *rate = None;
                let own = (depth.round() - usual).max(1.0);
                load.depth = Some(own);
                guesses.push(Guess::new(
                    format!(
                        "{} has {own:.0} requests in {} at once, and sends the next when one ends",
                        load.command.name, disk.name
                    ),
                    "it reads most of what the disk reads while that is at its limit",
                ));
            }
        }
    }
}

/// Gives the requests that a disk had at once, while it had any, to a command that read most of what it read and does something else from the onset
/// on: it sent them together.
fn book_bursts(calm: &Stretch<'_>, trouble: &Stretch<'_>, disks: &[DiskModel], loads: &mut [CommandLoad]) {
    const NEARLY_ALL: f64 = 0.7;
    for disk in disks {
        for load in loads.iter_mut().filter(|load| load.command.phase != Phase::Whole) {
            let (stretch, did) =
                if load.ran_before { (calm, &load.command.calm) } else { (trouble, &load.command.trouble) };
            let rate = |metric| stretch.rate(Table::Disk, &disk.name, metric).unwrap_or(0.0);
            let read = rate("read_sectors") * disk::SECTOR;
            if matches!(load.kind, Kind::Cold { .. })
                && read > 0.0
                && (NEARLY_ALL..1.0 / NEARLY_ALL).contains(&(did.read / read))
            {
                load.depth = Some((rate("weighted_io_ms") / rate("io_ms").max(1e-9)).round().max(1.0));
            }
        }
    }
}

/// Gives the flushes of the disks to those who write: nobody counts the syncs of a process. A flush of a journal serves all who wait for it.
/// Who wrote before the incident syncs as often as then, and who came has the flushes that came.
fn book_flushes(
    calm: &Stretch<'_>,
    trouble: &Stretch<'_>,
    disks: &[DiskModel],
    loads: &mut [CommandLoad],
    guesses: &mut Vec<Guess>,
) {
    // The kernel's own writeback and a journal that commits every five seconds flush less often.
    const COMMITS: f64 = 1.0;
    // Of a sync the journal flushes once before its commit block, and with that block (FUA, or a flush more).
    let syncs = |stretch: &Stretch<'_>| disks.iter().map(|disk| disk::flushes(stretch, &disk.name)).sum::<f64>() / 2.0;
    let all = syncs(trouble);
    // Who syncs waits for it: writers that wait have the flushes, in proportion to what they write. Delays are not always recorded.
    let told = loads.iter().any(|load| load.command.trouble.waits > 0.01);
    let is_writer =
        |load: &CommandLoad| matches!(load.kind, Kind::Write { .. }) && (!told || load.command.trouble.waits > 0.01);
    let written = |ran_before: bool| {
        let own = loads.iter().filter(|load| is_writer(load) && load.ran_before == ran_before);
        own.map(|load| {
            let (did, ran) = if ran_before { (&load.command.calm, 0) } else { (&load.command.trouble, 1) };
            did.written * load.command.ran[ran]
        })
        .sum::<f64>()
    };
    let [came, usual] = [false, true].map(written);
    let before = if usual <= 0.0 {
        0.0
    } else if came <= 0.0 {
        all
    } else {
        syncs(calm).min(all)
    };
    // The kernel merges what is written in order: a sync of several requests wrote at several places.
    const SCATTERED: f64 = 4.0;
    let write_size = disk::request_size(trouble, "writes", "write_sectors").unwrap_or(f64::MAX);
    let every = |bytes: f64, syncs: f64| (syncs >= COMMITS && bytes > 0.0).then(|| (bytes / syncs).max(4096.0));
    let every = [every(came, all - before), every(usual, before)];
    for load in loads.iter_mut().filter(|load| is_writer(load)) {
        let (Some(every), Kind::Write { sync_every, block, random, direct, .. }) =
            (every[usize::from(load.ran_before)], &mut load.kind)
        else {
            continue;
        };
        *sync_every = Some(every);
        // What is on the disk in order when it syncs is a few large requests; a checkpoint's pages are many small ones.
        *random = random.filter(|_| every > SCATTERED * write_size);
        // What is synced is on the disk at once, whichever way it took.
        *direct = false;
        let smaller = block.min(every).max(4096.0);
        load.compute *= smaller / *block;
        *block = smaller;
        guesses.push(Guess::new(
            format!("{} syncs every {:.0} KiB that it writes", load.command.name, every / 1024.0),
            "the flushes of the disks, booked to the writers that wait for IO",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Did;
    use pagetide_core::{Bytes, Column, Kind as MetricKind, Manifest, RecordingBuilder, Stamp, Unit};

    /// Two disks of which one is at its limit with 13 requests, and what a command that comes and reads so many bytes a second has in it at once.
    fn depth(read: f64) -> Option<f64> {
        const READ: [(&str, i64, i64); 2] = [("vdb", 1_000_000, 990), ("vdc", 50_000_000, 500)];
        let mut made = RecordingBuilder::new(Manifest::default());
        for second in 0..=10 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            for (disk, bytes, busy) in READ {
                for (name, rise) in [("read_sectors", bytes / 512), ("io_ms", busy)] {
                    let column = Column { name: name.to_owned(), kind: MetricKind::Counter, unit: Unit::Count };
                    made.value(Table::Disk, disk, &column, second * rise);
                }
            }
        }
        let recording = made.finish();
        let trouble = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let disks = READ.map(|(name, ..)| DiskModel {
            name: name.to_owned(),
            latency: 1e6,
            flush: None,
            iops: None,
            bandwidth: None,
            depth: (name == "vdb").then_some(13.0),
            is_limit_measured: true,
            read_ahead: None,
            slower: None,
            burst: None,
            reads_apart: false,
        });
        let command = Command { trouble: Did { read, ..Did::default() }, ran: [1.0; 2], ..Command::default() };
        let kind = Kind::Cold { rate: Some(read), block: 4096.0, direct: false };
        let mut loads = [CommandLoad::new(&command, kind, false)];
        book_depth(&trouble.with(0, 0), &trouble, &disks, &mut loads, &mut Vec::new());
        loads[0].depth
    }

    #[test]
    fn who_reads_from_another_disk_has_no_requests_in_one_at_its_limit() {
        assert_eq!(depth(1e6), Some(13.0));
        assert_eq!(depth(50e6), None);
    }

    /// What a writer takes of the 200 MB by which tmpfs grew in ten seconds, if it gave and stored so many bytes a second.
    fn filled(given: f64, written: f64) -> Option<Kind> {
        let mut made =
            RecordingBuilder::new(Manifest { memory_total: Bytes::new(1_000_000_000), ..Manifest::default() });
        let shmem = Column { name: "Shmem".to_owned(), kind: MetricKind::Gauge, unit: Unit::Bytes };
        for second in 0..=10 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            made.value(Table::Host, "", &shmem, second * 20_000_000);
        }
        let recording = made.finish();
        let trouble = Stretch { recording: &recording, from: 0, to: 10_000_000_001 };
        let command = Command {
            name: "spoold".to_owned(),
            trouble: Did { given, written, ..Did::default() },
            appeared: Some(1),
            ran: [1.0; 2],
            ..Command::default()
        };
        tmpfs(&trouble, &[command], &mut Vec::new()).map(|load| load.kind)
    }

    #[test]
    fn who_writes_to_tmpfs_takes_the_memory_that_it_grew_by() {
        let Some(Kind::Grow { to, rate }) = filled(20e6, 0.0) else { panic!("it wrote 200 MB") };
        assert!((to - 200e6).abs() < 1.0 && (rate - 20e6).abs() < 1e6, "{to} {rate}");
        assert_eq!(filled(20e6, 20e6), None, "to a device");
        assert_eq!(filled(1e6, 0.0), None, "too little");
        assert_eq!(filled(200e6, 0.0), None, "what a proxy passes on");
    }

    #[test]
    fn who_maps_shared_memory_that_grows_takes_it() {
        let takes = |mapped: fn(i64) -> i64, before: i64| {
            let mut made =
                RecordingBuilder::new(Manifest { memory_total: Bytes::new(1_000_000_000), ..Manifest::default() });
            let gauge = |name: &str| Column { name: name.to_owned(), kind: MetricKind::Gauge, unit: Unit::Bytes };
            for second in 0..=10 {
                made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
                made.value(Table::Host, "", &gauge("Shmem"), second * 20_000_000);
                made.value(Table::Process, "7@0", &gauge("RssShmem"), before + mapped(second));
            }
            let recording = made.finish();
            let trouble = Stretch { recording: &recording, from: 0, to: 10_000_000_001 };
            let one = |name: &str, process: &str| Command {
                name: name.to_owned(),
                processes: vec![process.to_owned()],
                ..Command::default()
            };
            let commands = [one("other", "6@0"), one("segment", "7@0")];
            tmpfs(&trouble, &commands, &mut Vec::new()).map(|load| load.command.name)
        };
        assert_eq!(takes(|second| second * 15_000_000, 0).as_deref(), Some("segment"));
        assert_eq!(takes(|_| 0, 300_000_000), None, "it had mapped that before");
        assert_eq!(takes(|second| second * 1_000_000, 0), None, "a small part");
    }

    #[test]
    fn requests_that_a_program_had_in_a_disk_together_are_of_as_many_processes_until_it_turns() {
        let mut made = RecordingBuilder::new(Manifest::default());
        for second in 0..=20 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            // Eight at once for a fifth of the time, then one after the other.
            let sum = |calm: i64, trouble: i64| calm * second.min(10) + trouble * (second - 10).max(0);
            for (name, value) in
                [("read_sectors", sum(400, 200)), ("io_ms", sum(200, 900)), ("weighted_io_ms", sum(1600, 900))]
            {
                let column = Column { name: name.to_owned(), kind: MetricKind::Counter, unit: Unit::Count };
                made.value(Table::Disk, "vdb", &column, value);
            }
        }
        let recording = made.finish();
        let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let trouble = calm.with(10_000_000_000, 20_000_000_000);
        let disks = [disk::model(&calm.with(0, trouble.to), calm.to, "vdb", &mut Vec::new())];
        let depths = |read: f64| {
            let did = |read: f64| Did { read, active: 1, ..Did::default() };
            let command = Command { calm: did(read), trouble: did(read / 2.0), ..Command::default() };
            let kind = Kind::Cold { rate: Some(1e6), block: 4096.0, direct: true };
            let mut loads = command.phases(calm.to).map(|phase| {
                let ran_before = phase.phase == Phase::Usual;
                CommandLoad::new(&phase, kind, ran_before)
            });
            book_bursts(&calm, &trouble, &disks, &mut loads);
            loads.map(|load| load.depth)
        };
        assert_eq!(depths(400.0 * 512.0), [Some(1.0), Some(8.0)]);
        assert_eq!(depths(40.0 * 512.0), [None, None], "others read most of it");
    }

    /// The CPUs that two commands of a group want, of which the first has so many threads: tasks of the group waited for a CPU for .9 of ten seconds.
    fn wanted(threads: i64, limit: Option<i64>) -> [f64; 2] {
        let mut made = RecordingBuilder::new(Manifest::default());
        let column = |name: &str, kind| Column { name: name.to_owned(), kind, unit: Unit::Count };
        for second in 0..=10 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            made.value(Table::Cgroup, "/app", &column("psi_cpu_some", MetricKind::Counter), second * 900_000);
            made.value(Table::Process, "7@0", &column("num_threads", MetricKind::Gauge), threads);
            if let Some(limit) = limit {
                made.value(Table::Cgroup, "/app", &column("cpu_max", MetricKind::Gauge), limit);
            }
        }
        let recording = made.finish();
        let stretch = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let one = |process: &str, cpu: f64| Command {
            group: Some("/app".to_owned()),
            processes: vec![process.to_owned()],
            trouble: Did { cpu, cpu_of_each: vec![(cpu, 0.0)], ..Did::default() },
            ..Command::default()
        };
        let mut commands = [one("7@0", 1.9), one("8@0", 0.1)];
        book_cpu_waits(&stretch, &mut commands, |command| &mut command.trouble);
        commands.map(|command| command.trouble.cpu_wanted())
    }

    /// What two programs of a group with a limit of 100 MB take that grew by 90 and 20 MB, where the OOM killer ended so many of the group, and of the host.
    fn killed(of_group: i64, of_host: i64) -> Vec<f64> {
        let mut made =
            RecordingBuilder::new(Manifest { memory_total: Bytes::new(1_000_000_000), ..Manifest::default() });
        let column = |name: &str, kind| Column { name: name.to_owned(), kind, unit: Unit::Count };
        for second in 0..=10 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            made.value(Table::Cgroup, "/app", &column("max", MetricKind::Gauge), 100_000_000);
            made.value(Table::Cgroup, "/app", &column("events_oom_kill", MetricKind::Counter), of_group * second / 10);
            made.value(Table::Host, "", &column("oom_kill", MetricKind::Counter), of_host * second / 10);
        }
        let recording = made.finish();
        let stretch = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let command = Command { group: Some("/app".to_owned()), appeared: Some(1), ..Command::default() };
        let grows = |to: f64| CommandLoad::new(&command, Kind::Grow { to, rate: 1e6 }, false);
        let mut loads = [grows(20e6), grows(90e6)];
        book_kills(&stretch, &stretch, &mut loads, &mut Vec::new());
        let to = |load: &CommandLoad| if let Kind::Grow { to, .. } = load.kind { to } else { 0.0 };
        loads.iter().map(to).collect()
    }

    #[test]
    fn who_was_killed_while_it_grew_takes_more_than_there_is() {
        assert_eq!(killed(1, 1), [20e6, 100e6 * 1.1]);
        assert_eq!(killed(0, 1), [20e6, 1e9], "the host had no more");
        assert_eq!(killed(0, 0), [20e6, 90e6]);
    }

    #[test]
    fn who_computes_with_threads_wants_as_many_cpus_as_its_group_waits_for() {
        let near = |all: [f64; 2], is: [f64; 2]| all.iter().zip(is).all(|(one, is)| (one - is).abs() < 0.01);
        assert!(near(wanted(4, None), [2.8, 0.1]), "{:?}", wanted(4, None));
        assert!(near(wanted(1, None), [1.9, 0.1]), "it cannot wait for itself");
        assert!(near(wanted(4, Some(2_000_000)), [1.9, 0.1]), "the group waits for its limit");
    }

    #[test]
    fn who_waits_for_idle_cpus_is_in_the_group_that_is_held_back() {
        let group_of = |waits: f64, known: Option<&str>| {
            let mut made = RecordingBuilder::new(Manifest { cpus: 2, ..Manifest::default() });
            let column = |name: &str| Column { name: name.to_owned(), kind: MetricKind::Counter, unit: Unit::Count };
            for second in 0..=10 {
                made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
                made.value(Table::Host, "", &column("cpu_idle"), second * 190);
                made.value(Table::Cgroup, "/sys/fs/cgroup/db", &column("psi_cpu_some"), second * 950_000);
            }
            let recording = made.finish();
            let trouble = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
            let trouble_of = |waits: f64| Did { cpu_of_each: vec![(0.0, 0.0), (0.02, waits)], ..Did::default() };
            let service = Command { trouble: trouble_of(waits), ..Command::default() };
            let other = Command { group: known.map(ToOwned::to_owned), ..Command::default() };
            let mut commands = [service, other];
            join_held_back(group::held_back(&trouble).unwrap(), &mut commands);
            commands.map(|command| command.group)
        };
        assert_eq!(group_of(0.95, None), [Some("/sys/fs/cgroup/db".to_owned()), None]);
        assert_eq!(group_of(0.1, None), [None, None], "it runs when it may");
        let known = "/sys/fs/cgroup/app";
        assert_eq!(group_of(0.95, Some(known)), [None, Some(known.to_owned())], "groups were recorded");
    }

    #[test]
    fn names_are_looked_up_by_whom_the_rules_name_else_by_who_uses_most_cpu() {
        let looks_up = |named: &[&str]| {
            let mut made =
                RecordingBuilder::new(Manifest { memory_total: Bytes::new(1_000_000_000), ..Manifest::default() });
            let slab = Column { name: "SReclaimable".to_owned(), kind: MetricKind::Gauge, unit: Unit::Bytes };
            for second in 0..=10 {
                made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
                made.value(Table::Host, "", &slab, second * 20_000_000);
            }
            let recording = made.finish();
            let trouble = Stretch { recording: &recording, from: 0, to: 10_000_000_001 };
            let commands = [("sensor", 0.1), ("service", 0.5)].map(|(name, cpu)| Command {
                name: name.to_owned(),
                trouble: Did { cpu, ..Did::default() },
                ..Command::default()
            });
            lookups(&trouble, &commands, named, &mut Vec::new()).unwrap().command.name
        };
        assert_eq!(looks_up(&["sensor"]), "sensor");
        assert_eq!([looks_up(&[]), looks_up(&["other"])], ["service", "service"]);
    }
}

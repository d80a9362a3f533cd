//! A scenario that shows what a recording shows.

use crate::guess::{Factors, Guess, megabytes};
use crate::load::{self, CommandLoad, Kind};
use crate::recorded::disk::{self, DiskModel};
use crate::recorded::{Command, Stretch, change, group, limit_of_held_back, most_active, slowdown, whole};
use crate::scenario::{Culprit, Draft, Facts, Held, Programs, write};
use pagetide_core::{Diagnosis, Error, Manifest, Nanos, Recording, RuleId, Scenario, Table};
use pagetide_lab::sim::device_names;

/// The longest incident and the longest time before it that a scenario repeats, s.
const MAX_INCIDENT_SECONDS: f64 = 60.0;
const MAX_CALM_SECONDS: f64 = 30.0;
/// The shortest.
const MIN_INCIDENT_SECONDS: f64 = 4.0;
/// CPUs that a program uses, at least, which goes over to computing all the time, and those that it used before, at most.
const MIN_CPU_OF_ONE: f64 = 0.8;
const MAX_CPU_BEFORE: f64 = 0.5;

/// What a recording says of its incident, from which scenarios are made.
#[derive(Debug, Clone)]
pub struct Synthesis<'a> {
    pub(crate) facts: Facts<'a>,
    /// How long the incident was, ns.
    whole: i64,
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
        let toml = write(&self.draft(factors)).toml;
        let scenario = Scenario::parse(&toml, "reproduction.toml")?;
        Ok((toml, scenario))
    }

    /// The machine that was recorded.
    pub(crate) const fn manifest(&self) -> &Manifest {
        &self.facts.calm.recording.manifest
    }

    /// The part of the recording that is repeated, and when in it the incident begins.
    pub const fn span(&self) -> (i64, i64, i64) {
        (self.facts.calm.from, self.facts.calm.to, self.facts.trouble.to)
    }

    /// The programs of its scenarios.
    pub(crate) fn programs(&self) -> Programs<'_> {
        Programs { all: &self.programs, culprits: &self.culprits }
    }

    /// How long the incident was, where only its first minute is repeated.
    pub fn shortened_from(&self) -> Option<Nanos> {
        let whole = Nanos::new(self.whole.cast_unsigned());
        (self.whole > self.facts.trouble.to - self.facts.trouble.from).then_some(whole)
    }

    /// Before the incident and in it, of a trial. As in a recording, the incident begins with a sample: the last one before its loads do.
    pub(crate) fn stretches<'b>(&self, recording: &'b Recording) -> Option<(Stretch<'b>, Stretch<'b>)> {
        let (begin, end) = recording.span()?;
        let onset = begin.saturating_add(self.facts.calm.to - self.facts.calm.from).min(end);
        let moments = recording.stamps().iter().map(|stamp| stamp.boot_ns);
        let onset = moments.take_while(|at| *at <= onset).last().unwrap_or(onset);
        Some((Stretch { recording, from: begin, to: onset }, Stretch { recording, from: onset, to: end }))
    }

    /// What the recording calls a disk of the model.
    pub(crate) fn recorded_disk(&self, name: &str) -> Option<&str> {
        self.names_of_disks().into_iter().find(|(_, device)| device == name).map(|(recorded, _)| recorded)
    }

    /// What the model calls a disk of the recording.
    pub(crate) fn disk_of_model(&self, name: &str) -> Option<String> {
        self.names_of_disks().into_iter().find(|(recorded, _)| *recorded == name).map(|(_, device)| device)
    }

    /// The disks as the recording calls them, and as the model does.
    fn names_of_disks(&self) -> Vec<(&str, String)> {
        let recorded: Vec<&str> = self.facts.disks.iter().map(|disk| disk.name.as_str()).collect();
        let devices = device_names(&recorded);
        recorded.into_iter().zip(devices).collect()
    }

    fn draft(&self, factors: Factors) -> Draft<'_> {
        Draft { facts: &self.facts, guesses: &self.guesses, factors }
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
    let reclaim_slowdown = slowdown(&whole);
    let mut throttled = group::throttled(&trouble);
    let held_back = group::held_back(&trouble);
    let commands = most_active(&calm, &trouble, reclaim_slowdown, diagnosis, held_back);
    throttled.extend(held_back.and_then(|group| limit_of_held_back(&trouble, group, &commands)));
    let changes = change::all(&calm, &trouble, &commands);
    guesses.extend(changes.iter().filter_map(change::Change::guess));
    let is_changed = !changes.is_empty()
        || disks.iter().any(|disk| disk.slower.is_some())
        || change::of_limits(&calm, &trouble, &throttled, &commands);
    let is_dropped = changes.iter().any(change::Change::drops_files);
    let origins = diagnosis.cause.iter().flat_map(|cause| cause.origins.iter());
    let named: Vec<&str> = origins.filter_map(|actor| actor.as_command()).collect();
    let mut of_loads = Vec::new();
    // A thread that comes to compute all the time.
    let computes = |command: &Command| {
        cause.rule == RuleId::CpuBound && command.calm.cpu < MAX_CPU_BEFORE && command.trouble.cpu >= MIN_CPU_OF_ONE
    };
    let (mut loads, mut cache) = load::all(&calm, &trouble, &commands, &named, is_dropped, &computes, &mut of_loads);
    if !is_changed && !loads.iter().any(CommandLoad::is_culprit) {
        // Nothing begins at the onset: a program that the rules name does something else from then on.
        of_loads.clear();
        (loads, cache) = load::all(&calm, &trouble, &commands, &named, is_dropped, &|_| true, &mut of_loads);
    }
    guesses.append(&mut of_loads);
    load::book_flushes(&calm, &trouble, &disks, &mut loads, &mut guesses);
    for load in &loads {
        if let Kind::Write { random: Some(size), .. } = load.kind {
            guesses.push(Guess::new(
                format!("{} writes at random places of {} of files", load.command.name, megabytes(size)),
                "the writes of the disks are small: what is written in order is merged",
            ));
        }
    }
    load::book_depth(&calm, &trouble, &disks, &mut loads, &mut guesses);
    load::book_bursts(&calm, &trouble, &disks, &mut loads);
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
    let group_memory = load::group_memory(&calm, &trouble, &loads);
    let over = over.max(to) - from;
    let facts = Facts { calm, trouble, disks, loads, group_memory, cache, reclaim_slowdown, throttled, changes };
    let mut synthesis = Synthesis { facts, whole: over, guesses, culprits: Vec::new(), programs: Vec::new() };
    let written = write(&synthesis.draft(Factors::FIRST));
    (synthesis.programs, synthesis.culprits) = (written.programs, written.culprits);
    Ok(synthesis)
}

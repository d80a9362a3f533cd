//! What programs do in the incident.

use super::culprit::Culprit;
use super::draft::Draft;
use super::toml::seconds;
use super::{groups, work};
use crate::load::Kind;
use crate::recorded::{Phase, whole};
use pagetide_core::part_name;
use std::collections::BTreeMap;

/// What programs do in the incident.
pub(super) struct Parts {
    /// A part of the step for each thing that one does.
    pub(super) parts: Vec<String>,
    /// What their processes are called, and which of them began it.
    pub(super) names: Vec<String>,
    pub(super) culprits: Vec<Culprit>,
    /// The sizes of their files.
    pub(super) files: BTreeMap<usize, f64>,
}

/// What programs do in an incident that is so long, with what comes before it.
pub(super) fn parts(draft: &Draft<'_>, length: f64) -> Parts {
    let (mut parts, mut culprits, mut files) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut processes = BTreeMap::new();
    for (at, load) in draft.facts.loads.iter().enumerate() {
        let calm = draft.facts.calm.seconds();
        let delay = match load.command.appeared {
            Some(appeared) => ((appeared - draft.facts.calm.from) as f64 / 1e9).clamp(0.0, length - 1.0),
            None if load.ran_before => 0.0,
            None => calm,
        };
        let end = load.command.ended.map_or(length, |at| (at - draft.facts.calm.from) as f64 / 1e9);
        let time = (end - delay).clamp(1.0, length - delay);
        let begins = draft.facts.calm.from.saturating_add(whole(delay * 1e9).cast_signed());
        let group = groups::of(draft, load, begins).map_or_else(String::new, |group| format!(", cgroup = {group}"));
        let delay = if delay > 0.0 { format!(", delay = {}", seconds(delay)) } else { String::new() };
        let at_once = load.at_once();
        // All that a command does which came with the incident is one program to the rules, and to advice. Of one that ran before it is
        // each load: one is what it usually does, and another what it did to others.
        let is_apart = load.ran_before && load.command.phase == Phase::Whole;
        // Whatever their groups, the rules see new processes of one command together.
        let key = (load.command.name.clone(), is_apart.then_some(at));
        for nth in 0..at_once {
            let base = part_name(&load.command.name);
            let count = names.entry(base.clone()).or_default();
            *count += 1;
            let name = if *count == 1 { base } else { format!("{base}_{count}") };
            let process: &String = processes.entry(key.clone()).or_insert_with(|| name.clone());
            let of = if *process == name { String::new() } else { format!(", process = \"{process}\"") };
            if load.is_culprit() && !culprits.iter().any(|known: &Culprit| known.process == *process) {
                culprits.push(Culprit::new(process, &load.command.name));
            }
            let (work, file) = work::of(draft, (at, nth), &load.part_of(at_once), time);
            *files.entry(at).or_default() += file;
            parts.push(format!("{{ name = \"{name}\"{of}, {work}{delay}{group} }}"));
        }
        // Who ran before and waits now is no program that has just started, and waits for itself.
        let was_there = if load.command.was_there() && load.command.waits() && is_first_unseen(draft, at) {
            Some(unseen(draft, at))
        } else if matches!(load.kind, Kind::Grow { .. }) && load.command.appeared.is_none() && !load.ran_before {
            let time = seconds(length);
            Some(format!("grow = {{ size = \"4KiB\", fill = \"random\", hold_for = {time} }}, background = true"))
        } else {
            None
        };
        if let Some(was_there) = was_there {
            let base = part_name(&load.command.name);
            let count = names.entry(base.clone()).or_default();
            *count += 1;
            let (name, process) = (format!("{base}_{count}"), &processes[&key]);
            parts.push(format!("{{ name = \"{name}\", process = \"{process}\", {was_there}{group} }}"));
        }
    }
    let mut names: Vec<String> = processes.into_values().collect();
    names.sort();
    Parts { parts, names, culprits, files }
}

/// Whether a load is the first of a program of which nothing in the scenario runs before the incident.
fn is_first_unseen(draft: &Draft<'_>, at: usize) -> bool {
    let mut own = draft.facts.loads.iter().enumerate().filter(|(_, other)| other.is_of_program(&draft.facts.loads[at]));
    own.clone().all(|(_, other)| !other.ran_before) && own.next().is_some_and(|(first, _)| first == at)
}

/// What such a program did before the incident: it used a little CPU time now and then, and waited for a page when it began. Who never ran and never
/// waited has just started.
fn unseen(draft: &Draft<'_>, at: usize) -> String {
    const EVERY: f64 = 0.1;
    const MIN_SHARE: f64 = 0.001;
    let calm = &draft.facts.loads[at].command.calm;
    let busy = (calm.cpu - calm.reclaim).clamp(MIN_SHARE, 0.9) * EVERY;
    let page = draft.place(at).replacen('@', "-usual@", 1);
    let ns = |time: f64| format!("\"{}ns\"", whole(time * 1e9));
    let pace = format!("compute = {}, think = {}", ns(busy), ns(EVERY - busy));
    let time = seconds(draft.facts.calm.seconds());
    format!("stream = {{ from = \"{page}\", size = \"4KiB\", bs = \"4KiB\", {pace}, repeat = true, time = {time} }}")
}

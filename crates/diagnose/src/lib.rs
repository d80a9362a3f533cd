//! Rules: a recording in, a diagnosis with evidence out.
//!
//! [`diagnose`] cuts a [`Recording`] into windows (the steps of a lab run, or the stretches in which a host was busy),
//! shows each window to every rule under `rules/`, merges what they saw into [`Finding`]s, and follows what caused what
//! from the root on. [`rules`] is what `pagetide explain` and docs/RULES.md print.
//!
//! ```
//! use pagetide_core::{Conclusion, Recording};
//!
//! let nothing = Recording::default();
//! assert_eq!(pagetide_diagnose::diagnose(&nothing).verdict, Conclusion::CannotTell);
//! ```
//!
//! A rule says nothing unless it has what it needs: a metric that was not recorded is no evidence for or against.

mod case;
mod chain;
mod coverage;
mod document;
mod effect;
mod episodes;
mod merge;
mod metrics;
mod process;
mod rules;
mod signal;
mod verdict;
mod window;

pub use document::markdown;

use episodes::Episodes;
use pagetide_core::{Diagnosis, Finding, Recording, RuleDoc};
use rules::Scope;
use std::cmp::Ordering;
use window::Window;

/// What happened in a recording.
pub fn diagnose(recording: &Recording) -> Diagnosis {
    examined(recording, &Episodes::default())
}

/// What happened in a long recording, of which all but the processes is here. Processes are most of a recording, and rules want to know
/// only of some stretches what they did: `load` gives them, from and to on the recording's axis, in order.
///
/// # Errors
/// The first that `load` gives.
pub fn diagnose_loading<E>(
    recording: &mut Recording,
    mut load: impl FnMut(&Recording, (i64, i64)) -> Result<Recording, E>,
) -> Result<Diagnosis, E> {
    // They are found by what is no process's, so they stay what they are when processes come.
    let episodes = Episodes::default();
    for stretch in stretches(recording, &episodes) {
        let processes = load(recording, stretch)?;
        recording.absorb(processes);
    }
    Ok(examined(recording, &episodes))
}

fn examined(recording: &Recording, episodes: &Episodes) -> Diagnosis {
    let windows = Window::all(recording, episodes);
    let whole = Window::whole(recording, episodes);
    let mut findings: Vec<Finding> = windows.iter().flat_map(|window| seen(window, Scope::Busy)).collect();
    findings.extend(whole.iter().flat_map(|whole| seen(whole, Scope::Whole)));
    let mut findings = verdict::with_scenarios(merge::merged(recording, findings));
    findings.sort_by(|a, b| {
        let surest = b.confidence.partial_cmp(&a.confidence).unwrap_or(Ordering::Equal);
        surest.then(a.range.cmp(&b.range)).then_with(|| a.rule.cmp(&b.rule))
    });
    verdict::reach(recording, whole, &windows, findings)
}

/// What the rules of a scope see in a stretch.
fn seen(window: &Window<'_>, scope: Scope) -> Vec<Finding> {
    let rules = rules::RULES.iter().filter(|rule| rule.scope == scope);
    rules.filter_map(|rule| (rule.examine)(window)).collect()
}

/// Whether a finding means that something is wrong, and not that something is worth knowing.
pub fn alarming(finding: &Finding) -> bool {
    verdict::alarming(finding)
}

/// What each rule means, in the order in which they are explained.
pub fn rules() -> &'static [RuleDoc] {
    rules::docs()
}

/// The scenarios of the catalogue that rules name as showing what they are about.
pub fn scenarios() -> impl Iterator<Item = &'static str> {
    rules::RULES.iter().flat_map(|rule| rule.shown_by).copied()
}

/// The stretches of which rules want to know what processes did, by all but the processes.
fn stretches(recording: &Recording, episodes: &Episodes) -> Vec<(i64, i64)> {
    let Some(whole) = Window::whole(recording, episodes) else { return Vec::new() };
    // What grows slowly is looked for in the whole.
    let grows = |metric: &str| {
        let grown = whole.host_change(metric).zip(whole.memory());
        grown.is_some_and(|(grown, memory)| grown >= memory * 0.05)
    };
    let swapped = whole.host_change("SwapFree").zip(whole.memory());
    let swapped = swapped.is_some_and(|(change, memory)| -change >= memory * 0.05);
    if grows("AnonPages") || grows("Slab") || swapped {
        return vec![(whole.from, whole.to)];
    }
    // With some samples around it: a rate needs the one before.
    let margin = signal::interval(recording).saturating_mul(10);
    let mut stretches: Vec<(i64, i64)> = Vec::new();
    for window in Window::all(recording, episodes) {
        let (from, to) = (window.from.saturating_sub(margin), window.to.saturating_add(margin));
        match stretches.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => stretches.push((from, to)),
        }
    }
    stretches
}

/// The names of the metrics that rules look at: what to load of a recording.
pub fn metrics() -> &'static [&'static str] {
    metrics::ALL
}

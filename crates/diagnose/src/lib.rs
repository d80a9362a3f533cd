//! Rules: a recording in, a diagnosis with evidence out.
//!
//! A recording goes through these rooms, each entered once: `load` (what the rules need of it), `signal` (rates over time),
//! `episodes` (when they are far above their baseline), `findings` (what the rules under `rules/` find there), `chain` (what caused
//! what) and `verdict`. [`rules`] is what `pagetide explain` and docs/RULES.md print.
//!
//! ```
//! use pagetide_core::{Conclusion, Recording};
//!
//! let nothing = Recording::default();
//! assert_eq!(pagetide_diagnose::diagnose(&nothing).verdict, Conclusion::CannotTell);
//! ```
//!
//! A rule finds nothing unless it has what it needs: a metric that was not recorded is no evidence for or against.

mod amount;
mod chain;
mod changes;
mod compare;
mod coverage;
mod delays;
mod document;
mod effect;
mod episodes;
mod evidence;
mod findings;
mod harm;
mod incident;
mod lasting;
mod limits;
mod load;
mod mechanisms;
mod newcomer;
mod observed;
mod place;
mod process;
mod queue;
mod rule;
mod rules;
mod settings;
mod signal;
mod stalls;
mod steps;
mod stream;
mod stretches;
mod traced;
mod verdict;
mod victim;
mod waits;
mod watermarks;
mod window;

pub use compare::{compare, metrics as compared_metrics};
pub use document::{markdown, sections};
pub use lasting::{Lasting, LastingKey, lasting};
pub use observed::{Openings, observed, openings};
pub use steps::{diagnose_steps, step_range, step_span};

use episodes::Episodes;
use pagetide_core::{Diagnosis, Error, Finding, LazyRecording, Recording, RuleDoc, Source, Span};
use stretches::Stretches;

/// What happened in a recording.
pub fn diagnose(recording: &Recording) -> Diagnosis {
    concluded(recording, &Episodes::default(), Span::ALL)
}

/// Reads of a recording what the rules need, and these metrics beside, and says what happened. Of a long recording the processes
/// are read only around what happened.
///
/// # Errors
/// Those of the source.
pub fn diagnose_lazy<S: Source>(recording: &mut LazyRecording<S>, also: &[&str]) -> Result<Diagnosis, Error> {
    diagnose_within(recording, also, Span::ALL)
}

/// The same of a stretch of a recording: what was before it is the baseline, and what ended before it is left out.
///
/// # Errors
/// Those of the source.
pub fn diagnose_within<S: Source>(
    recording: &mut LazyRecording<S>,
    also: &[&str],
    stretch: Span,
) -> Result<Diagnosis, Error> {
    let metrics: Vec<&str> = metrics().iter().chain(also).copied().collect();
    let episodes = load::load(recording, &metrics)?;
    Ok(concluded(recording.recording(), &episodes, stretch))
}

fn concluded(recording: &Recording, episodes: &Episodes, stretch: Span) -> Diagnosis {
    let stretches = Stretches { asked: stretch, ..Stretches::of(recording, episodes) };
    let findings = findings::all(recording, &stretches);
    verdict::reach(recording, &stretches, findings)
}

/// Whether a finding means that something is wrong, and not that something is worth knowing.
pub fn alarming(finding: &Finding) -> bool {
    rules::by_id(finding.rule).role <= rule::Role::Effect
}

/// What each rule means, in the order in which they are explained.
pub fn rules() -> &'static [RuleDoc] {
    rules::docs()
}

/// The scenarios of the catalogue that reproduce what rules are about.
pub fn scenarios() -> impl Iterator<Item = &'static str> {
    rules::RULES.iter().flat_map(|rule| rule.scenarios).copied()
}

/// The names of the metrics that rules read: what to load of a recording.
pub fn metrics() -> &'static [&'static str] {
    rules::metrics()
}

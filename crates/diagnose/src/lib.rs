//! Rules: a recording in, a diagnosis with evidence out.
//!
//! A recording passes these modules in this order: `load` reads the columns that rules need, `measure` makes rates and episodes of them,
//! `actors` names processes and groups, `ledger` sums the time that tasks lost, `rules` give findings (`examine` runs them over each busy
//! stretch, `evidence` weighs what they measured), `verdict` orders causes and effects. [`rules`] is what `pagetide explain` and
//! docs/RULES.md print.
//!
//! ```
//! use pagetide_core::{Conclusion, Recording};
//!
//! let nothing = Recording::default();
//! assert_eq!(pagetide_diagnose::diagnose(&nothing).verdict, Conclusion::CannotTell);
//! ```
//!
//! A rule finds nothing unless it has what it needs: a metric that was not recorded is no evidence for or against.

mod actors;
mod compare;
mod evidence;
mod examine;
mod ledger;
mod load;
mod measure;
mod rules;
mod steps;
mod track_record;
mod verdict;
mod watch;

pub use compare::{compare, metrics as compared_metrics};
pub use measure::coverage::LEAST_SAMPLES;
pub use steps::{diagnose_steps, step_range, step_span};
pub use track_record::{Openings, observed, openings};
pub use verdict::document::{markdown, sections};
pub use watch::{CALM_INTERVAL, LOOK_BACK, LOOK_INTERVAL, Lasting, LastingKey, is_calm, lasting};

use examine::stretches::Stretches;
use load::Depth;
use measure::episodes::Episodes;
use pagetide_core::{Diagnosis, Error, Finding, LazyRecording, Recording, RuleDoc, Source, Span};

/// What happened in a recording.
pub fn diagnose(recording: &Recording) -> Diagnosis {
    concluded(recording, &Episodes::default(), Span::ALL)
}

/// What happened in a stretch of a recording: what was before it is the baseline, and what ended before it is left out.
pub fn diagnose_stretch(recording: &Recording, stretch: Span) -> Diagnosis {
    concluded(recording, &Episodes::default(), stretch)
}

/// Reads of a recording what the rules need, and these metrics beside, and says what happened. Of a long recording most is read only around what
/// happened.
///
/// # Errors
/// Those of the source.
pub fn diagnose_lazy<S: Source>(recording: &mut LazyRecording<S>, also: &[&str]) -> Result<Diagnosis, Error> {
    diagnose_within(recording, also, Span::ALL)
}

/// The same for who asks of many recordings: of each, most is read only around the stretches in which tasks lose time.
///
/// # Errors
/// Those of the source.
pub fn diagnose_losses<S: Source>(recording: &mut LazyRecording<S>, also: &[&str]) -> Result<Diagnosis, Error> {
    read(recording, also, Depth::Losses, Span::ALL)
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
    read(recording, also, Depth::Thorough, stretch)
}

fn read<S: Source>(
    recording: &mut LazyRecording<S>,
    also: &[&str],
    depth: Depth,
    stretch: Span,
) -> Result<Diagnosis, Error> {
    let episodes = load::load(recording, also, depth, stretch)?;
    Ok(concluded(recording.recording(), &episodes, stretch))
}

fn concluded(recording: &Recording, episodes: &Episodes, stretch: Span) -> Diagnosis {
    let stretches = Stretches { asked: stretch, ..Stretches::of(recording, episodes) };
    let findings = examine::all(recording, &stretches);
    verdict::reach(recording, &stretches, findings)
}

/// Whether a finding means that something is wrong, and not that something is worth knowing.
pub fn alarming(finding: &Finding) -> bool {
    rules::role(finding) <= rules::contract::Role::Effect
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
    load::metrics()
}

//! Rules: a recording in, findings with evidence out.
//!
//! [`diagnose`] cuts a [`Recording`] into windows (the steps of a lab run, or the stretches in which a host was busy),
//! shows each [`Window`] to every rule under `rules/`, and gives what they saw as [`Finding`]s, surest first. [`rules`] is
//! what `pagetide explain` and docs/RULES.md print.
//!
//! ```
//! let nothing = pagetide_core::Recording::default();
//! assert!(pagetide_diagnose::diagnose(&nothing).is_empty());
//! ```
//!
//! A rule says nothing unless it has what it needs: a metric that was not recorded is no evidence for or against.

mod case;
mod document;
mod rules;
mod signal;
mod window;

pub use document::markdown;
pub use window::Window;

use pagetide_core::{Finding, Recording, RuleDoc};
use std::cmp::Ordering;

/// What the rules see in a recording, surest first; of equally sure findings the earlier first.
pub fn diagnose(recording: &Recording) -> Vec<Finding> {
    let windows = Window::all(recording);
    let mut findings: Vec<Finding> =
        windows.iter().flat_map(|window| rules::RULES.iter().filter_map(|rule| (rule.examine)(window))).collect();
    findings.sort_by(|a, b| {
        let surest = b.confidence.partial_cmp(&a.confidence).unwrap_or(Ordering::Equal);
        surest.then(a.range.cmp(&b.range)).then_with(|| a.rule.cmp(&b.rule))
    });
    findings
}

/// What each rule means, in the order in which they are explained.
pub fn rules() -> &'static [RuleDoc] {
    rules::docs()
}

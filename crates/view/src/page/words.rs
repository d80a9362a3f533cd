//! Words that several pages use.

use crate::clock;
use pagetide_core::{ClaimStatus, Recording, RunResult, Scenario, Verdict};

/// How many claims hold and how many do not, as parts of a sentence; none when there are no claims.
pub(super) fn tally(claims: &[&Verdict]) -> Vec<String> {
    let count = |holds| claims.iter().filter(|claim| claim.holds == holds).count();
    let mut parts = Vec::new();
    if !claims.is_empty() {
        parts.push(format!("{} of {} claims hold", count(ClaimStatus::Holds), claims.len()));
        parts.extend(
            Some(count(ClaimStatus::Fails))
                .filter(|n| *n > 0)
                .map(|n| if n == 1 { "1 fails".to_owned() } else { format!("{n} fail") }),
        );
        let disturbed = Some(count(ClaimStatus::Disturbed)).filter(|n| *n > 0);
        parts.extend(
            disturbed.map(|n| if n == 1 { "1 was disturbed".to_owned() } else { format!("{n} were disturbed") }),
        );
        parts.extend(Some(count(ClaimStatus::Unknown)).filter(|n| *n > 0).map(|n| format!("{n} cannot be computed")));
    }
    parts
}

/// A number of things, in words.
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The text with a capital at its begin.
pub(crate) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(|first| first.to_ascii_uppercase()).into_iter();
    format!("{}{}", first.collect::<String>(), rest.as_str())
}

/// The step of a scenario with this id.
pub(super) fn step<'a>(scenario: Option<&'a Scenario>, id: &str) -> Option<&'a pagetide_core::Step> {
    scenario?.steps.iter().find(|step| step.id == id)
}

/// When a run began, for people: by the clock of its recording.
pub(super) fn began(run: &RunResult, recording: &Recording) -> String {
    clock::of(recording).date_time(run.started_wall_ns)
}

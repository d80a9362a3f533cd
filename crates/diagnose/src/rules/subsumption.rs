//! Which findings account for others.

use super::by_id;
use super::contract::When;
use pagetide_core::{Actor, Finding, Nanos, Recording};

/// Whether a finding accounts for another: by the rules, by which began first, and by whether they overlap.
pub(crate) fn subsumes(recording: &Recording, cause: &Finding, effect: &Finding) -> bool {
    let slack = slack(recording);
    let begun = cause.range.from <= effect.range.from.later(slack);
    // The effects of a cause last: pages that were evicted are missed when it is over.
    let lasts = effect.range.from <= cause.range.to.later(cause.range.length().max(slack));
    listed(cause, effect) && begun && lasts && (!listed(effect, cause) || precedes(cause, effect, slack))
}

/// How exactly the begin of a finding is known: two intervals, and what a sample may be late.
fn slack(recording: &Recording) -> Nanos {
    let interval = recording.manifest.interval.get();
    Nanos::new(interval.saturating_mul(2).saturating_add(interval / 2))
}

/// Whether the rule of a finding subsumes that of another.
fn listed(cause: &Finding, effect: &Finding) -> bool {
    let process = process(cause).is_some() && process(cause) == process(effect);
    let holds = |when| match when {
        When::Always => true,
        When::SameProcess => process,
        When::OtherProcess => !process,
        When::SameOrigin => effect.origins.iter().any(|origin| cause.origins.has(origin)),
    };
    let rule = by_id(cause.rule);
    let mut subsumed = rule.subsumes.iter().filter(|_| !(rule.is_benign)(cause));
    subsumed.any(|subsumed| subsumed.rules.contains(&effect.rule) && holds(subsumed.when))
}

/// Which of two findings that account for each other is the cause: the earlier one, or the one with stronger evidence, or the
/// rule that is explained first.
fn precedes(one: &Finding, other: &Finding, slack: Nanos) -> bool {
    if one.range.from.since(other.range.from).max(other.range.from.since(one.range.from)) > slack {
        return one.range.from < other.range.from;
    }
    one.confidence.get().total_cmp(&other.confidence.get()).then(other.rule.cmp(&one.rule)).is_gt()
}

/// The process that a finding is about; of those that it names the last, which is the one that suffers.
fn process(finding: &Finding) -> Option<&str> {
    finding.origins.iter().rev().find_map(Actor::as_command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Confidence, Manifest, Moment, RecordingBuilder, RuleId, Span};

    fn finding(rule: RuleId, origins: [Actor; 2]) -> Finding {
        Finding {
            rule,
            statement: String::new(),
            origins: origins.into(),
            step: None,
            range: Span { from: Moment::new(0), to: Moment::new(60_000_000_000) },
            confidence: Confidence::new(0.9),
            evidence: Vec::new(),
            contradictions: Vec::new(),
            advice: Vec::new(),
        }
    }

    #[test]
    fn a_sample_that_is_a_moment_late_changes_no_order() {
        let recording = RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
        let recording = recording.finish();
        let growth = finding(RuleId::AnonymousGrowth, [Actor::command("redis"), Actor::disk("vdb")]);
        let leak = |from: i64| Finding {
            range: Span { from: Moment::new(from), ..growth.range },
            ..finding(RuleId::MemoryLeak, [Actor::command("redis"), Actor::disk("vdb")])
        };
        assert!(subsumes(&recording, &leak(2_000_018_030), &growth));
        assert!(!subsumes(&recording, &leak(3_000_000_000), &growth), "it grew before");
    }

    #[test]
    fn a_limit_accounts_for_slower_requests_to_the_disk_that_it_is_about() {
        let recording = RecordingBuilder::new(Manifest::default()).finish();
        let limit = finding(RuleId::IoLimit, [Actor::group("/pod"), Actor::disk("vdb")]);
        let slow = |disk| finding(RuleId::DeviceSlow, [Actor::disk(disk), Actor::group("/db")]);
        assert!(subsumes(&recording, &limit, &slow("vdb")));
        assert!(!subsumes(&recording, &limit, &slow("vdc")), "the limit is not about this disk");
    }
}

//! The conclusion of all rules: the cause, the chain of its effects, and what else it could be.

use crate::actor::{Actor, Actors};
use crate::finding::{Confidence, Evidence, Finding};
use crate::grade::{Grade, HitRate};
use crate::ledger::Ledger;
use crate::quantity::Quantity;
use crate::rule::RuleId;
use crate::span::Span;
use crate::time_lost::TimeLost;
use serde::{Deserialize, Serialize};

/// The verdict of a diagnosis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Tasks lose time and the cause was found.
    Incident,
    /// Something grows that has not cost any task time yet.
    Forecast,
    /// Nothing is wrong, and enough was recorded to say so.
    Healthy,
    /// The recording does not say, for the reasons in [`Diagnosis::unknown`].
    #[default]
    CannotTell,
    /// The recording is of an experiment: the findings are of its steps, whose causes are known.
    Experiment,
}

impl Conclusion {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Incident => "incident",
            Self::Forecast => "forecast",
            Self::Healthy => "healthy",
            Self::CannotTell => "cannot_tell",
            Self::Experiment => "experiment",
        }
    }
}

/// The conclusion that the rules reach together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The verdict.
    pub verdict: Conclusion,
    /// What happened, in a few sentences.
    pub summary: String,
    /// What could not be read of the recording because it is damaged; a sentence each. The verdict is about the rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
    /// What the recording does not show, and why; a sentence each.
    pub unknown: Vec<String>,
    /// The time lost in the worst stretch, by account; absent where nobody lost any, or where it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Ledger>,
    /// The cause that explains most; of a healthy host the rule `healthy` with its confidence.
    pub cause: Option<Cause>,
    /// The effects of the cause, from the cause on.
    pub chain: Vec<Link>,
    /// Other causes that fit what was recorded.
    pub rivals: Vec<Rival>,
    /// Suspects that the numbers clear.
    pub cleared: Vec<Cleared>,
    /// What does not fit the cause, with what would settle it.
    pub contradictions: Vec<Contradiction>,
    /// What happened, one by one: the one that cost most time first. The fields above are those of the first.
    #[serde(default)]
    pub incidents: Vec<Incident>,
    /// All findings: the cause first, then by strength of evidence.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// The causes of what went wrong, incident by incident. That a host is healthy is the cause of nothing.
    pub fn causes(&self) -> impl Iterator<Item = &Cause> {
        let of_incidents = self.incidents.iter().filter_map(|incident| incident.cause.as_ref());
        of_incidents.chain(&self.cause).filter(|cause| cause.rule != RuleId::Healthy)
    }

    /// The time lost in an incident, ns: by its victim, where the ledger is of this incident; else by the tasks of the host, to what its cause makes
    /// them wait for or, if no rule explains it, to what they waited for most. Absent where that was not recorded.
    pub fn time_lost(&self, incident: &Incident) -> Option<u64> {
        let of_host = || incident.lost_by_host().map(|lost| lost.lost_ns);
        self.ledger_of(incident).map(|ledger| ledger.lost_ns).or_else(of_host)
    }

    /// The time lost in all incidents, ns. Simultaneous ones count once: the loss of the first includes that of the others.
    pub fn time_lost_in_all(&self) -> u64 {
        let (mut counted, mut sum): (Vec<Span>, u64) = (Vec::new(), 0);
        for incident in &self.incidents {
            let range = self.ledger_of(incident).map_or(incident.range, |ledger| ledger.range.union(incident.range));
            if !counted.iter().any(|one| one.overlaps(range)) {
                counted.push(range);
                sum = sum.saturating_add(self.time_lost(incident).unwrap_or(0));
            }
        }
        sum
    }

    /// The ledger, where it is of this incident: the first of its time.
    fn ledger_of(&self, incident: &Incident) -> Option<&Ledger> {
        let ledger = self.ledger.as_ref()?;
        let first = self.incidents.iter().find(|one| one.range.overlaps(ledger.range));
        first.is_some_and(|first| first.range == incident.range).then_some(ledger)
    }

    /// The incident of the cause that the diagnosis names, else the first whose cause was found: the one that `reproduce` shows again.
    pub fn explained_incident(&self) -> Option<(&Incident, &Cause)> {
        let explained = || self.incidents.iter().filter_map(|incident| Some((incident, incident.cause.as_ref()?)));
        explained().find(|(_, cause)| Some(*cause) == self.cause.as_ref()).or_else(|| explained().next())
    }
}

/// The cause of what went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// The rule that found it.
    pub rule: RuleId,
    /// Where it comes from, the nearest first.
    #[serde(flatten)]
    pub origins: Actors,
    /// When it began, ns on the recording's axis.
    pub onset_ns: i64,
    /// When it ended, or the recording did.
    pub end_ns: i64,
    /// How far off `onset_ns` may be: the time between the samples around it.
    pub resolution_ns: i64,
    /// How strong its evidence is.
    pub grade: Grade,
    /// How often causes of this grade were right, on recordings that nobody had examined.
    pub observed: HitRate,
    /// The share of causes of this grade that are right, as expected from those observations ([`HitRate::expected`]).
    pub confidence: Confidence,
}

/// A change of the host near the onset of an incident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// When, ns on the recording's axis.
    pub at_ns: i64,
    /// What changed, from what to what, in one sentence.
    pub what: String,
}

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Incident {
    /// From the onset of its cause, for as long as that lasts or tasks lose time to it.
    pub range: Span,
    /// Whether it still lasts at the end of the recording.
    pub ongoing: bool,
    /// Its cause; absent when no rule explains the loss.
    pub cause: Option<Cause>,
    /// What happened, in one or two sentences.
    pub statement: String,
    /// Who lost time, and to what; the largest loss first. Empty when the recording does not show it.
    pub losses: Vec<TimeLost>,
    /// Who suffers most: the group that lost most by the cause, or in which tasks were killed; where the kernel counts no wait, the one that came to
    /// do much less. Absent where no group does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub victim: Option<Actor>,
    /// What changed on the host near its onset, in order of time.
    pub changes: Vec<Change>,
}

impl Incident {
    /// What the tasks of the host lost by the cause or, if no rule explains it, the most that they lost in that time.
    pub fn lost_by_host(&self) -> Option<&TimeLost> {
        let of_host = || self.losses.iter().filter(|loss| loss.victim == Actor::Host);
        of_host().find(|loss| loss.by_cause).or_else(|| of_host().next())
    }
}

/// One step from a cause to an effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The cause, in a few words.
    pub cause: String,
    /// The effect, in a few words.
    pub effect: String,
    /// The rule that reports the effect on its own.
    pub rule: Option<RuleId>,
    /// How one leads to the other, in one sentence.
    pub how: String,
    /// The kernel's functions in which it happens.
    pub kernel: String,
    /// When the effect happened.
    pub range: Span,
    /// How long after its cause the effect began; absent when the two were not recorded at the same time.
    pub lag_ns: Option<i64>,
    /// How far off the lag may be.
    pub resolution_ns: i64,
    /// The amounts of cause and effect in the same unit, where both were recorded.
    pub amounts: Option<(Quantity, Quantity)>,
    /// What was measured of the effect.
    pub evidence: Vec<Evidence>,
}

/// Another cause that fits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    /// The rule that found it.
    pub rule: RuleId,
    /// Where it comes from, as of [`Cause::origins`].
    #[serde(flatten)]
    pub origins: Actors,
    /// What it says.
    pub statement: String,
    /// How strong its evidence is.
    pub confidence: Confidence,
    /// The observation that would decide between it and the cause.
    #[serde(rename = "decides")]
    pub deciding_test: String,
}

/// A suspect that the numbers clear.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cleared {
    /// The rule that would have blamed it.
    pub rule: RuleId,
    /// Why it is not that, in one sentence.
    pub statement: String,
    /// The numbers.
    pub evidence: Vec<Evidence>,
}

/// Something that was measured and does not fit the cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    /// What does not fit, in one sentence.
    pub statement: String,
    /// The numbers.
    pub evidence: Vec<Evidence>,
    /// What to record, and what it would show.
    pub settles: String,
    /// The command that records it.
    pub command: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;

    /// What `diagnose --json` of 0.1 printed, before origins were typed.
    const BEFORE_ACTORS: &str = include_str!("../../../fixtures/format/diagnosis/0.1.json");

    #[test]
    fn a_diagnosis_of_an_older_version_is_read_and_written_with_the_same_strings() {
        let old: serde_json::Value = serde_json::from_str(BEFORE_ACTORS).unwrap();
        let diagnosis: Diagnosis = serde_json::from_value(old.clone()).unwrap();
        let cause = diagnosis.cause.as_ref().unwrap();
        assert_eq!(cause.origins.first(), Some(&Actor::disk("vda")));
        let losses = &diagnosis.incidents[0].losses;
        assert!(
            losses.iter().any(|lost| lost.victim == Actor::Host && lost.disk.as_deref() == Some("vda")),
            "{losses:?}"
        );
        assert!(losses.iter().any(|lost| lost.victim.as_group().is_some()), "{losses:?}");
        let new = serde_json::to_value(&diagnosis).unwrap();
        assert_eq!(new["cause"]["origins"], old["cause"]["origins"]);
        assert_eq!(new["incidents"][0]["losses"][0]["by"], old["incidents"][0]["losses"][0]["by"]);
        assert_eq!(new["incidents"][0]["losses"][0]["on"], old["incidents"][0]["losses"][0]["on"]);
        assert_eq!(serde_json::from_value::<Diagnosis>(new).unwrap(), diagnosis);
    }

    #[test]
    fn lost_time_is_that_of_the_ledger_and_counts_once() {
        let mut diagnosis: Diagnosis = serde_json::from_str(BEFORE_ACTORS).unwrap();
        let mut incident = diagnosis.incidents[0].clone();
        incident.losses.retain(|loss| loss.victim == Actor::Host);
        incident.losses.truncate(1);
        let at = |from, to, lost_ns| {
            let mut one = Incident { range: Span::new(from, to), ..incident.clone() };
            one.losses[0].lost_ns = lost_ns;
            one
        };
        diagnosis.incidents = vec![at(0, 10, 70), at(5, 15, 60), at(20, 30, 50), at(26, 40, 7)];
        diagnosis.ledger = None;
        let each = |of: &Diagnosis| of.incidents.iter().map(|one| of.time_lost(one).unwrap()).collect::<Vec<_>>();
        assert_eq!((each(&diagnosis), diagnosis.time_lost_in_all()), (vec![70, 60, 50, 7], 120));
        diagnosis.ledger = Some(Ledger {
            range: Span::new(1, 22),
            by: "cgroup:/web".to_owned(),
            lost_ns: 9,
            share: 0.4,
            bookings: Vec::new(),
            groups: Vec::new(),
            over_time: Vec::new(),
        });
        let all = (vec![9, 60, 50, 7], 16);
        assert_eq!((each(&diagnosis), diagnosis.time_lost_in_all()), all, "the third began within the ledger's time");
    }

    #[test]
    fn that_a_host_is_healthy_causes_nothing() {
        let mut diagnosis: Diagnosis = serde_json::from_str(BEFORE_ACTORS).unwrap();
        let all = diagnosis.causes().count();
        assert!(all > 0);
        diagnosis.cause.as_mut().unwrap().rule = RuleId::Healthy;
        assert_eq!(diagnosis.causes().count(), all - 1);
    }

    #[test]
    fn the_incident_to_show_again_is_that_of_the_cause_that_is_named() {
        let mut diagnosis: Diagnosis = serde_json::from_str(BEFORE_ACTORS).unwrap();
        let named = diagnosis.incidents[0].clone();
        let mut longer = named.clone();
        longer.cause.as_mut().unwrap().rule = RuleId::CpuBound;
        diagnosis.cause.clone_from(&named.cause);
        diagnosis.incidents = vec![longer, named];
        let rule = |diagnosis: &Diagnosis| diagnosis.explained_incident().map(|(_, cause)| cause.rule);
        assert_eq!(rule(&diagnosis), diagnosis.cause.as_ref().map(|cause| cause.rule));
        diagnosis.cause = None;
        assert_eq!(rule(&diagnosis), Some(RuleId::CpuBound), "else the first");
    }
}

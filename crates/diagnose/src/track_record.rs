//! How often causes of each grade, and of each rule, were right: the rates are observed, not judged.

use pagetide_core::{Grade, HitRate, RuleId};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A line for each recording of real programs, written when the rules saw it first: from then on it is for development. The rules that
/// are shipped have changed since, so the rate predicts how such rules do on unseen recordings.
const OPENINGS: &str = include_str!("track_record.tsv");

/// Its lines with a cause, read once: a diagnosis grades hundreds of findings by them.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| OPENINGS.lines().filter_map(row).collect());

/// The share of right causes that is expected of a rule whose evidence may be called strong.
const STRONG: f64 = 0.75;

/// The observations of a grade, by what may be called so today; none before a cause of it was reported.
pub fn observed(grade: Grade) -> HitRate {
    rate(ROWS.iter().filter(|row| row.grade() == grade))
}

fn rate<'a>(rows: impl Iterator<Item = &'a Row>) -> HitRate {
    let mut sum = HitRate::default();
    rows.for_each(|row| sum.add(row.right));
    sum
}

/// The best grade for a cause of a rule, whatever its evidence: strong evidence of a rule that was often wrong at first sight, or was not seen
/// yet, is moderate. Fixed by the 475 openings before, this made 58 of 62 strong causes of batch z right, which were 64 of 73. The grade of
/// the evidence counts, and not the printed one, so that a rule which has been fixed can have strong evidence again.
pub(crate) fn ceiling(rule: RuleId) -> Grade {
    static CEILINGS: LazyLock<BTreeMap<RuleId, Grade>> = LazyLock::new(|| {
        let ceiling = |rule: RuleId| {
            let strong = ROWS.iter().filter(|row| row.rule == rule && row.evidence == Grade::Strong);
            if rate(strong).expected() >= STRONG { Grade::Strong } else { Grade::Moderate }
        };
        RuleId::ALL.iter().map(|rule| (*rule, ceiling(*rule))).collect()
    });
    CEILINGS[&rule]
}

/// How often the cause of an incident was right when the rules saw its recording first, and how often a healthy control was an alarm or "cannot tell".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Openings {
    /// Of incidents: right, of all.
    pub incidents: HitRate,
    /// Of healthy controls: those of which anything but healthy, or what is true of them besides, was reported.
    pub alarms: HitRate,
    /// What else is judged of incidents, as far as lines have it: what it is, and how often it was right.
    pub besides: [(&'static str, HitRate); 5],
    /// How often a cause of each grade was right, of incidents and controls.
    pub grades: [(Grade, HitRate); 3],
}

/// What the cells behind that of the cause tell.
const BESIDES: [&str; 5] = [
    "right cause first, as first rival, or of another incident",
    "origin",
    "onset within 2 samples",
    "group that lost most",
    "disk that it waited for",
];

/// The first openings of the `newest` incidents, and of the controls that were opened with them.
pub fn openings(newest: usize) -> Openings {
    let mut sums = Openings {
        incidents: HitRate::default(),
        alarms: HitRate::default(),
        besides: BESIDES.map(|what| (what, HitRate::default())),
        grades: Grade::ALL.map(|grade| (grade, HitRate::default())),
    };
    for line in OPENINGS.lines().skip(1).collect::<Vec<_>>().into_iter().rev() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [_, _, causes, _, _, right, besides @ ..] = cells.as_slice() else { continue };
        let (right, healthy) = (*right == "yes", causes.split(" / ").any(|cause| cause == "healthy"));
        if sums.incidents.of as usize == newest && !healthy {
            break;
        }
        let grade = row(line).map(|row| row.grade());
        let rate = sums.grades.iter_mut().find(|(known, _)| Some(*known) == grade);
        rate.into_iter().for_each(|(_, rate)| rate.add(right));
        if healthy {
            sums.alarms.add(!right);
            continue;
        }
        sums.incidents.add(right);
        let known = sums.besides.iter_mut().zip(besides).filter(|(_, cell)| **cell != "-");
        known.for_each(|((_, rate), cell)| rate.add(*cell == "yes"));
    }
    sums
}

/// How often a rule was reported as the cause, and right.
fn reported(rule: RuleId) -> HitRate {
    let lines = OPENINGS.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let rows = lines.filter(|cells| cells.get(3) == Some(&rule.as_str()));
    let mut sum = HitRate::default();
    rows.for_each(|cells| sum.add(cells.get(5) == Some(&"yes")));
    sum
}

/// How many of the recordings have a rule among their true causes.
fn true_cause(rule: RuleId) -> usize {
    let causes = OPENINGS.lines().skip(1).filter_map(|line| line.split('\t').nth(2));
    causes.filter(|causes| causes.split(" / ").any(|cause| cause == rule.as_str())).count()
}

/// Where a rule was seen in recordings of real programs, as a sentence for its page.
pub(crate) fn seen(rule: RuleId) -> String {
    let all = OPENINGS.lines().count().saturating_sub(1);
    let HitRate { right, of } = reported(rule);
    match (true_cause(rule), of) {
        (0, 0) => format!("Of {all} recordings of real programs, none has this cause, and the rule reported none."),
        (0, of) => format!(
            "Of {all} recordings of real programs, none has this cause. At first sight, the rule reported it in {of}, wrongly."
        ),
        (causes, 0) => format!(
            "Of {all} recordings of real programs, {causes} have this cause, alone or among others. At first sight, the rule reported it in none."
        ),
        (causes, of) => format!(
            "Of {all} recordings of real programs, {causes} have this cause, alone or among others. At first sight, the rule reported it in {of} \
             and was right in {right}."
        ),
    }
}

/// What a line says of the cause that was reported.
struct Row {
    rule: RuleId,
    /// Of its evidence, whatever the rule's record let it be called; as it was printed, where only that is known.
    evidence: Grade,
    right: bool,
}

impl Row {
    /// What its evidence may be called today.
    fn grade(&self) -> Grade {
        self.evidence.min(ceiling(self.rule))
    }
}

/// A line; absent of the heading, and where no cause was reported.
fn row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [_, _, _, rule, printed, right, .., evidence] = cells.as_slice() else { return None };
    let grade = |name: &str| Grade::ALL.into_iter().find(|known| known.name() == name);
    let evidence = grade(evidence).or_else(|| grade(printed))?;
    Some(Row { rule: RuleId::named(rule)?, evidence, right: *right == "yes" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_or_has_no_cause() {
        let mut lines = OPENINGS.lines();
        assert_eq!(
            lines.next(),
            Some("opened\trecording\ttrue\treported\tgrade\tright\ttop two\torigin\tonset\tgroup\tdisk\tevidence")
        );
        for line in lines {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), 7 + BESIDES.len(), "{line}");
            assert!(row(line).is_some() || (cells[3], cells[4]) == ("cannot tell", "-"), "{line}");
            assert!(["yes", "no"].contains(&cells[5]), "{line}");
            let (besides, evidence) = (&cells[6..6 + BESIDES.len()], cells[6 + BESIDES.len()]);
            assert!(besides.iter().all(|cell| ["yes", "no", "-"].contains(cell)), "{line}");
            assert!(evidence == "-" || Grade::ALL.iter().any(|grade| grade.name() == evidence), "{line}");
        }
    }

    #[test]
    fn the_newest_openings_are_the_last_lines() {
        let (few, all) = (openings(3), openings(usize::MAX));
        assert_eq!(few.incidents.of, 3);
        assert!(few.alarms.of <= all.alarms.of && few.incidents.right <= all.incidents.right, "{few:?} {all:?}");
        assert_eq!((all.incidents.of + all.alarms.of) as usize, OPENINGS.lines().count() - 1);
    }

    #[test]
    fn a_rule_tells_where_it_was_seen() {
        for rule in RuleId::ALL {
            let rate = reported(*rule);
            assert!(rate.right <= rate.of && rate.right as usize <= true_cause(*rule), "{rule}: {}", seen(*rule));
        }
        let all: u32 = RuleId::ALL.iter().map(|rule| reported(*rule).of).sum();
        assert_eq!(all as usize, OPENINGS.lines().filter(|line| row(line).is_some()).count(), "a name that is no rule");
    }

    #[test]
    fn evidence_is_strong_only_of_a_rule_whose_strong_causes_were_right() {
        assert_eq!(ceiling(RuleId::NoisyNeighbour), Grade::Strong, "nearly always right");
        assert_eq!(ceiling(RuleId::ColdCache), Grade::Moderate, "right in 13 of 21");
        let unseen = RuleId::ALL.iter().find(|rule| !OPENINGS.lines().filter_map(row).any(|row| row.rule == **rule));
        assert_eq!(unseen.map(|rule| ceiling(*rule)), Some(Grade::Moderate), "no opening, no strong evidence");
        let strong = observed(Grade::Strong);
        assert!(strong.expected() > STRONG && strong.of > 300, "{strong:?}");
    }

    #[test]
    fn grades_that_were_observed_have_their_counts() {
        let all: u32 = Grade::ALL.map(|grade| observed(grade).of).iter().sum();
        assert_eq!(all as usize, OPENINGS.lines().filter(|line| row(line).is_some()).count());
    }
}

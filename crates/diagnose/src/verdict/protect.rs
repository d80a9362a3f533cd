//! How to protect the control group that lost its memory to another.

use crate::actors::group;
use crate::actors::process;
use crate::evidence::{advise, word};
use crate::ledger::LOST;
use crate::ledger::accounts::of_rule;
use crate::measure::amount::{Amount, Limit};
use crate::measure::cgroup_version;
use crate::measure::window::{Window, stored};
use pagetide_core::{Account, Advice, Bytes, Finding, Ledger, Ratio, RuleId, Span, Table, Threshold};

/// How much of it.
const FELL: Limit<Ratio> = Limit::new(
    "memory that the group that lost most time lost to others, as a share of what it used before, at least, to protect it",
    0.3,
    "A group that kept most of its memory lost pages that count for another, or evicted them itself.",
    "judgement",
);

/// The numbers that decide.
pub(crate) const THRESHOLDS: [Threshold; 1] = [FELL.doc()];

/// To protect the memory of the group that lost most time, where another took it: as much as the group used before. By paths of control groups v2,
/// and only where both what it used and who took it are known.
pub(crate) fn advice(whole: &Window<'_>, ledger: &Ledger, root: &Finding) -> Option<Advice> {
    let limits_itself = matches!(root.rule, RuleId::CgroupLimit | RuleId::MemoryHigh | RuleId::CachesDropped);
    let lost = ledger.booked(Account::ReadAgain);
    let group = ledger.by.strip_prefix("cgroup:").filter(|group| *group != group::ROOT)?;
    if limits_itself
        || of_rule(root.rule) != Some(Account::ReadAgain)
        || (lost as f64) < LOST.get()
        || cgroup_version::is_v1(whole.recording)
        || !is_of_others(whole, group, root)
    {
        return None;
    }
    let used = whole.recording.series(Table::Cgroup, group, "current")?;
    let before: Amount<Bytes> = stored(used.at(root.range.from.ns())?);
    let during = Span { from: root.range.from, to: root.range.to.max(ledger.range.to) };
    let least = whole.over(during).level::<Bytes>(Table::Cgroup, group, "current")?.least;
    if before - least < before * FELL {
        return None;
    }
    // A group has no more protection than those above it.
    let mut groups: Vec<&str> = group::with_parents(whole, group).filter(|one| *one != group::ROOT).collect();
    groups.sort_by_key(|group| group.len());
    let files: Vec<String> = groups.iter().map(|group| word(&format!("{group}/memory.low"))).collect();
    let write = |bytes: f64| format!("echo {bytes:.0} | tee {}", files.join(" "));
    let advice = advise(
        &format!(
            "Protect the memory of the control group {group}: it used {before} before, and only {least} meanwhile."
        ),
        Some(&write(before.get())),
        "Reclaim takes the pages of other groups first, so these have that much less. 0 is what memory.low is where nobody set it.",
        Some(&write(0.0)),
    );
    Some(Advice { gives_back_ns: Some(lost), ..advice })
}

/// Whether a cause is known, and all of it outside of a group.
fn is_of_others(whole: &Window<'_>, own: &str, root: &Finding) -> bool {
    let mut known = false;
    for origin in root.origins.iter() {
        if let Some(group) = origin.as_group() {
            known = true;
            if group::within(own, group) || group::within(group, own) {
                return false;
            }
        }
        if let Some(command) = origin.as_command() {
            for (process, _) in process::present(&whole.over(root.range)).filter(|(_, comm)| *comm == command) {
                known = true;
                if group::number(whole.recording, Table::Process, process).is_none()
                    || group::contains(whole, own, process)
                {
                    return false;
                }
            }
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::episodes::Episodes;
    use pagetide_core::{Actor, Booking, Column, Confidence, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    const SECOND: i64 = 1_000_000_000;
    const MIB: i64 = 1 << 20;
    const PARENT: &str = "/sys/fs/cgroup/pods";
    const VICTIM: &str = "/sys/fs/cgroup/pods/db";

    fn finding(rule: RuleId) -> Finding {
        Finding {
            rule,
            statement: String::new(),
            origins: [Actor::command("7@1")].into(),
            step: None,
            range: Span::new(SECOND, 9 * SECOND),
            confidence: Confidence::new(0.9),
            evidence: Vec::new(),
            contradictions: Vec::new(),
            advice: Vec::new(),
        }
    }

    /// What is advised where the victim falls from 200 MiB to so much, and the cause is in the group with that number.
    fn told(capability: &str, to: i64, group_of_cause: i64, rule: RuleId) -> Option<Advice> {
        let manifest = Manifest { capabilities: vec![capability.to_owned()], ..Manifest::default() };
        let mut builder = RecordingBuilder::new(manifest);
        for at in 0..10 {
            builder.stamp(Stamp { boot_ns: at * SECOND, ..Stamp::default() });
            let mut gauge = |table, entity: &str, name: &str, unit, value| {
                let column = Column { name: name.to_owned(), kind: Kind::Gauge, unit };
                builder.value(table, entity, &column, value);
            };
            for (group, id) in [(PARENT, 2), (VICTIM, 3), ("/sys/fs/cgroup/batch", 4)] {
                gauge(Table::Cgroup, group, "cgroup_id", Unit::Count, id);
            }
            gauge(Table::Cgroup, VICTIM, "current", Unit::Bytes, if at > 3 { to * MIB } else { 200 * MIB });
            gauge(Table::Process, "7@1", "cgroup_id", Unit::Count, group_of_cause);
        }
        let recording = builder.finish();
        let episodes = Episodes::default();
        let whole = Window::whole(&recording, &episodes).unwrap();
        let lost_ns = 5_000_000_000;
        let booking = Booking { account: Account::ReadAgain, lost_ns, on: None, by_cause: false, words: String::new() };
        let ledger = Ledger {
            range: Span::new(2 * SECOND, 9 * SECOND),
            by: format!("cgroup:{VICTIM}"),
            lost_ns,
            share: 0.7,
            bookings: vec![booking],
            groups: Vec::new(),
            over_time: Vec::new(),
        };
        advice(&whole, &ledger, &finding(rule))
    }

    #[test]
    fn a_group_whose_memory_another_took_is_protected_with_all_groups_above_it() {
        let stream = |capability, to, cause| told(capability, to, cause, RuleId::StreamFloodsCache);
        let advice = stream("cgroup2", 20, 4).unwrap();
        let files = "/sys/fs/cgroup/pods/memory.low /sys/fs/cgroup/pods/db/memory.low";
        assert_eq!(advice.command, Some(format!("echo 209715200 | tee {files}")));
        assert_eq!(advice.undo, Some(format!("echo 0 | tee {files}")));
        assert_eq!(advice.gives_back_ns, Some(5_000_000_000));
        assert_eq!(stream("cgroup1", 20, 4), None, "control groups v1 have no such file");
        assert_eq!(stream("cgroup2", 180, 4), None, "it kept its memory");
        assert_eq!(stream("cgroup2", 20, 3), None, "it evicts its own pages");
        assert_eq!(told("cgroup2", 20, 4, RuleId::CgroupLimit), None, "its own limit evicts them");
        assert_eq!(told("cgroup2", 20, 4, RuleId::DeviceSaturated), None, "no page is lost");
    }
}

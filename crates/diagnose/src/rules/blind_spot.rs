//! `recorder-blind-spot`: there are stretches that nobody looked at.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::window::Window;
use pagetide_core::{Finding, Nanos, Quantity, RuleDoc};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "recorder-blind-spot",
        title: "Samples are missing where they may matter",
        meaning: "The recorder could not run or could not write for a while. What happened there is known only as sums of counters, and \
                  gauges may have gone anywhere. A recorder that stalls is often itself a sign of a host that stalls.",
        evidence: "Two samples lie more than twice the interval apart within the stretch, or samples were lost. Recordings of other tools, which are \
                   made of pieces, do not count.",
        why: "Under memory pressure the recorder too may wait for memory or for a device. A suspended host also leaves a gap.",
        otherwise: "The recorder was stopped and started again.",
        advice: "Judge what surrounds the gap. Lock the recorder in memory and write to another device if it recurs.",
        kernel: "kernel/sched/core.c; Documentation/accounting/psi.rst.",
    },
    name: "a blind spot of the recorder",
    role: Role::Remark,
    scope: Scope::Whole,
    shown_by: &[],
    decides: "The log of the recorder and of the host at that time.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    let manifest = &window.recording.manifest;
    if window.step.is_some() || manifest.origin == pagetide_core::Origin::Import {
        return None;
    }
    let gaps = window.recording.gaps().into_iter();
    let inside: Vec<i64> = gaps
        .filter(|gap| gap.from_ns < window.to && gap.to_ns > window.from)
        .map(|gap| gap.to_ns.saturating_sub(gap.from_ns))
        .collect();
    let longest = inside.iter().copied().max().filter(|longest| *longest > 0);
    if longest.is_none() && manifest.lost_samples == 0 {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    let mut words = Vec::new();
    if let Some(longest) = longest {
        let length = Quantity::nanos(Nanos::new(longest.unsigned_abs()));
        let intervals = longest as f64 / manifest.interval.as_f64();
        case.weigh(
            1.0 + 2.0 * grade(intervals, 2.0, 5.0),
            case.measured("longest stretch without a sample", "stamps", length),
        );
        words.push(format!("{} stretch(es) without samples, the longest of {length}", inside.len()));
    }
    if manifest.lost_samples > 0 {
        let lost = Quantity::count(manifest.lost_samples as f64);
        case.weigh(2.0, case.measured("samples taken and not kept", "lost_samples of the manifest", lost));
        words.push(format!("{lost} samples lost"));
    }
    let statement = format!("The recording has blind spots: {}.", words.join(", "));
    let advice = advise(
        "Do not conclude anything from what is not there.",
        None,
        "Counters still tell the sums over a gap.",
        None,
    );
    case.close(statement, vec![advice])
}

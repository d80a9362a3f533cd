//! `recorder-blind-spot`: the recording has gaps.

use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Count, Limit, grade};
use crate::measure::window::Window;
use crate::rules::contract::{Role, Rule, Scope};
use pagetide_core::{Finding, Nanos, Origin, RuleDoc, RuleId, Span};

pub(crate) const RULE: Rule = Rule {
    name: "gaps in the recording",
    role: Role::Remark,
    scope: Scope::Whole,
    deciding_test: "The recorder's log and the host's log of that time.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::BlindSpot,
            title: "Samples of the recording are missing",
            meaning: "For a while the recorder could not run or could not write. Counters still give totals across the gap; gauges inside it are \
                unknown. When the recorder stalls, the host often stalls too.",
            evidence: "Two samples are further apart than the interval allows, or the recorder lost samples. Gaps in imported logs are normal and do not count.",
            metrics: &[],
            thresholds: &[GAP.doc()],
            why: "Under memory pressure the recorder itself may wait for memory or a device. A suspended host also leaves a gap.",
            alternatives: "Somebody stopped the recorder and started it again.",
            advice: "Judge the time around the gap. If gaps recur, write the recording to another device.",
            mglru: "Not used: gaps depend on the recorder only.",
            kernel: "Linux 6.12: kernel/sched/core.c: schedule; Documentation/accounting/psi.rst.",
        },
        examine,
    )
};

const GAP: Limit<Count> = Limit::new(
    "time between two samples, in intervals",
    2.0,
    "One late sample is not a gap.",
    "crates/core/src/recording.rs: gaps",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    let manifest = &window.recording.manifest;
    if manifest.origin == Origin::Import {
        return None;
    }
    let gaps = window.recording.gaps().into_iter().map(|gap| Span::new(gap.from_ns, gap.to_ns));
    let inside: Vec<Nanos> = gaps.filter(|gap| gap.overlaps(window.span)).map(Span::length).collect();
    let longest = inside.iter().copied().max().filter(|longest| longest.get() > 0);
    if longest.is_none() && manifest.lost_samples == 0 {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let mut words = Vec::new();
    if let Some(longest) = longest {
        let intervals = Amount::<Count>::new(longest.as_f64() / manifest.interval.as_f64());
        let weight = 1.0 + 2.0 * grade(intervals, GAP.get(), 5.0);
        found.add(weight, "longest time without a sample", "stamps", Amount::<Nanos>::new(longest.as_f64()));
        let gaps = if inside.len() == 1 { "gap" } else { "gaps" };
        words.push(format!("{} {gaps}, the longest {longest}", inside.len()));
    }
    if manifest.lost_samples > 0 {
        let lost = Amount::<Count>::new(manifest.lost_samples as f64);
        found.add(2.0, "samples taken and not kept", "lost_samples of the manifest", lost);
        words.push(format!("{lost} lost samples"));
    }
    let statement = format!("The recording has {}.", words.join(" and "));
    let advice = advise(
        "Draw no conclusions about the time inside the gaps.",
        None,
        "Counters give totals across a gap; gauges do not.",
        None,
    );
    found.finish(RuleId::BlindSpot, statement, vec![advice])
}

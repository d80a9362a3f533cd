//! `swap-in-use-harmless`: swap holds pages that no program uses.

use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Limit, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::Window;
use crate::rules::contract::{EffectKind, Role, Rule, Scope, When, subsumes};
use pagetide_core::{Actor, Bytes, Finding, Pages, Ratio, Relation, RuleDoc, RuleId, Table};

pub(crate) const RULE: Rule = Rule {
    name: "swap in use",
    role: Role::Benign,
    scope: Scope::Whole,
    effect: Some(EffectKind::SwapIn),
    // Swap that is read back keeps the device busy that it is on, and no other.
    subsumes: &[
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]).when(When::SameOrigin),
        subsumes(EffectKind::MemoryWaits, &[RuleId::DirectReclaim]).when(When::SameOrigin),
    ],
    scenarios: &["swap-off"],
    deciding_test: "pswpin over a longer time.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::SwapInUse,
            title: "Swap is in use and does no harm",
            meaning: "Some anonymous memory is in swap because no program used it. That leaves more memory for pages in use and is not a sign of trouble.",
            evidence: "Swap is in use (SwapTotal - SwapFree), and over several samples almost none of it is swapped in (pswpin). Or it is \
                swapped in once, while almost nothing is swapped out (pswpout).",
            metrics: &["SwapTotal", "SwapFree", "pswpin", "pswpout"],
            thresholds: &[USED.doc(), BACK.doc(), OUT.doc()],
            why: "Under pressure the kernel swaps out pages that were unused for long, and leaves them there until a program touches them.",
            alternatives: "Programs that sleep now may wake up later and wait for their memory. A short recording cannot tell.",
            advice: "Nothing. swapoff would read everything back to no benefit.",
            mglru: "pswpin and pswpout count the same.",
            kernel: "Linux 6.12: mm/vmscan.c: shrink_folio_list; mm/swapfile.c: try_to_unuse (swapoff).",
        },
        examine,
    )
};

const USED: Limit<Ratio> =
    Limit::new("swap in use, as a share of swap", 0.01, "Less needs no explanation.", "judgement");
const BACK: Limit<Ratio> =
    Limit::new("share of it that is swapped in, at most", 0.001, "More means that a program needs it.", "judgement");
const OUT: Limit<Ratio> = Limit::new(
    "bytes swapped out per byte swapped in, at most",
    0.1,
    "With more, memory is too small for what comes back.",
    "judgement",
);
/// Samples of pswpin that it takes.
const SAMPLES: usize = 10;

fn examine(window: &Window<'_>) -> Option<Finding> {
    let total: Amount<Bytes> = window.host_level("SwapTotal")?.most;
    let used = total - window.host_level("SwapFree")?.least;
    let came = window.rise::<Pages>(Table::Host, "", "pswpin")? * window.page_size();
    let samples = window.points::<Bytes>(&window.series(Table::Host, "", "pswpin")?).count();
    if !total.is_positive() || used < total * USED || samples < SAMPLES {
        return None;
    }
    if came > used * BACK {
        return comes_back(window, came);
    }
    let mut found = EvidenceBuilder::new(window);
    let weight = 1.0 + grade(came / used, BACK.get(), 0.0);
    found.compare(weight, "bytes swapped in", "pswpin * page size", came, Relation::Below, used);
    found.note("most bytes in swap", "SwapTotal - SwapFree", used);
    let statement = format!("{used} are in swap, and programs swapped in {came} of it: no sign of trouble.");
    let advice = advise("Leave it.", None, "Unused pages in swap leave memory for pages that are used.", None);
    found.finish(RuleId::SwapInUse, statement, vec![advice])
}

/// What was in swap is swapped in once, and nothing is swapped out meanwhile: memory suffices.
fn comes_back(window: &Window<'_>, came: Amount<Bytes>) -> Option<Finding> {
    let went = window.rise::<Pages>(Table::Host, "", "pswpout")? * window.page_size();
    if went > came * OUT {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(window.when(SignalSpec::host(&["pswpin"])));
    for disk in window.swap_disks() {
        found.origin(Actor::disk(disk));
    }
    let weight = 1.0 + grade(went / came, OUT.get(), 0.01);
    found.compare(weight, "bytes swapped out", "pswpout * page size", went, Relation::Below, came);
    let statement = format!("Programs swapped in {came} once, while {went} were swapped out: it fits in memory.");
    let advice =
        advise("Wait until the pages are back.", None, "Each page is read once and then stays in memory.", None);
    found.finish(RuleId::SwapInUse, statement, vec![advice])
}

//! `direct-reclaim-stalls`: programs free memory themselves before they get any.

use crate::actors::process::{self, ProcessShare};
use crate::evidence::advice;
use crate::evidence::threshold::STALL_RATE;
use crate::evidence::{EvidenceBuilder, advise};
use crate::ledger::stalls;
use crate::measure::amount::{Amount, Limit, Per, grade};
use crate::measure::window::{STOLEN, Window};
use crate::rules::contract::{EffectKind, Role, Rule};
use pagetide_core::derived;
use pagetide_core::{Bytes, Finding, Ratio, Relation, RuleDoc, RuleId};

pub(crate) const RULE: Rule = Rule {
    name: "stalls in direct reclaim",
    role: Role::Effect,
    effect: Some(EffectKind::DirectReclaim),
    reports: Some(EffectKind::DirectReclaim),
    scenarios: &["swap-off"],
    deciding_test: "allocstall and pgscan_direct together with the free pages of each zone.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::DirectReclaim,
            title: "Programs stall in direct reclaim",
            meaning: "Free memory falls below the min watermark faster than kswapd frees it. Programs that allocate then scan and free pages themselves, and wait meanwhile.",
            evidence: "Direct reclaims run (allocstall and its zones) and scan pages (pgscan_direct). A large share of all scanning, and waits \
                for memory (PSI), support it. The origin is the program that reads, writes or grows by at least half as many bytes as reclaim \
                frees.",
            metrics: &[
                "allocstall",
                "allocstall_normal",
                "allocstall_movable",
                "pgscan_direct",
                "pgscan_kswapd",
                "psi_memory_some",
                "pgsteal_kswapd",
                "pgsteal_direct",
                "read_bytes",
                "write_bytes",
                "RssAnon",
                "VmSwap",
            ],
            thresholds: &[STALL_RATE.doc(), stalls::WAITED.doc(), MIN_SHARE_OF_PROGRAM.doc()],
            why: "kswapd starts at the low watermark and has the distance down to min to catch up. Bursts of allocations larger than that \
                distance overtake it. They also overtake a kswapd that waits for writeback.",
            alternatives: "Reclaim at a control group's limit is also direct. It has its own counters and does not count as allocstall.",
            advice: "Widen the gap between the watermarks (vm.watermark_scale_factor), so that kswapd starts earlier.",
            mglru: "allocstall and pgscan_direct count the same. A direct reclaim may also age a generation, which walks page tables and takes longer than scanning the classic lists.",
            kernel: "Linux 6.12: mm/page_alloc.c: __alloc_pages_slowpath, __perform_reclaim; mm/vmscan.c: try_to_free_pages.",
        },
        examine,
    )
};

const MIN_SHARE_OF_PROGRAM: Limit<Ratio> = Limit::new(
    "bytes that one program reads, writes or grows by, per byte that reclaim frees",
    0.5,
    "With less, several programs need the memory.",
    "judgement",
);

/// The program for which most of the freed memory is needed, with what it does: it fills the cache, or grows.
fn needs<'a>(window: &Window<'a>) -> Option<(ProcessShare<'a, Per<Bytes>>, &'static str)> {
    let freed = window.host_bytes(&STOLEN)?;
    let length = window.length()?;
    let grows = process::grower(window).map(|grower| grower.per(length));
    let fills = process::fastest::<Bytes>(window, &["read_bytes", "write_bytes"]);
    let both = [(fills, "reads and writes"), (grows, "grows by")]
        .into_iter()
        .filter_map(|(process, verb)| Some((process?, verb)));
    both.max_by(|a, b| a.0.amount.total_cmp(&b.0.amount))
        .filter(|(process, _)| process.amount >= freed * MIN_SHARE_OF_PROGRAM)
}

fn examine(window: &Window<'_>) -> Option<Finding> {
    let stalls = stalls::direct(window)?;
    let direct = window.host(&derived::SCANNED_DIRECT).filter(|rate| rate.is_positive())?;
    let waited = window.share(&derived::PSI_MEMORY_SOME);
    let mut found = EvidenceBuilder::new(window);
    found.add(1.0 + grade(stalls, 1.0, 50.0), "direct reclaims", "allocstall, all zones", stalls);
    let all = window.host(&derived::SCANNED_KSWAPD).map_or(direct, |kswapd| direct + kswapd);
    let share = direct / all;
    let weight = if share.get() < 0.02 { -1.0 } else { grade(share, 0.02, 0.3) };
    found.compare(
        weight,
        "pages scanned by direct reclaim",
        "pgscan_direct compared with all",
        direct,
        Relation::Below,
        all,
    );
    if let Some(waited) = waited {
        found.add(grade(waited, 0.0, 0.1), "share of time that tasks wait for memory", "psi_memory_some", waited);
    }
    let needs = needs(window).map_or(String::new(), |(process, verb)| {
        found.note(
            format!("bytes per second that {} {verb}", process.words()),
            "read_bytes + write_bytes, or RssAnon + VmSwap",
            process.amount,
        );
        found.origin(process.actor(window));
        format!(" Most of what reclaim frees goes to {}, which {verb} {}.", process.words(), process.amount)
    });
    let statement = format!("Programs reclaim memory themselves {stalls}, doing {share} of all scanning.{needs}");
    // In units of 1/10 000 of memory, of which 10 % are the most.
    let manifest = &window.recording.manifest;
    let factor = advice::value(manifest, "watermark_scale_factor");
    let raised = factor.saturating_mul(10).clamp(100, 1000);
    let advice = (raised > factor).then(|| {
        let [from, to] = [factor, raised].map(|factor| Amount::<Ratio>::new(factor as f64 / 10_000.0));
        advise(
            &format!("Wake kswapd earlier: widen the gap between the watermarks from {from} to {to} of memory."),
            Some(&format!("sysctl -w vm.watermark_scale_factor={raised}")),
            &format!("Takes {to} of memory from the cache."),
            Some(&advice::restore(manifest, &["watermark_scale_factor"])),
        )
    });
    found.finish(RuleId::DirectReclaim, statement, advice.into_iter().collect())
}

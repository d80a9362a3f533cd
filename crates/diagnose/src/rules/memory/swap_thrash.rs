//! `swap-thrash`: programs need at once what reclaim swapped out.

use crate::actors::newcomer;
use crate::actors::process::{self, ProcessShare};
use crate::evidence::threshold::TURNOVER;
use crate::evidence::{EvidenceBuilder, advise, measured};
use crate::measure::amount::{Amount, Limit, Rate, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::signal::Signal;
use crate::measure::window::Window;
use crate::rules::contract::{EffectKind, Rule, Suspicion, When, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Advice, Bytes, Cleared, Finding, Ratio, Relation, RuleDoc, RuleId, Span, Table};
use std::collections::BTreeMap;

pub(crate) const RULE: Rule = Rule {
    name: "anonymous memory that does not fit",
    reports: Some(EffectKind::SwapIn),
    leads_to: &[leads(
        EffectKind::SwapOut,
        "Reclaim swaps out what does not fit to make room for what programs touch.",
        "mm/vmscan.c: shrink_folio_list; mm/page_io.c: swap_writepage",
    )],
    subsumes: &[
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound, RuleId::WritebackSaturates]),
        subsumes(EffectKind::SwapOut, &[RuleId::DirectReclaim]),
        subsumes(EffectKind::SwapOut, &[RuleId::ZoneImbalance]).when(When::OtherProcess),
        subsumes(EffectKind::SwapOut, &[RuleId::AnonymousGrowth]).when(When::SameProcess),
        subsumes(EffectKind::MajorFaults, &[RuleId::CodeThrash, RuleId::WorkingSetExceedsCache, RuleId::ColdCache]),
    ],
    clears: Some(clears),
    scenarios: &["swap-off"],
    deciding_test: "VmSwap and majflt of each process: both move in the process whose memory does not fit.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::SwapThrash,
            title: "Memory is swapped out and in, again and again",
            meaning: "Programs use more anonymous memory at the same time than the host has. The kernel swaps pages in while it swaps others \
                out, and each wait for swap is a major fault.",
            evidence: "pswpin and pswpout both run in the same stretch, or most of what comes back does so while about as much leaves, or more was swapped out than came back and tasks wait for memory. Refaults of anonymous pages (workingset_refault_anon) near the swap-ins, and waits for memory (PSI), support it.",
            metrics: &[
                "pswpin",
                "pswpout",
                "workingset_refault_anon",
                "psi_memory_some",
                "psi_io_some",
                "pgpgin",
                "majflt",
                "AnonPages",
                "SwapFree",
            ],
            thresholds: &[BOTH.doc(), WAITED.doc(), MUCH.doc(), TURNOVER.doc()],
            why: "A page used again soon after it was swapped out belongs to the working set, which is then larger than memory.",
            alternatives: "Swap-out alone makes room, and swap-in alone brings back what is needed afterwards. Neither is thrashing.",
            advice: "Run less at the same time, or add memory. A faster swap device or zram shortens the waits but does not end them.",
            mglru: "pswpin and pswpout count the same. How often each kind of page was read back decides which leaves first, more than vm.swappiness does.",
            kernel: "Linux 6.12: mm/page_io.c: swap_writepage, swap_read_folio; mm/workingset.c: workingset_refault.",
        },
        examine,
    )
};

const BOTH: Limit<Ratio> = Limit::new(
    "the smaller of swap-in and swap-out per byte of the larger",
    0.2,
    "With less, memory moves in only one direction.",
    "judgement",
);

/// Intervals of which what comes and what goes is compared.
const BURSTS: usize = 5;

const WAITED: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for memory, or for IO that is mostly swap-in, while pages come back, at least, where more was swapped out",
    0.2,
    "Programs wait for what was swapped out, however little the device brings back.",
    "judgement",
);

const MUCH: Limit<Ratio> = Limit::new(
    "growth of a program that started, as a share of memory, at least, to be named first",
    0.1,
    "With less, those who ran before fill most of the memory.",
    "judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    let (came, went) = (window.host_bytes(&derived::SWAP_IN)?, window.host_bytes(&derived::SWAP_OUT)?);
    let both = came.min(went) / came.max(went);
    let share = window.turnover(came + went)?;
    let stalled = window.share(&derived::PSI_MEMORY_SOME);
    // A slow device swaps out at once and brings back page by page, while programs wait for each.
    let waits = came < went && came_back(window) && waited(window).is_some_and(|waited| waited >= WAITED);
    let ways = || both >= BOTH || at_once(window) && came_back(window);
    if share < TURNOVER || !came.is_positive() || !(ways() || waits) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let swapping = window.when(SignalSpec::host(&["pswpin", "pswpout"]));
    let begun = window.onset(swapping).at_episode_of(SignalSpec::host_growth("AnonPages"));
    found.span(begun);
    let source = "pswpin compared with pswpout";
    found.compare(1.0 + grade(both, BOTH.get(), 0.5), "bytes swapped in", source, came, Relation::Near, went);
    let source = "(pswpin + pswpout) * page size / MemTotal";
    found.add(grade(share, 0.01, 0.1), "bytes swapped per minute, as a share of memory", source, share);
    if let Some(refaulted) = window.host_bytes(&derived::REFAULTS_ANON) {
        let weight = if refaulted < came * 0.1 { -1.0 } else { grade(refaulted / came, 0.1, 0.6) };
        found.compare(
            weight,
            "refaults of anonymous pages",
            "workingset_refault_anon",
            refaulted,
            Relation::Near,
            came,
        );
    }
    if let Some(stalled) = stalled {
        let weight = if stalled.get() < 0.01 { -0.5 } else { 1.0 };
        found.add(weight, "share of time that tasks wait for memory", "psi_memory_some", stalled);
    }
    // Who came and grew pushes out what others swap in.
    let came_and_grew = process::grower(&window.over(begun)).filter(|grower| {
        newcomer::started(window, grower.comm) && window.memory().is_some_and(|memory| grower.amount >= memory * MUCH)
    });
    if let Some(grower) = came_and_grew {
        found.note(format!("growth of {}", grower.words()), "RssAnon + VmSwap", grower.amount);
        found.origin(grower.actor(window));
    }
    if let Some(process) = process::name_faulting(&mut found, window) {
        found.span(
            window
                .onset(swapping)
                .at_growth_of(SignalSpec::growth(Table::Process, process.name, "RssAnon"))
                .union(begun),
        );
    }
    let during = window.over(swapping);
    let amounts = during.host_amount(&derived::SWAP_OUT).zip(during.host_amount(&derived::SWAP_IN));
    let back = amounts.map_or(String::new(), |(out, back)| {
        format!(" In {} reclaim swapped out {out}, and programs swapped {back} back in.", swapping.length())
    });
    let statement = format!("Programs swap in {came} while reclaim swaps out {went}: their memory does not fit.{back}");
    let advice = advice(came_and_grew, process::holder(&during));
    found.finish(RuleId::SwapThrash, statement, vec![advice])
}

/// What to do about memory that does not fit: who came, or else who holds most of it, is named.
fn advice(came: Option<ProcessShare<'_, Bytes>>, holder: Option<ProcessShare<'_, Bytes>>) -> Advice {
    let came = came.map(|came| format!("Run {} at another time, or add memory.", came.comm));
    let most = || {
        let holder = holder?;
        Some(format!(
            "Run less at the same time, or add memory: {} holds most of it, {}.",
            holder.words(),
            holder.amount
        ))
    };
    advise(
        &came.or_else(most).unwrap_or_else(|| "Run less at the same time, or add memory.".to_owned()),
        Some("ps -eo pid,rss,comm --sort=-rss | head"),
        "The command only reads. The waits for swap end once the working set fits.",
        None,
    )
}

/// The share of time that tasks wait for memory while pages come back from swap, or for IO where most of what is read is that. A page that was not in use
/// when it went counts as IO alone (`mm/memory.c: do_swap_page`, 6.12).
fn waited(window: &Window<'_>) -> Option<Amount<Ratio>> {
    let during = window.over(window.when(SignalSpec::host(&["pswpin"])));
    let came = during.host_bytes(&derived::SWAP_IN)?;
    let read: Option<Rate<Bytes>> = during.derived(Table::Host, "", &derived::PAGED_IN);
    let is_swap = read.is_some_and(|read| came >= read * 0.5);
    let signal = |share| window.episodes.signal(window.recording, SignalSpec::derived(share));
    let memory = signal(&derived::PSI_MEMORY_SOME)?;
    let Some(io) = signal(&derived::PSI_IO_SOME).filter(|_| is_swap) else {
        return during.share(&derived::PSI_MEMORY_SOME);
    };
    // One wait may count as either, or as both.
    let waited = memory.intervals_in(during.span).map(|(span, share)| {
        let length = span.length().as_f64();
        (share.max(io.mean::<Ratio>(span).map_or(0.0, Amount::get)) * length, length)
    });
    let (waited, time) = waited.fold((0.0, 0.0), |sum, (waited, length)| (sum.0 + waited, sum.1 + length));
    (time > 0.0).then(|| Amount::new(waited / time))
}

/// Whether enough comes back for the cache to change by it.
fn came_back(window: &Window<'_>) -> bool {
    window.host_turnover(&derived::SWAP_IN).is_some_and(|share| share >= TURNOVER)
}

/// Whether most of what comes back does so while about as much leaves: the burst that made room before is no part of that.
fn at_once(window: &Window<'_>) -> bool {
    let rates = |metric| {
        let signal = Signal::rate_within(window.recording, Table::Host, "", metric, window.span);
        signal.map(|signal| signal.intervals_in(window.span).collect::<BTreeMap<_, _>>())
    };
    let (Some(came), Some(went)) = (rates(&["pswpin"]), rates(&["pswpout"])) else { return false };
    let pages = |(at, rate): (&Span, &f64)| rate * at.length().as_f64();
    // kswapd swaps out in bursts of a second or two, and programs fault all the time.
    let both: Vec<(f64, f64)> =
        came.iter().map(|one| (pages(one), went.get(one.0).map_or(0.0, |rate| pages((one.0, rate))))).collect();
    let bursts = both.chunks(BURSTS).map(|all| all.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1)));
    let with = bursts.filter(|(came, went)| came.min(*went) >= came.max(*went) * BOTH.get());
    with.map(|(came, _)| came).sum::<f64>() > both.iter().map(|(came, _)| came).sum::<f64>() * 0.5
}

fn clears(suspicion: Suspicion<'_>) -> Option<Cleared> {
    let during = suspicion.during;
    // Without swap nobody suspects it.
    if suspicion.whole.host_level::<Bytes>("SwapTotal").is_some_and(|total| !total.most.is_positive()) {
        return None;
    }
    let moved = during
        .swapped()
        .map(|rate| (rate.per_minute(), measured(during.span, "bytes swapped", "pswpin + pswpout", rate)));
    let (moved, evidence) = moved.or_else(|| {
        let change = during.host_change("SwapFree").map(|change| (change, during.span));
        let (change, span) = change.or_else(|| suspicion.whole.range_of("SwapFree"))?;
        Some((change.abs(), measured(span, "change of free swap", "SwapFree", change)))
    })?;
    let memory = suspicion.whole.memory()?;
    (!suspicion.confirmed(&[RuleId::SwapThrash]) && moved < memory * TURNOVER).then(|| Cleared {
        rule: RuleId::SwapThrash,
        statement: format!("Not swap: {} {}.", evidence.what, evidence.value),
        evidence: vec![evidence],
    })
}

//! `memory-leak`: the memory of one process grows and does not stop.

use crate::amount::{Amount, Count, Limit, Rate, grade};
use crate::effect::EffectKind;
use crate::evidence::{EvidenceBuilder, Origin, advise};
use crate::limits::{GROWTH, TURNOVER};
use crate::process;
use crate::rule::{Rule, Scope, When, subsumes};
use crate::window::{Window, stored};
use pagetide_core::derived;
use pagetide_core::{Bytes, Finding, Moment, Nanos, Pages, Ratio, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "a memory leak",
    scope: Scope::Whole,
    loss: None,
    is: Some(EffectKind::AnonGrows),
    subsumes: &[
        subsumes(EffectKind::AnonGrows, &[RuleId::AnonymousGrowth]),
        subsumes(EffectKind::SwapIn, &[RuleId::SwapThrash]),
        subsumes(EffectKind::MajorFaults, &[RuleId::CodeThrash]),
        subsumes(EffectKind::DirectReclaim, &[RuleId::DirectReclaim]),
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache]),
        subsumes(EffectKind::Reclaim, &[RuleId::ZoneImbalance]).when(When::OtherProcess),
        subsumes(EffectKind::CacheLost, &[RuleId::ColdCache]),
    ],
    decides: "The same process over a longer time: a leak does not stop, a cache or a heap does.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::MemoryLeak,
            title: "The anonymous memory of one process grows without bound",
            meaning: "A process allocates memory all the time and frees none. It takes page cache first and swap next, and at last the OOM killer acts.",
            evidence: "The anonymous memory of one process, resident and swapped (RssAnon + VmSwap), grows over much of the recording, about evenly, \
                       and still grows at the end. It is most of the growth of AnonPages on the host.",
            metrics: &["RssAnon", "rss", "VmSwap", "AnonPages", "SwapFree", "MemAvailable", "pswpin"],
            thresholds: &[GROWTH.doc(), LASTED.doc(), SHARE.doc(), FREED.doc(), LENGTH.doc(), TREND.doc(), TURNOVER.doc()],
            why: "Memory that a process touched stays allocated until the process frees it or ends. The kernel cannot know that nobody will use it.",
            otherwise: "A cache inside the program that fills up to its limit, or a heap that grows at the start, looks the same until it stops. Only time tells.",
            advice: "Limit the process so that it fails alone, and find what it keeps.",
            mglru: "Not used: the rule reads the memory of processes only.",
            kernel: "Linux 6.12: mm/memory.c: do_anonymous_page; mm/oom_kill.c: out_of_memory.",
        },
        examine,
    )
};

const LASTED: Limit<Ratio> =
    Limit::new("time of the growth, as a share of the recording", 0.5, "A shorter growth is a start or a burst.", "judgement");
const SHARE: Limit<Ratio> = Limit::new(
    "smallest share of a fifth of that time in the growth, compared with an even share",
    1.0 / 3.0,
    "A heap or a cache that fills grows in steps or slows down.",
    "judgement",
);
const FREED: Limit<Ratio> =
    Limit::new("largest fall on the way, as a share of the growth", 0.1, "A program that frees does not leak.", "judgement");
const LENGTH: Limit<Nanos> = Limit::new(
    "time of the growth",
    60e9,
    "A program that starts, loads its data or fills a cache grows for seconds; that is growth of anonymous memory.",
    "judgement",
);
const TREND: Limit<Count> = Limit::new(
    "samples in the growth, where it is shorter",
    28.0,
    "An even growth over so many samples outlasts noise. Where programs swap in meanwhile, memory is already short: swap-thrash.",
    "judgement",
);

/// Parts of the growth that are compared.
const PARTS: i64 = 5;

type Points = [(Moment, Amount<Bytes>)];

fn examine(window: &Window<'_>) -> Option<Finding> {
    let grower = process::grower(window)?;
    let memory = window.memory()?;
    if grower.amount < memory * GROWTH {
        return None;
    }
    let points = anonymous(window, grower.name);
    let span = growing(&points)?;
    let lasted = Amount::<Nanos>::new(span.length().as_f64());
    let samples = Amount::<Count>::new(points.iter().filter(|(at, _)| span.contains(*at)).count() as f64);
    let part = lasted / Amount::new(window.span.length().as_f64());
    let least = shares(&points, span)?.into_iter().fold(f64::INFINITY, |least, share| share.get().min(least));
    let even = Amount::<Ratio>::new(least * PARTS as f64);
    if part < LASTED || even < SHARE || lasted < LENGTH && (samples < TREND || swaps_in(&window.over(span))) {
        return None;
    }
    let grown = value_at(&points, span.to)? - value_at(&points, span.from)?;
    let mut found = EvidenceBuilder::new(window);
    found.span(span);
    found.origin(Origin::Process(grower.comm));
    let weight = 1.0 + grade(grown / memory, 0.05, 0.3);
    found.add(weight, format!("growth of {}", grower.words()), "RssAnon + VmSwap", grown);
    let what = "smallest share of a fifth of the time in it";
    found.add(1.5 * grade(even, 0.33, 0.8), what, "growth by fifths", Amount::<Ratio>::new(least));
    found.add(grade(part, 0.5, 0.9), "time over which it grew", "samples", lasted);
    if let Some(all) = window.host_change("AnonPages") {
        let all = all - window.host_change("SwapFree").unwrap_or(Amount::ZERO);
        let weight = if all > grown * 0.7 { 0.5 } else { -0.5 };
        found.add(weight, "growth of anonymous memory on the host", "AnonPages - SwapFree", all);
    }
    let rate: Rate<Bytes> = grown.per(span.length());
    let left = window.host_level::<Bytes>("MemAvailable").map(|left| left.least).filter(|left| left.is_positive());
    let left = left.map_or(String::new(), |left| {
        let after = Amount::<Nanos>::new(left.get() / rate.get() * 1e9);
        format!(" At this rate it takes the {left} that were left in {after}.")
    });
    let statement = format!("The memory of {} grew by {grown} at {rate} and did not stop.{left}", grower.words());
    found.finish(
        RuleId::MemoryLeak,
        statement,
        vec![
            advise(
                "Find out whether it keeps data on purpose (an in-memory database, a cache), and limit it by its own settings if so; else limit its service.",
                Some("systemctl set-property --runtime SERVICE MemoryHigh=SIZE"),
                "Choose a size above what it uses now: above memory.high the kernel reclaims from this service and slows it down. It does not kill it, so no data are lost.",
                Some("systemctl revert SERVICE"),
            ),
            advise(
                "Find what it keeps.",
                Some("gdb -p PID, heaptrack -p PID, or the heap profile of its runtime"),
                "Slows the process down while it runs.",
                None,
            ),
        ],
    )
}

/// Whether programs read much back from swap.
fn swaps_in(during: &Window<'_>) -> bool {
    during.host_turnover(&derived::SWAP_IN).is_some_and(|share| share >= TURNOVER)
}

/// The anonymous memory of a process over time, swapped or resident.
fn anonymous(window: &Window<'_>, process: &str) -> Vec<(Moment, Amount<Bytes>)> {
    let series = |metric: &str| window.recording.series(Table::Process, process, metric);
    let swap = series("VmSwap");
    let pages = |(at, pages): (Moment, Amount<Pages>)| (at, pages * window.page_size());
    let resident: Vec<(Moment, Amount<Bytes>)> = match (series("RssAnon"), series("rss")) {
        (Some(resident), _) => window.points(&resident).collect(),
        (None, Some(resident)) => window.points(&resident).map(pages).collect(),
        (None, None) => Vec::new(),
    };
    let swapped = |at: Moment| stored::<Bytes>(swap.as_ref().and_then(|swap| swap.at(at.ns())).unwrap_or(0));
    resident.into_iter().map(|(at, value)| (at, value + swapped(at))).collect()
}

/// From where it last was at its smallest to where it is at its largest, which has to be in the last fifth of what is known.
fn growing(points: &Points) -> Option<Span> {
    let (most_at, most) = points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (first, last) = (points.first()?.0, points.last()?.0);
    if most_at.ns() < last.ns().saturating_sub(last.ns().saturating_sub(first.ns()) / PARTS) {
        return None;
    }
    let before = points.iter().filter(|point| point.0 <= most_at).map(|point| point.1);
    let least = before.reduce(Amount::min)?;
    // A hundredth above the smallest is not growth yet.
    let foot = least + (most - least) * 0.01;
    let (from, _) = points.iter().copied().rfind(|point| point.0 < most_at && point.1 <= foot)?;
    Some(Span { from, to: most_at })
}

fn value_at(points: &Points, at: Moment) -> Option<Amount<Bytes>> {
    points.iter().rfind(|point| point.0 <= at).map(|point| point.1)
}

/// The shares that equal parts of the time have in the growth; absent when it fell on the way.
fn shares(points: &Points, span: Span) -> Option<Vec<Amount<Ratio>>> {
    let inside: Vec<_> = points.iter().filter(|point| span.contains(point.0)).map(|point| point.1).collect();
    let grown = *inside.last()? - *inside.first()?;
    let mut top = *inside.first()?;
    for value in &inside {
        top = top.max(*value);
        if top - *value > grown * FREED {
            return None;
        }
    }
    let length = span.to.ns().saturating_sub(span.from.ns());
    let border = |part: i64| Moment::new(span.from.ns().saturating_add(length.saturating_mul(part) / PARTS));
    let values: Option<Vec<_>> = (0..=PARTS).map(|part| value_at(points, border(part))).collect();
    grown.is_positive().then(|| values.map(|values| values.windows(2).map(|pair| (pair[1] - pair[0]) / grown).collect()))?
}

//! `memory-leak`: the memory of one process grows and does not stop.

use crate::actors::{group, newcomer, process};
use crate::evidence::advice::memory_high;
use crate::evidence::threshold::{GROWTH, TURNOVER};
use crate::evidence::{EvidenceBuilder, advise};
use crate::ledger::disk_load;
use crate::measure::amount::{Amount, Count, Limit, Rate, grade};
use crate::measure::cgroup_version;
use crate::measure::window::{STOLEN, Window, stored};
use crate::rules::contract::{EffectKind, Rule, Scope, When, subsumes};
use pagetide_core::derived;
use pagetide_core::{Advice, Bytes, Finding, Moment, Nanos, Pages, Ratio, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "a memory leak",
    scope: Scope::Whole,
    loss: None,
    effect: Some(EffectKind::AnonGrows),
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
    deciding_test: "The same process over a longer time: a leak does not stop; a cache or a heap does.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::MemoryLeak,
            title: "The anonymous memory of one process grows without bound",
            meaning: "A process keeps allocating memory and frees none. It takes page cache first, then swap, and in the end the OOM killer acts.",
            evidence: "The anonymous memory of one process, resident and swapped (RssAnon + VmSwap), grows at an even rate over much of the \
                recording and still grows at the end. It is most of the growth of AnonPages on the host.",
            metrics: &["RssAnon", "rss", "VmSwap", "AnonPages", "SwapFree", "MemAvailable", "pswpin"],
            thresholds: &[
                GROWTH.doc(),
                LASTED.doc(),
                SHARE.doc(),
                FREED.doc(),
                LENGTH.doc(),
                TREND.doc(),
                TURNOVER.doc(),
            ],
            why: "Memory that a process touched stays allocated until the process frees it or exits. The kernel cannot know that nobody will use it.",
            alternatives: "A cache inside the program that fills to its limit, or a heap that grows at the start, looks the same until it stops. Only time tells.",
            advice: "Limit the process so that it fails alone, and find what it keeps.",
            mglru: "Not used: the rule reads the memory of processes only.",
            kernel: "Linux 6.12: mm/memory.c: do_anonymous_page; mm/oom_kill.c: out_of_memory.",
        },
        examine,
    )
};

const LASTED: Limit<Ratio> = Limit::new(
    "duration of the growth, as a share of the recording",
    0.5,
    "Shorter growth is a start or a burst.",
    "judgement",
);
const SHARE: Limit<Ratio> = Limit::new(
    "growth in the slowest fifth of that time, relative to an even share",
    1.0 / 3.0,
    "A heap or a cache that fills grows in steps or slows down.",
    "judgement",
);
const FREED: Limit<Ratio> = Limit::new(
    "largest dip on the way, as a share of the growth",
    0.1,
    "A program that frees memory does not leak.",
    "judgement",
);
const LENGTH: Limit<Nanos> = Limit::new(
    "duration of the growth",
    60e9,
    "A program that starts, loads data or fills a cache grows for seconds. That is growth of anonymous memory.",
    "judgement",
);
const TREND: Limit<Count> = Limit::new(
    "samples in the growth, where it is shorter",
    28.0,
    "Even growth over this many samples of a program that ran before is more than noise. If programs swap in meanwhile, memory is already short: swap-thrash.",
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
    let during = window.over(span);
    // A program that has just started loads what it needs, and one that takes free memory fills a cache.
    let loads = || newcomer::started(&during, grower.comm) || !is_short(&during);
    let brief = lasted < LENGTH;
    if part < LASTED || even < SHARE || brief && (samples < TREND || swaps_in(&during) || loads()) {
        return None;
    }
    let grown = value_at(&points, span.to)? - value_at(&points, span.from)?;
    let mut found = EvidenceBuilder::new(window);
    found.span(span);
    found.origin(grower.actor(window));
    let weight = 1.0 + grade(grown / memory, 0.05, 0.3);
    found.add(weight, format!("growth of {}", grower.words()), "RssAnon + VmSwap", grown);
    let what = "growth in the slowest fifth, relative to an even share";
    found.add(1.5 * grade(even, 0.33, 0.8), what, "growth by fifths", Amount::<Ratio>::new(least));
    found.add(grade(part, 0.5, 0.9), "duration of the growth", "samples", lasted);
    if let Some(all) = window.host_change("AnonPages") {
        let all = all - window.host_change("SwapFree").unwrap_or(Amount::ZERO);
        let weight = if all > grown * 0.7 { 0.5 } else { -0.5 };
        found.add(weight, "growth of anonymous memory on the host", "AnonPages - SwapFree", all);
    }
    let rate: Rate<Bytes> = grown.per(span.length());
    let left = window.host_level::<Bytes>("MemAvailable").map(|left| left.least).filter(|left| left.is_positive());
    let left = left.map_or(String::new(), |left| {
        let after = Amount::<Nanos>::new(left.get() / rate.get() * 1e9);
        format!(" At this rate it uses up the remaining {left} in {after}.")
    });
    let statement =
        format!("The memory of {} grew by {grown} at {rate} and was still growing at the end.{left}", grower.words());
    found.finish(
        RuleId::MemoryLeak,
        statement,
        vec![
            limit(window, grower.comm),
            advise(
                "Find what it keeps.",
                Some(&format!("heaptrack -p {}", process::pid(grower.name))),
                "The process stops for a moment and then runs more slowly. A runtime with a heap profile of its own (Java, Go) costs less.",
                None,
            ),
        ],
    )
}

/// To limit what grows: its service where the processes of the command are in one, which had no limit; else in words.
fn limit(window: &Window<'_>, comm: &str) -> Advice {
    const ACTION: &str = "Find out whether it keeps the data on purpose (an in-memory database, a cache). If so, limit it by its own settings; otherwise \
         limit its service.";
    if cgroup_version::is_v1(window.recording) {
        let effect = "Choose a size far above its current use: control groups v1 have no memory.high. At the limit the kernel reclaims from this service, \
             and kills one of its processes if that frees nothing.";
        return advise(ACTION, None, effect, None);
    }
    const SLOWS: &str = "Above memory.high the kernel reclaims from this service and slows it down, but does not kill it, so no data is lost.";
    let Some((group, size)) = size(window, comm) else {
        return advise(ACTION, None, &format!("Choose a size above its current use. {SLOWS}"), None);
    };
    let [command, undo] = memory_high(group, size);
    let effect = format!("The limit is its current use and half of the memory that is left. {SLOWS}");
    advise(ACTION, Some(&command), &effect, Some(&undo))
}

/// The control group that all processes of a command are in, where it has no limit yet, and what it uses with half of the memory that the host has left.
fn size<'a>(window: &Window<'a>, comm: &str) -> Option<(&'a str, Amount<Bytes>)> {
    let own = disk_load::groups_of(window, comm)?;
    let group = own.first().copied().filter(|group| own.iter().all(|other| other == group))?;
    let has = |metric| window.recording.series(Table::Cgroup, group, metric).is_some();
    if !group::leaves(window.recording).contains(&group) || has("high") {
        return None;
    }
    let used = window.level::<Bytes>(Table::Cgroup, group, "current")?.most;
    Some((group, used + window.host_level::<Bytes>("MemAvailable")?.least / 2.0))
}

/// Whether the kernel frees memory meanwhile, so that the growth costs pages of others; true where that was not recorded.
fn is_short(during: &Window<'_>) -> bool {
    during.host_turnover(&STOLEN).is_none_or(|share| share >= TURNOVER)
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
    grown
        .is_positive()
        .then(|| values.map(|values| values.windows(2).map(|pair| (pair[1] - pair[0]) / grown).collect()))?
}

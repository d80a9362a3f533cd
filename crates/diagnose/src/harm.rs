//! Harm: the time that tasks lose, above what they lost before.
//!
//! A finding is an incident only if tasks lose time while it lasts. Pressure stall information gives that time; where a recording
//! lacks it, the CPU time that is idle while tasks wait for IO stands in. Where neither was recorded, harm is not known and decides
//! nothing.

use crate::amount::{Amount, Count, Limit};
use crate::episodes::SignalSpec;
use crate::rule::Loss;
use crate::rules;
use crate::window::{Window, intervals, joined};
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Finding, Nanos, Ratio, Span, Threshold};

/// New loss below which a finding is a remark.
const LEAST: Limit<Nanos> = Limit::new(
    "time that tasks lose, above the rate before",
    50e6,
    "No timeout and no percentile of a service shows less.",
    "judgement",
);
/// Loss that is reported although no rule explains it.
const UNEXPLAINED: Limit<Ratio> = Limit::new(
    "share of time that tasks lose without a known cause",
    0.1,
    "People notice a service that is a tenth slower.",
    "judgement",
);
/// Such a loss in all.
const UNEXPLAINED_TIME: Limit<Nanos> =
    Limit::new("time that tasks lose without a known cause", 2e9, "A shorter one is a burst.", "judgement");
/// Requests in flight from which on they wait for each other, and not each for itself.
const QUEUE: Limit<Count> =
    Limit::new("requests in flight", 2.0, "With fewer, each task waits for its own request alone.", "Little's law");
/// Intervals without a loss that do not end it.
const JOINED: u64 = 5;
/// Intervals before an onset that it takes for a baseline.
const BASELINE: u64 = 5;

/// The numbers that decide about harm.
pub(crate) const THRESHOLDS: &[Threshold] = &[LEAST.doc(), UNEXPLAINED.doc(), UNEXPLAINED_TIME.doc(), QUEUE.doc()];

impl Loss {
    /// What tasks wait for.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Stalls => "IO or memory",
            Self::Cpu => "a CPU",
        }
    }

    /// The derived metrics that measure it.
    const fn metrics(self) -> &'static [&'static Derived] {
        const STALLS: &[&Derived] = &[&derived::PSI_IO_SOME, &derived::PSI_MEMORY_SOME];
        const CPU: &[&Derived] = &[&derived::PSI_CPU_SOME];
        match self {
            Self::Stalls => STALLS,
            Self::Cpu => CPU,
        }
    }
}

/// The share of time that tasks lose in a window; absent when that was not recorded. Waits for memory alone do not tell of IO.
fn share(window: &Window<'_>, loss: Loss) -> Option<Amount<Ratio>> {
    let (first, others) = loss.metrics().split_first()?;
    let stand_in = || window.share(&derived::CPU_IOWAIT).filter(|_| loss == Loss::Stalls);
    let first = window.share(first).or_else(stand_in)?;
    Some(others.iter().filter_map(|derived| window.share(derived)).fold(first, |sum, one| sum + one))
}

/// Time that tasks lose in a stretch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Harm {
    pub(crate) share: Amount<Ratio>,
    /// The share before; 0 when the recording begins with it.
    pub(crate) before: Amount<Ratio>,
    length: Nanos,
}

impl Harm {
    /// The time that tasks lose beyond the rate before.
    pub(crate) fn lost(self) -> Amount<Nanos> {
        Amount::new((self.share - self.before).get() * self.length.as_f64())
    }
}

/// The harm while a finding lasts; absent when the recording does not show it.
fn of(whole: &Window<'_>, finding: &Finding, loss: Loss) -> Option<Harm> {
    let during = share(&whole.over(finding.range), loss)?;
    let before = Span { from: whole.span.from, to: finding.range.from };
    let long = before.length() >= intervals(whole.recording, BASELINE);
    let before = share(&whole.over(before), loss).filter(|_| long).unwrap_or(Amount::ZERO);
    Some(Harm { share: during, before, length: finding.range.length() })
}

/// Whether a finding harms: tasks lose time by it, or the recording does not show whether they do, or it does not need to.
pub(crate) fn harms(whole: &Window<'_>, finding: &Finding) -> bool {
    let loss = rules::by_id(finding.rule).loss;
    loss.and_then(|loss| of(whole, finding, loss)).is_none_or(|harm| harm.lost() >= LEAST)
}

/// What a finding costs, as a sentence.
pub(crate) fn sentence(whole: &Window<'_>, finding: &Finding) -> Option<String> {
    let loss = rules::by_id(finding.rule).loss?;
    let Harm { share, before, .. } = of(whole, finding, loss)?;
    Some(format!(
        "Tasks lost {} of each second to waits for {} ({} before).",
        seconds(share),
        loss.name(),
        seconds(before)
    ))
}

/// The time lost of each second.
fn seconds(share: Amount<Ratio>) -> String {
    format!("{:.2} s", share.get())
}

/// The largest loss that stands out of the recording, as a sentence, when people notice it: no rule explains it.
pub(crate) fn unexplained(whole: &Window<'_>) -> Option<String> {
    let losses = Loss::Stalls.metrics().iter().filter_map(|derived| {
        let signal = SignalSpec::derived(derived).signal(whole.recording)?;
        let before: Amount<Ratio> = signal.baseline()?;
        let held = joined(signal.held(before.get() + UNEXPLAINED.get()), intervals(whole.recording, JOINED));
        let harm = |span| {
            let harm = Harm { share: whole.over(span).share(derived)?, before, length: span.length() };
            (harm.lost() >= UNEXPLAINED_TIME).then_some((span, *derived, harm))
        };
        held.into_iter().filter_map(harm).max_by(|a, b| a.2.lost().total_cmp(&b.2.lost()))
    });
    let (span, derived, harm) = losses.max_by(|a, b| a.2.lost().total_cmp(&b.2.lost()))?;
    let io = derived.name == derived::PSI_IO_SOME.name;
    let to = if io { "IO" } else { "memory" };
    let during = whole.over(span);
    let queue = during.busiest(|disk| during.queue(disk));
    // Reads that a program waits for one by one are its work.
    if io && queue.is_some_and(|(_, queue)| queue < QUEUE) {
        return None;
    }
    let place = queue.map_or_else(String::new, |(disk, queue)| {
        let time = during.disk_await(disk).map_or_else(String::new, |time| format!(", {time} per request"));
        format!(", most of it on {disk} with {:.1} requests in flight{time}", queue.get())
    });
    let since = span.from.since(whole.span.from);
    Some(format!(
        "From {since} on tasks lost {} of each second to waits for {to} ({} before){place}. No rule explains it: \
         record processes and block-layer latency (`biolatency-bpfcc -D`) while it lasts.",
        seconds(harm.share),
        seconds(harm.before),
    ))
}

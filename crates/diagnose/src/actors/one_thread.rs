//! A program that ran before and computes all the time on one CPU, while others are free or there is no other: a single thread that cannot keep up.

use crate::actors::group;
use crate::actors::process::{self, CALLS, ProcessShare};
use crate::actors::successor::BETWEEN;
use crate::measure::amount::{Amount, Count, Limit, Per, Rate};
use crate::measure::episodes::SignalSpec;
use crate::measure::queue;
use crate::measure::window::{Window, intervals};
use pagetide_core::{Moment, Nanos, Ratio, Span, Table, derived};

/// The CPU time that one thread uses at most, less what it spends between two samples of an emulated or busy host.
pub(crate) const FULL: Limit<Count> = Limit::new(
    "CPUs that a program uses, at least, to be a single thread that computes all the time",
    0.95,
    "A thread runs on one CPU at a time.",
    "kernel/sched/core.c: __schedule (6.12)",
);
/// The same in each interval.
pub(crate) const INTERVAL: Limit<Count> = Limit::new(
    "CPUs that it uses in each interval, at least",
    0.75,
    "Other tasks and the host of a guest take a part of some intervals.",
    "judgement",
);
/// What it uses at most: more is several threads.
pub(crate) const ONE: Limit<Count> = Limit::new(
    "CPUs that such a program uses, at most",
    1.05,
    "With more, it has threads that use other CPUs.",
    "kernel/sched/core.c: __schedule (6.12)",
);
/// What it used before.
pub(crate) const USED: Limit<Count> = Limit::new(
    "CPUs that such a program used before, at most",
    0.5,
    "A program that mostly computes does so at any time.",
    "judgement",
);

/// The same, at least.
pub(crate) const SERVED: Limit<Count> = Limit::new(
    "CPUs that it used before, at least",
    0.03,
    "With less it was at rest: what it computes now may be a job that it is for.",
    "judgement",
);

/// What it gets done meanwhile, where it did not mostly wait before.
pub(crate) const FEWER: Limit<Count> = Limit::new(
    "its read and write calls before, relative to those since, where it used more of a CPU, or less, than that",
    2.0,
    "Each request costs twice as much, or more. A program that is asked for less uses less of a CPU.",
    "judgement",
);
/// What it got done.
pub(crate) const CALLED: Limit<Per<Count>> = Limit::new(
    "read and write calls of such a program before, at least",
    20.0,
    "Of fewer, the lines of a log are a third.",
    "judgement",
);

/// What tasks of its host waited for devices until then.
pub(crate) const WAITED: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for IO until then, at most",
    0.1,
    "A program that waited for a device, and does so no longer, gets more done.",
    "judgement",
);

/// Such a program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OneThread<'a> {
    pub(crate) process: ProcessShare<'a, Count>,
    /// The CPUs that it used before.
    pub(crate) before: Amount<Count>,
    /// Its read and write calls before and since, where it did not mostly wait before and they became far fewer.
    pub(crate) calls: Option<[Rate<Count>; 2]>,
    pub(crate) span: Span,
}

/// What a process of the same command used that ended as this one began: a reload replaces a worker by another.
fn before_it(whole: &Window<'_>, (name, comm): (&str, &str), shortest: Nanos, at: Moment) -> Option<Amount<Count>> {
    let group = |process: &str| group::number(whole.recording, Table::Process, process);
    let of = |(other, _): (&str, &str)| {
        let signal = whole.episodes.signal(whole.recording, SignalSpec::process(other, &derived::CPUS))?;
        let ran = Span { from: signal.first()?, to: signal.last()? };
        let between = ran.to.since(at).max(at.since(ran.to));
        let replaced = between <= intervals(whole.recording, BETWEEN) && ran.length() >= shortest;
        if replaced { signal.mean(ran) } else { None }
    };
    let same =
        process::present(whole).filter(|(other, of)| *other != name && *of == comm && group(other) == group(name));
    same.filter_map(of).max_by(Amount::total_cmp)
}

/// The program of a window that computes longest on one CPU, of those that ran before it, or replaced one that did, and mostly
/// waited.
pub(crate) fn busiest<'a>(window: &Window<'a>) -> Option<OneThread<'a>> {
    longest(window, Before::Served)
}

/// The same of those that were at rest. It may be a job that they are for, or a request that does not end.
pub(crate) fn woken<'a>(window: &Window<'a>) -> Option<OneThread<'a>> {
    longest(window, Before::Rested)
}

/// What a program did before.
#[derive(Debug, Clone, Copy)]
enum Before {
    Served,
    Rested,
}

fn longest<'a>(window: &Window<'a>, did: Before) -> Option<OneThread<'a>> {
    let whole = Window::whole(window.recording, window.episodes)?;
    let shortest = queue::least(window.recording);
    // Most processes use less in all than such a thread at least, and need no look at each of their intervals. Ticks of 1/100 s.
    let enough = FULL.value() * (shortest.as_f64() / 1e9);
    let of = |(name, comm): (&'a str, &'a str)| {
        let ticks = |metric| whole.rise::<Count>(Table::Process, name, metric).unwrap_or(Amount::ZERO);
        if ticks("utime") + ticks("stime") < enough * 100.0 {
            return None;
        }
        let spec = SignalSpec::process(name, &derived::CPUS);
        let held = window.episodes.held(window.recording, spec, INTERVAL.value());
        let span = held.iter().copied().max_by_key(|span| span.length())?;
        if span.length() < shortest || !span.overlaps(window.span) {
            return None;
        }
        let signal = window.episodes.signal(window.recording, spec)?;
        let used: Amount<Count> = signal.mean(span)?;
        let earlier = Span { from: signal.first()?.max(whole.span.from), to: span.from };
        let own = || signal.mean(earlier).filter(|_| earlier.length() >= shortest);
        let before: Amount<Count> = own().or_else(|| before_it(&whole, (name, comm), shortest, span.from))?;
        let one = used >= FULL && used <= ONE;
        let until = Span { from: span.from.earlier(shortest).max(earlier.from), to: span.from };
        let for_devices = || whole.over(until).share(&derived::PSI_IO_SOME).is_some_and(|io| io >= WAITED);
        let fewer_calls = || {
            let calls = whole.episodes.signal(window.recording, SignalSpec::rate(Table::Process, name, CALLS))?;
            let (before, since): (Rate<Count>, Rate<Count>) = calls.mean(earlier).zip(calls.mean(span))?;
            (before >= CALLED && before >= since * FEWER.get()).then_some([before, since])
        };
        let (fits, calls) = match did {
            Before::Rested => (before < SERVED, None),
            Before::Served if before <= USED && before >= SERVED => (true, None),
            Before::Served => fewer_calls().map_or((false, None), |calls| (true, Some(calls))),
        };
        let waited = fits && one;
        let waited = waited && !process::is_kernel_thread(window, name) && !for_devices();
        // Who asks it for something gave it little importance.
        let waited = waited && !process::is_of_low_priority(&window.over(span), name);
        waited.then_some(OneThread { process: ProcessShare::of_one(name, comm, used), before, calls, span })
    };
    process::present(window).filter_map(of).max_by_key(|one| one.span.length())
}

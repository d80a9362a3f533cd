//! When a harm began: with the signal that drives it, which may rise long before anybody loses time. The one place that answers it.

use crate::measure::amount::Count;
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{Window, intervals, joined};
use pagetide_core::{Moment, Nanos, Recording, Span, Table, derived};

/// Samples before and after an onset within which a change stands beside it, …
const NEAR: u64 = 5;
/// … and the least of that time.
const MIN_MARGIN: Nanos = Nanos::new(5_000_000_000);
/// How much later than it happened a change of a setting may be noted: the recorder reads the settings every 10 s.
pub(crate) const SETTINGS_LATE: Nanos = Nanos::new(10_000_000_000);

/// The time in which a change stands beside an onset.
pub(crate) fn near(recording: &Recording, onset: Moment) -> Span {
    let margin = intervals(recording, NEAR).max(MIN_MARGIN);
    Span { from: onset.earlier(margin), to: onset.later(margin) }
}

/// The time in which the change of a setting beside an onset is noted.
pub(crate) fn near_with_settings(recording: &Recording, onset: Moment) -> Span {
    let near = near(recording, onset);
    Span { to: near.to.later(SETTINGS_LATE), ..near }
}

/// A harm whose onset is looked for. Each method gives the harm with what led to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Onset<'a> {
    window: Window<'a>,
    harm: Span,
}

impl<'a> Window<'a> {
    /// The onset of a harm.
    pub(crate) const fn onset(&self, harm: Span) -> Onset<'a> {
        Onset { window: *self, harm }
    }
}

impl Onset<'_> {
    /// From where the driver's signal left its baseline, if that lasted until the harm began. A cause begins when its driver does, and not when
    /// free memory is used up.
    pub(crate) fn at_episode_of(self, driver: SignalSpec<'_>) -> Span {
        let Self { window, harm } = self;
        let slack = intervals(window.recording, 2);
        let leads = |episode: &Span| episode.from <= harm.from && episode.to.later(slack) >= harm.from;
        let driven = window.episodes.of(window.recording, driver);
        let first = driven.iter().map(|(episode, _)| episode).find(|episode| leads(episode));
        first.map_or(harm, |episode| Span { from: episode.from, to: harm.to })
    }

    /// Back to where the driver's signal began to rise, over pauses of at most ten samples or of the length of what follows. A flood begins with
    /// the first reads into free memory, and not when that is used up. A program that started within the recording reads, computes and allocates
    /// before it hurts others: from where it began to use a CPU, or where the first of several that run one after another did.
    pub(crate) fn at_rise_of(self, driver: SignalSpec<'_>) -> Span {
        let rise = self.back_to_rise_of(driver);
        driver.of_process().map_or(rise, |process| Self { harm: rise, ..self }.at_start_of(process))
    }

    /// From where the growth began that ended at most ten samples before the harm: what does not fit grew before anybody missed it.
    pub(crate) fn at_growth_of(self, growth: SignalSpec<'_>) -> Span {
        let Self { window, harm } = self;
        let slack = intervals(window.recording, 10);
        let episodes = window.episodes.of(window.recording, growth);
        let near = |span: &Span| span.from <= harm.from && span.to.later(slack) >= harm.from;
        let last = episodes.iter().map(|(episode, _)| *episode).rfind(near);
        last.map_or(harm, |grew| window.onset(grew).at_rise_of(growth).union(harm))
    }

    /// Back over the time in which the driver's signal stays above a fiftieth of what it is during the harm. A driver that was there from the start
    /// of the recording leads to nothing: nobody knows when it began.
    pub(crate) fn without_pause_of(self, driver: SignalSpec<'_>) -> Span {
        let Self { window, harm } = self;
        let Some(signal) = window.episodes.signal(window.recording, driver) else { return harm };
        let Some(mean) = signal.mean::<Count>(harm) else { return harm };
        let known = self.first_moment();
        let held = signal.held(mean * 0.02).into_iter().find(|span| span.contains(harm.from));
        held.filter(|held| held.from > known).map_or(harm, |held| Span { from: held.from.min(harm.from), ..harm })
    }

    /// Not before the first process of the command that drives it was there, if it came meanwhile, and not between the same two samples: until then others
    /// did what looks alike.
    pub(crate) fn not_before_start_of(self, comm: &str) -> Span {
        let Self { window, harm } = self;
        let own = window.recording.entities(Table::Process).filter(|(_, other)| *other == comm);
        let always = window.over(Span::ALL);
        // Its first sample may be that of what it became.
        let first = |name: &str| Moment::of_start(name).or_else(|| Some(always.sampled(name)?.from));
        let first = own.filter_map(|(name, _)| first(name)).min();
        let sampled = harm.from.later(intervals(window.recording, 1));
        let came = first.filter(|first| *first > sampled && harm.contains(*first));
        came.map_or(harm, |from| Span { from, ..harm })
    }

    /// The first moment of the recording.
    fn first_moment(self) -> Moment {
        self.window.episodes.span(self.window.recording).map_or(self.harm.from, |(from, _)| Moment::new(from))
    }

    fn back_to_rise_of(self, driver: SignalSpec<'_>) -> Span {
        let Self { window, harm } = self;
        let signal = window.episodes.signal(window.recording, driver);
        // A process without a row in the first sample was not there, also if its first rate is of the time from there on.
        let sampled = driver.of_process().and_then(|process| window.over(Span::ALL).sampled(process));
        let came = sampled.is_some_and(|sampled| sampled.from > self.first_moment());
        let first = if came { Moment::new(i64::MIN) } else { self.first_moment() };
        signal.map_or(harm, |signal| signal.back_from(harm, first, intervals(window.recording, 10)))
    }

    /// From the start of a process, or of the first of those of its name that ran one after another, where all of them started within the recording.
    fn at_start_of(self, process: &str) -> Span {
        let Self { window, harm } = self;
        let work = SignalSpec::process(process, &derived::CPUS);
        let always = window.over(Span::ALL);
        let sampled = || always.sampled(process).map(|sampled| sampled.from);
        let first = window.episodes.signal(window.recording, work).and_then(|_| sampled());
        let known = self.first_moment();
        // Its first sample comes after its start; a sample may be late. One that was idle until long after began later.
        let soon = intervals(window.recording, 3);
        let begun = |name: &str, sampled: Moment| {
            let start = Moment::of_start(name).filter(|start| *start > known && sampled.since(*start) <= soon);
            start.map_or(sampled, |start| start.min(sampled))
        };
        let mut start = harm;
        if let Some(first) = first.filter(|first| *first > known) {
            start = self.back_to_rise_of(work);
            if start.from <= first {
                // Its first rate is of the time since the sample before, which is earlier.
                let begun = begun(process, first);
                start.from = if begun <= harm.from { begun } else { start.from.min(begun) };
            }
        }
        let all = || window.recording.entities(Table::Process);
        let Some((_, comm)) = all().find(|(name, _)| *name == process) else { return start };
        let others = all().filter(|(name, other)| *other == comm && *name != process);
        let others = others.filter_map(|(name, _)| Some((name, always.sampled(name)?)));
        let mut spans: Vec<Span> = others.map(|(name, span)| Span { from: begun(name, span.from), ..span }).collect();
        if spans.iter().any(|span| span.from <= known) {
            return start;
        }
        spans.push(start);
        let chains = joined(spans, intervals(window.recording, 2));
        let chain = chains.into_iter().find(|chain| chain.contains(start.from));
        chain.map_or(start, |chain| Span { from: chain.from, ..start })
    }
}

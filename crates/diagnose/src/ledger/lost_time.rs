//! The time that the tasks of each group lose, over time, beyond what they usually wait.
//!
//! Pressure stall information of the host counts jbd2, kworkers and kswapd as well, for which nobody waits. So the groups without
//! others in them tell; the host only where no group was recorded.

use crate::actors::commits::Commits;
use crate::actors::{group, successor};
use crate::measure::episodes::{Episodes, SignalSpec};
use crate::measure::window::{Window, intervals};
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Moment, Recording, Resource, Span, Stamp};
use std::ops::Range;

/// The kinds of waits, in the order of [`Shares`].
pub(crate) const KINDS: [Resource; 3] = [Resource::Io, Resource::Memory, Resource::Cpu];
/// Shares of an interval for which tasks wait for IO, memory and a CPU.
pub(crate) type Shares = [f64; 3];

/// Samples at the start of a recording, after those in which the recorder starts, that show what was before an incident without end.
const BASELINE: usize = 8;

/// Samples around what is compared: those of some seconds, or one where samples are further apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Margins {
    /// At the start of a recording, in which the recorder itself starts; and before a stretch, whose first requests wait before the group does.
    edge: usize,
    /// That show what is usual.
    calm: usize,
}

impl Margins {
    pub(crate) fn of(recording: &Recording) -> Self {
        let interval = recording.manifest.interval.get().max(1);
        let samples =
            |seconds: u64| usize::try_from((seconds * 1_000_000_000).div_ceil(interval)).unwrap_or(usize::MAX);
        Self { edge: samples(3).clamp(1, 3), calm: samples(5).clamp(3, 5) }
    }

    /// Samples before a stretch without which nobody knows what was before it.
    pub(crate) const fn before(self) -> usize {
        self.edge * 2 + self.calm
    }
}

/// The part of the intervals before a stretch in which a service ran.
const REGULAR: f64 = 0.5;
/// The longest time that a service rests between two requests, ns: what a timer starts comes less often.
const RHYTHM: i64 = 5_000_000_000;
/// The parts of an incident's height below which time is calm, and above which it belongs to the incident. The waits of a busy service vary by
/// more than a quarter of some incidents: the first part that leaves calm time beside the stretch counts.
const CALM_PARTS: [f64; 3] = [0.25, 0.5, 0.75];

/// The part of their mean that waits have in three quarters of all intervals, at least, if they last from start to end.
const LASTS: f64 = 0.5;

/// What the tasks of one group wait, over time.
#[derive(Debug, Clone)]
pub(crate) struct Pressure<'a> {
    /// The group; absent of the host.
    pub(crate) group: Option<&'a str>,
    /// The interval that ends with each sample but the first.
    pub(crate) spans: Vec<Span>,
    raw: Vec<Shares>,
    usual: Shares,
    activity: Activity,
    margins: Margins,
}

/// In which intervals the tasks of a group ran or waited.
#[derive(Debug, Clone, Default)]
pub(crate) struct Activity {
    intervals: Vec<Ran>,
    margins: Margins,
}

/// What was seen of a group up to the end of an interval.
#[derive(Debug, Clone, Copy)]
struct Ran {
    /// When the interval ends, ns.
    to: i64,
    /// In how many intervals its tasks ran.
    intervals: usize,
    /// The longest time without one, ns.
    rest: i64,
}

impl Activity {
    pub(crate) fn of(recording: &Recording, episodes: &Episodes, group: &str) -> Self {
        let whole = Window::whole(recording, episodes);
        let before = whole.as_ref().and_then(|whole| successor::predecessor(whole, group));
        let signal = |group: &str| {
            let measures = [&derived::CPUS, &derived::PSI_CPU_SOME, &derived::PSI_IO_SOME];
            let mut all = measures.into_iter().map(|derived| SignalSpec::cgroup(group, derived));
            all.find_map(|spec| episodes.signal(recording, spec))
        };
        let Some(own) = signal(group) else { return Self::default() };
        // A service that was deployed anew ran in another group until then.
        let earlier = before.and_then(signal);
        let until = own.first();
        let earlier = earlier.iter().flat_map(|signal| signal.intervals()).filter(|(span, _)| Some(span.to) <= until);
        let all = earlier.chain(own.intervals());
        let mut running = all.filter(|(_, value)| *value > 0.0).map(|(span, _)| span).peekable();
        let (mut count, mut rest) = (0, 0);
        let mut last = recording.stamps().first().map_or(0, |stamp| stamp.boot_ns);
        // A group that is not there does not run.
        let ran = |stamp: &Stamp| {
            while running.next_if(|span| span.to.ns() < stamp.boot_ns).is_some() {}
            let runs = running.peek().is_some_and(|span| span.from.ns() < stamp.boot_ns);
            count += usize::from(runs);
            rest = rest.max(stamp.boot_ns.saturating_sub(last));
            if runs {
                last = stamp.boot_ns;
            }
            Ran { to: stamp.boot_ns, intervals: count, rest }
        };
        Self { intervals: recording.stamps().iter().skip(1).map(ran).collect(), margins: Margins::of(recording) }
    }

    /// Whether the group is a service: it ran regularly before a moment, in most intervals or every few seconds. What a job does when it is set up,
    /// and a task of a timer, is no service. Taken for granted of what lasts from the start.
    pub(crate) fn before(&self, at: Moment) -> bool {
        let edge = self.intervals.partition_point(|ran| ran.to <= at.ns()).saturating_sub(self.margins.edge);
        let last = edge.checked_sub(1).and_then(|last| self.intervals.get(last));
        last.filter(|_| edge >= self.margins.calm)
            .is_none_or(|ran| ran.intervals as f64 >= edge as f64 * REGULAR || ran.rest <= RHYTHM)
    }
}

/// The pressure of each of them, or of the host where there are none.
pub(crate) fn all<'a>(recording: &'a Recording, episodes: &Episodes) -> Vec<Pressure<'a>> {
    let of = |group| Pressure::of(recording, episodes, group);
    let groups: Vec<Pressure<'a>> = group::leaves(recording).into_iter().filter_map(|group| of(Some(group))).collect();
    if groups.is_empty() { of(None).into_iter().collect() } else { groups }
}

/// What the tasks of no group wait: that of the host less that of all groups without others in them. Threads of the kernel are among them. Absent
/// where no group was recorded.
pub(crate) fn rest<'a>(recording: &'a Recording, episodes: &Episodes) -> Option<Pressure<'a>> {
    let leaves = group::innermost(recording).into_iter();
    let leaves: Vec<Pressure<'_>> = leaves.filter_map(|group| Pressure::of(recording, episodes, Some(group))).collect();
    let mut host = Pressure::of(recording, episodes, None).filter(|_| !leaves.is_empty())?;
    for (at, shares) in host.raw.iter_mut().enumerate() {
        for (kind, share) in shares.iter_mut().enumerate() {
            let of_groups: f64 = leaves.iter().map(|group| group.raw[at][kind]).sum();
            *share = (*share - of_groups).max(0.0);
        }
    }
    host.usual = host.first_estimate();
    Some(host)
}

const fn measure(kind: Resource) -> &'static Derived {
    match kind {
        Resource::Io => &derived::PSI_IO_SOME,
        Resource::Memory => &derived::PSI_MEMORY_SOME,
        Resource::Cpu => &derived::PSI_CPU_SOME,
    }
}

impl<'a> Pressure<'a> {
    fn of(recording: &'a Recording, episodes: &Episodes, group: Option<&'a str>) -> Option<Self> {
        let stamps: Vec<i64> = recording.stamps().iter().map(|stamp| stamp.boot_ns).collect();
        let spans: Vec<Span> = stamps.windows(2).map(|pair| Span::new(pair[0], pair[1])).collect();
        let mut raw = vec![[0.0; 3]; spans.len()];
        let mut known = false;
        for (kind, resource) in KINDS.into_iter().enumerate() {
            let mut at = 0;
            let spec = SignalSpec::of_group(group, measure(resource));
            let Some(signal) = episodes.signal(recording, spec) else { continue };
            known = true;
            for (interval, value) in signal.intervals() {
                while at < spans.len() && spans[at].to <= interval.from {
                    at += 1;
                }
                // A value may stand for several samples.
                for (span, shares) in
                    spans.iter().zip(&mut raw).skip(at).take_while(|(span, _)| span.from < interval.to)
                {
                    debug_assert!(span.to > interval.from);
                    shares[kind] = value.clamp(0.0, 1.0);
                }
            }
        }
        if let Some(commits) = group.and_then(|group| Commits::of(recording, episodes, group)) {
            for (span, [io, ..]) in spans.iter().zip(&mut raw) {
                *io = (*io + commits.share(*span).get()).min(1.0);
            }
        }
        let activity = group.map_or_else(Activity::default, |group| Activity::of(recording, episodes, group));
        let mut pressure = Self { group, spans, raw, usual: [0.0; 3], activity, margins: Margins::of(recording) };
        pressure.usual = pressure.first_estimate();
        known.then_some(pressure)
    }

    /// The usual waits, before a stretch is known: those of the calmest quarter. An incident may last for nearly all of a recording, so what was
    /// before it counts where it is less.
    fn first_estimate(&self) -> Shares {
        std::array::from_fn(|kind| {
            let all = |within: &[Shares], parts| quantile(within.iter().map(|shares| shares[kind]), parts);
            let quartile = all(&self.raw, 4);
            self.raw
                .get(self.margins.edge..self.margins.edge + BASELINE)
                .map_or(quartile, |first| quartile.min(all(first, 2)))
        })
    }

    /// The waits of an interval beyond the usual ones.
    pub(crate) fn excess(&self, at: usize) -> Shares {
        std::array::from_fn(|kind| (self.raw[at][kind] - self.usual[kind]).max(0.0))
    }

    /// The shares of an interval for which they wait, the usual parts included.
    pub(crate) fn waits(&self, at: usize) -> Shares {
        self.raw[at]
    }

    /// Which waits last from start to end: in most intervals they are about what they are on average.
    pub(crate) fn lasts(&self) -> [bool; 3] {
        let all = self.raw.get(self.margins.edge..).unwrap_or_default();
        std::array::from_fn(|kind| {
            let mean = all.iter().map(|shares| shares[kind]).sum::<f64>() / all.len().max(1) as f64;
            mean > 0.0 && quantile(all.iter().map(|shares| shares[kind]), 4) >= mean * LASTS
        })
    }

    /// The mean share of a stretch for which they wait for IO beyond the usual.
    pub(crate) fn mean_excess(&self, span: Span) -> f64 {
        let within = self.within(span);
        let (sum, time) = within.fold((0.0, 0.0), |(sum, time), at| {
            let seconds = self.seconds(at);
            (sum + self.excess(at)[0] * seconds, time + seconds)
        });
        sum / time.max(f64::MIN_POSITIVE)
    }

    /// The share of an interval that is lost: a thrashing fault is a wait for memory and for IO, and only one of the two counts.
    pub(crate) fn lost(&self, at: usize) -> f64 {
        let [io, memory, cpu] = self.excess(at);
        (io.max(memory) + cpu).min(1.0)
    }

    pub(crate) fn seconds(&self, at: usize) -> f64 {
        self.spans[at].length().as_f64() / 1e9
    }

    /// The time lost in some intervals, s.
    pub(crate) fn lost_seconds(&self, within: Range<usize>) -> f64 {
        within.map(|at| self.lost(at) * self.seconds(at)).sum()
    }

    /// The intervals that overlap a stretch.
    pub(crate) fn within(&self, span: Span) -> Range<usize> {
        let from = self.spans.partition_point(|one| one.to <= span.from);
        let to = self.spans.partition_point(|one| one.from < span.to);
        from..to.max(from)
    }

    /// The same of spans in order of time, which one pass finds.
    pub(crate) fn within_each(&self) -> impl FnMut(Span) -> Range<usize> {
        let (mut from, mut to) = (0, 0);
        move |span| {
            while self.spans.get(from).is_some_and(|one| one.to <= span.from) {
                from += 1;
            }
            while self.spans.get(to).is_some_and(|one| one.from < span.to) {
                to += 1;
            }
            from..to.max(from)
        }
    }

    pub(crate) fn span(&self, within: &Range<usize>) -> Option<Span> {
        let (first, last) = (self.spans.get(within.start)?, self.spans.get(within.end.checked_sub(1)?)?);
        Some(Span { from: first.from, to: last.to })
    }

    /// Whether the group is a service that ran before an interval.
    pub(crate) fn ran_before(&self, at: usize) -> bool {
        self.spans.get(at).is_none_or(|span| self.activity.before(span.from))
    }

    /// The stretch in which the group lost most: that of the largest sum of what stands above a part of its height. The usual waits are those of
    /// the time before it, or after it.
    pub(crate) fn settle(&mut self) -> Option<Range<usize>> {
        let settled =
            CALM_PARTS.into_iter().find_map(|part| Some((self.quiet_beside(&self.stretch(part)?, part)?, part)));
        let Some((quiet, part)) = settled else { return self.stretch(CALM_PARTS[0]) };
        self.usual = std::array::from_fn(|kind| quantile(quiet.iter().map(|at| self.raw[*at][kind]), 2));
        self.stretch(part)
    }

    /// The calm intervals before a stretch, or after it; absent where too few are.
    fn quiet_beside(&self, stretch: &Range<usize>, part: f64) -> Option<Vec<usize>> {
        let height = self.height(stretch.clone());
        let calm = |range: Range<usize>| {
            let quiet: Vec<usize> = range.filter(|at| self.lost(*at) <= height * part).collect();
            (quiet.len() >= self.margins.calm).then_some(quiet)
        };
        let edge = self.margins.edge;
        let before = edge.min(stretch.start)..stretch.start.saturating_sub(edge).max(edge.min(stretch.start));
        let after = (stretch.end + edge).min(self.spans.len())..self.spans.len();
        calm(before).or_else(|| calm(after))
    }

    /// The mean of what is lost, weighed by itself: the height of an incident, whatever part of the recording it takes.
    fn height(&self, within: Range<usize>) -> f64 {
        let lost = within.map(|at| self.lost(at));
        let (sum, squares) = lost.fold((0.0, 0.0), |(sum, squares), lost| (sum + lost, squares + lost * lost));
        squares / f64::max(sum, f64::MIN_POSITIVE)
    }

    fn stretch(&self, part: f64) -> Option<Range<usize>> {
        let start = self.margins.edge.min(self.spans.len());
        let least = self.height(start..self.spans.len()) * part;
        let (mut most, mut range) = (0.0, 0..0);
        let (mut sum, mut from) = (0.0, start);
        for at in start..self.spans.len() {
            if sum <= 0.0 {
                (sum, from) = (0.0, at);
            }
            sum += (self.lost(at) - least) * self.seconds(at);
            if sum > most {
                (most, range) = (sum, from..at + 1);
            }
        }
        (most > 0.0).then_some(range)
    }

    /// The time before a stretch that is compared with it; absent where too little was recorded.
    pub(crate) fn calm(&self, recording: &Recording, stretch: Span) -> Option<Span> {
        let first = recording.span().map(|(from, _)| Moment::new(from))?;
        let Margins { edge, calm } = self.margins;
        let from = first.later(intervals(recording, edge as u64));
        let to = stretch.from.earlier(intervals(recording, edge as u64));
        (to.since(from) >= intervals(recording, calm as u64)).then_some(Span { from, to })
    }
}

/// The middle of some values; 0 of none.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    quantile(values, 2)
}

/// The value below which one of the given number of parts of all values lies; 0 of none.
fn quantile(values: impl Iterator<Item = f64>, parts: usize) -> f64 {
    let mut values: Vec<f64> = values.collect();
    let at = values.len() / parts;
    if at >= values.len() { 0.0 } else { *values.select_nth_unstable_by(at, f64::total_cmp).1 }
}

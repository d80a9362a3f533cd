//! Harm: the time that tasks lose, above what they lost before.
//!
//! A finding is an incident only if tasks lose time while it lasts. Pressure stall information gives that time, of the host and of each
//! group; where a recording lacks it, the CPU time that is idle while tasks wait for IO stands in. Where neither was recorded, harm is not
//! known and decides nothing.

use crate::amount::{Amount, Count, Limit};
use crate::delays;
use crate::rule::Loss;
use crate::rules;
use crate::signal::Signal;
use crate::window::{Window, intervals, joined};
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Finding, Moment, Nanos, Ratio, Recording, Resource, RuleId, Span, Table, Threshold, TimeLost};

/// New loss below which a finding is a remark.
pub(crate) const LEAST: Limit<Nanos> = Limit::new(
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

    const fn resources(self) -> &'static [Resource] {
        match self {
            Self::Stalls => &[Resource::Io, Resource::Memory],
            Self::Cpu => &[Resource::Cpu],
        }
    }
}

/// The derived metrics that measure the waits for a resource, the better first.
const fn measures(resource: Resource) -> &'static [&'static Derived] {
    const IO: &[&Derived] = &[&derived::PSI_IO_SOME, &derived::CPU_IOWAIT];
    const MEMORY: &[&Derived] = &[&derived::PSI_MEMORY_SOME];
    const CPU: &[&Derived] = &[&derived::PSI_CPU_SOME];
    match resource {
        Resource::Io => IO,
        Resource::Memory => MEMORY,
        Resource::Cpu => CPU,
    }
}

/// A share of time, over time, with its sums from the beginning of the recording.
#[derive(Debug)]
struct Share {
    signal: Signal,
    sums: Vec<(f64, f64)>,
}

/// The time that the tasks of a host or a group lose by waits for one resource, over time.
#[derive(Debug)]
struct Waits {
    /// The group; absent of the host.
    group: Option<String>,
    resource: Resource,
    /// By what it was measured.
    source: &'static Derived,
    share: Share,
    /// The share of time in quiet times: an incident may last for more than half of a recording.
    usual: Amount<Ratio>,
    /// What counts as a wait and is none.
    excluded: Vec<Share>,
}

/// The time that tasks lose in a recording.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    waits: Vec<Waits>,
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
    pub(crate) fn new(share: Amount<Ratio>, before: Amount<Ratio>, span: Span) -> Self {
        Self { share, before, length: span.length() }
    }

    /// The time that tasks lose beyond the rate before.
    pub(crate) fn lost(self) -> Amount<Nanos> {
        Amount::new((self.share - self.before).get().max(0.0) * self.length.as_f64())
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { share: self.share + other.share, before: self.before + other.before, ..self }
    }
}

impl Share {
    fn of(recording: &Recording, table: Table, entity: &str, derived: &'static Derived) -> Option<Self> {
        let signal = Signal::derived(recording, table, entity, derived)?;
        let sums = signal.sums(Moment::new(recording.span()?.0));
        Some(Self { signal, sums })
    }

    fn mean(&self, span: Span) -> Option<Amount<Ratio>> {
        self.signal.mean(span)
    }

    fn mean_until(&self, to: Moment) -> Option<Amount<Ratio>> {
        self.signal.mean_until(&self.sums, to)
    }
}

/// The CPU time of kswapd. It counts as a task that waits for memory while it reclaims (`balance_pgdat` in mm/vmscan.c enters
/// psi_memstall), and no program waits for it.
fn kswapd(recording: &Recording) -> Vec<Share> {
    let threads = recording.entities(Table::Process).filter(|(_, comm)| comm.starts_with("kswapd"));
    threads.filter_map(|(name, _)| Share::of(recording, Table::Process, name, &derived::CPUS)).collect()
}

/// The share of a stretch for which kswapd ran; 0 where it was not recorded.
pub(crate) fn kswapd_share(window: &Window<'_>, span: Span) -> Amount<Ratio> {
    let shares = kswapd(window.recording);
    shares.iter().filter_map(|share| share.mean(span)).fold(Amount::ZERO, |sum, share| sum + share)
}

impl Waits {
    fn of(recording: &Recording, group: Option<&str>, resource: Resource) -> Option<Self> {
        let (table, entity) = group.map_or((Table::Host, ""), |group| (Table::Cgroup, group));
        let mut measures = measures(resource).iter();
        let (source, share) =
            measures.find_map(|derived| Some((*derived, Share::of(recording, table, entity, derived)?)))?;
        let usual = share.signal.baseline()?;
        let of_host = resource == Resource::Memory && group.is_none();
        let excluded = if of_host { kswapd(recording) } else { Vec::new() };
        Some(Self { group: group.map(str::to_owned), resource, source, share, usual, excluded })
    }

    /// The loss in a stretch.
    fn harm(&self, whole: &Window<'_>, span: Span) -> Option<Harm> {
        let lost = |mean: &dyn Fn(&Share) -> Option<Amount<Ratio>>| {
            let excluded = self.excluded.iter().filter_map(mean);
            Some(excluded.fold(mean(&self.share)?, |share, other| share - other).max(Amount::ZERO))
        };
        let before = Span { from: whole.span.from, to: span.from };
        let long = before.length() >= intervals(whole.recording, BASELINE);
        let before = if long { lost(&|share| share.mean_until(before.to)) } else { None };
        let before = before.map_or(Amount::ZERO, |before| before.min(self.usual));
        Some(Harm::new(lost(&|share| share.mean(span))?, before, span))
    }
}

/// The derived metrics that measure harm.
pub(crate) fn derived() -> impl Iterator<Item = &'static Derived> {
    let all = [Resource::Io, Resource::Memory, Resource::Cpu].into_iter().flat_map(measures).copied();
    all.chain(std::iter::once(&derived::CPUS))
}

/// The share of time that the tasks of the host or of a group lose by waits for a resource, in each interval with its length in ns; and
/// by what it was measured.
pub(crate) fn waits(
    recording: &Recording,
    group: Option<&str>,
    resource: Resource,
) -> Option<(&'static Derived, Vec<(i64, f64)>)> {
    let waits = Waits::of(recording, group, resource)?;
    let share = |(span, share): (Span, f64)| {
        let excluded = waits.excluded.iter().filter_map(|other| other.mean(span)).map(Amount::get);
        let length = i64::try_from(span.length().get()).unwrap_or(i64::MAX);
        (length, (share - excluded.sum::<f64>()).max(0.0))
    };
    let shares = waits.share.signal.intervals().map(share).collect();
    Some((waits.source, shares))
}

impl Losses {
    pub(crate) fn of(recording: &Recording) -> Self {
        const ALL: [Resource; 3] = [Resource::Io, Resource::Memory, Resource::Cpu];
        let groups = recording.entities(Table::Cgroup).map(|(group, _)| Some(group));
        let places = std::iter::once(None).chain(groups);
        let waits = places.flat_map(|group| ALL.into_iter().filter_map(move |one| Waits::of(recording, group, one)));
        Self { waits: waits.collect() }
    }

    fn host(&self, resource: Resource) -> Option<&Waits> {
        self.waits.iter().find(|waits| waits.group.is_none() && waits.resource == resource)
    }

    /// The loss of the host in a stretch; absent when the recording does not show it. Waits for memory alone do not tell of IO.
    fn of_host(&self, whole: &Window<'_>, span: Span, loss: Loss) -> Option<Harm> {
        let (first, others) = loss.resources().split_first()?;
        let first = self.host(*first)?.harm(whole, span)?;
        let others = others.iter().filter_map(|resource| self.host(*resource)?.harm(whole, span));
        Some(others.fold(first, Harm::and))
    }

    /// The harm while a finding lasts, to the host or to the group that it names, whichever lost more.
    fn of_finding(&self, whole: &Window<'_>, finding: &Finding, loss: Loss) -> Option<Harm> {
        let named = |waits: &&Waits| {
            let group = waits.group.as_deref().filter(|_| loss.resources().contains(&waits.resource));
            group
                .is_some_and(|group| finding.origins.iter().any(|origin| origin.strip_prefix("cgroup:") == Some(group)))
        };
        let groups = self.waits.iter().filter(named).filter_map(|waits| waits.harm(whole, finding.range));
        let host = self.of_host(whole, finding.range, loss);
        host.into_iter().chain(groups).max_by(|a, b| a.lost().total_cmp(&b.lost()))
    }

    /// Whether a finding harms: tasks lose time by it, or the recording does not show whether they do, or it does not need to.
    pub(crate) fn harms(&self, whole: &Window<'_>, finding: &Finding) -> bool {
        let loss = rules::by_id(finding.rule).loss;
        loss.and_then(|loss| self.of_finding(whole, finding, loss)).is_none_or(|harm| harm.lost() >= LEAST)
    }

    /// Whether tasks lose time in a stretch, or the recording does not show whether they do.
    pub(crate) fn lose(&self, whole: &Window<'_>, span: Span) -> bool {
        let lost = |loss| self.of_host(whole, span, loss).is_none_or(|harm| harm.lost() >= LEAST);
        lost(Loss::Stalls) || lost(Loss::Cpu)
    }

    /// The time lost while a finding lasts, by what its rule makes tasks wait for; 0 where that is not known.
    pub(crate) fn lost(&self, whole: &Window<'_>, finding: &Finding) -> Amount<Nanos> {
        let loss = rules::by_id(finding.rule).loss.unwrap_or(Loss::Stalls);
        self.of_finding(whole, finding, loss).map_or(Amount::ZERO, Harm::lost)
    }

    /// What a finding costs, as a sentence. Of a fact, which costs something only by its effects, nothing is said when it cost nothing.
    pub(crate) fn sentence(&self, whole: &Window<'_>, finding: &Finding) -> Option<String> {
        let known = rules::by_id(finding.rule).loss;
        let loss = known.unwrap_or(Loss::Stalls);
        let harm = self.of_finding(whole, finding, loss)?;
        if known.is_none() && harm.lost() < Amount::new(LEAST.get()) {
            return None;
        }
        let (share, before) = (of_a_second(harm.share), of_a_second(harm.before));
        let mut text = format!("Tasks lost {share} of each second to waits for {} ({before} before).", loss.name());
        let programs =
            delays::losses(whole, finding.range).into_iter().filter(|one| loss.resources().contains(&one.to));
        if let Some(most) = programs.max_by_key(|one| one.lost_ns) {
            let [share, before] = [most.share, most.before].map(|share| of_a_second(Amount::new(share)));
            let program = most.by.strip_prefix("process:").unwrap_or(&most.by);
            text += &format!(" {program} waited {share} of each second for {} ({before} before).", most.to.words());
        }
        Some(text)
    }

    /// What the recording does not show of harm: a sentence each.
    pub(crate) fn unknown(&self, recording: &Recording) -> Vec<String> {
        let stalls = self.host(Resource::Io).filter(|waits| waits.source.name != derived::PSI_IO_SOME.name);
        let stalls = stalls.map(|_| {
            "Pressure stall information was not recorded: the time lost is that for which CPUs were idle while tasks waited for IO. \
             Waits for memory are not known."
                .to_owned()
        });
        let nothing = (self.host(Resource::Io).is_none() && self.host(Resource::Memory).is_none())
            .then(|| "How much time tasks lost is not known: record /proc/pressure, or /proc/stat.".to_owned());
        stalls.into_iter().chain(nothing).chain(delays::missing(recording)).collect()
    }

    /// Who lost time in a stretch, and to what; the largest loss first. The rule of its cause, where it is known, says what tasks wait for.
    pub(crate) fn in_stretch(&self, whole: &Window<'_>, span: Span, cause: Option<RuleId>) -> Vec<TimeLost> {
        let lost = self.waits.iter().filter_map(|waits| {
            let harm = waits.harm(whole, span).filter(|harm| harm.lost() >= LEAST)?;
            let during = whole.over(span);
            let disk = || Some(format!("disk:{}", during.busiest(|disk| during.queue(disk))?.0));
            Some(TimeLost {
                by: waits.group.as_ref().map_or_else(|| "host".to_owned(), |group| format!("cgroup:{group}")),
                to: waits.resource,
                by_cause: false,
                on: Some(waits.resource).filter(|resource| *resource == Resource::Io).and_then(|_| disk()),
                share: harm.share.get(),
                before: harm.before.get(),
                lost_ns: harm.lost().nanos().get(),
                source: waits.source.name.to_owned(),
            })
        });
        let mut lost: Vec<TimeLost> = lost.chain(delays::losses(whole, span)).collect();
        let caused = cause.map(|rule| rules::by_id(rule).loss.unwrap_or(Loss::Stalls).resources());
        lost.iter_mut().for_each(|one| one.by_cause = caused.is_some_and(|resources| resources.contains(&one.to)));
        lost.sort_by_key(|one| std::cmp::Reverse(one.lost_ns));
        lost
    }

    /// The largest loss that stands out of the recording beside explained stretches, as a sentence, when people notice it.
    pub(crate) fn unexplained(&self, whole: &Window<'_>, explained: &[Span]) -> Option<(Span, String)> {
        let losses = Loss::Stalls.resources().iter().filter_map(|resource| {
            let waits = self.host(*resource)?;
            let held = waits.share.signal.held(waits.usual.get() + UNEXPLAINED.get());
            let mut held = joined(held, intervals(whole.recording, JOINED));
            held.retain(|span| !explained.iter().any(|known| known.overlaps(*span)));
            let harm = |span| {
                let harm = Harm { before: waits.usual, ..waits.harm(whole, span)? };
                (harm.lost() >= UNEXPLAINED_TIME).then_some((span, waits, harm))
            };
            held.into_iter().filter_map(harm).max_by(|a, b| a.2.lost().total_cmp(&b.2.lost()))
        });
        let (span, waits, harm) = losses.max_by(|a, b| a.2.lost().total_cmp(&b.2.lost()))?;
        let (io, to) = (waits.resource == Resource::Io, waits.resource.words());
        let stalls = waits.source.name == derived::PSI_IO_SOME.name;
        let during = whole.over(span);
        let queue = during.busiest(|disk| during.queue(disk));
        // Reads that a program waits for one by one are its work, and idle CPUs alone do not tell of a queue.
        if io && queue.map_or(!stalls, |(_, queue)| queue < QUEUE) {
            return None;
        }
        let place = queue.map_or_else(String::new, |(disk, queue)| {
            let time = during.disk_await(disk).map_or_else(String::new, |time| format!(", {time} per request"));
            format!(", most of it on {disk} with {:.1} requests in flight{time}", queue.get())
        });
        let since = span.from.since(whole.span.from);
        let text = format!(
            "From {since} on tasks lost {} of each second to waits for {to} ({} before){place}. No rule explains it: \
             record processes and block-layer latency (`biolatency-bpfcc -D`) while it lasts.",
            of_a_second(harm.share),
            of_a_second(harm.before),
        );
        Some((span, text))
    }
}

/// The time lost of each second. Less than 0.1 ms is below what PSI measures.
fn of_a_second(share: Amount<Ratio>) -> String {
    let lost = Amount::<Nanos>::new((share.get() * 1e4).round() * 1e5);
    if lost.is_positive() { lost.to_string() } else { "none".to_owned() }
}

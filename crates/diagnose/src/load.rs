//! Loads of a recording what the rules need: of a long one most of it only around what happened.

use crate::actors::{group, job, process, stream, victim, wait_channel};
use crate::evidence::threshold::GROWTH;
use crate::evidence::traced;
use crate::examine::cost::Losses;
use crate::ledger::accounts;
use crate::ledger::blocked;
use crate::ledger::delays;
use crate::ledger::quieter;
use crate::ledger::suspended;
use crate::ledger::unexplained;
use crate::measure::amount::{Amount, Count};
use crate::measure::episodes::Episodes;
use crate::measure::stretch::{self, KILLS};
use crate::measure::window::{Window, intervals, joined};
use crate::measure::{coverage, low_priority, watermarks, window};
use crate::rules;
use crate::rules::contract::Scope;
use crate::verdict::{changes, effects};
use pagetide_core::{Error, LazyRecording, Nanos, Recording, Source, Span, Table, derived};
use std::sync::LazyLock;

/// Samples up to which all of a recording is loaded: two hours at one a second.
const LONG: usize = 7200;
/// The time before a stretch that is loaded with it, as its baseline.
const BEFORE: Nanos = Nanos::new(3_600_000_000_000);
/// The same of processes, in intervals: a rate needs the sample before.
const MARGIN: u64 = 10;
/// Intervals before the end of a recording in which what has not ended may still grow.
const END: u64 = 3;
/// Stretches with kills whose processes are loaded, at most: a container that comes to its limit again and again has thousands a day.
const KILLED: usize = 30;

/// What of a recording is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// All of it; of one that is longer than [`LONG`], as [`Self::Losses`].
    Thorough,
    /// What tells when tasks lose time, and all that is known of those stretches and of what grows.
    Losses,
}

/// Loads what the rules need as deep as that, with the stretch that is asked for, and these metrics beside; those of processes where the rules'
/// are loaded. Gives the episodes that finding the stretches took.
pub(crate) fn load<S: Source>(
    recording: &mut LazyRecording<S>,
    also: &[&str],
    depth: Depth,
    asked: Span,
) -> Result<Episodes, Error> {
    let metrics: Vec<&str> = metrics().iter().chain(also).copied().collect();
    let known = recording.recording();
    // The stretches of a lab run are its steps.
    if depth == Depth::Thorough && known.stamps().len() <= LONG || known.steps().next().is_some() {
        recording.columns(&Table::ALL, &metrics)?;
        return Ok(Episodes::default());
    }
    let tables: Vec<Table> = Table::ALL.into_iter().filter(|table| *table != Table::Process).collect();
    let whole: Vec<&str> = throughout().iter().chain(also).copied().collect();
    recording.columns(&tables, &whole)?;
    let mut episodes = Episodes::default();
    // Slow growth is searched for in the whole recording.
    if grew(recording.recording(), &episodes) {
        recording.columns(&Table::ALL, &of_growth())?;
    }
    let asked = Some(asked).filter(|asked| *asked != Span::ALL);
    let Stretches { lost, killed } = Stretches::of(recording.recording(), &episodes);
    let lost: Vec<Span> = lost.into_iter().chain(asked).collect();
    let with_before = lost.iter().copied().chain(killed).map(|span| Span { from: span.from.earlier(BEFORE), ..span });
    for span in joined(with_before.collect(), Nanos::new(0)) {
        recording.columns_within(&tables, &metrics, (span.from.ns(), span.to.ns()))?;
    }
    for span in joined(lost, Nanos::new(0)) {
        recording.columns_within(&[Table::Process], &metrics, (span.from.ns(), span.to.ns()))?;
    }
    episodes.more_was_read(recording.recording(), &whole);
    Ok(episodes)
}

/// The metrics that tell when tasks lose time and whether anything grows, and those of rules about a whole recording.
fn throughout() -> Vec<&'static str> {
    let lost = [
        &derived::PSI_CPU_SOME,
        &derived::PSI_IO_SOME,
        &derived::PSI_MEMORY_SOME,
        &derived::CPU_IOWAIT,
        &derived::CPUS,
    ];
    let whole = rules::RULES.iter().filter(|rule| rule.scope == Scope::Whole).map(|rule| rule.doc.metrics);
    let all = whole.chain(accounts::METRICS).chain([blocked::METRICS]).chain(coverage::metrics()).flatten().copied();
    let mut all: Vec<&str> = all.chain(lost.into_iter().flat_map(|derived| derived.metrics())).collect();
    all.extend(stretch::metrics());
    // A derived metric is known throughout or around what happened: of which samples it is would have to be found for each.
    for metrics in window::DERIVED.iter().map(|derived| derived.metrics()) {
        if metrics.iter().any(|metric| all.contains(metric)) {
            all.extend(metrics);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The metrics of rules about growth.
fn of_growth() -> Vec<&'static str> {
    let rules = rules::RULES.iter().filter(|rule| rule.grows()).map(|rule| rule.doc.metrics);
    rules.chain([process::METRICS]).flatten().copied().collect()
}

/// Whether memory grew from the start of a recording to its end.
fn grew(recording: &Recording, episodes: &Episodes) -> bool {
    let Some(whole) = Window::whole(recording, episodes) else { return false };
    let changed = |metric: &str, sign: f64| {
        let change = whole.host_change(metric).zip(whole.memory());
        change.is_some_and(|(change, memory)| change * sign >= (memory * GROWTH).max(Amount::ZERO))
    };
    changed("AnonPages", 1.0) || changed("Slab", 1.0) || changed("SwapFree", -1.0)
}

/// The stretches of a recording of which rules need to know more, with some samples around them.
struct Stretches {
    /// Those in which tasks lose time, and what lasts at the end.
    lost: Vec<Span>,
    /// Those in which the OOM killer ended processes and nobody else noticed; none of up to [`KILLED`] of them, which count as lost.
    killed: Vec<Span>,
}

impl Stretches {
    fn of(recording: &Recording, episodes: &Episodes) -> Self {
        let (mut lost, mut killed) = (Vec::new(), Vec::new());
        if let Some(whole) = Window::whole(recording, episodes) {
            let losses = Losses::of(recording, episodes);
            let margin = intervals(recording, MARGIN);
            for window in Window::all(recording, episodes) {
                let span = Span { from: window.span.from.earlier(margin), to: window.span.to.later(margin) };
                let lasts = window.span.to.later(intervals(recording, END)) >= whole.span.to;
                if lasts && window.span != whole.span || losses.lose(&whole, window.span) {
                    lost.push(span);
                } else if window.rise::<Count>(Table::Host, "", KILLS).is_some_and(Amount::is_positive) {
                    killed.push(span);
                }
            }
        }
        if killed.len() <= KILLED {
            lost.append(&mut killed);
        }
        Self { lost, killed }
    }
}

/// The metrics that the rules and what they share read, each once.
pub(crate) fn metrics() -> &'static [&'static str] {
    static METRICS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let shared = [
            blocked::METRICS,
            wait_channel::METRICS,
            changes::METRICS,
            delays::METRICS,
            effects::METRICS,
            group::METRICS,
            job::METRICS,
            low_priority::METRICS,
            process::METRICS,
            quieter::METRICS,
            stream::METRICS,
            suspended::METRICS,
            victim::METRICS,
            unexplained::METRICS,
            watermarks::METRICS,
        ]
        .into_iter();
        let shared = shared.chain(accounts::METRICS).chain(window::METRICS.iter().copied()).chain(coverage::metrics());
        let mut all: Vec<&str> =
            shared.chain(rules::RULES.iter().map(|rule| rule.doc.metrics)).flatten().copied().collect();
        all.extend(traced::metrics());
        all.extend(window::DERIVED.iter().flat_map(|derived| derived.metrics()));
        all.sort_unstable();
        all.dedup();
        all
    });
    &METRICS
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Entity, Manifest, RecordingBuilder, Sample, Schema, Selection, Stamp, metric};
    use std::cell::RefCell;

    const SECOND: i64 = 1_000_000_000;

    /// Three hours of a host with a process, in which tasks wait for IO for some seconds; what is read of it is noted.
    struct Hours {
        waits: std::ops::Range<i64>,
        read: RefCell<Vec<Selection>>,
    }

    impl Source for Hours {
        fn load(&self, selection: &Selection) -> Result<Recording, Error> {
            self.read.borrow_mut().push(selection.clone());
            let manifest = Manifest {
                interval: Nanos::new(SECOND as u64),
                memory_total: pagetide_core::Bytes::new(1 << 30),
                ..Manifest::default()
            };
            let mut builder = RecordingBuilder::new(manifest);
            let mut schema = Schema::default();
            let tables: Vec<Table> =
                [Table::Host, Table::Process].into_iter().filter(|table| selection.tables.contains(table)).collect();
            let of = |table: Table| metric::all(table).iter().filter(|known| selection.wants_metric(known.name));
            let mut waits = Vec::new();
            for table in &tables {
                schema.push_entity(*table, Entity::new(if *table == Table::Process { "7@7" } else { "" }, "app"));
                waits.push(of(*table).map(|known| known.name == "psi_io_some").collect::<Vec<bool>>());
                of(*table).for_each(|known| _ = schema.column(*table, known.name));
            }
            let range = selection.from_wall_ns.unwrap_or(0)..=selection.to_wall_ns.unwrap_or(i64::MAX);
            for second in (0..10_800).filter(|second| range.contains(&(second * SECOND))) {
                let at = second * SECOND;
                let waited = (second - self.waits.start).clamp(0, self.waits.end - self.waits.start) * 600_000;
                let mut sample = Sample::default();
                sample.stamp = Stamp { wall_ns: at, mono_ns: at, boot_ns: at };
                for (table, waits) in tables.iter().zip(&waits) {
                    let row = sample.row(*table, pagetide_core::EntityId(0), waits.len());
                    row.iter_mut().zip(waits).for_each(|(value, waits)| *value = Some(i64::from(*waits) * waited));
                }
                builder.sample(&schema, &sample);
            }
            Ok(builder.finish())
        }
    }

    /// What is read of them behind their times.
    fn read(waits: std::ops::Range<i64>) -> Vec<Selection> {
        let hours = Hours { waits, read: RefCell::default() };
        let mut recording = LazyRecording::open(&hours, None, None).expect("times");
        load(&mut recording, &[], Depth::Thorough, Span::ALL).expect("it is there");
        hours.read.into_inner().split_off(1)
    }

    #[test]
    fn of_a_long_recording_most_is_read_around_lost_time() {
        let quiet = read(0..0);
        let [whole] = &quiet[..] else { panic!("{quiet:?}") };
        assert!(!whole.wants_table(Table::Process) && !whole.is_part(), "{whole:?}");
        assert!(whole.metrics.len() * 3 < metrics().len() * 2, "{} of {}", whole.metrics.len(), metrics().len());
        let lost = read(5000..5060);
        let [first, rest, processes] = &lost[..] else { panic!("{lost:?}") };
        assert_eq!(first, whole);
        let seconds = |one: &Selection| [one.from_wall_ns, one.to_wall_ns].map(|wall| wall.map(|wall| wall / SECOND));
        // An hour before, and ten samples around.
        assert_eq!(seconds(rest), [Some(1390), Some(5070)]);
        assert_eq!(seconds(processes), [Some(4990), Some(5070)]);
        assert_eq!((&processes.tables[..], processes.metrics.len()), (&[Table::Process][..], metrics().len()));
    }

    #[test]
    fn every_metric_that_a_rule_reads_exists() {
        const IMPORTED: [&str; 10] = [
            "util",
            "queue_depth",
            "await_ms",
            "read_await_ms",
            "write_await_ms",
            "discard_await_ms",
            "reads_writes",
            "cpu_iowait_share",
            "cpu_idle_share",
            "pgsteal",
        ];
        let known = |name: &str| {
            IMPORTED.contains(&name)
                || name.ends_with('*')
                || pagetide_core::Table::ALL.iter().any(|table| pagetide_core::metric::find(*table, name).is_some())
        };
        let unknown: Vec<_> = metrics().iter().filter(|name| !known(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}

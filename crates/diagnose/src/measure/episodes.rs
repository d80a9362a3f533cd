//! The signals of a recording, and when each is far above its baseline, found once for each.

use crate::measure::amount::Amount;
use crate::measure::low_priority::LowPriority;
use crate::measure::signal::{KnownTimes, Signal, Slope, Weighed};
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Moment, Ratio, Recording, Span, Table};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Names a signal: an entity, and how the signal follows from its metrics.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignalSpec<'a> {
    table: Table,
    entity: &'a str,
    formula: Formula,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Formula {
    Rate(&'static [&'static str]),
    Growth(&'static str),
    Fall(&'static str),
    /// A derived metric, by name.
    Derived(&'static str),
    Await,
}

impl<'a> SignalSpec<'a> {
    /// The sum of the rates of those metrics that exist.
    pub(crate) const fn rate(table: Table, entity: &'a str, metrics: &'static [&'static str]) -> Self {
        Self { table, entity, formula: Formula::Rate(metrics) }
    }

    /// A derived metric of a disk.
    pub(crate) const fn disk(disk: &'a str, derived: &'static Derived) -> Self {
        Self { table: Table::Disk, entity: disk, formula: Formula::Derived(derived.name) }
    }

    /// A derived metric of a process.
    pub(crate) const fn process(process: &'a str, derived: &'static Derived) -> Self {
        Self { table: Table::Process, entity: process, formula: Formula::Derived(derived.name) }
    }

    /// The process whose signal it is.
    pub(crate) fn of_process(self) -> Option<&'a str> {
        (self.table == Table::Process).then_some(self.entity)
    }

    /// A derived metric of a control group.
    pub(crate) const fn cgroup(group: &'a str, derived: &'static Derived) -> Self {
        Self { table: Table::Cgroup, entity: group, formula: Formula::Derived(derived.name) }
    }

    /// A derived metric of a control group; of the host where none is named.
    pub(crate) const fn of_group(group: Option<&'a str>, derived: &'static Derived) -> Self {
        match group {
            Some(group) => Self::cgroup(group, derived),
            None => Self { table: Table::Host, entity: "", formula: Formula::Derived(derived.name) },
        }
    }

    /// How fast a gauge grows.
    pub(crate) const fn growth(table: Table, entity: &'a str, metric: &'static str) -> Self {
        Self { table, entity, formula: Formula::Growth(metric) }
    }

    /// The time of a request at a disk.
    pub(crate) const fn disk_await(disk: &'a str) -> Self {
        Self { table: Table::Disk, entity: disk, formula: Formula::Await }
    }

    /// The group, or the host, of whose waits for a CPU it is.
    fn cpu_waits(self) -> Option<Option<&'a str>> {
        match (self.table, self.formula) {
            (Table::Host, Formula::Derived(name)) if name == derived::PSI_CPU_SOME.name => Some(None),
            (Table::Cgroup, Formula::Derived(name)) if name == derived::PSI_CPU_SOME.name => Some(Some(self.entity)),
            _ => None,
        }
    }

    /// The metrics that it follows from.
    pub(crate) fn metrics(self) -> Vec<&'static str> {
        match self.formula {
            Formula::Rate(metrics) => metrics.to_vec(),
            Formula::Growth(metric) | Formula::Fall(metric) => vec![metric],
            Formula::Derived(name) => derived::find(name).map(Derived::metrics).unwrap_or_default(),
            Formula::Await => derived::AWAIT.metrics(),
        }
    }

    fn key(self) -> Key {
        (self.table, self.entity.to_owned(), self.formula)
    }

    /// The signal as it was recorded; absent when no metric of it was. Over a long recording each takes time: rules ask [`Episodes::signal`], which takes
    /// off what is no lost time.
    pub(crate) fn signal(self, recording: &Recording) -> Option<Signal> {
        let Self { table, entity, formula } = self;
        match formula {
            Formula::Rate(metrics) => Signal::rate(recording, table, entity, metrics),
            Formula::Growth(metric) => Signal::slope(recording, table, entity, metric, Slope::Growth),
            Formula::Fall(metric) => Signal::slope(recording, table, entity, metric, Slope::Fall),
            Formula::Derived(name) => Signal::derived(recording, table, entity, derived::find(name)?),
            Formula::Await => Signal::disk_await(recording, entity),
        }
    }
}

impl SignalSpec<'static> {
    /// The sum of the rates of those metrics of the host that exist.
    pub(crate) const fn host(metrics: &'static [&'static str]) -> Self {
        Self::rate(Table::Host, "", metrics)
    }

    /// A derived metric of the host.
    pub(crate) const fn derived(derived: &'static Derived) -> Self {
        Self::of_group(None, derived)
    }

    /// How fast a gauge of the host grows.
    pub(crate) const fn host_growth(metric: &'static str) -> Self {
        Self::growth(Table::Host, "", metric)
    }

    /// How fast a gauge of the host falls.
    pub(crate) const fn host_fall(metric: &'static str) -> Self {
        Self { table: Table::Host, entity: "", formula: Formula::Fall(metric) }
    }
}

/// A signal by its entity's table and name.
type Key = (Table, String, Formula);

/// A signal and the bits of a value.
type AtLeast = (Key, u64);

/// A derived metric of an entity over a stretch, by name. What is told apart fastest comes first.
type Mean = (Span, Table, &'static str, String);

/// A median and the median deviation from it.
type Middle = (f64, f64);

/// What was found, by key: each once, though threads ask for it at the same time.
#[derive(Debug)]
struct Found<K, V>(Mutex<BTreeMap<K, Arc<OnceLock<V>>>>);

impl<K, V> Default for Found<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Ord, V: Clone> Found<K, V> {
    fn or_find(&self, key: K, find: impl FnOnce() -> V) -> V {
        let found = Arc::clone(lock(&self.0).entry(key).or_default());
        found.get_or_init(find).clone()
    }

    fn retain(&mut self, mut stays: impl FnMut(&K) -> bool) {
        lock(&self.0).retain(|key, _| stays(key));
    }
}

fn lock<T>(all: &Mutex<T>) -> MutexGuard<'_, T> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The signals of one recording and their episodes, as far as a rule needed them. Stretches are examined on several threads, which share it.
#[derive(Debug, Default)]
pub(crate) struct Episodes {
    known: Found<Key, Arc<[Weighed]>>,
    /// The signals that rules compare in each of their stretches.
    signals: Found<Key, Option<Arc<Signal>>>,
    /// Their times.
    times: Mutex<KnownTimes>,
    /// The medians of signals over stretches, with the deviations from them: several rules ask the same of each of their stretches.
    middles: Found<(Key, Span), Option<Middle>>,
    /// The values of derived metrics over stretches, of which rules ask the same of each of theirs: of what was before one, a day.
    means: Found<Mean, Option<f64>>,
    /// From the first to the last moment of the recording.
    span: OnceLock<Option<(i64, i64)>>,
    /// When signals stay at or above a value, by its bits.
    held: Found<AtLeast, Arc<[Span]>>,
    /// The processes whose waits for a CPU are no lost time.
    low_priority: OnceLock<LowPriority>,
    /// Groups that came in the place of others.
    successions: OnceLock<BTreeMap<String, String>>,
    /// From when on the tasks of groups wait for commits of a journal, and by which share of time longer.
    commits: OnceLock<BTreeMap<String, (Moment, Amount<Ratio>)>>,
    /// Runs of samples that were followed to their end, by name.
    runs: Mutex<BTreeMap<&'static str, Vec<Span>>>,
}

impl Episodes {
    /// When a signal is far above its baseline; empty when there is no such signal. Of a day a signal takes as much memory as two columns: it is
    /// kept where it follows from several metrics. Rules compare those, and others are made again in no time.
    pub(crate) fn of(&self, recording: &Recording, spec: SignalSpec<'_>) -> Arc<[Weighed]> {
        let find = || match spec.formula {
            Formula::Derived(_) | Formula::Await => self.signal(recording, spec).map(|signal| signal.weighed()),
            Formula::Rate(_) | Formula::Growth(_) | Formula::Fall(_) => {
                self.found(recording, spec).map(|signal| signal.weighed())
            }
        };
        self.known.or_find(spec.key(), || find().unwrap_or_default().into())
    }

    /// The recording's own span, which takes a look at every sample.
    pub(crate) fn span(&self, recording: &Recording) -> Option<(i64, i64)> {
        *self.span.get_or_init(|| recording.span())
    }

    /// Groups that came in the place of others, by name, which takes a look at every process.
    pub(crate) fn successions(&self, find: impl FnOnce() -> BTreeMap<String, String>) -> &BTreeMap<String, String> {
        self.successions.get_or_init(find)
    }

    /// From when on the tasks of groups wait for commits of a journal, by name, which takes a look at every process.
    pub(crate) fn commits(
        &self,
        find: impl FnOnce() -> BTreeMap<String, (Moment, Amount<Ratio>)>,
    ) -> &BTreeMap<String, (Moment, Amount<Ratio>)> {
        self.commits.get_or_init(find)
    }

    /// A derived metric of an entity over a stretch. Those of processes are not kept: they are many, and each is asked for in one stretch.
    pub(crate) fn mean(
        &self,
        recording: &Recording,
        (table, entity): (Table, &str),
        derived: &'static Derived,
        span: Span,
    ) -> Option<f64> {
        let find = || {
            let spec = SignalSpec { table, entity, formula: Formula::Derived(derived.name) };
            match spec.cpu_waits().filter(|place| self.low_priority(recording).concerns(*place)) {
                Some(_) => self.signal(recording, spec)?.mean::<Ratio>(span).map(Amount::get),
                None => derived.over(recording, table, entity, (span.from.ns(), span.to.ns())),
            }
        };
        if table == Table::Process {
            return find();
        }
        self.means.or_find((span, table, derived.name, entity.to_owned()), find)
    }

    /// The median of a signal over a stretch and the median deviation from it, as [`Signal::middle`].
    pub(crate) fn middle<M>(
        &self,
        recording: &Recording,
        spec: SignalSpec<'_>,
        span: Span,
    ) -> Option<(Amount<M>, Amount<M>)> {
        let find = || {
            let (median, deviation) = self.signal(recording, spec)?.middle::<M>(span)?;
            Some((median.get(), deviation.get()))
        };
        let middle = self.middles.or_find((spec.key(), span), find);
        middle.map(|(median, deviation)| (Amount::new(median), Amount::new(deviation)))
    }

    /// When a signal stays at or above a value; empty when there is no such signal.
    pub(crate) fn held<M>(&self, recording: &Recording, spec: SignalSpec<'_>, least: Amount<M>) -> Arc<[Span]> {
        let find = || self.signal(recording, spec).map(|signal| signal.held(least)).unwrap_or_default().into();
        self.held.or_find((spec.key(), least.get().to_bits()), find)
    }

    /// Where the run of samples ends in which one at a moment lies, which may be a day later: `find` follows each run once. Runs of one
    /// name are of one property of a sample.
    pub(crate) fn end_of_run(
        &self,
        name: &'static str,
        at: Moment,
        find: impl FnOnce() -> Option<Moment>,
    ) -> Option<Moment> {
        let known = lock(&self.runs).get(name).and_then(|runs| runs.iter().find(|run| run.contains(at)).copied());
        if let Some(run) = known {
            return Some(run.to);
        }
        let to = find()?;
        lock(&self.runs).entry(name).or_default().push(Span { from: at, to });
        Some(to)
    }

    /// A signal over all of a recording; absent when no metric of it was recorded. Those of processes are not kept: they are many, and
    /// each is asked for in one stretch.
    pub(crate) fn signal(&self, recording: &Recording, spec: SignalSpec<'_>) -> Option<Arc<Signal>> {
        if spec.table == Table::Process {
            return spec.signal(recording).map(Arc::new);
        }
        let find = || Some(Arc::new(self.found(recording, spec)?.sharing(|own| lock(&self.times).same(own))));
        self.signals.or_find(spec.key(), find)
    }

    /// A signal without the waits for a CPU that are no lost time.
    fn found(&self, recording: &Recording, spec: SignalSpec<'_>) -> Option<Signal> {
        let all = spec.signal(recording)?;
        let Some(place) = spec.cpu_waits() else { return Some(all) };
        let counted = |group: &str| SignalSpec::cgroup(group, &derived::PSI_CPU_SOME).signal(recording);
        let lost = |group: &str| self.signal(recording, SignalSpec::cgroup(group, &derived::PSI_CPU_SOME));
        Some(self.low_priority(recording).taken_off(recording, place, all, counted, lost))
    }

    fn low_priority(&self, recording: &Recording) -> &LowPriority {
        self.low_priority.get_or_init(|| LowPriority::of(recording))
    }

    /// By what the waits of a group, or of the host, for a CPU are measured.
    pub(crate) fn source_of_cpu_waits(&self, recording: &Recording, group: Option<&str>) -> &'static str {
        if self.low_priority(recording).concerns(group) {
            "psi_cpu_some - waits of processes at low priority"
        } else {
            derived::PSI_CPU_SOME.name
        }
    }

    /// The share of a stretch for which nobody but processes of low priority waits for a CPU, in a group or on the host; absent where none is there.
    pub(crate) fn given_way(&self, recording: &Recording, group: Option<&str>, span: Span) -> Option<Amount<Ratio>> {
        let spec = SignalSpec::of_group(group, &derived::PSI_CPU_SOME);
        if !self.low_priority(recording).concerns(group) {
            return None;
        }
        let all: Amount<Ratio> = spec.signal(recording)?.mean(span)?;
        Some(all - self.signal(recording, spec)?.mean(span)?)
    }

    /// Forgets what it knew before more was read than these metrics: what follows from others, and waits for a CPU where processes were
    /// read that are of low priority.
    pub(crate) fn more_was_read(&mut self, recording: &Recording, whole: &[&str]) {
        self.low_priority = OnceLock::new();
        self.successions = OnceLock::new();
        self.commits = OnceLock::new();
        let low = self.low_priority(recording).concerns(None);
        let stays = |(table, _, formula): &Key| {
            let spec = SignalSpec { table: *table, entity: "", formula: *formula };
            let read = *table != Table::Process && spec.metrics().iter().all(|metric| whole.contains(metric));
            read && !(low && spec.cpu_waits().is_some())
        };
        self.known.retain(stays);
        self.signals.retain(stays);
        self.middles.retain(|(key, _)| stays(key));
        self.means.retain(|(_, table, name, _)| stays(&(*table, String::new(), Formula::Derived(name))));
        self.held.retain(|(key, _)| stays(key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    /// A minute in which tasks wait for a CPU half of the time, with the process that does, or without any.
    fn recorded(process: bool) -> Recording {
        let mut builder = RecordingBuilder::new(Manifest::default());
        for at in 0..=60 {
            builder.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() });
            let mut value = |table, entity: &str, name: &str, kind, unit, value| {
                builder.value(table, entity, &Column { name: name.to_owned(), kind, unit }, value);
            };
            value(Table::Host, "", "psi_cpu_some", Kind::Counter, Unit::Micros, at * 500_000);
            if process {
                value(Table::Process, "7@7", "run_delay", Kind::Counter, Unit::Nanos, at * 500_000_000);
                value(Table::Process, "7@7", "num_threads", Kind::Gauge, Unit::Count, 1);
                value(Table::Process, "7@7", "policy", Kind::Gauge, Unit::Count, 5);
            }
        }
        builder.finish()
    }

    #[test]
    fn processes_that_are_read_later_change_the_waits_for_a_cpu_that_were_known() {
        let waits = SignalSpec::derived(&derived::PSI_CPU_SOME);
        let span = Span::new(0, 60_000_000_000);
        let told = |episodes: &Episodes, recording: &Recording| {
            let signal = episodes.signal(recording, waits).and_then(|signal| signal.mean::<Ratio>(span));
            let mean = episodes.mean(recording, (Table::Host, ""), &derived::PSI_CPU_SOME, span);
            let held = episodes.held(recording, waits, Amount::<Ratio>::new(0.4)).len();
            (signal.map(Amount::get), mean, held)
        };
        let (mut recording, mut episodes) = (recorded(false), Episodes::default());
        assert_eq!(told(&episodes, &recording), (Some(0.5), Some(0.5), 1));
        let none = episodes.commits(BTreeMap::new).len();
        recording.absorb(recorded(true));
        episodes.more_was_read(&recording, &["psi_cpu_some"]);
        let found = || BTreeMap::from([("/db".to_owned(), (Moment::new(5), Amount::new(0.4)))]);
        assert_eq!([none, episodes.commits(found).len(), episodes.commits(BTreeMap::new).len()], [0, 1, 1]);
        assert_eq!(told(&episodes, &recording), (Some(0.0), Some(0.0), 0));
        assert_eq!(episodes.given_way(&recording, None, span).map(Amount::get), Some(0.5));
    }
}

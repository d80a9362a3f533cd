//! A recording in memory: a manifest, samples as columns over time, and marks.

use crate::cut_content::CutContent;
use crate::cut_diagnosis::CutDiagnosis;
use crate::metric::{Kind, RATE_SCALE, Table};
use crate::quantity::Unit;
use crate::sample::{Column, Entity, Sample, Schema, Stamp};
use crate::scenario::Lru;
use crate::selection::Selection;
use crate::step::StepResult;
use crate::units::{Bytes, Nanos};
use crate::values::Values;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

/// Where the samples of a recording come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The kernel of a host.
    #[default]
    Host,
    /// The kernel of a guest that the lab booted.
    Vm,
    /// A model of a kernel.
    Sim,
    /// Logs of another tool.
    Import,
    /// What this version does not know.
    #[serde(other)]
    Unknown,
}

impl Origin {
    /// Its name in manifests and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Vm => "vm",
            Self::Sim => "sim",
            Self::Import => "import",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A value that this version knows; none for one that a later version added.
fn known<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    let value = Option::<serde_json::Value>::deserialize(deserializer)?;
    Ok(value.and_then(|value| serde_json::from_value(value).ok()))
}

/// What does not change while a recording runs, and what it cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    /// Version of the recording format (FORMAT.md).
    pub schema_version: u32,
    /// Version of pagetide that wrote it.
    pub tool_version: String,
    /// Where the samples come from.
    pub origin: Origin,
    /// The host's name.
    pub host: String,
    /// The kernel's release, as `uname -r` prints it.
    pub kernel: String,
    /// The kernel's boot id; empty when not known.
    pub boot_id: String,
    /// CPUs online.
    pub cpus: u32,
    /// Size of a page.
    pub page_size: Bytes,
    /// Memory that the kernel manages.
    pub memory_total: Bytes,
    /// Time between samples, as asked for; of an import the shortest of its files.
    pub interval: Nanos,
    /// Of an import the time between the samples that have a column, where it is longer, by [`Manifest::column_key`].
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub column_intervals: BTreeMap<String, Nanos>,
    /// Block devices.
    pub disks: Vec<Disk>,
    /// Swap areas at the start.
    pub swaps: Vec<Swap>,
    /// Mounted file systems that are backed by a block device: mount point and device.
    pub mounts: BTreeMap<String, String>,
    /// The kind of file system (`ext4`) by mount point.
    pub filesystems: BTreeMap<String, String>,
    /// Settings under `/proc/sys/vm` at the start, by name such as `vm.dirty_ratio`.
    pub sysctls: BTreeMap<String, String>,
    /// What its users call the host, by name: `site`, `role`.
    pub labels: BTreeMap<String, String>,
    /// Names of the host's own users by their uid, as `/etc/passwd` has them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub users: BTreeMap<u32, String>,
    /// The control group in which the recorded work ran, as its path is in the cgroup table; absent when it had the whole host.
    pub workload_cgroup: Option<String>,
    /// The block device that the work used, by its name in the disk table; absent when not known.
    pub workload_disk: Option<String>,
    /// Where the delays of processes come from, or why there are none: `taskstats version 16`, `none: …`. Empty when not known.
    pub process_delays: String,
    /// The host's time zone; absent when not known.
    pub time_zone: Option<HostTimeZone>,
    /// How the kernel orders pages for reclaim; absent when not known.
    #[serde(deserialize_with = "known")]
    pub lru: Option<Lru>,
    /// What the recorder could use of what not every kernel or user has, by name: `taskstats`, `psi`, `cgroup2`, `trace`.
    pub capabilities: Vec<String>,
    /// What the recorder wanted to read and could not.
    pub unreadable: Vec<Unreadable>,
    /// Lines of the kernel's files that no metric is known for (they are recorded all the same).
    pub unknown_fields: u64,
    /// CPU time that the recorder used, all threads.
    pub recorder_cpu: Nanos,
    /// Samples taken.
    pub samples: u64,
    /// Samples that came later than one and a half intervals after the one before; before version 0.2 also those of `missed_samples`.
    pub late_samples: u64,
    /// Samples that were due and not taken, because the one before took longer or the recorder did not run.
    pub missed_samples: u64,
    /// Samples that were taken and are not kept: they could not be written in time, or somebody removed the file that had them.
    pub lost_samples: u64,
    /// The diagnosis at the time of the cut, if the recording was cut into one file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_diagnosis: Option<CutDiagnosis>,
    /// Of a file of `pagetide cut`: what was damaged in the recording, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
    /// What the whole file contains, if the recording was cut into one; absent in files of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<CutContent>,
}

impl Manifest {
    /// How [`Manifest::column_intervals`] names a column of a table: `host.pgscan_direct`.
    pub fn column_key(table: Table, column: &str) -> String {
        format!("{}.{column}", table.name())
    }

    /// The time between the samples that have a column of a table.
    pub fn interval_of(&self, table: Table, column: &str) -> Nanos {
        if self.column_intervals.is_empty() {
            return self.interval;
        }
        self.column_intervals.get(&Self::column_key(table, column)).copied().unwrap_or(self.interval)
    }

    /// The longest time between the samples that have a column.
    pub fn longest_interval(&self) -> Nanos {
        self.column_intervals.values().copied().fold(self.interval, Nanos::max)
    }

    /// What the recording cannot show, a sentence each: for want of rights, or because the kernel does not count it.
    pub fn blind(&self) -> Vec<String> {
        let sentence = |missing: &Unreadable| {
            let what = match missing.source.as_str() {
                "/proc/1/io" => "the IO of other users' processes",
                "/proc/1/stat" => "other users' processes",
                "/proc/1/mountinfo" => "mounts of the host that this process does not have",
                "taskstats" => "the delays of processes",
                source => source,
            };
            format!("cannot see {what}: {}", missing.reason)
        };
        self.unreadable.iter().map(sentence).collect()
    }

    /// The same for control groups that had no row in a sample.
    pub fn blind_groups(skipped: u64) -> Option<String> {
        (skipped > 0)
            .then(|| format!("cannot see {skipped} control groups and those below them: a sample has no more rows"))
    }
}

/// The time zone of a host, as the manifest keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostTimeZone {
    /// Its name in the IANA database, `Europe/Berlin`; absent if unknown.
    pub name: Option<String>,
    /// Seconds east of UTC when the recording began.
    pub utc_offset_s: i32,
}

/// Something that the recorder wanted to read and could not, or that the kernel does not count, so that a number which is missing is not
/// taken for 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// The file, interface or file system: `/proc/pressure`, `taskstats`, `nfs4 at /data`.
    pub source: String,
    /// Why.
    pub reason: String,
}

impl Unreadable {
    /// Whether only numbers of processes are missing by it.
    pub fn is_of_processes(&self) -> bool {
        matches!(self.source.as_str(), "/proc/1/io" | "/proc/1/stat" | "taskstats")
    }
}

/// A block device, as it was when the recording began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Disk {
    /// Its name in the disk table, for example `vda`.
    pub name: String,
    /// Its device number, as `/proc/self/mountinfo` writes it: `8:16`. Absent in recordings of before.
    pub device_number: Option<String>,
    /// Its model, as the device reports it; absent where it reports none (virtio, partitions).
    pub model: Option<String>,
    /// Its size.
    pub size: Bytes,
    /// Whether it says that it rotates.
    pub rotational: Option<bool>,
    /// Its readahead.
    pub read_ahead: Option<Bytes>,
    /// The devices it lies on (of a partition its disk, of md and dm their members, of a loop device the disks of its file), by name.
    pub below: Vec<String>,
    /// The names that udev and the device mapper link to it, below `/dev/disk/by-id`, `by-label`, `by-uuid` and `/dev/mapper`.
    pub links: Vec<String>,
}

/// A swap area, as it was when the recording began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Swap {
    /// Device or file.
    pub path: String,
    /// Its size.
    pub size: Bytes,
}

/// Something that happened at a moment and is not a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// When.
    pub stamp: Stamp,
    /// What.
    pub kind: MarkKind,
}

/// What a [`Mark`] marks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum MarkKind {
    /// A step of a scenario began.
    StepStarted {
        /// The step's id.
        id: String,
        /// What it is, in a few words.
        title: String,
    },
    /// A step of a scenario ended.
    StepEnded {
        /// What it measured.
        result: Box<StepResult>,
    },
    /// Something worth a line: a change of a setting, an event of the recorder.
    Note {
        /// The line.
        text: String,
    },
}

/// A stretch of time without samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The last sample before it, ns on the recording's axis.
    pub from_ns: i64,
    /// The first sample after it, ns on the recording's axis.
    pub to_ns: i64,
}

#[derive(Debug, Clone, PartialEq)]
struct Metrics {
    label: String,
    command_line: Option<String>,
    by_name: BTreeMap<String, (Column, Values)>,
    reach: Reach,
}

/// When an entity was there: of a host that starts processes all day most are looked at to find that they were not.
#[derive(Debug, Clone, PartialEq)]
struct Reach {
    /// From the first sample with a value of any column to behind the last one.
    samples: Range<usize>,
    /// Whether it has a stored rate, which is of the time before its sample.
    rates: bool,
}

/// Samples as columns over time. The axis is `CLOCK_BOOTTIME` in ns ([`Stamp::boot_ns`]).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// What does not change.
    pub manifest: Manifest,
    /// What happened, in order of time.
    pub marks: Vec<Mark>,
    stamps: Vec<Stamp>,
    tables: BTreeMap<Table, BTreeMap<String, Metrics>>,
}

impl Recording {
    /// When each sample was taken, in order.
    pub fn stamps(&self) -> &[Stamp] {
        &self.stamps
    }

    /// First and last moment that the recording knows of (samples and marks), ns on the axis; absent when it is empty.
    pub fn span(&self) -> Option<(i64, i64)> {
        let samples = self.stamps.iter().map(|stamp| stamp.boot_ns);
        let all = samples.chain(self.marks.iter().map(|mark| mark.stamp.boot_ns)).map(|at| (at, at));
        all.reduce(|(least, most), (at, _)| (least.min(at), most.max(at)))
    }

    /// The entities of a table: name and label, in order of name.
    pub fn entities(&self, table: Table) -> impl Iterator<Item = (&str, &str)> {
        self.tables.get(&table).into_iter().flatten().map(|(name, metrics)| (name.as_str(), metrics.label.as_str()))
    }

    /// The words that a process was started with; absent where nobody asked to record them, or it was not seen when they could be read.
    pub fn command_line(&self, process: &str) -> Option<&str> {
        self.tables.get(&Table::Process)?.get(process)?.command_line.as_deref()
    }

    /// An entity of a table, whole; one that is not there has its name for a label.
    pub fn entity_of(&self, table: Table, name: &str) -> Entity {
        let metrics = self.tables.get(&table).and_then(|entities| entities.get(name));
        let command_line = metrics.and_then(|metrics| metrics.command_line.clone());
        Entity { command_line, ..Entity::new(name, metrics.map_or(name, |metrics| &metrics.label)) }
    }

    /// The entities of a table with any value from `from` to `to`, by name: not those that ended before or began after. On a host that
    /// starts processes all day these are few.
    pub fn entities_within(&self, table: Table, from: i64, to: i64) -> impl Iterator<Item = (&str, &str)> {
        self.there(table, from, to).map(|(name, metrics)| (name, metrics.label.as_str()))
    }

    /// One metric of each of [`Self::entities_within`] that has it.
    pub fn series_within(
        &self,
        table: Table,
        metric: &str,
        (from, to): (i64, i64),
    ) -> impl Iterator<Item = (&str, Series<'_>)> {
        self.there(table, from, to)
            .filter_map(move |(name, metrics)| Some((name, self.series_in(table, metrics, metric)?)))
    }

    fn there(&self, table: Table, from: i64, to: i64) -> impl Iterator<Item = (&str, &Metrics)> {
        let begin = self.stamps.partition_point(|stamp| stamp.boot_ns < from);
        let end = self.stamps.partition_point(|stamp| stamp.boot_ns <= to);
        // A stored rate is of the time before its sample.
        let there = move |(column, values): &(Column, Values)| {
            column.kind == Kind::Rate || values.first() < end && values.end() > begin
        };
        let near = move |reach: &Reach| reach.rates || reach.samples.start < end && reach.samples.end > begin;
        let entities = self.tables.get(&table).into_iter().flatten();
        let there = entities.filter(move |(_, metrics)| near(&metrics.reach) && metrics.by_name.values().any(there));
        there.map(|(name, metrics)| (name.as_str(), metrics))
    }

    /// A table's entity by its name, borrowed from the recording.
    pub(crate) fn entity(&self, table: Table, name: &str) -> Option<(Table, &str)> {
        Some((table, self.tables.get(&table)?.get_key_value(name)?.0.as_str()))
    }

    /// The metrics that an entity has, in order of name.
    pub fn metrics(&self, table: Table, entity: &str) -> impl Iterator<Item = &Column> {
        let metrics = self.tables.get(&table).and_then(|entities| entities.get(entity));
        metrics.into_iter().flat_map(|metrics| metrics.by_name.values().map(|(column, _)| column))
    }

    /// Every column that an entity has, in order of name: what it is, and its values. For those who copy a recording.
    pub fn columns(&self, table: Table, entity: &str) -> impl Iterator<Item = (&Column, &Values)> + use<'_> {
        let metrics = self.tables.get(&table).and_then(|entities| entities.get(entity));
        metrics.into_iter().flat_map(|metrics| metrics.by_name.values().map(|(column, values)| (column, values)))
    }

    /// One metric of one entity over time. The host's entity is `""`.
    pub fn series(&self, table: Table, entity: &str, metric: &str) -> Option<Series<'_>> {
        self.series_in(table, self.tables.get(&table)?.get(entity)?, metric)
    }

    fn series_in<'a>(&'a self, table: Table, metrics: &'a Metrics, metric: &str) -> Option<Series<'a>> {
        let (column, values) = metrics.by_name.get(metric)?;
        let interval = i64::try_from(self.manifest.interval_of(table, metric).get()).unwrap_or(i64::MAX);
        Some(Series { column, stamps: &self.stamps[values.first()..values.end()], values, first: 0, interval })
    }

    /// One metric of the host over time.
    pub fn host(&self, metric: &str) -> Option<Series<'_>> {
        self.series(Table::Host, "", metric)
    }

    /// One metric of one disk over time.
    pub fn disk(&self, disk: &str, metric: &str) -> Option<Series<'_>> {
        self.series(Table::Disk, disk, metric)
    }

    /// Adds what another load of the same recording has, sample by sample; loads come in order of time. What belongs to a sample that is
    /// not here is left out, and so is what is here already.
    pub fn absorb(&mut self, part: Self) {
        let places = self.places_of(&part.stamps);
        // Most parts are the whole or a stretch of it: their columns need not be copied.
        let stretch = places.first().copied().flatten();
        let stretch = stretch.filter(|first| places.iter().zip(*first..).all(|(place, at)| *place == Some(at)));
        for (table, entities) in part.tables {
            let own = self.tables.entry(table).or_default();
            for (name, metrics) in entities {
                let Metrics { label, command_line, by_name, .. } = metrics;
                let known = own.entry(name).or_insert_with(|| Metrics::of(label, command_line));
                for (name, (column, values)) in by_name {
                    if let Some(first) = stretch.filter(|_| !known.by_name.contains_key(&name)) {
                        known.insert(column, values.moved(first));
                        continue;
                    }
                    let points = values.points().filter_map(|(at, value)| Some(((*places.get(at)?)?, value)));
                    known.extend(column, points);
                }
            }
        }
    }

    /// Where samples of another load of the same recording are in this one.
    fn places_of(&self, stamps: &[Stamp]) -> Vec<Option<usize>> {
        if self.stamps == stamps {
            return (0..stamps.len()).map(Some).collect();
        }
        let name = |stamp: &Stamp| (stamp.wall_ns, stamp.mono_ns);
        let mut own: Vec<((i64, i64), usize)> = self.stamps.iter().map(name).zip(0..).collect();
        own.sort_unstable();
        let place = |stamp: &Stamp| {
            let upto = own.partition_point(|(known, _)| *known <= name(stamp));
            own.get(upto.checked_sub(1)?).filter(|(known, _)| *known == name(stamp)).map(|(_, at)| *at)
        };
        stamps.iter().map(place).collect()
    }

    /// The wall clock at a moment of the axis, ns since 1970-01-01 UTC: by the next sample, else the last one or the first mark;
    /// absent when none was set.
    pub fn wall_ns(&self, at: i64) -> Option<i64> {
        let next = self.stamps.partition_point(|stamp| stamp.boot_ns < at).min(self.stamps.len().saturating_sub(1));
        let near = self.stamps.get(next).copied().or_else(|| Some(self.marks.first()?.stamp))?;
        (near.wall_ns != 0).then(|| near.wall_ns.saturating_sub(near.boot_ns.saturating_sub(at)))
    }

    /// The results of the steps that ended, in order.
    pub fn steps(&self) -> impl Iterator<Item = &StepResult> {
        self.marks.iter().filter_map(|mark| match &mark.kind {
            MarkKind::StepEnded { result } => Some(result.as_ref()),
            _ => None,
        })
    }

    /// Stretches in which samples are more than twice the interval apart. Of an import of files with different intervals: in which those with
    /// a column are more than twice its interval apart, and those of the time between its first and its last.
    pub fn gaps(&self) -> Vec<Gap> {
        let mut gaps = gaps_between(self.stamps.iter().map(|stamp| stamp.boot_ns), self.manifest.longest_interval());
        if !self.manifest.column_intervals.is_empty() {
            let mut sampled: BTreeMap<(Table, Nanos), BTreeSet<i64>> = BTreeMap::new();
            for (table, metrics) in self.tables.iter().flat_map(|(table, all)| all.values().map(move |of| (*table, of)))
            {
                for name in metrics.by_name.keys() {
                    let moments = sampled.entry((table, self.manifest.interval_of(table, name))).or_default();
                    let series = self.series_in(table, metrics, name);
                    moments.extend(series.into_iter().flat_map(|series| series.points()).map(|(at, _)| at));
                }
            }
            gaps.extend(
                sampled.into_iter().flat_map(|((_, interval), moments)| gaps_between(moments.into_iter(), interval)),
            );
            gaps = joined(gaps);
        }
        gaps
    }
}

/// The stretches between neighbouring moments that are longer than twice an interval; none where nobody knows it.
fn gaps_between(moments: impl Iterator<Item = i64>, interval: Nanos) -> Vec<Gap> {
    let limit = i64::try_from(interval.get().saturating_mul(2)).unwrap_or(i64::MAX);
    let mut before = None;
    let gap = |at: i64| Some(Gap { from_ns: before.replace(at)?, to_ns: at });
    moments.filter_map(gap).filter(|gap| limit > 0 && gap.to_ns.saturating_sub(gap.from_ns) > limit).collect()
}

/// Gaps in order of time, of which those that overlap are one.
fn joined(mut gaps: Vec<Gap>) -> Vec<Gap> {
    gaps.sort_by_key(|gap| (gap.from_ns, gap.to_ns));
    let mut all: Vec<Gap> = Vec::with_capacity(gaps.len());
    for gap in gaps {
        match all.last_mut().filter(|last| gap.from_ns < last.to_ns) {
            Some(last) => last.to_ns = last.to_ns.max(gap.to_ns),
            None => all.push(gap),
        }
    }
    all
}

/// Builds a [`Recording`] from samples in order of time.
#[derive(Debug, Clone, Default)]
pub struct RecordingBuilder {
    recording: Recording,
}

impl RecordingBuilder {
    /// Starts an empty recording.
    pub fn new(manifest: Manifest) -> Self {
        Self { recording: Recording { manifest, ..Recording::default() } }
    }

    /// Adds a sample that was taken under `schema`. Samples come in order of time.
    pub fn sample(&mut self, schema: &Schema, sample: &Sample) {
        self.selected(&Selection::default(), schema, sample);
    }

    /// As [`Self::sample`], with only the tables and metrics that are selected.
    pub fn selected(&mut self, selection: &Selection, schema: &Schema, sample: &Sample) {
        let at = self.recording.stamps.len();
        self.recording.stamps.push(sample.stamp);
        for rows in sample.tables().filter(|rows| selection.wants_table(rows.table())) {
            let table = rows.table();
            let columns = schema.columns(table);
            let metrics = selection.wanted_metrics();
            let wanted: Vec<bool> = columns.iter().map(|column| metrics.wants(&column.name)).collect();
            let entities = self.recording.tables.entry(table).or_default();
            for (entity, values) in rows.rows() {
                let Some(entity) = schema.entities(table).get(entity.0 as usize) else { continue };
                let metrics = entities
                    .entry(entity.name.clone())
                    .or_insert_with(|| Metrics::of(entity.label.clone(), entity.command_line.clone()));
                for ((column, wanted), value) in columns.iter().zip(&wanted).zip(values) {
                    if let Some(value) = value.filter(|_| *wanted) {
                        metrics.set(column, at, value);
                    }
                }
            }
        }
    }

    /// Adds one value of one metric at the sample that was added last, for sources that are not samples of a live kernel.
    pub fn value(&mut self, table: Table, entity: &str, column: &Column, value: i64) {
        let Some(at) = self.recording.stamps.len().checked_sub(1) else { return };
        let entities = self.recording.tables.entry(table).or_default();
        let metrics = entities.entry(entity.to_owned()).or_insert_with(|| Metrics::of(entity.to_owned(), None));
        metrics.set(column, at, value);
    }

    /// Starts the next sample for [`Self::value`].
    pub fn stamp(&mut self, stamp: Stamp) {
        self.recording.stamps.push(stamp);
    }

    /// Adds samples at once, for [`Self::column`] and [`Self::values`].
    pub fn stamps(&mut self, stamps: impl IntoIterator<Item = Stamp>) {
        self.recording.stamps.extend(stamps);
    }

    /// Adds one metric of one entity at once, for sources that come by column. `points` are the index of a sample that was
    /// added before and the value there, in order of the index; a second value for one index is left out.
    pub fn column(
        &mut self,
        table: Table,
        entity: Entity,
        column: &Column,
        points: impl IntoIterator<Item = (usize, i64)>,
    ) {
        let entities = self.recording.tables.entry(table).or_default();
        let metrics = entities.entry(entity.name).or_insert_with(|| Metrics::of(entity.label, entity.command_line));
        let samples = self.recording.stamps.len();
        metrics.extend(column.clone(), points.into_iter().filter(|(at, _)| *at < samples));
    }

    /// Adds an entity, though it may have no value at all.
    pub fn entity(&mut self, table: Table, entity: Entity) {
        let entities = self.recording.tables.entry(table).or_default();
        entities.entry(entity.name).or_insert_with(|| Metrics::of(entity.label, entity.command_line));
    }

    /// Adds one metric of an entity that was added before, without a copy. Values behind the last sample are left out.
    pub fn values(&mut self, table: Table, entity: &str, column: Column, mut values: Values) {
        values.truncate(self.recording.stamps.len());
        let entities = self.recording.tables.get_mut(&table);
        let Some(metrics) = entities.and_then(|entities| entities.get_mut(entity)) else { return };
        if !values.is_empty() {
            metrics.insert(column, values);
        }
    }

    /// Adds a mark.
    pub fn mark(&mut self, mark: Mark) {
        self.recording.marks.push(mark);
    }

    /// The recording.
    pub fn finish(mut self) -> Recording {
        self.recording.marks.sort_by_key(|mark| mark.stamp.boot_ns);
        self.recording
    }
}

impl From<Recording> for RecordingBuilder {
    /// Goes on with a recording: what is added comes behind it.
    fn from(recording: Recording) -> Self {
        Self { recording }
    }
}

impl Metrics {
    fn of(label: String, command_line: Option<String>) -> Self {
        Self { label, command_line, by_name: BTreeMap::new(), reach: Reach { samples: 0..0, rates: false } }
    }

    /// Adds a column that it does not have.
    fn insert(&mut self, column: Column, values: Values) {
        self.reach.widen(&column, values.first()..values.end());
        self.by_name.insert(column.name.clone(), (column, values));
    }

    /// Adds values at samples behind those that the metric has; others are left out.
    fn extend(&mut self, column: Column, points: impl Iterator<Item = (usize, i64)>) {
        let mut points = points.peekable();
        if points.peek().is_some() {
            let (column, known) =
                self.by_name.entry(column.name.clone()).or_insert_with(|| (column, Values::default()));
            for (at, value) in points {
                if known.is_empty() || at >= known.end() {
                    known.push(at, value);
                }
            }
            self.reach.widen(column, known.first()..known.end());
        }
    }

    fn set(&mut self, column: &Column, at: usize, value: i64) {
        match self.by_name.get_mut(&column.name) {
            Some((_, values)) => {
                values.push(at, value);
                self.reach.widen(column, at..at + 1);
            }
            None => self.extend(column.clone(), std::iter::once((at, value))),
        }
    }
}

impl Reach {
    /// A column has values at these samples.
    fn widen(&mut self, column: &Column, samples: Range<usize>) {
        self.samples = match self.samples.is_empty() {
            true => samples,
            false => self.samples.start.min(samples.start)..self.samples.end.max(samples.end),
        };
        self.rates |= column.kind == Kind::Rate;
    }
}

/// One metric of one entity over time.
#[derive(Debug, Clone, Copy)]
pub struct Series<'a> {
    column: &'a Column,
    stamps: &'a [Stamp],
    values: &'a Values,
    /// Which of the values is that of the first stamp.
    first: usize,
    /// Time between the recording's samples as asked for, ns; 0 when not known.
    interval: i64,
}

impl<'a> Series<'a> {
    /// The metric's name, kind and unit.
    pub fn column(&self) -> &'a Column {
        self.column
    }

    /// The unit of the values.
    pub fn unit(&self) -> Unit {
        self.column.unit
    }

    /// The values that are present: moment in ns on the recording's axis, and value.
    pub fn points(&self) -> impl DoubleEndedIterator<Item = (i64, i64)> + use<'a> {
        let Self { stamps, values, first, .. } = *self;
        let points = values.within(first..first + stamps.len());
        points.map(move |(place, value)| (stamps[place - first].boot_ns, value))
    }

    /// Gives each point in order of time: what [`Self::points`] has, faster.
    #[inline]
    pub(crate) fn each(&self, mut give: impl FnMut((i64, i64))) {
        let Self { stamps, values, first, .. } = *self;
        values.each(first..first + stamps.len(), |at, value| give((stamps[at].boot_ns, value)));
    }

    /// Whether one of its points is lower than the one before it.
    pub(crate) fn falls(&self) -> bool {
        self.values.fall(self.first..self.first + self.stamps.len())
    }

    /// Its slots from one to another that have a value, and the value.
    fn slots(&self, slots: Range<usize>) -> impl DoubleEndedIterator<Item = (usize, i64)> + use<'a> {
        let first = self.first;
        self.values.within(first + slots.start..first + slots.end).map(move |(place, value)| (place - first, value))
    }

    /// Samples from its first value to its last, with those that lack one.
    pub(crate) fn len(&self) -> usize {
        self.stamps.len()
    }

    /// The part from its slot `first` on up to a moment. It is found from `first` on in steps that double: most lie near.
    pub(crate) fn upto(&self, first: usize, to: i64) -> Self {
        let rest = &self.stamps[first..];
        let mut near = 1;
        while rest.get(near).is_some_and(|stamp| stamp.boot_ns <= to) {
            near *= 2;
        }
        let slots = rest[..near.min(rest.len())].partition_point(|stamp| stamp.boot_ns <= to);
        self.part(first, first + slots)
    }

    /// Whether it is a counter with a value at each sample of a series, and at no other.
    pub(crate) fn counts_at_each_sample_of(&self, other: &Self) -> bool {
        self.column.kind == Kind::Counter && std::ptr::eq(self.stamps, other.stamps) && self.values.are_all_present()
    }

    /// Whether each sample was taken after the one before it.
    pub(crate) fn has_distinct_moments(&self) -> bool {
        self.stamps.windows(2).all(|pair| pair[0].boot_ns < pair[1].boot_ns)
    }

    /// When the samples of some slots were taken.
    pub(crate) fn moments(&self, slots: Range<usize>) -> impl Iterator<Item = i64> + Clone + use<'a> {
        self.stamps[slots].iter().map(|stamp| stamp.boot_ns)
    }

    /// Adds to each of `sums` what a counter with a value at each of some slots rose by from one of them to the next, in base units.
    pub(crate) fn add_rises(&self, slots: Range<usize>, sums: &mut [f64]) {
        let (times, parts) = self.unit().fraction();
        let places = self.first + slots.start..self.first + slots.end;
        // Most count in base units: a product and a quotient with 1 would take as long as all else.
        if (times, parts) == (1.0, 1.0) {
            self.values.add_rises(places, sums, |rise| rise);
        } else {
            self.values.add_rises(places, sums, |rise| rise * times / parts);
        }
    }

    /// The first point that is present from the series' slot `first` on, and the slot behind it.
    pub(crate) fn next_point(&self, first: usize) -> Option<(usize, (i64, i64))> {
        let (at, value) = self.slots(first..self.len()).next()?;
        Some((at + 1, (self.stamps[at].boot_ns, value)))
    }

    /// The time between its points, ns, at least 1: the recording's interval, or the median of its own where that is shorter.
    pub(crate) fn usual_interval(&self) -> i64 {
        // A column that several files of an import have comes at the intervals of all of them.
        const ENOUGH: usize = 64;
        let asked = Some(self.interval).filter(|interval| *interval > 0);
        let mut lengths: Vec<i64> = match (asked, self.column.kind) {
            (Some(_), Kind::Counter) => Vec::new(),
            _ => self
                .points()
                .zip(self.points().skip(1))
                .map(|(one, other)| other.0.saturating_sub(one.0))
                .take(ENOUGH)
                .collect(),
        };
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied().into_iter().chain(asked).min().unwrap_or(1).max(1)
    }

    /// The points from `from` to `to`, both included.
    pub fn within(&self, from: i64, to: i64) -> impl DoubleEndedIterator<Item = (i64, i64)> + use<'a> {
        let first = self.stamps.partition_point(|stamp| stamp.boot_ns < from);
        let end = self.stamps.partition_point(|stamp| stamp.boot_ns <= to).max(first);
        self.part(first, end).points()
    }

    /// The part of the series from its last value at or before `from` to its first value at or after `to`: all that a question
    /// about that stretch needs, found without looking at the rest.
    pub fn around(&self, from: i64, to: i64) -> Self {
        let upto = self.stamps.partition_point(|stamp| stamp.boot_ns <= from);
        let first = self.slots(0..upto).next_back().map_or(upto, |(slot, _)| slot);
        let after = self.stamps.partition_point(|stamp| stamp.boot_ns < to).max(first);
        let next = self.slots(after..self.len()).next();
        self.part(first, next.map_or(self.len(), |(next, _)| next + 1))
    }

    fn part(&self, first: usize, end: usize) -> Self {
        Self { stamps: &self.stamps[first..end], first: self.first + first, ..*self }
    }

    /// The last value at or before `at`.
    pub fn at(&self, at: i64) -> Option<i64> {
        let upto = self.stamps.partition_point(|stamp| stamp.boot_ns <= at);
        self.part(0, upto).points().next_back().map(|(_, value)| value)
    }

    /// The last value at or before each of some moments in order of time: one pass over the series, where [`Self::at`] searches for each.
    pub fn follow(&self) -> impl FnMut(i64) -> Option<i64> + use<'a> {
        let mut points = self.points().peekable();
        let mut last = None;
        move |at| {
            while let Some((_, value)) = points.next_if(|(then, _)| *then <= at) {
                last = Some(value);
            }
            last
        }
    }

    /// The last value after `after` and up to `upto`; absent when the metric has no sample in between.
    pub fn last_within(&self, after: i64, upto: i64) -> Option<i64> {
        let end = self.stamps.partition_point(|stamp| stamp.boot_ns <= upto);
        let (_, value) = self.part(0, end).points().next_back().filter(|(at, _)| *at > after)?;
        Some(value)
    }

    /// How much a counter rose from `from` to `to`: from the last sample at or before `from` (else the first after it) to
    /// the first sample at or after `to` (else the last). A counter that fell was reset: what it shows then counts from 0.
    pub fn rise(&self, from: i64, to: i64) -> Option<i64> {
        let near = self.around(from, to);
        let mut values = near.points().map(|(_, value)| value);
        let mut before = values.next()?;
        if !near.falls() {
            return Some(values.next_back()?.saturating_sub(before));
        }
        let mut risen = |now: i64| match std::mem::replace(&mut before, now) {
            before if now >= before => now.saturating_sub(before),
            _ => now,
        };
        Some(values.fold(0, |sum: i64, now| sum.saturating_add(risen(now))))
    }

    /// Rates per second: from, to, rate in the column's unit per second. Of a counter the difference between neighbouring
    /// points over the time; resets are left out. A stored rate is of the interval before its point, so the first point has
    /// one too, and one after a gap is of a usual interval and not of the gap. A gauge has no rates.
    pub fn rates(&self) -> Vec<(i64, i64, f64)> {
        let mut last = None;
        let mut counted = |(to, after): (i64, i64)| {
            let (from, before) = last.replace((to, after))?;
            let rise = after.saturating_sub(before) as f64;
            (after >= before && to > from).then(|| (from, to, rise / (to.saturating_sub(from) as f64 / 1e9)))
        };
        match self.column.kind {
            Kind::Counter => {
                // Most have one per value, and a list that grows is copied over and over.
                let mut rates = Vec::with_capacity(self.len());
                self.each(|point| rates.extend(counted(point)));
                rates
            }
            Kind::Rate => self.stored(&self.points().collect::<Vec<_>>()),
            Kind::Gauge | Kind::Unknown => Vec::new(),
        }
    }

    /// Stored rates with the interval that each is of; none when there is one point and nobody knows the interval.
    fn stored(&self, points: &[(i64, i64)]) -> Vec<(i64, i64, f64)> {
        let mut lengths: Vec<i64> = points.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0)).collect();
        lengths.sort_unstable();
        // A few points around a gap have no usual interval.
        let asked = Some(self.interval).filter(|interval| *interval > 0);
        let Some(usual) = lengths.get(lengths.len() / 2).copied().into_iter().chain(asked).min() else {
            return Vec::new();
        };
        let before = std::iter::once(None).chain(points.iter().map(|(at, _)| Some(*at)));
        let rates = before.zip(points).map(|(before, (to, rate))| {
            let near = before.filter(|before| *before >= to.saturating_sub(usual.saturating_mul(2)));
            (near.unwrap_or(to.saturating_sub(usual)), *to, *rate as f64 / RATE_SCALE as f64)
        });
        rates.filter(|(from, to, _)| to > from).collect()
    }

    /// The smallest, mean and largest value from `from` to `to`.
    pub fn summary(&self, from: i64, to: i64) -> Option<(i64, f64, i64)> {
        let values: Vec<i64> = self.within(from, to).map(|(_, value)| value).collect();
        let mean = values.iter().map(|value| *value as f64).sum::<f64>() / values.len() as f64;
        Some((*values.iter().min()?, mean, *values.iter().max()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_way_of_reclaim_that_a_later_version_knows_is_not_known() {
        let lru = |text: &str| serde_json::from_str::<Manifest>(text).unwrap().lru;
        assert_eq!([lru(r#"{"lru": "lru_gen3"}"#), lru(r#"{"lru": null}"#), lru("{}")], [None; 3]);
        assert_eq!(lru(r#"{"lru": "mglru"}"#), Some(Lru::Mglru));
    }

    fn recording(values: &[(i64, Option<i64>)]) -> Recording {
        let mut schema = Schema::default();
        let host = schema.push_entity(Table::Host, Entity::new("", ""));
        let column = schema.column(Table::Host, "pgmajfault");
        let mut builder = RecordingBuilder::new(Manifest::default());
        for (at, value) in values {
            let mut sample = Sample::default();
            (sample.stamp.boot_ns, sample.stamp.wall_ns) = (*at, *at);
            sample.row(Table::Host, host, 1)[column.0 as usize] = *value;
            builder.sample(&schema, &sample);
        }
        builder.finish()
    }

    proptest! {
        /// Whether it falls anywhere or not.
        #[test]
        fn a_counter_rose_by_what_each_sample_adds(
            numbers in prop::collection::vec(prop::option::weighted(0.9, 0..1000_i64), 0..200),
            falls in any::<bool>(),
        ) {
            let mut sum = 0;
            let mut counted = |number: i64| {
                sum += number;
                if falls { number } else { sum }
            };
            let numbers: Vec<Option<i64>> = numbers.into_iter().map(|number| number.map(&mut counted)).collect();
            let recording = recording(&(0..).zip(numbers.iter().copied()).collect::<Vec<_>>());
            let known: Vec<i64> = numbers.into_iter().flatten().collect();
            let added = known.windows(2).map(|pair| if pair[1] < pair[0] { pair[1] } else { pair[1] - pair[0] });
            let rise = recording.host("pgmajfault").and_then(|series| series.rise(0, 200));
            prop_assert_eq!(rise, (known.len() > 1).then(|| added.sum()));
        }
    }

    fn values(points: impl IntoIterator<Item = (usize, i64)>) -> Values {
        let mut values = Values::default();
        points.into_iter().for_each(|(at, value)| values.push(at, value));
        values
    }

    #[test]
    fn a_counter_rises_between_the_samples_around_a_window() {
        let recording = recording(&[(0, Some(10)), (10, Some(15)), (20, None), (30, Some(40))]);
        let series = recording.host("pgmajfault").unwrap();
        assert_eq!(series.rise(10, 30), Some(25));
        assert_eq!(series.rise(12, 18), Some(25), "a window between samples takes the samples around it");
        assert_eq!(series.rise(-5, 100), Some(30));
        assert_eq!(series.around(12, 18).rise(12, 18), Some(25), "and needs no others");
        assert_eq!(series.around(-9, -5).points().collect::<Vec<_>>(), [(0, 10)]);
        assert_eq!(series.around(99, 100).points().collect::<Vec<_>>(), [(30, 40)]);
        assert_eq!(series.at(25), Some(15));
        assert_eq!(series.at(-1), None);
        let moments = [-1, 0, 5, 10, 25, 30, 99];
        assert_eq!(moments.map(series.follow()), moments.map(|at| series.at(at)));
        assert_eq!(series.last_within(10, 25), None);
        assert_eq!(series.last_within(9, 25), Some(15));
    }

    #[test]
    fn a_counter_that_falls_was_reset() {
        let recording = recording(&[(0, Some(100)), (1_000_000_000, Some(3)), (2_000_000_000, Some(8))]);
        let series = recording.host("pgmajfault").unwrap();
        assert_eq!(series.rise(0, 2_000_000_000), Some(8));
        assert_eq!(series.rates(), [(1_000_000_000, 2_000_000_000, 5.0)]);
    }

    #[test]
    fn a_stored_rate_is_of_the_interval_before_it() {
        let rates = |times: &[i64], interval: u64| {
            let manifest = Manifest { interval: Nanos::new(interval), ..Manifest::default() };
            let mut builder = RecordingBuilder::new(manifest);
            let column = Column { name: "pgscan_kswapd".to_owned(), kind: Kind::Rate, unit: Unit::Pages };
            for at in times {
                builder.stamp(Stamp { boot_ns: *at, ..Stamp::default() });
                builder.value(Table::Host, "", &column, at * RATE_SCALE);
            }
            builder.finish().host("pgscan_kswapd").unwrap().rates()
        };
        let even = [(90, 100, 100.0), (100, 110, 110.0), (110, 120, 120.0)];
        assert_eq!(rates(&[100, 110, 120], 0), even);
        assert_eq!(rates(&[100, 110, 120], 600), even, "another file of the import has a longer interval");
        let gap = [(90, 100, 100.0), (100, 110, 110.0), (890, 900, 900.0), (900, 910, 910.0)];
        assert_eq!(rates(&[100, 110, 900, 910], 0), gap, "the rate after a gap is not of the gap");
        assert_eq!(rates(&[100, 900], 10), [(90, 100, 100.0), (890, 900, 900.0)]);
        assert_eq!(rates(&[100], 10), [(90, 100, 100.0)]);
        assert_eq!(rates(&[100], 0), [], "of what time it is, nobody knows");
    }

    #[test]
    fn a_recording_built_by_column_is_the_one_built_by_sample() {
        let by_sample = recording(&[(0, None), (10, Some(1)), (20, None), (30, Some(5)), (40, None)]);
        let mut builder = RecordingBuilder::new(Manifest::default());
        for stamp in by_sample.stamps() {
            builder.stamp(*stamp);
        }
        let column = by_sample.metrics(Table::Host, "").next().unwrap().clone();
        let host = Entity::new("", "");
        builder.column(Table::Host, host, &column, [(1, 1), (3, 5), (3, 6), (99, 7)]);
        assert_eq!(builder.finish(), by_sample, "the second value for a sample and one for no sample are left out");
        let columns: Vec<_> = by_sample.columns(Table::Host, "").collect();
        assert_eq!(columns, [(&column, &values([(1, 1), (3, 5)]))]);
    }

    #[test]
    fn a_recording_built_by_values_is_the_one_built_by_sample() {
        let by_sample = recording(&[(0, None), (10, Some(1)), (20, None), (30, Some(5)), (40, None)]);
        let mut builder = RecordingBuilder::new(Manifest::default());
        for stamp in by_sample.stamps() {
            builder.stamp(*stamp);
        }
        let column = by_sample.metrics(Table::Host, "").next().unwrap().clone();
        builder.entity(Table::Host, Entity::new("", ""));
        builder.values(Table::Host, "", column, values([(1, 1), (3, 5), (5, 9)]));
        assert_eq!(builder.finish(), by_sample, "a value for no sample is left out");
    }

    #[test]
    fn parts_of_a_recording_are_put_together_again() {
        let whole = recording(&[(0, Some(1)), (10, Some(2)), (20, None), (30, Some(4)), (40, Some(5))]);
        let stamps = |range: std::ops::Range<usize>| {
            let mut builder = RecordingBuilder::new(Manifest::default());
            whole.stamps()[range].iter().for_each(|stamp| builder.stamp(*stamp));
            builder
        };
        let part = |range: std::ops::Range<usize>| {
            let (column, known) = whole.columns(Table::Host, "").next().unwrap();
            let mut builder = stamps(range.clone());
            builder.entity(Table::Host, Entity::new("", ""));
            let inside = known.points().filter(|(at, _)| range.contains(at));
            builder.values(
                Table::Host,
                "",
                column.clone(),
                values(inside.map(|(at, value)| (at - range.start, value))),
            );
            builder.finish()
        };
        let mut together = stamps(0..5).finish();
        together.absorb(part(0..2));
        together.absorb(part(1..4));
        together.absorb(part(4..5));
        assert_eq!(together, whole, "what came twice counts once");
    }

    proptest! {
        /// However its columns came, an entity is there from its first value to its last.
        #[test]
        fn the_entities_of_a_time_are_those_with_a_column_then(
            columns in prop::collection::vec((0..4usize, 0..3usize, any::<bool>(), 0..5u8, prop::collection::btree_set(0..12usize, 0..5)), 0..12),
        ) {
            let mut whole = RecordingBuilder::new(Manifest::default());
            (0..12).for_each(|at| whole.stamp(Stamp { wall_ns: at, boot_ns: at, ..Stamp::default() }));
            let empty = whole.clone();
            for (entity, metric, rate, how, samples) in columns {
                let kind = if rate && metric == 2 { Kind::Rate } else { Kind::Counter };
                let column = Column { name: format!("metric{metric}"), kind, unit: Unit::Count };
                let entity = Entity::new(entity.to_string(), "program");
                let points: Vec<(usize, i64)> = samples.into_iter().map(|at| (at, 1)).collect();
                match how {
                    0 => whole.column(Table::Process, entity, &column, points),
                    1 => {
                        whole.entity(Table::Process, entity.clone());
                        whole.values(Table::Process, &entity.name, column, values(points));
                    }
                    _ => {
                        let mut other = if how == 2 { empty.clone() } else { RecordingBuilder::new(Manifest::default()) };
                        let stamps = if how == 2 { 0 } else { 9 };
                        (0..stamps).for_each(|at| other.stamp(Stamp { wall_ns: at, boot_ns: at, ..Stamp::default() }));
                        other.column(Table::Process, entity, &column, points);
                        let mut together = whole.finish();
                        together.absorb(other.finish());
                        whole = RecordingBuilder::from(together);
                    }
                }
            }
            let recording = whole.finish();
            for (from, to) in (-1..13).flat_map(|from| (from..13).map(move |to| (from, to))) {
                let there = |(column, values): (&Column, &Values)| {
                    let stamp = |at: usize| i64::try_from(at).unwrap();
                    column.kind == Kind::Rate || stamp(values.first()) <= to && stamp(values.end()) > from
                };
                let with_a_column = |name: &str| recording.columns(Table::Process, name).any(there);
                let expected: Vec<&str> =
                    recording.entities(Table::Process).map(|(name, _)| name).filter(|name| with_a_column(name)).collect();
                let within: Vec<&str> = recording.entities_within(Table::Process, from, to).map(|(name, _)| name).collect();
                prop_assert_eq!(within, expected, "from {} to {}", from, to);
            }
        }
    }

    #[test]
    fn an_entity_that_comes_late_starts_late() {
        let recording = recording(&[(0, None), (10, Some(1))]);
        assert_eq!(recording.host("pgmajfault").unwrap().points().collect::<Vec<_>>(), [(10, 1)]);
        let series = |metric| recording.series_within(Table::Host, metric, (0, 10)).count();
        assert_eq!(["pgmajfault", "reads"].map(series), [1, 0]);
        let within = |from, to| recording.entities_within(Table::Host, from, to).count();
        assert_eq!([within(0, 9), within(0, 10), within(10, 20), within(11, 20)], [0, 1, 1, 0]);
        assert_eq!(recording.series(Table::Disk, "sda", "reads").map(|_| ()), None);
    }
}

//! The tables that `sar` users know, from a recording: one row per sample (or per stretch of time) and entity.
//!
//! A [`Topic`] is a list of columns; a column is a derived or a recorded metric over the time between the row before and the row. Of a
//! counter it is the rate, of a gauge the mean over that time.

use pagetide_core::derived::{Fall, Term, Walk};
use pagetide_core::{Kind, Recording, Series, Stamp, Table};
use std::collections::{BTreeMap, BTreeSet};

mod text;
mod topic;
mod topics;

use topics::Column;

pub use text::{Numbers, draw};
pub use topic::{Heading, Topic};

/// One row: a moment, what it is about, and a cell per heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'a> {
    /// When, nanoseconds since 1970-01-01 UTC.
    pub wall_ns: i64,
    /// The disk, zone, process or group, as people read it; absent for the host.
    pub entity: Option<&'a str>,
    /// Its name in the recording.
    pub name: &'a str,
    /// The values; absent where the recording has none.
    pub cells: Vec<Option<f64>>,
}

/// A table of a recording. Its rows are worked out when they are asked for, each time anew.
#[derive(Debug, Clone)]
pub struct TopicTable<'a> {
    recording: &'a Recording,
    topic: Topic,
    columns: Vec<&'static Column>,
    range: (i64, i64),
    every: Option<i64>,
    entities: Vec<Entity<'a>>,
}

/// A disk, zone, process or group; the host.
#[derive(Debug, Clone)]
struct Entity<'a> {
    name: &'a str,
    /// What a person reads.
    label: String,
    /// What else it is called: of a disk its name in the device mapper, and those that udev links to it; of a group its path, and its
    /// container's name.
    aliases: Vec<&'a str>,
    /// From the first moment at which it has a value to the last.
    span: (i64, i64),
}

/// The columns of a topic, all of them when `wide`.
pub fn headings(topic: Topic, wide: bool) -> impl Iterator<Item = Heading> {
    topics::columns(topic, wide).into_iter().map(move |column| column.heading(topic.table()))
}

/// The table of `topic` over a recording, with all its columns when `wide`, one row per sample, or per `every_ns` when given, for
/// rows whose wall clock lies
/// in `from_wall..=to_wall`. Counters have no rate before the second sample; gauges, and averages that another tool printed, have a
/// value at the first.
pub fn show(
    recording: &Recording,
    topic: Topic,
    wide: bool,
    range: (i64, i64),
    every_ns: Option<i64>,
) -> TopicTable<'_> {
    let table = topic.table();
    let entities = recording.entities(table).filter_map(|(name, label)| {
        let links = recording.manifest.disks.iter().filter(|disk| table == Table::Disk && disk.name == name);
        let aliases = links.flat_map(|disk| &disk.links).map(String::as_str);
        let own = [name, label].into_iter().filter(|_| matches!(table, Table::Disk | Table::Cgroup));
        let aliases = own.chain(aliases).collect();
        Some(Entity { name, label: label_of(table, name, label), aliases, span: span(recording, table, name)? })
    });
    let mut entities: Vec<Entity<'_>> = entities.collect();
    if let (Table::Host, true, Some(span)) = (table, entities.is_empty(), axis(recording)) {
        // Sums over CPUs and disks are the host's as well.
        entities.push(Entity { name: "", label: String::new(), aliases: Vec::new(), span });
    }
    if table == Table::Cpu {
        entities.sort_by_key(|entity| entity.name.parse::<u32>().unwrap_or(u32::MAX));
    }
    let columns = topics::columns(topic, wide);
    TopicTable { recording, topic, columns, range, every: every_ns, entities }
}

impl<'a> TopicTable<'a> {
    /// The columns.
    pub fn headings(&self) -> impl Iterator<Item = Heading> + use<> {
        let table = self.topic.table();
        self.columns.clone().into_iter().map(move |column| column.heading(table))
    }

    /// What the entity column is called; absent when there is none.
    pub fn entity(&self) -> Option<&'static str> {
        self.topic.entity()
    }

    /// Leaves out all entities but those whose name, as it is shown, is wanted. A control group that is shown with a container's name
    /// is also known by that name alone, and by its path alone.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.entities.retain(|entity| entity.is(&wanted));
    }

    /// Whether there is an entity whose name, as it is shown, is wanted.
    pub fn has(&self, wanted: impl Fn(&str) -> bool) -> bool {
        self.entities.iter().any(|entity| entity.is(&wanted))
    }

    /// Leaves out the disks and processes that do nothing in the time shown: no counter changes. Gives how many they were.
    pub fn hide_idle(&mut self) -> usize {
        if !matches!(self.topic, Topic::Disk | Topic::Processes) {
            return 0;
        }
        let Some((from, to)) = self.span() else { return 0 };
        let terms = self.columns.iter().flat_map(|column| column.formula().terms());
        let counted: Vec<&str> = terms.filter(|term| matches!(term, Term::Rate(_))).map(Term::metric).collect();
        let (recording, table) = (self.recording, self.topic.table());
        let moves = |entity: &Entity<'_>| {
            let moves =
                |metric: &&str| recording.series(table, entity.name, metric).is_some_and(|s| moves(&s, from, to));
            counted.iter().any(moves)
        };
        let there = self.entities.len();
        self.entities.retain(|entity| entity.span.1 <= from || entity.span.0 > to || moves(entity));
        there - self.entities.len()
    }

    /// From where the first row's interval begins to where the last one's ends; absent when there is no row.
    fn span(&self) -> Option<(i64, i64)> {
        let mut intervals = self.intervals();
        let (from, first) = intervals.next()?;
        Some((from, intervals.last().map_or(first, |(_, last)| last).boot_ns))
    }

    /// The rows, in order of time.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows_over(self.intervals())
    }

    /// One row per entity over the time of all rows, as sar's `Average:`.
    pub fn averages(&self) -> impl Iterator<Item = Row<'_>> {
        let whole = self.span().and_then(|(from, to)| {
            let end = self.recording.stamps().iter().find(|stamp| stamp.boot_ns == to)?;
            Some((from, *end))
        });
        self.rows_over(whole.into_iter())
    }

    /// The smallest and the largest value that any row has, a row of each for every entity.
    pub fn extremes(&self) -> Vec<(Row<'_>, Row<'_>)> {
        let mut extremes: Vec<(Row<'_>, Row<'_>)> = Vec::new();
        for row in self.rows() {
            let Some((least, most)) = extremes.iter_mut().find(|(known, _)| known.entity == row.entity) else {
                extremes.push((row.clone(), row));
                continue;
            };
            let choose = |known: &mut Option<f64>, new: Option<f64>, of: fn(f64, f64) -> f64| {
                *known = known.map_or(new, |known| Some(new.map_or(known, |new| of(known, new))));
            };
            for (at, value) in row.cells.into_iter().enumerate() {
                choose(&mut least.cells[at], value, f64::min);
                choose(&mut most.cells[at], value, f64::max);
            }
        }
        extremes
    }

    /// The counters that fell in the time shown, with whose they are and when they did so first: their rates are left out there.
    pub fn falls(&self) -> Vec<FellCounters> {
        let Some((from, to)) = self.span() else { return Vec::new() };
        let (recording, table) = (self.recording, self.topic.table());
        let walk = |(entity, column): (&Entity<'_>, &'static Column)| {
            column.formula().walk(column.unit(), recording, table, entity.name)
        };
        let pairs = self.entities.iter().flat_map(|entity| self.columns.iter().map(move |column| (entity, *column)));
        let mut at: BTreeMap<(&str, i64), BTreeSet<&'static str>> = BTreeMap::new();
        for Fall { to, entity, metric, .. } in pairs
            .filter_map(walk)
            .flat_map(|walk| walk.falls().cloned().collect::<Vec<_>>())
            .filter(|fall| fall.to > from && fall.from < to)
        {
            at.entry((entity, to)).or_default().insert(metric);
        }
        let mut fell: Vec<FellCounters> = Vec::new();
        for ((entity, to), metrics) in at {
            match fell.iter_mut().find(|known| known.entity == entity && known.metrics == metrics) {
                Some(known) => known.times += 1,
                None => {
                    let wall_ns = recording.wall_ns(to).unwrap_or(to);
                    fell.push(FellCounters { entity: entity.to_owned(), metrics, wall_ns, times: 1 });
                }
            }
        }
        fell
    }

    /// The rows of intervals: from the moment before each to the sample at its end.
    fn rows_over(&self, intervals: impl Iterator<Item = (i64, Stamp)>) -> impl Iterator<Item = Row<'_>> {
        let (recording, table) = (self.recording, self.topic.table());
        let columns = &self.columns;
        let walks = |entity: &Entity<'_>| -> Vec<Option<Walk<'a>>> {
            let walk = |column: &'static Column| column.formula().walk(column.unit(), recording, table, entity.name);
            columns.iter().copied().map(walk).collect()
        };
        let mut walks: Vec<_> = self.entities.iter().map(walks).collect();
        intervals.flat_map(move |(from, stamp)| {
            let to = stamp.boot_ns;
            let mut rows = Vec::new();
            for (entity, walks) in self.entities.iter().zip(&mut walks) {
                if to < entity.span.0 || from > entity.span.1 {
                    continue;
                }
                let over = |walk: &mut Option<Walk<'_>>| walk.as_mut()?.over(from, to);
                let cells: Vec<Option<f64>> = walks.iter_mut().map(over).collect();
                if cells.iter().any(Option::is_some) {
                    let (entity, name) = (self.entity().map(|_| entity.label.as_str()), entity.name);
                    rows.push(Row { wall_ns: stamp.wall_ns, entity, name, cells });
                }
            }
            rows
        })
    }

    /// The stretches of time that rows are of: where each begins, and the sample at its end.
    fn intervals(&self) -> impl Iterator<Item = (i64, Stamp)> {
        let stamps = self.recording.stamps();
        let (range, every) = (self.range, self.every);
        let first = stamps.first().map_or(0, |stamp| stamp.boot_ns);
        // The first sample speaks for an interval before it: a row of its own, or part of the first of several.
        let interval = i64::try_from(self.recording.manifest.interval.get()).unwrap_or(i64::MAX).max(1);
        let alone = every.is_none_or(|every| every <= interval) || stamps.len() == 1;
        let mut before = if alone || self.has_stored_rates() { first.saturating_sub(interval) } else { first };
        stamps.iter().enumerate().filter_map(move |(at, stamp)| {
            let (from, to) = (before, stamp.boot_ns);
            if every.is_some_and(|every| to - from < every && at + 1 < stamps.len()) {
                return None;
            }
            before = to;
            ((range.0..=range.1).contains(&stamp.wall_ns) && to > from).then_some((from, *stamp))
        })
    }

    /// Whether the first sample has averages that another tool printed.
    fn has_stored_rates(&self) -> bool {
        let (recording, table) = (self.recording, self.topic.table());
        let mut columns = self.entities.iter().flat_map(|entity| recording.columns(table, entity.name));
        columns.any(|(column, values)| column.kind == Kind::Rate && values.first() == 0)
    }
}

impl Entity<'_> {
    /// Whether one of its names is wanted.
    fn is(&self, wanted: impl Fn(&str) -> bool) -> bool {
        wanted(&self.label) || self.aliases.iter().any(|alias| wanted(alias))
    }
}

/// Counters that fell at the same time, so that there are no rates from them for the interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FellCounters {
    /// Whose they are: a disk, a CPU, a process; empty for the host.
    pub entity: String,
    /// Their names.
    pub metrics: BTreeSet<&'static str>,
    /// When they fell first, nanoseconds since 1970-01-01 UTC.
    pub wall_ns: i64,
    /// How often.
    pub times: u64,
}

/// Whether a counter changes, or a stored rate is not zero, after `from` and up to `to`.
fn moves(series: &Series<'_>, from: i64, to: i64) -> bool {
    let still = if series.column().kind == Kind::Rate { Some(0) } else { series.at(from) };
    let mut within =
        series.around(from, to).points().filter(|(at, _)| (from + 1..=to).contains(at)).map(|(_, value)| value);
    match still.or_else(|| within.next()) {
        Some(still) => within.any(|value| value != still),
        None => false,
    }
}

/// From the first sample to the last.
fn axis(recording: &Recording) -> Option<(i64, i64)> {
    let stamps = recording.stamps();
    Some((stamps.first()?.boot_ns, stamps.last()?.boot_ns))
}

/// From the first moment at which an entity has a value to the last.
fn span(recording: &Recording, table: Table, entity: &str) -> Option<(i64, i64)> {
    let stamps = recording.stamps();
    let at = |index: usize| stamps.get(index).map(|stamp| stamp.boot_ns);
    let spans = recording
        .columns(table, entity)
        .filter_map(|(_, values)| Some((at(values.first())?, at(values.end().checked_sub(1)?)?)));
    spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
}

/// What a person reads for an entity: of a process its command and id, of a disk its name in the device mapper as well.
fn label_of(table: Table, name: &str, label: &str) -> String {
    match (table, name.split_once('@')) {
        (Table::Process, Some((pid, _))) => format!("{label}[{pid}]"),
        (Table::Cgroup, _) if label != name => format!("{label} ({name})"),
        (Table::Disk, _) if label != name && !label.is_empty() => format!("{name} ({label})"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Entity, Manifest, RecordingBuilder, Sample, Schema, Unit};

    fn recording() -> Recording {
        let mut schema = Schema::default();
        let disk = schema.push_entity(Table::Disk, Entity { name: "vda".into(), label: "vda".into() });
        let host = schema.push_entity(Table::Host, Entity { name: String::new(), label: String::new() });
        let names =
            ["reads", "writes", "io_ms", "read_ms", "write_ms", "weighted_io_ms", "read_sectors", "write_sectors"];
        for name in names {
            schema.column(Table::Disk, name);
        }
        schema.column(Table::Host, "MemFree");
        let mut builder = RecordingBuilder::new(Manifest::default());
        for second in 0..5_i64 {
            let mut sample = Sample::default();
            sample.stamp.boot_ns = second * 1_000_000_000;
            sample.stamp.wall_ns = second * 1_000_000_000;
            let row = sample.row(Table::Disk, disk, names.len());
            for (cell, step) in row.iter_mut().zip([100, 0, 500, 50, 0, 1000, 1600, 0]) {
                *cell = Some(second * step);
            }
            sample.row(Table::Host, host, 1)[0] = Some(4096 * second);
            builder.sample(&schema, &sample);
        }
        builder.finish()
    }

    fn column(shown: &TopicTable<'_>, name: &str) -> Vec<Option<f64>> {
        let at = shown.headings().position(|heading| heading.name == name).unwrap();
        shown.rows().map(|row| row.cells[at]).collect()
    }

    #[test]
    fn disks_read_as_in_sar() {
        let recording = recording();
        let shown = show(&recording, Topic::Disk, false, (i64::MIN, i64::MAX), None);
        assert_eq!(shown.rows().count(), 4);
        assert_eq!(shown.rows().next().unwrap().entity, Some("vda"));
        assert_eq!(column(&shown, "tps"), [Some(100.0); 4]);
        assert_eq!(column(&shown, "read/s"), [Some(1600.0 * 512.0); 4]);
        assert_eq!(column(&shown, "await"), [Some(0.5e6); 4], "50 ms over 100 requests, in ns");
        assert_eq!(column(&shown, "util"), [Some(0.5); 4]);
        assert_eq!(column(&shown, "depth"), [Some(1.0); 4]);
    }

    #[test]
    fn rows_thin_out_and_stay_within_the_range() {
        let recording = recording();
        let shown = show(&recording, Topic::Memory, false, (i64::MIN, i64::MAX), Some(2_000_000_000));
        assert_eq!(column(&shown, "free"), [Some(6144.0), Some(14336.0)], "a gauge is its mean over the time");
        let shown = show(&recording, Topic::Memory, false, (3_000_000_000, 3_000_000_000), None);
        assert_eq!(shown.rows().count(), 1);
        assert_eq!(column(&shown, "avail"), [None], "absent is absent, not zero");
    }

    #[test]
    fn what_did_nothing_is_left_out_and_counted() {
        let recording = recording();
        let all = (i64::MIN, i64::MAX);
        let mut busy = show(&recording, Topic::Disk, false, all, None);
        assert_eq!((busy.hide_idle(), busy.rows().count()), (0, 4));
        let mut within = show(&recording, Topic::Disk, false, (3_000_000_000, 4_000_000_000), None);
        assert_eq!((within.hide_idle(), within.rows().count()), (0, 2));
        let mut builder = RecordingBuilder::new(Manifest::default());
        let reads = Column { name: "reads".into(), kind: Kind::Counter, unit: Unit::Count };
        for second in 0..4_i64 {
            builder.stamp(Stamp { wall_ns: second, mono_ns: second, boot_ns: second });
            builder.value(Table::Disk, "idle", &reads, 7);
            // It works at first, and not in the second half.
            builder.value(Table::Disk, "once", &reads, second.min(2));
        }
        let recording = builder.finish();
        let mut shown = show(&recording, Topic::Disk, false, all, None);
        assert_eq!(shown.hide_idle(), 1);
        assert!(shown.rows().all(|row| row.entity == Some("once")));
        let mut later = show(&recording, Topic::Disk, false, (3, 3), None);
        assert_eq!((later.hide_idle(), later.rows().count()), (2, 0));
    }

    #[test]
    fn averages_of_another_tool_have_a_row_at_the_first_sample() {
        let manifest = Manifest { origin: pagetide_core::Origin::Import, ..Manifest::default() };
        let mut builder = RecordingBuilder::new(manifest);
        let rate = Column { name: "pgpgin".into(), kind: Kind::Rate, unit: Unit::Count };
        for minute in 1..=3_i64 {
            let at = minute * 60_000_000_000;
            builder.stamp(pagetide_core::Stamp { wall_ns: at, mono_ns: at, boot_ns: at });
            builder.value(Table::Host, "", &rate, minute * pagetide_core::metric::RATE_SCALE);
        }
        let recording = builder.finish();
        let all = (i64::MIN, i64::MAX);
        let shown = show(&recording, Topic::Paging, false, all, None);
        assert_eq!(column(&shown, "pgpgin/s"), [Some(1024.0), Some(2048.0), Some(3072.0)]);
        assert_eq!(shown.rows().next().unwrap().wall_ns, 60_000_000_000);
        assert_eq!(show(&recording, Topic::Disk, false, all, None).rows().count(), 0);
    }

    #[test]
    fn an_empty_recording_has_no_rows() {
        for topic in Topic::ALL {
            assert_eq!(show(&Recording::default(), topic, true, (i64::MIN, i64::MAX), None).rows().count(), 0);
        }
    }
}

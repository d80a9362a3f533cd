//! The tables that `sar` users know, from a recording: one row per sample (or per stretch of time) and entity.
//!
//! A [`Topic`] is a list of columns; a column is a derived or a recorded metric over the time between the row before and the row. For
//! a counter it is the rate, for a gauge the mean over that time.

use pagetide_core::derived::{self, Carry, Fall, Sums, Term, Walk};
use pagetide_core::{EndedName, Kind, Origin, Recording, Stamp, Table};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

mod intervals;
mod parts;
mod text;
mod topic;
mod topics;

use topics::Column;

pub use parts::{Parts, Pass, Totals};
pub use text::{Cells, Columns, Drawing, Numbers, Output};
pub use topic::{Heading, Raw, Topic, WordHeading};

/// One row: a moment, what it is about, and a cell per heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'a> {
    /// When, nanoseconds since 1970-01-01 UTC.
    pub wall_ns: i64,
    /// The disk, zone, process or group, as people read it; absent for the host.
    pub entity: Option<&'a str>,
    /// Its name in the recording.
    pub name: &'a str,
    /// The words; absent where the recording does not tell.
    pub words: Vec<Option<String>>,
    /// The values; absent where the recording has none.
    pub cells: Vec<Option<f64>>,
}

/// A table of a recording. Its rows are worked out when they are asked for, each time anew.
#[derive(Debug, Clone)]
pub struct TopicTable<'a> {
    recording: &'a Recording,
    topic: Topic,
    columns: Vec<&'static Column>,
    /// What the part of the recording before this one left.
    carry: &'a Carry,
    /// The stretches of time that rows are of: where each begins, and the sample at its end.
    intervals: Vec<(i64, Stamp)>,
    entities: Vec<Entity<'a>>,
    order: Order,
}

/// In which order the rows of a moment stand, and how many of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Order {
    /// The column by which they are sorted, the largest first; by name when absent.
    pub column: Option<usize>,
    /// The first so many; all when absent.
    pub most: Option<usize>,
}

impl Order {
    /// Sorts the rows of one moment; those without a value come last.
    fn apply(self, rows: &mut Vec<Row<'_>>) {
        if let Some(column) = self.column {
            let value = |row: &Row<'_>| row.cells.get(column).copied().flatten().unwrap_or(f64::NEG_INFINITY);
            rows.sort_by(|one, other| value(other).total_cmp(&value(one)));
        }
        rows.truncate(self.most.unwrap_or(usize::MAX));
    }
}

/// A disk, zone, process or group; the host.
#[derive(Debug, Clone)]
struct Entity<'a> {
    name: &'a str,
    /// What a person reads.
    label: String,
    /// Its other names: a disk's name in the device mapper and its udev links; a group's path and its container's name; a process's
    /// name, if its command line is shown.
    aliases: Vec<Cow<'a, str>>,
}

/// The columns of a topic, all of them when `wide`.
pub fn headings(topic: Topic, wide: bool) -> impl Iterator<Item = Heading> {
    topics::columns(topic, wide).into_iter().map(move |column| column.heading(topic.table()))
}

/// The columns of words of a topic, which stand before its numbers.
pub fn word_headings(topic: Topic) -> impl Iterator<Item = WordHeading> {
    topics::words(topic).iter().map(|column| column.heading)
}

/// The table of `topic` over a recording, with all its columns when `wide`, one row per sample, or per `every_ns` when given, for
/// rows whose wall clock lies in `range`. Counters have no rate before the second sample; gauges, and averages that another tool printed, have a
/// value at the first.
pub fn show(
    recording: &Recording,
    topic: Topic,
    wide: bool,
    range: (i64, i64),
    every_ns: Option<i64>,
) -> TopicTable<'_> {
    let reach = intervals::reach(recording, topic);
    let rows = intervals::Rows { range, every: every_ns, last: intervals::LastRow::Short, reach };
    let intervals = intervals::of(recording, rows, intervals::has_stored_rates(recording, topic.table()));
    of_part(recording, (topic, wide), intervals, &NOTHING)
}

/// The rows of some intervals, over a part of a recording behind what `carry` is of.
fn of_part<'a>(
    recording: &'a Recording,
    (topic, wide): (Topic, bool),
    intervals: Vec<(i64, Stamp)>,
    carry: &'a Carry,
) -> TopicTable<'a> {
    let table = topic.table();
    let entities = recording.entities(table).map(|(name, label)| {
        let links = recording.manifest.disks.iter().filter(|disk| table == Table::Disk && disk.name == name);
        let aliases = links.flat_map(|disk| &disk.links).map(String::as_str);
        let own = [name, label].into_iter().filter(|_| matches!(table, Table::Disk | Table::Cgroup));
        let aliases = own.chain(aliases).map(Cow::from);
        let called = label_of(table, name, label);
        match recording.command_line(name).filter(|_| wide && table == Table::Process) {
            Some(words) => {
                Entity { name, label: label_of(table, name, words), aliases: aliases.chain([called.into()]).collect() }
            }
            None => Entity { name, label: called, aliases: aliases.collect() },
        }
    });
    let mut entities: Vec<Entity<'_>> = entities.collect();
    if table == Table::Host && entities.is_empty() {
        // Sums over CPUs and disks are the host's as well.
        entities.push(Entity { name: "", label: String::new(), aliases: Vec::new() });
    }
    if table == Table::Cpu {
        entities.sort_by_key(|entity| entity.name.parse::<u32>().unwrap_or(u32::MAX));
    }
    let order = Order::default();
    TopicTable { recording, topic, columns: topics::columns(topic, wide), carry, intervals, entities, order }
}

/// Nothing came before.
static NOTHING: Carry = Carry::EMPTY;

impl<'a> TopicTable<'a> {
    /// The columns.
    pub fn headings(&self) -> impl Iterator<Item = Heading> + use<> {
        let table = self.topic.table();
        self.columns.clone().into_iter().map(move |column| column.heading(table))
    }

    /// What its words say of an entity at a moment.
    fn words(&self, name: &str, at: i64) -> Vec<Option<String>> {
        let table = self.topic.table();
        let word = |column: &topics::WordColumn| {
            let series = self.recording.series(table, name, column.metric);
            let known =
                series.and_then(|series| series.at(at)).or_else(|| self.carry.value(table, name, column.metric));
            known.map(|value| (column.word)(value, &self.recording.manifest))
        };
        topics::words(self.topic).iter().map(word).collect()
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

    /// Leaves out all entities whose name in the recording is in a list.
    pub(crate) fn hide(&mut self, names: &BTreeSet<String>) {
        self.entities.retain(|entity| !names.contains(entity.name));
    }

    /// Whether a counter of an entity, by its name in the recording, changes in the time shown.
    fn moves(&self, name: &str) -> bool {
        let Some((from, to)) = self.span() else { return false };
        let terms = self.columns.iter().flat_map(|column| column.formula().terms());
        let counted: BTreeSet<&str> = terms.filter(|term| matches!(term, Term::Rate(_))).map(Term::metric).collect();
        let table = self.topic.table();
        counted.into_iter().any(|metric| {
            let Some(series) = self.recording.series(table, name, metric) else { return false };
            let born = || derived::born(self.recording, name, &series).map(|(_, value)| value);
            let before = || self.carry.value(table, name, metric).or_else(|| series.at(from)).or_else(born);
            let still = if series.column().kind == Kind::Rate { Some(0) } else { before() };
            let near = series.around(from, to);
            let mut within = near.points().filter(|(at, _)| (from + 1..=to).contains(at)).map(|(_, value)| value);
            still.or_else(|| within.next()).is_some_and(|still| within.any(|value| value != still))
        })
    }

    /// From the start of the first row's interval to the end of the last one's; absent without rows.
    fn span(&self) -> Option<(i64, i64)> {
        Some((self.intervals.first()?.0, self.intervals.last()?.1.boot_ns))
    }

    /// The rows, in order of time.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows_over(self.intervals.iter().copied())
    }

    /// One row per entity over the time of all rows.
    pub fn averages(&self) -> impl Iterator<Item = Row<'_>> {
        let (first, last) = (self.intervals.first(), self.intervals.last());
        let whole = first.zip(last).map(|((from, _), (_, end))| (*from, *end));
        self.rows_over(whole.into_iter())
    }

    /// Adds what the columns of each entity need for their values over all rows, by the entity's name.
    fn add_to(&self, from: i64, sums: &mut BTreeMap<String, Vec<Sums>>) {
        let Some((_, to)) = self.span() else { return };
        for entity in &self.entities {
            let of_entity =
                sums.entry(entity.name.to_owned()).or_insert_with(|| vec![Sums::default(); self.columns.len()]);
            for (column, sums) in self.columns.iter().zip(of_entity) {
                if let Some(mut walk) = self.walk(column, entity) {
                    walk.add(from, to, sums);
                }
            }
        }
    }

    /// Whether any row is of an entity.
    fn has_row(&self, entity: &Entity<'_>) -> bool {
        let mut walks: Vec<Walk<'a>> = self.columns.iter().filter_map(|column| self.walk(column, entity)).collect();
        self.intervals.iter().any(|(from, end)| walks.iter_mut().any(|walk| walk.over(*from, end.boot_ns).is_some()))
    }

    fn walk(&self, column: &'static Column, entity: &Entity<'_>) -> Option<Walk<'a>> {
        let on = (self.recording, self.carry);
        let walk = column.formula().walk_on(column.recorded_unit(), on, self.topic.table(), entity.name)?;
        Some(if self.topic.comes_and_goes() { walk.that_comes_and_goes() } else { walk })
    }

    /// The time of all rows in ns, without what nothing is known of: of counters that before the first sample.
    fn length(&self) -> i64 {
        let first = self.recording.stamps().first().map_or(i64::MIN, |stamp| stamp.boot_ns);
        let earliest = if intervals::has_stored_rates(self.recording, self.topic.table()) { i64::MIN } else { first };
        self.intervals.iter().map(|(from, end)| end.boot_ns.saturating_sub((*from).max(earliest))).sum()
    }

    /// The counters that fell in the time shown, with whose they are and when they did so first: their rates are left out there.
    pub fn falls(&self) -> Vec<FellCounters> {
        let Some((from, to)) = self.span() else { return Vec::new() };
        let recording = self.recording;
        let walk = |(entity, column): (&Entity<'_>, &'static Column)| self.walk(column, entity);
        let pairs = self.entities.iter().flat_map(|entity| self.columns.iter().map(move |column| (entity, *column)));
        let mut at: BTreeMap<(&str, i64), BTreeSet<&'static str>> = BTreeMap::new();
        for Fall { to, entity, metric, .. } in pairs
            .filter_map(walk)
            .flat_map(|walk| walk.falls().cloned().collect::<Vec<_>>())
            .filter(|fall| fall.to > from && fall.to <= to)
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
        // Processes come and go: a walk has no value before and behind its samples.
        let walks = |entity: &Entity<'_>| -> (Vec<Option<Walk<'a>>>, (i64, i64)) {
            let walks: Vec<_> = self.columns.iter().map(|column| self.walk(column, entity)).collect();
            let spans = || walks.iter().flatten().map(Walk::span);
            let span = (spans().map(|span| span.0).min(), spans().map(|span| span.1).max());
            (walks, span.0.zip(span.1).unwrap_or((i64::MAX, i64::MIN)))
        };
        let mut walks: Vec<_> = self.entities.iter().map(walks).collect();
        // The samples of an import are those of all its files: a table has rows at its own.
        let import = self.recording.manifest.origin == Origin::Import;
        intervals.flat_map(move |(from, stamp)| {
            let to = stamp.boot_ns;
            let mut rows = Vec::new();
            let there = self.entities.iter().zip(&mut walks).filter(|(_, (_, span))| from < span.1 && to > span.0);
            for (entity, (walks, _)) in there {
                if import && !walks.iter().flatten().any(|walk| walk.is_sampled(from, to)) {
                    continue;
                }
                let page = self.recording.manifest.page_size;
                let over = |(walk, column): (&mut Option<Walk<'_>>, &&Column)| {
                    Some(column.shown(walk.as_mut()?.over(from, to)?, page))
                };
                let cells: Vec<Option<f64>> = walks.iter_mut().zip(&self.columns).map(over).collect();
                if cells.iter().any(Option::is_some) {
                    let (entity, name) = (self.entity().map(|_| entity.label.as_str()), entity.name);
                    rows.push(Row { wall_ns: stamp.wall_ns, entity, name, words: self.words(name, to), cells });
                }
            }
            self.order.apply(&mut rows);
            rows
        })
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

/// An entity's name for people: a process's command and id; the command and parent of processes that no sample saw; a disk's name with the
/// one in the device mapper.
fn label_of(table: Table, name: &str, label: &str) -> String {
    if let Some(ended) = name.parse::<EndedName>().ok().filter(|_| table == Table::Process) {
        let parent = ended.parent.map_or_else(String::new, |parent| format!(", of {parent}"));
        return format!("{label}[ended{parent}]");
    }
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
        let disk = schema.push_entity(Table::Disk, Entity::new("vda", "vda"));
        let host = schema.push_entity(Table::Host, Entity::new("", ""));
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

//! A table over a recording that is read part by part, so that a day of processes needs no more memory than an hour.

use super::intervals::{self, LastRow};
use super::{FellCounters, Heading, Order, Row, Topic, TopicTable, of_part, topics};
use pagetide_core::derived::{Carry, Sums};
use pagetide_core::{Error, MarkKind, Nanos, Recording, Selection, Source, Stamp, Table, is_log_entry};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;

/// Samples of a part at least: an hour's, which is a segment. With 200 processes their values take some 80 MiB.
const SAMPLES: usize = 3600;
/// Values of a larger part at most, 36 MiB: neighbouring parts both read the segment between them, and look for all of them.
const VALUES: usize = 1 << 22;

/// Which entities are wanted, by what they are called.
type Wanted<'s> = Box<dyn Fn(&str) -> bool + 's>;

/// The rows of a table, part by part. Values do not depend on where the parts are divided: each begins with the last values of the
/// one before. (The usual time between the samples of a gauge, for which one behind a gap speaks, is that of its first part where samples
/// are closer than the recording's interval.)
pub struct Parts<'s> {
    source: &'s dyn Source,
    topic: Topic,
    wide: bool,
    every: Option<i64>,
    range: (i64, i64),
    wanted: Option<Wanted<'s>>,
    hidden: BTreeSet<String>,
    /// Whether each part leaves out the disks and processes that do nothing in it.
    only_busy: bool,
    order: Order,
    times: Recording,
    stored_rates: bool,
    samples: usize,
}

/// How far a reader of parts has come.
#[derive(Debug, Clone, Default)]
pub struct Pass {
    carry: Carry,
    /// How much the axis of the whole is ahead of that of the last part.
    axis: i64,
    /// The end of the last row.
    done: Option<i64>,
}

impl fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("topic", &self.topic).field("range", &self.range).finish_non_exhaustive()
    }
}

impl<'s> Parts<'s> {
    /// The parts of a source whose times are `times`.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn new(
        source: &'s dyn Source,
        times: Recording,
        (topic, wide): (Topic, bool),
        (range, every): ((i64, i64), Option<i64>),
    ) -> Result<Self, Error> {
        let mut parts = Self {
            source,
            topic,
            wide,
            every,
            range,
            wanted: None,
            hidden: BTreeSet::new(),
            only_busy: false,
            order: Order::default(),
            times,
            stored_rates: false,
            samples: SAMPLES,
        };
        if let Some(first) = parts.times.stamps().first().map(|stamp| stamp.wall_ns) {
            let begin = source.load(&parts.selection(Some((first, first))))?;
            parts.stored_rates = intervals::has_stored_rates(&begin, topic.table());
            // Processes come and go, and the first sample of many is one of few.
            if !topic.comes_and_goes() {
                let of_table =
                    |table| begin.entities(table).map(move |(entity, _)| (table, entity)).collect::<Vec<_>>();
                let entities = Table::ALL.into_iter().flat_map(of_table);
                let values: usize = entities.map(|(table, entity)| begin.metrics(table, entity).count()).sum();
                parts.samples = SAMPLES.max(VALUES / values.max(1));
            }
        }
        Ok(parts)
    }

    /// Reads so many samples at a time.
    #[must_use]
    pub fn of_samples(mut self, samples: usize) -> Self {
        self.samples = samples.max(1);
        self
    }

    /// Sorts the rows of each moment, and the averages.
    pub fn sort(&mut self, order: Order) {
        self.order = order;
    }

    /// Leaves out all entities but those whose name, as it is shown, is wanted.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool + 's) {
        self.wanted = Some(Box::new(wanted));
    }

    /// The topic.
    pub fn topic(&self) -> Topic {
        self.topic
    }

    /// The columns.
    pub fn headings(&self) -> impl Iterator<Item = Heading> + use<> {
        super::headings(self.topic, self.wide)
    }

    /// The time between samples.
    pub fn interval(&self) -> Nanos {
        self.times.manifest.interval
    }

    /// From where on a pass needs the times: the end of its last row, else the first sample.
    pub fn resume(&self, pass: &Pass) -> Option<i64> {
        let end = |done: i64| self.times.stamps().iter().find(|stamp| stamp.boot_ns == done);
        pass.done.and_then(end).or(self.begin()).map(|stamp| stamp.wall_ns)
    }

    /// The first sample.
    pub fn begin(&self) -> Option<&Stamp> {
        self.times.stamps().first()
    }

    /// The samples before and after each gap within the time shown.
    pub(super) fn gaps(&self) -> Vec<(Stamp, Stamp)> {
        let stamps = self.times.stamps();
        let at = |boot_ns: i64| stamps.get(stamps.partition_point(|stamp| stamp.boot_ns < boot_ns)).copied();
        let pairs = self.times.gaps().into_iter().filter_map(|gap| at(gap.from_ns).zip(at(gap.to_ns)));
        pairs.filter(|(_, to)| (self.range.0..=self.range.1).contains(&to.wall_ns)).collect()
    }

    /// The restarts and comments that an imported log has within the time shown, with when they were.
    pub(super) fn log_entries(&self) -> Vec<(i64, &str)> {
        let within = self.times.marks.iter().filter(|mark| (self.range.0..=self.range.1).contains(&mark.stamp.wall_ns));
        let entries = within.filter_map(|mark| match &mark.kind {
            MarkKind::Note { text } if is_log_entry(text) => Some((mark.stamp.wall_ns, text.as_str())),
            _ => None,
        });
        entries.collect()
    }

    /// Leaves out the disks and processes that do nothing in the time shown: no counter changes. Gives how many they are.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn hide_idle(&mut self) -> Result<usize, Error> {
        if !matches!(self.topic, Topic::Disk | Topic::Processes) {
            return Ok(0);
        }
        let (mut there, mut busy) = (BTreeSet::new(), BTreeSet::new());
        // All rows count, not only those that are shown.
        let order = std::mem::take(&mut self.order);
        let looked = self.look(&mut |table| {
            for entity in &table.entities {
                if !there.contains(entity.name) && table.has_row(entity) {
                    there.insert(entity.name.to_owned());
                }
            }
            for entity in table.entities.iter().filter(|entity| !busy.contains(entity.name)).collect::<Vec<_>>() {
                if table.moves(entity.name) {
                    busy.insert(entity.name.to_owned());
                }
            }
        });
        self.order = order;
        looked?;
        self.hidden = there.difference(&busy).cloned().collect();
        Ok(self.hidden.len())
    }

    /// Gives the table of each part, in order of time.
    ///
    /// # Errors
    ///
    /// Those of `take`; inside, those of the source.
    pub fn each(&self, take: &mut dyn FnMut(&TopicTable<'_>) -> io::Result<()>) -> io::Result<Result<(), Error>> {
        self.advance(&mut Pass::default(), LastRow::Short, take)
    }

    /// Leaves out of each part the disks and processes that do nothing in it.
    pub fn hide_idle_by_part(&mut self) {
        self.only_busy = matches!(self.topic, Topic::Disk | Topic::Processes);
    }

    /// [`Parts::each`] for what cannot fail.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn look(&self, take: &mut dyn FnMut(&TopicTable<'_>)) -> Result<(), Error> {
        let seen = self.each(&mut |table| {
            take(table);
            Ok(())
        });
        seen.map_err(|error| Error::system(error.to_string(), ""))?
    }

    /// Takes the times of a source that has grown: from the end of the last row on, or all.
    pub fn grow(&mut self, times: Recording) {
        self.stored_rates = false;
        self.times = times;
    }

    /// Gives the tables of the parts behind those that a pass has seen, up to the last whole row.
    ///
    /// # Errors
    ///
    /// As of [`Parts::each`].
    pub fn follow(
        &self,
        pass: &mut Pass,
        take: &mut dyn FnMut(&TopicTable<'_>) -> io::Result<()>,
    ) -> io::Result<Result<(), Error>> {
        self.advance(pass, LastRow::Waits, take)
    }

    fn advance(
        &self,
        pass: &mut Pass,
        last: LastRow,
        take: &mut dyn FnMut(&TopicTable<'_>) -> io::Result<()>,
    ) -> io::Result<Result<(), Error>> {
        let reach = intervals::reach(&self.times, self.topic);
        let rows = intervals::Rows { range: self.range, every: self.every, last, reach };
        let intervals = intervals::of(&self.times, rows, self.stored_rates);
        let new = intervals.partition_point(|(_, end)| pass.done.is_some_and(|done| end.boot_ns <= done));
        let stamps = self.times.stamps();
        // A clock that was set back gives times twice, by which no part can be selected.
        let divisible = stamps.windows(2).all(|pair| pair[0].wall_ns < pair[1].wall_ns);
        let place = |at: i64| stamps.partition_point(|stamp| stamp.boot_ns < at);
        let mut rest = &intervals[new..];
        while let Some((from, _)) = rest.first() {
            let begin = place(*from);
            let fits = rest.partition_point(|(_, end)| place(end.boot_ns) <= begin.saturating_add(self.samples));
            let (now, later) = rest.split_at(if divisible { fits.max(1) } else { rest.len() });
            let end = now[now.len() - 1].1;
            let range = divisible.then(|| (stamps[begin.min(stamps.len() - 1)].wall_ns, end.wall_ns));
            let part = match self.source.load(&self.selection(range.map(|(from, to)| (from, self.beyond(to))))) {
                Ok(part) => part,
                Err(error) => return Ok(Err(error)),
            };
            self.part(part, now, pass, take)?;
            pass.done = Some(end.boot_ns);
            rest = later;
        }
        Ok(Ok(()))
    }

    /// A moment so far behind another that what a sample behind the last row says of the time before it is known.
    fn beyond(&self, wall_ns: i64) -> i64 {
        wall_ns.saturating_add(interval(self.times.manifest.interval).saturating_mul(2))
    }

    fn selection(&self, range: Option<(i64, i64)>) -> Selection {
        let (from_wall_ns, to_wall_ns) = (range.map(|range| range.0), range.map(|range| range.1));
        Selection { from_wall_ns, to_wall_ns, ..self.topic.selection(self.wide) }
    }

    fn part(
        &self,
        mut part: Recording,
        intervals: &[(i64, Stamp)],
        pass: &mut Pass,
        take: &mut dyn FnMut(&TopicTable<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        // The interval says which time without samples is a gap: of all parts it is that of the whole.
        part.manifest.interval = self.times.manifest.interval;
        let stamps = self.times.stamps();
        let same = part.stamps().first().and_then(|first| {
            let at = stamps.partition_point(|stamp| stamp.wall_ns < first.wall_ns);
            stamps.get(at).map(|stamp| stamp.boot_ns - first.boot_ns)
        });
        let axis = same.unwrap_or(0);
        pass.carry.shift(pass.axis - axis);
        pass.axis = axis;
        let moved = |(from, end): &(i64, Stamp)| (from - axis, Stamp { boot_ns: end.boot_ns - axis, ..*end });
        let moved: Vec<(i64, Stamp)> = intervals.iter().map(moved).collect();
        let upto = moved.last().map_or(i64::MIN, |(_, end)| end.boot_ns);
        let mut table = of_part(&part, (self.topic, self.wide), moved, &pass.carry);
        if let Some(wanted) = &self.wanted {
            table.retain(wanted);
        }
        table.hide(&self.hidden);
        table.order = self.order;
        if self.only_busy {
            let idle = table.entities.iter().filter(|entity| !table.moves(entity.name));
            let idle: BTreeSet<String> = idle.map(|entity| entity.name.to_owned()).collect();
            table.hide(&idle);
        }
        take(&table)?;
        drop(table);
        pass.carry.take(&part, upto);
        Ok(())
    }
}

fn interval(of: Nanos) -> i64 {
    i64::try_from(of.get()).unwrap_or(i64::MAX)
}

/// What is said of all rows: averages, extremes, counters that fell.
#[derive(Debug, Default)]
pub struct Totals {
    sums: BTreeMap<String, Vec<Sums>>,
    /// By name.
    rows: BTreeMap<String, OfEntity>,
    moments: BTreeSet<i64>,
    begin: Option<i64>,
    /// The time of all rows, ns.
    length: i64,
    fell: Vec<FellCounters>,
}

/// What all rows of an entity have in common.
#[derive(Debug)]
struct OfEntity {
    /// What people read.
    label: Option<String>,
    /// The words that are the same in all rows.
    words: Vec<Option<String>>,
    /// The smallest and the largest value of each column.
    extremes: Extremes,
}

type Extremes = Vec<Option<(f64, f64)>>;

impl Totals {
    /// Adds a part; its rows come apart from it, by [`Totals::row`].
    pub fn part(&mut self, table: &TopicTable<'_>) {
        let axis = table.intervals.first().map(|(from, _)| *from);
        // All that the walks of a part give lies behind the beginning of the first.
        let from = if self.begin.is_none() { axis.unwrap_or(i64::MIN) } else { i64::MIN };
        self.begin = self.begin.or(axis);
        self.length = self.length.saturating_add(table.length());
        table.add_to(from, &mut self.sums);
        for fall in table.falls() {
            let same = |known: &&mut FellCounters| known.entity == fall.entity && known.metrics == fall.metrics;
            match self.fell.iter_mut().find(same) {
                Some(known) => known.times += fall.times,
                None => self.fell.push(fall),
            }
        }
        self.fell.sort_by(|one, other| (&one.entity, one.wall_ns).cmp(&(&other.entity, other.wall_ns)));
    }

    /// Adds a row.
    pub fn row(&mut self, row: &Row<'_>) {
        if self.moments.len() < 2 {
            self.moments.insert(row.wall_ns);
        }
        if !self.rows.contains_key(row.name) {
            let label = row.entity.map(str::to_owned);
            let extremes = vec![None; row.cells.len()];
            self.rows.insert(row.name.to_owned(), OfEntity { label, words: row.words.clone(), extremes });
        }
        let Some(of) = self.rows.get_mut(row.name) else { return };
        for (known, word) in of.words.iter_mut().zip(&row.words) {
            if known != word {
                *known = None;
            }
        }
        for (known, value) in of.extremes.iter_mut().zip(&row.cells) {
            if let Some(value) = value {
                let (least, most) = known.unwrap_or((*value, *value));
                *known = Some((least.min(*value), most.max(*value)));
            }
        }
    }

    /// Whether there is more than one moment, so that there is an average.
    pub fn has_several(&self) -> bool {
        self.moments.len() > 1
    }

    /// One row per entity over the time of all rows, as sar's `Average:`.
    pub fn averages(&self, parts: &Parts<'_>) -> Vec<Row<'_>> {
        let columns = topics::columns(parts.topic, parts.wide);
        let length = parts.topic.comes_and_goes().then_some(self.length);
        let row = |name: &str| {
            let sums = self.sums.get(name)?;
            let page = parts.times.manifest.page_size;
            let cells = columns.iter().zip(sums).map(|(column, sums)| {
                sums.value(column.formula(), column.recorded_unit(), length).map(|value| column.shown(value, page))
            });
            Some(cells.collect())
        };
        let mut rows = self.of_entities(parts.topic.table(), |name, _| row(name).unwrap_or_default());
        parts.order.apply(&mut rows);
        rows
    }

    /// The smallest value that any row has in each column.
    pub fn minima(&self, topic: Topic) -> Vec<Row<'_>> {
        self.of_entities(topic.table(), |_, extremes| extremes.iter().map(|of| of.map(|(least, _)| least)).collect())
    }

    /// The largest value that any row has in each column.
    pub fn maxima(&self, topic: Topic) -> Vec<Row<'_>> {
        self.of_entities(topic.table(), |_, extremes| extremes.iter().map(|of| of.map(|(_, most)| most)).collect())
    }

    /// The counters that fell, with whose they are: their rates are left out there.
    pub fn falls(&self) -> &[FellCounters] {
        &self.fell
    }

    fn of_entities(&self, table: Table, cells: impl Fn(&str, &Extremes) -> Vec<Option<f64>>) -> Vec<Row<'_>> {
        let mut rows: Vec<Row<'_>> = Vec::new();
        for (name, of) in &self.rows {
            let cells = cells(name, &of.extremes);
            if cells.iter().any(Option::is_some) {
                rows.push(Row { wall_ns: 0, entity: of.label.as_deref(), name, words: of.words.clone(), cells });
            }
        }
        if table == Table::Cpu {
            rows.sort_by_key(|row| row.name.parse::<u32>().unwrap_or(u32::MAX));
        }
        rows
    }
}

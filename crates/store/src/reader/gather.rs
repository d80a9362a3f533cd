//! A recording being put together from segments, by column.

use super::axis::{self, Run};
use super::damage::Damage;
use crate::budget::{Budget, Exceeded, bytes_of};
use crate::layout::SegmentName;
use crate::sealed::Numbers;
use pagetide_core::{
    Column, Entity, Manifest, Mark, MarkKind, Recording, RecordingBuilder, Sample, Schema, Selection, Stamp, Table,
    Values, WantedMetrics,
};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

/// How much is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Depth {
    /// Marks, and the first and last time of each sealed segment, which place the marks on the axis.
    Marks,
    /// The times of all samples as well.
    Times,
    /// All that is selected.
    Values,
}

/// What a load asks for, and the memory that it may take.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) selection: &'a Selection,
    pub(super) metrics: WantedMetrics<'a>,
    depth: Depth,
    pub(super) budget: Budget,
}

impl<'a> Request<'a> {
    pub(super) fn new(selection: &'a Selection, depth: Depth) -> Self {
        Self { selection, metrics: selection.wanted_metrics(), depth, budget: Budget::default() }
    }

    /// Whether a moment lies in the selected time.
    pub(super) fn wants(&self, wall_ns: i64) -> bool {
        !self.is_outside((wall_ns, wall_ns))
    }

    /// Whether all from a first to a last moment lies outside of the selected time.
    pub(super) fn is_outside(&self, (first, last): (i64, i64)) -> bool {
        let Selection { from_wall_ns, to_wall_ns, .. } = self.selection;
        from_wall_ns.is_some_and(|from| last < from) || to_wall_ns.is_some_and(|to| first > to)
    }

    pub(super) fn wants_table(&self, table: Table) -> bool {
        self.depth == Depth::Values && self.selection.wants_table(table)
    }

    /// Whether the times of all samples are wanted, and not only those at the ends of a segment.
    pub(super) fn wants_times(&self) -> bool {
        self.depth >= Depth::Times
    }
}

/// What has been read so far.
#[derive(Debug)]
pub(super) struct LoadedParts<'a> {
    pub(super) request: &'a Request<'a>,
    damage: Damage,
    /// When the segment after the one that is being read began; absent of the last one.
    pub(super) next_wall_ns: Option<i64>,
    /// How many sealed segments there were.
    pub(super) sealed_segments: usize,
    /// How many samples there will be at most, as far as an earlier load showed: columns take no memory for more.
    expected: usize,
    stamps: Vec<Stamp>,
    marks: Vec<Mark>,
    /// Notes about the recording from before its first sample.
    early: Vec<String>,
    /// The manifest of the segment that is being read, until a sample of it is selected.
    current: Option<Manifest>,
    /// The manifest of the last segment with a selected sample.
    selected: Option<Manifest>,
    runs: Vec<Run>,
    /// Index of the first sample and of the first mark of the segment that is being read.
    segment: (usize, usize),
    entities: Vec<EntityColumns>,
    numbers: BTreeMap<(Table, String), usize>,
}

/// One entity's columns.
#[derive(Debug)]
struct EntityColumns {
    table: Table,
    entity: Entity,
    columns: Vec<(Column, Values)>,
    numbers: BTreeMap<String, usize>,
}

/// Where the numbers of an open segment go: for each of its entities the one here, and for each of its columns the one
/// there (absent when it was not selected), so that no name is looked up per value.
pub(super) type Slots = BTreeMap<(Table, u32), (usize, Vec<Option<usize>>)>;

/// The rows of a row group: runs of one entity, and columns.
#[derive(Debug)]
pub(super) struct Rows {
    /// Which of the segment's selected samples each row is of; `None` if its sample was not selected.
    pub(super) places: Vec<Option<usize>>,
    /// The entities in order, each with the index after its last row.
    pub(super) runs: Vec<(Entity, usize)>,
    pub(super) columns: Vec<(Column, Numbers)>,
}

/// Rows of one entity whose samples are consecutive in the recording.
#[derive(Debug)]
struct Stretch {
    entity: usize,
    /// The index of the first row's sample.
    place: usize,
    rows: Range<usize>,
}

/// Bytes of memory of an entity, or of one of its columns, besides its values: map entries, two copies of its name, allocator overhead.
const NAME_BYTES: usize = 320;

impl<'a> LoadedParts<'a> {
    pub(super) fn new(request: &'a Request<'a>, damage: Damage, expected: usize) -> Self {
        Self {
            request,
            damage,
            next_wall_ns: None,
            sealed_segments: 0,
            expected,
            stamps: Vec::new(),
            marks: Vec::new(),
            early: Vec::new(),
            current: None,
            selected: None,
            runs: Vec::new(),
            segment: (0, 0),
            entities: Vec::new(),
            numbers: BTreeMap::new(),
        }
    }

    /// Begins another run of the same boot if its clock went back: the axis would drop samples out of order.
    fn go_on_from(&mut self, stamp: Stamp) -> Result<(), Exceeded> {
        let Some(run) = self.runs.last().filter(|run| run.first_stamp < self.stamps.len()) else { return Ok(()) };
        if self.stamps.last().is_none_or(|last| last.boot_ns <= stamp.boot_ns) {
            return Ok(());
        }
        let (first_stamp, first_mark) = self.segment;
        let in_segment = &self.marks[first_mark..];
        // Within a segment its marks may have been read before its samples.
        let before = match first_stamp < self.stamps.len() {
            true => in_segment.partition_point(|mark| mark.stamp.wall_ns < stamp.wall_ns),
            false => 0,
        };
        let boot_id = run.boot_id.clone();
        self.request
            .budget
            .charge(bytes_of(1, size_of::<(Run, Mark)>() + boot_id.len() + axis::CLOCK_WENT_BACK.len()))?;
        let first_mark = (first_mark + before).max(run.first_mark);
        self.runs.push(Run { boot_id, first_stamp: self.stamps.len(), first_mark });
        Ok(())
    }

    /// What follows was recorded under this manifest.
    pub(super) fn run(&mut self, manifest: &Manifest) {
        self.current = self.request.selection.is_part().then(|| manifest.clone());
        self.segment = (self.stamps.len(), self.marks.len());
        if self.runs.last().is_none_or(|run| run.boot_id != manifest.boot_id) {
            let boot_id = manifest.boot_id.clone();
            self.runs.push(Run { boot_id, first_stamp: self.stamps.len(), first_mark: self.marks.len() });
        }
    }

    pub(super) fn mark(&mut self, mark: Mark) -> Result<(), Exceeded> {
        if self.request.wants(mark.stamp.wall_ns) {
            // The caller has charged its text.
            self.request.budget.charge(bytes_of(2, size_of::<Mark>()))?;
            self.marks.push(mark);
        }
        Ok(())
    }

    /// Adds a note about the recording itself.
    pub(super) fn note(&mut self, wall_ns: Option<i64>, text: String) {
        if !wall_ns.is_none_or(|wall_ns| self.request.wants(wall_ns)) {
            return;
        }
        match self.stamps.last() {
            Some(last) => self.marks.push(Mark { stamp: *last, kind: MarkKind::Note { text } }),
            None => self.early.push(text),
        }
    }

    /// Notes that something of a segment is damaged, and what is lost.
    pub(super) fn damaged(&mut self, name: &SegmentName, what: String, cost: &str) {
        let before_end = |wall_ns| self.request.selection.to_wall_ns.is_none_or(|to| wall_ns <= to);
        let after_begin = |wall_ns| self.request.selection.from_wall_ns.is_none_or(|from| wall_ns >= from);
        if name.wall_ns().is_none_or(before_end) && self.next_wall_ns.is_none_or(after_begin) {
            self.damage.add(format!("{what}: {cost}"));
        }
        self.note(name.wall_ns(), format!("store: {what}"));
    }

    /// How many samples there are so far: the index of the next one.
    pub(super) fn samples(&self) -> usize {
        self.stamps.len()
    }

    /// Adds a sample's stamp and returns its index; `None` if it is not selected.
    pub(super) fn stamp(&mut self, stamp: Stamp) -> Result<Option<usize>, Exceeded> {
        if !self.request.wants(stamp.wall_ns) {
            return Ok(None);
        }
        // A look at each of a day's samples is cheaper than to take it each time.
        if self.current.is_some() {
            self.selected = self.current.take();
        }
        self.go_on_from(stamp)?;
        if self.stamps.len() == self.stamps.capacity() {
            let more = self.stamps.len().max(64);
            // They are copied to the recording, so for a while they exist twice.
            self.request.budget.charge(bytes_of(2 * more, size_of::<Stamp>()))?;
            self.stamps.try_reserve_exact(more)?;
        }
        self.stamps.push(stamp);
        Ok(Some(self.stamps.len() - 1))
    }

    /// Adds a sample of an open segment.
    pub(super) fn sample(&mut self, schema: &Schema, sample: &Sample, slots: &mut Slots) -> Result<(), Exceeded> {
        let Some(at) = self.stamp(sample.stamp)? else { return Ok(()) };
        for rows in sample.tables() {
            let table = rows.table();
            if !self.request.wants_table(table) {
                continue;
            }
            for (id, values) in rows.rows() {
                let Some(entity) = schema.entities(table).get(id.0 as usize) else { continue };
                let (number, columns) = match slots.entry((table, id.0)) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert((self.entity(table, entity)?, Vec::new())),
                };
                let new = schema.columns(table).get(columns.len()..).unwrap_or_default();
                self.request.budget.charge(bytes_of(new.len(), 2 * size_of::<Option<usize>>()))?;
                for column in new {
                    let wanted = self.request.metrics.wants(&column.name);
                    let gathering = &mut self.entities[*number];
                    columns.push(wanted.then(|| gathering.column(column, &self.request.budget)).transpose()?);
                }
                let gathering = &mut self.entities[*number];
                for (column, value) in columns.iter().zip(values) {
                    if let (Some(column), Some(value)) = (column, value) {
                        gathering.push(*column, at, *value, (self.expected, &self.request.budget))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds rows of a sealed segment whose selected samples begin at `first`.
    pub(super) fn rows(&mut self, table: Table, first: usize, rows: Rows) -> Result<(), Exceeded> {
        let mut stretches = Vec::with_capacity(rows.runs.len());
        let mut start = 0;
        for (entity, end) in rows.runs {
            let mut number = None;
            let mut following = rows.places[start..end].chunk_by(|one, next| one.map(|one| one + 1) == *next);
            for part in &mut following {
                let range = start..start + part.len();
                start = range.end;
                let Some(place) = part[0] else { continue };
                let entity = match number {
                    Some(known) => known,
                    None => *number.insert(self.entity(table, &entity)?),
                };
                stretches.push(Stretch { entity, place: first + place, rows: range });
            }
        }
        // The host is in every sample: its columns have room for all from the start. One that grows is copied.
        let whole = table == Table::Host && !self.request.selection.is_part() && self.expected != usize::MAX;
        let least = if whole { self.expected } else { 0 };
        for (column, numbers) in rows.columns {
            for stretch in &stretches {
                let entity = &mut self.entities[stretch.entity];
                entity.append(&column, stretch, &numbers, (least, self.expected, &self.request.budget))?;
            }
        }
        Ok(())
    }

    fn entity(&mut self, table: Table, entity: &Entity) -> Result<usize, Exceeded> {
        let name = (table, entity.name.clone());
        if let Some(known) = self.numbers.get(&name) {
            return Ok(*known);
        }
        let command_line = entity.command_line.as_ref().map_or(0, String::len);
        self.request.budget.charge((NAME_BYTES + 3 * entity.name.len() + entity.label.len() + command_line) as u64)?;
        let entity = entity.clone();
        self.entities.push(EntityColumns { table, entity, columns: Vec::new(), numbers: BTreeMap::new() });
        self.numbers.insert(name, self.entities.len() - 1);
        Ok(self.entities.len() - 1)
    }

    /// The recording. A part of one gets the manifest of its own time, which may name another kernel, other disks and settings. The recorder's
    /// own counts cover the whole recording.
    pub(super) fn finish(mut self, whole: Manifest) -> Recording {
        let manifest = match self.selected.take() {
            Some(part) => Manifest {
                recorder_cpu: whole.recorder_cpu,
                samples: whole.samples,
                late_samples: whole.late_samples,
                missed_samples: whole.missed_samples,
                lost_samples: whole.lost_samples,
                ..part
            },
            None => whole,
        };
        axis::join(&self.runs, &mut self.stamps, &mut self.marks);
        let first = self.stamps.first().copied().unwrap_or_default();
        let mut builder = RecordingBuilder::new(manifest);
        builder.stamps(self.stamps);
        for EntityColumns { table, entity, columns, .. } in self.entities {
            let name = entity.name.clone();
            builder.entity(table, entity);
            for (column, values) in columns {
                builder.values(table, &name, column, values);
            }
        }
        // The axis does not begin at the boot of the host.
        let early = self.early.into_iter().map(|text| Mark { stamp: first, kind: MarkKind::Note { text } });
        for mark in early.chain(self.marks) {
            builder.mark(mark);
        }
        builder.finish()
    }
}

impl EntityColumns {
    /// The number of a column, which is added if it is new.
    fn column(&mut self, column: &Column, budget: &Budget) -> Result<usize, Exceeded> {
        if let Some(number) = self.numbers.get(&column.name) {
            return Ok(*number);
        }
        budget.charge((NAME_BYTES + 3 * column.name.len()) as u64)?;
        self.columns.push((column.clone(), Values::default()));
        self.numbers.insert(column.name.clone(), self.columns.len() - 1);
        Ok(self.columns.len() - 1)
    }

    /// Adds the values of a column of a row group for some rows, with room for as many samples as there are at least.
    fn append(
        &mut self,
        column: &Column,
        stretch: &Stretch,
        numbers: &Numbers,
        (least, expected, budget): (usize, usize, &Budget),
    ) -> Result<(), Exceeded> {
        let Stretch { place, rows, .. } = stretch;
        let present = numbers.present.as_ref().map(|present| &present[rows.clone()]);
        if present.is_some_and(|present| !present.contains(&true)) {
            return Ok(());
        }
        let number = self.column(column, budget)?;
        let values = &mut self.columns[number].1;
        values.make_room((place + rows.len()).max(least) - 1, expected, |bytes| budget.charge(bytes))?;
        values.append(*place, &numbers.values[rows.clone()], present);
        Ok(())
    }

    /// Adds a value of a column at a sample.
    fn push(
        &mut self,
        column: usize,
        at: usize,
        value: i64,
        (expected, budget): (usize, &Budget),
    ) -> Result<(), Exceeded> {
        let values = &mut self.columns[column].1;
        values.make_room(at, expected, |bytes| budget.charge(bytes))?;
        values.push(at, value);
        Ok(())
    }
}

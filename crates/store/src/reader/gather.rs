//! A recording being put together from segments, by column.

use super::axis::{self, Run};
use super::damage::Damage;
use crate::layout::SegmentName;
use pagetide_core::{
    Column, Entity, Manifest, Mark, MarkKind, Recording, RecordingBuilder, Sample, Schema, Selection, Stamp, Table,
    Values,
};
use std::collections::BTreeMap;

/// What has been read so far.
#[derive(Debug)]
pub(super) struct LoadedParts<'a> {
    pub(super) selection: &'a Selection,
    /// Whether values are wanted at all, and not only times and marks.
    with_values: bool,
    damage: Damage,
    /// When the segment after the one that is being read began; absent of the last one.
    pub(super) next_wall_ns: Option<i64>,
    /// How many sealed segments there were.
    pub(super) sealed_segments: usize,
    stamps: Vec<Stamp>,
    marks: Vec<Mark>,
    /// The manifest of the segment that is being read, until a sample of it is selected.
    current: Option<Manifest>,
    /// The manifest of the last segment with a selected sample.
    selected: Option<Manifest>,
    runs: Vec<Run>,
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
    /// Where each row's sample is in the recording; absent when it was not selected.
    pub(super) places: Vec<Option<usize>>,
    /// The entities in order: each with the row behind its last one.
    pub(super) runs: Vec<(Entity, usize)>,
    pub(super) columns: Vec<(Column, Vec<Option<i64>>)>,
}

impl<'a> LoadedParts<'a> {
    pub(super) fn new(selection: &'a Selection, with_values: bool, damage: Damage) -> Self {
        Self {
            damage,
            selection,
            with_values,
            next_wall_ns: None,
            sealed_segments: 0,
            stamps: Vec::new(),
            marks: Vec::new(),
            current: None,
            selected: None,
            runs: Vec::new(),
            entities: Vec::new(),
            numbers: BTreeMap::new(),
        }
    }

    fn wants(&self, wall_ns: i64) -> bool {
        self.selection.from_wall_ns.is_none_or(|from| wall_ns >= from)
            && self.selection.to_wall_ns.is_none_or(|to| wall_ns <= to)
    }

    pub(super) fn wants_table(&self, table: Table) -> bool {
        self.with_values && self.selection.wants_table(table)
    }

    /// What follows was recorded under this manifest.
    pub(super) fn run(&mut self, manifest: &Manifest) {
        self.current = self.selection.is_part().then(|| manifest.clone());
        if self.runs.last().is_none_or(|run| run.boot_id != manifest.boot_id) {
            let boot_id = manifest.boot_id.clone();
            self.runs.push(Run { boot_id, first_stamp: self.stamps.len(), first_mark: self.marks.len() });
        }
    }

    pub(super) fn mark(&mut self, mark: Mark) {
        if self.wants(mark.stamp.wall_ns) {
            self.marks.push(mark);
        }
    }

    /// Says something about the recording itself.
    pub(super) fn note(&mut self, wall_ns: Option<i64>, text: String) {
        let last = self.stamps.last().copied().unwrap_or_default();
        if wall_ns.is_none_or(|wall_ns| self.wants(wall_ns)) {
            self.marks.push(Mark { stamp: last, kind: MarkKind::Note { text } });
        }
    }

    /// Says that something of a segment is damaged, and what is lost.
    pub(super) fn damaged(&mut self, name: &SegmentName, what: String, cost: &str) {
        let before_end = |wall_ns| self.selection.to_wall_ns.is_none_or(|to| wall_ns <= to);
        let after_begin = |wall_ns| self.selection.from_wall_ns.is_none_or(|from| wall_ns >= from);
        if name.wall_ns().is_none_or(before_end) && self.next_wall_ns.is_none_or(after_begin) {
            self.damage.add(format!("{what}: {cost}"));
        }
        self.note(name.wall_ns(), format!("store: {what}"));
    }

    /// Adds a sample's stamp and gives its place; absent when it was not selected.
    pub(super) fn stamp(&mut self, stamp: Stamp) -> Option<usize> {
        self.wants(stamp.wall_ns).then(|| {
            if let Some(manifest) = self.current.take() {
                self.selected = Some(manifest);
            }
            self.stamps.push(stamp);
            self.stamps.len() - 1
        })
    }

    /// Adds a sample of an open segment.
    pub(super) fn sample(&mut self, schema: &Schema, sample: &Sample, slots: &mut Slots) {
        let Some(at) = self.stamp(sample.stamp) else { return };
        for rows in sample.tables() {
            let table = rows.table();
            if !self.wants_table(table) {
                continue;
            }
            for (id, values) in rows.rows() {
                let Some(entity) = schema.entities(table).get(id.0 as usize) else { continue };
                let (number, columns) =
                    slots.entry((table, id.0)).or_insert_with(|| (self.entity(table, entity), Vec::new()));
                for column in schema.columns(table).iter().skip(columns.len()) {
                    let wanted = self.selection.wants_metric(&column.name);
                    columns.push(wanted.then(|| self.entities[*number].column(column)));
                }
                let gathering = &mut self.entities[*number];
                for (column, value) in columns.iter().zip(values) {
                    if let (Some(column), Some(value)) = (column, value) {
                        gathering.columns[*column].1.push(at, *value);
                    }
                }
            }
        }
    }

    /// Adds rows of a sealed segment.
    pub(super) fn rows(&mut self, table: Table, rows: Rows) {
        let mut runs = Vec::with_capacity(rows.runs.len());
        let mut start = 0;
        for (entity, end) in rows.runs {
            if rows.places[start..end].iter().any(Option::is_some) {
                runs.push((self.entity(table, &entity), start..end));
            }
            start = end;
        }
        for (column, values) in rows.columns {
            for (entity, range) in &runs {
                let gathering = &mut self.entities[*entity];
                let mut number = None;
                for (place, value) in rows.places[range.clone()].iter().zip(&values[range.clone()]) {
                    if let (Some(at), Some(value)) = (place, value) {
                        let number = *number.get_or_insert_with(|| gathering.column(&column));
                        gathering.columns[number].1.push(*at, *value);
                    }
                }
            }
        }
    }

    fn entity(&mut self, table: Table, entity: &Entity) -> usize {
        *self.numbers.entry((table, entity.name.clone())).or_insert_with(|| {
            let entity = entity.clone();
            self.entities.push(EntityColumns { table, entity, columns: Vec::new(), numbers: BTreeMap::new() });
            self.entities.len() - 1
        })
    }

    /// The recording. A part of one has the manifest of its own time, which may have had another kernel, other disks and settings; the
    /// recorder's account is of the whole.
    pub(super) fn finish(mut self, whole: Manifest) -> Recording {
        let manifest = match self.selected.take() {
            Some(part) => Manifest {
                recorder_cpu: whole.recorder_cpu,
                samples: whole.samples,
                late_samples: whole.late_samples,
                lost_samples: whole.lost_samples,
                ..part
            },
            None => whole,
        };
        axis::join(&self.runs, &mut self.stamps, &mut self.marks);
        let mut builder = RecordingBuilder::new(manifest);
        for stamp in self.stamps {
            builder.stamp(stamp);
        }
        for EntityColumns { table, entity, columns, .. } in self.entities {
            let name = entity.name.clone();
            builder.entity(table, entity);
            for (column, values) in columns {
                builder.values(table, &name, column, values);
            }
        }
        for mark in self.marks {
            builder.mark(mark);
        }
        builder.finish()
    }
}

impl EntityColumns {
    /// The number of a column, which is new when it is not there yet.
    fn column(&mut self, column: &Column) -> usize {
        if let Some(number) = self.numbers.get(&column.name) {
            return *number;
        }
        self.columns.push((column.clone(), Values::default()));
        self.numbers.insert(column.name.clone(), self.columns.len() - 1);
        self.columns.len() - 1
    }
}

//! Samples and marks into records.

use super::{Additions, Start, frame, kind};
use crate::varint;
use pagetide_core::{Mark, Sample, Schema, Stamp, Table, TableSample};
use std::collections::BTreeMap;

/// Turns samples into records, each as differences from the previous one.
///
/// Write what [`Encoder::sample`] appended, or call [`Encoder::forget`]: the next record assumes that it is in the log.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    tables: BTreeMap<Table, TableState>,
    /// The rows of one table, kept apart because their length is written first.
    section: Vec<u8>,
    stamp: Stamp,
    /// The difference of the last two stamps on the recording's axis, in ns.
    pace: i64,
    whole: bool,
    undo: Vec<(Table, Option<usize>, usize, usize)>,
}

#[derive(Debug, Default)]
struct TableState {
    /// The number that the log has given to the table.
    number: Option<usize>,
    /// How many columns the log knows.
    columns: usize,
    /// The numbers that the log has given to the schema's entities.
    numbers: BTreeMap<u32, usize>,
    /// Entities in the order in which the log knows them.
    known: Vec<u32>,
    /// The last row of each.
    rows: Vec<Vec<Option<i64>>>,
}

impl Encoder {
    /// An encoder for a new log.
    pub(crate) fn new() -> Self {
        Self { whole: true, ..Self::default() }
    }

    /// Appends the record that starts a log.
    pub(crate) fn start(out: &mut Vec<u8>, offset: u64, start: &Start) {
        json(out, offset, kind::START, start);
    }

    /// Appends the record of a mark.
    pub(crate) fn mark(out: &mut Vec<u8>, offset: u64, mark: &Mark) {
        json(out, offset, kind::MARK, mark);
    }

    /// Appends the records of a sample: the additions to the schema, if any, and the sample. Returns false when it is too large for a record.
    pub(crate) fn sample(&mut self, out: &mut Vec<u8>, offset: u64, schema: &Schema, sample: &Sample) -> bool {
        let additions = self.grow(schema, sample);
        if !additions.is_empty() {
            json(out, offset, kind::SCHEMA, &additions);
        }
        let kind = if self.whole { kind::WHOLE_SAMPLE } else { kind::SAMPLE };
        let before = out.len();
        frame::put(out, offset, kind, |out| {
            self.put_stamp(out, sample.stamp);
            for rows in sample.tables() {
                self.put_rows(out, rows);
            }
        });
        self.whole = false;
        frame::fits(out.len() - before)
    }

    /// Forgets the last sample, which was not written. The next one is encoded whole.
    pub(crate) fn forget(&mut self) {
        for (table, number, columns, entities) in self.undo.drain(..) {
            let state = self.tables.entry(table).or_default();
            state.number = number;
            state.columns = columns;
            for entity in state.known.drain(entities..) {
                state.numbers.remove(&entity);
            }
            state.rows.truncate(entities);
        }
        for row in self.tables.values_mut().flat_map(|state| &mut state.rows) {
            row.clear();
        }
        (self.stamp, self.pace, self.whole) = (Stamp::default(), 0, true);
    }

    /// Numbers what the log does not know yet. Entities are numbered when they have their first row, so that those
    /// that are gone leave no trace in the next log.
    fn grow(&mut self, schema: &Schema, sample: &Sample) -> Additions {
        let mut additions = Additions::default();
        self.undo.clear();
        for rows in sample.tables() {
            let (table, name) = (rows.table(), rows.table().name());
            let numbered = self.tables.values().filter(|state| state.number.is_some()).count();
            let state = self.tables.entry(table).or_default();
            self.undo.push((table, state.number, state.columns, state.known.len()));
            if state.number.is_none() {
                state.number = Some(numbered);
                additions.tables.push(name.to_owned());
            }
            let columns = schema.columns(table);
            additions
                .growth
                .columns
                .extend(columns.iter().skip(state.columns).map(|column| (name.to_owned(), column.clone())));
            state.columns = state.columns.max(columns.len());
            let entities = schema.entities(table);
            for (id, _) in rows.rows().filter(|(id, _)| !state.numbers.contains_key(&id.0)).collect::<Vec<_>>() {
                let Some(entity) = entities.get(id.0 as usize) else { continue };
                if state.numbers.contains_key(&id.0) {
                    continue;
                }
                state.numbers.insert(id.0, state.known.len());
                state.known.push(id.0);
                state.rows.push(Vec::new());
                additions.growth.entities.push((name.to_owned(), entity.clone()));
            }
        }
        additions
    }

    /// The sampling interval hardly changes and the three clocks run nearly alike, so their differences are small numbers.
    fn put_stamp(&mut self, out: &mut Vec<u8>, stamp: Stamp) {
        let boot = stamp.boot_ns.wrapping_sub(self.stamp.boot_ns);
        let others = [stamp.mono_ns.wrapping_sub(self.stamp.mono_ns), stamp.wall_ns.wrapping_sub(self.stamp.wall_ns)];
        varint::put(out, varint::zigzag(boot.wrapping_sub(self.pace)));
        for other in others {
            varint::put(out, varint::zigzag(other.wrapping_sub(boot)));
        }
        // The first stamp has no interval before it.
        self.pace = if self.whole { 0 } else { boot };
        self.stamp = stamp;
    }

    fn put_rows(&mut self, out: &mut Vec<u8>, rows: &TableSample) {
        let Some(state) = self.tables.get_mut(&rows.table()) else { return };
        let Some(table) = state.number else { return };
        self.section.clear();
        let section = &mut self.section;
        let known = rows.rows().filter(|(id, _)| state.numbers.contains_key(&id.0)).count();
        varint::put_len(section, known);
        let mut expected = 0i64;
        for (id, values) in rows.rows() {
            let Some(number) = state.numbers.get(&id.0).copied() else { continue };
            let signed = i64::try_from(number).unwrap_or(i64::MAX);
            varint::put(section, varint::zigzag(signed - expected));
            expected = signed + 1;
            let before = &mut state.rows[number];
            before.resize(state.columns, None);
            put_row(section, before, values);
        }
        varint::put_len(out, table);
        varint::put_len(out, section.len());
        out.extend_from_slice(section);
    }
}

/// Appends the cells that differ from `before`, and sets `before` to this row.
fn put_row(out: &mut Vec<u8>, before: &mut [Option<i64>], values: &[Option<i64>]) {
    let cells = || values.iter().copied().chain(std::iter::repeat(None));
    varint::put_len(out, before.iter().zip(cells()).filter(|(old, new)| **old != *new).count());
    let mut next = 0;
    for (at, (old, new)) in before.iter_mut().zip(cells()).enumerate() {
        if *old == new {
            continue;
        }
        varint::put_len(out, at - next);
        next = at + 1;
        varint::put(
            out,
            match (*old, new) {
                (Some(old), Some(new)) => varint::zigzag(new.wrapping_sub(old)),
                (None, Some(new)) => varint::zigzag(new),
                // Unchanged numbers are left out, so a difference of 0 can mean that the value is absent now.
                (_, None) => 0,
            },
        );
        *old = new;
    }
}

fn json(out: &mut Vec<u8>, offset: u64, kind: u8, value: &impl serde::Serialize) {
    frame::put(out, offset, kind, |out| {
        // It cannot fail: these types have only string keys, and a vector takes any number of bytes.
        out.extend_from_slice(&serde_json::to_vec(value).unwrap_or_default());
    });
}

//! Feeds a recording to a sink, sample by sample, as if it were being recorded.

use crate::budget::at_most;
use pagetide_core::{EntityId, Error, Recording, Sample, Schema, Sink, Table, Values};
use std::path::Path;

/// Columns times entities, at most: a log keeps the last value of each in memory, present or not, which is 512 MiB.
const MOST_CELLS: u64 = 1 << 25;

/// A column during replay: the row that it is in, and its remaining values.
struct Cursor<'a> {
    table: Table,
    entity: EntityId,
    column: usize,
    values: &'a Values,
}

/// Feeds `recording` to `sink`, which gets every value of it.
///
/// # Errors
/// What the sink refuses.
pub fn replay(recording: &Recording, sink: &mut dyn Sink) -> Result<(), Error> {
    sink.begin(&recording.manifest)?;
    let mut schema = Schema::default();
    let mut cursors: Vec<Cursor<'_>> = Vec::new();
    // Entities without a value get a row in the first sample: they had one in some sample.
    let mut bare: Vec<(Table, EntityId)> = Vec::new();
    for table in Table::ALL {
        for (name, _) in recording.entities(table) {
            let entity = schema.push_entity(table, recording.entity_of(table, name));
            let before = cursors.len();
            for (column, values) in recording.columns(table, name) {
                // A column of the same name but of another kind or unit is another column.
                let known = schema.columns(table).iter().position(|known| known == column);
                let column = known.unwrap_or_else(|| schema.push_column(table, column.clone()).0 as usize);
                cursors.push(Cursor { table, entity, column, values });
            }
            if cursors.len() == before {
                bare.push((table, entity));
            }
        }
    }
    let cells = |table: Table| schema.entities(table).len() as u64 * schema.columns(table).len() as u64;
    let cells = Table::ALL.into_iter().map(cells).sum();
    let within = at_most("values of all entities together", cells, MOST_CELLS);
    within.map_err(|exceeded| exceeded.at(Path::new("the recording")))?;
    let mut marks = recording.marks.iter().peekable();
    let mut sample = Sample::default();
    for (at, stamp) in recording.stamps().iter().enumerate() {
        while let Some(mark) = marks.next_if(|mark| mark.stamp.boot_ns < stamp.boot_ns) {
            sink.mark(mark)?;
        }
        sample.clear();
        sample.stamp = *stamp;
        for (table, entity) in bare.drain(..) {
            sample.row(table, entity, schema.columns(table).len());
        }
        // The cursors of one entity are adjacent, so its row is the last one begun.
        let mut rest = cursors.as_slice();
        while let Some(Cursor { table, entity, .. }) = rest.first() {
            let of_entity = rest.iter().take_while(|next| (next.table, next.entity) == (*table, *entity)).count();
            let (here, after) = rest.split_at(of_entity);
            rest = after;
            let value = |cursor: &Cursor<'_>| cursor.values.at(at);
            if here.iter().all(|cursor| value(cursor).is_none()) {
                continue;
            }
            let row = sample.row(*table, *entity, schema.columns(*table).len());
            for cursor in here {
                row[cursor.column] = value(cursor);
            }
        }
        sink.sample(&schema, &sample)?;
    }
    for mark in marks {
        sink.mark(mark)?;
    }
    sink.finish(&recording.manifest)
}

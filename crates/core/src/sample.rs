//! One reading of the kernel's numbers, and the schema that says what each number is.
//!
//! A [`Schema`] grows while a recording runs: a metric or an entity (a disk, a process) gets the next free
//! number when it is first seen and keeps it. A [`Sample`] is a plain block of values under that schema, made
//! to be reused: after the first few, taking another one allocates nothing.

use crate::metric::{self, Kind, Table};
use crate::quantity::Unit;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, TryReserveError};

/// When a sample was taken, on three clocks, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stamp {
    /// `CLOCK_REALTIME`: nanoseconds since 1970-01-01 UTC. Jumps when the clock is set.
    pub wall_ns: i64,
    /// `CLOCK_MONOTONIC`: stands still while the host is suspended.
    pub mono_ns: i64,
    /// `CLOCK_BOOTTIME`: goes on while the host is suspended. This is the time axis of a recording.
    pub boot_ns: i64,
}

/// The position of a column in its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ColumnId(pub u32);

/// The position of an entity in its table's list of entities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntityId(pub u32);

/// One column of a table: a metric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The kernel's own name for it.
    pub name: String,
    /// Gauge, counter or not known.
    pub kind: Kind,
    /// Its unit.
    pub unit: Unit,
}

/// What a row of a table is about: a zone, a disk, a process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// Unique within its table, for example `vda`, `node0/Normal`, `4711@98765` (process id and start time).
    pub name: String,
    /// What a person calls it, for example a process's command name; may repeat.
    pub label: String,
    /// A process's command line, words separated by spaces; absent if command lines were not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_line: Option<String>,
}

impl Entity {
    /// An entity by its name and what a person calls it.
    pub fn new(name: impl Into<String>, label: impl Into<String>) -> Self {
        Self { name: name.into(), label: label.into(), command_line: None }
    }
}

/// What the values of a sample mean.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    columns: BTreeMap<Table, Vec<Column>>,
    entities: BTreeMap<Table, Vec<Entity>>,
}

impl Schema {
    /// The columns of a table, in order of their [`ColumnId`].
    pub fn columns(&self, table: Table) -> &[Column] {
        self.columns.get(&table).map_or(&[], Vec::as_slice)
    }

    /// The entities of a table, in order of their [`EntityId`].
    pub fn entities(&self, table: Table) -> &[Entity] {
        self.entities.get(&table).map_or(&[], Vec::as_slice)
    }

    /// The column called `name`, added with the kind and unit of the metric table (or as unknown) when it is new.
    pub fn column(&mut self, table: Table, name: &str) -> ColumnId {
        if let Some(found) = self.find_column(table, name) {
            return found;
        }
        let (kind, unit) =
            metric::find(table, name).map_or((Kind::Unknown, Unit::Unknown), |known| (known.kind, known.unit));
        self.push_column(table, Column { name: name.to_owned(), kind, unit })
    }

    /// Adds a column as it is (when a stored recording is read back) and gives its position.
    pub fn push_column(&mut self, table: Table, column: Column) -> ColumnId {
        let columns = self.columns.entry(table).or_default();
        columns.push(column);
        ColumnId(position(columns.len()))
    }

    /// The column called `name`, if the table has it.
    pub fn find_column(&self, table: Table, name: &str) -> Option<ColumnId> {
        self.columns(table).iter().position(|column| column.name == name).map(|at| ColumnId(position(at + 1)))
    }

    /// Adds an entity and gives its position. The caller knows which entities it has added.
    pub fn push_entity(&mut self, table: Table, entity: Entity) -> EntityId {
        let entities = self.entities.entry(table).or_default();
        entities.push(entity);
        EntityId(position(entities.len()))
    }

    /// The entity called `name`, if the table has it.
    pub fn find_entity(&self, table: Table, name: &str) -> Option<EntityId> {
        self.entities(table).iter().position(|entity| entity.name == name).map(|at| EntityId(position(at + 1)))
    }
}

/// What a schema gained: what one side has of it and the other, to which samples are handed, does not know yet. Tables are by `T`:
/// files name them, as they may have one that the reader does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaGrowth<T = Table> {
    /// New columns, in the order of their numbers.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<(T, Column)>,
    /// New entities, in the order of their numbers.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<(T, Entity)>,
}

impl<T> Default for SchemaGrowth<T> {
    fn default() -> Self {
        Self { columns: Vec::new(), entities: Vec::new() }
    }
}

impl<T> SchemaGrowth<T> {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.entities.is_empty()
    }

    /// Takes over what `later` has.
    pub fn append(&mut self, later: &mut Self) {
        self.columns.append(&mut later.columns);
        self.entities.append(&mut later.entities);
    }

    /// Adds it to a schema and keeps nothing of it. What is of a table that `known` does not give is left out.
    pub fn apply_known(&mut self, schema: &mut Schema, known: impl Fn(&T) -> Option<Table>) {
        for (table, column) in self.columns.drain(..) {
            known(&table).map(|table| schema.push_column(table, column));
        }
        for (table, entity) in self.entities.drain(..) {
            known(&table).map(|table| schema.push_entity(table, entity));
        }
    }
}

impl SchemaGrowth {
    /// Adds it to a schema and keeps nothing of it.
    pub fn apply(&mut self, schema: &mut Schema) {
        self.apply_known(schema, |table| Some(*table));
    }
}

/// How much of a schema has been handed over.
#[derive(Debug, Default)]
pub struct SchemaCursor {
    columns: [usize; Table::ALL.len()],
    entities: [usize; Table::ALL.len()],
}

impl SchemaCursor {
    /// Adds to `growth` what `schema` has beyond what was handed over. Allocates only when there is something.
    pub fn collect(&mut self, schema: &Schema, growth: &mut SchemaGrowth) {
        for (at, table) in Table::ALL.into_iter().enumerate() {
            let (columns, entities) = (schema.columns(table), schema.entities(table));
            growth.columns.extend(columns[self.columns[at]..].iter().map(|column| (table, column.clone())));
            growth.entities.extend(entities[self.entities[at]..].iter().map(|entity| (table, entity.clone())));
            (self.columns[at], self.entities[at]) = (columns.len(), entities.len());
        }
    }
}

/// The index of the last of `len` things.
fn position(len: usize) -> u32 {
    u32::try_from(len - 1).unwrap_or(u32::MAX)
}

/// One reading of everything that is recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// When it was taken.
    pub stamp: Stamp,
    tables: Vec<TableSample>,
}

/// The rows of one table in a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct TableSample {
    table: Table,
    width: usize,
    entities: Vec<EntityId>,
    values: Vec<Option<i64>>,
}

impl Sample {
    /// Forgets the rows and keeps the memory.
    pub fn clear(&mut self) {
        for table in &mut self.tables {
            table.entities.clear();
            table.values.clear();
        }
    }

    /// Starts a row of absent values for `entity` and gives it for filling. `width` is the number of columns that the
    /// schema has for the table now; rows of one sample may not shrink.
    pub fn row(&mut self, table: Table, entity: EntityId, width: usize) -> &mut [Option<i64>] {
        let at = match self.tables.iter().position(|rows| rows.table == table) {
            Some(at) => at,
            None => {
                self.tables.push(TableSample { table, width, entities: Vec::new(), values: Vec::new() });
                self.tables.len() - 1
            }
        };
        self.tables[at].push(entity, width)
    }

    /// Takes the memory for `rows` more rows, where somebody else decides how many there are.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn try_reserve(&mut self, table: Table, rows: usize, width: usize) -> Result<(), TryReserveError> {
        let known = self.tables.iter_mut().find(|known| known.table == table);
        let Some(known) = known else {
            let (mut entities, mut values) = (Vec::new(), Vec::new());
            entities.try_reserve(rows)?;
            values.try_reserve(rows.saturating_mul(width))?;
            self.tables.push(TableSample { table, width, entities, values });
            return Ok(());
        };
        known.entities.try_reserve(rows)?;
        known.values.try_reserve(rows.saturating_mul(width.max(known.width)))
    }

    /// The tables that have rows.
    pub fn tables(&self) -> impl Iterator<Item = &TableSample> {
        self.tables.iter().filter(|rows| !rows.entities.is_empty())
    }

    /// Whether an entity has a row. It looks at all rows of the table.
    pub fn has_row(&self, table: Table, entity: EntityId) -> bool {
        self.table(table).is_some_and(|rows| rows.rows().any(|(known, _)| known == entity))
    }

    /// The rows of one table, if it has any.
    pub fn table(&self, table: Table) -> Option<&TableSample> {
        self.tables().find(|rows| rows.table == table)
    }
}

impl TableSample {
    fn push(&mut self, entity: EntityId, width: usize) -> &mut [Option<i64>] {
        if width > self.width {
            self.widen(width);
        }
        self.entities.push(entity);
        let start = self.values.len();
        self.values.resize(start + self.width, None);
        &mut self.values[start..]
    }

    /// Gives every row more columns; needed only when a new metric shows up in the middle of a sample.
    fn widen(&mut self, width: usize) {
        let mut wider = Vec::with_capacity(self.entities.len() * width);
        for row in self.values.chunks(self.width.max(1)).take(self.entities.len()) {
            wider.extend_from_slice(row);
            wider.resize(wider.len() + width - self.width, None);
        }
        self.values = wider;
        self.width = width;
    }

    /// Which table this is.
    pub fn table(&self) -> Table {
        self.table
    }

    /// Each row: its entity and its values, one per column of the schema (a column added later may be missing at the end).
    pub fn rows(&self) -> impl Iterator<Item = (EntityId, &[Option<i64>])> {
        let width = self.width;
        self.entities.iter().enumerate().map(move |(at, entity)| (*entity, &self.values[at * width..(at + 1) * width]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_numbers_things_in_the_order_in_which_they_are_seen() {
        let mut schema = Schema::default();
        let free = schema.column(Table::Host, "MemFree");
        assert_eq!(schema.column(Table::Host, "MemFree"), free);
        assert_eq!(schema.column(Table::Host, "never_heard_of"), ColumnId(1));
        assert_eq!(schema.columns(Table::Host)[0].unit, Unit::Bytes);
        assert_eq!(schema.columns(Table::Host)[1].kind, Kind::Unknown);
    }

    #[test]
    fn rows_widen_when_a_metric_shows_up_late() {
        let mut sample = Sample::default();
        sample.row(Table::Disk, EntityId(0), 1)[0] = Some(7);
        sample.row(Table::Disk, EntityId(1), 2)[1] = Some(9);
        let rows: Vec<_> = sample.table(Table::Disk).unwrap().rows().collect();
        assert_eq!(rows[0], (EntityId(0), &[Some(7), None][..]));
        assert_eq!(rows[1], (EntityId(1), &[None, Some(9)][..]));
        sample.clear();
        assert_eq!(sample.tables().count(), 0);
    }
}

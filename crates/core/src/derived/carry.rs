//! What one part of a recording leaves for a walk along the next, so that the parts together have the values of the whole.

use crate::metric::Table;
use crate::recording::Recording;
use std::collections::BTreeMap;

/// The last point of each series that was seen.
#[derive(Debug, Clone, Default)]
pub struct Carry(BTreeMap<Table, BTreeMap<String, BTreeMap<String, Last>>>);

/// The last point of a series.
#[derive(Debug, Clone, Copy)]
pub(super) struct Last {
    pub(super) at: i64,
    pub(super) value: i64,
    /// The time between the points of its series.
    pub(super) usual: i64,
}

/// Where nothing came before.
pub(super) static NOTHING: Carry = Carry::EMPTY;

impl Carry {
    /// Nothing came before.
    pub const EMPTY: Self = Self(BTreeMap::new());

    /// Takes the last points of a part up to a moment.
    pub fn take(&mut self, part: &Recording, upto: i64) {
        for table in Table::ALL {
            for (entity, _) in part.entities(table) {
                let known = self.0.entry(table).or_default().entry(entity.to_owned()).or_default();
                for column in part.metrics(table, entity) {
                    let Some(series) = part.series(table, entity, &column.name) else { continue };
                    let Some((at, value)) = series.points().rfind(|(at, _)| *at <= upto) else { continue };
                    let usual = known.get(&column.name).map_or_else(|| series.usual_interval(), |last| last.usual);
                    known.insert(column.name.clone(), Last { at, value, usual });
                }
            }
        }
    }

    /// Moves all points in time: to the axis of the next part.
    pub fn shift(&mut self, by: i64) {
        if by != 0 {
            let entities = self.0.values_mut().flat_map(BTreeMap::values_mut);
            entities.flat_map(BTreeMap::values_mut).for_each(|last| last.at = last.at.saturating_add(by));
        }
    }

    /// The last value of a series.
    pub fn value(&self, table: Table, entity: &str, metric: &str) -> Option<i64> {
        self.last(table, entity, metric).map(|last| last.value)
    }

    pub(super) fn last(&self, table: Table, entity: &str, metric: &str) -> Option<Last> {
        self.0.get(&table)?.get(entity)?.get(metric).copied()
    }
}

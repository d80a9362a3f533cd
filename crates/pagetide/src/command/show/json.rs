//! The JSON of a table.

use crate::output::{self, Content};
use crate::recordings;
use pagetide_core::{Document, Error};
use pagetide_store::Damage;
use pagetide_view::show::{Heading, Parts, Row, Totals, word_headings};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::io;

/// What is only known after the rows are written.
#[derive(Default)]
struct Found {
    totals: Totals,
    any: bool,
    error: Option<Error>,
}

/// The rows, which are never all in memory at once.
struct Rows<'a>(&'a Parts<'a>, &'a RefCell<Found>);

/// The part after the rows, computed when it is written.
struct Below<F>(F);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(parts, found) = self;
        let headings: Vec<Heading> = parts.headings().collect();
        let mut rows = serializer.serialize_seq(None)?;
        // The writer's own error is kept: a closed pipe is not an error for the user.
        let mut failed = None;
        let read = parts.each(&mut |table| {
            let Found { totals, any, .. } = &mut *found.borrow_mut();
            totals.part(table);
            for row in table.rows() {
                totals.row(&row);
                *any = true;
                if let Err(error) = rows.serialize_element(&object(parts, &headings, &row)) {
                    failed = Some(error);
                    return Err(io::ErrorKind::WriteZero.into());
                }
            }
            Ok(())
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if let Err(error) = read.map_err(S::Error::custom)? {
            found.borrow_mut().error = Some(error);
        }
        rows.end()
    }
}

impl<T: Serialize, F: Fn() -> T> Serialize for Below<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.0)().serialize(serializer)
    }
}

/// Writes the document of a table. Gives whether it has a row.
pub(super) fn write(parts: &Parts<'_>, min_max: bool, damage: &Damage) -> Result<bool, Error> {
    #[derive(Serialize)]
    struct Body<'a, A: Serialize, M: Serialize, L: Serialize> {
        columns: Vec<Value>,
        rows: Rows<'a>,
        averages: A,
        /// The smallest and the largest values; none of each when not requested.
        #[serde(flatten)]
        extremes: M,
        /// Counters that fell: no rates from them for that interval. And what of the recording is damaged.
        #[serde(flatten)]
        rest: L,
    }
    let headings: Vec<Heading> = parts.headings().collect();
    let columns = headings
        .iter()
        .map(|Heading { name, unit, meaning, .. }| json!({ "name": name, "unit": unit, "meaning": meaning }));
    let words = word_headings(parts.topic());
    let words = words.map(|heading| json!({ "name": heading.name, "meaning": heading.meaning }));
    let timeless = |row: &Row<'_>| {
        let mut object = object(parts, &headings, row);
        object.remove("time");
        object
    };
    let found = RefCell::new(Found::default());
    let rows_of = |rows: Vec<Row<'_>>| rows.iter().map(timeless).collect::<Vec<_>>();
    let body = Body {
        columns: words.chain(columns).collect(),
        rows: Rows(parts, &found),
        averages: Below(|| rows_of(found.borrow().totals.averages(parts))),
        extremes: Below(|| {
            let mut extremes: Map<String, Value> = Map::new();
            if min_max {
                extremes.insert("minima".to_owned(), json!(rows_of(found.borrow().totals.minima(parts.topic()))));
                extremes.insert("maxima".to_owned(), json!(rows_of(found.borrow().totals.maxima(parts.topic()))));
            }
            extremes
        }),
        rest: Below(|| {
            let mut rest: Map<String, Value> = Map::new();
            let found = found.borrow();
            let fell = found.totals.falls().iter().map(|fall| {
                json!({ "entity": fall.entity, "metrics": fall.metrics, "time": recordings::timestamp(fall.wall_ns), "times": fall.times })
            });
            let fell: Vec<Value> = fell.collect();
            if !fell.is_empty() {
                rest.insert("fell".to_owned(), fell.into());
            }
            let damaged = damage.lines();
            if !damaged.is_empty() {
                rest.insert("damaged".to_owned(), damaged.into());
            }
            rest
        }),
    };
    output::stream(Content::Json, |out| {
        serde_json::to_writer_pretty(&mut *out, &Document::new(body))?;
        writeln!(out)
    })?;
    let Found { any, error, .. } = found.into_inner();
    error.map_or(Ok(any), Err)
}

/// A row as an object: its time, its entity and its cells by their columns.
pub(super) fn object(parts: &Parts<'_>, headings: &[Heading], row: &Row<'_>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("time".into(), recordings::timestamp(row.wall_ns).into());
    if let (Some(name), Some(entity)) = (parts.topic().entity(), row.entity) {
        object.insert(name.into(), entity.into());
    }
    for (heading, word) in word_headings(parts.topic()).zip(&row.words) {
        object.insert(heading.name.into(), json!(word));
    }
    for (heading, value) in headings.iter().zip(&row.cells) {
        object.insert(heading.name.into(), json!(value));
    }
    object
}

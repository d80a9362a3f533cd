//! The rows of a fleet.

use crate::error::{PagetideError, arrow, raised};
use crate::table::{batches, to_pyarrow};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use pagetide_fleet::{COLUMNS, ColumnType, Problem, Question, Row, Split, Text, TimeRange, Unit, Value};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The columns of rows: name, type, meaning.
#[pyfunction]
pub(crate) fn columns() -> Vec<(&'static str, &'static str, &'static str)> {
    COLUMNS.iter().map(|column| (column.name, column.kind.name(), column.meaning)).collect()
}

/// The recordings below a folder.
#[pyfunction]
pub(crate) fn recordings(folder: PathBuf) -> PyResult<Vec<String>> {
    pagetide_fleet::recordings(&folder).map_err(raised)
}

/// The units of work of a recording: its days within a range; one without a day when it has none that can be read.
#[pyfunction]
pub(crate) fn units(recording: &str, from_ns: Option<i64>, until_ns: i64) -> Vec<(String, Option<String>)> {
    let units = pagetide_fleet::units(recording, TimeRange { from_ns, until_ns });
    units.into_iter().map(|unit| (unit.recording, unit.date)).collect()
}

/// Whether a UTC day counts within a range.
#[pyfunction]
pub(crate) fn in_range(date: &str, from_ns: Option<i64>, until_ns: i64) -> bool {
    TimeRange { from_ns, until_ns }.has_day(date)
}

/// The rows of a unit of work, as a `pyarrow.Table`. What is wrong with a recording is in a row.
#[pyfunction]
pub(crate) fn map_unit<'py>(
    py: Python<'py>,
    recording: String,
    date: Option<String>,
    from_ns: Option<i64>,
    until_ns: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let range = TimeRange { from_ns, until_ns };
    let rows = py.detach(|| pagetide_fleet::map_unit(&Unit { recording, date, files: String::new() }, range));
    to_pyarrow(py, batch(&rows)?)
}

/// The row of a recording that has a problem which only the caller knows of.
#[pyfunction]
pub(crate) fn problem<'py>(py: Python<'py>, recording: &str, problem: &str, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let known = Problem::ALL.into_iter().find(|known| known.name() == problem);
    let problem = known.ok_or_else(|| PagetideError::new_err(format!("no problem is called `{problem}`")))?;
    to_pyarrow(py, batch(&[problem.row(recording, None, text)])?)
}

/// Rows as the CSV that `pagetide fleet --csv` prints, sorted as there.
#[pyfunction]
pub(crate) fn csv(py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let mut rows = rows(table)?;
    py.detach(|| {
        pagetide_fleet::sort(&mut rows);
        let mut out = Vec::new();
        pagetide_fleet::csv(&rows, &mut out)?;
        Ok(out)
    })
}

/// The answers that rows give, as JSON: what `pagetide fleet --json` prints.
#[pyfunction]
pub(crate) fn reduce(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    labels: BTreeMap<String, BTreeMap<String, String>>,
    split: Option<String>,
    split_at_ns: Option<i64>,
) -> PyResult<String> {
    let rows = rows(table)?;
    let text = |text: String| Text::from(text);
    let of_host =
        |labels: BTreeMap<String, String>| labels.into_iter().map(|(name, value)| (text(name), text(value))).collect();
    let labels = labels.into_iter().map(|(host, labels)| (text(host), of_host(labels))).collect();
    let split = split.map(|name| Split::Attribute(name.into())).or(split_at_ns.map(Split::Time));
    py.detach(|| {
        let answers = pagetide_fleet::reduce(&rows, &Question { labels, split }).map_err(raised)?;
        serde_json::to_string(&answers).map_err(|error| PagetideError::new_err(error.to_string()))
    })
}

fn batch(rows: &[Row]) -> PyResult<RecordBatch> {
    let mut columns: Vec<Vec<Value>> = vec![Vec::with_capacity(rows.len()); COLUMNS.len()];
    for row in rows {
        columns.iter_mut().zip(row.values()).for_each(|(column, value)| column.push(value));
    }
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (column, values) in COLUMNS.iter().zip(columns) {
        let values = values.into_iter();
        let (kind, array): (DataType, ArrayRef) = match column.kind {
            ColumnType::Text => {
                let texts = values.map(|value| if let Value::Text(text) = value { text } else { None });
                (DataType::Utf8, Arc::new(texts.collect::<StringArray>()))
            }
            ColumnType::Integer => {
                let numbers = values.map(|value| if let Value::Integer(number) = value { number } else { None });
                (DataType::Int64, Arc::new(numbers.collect::<Int64Array>()))
            }
            ColumnType::Real => {
                let numbers = values.map(|value| if let Value::Real(number) = value { number } else { None });
                (DataType::Float64, Arc::new(numbers.collect::<Float64Array>()))
            }
        };
        fields.push(Field::new(column.name, kind, true));
        arrays.push(array);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(arrow)
}

/// The rows of a table with these columns; other columns are passed over.
fn rows(table: &Bound<'_, PyAny>) -> PyResult<Vec<Row>> {
    let mut all = Vec::new();
    let mut texts = std::collections::HashSet::new();
    for batch in batches(table)? {
        let mut rows = vec![Row::default(); batch.num_rows()];
        for column in COLUMNS {
            let Some(array) = batch.column_by_name(column.name) else { continue };
            let wrong = || PagetideError::new_err(format!("the column `{}` is no {}", column.name, column.kind.name()));
            match column.kind {
                ColumnType::Text => {
                    let array = array.as_string_opt::<i32>().ok_or_else(wrong)?;
                    let values = array.iter().map(|text| Value::Text(text.map(Text::from)));
                    rows.iter_mut().zip(values).for_each(|(row, value)| row.set(column.name, value));
                }
                ColumnType::Integer => {
                    let array = array.as_primitive_opt::<Int64Type>().ok_or_else(wrong)?;
                    rows.iter_mut()
                        .zip(array.iter())
                        .for_each(|(row, value)| row.set(column.name, Value::Integer(value)));
                }
                ColumnType::Real => {
                    let array = array.as_primitive_opt::<Float64Type>().ok_or_else(wrong)?;
                    rows.iter_mut().zip(array.iter()).for_each(|(row, value)| row.set(column.name, Value::Real(value)));
                }
            }
        }
        pagetide_fleet::share_texts(&mut rows, &mut texts);
        all.extend(rows);
    }
    Ok(all)
}

//! A recording: its manifest, its tables, its diagnosis.

use crate::error::{PagetideError, arrow, raised};
use crate::table::to_pyarrow;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampNanosecondArray};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use pagetide_core::{Error, LazyRecording, Recording, Selection, Source, Table};
use pagetide_store::Reader;
use pyo3::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

/// A recording on disk.
#[pyclass(frozen, name = "Recording", module = "pagetide")]
#[derive(Debug)]
pub(crate) struct PyRecording {
    reader: Reader,
}

/// Opens a recording: its folder, or a run's folder.
#[pyfunction]
pub(crate) fn open(path: PathBuf) -> PyResult<PyRecording> {
    let inner = path.join("recording");
    let folder = if inner.join("manifest.json").is_file() { inner } else { path };
    Reader::open(&folder).map(|reader| PyRecording { reader }).map_err(raised)
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PagetideError::new_err(error.to_string()))
}

#[pymethods]
impl PyRecording {
    /// The folder.
    #[getter]
    fn path(&self) -> PathBuf {
        self.reader.folder().to_owned()
    }

    /// The manifest as JSON.
    fn manifest_json(&self) -> PyResult<String> {
        json(self.reader.manifest())
    }

    /// A sentence for each damaged file that was read so far.
    #[getter]
    fn damage(&self) -> Vec<String> {
        self.reader.damage().lines()
    }

    /// A table between two moments, of some metrics or all.
    #[pyo3(signature = (name, from_ns = None, to_ns = None, metrics = None))]
    fn table<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        from_ns: Option<i64>,
        to_ns: Option<i64>,
        metrics: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let known: Vec<&str> = Table::ALL.into_iter().map(Table::name).collect();
        let Some(table) = Table::ALL.into_iter().find(|table| table.name() == name) else {
            return Err(raised(Error::input(format!("no table `{name}`"), format!("one of {}", known.join(", ")))));
        };
        let selection = Selection {
            from_wall_ns: from_ns,
            to_wall_ns: to_ns,
            tables: vec![table],
            metrics: metrics.unwrap_or_default(),
        };
        let batch = py.detach(|| batch(&self.reader.load(&selection).map_err(raised)?, table))?;
        to_pyarrow(py, batch)
    }

    /// What happened, as JSON: what `pagetide diagnose --json` prints.
    #[pyo3(signature = (from_ns = None, to_ns = None))]
    fn diagnose_json(&self, py: Python<'_>, from_ns: Option<i64>, to_ns: Option<i64>) -> PyResult<String> {
        py.detach(|| {
            let mut recording = LazyRecording::open(&self.reader, from_ns, to_ns).map_err(raised)?;
            let mut diagnosis = pagetide_diagnose::diagnose_lazy(&mut recording, &[]).map_err(raised)?;
            diagnosis.damaged = self.reader.damage().lines();
            json(&diagnosis)
        })
    }

    fn __repr__(&self) -> String {
        format!("Recording({:?}, host={:?})", self.reader.folder().display().to_string(), self.reader.manifest().host)
    }
}

/// A table by rows: time, entity, label, and every metric. An entity has a row for each sample in which it has a value.
fn batch(recording: &Recording, table: Table) -> PyResult<RecordBatch> {
    let stamps = recording.stamps();
    let entities: Vec<(&str, &str)> = recording.entities(table).collect();
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rows: Vec<(usize, usize)> = Vec::new();
    for (number, (entity, _)) in entities.iter().enumerate() {
        let mut present = vec![false; stamps.len()];
        for (column, values) in recording.columns(table, entity) {
            let next = names.len();
            names.entry(&column.name).or_insert(next);
            values.points().for_each(|(at, _)| present[at] = true);
        }
        rows.extend(present.iter().enumerate().filter(|(_, present)| **present).map(|(at, _)| (number, at)));
    }
    let mut fields = vec![Field::new("time", DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())), false)];
    let times = rows.iter().map(|(_, at)| stamps[*at].wall_ns);
    let mut columns: Vec<ArrayRef> =
        vec![Arc::new(TimestampNanosecondArray::from_iter_values(times).with_timezone("UTC"))];
    if table != Table::Host {
        fields.push(Field::new("entity", DataType::Utf8, false));
        columns.push(Arc::new(StringArray::from_iter_values(rows.iter().map(|(number, _)| entities[*number].0))));
        fields.push(Field::new("label", DataType::Utf8, false));
        columns.push(Arc::new(StringArray::from_iter_values(rows.iter().map(|(number, _)| entities[*number].1))));
    }
    for name in names.keys() {
        let of_entity: Vec<_> = entities
            .iter()
            .map(|(entity, _)| recording.columns(table, entity).find(|(column, _)| column.name == *name))
            .collect();
        let values = rows.iter().map(|(number, at)| of_entity[*number].and_then(|(_, values)| values.at(*at)));
        let column = of_entity.iter().flatten().next().map(|(column, _)| *column);
        let text = |value: Option<serde_json::Value>| {
            value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
        };
        let unit = text(column.and_then(|column| serde_json::to_value(column.unit).ok()));
        let kind = text(column.and_then(|column| serde_json::to_value(column.kind).ok()));
        let metadata: HashMap<String, String> = [("unit".to_owned(), unit), ("kind".to_owned(), kind)].into();
        columns.push(Arc::new(values.collect::<Int64Array>()));
        fields.push(Field::new(*name, DataType::Int64, true).with_metadata(metadata));
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(arrow)
}

//! Tables by the Arrow C stream interface.

use crate::error::{PagetideError, arrow};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// The name that the interface gives its capsules.
const STREAM: &std::ffi::CStr = c"arrow_array_stream";

/// A table that pyarrow, pandas and polars can take: `pyarrow.table(it)`.
#[pyclass(frozen, name = "Table", module = "pagetide._native")]
#[derive(Debug)]
pub(crate) struct PyTable(RecordBatch);

#[pymethods]
impl PyTable {
    /// The table as an Arrow C stream.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Who wants another schema casts.
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }
}

/// The table as a `pyarrow.Table`.
pub(crate) fn to_pyarrow(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyAny>> {
    py.import("pyarrow")?.call_method1("table", (PyTable(batch),))
}

/// The batches of anything that has the interface.
pub(crate) fn batches(table: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    let capsule = table.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    #[expect(unsafe_code, reason = "the C stream interface hands over a pointer")]
    // SAFETY: a capsule of this name holds an ArrowArrayStream, which this call moves out and marks as released, as the interface
    // demands of a consumer; the capsule lives until the end of this function.
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr()) }.map_err(arrow)?;
    let _ = reader.schema();
    reader.collect::<Result<Vec<RecordBatch>, ArrowError>>().map_err(|error| PagetideError::new_err(error.to_string()))
}

//! The module `pagetide._native`: recordings, diagnoses and the rows of a fleet for Python. `python/pagetide` is what users import.
//!
//! Tables are handed over by the Arrow C stream interface, so that pyarrow, pandas and polars take them without a copy.

mod error;
mod fleet;
mod recording;
mod table;

use pagetide_kernel::Root;
use pyo3::prelude::*;

/// What the Python package is made of.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    if let Some(bytes) = Root::host().spare_memory() {
        pagetide_store::limit_memory(bytes);
    }
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("MADE_BY", pagetide_fleet::MADE_BY)?;
    module.add("ROW_VERSION", pagetide_fleet::ROW_VERSION)?;
    module.add("Error", module.py().get_type::<error::PagetideError>())?;
    module.add_class::<recording::PyRecording>()?;
    module.add_class::<table::PyTable>()?;
    module.add_function(wrap_pyfunction!(recording::open, module)?)?;
    module.add_function(wrap_pyfunction!(fleet::columns, module)?)?;
    module.add_function(wrap_pyfunction!(fleet::recordings, module)?)?;
    module.add_function(wrap_pyfunction!(fleet::units, module)?)?;
    module.add_function(wrap_pyfunction!(fleet::in_range, module)?)?;
    module.add_function(wrap_pyfunction!(fleet::map_unit, module)?)?;
    module.add_function(wrap_pyfunction!(fleet::problem, module)?)?;
    module.add_function(wrap_pyfunction!(fleet::csv, module)?)?;
    module.add_function(wrap_pyfunction!(fleet::reduce, module)?)
}

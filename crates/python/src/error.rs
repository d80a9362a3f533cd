//! Errors of pagetide as an exception.

use pagetide_core::Error;
use pyo3::PyErr;

pyo3::create_exception!(
    pagetide,
    PagetideError,
    pyo3::exceptions::PyException,
    "What is wrong, where, and the hint that fixes it."
);

/// The exception for an error.
pub(crate) fn raised(error: Error) -> PyErr {
    PagetideError::new_err(error.to_string())
}

/// The exception for an error of Arrow.
pub(crate) fn arrow(error: arrow_schema::ArrowError) -> PyErr {
    PagetideError::new_err(error.to_string())
}

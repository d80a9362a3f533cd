//! What a recording does not tell.

use serde::Serialize;

/// Something that the scenario says and the recording does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Guess {
    /// What is taken to be.
    pub what: String,
    /// Why.
    pub why: String,
}

impl Guess {
    pub(crate) fn new(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { what: what.into(), why: why.into() }
    }
}

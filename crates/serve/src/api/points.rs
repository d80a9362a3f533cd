//! Series as an answer has them.

use super::quantity::Wanted;
use pagetide_core::Unit;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Answered {
    pub(super) from_ms: i64,
    pub(super) to_ms: i64,
    pub(super) step_ms: i64,
    pub(super) source: &'static str,
    pub(super) at_ms: Vec<i64>,
    pub(super) series: Vec<Series>,
}

#[derive(Serialize)]
pub(super) struct Series {
    pub(super) table: String,
    pub(super) entity: String,
    pub(super) metric: String,
    pub(super) unit: Unit,
    pub(super) mean: Option<Vec<Option<f64>>>,
    pub(super) min: Option<Vec<Option<f64>>>,
    pub(super) max: Option<Vec<Option<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<String>,
}

impl Series {
    /// Without a value yet.
    pub(super) fn empty(wanted: &Wanted, unit: Unit) -> Self {
        Self {
            table: wanted.table.clone(),
            entity: wanted.entity.clone(),
            metric: wanted.metric.clone(),
            unit,
            mean: None,
            min: None,
            max: None,
            missing: None,
        }
    }
}

//! Recorded metrics as they are, in the form of derived ones: of a gauge its mean over time, of a counter its rise per second.

use super::{CodeSource, Derived, Formula};
use crate::metric::{self, Kind, Metric, Table};
use crate::quantity::Unit;
use std::sync::LazyLock;

static RECORDED: LazyLock<Vec<(Table, Derived)>> = LazyLock::new(|| {
    let tables = Table::ALL.into_iter().flat_map(metric::all);
    tables.filter_map(|metric| Some((metric.table, of(metric)?))).collect()
});

/// The recorded metric called `name` of a table, as a derived one.
pub fn recorded(table: Table, name: &str) -> Option<&'static Derived> {
    RECORDED.iter().find(|(of, derived)| *of == table && derived.name == name).map(|(_, derived)| derived)
}

fn of(metric: &'static Metric) -> Option<Derived> {
    let (formula, unit) = match metric.kind {
        Kind::Gauge => (Formula::Gauge(metric.name), level(metric.unit)),
        Kind::Counter | Kind::Rate => (Formula::Rate(metric.name), per_second(metric.unit)),
        Kind::Unknown => return None,
    };
    let source = CodeSource { release: "", file: metric.file, function: "" };
    Some(Derived { name: metric.name, unit, tables: &[], formula, meaning: metric.meaning, source })
}

/// The unit in which people read a gauge.
fn level(unit: Unit) -> Unit {
    match unit {
        Unit::Milli => Unit::Count,
        Unit::BasisPoints => Unit::Ratio,
        Unit::Sectors => Unit::Bytes,
        Unit::Millis | Unit::Micros | Unit::Ticks => Unit::Nanos,
        unit => unit,
    }
}

/// The unit of what rises per second.
fn per_second(unit: Unit) -> Unit {
    match unit {
        Unit::Bytes | Unit::Sectors => Unit::BytesPerSecond,
        Unit::Pages => Unit::PagesPerSecond,
        // Time per time.
        Unit::Nanos | Unit::Micros | Unit::Millis | Unit::Ticks => Unit::Ratio,
        _ => Unit::PerSecond,
    }
}

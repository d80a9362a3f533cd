//! What this server is, and the names that it knows.

use crate::number;
use crate::reply::{Answer, json};
use crate::shared::Shared;
use axum::extract::State;
use pagetide_core::{Kind, Table, Unit, derived, glossary, metric};
use serde::Serialize;
use std::sync::Arc;

#[derive(Serialize)]
struct About {
    version: &'static str,
    host: String,
    now_ms: i64,
    live: LiveAbout,
    terms: Vec<Term>,
}

/// A term of the glossary.
#[derive(Serialize)]
struct Term {
    name: &'static str,
    forms: &'static [&'static str],
    definition: &'static str,
}

#[derive(Serialize)]
struct LiveAbout {
    source: &'static str,
    interval_ms: u64,
}

pub(super) async fn about(State(shared): State<Arc<Shared>>) -> Answer {
    let terms = glossary::TERMS.iter();
    let terms = terms.map(|term| Term { name: term.name, forms: term.forms, definition: term.definition });
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    json(About {
        version: env!("CARGO_PKG_VERSION"),
        host,
        now_ms: number::ms(pagetide_recorder::now().wall_ns),
        live: LiveAbout { source: shared.live.source_name(), interval_ms: shared.live.interval().get() / 1_000_000 },
        terms: terms.collect(),
    })
}

#[derive(Serialize)]
struct Metrics {
    metrics: Vec<Metric>,
}

#[derive(Serialize)]
struct Metric {
    table: &'static str,
    name: &'static str,
    unit: Unit,
    meaning: &'static str,
    kind: &'static str,
}

/// Tables whose series are shown.
const TABLES: [Table; 6] = [Table::Host, Table::Zone, Table::Disk, Table::Process, Table::Cgroup, Table::Cpu];

pub(super) async fn metrics() -> Answer {
    let of = |table: Table| {
        let named = derived::ALL.iter().filter(move |derived| derived.tables.contains(&table));
        let recorded = metric::all(table).iter().filter_map(move |metric| {
            let derived = derived::of_table(table, metric.name).filter(|derived| derived.tables.is_empty())?;
            Some((derived, if metric.kind == Kind::Gauge { "gauge" } else { "counter" }))
        });
        let metric = move |(derived, kind): (&derived::Derived, &'static str)| Metric {
            table: table.name(),
            name: derived.name,
            unit: number::shown(derived.unit, 1.0).0,
            meaning: derived.meaning,
            kind,
        };
        named.map(|derived| (*derived, "derived")).chain(recorded).map(metric)
    };
    json(Metrics { metrics: TABLES.into_iter().flat_map(of).collect() })
}

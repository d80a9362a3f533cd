//! Which part of a recording is wanted.

use crate::metric::Table;
use std::collections::BTreeSet;

/// Which part of a recording is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// From this moment on, nanoseconds since 1970-01-01 UTC.
    pub from_wall_ns: Option<i64>,
    /// Up to this moment, nanoseconds since 1970-01-01 UTC.
    pub to_wall_ns: Option<i64>,
    /// Only these tables; all when empty.
    pub tables: Vec<Table>,
    /// Only these metrics of each table, by name; all when empty. `wchan_*` is all metrics whose names begin so.
    pub metrics: Vec<String>,
}

impl Selection {
    /// Whether it leaves out a part of the time.
    pub const fn is_part(&self) -> bool {
        self.from_wall_ns.is_some() || self.to_wall_ns.is_some()
    }

    /// Whether a table is wanted.
    pub fn wants_table(&self, table: Table) -> bool {
        self.tables.is_empty() || self.tables.contains(&table)
    }

    /// Whether a metric of this name is wanted. Who asks of many names asks [`Self::wanted_metrics`].
    pub fn wants_metric(&self, name: &str) -> bool {
        self.wanted_metrics().wants(name)
    }

    /// The metrics that are wanted.
    pub fn wanted_metrics(&self) -> WantedMetrics<'_> {
        let (beginnings, names): (Vec<&str>, Vec<&str>) =
            self.metrics.iter().map(String::as_str).partition(|metric| metric.ends_with('*'));
        let beginnings = beginnings.into_iter().map(|metric| &metric[..metric.len() - 1]).collect();
        WantedMetrics { all: self.metrics.is_empty(), names: names.into_iter().collect(), beginnings }
    }
}

/// The metrics of a [`Selection`], to ask of many names.
#[derive(Debug)]
pub struct WantedMetrics<'a> {
    all: bool,
    names: BTreeSet<&'a str>,
    beginnings: Vec<&'a str>,
}

impl WantedMetrics<'_> {
    /// Whether a metric of this name is wanted.
    pub fn wants(&self, name: &str) -> bool {
        self.all || self.names.contains(name) || self.beginnings.iter().any(|beginning| name.starts_with(beginning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_wanted_by_name_or_by_how_it_begins() {
        let selection = Selection { metrics: vec!["wchan_*".to_owned(), "rss".to_owned()], ..Selection::default() };
        for (name, wanted) in [("wchan_io_schedule", true), ("rss", true), ("rss_anon", false), ("wchar", false)] {
            assert_eq!(selection.wants_metric(name), wanted, "{name}");
        }
        assert!(Selection::default().wants_metric("any"));
    }
}

//! Which part of a recording is wanted.

use crate::metric::Table;

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

    /// Whether a metric of this name is wanted.
    pub fn wants_metric(&self, name: &str) -> bool {
        let is = |metric: &String| match metric.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => metric == name,
        };
        self.metrics.is_empty() || self.metrics.iter().any(is)
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

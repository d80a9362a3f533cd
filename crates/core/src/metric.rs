//! The metric table: the kernel's fields by their own names, with file, kind, unit and meaning.
//!
//! A field that is not listed here is recorded all the same, as [`Kind::Unknown`]. Names are the kernel's,
//! spelled as the kernel spells them; where the kernel gives a position instead of a name (`/proc/diskstats`,
//! `/proc/PID/stat`), the name is the one in the kernel's documentation of that file.

use crate::quantity::Unit;
use serde::{Deserialize, Serialize};

mod cgroup;
mod disk;
mod host;
mod process;
mod zone;

/// What a row of the recording is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    /// The host as a whole: one row per sample.
    Host,
    /// A memory zone of a node: `node0/Normal`.
    Zone,
    /// A block device: `vda`.
    Disk,
    /// A process, by id and start time.
    Process,
    /// A control group, by its path.
    Cgroup,
}

impl Table {
    /// All tables.
    pub const ALL: [Self; 5] = [Self::Host, Self::Zone, Self::Disk, Self::Process, Self::Cgroup];

    /// The name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Zone => "zone",
            Self::Disk => "disk",
            Self::Process => "process",
            Self::Cgroup => "cgroup",
        }
    }

    /// The table called `name`.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }
}

/// How a number behaves over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The state now; may go up and down.
    Gauge,
    /// Counts up since boot (or since the entity came); only differences mean something.
    Counter,
    /// Already a rate or an average over the time since the sample before: what tools such as sar print. The
    /// number is stored in thousandths of its unit.
    Rate,
    /// A field that pagetide does not know.
    Unknown,
}

/// One row of the metric table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metric {
    /// Where it belongs.
    pub table: Table,
    /// The kernel's name.
    pub name: &'static str,
    /// The file it is read from.
    pub file: &'static str,
    /// Gauge or counter.
    pub kind: Kind,
    /// Its unit.
    pub unit: Unit,
    /// What it is, in one line.
    pub meaning: &'static str,
}

/// Shorthand for the tables below: one metric a line.
const fn metric(
    table: Table,
    name: &'static str,
    file: &'static str,
    kind: Kind,
    unit: Unit,
    meaning: &'static str,
) -> Metric {
    Metric { table, name, file, kind, unit, meaning }
}

/// Every known metric of a table.
pub fn all(table: Table) -> &'static [Metric] {
    match table {
        Table::Host => host::METRICS,
        Table::Zone => zone::METRICS,
        Table::Disk => disk::METRICS,
        Table::Process => process::METRICS,
        Table::Cgroup => cgroup::METRICS,
    }
}

/// The metric called `name`, if it is known.
pub fn find(table: Table, name: &str) -> Option<&'static Metric> {
    all(table).iter().find(|metric| metric.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_within_their_table_and_every_metric_says_what_it_is() {
        for table in Table::ALL {
            let mut names: Vec<_> = all(table).iter().map(|metric| metric.name.to_ascii_lowercase()).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}: SQL engines compare column names without case", table.name());
            for metric in all(table) {
                assert_eq!(metric.table, table);
                assert!(metric.meaning.len() > 8 && metric.kind != Kind::Unknown, "{}", metric.name);
            }
        }
    }
}

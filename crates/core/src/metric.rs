//! The metric table: the kernel's fields by their own names, with file, kind, unit and meaning.
//!
//! A field that is not listed here is recorded all the same, as [`Kind::Unknown`]. Names are the kernel's,
//! spelled as the kernel spells them; where the kernel gives a position instead of a name (`/proc/diskstats`,
//! `/proc/PID/stat`), the name is the one in the kernel's documentation of that file.

use crate::quantity::Unit;
use serde::{Deserialize, Serialize};

/// Declares the metrics of a table: for each file its metrics, one a line, as name, kind, unit and meaning.
macro_rules! metrics {
    ($table:ident; $( $file:literal { $( $name:literal $kind:ident $unit:ident $meaning:literal )+ } )+) => {
        pub(in crate::metric) const METRICS: &[$crate::metric::Metric] = &[ $( $( $crate::metric::Metric {
            table: $crate::metric::Table::$table,
            name: $name,
            file: $file,
            kind: $crate::metric::Kind::$kind,
            unit: $crate::quantity::Unit::$unit,
            meaning: $meaning,
        }, )+ )+ ];
    };
}

mod cgroup;
mod cpu;
mod disk;
mod host;
mod process;
mod trace;
mod zone;

/// Declares the tables of a recording: variant, name in files and on the command line, metrics. A new table is one line here.
macro_rules! tables {
    ($( $(#[doc = $doc:literal])+ $variant:ident $name:literal $metrics:expr; )+) => {
        /// What a row of the recording is about.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Table {
            $( $(#[doc = $doc])+ $variant, )+
        }

        impl Table {
            /// All tables.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The name in files and on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $name, )+
                }
            }
        }

        /// Every known metric of a table.
        pub fn all(table: Table) -> &'static [Metric] {
            match table {
                $( Table::$variant => $metrics, )+
            }
        }
    };
}

tables! {
    /// The host as a whole: one row per sample.
    Host "host" host::METRICS;
    /// A memory zone of a node: `node0/Normal`.
    Zone "zone" zone::METRICS;
    /// A block device: `vda`.
    Disk "disk" disk::METRICS;
    /// A process, by id and start time.
    Process "process" process::METRICS;
    /// A control group, by its path.
    Cgroup "cgroup" cgroup::METRICS;
    /// With `--trace`: whose pages were evicted for whom.
    Eviction "eviction" trace::eviction::METRICS;
    /// With `--trace`: misses by the memory that would have served them.
    Ghost "ghost" trace::ghost::METRICS;
    /// With `--trace`: throttled writers by program and device.
    Throttle "throttle" trace::throttle::METRICS;
    /// With `--trace`: reclaim by program.
    Reclaim "reclaim" trace::reclaim::METRICS;
    /// With `--trace`: what smaller caches would have missed, by place.
    Replay "replay" trace::replay::METRICS;
    /// With `--trace`: how much was traced.
    Trace "trace" trace::coverage::METRICS;
    /// A CPU, by its number: those online.
    Cpu "cpu" cpu::METRICS;
    /// A control group's IO on one device: the group's path and the device's name, divided by a tab.
    CgroupDisk "cgroup_disk" cgroup::disk::METRICS;
}

impl Table {
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
    /// number is stored in millionths of its unit ([`RATE_SCALE`]).
    Rate,
    /// A field that pagetide does not know.
    #[serde(other)]
    Unknown,
}

/// A stored rate is a whole number of this part of its unit: sysstat prints shares as percent with two decimals.
pub const RATE_SCALE: i64 = 1_000_000;

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

//! The metrics whose buckets are kept: the derived ones, and recorded ones that plots and tables show as they are.

use pagetide_core::Table;
use pagetide_core::derived::{self, Derived};

/// Tables that have buckets.
pub(super) const TABLES: [Table; 6] =
    [Table::Host, Table::Zone, Table::Disk, Table::Process, Table::Cgroup, Table::Cpu];

/// Whether the buckets of a metric of a table are kept.
pub(super) fn is_kept(table: Table, metric: &'static Derived) -> bool {
    TABLES.contains(&table) && of_table(table).any(|kept| std::ptr::eq(kept, metric))
}

/// The metrics of a table whose buckets are kept: those that plots show.
pub fn of_table(table: Table) -> impl Iterator<Item = &'static Derived> {
    let derived = derived::ALL.iter().copied().filter(move |derived| {
        // For single CPUs, the three that show which one is the bottleneck.
        let few = ["cpu_user", "cpu_system", "cpu_iowait"];
        derived.tables.contains(&table) && (table != Table::Cpu || few.contains(&derived.name))
    });
    let recorded = recorded(table).iter().filter_map(move |name| derived::recorded(table, name));
    derived.chain(recorded)
}

const fn recorded(table: Table) -> &'static [&'static str] {
    match table {
        Table::Host => &[
            "MemTotal",
            "MemFree",
            "MemAvailable",
            "Buffers",
            "Cached",
            "AnonPages",
            "Shmem",
            "Slab",
            "SReclaimable",
            "SUnreclaim",
            "KernelStack",
            "PageTables",
            "Mapped",
            "Dirty",
            "Writeback",
            "SwapTotal",
            "SwapFree",
            "SwapCached",
            "nr_dirty",
            "nr_writeback",
            "nr_dirty_threshold",
            "nr_dirty_background_threshold",
            "load1",
            "procs_blocked",
            "pgfault",
            "ctxt",
            "processes",
        ],
        Table::Zone => &["free", "min", "low", "high"],
        Table::Process => &[
            "rss",
            "VmSwap",
            "majflt",
            "read_bytes",
            "write_bytes",
            "blkio_delay_total",
            "freepages_delay_total",
            "thrashing_delay_total",
            "swapin_delay_total",
            "cpu_delay_total",
        ],
        Table::Cgroup => &["current", "max", "anon", "file", "shmem", "file_dirty", "file_writeback"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recorded_metric_is_known() {
        for table in TABLES {
            let known = recorded(table).iter().filter(|name| derived::recorded(table, name).is_some()).count();
            assert_eq!(known, recorded(table).len(), "{}", table.name());
        }
    }
}

//! The topics, and what a heading says.

use pagetide_core::{Table, Unit};

/// What a table is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Memory, as `sar -r`.
    Memory,
    /// The page cache: what processes asked for, how much of it was cached, what reclaim evicted and what was read again.
    Cache,
    /// Paging and reclaim, as `sar -B`.
    Paging,
    /// Disks, as `sar -d`.
    Disk,
    /// Requests of all disks together, as `sar -b`.
    Io,
    /// Run queue and load average, as `sar -q`.
    Load,
    /// Tasks started, context switches and interrupts, as `sar -w` and `-I SUM`.
    Tasks,
    /// CPU time, as `sar -u`.
    Cpu,
    /// CPU time of each CPU, as `sar -P ALL`.
    Cpus,
    /// Swapping, as `sar -W`.
    Swap,
    /// The pool of huge pages, as `sar -H`.
    Hugepages,
    /// Pressure stall information.
    Pressure,
    /// Memory zones and their watermarks.
    Zones,
    /// Processes.
    Processes,
    /// Control groups.
    Cgroups,
}

/// The heading of a column of words, which stands before the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordHeading {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one line.
    pub meaning: &'static str,
}

/// A column's heading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heading {
    /// Its name, as `sar` calls it where `sar` has it.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// What it is, in one line.
    pub meaning: &'static str,
    /// How it is printed without units.
    pub raw: Raw,
}

/// How a number is printed without units: as sar, iostat and pidstat print it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Raw {
    /// What a number in seconds, bytes, pages or counts is multiplied by: sizes are KiB, `bread/s` sectors, times ms, shares percent.
    pub factor: f64,
    /// Digits after the point.
    pub decimals: usize,
}

impl Topic {
    /// All topics, in the order in which help lists them.
    pub const ALL: [Self; 15] = [
        Self::Memory,
        Self::Cache,
        Self::Paging,
        Self::Disk,
        Self::Io,
        Self::Load,
        Self::Tasks,
        Self::Cpu,
        Self::Cpus,
        Self::Swap,
        Self::Hugepages,
        Self::Pressure,
        Self::Zones,
        Self::Processes,
        Self::Cgroups,
    ];

    /// The topic's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Cache => "cache",
            Self::Paging => "paging",
            Self::Disk => "disk",
            Self::Io => "io",
            Self::Load => "load",
            Self::Tasks => "tasks",
            Self::Cpu => "cpu",
            Self::Cpus => "cpus",
            Self::Swap => "swap",
            Self::Hugepages => "hugepages",
            Self::Pressure => "pressure",
            Self::Zones => "zones",
            Self::Processes => "processes",
            Self::Cgroups => "cgroups",
        }
    }

    /// The table whose rows it shows.
    pub const fn table(self) -> Table {
        match self {
            Self::Memory
            | Self::Cache
            | Self::Paging
            | Self::Io
            | Self::Load
            | Self::Tasks
            | Self::Cpu
            | Self::Swap
            | Self::Hugepages
            | Self::Pressure => Table::Host,
            Self::Disk => Table::Disk,
            Self::Cpus => Table::Cpu,
            Self::Zones => Table::Zone,
            Self::Processes => Table::Process,
            Self::Cgroups => Table::Cgroup,
        }
    }

    /// Whether its entities come and go, so that a rate over a time is of all that time, and not of the part of it in which one was there.
    pub(super) const fn comes_and_goes(self) -> bool {
        matches!(self.table(), Table::Process | Table::Cgroup)
    }

    /// What the column of its entities is called; absent for the host.
    pub const fn entity(self) -> Option<&'static str> {
        match self.table() {
            Table::Host => None,
            Table::Disk => Some("device"),
            Table::Zone => Some("zone"),
            Table::Process => Some("process"),
            Table::Cpu => Some("cpu"),
            Table::Cgroup => Some("group"),
            table => Some(table.name()),
        }
    }
}

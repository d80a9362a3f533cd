//! What the kernel writes to its files in `/proc` and `/sys`, read from text alone: the recorder reads them on a host, an import in logs.
//!
//! A `parse_*` function takes a whole file. The parsers of single lines below them ([`keyed`], `zoneinfo::item`, …) are for those
//! who read files without copying, or find lines among others. What a kernel does not give is `None`; lines that nobody knows are kept.
//!
//! This crate does no input or output and reads no clock.

pub mod buddyinfo;
pub mod cgroup_io;
pub mod diskstats;
mod error;
pub mod keyed;
mod kmsg;
pub mod loadavg;
pub mod md;
mod meminfo;
pub mod mounts;
pub mod pressure;
pub mod process;
pub mod program;
pub mod stat;
mod swaps;
pub mod text;
mod vmstat;
pub mod zoneinfo;

pub use buddyinfo::{FreeBlocks, parse_buddyinfo};
pub use diskstats::{DiskStats, parse_diskstats};
pub use error::{Error, Problem};
pub use kmsg::parse_kmsg;
pub use loadavg::{Loadavg, parse_loadavg};
pub use meminfo::{Meminfo, parse_meminfo};
pub use mounts::{Mount, parse_mountinfo, parse_mounts};
pub use pressure::{Pressure, Pressures, Stall, parse_pressure};
pub use process::{
    ProcessIo, ProcessRuns, ProcessStat, ProcessStatus, parse_process_io, parse_process_schedstat, parse_process_stat,
    parse_process_status,
};
pub use stat::{Stat, parse_stat};
pub use swaps::{SwapArea, parse_swaps};
pub use vmstat::{Vmstat, parse_vmstat};
pub use zoneinfo::{Zone, parse_zoneinfo};

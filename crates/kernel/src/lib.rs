//! What the kernel says: procfs, sysfs, cgroup v1 and v2, PSI.
//!
//! Two ways in. [`Root`] reads one file at a time into a struct (`root.meminfo()?`), through a pure `parse_*` function that
//! tests and importers use on text from anywhere. [`Sampler`] reads everything at once into a
//! [`Sample`](pagetide_core::Sample), from kept file descriptors, and allocates nothing once it has seen every line.
//!
//! What a kernel does not give is `None`; lines that nobody knows are kept. Errors name the file and the line.

mod buddyinfo;
pub mod cached;
pub mod cgroup;
pub mod damon;
pub mod device;
mod diskstats;
mod error;
mod facts;
pub mod formula;
mod keyed;
mod loadavg;
mod meminfo;
mod mounts;
mod pressure;
mod process;
mod root;
mod sampler;
mod stat;
mod swaps;
mod sysctl;
pub mod taskstats;
mod text;
mod vmstat;
mod zoneinfo;

pub use buddyinfo::{FreeBlocks, parse_buddyinfo};
pub use diskstats::{DiskStats, parse_diskstats};
pub use error::{Error, Problem};
pub use facts::facts;
pub use loadavg::{Loadavg, parse_loadavg};
pub use meminfo::{Meminfo, parse_meminfo};
pub use mounts::{Mount, parse_mountinfo, parse_mounts};
pub use pressure::{Pressure, Pressures, Stall, parse_pressure};
pub use process::{
    ProcessIo, ProcessRuns, ProcessStat, ProcessStatus, parse_process_io, parse_process_schedstat, parse_process_stat,
    parse_process_status,
};
pub use root::Root;
pub use sampler::{Processes, Sampler, Top, Watch};
pub use stat::{Stat, parse_stat};
pub use swaps::{SwapArea, parse_swaps};
pub use sysctl::VmSysctls;
pub use vmstat::{Vmstat, parse_vmstat};
pub use zoneinfo::{Zone, parse_zoneinfo};

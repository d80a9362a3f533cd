//! What the kernel says: procfs, sysfs, cgroup v1 and v2, PSI.
//!
//! Two ways in. [`Root`] reads one file at a time into a struct (`root.meminfo()?`), through a pure `parse_*` function that
//! tests and importers use on text from anywhere. [`Sampler`] reads everything at once into a
//! [`Sample`](pagetide_core::Sample), from kept file descriptors, and allocates nothing once it has seen every line.
//!
//! What a kernel does not give is `None`; lines that nobody knows are kept. Errors name the file and the line.

mod blind_spots;
pub mod cached;
pub mod cgroup;
mod command_line;
pub mod cpu_limit;
pub mod damon;
pub mod device;
mod error;
mod facts;
mod files;
pub mod formula;
mod kernel_log;
mod own_group;
mod root;
mod sampler;
mod spare;
mod sysctl;
pub mod taskstats;

pub use command_line::command_line;
pub use error::Error;
pub use facts::facts;
pub use kernel_log::KernelLog;
pub use pagetide_proctext::process::memory_group;
pub use pagetide_proctext::{
    DiskStats, FreeBlocks, Loadavg, Meminfo, Mount, Pressure, Pressures, Problem, ProcessIo, ProcessRuns, ProcessStat,
    ProcessStatus, Stall, Stat, SwapArea, Vmstat, Zone, cgroup_io, md, parse_buddyinfo, parse_diskstats, parse_kmsg,
    parse_loadavg, parse_meminfo, parse_mountinfo, parse_mounts, parse_pressure, parse_process_io,
    parse_process_schedstat, parse_process_stat, parse_process_status, parse_stat, parse_swaps, parse_vmstat,
    parse_zoneinfo, program,
};
pub use root::Root;
pub use sampler::{Processes, Sampler, TaskRun, TaskRuns, Top, Watch};
pub use sysctl::VmSysctls;

//! From a recording of an incident to a scenario that shows it again, and to advice that was tried.
//!
//! [`synthesise`] makes a scenario of a recording. [`reproduce`] runs it on the model of the kernel, compares the two incidents, and where
//! they differ looks for the values of its guesses that are nearer. [`try_advice`] changes the scenario by each advice and measures what that
//! does to those who lost time. Nothing here touches the host.
//!
//! A recording's way is `recorded` (what each command, disk and group did) -> `load` (what a step of the lab does in their place) -> `scenario` (the
//! text of it) -> `synthesis` -> `fit` (the guesses that come nearest) -> `advice`; each room uses those before it.

mod advice;
mod cores;
mod fit;
mod guess;
mod load;
mod recorded;
mod scenario;
mod synthesis;

pub use advice::{Effect, Tried, try_advice, try_on};
pub use fit::{Compared, Reproduced, reproduce};
pub use guess::{FittedGuess, Guess};
pub use scenario::{Culprit, INCIDENT, commands};
pub use synthesis::{Synthesis, synthesise};

/// What to load of a recording beside what the rules read.
pub const METRICS: &[&str] = &[
    "Active(file)",
    "AnonPages",
    "Buffers",
    "Cached",
    "HugePages_Total",
    "Hugepagesize",
    "Inactive(file)",
    "MemAvailable",
    "MemFree",
    "RssAnon",
    "RssFile",
    "RssShmem",
    "SReclaimable",
    "Shmem",
    "SwapFree",
    "SwapTotal",
    "VmSwap",
    "anon",
    "blkio_delay_total",
    "cancelled_write_bytes",
    "cgroup_id",
    "cpu_delay_total",
    "cpu_idle",
    "drop_pagecache",
    "events_high",
    "events_max",
    "events_oom_kill",
    "failcnt",
    "file",
    "flush_ms",
    "flushes",
    "freepages_delay_total",
    "high",
    "io_ms",
    "io_rbytes",
    "io_wbytes",
    "majflt",
    "max",
    "max_rbps",
    "max_riops",
    "max_wbps",
    "max_wiops",
    "nr_dirtied",
    "nr_dirty_background_threshold",
    "nr_dirty_threshold",
    "num_threads",
    "oom_kill",
    "pgpgin",
    "pgpgout",
    "pgscan_direct",
    "pgscan_kswapd",
    "pgsteal",
    "pgsteal_anon",
    "pgsteal_direct",
    "pgsteal_kswapd",
    "pgsteal_proactive",
    "ppid",
    "psi_cpu_some",
    "psi_io_some",
    "psi_memory_some",
    "rbytes",
    "rchar",
    "read_bytes",
    "read_ms",
    "read_sectors",
    "reads",
    "rss",
    "run_delay",
    "state",
    "stime",
    "syscr",
    "syscw",
    "tgid",
    "utime",
    "wbytes",
    "wchar",
    "weighted_io_ms",
    "workingset_refault",
    "workingset_refault_anon",
    "workingset_refault_file",
    "write_bytes",
    "write_ms",
    "write_sectors",
    "writes",
];

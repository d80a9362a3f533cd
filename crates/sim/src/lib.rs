//! A model of Linux memory management: reclaim, dirty throttling, writeback, swap and readahead on virtual time.
//!
//! A [`Sim`] is a machine ([`MachineSpec`]) with devices ([`Device`]) and tasks ([`Program`]). A program gives one operation ([`Op`])
//! after the other; the engine runs it on a CPU of the machine, lets it wait for devices, for the dirty throttle or for
//! reclaim, and wakes kswapd and the flushers as the kernel does. The same machine, programs and seed give the same run.
//!
//! What is modelled follows the sources of Linux 6.1.192 and 6.12.117; each file names the functions that it follows. Every
//! mechanism has a switch ([`Mechanisms`]), so that tests can show what it decides.
//!
//! Not modelled: huge pages themselves (only khugepaged's `min_free_kbytes`, and the pool of `vm.nr_hugepages`), compaction, private copies of file pages, the limits of
//! groups on swap and on dirty pages, `memory.zswap`, checkpoints of the journal, NUMA balancing, and extents larger than a page. The
//! counters that depend on them are absent.
//!
//! The crate does no input or output, reads no clock and draws no randomness but its own ([`Rng`]).

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "page numbers fit 32 bits, and counters 63: `MachineSpec` and `Host` refuse what is larger"
)]

mod access;
mod cpu_limit;
mod devices;
mod events;
mod group;
mod host;
mod id;
mod machine;
mod mechanisms;
mod memory;
mod page;
mod pressure;
mod proc;
mod program;
mod progress;
mod reclaim;
mod replay;
mod rng;
mod run_queue;
mod sim;
mod step;
mod tick;
pub mod workload;
mod writeback;

pub use cpu_limit::CpuLimit;
pub use devices::device::{Device, IoKind, IoRequest, QueueSpec, RequestId};
pub use devices::disk;
pub use devices::throttle::IoLimits;
pub use group::GroupLimits;
pub use host::{FileSpec, Host, TaskStats};
pub use id::{AreaId, DeviceId, FileId, GroupId, HandleId, TaskId};
pub use machine::{Costs, MachineSpec, Release, Sysctls};
pub use mechanisms::Mechanisms;
pub use proc::counters::Take;
pub use program::{Access, Advice, Done, Op};
pub use replay::Replayed;
pub use rng::Rng;
pub use sim::{Program, Sim, Stop};

/// Bytes of a page.
pub const PAGE_SIZE: u64 = 4096;
/// Pages of a huge page.
pub const HUGE_PAGE: u64 = 512;

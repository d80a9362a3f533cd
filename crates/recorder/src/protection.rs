//! What keeps the sampling thread going when memory and CPU are short.

use pagetide_core::{Bytes, Error, Nanos};
use rustix::mm::{MlockAllFlags, mlockall};
use rustix::process::setpriority_process;
use rustix::thread::set_current_timer_slack;
use std::hint::black_box;
use std::num::NonZeroU64;

/// Which memory is kept from being swapped out or dropped. Pages are locked as they are touched
/// (`MCL_ONFAULT`, since Linux 4.4), so nothing is read in that is never used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// None.
    None,
    /// What the process has mapped when sampling begins: its code, and what the recorder preallocated. What the
    /// process maps later (for example memory that it holds in an experiment) stays as it is.
    Current,
    /// Everything the process has now and gets later. For a process that does nothing but record.
    Future,
}

/// The priority of the sampling thread.
///
/// There is no real-time policy here: `domain_dirty_limits` (mm/page-writeback.c) raises the dirty limits for a
/// real-time task by a quarter and more, and `/proc/vmstat` shows every reader its own limits, so a real-time sampler
/// would record thresholds that hold for nobody else (1 558 808 pages instead of 1 216 476 on one 6.18 host).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// The priority of the thread that starts the recorder.
    Unchanged,
    /// Nice -20, and timers without slack.
    Raised,
}

/// How the recorder protects itself when the host is short of memory, CPU or disk space. What the system does not allow is
/// skipped, with a note in the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protection {
    /// Which memory is locked.
    pub lock: Lock,
    /// The priority of the sampling thread.
    pub priority: Priority,
    /// Memory for samples that wait for the sink. Never less than eight samples.
    pub ring: Bytes,
    /// Number of entities at which the schema starts over without those that are gone. What was added with
    /// [`Recorder::watch_pid`](crate::Recorder::watch_pid) is forgotten then.
    pub entities: usize,
}

impl Default for Protection {
    /// Current memory locked, priority raised, 4 MiB for samples that wait, any number of entities.
    fn default() -> Self {
        Self { lock: Lock::Current, priority: Priority::Raised, ring: Bytes::new(4 << 20), entities: usize::MAX }
    }
}

/// Bytes of stack that are touched before they are locked: several times what taking a sample needs.
const STACK: usize = 64 << 10;

impl Protection {
    /// Raises the priority of the calling thread. Gives a line for each thing that the system refuses.
    pub(crate) fn raise(&self) -> Option<String> {
        if self.priority == Priority::Unchanged {
            return None;
        }
        // Without slack a wait ends when its deadline comes, not up to 50 us later. Old kernels lack nothing here.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        setpriority_process(None, -20)
            .err()
            .map(|error| format!("recorder: the sampling thread runs at normal priority: {error} (needs CAP_SYS_NICE)"))
    }

    /// Locks the memory of this process. Gives a line when the system refuses.
    pub fn lock(&self) -> Option<String> {
        let flags = match self.lock {
            Lock::None => return None,
            Lock::Current => MlockAllFlags::CURRENT | MlockAllFlags::ONFAULT,
            Lock::Future => MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT,
        };
        touch_stack();
        mlockall(flags).err().map(|error| {
            format!("recorder: memory is not locked: {error} (needs CAP_IPC_LOCK or a larger RLIMIT_MEMLOCK)")
        })
    }
}

/// Touches the stack below the present frame, so that no later call is the first to do it.
#[inline(never)]
fn touch_stack() {
    black_box(&mut [0u8; STACK]);
}

/// Time below which no interval makes sense: a sample takes a good part of it.
const SHORTEST_INTERVAL: Nanos = Nanos::new(1_000_000);

/// Checks the time between two samples.
///
/// # Errors
/// It is too short.
pub fn check_interval(interval: Nanos) -> Result<(), Error> {
    if interval >= SHORTEST_INTERVAL {
        return Ok(());
    }
    let what = format!("cannot take a sample every {interval}");
    Err(Error::input(what, format!("use an interval of {SHORTEST_INTERVAL} or more")))
}

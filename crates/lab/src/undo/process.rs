//! Processes by id and start time, so that a reused process id is never mistaken for the old process.

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};
use std::fs;
use std::time::{Duration, Instant};

/// A process, distinguishable from a later one with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its process id.
    pub pid: u32,
    /// When it started, in clock ticks since boot (field 22 of `/proc/PID/stat`).
    pub started: u64,
}

/// State and start time out of `/proc/PID/stat`. The name in brackets may itself hold brackets and spaces.
fn state_and_start(pid: u32) -> Option<(char, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    Some((fields.next()?.chars().next()?, fields.nth(18)?.parse().ok()?))
}

impl Identity {
    /// The process that has this id now, unless it has ended.
    pub fn of(pid: u32) -> Option<Self> {
        state_and_start(pid).map(|(_, started)| Self { pid, started })
    }

    /// This process.
    pub fn own() -> Self {
        let pid = std::process::id();
        Self::of(pid).unwrap_or(Self { pid, started: 0 })
    }

    /// Whether it still runs. A zombie does not: it holds nothing any more but its id.
    pub fn alive(self) -> bool {
        state_and_start(self.pid).is_some_and(|(state, started)| started == self.started && !matches!(state, 'Z' | 'X'))
    }
}

/// Kills a process for good and waits until it has let go of what it held, at most 5 s. Gives whether it was there.
pub fn kill(process: Identity) -> bool {
    let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw).filter(|_| process.alive()) else {
        return false;
    };
    // It may have ended in the meantime; then there is nothing left to do.
    let _ = kill_process(pid, Signal::KILL);
    let end = Instant::now() + Duration::from_secs(5);
    while process.alive() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

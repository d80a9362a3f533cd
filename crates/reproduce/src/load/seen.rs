//! A command, and the host that it ran on.

use super::host_shape::{HostShape, MIN_MISS_SHARE};
use crate::recorded::{Command, Did, Phase};

/// Bytes per second below which a command's IO has no part in an incident.
pub(super) const MIN_TRAFFIC: f64 = 4096.0;
/// A command whose tasks wait for IO for this share of the time sends its next request when the last one has ended.
const MIN_WAIT_SHARE: f64 = 0.5;
/// Major faults per second from which on a command that reads without system calls for it touches mapped files, or memory in swap.
const MIN_MAJOR_FAULTS: f64 = 5.0;
/// Bytes of a major fault at most: a mapped file is read ahead by so much.
const MAX_FAULT_READ: f64 = 128.0 * 1024.0;

/// What decides what a command does.
pub(super) struct Seen<'a> {
    pub(super) command: &'a Command,
    pub(super) host: &'a HostShape,
    /// Bytes of files that are charged to its group, where that has a limit.
    pub(super) group_cache: Option<f64>,
    /// Major faults per second, where no system call asks for what it reads.
    pub(super) faults: Option<f64>,
    /// Whether it did so before the incident.
    pub(super) ran_before: bool,
    /// Whether a part of its memory that matters is in swap.
    pub(super) in_swap: bool,
}

impl<'a> Seen<'a> {
    pub(super) fn new(command: &'a Command, host: &'a HostShape, group_cache: Option<f64>) -> Self {
        let (calm, trouble) = (&command.calm, &command.trouble);
        let faults = faults(command);
        // What hardly moves anything is known by the CPU time that it uses.
        let computes = trouble.sum() <= MIN_TRAFFIC;
        Self {
            command,
            host,
            group_cache,
            faults,
            ran_before: command.appeared.is_none()
                && (calm.sum() > 0.1 * trouble.sum() || faults.is_some() || computes),
            in_swap: trouble.swapped > host.memory / 200.0,
        }
    }

    pub(super) fn calm(&self) -> &'a Did {
        &self.command.calm
    }

    pub(super) fn trouble(&self) -> &'a Did {
        &self.command.trouble
    }

    /// What it did while pages came back from swap, where they did.
    pub(super) fn using(&self) -> &'a Did {
        self.command.swapping.as_ref().unwrap_or(&self.command.trouble)
    }

    /// Bytes of files that are cached for it at the onset.
    pub(super) fn cached(&self) -> f64 {
        self.group_cache.unwrap_or(self.host.cache)
    }

    /// Whether it does something else from the onset on, and this is what.
    pub(super) fn changed(&self) -> bool {
        self.command.phase == Phase::Changed
    }

    /// A rate, unless it waits for most of what it does: then it goes as fast as that comes.
    pub(super) fn paced(&self, rate: f64) -> Option<f64> {
        let trouble = self.trouble();
        let waits = trouble.waits >= MIN_WAIT_SHARE && self.command.phase == Phase::Whole;
        (!waits || rate < 0.5 * (trouble.read + trouble.written)).then_some(rate)
    }
}

/// Major faults per second of a command that reads what no system call asked for.
fn faults(command: &Command) -> Option<f64> {
    let (calm, trouble) = (&command.calm, &command.trouble);
    let did = if trouble.read >= calm.read { trouble } else { calm };
    // What comes is read in larger pieces: a program that goes through a file has the kernel read on behind its faults.
    let most = if command.appeared.is_none() { MAX_FAULT_READ } else { 8.0 * MAX_FAULT_READ };
    let is_mapped = did.asked < MIN_MISS_SHARE * did.read && did.read <= did.major_faults * most;
    (is_mapped && did.major_faults >= MIN_MAJOR_FAULTS).then_some(did.major_faults)
}

/// A block of a program that reads so much at a time: a power of two from 4 KiB to 1 MiB.
pub(super) fn block(size: f64) -> f64 {
    (12..20).map(|power| f64::from(1 << power)).find(|block| size <= block * 1.5).unwrap_or(1048576.0)
}

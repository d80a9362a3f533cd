//! What a process and all that it started waited for, whether or not somebody saw them: from the records of their exits.

use super::{Delays, ExitRecord, ExitRecords, NoTaskstats};
use crate::root::Root;
use std::collections::HashMap;
use std::io;

/// Records that are taken at once.
const MAX_RECORDS: usize = 1 << 16;

/// Parents that are kept in mind at most: more than any host has processes at work.
const MAX_PARENTS: usize = 1 << 16;

/// Sums of delays, in the order of [`Delays::NAMES`].
type Totals = [Option<u64>; Delays::NAMES.len()];

/// The delays of tasks that have ended, handed on from each to its parent when that ends as well. A process that its parent left behind is
/// its new parent's.
#[derive(Debug)]
pub struct FamilyDelays {
    records: ExitRecords,
    sums: FamilySums,
    accounted: bool,
}

/// What the children of each process waited for that have ended, by the process.
#[derive(Debug, Default)]
struct FamilySums(HashMap<u32, Totals>);

impl FamilySums {
    fn add(&mut self, record: &ExitRecord) {
        // What its own children did, which have ended before: a leader's record may come before those of its threads.
        let children = if record.task == record.process { self.0.remove(&record.process) } else { None };
        if self.0.len() == MAX_PARENTS && !self.0.contains_key(&record.parent) {
            return;
        }
        let of_parent = self.0.entry(record.parent).or_default();
        for delays in children.iter().chain([record.delays.totals()]) {
            for (sum, more) in of_parent.iter_mut().zip(delays) {
                if let Some(more) = more {
                    *sum = Some(sum.unwrap_or(0).saturating_add(*more));
                }
            }
        }
    }
}

impl FamilyDelays {
    /// Begins to listen, on this machine.
    ///
    /// # Errors
    /// Says why there are no records.
    pub fn open(root: &Root) -> Result<Self, NoTaskstats> {
        let records = ExitRecords::open(root)?;
        let accounted = root.read("/proc/sys/kernel/task_delayacct").is_ok_and(|text| text.trim_ascii() != "0");
        Ok(Self { records, sums: FamilySums::default(), accounted })
    }

    /// Takes the records that wait. To be called more often than some thousand tasks end.
    ///
    /// # Errors
    /// When the exchange fails.
    pub fn look(&mut self) -> io::Result<()> {
        let Self { records, sums, .. } = self;
        records.take(MAX_RECORDS, |record| sums.add(record))
    }

    /// What the children of a process waited for that have ended, and theirs: the kernel's name of each delay, and the time in ns. Waits for
    /// a CPU are always known, the others only with `kernel.task_delayacct=1`; nothing is where records were lost.
    pub fn of_children(&self, process: u32) -> Vec<(&'static str, u64)> {
        let Some(totals) = self.sums.0.get(&process).filter(|_| !self.records.dropped) else { return Vec::new() };
        let known = |at: usize| if at == 0 || self.accounted { Some(totals[at].unwrap_or(0)) } else { None };
        Delays::NAMES.into_iter().enumerate().filter_map(|(at, name)| Some((name, known(at)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(task: u32, process: u32, parent: u32, waited: u64) -> ExitRecord {
        let mut record = ExitRecord::waiting("sh", waited);
        (record.task, record.process, record.parent) = (task, process, parent);
        record
    }

    #[test]
    fn what_a_command_and_its_children_waited_for_comes_together() {
        let mut sums = FamilySums::default();
        // 10 starts 20, which starts 30 and 31; 31 has a thread 32. 99 is somebody else's.
        for record in [record(30, 30, 20, 1), record(99, 99, 1, 1000), record(32, 31, 20, 10), record(31, 31, 20, 100)]
        {
            sums.add(&record);
        }
        assert_eq!(sums.0[&20][1], Some(111));
        sums.add(&record(20, 20, 10, 5000));
        assert_eq!((sums.0[&10][1], sums.0.contains_key(&20)), (Some(5111), false));
        for child in 0..10_000 {
            sums.add(&record(100 + child, 100 + child, 10, 1));
        }
        assert_eq!((sums.0[&10][1], sums.0.len()), (Some(15_111), 2), "a storm of children needs no memory");
    }

    #[test]
    fn the_kernel_tells_what_a_shell_and_its_children_waited_for() {
        let mut family =
            FamilyDelays::open(&Root::host()).expect("run as root of the host: exit records need CAP_NET_ADMIN");
        let script = "i=0; while [ $i -lt 50 ]; do /bin/true; i=$((i+1)); done";
        assert!(std::process::Command::new("sh").args(["-c", script]).status().unwrap().success());
        family.look().unwrap();
        let waited = family.of_children(std::process::id());
        assert_eq!(waited.first().map(|(name, _)| *name), Some("cpu_delay_total"), "{waited:?}");
        assert!(waited[0].1 > 0, "fifty forks wait for a CPU at least once: {waited:?}");
    }
}

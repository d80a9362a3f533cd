//! Looks up names that do not exist; the kernel keeps a negative dentry of each (`fs/dcache.c`).

use super::{SharedTally, due};
use crate::{Done, Host, Op, Program, TaskId};
use pagetide_core::Nanos;

/// Lookups between two operations.
const BATCH: u64 = 64;

/// The program.
#[derive(Debug)]
pub struct Lookups {
    count: u64,
    /// Lookups per second at most; 0 is no limit.
    rate: u64,
    hold_for: Nanos,
    tally: SharedTally,
    began: Option<Nanos>,
    done: u64,
    /// Lookups of the last operation, if that was some.
    batch: u64,
    until: Option<u64>,
}

impl Lookups {
    /// A program that looks up `count` names at `rate` a second (0: as fast as it can) and then waits for `hold_for`.
    pub const fn new(count: u64, rate: u64, hold_for: Nanos, tally: SharedTally) -> Self {
        Self { count, rate, hold_for, tally, began: None, done: 0, batch: 0, until: None }
    }
}

impl Program for Lookups {
    fn next(&mut self, _: &mut Host, _: TaskId, now: Nanos, last: Done) -> Op {
        let began = *self.began.get_or_insert(now);
        let mut tally = self.tally.borrow_mut();
        tally.began = Some(began);
        let batch = std::mem::take(&mut self.batch);
        for _ in 0..batch {
            tally.add(0, last.ended.saturating_sub(last.started).get() / batch);
        }
        let moment = if self.rate > 0 { due(began.get(), self.done, self.rate) } else { 0 };
        if let Some(until) = tally.nap(now, moment) {
            return Op::SleepUntil(until);
        }
        if self.done < self.count && !tally.stop {
            self.batch = BATCH.min(self.count - self.done);
            self.done += self.batch;
            return Op::LookUp { count: self.batch };
        }
        let until = *self.until.get_or_insert(now.get().saturating_add(self.hold_for.get()));
        if let Some(until) = tally.nap(now, until) {
            return Op::SleepUntil(until);
        }
        tally.ended = Some(now);
        Op::Exit
    }
}

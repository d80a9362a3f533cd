//! Keeps a CPU busy.

use super::SharedTally;
use crate::{Done, Host, Op, Program, TaskId};
use pagetide_core::Nanos;

/// Time between two looks at the clock, which counts as an iteration.
const SLICE: Nanos = Nanos::new(1_000_000);

/// The program.
#[derive(Debug)]
pub struct Spin {
    time: u64,
    tally: SharedTally,
}

impl Spin {
    /// A program that computes for `time` ns (0: until it is told to stop).
    pub const fn new(time: u64, tally: SharedTally) -> Self {
        Self { time, tally }
    }
}

impl Program for Spin {
    fn next(&mut self, _: &mut Host, _: TaskId, now: Nanos, _: Done) -> Op {
        let mut tally = self.tally.borrow_mut();
        if let Some(began) = tally.began {
            tally.iterations += 1;
            if tally.over(began, now, self.time) {
                tally.ended = Some(now);
                return Op::Exit;
            }
        }
        tally.began.get_or_insert(now);
        Op::Compute(SLICE)
    }
}

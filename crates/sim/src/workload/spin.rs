//! Keeps a CPU busy.

use super::SharedTally;
use crate::{Done, Host, Op, Program, TaskId};
use pagetide_core::{Nanos, SpinSpec};

/// The program.
#[derive(Debug)]
pub struct Spin {
    time: u64,
    pause: u64,
    /// Whether the pause after a slice is over.
    is_rested: bool,
    tally: SharedTally,
}

impl Spin {
    /// A program that computes for `time` ns (0: until it is told to stop), and pauses for `pause` ns after each slice.
    pub const fn new(time: u64, pause: u64, tally: SharedTally) -> Self {
        Self { time, pause, is_rested: true, tally }
    }
}

impl Program for Spin {
    fn next(&mut self, _: &mut Host, _: TaskId, now: Nanos, _: Done) -> Op {
        let mut tally = self.tally.borrow_mut();
        if !self.is_rested {
            self.is_rested = true;
            return Op::SleepUntil(Nanos::new(now.get().saturating_add(self.pause)));
        }
        // A slice is an iteration.
        if let Some(began) = tally.began {
            tally.iterations += 1;
            if tally.over(began, now, self.time) {
                tally.ended = Some(now);
                return Op::Exit;
            }
        }
        tally.began.get_or_insert(now);
        self.is_rested = self.pause == 0;
        Op::Compute(SpinSpec::SLICE)
    }
}

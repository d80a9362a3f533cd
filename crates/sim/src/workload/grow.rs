//! Allocates and fills memory, and keeps it for a time.

use super::{STRETCH, SharedTally, due};
use crate::{Access, AreaId, Done, Host, Op, PAGE_SIZE, Program, TaskId};
use pagetide_core::Nanos;

/// The program.
#[derive(Debug)]
pub struct Grow {
    pages: u64,
    /// Bytes per second at most; 0 is no limit.
    rate: u64,
    hold_for: Nanos,
    /// Whether it is filled with zeros.
    zeros: bool,
    tally: SharedTally,
    area: Option<AreaId>,
    began: Nanos,
    done: u64,
    /// Until when it holds what it has filled.
    until: Option<u64>,
}

impl Grow {
    /// A program that fills `pages` at `rate` bytes per second (0: as fast as it can) and keeps them for `hold_for`.
    pub fn new(pages: u64, rate: u64, hold_for: Nanos, zeros: bool, tally: SharedTally) -> Self {
        Self { pages, rate, hold_for, zeros, tally, area: None, began: Nanos::ZERO, done: 0, until: None }
    }
}

impl Program for Grow {
    fn next(&mut self, host: &mut Host, me: TaskId, now: Nanos, _: Done) -> Op {
        let area = match self.area {
            Some(area) => area,
            None => {
                self.began = now;
                self.tally.borrow_mut().began = Some(now);
                let Ok(area) = host.map_anon(me, self.pages, false) else { return Op::Exit };
                if self.zeros {
                    host.hold_zeros(area);
                }
                *self.area.insert(area)
            }
        };
        self.tally.borrow_mut().processed = self.done * PAGE_SIZE;
        let moment = if self.rate > 0 { due(self.began.get(), self.done * PAGE_SIZE, self.rate) } else { 0 };
        if let Some(until) = self.tally.borrow().nap(now, moment) {
            return Op::SleepUntil(until);
        }
        if self.done < self.pages && !self.tally.borrow().stop {
            let count = (STRETCH.get() / PAGE_SIZE).min(self.pages - self.done);
            let page = self.done;
            self.done += count;
            return Op::Touch { area, page, count, access: Access::Write };
        }
        let until = *self.until.get_or_insert(now.get().saturating_add(self.hold_for.get()));
        if let Some(until) = self.tally.borrow().nap(now, until) {
            return Op::SleepUntil(until);
        }
        self.tally.borrow_mut().ended = Some(now);
        Op::Exit
    }
}

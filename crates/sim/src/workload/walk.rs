//! Touches memory and a mapped file page by page (`crates/lab/src/load/walk.rs` on a real kernel).

use super::{STRETCH, Sequence, SharedTally, due};
use crate::{Access, AreaId, Done, FileId, Host, Op, PAGE_SIZE, Program, TaskId};
use pagetide_core::{Nanos, Order};

/// Memory and a mapped file. Times, rates and touches of 0 are no limits.
#[derive(Debug, Clone)]
pub struct WalkPlan {
    /// The file that is mapped.
    pub file: Option<FileId>,
    /// Pages of it.
    pub code: u64,
    /// Whether it is mapped executable.
    pub executable: bool,
    /// Pages of anonymous memory.
    pub data: u64,
    /// Whether they are shared (shmem).
    pub shared: bool,
    /// Whether they are filled with zeros.
    pub zeros: bool,
    /// Bytes per second at which they are filled at most.
    pub fill_rate: u64,
    /// Pages of an iteration.
    pub chunk: u64,
    /// Pages of the data that are walked after filling.
    pub hot: u64,
    /// Iterations.
    pub iterations: u64,
    /// The order in which the file is touched.
    pub order: Order,
    /// What decides it.
    pub seed: u64,
    /// Touches per second at most.
    pub rate: u64,
    /// CPU time after each touch, ns.
    pub compute: u64,
    /// Time after which it ends, filling included.
    pub time: u64,
    /// Touches after which it ends.
    pub touches: u64,
}

/// The program.
#[derive(Debug)]
pub struct Walk {
    plan: WalkPlan,
    tally: SharedTally,
    stage: Stage,
    sequence: Sequence,
    data: Option<AreaId>,
    code: Option<AreaId>,
    began: Nanos,
    /// When it was filled.
    walking: Nanos,
    /// When the touch began.
    started: Nanos,
    filled: u64,
    at: u64,
    touches: u64,
    /// Touches of the iteration.
    of_iteration: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    Fill,
    Data,
    Code,
    Account,
    Pace,
    End,
}

impl Walk {
    /// The program of a plan.
    pub fn new(plan: WalkPlan, tally: SharedTally) -> Self {
        let sequence = Sequence::new(plan.order, plan.code, plan.seed);
        Self {
            plan,
            tally,
            stage: Stage::Start,
            sequence,
            data: None,
            code: None,
            began: Nanos::ZERO,
            walking: Nanos::ZERO,
            started: Nanos::ZERO,
            filled: 0,
            at: 0,
            touches: 0,
            of_iteration: 0,
        }
    }

    /// The next stretch of memory to fill; none when it is filled.
    fn fill(&mut self) -> Option<Op> {
        let area = self.data?;
        let count = (STRETCH.get() / PAGE_SIZE).min(self.plan.data - self.filled);
        let page = self.filled;
        self.filled += count;
        (count > 0).then_some(Op::Touch { area, page, count, access: Access::Write })
    }

    /// Counts the touch. Gives whether the walk is done.
    fn account(&mut self, now: Nanos) -> bool {
        let mut tally = self.tally.borrow_mut();
        let pages = u64::from(self.data.is_some()) + u64::from(self.code.is_some());
        tally.add(pages * PAGE_SIZE, now.saturating_sub(self.started).get());
        self.touches += 1;
        self.of_iteration += 1;
        if tally.over(self.began, now, self.plan.time) || self.touches == self.plan.touches {
            return true;
        }
        if self.of_iteration >= self.plan.chunk {
            self.of_iteration = 0;
            tally.iterations += 1;
        }
        false
    }
}

impl Program for Walk {
    fn next(&mut self, host: &mut Host, me: TaskId, now: Nanos, _: Done) -> Op {
        loop {
            match self.stage {
                Stage::Start => {
                    self.began = now;
                    self.tally.borrow_mut().began = Some(now);
                    if self.plan.data > 0 {
                        let Ok(area) = host.map_anon(me, self.plan.data, self.plan.shared) else { return Op::Exit };
                        if self.plan.zeros {
                            host.hold_zeros(area);
                        }
                        self.data = Some(area);
                    }
                    self.stage = Stage::Fill;
                }
                Stage::Fill => {
                    if self.tally.borrow_mut().over(self.began, now, self.plan.time) {
                        self.stage = Stage::End;
                        continue;
                    }
                    let due = due(self.began.get(), self.filled * PAGE_SIZE, self.plan.fill_rate);
                    let moment = if self.plan.fill_rate > 0 && self.filled < self.plan.data { due } else { 0 };
                    if let Some(until) = self.tally.borrow().nap(now, moment) {
                        return Op::SleepUntil(until);
                    }
                    if let Some(op) = self.fill() {
                        return op;
                    }
                    if let Some(file) = self.plan.file.filter(|_| self.plan.code > 0) {
                        self.code = Some(host.map_file(me, file, 0, self.plan.code, self.plan.executable));
                    }
                    self.walking = now;
                    self.stage = Stage::Data;
                }
                Stage::Data => {
                    if self.tally.borrow().iterations >= self.plan.iterations {
                        self.stage = Stage::End;
                        continue;
                    }
                    self.started = now;
                    self.stage = Stage::Code;
                    if let Some(area) = self.data {
                        let page = self.at;
                        self.at = (self.at + 1) % self.plan.hot.max(1);
                        return Op::Touch { area, page, count: 1, access: Access::Read };
                    }
                }
                Stage::Code => {
                    self.stage = Stage::Account;
                    if let Some(area) = self.code {
                        return Op::Touch { area, page: self.sequence.draw(), count: 1, access: Access::Read };
                    }
                }
                Stage::Account => {
                    self.stage = if self.account(now) { Stage::End } else { Stage::Pace };
                    if self.plan.compute > 0 {
                        return Op::Compute(Nanos::new(self.plan.compute));
                    }
                }
                Stage::Pace => {
                    let rate = self.plan.rate;
                    let moment = if rate > 0 { due(self.walking.get(), self.touches, rate) } else { 0 };
                    if let Some(until) = self.tally.borrow().nap(now, moment) {
                        return Op::SleepUntil(until);
                    }
                    self.stage = if self.tally.borrow().stop { Stage::End } else { Stage::Data };
                }
                Stage::End => {
                    self.tally.borrow_mut().ended = Some(now);
                    return Op::Exit;
                }
            }
        }
    }
}

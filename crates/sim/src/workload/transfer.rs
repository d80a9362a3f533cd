//! Moves bytes from a file to another or to nowhere: stream, dd and copy (`crates/lab/src/load/transfer.rs` on a real kernel).

use super::{DROP_BEHIND, Sequence, SharedTally, due};
use crate::{Access, Done, FileId, HandleId, Host, Op, Program, TaskId};
use pagetide_core::{Caching, Nanos, Order};
use std::collections::VecDeque;

/// An open file.
#[derive(Debug, Clone, Copy)]
pub struct Stored {
    /// The file.
    pub file: FileId,
    /// As it was opened.
    pub handle: HandleId,
}

/// What is moved. Times and rates of 0 are no limits.
#[derive(Debug, Clone, Default)]
pub struct TransferPlan {
    /// Where it reads; absent for zeros.
    pub from: Option<Stored>,
    /// Where it writes; absent for nowhere.
    pub to: Option<Stored>,
    /// Bytes.
    pub size: u64,
    /// Bytes of one request.
    pub bs: u64,
    /// Bytes per second at most.
    pub rate: u64,
    /// What it does about the page cache.
    pub caching: Caching,
    /// Random blocks, until it is told to stop.
    pub random: bool,
    /// The share of random blocks that are the most popular ones ([`Sequence::skewed`]).
    pub skew: Option<f64>,
    /// Whether it begins again at the end, until it is told to stop.
    pub repeat: bool,
    /// What decides the random blocks.
    pub seed: u64,
    /// Bytes after which it skips.
    pub stride: u64,
    /// Bytes that it skips then.
    pub skip: u64,
    /// Whether it syncs what it wrote.
    pub sync: bool,
    /// Bytes after which it syncs; 0 is never.
    pub sync_every: u64,
    /// CPU time that it uses after each request, ns.
    pub compute: u64,
    /// Time from the end of a request, and of what it computes, to the next one, ns.
    pub think: u64,
    /// Time after which it ends.
    pub time: u64,
}

/// The program.
#[derive(Debug)]
pub struct Transfer {
    plan: TransferPlan,
    tally: SharedTally,
    stage: Stage,
    /// Operations that come before the stage goes on.
    queue: VecDeque<Op>,
    sequence: Sequence,
    began: Nanos,
    /// When the request began.
    started: Nanos,
    /// Bytes of the request.
    length: u64,
    done: u64,
    synced: u64,
    dropped: u64,
    /// Where it reads next, and where it writes.
    position: u64,
    /// When the next request may begin, once the last one has ended.
    next_at: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    Request,
    Account,
    Pace,
    Finish,
    End,
}

impl Transfer {
    /// The program of a plan.
    pub fn new(plan: TransferPlan, tally: SharedTally) -> Self {
        let sequence = Sequence::new(Order::Random, plan.size / plan.bs.max(1), plan.seed).skewed(plan.skew);
        Self {
            plan,
            tally,
            stage: Stage::Start,
            queue: VecDeque::new(),
            sequence,
            began: Nanos::ZERO,
            started: Nanos::ZERO,
            length: 0,
            done: 0,
            synced: 0,
            dropped: 0,
            position: 0,
            next_at: None,
        }
    }

    fn request(&mut self) {
        let plan = &self.plan;
        let rest = if plan.random { plan.size } else { plan.size - self.done % plan.size };
        self.length = plan.bs.min(rest);
        if plan.random {
            self.position = self.sequence.draw() * plan.bs;
        } else if plan.stride > 0 && self.done > 0 && self.done.is_multiple_of(plan.stride) {
            self.position += plan.skip;
        } else if self.done > 0 && self.done.is_multiple_of(plan.size) {
            self.position = 0;
        }
        let written = if plan.random { self.position } else { self.done };
        for (stored, offset, access) in [(plan.from, self.position, Access::Read), (plan.to, written, Access::Write)] {
            let Some(Stored { handle, .. }) = stored else { continue };
            let length = self.length;
            match (plan.caching, access) {
                (Caching::Direct, _) => {
                    self.queue.push_back(Op::Submit { handle, offset, length, access, tag: 0 });
                    self.queue.push_back(Op::Reap);
                }
                (_, Access::Read) => self.queue.push_back(Op::Read { handle, offset, length }),
                (_, Access::Write) => self.queue.push_back(Op::Write { handle, offset, length }),
            }
        }
        self.position += self.length;
    }

    fn is_sync_due(&self) -> bool {
        self.plan.sync_every > 0 && self.done - self.synced >= self.plan.sync_every
    }

    /// Drops the cache of the bytes from `offset`, synced first where they were written; a length of 0 is the rest.
    fn drop_behind(&mut self, offset: u64, length: u64) {
        if let Some(Stored { file, handle }) = self.plan.to {
            self.queue.push_back(Op::Fdatasync(handle));
            self.queue.push_back(Op::DontNeed { file, offset, length });
        }
        if let Some(Stored { file, .. }) = self.plan.from {
            self.queue.push_back(Op::DontNeed { file, offset, length });
        }
    }
}

impl Program for Transfer {
    fn next(&mut self, _: &mut Host, _: TaskId, now: Nanos, _: Done) -> Op {
        loop {
            if let Some(op) = self.queue.pop_front() {
                return op;
            }
            match self.stage {
                Stage::Start => {
                    self.began = now;
                    self.tally.borrow_mut().began = Some(now);
                    self.stage = Stage::Request;
                }
                Stage::Request => {
                    let over = self.tally.borrow_mut().over(self.began, now, self.plan.time);
                    if over || (self.done >= self.plan.size && !self.plan.random && !self.plan.repeat) {
                        self.stage = Stage::Finish;
                        continue;
                    }
                    self.started = now;
                    self.request();
                    self.stage = Stage::Account;
                }
                Stage::Account => {
                    self.tally.borrow_mut().add(self.length, now.saturating_sub(self.started).get());
                    self.done += self.length;
                    self.stage = Stage::Pace;
                    if let Some(Stored { handle, .. }) = self.plan.to.filter(|_| self.is_sync_due()) {
                        self.queue.push_back(Op::Fdatasync(handle));
                        self.synced = self.done;
                    }
                    if self.plan.compute > 0 {
                        self.queue.push_back(Op::Compute(Nanos::new(self.plan.compute)));
                    }
                    let ends = self.plan.repeat && self.done.is_multiple_of(self.plan.size);
                    if self.plan.caching == Caching::DontNeed && (self.done - self.dropped >= DROP_BEHIND.get() || ends)
                    {
                        self.drop_behind(self.dropped % self.plan.size, self.done - self.dropped);
                        self.dropped = self.done;
                    }
                }
                Stage::Pace => {
                    let plan = &self.plan;
                    let paced = if plan.rate > 0 { due(self.began.get(), self.done, plan.rate) } else { 0 };
                    let thought = now.get().saturating_add(plan.think);
                    let moment = *self.next_at.get_or_insert(paced.max(thought));
                    if let Some(until) = self.tally.borrow().nap(now, moment) {
                        return Op::SleepUntil(until);
                    }
                    self.next_at = None;
                    self.stage = Stage::Request;
                }
                Stage::Finish => {
                    if self.plan.caching == Caching::DontNeed {
                        // To the end: also what was read ahead.
                        self.drop_behind(self.dropped % self.plan.size.max(1), 0);
                    }
                    if let Some(Stored { handle, .. }) = self.plan.to.filter(|_| self.plan.sync) {
                        self.queue.push_back(Op::Fdatasync(handle));
                    }
                    self.stage = Stage::End;
                }
                Stage::End => {
                    self.tally.borrow_mut().ended = Some(now);
                    return Op::Exit;
                }
            }
        }
    }
}

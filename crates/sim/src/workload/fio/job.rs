//! One thread of a fio job as a program.

use super::blocks::{Blocks, Pattern};
use super::tausworthe::{Purpose, Seeds, Tausworthe};
use crate::workload::{SharedTally, Stored, due};
use crate::{Access, Done, Host, Op, Program, TaskId};
use pagetide_core::Nanos;
use std::collections::VecDeque;

/// Memory that fio touches for itself before its first request: its pools and the state of its threads. Counted in the VM of the
/// lab with fio 3.33 by what is available before and after it starts.
const OWN_PAGES: u64 = 1990;

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Only reads.
    Read,
    /// Only writes.
    Write,
    /// Both, half of each.
    Mixed,
}

/// The options of a job. Times, rates and counts of 0 are none.
#[derive(Debug, Clone)]
pub struct FioPlan {
    /// Its file.
    pub file: Stored,
    /// What it does.
    pub direction: Direction,
    /// Which blocks.
    pub pattern: Pattern,
    /// Bytes of a request.
    pub bs: u64,
    /// Bytes that it reads or writes, and of the file that it uses.
    pub size: u64,
    /// Whether it bypasses the page cache.
    pub direct: bool,
    /// Requests in flight of a job that bypasses the page cache.
    pub depth: u32,
    /// Time after which it ends.
    pub runtime: u64,
    /// Whether it goes on until then.
    pub time_based: bool,
    /// Requests per second at most.
    pub rate_iops: u64,
    /// Syncs after so many writes.
    pub fsync: u64,
    /// Syncs at its end.
    pub end_fsync: bool,
    /// Whether it drops the file's cache before it starts.
    pub invalidate: bool,
}

/// The program.
#[derive(Debug)]
pub struct FioThread {
    plan: FioPlan,
    blocks: Blocks,
    mix: Mix,
    tally: SharedTally,
    /// Operations that come before the stage goes on.
    queue: VecDeque<Op>,
    stage: Stage,
    began: Nanos,
    /// When the request of each tag was sent, and what it reads or writes; none where the tag is free.
    in_flight: Vec<Option<Nanos>>,
    flying: usize,
    issued: u64,
    /// Writes since the last fsync.
    unsynced: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    Begin,
    Issue,
    Account,
    Reaped,
    Drain,
    End,
}

impl FioThread {
    /// Thread number `thread` (from 1) of a job. `randseed` is that of a job that does not repeat fio's default sequence.
    pub fn new(plan: FioPlan, randseed: Option<u64>, thread: u64, tally: SharedTally) -> Self {
        let seeds = Seeds::new(randseed, thread);
        let depth = if plan.direct { usize::try_from(plan.depth.max(1)).unwrap_or(1) } else { 1 };
        Self {
            blocks: Blocks::new(plan.size / plan.bs.max(1), &plan.pattern, &seeds),
            mix: Mix::new(plan.direction, &seeds),
            tally,
            queue: VecDeque::new(),
            stage: Stage::Start,
            began: Nanos::ZERO,
            in_flight: vec![None; depth],
            flying: 0,
            issued: 0,
            unsynced: 0,
            plan,
        }
    }

    /// What comes next at `now`: a request, a pause, or nothing any more.
    fn issue(&mut self, now: Nanos) -> Option<Op> {
        let plan = &self.plan;
        if plan.fsync > 0 && self.unsynced >= plan.fsync {
            self.unsynced = 0;
            return Some(Op::Fsync(plan.file.handle));
        }
        // `time_based` goes on after all bytes; what ends it is the time.
        let done = self.issued >= plan.size && !plan.time_based;
        let moment = if plan.rate_iops > 0 { due(self.began.get(), self.issued / plan.bs, plan.rate_iops) } else { 0 };
        {
            let mut tally = self.tally.borrow_mut();
            let late = plan.runtime > 0 && now.saturating_sub(self.began).get() >= plan.runtime;
            if done || tally.stop || late {
                tally.timed_out |= late && !done && !plan.time_based;
                return None;
            }
            if let Some(until) = tally.nap(now, moment) {
                return Some(Op::SleepUntil(until));
            }
        }
        let write = self.mix.next();
        let block = self.blocks.next(write).or_else(|| {
            // A job by time begins the file anew.
            self.plan.time_based.then(|| self.blocks.rewind())?;
            if self.plan.invalidate && !self.plan.direct {
                self.queue.push_back(Op::DontNeed { file: self.plan.file.file, offset: 0, length: 0 });
            }
            self.blocks.next(write)
        })?;
        self.issued += self.plan.bs;
        self.unsynced += u64::from(write);
        let (handle, offset, length) = (self.plan.file.handle, block * self.plan.bs, self.plan.bs);
        let op = if self.plan.direct {
            let tag = self.in_flight.iter().position(Option::is_none).unwrap_or(0);
            self.in_flight[tag] = Some(now);
            self.flying += 1;
            let access = if write { Access::Write } else { Access::Read };
            Op::Submit { handle, offset, length, access, tag: tag as u64 }
        } else {
            self.stage = Stage::Account;
            if write { Op::Write { handle, offset, length } } else { Op::Read { handle, offset, length } }
        };
        self.queue.push_back(op);
        self.queue.pop_front()
    }

    /// Counts the request that was reaped.
    fn reaped(&mut self, now: Nanos, done: Done) {
        let slot = done.tag.and_then(|tag| self.in_flight.get_mut(usize::try_from(tag).ok()?)).and_then(Option::take);
        if let Some(sent) = slot {
            self.flying -= 1;
            self.tally.borrow_mut().add(self.plan.bs, now.saturating_sub(sent).get());
        }
    }
}

impl Program for FioThread {
    fn next(&mut self, host: &mut Host, me: TaskId, now: Nanos, last: Done) -> Op {
        loop {
            if let Some(op) = self.queue.pop_front() {
                return op;
            }
            match self.stage {
                Stage::Start => {
                    let Ok(area) = host.map_anon(me, OWN_PAGES, false) else { return Op::Exit };
                    self.queue.push_back(Op::Touch { area, page: 0, count: OWN_PAGES, access: Access::Write });
                    if self.plan.invalidate && !self.plan.direct {
                        self.queue.push_back(Op::DontNeed { file: self.plan.file.file, offset: 0, length: 0 });
                    }
                    self.stage = Stage::Begin;
                }
                Stage::Begin => {
                    self.began = now;
                    self.tally.borrow_mut().began = Some(now);
                    self.stage = Stage::Issue;
                }
                Stage::Issue => {
                    if self.flying == self.in_flight.len() {
                        self.stage = Stage::Reaped;
                        return Op::Reap;
                    }
                    match self.issue(now) {
                        Some(op) => return op,
                        None => self.stage = Stage::Drain,
                    }
                }
                Stage::Account => {
                    let took = last.ended.saturating_sub(last.started).get();
                    self.tally.borrow_mut().add(self.plan.bs, took);
                    self.stage = Stage::Issue;
                }
                Stage::Reaped => {
                    self.reaped(now, last);
                    self.stage = Stage::Issue;
                }
                Stage::Drain => {
                    self.reaped(now, last);
                    if self.flying > 0 {
                        return Op::Reap;
                    }
                    self.stage = Stage::End;
                    if self.plan.end_fsync {
                        return Op::Fsync(self.plan.file.handle);
                    }
                }
                Stage::End => {
                    self.tally.borrow_mut().ended = Some(now);
                    return Op::Exit;
                }
            }
        }
    }
}

/// Whether the next request reads or writes (`io_u.c: get_rw_ddir` of fio 3.33, with its default of half reads).
#[derive(Debug)]
struct Mix {
    direction: Direction,
    random: Tausworthe,
    write: bool,
    /// Requests of each direction so far.
    issued: [u64; 2],
    /// Requests of the present direction after which it is drawn again.
    until: u64,
}

/// `rwmixread`, percent.
const READS: u64 = 50;

impl Mix {
    fn new(direction: Direction, seeds: &Seeds) -> Self {
        let random = Tausworthe::new(seeds.of(Purpose::Mix), false);
        Self { direction, random, write: false, issued: [0; 2], until: 0 }
    }

    fn next(&mut self) -> bool {
        match self.direction {
            Direction::Read => return false,
            Direction::Write => return true,
            Direction::Mixed => {}
        }
        if self.issued[usize::from(self.write)] >= self.until {
            let write = self.random.percent() > READS;
            if write != self.write {
                let share = if self.write { READS } else { 100 - READS };
                self.until = self.issued[usize::from(self.write)] * share / 100;
            }
            self.write = write;
        }
        self.issued[usize::from(self.write)] += 1;
        self.write
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_alternate_as_in_fio() {
        // fio 3.33, `--rw=randrw --bs=8192 --size=64m`: which of 8192 requests write, in base 31.
        let mut mix = Mix::new(Direction::Mixed, &Seeds::new(None, 1));
        let sum = (0..8192).fold(0, |sum: u64, _| (sum * 31 + u64::from(mix.next())) % 1_000_000_007);
        assert_eq!(sum, 406_515_092);
    }
}

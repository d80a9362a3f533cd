//! Occupies memory until it is released (`crates/lab/src/hold/work.rs` on a real kernel).

use super::{STRETCH, SharedTally, Stored};
use crate::{Access, AreaId, Done, Host, Op, PAGE_SIZE, Program, TaskId};
use pagetide_core::Nanos;

/// The kind of memory.
#[derive(Debug, Clone, Copy)]
pub enum HoldMemory {
    /// Private anonymous memory.
    Anonymous,
    /// The same, locked (`mlock(2)`).
    Locked,
    /// Shared anonymous memory (shmem).
    Shared,
    /// Page cache of a file.
    File(Stored),
}

/// The program.
#[derive(Debug)]
pub struct Hold {
    memory: HoldMemory,
    /// Pages that are mapped, and pages that are touched.
    pages: u64,
    touch: u64,
    tally: SharedTally,
    area: Option<AreaId>,
    done: u64,
    synced: bool,
}

impl Hold {
    /// A program that maps `pages`, touches the first `touch` of them and waits.
    pub fn new(memory: HoldMemory, pages: u64, touch: u64, tally: SharedTally) -> Self {
        Self { memory, pages, touch: touch.min(pages), tally, area: None, done: 0, synced: false }
    }
}

impl Program for Hold {
    fn next(&mut self, host: &mut Host, me: TaskId, now: Nanos, _: Done) -> Op {
        let area = match self.area {
            Some(area) => area,
            None => {
                self.tally.borrow_mut().began = Some(now);
                let mapped = match self.memory {
                    HoldMemory::Anonymous | HoldMemory::Locked => host.map_anon(me, self.pages, false),
                    HoldMemory::Shared => host.map_anon(me, self.pages, true),
                    HoldMemory::File(stored) => Ok(host.map_file(me, stored.file, 0, self.pages, false)),
                };
                let Ok(area) = mapped else { return Op::Exit };
                if matches!(self.memory, HoldMemory::Locked) {
                    host.lock(area);
                }
                *self.area.insert(area)
            }
        };
        let mut tally = self.tally.borrow_mut();
        tally.processed = self.done * PAGE_SIZE;
        if self.done < self.touch {
            let count = (STRETCH.get() / PAGE_SIZE).min(self.touch - self.done);
            let page = self.done;
            self.done += count;
            return Op::Touch { area, page, count, access: Access::Write };
        }
        if let HoldMemory::File(stored) = self.memory
            && !self.synced
        {
            self.synced = true;
            return Op::Fsync(stored.handle);
        }
        tally.ended.get_or_insert(now);
        if tally.stop { Op::Exit } else { Op::Wait }
    }
}

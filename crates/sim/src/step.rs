//! One operation of a task, from its begin over its waits to its end.

use crate::access::fault::Touching;
use crate::devices::device::IoKind;
use crate::devices::queue::{Payload, Request};
use crate::host::{Host, Stall};
use crate::program::{Access, Op};

/// How far an operation is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Progress {
    at: u64,
    phase: u8,
    pub(crate) touching: Touching,
    pub(crate) tag: Option<u64>,
}

impl Host {
    /// Goes on with an operation until it ends or must wait.
    pub(crate) fn step(&mut self, op: Op, run: &mut Progress) -> Result<(), Stall> {
        match op {
            Op::Compute(_) | Op::Exit => Ok(()),
            Op::SleepUntil(until) => {
                if self.now < until.get() {
                    Err(Stall::Until(until.get()))
                } else {
                    Ok(())
                }
            }
            Op::Read { handle, offset, length } => self.step_read(handle.0 as usize, offset, length, &mut run.at),
            Op::Write { handle, offset, length } => self.step_write(handle.0 as usize, offset, length, &mut run.at),
            Op::Touch { area, page, count, access } => {
                self.step_touch(area.0 as usize, page, count, access, &mut run.touching)
            }
            Op::Submit { handle, offset, length, access, tag } => {
                self.submit_direct(handle.0 as usize, offset, length, access, tag);
                Ok(())
            }
            Op::Reap => {
                let task = &mut self.tasks[self.current];
                if let Some(tag) = task.reaped.pop_front() {
                    run.tag = Some(tag);
                    return Ok(());
                }
                if task.in_flight == 0 { Ok(()) } else { Err(Stall::Request) }
            }
            Op::Fsync(handle) => self.step_sync(&[self.handles[handle.0 as usize].mapping], false, &mut run.phase),
            Op::Fdatasync(handle) => self.step_sync(&[self.handles[handle.0 as usize].mapping], true, &mut run.phase),
            Op::SyncAll => {
                let files = self.all_files();
                self.step_sync(&files, false, &mut run.phase)
            }
            Op::DropCaches { pages, slab } => {
                self.drop_caches(pages, slab);
                Ok(())
            }
            Op::ResizePool { pages } => self.step_pool(pages),
            Op::ReclaimGroup { group, pages } => self.step_reclaim(group.0 as usize, pages),
            Op::SwapOff => self.step_swap_off(&mut run.touching),
            Op::DontNeed { file, offset, length } => {
                self.dont_need(file.0 as usize, offset, length);
                Ok(())
            }
            Op::LookUp { count } => {
                self.spend_times(self.spec.costs.lookup, count);
                self.add_dentries(count);
                Ok(())
            }
            Op::Remove(file) => self.step_remove(file.0 as usize),
            Op::Wait => {
                if run.phase == 0 {
                    run.phase = 1;
                    return Err(Stall::Wake);
                }
                Ok(())
            }
        }
    }

    fn submit_direct(&mut self, handle: usize, offset: u64, length: u64, access: Access, tag: u64) {
        self.spend(self.spec.costs.submit);
        let mapping = self.handles[handle].mapping;
        let Some((device, start)) = self.mappings[mapping].on_device() else { return };
        let task = &mut self.tasks[self.current];
        task.in_flight += 1;
        let kind = match access {
            Access::Read => {
                task.stats.read_bytes += length;
                IoKind::Read
            }
            Access::Write => {
                task.stats.write_bytes += length;
                IoKind::Write
            }
        };
        let group = task.group;
        if kind == IoKind::Write {
            self.journal_times(mapping);
            // Cached pages would be stale (`kiocb_invalidate_pages`).
            self.invalidate(
                mapping,
                offset / crate::PAGE_SIZE,
                offset.saturating_add(length).div_ceil(crate::PAGE_SIZE),
            );
        }
        let request = Request {
            kind,
            offset: start + offset,
            length,
            sync: true,
            swap: false,
            apart: false,
            group,
            since: self.now,
            payload: Payload::Direct { task: self.current as u32, tag },
        };
        self.send(device, request);
        self.charge_io(group, device, kind, length);
    }
}

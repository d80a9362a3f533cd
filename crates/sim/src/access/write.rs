//! `pwrite(2)` through the page cache (`mm/filemap.c: generic_perform_write`).

use crate::PAGE_SIZE;
use crate::host::{Host, Stall};
use crate::memory::mapping::Backing;
use crate::page::{PageId, flag};

impl Host {
    /// Writes bytes from `*at` on, which counts what was written. Goes on where it was after a wait.
    pub(crate) fn step_write(&mut self, handle: usize, offset: u64, length: u64, at: &mut u64) -> Result<(), Stall> {
        let mapping = self.handles[handle].mapping;
        let end = offset.saturating_add(length).min(self.mappings[mapping].pages * PAGE_SIZE);
        if *at == 0 {
            self.spend(self.spec.costs.request);
        }
        while offset + *at < end {
            let position = offset + *at;
            let index = position / PAGE_SIZE;
            let page = self.mappings[mapping].base + index as PageId;
            let next = ((index + 1) * PAGE_SIZE).min(end);
            let whole = position.is_multiple_of(PAGE_SIZE)
                && (next.is_multiple_of(PAGE_SIZE) || next >= self.mappings[mapping].size);
            if !self.word(page).has(flag::RESIDENT) {
                let zone = self.take_page()?;
                let exists = match self.mappings[mapping].backing {
                    Backing::File { allocated, .. } => allocated && position < self.mappings[mapping].size,
                    _ => true,
                };
                if self.word(page).has(flag::RESIDENT) {
                    self.zones[zone].free += 1;
                } else if whole || !exists {
                    self.add_file_page(page, zone, 0);
                } else {
                    // A part of a page: the rest is read first.
                    self.add_locked(page, zone);
                    self.send_read(mapping, index, index + 1);
                    self.send_plug();
                }
            }
            if self.word(page).has(flag::LOCKED) {
                return Err(Stall::Page(page));
            }
            self.dirty_page(page);
            self.spend(self.spec.costs.dirty_page);
            self.mappings[mapping].size = self.mappings[mapping].size.max(next);
            *at += next - position;
            if let Some(until) = self.throttle_writer(mapping) {
                return Err(Stall::Until(until));
            }
        }
        Ok(())
    }
}

//! `pread(2)` through the page cache (`mm/filemap.c: filemap_read`).

use crate::PAGE_SIZE;
use crate::host::{Host, Stall};
use crate::page::{PageId, flag};

impl Host {
    /// Reads bytes from `*at` on, which counts what was read. Goes on where it was after a wait.
    pub(crate) fn step_read(&mut self, handle: usize, offset: u64, length: u64, at: &mut u64) -> Result<(), Stall> {
        let mapping = self.handles[handle].mapping;
        let end = offset.saturating_add(length).min(self.mappings[mapping].size);
        if *at == 0 {
            self.spend(self.spec.costs.request);
        }
        let last = end.div_ceil(PAGE_SIZE);
        while offset + *at < end {
            let position = offset + *at;
            let index = position / PAGE_SIZE;
            let page = self.mappings[mapping].base + index as PageId;
            if !self.word(page).has(flag::RESIDENT) {
                self.read_ahead(handle, index, last - index);
                if !self.word(page).has(flag::RESIDENT) {
                    let zone = self.take_page()?;
                    // Reclaim may have run: the page is still missing, as only this task adds it now.
                    if !self.word(page).has(flag::RESIDENT) {
                        self.add_locked(page, zone);
                        self.send_read(mapping, index, index + 1);
                        self.send_plug();
                    } else {
                        self.zones[zone].free += 1;
                    }
                }
            }
            if self.word(page).has(flag::READAHEAD) {
                self.read_ahead_of_mark(handle, index, last - index);
            }
            if self.word(page).has(flag::LOCKED) {
                return Err(Stall::Page(page));
            }
            let same = *at == 0
                && self.handles[handle].previous.is_some_and(|byte| byte > 0 && (byte - 1) / PAGE_SIZE == index);
            if !same {
                self.mark_accessed(page);
            }
            self.spend(self.spec.costs.copy_page);
            let next = ((index + 1) * PAGE_SIZE).min(end);
            *at += next - position;
            self.handles[handle].previous = Some(next);
        }
        Ok(())
    }
}

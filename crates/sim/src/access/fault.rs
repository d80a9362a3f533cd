//! Touches of mapped memory and page faults (`mm/memory.c`, `mm/filemap.c: filemap_fault, filemap_map_pages`).

use crate::host::{Host, Stall};
use crate::id::AreaId;
use crate::machine::Release;
use crate::memory::mapping::{Backing, pte};
use crate::page::{PageId, flag};
use crate::program::Access;

/// Pages that a fault maps around itself (`fault_around_bytes` of 64 KiB).
const FAULT_AROUND_PAGES: u64 = 16;
/// Misses above which a mapped file is not read around (`MMAP_LOTSAMISS`).
const LOTS_OF_MISSES: u32 = 100;

/// How far a touch is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Touching {
    /// Pages touched.
    pub(crate) at: u64,
    /// The fault waited and is tried again (`FAULT_FLAG_TRIED`).
    tried: bool,
    major: bool,
    pub(crate) majors: u64,
}

impl Touching {
    /// The fault reads a device.
    pub(crate) const fn set_major(&mut self) {
        self.major = true;
    }
}

impl Host {
    /// Touches pages in order. Goes on where it was after a wait.
    pub(crate) fn step_touch(
        &mut self,
        area: usize,
        first: u64,
        count: u64,
        access: Access,
        run: &mut Touching,
    ) -> Result<(), Stall> {
        while run.at < count {
            // On the way back to user mode.
            self.handle_over_high()?;
            let at = first + run.at;
            let Some(entry) = self.areas[area].entries.get_mut(at as usize) else { return Ok(()) };
            let wanted = if access == Access::Write { pte::PRESENT | pte::DIRTY } else { pte::PRESENT };
            if *entry & wanted == wanted {
                *entry |= pte::YOUNG;
                self.cpu += self.spec.costs.touch.get();
                run.at += 1;
                continue;
            }
            self.events.pgfault += 1;
            let group = self.tasks[self.current].group;
            self.groups[group].events.pgfault += 1;
            self.spend(self.spec.costs.fault);
            self.in_fault = true;
            let fault = self.fault(area, at, access, run);
            self.in_fault = false;
            if let Err(stall) = fault {
                run.tried = true;
                return Err(stall);
            }
            // A fault that was tried again counts as major (`mm_account_fault`); with locks of areas only when it read the device
            // (`do_user_addr_fault` of 6.12).
            if run.major || (run.tried && self.spec.release == Release::V6_1) {
                run.majors += 1;
                self.tasks[self.current].stats.major_faults += 1;
            } else {
                self.tasks[self.current].stats.minor_faults += 1;
            }
            run.tried = false;
            run.major = false;
            run.at += 1;
            self.cpu += self.spec.costs.touch.get();
        }
        Ok(())
    }

    fn fault(&mut self, area: usize, at: u64, access: Access, run: &mut Touching) -> Result<(), Stall> {
        self.ensure_table(area, at);
        let (mapping, index) = (self.areas[area].mapping, self.areas[area].first + at);
        let page = self.mappings[mapping].base + index as PageId;
        match self.mappings[mapping].backing {
            Backing::File { .. } | Backing::Block { .. } => self.file_fault(area, at, page, access, run),
            Backing::Anonymous | Backing::Shared => self.anon_fault(area, at, page, access, run),
        }
    }

    fn file_fault(
        &mut self,
        area: usize,
        at: u64,
        page: PageId,
        access: Access,
        run: &mut Touching,
    ) -> Result<(), Stall> {
        let mapping = self.areas[area].mapping;
        let index = self.areas[area].first + at;
        let handle = self.areas[area].handle.unwrap_or_default() as usize;
        if access == Access::Read && self.spec.mechanisms.fault_around && self.map_around(area, at, handle) {
            return Ok(());
        }
        if self.word(page).has(flag::RESIDENT) {
            if !run.tried {
                self.handles[handle].mmap_miss = self.handles[handle].mmap_miss.saturating_sub(1);
                if self.word(page).has(flag::READAHEAD) {
                    let ahead = self.handles[handle].ahead;
                    self.read_ahead_of_mark(handle, index, ahead);
                    // The lock was dropped for it: the fault is tried again.
                    run.tried = true;
                }
            }
        } else {
            self.events.pgmajfault += 1;
            let group = self.tasks[self.current].group;
            self.groups[group].events.pgmajfault += 1;
            run.major = true;
            self.read_around(handle, mapping, index);
            if !self.word(page).has(flag::RESIDENT) {
                let zone = self.take_page()?;
                if self.word(page).has(flag::RESIDENT) {
                    self.zones[zone].free += 1;
                } else {
                    self.add_locked(page, zone);
                    self.send_read(mapping, index, index + 1);
                    self.send_plug();
                }
            }
        }
        if self.word(page).has(flag::LOCKED) {
            return Err(Stall::Page(page));
        }
        if run.tried && access == Access::Read && self.spec.mechanisms.fault_around && self.map_around(area, at, handle)
        {
            return Ok(());
        }
        let written = if access == Access::Write { pte::DIRTY } else { 0 };
        self.set_entry(area, at, page, pte::YOUNG | written);
        if access == Access::Write {
            // `page_mkwrite`, then the throttle (`fault_dirty_shared_page`).
            self.dirty_page(page);
            if let Some(until) = self.throttle_writer(mapping) {
                return Err(Stall::Until(until));
            }
        }
        Ok(())
    }

    /// `do_sync_mmap_readahead`.
    fn read_around(&mut self, handle: usize, mapping: usize, index: u64) {
        let ra = &mut self.handles[handle];
        if ra.random || ra.ahead == 0 {
            return;
        }
        if ra.mmap_miss < LOTS_OF_MISSES * 10 {
            ra.mmap_miss += 1;
        }
        if ra.mmap_miss > LOTS_OF_MISSES {
            return;
        }
        ra.start = index.saturating_sub(ra.ahead / 2);
        ra.size = ra.ahead;
        ra.async_size = ra.ahead / 4;
        let (start, size, ahead) = (ra.start, ra.size, ra.async_size);
        self.read_pages(mapping, start, size, ahead);
    }

    /// Maps the cached pages around a fault (`do_fault_around`, `filemap_map_pages`). Whether the page itself was one of them.
    fn map_around(&mut self, area: usize, at: u64, handle: usize) -> bool {
        let first = at / FAULT_AROUND_PAGES * FAULT_AROUND_PAGES;
        let end = (first + FAULT_AROUND_PAGES).min(self.areas[area].pages);
        let (mapping, offset) = (self.areas[area].mapping, self.areas[area].first);
        let base = self.mappings[mapping].base;
        let mut mapped = false;
        let mut forgiven = 0;
        for near in first..end {
            let page = base + (offset + near) as PageId;
            let word = self.word(page);
            if !word.has(flag::RESIDENT) || word.has(flag::LOCKED | flag::READAHEAD) {
                continue;
            }
            // 6.12 does not forgive misses for pages that had been evicted (`filemap_map_folio_range`).
            if self.spec.release == Release::V6_1 || !word.has(flag::WORKINGSET) {
                forgiven += 1;
            }
            if self.areas[area].entries[near as usize] & pte::PRESENT == 0 {
                self.set_entry(area, near, page, pte::YOUNG);
                self.spend(self.spec.costs.map_page);
            }
            mapped |= near == at;
        }
        let ra = &mut self.handles[handle];
        ra.mmap_miss = ra.mmap_miss.saturating_sub(forgiven);
        mapped
    }

    fn anon_fault(
        &mut self,
        area: usize,
        at: u64,
        page: PageId,
        access: Access,
        run: &mut Touching,
    ) -> Result<(), Stall> {
        let write = access == Access::Write;
        let word = self.word(page);
        if !word.has(flag::RESIDENT) {
            if word.has(flag::SWAPPED) {
                self.swap_in(page, run)?;
            } else {
                let shared = self.mappings[self.areas[area].mapping].backing == Backing::Shared;
                if !write && !shared {
                    // The zero page.
                    self.areas[area].entries[at as usize] |= pte::PRESENT | pte::YOUNG;
                    return Ok(());
                }
                let zone = self.take_page()?;
                self.spend(self.spec.costs.zero_page);
                let locked = if self.areas[area].locked { flag::UNEVICTABLE } else { 0 };
                let group = self.tasks[self.current].group;
                self.settle(page, zone, group, flag::ANON | flag::DIRTY | locked);
                if locked == 0 {
                    self.add_to_list(page);
                } else {
                    self.gauges.unevictable += 1;
                    self.gauges.mlocked += 1;
                }
            }
        }
        let word = self.word(page);
        if word.has(flag::LOCKED) {
            return Err(Stall::Page(page));
        }
        if word.has(flag::SWAP_AHEAD) {
            self.words[page as usize].clear(flag::SWAP_AHEAD);
            self.swap_hit();
        }
        if run.tried || word.has(flag::SWAPPED) {
            // A page that comes from the swap cache was used (`do_swap_page`).
            self.mark_swap_used(page);
        }
        if write {
            if word.has(flag::WRITEBACK) {
                return Err(Stall::Page(page));
            }
            // The only user writes it: its place in swap is free (`should_try_to_free_swap`).
            self.words[page as usize].set(flag::DIRTY);
            if word.has(flag::SWAPPED) {
                self.free_slot(page);
            }
        }
        self.set_entry(area, at, page, pte::YOUNG | if write { pte::DIRTY } else { 0 });
        Ok(())
    }

    /// Takes the page of a page table when the first entry in it is set.
    fn ensure_table(&mut self, area: usize, at: u64) {
        let table = (at / 512) as usize;
        if !self.areas[area].tables[table] {
            self.areas[area].tables[table] = true;
            if let Some(zone) = self.take_for_kernel() {
                self.tables.push(zone);
                self.gauges.page_tables += 1;
            }
        }
    }

    /// Frees the page tables of an area.
    fn free_tables(&mut self, area: usize) {
        let used = self.areas[area].tables.iter().filter(|there| **there).count();
        for _ in 0..used {
            let Some(zone) = self.tables.pop() else { break };
            self.zones[zone].free += 1;
            self.gauges.page_tables -= 1;
        }
        self.areas[area].tables = Vec::new();
    }

    /// Sets an entry of a page table.
    pub(crate) fn set_entry(&mut self, area: usize, at: u64, page: PageId, flags: u8) {
        self.drop_swap_entry(area, at);
        let entry = &mut self.areas[area].entries[at as usize];
        let present = *entry & pte::PRESENT != 0;
        *entry |= pte::PRESENT | flags;
        if present && self.word(page).has(flag::MAPPED) {
            return;
        }
        let owner = self.areas[area].task as usize;
        if self.word(page).has(flag::ANON) {
            let stats = &mut self.tasks[owner].stats;
            stats.anon_pages += 1;
            stats.resident_peak = stats.resident_peak.max(stats.anon_pages);
        }
        if !self.word(page).has(flag::MAPPED) {
            self.words[page as usize].set(flag::MAPPED);
            self.count_mapped(page, 1);
        }
    }

    /// An entry does not name a slot in swap any more.
    fn drop_swap_entry(&mut self, area: usize, at: u64) {
        let area = &mut self.areas[area];
        let entry = &mut area.entries[at as usize];
        if *entry & pte::SWAP != 0 {
            *entry &= !pte::SWAP;
            self.tasks[area.task as usize].stats.swap_pages -= 1;
        }
    }

    /// Maps a page that has left swap where an entry names its slot (`mm/swapfile.c: unuse_pte`).
    pub(crate) fn map_unused(&mut self, page: PageId) {
        let owner = self.owner(page);
        let index = u64::from(page - self.mappings[owner].base);
        for nth in 0..self.mappings[owner].areas.len() {
            let area = self.mappings[owner].areas[nth] as usize;
            let Some(at) = index.checked_sub(self.areas[area].first) else { continue };
            if self.areas[area].entries.get(at as usize).is_some_and(|entry| entry & pte::SWAP != 0) {
                self.set_entry(area, at, page, 0);
            }
        }
    }

    /// Clears the entry of a page of the mapping in an area. That of anonymous memory in swap names its slot then; that of shared memory does not.
    pub(crate) fn clear_entry(&mut self, area: usize, index: u64) {
        let backing = self.mappings[self.areas[area].mapping].backing;
        let page = self.mappings[self.areas[area].mapping].base + index as PageId;
        let owner = self.areas[area].task as usize;
        let swapped = backing == Backing::Anonymous && self.word(page).has(flag::SWAPPED);
        let area = &mut self.areas[area];
        let Some(entry) = index.checked_sub(area.first).and_then(|at| area.entries.get_mut(at as usize)) else {
            return;
        };
        if *entry & pte::PRESENT == 0 {
            return;
        }
        *entry = if swapped { pte::SWAP } else { 0 };
        let stats = &mut self.tasks[owner].stats;
        if matches!(backing, Backing::Anonymous | Backing::Shared) {
            stats.anon_pages = stats.anon_pages.saturating_sub(1);
        }
        stats.swap_pages += u64::from(swapped);
    }

    /// Counts a page that is mapped by its first area, or by none any more.
    pub(crate) fn count_mapped(&mut self, page: PageId, by: i64) {
        let word = self.word(page);
        let shared = self.mappings[self.owner(page)].backing == Backing::Shared;
        let group = &mut self.groups[word.group()];
        if word.has(flag::ANON) && !shared {
            self.gauges.anon_mapped = self.gauges.anon_mapped.saturating_add_signed(by);
        } else {
            self.gauges.file_mapped = self.gauges.file_mapped.saturating_add_signed(by);
            group.mapped = group.mapped.saturating_add_signed(by);
        }
    }

    /// Unmaps an area (`zap_pte_range`): young pages of files are used once more; anonymous memory that nobody else maps is free.
    pub fn unmap(&mut self, area: AreaId) {
        let at = area.0 as usize;
        if self.areas[at].unmapped {
            return;
        }
        self.areas[at].unmapped = true;
        let (mapping, first, pages) = (self.areas[at].mapping, self.areas[at].first, self.areas[at].pages);
        self.mappings[mapping].areas.retain(|other| *other != area.0);
        let base = self.mappings[mapping].base;
        let is_file = self.mappings[mapping].is_file();
        let last = self.mappings[mapping].areas.is_empty();
        for near in 0..pages {
            let entry = self.areas[at].entries[near as usize];
            let page = base + (first + near) as PageId;
            if entry & pte::PRESENT != 0 && self.word(page).has(flag::RESIDENT) {
                self.clear_entry(at, first + near);
                if is_file && entry & pte::YOUNG != 0 {
                    self.mark_accessed(page);
                }
                if last || !self.mapped_elsewhere(mapping, first + near) {
                    self.words[page as usize].clear(flag::MAPPED);
                    self.count_mapped(page, -1);
                }
            }
            self.drop_swap_entry(at, near);
            if last && !is_file {
                self.free_anon(page);
            }
        }
        self.areas[at].entries = Vec::new();
        self.free_tables(at);
        let task = self.areas[at].task as usize;
        self.tasks[task].areas.retain(|other| *other != area.0);
        if last && !is_file {
            self.forget_mapping(mapping);
        }
    }

    fn mapped_elsewhere(&self, mapping: usize, index: u64) -> bool {
        self.mappings[mapping].areas.iter().any(|other| {
            let other = &self.areas[*other as usize];
            index
                .checked_sub(other.first)
                .and_then(|at| other.entries.get(at as usize))
                .is_some_and(|entry| entry & pte::PRESENT != 0)
        })
    }
}

//! What becomes of one page at the end of an inactive list (`mm/vmscan.c: shrink_folio_list`).

use crate::devices::device::IoKind;
use crate::devices::queue::{Payload, Request};
use crate::host::Host;
use crate::machine::Release;
use crate::memory::kind::Kind;
use crate::memory::mapping::{Backing, pte};
use crate::page::{PageId, flag};
use crate::progress::scan::{Found, Scan, ScanResult};

/// Page table entries that had been used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Young {
    pub(crate) entries: u32,
    pub(crate) executable: bool,
}

impl Host {
    /// Looks at the young bits of all areas that map a page, and clears them (`folio_referenced`).
    pub(crate) fn take_young(&mut self, page: PageId) -> Young {
        let mut young = Young::default();
        if !self.word(page).has(flag::MAPPED) {
            return young;
        }
        let word = self.word(page);
        let owner = self.owner(page);
        let index = u64::from(page - self.mappings[owner].base);
        for nth in 0..self.mappings[owner].areas.len() {
            let at = self.mappings[owner].areas[nth] as usize;
            let area = &mut self.areas[at];
            let Some(entry) = index.checked_sub(area.first).and_then(|at| area.entries.get_mut(at as usize)) else {
                continue;
            };
            if *entry & (pte::PRESENT | pte::YOUNG) == pte::PRESENT | pte::YOUNG {
                *entry &= !pte::YOUNG;
                young.entries += 1;
                young.executable |= area.executable;
                if self.spec.lru == pagetide_core::Lru::Mglru {
                    let near = index - area.first;
                    // The page itself is off its list: it is marked as used.
                    *entry |= pte::YOUNG;
                    self.look_around(at, near, word.group(), self.zones[word.zone()].node);
                    self.areas[at].entries[near as usize] &= !pte::YOUNG;
                }
            }
        }
        young
    }

    /// Takes a page out of all page tables (`try_to_unmap`).
    pub(crate) fn unmap_everywhere(&mut self, page: PageId) {
        if !self.word(page).has(flag::MAPPED) {
            return;
        }
        let owner = self.owner(page);
        let index = u64::from(page - self.mappings[owner].base);
        for at in 0..self.mappings[owner].areas.len() {
            let area = self.mappings[owner].areas[at];
            self.clear_entry(area as usize, index);
        }
        self.words[page as usize].clear(flag::MAPPED);
        self.count_mapped(page, -1);
    }

    /// Decides about one page, which is off its list. The caller puts it back unless it was freed.
    pub(crate) fn reclaim_page(&mut self, page: PageId, scan: &mut Scan, found: &mut Found) -> ScanResult {
        let word = self.word(page);
        if word.has(flag::LOCKED) {
            return ScanResult::Kept;
        }
        scan.scanned += 1;
        let kind = Kind::of(word);
        // No flusher handles anonymous pages: reclaim does not wait for them here (`folio_check_dirty_writeback`).
        if kind == Kind::File {
            if word.has(flag::DIRTY | flag::WRITEBACK) {
                found.dirty += 1;
            }
            if word.has(flag::DIRTY) && !word.has(flag::WRITEBACK) {
                found.unqueued_dirty += 1;
            }
        }
        if word.has(flag::WRITEBACK) {
            if kind == Kind::File && word.has(flag::RECLAIM) {
                found.congested += 1;
            }
            if scan.kswapd && word.has(flag::RECLAIM) && self.kswapds[scan.node].writeback {
                found.immediate += 1;
            } else {
                self.words[page as usize].set(flag::RECLAIM);
                found.writeback += 1;
            }
            return ScanResult::Activated;
        }
        if self.mglru() && word.has(flag::MAPPED) && word.has(flag::REFERENCED) {
            // Promoted meanwhile (`folio_update_gen`).
            return ScanResult::Kept;
        }
        let young = self.take_young(page);
        let used_before = self.word(page).has(flag::REFERENCED);
        self.words[page as usize].clear(flag::REFERENCED);
        if young.entries > 0 {
            self.words[page as usize].set(flag::REFERENCED);
            if used_before || young.entries > 1 || (young.executable && kind == Kind::File) {
                return ScanResult::Activated;
            }
            return ScanResult::Kept;
        }
        let only_if_clean = used_before && kind == Kind::File;
        match kind {
            Kind::File if word.has(flag::DIRTY) => {
                let write = scan.kswapd && word.has(flag::RECLAIM) && self.kswapds[scan.node].dirty;
                self.unmap_everywhere(page);
                if !write {
                    self.words[page as usize].set(flag::RECLAIM);
                    return ScanResult::Activated;
                }
                if only_if_clean {
                    return ScanResult::Kept;
                }
                if self.spec.release >= Release::V6_12 {
                    // File systems have no `writepage` any more (`pageout`: PAGE_ACTIVATE).
                    return ScanResult::Activated;
                }
                found.pageout += 1;
                if self.is_unwritten(page) {
                    self.words[page as usize].clear(flag::RECLAIM);
                } else {
                    self.write_page_out(page);
                }
                ScanResult::Kept
            }
            Kind::File => {
                self.unmap_everywhere(page);
                self.evict(page, scan.target);
                ScanResult::Freed
            }
            Kind::Anon => self.reclaim_anon(page, scan, found),
        }
    }

    fn reclaim_anon(&mut self, page: PageId, scan: &mut Scan, found: &mut Found) -> ScanResult {
        if !self.word(page).has(flag::SWAPPED) {
            if !self.give_slot(page) {
                return ScanResult::Activated;
            }
            self.words[page as usize].set(flag::DIRTY);
        }
        self.unmap_everywhere(page);
        if self.word(page).has(flag::DIRTY) {
            scan.waits = self.awaited_swap(page);
            if scan.waits.is_some() {
                scan.scanned -= 1;
                return ScanResult::Waits;
            }
            found.pageout += 1;
            if !self.swap_out(page) && self.spec.mechanisms.asynchronous_swap_out {
                return ScanResult::Kept;
            }
        }
        self.evict(page, scan.target);
        ScanResult::Freed
    }

    /// Frees a page and leaves a shadow (`__remove_mapping`).
    pub(crate) fn evict(&mut self, page: PageId, target: usize) {
        let word = self.word(page);
        debug_assert!(!word.has(flag::MAPPED | flag::LISTED | flag::LOCKED), "only an unused page is evicted");
        self.count_resident(page, -1);
        if word.has(flag::ANON) {
            if word.has(flag::SWAPPED) {
                self.gauges.swapcached -= 1;
            }
        } else {
            self.index_evicted(page);
        }
        self.leave_shadow(page, target);
        self.zones[word.zone()].free += 1;
        self.events.pgfree += 1;
    }

    /// Whether the file system has no block on the disk for a page yet. Reclaim does not make one: such a page stays dirty
    /// (`fs/ext4/inode.c: ext4_writepage`).
    fn is_unwritten(&self, page: PageId) -> bool {
        let mapping = &self.mappings[self.owner(page)];
        let allocated = !matches!(mapping.backing, Backing::File { allocated: false, .. });
        !allocated && !mapping.written.get((page - mapping.base) as usize).copied().unwrap_or(false)
    }

    /// Writes one dirty page of a file (`pageout`).
    fn write_page_out(&mut self, page: PageId) {
        let owner = self.owner(page);
        let Some((device, offset)) = self.mappings[owner].on_device() else { return };
        let index = u64::from(page - self.mappings[owner].base);
        self.start_writeback(page);
        let group = self.word(page).group();
        let request = Request {
            kind: IoKind::Write,
            offset: offset + index * crate::PAGE_SIZE,
            length: crate::PAGE_SIZE,
            sync: false,
            swap: false,
            apart: self.is_kswapd(self.current),
            group,
            since: self.now,
            payload: Payload::Pages(page, 1),
        };
        self.plug.add(device, request, &mut self.queues[device]);
        self.charge_io(group, device, IoKind::Write, crate::PAGE_SIZE);
    }
}

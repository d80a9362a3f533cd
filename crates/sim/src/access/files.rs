//! Whole files: fsync, drop_caches, fadvise, truncate, swapoff (`mm/filemap.c`, `mm/truncate.c`, `fs/drop_caches.c`).

use crate::PAGE_SIZE;
use crate::access::fault::Touching;
use crate::devices::device::IoKind;
use crate::devices::queue::{Payload, Request};
use crate::host::{Host, Stall};
use crate::memory::mapping::{LEAF, range_of};
use crate::page::{PageId, Word, flag};
use std::ops::Range;

impl Host {
    /// One step of `fsync(2)` of mappings, or of `fdatasync(2)` when `data` alone is wanted: writes them, waits for the writes, then
    /// for the commit of the journal that they are part of, or for a flush where there is none. `phase` counts.
    pub(crate) fn step_sync(&mut self, mappings: &[usize], data: bool, phase: &mut u8) -> Result<(), Stall> {
        if *phase == 0 {
            *phase = 1;
            self.spend(self.spec.costs.request);
            for mapping in mappings {
                self.write_all(*mapping);
            }
        }
        if *phase == 1 {
            if let Some(mapping) =
                mappings.iter().find(|at| self.mappings[**at].writeback > 0 || self.mappings[**at].dirty > 0)
            {
                if self.mappings[*mapping].dirty > 0 {
                    self.write_all(*mapping);
                }
                return Err(Stall::Mapping(*mapping));
            }
            *phase = 2;
            let mut devices: Vec<(usize, u64)> = mappings
                .iter()
                .filter_map(|at| {
                    let mapping = &self.mappings[*at];
                    let commit = if data { mapping.blocks_commit } else { mapping.commit.max(mapping.blocks_commit) };
                    mapping.on_device().map(|(device, _)| (device, commit))
                })
                .collect();
            // Of each device the latest commit.
            devices.sort_unstable_by_key(|(device, commit)| (*device, std::cmp::Reverse(*commit)));
            devices.dedup_by_key(|(device, _)| *device);
            self.tasks[self.current].flushes += devices.len() as u64;
            for (device, commit) in devices {
                if self.wait_for_commit(device, commit) {
                    continue;
                }
                let request = Request {
                    kind: IoKind::Flush,
                    offset: 0,
                    length: 0,
                    sync: true,
                    swap: false,
                    apart: false,
                    group: self.tasks[self.current].group,
                    since: self.now,
                    payload: Payload::Flush { task: self.current as u32 },
                };
                self.send(device, request);
            }
        }
        if self.tasks[self.current].flushes > 0 { Err(Stall::Request) } else { Ok(()) }
    }

    /// Mappings of files that exist.
    pub(crate) fn all_files(&self) -> Vec<usize> {
        (0..self.mappings.len()).filter(|at| self.mappings[*at].is_file() && !self.mappings[*at].deleted).collect()
    }

    /// Drops clean pages of a mapping that nobody maps, and its shadows (`invalidate_mapping_pages`).
    pub(crate) fn invalidate(&mut self, mapping: usize, first: u64, end: u64) {
        let base = self.mappings[mapping].base;
        let end = end.min(self.mappings[mapping].pages);
        for index in first..end {
            let page = base + index as PageId;
            let word = self.word(page);
            let busy = flag::DIRTY | flag::WRITEBACK | flag::LOCKED | flag::MAPPED | flag::UNEVICTABLE;
            if word.has(flag::RESIDENT) && !word.has(busy) {
                self.drop_page(page);
            }
        }
        for at in first.div_ceil(LEAF)..end.div_ceil(LEAF) {
            if (at + 1) * LEAF <= end || end == self.mappings[mapping].pages {
                self.forget_shadows(mapping, at as usize);
            }
        }
    }

    /// Takes a page out of the cache for good.
    pub(crate) fn drop_page(&mut self, page: PageId) {
        if self.word(page).has(flag::LISTED) {
            self.take_off_list(page);
        }
        self.index_left(page, false);
        self.release_page(page);
        self.words[page as usize] = Word::default();
    }

    /// `echo N > /proc/sys/vm/drop_caches`.
    pub(crate) fn drop_caches(&mut self, pages: bool, slab: bool) {
        if pages {
            for mapping in self.all_files() {
                self.invalidate(mapping, 0, u64::MAX);
            }
            self.events.drop_pagecache += 1;
        }
        if slab {
            self.drop_slab();
        }
    }

    /// `POSIX_FADV_DONTNEED`: starts writing dirty pages, and drops the clean ones.
    pub(crate) fn dont_need(&mut self, file: usize, offset: u64, length: u64) {
        if self.mappings[file].dirty > 0 {
            self.write_all(file);
        }
        let pages = whole_pages(offset, length, self.mappings[file].size);
        self.invalidate(file, pages.start, pages.end);
    }

    /// One step of `unlink(2)` of a file that nobody has open: its pages leave memory, dirty ones unwritten. Waits for those that are
    /// being read or written (`truncate_inode_pages_range`).
    pub(crate) fn step_remove(&mut self, at: usize) -> Result<(), Stall> {
        let base = self.mappings[at].base;
        self.mappings[at].size = 0;
        let mut read = None;
        for index in 0..self.mappings[at].pages {
            let page = base + index as PageId;
            let word = self.word(page);
            if word.has(flag::LOCKED) {
                read = Some(page);
            }
            if !word.has(flag::RESIDENT) || word.has(flag::LOCKED | flag::WRITEBACK) {
                continue;
            }
            if word.has(flag::DIRTY) {
                self.clean_page(page);
            }
            self.unmap_everywhere(page);
            self.drop_page(page);
        }
        self.mappings[at].dirtied_at = None;
        if let Some(page) = read {
            return Err(Stall::Page(page));
        }
        if self.mappings[at].writeback > 0 {
            return Err(Stall::Mapping(at));
        }
        for leaf in 0..self.mappings[at].leaves.len() {
            self.forget_shadows(at, leaf);
        }
        self.mappings[at].deleted = true;
        Ok(())
    }

    /// A mapping of anonymous memory is gone.
    pub(crate) fn forget_mapping(&mut self, mapping: usize) {
        let mapping = &mut self.mappings[mapping];
        mapping.deleted = true;
        mapping.slots = Vec::new();
        if mapping.writeback == 0 && mapping.resident == 0 && self.swap.writing == 0 {
            self.free_ranges.push((mapping.base, range_of(mapping.pages)));
        }
    }

    /// One step of `swapoff(2)`: reads the next page back, and maps it where it was (`mm/swapfile.c: try_to_unuse`).
    pub(crate) fn step_swap_off(&mut self, run: &mut Touching) -> Result<(), Stall> {
        self.swap_areas_off();
        while let Some(page) = self.next_swapped() {
            let word = self.word(page);
            if word.has(flag::WRITEBACK | flag::LOCKED) {
                return Err(Stall::Page(page));
            }
            if word.has(flag::RESIDENT) {
                self.words[page as usize].set(flag::DIRTY);
                self.free_slot(page);
            } else {
                // From compressed memory it leaves its slot at once.
                self.swap_in(page, run)?;
            }
            if !self.word(page).has(flag::SWAPPED) {
                self.map_unused(page);
            }
        }
        self.swap.areas.clear();
        Ok(())
    }
}

/// Pages that lie in a range of a file of `size` bytes as a whole, up to its end for a length of 0 (`mm/fadvise.c: generic_fadvise`). The page that
/// the file ends in counts as a whole when the range ends with the file.
fn whole_pages(offset: u64, length: u64, size: u64) -> Range<u64> {
    let end = if length == 0 { u64::MAX } else { offset.saturating_add(length) };
    offset.div_ceil(PAGE_SIZE)..if end == size { end.div_ceil(PAGE_SIZE) } else { end / PAGE_SIZE }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the file of 10 000 bytes, `mincore` on Linux 6.18 showed the same pages to stay.
    #[test]
    fn pages_that_are_not_needed_are_those_that_a_kernel_drops() {
        for (size, length, stay) in [
            (10_000_u64, 9_999, 1),
            (10_000, 10_000, 0),
            (10_000, 11_000, 1),
            (10_000, 20_000, 0),
            (10_000, 0, 0),
            (16_384, 4_095, 4),
            (16_384, 8_191, 3),
            (16_384, 8_192, 2),
        ] {
            let pages = whole_pages(0, length, size);
            let dropped = pages.end.min(size.div_ceil(PAGE_SIZE)) - pages.start;
            assert_eq!(size.div_ceil(PAGE_SIZE) - dropped, stay, "{length} bytes of {size}");
        }
        assert_eq!(whole_pages(1, 8_191, 16_384), 1..2);
    }
}

//! Readahead of files (`mm/readahead.c`).

use crate::PAGE_SIZE;
use crate::devices::device::IoKind;
use crate::devices::queue::{Payload, Request};
use crate::host::Host;
use crate::page::{PageId, flag};

/// The first window (`get_init_ra_size`).
fn first_window(request: u64, most: u64) -> u64 {
    let size = request.next_power_of_two();
    if size <= most / 32 {
        size * 4
    } else if size <= most / 4 {
        size * 2
    } else {
        most
    }
}

/// The window after one of `size` (`get_next_ra_size`).
fn next_window(size: u64, most: u64) -> u64 {
    if size < most / 16 {
        size * 4
    } else if size <= most / 2 {
        size * 2
    } else {
        most
    }
}

impl Host {
    /// Reads a missing page and what is likely to be needed with it (`page_cache_sync_ra`).
    pub(crate) fn read_ahead(&mut self, handle: usize, index: u64, request: u64) {
        let open = self.handles[handle];
        if open.ahead == 0 || !self.spec.mechanisms.readahead {
            self.read_pages(open.mapping, index, if open.ahead == 0 { 1 } else { request }, 0);
        } else if open.random {
            // `force_page_cache_ra`: the request as it is, in pieces of what is best for the device.
            self.read_pages(open.mapping, index, request.min(self.largest_window(handle)), 0);
        } else {
            self.read_on_demand(handle, index, request, false);
        }
    }

    /// A page with the readahead mark was read (`page_cache_async_ra`).
    pub(crate) fn read_ahead_of_mark(&mut self, handle: usize, index: u64, request: u64) {
        let page = self.mappings[self.handles[handle].mapping].base + index as PageId;
        if self.handles[handle].ahead == 0 || self.word(page).has(flag::WRITEBACK) {
            return;
        }
        self.words[page as usize].clear(flag::READAHEAD);
        if self.spec.mechanisms.readahead {
            self.read_on_demand(handle, index, request, true);
        }
    }

    fn largest_window(&self, handle: usize) -> u64 {
        let open = &self.handles[handle];
        let optimal = self.mappings[open.mapping].on_device().map_or(0, |(device, _)| {
            let spec = &self.queues[device].spec;
            // `bdi->io_pages` (`block/blk-settings.c: blk_queue_max_hw_sectors`).
            spec.max_request.get().max(spec.optimal_request.get()) / PAGE_SIZE
        });
        open.ahead.max(optimal)
    }

    /// `ondemand_readahead`.
    fn read_on_demand(&mut self, handle: usize, index: u64, request: u64, marked: bool) {
        let mut ra = self.handles[handle];
        let mapping = ra.mapping;
        let mut most = ra.ahead;
        if request > most {
            most = request.min(self.largest_window(handle)).max(most);
        }
        let expected = ra.start + ra.size - ra.async_size;
        let mut initial = false;
        if index == 0 {
            initial = true;
        } else if ra.size > 0 && (index == expected || index == ra.start + ra.size) {
            ra.start += ra.size;
            ra.size = ra.size.max(next_window(ra.size, most));
            ra.async_size = ra.size;
        } else if marked {
            let cached = self.cached_run(mapping, index + 1, most);
            let start = index + 1 + cached;
            if cached >= most {
                return;
            }
            ra.start = start;
            ra.size = next_window(start - index + request, most);
            ra.async_size = ra.size;
        } else if request > most || ra.previous.is_some_and(|byte| index.wrapping_sub(byte / PAGE_SIZE) <= 1) {
            initial = true;
        } else {
            let history = self.cached_run_before(mapping, index, most);
            if history <= request {
                self.read_pages(mapping, index, request, 0);
                return;
            }
            let size = if history >= index { history * 2 } else { history };
            ra.start = index;
            ra.size = (size + request).min(most);
            ra.async_size = 1;
        }
        if initial {
            ra.start = index;
            ra.size = first_window(request, most);
            ra.async_size = if ra.size > request { ra.size - request } else { ra.size };
        }
        if index == ra.start && ra.size == ra.async_size {
            let more = next_window(ra.size, most);
            if ra.size + more <= most {
                ra.async_size = more;
                ra.size += more;
            } else {
                ra.size = most;
                ra.async_size = most >> 1;
            }
        }
        self.handles[handle] = ra;
        self.read_pages(mapping, ra.start, ra.size, ra.async_size);
    }

    /// Pages in memory from `index` on, `most` at most.
    fn cached_run(&self, mapping: usize, index: u64, most: u64) -> u64 {
        let mapping = &self.mappings[mapping];
        let left = mapping.pages.saturating_sub(index).min(most);
        (0..left).take_while(|at| self.word(mapping.base + (index + at) as PageId).has(flag::RESIDENT)).count() as u64
    }

    /// Pages in memory right before `index` (`count_history_pages`).
    fn cached_run_before(&self, mapping: usize, index: u64, most: u64) -> u64 {
        let base = self.mappings[mapping].base;
        (1..=index.min(most)).take_while(|back| self.word(base + (index - back) as PageId).has(flag::RESIDENT)).count()
            as u64
    }

    /// Adds missing pages and reads them (`page_cache_ra_unbounded`). The page `ahead` before the end gets the mark.
    pub(crate) fn read_pages(&mut self, mapping: usize, first: u64, count: u64, ahead: u64) {
        let size = self.mappings[mapping].size.div_ceil(PAGE_SIZE);
        let count = count.min(size.saturating_sub(first));
        let base = self.mappings[mapping].base;
        let mut run = first;
        for at in 0..count {
            let index = first + at;
            let page = base + index as PageId;
            if self.word(page).has(flag::RESIDENT) {
                self.send_read(mapping, run, index);
                run = index + 1;
                continue;
            }
            let Some(zone) = self.take_page_for_readahead() else {
                self.send_read(mapping, run, index);
                self.send_plug();
                return;
            };
            self.add_locked(page, zone);
            if at + ahead == count && ahead > 0 {
                self.words[page as usize].set(flag::READAHEAD);
            }
        }
        self.send_read(mapping, run, first + count);
        self.send_plug();
    }

    /// Puts a page that is about to be read into the index and on its list (`filemap_add_folio`).
    pub(crate) fn add_locked(&mut self, page: PageId, zone: usize) {
        self.add_file_page(page, zone, flag::LOCKED);
    }

    /// The same with other flags.
    pub(crate) fn add_file_page(&mut self, page: PageId, zone: usize, flags: u64) {
        self.spend(self.spec.costs.add_page);
        let before = self.word(page);
        let group = self.tasks.get(self.current).map_or(0, |task| task.group);
        self.settle(page, zone, group, flags);
        self.index_added(page, before);
        self.refault(page, before);
        self.add_to_list(page);
    }

    /// Reads pages in a row from the device.
    pub(crate) fn send_read(&mut self, mapping: usize, first: u64, end: u64) {
        if first >= end {
            return;
        }
        let Some((device, offset)) = self.mappings[mapping].on_device() else { return };
        let base = self.mappings[mapping].base;
        let largest = (self.queues[device].spec.max_request.get() / PAGE_SIZE).max(1);
        let group = self.tasks.get(self.current).map_or(0, |task| task.group);
        let mut at = first;
        while at < end {
            let count = (end - at).min(largest);
            let request = Request {
                kind: IoKind::Read,
                offset: offset + at * PAGE_SIZE,
                length: count * PAGE_SIZE,
                sync: true,
                swap: false,
                apart: false,
                group,
                since: self.now,
                payload: Payload::Pages(base + at as PageId, count as u32),
            };
            self.plug.add(device, request, &mut self.queues[device]);
            self.charge_io(group, device, IoKind::Read, count * PAGE_SIZE);
            at += count;
        }
        if let Some(task) = self.tasks.get_mut(self.current) {
            task.stats.read_bytes += (end - first) * PAGE_SIZE;
        }
    }
}

//! Dirty pages and the flusher of each device (`fs/fs-writeback.c`).

use crate::PAGE_SIZE;
use crate::devices::bdi::{Chunk, Reason, Work};
use crate::devices::device::IoKind;
use crate::devices::queue::{Payload, Request};
use crate::devices::wbt::Urgency;
use crate::host::{Host, Stall};
use crate::memory::mapping::{Backing, LEAF};
use crate::page::{PageId, flag};
use crate::tick::BANDWIDTH_INTERVAL;
use std::collections::VecDeque;

/// Pages of a round are a multiple of this: 4 MiB (`MIN_WRITEBACK_PAGES`).
const MIN_CHUNK: u64 = 4096 >> 2;
/// Requests that one extent of a round may have before it is sent (`ext4_writepages` sends what it has mapped).
const LARGEST_RUN: u64 = 2048;

impl Host {
    /// A page of a file is dirtied (`folio_account_dirtied`).
    pub(crate) fn dirty_page(&mut self, page: PageId) {
        if self.word(page).has(flag::DIRTY) {
            return;
        }
        self.words[page as usize].set(flag::DIRTY);
        let owner = self.owner(page);
        let Some((device, _)) = self.mappings[owner].on_device() else { return };
        self.add_buffer_head(page);
        self.journal_times(owner);
        self.estimate_when_due(device);
        let now = self.now;
        let mapping = &mut self.mappings[owner];
        mapping.dirty += 1;
        let leaf = mapping.leaf(page);
        mapping.leaves[leaf].dirty += 1;
        if mapping.dirtied_at.is_none() {
            mapping.dirtied_at = Some(now);
            let wb = &mut self.wbs[device];
            let interval = self.spec.sysctls.dirty_writeback_centisecs * 10_000_000;
            if wb.timer.is_none() && interval > 0 {
                wb.timer = Some(now + interval);
            }
        }
        self.gauges.dirty += 1;
        self.gauges.dirty_peak = self.gauges.dirty_peak.max(self.gauges.dirty + self.gauges.writeback);
        let group = self.word(page).group();
        self.groups[group].dirty += 1;
        self.events.nr_dirtied += 1;
        let wb = &mut self.wbs[device];
        wb.dirty += 1;
        wb.dirtied += 1;
        let task = &mut self.tasks[self.current];
        task.nr_dirtied += 1;
        task.stats.write_bytes += PAGE_SIZE;
    }

    /// A page of a file is not dirty any more (`folio_clear_dirty_for_io`).
    pub(crate) fn clean_page(&mut self, page: PageId) {
        self.words[page as usize].clear(flag::DIRTY);
        let owner = self.owner(page);
        let Some((device, _)) = self.mappings[owner].on_device() else { return };
        let mapping = &mut self.mappings[owner];
        mapping.dirty -= 1;
        let leaf = mapping.leaf(page);
        mapping.leaves[leaf].dirty -= 1;
        self.gauges.dirty -= 1;
        self.wbs[device].dirty -= 1;
        let group = self.word(page).group();
        self.groups[group].dirty -= 1;
        if self.word(page).has(flag::MAPPED) {
            self.protect_entries(page);
        }
    }

    /// Entries of a page become read-only: the next write faults (`page_mkclean`).
    fn protect_entries(&mut self, page: PageId) {
        let mapping = &self.mappings[self.owner(page)];
        let index = u64::from(page - mapping.base);
        for area in &mapping.areas {
            let area = &mut self.areas[*area as usize];
            if let Some(entry) = index.checked_sub(area.first).and_then(|at| area.entries.get_mut(at as usize)) {
                *entry &= !crate::memory::mapping::pte::DIRTY;
            }
        }
    }

    /// A dirty page goes to the device.
    pub(crate) fn start_writeback(&mut self, page: PageId) {
        debug_assert!(!self.word(page).has(flag::WRITEBACK), "a page is under writeback once");
        self.clean_page(page);
        self.words[page as usize].set(flag::WRITEBACK);
        let owner = self.owner(page);
        let Some((device, _)) = self.mappings[owner].on_device() else { return };
        self.wbs[device].writeback += 1;
        self.mappings[owner].writeback += 1;
        self.gauges.writeback += 1;
        let group = self.word(page).group();
        self.groups[group].writeback += 1;
    }

    /// The write of a page of a file has ended (`folio_end_writeback`).
    pub(crate) fn end_writeback(&mut self, page: PageId) {
        let word = self.word(page);
        if !word.has(flag::WRITEBACK) {
            return;
        }
        self.words[page as usize].clear(flag::WRITEBACK | flag::RECLAIM);
        self.count_throttled_write(page);
        let owner = self.owner(page);
        let Some((device, _)) = self.mappings[owner].on_device() else { return };
        self.estimate_when_due(device);
        if matches!(self.mappings[owner].backing, Backing::File { allocated: false, .. }) {
            let mapping = &mut self.mappings[owner];
            mapping.written.resize(mapping.pages as usize, false);
            let known = std::mem::replace(&mut mapping.written[(page - mapping.base) as usize], true);
            if !known {
                self.journal_blocks(owner);
            }
        }
        self.mappings[owner].writeback -= 1;
        if self.mappings[owner].writeback == 0 {
            // `wb_inode_writeback_end`.
            let due = self.jiffies() + BANDWIDTH_INTERVAL;
            self.wbs[device].estimate_due.get_or_insert(due);
            self.wake_mapping(owner);
        }
        self.gauges.writeback -= 1;
        self.groups[word.group()].writeback -= 1;
        let wb = &mut self.wbs[device];
        wb.writeback -= 1;
        wb.written += 1;
        self.events.nr_written += 1;
        self.count_completion(device);
        if word.has(flag::RECLAIM) {
            self.rotate_to_tail(page);
        }
        self.wake_page(page);
    }

    /// Puts a page to the end of its inactive list, to be freed next (`folio_rotate_reclaimable`).
    pub(crate) fn rotate_to_tail(&mut self, page: PageId) {
        let word = self.word(page);
        if !word.has(flag::LISTED) || word.has(flag::UNEVICTABLE | flag::LOCKED | flag::DIRTY) {
            return;
        }
        if self.mglru() {
            self.generation_rotate(page);
            return;
        }
        let lruvec = self.lruvec_of(word);
        self.lruvecs[lruvec].remove(page, &mut self.words);
        self.words[page as usize].clear(flag::ACTIVE);
        self.lruvecs[lruvec].add_oldest(page, &mut self.words);
    }

    /// All flushers write everything once (`wakeup_flusher_threads`).
    pub(crate) fn wake_flushers(&mut self) {
        for wb in &mut self.wbs {
            if wb.dirty > 0 && !wb.all {
                wb.all = true;
                wb.woken = true;
            }
        }
    }

    /// One step of a device's flusher: up to one request's worth of pages. Gives what it waits for then.
    pub(crate) fn step_flusher(&mut self, device: usize) -> Stall {
        self.wbs[device].woken = false;
        if self.wbs[device].timer.is_some_and(|timer| timer <= self.now) {
            self.wbs[device].timer = None;
        }
        if self.wbs[device].work.is_none() && !self.begin_work(device) {
            self.set_flusher_timer(device);
            return self.wbs[device].timer.map_or(Stall::Wake, Stall::Until);
        }
        // Reclaim or `sync` asked for everything; all else nobody waits for.
        let background = self.wbs[device].work.as_ref().is_none_or(|work| work.reason != Reason::All);
        let urgency = self.urgency(device, background);
        if !self.queues[device].has_room(self.now, urgency, false, 0) {
            return Stall::Room(device);
        }
        if self.write_some(device) { Stall::Yield } else { self.wbs[device].timer.map_or(Stall::Wake, Stall::Until) }
    }

    fn set_flusher_timer(&mut self, device: usize) {
        let interval = self.spec.sysctls.dirty_writeback_centisecs * 10_000_000;
        let wb = &mut self.wbs[device];
        if wb.dirty > 0 && wb.timer.is_none() && interval > 0 {
            wb.timer = Some(self.now + interval);
        }
    }

    /// How urgent writeback is (`wbc_to_write_flags`; `block/blk-wbt.c: wb_recent_wait`).
    pub(crate) fn urgency(&self, device: usize, background: bool) -> Urgency {
        if self.wbs[device].throttled_at.is_some_and(|at| self.now < at + 1_000_000_000) {
            return Urgency::Awaited;
        }
        if background { Urgency::Background } else { Urgency::Normal }
    }

    /// Begins a round when there is something to do (`wb_do_writeback`).
    fn begin_work(&mut self, device: usize) -> bool {
        let wb = &mut self.wbs[device];
        if std::mem::take(&mut wb.all) && wb.dirty > 0 {
            let left = wb.dirty;
            return self.start_work(device, Reason::All, left);
        }
        let interval = self.spec.sysctls.dirty_writeback_centisecs * 10_000_000;
        let wb = &mut self.wbs[device];
        if self.spec.mechanisms.expiry && interval > 0 && self.now >= wb.last_old + interval {
            wb.last_old = self.now;
            let dirty = self.gauges.dirty;
            if dirty > 0 && self.start_work(device, Reason::Old, dirty) {
                return true;
            }
        }
        self.wbs[device].background = false;
        self.over_background(device) && self.start_work(device, Reason::Background, u64::MAX)
    }

    fn start_work(&mut self, device: usize, reason: Reason, left: u64) -> bool {
        let queue = self.dirty_mappings(device, reason);
        if queue.is_empty() {
            return false;
        }
        self.wbs[device].work = Some(Work { reason, left, queue, more: VecDeque::new(), wrote: false, chunk: None });
        true
    }

    /// Mappings that a round writes, oldest first (`queue_io`, `move_expired_inodes`).
    fn dirty_mappings(&self, device: usize, reason: Reason) -> VecDeque<usize> {
        let expiry = self.spec.sysctls.dirty_expire_centisecs * 10_000_000;
        let old = |since: u64| reason != Reason::Old || self.now >= since + expiry;
        let mut found: Vec<(u64, usize)> = self
            .mappings
            .iter()
            .enumerate()
            .filter(|(_, mapping)| mapping.dirty > 0 && mapping.on_device().is_some_and(|(at, _)| at == device))
            .filter_map(|(at, mapping)| Some((mapping.dirtied_at?, at)))
            .filter(|(since, _)| old(*since))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, at)| at).collect()
    }

    /// `wb_over_bg_thresh`.
    fn over_background(&mut self, device: usize) -> bool {
        if !self.spec.mechanisms.background_threshold {
            return self.gauges.dirty > self.thresholds().0;
        }
        let (_, background) = self.thresholds();
        if self.gauges.dirty > background {
            return true;
        }
        let share = self.share(device, background);
        self.wbs[device].dirty > share
    }

    /// Writes one run of pages of the round (`wb_writeback`, `writeback_sb_inodes`, `write_cache_pages`). Whether the flusher has more to do: not
    /// where a round above the background threshold wrote no page, as all that are dirty were dirtied again on their way to the disk.
    fn write_some(&mut self, device: usize) -> bool {
        let Some(mut work) = self.wbs[device].work.take() else { return true };
        if work.chunk.is_none() {
            let over = work.reason != Reason::Background || self.over_background(device);
            if work.left == 0 || !over {
                self.end_work(device);
                return true;
            }
            if work.queue.is_empty() {
                if !work.wrote {
                    self.end_work(device);
                    // The check of the background threshold is the last of `wb_do_writeback`.
                    return work.reason != Reason::Background;
                }
                work.wrote = false;
                work.queue = std::mem::take(&mut work.more);
                if work.queue.is_empty() {
                    work.queue = self.dirty_mappings(device, work.reason);
                }
            }
            let Some(first) = work.queue.front().copied() else {
                self.end_work(device);
                return true;
            };
            let wb = &self.wbs[device];
            let chunk = (wb.average_bandwidth / 2).min(self.domain.dirty_limit / 8).min(work.left);
            let chunk = (chunk + MIN_CHUNK) / MIN_CHUNK * MIN_CHUNK;
            let began = self.mappings[first].writeback_index;
            self.start_estimate(device);
            work.chunk = Some(Chunk { left: chunk, at: began, began, wrapped: began == 0 });
        }
        let (Some(mut chunk), Some(mapping)) = (work.chunk, work.queue.front().copied()) else { return true };
        let written = self.write_run(mapping, &mut chunk, false);
        work.wrote |= written > 0;
        work.left = work.left.saturating_sub(written);
        let ended = written == 0 || chunk.left == 0;
        if ended {
            self.estimate_round(device);
            work.queue.pop_front();
            work.chunk = None;
            self.mappings[mapping].writeback_index = if chunk.left == 0 { chunk.at } else { 0 };
            if self.mappings[mapping].dirty == 0 {
                self.mappings[mapping].dirtied_at = None;
            } else if chunk.left == 0 {
                work.more.push_back(mapping);
            } else {
                // Dirtied again meanwhile: it is as young as now (`redirty_tail`).
                self.mappings[mapping].dirtied_at = Some(self.now);
            }
        } else {
            work.chunk = Some(chunk);
        }
        self.wbs[device].work = Some(work);
        true
    }

    fn end_work(&mut self, device: usize) {
        self.wbs[device].background = false;
        self.wbs[device].woken = self.wbs[device].all;
        self.set_flusher_timer(device);
    }

    /// Sends the next run of dirty pages of a mapping. Gives their number; 0 when there is none before the end of the round.
    fn write_run(&mut self, mapping: usize, chunk: &mut Chunk, sync: bool) -> u64 {
        let Some((device, offset)) = self.mappings[mapping].on_device() else { return 0 };
        let (base, pages) = (self.mappings[mapping].base, self.mappings[mapping].pages);
        if self.mappings[mapping].dirty == 0 {
            return 0;
        }
        loop {
            let end = if chunk.wrapped && chunk.began > 0 { chunk.began } else { pages };
            let words = &self.words[base as usize..][..pages as usize];
            let writable = |at: &u64| {
                let word = words[*at as usize];
                word.has(flag::DIRTY) && !word.has(flag::WRITEBACK)
            };
            let leaves = &self.mappings[mapping].leaves;
            let mut dirty = (chunk.at / LEAF..end.div_ceil(LEAF)).filter(|leaf| leaves[*leaf as usize].dirty > 0);
            let in_leaf = |leaf: u64| ((leaf * LEAF).max(chunk.at)..((leaf + 1) * LEAF).min(end)).find(writable);
            let Some(first) = dirty.find_map(in_leaf) else {
                if chunk.wrapped {
                    return 0;
                }
                chunk.wrapped = true;
                chunk.at = 0;
                continue;
            };
            let largest =
                (self.queues[device].spec.max_request.get() / PAGE_SIZE).clamp(1, LARGEST_RUN).min(chunk.left.max(1));
            let last = (first..end.min(first + largest)).take_while(writable).last().unwrap_or(first);
            let count = last + 1 - first;
            for at in first..=last {
                self.start_writeback(base + at as PageId);
            }
            self.spend_times(self.spec.costs.writeback_page, count);
            self.spend(self.spec.costs.submit);
            let group = self.word(base + first as PageId).group();
            let request = Request {
                kind: IoKind::Write,
                offset: offset + first * PAGE_SIZE,
                length: count * PAGE_SIZE,
                sync,
                swap: false,
                apart: false,
                group,
                since: self.now,
                payload: Payload::Pages(base + first as PageId, count as u32),
            };
            self.plug.add(device, request, &mut self.queues[device]);
            if matches!(self.mappings[mapping].backing, Backing::Block { .. }) {
                // A block device sends each page by itself, and the plug puts them together (`fs/buffer.c: submit_bh`).
                self.queues[device].counters.merges[IoKind::Write as usize] += count - 1;
            }
            self.charge_io(group, device, IoKind::Write, count * PAGE_SIZE);
            self.send_plug();
            chunk.at = last + 1;
            chunk.left = chunk.left.saturating_sub(count);
            return count;
        }
    }

    /// Sends all dirty pages of a mapping that are not under writeback, for a task that waits for them. Whether any is on its way.
    pub(crate) fn write_all(&mut self, mapping: usize) -> bool {
        let mut chunk = Chunk { left: u64::MAX, at: 0, began: 0, wrapped: true };
        let device = self.mappings[mapping].on_device().map(|(device, _)| device);
        device.into_iter().for_each(|device| self.start_estimate(device));
        while self.write_run(mapping, &mut chunk, true) > 0 {}
        device.into_iter().for_each(|device| self.estimate_round(device));
        if self.mappings[mapping].dirty == 0 {
            self.mappings[mapping].dirtied_at = None;
        }
        self.mappings[mapping].writeback > 0
    }
}

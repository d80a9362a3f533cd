//! Swap: areas, slots, the swap cache and readahead (`mm/swapfile.c`, `mm/swap_state.c`).

use crate::PAGE_SIZE;
use crate::access::fault::Touching;
use crate::devices::device::IoKind;
use crate::devices::queue::{Payload, Request};
use crate::devices::wbt::Urgency;
use crate::host::{Host, Stall};
use crate::id::DeviceId;
use crate::machine::Release;
use crate::memory::slots::{Area, Place};
use crate::page::{NO_PAGE, PageId, flag};
use pagetide_core::{Bytes, Error, Nanos};

/// The first slot number of each area: areas are 2^26 slots (256 GiB) apart.
const AREA_SHIFT: u32 = 26;

/// Where a slot of an area that begins at `offset` is: the header is before the first.
const fn slot_at(offset: u64, slot: usize) -> u64 {
    offset + (slot as u64 + 1) * PAGE_SIZE
}

impl Host {
    /// Adds a swap area on a device (`swapon(2)`), from `offset` on. The one with the highest priority is used first.
    ///
    /// # Errors
    /// It does not fit, or is larger than the model has.
    pub fn swap_on_disk(&mut self, device: DeviceId, offset: u64, size: Bytes, priority: i32) -> Result<(), Error> {
        let queue = &self.queues[usize::from(device.0)];
        if offset.checked_add(size.get()).is_none_or(|end| end > queue.spec.size.get()) {
            return Err(Error::input(
                format!("swap of {size} does not fit on {}", queue.spec.name),
                "write a larger disk or less swap",
            ));
        }
        self.add_swap(Place::Disk { device: usize::from(device.0), offset }, size, priority)
    }

    /// Adds compressed memory as swap. A page takes `percent` hundredths of itself, one of zeros nothing.
    ///
    /// # Errors
    /// It is larger than the model has.
    pub fn swap_on_zram(&mut self, size: Bytes, percent: u64, priority: i32) -> Result<(), Error> {
        self.add_swap(Place::Zram { percent: percent.min(100) }, size, priority)
    }

    fn add_swap(&mut self, place: Place, size: Bytes, priority: i32) -> Result<(), Error> {
        let slots = size.get() / PAGE_SIZE;
        if slots >= 1 << AREA_SHIFT || self.swap.areas.len() >= 32 {
            return Err(Error::input(format!("swap of {size} is more than the model has"), "write less than 256GiB"));
        }
        self.check_model_memory(slots)?;
        if self.swap.areas.is_empty() {
            self.swap.hits = 4;
        }
        // The header takes the first page.
        self.swap.areas.push(Area::new(place, priority, slots.saturating_sub(1) as usize));
        Ok(())
    }

    /// Swap areas that are empty go (`swapoff(2)`, after [`crate::Op::SwapOff`]).
    pub(crate) fn swap_areas_off(&mut self) {
        for area in &mut self.swap.areas {
            area.off = true;
        }
    }

    /// Whether there is swap.
    pub fn has_swap(&self) -> bool {
        self.swap.total_slots() > 0
    }

    /// Gives a page a slot in swap (`add_to_swap`). Whether there was one.
    pub(crate) fn give_slot(&mut self, page: PageId) -> bool {
        let mut order: Vec<usize> = (0..self.swap.areas.len()).filter(|at| !self.swap.areas[*at].off).collect();
        order.sort_by_key(|at| std::cmp::Reverse(self.swap.areas[*at].priority));
        let group = self.word(page).group();
        for at in order {
            let Some(slot) = self.swap.areas[at].take(page, group) else { continue };
            let owner = self.owner(page);
            let mapping = &mut self.mappings[owner];
            if mapping.slots.is_empty() {
                mapping.slots = vec![u32::MAX; mapping.pages as usize];
            }
            mapping.slots[(page - mapping.base) as usize] = (at as u32) << AREA_SHIFT | slot as u32;
            self.words[page as usize].set(flag::SWAPPED);
            self.gauges.swapcached += 1;
            self.groups[group].swap += 1;
            return true;
        }
        false
    }

    fn slot_of(&self, page: PageId) -> (usize, usize) {
        let mapping = &self.mappings[self.owner(page)];
        let slot = mapping.slots[(page - mapping.base) as usize];
        ((slot >> AREA_SHIFT) as usize, (slot & ((1 << AREA_SHIFT) - 1)) as usize)
    }

    /// Frees the slot of a page.
    pub(crate) fn free_slot(&mut self, page: PageId) {
        let (at, slot) = self.slot_of(page);
        let area = &mut self.swap.areas[at];
        debug_assert_eq!(area.slots[slot], page, "a slot knows its page");
        self.groups[area.group(slot)].swap -= 1;
        area.give_back(slot);
        if let Place::Zram { percent } = area.place {
            self.zram_freed(self.zram_size(page, percent));
        }
        if self.word(page).has(flag::RESIDENT) {
            self.gauges.swapcached -= 1;
        }
        self.words[page as usize].clear(flag::SWAPPED);
    }

    /// Whether a page is noted as zeros when it is swapped, and neither written nor read: 6.12 does (`mm/page_io.c:
    /// swap_zeromap_folio_set`).
    fn in_zero_map(&self, page: PageId) -> bool {
        self.spec.release >= Release::V6_12 && self.mappings[self.owner(page)].zeros
    }

    /// Writes a page to its slot (`swap_writepage`). Whether that is done already: compressed memory is.
    pub(crate) fn swap_out(&mut self, page: PageId) -> bool {
        let (at, slot) = self.slot_of(page);
        self.words[page as usize].clear(flag::DIRTY);
        if self.in_zero_map(page) {
            return true;
        }
        self.events.pswpout += 1;
        let place = self.swap.areas[at].place;
        match place {
            Place::Zram { percent } => {
                self.spend(self.zram_cost(page));
                self.zram_stored(self.zram_size(page, percent));
                true
            }
            Place::Disk { device, offset } => {
                self.words[page as usize].set(flag::WRITEBACK | flag::RECLAIM);
                self.swap.writing += 1;
                self.send_swap(IoKind::Write, device, offset, slot, page);
                if !self.spec.mechanisms.asynchronous_swap_out {
                    self.words[page as usize].clear(flag::WRITEBACK | flag::RECLAIM);
                    self.swap.writing -= 1;
                }
                false
            }
        }
    }

    fn send_swap(&mut self, kind: IoKind, device: usize, offset: u64, slot: usize, page: PageId) {
        let group = match kind {
            IoKind::Read => self.tasks.get(self.current).map_or(0, |task| task.group),
            IoKind::Write | IoKind::Flush => self.word(page).group(),
        };
        let request = Request {
            kind,
            offset: slot_at(offset, slot),
            length: PAGE_SIZE,
            sync: kind == IoKind::Read,
            swap: true,
            apart: self.is_apart(),
            group,
            since: self.now,
            payload: Payload::Scattered(vec![page]),
        };
        self.plug.add(device, request, &mut self.queues[device]);
        self.charge_io(group, device, kind, PAGE_SIZE);
    }

    /// Whether writes to swap that the running task makes are throttled apart from those of the flusher (`block/blk-wbt.c: bio_to_wbt_flags`): those of
    /// kswapd are, and since 6.12 those of all.
    fn is_apart(&self) -> bool {
        self.spec.release >= Release::V6_12 || self.is_kswapd(self.current)
    }

    /// The disk to which a page is swapped, when the running task must wait until that takes one more write (`__wbt_wait`). What makes the last
    /// request longer waits for nothing.
    pub(crate) fn awaited_swap(&mut self, page: PageId) -> Option<usize> {
        let (at, slot) = self.slot_of(page);
        let Place::Disk { device, offset } = self.swap.areas[at].place else { return None };
        let largest = self.queues[device].spec.max_request;
        if self.in_zero_map(page) || self.plug.goes_on_at(device, slot_at(offset, slot), largest) {
            return None;
        }
        let apart = self.is_apart();
        let urgency = if apart { Urgency::Awaited } else { self.urgency(device, false) };
        let plugged = self.plug.count(device);
        (!self.queues[device].has_room(self.now, urgency, apart, plugged)).then_some(device)
    }

    /// Brings a page back from swap, with its neighbours (`do_swap_page`, `swapin_readahead`).
    pub(crate) fn swap_in(&mut self, page: PageId, run: &mut Touching) -> Result<(), Stall> {
        run.set_major();
        let (at, slot) = self.slot_of(page);
        let place = self.swap.areas[at].place;
        let zone = self.take_page()?;
        if self.word(page).has(flag::RESIDENT) {
            self.zones[zone].free += 1;
            return Ok(());
        }
        self.events.pgmajfault += 1;
        let group = self.tasks[self.current].group;
        self.groups[group].events.pgmajfault += 1;
        let zeros = self.in_zero_map(page);
        self.events.pswpin += u64::from(!zeros);
        match place {
            Place::Zram { .. } => {
                // `SWP_SYNCHRONOUS_IO`: read at once, and not kept in the swap cache.
                self.spend(self.zram_cost(page));
                self.add_anon(page, zone, 0);
                self.words[page as usize].set(flag::DIRTY);
                self.free_slot(page);
            }
            Place::Disk { device, offset } => {
                let window = self.swap_window(slot);
                self.add_anon(page, zone, if zeros { 0 } else { flag::LOCKED });
                let start = slot & !(window - 1);
                for near in start..(start + window).min(self.swap.areas[at].slots.len()) {
                    let other = self.swap.areas[at].slots[near];
                    if near == slot {
                        if !zeros {
                            self.send_swap(IoKind::Read, device, offset, slot, page);
                        }
                        continue;
                    }
                    if other == NO_PAGE || self.word(other).has(flag::RESIDENT) {
                        continue;
                    }
                    let Some(zone) = self.take_page_for_readahead() else { continue };
                    if self.word(other).has(flag::RESIDENT) || self.swap.areas[at].slots[near] != other {
                        self.zones[zone].free += 1;
                        continue;
                    }
                    self.events.swap_ra += 1;
                    if self.in_zero_map(other) {
                        self.add_anon(other, zone, flag::SWAP_AHEAD);
                        continue;
                    }
                    self.add_anon(other, zone, flag::LOCKED | flag::SWAP_AHEAD);
                    self.events.pswpin += 1;
                    self.send_swap(IoKind::Read, device, offset, near, other);
                }
                if let Some(task) = self.tasks.get_mut(self.current).filter(|_| !zeros) {
                    task.stats.read_bytes += PAGE_SIZE;
                }
                self.send_plug();
            }
        }
        Ok(())
    }

    /// Slots to read around one, which lie beside it on the disk, as the kernel does where that rotates (`swapin_nr_pages`).
    fn swap_window(&mut self, slot: usize) -> usize {
        let most = 1_u64 << self.spec.sysctls.page_cluster;
        if most <= 1 || !self.spec.mechanisms.swap_readahead {
            return 1;
        }
        let swap = &mut self.swap;
        let hits = std::mem::take(&mut swap.hits);
        let slot = slot as u64 + 1;
        let pages = hits + 2;
        let pages = if pages == 2 {
            if slot != swap.previous + 1 && slot + 1 != swap.previous { 1 } else { 2 }
        } else {
            pages.max(4).next_power_of_two()
        };
        let pages = pages.min(most).max(swap.last_window / 2);
        if hits == 0 {
            swap.previous = slot;
        }
        swap.last_window = pages;
        pages as usize
    }

    /// A page that was read ahead from swap is used.
    pub(crate) fn swap_hit(&mut self) {
        self.swap.hits += 1;
        self.events.swap_ra_hit += 1;
    }

    /// Puts a page that comes from swap into memory (`__read_swap_cache_async`), charged to the group that it was swapped out of, whoever reads it
    /// (`mem_cgroup_swapin_charge_folio`).
    fn add_anon(&mut self, page: PageId, zone: usize, flags: u64) {
        let before = self.word(page);
        let (at, slot) = self.slot_of(page);
        let group = self.swap.areas[at].group(slot);
        self.settle(page, zone, group, flag::ANON | flags);
        self.gauges.swapcached += 1;
        self.refault(page, before);
        self.add_to_list(page);
    }

    /// A page of the swap cache is mapped: that does not activate it in the classic lists (`do_swap_page` has no
    /// `mark_page_accessed`).
    pub(crate) fn mark_swap_used(&mut self, page: PageId) {
        // `vm_swap_full`: when more than half of the swap is taken, a used page gives its slot back.
        if self.word(page).has(flag::SWAPPED)
            && !self.word(page).has(flag::WRITEBACK)
            && self.swap.free_slots() * 2 < self.swap.total_slots()
        {
            self.free_slot(page);
            self.words[page as usize].set(flag::DIRTY);
        }
    }

    /// The write of a page to swap has ended.
    pub(crate) fn swap_written(&mut self, page: PageId) {
        if !self.word(page).has(flag::WRITEBACK) {
            return;
        }
        self.swap.writing -= 1;
        self.count_throttled_write(page);
        let reclaim = self.word(page).has(flag::RECLAIM);
        self.words[page as usize].clear(flag::WRITEBACK | flag::RECLAIM);
        if !self.word(page).has(flag::RESIDENT) {
            return;
        }
        if reclaim {
            self.rotate_to_tail(page);
        }
        self.wake_page(page);
    }

    /// Frees a page of anonymous memory that nobody maps any more, and its slot.
    pub(crate) fn free_anon(&mut self, page: PageId) {
        let word = self.word(page);
        if word.has(flag::SWAPPED) {
            self.free_slot(page);
        }
        if word.has(flag::RESIDENT) {
            if word.has(flag::LISTED) {
                self.take_off_list(page);
            }
            if word.has(flag::UNEVICTABLE) {
                self.gauges.unevictable -= 1;
                self.gauges.mlocked -= 1;
            }
            if word.has(flag::WRITEBACK) {
                self.swap.writing -= 1;
                self.words[page as usize].clear(flag::WRITEBACK | flag::RECLAIM);
            }
            self.release_page(page);
        }
        self.words[page as usize] = crate::page::Word::default();
    }

    /// CPU time of writing a page to zram, or of reading it: one of zeros is only looked at or filled (`page_same_filled`).
    fn zram_cost(&self, page: PageId) -> Nanos {
        let zeros = self.mappings[self.owner(page)].zeros;
        if zeros { self.spec.costs.zero_page } else { self.spec.costs.compress_page }
    }

    /// Hundredths of a page of memory that a page takes in zram.
    fn zram_size(&self, page: PageId, percent: u64) -> u64 {
        if self.mappings[self.owner(page)].zeros { 0 } else { percent }
    }

    fn zram_stored(&mut self, percent: u64) {
        self.swap.zram_percent += percent;
        while self.swap.zram_pages * 100 < self.swap.zram_percent {
            let Some(zone) = self.take_for_kernel() else { return };
            self.swap.zram_zones.push(zone);
            self.swap.zram_pages += 1;
        }
    }

    fn zram_freed(&mut self, percent: u64) {
        self.swap.zram_percent -= percent;
        while self.swap.zram_pages > self.swap.zram_percent.div_ceil(100) {
            let Some(zone) = self.swap.zram_zones.pop() else { return };
            self.zones[zone].free += 1;
            self.swap.zram_pages -= 1;
        }
    }

    /// Pages of all swap areas that are in swap and not in memory: the next one (`try_to_unuse`).
    pub(crate) fn next_swapped(&self) -> Option<PageId> {
        self.swap.areas.iter().flat_map(|area| area.slots.iter().copied()).find(|page| *page != NO_PAGE)
    }
}

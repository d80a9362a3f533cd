//! Swap areas and their slots (`mm/swapfile.c`).

use crate::page::{NO_PAGE, PageId};

/// Slots that are handed out together (`SWAPFILE_CLUSTER`).
const CLUSTER: usize = 256;

/// Where a swap area is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// On a device, from this byte on.
    Disk { device: usize, offset: u64 },
    /// In compressed memory: pages of zeros take none, others this many hundredths of a page.
    Zram { percent: u64 },
}

/// A swap area.
#[derive(Debug)]
pub(crate) struct Area {
    pub(crate) place: Place,
    pub(crate) priority: i32,
    /// The page in each slot.
    pub(crate) slots: Vec<PageId>,
    /// The group to which each slot that is taken is charged (`swap_cgroup`).
    groups: Vec<u8>,
    pub(crate) used: u64,
    /// Where the next free slot is looked for.
    next: usize,
    /// Slots taken in each cluster, and clusters of which none is.
    taken: Vec<u16>,
    empty: usize,
    pub(crate) off: bool,
}

impl Area {
    pub(crate) fn new(place: Place, priority: i32, slots: usize) -> Self {
        let clusters = slots.div_ceil(CLUSTER);
        Self {
            place,
            priority,
            slots: vec![NO_PAGE; slots],
            groups: vec![0; slots],
            used: 0,
            next: 0,
            taken: vec![0; clusters],
            empty: clusters,
            off: false,
        }
    }

    /// Takes a slot for a page of a group: the next of the cluster, else the first of an empty cluster, else the next that is free
    /// (`scan_swap_map_try_ssd_cluster`).
    pub(crate) fn take(&mut self, page: PageId, group: usize) -> Option<usize> {
        let size = self.slots.len();
        if self.used as usize >= size {
            return None;
        }
        let slot = if self.next < size && !self.next.is_multiple_of(CLUSTER) && self.slots[self.next] == NO_PAGE {
            self.next
        } else if self.empty > 0 {
            let clusters = self.taken.len();
            let first = self.next.min(size - 1) / CLUSTER;
            let cluster = (0..clusters).map(|step| (first + step) % clusters).find(|at| self.taken[*at] == 0)?;
            cluster * CLUSTER
        } else {
            let from = self.next.min(size);
            (from..size).chain(0..from).find(|slot| self.slots[*slot] == NO_PAGE)?
        };
        self.slots[slot] = page;
        self.groups[slot] = group as u8;
        self.used += 1;
        self.next = slot + 1;
        let taken = &mut self.taken[slot / CLUSTER];
        self.empty -= usize::from(*taken == 0);
        *taken += 1;
        Some(slot)
    }

    /// The group to which a slot that is taken is charged.
    pub(crate) fn group(&self, slot: usize) -> usize {
        usize::from(self.groups[slot])
    }

    pub(crate) fn give_back(&mut self, slot: usize) {
        self.slots[slot] = NO_PAGE;
        self.used -= 1;
        let taken = &mut self.taken[slot / CLUSTER];
        *taken -= 1;
        self.empty += usize::from(*taken == 0);
    }
}

/// All swap.
#[derive(Debug, Default)]
pub(crate) struct Swap {
    pub(crate) areas: Vec<Area>,
    /// Pages on their way to swap.
    pub(crate) writing: u64,
    /// Pages that zram takes, and their zones.
    pub(crate) zram_pages: u64,
    pub(crate) zram_zones: Vec<usize>,
    /// Hundredths of a page that all that is in zram takes.
    pub(crate) zram_percent: u64,
    pub(crate) hits: u64,
    pub(crate) previous: u64,
    pub(crate) last_window: u64,
}

impl Swap {
    /// Slots of all areas that are free.
    pub(crate) fn free_slots(&self) -> u64 {
        self.areas.iter().filter(|area| !area.off).map(|area| area.slots.len() as u64 - area.used).sum()
    }

    /// Slots of all areas.
    pub(crate) fn total_slots(&self) -> u64 {
        self.areas.iter().filter(|area| !area.off).map(|area| area.slots.len() as u64).sum()
    }

    /// Slots that are taken.
    pub(crate) fn used_slots(&self) -> u64 {
        self.areas.iter().map(|area| area.used).sum()
    }
}

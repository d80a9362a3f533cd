//! The reads of one place, replayed through models of smaller caches: what *less* memory would cost.
//!
//! Each model has a part of the file cache that the place has now ([`PARTS`]), and follows it as it grows and shrinks. The one with the
//! whole cache must miss as often as the kernel does; otherwise the others are not used.

use crate::event::Page;
use crate::policy::{Cache, Policy};
use std::collections::{HashMap, HashSet};

/// The models have 1/8, 2/8, … 8/8 of the present cache.
pub const PARTS: usize = 8;
/// The policies that are tried.
pub const POLICIES: [Policy; 2] = [Policy::TwoLists, Policy::Lru];
/// Most sampled pages of a replay; beyond that it halves its sample.
const PAGES_MAX: usize = 1 << 16;
/// Bits of a page's hash that can be required to be 0.
const HALVINGS_MAX: u32 = 16;

/// The memory of a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlaceMemory {
    /// Pages of files on its LRU lists.
    pub file_pages: u64,
    /// All other memory that is charged to it, in pages; of the host: absent.
    pub other_pages: Option<u64>,
}

/// What a replay counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replayed {
    /// The memory at the end.
    pub memory: PlaceMemory,
    /// Pages read (estimated from the sample).
    pub reads: u64,
    /// Of them: pages that the kernel had to read from the device.
    pub misses: u64,
    /// Pages that each model missed: by policy, then by its part of the memory.
    pub modelled: [[u64; PARTS]; POLICIES.len()],
}

impl Replayed {
    /// What was counted after `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut later = *self;
        later.reads = self.reads.saturating_sub(earlier.reads);
        later.misses = self.misses.saturating_sub(earlier.misses);
        for (later, earlier) in later.modelled.iter_mut().flatten().zip(earlier.modelled.iter().flatten()) {
            *later = later.saturating_sub(*earlier);
        }
        later
    }
}

/// The models of one place.
#[derive(Debug)]
pub(crate) struct Replay {
    scale: u64,
    /// So many bits of a page's hash are 0.
    halvings: u32,
    numbers: HashMap<Page, u32>,
    caches: [[Cache; PARTS]; POLICIES.len()],
    replayed: Replayed,
}

impl Replay {
    /// A replay of a sample of one page in `scale`.
    pub(crate) fn new(scale: u64) -> Self {
        Self { scale, halvings: 0, numbers: HashMap::new(), caches: caches(), replayed: Replayed::default() }
    }

    pub(crate) fn set_memory(&mut self, memory: PlaceMemory) {
        self.replayed.memory = memory;
    }

    /// A sampled page is read; `missed` when the kernel read it from the device for that.
    pub(crate) fn read(&mut self, page: Page, missed: bool) {
        let file_pages = self.replayed.memory.file_pages;
        if file_pages == 0 || hash(page).trailing_zeros() < self.halvings {
            return;
        }
        let known = self.numbers.len();
        if known >= PAGES_MAX && self.halvings < HALVINGS_MAX && !self.numbers.contains_key(&page) {
            self.halvings += 1;
            self.numbers.clear();
            self.caches = caches();
            return;
        }
        let scale = self.scale << self.halvings;
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(page).or_insert(next);
        let (all, inactive_ratio) = (file_pages / scale, inactive_ratio(file_pages));
        self.replayed.reads += scale;
        self.replayed.misses += if missed { scale } else { 0 };
        for (caches, misses) in self.caches.iter_mut().zip(&mut self.replayed.modelled) {
            for (part, (cache, misses)) in (1..).zip(caches.iter_mut().zip(misses)) {
                let capacity = u32::try_from(all * part / PARTS as u64).unwrap_or(u32::MAX);
                *misses += if cache.read(number, capacity, inactive_ratio) { 0 } else { scale };
            }
        }
    }

    /// A sampled page left the cache outside of reclaim.
    pub(crate) fn removed(&mut self, page: Page) {
        if let Some(number) = self.numbers.get(&page) {
            self.caches.iter_mut().flatten().for_each(|cache| cache.drop_page(*number));
        }
    }

    /// Reads were not seen for a while.
    pub(crate) fn forget(&mut self) {
        self.numbers.clear();
        self.caches = caches();
    }

    pub(crate) const fn replayed(&self) -> &Replayed {
        &self.replayed
    }
}

fn caches() -> [[Cache; PARTS]; POLICIES.len()] {
    POLICIES.map(|policy| std::array::from_fn(|_| Cache::new(policy)))
}

/// How many times as long as the inactive list the active one may be (`mm/vmscan.c:inactive_is_low`).
fn inactive_ratio(file_pages: u64) -> u32 {
    let gib = file_pages / ((1 << 30) / rustix::param::page_size() as u64);
    u32::try_from((10 * gib).isqrt().max(1)).unwrap_or(u32::MAX)
}

/// Even bits of a page, other than those that chose the sample.
const fn hash(page: Page) -> u64 {
    let mixed = (page.file.ino ^ page.index.rotate_left(32)).wrapping_mul(crate::sampling::MIX[0]);
    (mixed ^ mixed >> 29).wrapping_mul(crate::sampling::MIX[1]) >> 20
}

/// Sampled pages that entered the cache and were not read yet: their first read is a miss.
#[derive(Debug, Default)]
pub(crate) struct Fresh(HashSet<Page>);

impl Fresh {
    /// Pages at most.
    const MAX: usize = 1 << 18;

    pub(crate) fn added(&mut self, page: Page) {
        if self.0.len() >= Self::MAX {
            self.0.clear();
        }
        self.0.insert(page);
    }

    /// Whether this is the first read since the page entered.
    pub(crate) fn read(&mut self, page: Page) -> bool {
        self.0.remove(&page)
    }

    pub(crate) fn deleted(&mut self, page: Page) {
        self.0.remove(&page);
    }

    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::File;

    fn page(index: u64) -> Page {
        Page { file: File { dev: 1, ino: 2 }, index }
    }

    #[test]
    fn smaller_caches_miss_more_of_a_loop() {
        let mut replay = Replay::new(64);
        replay.set_memory(PlaceMemory { file_pages: 64 * 800, other_pages: None });
        for round in 0..10 {
            (0..500).for_each(|index| replay.read(page(index), round == 0));
        }
        let [_, lru] = replay.replayed().modelled;
        assert_eq!(replay.replayed().reads, 64 * 5000);
        assert_eq!((lru[7], lru[5]), (64 * 500, 64 * 500), "500 of 600 or more fit");
        assert_eq!(lru[3], 64 * 5000, "a loop that is larger than an LRU cache always misses");
        assert_eq!(replay.replayed().since(replay.replayed()).reads, 0);
    }

    #[test]
    fn too_many_pages_halve_the_sample() {
        let mut replay = Replay::new(1);
        replay.set_memory(PlaceMemory { file_pages: 1 << 20, other_pages: None });
        (0..1 << 18).for_each(|index| replay.read(page(index), true));
        assert!(replay.numbers.len() <= PAGES_MAX && replay.halvings >= 1, "{}", replay.halvings);
        let reads = replay.replayed().reads as f64 / f64::from(1 << 18);
        assert!((0.8..1.2).contains(&reads), "{reads}: each page that is looked at stands for more");
    }

    #[test]
    fn the_active_list_may_be_longer_in_large_caches() {
        let pages = |gib: u64| (gib << 30) / rustix::param::page_size() as u64;
        assert_eq!([0, 1, 10, 100, 1000].map(|gib| inactive_ratio(pages(gib))), [1, 3, 10, 31, 100]);
    }
}

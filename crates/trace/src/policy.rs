//! Models of the kernel's page cache, scaled down to the sample: which reads would hit in a cache of another size.
//!
//! [`Policy::TwoLists`] follows `mm/workingset.c` and `mm/vmscan.c`: a page enters the inactive list, a second read activates it, and a
//! page that comes back soon enough after its eviction enters the active list. [`Policy::Lru`] evicts what was read longest ago.

/// Which page is evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// The one that was read longest ago.
    Lru,
    /// The kernel's two lists without `CONFIG_LRU_GEN`.
    TwoLists,
}

/// No page.
const NONE: u32 = u32::MAX;

/// One list, from its head (the newest) to its tail.
#[derive(Debug, Clone, Copy)]
struct List {
    head: u32,
    tail: u32,
    length: u32,
}

impl Default for List {
    fn default() -> Self {
        Self { head: NONE, tail: NONE, length: 0 }
    }
}

/// A page by its number in the model.
#[derive(Debug, Clone, Copy)]
struct Node {
    newer: u32,
    older: u32,
    place: Place,
    referenced: bool,
    /// The age of the model at the last eviction of this page, and 1; 0 when it was never evicted.
    evicted: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Absent,
    Inactive,
    Active,
}

/// A cache of some size.
#[derive(Debug)]
pub(crate) struct Cache {
    policy: Policy,
    nodes: Vec<Node>,
    inactive: List,
    active: List,
    /// Evictions and activations so far (`nonresident_age`).
    age: u64,
    /// Whether a page came back to the active list since the last eviction.
    refaulted: bool,
    /// Active pages that are still to be deactivated for such a page.
    due: f64,
}

impl Cache {
    pub(crate) const fn new(policy: Policy) -> Self {
        let empty = List { head: NONE, tail: NONE, length: 0 };
        Self { policy, nodes: Vec::new(), inactive: empty, active: empty, age: 0, refaulted: false, due: 0.0 }
    }

    /// Pages in it.
    fn length(&self) -> u32 {
        self.inactive.length + self.active.length
    }

    /// A page is read, while the cache holds `capacity` pages; `inactive_ratio` is how many times as long as the inactive list the active
    /// one may be. Gives whether it was there.
    pub(crate) fn read(&mut self, page: u32, capacity: u32, inactive_ratio: u32) -> bool {
        let absent = Node { newer: NONE, older: NONE, place: Place::Absent, referenced: false, evicted: 0 };
        if self.nodes.len() <= page as usize {
            self.nodes.resize(page as usize + 1, absent);
        }
        let node = self.nodes[page as usize];
        let hit = node.place != Place::Absent;
        match (self.policy, node.place) {
            (Policy::Lru, _) => {
                self.remove(page);
                self.push(page, Place::Inactive);
            }
            (Policy::TwoLists, Place::Active) => self.nodes[page as usize].referenced = true,
            (Policy::TwoLists, Place::Inactive) if node.referenced => {
                self.remove(page);
                self.push(page, Place::Active);
                self.nodes[page as usize].referenced = false;
                self.age += 1;
            }
            (Policy::TwoLists, Place::Inactive) => self.nodes[page as usize].referenced = true,
            (Policy::TwoLists, Place::Absent) => {
                let again = node.evicted > 0 && self.age + 1 - node.evicted <= u64::from(self.active.length);
                self.push(page, if again { Place::Active } else { Place::Inactive });
                self.nodes[page as usize].referenced = true;
                if again {
                    self.refaulted = true;
                    self.age += 1;
                }
            }
        }
        while self.length() > capacity.max(1) {
            self.evict(inactive_ratio);
        }
        hit
    }

    /// A page left the real cache outside of reclaim: truncated or dropped.
    pub(crate) fn drop_page(&mut self, page: u32) {
        if (page as usize) < self.nodes.len() {
            self.remove(page);
            self.nodes[page as usize].evicted = 0;
        }
    }

    fn evict(&mut self, inactive_ratio: u32) {
        if self.refaulted {
            // Both lists are scanned in proportion to their lengths (`prepare_scan_control`, DEACTIVATE_FILE).
            self.refaulted = false;
            self.due += f64::from(self.active.length) / f64::from(self.inactive.length.max(1));
        }
        while self.active.length > 0
            && (self.due >= 1.0 || self.inactive.length.saturating_mul(inactive_ratio) < self.active.length)
        {
            self.due = (self.due - 1.0).max(0.0);
            let page = self.active.tail;
            self.remove(page);
            self.push(page, Place::Inactive);
        }
        let page = if self.inactive.length > 0 { self.inactive.tail } else { self.active.tail };
        self.remove(page);
        self.age += 1;
        self.nodes[page as usize].evicted = self.age + 1;
    }

    fn list(&mut self, place: Place) -> &mut List {
        if place == Place::Active { &mut self.active } else { &mut self.inactive }
    }

    fn remove(&mut self, page: u32) {
        let Node { newer, older, place, .. } = self.nodes[page as usize];
        if place == Place::Absent {
            return;
        }
        match newer {
            NONE => self.list(place).head = older,
            newer => self.nodes[newer as usize].older = older,
        }
        match older {
            NONE => self.list(place).tail = newer,
            older => self.nodes[older as usize].newer = newer,
        }
        self.list(place).length -= 1;
        self.nodes[page as usize].place = Place::Absent;
    }

    /// Puts an absent page at the head of a list.
    fn push(&mut self, page: u32, place: Place) {
        let list = self.list(place);
        let older = std::mem::replace(&mut list.head, page);
        list.length += 1;
        if older == NONE {
            list.tail = page;
        } else {
            self.nodes[older as usize].newer = page;
        }
        let node = &mut self.nodes[page as usize];
        (node.newer, node.older, node.place) = (NONE, older, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lru_is_that_of_a_plain_row(reads in proptest::collection::vec(0u32..40, 0..400), capacity in 1u32..30) {
            let (mut cache, mut plain) = (Cache::new(Policy::Lru), Vec::<u32>::new());
            for page in reads {
                let at = plain.iter().position(|known| *known == page);
                prop_assert_eq!(cache.read(page, capacity, 1), at.is_some());
                at.map(|at| plain.remove(at));
                plain.push(page);
                if plain.len() > capacity as usize {
                    plain.remove(0);
                }
            }
        }

        #[test]
        fn the_lists_hold_what_they_count(reads in proptest::collection::vec((0u32..60, 1u32..30, any::<bool>()), 0..600), ratio in 1u32..5) {
            let mut cache = Cache::new(Policy::TwoLists);
            for (page, capacity, dropped) in reads {
                if dropped { cache.drop_page(page) } else { let _ = cache.read(page, capacity, ratio); }
                for (list, place) in [(cache.inactive, Place::Inactive), (cache.active, Place::Active)] {
                    let (mut at, mut count) = (list.head, 0);
                    while at != NONE {
                        prop_assert_eq!(cache.nodes[at as usize].place, place);
                        (at, count) = (cache.nodes[at as usize].older, count + 1);
                    }
                    prop_assert_eq!(count, list.length);
                }
                prop_assert!(dropped || cache.length() <= capacity);
            }
        }
    }

    #[test]
    fn a_stream_does_not_evict_what_was_read_twice() {
        let mut cache = Cache::new(Policy::TwoLists);
        for page in [0, 1, 2, 0, 1, 2] {
            cache.read(page, 10, 1);
        }
        (100..400).for_each(|page| assert!(!cache.read(page, 10, 1)));
        assert!((0..3).all(|page| cache.read(page, 10, 1)), "two lists keep the hot pages");
        let mut lru = Cache::new(Policy::Lru);
        for page in [0, 1, 2, 0, 1, 2] {
            lru.read(page, 10, 1);
        }
        (100..400).for_each(|page| assert!(!lru.read(page, 10, 1)));
        assert!(!lru.read(0, 10, 1), "LRU does not");
    }
}

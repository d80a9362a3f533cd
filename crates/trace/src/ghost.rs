//! Ghosts: pages that were evicted and are still absent, in the order of their eviction.
//!
//! The **ghost rank** of a page that is read again is the number of absent pages that were evicted after it. A cache with that much
//! more memory would still have held it: reclaim takes the coldest first, so what was evicted later would have stayed as well.

use crate::event::Page;
use crate::fenwick::Fenwick;
use std::collections::HashMap;

/// Slots at first; the row doubles up to [`SLOTS_MAX`].
const SLOTS: usize = 1 << 10;
/// Slots at most: with 1/64 sampling as many ghosts stand for 256 GiB.
const SLOTS_MAX: usize = 1 << 20;

/// The ghosts of one reclaim domain.
#[derive(Debug)]
pub(crate) struct Ghosts {
    /// Where each ghost stands.
    slots: HashMap<Page, usize>,
    /// Which ghost stands there.
    row: Vec<Option<Page>>,
    taken: Fenwick,
}

impl Default for Ghosts {
    fn default() -> Self {
        Self { slots: HashMap::new(), row: Vec::new(), taken: Fenwick::new(SLOTS) }
    }
}

impl Ghosts {
    /// A page is evicted. Gives back the ghosts that are forgotten, when there are too many.
    pub(crate) fn evict(&mut self, page: Page) -> Vec<Page> {
        self.remove(page);
        let mut forgotten = Vec::new();
        if self.row.len() == self.taken.slots() {
            forgotten = self.compact();
        }
        let slot = self.row.len();
        self.row.push(Some(page));
        self.slots.insert(page, slot);
        self.taken.take(slot);
        forgotten
    }

    /// A page is read in: returns its rank if it was a ghost, and removes it.
    pub(crate) fn remove(&mut self, page: Page) -> Option<u32> {
        let slot = self.slots.remove(&page)?;
        let rank = self.taken.after(slot);
        self.taken.free(slot);
        self.row[slot] = None;
        Some(rank)
    }

    /// Ghosts now.
    pub(crate) const fn count(&self) -> u32 {
        self.taken.total()
    }

    /// Moves the ghosts together; the oldest quarter goes when the row is as long as it may be.
    fn compact(&mut self) -> Vec<Page> {
        let mut live: Vec<Page> = self.row.iter().copied().flatten().collect();
        let too_many = if live.len() > SLOTS_MAX / 2 { live.len() / 4 } else { 0 };
        let forgotten = live.drain(..too_many).collect();
        self.slots = live.iter().enumerate().map(|(slot, page)| (*page, slot)).collect();
        let slots = SLOTS.max(2 * live.len()).min(SLOTS_MAX);
        self.taken = Fenwick::new(slots);
        (0..live.len()).for_each(|slot| self.taken.take(slot));
        self.row = live.into_iter().map(Some).collect();
        forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::File;
    use proptest::prelude::*;

    fn page(index: u64) -> Page {
        Page { file: File { dev: 1, ino: 1 }, index }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// The model keeps the ghosts in a list and counts those behind.
        #[test]
        fn ranks_are_those_of_a_plain_list(steps in proptest::collection::vec((any::<bool>(), 0u64..600), 0..4000)) {
            let (mut ghosts, mut list) = (Ghosts::default(), Vec::<u64>::new());
            for (evicted, index) in steps {
                let at = list.iter().position(|known| *known == index);
                let rank = at.map(|at| u32::try_from(list.len() - 1 - at).unwrap());
                if evicted {
                    at.map(|at| list.remove(at));
                    list.push(index);
                    ghosts.evict(page(index));
                } else {
                    at.map(|at| list.remove(at));
                    prop_assert_eq!(ghosts.remove(page(index)), rank);
                }
                prop_assert_eq!(ghosts.count() as usize, list.len());
            }
        }
    }

    #[test]
    fn the_row_is_bounded_and_drops_the_oldest() {
        let mut ghosts = Ghosts::default();
        let pages = 2 * SLOTS_MAX as u64;
        (0..pages).for_each(|index| drop(ghosts.evict(page(index))));
        assert!(ghosts.row.len() <= SLOTS_MAX);
        assert_eq!(ghosts.remove(page(0)), None);
        assert_eq!(ghosts.remove(page(pages - 1)), Some(0));
    }
}

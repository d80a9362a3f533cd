//! The lists of one control group on one node (`struct lruvec`).

use crate::memory::generations::Generations;
use crate::memory::kind::Kind;
use crate::memory::ring::Ring;
use crate::page::{PageId, Word, flag};

/// A list: inactive and active of each kind, in the kernel's order.
#[inline]
pub(crate) const fn list(kind: Kind, active: bool) -> usize {
    kind as usize * 2 + active as usize
}

/// Lists and what reclaim remembers of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct LruVec {
    pub(crate) lists: [Ring; 4],
    /// Cost of reclaiming each kind, decaying (`anon_cost`, `file_cost`).
    pub(crate) cost: [u64; 2],
    /// Evictions and activations since boot (`nonresident_age`).
    pub(crate) age: u64,
    /// Refaults that were activated (`WORKINGSET_ACTIVATE_x`).
    pub(crate) activations: [u64; 2],
    /// The same when reclaim last ended (`refaults`).
    pub(crate) activations_before: [u64; 2],
    /// Its dirty pages cycle through the lists faster than they are written (`LRUVEC_CONGESTED`).
    pub(crate) congested: bool,
    /// The lists of MGLRU.
    pub(crate) generations: Generations,
}

impl LruVec {
    /// Pages of a list.
    #[inline]
    pub(crate) fn size(&self, kind: Kind, active: bool) -> u64 {
        self.lists[list(kind, active)].len()
    }

    /// Pages of both lists of a kind.
    pub(crate) fn of_kind(&self, kind: Kind) -> u64 {
        self.size(kind, false) + self.size(kind, true)
    }

    /// Pages of all lists.
    pub(crate) fn total(&self) -> u64 {
        self.lists.iter().map(Ring::len).sum::<u64>() + self.generations.total()
    }

    #[inline]
    pub(crate) fn add(&mut self, page: PageId, words: &mut [Word]) {
        let word = words[page as usize];
        words[page as usize].set(flag::LISTED);
        self.lists[list(Kind::of(word), word.has(flag::ACTIVE))].push_head(page, words);
    }

    pub(crate) fn add_oldest(&mut self, page: PageId, words: &mut [Word]) {
        let word = words[page as usize];
        words[page as usize].set(flag::LISTED);
        self.lists[list(Kind::of(word), word.has(flag::ACTIVE))].push_tail(page, words);
    }

    #[inline]
    pub(crate) fn remove(&mut self, page: PageId, words: &mut [Word]) {
        let word = words[page as usize];
        self.lists[list(Kind::of(word), word.has(flag::ACTIVE))].remove(page, words);
        words[page as usize].clear(flag::LISTED);
    }
}

/// Whether the inactive list is too short beside the active one (`inactive_is_low`).
pub(crate) fn inactive_is_low(inactive: u64, active: u64) -> bool {
    let gigabytes = (inactive + active) >> 18;
    let ratio = if gigabytes == 0 { 1 } else { (10 * gigabytes).isqrt() };
    inactive * ratio < active
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inactive_share_falls_with_memory() {
        assert!(!inactive_is_low(100, 100));
        assert!(inactive_is_low(100, 101));
        // 100 GiB of file cache: 31:1.
        let gib = |n: u64| n << 18;
        assert!(!inactive_is_low(gib(4), gib(96)));
        assert!(inactive_is_low(gib(3), gib(97)));
    }
}

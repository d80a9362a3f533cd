//! The lists of MGLRU: generations of pages and what the controller of tiers remembers (`struct lru_gen_folio`).

use crate::memory::kind::Kind;
use crate::memory::ring::Ring;
use crate::memory::zone::{ZONE_KINDS, ZoneKind};
use crate::page::PageId;

/// Generations that there are at least (`MIN_NR_GENS`).
pub(crate) const MIN_GENERATIONS: u64 = 2;
/// Generations that there are at most (`MAX_NR_GENS`).
pub(crate) const MAX_GENERATIONS: u64 = 4;
/// Tiers of a generation (`MAX_NR_TIERS`).
pub(crate) const TIERS: usize = 4;
/// Pages that are evicted together (`MIN_LRU_BATCH`).
pub(crate) const MIN_BATCH: u64 = 64;
/// Pages that are looked at before the lock is given back (`MAX_LRU_BATCH`).
pub(crate) const MAX_BATCH: u64 = 64 * 64;

/// Refaults and evictions of the pages of a kind, by tier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tiers {
    pub(crate) average_refaulted: [u64; TIERS],
    pub(crate) average_total: [u64; TIERS],
    pub(crate) refaulted: [u64; TIERS],
    pub(crate) evicted: [u64; TIERS],
    pub(crate) protected: [u64; TIERS],
}

/// What one side of the controller reads (`struct ctrl_pos`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    refaulted: u64,
    total: u64,
    gain: u64,
}

impl Position {
    /// Whether the other side refaults no more than this one (`positive_ctrl_err`).
    pub(crate) const fn tolerates(&self, other: &Self) -> bool {
        other.refaulted < MIN_BATCH
            || other.refaulted as u128 * (self.total + MIN_BATCH) as u128 * self.gain as u128
                <= (self.refaulted + 1) as u128 * other.total as u128 * other.gain as u128
    }
}

impl Tiers {
    /// `read_ctrl_pos`.
    pub(crate) const fn position(&self, tier: usize, gain: u64) -> Position {
        Position {
            refaulted: self.average_refaulted[tier] + self.refaulted[tier],
            total: self.average_total[tier] + self.evicted[tier] + self.protected[tier],
            gain,
        }
    }

    /// A generation is gone: its counts go into the averages (`reset_ctrl_pos`).
    pub(crate) fn carry_over(&mut self) {
        for tier in 0..TIERS {
            self.average_refaulted[tier] = (self.average_refaulted[tier] + self.refaulted[tier]) / 2;
            self.average_total[tier] = (self.average_total[tier] + self.evicted[tier] + self.protected[tier]) / 2;
            self.refaulted[tier] = 0;
            self.evicted[tier] = 0;
            self.protected[tier] = 0;
        }
    }

    /// The highest tier that is evicted (`get_tier_idx`).
    pub(crate) fn evicted_tier(&self, gains: [u64; 2]) -> usize {
        let first = self.position(0, gains[0]);
        (1..TIERS).find(|tier| !first.tolerates(&self.position(*tier, gains[1]))).unwrap_or(TIERS) - 1
    }
}

/// Pages by generation and kind.
#[derive(Debug, Clone)]
pub(crate) struct Generations {
    /// The youngest generation, and the oldest of each kind. Numbers only grow.
    pub(crate) youngest: u64,
    pub(crate) oldest: [u64; 2],
    /// Lists by generation, kind of page and kind of zone.
    pub(crate) rings: [[[Ring; ZONE_KINDS]; 2]; MAX_GENERATIONS as usize],
    pub(crate) tiers: [Tiers; 2],
    /// Whether the filter of page tables of even and odd generations is there; without one all tables are walked.
    pub(crate) filtered: [bool; 2],
    /// Tasks that there were at the last walk: page tables of newer ones are walked whatever the filter says (`mm_state->tail`).
    pub(crate) walked: usize,
    /// When its group is reclaimed next, of 6.12's order of groups (`lrugen->gen`).
    pub(crate) turn: u64,
}

impl Default for Generations {
    fn default() -> Self {
        Self {
            youngest: MIN_GENERATIONS + 1,
            oldest: [0; 2],
            rings: Default::default(),
            tiers: [Tiers::default(); 2],
            filtered: [false; 2],
            walked: 0,
            turn: 0,
        }
    }
}

impl Generations {
    /// Where a generation's lists are.
    pub(crate) const fn slot(generation: u64) -> usize {
        (generation % MAX_GENERATIONS) as usize
    }

    /// Generations of a kind.
    pub(crate) const fn count(&self, kind: Kind) -> u64 {
        self.youngest - self.oldest[kind as usize] + 1
    }

    /// Pages of a generation of a kind.
    pub(crate) fn size(&self, generation: u64, kind: Kind) -> u64 {
        self.rings[Self::slot(generation)][kind as usize].iter().map(Ring::len).sum()
    }

    /// The oldest page of a generation of a kind, off its list. Lists of higher zones come first: pages of a low zone stay until those of
    /// the zones above it are gone (`scan_folios`).
    pub(crate) fn pop_oldest(&mut self, generation: u64, kind: Kind) -> Option<PageId> {
        self.rings[Self::slot(generation)][kind as usize].iter_mut().rev().find_map(Ring::pop_tail)
    }

    /// The list of a page of a kind of zone.
    pub(crate) fn ring(&mut self, slot: usize, kind: Kind, zone: ZoneKind) -> &mut Ring {
        &mut self.rings[slot][kind as usize][zone as usize]
    }

    /// Pages on all lists.
    pub(crate) fn total(&self) -> u64 {
        self.rings.iter().flatten().flatten().map(Ring::len).sum()
    }

    /// Pages of a kind that count as active: those of the two youngest generations (`lru_gen_is_active`).
    pub(crate) fn listed(&self, kind: Kind, active: bool) -> u64 {
        let young = self.size(self.youngest, kind) + self.size(self.youngest - 1, kind);
        let all = || self.rings.iter().flat_map(|rings| &rings[kind as usize]).map(Ring::len).sum::<u64>();
        if active { young } else { all() - young }
    }
}

/// Uses beyond the first as a tier (`lru_tier_from_refs`).
pub(crate) const fn tier_of(uses: u64) -> usize {
    match uses {
        0 => 0,
        1 => 1,
        2 | 3 => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Word;

    #[test]
    fn pages_of_a_low_zone_stay_until_those_above_are_gone() {
        let mut words = vec![Word::default(); 4];
        let mut lru = Generations::default();
        for (page, zone) in [ZoneKind::Dma, ZoneKind::Dma32, ZoneKind::Dma32, ZoneKind::Normal].into_iter().enumerate()
        {
            lru.ring(0, Kind::File, zone).push_head(page as PageId, &mut words);
        }
        assert_eq!((lru.total(), lru.size(0, Kind::File), lru.size(0, Kind::Anon)), (4, 4, 0));
        let order: Vec<PageId> = std::iter::from_fn(|| lru.pop_oldest(0, Kind::File)).collect();
        assert_eq!(order, [3, 1, 2, 0]);
    }

    #[test]
    fn a_tier_is_protected_when_it_refaults_more_than_the_first() {
        let mut tiers = Tiers { evicted: [1000, 1000, 0, 0], refaulted: [100, 100, 0, 0], ..Tiers::default() };
        assert_eq!(tiers.evicted_tier([1, 2]), 3, "as many refaults at twice the gain are tolerated");
        tiers.refaulted = [100, 300, 0, 0];
        assert_eq!(tiers.evicted_tier([1, 2]), 0);
        tiers.refaulted = [0, 63, 0, 0];
        assert_eq!(tiers.evicted_tier([1, 2]), 3, "too few to tell");
    }
}

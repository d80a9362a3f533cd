//! The word that the model keeps for each page of each file and each anonymous area, in memory or not.
//!
//! Low half: where the page stands in its list, or the age of the lists when it was evicted. High half: flags, zone, group.

/// The number of a logical page: of a page of a file or of anonymous memory, whether it is in memory or not.
pub(crate) type PageId = u32;

/// No page.
pub(crate) const NO_PAGE: PageId = u32::MAX;

/// What the model knows of one page, in 8 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Word(u64);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)+) => {
        /// The flags of a page.
        pub(crate) mod flag {
            $($(#[$doc])* pub(crate) const $name: u64 = 1 << $bit;)+
        }
    };
}

flags! {
    /// It is in memory.
    RESIDENT = 32;
    /// On an active list (`PG_active`).
    ACTIVE = 33;
    /// Used once (`PG_referenced`).
    REFERENCED = 34;
    /// Was active before (`PG_workingset`); of an evicted page: it had the mark.
    WORKINGSET = 35;
    /// Waits to be written (`PG_dirty`).
    DIRTY = 36;
    /// Is being written (`PG_writeback`).
    WRITEBACK = 37;
    /// To be freed when the write has ended (`PG_reclaim`).
    RECLAIM = 38;
    /// A read of it starts the next readahead (`PG_readahead`).
    READAHEAD = 39;
    /// Is being read (`PG_locked`, not `PG_uptodate`).
    LOCKED = 40;
    /// Some area may map it.
    MAPPED = 41;
    /// Anonymous or shared memory: on the anonymous lists (`PG_swapbacked`).
    ANON = 42;
    /// Has a slot in swap.
    SWAPPED = 43;
    /// On a list of reclaim.
    LISTED = 44;
    /// Evicted, and the index remembers when.
    SHADOW = 45;
    /// Cannot be reclaimed (`PG_unevictable`).
    UNEVICTABLE = 46;
    /// Of anonymous memory: came by readahead from swap and was not used yet.
    SWAP_AHEAD = 47;
    /// Of a file: was written, and has a buffer head (`PG_private`).
    BUFFER_HEAD = 47;
}

const ZONE_SHIFT: u32 = 48;
const ZONE_BITS: u64 = 0xf;
const GROUP_SHIFT: u32 = 52;
const GROUP_BITS: u64 = 0xff;
const USES_SHIFT: u32 = 60;
const GENERATION_SHIFT: u32 = 62;
const TWO_BITS: u64 = 0x3;
const PLACE: u64 = 0xffff_ffff;

/// Zones that a machine has at most.
pub(crate) const MAX_ZONES: usize = ZONE_BITS as usize + 1;
/// Control groups that a machine has at most.
pub(crate) const MAX_GROUPS: usize = GROUP_BITS as usize + 1;

impl Word {
    /// Whether one of the flags is set.
    #[inline]
    pub(crate) const fn has(self, flags: u64) -> bool {
        self.0 & flags != 0
    }

    #[inline]
    pub(crate) const fn set(&mut self, flags: u64) {
        self.0 |= flags;
    }

    #[inline]
    pub(crate) const fn clear(&mut self, flags: u64) {
        self.0 &= !flags;
    }

    /// Where it stands in its list, or the age at its eviction.
    #[inline]
    pub(crate) const fn place(self) -> u32 {
        (self.0 & PLACE) as u32
    }

    #[inline]
    pub(crate) const fn set_place(&mut self, place: u32) {
        self.0 = (self.0 & !PLACE) | place as u64;
    }

    #[inline]
    pub(crate) const fn zone(self) -> usize {
        ((self.0 >> ZONE_SHIFT) & ZONE_BITS) as usize
    }

    #[inline]
    pub(crate) const fn set_zone(&mut self, zone: usize) {
        self.0 = (self.0 & !(ZONE_BITS << ZONE_SHIFT)) | ((zone as u64 & ZONE_BITS) << ZONE_SHIFT);
    }

    #[inline]
    pub(crate) const fn group(self) -> usize {
        ((self.0 >> GROUP_SHIFT) & GROUP_BITS) as usize
    }

    #[inline]
    pub(crate) const fn set_group(&mut self, group: usize) {
        self.0 = (self.0 & !(GROUP_BITS << GROUP_SHIFT)) | ((group as u64 & GROUP_BITS) << GROUP_SHIFT);
    }

    /// Uses that MGLRU counts (`LRU_REFS_MASK`), up to 3.
    #[inline]
    pub(crate) const fn refs(self) -> u64 {
        (self.0 >> USES_SHIFT) & TWO_BITS
    }

    pub(crate) const fn set_refs(&mut self, refs: u64) {
        self.0 = (self.0 & !(TWO_BITS << USES_SHIFT)) | ((refs & TWO_BITS) << USES_SHIFT);
    }

    /// The lists of the generation that it is on, of MGLRU's four.
    #[inline]
    pub(crate) const fn generation(self) -> usize {
        ((self.0 >> GENERATION_SHIFT) & TWO_BITS) as usize
    }

    pub(crate) const fn set_generation(&mut self, slot: usize) {
        self.0 = (self.0 & !(TWO_BITS << GENERATION_SHIFT)) | ((slot as u64 & TWO_BITS) << GENERATION_SHIFT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_word_do_not_touch_each_other() {
        let mut word = Word::default();
        word.set(flag::RESIDENT | flag::SWAP_AHEAD);
        word.set_place(u32::MAX);
        word.set_zone(MAX_ZONES - 1);
        word.set_group(MAX_GROUPS - 1);
        word.set_generation(3);
        word.set_refs(2);
        word.clear(flag::RESIDENT);
        assert!(word.has(flag::SWAP_AHEAD) && !word.has(flag::RESIDENT));
        assert_eq!((word.place(), word.zone(), word.group()), (u32::MAX, 15, 255));
        word.set_group(0);
        assert_eq!((word.zone(), word.generation(), word.refs()), (15, 3, 2));
    }
}

//! Which pages are looked at: one of each group of `2^shift` neighbours in a file.
//!
//! A page belongs to the sample or does not, for good: all that happens to a sampled page is seen, so that its stay in the cache,
//! its eviction and its next read can be joined. (Sampling events instead of pages could not tell a refault from a first read.)

use crate::event::{Frames, Range};

/// Frames are sampled by number: one in 64. A block of a buddy allocator that contains a sampled frame begins with one.
const FRAME_STEP: u64 = 64;

/// The largest shift: one page of 65 536.
const MAX_SHIFT: u32 = 16;

/// Which page of each group is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// By a hash of inode and group: any pattern of access and any size of file is met fairly.
    Hash,
    /// The same place in every group: all that a tracefs filter can express.
    Place(u64),
}

/// The sample of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    shift: u32,
    choice: Choice,
}

/// Odd constants with well-spread bits (`rrmxmx`, `splitmix64`).
pub(crate) const MIX: [u64; 3] = [0x9fb2_1c65_1e98_df25, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

impl Sampling {
    /// One page of `2^shift`, chosen by a hash; the shift is at most 16.
    pub fn by_hash(shift: u32) -> Self {
        Self { shift: shift.min(MAX_SHIFT), choice: Choice::Hash }
    }

    /// One page of `2^shift`, at the same `place` in every group.
    pub fn by_place(shift: u32, place: u64) -> Self {
        let shift = shift.min(MAX_SHIFT);
        Self { shift, choice: Choice::Place(place & ((1 << shift) - 1)) }
    }

    /// How many pages one sampled page stands for.
    pub const fn scale(self) -> u64 {
        1 << self.shift
    }

    /// Binary logarithm of [`Self::scale`].
    pub const fn shift(self) -> u32 {
        self.shift
    }

    /// The place in each group, when it is the same for all.
    pub(crate) const fn place(self) -> Option<u64> {
        match self.choice {
            Choice::Hash => None,
            Choice::Place(place) => Some(place),
        }
    }

    /// The chosen page of a group of a file, as a page number in the file.
    fn chosen(self, ino: u64, group: u64) -> u64 {
        let place = match self.choice {
            Choice::Place(place) => place,
            Choice::Hash if self.shift == 0 => 0,
            Choice::Hash => mix(ino, group) >> (64 - self.shift),
        };
        group << self.shift | place
    }

    /// The sampled pages of a range.
    pub fn pages(self, range: &Range) -> impl Iterator<Item = u64> {
        let (first, last, ino) = (range.first, range.last, range.file.ino);
        (first >> self.shift..=last >> self.shift)
            .map(move |group| self.chosen(ino, group))
            .filter(move |page| (first..=last).contains(page))
    }
}

/// Mixes inode and group to 64 even bits. `program.rs` has the same in BPF.
fn mix(ino: u64, group: u64) -> u64 {
    let mut hash = ino.wrapping_mul(MIX[0]);
    hash ^= hash >> 32;
    hash = hash.wrapping_add(group).wrapping_mul(MIX[1]);
    hash ^= hash >> 29;
    hash.wrapping_mul(MIX[2])
}

/// The sampled frames among these.
pub fn sampled_frames(frames: Frames) -> impl Iterator<Item = u64> {
    let end = frames.pfn.saturating_add(1_u64.checked_shl(frames.order.into()).unwrap_or(0));
    (frames.pfn.next_multiple_of(FRAME_STEP)..end).step_by(64)
}

/// The filter that passes the allocations and deletions with a sampled frame: blocks are aligned to their size.
pub(crate) const FRAME_FILTER: &str = "!(pfn & 63)";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::File;
    use proptest::prelude::*;

    fn range(ino: u64, first: u64, last: u64) -> Range {
        Range { file: File { dev: 1, ino }, first, last }
    }

    #[test]
    fn the_sample_has_its_share_of_small_files_and_of_strides() {
        let sampling = Sampling::by_hash(6);
        let small: usize = (0..64_000).map(|ino| sampling.pages(&range(ino, 0, 0)).count()).sum();
        assert!((800..1200).contains(&small), "files of one page: {small} of 1000");
        let stride: usize = (0..64_000).map(|group| sampling.pages(&range(7, group * 64, group * 64)).count()).sum();
        assert!((800..1200).contains(&stride), "every 64th page: {stride} of 1000");
    }

    proptest! {
        #[test]
        fn a_group_has_one_sampled_page(ino in any::<u64>(), group in 0u64..1 << 40, shift in 0u32..17, place in any::<u64>()) {
            for sampling in [Sampling::by_hash(shift), Sampling::by_place(shift, place)] {
                let first = group << shift;
                let pages: Vec<u64> = sampling.pages(&range(ino, first, first + sampling.scale() - 1)).collect();
                prop_assert_eq!(pages.len(), 1);
            }
        }

        #[test]
        fn a_range_has_the_sampled_pages_of_its_parts(ino in any::<u64>(), first in 0u64..1 << 40, lengths in (0u64..500, 0u64..500)) {
            let sampling = Sampling::by_hash(4);
            let middle = first + lengths.0;
            let last = middle + 1 + lengths.1;
            let whole: Vec<u64> = sampling.pages(&range(ino, first, last)).collect();
            let mut parts: Vec<u64> = sampling.pages(&range(ino, first, middle)).collect();
            parts.extend(sampling.pages(&range(ino, middle + 1, last)));
            prop_assert_eq!(whole, parts);
        }

        #[test]
        fn an_aligned_block_has_a_sampled_frame_when_it_begins_with_one(block in 0u64..1 << 30, order in 0u8..11) {
            let frames = Frames { pfn: block << order, order };
            let slow: Vec<u64> = (frames.pfn..frames.pfn + (1 << order)).filter(|pfn| pfn % 64 == 0).collect();
            prop_assert_eq!(sampled_frames(frames).collect::<Vec<_>>(), slow.clone());
            prop_assert_eq!(!slow.is_empty(), frames.pfn & 63 == 0);
        }
    }
}

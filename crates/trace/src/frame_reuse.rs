//! For whom kswapd evicts: the programs that take the frames that it freed.
//!
//! kswapd works for all who allocate. The frames are sampled by number; the next allocation of a frame that kswapd took from a file
//! says for whom it went. Counting allocations alone would blame programs that allocate and free the same frames over and over.

use crate::actor::Actor;
use crate::event::Frames;
use crate::sampling::sampled_frames;
use std::collections::{BTreeMap, HashSet};

/// Frames that wait for their next owner, at most: 1/64 of 256 GiB.
const FREED_MAX: usize = 1 << 20;

/// Frames that kswapd freed, and who took them.
#[derive(Debug, Default)]
pub(crate) struct FrameReuse {
    freed: HashSet<u64>,
    taken: BTreeMap<Actor, u64>,
}

impl FrameReuse {
    /// kswapd freed these frames.
    pub(crate) fn freed(&mut self, frames: Frames) {
        if self.freed.len() >= FREED_MAX {
            self.freed.clear();
        }
        self.freed.extend(sampled_frames(frames));
    }

    /// Whether an allocation takes a frame that waits; cheap, and mostly false.
    pub(crate) fn awaits(&self, frames: Frames) -> bool {
        !self.freed.is_empty() && sampled_frames(frames).any(|pfn| self.freed.contains(&pfn))
    }

    /// A program allocated these frames.
    pub(crate) fn allocated(&mut self, frames: Frames, actor: Actor) {
        let taken = sampled_frames(frames).filter(|pfn| self.freed.remove(pfn)).count() as u64;
        if taken > 0 {
            *self.taken.entry(actor).or_default() += taken;
        }
    }

    /// Who took how many frames since the last call.
    pub(crate) fn take(&mut self) -> BTreeMap<Actor, u64> {
        std::mem::take(&mut self.taken)
    }

    /// Records were lost: the next allocation seen need not be the next.
    pub(crate) fn forget(&mut self) {
        self.freed.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::actors;

    #[test]
    fn a_frame_goes_to_the_first_who_takes_it() {
        let [a, b] = actors();
        let mut reuse = FrameReuse::default();
        reuse.freed(Frames { pfn: 640, order: 0 });
        reuse.freed(Frames { pfn: 1024, order: 9 });
        assert!(!reuse.awaits(Frames { pfn: 64, order: 0 }));
        reuse.allocated(Frames { pfn: 64, order: 0 }, b);
        reuse.allocated(Frames { pfn: 640, order: 2 }, a);
        reuse.allocated(Frames { pfn: 640, order: 2 }, b);
        reuse.allocated(Frames { pfn: 1024, order: 7 }, b);
        assert_eq!(reuse.take(), BTreeMap::from([(a, 1), (b, 2)]));
        assert_eq!(reuse.take(), BTreeMap::new());
    }
}

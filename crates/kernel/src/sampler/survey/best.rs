//! The largest of many, in a list that never grows.

/// The largest scores and their places, in descending order. A score of 0 does not count.
#[derive(Debug)]
pub(super) struct Best {
    room: usize,
    list: Vec<(u64, usize)>,
}

impl Best {
    pub(super) fn new(room: usize) -> Self {
        Self { room, list: Vec::with_capacity(room + 1) }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds `place` if its score is among the largest. Of equal scores the earlier one stays.
    pub(super) fn offer(&mut self, score: u64, place: usize) {
        if score > 0 {
            let at = self.list.partition_point(|(known, _)| *known >= score);
            if at < self.room {
                self.list.insert(at, (score, place));
                self.list.truncate(self.room);
            }
        }
    }

    /// The places of the largest.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> + use<'_> {
        self.list.iter().map(|(_, place)| *place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_largest_are_those_that_sorting_finds(scores in prop::collection::vec(0u64..20, 0..60), room in 0usize..8) {
            let mut best = Best::new(room);
            for (at, score) in scores.iter().enumerate() {
                best.offer(*score, at);
            }
            let mut sorted: Vec<_> = (0..scores.len()).filter(|at| scores[*at] > 0).collect();
            sorted.sort_by_key(|at| std::cmp::Reverse(scores[*at]));
            sorted.truncate(room);
            prop_assert_eq!(best.places().collect::<Vec<_>>(), sorted);
        }
    }
}

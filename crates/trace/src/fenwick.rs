//! Counts over a row of slots, with sums in logarithmic time (P. Fenwick, 1994).

/// How many slots are taken, and how many of them lie after a given one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fenwick {
    /// `sums[i]` holds the sum of the `i & -i` slots that end at slot `i` (from 1).
    sums: Vec<u32>,
    total: u32,
}

impl Fenwick {
    /// A row of empty slots.
    pub(crate) fn new(slots: usize) -> Self {
        Self { sums: vec![0; slots + 1], total: 0 }
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.sums.len().saturating_sub(1)
    }

    /// Takes a slot.
    pub(crate) fn take(&mut self, slot: usize) {
        self.change(slot, 1);
    }

    /// Frees a slot that is taken.
    pub(crate) fn free(&mut self, slot: usize) {
        self.change(slot, u32::MAX);
    }

    /// Adds 1, or -1 as its complement.
    fn change(&mut self, slot: usize, by: u32) {
        self.total = self.total.wrapping_add(by);
        let mut at = slot + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            *sum = sum.wrapping_add(by);
            at += at & at.wrapping_neg();
        }
    }

    /// Taken slots after this one.
    pub(crate) fn after(&self, slot: usize) -> u32 {
        let (mut at, mut upto) = (slot + 1, 0);
        while at > 0 {
            upto += self.sums[at];
            at &= at - 1;
        }
        self.total - upto
    }

    /// Taken slots.
    pub(crate) const fn total(&self) -> u32 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_those_of_a_plain_row(slots in 1usize..80, toggles in proptest::collection::vec(0usize..80, 0..200)) {
            let (mut fast, mut plain) = (Fenwick::new(slots), vec![false; slots]);
            for slot in toggles.into_iter().filter(|slot| *slot < slots) {
                if plain[slot] { fast.free(slot) } else { fast.take(slot) }
                plain[slot] = !plain[slot];
                let after = plain[slot + 1..].iter().filter(|taken| **taken).count();
                prop_assert_eq!(fast.after(slot) as usize, after);
                prop_assert_eq!(fast.total() as usize, plain.iter().filter(|taken| **taken).count());
            }
        }
    }
}

//! The values of one metric of one entity.

use std::collections::TryReserveError;

/// One value for each sample from the first that has one to the last, some of them absent. A day has tens of millions of them, so
/// whether one is present takes a byte beside it: an `Option<i64>` is twice as large as its value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    first: usize,
    /// 0 where absent.
    values: Vec<i64>,
    present: Vec<bool>,
}

impl Values {
    /// Index of the first sample that has a value.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Index behind that of the last sample that has one.
    pub fn end(&self) -> usize {
        self.first + self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value at a sample.
    pub fn at(&self, sample: usize) -> Option<i64> {
        let nth = sample.checked_sub(self.first)?;
        self.present.get(nth)?.then(|| self.values[nth])
    }

    /// One per sample from the first that has one, and whether each is there.
    pub(crate) fn parts(&self) -> (&[i64], &[bool]) {
        (&self.values, &self.present)
    }

    /// Leaves out what is at this sample and behind it.
    pub(crate) fn truncate(&mut self, end: usize) {
        let upto = self.present.iter().take(end.saturating_sub(self.first)).rposition(|present| *present);
        let count = upto.map_or(0, |last| last + 1);
        self.values.truncate(count);
        self.present.truncate(count);
    }

    /// Those that are present: index of the sample, and value.
    pub fn points(&self) -> impl DoubleEndedIterator<Item = (usize, i64)> {
        let indexed = self.values.iter().zip(&self.present).enumerate();
        indexed.filter_map(|(nth, (value, present))| present.then_some((self.first + nth, *value)))
    }

    /// The same samples with `other` of each value.
    pub fn map(&self, other: impl Fn(i64) -> i64) -> Self {
        let values = self.values.iter().zip(&self.present).map(|(value, there)| if *there { other(*value) } else { 0 });
        Self { first: self.first, values: values.collect(), present: self.present.clone() }
    }

    /// Takes the memory for a value at a sample, where somebody else decides how much that is: `charge` is told how many bytes, before.
    ///
    /// # Errors
    ///
    /// What `charge` refuses, or memory that is not there.
    pub fn make_room<E: From<TryReserveError>>(
        &mut self,
        sample: usize,
        charge: impl FnOnce(u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let needed = if self.values.is_empty() { 1 } else { sample.saturating_sub(self.first).saturating_add(1) };
        let there = self.values.capacity();
        if needed <= there {
            return Ok(());
        }
        let wanted = needed.max(there.saturating_mul(2)).max(4);
        charge(((wanted - there) as u64).saturating_mul(Self::VALUE_BYTES))?;
        self.values.try_reserve_exact(wanted - self.values.len())?;
        self.present.try_reserve_exact(wanted - self.present.len())?;
        Ok(())
    }

    /// What a value takes in memory.
    const VALUE_BYTES: u64 = (size_of::<i64>() + size_of::<bool>()) as u64;

    /// Adds values at neighbouring samples from `sample` on; where `present` is given and says false there is none. As so many times
    /// [`Self::push`], in one copy.
    pub fn append(&mut self, sample: usize, values: &[i64], present: Option<&[bool]>) {
        let (first, end) = match present {
            None => (0, values.len()),
            Some(present) => {
                let Some(first) = present.iter().position(|there| *there) else { return };
                (first, present.iter().rposition(|there| *there).map_or(first, |last| last + 1))
            }
        };
        if first >= end {
            return;
        }
        let sample = sample + first;
        if self.values.is_empty() {
            self.first = sample;
        }
        let nth = sample.saturating_sub(self.first);
        self.values.resize(nth, 0);
        self.present.resize(nth, false);
        self.values.extend_from_slice(&values[first..end]);
        match present {
            None => self.present.resize(nth + end - first, true),
            Some(present) => self.present.extend_from_slice(&present[first..end]),
        }
    }

    /// Adds a value at a sample. Samples come in order; of two values at one the later counts.
    pub fn push(&mut self, sample: usize, value: i64) {
        if self.values.is_empty() {
            self.first = sample;
        }
        let nth = sample.saturating_sub(self.first);
        self.values.resize(nth, 0);
        self.present.resize(nth, false);
        self.values.push(value);
        self.present.push(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_appended_are_those_that_are_pushed() {
        let (mut pushed, mut appended) = (Values::default(), Values::default());
        let mut add = |sample: usize, values: &[i64], present: Option<&[bool]>| {
            appended.append(sample, values, present);
            for (nth, value) in values.iter().enumerate().filter(|(nth, _)| present.is_none_or(|there| there[*nth])) {
                pushed.push(sample + nth, *value);
            }
        };
        add(3, &[0, 1, 0, 2, 0], Some(&[false, true, false, true, false]));
        add(8, &[0, 0], Some(&[false, false]));
        add(10, &[7, 8, 9], None);
        add(15, &[], None);
        add(15, &[0, 5], Some(&[false, true]));
        add(16, &[6], None);
        assert_eq!(appended, pushed);
        assert_eq!(appended.points().collect::<Vec<_>>(), [(4, 1), (6, 2), (10, 7), (11, 8), (12, 9), (16, 6)]);
    }
}

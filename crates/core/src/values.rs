//! The values of one metric of one entity.

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

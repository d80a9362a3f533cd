//! The values of one metric of one entity.

use std::collections::TryReserveError;
use std::ops::Range;

/// One value for each sample from the first that has one to the last, some of them absent. A day has tens of millions of them. Most metrics
/// move by less than 2^15 in a minute, and nearly all by less than 2^31 in a day: their distance from an earlier value takes a quarter or a half
/// of what they do. A long pause takes no memory, and no time: much is read only around what happened.
#[derive(Debug, Clone, Default)]
pub struct Values {
    first: usize,
    numbers: Numbers,
    /// Whether each of the numbers is there; empty while all are.
    present: Vec<bool>,
    /// The runs behind the first one, in order; of most there are none.
    later: Vec<Run>,
}

/// Samples without a value behind which another run begins.
const PAUSE: usize = 256;

/// Values at neighbouring samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Run {
    /// Samples from the first of all values to its own first.
    nth: usize,
    /// Which of the numbers is its first.
    number: usize,
}

/// Numbers in a row; what is there of one that is absent means nothing.
#[derive(Debug, Clone)]
enum Numbers {
    /// By their distance from the first of [`BLOCK`] numbers.
    Close(Vec<i64>, Vec<i16>),
    /// By their distance from one of them.
    Near(i64, Vec<i32>),
    Far(Vec<i64>),
}

/// Close numbers with one they are close to.
const BLOCK: usize = 64;

impl Default for Numbers {
    fn default() -> Self {
        Self::Close(Vec::new(), Vec::new())
    }
}

/// How far a number lies from another; absent where that is too far.
fn distance(number: i64, from: i64) -> Option<i32> {
    number.checked_sub(from).and_then(|distance| i32::try_from(distance).ok())
}

impl Numbers {
    fn len(&self) -> usize {
        match self {
            Self::Close(_, all) => all.len(),
            Self::Near(_, all) => all.len(),
            Self::Far(all) => all.len(),
        }
    }

    #[inline]
    fn at(&self, nth: usize) -> i64 {
        match self {
            // The distance of what is absent may lead anywhere.
            Self::Close(from, all) => from[nth / BLOCK].wrapping_add(i64::from(all[nth])),
            Self::Near(from, all) => from + i64::from(all[nth]),
            Self::Far(all) => all[nth],
        }
    }

    fn truncate(&mut self, count: usize) {
        match self {
            Self::Close(from, all) => {
                from.truncate(count.div_ceil(BLOCK));
                all.truncate(count);
            }
            Self::Near(_, all) => all.truncate(count),
            Self::Far(all) => all.truncate(count),
        }
    }

    /// Numbers of values that are absent, up to so many in all.
    fn pad(&mut self, count: usize) {
        match self {
            Self::Close(from, all) => {
                // What follows in the same block is most likely close to the last one.
                let last = from.last().copied().unwrap_or_default();
                from.resize(count.div_ceil(BLOCK), last);
                all.resize(count, 0);
            }
            Self::Near(_, all) => all.resize(count, 0),
            Self::Far(all) => all.resize(count, 0),
        }
    }

    fn reserve(&mut self, count: usize) -> Result<(), TryReserveError> {
        match self {
            Self::Close(from, all) => {
                from.try_reserve_exact(count.div_ceil(BLOCK).saturating_sub(from.len()))?;
                all.try_reserve_exact(count.saturating_sub(all.len()))
            }
            Self::Near(_, all) => all.try_reserve_exact(count.saturating_sub(all.len())),
            Self::Far(all) => all.try_reserve_exact(count.saturating_sub(all.len())),
        }
    }

    fn capacity(&self) -> usize {
        match self {
            Self::Close(_, all) => all.capacity(),
            Self::Near(_, all) => all.capacity(),
            Self::Far(all) => all.capacity(),
        }
    }

    /// Adds numbers; those at positions in `absent` mean nothing.
    fn extend(&mut self, numbers: &[i64], absent: impl Fn(usize) -> bool) {
        if let Self::Close(from, all) = self {
            let before = all.len();
            if add_close(from, all, numbers, &absent) {
                return;
            }
            self.truncate(before);
            self.spread(numbers.len());
        }
        if let Self::Near(from, near) = self {
            if near.is_empty() {
                *from = numbers.first().copied().unwrap_or_default();
            }
            let is_far = |number: &i64| distance(*number, *from).is_none();
            // None is far of most metrics, and then no other look is needed.
            let any_far = numbers.iter().fold(false, |any, number| any | is_far(number))
                && numbers.iter().enumerate().any(|(nth, number)| is_far(number) && !absent(nth));
            if !any_far {
                #[allow(clippy::cast_possible_truncation)] // Only absent ones are far.
                near.extend(numbers.iter().map(|number| number.wrapping_sub(*from) as i32));
                return;
            }
            let mut all = Vec::with_capacity(near.capacity().max(near.len() + numbers.len()));
            // Those of absent values may be anything.
            all.extend(near.iter().map(|near| from.wrapping_add(i64::from(*near))));
            *self = Self::Far(all);
        }
        if let Self::Far(all) = self {
            all.extend_from_slice(numbers);
        }
    }

    /// Makes of close numbers near ones, or far ones where those are not enough, with room for so many more.
    fn spread(&mut self, more: usize) {
        let room = self.capacity().max(self.len() + more);
        let numbers = (0..self.len()).map(|nth| self.at(nth));
        let from = if self.len() == 0 { 0 } else { self.at(0) };
        let mut near = Vec::with_capacity(room);
        near.extend(numbers.clone().map_while(|number| distance(number, from)));
        *self = if near.len() == self.len() {
            Self::Near(from, near)
        } else {
            let mut all = Vec::with_capacity(room);
            all.extend(numbers);
            Self::Far(all)
        };
    }
}

/// Adds numbers by their distance from the first of each block; not all of them where one is too far from it that is not absent.
fn add_close(from: &mut Vec<i64>, all: &mut Vec<i16>, numbers: &[i64], absent: impl Fn(usize) -> bool) -> bool {
    let mut nth = 0;
    while let Some(number) = numbers.get(nth) {
        let inside = all.len() % BLOCK;
        if inside == 0 {
            from.push(*number);
        }
        let base = from.last().copied().unwrap_or_default();
        let block = &numbers[nth..numbers.len().min(nth + BLOCK - inside)];
        let is_far = |number: &i64| number.checked_sub(base).is_none_or(|distance| i16::try_from(distance).is_err());
        let any_far = block.iter().fold(false, |any, number| any | is_far(number));
        if any_far && block.iter().enumerate().any(|(at, number)| is_far(number) && !absent(nth + at)) {
            return false;
        }
        #[allow(clippy::cast_possible_truncation)] // Only absent ones are far.
        all.extend(block.iter().map(|number| number.wrapping_sub(base) as i16));
        nth += block.len();
    }
    true
}

/// Places as runs of those in one block each.
fn blocks(places: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let block = |nth: usize| nth * BLOCK..(nth + 1) * BLOCK;
    let inside = move |nth| places.start.max(block(nth).start)..places.end.min(block(nth).end);
    (places.start / BLOCK..places.end.div_ceil(BLOCK)).map(inside).filter(|places| !places.is_empty())
}

/// Whether one of some numbers is lower than the one before it.
fn any_falls<T: PartialOrd>(all: &[T]) -> bool {
    all.windows(2).fold(false, |fall, pair| fall | (pair[1] < pair[0]))
}

/// Those that are there count, and where.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.points().eq(other.points())
    }
}

impl Eq for Values {}

impl Values {
    /// Index of the first sample that has a value.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Index behind that of the last sample that has one.
    pub fn end(&self) -> usize {
        self.first + self.samples()
    }

    /// Samples from the first value to the last.
    fn samples(&self) -> usize {
        let last = self.later.last().copied().unwrap_or_default();
        last.nth + self.numbers.len() - last.number
    }

    /// The places of a run, and the number of the first of them; without it, of the first run.
    fn run(&self, later: Option<usize>) -> (Range<usize>, usize) {
        let begins = later.map_or_else(Run::default, |later| self.later[later]);
        let next = self.later.get(later.map_or(0, |later| later + 1));
        let end = next.map_or(self.numbers.len(), |next| next.number);
        (begins.nth..begins.nth + end - begins.number, begins.number)
    }

    /// The run that begins at a place or before it.
    fn run_at(&self, nth: usize) -> Option<usize> {
        self.later.partition_point(|run| run.nth <= nth).checked_sub(1)
    }

    /// Where the numbers of some places are, run by run: those of the places that have any, and the number of the first of them.
    fn pieces(&self, places: Range<usize>) -> impl DoubleEndedIterator<Item = (Range<usize>, usize)> + use<'_> {
        let (from, to) = (self.run_at(places.start), self.run_at(places.end.saturating_sub(1)));
        let number = |run: Option<usize>| run.map_or(0, |run| run + 1);
        (number(from)..=number(to)).filter_map(move |run| {
            let (all, number) = self.run(run.checked_sub(1));
            let inside = places.start.max(all.start)..places.end.min(all.end);
            (!inside.is_empty()).then(|| (inside.clone(), number + inside.start - all.start))
        })
    }

    /// Which of the numbers belongs to a place; absent in a pause.
    #[inline]
    fn number(&self, nth: usize) -> Option<usize> {
        if self.later.is_empty() {
            return Some(nth);
        }
        let (places, number) = self.run(self.run_at(nth));
        places.contains(&nth).then(|| number + nth - places.start)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.numbers.len() == 0
    }

    /// Whether each sample from the first that has a value to the last has one.
    pub(crate) fn are_all_present(&self) -> bool {
        self.present.is_empty() && self.later.is_empty()
    }

    /// The value at a sample.
    pub fn at(&self, sample: usize) -> Option<i64> {
        self.nth(sample.checked_sub(self.first).filter(|nth| *nth < self.samples())?)
    }

    /// The value `nth` samples after the first; `nth` is not behind the last.
    #[inline]
    fn nth(&self, nth: usize) -> Option<i64> {
        self.of_number(self.number(nth)?)
    }

    #[inline]
    fn of_number(&self, number: usize) -> Option<i64> {
        self.present.get(number).is_none_or(|present| *present).then(|| self.numbers.at(number))
    }

    /// Those of some of the values that are present, each with its place; the places are not behind the last value.
    #[inline]
    pub(crate) fn within(&self, places: Range<usize>) -> impl DoubleEndedIterator<Item = (usize, i64)> + use<'_> {
        self.pieces(places).flat_map(move |(places, number)| {
            let first = places.start;
            places.filter_map(move |nth| Some((nth, self.of_number(number + nth - first)?)))
        })
    }

    /// Gives those of some of the values that are present, each with its place among them; the places are not behind the last value.
    #[inline]
    pub(crate) fn each(&self, places: Range<usize>, mut give: impl FnMut(usize, i64)) {
        for (inside, number) in self.pieces(places.clone()) {
            let before = inside.start - places.start;
            match &self.numbers {
                // Of most metrics every sample has a value, and none needs a look at whether it has.
                Numbers::Near(from, all) if self.present.is_empty() => {
                    let near = all[number..number + inside.len()].iter().enumerate();
                    near.for_each(|(at, near)| give(before + at, from + i64::from(*near)));
                }
                Numbers::Close(from, all) if self.present.is_empty() => {
                    for block in blocks(number..number + inside.len()) {
                        let (first, before) = (from[block.start / BLOCK], before + block.start - number);
                        let close = all[block].iter().enumerate();
                        close.for_each(|(at, close)| give(before + at, first + i64::from(*close)));
                    }
                }
                _ => (0..inside.len()).for_each(|at| {
                    if let Some(value) = self.of_number(number + at) {
                        give(before + at, value);
                    }
                }),
            }
        }
    }

    /// Adds to each of `sums` how far each of some values, all of which are present, lies above the one before it; nothing where it is lower.
    #[inline]
    pub(crate) fn add_rises(&self, places: Range<usize>, sums: &mut [f64], in_unit: impl Fn(f64) -> f64) {
        let add = |(sum, rise): (&mut f64, f64)| *sum += in_unit(if rise > 0.0 { rise } else { 0.0 });
        match &self.numbers {
            Numbers::Close(_, all) => {
                let (first, end) = (places.start, places.end);
                for block in blocks(places) {
                    let rises = all[block.clone()].windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0]));
                    let inside = (block.start - first).min(sums.len());
                    sums[inside..].iter_mut().zip(rises).for_each(add);
                    let last = block.end - 1;
                    if let Some(sum) = sums.get_mut(last - first).filter(|_| block.end < end) {
                        add((sum, self.numbers.at(block.end).saturating_sub(self.numbers.at(last)) as f64));
                    }
                }
            }
            Numbers::Near(_, all) => {
                // As exact as a difference of whole numbers, and a CPU works out several at once.
                let rises = all[places].windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0]));
                sums.iter_mut().zip(rises).for_each(add);
            }
            Numbers::Far(all) => {
                let rises = all[places].windows(2).map(|pair| pair[1].saturating_sub(pair[0]) as f64);
                sums.iter_mut().zip(rises).for_each(add);
            }
        }
    }

    /// Whether one of them is lower than the one before it.
    pub(crate) fn fall(&self, places: Range<usize>) -> bool {
        // All pairs at once: they rarely fall.
        match &self.numbers {
            Numbers::Close(from, all) if self.are_all_present() => {
                let at = |nth: usize| from[nth / BLOCK] + i64::from(all[nth]);
                let mut last = i64::MIN;
                blocks(places).any(|block| {
                    let before = std::mem::replace(&mut last, at(block.end - 1));
                    at(block.start) < before || any_falls(&all[block])
                })
            }
            Numbers::Near(_, all) if self.are_all_present() => any_falls(&all[places]),
            _ => {
                let (mut last, mut fall) = (i64::MIN, false);
                self.each(places, |_, value| fall |= value < std::mem::replace(&mut last, value));
                fall
            }
        }
    }

    /// The same values so many samples later.
    pub(crate) fn moved(self, samples: usize) -> Self {
        Self { first: self.first + samples, ..self }
    }

    /// Leaves out what is at this sample and behind it.
    pub(crate) fn truncate(&mut self, end: usize) {
        let places = 0..self.samples().min(end.saturating_sub(self.first));
        let last = self.within(places).next_back();
        self.cut(last.map_or(0, |(nth, _)| nth + 1));
    }

    /// Leaves out what is at this place and behind it.
    fn cut(&mut self, nth: usize) {
        let (places, number) = self.run(self.run_at(nth));
        let count = number + nth.min(places.end) - places.start;
        self.numbers.truncate(count);
        self.present.truncate(count);
        self.later.retain(|run| run.number < count);
    }

    /// Those that are present: index of the sample, and value.
    pub fn points(&self) -> impl DoubleEndedIterator<Item = (usize, i64)> {
        self.within(0..self.samples()).map(|(nth, value)| (self.first + nth, value))
    }

    /// The same samples with `other` of each value.
    pub fn map(&self, other: impl Fn(i64) -> i64) -> Self {
        let mut mapped = Self::default();
        self.points().for_each(|(sample, value)| mapped.push(sample, other(value)));
        mapped
    }

    /// Takes the memory for a value at a sample, where somebody else decides how much that is: `charge` is told how many bytes, before. It takes
    /// more than is needed, for more values to come, but not for more than `samples` of the recording.
    ///
    /// # Errors
    ///
    /// What `charge` refuses, or memory that is not there.
    pub fn make_room<E: From<TryReserveError>>(
        &mut self,
        sample: usize,
        samples: usize,
        charge: impl FnOnce(u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let behind = if self.is_empty() { 1 } else { sample.saturating_add(1).saturating_sub(self.end()) };
        let needed = self.numbers.len().saturating_add(behind);
        let there = self.numbers.capacity();
        if needed <= there {
            return Ok(());
        }
        let rest = samples.saturating_sub(if self.is_empty() { 0 } else { self.first });
        // There are more than that: nothing limits them.
        let most = if rest < needed { usize::MAX } else { rest };
        let wanted = needed.max(there.saturating_mul(2).max(4).min(most));
        charge(((wanted - there) as u64).saturating_mul(Self::VALUE_BYTES))?;
        Ok(self.numbers.reserve(wanted)?)
    }

    /// What a value takes in memory at most: that it takes more is only seen once it is there.
    const VALUE_BYTES: u64 = (size_of::<i64>() + size_of::<bool>()) as u64;

    /// Adds values at neighbouring samples from `sample` on; where `present` is given and says false there is none. The same as
    /// calling [`Self::push`] for each, but in one copy.
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
        if self.is_empty() {
            self.first = sample;
        }
        let nth = sample.saturating_sub(self.first);
        self.cut(nth);
        let pause = nth.saturating_sub(self.samples());
        if pause >= PAUSE {
            self.later.push(Run { nth, number: self.numbers.len() });
        }
        let there = self.numbers.len();
        let before = there + if pause < PAUSE { pause } else { 0 };
        let present = present.map(|present| &present[first..end]);
        if before > there || !self.present.is_empty() || present.is_some_and(|present| present.contains(&false)) {
            self.present.resize(there, true);
            self.present.resize(before, false);
            match present {
                None => self.present.resize(before + end - first, true),
                Some(present) => self.present.extend_from_slice(present),
            }
        }
        self.numbers.pad(before);
        self.numbers.extend(&values[first..end], |nth| present.is_some_and(|present| !present[nth]));
    }

    /// Adds a value at a sample. Samples come in order; of two values at one the later counts.
    pub fn push(&mut self, sample: usize, value: i64) {
        self.append(sample, &[value], None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

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

    #[test]
    fn absent_numbers_far_from_the_first_cost_nothing() {
        let mut values = Values::default();
        values.append(0, &[i64::MAX, i64::MIN, i64::MAX], Some(&[true, false, true]));
        values.append(3, &[1], None);
        assert_eq!(values.points().collect::<Vec<_>>(), [(0, i64::MAX), (2, i64::MAX), (3, 1)]);
    }

    #[test]
    fn room_is_taken_for_as_many_samples_as_there_are() {
        let room = |samples: usize| {
            let mut values = Values::default();
            values.append(3, &[1; 8], None);
            for sample in 11..30 {
                values.make_room::<TryReserveError>(sample, samples, |_| Ok(())).unwrap();
                values.push(sample, 1);
            }
            values.numbers.capacity()
        };
        assert_eq!(room(30), 27, "the first three have none");
        assert_eq!(room(usize::MAX), 32);
        assert_eq!(room(20), 34, "more than was said");
    }

    #[test]
    fn what_is_given_at_once_is_what_each_sample_has() {
        let dense = |numbers: &[i64]| {
            let mut values = Values::default();
            values.append(5, numbers, None);
            values
        };
        let mut sparse = dense(&[3, 4]);
        sparse.append(9, &[4, 0, 6, 2], Some(&[true, false, true, true]));
        for values in [dense(&[1, 2, 2, 9, 3]), dense(&[i64::MIN, 7, i64::MAX, 0]), sparse] {
            let count = values.end() - values.first();
            for places in (0..=count).flat_map(|from| (from..=count).map(move |to| from..to)) {
                let there: Vec<(usize, i64)> =
                    places.clone().filter_map(|nth| Some((nth - places.start, values.nth(nth)?))).collect();
                let mut given = Vec::new();
                values.each(places.clone(), |at, value| given.push((at, value)));
                assert_eq!(given, there);
                assert_eq!(values.fall(places), there.windows(2).any(|pair| pair[1].1 < pair[0].1));
            }
        }
    }

    proptest! {
        /// However far they move from one to the next, at all places or only at some.
        #[test]
        fn values_of_any_width_are_kept(
            moves in proptest::collection::vec(
                prop_oneof![
                    90 => -500..500_i64,
                    1 => -100_000..100_000_i64,
                    1 => any::<i64>(),
                ],
                1..400,
            ),
            absent in proptest::collection::vec(proptest::bool::weighted(0.02), 400),
            dense in any::<bool>(),
            at_once in 1..150_usize,
        ) {
            let mut last = 0_i64;
            let numbers: Vec<i64> = moves.iter().map(|step| { last = last.wrapping_add(*step); last }).collect();
            let present: Vec<bool> = absent[..numbers.len()].iter().map(|absent| dense || !absent).collect();
            let mut values = Values::default();
            for (nth, part) in numbers.chunks(at_once).enumerate() {
                let there = &present[nth * at_once..nth * at_once + part.len()];
                values.append(3 + nth * at_once, part, Some(there));
            }
            let all: Vec<(usize, i64)> =
                numbers.iter().zip(&present).enumerate().filter(|(_, (_, there))| **there).map(|(at, (one, _))| (at + 3, *one)).collect();
            prop_assert_eq!(values.points().collect::<Vec<_>>(), all.clone());
            let places = values.samples() / 3..values.samples();
            let inside: Vec<i64> = values.within(places.clone()).map(|(_, value)| value).collect();
            let mut given = Vec::new();
            values.each(places.clone(), |_, value| given.push(value));
            prop_assert_eq!(&given, &inside);
            prop_assert_eq!(values.fall(places.clone()), inside.windows(2).any(|pair| pair[1] < pair[0]));
            if dense {
                let mut sums = vec![1.0; places.len().saturating_sub(1)];
                values.add_rises(places, &mut sums, |rise| rise);
                let rises = inside.windows(2).map(|pair| 1.0 + pair[1].saturating_sub(pair[0]).max(0) as f64);
                prop_assert_eq!(sums, rises.collect::<Vec<_>>());
            }
        }

        /// However they come, and whatever pauses lie between them, they are those of a map from sample to value.
        #[test]
        fn values_are_those_that_were_added(
            runs in proptest::collection::vec(
                (0..600_usize, proptest::collection::vec(proptest::option::weighted(0.8, any::<i16>()), 1..20)),
                1..8,
            ),
            end in 0..3000_usize,
        ) {
            let (mut values, mut known) = (Values::default(), BTreeMap::new());
            let mut sample = 0;
            for (pause, run) in runs {
                sample += pause;
                let numbers: Vec<i64> = run.iter().map(|one| one.map_or(0, i64::from)).collect();
                let present: Vec<bool> = run.iter().map(Option::is_some).collect();
                values.append(sample, &numbers, Some(&present));
                for (at, value) in run.iter().enumerate() {
                    value.map(|value| known.insert(sample + at, i64::from(value)));
                }
                sample += run.len();
            }
            let same = |values: &Values, known: &BTreeMap<usize, i64>| {
                let all: Vec<(usize, i64)> = known.iter().map(|(at, value)| (*at, *value)).collect();
                assert_eq!(values.points().collect::<Vec<_>>(), all);
                assert_eq!(values.points().rev().collect::<Vec<_>>(), all.iter().rev().copied().collect::<Vec<_>>());
                (0..4000).for_each(|at| assert_eq!(values.at(at), known.get(&at).copied()));
                if let Some((first, last)) = all.first().zip(all.last()) {
                    assert_eq!((values.first(), values.end()), (first.0, last.0 + 1));
                    let places = (values.end() - values.first()) / 3..(values.end() - values.first()) * 2 / 3;
                    let mut given = Vec::new();
                    values.each(places.clone(), |at, value| given.push((at + places.start, value)));
                    assert_eq!(given, values.within(places.clone()).collect::<Vec<_>>());
                    let samples = values.first() + places.start..values.first() + places.end;
                    let inside = known.range(samples).map(|(at, value)| (at - values.first(), *value));
                    assert_eq!(given, inside.collect::<Vec<_>>());
                }
            };
            same(&values, &known);
            // Of two at one sample the later counts, and what is behind it was not there yet.
            values.truncate(end);
            known.retain(|at, _| *at < end);
            same(&values, &known);
        }
    }

    #[test]
    fn a_pause_takes_no_memory() {
        let mut values = Values::default();
        values.append(10, &[1, 2, 3], None);
        values.append(1_000_000_000, &[4, 5], None);
        assert_eq!(values.points().last(), Some((1_000_000_001, 5)));
        assert_eq!((values.numbers.len(), values.later.len(), values.are_all_present()), (5, 1, false));
        assert_eq!([12, 13, 999_999_999, 1_000_000_000].map(|at| values.at(at)), [Some(3), None, None, Some(4)]);
        values.push(1_000_000_000, 7);
        assert_eq!(values.points().last(), Some((1_000_000_000, 7)), "of two the later counts");
    }

    #[test]
    fn values_that_lie_far_apart_are_kept_as_they_are() {
        let mut values = Values::default();
        values.push(3, 5);
        values.append(4, &[0, -7, i64::MIN], Some(&[false, true, true]));
        values.push(9, i64::MAX);
        values.append(11, &[1, 2], None);
        let all = [(3, 5), (5, -7), (6, i64::MIN), (9, i64::MAX), (11, 1), (12, 2)];
        assert_eq!(values.points().collect::<Vec<_>>(), all);
        assert_eq!([4, 6, 10, 12, 13].map(|at| values.at(at)), [None, Some(i64::MIN), None, Some(2), None]);
        values.truncate(6);
        let mut near = Values::default();
        [(3, 5), (5, -7)].into_iter().for_each(|(at, value)| near.push(at, value));
        assert_eq!((values.end(), &values), (6, &near), "however they are kept");
    }
}

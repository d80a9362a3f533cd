//! What waits between the two threads: samples in preallocated buffers, marks, and what the schema gained.

use pagetide_core::{Mark, Sample, Schema, SchemaGrowth, Stamp};
use std::collections::VecDeque;

/// One thing that waits for the sink.
#[derive(Debug)]
pub(crate) enum Item {
    Sample(Sample),
    Mark(Mark),
    /// What comes is under a new schema.
    Renewal,
}

/// Samples that made room for newer ones before the sink had taken them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) count: u64,
    /// Stamp of the first of them.
    pub(crate) first: Stamp,
    /// Stamp of the last of them.
    pub(crate) last: Stamp,
}

impl Lost {
    /// Both, when nothing was kept in between.
    pub(crate) fn and(self, later: Self) -> Self {
        Self { count: self.count + later.count, first: self.first, last: later.last }
    }
}

/// A bounded queue in order of arrival. When it is full of samples, it drops the oldest one; marks and schema growth are kept.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    items: VecDeque<Item>,
    spare: Vec<Sample>,
    /// What each schema gained that something in the queue may need: the one that is delivered first, then those behind a renewal.
    growth: VecDeque<SchemaGrowth>,
    lost: Option<Lost>,
    lost_so_far: u64,
}

impl Ring {
    /// Gives the ring its buffers, and the queue room for all of them and for some marks. The queue goes round in its
    /// memory, so all of that is touched now.
    pub(crate) fn prepare(&mut self, spare: Vec<Sample>) {
        let waiting = self.items.len();
        self.items.reserve(spare.len() + 64);
        self.items.resize_with(self.items.capacity(), || Item::Sample(Sample::default()));
        self.items.truncate(waiting);
        self.spare = spare;
    }

    /// Queues a filled sample, with what the schema gained up to it, and gives an empty buffer for the next one.
    pub(crate) fn push_sample(&mut self, sample: Sample, growth: &mut SchemaGrowth) -> Sample {
        if self.growth.is_empty() {
            self.growth.push_back(SchemaGrowth::default());
        }
        if let Some(last) = self.growth.back_mut() {
            last.append(growth);
        }
        self.items.push_back(Item::Sample(sample));
        self.spare.pop().unwrap_or_else(|| self.give_up_oldest())
    }

    fn give_up_oldest(&mut self) -> Sample {
        let oldest = self.items.iter().position(|item| matches!(item, Item::Sample(_)));
        let Some(Item::Sample(sample)) = oldest.and_then(|at| self.items.remove(at)) else {
            return Sample::default();
        };
        let lost = self.lost.get_or_insert(Lost { count: 0, first: sample.stamp, last: sample.stamp });
        lost.count += 1;
        lost.last = sample.stamp;
        self.lost_so_far += 1;
        sample
    }

    /// Queues a mark.
    pub(crate) fn push_mark(&mut self, mark: Mark) {
        self.items.push_back(Item::Mark(mark));
    }

    /// Queues the beginning of a new schema.
    pub(crate) fn push_renewal(&mut self) {
        self.items.push_back(Item::Renewal);
        if self.growth.is_empty() {
            self.growth.push_back(SchemaGrowth::default());
        }
        self.growth.push_back(SchemaGrowth::default());
    }

    /// Takes the oldest thing. Before it, `schema` gets all it may need, or begins anew.
    pub(crate) fn pop(&mut self, schema: &mut Schema) -> Option<Item> {
        if let Some(first) = self.growth.front_mut() {
            first.apply(schema);
        }
        let item = self.items.pop_front();
        if matches!(item, Some(Item::Renewal)) {
            self.growth.pop_front();
            *schema = Schema::default();
        }
        item
    }

    /// Puts back what the sink did not take; it stays the oldest.
    pub(crate) fn put_back(&mut self, item: Item) {
        if matches!(item, Item::Renewal) {
            // The old schema ends once more; what it gained went with `pop`.
            self.growth.push_front(SchemaGrowth::default());
        }
        self.items.push_front(item);
    }

    /// What was lost since the last call.
    pub(crate) fn take_lost(&mut self) -> Option<Lost> {
        self.lost.take()
    }

    /// Samples that made room for newer ones since the beginning.
    pub(crate) fn lost_so_far(&self) -> u64 {
        self.lost_so_far
    }

    /// How many samples and marks wait.
    pub(crate) fn waiting(&self) -> usize {
        self.items.len()
    }

    /// Gives a buffer back.
    pub(crate) fn recycle(&mut self, sample: Sample) {
        self.spare.push(sample);
    }

    /// Drops everything that waits and gives how many samples were lost, with those that nobody has asked for yet.
    pub(crate) fn clear(&mut self) -> u64 {
        let waiting = self.items.drain(..).filter(|item| matches!(item, Item::Sample(_))).count();
        waiting as u64 + self.lost.take().map_or(0, |lost| lost.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Entity, MarkKind, SchemaCursor, Table};
    use proptest::prelude::*;

    fn sample(at: i64) -> Sample {
        let mut sample = Sample::default();
        sample.stamp.boot_ns = at;
        sample
    }

    fn mark(at: i64) -> Mark {
        let stamp = Stamp { boot_ns: at, ..Stamp::default() };
        Mark { stamp, kind: MarkKind::Note { text: String::new() } }
    }

    fn ring(buffers: usize) -> Ring {
        let mut ring = Ring::default();
        ring.prepare((1..buffers).map(|_| Sample::default()).collect());
        ring
    }

    fn drain(ring: &mut Ring) -> Vec<(char, i64)> {
        let mut schema = Schema::default();
        std::iter::from_fn(|| ring.pop(&mut schema))
            .map(|item| match item {
                Item::Sample(sample) => ('s', sample.stamp.boot_ns),
                Item::Mark(mark) => ('m', mark.stamp.boot_ns),
                Item::Renewal => ('r', 0),
            })
            .collect()
    }

    #[test]
    fn a_full_ring_gives_up_its_oldest_sample_and_no_mark() {
        let mut ring = ring(3);
        ring.push_mark(mark(0));
        for at in 1..=5 {
            ring.push_sample(sample(at), &mut SchemaGrowth::default());
        }
        let lost = ring.take_lost().unwrap();
        assert_eq!((lost.count, lost.first.boot_ns, lost.last.boot_ns), (3, 1, 3));
        assert_eq!(ring.take_lost(), None);
        assert_eq!(drain(&mut ring), [('m', 0), ('s', 4), ('s', 5)]);
    }

    #[test]
    fn what_is_put_back_comes_first_and_is_given_up_first() {
        let mut ring = ring(3);
        ring.push_sample(sample(1), &mut SchemaGrowth::default());
        let item = ring.pop(&mut Schema::default()).unwrap();
        ring.push_sample(sample(2), &mut SchemaGrowth::default());
        ring.put_back(item);
        ring.push_sample(sample(3), &mut SchemaGrowth::default());
        assert_eq!(ring.take_lost().unwrap().first.boot_ns, 1);
        assert_eq!(drain(&mut ring), [('s', 2), ('s', 3)]);
    }

    #[test]
    fn the_other_side_gets_the_schema_before_the_sample_that_needs_it() {
        let (mut near, mut far) = (Schema::default(), Schema::default());
        let (mut handed_over, mut growth, mut ring) = (SchemaCursor::default(), SchemaGrowth::default(), ring(4));
        for name in ["vda", "vdb", "vdc"] {
            near.push_entity(Table::Disk, Entity::new(name, name));
            near.column(Table::Disk, name);
            handed_over.collect(&near, &mut growth);
            ring.push_sample(Sample::default(), &mut growth);
        }
        ring.pop(&mut far);
        assert_eq!(far, near);
    }

    #[test]
    fn samples_before_and_behind_a_renewal_each_have_their_own_schema_though_each_is_refused_once() {
        let (mut near, mut far) = (Schema::default(), Schema::default());
        let (mut handed_over, mut growth, mut ring) = (SchemaCursor::default(), SchemaGrowth::default(), ring(9));
        let mut push = |ring: &mut Ring, near: &mut Schema, name: &str| {
            near.push_entity(Table::Disk, Entity::new(name, name));
            handed_over.collect(near, &mut growth);
            ring.push_sample(Sample::default(), &mut growth);
            if name == "b" {
                (*near, handed_over) = (Schema::default(), SchemaCursor::default());
                ring.push_renewal();
            }
        };
        ["a", "b", "c", "d"].into_iter().for_each(|name| push(&mut ring, &mut near, name));
        let names = |schema: &Schema| {
            schema.entities(Table::Disk).iter().map(|entity| entity.name.clone()).collect::<Vec<_>>().concat()
        };
        let mut seen = Vec::new();
        while let Some(refused) = ring.pop(&mut far) {
            ring.put_back(refused);
            let item = ring.pop(&mut far).unwrap();
            seen.push((matches!(item, Item::Sample(_)), names(&far)));
        }
        let seen: Vec<(bool, &str)> = seen.iter().map(|(sample, names)| (*sample, names.as_str())).collect();
        assert_eq!(seen, [(true, "ab"), (true, "ab"), (false, ""), (true, "cd"), (true, "cd")]);
        push(&mut ring, &mut near, "e");
        ring.pop(&mut far);
        assert_eq!((names(&far), far), ("cde".to_owned(), near));
    }

    proptest! {
        /// Every sample comes out once, in order and under a schema that has its name at its number, or is counted as lost; every mark and
        /// renewal comes out, in order.
        #[test]
        fn nothing_is_lost_unseen(buffers in 2usize..6, steps in prop::collection::vec(0u8..6, 0..80)) {
            let (mut near, mut far, mut ring) = (Schema::default(), Schema::default(), ring(buffers));
            let (mut handed_over, mut growth) = (SchemaCursor::default(), SchemaGrowth::default());
            let (mut pushed, mut marked, mut renewed, mut lost) = (0, 0, 0, 0);
            let (mut samples, mut marks, mut renewals) = (Vec::new(), Vec::new(), 0);
            let mut take = |ring: &mut Ring, far: &Schema, item| match item {
                Item::Sample(sample) => {
                    let named = &far.entities(Table::Disk)[usize::try_from(sample.stamp.mono_ns).unwrap()];
                    assert_eq!(named.name, sample.stamp.boot_ns.to_string());
                    samples.push(sample.stamp.boot_ns);
                    ring.recycle(sample);
                }
                Item::Mark(mark) => marks.push(mark.stamp.boot_ns),
                Item::Renewal => renewals += 1,
            };
            for (at, step) in (0i64..).zip(steps) {
                match step {
                    0 | 1 => {
                        let name = at.to_string();
                        let mut sample = sample(at);
                        sample.stamp.mono_ns = near.push_entity(Table::Disk, Entity::new(&name, &name)).0.into();
                        handed_over.collect(&near, &mut growth);
                        ring.push_sample(sample, &mut growth);
                        pushed += 1;
                    }
                    2 => { ring.push_mark(mark(at)); marked += 1; }
                    3 => {
                        (near, handed_over) = (Schema::default(), SchemaCursor::default());
                        ring.push_renewal();
                        renewed += 1;
                    }
                    4 => if let Some(item) = ring.pop(&mut far) { ring.put_back(item); },
                    _ => if let Some(item) = ring.pop(&mut far) { take(&mut ring, &far, item); },
                }
                lost += ring.take_lost().map_or(0, |lost| lost.count);
            }
            while let Some(item) = ring.pop(&mut far) {
                take(&mut ring, &far, item);
            }
            prop_assert_eq!(samples.len() as u64 + lost, pushed);
            prop_assert_eq!((marks.len(), renewals), (marked, renewed));
            prop_assert!(samples.is_sorted() && marks.is_sorted());
        }
    }
}

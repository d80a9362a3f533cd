//! The latest samples, in memory.

use pagetide_core::{
    Bytes, Error, Manifest, Mark, Recording, RecordingBuilder, Sample, Schema, SchemaCursor, SchemaGrowth, Selection,
    Sink, Source, Stamp,
};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Keeps a recorder's latest samples and marks in memory, and gives them back as a recording while it runs: one clone is the
/// recorder's sink, the others are sources.
#[derive(Debug, Clone)]
pub struct History(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    room: u64,
    taken: u64,
    manifest: Manifest,
    marks: VecDeque<Mark>,
    samples: VecDeque<Sample>,
    /// Samples that are kept up to the last of each schema, oldest first; the last schema is the present one.
    schemas: VecDeque<(Schema, usize)>,
    /// How much of the recorder's schema the last one has.
    cursor: SchemaCursor,
    growth: SchemaGrowth,
}

/// Marks are few; no more are kept.
const MOST_MARKS: usize = 1000;

impl History {
    /// An empty one that keeps as many samples as fit in `room`, two at least.
    pub fn new(room: Bytes) -> Self {
        Self(Arc::new(Mutex::new(Kept {
            room: room.get(),
            taken: 0,
            manifest: Manifest::default(),
            marks: VecDeque::new(),
            samples: VecDeque::new(),
            schemas: VecDeque::from([(Schema::default(), 0)]),
            cursor: SchemaCursor::default(),
            growth: SchemaGrowth::default(),
        })))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn push(&mut self, schema: &Schema, sample: &Sample) {
        self.cursor.collect(schema, &mut self.growth);
        if let Some((known, count)) = self.schemas.back_mut() {
            self.growth.apply(known);
            *count += 1;
        }
        self.taken += size(sample);
        self.samples.push_back(sample.clone());
        while self.taken > self.room && self.samples.len() > 2 {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.samples.pop_front() else { return };
        self.taken -= size(&oldest);
        if let Some((_, count)) = self.schemas.front_mut() {
            *count -= 1;
            if *count == 0 && self.schemas.len() > 1 {
                self.schemas.pop_front();
            }
        }
        let begin = self.samples.front().map_or(i64::MAX, |sample| sample.stamp.boot_ns);
        while self.marks.front().is_some_and(|mark| mark.stamp.boot_ns < begin) {
            self.marks.pop_front();
        }
    }
}

/// What the cells of a sample take.
fn size(sample: &Sample) -> u64 {
    let cells: usize = sample.tables().flat_map(|table| table.rows()).map(|(_, values)| values.len()).sum();
    (cells * size_of::<Option<i64>>()) as u64
}

impl Sink for History {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.kept().manifest = manifest.clone();
        Ok(())
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        self.kept().push(schema, sample);
        Ok(())
    }

    fn renew(&mut self) {
        let mut kept = self.kept();
        kept.cursor = SchemaCursor::default();
        // No sample needs this schema.
        if kept.schemas.back().is_some_and(|(_, count)| *count == 0) {
            kept.schemas.pop_back();
        }
        kept.schemas.push_back((Schema::default(), 0));
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        let mut kept = self.kept();
        kept.marks.push_back(mark.clone());
        if kept.marks.len() > MOST_MARKS {
            kept.marks.pop_front();
        }
        Ok(())
    }

    fn finish(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.begin(manifest)
    }
}

impl Source for History {
    fn load(&self, selection: &Selection) -> Result<Recording, Error> {
        let kept = self.kept();
        let begin = selection.from_wall_ns.unwrap_or(i64::MIN);
        let end = selection.to_wall_ns.unwrap_or(i64::MAX);
        let inside = |stamp: Stamp| (begin..=end).contains(&stamp.wall_ns);
        let mut builder = RecordingBuilder::new(kept.manifest.clone());
        let mut samples = kept.samples.iter();
        for (schema, count) in &kept.schemas {
            for sample in samples.by_ref().take(*count).filter(|sample| inside(sample.stamp)) {
                builder.selected(selection, schema, sample);
            }
        }
        kept.marks.iter().filter(|mark| inside(mark.stamp)).for_each(|mark| builder.mark(mark.clone()));
        Ok(builder.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Entity, MarkKind, Table};

    /// A sample of one host and one process, at a second.
    fn taken(second: i64, name: &str) -> (Schema, Sample) {
        let mut schema = Schema::default();
        let host = schema.push_entity(Table::Host, Entity::new("", ""));
        let process = schema.push_entity(Table::Process, Entity::new(name, name));
        schema.column(Table::Host, "MemFree");
        schema.column(Table::Process, "rss");
        let mut sample = Sample::default();
        let ns = second * 1_000_000_000;
        sample.stamp = Stamp { wall_ns: ns, mono_ns: ns, boot_ns: ns };
        sample.row(Table::Host, host, 1)[0] = Some(second);
        sample.row(Table::Process, process, 1)[0] = Some(second * 10);
        (schema, sample)
    }

    fn seconds(recording: &Recording) -> Vec<i64> {
        recording.stamps().iter().map(|stamp| stamp.wall_ns / 1_000_000_000).collect()
    }

    #[test]
    fn the_oldest_samples_make_room() {
        let mut history = History::new(Bytes::new(4 * 2 * 16));
        for second in 0..10 {
            let (schema, sample) = taken(second, "1@1");
            history.sample(&schema, &sample).unwrap();
            let note = MarkKind::Note { text: second.to_string() };
            history.mark(&Mark { stamp: sample.stamp, kind: note }).unwrap();
        }
        let all = history.load(&Selection::default()).unwrap();
        assert_eq!((seconds(&all), all.marks.len()), (vec![6, 7, 8, 9], 4));
        let selection = Selection {
            from_wall_ns: Some(7_000_000_000),
            to_wall_ns: Some(8_000_000_000),
            tables: vec![Table::Process],
            metrics: Vec::new(),
        };
        let part = history.load(&selection).unwrap();
        assert_eq!((seconds(&part), part.host("MemFree").is_none()), (vec![7, 8], true));
        let rss = part.series(Table::Process, "1@1", "rss").unwrap();
        assert_eq!(rss.points().map(|point| point.1).collect::<Vec<_>>(), [70, 80]);
        assert_eq!(seconds(&history.times(&Selection::default()).unwrap()), [6, 7, 8, 9]);
    }

    #[test]
    fn a_schema_that_begins_anew_gives_its_numbers_to_others() {
        let mut history = History::new(Bytes::new(3 * 2 * 16));
        for second in 0..4 {
            let (schema, sample) = taken(second, if second < 2 { "1@1" } else { "2@2" });
            if second == 2 {
                history.renew();
                history.renew();
            }
            history.sample(&schema, &sample).unwrap();
        }
        let all = history.load(&Selection::default()).unwrap();
        let entities: Vec<&str> = all.entities(Table::Process).map(|(name, _)| name).collect();
        assert_eq!((seconds(&all), entities), (vec![1, 2, 3], vec!["1@1", "2@2"]));
        for second in 4..8 {
            let (schema, sample) = taken(second, "2@2");
            history.sample(&schema, &sample).unwrap();
        }
        let all = history.load(&Selection::default()).unwrap();
        let entities: Vec<&str> = all.entities(Table::Process).map(|(name, _)| name).collect();
        assert_eq!((seconds(&all), entities), (vec![5, 6, 7], vec!["2@2"]));
    }
}

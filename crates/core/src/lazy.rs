//! A recording whose columns are read when they are needed.

use crate::error::Error;
use crate::metric::Table;
use crate::port::Source;
use crate::recording::Recording;
use crate::selection::Selection;
use std::collections::{BTreeMap, BTreeSet};

/// A recording with its times and marks, and with the columns requested so far. Nothing is read twice.
#[derive(Debug)]
pub struct LazyRecording<S> {
    source: S,
    selection: Selection,
    recording: Recording,
    read: BTreeMap<Table, BTreeSet<String>>,
}

impl<S: Source> LazyRecording<S> {
    /// Reads the times and marks of the part of a recording that lies from `from_wall_ns` to `to_wall_ns`.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn open(source: S, from_wall_ns: Option<i64>, to_wall_ns: Option<i64>) -> Result<Self, Error> {
        let selection = Selection { from_wall_ns, to_wall_ns, ..Selection::default() };
        let recording = source.times(&selection)?;
        Ok(Self { source, selection, recording, read: BTreeMap::new() })
    }

    /// Drops the marks: a part of a lab run then reads like one of a live host.
    pub fn drop_marks(&mut self) {
        self.recording.marks.clear();
    }

    /// What has been read.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// What has been read, without the source.
    pub fn into_recording(self) -> Recording {
        self.recording
    }

    /// Reads those of these metrics of some tables that have not been read, of all their entities. Tables that are asked for together cost
    /// one look at what they share: the times.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn columns(&mut self, tables: &[Table], metrics: &[&str]) -> Result<&Recording, Error> {
        for (metrics, tables) in self.missing(tables, metrics) {
            let selection = Selection { tables, metrics, ..self.selection.clone() };
            self.recording.absorb(self.source.load(&selection)?);
            for table in selection.tables {
                self.read.entry(table).or_default().extend(selection.metrics.iter().cloned());
            }
        }
        Ok(&self.recording)
    }

    fn unread(&self, table: Table, metrics: &[&str]) -> Vec<String> {
        let read = self.read.get(&table);
        let new = |metric: &&&str| !read.is_some_and(|read| read.contains(**metric));
        metrics.iter().filter(new).map(|metric| (*metric).to_owned()).collect()
    }

    /// Reads these metrics of some tables from `from` to `to` on the recording's axis, of the entities that were there. For what is of interest
    /// in some stretches alone; stretches come in order of time, and columns that were read whole stay.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn columns_within(
        &mut self,
        tables: &[Table],
        metrics: &[&str],
        (from, to): (i64, i64),
    ) -> Result<&Recording, Error> {
        let inside = self.recording.stamps().iter().filter(|stamp| (from..=to).contains(&stamp.boot_ns));
        let walls: Vec<i64> = inside.map(|stamp| stamp.wall_ns).collect();
        let Some((first, last)) = walls.iter().min().zip(walls.iter().max()) else { return Ok(&self.recording) };
        for (metrics, tables) in self.missing(tables, metrics) {
            let (from_wall_ns, to_wall_ns) = (Some(*first), Some(*last));
            let part = self.source.load(&Selection { from_wall_ns, to_wall_ns, tables, metrics })?;
            self.recording.absorb(part);
        }
        Ok(&self.recording)
    }

    /// Those of some metrics that were not read whole, with the tables that lack the same ones.
    fn missing(&self, tables: &[Table], metrics: &[&str]) -> BTreeMap<Vec<String>, Vec<Table>> {
        let mut missing: BTreeMap<Vec<String>, Vec<Table>> = BTreeMap::new();
        for table in tables {
            missing.entry(self.unread(*table, metrics)).or_default().push(*table);
        }
        missing.retain(|metrics, _| !metrics.is_empty());
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::RecordingBuilder;
    use crate::sample::{Entity, Sample, Schema, Stamp};
    use std::cell::RefCell;

    /// Five samples of a host and two processes; what is read of it is noted.
    #[derive(Default)]
    struct Counted {
        loads: RefCell<Vec<Selection>>,
    }

    impl Source for Counted {
        fn load(&self, selection: &Selection) -> Result<Recording, Error> {
            self.loads.borrow_mut().push(selection.clone());
            let mut schema = Schema::default();
            let mut builder = RecordingBuilder::new(crate::Manifest::default());
            let tables: Vec<Table> = selection.tables.clone();
            for table in &tables {
                schema.push_entity(*table, Entity::new("", ""));
                selection.metrics.iter().for_each(|metric| _ = schema.column(*table, metric));
            }
            let range = selection.from_wall_ns.unwrap_or(0)..=selection.to_wall_ns.unwrap_or(9);
            for at in (0..5).filter(|at| range.contains(at)) {
                let mut sample = Sample::default();
                sample.stamp = Stamp { wall_ns: at, mono_ns: at, boot_ns: at * 10 };
                for table in &tables {
                    sample.row(*table, crate::EntityId(0), selection.metrics.len()).fill(Some(at));
                }
                builder.sample(&schema, &sample);
            }
            Ok(builder.finish())
        }
    }

    #[test]
    fn a_column_is_read_on_first_use_and_once() {
        let source = Counted::default();
        let mut lazy = LazyRecording::open(&source, None, None).unwrap();
        assert_eq!((lazy.recording().stamps().len(), lazy.recording().host("MemFree").is_none()), (5, true));
        lazy.columns(&[Table::Host], &["MemFree"]).unwrap();
        lazy.columns(&[Table::Host], &["MemFree", "Dirty"]).unwrap();
        lazy.columns(&[Table::Zone, Table::Host, Table::Disk], &["MemFree", "Dirty"]).unwrap();
        let points = lazy.recording().host("Dirty").unwrap().points().collect::<Vec<_>>();
        assert_eq!(points, [(0, 0), (10, 1), (20, 2), (30, 3), (40, 4)]);
        lazy.columns_within(&[Table::Process], &["rss"], (10, 20)).unwrap();
        lazy.columns_within(&[Table::Process], &["rss"], (35, 50)).unwrap();
        lazy.columns_within(&[Table::Host], &["Dirty"], (0, 50)).unwrap();
        let rss = lazy.recording().series(Table::Process, "", "rss").unwrap();
        assert_eq!(rss.points().map(|(at, _)| at).collect::<Vec<_>>(), [10, 20, 40]);
        let asked: Vec<String> = source.loads.borrow().iter().map(|load| load.metrics.join(" ")).collect();
        assert_eq!(asked, ["", "MemFree", "Dirty", "MemFree Dirty", "rss", "rss"]);
        assert_eq!(source.loads.borrow()[3].tables, [Table::Zone, Table::Disk], "together");
    }
}

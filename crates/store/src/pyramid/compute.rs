//! Buckets from samples.

use super::bucket::{Bucket, Level};
use crate::layout::{Folder, SegmentName};
use crate::reader::Reader;
use pagetide_core::derived::{Derived, Formula, Interval, Term};
use pagetide_core::{Error, Recording, Selection, Source, Table, Unit};

/// A segment with the samples before it that its first values need.
pub(super) struct Part {
    pub(super) recording: Recording,
    begin_ns: i64,
}

/// The samples of one bucket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    from: i64,
    to: i64,
    end_ns: i64,
}

/// Adds to a selection what a metric of a table needs.
pub(super) fn select(table: Table, metric: &Derived, selection: &mut Selection) {
    for (of, name) in metric.formula.terms().into_iter().flat_map(Term::needs) {
        let of = of.unwrap_or(table);
        if !selection.tables.contains(&of) {
            selection.tables.push(of);
        }
        if !selection.metrics.iter().any(|known| known == name) {
            selection.metrics.push(name.to_owned());
        }
    }
}

impl Part {
    /// Reads a segment, which begins at `begin_ns`, and the end of the one before.
    pub(super) fn load(
        folder: &Folder,
        (name, begin_ns): (&SegmentName, i64),
        before: Option<&SegmentName>,
        selection: &Selection,
    ) -> Result<Self, Error> {
        let reader = Reader::of(folder.of_segments(before.unwrap_or(name), name))?;
        let interval = i64::try_from(reader.manifest().interval.get()).unwrap_or(i64::MAX);
        // An entity without rows in some samples has its last row further back.
        let back = interval.saturating_mul(60).saturating_add(1_000_000_000);
        let selection = Selection { from_wall_ns: Some(begin_ns.saturating_sub(back)), ..selection.clone() };
        Ok(Self { recording: reader.load(&selection)?, begin_ns })
    }

    /// The cells of a level: samples whose wall clock lies in one bucket, and the sample before the first of them.
    pub(super) fn cells(&self, level: Level) -> Vec<Cell> {
        let interval = i64::try_from(self.recording.manifest.interval.get()).unwrap_or(i64::MAX).max(1);
        let mut cells: Vec<Cell> = Vec::new();
        let mut before: Option<i64> = None;
        for stamp in self.recording.stamps() {
            if stamp.wall_ns >= self.begin_ns {
                // A sample stands for the time before it, so one at the end of a bucket belongs to it.
                let end_ns = level.end(stamp.wall_ns);
                match cells.last_mut().filter(|cell| cell.end_ns == end_ns) {
                    Some(cell) => cell.to = stamp.boot_ns,
                    None => cells.push(Cell {
                        from: before.unwrap_or(stamp.boot_ns.saturating_sub(interval)),
                        to: stamp.boot_ns,
                        end_ns,
                    }),
                }
            }
            before = Some(stamp.boot_ns);
        }
        cells
    }

    /// The buckets of a metric of an entity.
    pub(super) fn buckets(&self, cells: &[Cell], table: Table, entity: &str, metric: &'static Derived) -> Vec<Bucket> {
        let Some(walk) = metric.walk(&self.recording, table, entity) else { return Vec::new() };
        self.buckets_of(cells, walk, (table, entity), metric, &metric.intervals(&self.recording, table, entity))
    }

    /// The same where the intervals between samples are known.
    pub(super) fn buckets_of(
        &self,
        cells: &[Cell],
        mut walk: pagetide_core::derived::Walk<'_>,
        (table, entity): (Table, &str),
        metric: &'static Derived,
        intervals: &[Interval],
    ) -> Vec<Bucket> {
        let walk_of = |formula: &'static Formula| formula.walk(Unit::Count, &self.recording, table, entity);
        let whole = metric.formula.denominator(&|form| walk_of(form).is_some());
        let mut whole = whole.and_then(walk_of);
        let (mut buckets, mut at) = (Vec::new(), 0);
        for cell in cells {
            let Some(mean) = walk.over(cell.from, cell.to).filter(|mean| mean.is_finite()) else { continue };
            let (mut min, mut max) = (mean, mean);
            while let Some(interval) = intervals.get(at).filter(|interval| interval.to <= cell.to) {
                if interval.from >= cell.from {
                    (min, max) = (min.min(interval.value), max.max(interval.value));
                }
                at += 1;
            }
            let share = whole.as_mut().map_or(Some(1.0), |whole| whole.over(cell.from, cell.to)).unwrap_or(0.0);
            let weight = share * cell.to.saturating_sub(cell.from) as f64 / 1e9;
            buckets.push(Bucket { end_ns: cell.end_ns, mean, min, max, weight });
        }
        buckets
    }
}

/// The wall clock of the first sample of a segment; absent when it has none.
pub(super) fn begin(folder: &Folder, name: &SegmentName) -> Result<Option<i64>, Error> {
    let reader = Reader::of(folder.of_segments(name, name))?;
    Ok(reader.times(&Selection::default())?.stamps().first().map(|stamp| stamp.wall_ns))
}

//! Series on coarser time: the mean, the smallest and the largest value of each derived metric per 10 s, 2 min, 30 min and 6 h.
//!
//! [`Derived::walk`](pagetide_core::derived::Derived) computes every value from the samples, as for the tables of `show --every`: counters
//! that fall and gaps are treated alike. A sealed segment of some minutes has its buckets in a file in `pyramid/`. Segments without one
//! (open, short, or recorded by an earlier version) have theirs computed on each query. A bucket that two segments share is merged by
//! weight: time, or for a ratio its denominator. A past day has a file in `pyramid-day/` with the longer buckets of its segments, so that a
//! year is read from 365 files.

mod bucket;
mod compute;
mod file;
mod kept;
mod make;
mod metrics;
mod rows;
mod segment;

pub use bucket::{Bucket, Curve, Level};
pub(crate) use make::{after_seal, remove_unfinished};
pub use metrics::of_table as plotted_metrics;

use crate::file_error;
use crate::files::System;
use crate::reader::Reader;
use compute::Part;
use file::Files;
use pagetide_core::{Error, Selection, on_all_cores};
use segment::Segment;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Buckets of some curves.
#[derive(Debug, Clone, Default)]
pub struct Buckets {
    /// For each curve its buckets in order of time, no two with the same end.
    pub curves: Vec<Vec<Bucket>>,
    /// Segments and days whose file is missing.
    pub missing: usize,
}

/// What is read in one go.
enum Unit<'s> {
    /// The file of a whole day, and the checksums that identify it.
    Day(&'s [Segment], Vec<u32>),
    Segment(&'s Segment),
}

/// The buckets of some curves, and how many files were missing.
type Found = (Vec<Vec<Bucket>>, usize);

impl Reader {
    /// The buckets of `curves` that end after `from_ns` and not after `to_ns` (rounded up to a bucket). Files are also looked for in `cache`.
    ///
    /// # Errors
    ///
    /// When the recording cannot be read.
    pub fn buckets(
        &self,
        cache: Option<&Path>,
        (from_ns, to_ns): (i64, i64),
        level: Level,
        curves: &[Curve],
    ) -> Result<Buckets, Error> {
        let failed = |error: io::Error| file_error::reading("read it", self.folder(), &error);
        let files = Files::of(&self.folder, cache).map_err(failed)?;
        let segments = segment::all(&self.folder).map_err(failed)?;
        let in_days = curves
            .iter()
            .all(|curve| make::is_in_days(level, curve.table) && metrics::is_kept(curve.table, curve.metric));
        let is_wanted = |segment: &&Segment| segment.is_in((from_ns, to_ns));
        let mut units = Vec::new();
        for day in segment::by_day(&segments) {
            let checksums = make::worth_a_file(&files, day);
            match checksums.filter(|_| in_days && day.iter().any(|segment| is_wanted(&segment))) {
                Some(checksums) => units.push(Unit::Day(day, checksums)),
                None => units.extend(day.iter().filter(is_wanted).map(Unit::Segment)),
            }
        }
        let mut parts: Vec<Vec<Bucket>> = vec![Vec::new(); curves.len()];
        let mut missing = 0;
        for found in on_all_cores(&units, |unit| self.buckets_of(&files, unit, level, curves)) {
            let (found, lacking) = found?;
            missing += lacking;
            parts.iter_mut().zip(found).for_each(|(all, found)| all.extend(found));
        }
        let wanted = from_ns.saturating_add(1)..=to_ns.saturating_add(level.ns() - 1);
        let curves = parts.into_iter().map(|buckets| {
            let mut by_end: BTreeMap<i64, Vec<Bucket>> = BTreeMap::new();
            for bucket in buckets.into_iter().filter(|bucket| wanted.contains(&bucket.end_ns)) {
                by_end.entry(bucket.end_ns).or_default().push(bucket);
            }
            by_end.into_iter().filter_map(|(end, buckets)| Bucket::merge(end, buckets)).collect()
        });
        Ok(Buckets { curves: curves.collect(), missing })
    }

    fn buckets_of(&self, files: &Files, unit: &Unit<'_>, level: Level, curves: &[Curve]) -> Result<Found, Error> {
        let (day, checksums) = match unit {
            Unit::Segment(segment) => return self.buckets_of_segment(files, segment, level, curves),
            Unit::Day(day, checksums) => (day, checksums),
        };
        let name = day.first().map(|first| first.name.day()).unwrap_or_default();
        if let Some(found) = files.read_day((&name, checksums), level, curves) {
            return Ok((found, 0));
        }
        let (mut all, mut missing) = (vec![Vec::new(); curves.len()], 1);
        for segment in *day {
            let (found, lacking) = self.buckets_of_segment(files, segment, level, curves)?;
            missing += lacking;
            all.iter_mut().zip(found).for_each(|(all, found)| all.extend(found));
        }
        Ok((all, missing))
    }

    fn buckets_of_segment(
        &self,
        files: &Files,
        segment: &Segment,
        level: Level,
        curves: &[Curve],
    ) -> Result<Found, Error> {
        let is_kept = |curve: &Curve| metrics::is_kept(curve.table, curve.metric);
        let (kept, other): (Vec<Curve>, Vec<Curve>) = curves.iter().cloned().partition(is_kept);
        let samples = segment.samples.as_ref();
        let (found, missing) = match samples.and_then(|samples| files.read(samples, level, &kept)) {
            Some(found) => (found, 0),
            None => {
                let is_missing = samples.is_some_and(|samples| make::is_worth_it(&self.folder, samples));
                (self.computed(segment, level, &kept)?, usize::from(is_missing))
            }
        };
        let computed = if other.is_empty() { Vec::new() } else { self.computed(segment, level, &other)? };
        let (mut found, mut computed) = (found.into_iter(), computed.into_iter());
        let next = |curve| if is_kept(curve) { found.next() } else { computed.next() }.unwrap_or_default();
        Ok((curves.iter().map(next).collect(), missing))
    }

    /// Writes the missing files of buckets: into the recording if it belongs to the caller, else into `cache`. Returns how many it wrote.
    ///
    /// # Errors
    ///
    /// When the recording cannot be read or neither folder can be written.
    pub fn make_pyramid(&self, cache: Option<&Path>, stop: &dyn Fn() -> bool) -> Result<usize, Error> {
        let failed = |error: io::Error| file_error::writing("write its pyramid", self.folder(), &error);
        let files = Files::of(&self.folder, cache).map_err(failed)?;
        let target = file::target(self.folder(), cache).map_err(failed)?;
        let segments = segment::all(&self.folder).map_err(failed)?;
        let mut made = 0;
        let missing = |segment: &&Segment| segment.samples.as_ref().is_some_and(|samples| !files.has(samples));
        for segment in segments.iter().filter(missing) {
            if stop() {
                return Ok(made);
            }
            made += usize::from(make::of_segment(&System, &self.folder, &target, segment).map_err(failed)?);
        }
        let files = Files::of(&self.folder, cache).map_err(failed)?;
        for day in segment::by_day(&segments) {
            if stop() {
                break;
            }
            made += usize::from(make::of_day(&System, (&self.folder, &target), &files, day).map_err(failed)?);
        }
        Ok(made)
    }

    /// The buckets of a segment from its samples.
    fn computed(&self, segment: &Segment, level: Level, curves: &[Curve]) -> Result<Vec<Vec<Bucket>>, Error> {
        let mut selection = Selection::default();
        for Curve { table, metric, .. } in curves {
            compute::select(*table, metric, &mut selection);
        }
        let Some(begin_ns) = compute::begin(&self.folder, &segment.name)? else {
            return Ok(vec![Vec::new(); curves.len()]);
        };
        let part = Part::load(&self.folder, (&segment.name, begin_ns), segment.before.as_ref(), &selection)?;
        let cells = part.cells(level);
        let of = |curve: &Curve| part.buckets(&cells, curve.table, &curve.entity, curve.metric);
        Ok(curves.iter().map(of).collect())
    }
}

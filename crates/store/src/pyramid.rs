//! Series on coarser time: the mean, the smallest and the largest value of each derived metric per 10 s, 2 min, 30 min and 6 h.
//!
//! Every value is computed by [`Derived::walk`](pagetide_core::derived::Derived) from the samples, as the tables of `show --every` are:
//! falls and gaps count as they do there. A sealed segment of some minutes has a file in `pyramid/` with its buckets; of segments without
//! one (open, short, or recorded by an earlier version) they are computed when they are asked of. A bucket that two
//! segments share is put together from both by its weights: time, and of a ratio what it is a share of.

mod bucket;
mod compute;
mod file;
mod kept;
mod metrics;

pub use bucket::{Bucket, Curve, Level};
pub(crate) use file::make;
pub use metrics::of_table as plotted_metrics;

use crate::cores::on_all_cores;
use crate::file_error;
use crate::layout::{SealedPath, SegmentName};
use crate::reader::Reader;
use crate::sealed;
use compute::Part;
use pagetide_core::{Error, Selection};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Buckets of some curves.
#[derive(Debug, Clone, Default)]
pub struct Buckets {
    /// For each curve its buckets in order of time, each end once.
    pub curves: Vec<Vec<Bucket>>,
    /// Segments that should have a file in `pyramid/` and have none.
    pub missing: usize,
}

/// A segment with a sealed file of samples, or an open one.
struct Segment {
    name: SegmentName,
    /// The number of the segment before.
    before: Option<u64>,
    samples: Option<SealedPath>,
    /// When the next segment begins.
    next_ns: Option<i64>,
}

impl Reader {
    /// The buckets of `curves` that end after `from_ns` and not after `to_ns` (rounded up to a bucket). `cache` is a folder with pyramids
    /// beside that of the recording.
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
        let failed = |error: io::Error| file_error::io("read it", self.folder(), &error);
        let files = file::Files::of(&self.folder, cache).map_err(failed)?;
        let mut parts: Vec<Vec<Bucket>> = vec![Vec::new(); curves.len()];
        let is_kept: Vec<bool> = curves.iter().map(|curve| metrics::is_kept(curve.table, curve.metric)).collect();
        let some = |wanted: bool| -> Vec<Curve> {
            curves.iter().zip(&is_kept).filter(|(_, kept)| **kept == wanted).map(|(curve, _)| curve.clone()).collect()
        };
        let (kept, other) = (some(true), some(false));
        let mut segments = self.segments().map_err(failed)?;
        segments.retain(|segment| {
            let begin = segment.name.wall_ns();
            begin.is_none_or(|begin| begin <= to_ns) && segment.next_ns.is_none_or(|next| next >= from_ns)
        });
        let read = |segment: &Segment| -> Result<_, Error> {
            let (found, is_missing) = match files.read(&segment.samples, level, &kept) {
                Some(found) => (found, false),
                None => {
                    let samples = segment.samples.as_ref();
                    let is_missing = samples.is_some_and(|path| files.has_room(&self.folder, path));
                    (self.computed(segment, level, &kept)?, is_missing)
                }
            };
            let computed = if other.is_empty() { Vec::new() } else { self.computed(segment, level, &other)? };
            Ok((found, computed, is_missing))
        };
        let mut missing = 0;
        for segment in on_all_cores(&segments, read) {
            let (found, computed, is_missing) = segment?;
            missing += usize::from(is_missing);
            let (mut found, mut computed) = (found.into_iter(), computed.into_iter());
            for (all, is_kept) in parts.iter_mut().zip(&is_kept) {
                all.extend(if *is_kept { found.next() } else { computed.next() }.unwrap_or_default());
            }
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

    /// Makes the files in `pyramid/` that are missing, in the recording where it belongs to the caller, else in `cache`. Gives how many
    /// were made.
    ///
    /// # Errors
    ///
    /// When the recording cannot be read or neither folder can be written.
    pub fn make_pyramid(&self, cache: Option<&Path>, stop: &dyn Fn() -> bool) -> Result<usize, Error> {
        let failed = |error: io::Error| file_error::io("write its pyramid", self.folder(), &error);
        let files = file::Files::of(&self.folder, cache).map_err(failed)?;
        let target = file::target(self.folder(), cache).map_err(failed)?;
        let mut made = 0;
        for segment in self.segments().map_err(failed)? {
            let Some(samples) = segment.samples.filter(|path| !files.has(path)) else { continue };
            if stop() {
                break;
            }
            made += usize::from(file::write(&self.folder, &target, &samples, segment.before).map_err(failed)?);
        }
        Ok(made)
    }

    fn segments(&self) -> io::Result<Vec<Segment>> {
        let mut all: BTreeMap<u64, (SegmentName, Option<SealedPath>)> = BTreeMap::new();
        // Logs first: one that is sealed meanwhile is in one of the lists.
        let logs = self.folder.logs()?;
        for path in self.folder.sealed_files(sealed::SAMPLES)? {
            all.insert(path.name.number, (path.name.clone(), Some(path)));
        }
        for name in logs {
            all.insert(name.number, (name, None));
        }
        let begins: Vec<Option<i64>> = all.values().skip(1).map(|(name, _)| name.wall_ns()).chain([None]).collect();
        let befores: Vec<Option<u64>> = std::iter::once(None).chain(all.keys().copied().map(Some)).collect();
        let segments = all.into_values().zip(befores).zip(begins);
        Ok(segments.map(|(((name, samples), before), next_ns)| Segment { name, before, samples, next_ns }).collect())
    }

    /// The buckets of a segment from its samples.
    fn computed(&self, segment: &Segment, level: Level, curves: &[Curve]) -> Result<Vec<Vec<Bucket>>, Error> {
        let mut selection = Selection::default();
        for Curve { table, metric, .. } in curves {
            compute::select(*table, metric, &mut selection);
        }
        let Some(part) = Part::load(&self.folder, &segment.name, segment.before, &selection)? else {
            return Ok(vec![Vec::new(); curves.len()]);
        };
        let cells = part.cells(level);
        let of = |curve: &Curve| part.buckets(&cells, curve.table, &curve.entity, curve.metric);
        Ok(curves.iter().map(of).collect())
    }
}

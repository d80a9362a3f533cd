//! The segments of a recording, as buckets need them.

use crate::layout::{Folder, SealedPath, SegmentName};
use crate::sealed;
use std::collections::BTreeMap;
use std::io;

/// A segment with a sealed file of samples, or an open one.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) name: SegmentName,
    /// The segment before.
    pub(super) before: Option<SegmentName>,
    pub(super) samples: Option<SealedPath>,
    /// When the next segment begins.
    pub(super) next_ns: Option<i64>,
}

impl Segment {
    /// Whether a time range, in ns since 1970, may have samples of it.
    pub(super) fn is_in(&self, (from_ns, to_ns): (i64, i64)) -> bool {
        let begin = self.name.wall_ns();
        begin.is_none_or(|begin| begin <= to_ns) && self.next_ns.is_none_or(|next| next >= from_ns)
    }
}

/// All segments, in order.
pub(super) fn all(folder: &Folder) -> io::Result<Vec<Segment>> {
    let mut all: BTreeMap<u64, (SegmentName, Option<SealedPath>)> = BTreeMap::new();
    // Logs first, so that one that is sealed during the listing is in one of the lists.
    let logs = folder.logs()?;
    for path in folder.sealed_files(sealed::SAMPLES)? {
        all.insert(path.name.number, (path.name.clone(), Some(path)));
    }
    for name in logs {
        all.insert(name.number, (name, None));
    }
    let begins: Vec<Option<i64>> = all.values().skip(1).map(|(name, _)| name.wall_ns()).chain([None]).collect();
    let befores: Vec<Option<SegmentName>> =
        std::iter::once(None).chain(all.values().map(|(name, _)| Some(name.clone()))).collect();
    let segments = all.into_values().zip(befores).zip(begins);
    Ok(segments.map(|(((name, samples), before), next_ns)| Segment { name, before, samples, next_ns }).collect())
}

/// The segments of each UTC day; a segment lies in one.
pub(super) fn by_day(segments: &[Segment]) -> impl Iterator<Item = &[Segment]> {
    segments.chunk_by(|one, next| one.name.day() == next.name.day())
}

/// The checksums of a past day's files of samples; `None` while one of its segments is open or may still follow.
pub(super) fn checksums(day: &[Segment]) -> Option<Vec<u32>> {
    let checksums = day.iter().map(|segment| segment.samples.as_ref()?.checksum).collect();
    day.last()?.next_ns.and(checksums)
}

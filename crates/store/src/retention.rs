//! How much of a recording is kept: whole sealed segments are removed, the oldest first.

use crate::files::Files;
use crate::layout::{self, Folder, SealedPath};
use crate::sealed;
use pagetide_core::{Bytes, Nanos};
use std::collections::BTreeMap;
use std::io;

/// How many segments are removed for their age when one is sealed.
const MOST_FOR_AGE: usize = 2;

/// How much of a long recording is kept. Without a limit everything is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keep {
    /// Segments whose last sample is older than this are removed, at most two with each new one, so that a clock that jumps ahead
    /// for a moment does not delete the whole recording.
    pub age: Option<Nanos>,
    /// The oldest segments are removed until the files of the recording take at most this. The open segment always stays.
    pub size: Option<Bytes>,
}

/// The part of a limit that a segment may be, so that what is kept exceeds it by little: segments are removed whole.
const PART: u64 = 8;
/// Segments are no smaller than this: each has the names of all that it contains.
const SMALLEST_SEGMENT: Keep = Keep { age: Some(Nanos::new(60_000_000_000)), size: Some(Bytes::new(1 << 20)) };

impl Keep {
    /// The lowest limits that are kept to.
    pub const LOWEST: Self = Self { age: Some(Nanos::new(PART * 60_000_000_000)), size: Some(Bytes::new(PART << 20)) };

    /// How long a segment may last and how large its log may become; absent where the limit does not say.
    pub(crate) fn of_segment(&self) -> Self {
        let Self { age, size } = SMALLEST_SEGMENT;
        Self {
            age: self.age.map(|all| Nanos::new(all.get() / PART)).max(self.age.and(age)),
            size: self.size.map(|all| Bytes::new(all.get() / PART)).max(self.size.and(size)),
        }
    }

    /// Removes what exceeds the limits. `now_wall_ns` is the time of the newest sample, so that opening an old recording does not
    /// shorten it.
    pub(crate) fn apply(&self, files: &dyn Files, folder: &Folder, now_wall_ns: i64) -> io::Result<()> {
        if *self == Self::default() {
            return Ok(());
        }
        let logs = folder.logs()?;
        let segments = by_segment(folder)?;
        let mut total: u64 = logs.iter().map(|name| folder.size(&layout::log(name))).sum();
        total += segments.values().flatten().map(|file| folder.size(&file.path)).sum::<u64>();
        // A segment ends where the next one begins.
        let ends = segments.keys().skip(1).copied().chain(logs.first().map(|name| name.number)).collect::<Vec<_>>();
        let begins: BTreeMap<u64, Option<i64>> = segments
            .iter()
            .map(|(number, files)| (*number, files[0].name.wall_ns()))
            .chain(logs.iter().map(|name| (name.number, name.wall_ns())))
            .collect();
        for (at, (files_of, end)) in segments.values().zip(ends).enumerate() {
            let end = begins.get(&end).copied().flatten();
            let old = at < MOST_FOR_AGE
                && self.age.zip(end).is_some_and(|(age, end)| {
                    i64::try_from(age.get()).is_ok_and(|age| end < now_wall_ns.saturating_sub(age))
                });
            if !old && self.size.is_none_or(|limit| total <= limit.get()) {
                break;
            }
            total = total.saturating_sub(files_of.iter().map(|file| folder.size(&file.path)).sum());
            remove(files, folder, files_of)?;
        }
        Ok(())
    }

    /// Removes the oldest sealed segment to make room on a full disk, if there is a limit of age or size. Returns whether there was one.
    pub(crate) fn make_room(&self, files: &dyn Files, folder: &Folder) -> io::Result<bool> {
        if *self == Self::default() {
            return Ok(false);
        }
        let segments = by_segment(folder)?;
        let oldest = segments.values().next();
        oldest.map_or(Ok(false), |files_of| remove(files, folder, files_of).map(|()| true))
    }
}

/// The sealed files of each segment. Readers skip a segment without its file of samples, so that file is listed, and removed, first.
fn by_segment(folder: &Folder) -> io::Result<BTreeMap<u64, Vec<SealedPath>>> {
    let mut segments: BTreeMap<u64, Vec<SealedPath>> = BTreeMap::new();
    for kind in sealed::folders() {
        for file in folder.sealed_files(kind)? {
            segments.entry(file.name.number).or_default().push(file);
        }
    }
    Ok(segments)
}

/// Removes the files of a segment, and folders that this leaves empty.
fn remove(files: &dyn Files, folder: &Folder, of_segment: &[SealedPath]) -> io::Result<()> {
    for file in of_segment {
        files.remove(folder.dir(), &file.path)?;
        for above in file.path.ancestors().skip(1).take(2) {
            files.remove_empty_folder(folder.dir(), above)?;
        }
    }
    Ok(())
}

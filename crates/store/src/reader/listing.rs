//! The files of a recording, by segment.
//!
//! The files of a sealed segment do not change, and each has one of samples. So a reader lists the other tables again, which takes some seventy system
//! calls and more for each day, only where a log or a file of samples came or went.

use super::segment::SealedFiles;
use crate::layout::{Folder, SealedPath, SegmentName};
use crate::sealed;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The sealed files by segment, then by table.
pub(super) type SealedSegments = BTreeMap<u64, SealedFiles>;

/// The segments of a recording.
#[derive(Debug, Clone)]
pub(super) struct Listing {
    /// The open ones. One that is being sealed is among the others as well.
    pub(super) logs: BTreeMap<u64, SegmentName>,
    pub(super) sealed: Arc<SealedSegments>,
}

/// Sealed files that a reader remembers, at most: some weeks of hours. A year has 100 000, with a path of some 200 bytes each.
const MAX_KEPT: usize = 8192;

/// What a reader listed last.
#[derive(Debug, Default)]
pub(super) struct Listings(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    samples: Vec<SealedPath>,
    listing: Listing,
}

impl Listings {
    /// The segments now.
    pub(super) fn now(&self, folder: &Folder) -> io::Result<Listing> {
        // Logs are listed first, so that a segment that is sealed during the listing is in one of the lists. If it is in both, its log counts.
        let logs: BTreeMap<u64, SegmentName> = folder.logs()?.into_iter().map(|name| (name.number, name)).collect();
        let samples = folder.sealed_files(sealed::SAMPLES)?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.as_ref().filter(|known| known.samples == samples && known.listing.logs == logs) {
            return Ok(known.listing.clone());
        }
        let sealed = segments(folder, samples.clone())?;
        let files: usize = sealed.values().flat_map(BTreeMap::values).map(Vec::len).sum();
        let listing = Listing { logs, sealed: Arc::new(sealed) };
        // Of a segment that is being sealed more files may come.
        let whole = listing.logs.keys().all(|number| !listing.sealed.contains_key(number));
        *kept = (files <= MAX_KEPT && whole).then(|| Kept { samples, listing: listing.clone() });
        Ok(listing)
    }

    /// Lists anew from now on: a file was not there that was listed, or is missing.
    pub(super) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The sealed files, those of samples as they were listed.
fn segments(folder: &Folder, samples: Vec<SealedPath>) -> io::Result<SealedSegments> {
    let mut segments = SealedSegments::new();
    let mut add = |kind, files: Vec<SealedPath>| {
        files
            .into_iter()
            .for_each(|file| segments.entry(file.name.number).or_default().entry(kind).or_default().push(file));
    };
    add(sealed::SAMPLES, samples);
    for kind in sealed::kinds().filter(|kind| *kind != sealed::SAMPLES) {
        add(kind, folder.sealed_files(kind)?);
    }
    Ok(segments)
}

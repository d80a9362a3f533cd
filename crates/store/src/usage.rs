//! What a recording takes on disk.

use crate::layout::{self, Folder};
use crate::{file_error, sealed};
use pagetide_core::{Bytes, Error};
use pagetide_dir::Dir;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// What a recording takes on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Sealed segments.
    pub sealed: u64,
    /// Segments that are still logs: the one being written, and those that wait to be sealed.
    pub open: u64,
    /// Size of all of them.
    pub size: Bytes,
}

impl Usage {
    /// Counts the segments in a recording's folder and their size. Zero if there is no recording.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn of(folder: &Path) -> Result<Self, Error> {
        let failed = |error| file_error::reading("look into it", folder, &error);
        let folder = match Dir::open(folder) {
            Ok(dir) => Folder::new(dir),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { sealed: 0, open: 0, size: Bytes::ZERO });
            }
            // A cut: one log.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                let size = std::fs::metadata(folder).map_err(failed)?.len();
                return Ok(Self { sealed: 0, open: 1, size: Bytes::new(size) });
            }
            Err(error) => return Err(failed(error)),
        };
        let logs = folder.logs().map_err(failed)?;
        let mut bytes: u64 = logs.iter().map(|name| folder.size(&layout::log(name))).sum();
        let open: BTreeSet<u64> = logs.iter().map(|name| name.number).collect();
        let mut segments = BTreeSet::new();
        for kind in sealed::folders() {
            for file in folder.sealed_files(kind).map_err(failed)? {
                bytes += folder.size(&file.path);
                segments.insert(file.name.number);
            }
        }
        // A segment that is being sealed is in both; its log is what counts.
        let sealed = segments.difference(&open).count() as u64;
        Ok(Self { sealed, open: open.len() as u64, size: Bytes::new(bytes) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{give, manifest, short};
    use crate::{Reader, Writer};
    use pagetide_core::{Selection, Sink, Source};

    #[test]
    fn segments_are_counted_open_and_sealed() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("r");
        assert_eq!(Usage::of(&folder).unwrap(), Usage { sealed: 0, open: 0, size: Bytes::ZERO });
        let given = short(8, 1);
        let mut writer = Writer::create(&folder).unwrap();
        writer.begin(&manifest()).unwrap();
        let (first, second) = given.split_at(given.len() / 2);
        first.iter().for_each(|given| give(&mut writer, given).unwrap());
        let usage = Usage::of(&folder).unwrap();
        assert_eq!((usage.sealed, usage.open), (0, 1));
        assert!(usage.size > Bytes::ZERO);
        writer.end_segment();
        writer.end_segment();
        second.iter().for_each(|given| give(&mut writer, given).unwrap());
        writer.finish(&manifest()).unwrap();
        let usage = Usage::of(&folder).unwrap();
        assert_eq!((usage.sealed, usage.open), (2, 0), "ended once by hand, once by the end");
        let whole = Reader::open(&folder).unwrap().load(&Selection::default()).unwrap();
        assert_eq!(whole, crate::test_support::recording(&manifest(), &given));
    }
}

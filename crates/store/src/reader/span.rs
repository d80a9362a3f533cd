//! From when to when a recording is, without reading what lies between.

use super::Reader;
use super::segment::SealedFiles;
use crate::budget::Budget;
use crate::layout::SegmentName;
use crate::log::{Event, LogError, LogReader};
use crate::sealed::{self, SealedError, SealedFile};
use crate::{file_error, layout};
use pagetide_core::Error;
use std::collections::BTreeMap;
use std::io::{self, BufReader};

impl Reader {
    /// The wall clock of the first sample and of the last one; absent when there is no sample.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn span(&self) -> Result<Option<(i64, i64)>, Error> {
        self.find_span().map_err(|error| file_error::io("look into it", self.folder(), &error))
    }

    /// Whether a segment is open: a recorder runs, or was killed.
    pub fn is_open(&self) -> bool {
        self.folder.logs().is_ok_and(|logs| !logs.is_empty())
    }

    fn find_span(&self) -> io::Result<Option<(i64, i64)>> {
        let logs: BTreeMap<u64, SegmentName> =
            self.folder.logs()?.into_iter().map(|name| (name.number, name)).collect();
        let sealed = self.sealed_segments()?;
        let numbers: std::collections::BTreeSet<u64> = logs.keys().chain(sealed.keys()).copied().collect();
        let of = |number: &u64| match (logs.get(number), sealed.get(number)) {
            (Some(log), _) => self.span_of_log(log),
            (None, Some(files)) => Ok(self.span_of_sealed(files)),
            (None, None) => Ok(None),
        };
        let begin = numbers.iter().find_map(|number| of(number).transpose()).transpose()?;
        let end = numbers.iter().rev().find_map(|number| of(number).transpose()).transpose()?;
        Ok(begin.zip(end).map(|((from, _), (_, to))| (from, to)))
    }

    fn span_of_log(&self, name: &SegmentName) -> io::Result<Option<(i64, i64)>> {
        let file = match self.folder.open_log(name) {
            Ok(file) => file,
            // It was sealed since the list was made: its name says when it began.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(name.wall_ns().map(|at| (at, at))),
            Err(error) => {
                return Err(io::Error::new(error.kind(), format!("{}: {error}", layout::log(name).display())));
            }
        };
        let mut log = match LogReader::open(BufReader::new(file), &Budget::default()) {
            Ok(log) => log,
            Err(LogError::Io(error)) => return Err(error),
            Err(_) => return Ok(None),
        };
        let mut span = None;
        while let Some(event) = log.next()? {
            if matches!(event, Event::Sample) {
                let wall = log.sample().stamp.wall_ns;
                span = Some(span.map_or((wall, wall), |(from, to): (i64, i64)| (from.min(wall), to.max(wall))));
            }
        }
        Ok(span)
    }

    /// Absent of a damaged one, which loading reports.
    fn span_of_sealed(&self, files: &SealedFiles) -> Option<(i64, i64)> {
        let path = files.get(sealed::SAMPLES)?.last()?;
        let read = || -> Result<Option<(i64, i64)>, SealedError> {
            let file = SealedFile::open(&self.folder, path, &Budget::default())?;
            Ok(file.range(file.column_named("wall_ns")?))
        };
        read().ok().flatten()
    }
}

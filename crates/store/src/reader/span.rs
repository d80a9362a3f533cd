//! The first and the last time of a recording, without reading what lies between.

use super::Reader;
use super::damage;
use super::listing::Listing;
use super::segment::SealedFiles;
use crate::budget::Budget;
use crate::layout::SegmentName;
use crate::log::{Event, LogError, LogReader};
use crate::sealed::{self, SealedError, SealedFile};
use crate::{file_error, layout};
use pagetide_core::{Error, Nanos};
use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::sync::Arc;

/// A segment as it lies in the folder.
enum Listed {
    Open(SegmentName),
    Sealed(SealedFiles),
}

impl Listed {
    fn name(&self) -> Option<&SegmentName> {
        match self {
            Self::Open(name) => Some(name),
            Self::Sealed(files) => files.values().flatten().next().map(|file| &file.name),
        }
    }
}

impl Reader {
    /// The wall clock of the first and the last sample, in ns since 1970; `None` without samples.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn span(&self) -> Result<Option<(i64, i64)>, Error> {
        self.find_span().map_err(|error| file_error::reading("look into it", self.folder(), &error))
    }

    /// The gaps between segments that are longer than `shortest`, in ns since 1970. A segment lies in one UTC day, so every gap of a day or more
    /// is among them.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn gaps(&self, shortest: Nanos) -> Result<Vec<(i64, i64)>, Error> {
        self.find_gaps(shortest).map_err(|error| file_error::reading("look into it", self.folder(), &error))
    }

    fn find_gaps(&self, shortest: Nanos) -> io::Result<Vec<(i64, i64)>> {
        let shortest = i64::try_from(shortest.get()).unwrap_or(i64::MAX);
        let is_long = |from: i64, to: i64| to.saturating_sub(from) > shortest;
        let segments = self.listed()?;
        let mut gaps = Vec::new();
        for (one, next) in segments.iter().zip(segments.iter().skip(1)) {
            // Their names say when they began. Where two are far apart, the end of the first is read.
            let (Some(from), Some(to)) =
                (one.name().and_then(SegmentName::wall_ns), next.name().and_then(SegmentName::wall_ns))
            else {
                continue;
            };
            if !is_long(from, to) {
                continue;
            }
            let ends = self.span_of(one)?.zip(self.span_of(next)?);
            gaps.extend(ends.map(|((_, from), (to, _))| (from, to)).filter(|(from, to)| is_long(*from, *to)));
        }
        Ok(gaps)
    }

    /// Whether a segment is open: a recorder runs, or was killed.
    pub fn is_open(&self) -> bool {
        self.folder.logs().is_ok_and(|logs| !logs.is_empty())
    }

    fn find_span(&self) -> io::Result<Option<(i64, i64)>> {
        let segments = self.listed()?;
        let begin = segments.iter().find_map(|segment| self.span_of(segment).transpose()).transpose()?;
        let end = segments.iter().rev().find_map(|segment| self.span_of(segment).transpose()).transpose()?;
        Ok(begin.zip(end).map(|((from, _), (_, to))| (from, to)))
    }

    /// All segments, in order. One that is being sealed is listed as its log.
    fn listed(&self) -> io::Result<Vec<Listed>> {
        let Listing { logs, sealed } = self.listings.now(&self.folder)?;
        let sealed = Arc::unwrap_or_clone(sealed).into_iter().map(|(number, files)| (number, Listed::Sealed(files)));
        let mut segments: BTreeMap<u64, Listed> = sealed.collect();
        segments.extend(logs.into_iter().map(|(number, name)| (number, Listed::Open(name))));
        Ok(segments.into_values().collect())
    }

    fn span_of(&self, segment: &Listed) -> io::Result<Option<(i64, i64)>> {
        match segment {
            Listed::Open(name) => self.span_of_log(name),
            Listed::Sealed(files) => Ok(self.span_of_sealed(files)),
        }
    }

    fn span_of_log(&self, name: &SegmentName) -> io::Result<Option<(i64, i64)>> {
        let file = match self.folder.open_log(name) {
            Ok(file) => file,
            // It was sealed since it was listed: its name says when it began.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(name.wall_ns().map(|at| (at, at))),
            // Loading reports it.
            Err(error) if damage::is_foreign(&error) => return Ok(None),
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

    /// `None` for a damaged one, which loading reports.
    fn span_of_sealed(&self, files: &SealedFiles) -> Option<(i64, i64)> {
        let path = files.get(sealed::SAMPLES)?.last()?;
        let read = || -> Result<Option<(i64, i64)>, SealedError> {
            let file = SealedFile::open(&self.folder, path, &Budget::default())?;
            Ok(file.range(file.column_named("wall_ns")?))
        };
        read().ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use crate::test_support::{give, manifest, short};
    use crate::{Reader, Writer};
    use pagetide_core::{Nanos, Selection, Sink, Source};

    #[test]
    fn gaps_lie_between_segments_and_marks_are_those_of_the_whole() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("r");
        let mut writer = Writer::create(&folder).unwrap();
        writer.begin(&manifest()).unwrap();
        short(12, 3).iter().for_each(|given| give(&mut writer, given).unwrap());
        writer.finish(&manifest()).unwrap();
        let reader = Reader::open(&folder).unwrap();
        let times = reader.times(&Selection::default()).unwrap();
        let walls: Vec<i64> = times.stamps().iter().map(|stamp| stamp.wall_ns).collect();
        let hour = Nanos::new(3_600_000_000_000);
        let longer = walls.windows(2).map(|pair| (pair[0], pair[1])).filter(|(from, to)| to - from > 3_600_000_000_000);
        let longer: Vec<(i64, i64)> = longer.collect();
        assert!(!longer.is_empty(), "{walls:?}");
        assert_eq!(reader.gaps(hour).unwrap(), longer);
        assert_eq!(reader.gaps(Nanos::new(u64::MAX)).unwrap(), []);
        assert_eq!(reader.marks().unwrap(), times.marks);
    }
}

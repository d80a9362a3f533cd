//! Whether a log has records after the place where reading ended.

use super::decode::{LogError, LogReader};
use super::frame;
use crate::budget::{Budget, Exceeded};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// Bytes hashed in a search for a record behind damage, at most. In damaged bytes nearly every offset may look like the start of a long
/// record.
const MOST_HASHED: u64 = 1 << 29;

/// Whether a valid record follows anywhere behind `offset`, where reading ended. A crash leaves at most a part of the last write.
/// A valid record after it means that the log was damaged; so does a part too large to search.
pub(crate) fn continues_behind(mut file: File, offset: u64, budget: &Budget) -> io::Result<bool> {
    file.seek(SeekFrom::Start(offset))?;
    let length = file.metadata()?.len().saturating_sub(offset);
    let (mut rest, held) = (Vec::new(), budget.hold());
    held.charge(length)?;
    rest.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(Exceeded::from)?;
    // Records written during the search do not count.
    file.take(length).read_to_end(&mut rest)?;
    let mut hashed = 0;
    for at in 1..rest.len() {
        let Some(content) = frame::content(&rest[at..]) else { continue };
        hashed += content.len() as u64;
        if hashed > MOST_HASHED || frame::starts(&rest[at..], offset + at as u64) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// [`continues_behind`] for a log that may be written meanwhile: a record that is valid at `offset` now was written since.
pub(crate) fn is_damaged_at(file: File, offset: u64, budget: &Budget) -> io::Result<bool> {
    let mut start = Vec::new();
    let mut beginning = file.try_clone()?;
    beginning.seek(SeekFrom::Start(offset))?;
    beginning.take(LONGEST_RECORD).read_to_end(&mut start)?;
    Ok(!start.is_empty() && !frame::starts(&start, offset) && continues_behind(file, offset, budget)?)
}

/// Whether a log that could not be opened has valid records further on. If its first record was written since, it can be opened now.
pub(crate) fn has_lost_its_beginning(mut file: File, budget: &Budget) -> io::Result<bool> {
    if !continues_behind(file.try_clone()?, 0, budget)? {
        return Ok(false);
    }
    file.rewind()?;
    match LogReader::open(BufReader::new(file), budget) {
        Err(LogError::NotALog) => Ok(true),
        Err(LogError::Io(error)) => Err(error),
        Ok(_) | Err(LogError::Newer(_)) => Ok(false),
    }
}

/// A record has at most 64 MiB, plus its frame.
const LONGEST_RECORD: u64 = (64 << 20) + 64;

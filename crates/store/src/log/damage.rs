//! Whether a log is damaged at the place where reading ended: a crash leaves nothing there, or the beginning of a record.

use super::decode::{LogError, LogReader};
use super::frame::{self, HEADER};
use crate::budget::{Budget, Exceeded};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// Bytes hashed in a search for a record behind damage, at most. In damaged bytes nearly every offset may look like the start of a long
/// record.
const MOST_HASHED: u64 = 1 << 29;

/// Whether what follows from `offset` on, where reading ended, is more than the part of the last write that a crash leaves: bytes that no writer
/// wrote, such as the zeros that a power cut leaves, or a valid record further on. So is a part too large to search.
pub(crate) fn is_damaged_behind(mut file: File, offset: u64, budget: &Budget) -> io::Result<bool> {
    file.seek(SeekFrom::Start(offset))?;
    let length = file.metadata()?.len().saturating_sub(offset);
    let (mut rest, held) = (Vec::new(), budget.hold());
    held.charge(length)?;
    rest.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(Exceeded::from)?;
    // Records written during the search do not count.
    file.take(length).read_to_end(&mut rest)?;
    if frame::is_foreign(&rest) {
        return Ok(true);
    }
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

/// [`is_damaged_behind`] for a log that may be written meanwhile: a record that is valid at `offset` now was written since.
pub(crate) fn is_damaged_at(file: File, offset: u64, budget: &Budget) -> io::Result<bool> {
    let mut again = file.try_clone()?;
    if !is_damaged_behind(file, offset, budget)? {
        return Ok(false);
    }
    let mut record = Vec::new();
    again.seek(SeekFrom::Start(offset))?;
    again.take(LONGEST_RECORD).read_to_end(&mut record)?;
    Ok(!frame::starts(&record, offset))
}

/// Whether a log that could not be opened has more than a part of its first write. If its first record was written since, it can be opened
/// now.
pub(crate) fn has_lost_its_beginning(mut file: File, budget: &Budget) -> io::Result<bool> {
    let mut header = Vec::new();
    file.rewind()?;
    (&file).take(HEADER as u64).read_to_end(&mut header)?;
    let Ok(header) = <[u8; HEADER]>::try_from(header.as_slice()) else { return Ok(false) };
    if frame::version(&header).is_some() && !is_damaged_behind(file.try_clone()?, HEADER as u64, budget)? {
        return Ok(false);
    }
    file.rewind()?;
    match LogReader::open(BufReader::new(file), budget) {
        Err(LogError::NotALog) => Ok(true),
        Err(LogError::Io(error)) => Err(error),
        Ok(_) | Err(LogError::Manifest(_) | LogError::Newer(_)) => Ok(false),
    }
}

/// A record has at most 64 MiB, plus its frame.
const LONGEST_RECORD: u64 = (64 << 20) + 64;

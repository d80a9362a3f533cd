//! Rows that were computed before. A second run over a fleet reads only the days that have new files.
//!
//! The cache lies where only the user can write: a row that somebody else could plant would be believed. An entry begins with what its
//! rows depend on; one that was made by another version, of other files or for another range is not used and is replaced.

use crate::row::{MADE_BY, Row};
use crate::unit::{TimeRange, Unit};
use pagetide_core::{Error, os_text};
use pagetide_dir::Dir;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// No entry is larger.
const MAX_ENTRY_BYTES: u64 = 64 << 20;
/// Names of entries are spread over as many folders.
const FOLDERS: u64 = 256;

/// A folder of rows that were computed before.
#[derive(Debug)]
pub struct RowCache {
    dir: Dir,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Key {
    made_by: String,
    recording: String,
    date: String,
    files: String,
    from_ns: Option<i64>,
    until_ns: Option<i64>,
}

#[derive(Deserialize)]
struct Entry {
    key: Key,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct NewEntry<'a> {
    key: &'a Key,
    rows: &'a [Row],
}

impl RowCache {
    /// Opens the cache in a folder, which is made when it is missing.
    ///
    /// # Errors
    ///
    /// The folder belongs to another user or cannot be made.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let failed = |error: io::Error| {
            let why = os_text(&error);
            Error::system(
                format!("{}: cannot cache rows there: {why}", folder.display()),
                "set XDG_CACHE_HOME to a folder of your own, or use --no-cache",
            )
        };
        let dir = Dir::own(folder, None).map_err(failed)?;
        dir.make_private().map_err(failed)?;
        Ok(Self { dir })
    }

    /// The rows of a unit, when they were computed before.
    pub(crate) fn get(&self, unit: &Unit, range: TimeRange) -> Option<Vec<Row>> {
        let text = self.dir.read(&path(unit)?, MAX_ENTRY_BYTES).ok()?;
        let entry: Entry = serde_json::from_slice(&text).ok()?;
        (entry.key == key(unit, range)?).then_some(entry.rows)
    }

    /// Keeps the rows of a unit. A cache that cannot be written costs time, not the answer.
    pub(crate) fn put(&self, unit: &Unit, range: TimeRange, rows: &[Row]) {
        let (Some(path), Some(key)) = (path(unit), key(unit, range)) else { return };
        let Ok(text) = serde_json::to_vec(&NewEntry { key: &key, rows }) else { return };
        let folder = path.parent().unwrap_or(Path::new(""));
        if self.dir.make_dir(folder).is_ok() {
            let _ = self.dir.replace(&path, &text);
        }
    }
}

/// What the rows of a unit depend on. The range counts only where it divides the day.
fn key(unit: &Unit, range: TimeRange) -> Option<Key> {
    let date = unit.date.clone()?;
    let begin = crate::unit::begin_of(&date)?;
    let (from_ns, until_ns) = (range.from_ns.filter(|from| *from > begin), range.until_ns);
    // A day that is over for a while cannot be ahead of the clock, whenever it is asked about.
    let over = until_ns.saturating_sub(begin) > 2 * crate::unit::DAY;
    Some(Key {
        made_by: MADE_BY.to_owned(),
        recording: unit.recording.clone(),
        date,
        files: unit.files.clone(),
        from_ns,
        until_ns: (!over).then_some(until_ns - until_ns.rem_euclid(crate::unit::HOUR)),
    })
}

/// Where the entry of a unit is.
fn path(unit: &Unit) -> Option<PathBuf> {
    let date = unit.date.as_ref()?;
    // FNV-1a spreads the names; the entry itself says what it is of.
    let bytes = unit.recording.bytes().chain([0]).chain(date.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    Some(PathBuf::from(format!("{:02x}/{hash:016x}-{date}.json", hash % FOLDERS)))
}

//! Maps a fleet on this machine, with all its cores.

use crate::cache::RowCache;
use crate::location;
use crate::map::map_unit;
use crate::row::{self, Row};
use crate::unit::{TimeRange, Unit, units};
use pagetide_core::Error;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Recordings that were found.
    pub recordings: u64,
    /// Units of work: days of recordings.
    pub units: u64,
    /// Those whose rows are there.
    pub done: u64,
    /// Those of them whose rows were computed by an earlier run.
    pub cached: u64,
}

/// Watches a run, from many threads.
pub trait Observer: Sync {
    /// A unit is done.
    fn progress(&self, tally: Tally);
    /// Whether the user wants it to stop.
    fn interrupted(&self) -> bool;
}

/// Maps all recordings below folders. Each core holds one hour of one recording at a time, and all rows are kept.
///
/// # Errors
///
/// A folder cannot be read or has no recording; the user ended it: what was computed by then is in the cache.
pub fn run(
    folders: &[PathBuf],
    range: TimeRange,
    cache: Option<&RowCache>,
    observer: &dyn Observer,
) -> Result<(Vec<Row>, Tally), Error> {
    let mut recordings = BTreeSet::new();
    for folder in folders {
        let found = location::recordings(folder)?;
        if found.is_empty() {
            return Err(Error::input(
                format!("{}: contains no recording", folder.display()),
                "name a folder of recordings, one per host: `pagetide record -o FOLDER/HOST` makes one",
            ));
        }
        recordings.extend(found);
    }
    pagetide_store::share_memory(rayon::current_num_threads());
    pagetide_core::share_cores(rayon::current_num_threads());
    let units: Vec<Unit> = recordings.par_iter().flat_map_iter(|recording| units(recording, range)).collect();
    let (done, cached) = (AtomicU64::new(0), AtomicU64::new(0));
    let tally = || Tally {
        recordings: recordings.len() as u64,
        units: units.len() as u64,
        done: done.load(Ordering::Relaxed),
        cached: cached.load(Ordering::Relaxed),
    };
    let texts = Mutex::new(HashSet::new());
    let parts: Vec<Vec<Row>> = units
        .par_iter()
        .map(|unit| {
            if observer.interrupted() {
                return Vec::new();
            }
            let known = cache.and_then(|cache| cache.get(unit, range));
            let mut rows = if let Some(rows) = known {
                cached.fetch_add(1, Ordering::Relaxed);
                rows
            } else {
                let rows = map_unit(unit, range);
                cache.iter().for_each(|cache| cache.put(unit, range, &rows));
                rows
            };
            row::share_texts(&mut rows, &mut texts.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
            done.fetch_add(1, Ordering::Relaxed);
            observer.progress(tally());
            rows
        })
        .collect();
    if observer.interrupted() {
        return Err(Error::interrupted());
    }
    let mut rows: Vec<Row> = parts.into_iter().flatten().collect();
    row::sort(&mut rows);
    Ok((rows, tally()))
}

//! Buckets of recordings that have none yet: made in the background, once.

use pagetide_store::Reader;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

/// Makes them, one recording after the other.
#[derive(Debug)]
pub(crate) struct Pyramids {
    cache: Option<PathBuf>,
    /// The folders that were taken up; none is tried twice.
    tried: Mutex<BTreeSet<PathBuf>>,
    /// Held while working, so that one works at a time.
    turn: Arc<Mutex<()>>,
    stop: Arc<AtomicBool>,
}

impl Pyramids {
    pub(crate) fn new(cache: Option<PathBuf>) -> Self {
        Self { cache, tried: Mutex::default(), turn: Arc::default(), stop: Arc::default() }
    }

    /// The folder for those of recordings that cannot be written.
    pub(crate) fn cache(&self) -> Option<&Path> {
        self.cache.as_deref()
    }

    /// Starts to make those of a recording, unless that was tried before.
    pub(crate) fn make(&self, reader: &Arc<Reader>) {
        let is_new = self.tried.lock().unwrap_or_else(PoisonError::into_inner).insert(reader.folder().to_owned());
        if !is_new {
            return;
        }
        let (reader, cache) = (Arc::clone(reader), self.cache.clone());
        let (turn, stop) = (Arc::clone(&self.turn), Arc::clone(&self.stop));
        let work = move || {
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            // Without them a request takes longer, but gives the same answer.
            let _ = reader.make_pyramid(cache.as_deref(), &|| stop.load(Ordering::Relaxed));
        };
        let _ = Builder::new().name("pyramid".into()).spawn(work);
    }

    /// Ends the work after the segment that it is at.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

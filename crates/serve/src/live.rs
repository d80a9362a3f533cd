//! This host now: one sampler for all open pages.
//!
//! The first page that opens the stream starts it and the last one that leaves ends it, some seconds later, so that a reload keeps the
//! last minutes. Two threads work for all pages: one makes a frame of each sample, one has the rules look. A page takes the newest
//! frame when it is ready for it, so a slow one holds up nobody and no queue grows.

mod frame;

pub(crate) use frame::{Frame, columns};

use crate::watch::{self, Holding};
use pagetide_core::{Error, Manifest, Nanos, Selection, Source};
use pagetide_diagnose::LastingKey;
use pagetide_recorder::{History, Protection, Recorder, Scope};
use pagetide_store::Reader;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};
use tokio::sync::watch as newest;

/// After the last page left: a reload takes less.
const LINGER: Duration = Duration::from_secs(10);
/// Time between two runs of the rules.
const LOOK_INTERVAL: Duration = Duration::from_nanos(pagetide_diagnose::LOOK_INTERVAL.get());
/// Pages at once.
const MOST_PAGES: usize = 32;

/// Samples this host while a page is open.
#[derive(Debug)]
pub(crate) struct Live {
    /// The recording that a recorder of this host writes.
    follow: Option<PathBuf>,
    interval: Nanos,
    session: Mutex<Option<Session>>,
    changed: Condvar,
}

/// What pages get.
#[derive(Debug, Clone, Default)]
pub(crate) struct Newest {
    pub(crate) frame: Option<Arc<Frame>>,
    pub(crate) findings: Arc<BTreeMap<LastingKey, Holding>>,
    /// Why there are no more frames.
    pub(crate) problem: Option<Arc<Error>>,
}

#[derive(Debug)]
struct Session {
    number: u64,
    source: LiveSource,
    manifest: Manifest,
    pages: usize,
    /// When the last page left.
    idle: Option<Instant>,
    newest: newest::Sender<Newest>,
    /// Absent where a recording is followed.
    recorder: Option<Recorder>,
}

/// Where the samples are.
#[derive(Debug, Clone)]
enum LiveSource {
    Samples(History),
    /// One reader is kept, because it continues where it ended.
    Recording(Arc<Reader>),
}

impl Source for LiveSource {
    fn load(&self, selection: &Selection) -> Result<pagetide_core::Recording, Error> {
        match self {
            Self::Samples(history) => history.load(selection),
            Self::Recording(reader) => reader.load(&recent(selection)),
        }
    }

    fn times(&self, selection: &Selection) -> Result<pagetide_core::Recording, Error> {
        match self {
            Self::Samples(history) => history.times(selection),
            Self::Recording(reader) => reader.times(&recent(selection)),
        }
    }
}

/// The last half hour of a followed recording; earlier samples are in the list of recordings.
fn recent(selection: &Selection) -> Selection {
    const RECENT_NS: i64 = 30 * 60 * 1_000_000_000;
    let begin = pagetide_recorder::now().wall_ns.saturating_sub(RECENT_NS);
    Selection { from_wall_ns: selection.from_wall_ns.max(Some(begin)), ..selection.clone() }
}

/// An open page. Dropping this closes it.
#[derive(Debug)]
pub(crate) struct Visit {
    live: Arc<Live>,
    pub(crate) newest: newest::Receiver<Newest>,
    pub(crate) manifest: Manifest,
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut session = self.live.session();
        if let Some(session) = session.as_mut() {
            session.pages = session.pages.saturating_sub(1);
            if session.pages == 0 {
                session.idle = Some(Instant::now());
            }
        }
    }
}

impl Live {
    pub(crate) fn new(follow: Option<PathBuf>, interval: Nanos) -> Self {
        Self { follow, interval, session: Mutex::new(None), changed: Condvar::new() }
    }

    /// Time between samples.
    pub(crate) fn interval(&self) -> Nanos {
        self.interval
    }

    /// `samples` of its own, or those of a `recording`.
    pub(crate) fn source_name(&self) -> &'static str {
        if self.follow.is_some() { "recording" } else { "samples" }
    }

    fn session(&self) -> MutexGuard<'_, Option<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is sampled, and of what host; absent when no page is open.
    pub(crate) fn source(&self) -> Option<(Box<dyn Source + Send + Sync>, Manifest)> {
        let session = self.session();
        let session = session.as_ref()?;
        Some((Box::new(session.source.clone()), session.manifest.clone()))
    }

    /// Takes part, and starts the sampler for the first page.
    ///
    /// # Errors
    /// There are too many pages, or the host cannot be sampled.
    pub(crate) fn visit(self: &Arc<Self>) -> Result<Visit, Error> {
        let mut guard = self.session();
        if guard.is_none() {
            *guard = Some(self.start()?);
        }
        let Some(session) = guard.as_mut() else {
            return Err(Error::system("no samples are being taken", "try again"));
        };
        if session.pages >= MOST_PAGES {
            return Err(Error::system(format!("{MOST_PAGES} live pages are open"), "close one"));
        }
        session.pages += 1;
        session.idle = None;
        Ok(Visit { live: Arc::clone(self), newest: session.newest.subscribe(), manifest: session.manifest.clone() })
    }

    fn start(self: &Arc<Self>) -> Result<Session, Error> {
        static NUMBERS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        let number = NUMBERS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let (source, manifest, recorder) = match &self.follow {
            Some(folder) => {
                let reader = Reader::open(folder)?;
                let manifest = reader.manifest().clone();
                (LiveSource::Recording(Arc::new(reader)), manifest, None)
            }
            None => {
                let (recorder, history) = Recorder::in_memory(self.interval, Scope::All, Protection::default())?;
                let manifest = history.times(&Selection::default())?.manifest;
                (LiveSource::Samples(history), manifest, Some(recorder))
            }
        };
        let (newest, _) = newest::channel(Newest::default());
        for (name, work) in [("live", Self::frames as fn(&Self, u64)), ("findings", Self::findings)] {
            let live = Arc::clone(self);
            Builder::new().name(name.into()).spawn(move || work(&live, number)).map_err(|error| {
                Error::system(
                    format!("cannot start the thread {name}: {error}"),
                    "raise the limit on processes: ulimit -u",
                )
            })?;
        }
        Ok(Session { number, source, manifest, pages: 0, idle: None, newest, recorder })
    }

    /// Ends the sampler.
    pub(crate) fn stop(&self) {
        let session = self.session().take();
        self.changed.notify_all();
        end(session);
    }

    /// Waits; absent when session `number` has ended. It ends the session itself if no page has been open for a while.
    fn wait(&self, number: u64, time: Duration) -> Option<LiveSource> {
        let until = Instant::now() + time;
        let mut guard = self.session();
        loop {
            let session = guard.as_ref().filter(|session| session.number == number)?;
            if session.idle.is_some_and(|since| since.elapsed() >= LINGER) {
                let session = guard.take();
                drop(guard);
                self.changed.notify_all();
                end(session);
                return None;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Some(session.source.clone());
            }
            let (next, _) = self.changed.wait_timeout(guard, left.min(LINGER)).unwrap_or_else(PoisonError::into_inner);
            guard = next;
        }
    }

    /// Gives something to all pages of a session.
    fn publish(&self, number: u64, change: impl FnOnce(&mut Newest)) {
        let guard = self.session();
        if let Some(session) = guard.as_ref().filter(|session| session.number == number) {
            session.newest.send_modify(change);
        }
    }

    /// Makes a frame of each sample.
    fn frames(&self, number: u64) {
        let interval = Duration::from_nanos(self.interval.get());
        let (mut seen, mut nap) = (i64::MIN, Duration::ZERO);
        while let Some(source) = self.wait(number, nap) {
            let begin = Instant::now();
            match frame::newest(&source, self.interval, seen) {
                Ok(Some(frame)) => {
                    seen = frame.wall_ns;
                    self.publish(number, |newest| (newest.frame, newest.problem) = (Some(Arc::new(frame)), None));
                    nap = interval.saturating_sub(begin.elapsed());
                }
                // The sample is a little late: soon again.
                Ok(None) => nap = interval / 10,
                Err(error) => {
                    self.publish(number, |newest| newest.problem = Some(Arc::new(error)));
                    nap = interval;
                }
            }
            nap = nap.max(Duration::from_millis(20));
        }
    }

    /// Runs the rules at regular intervals.
    fn findings(&self, number: u64) {
        let mut nap = LOOK_INTERVAL / 3;
        while let Some(source) = self.wait(number, nap) {
            nap = LOOK_INTERVAL;
            let last = pagetide_recorder::now().wall_ns;
            // What cannot be read is reported with the frames.
            if let Ok(findings) = watch::look(&source, last) {
                self.publish(number, |newest| newest.findings = Arc::new(findings));
            }
        }
    }
}

/// Ends the recorder of a session, outside of the lock.
fn end(session: Option<Session>) {
    if let Some(recorder) = session.and_then(|session| session.recorder) {
        // The samples were in memory only: there is nothing to lose.
        let _ = recorder.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live() -> Arc<Live> {
        Arc::new(Live::new(None, Nanos::new(50_000_000)))
    }

    fn number(live: &Live) -> Option<u64> {
        live.session().as_ref().map(|session| session.number)
    }

    #[test]
    fn two_pages_share_one_sampler_which_ends_after_the_last() {
        let live = live();
        let one = live.visit().unwrap();
        let first = number(&live).unwrap();
        let other = live.visit().unwrap();
        assert_eq!(number(&live), Some(first));
        assert_eq!(live.session().as_ref().unwrap().pages, 2);
        drop(one);
        assert!(live.session().as_ref().unwrap().idle.is_none(), "the other is still there");
        drop(other);
        assert!(live.session().as_ref().unwrap().idle.is_some());
        let again = live.visit().unwrap();
        assert_eq!(number(&live), Some(first), "a reload finds the same sampler");
        drop(again);
        // As if it had been idle for long.
        live.session().as_mut().unwrap().idle = Instant::now().checked_sub(2 * LINGER);
        assert!(live.wait(first, Duration::ZERO).is_none());
        assert!(live.source().is_none(), "nobody looks, nothing is sampled");
        let next = live.visit().unwrap();
        assert!(number(&live).is_some_and(|next| next != first));
        live.stop();
        drop(next);
        assert!(live.source().is_none());
    }

    #[test]
    fn pages_are_bounded() {
        let live = live();
        let visits: Vec<Visit> = (0..MOST_PAGES).map(|_| live.visit().unwrap()).collect();
        assert!(live.visit().is_err());
        drop(visits);
        assert!(live.visit().is_ok());
        live.stop();
    }
}

//! A trace beside the samples: a thread of its own drains the rings, and each sample has what it found so far.

use pagetide_core::{Error, Sample, Schema, Unreadable};
use pagetide_trace::{Names, Options, Session, Summary, TableWriter, monotonic_ns};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// How often the trace says what it found.
const PERIOD: Duration = Duration::from_millis(200);

/// What the trace's thread hands over: its findings so far, or why it ended.
type Latest = Mutex<Option<Result<(Summary, Names), Error>>>;

/// The findings so far, for those who ask while the recording runs.
#[derive(Debug, Clone)]
pub(crate) struct TraceView {
    summary: Arc<Mutex<Summary>>,
    /// When the trace began (`CLOCK_MONOTONIC`).
    began_ns: u64,
}

/// After this time all that kswapd evicted before is divided among those who took the frames.
const SETTLED: Duration = Duration::from_millis(1500);
/// A starved machine may take longer; then what there is counts.
const SETTLED_MAX: Duration = Duration::from_secs(15);

impl TraceView {
    /// What was found up to this call. Waits until it is settled.
    pub(crate) fn settled(&self) -> Summary {
        let (called, called_ns) = (Instant::now(), monotonic_ns().saturating_sub(self.began_ns));
        loop {
            let summary = self.summary.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let passed = Duration::from_nanos(summary.coverage.time_ns.saturating_sub(called_ns));
            if passed >= SETTLED || called.elapsed() >= SETTLED_MAX {
                return summary;
            }
            std::thread::sleep(PERIOD);
        }
    }
}

/// A running trace. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Trace {
    latest: Arc<Latest>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    writer: TableWriter,
    pub(crate) view: TraceView,
    /// What cannot be traced here.
    pub(crate) missing: Vec<Unreadable>,
}

impl Trace {
    /// Attaches to this host's tracepoints and starts to drain them.
    pub(crate) fn start(options: Options, names: bool) -> Result<Self, Error> {
        let session = Session::start(options)?;
        let missing = session.missing().iter();
        let missing =
            missing.map(|gap| Unreadable { source: format!("trace: {}", gap.lost), reason: gap.why.clone() }).collect();
        let (latest, stop) = (Arc::new(Latest::default()), Arc::new(AtomicBool::new(false)));
        let view = TraceView { summary: Arc::default(), began_ns: monotonic_ns() };
        let thread = Builder::new().name("pagetide-trace".into()).spawn({
            let (latest, stop, view) = (Arc::clone(&latest), Arc::clone(&stop), view.clone());
            move || drain(session, names, &latest, &view, &stop)
        });
        let thread = thread.map_err(|error| Error::system(format!("cannot start the trace's thread: {error}"), ""))?;
        Ok(Self { latest, stop, thread: Some(thread), writer: TableWriter::default(), view, missing })
    }

    /// Adds to a sample what changed since the one before.
    pub(crate) fn sample(&mut self, schema: &mut Schema, sample: &mut Sample) -> Result<(), Error> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((summary, names)) = latest.transpose()? {
            self.writer.write(&summary, &names, schema, sample);
        }
        Ok(())
    }

    /// Ends it and waits for its last findings, which the next sample adds.
    pub(crate) fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    /// The schema begins anew.
    pub(crate) fn renew(&mut self) {
        self.writer.renew();
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        self.end();
    }
}

/// Drains the rings until it is told to stop, and publishes what was found.
fn drain(mut session: Session, names: bool, latest: &Latest, view: &TraceView, stop: &AtomicBool) {
    let publish = |result| *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    let mut due = Instant::now();
    loop {
        let last = stop.load(Ordering::Relaxed);
        if let Err(error) = if last { session.finish() } else { session.step() } {
            publish(Err(error));
            return;
        }
        if last || Instant::now() >= due {
            due = Instant::now() + PERIOD;
            let summary = session.summary();
            let found = if names { session.names(summary.files()).clone() } else { Names::new() };
            view.summary.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&summary);
            publish(Ok((summary, found)));
        }
        if last {
            return;
        }
    }
}

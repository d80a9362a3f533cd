//! A trace beside the samples: a thread of its own drains the rings, and each sample has what it found so far.

mod budget;
mod trigger;

use crate::clock;
use budget::{Budget, Used};
use pagetide_core::{Error, Nanos, Sample, Schema, Unreadable};
use pagetide_kernel::Root;
use pagetide_trace::{Method, Names, Options, Session, Summary, TableWriter, Tracer, monotonic_ns};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use trigger::{Reading, Trigger};

/// What is traced, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Tracing {
    /// One page of `2^shift` is looked at.
    pub shift: u32,
    /// Whether the recording has the names of files.
    pub names: bool,
    /// Whether it is on only while refaults or pressure are above this host's baseline.
    pub auto: bool,
    /// The share of one CPU that it may take over any longer time; no limit when absent.
    pub budget: Option<f64>,
    /// The socket of the helper that attaches, see [`pagetide_trace::Tracer::connect`]; absent: this process does, and needs the rights.
    pub socket: Option<PathBuf>,
}

impl Tracing {
    /// This share of the pages, always, with the names of files.
    pub const fn of(shift: u32) -> Self {
        Self { shift, names: true, auto: false, budget: None, socket: None }
    }
}

/// How often the trace says what it found.
const PERIOD: Duration = Duration::from_millis(200);

/// How often it is decided whether the trace is on.
const DECISION: Duration = Duration::from_secs(1);
/// How long a trace that is off waits before it looks whether it has to end.
const IDLE: Duration = Duration::from_millis(100);

/// What the trace's thread hands over: its findings so far, or why it ended.
type Latest = Mutex<Option<Result<(Summary, Names), Error>>>;
/// When and why it was switched on and off, for the recording.
type Notes = Mutex<Vec<String>>;

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
    notes: Arc<Notes>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    writer: TableWriter,
    pub(crate) view: TraceView,
    /// What cannot be traced here.
    pub(crate) missing: Vec<Unreadable>,
}

impl Trace {
    /// Attaches to this host's tracepoints and starts to drain them.
    pub(crate) fn start(tracing: Tracing) -> Result<Self, Error> {
        let options = Options { shift: tracing.shift, method: Method::Auto };
        let tracer = match &tracing.socket {
            None => Tracer::attach(options)?,
            Some(socket) => Tracer::connect(socket, options)?,
        };
        let mut session = Session::of(tracer);
        if !tracing.auto {
            session.resume()?;
        }
        let missing = session.missing().iter();
        let missing =
            missing.map(|gap| Unreadable { source: format!("trace: {}", gap.lost), reason: gap.why.clone() }).collect();
        let (latest, notes) = (Arc::new(Latest::default()), Arc::new(Notes::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let view = TraceView { summary: Arc::default(), began_ns: monotonic_ns() };
        let thread = Builder::new().name("pagetide-trace".into()).spawn({
            let (latest, notes, stop, view) =
                (Arc::clone(&latest), Arc::clone(&notes), Arc::clone(&stop), view.clone());
            let switch = AutomaticSwitch::new(&tracing);
            move || drain(session, tracing.names, switch, &latest, &notes, &view, &stop)
        });
        let thread = thread.map_err(|error| Error::system(format!("cannot start the trace's thread: {error}"), ""))?;
        Ok(Self { latest, notes, stop, thread: Some(thread), writer: TableWriter::default(), view, missing })
    }

    /// When and why it was switched on and off since the last call.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
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

/// Decides once a second whether the trace is on.
#[derive(Debug)]
struct AutomaticSwitch {
    host: Root,
    trigger: Option<Trigger>,
    budget: Option<Budget>,
    due: Instant,
}

impl AutomaticSwitch {
    fn new(tracing: &Tracing) -> Self {
        Self {
            host: Root::host(),
            trigger: tracing.auto.then(Trigger::default),
            budget: tracing.budget.map(Budget::new),
            due: Instant::now(),
        }
    }

    /// Switches the trace on or off when it is time to decide. Gives a note for the recording when it did.
    fn decide(&mut self, session: &mut Session) -> Result<Option<String>, Error> {
        if Instant::now() < self.due {
            return Ok(None);
        }
        self.due = Instant::now() + DECISION;
        let now_ns = monotonic_ns();
        let used = Used { thread_ns: clock::thread_cpu().get(), hits: session.events().1 };
        let affordable = self.budget.as_mut().is_none_or(|budget| budget.allows(now_ns, used));
        let wanted = match &mut self.trigger {
            None => Some("there is CPU time for it again".to_owned()),
            Some(trigger) => trigger.observe(now_ns, Reading::of(&self.host)),
        };
        match wanted {
            Some(why) if affordable => {
                let was_off = !session.is_on();
                session.resume()?;
                Ok(was_off.then(|| format!("trace: on: {why}")))
            }
            wanted => {
                let why = if wanted.is_some() {
                    "its share of a CPU is used up"
                } else {
                    "refaults and pressure are back at their baselines"
                };
                let was_on = session.is_on();
                session.pause()?;
                let length = Nanos::new(session.elapsed_ns());
                Ok(was_on.then(|| format!("trace: off: {why}; it was on for {length} in all")))
            }
        }
    }
}

/// Drains the rings until `stop` is set, and publishes what was found.
fn drain(
    mut session: Session,
    names: bool,
    mut switch: AutomaticSwitch,
    latest: &Latest,
    notes: &Notes,
    view: &TraceView,
    stop: &AtomicBool,
) {
    let publish = |result| *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    let mut due = Instant::now();
    loop {
        let last = stop.load(Ordering::Relaxed);
        let decided = if last { Ok(None) } else { switch.decide(&mut session) };
        let stepped = decided.and_then(|note| {
            notes.lock().unwrap_or_else(PoisonError::into_inner).extend(note);
            match session.is_on() {
                true if last => session.finish(),
                true => session.step(),
                false => {
                    std::thread::sleep(if last { Duration::ZERO } else { IDLE });
                    Ok(())
                }
            }
        });
        if let Err(error) = stepped {
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

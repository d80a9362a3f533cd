//! A trace next to the samples: its own thread drains the rings, and each sample contains what it found so far.

mod budget;
mod trigger;

use crate::clock;
use budget::{Budget, Used};
use pagetide_core::{Error, Nanos, Sample, Schema, Unreadable};
use pagetide_trace::{Method, Names, Options, Session, Summary, TableWriter, Tracer, monotonic_ns};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use trigger::{Counters, Trigger};

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
    /// After this time a helper that could not be reached is tried again.
    pub retry: Duration,
}

impl Tracing {
    /// This share of the pages, always, with the names of files.
    pub const fn of(shift: u32) -> Self {
        Self { shift, names: true, auto: false, budget: None, socket: None, retry: RETRY }
    }

    /// After what time a recorder that samples at an interval tries a helper again: 30 intervals, 30 s at most.
    pub fn retry_at(interval: Duration) -> Duration {
        interval.saturating_mul(30).min(RETRY)
    }
}

/// How often the trace says what it found.
const PERIOD: Duration = Duration::from_millis(200);

/// How often it is decided whether the trace is on, at most.
const DECISION: Duration = Duration::from_secs(1);

/// How long the start of a recording waits for the helper's answer, so that the manifest can say what is missing.
const HEAD_START: Duration = Duration::from_secs(2);
/// After this time, at most, a helper that could not be reached is tried again.
const RETRY: Duration = Duration::from_secs(30);
/// How long the end of a recording waits for the last findings by a helper.
const LAST_FINDINGS: Duration = Duration::from_secs(3);

/// What the trace's thread hands over: its findings so far, or why it ended.
type Latest = Mutex<Option<Result<(Summary, Names), Error>>>;
/// When and why it was switched on and off, for the recording.
type Notes = Mutex<Vec<String>>;
/// Why the samples say that the trace should be on; absent while they do not.
type Reason = Mutex<Option<String>>;

/// The findings so far, for those who ask while the recording runs.
#[derive(Debug, Clone)]
pub(crate) struct TraceView {
    summary: Arc<Mutex<Summary>>,
    /// When the trace began (`CLOCK_MONOTONIC`).
    began_ns: u64,
}

/// After this time all that kswapd evicted before is divided among those who took the frames.
const SETTLED: Duration = Duration::from_millis(1500);
/// A starved machine may take longer; then the findings so far count.
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
    /// Disconnected once the thread has published its last findings. It then detaches, which takes the kernel seconds.
    drained: mpsc::Receiver<()>,
    by_helper: bool,
    writer: TableWriter,
    /// Set if the trace is switched on and off automatically.
    watch: Option<Watch>,
    pub(crate) view: TraceView,
    /// What cannot be traced here.
    pub(crate) missing: Vec<Unreadable>,
}

/// Watches the counters of the samples, and tells the trace's thread when to switch on.
#[derive(Debug)]
struct Watch {
    trigger: Trigger,
    counters: Counters,
    reason: Arc<Reason>,
    /// No sample is looked at before (`CLOCK_MONOTONIC`).
    due_ns: u64,
}

/// Samples a second apart are all looked at, however unevenly they come.
const BETWEEN_LOOKS_NS: u64 = 750_000_000;

impl Watch {
    fn of(reason: &Arc<Reason>) -> Self {
        let (trigger, counters) = (Trigger::default(), Counters::default());
        Self { trigger, counters, reason: Arc::clone(reason), due_ns: 0 }
    }

    /// Looks at a sample. Returns whether the trace should now be on and should not have been before.
    fn look(&mut self, now_ns: u64, schema: &Schema, sample: &Sample) -> bool {
        if now_ns < self.due_ns {
            return false;
        }
        self.due_ns = now_ns + BETWEEN_LOOKS_NS;
        let reason = self.trigger.observe(now_ns, self.counters.read(schema, sample));
        let is_wanted = reason.is_some();
        let before = std::mem::replace(&mut *self.reason.lock().unwrap_or_else(PoisonError::into_inner), reason);
        is_wanted && before.is_none()
    }
}

impl Trace {
    /// Attaches to this host's tracepoints and starts to drain them. A helper that attaches is another process, on which the recording
    /// does not depend: without its answer there is a note, and it is asked again later.
    ///
    /// # Errors
    /// This process is to attach and may not.
    pub(crate) fn start(tracing: Tracing) -> Result<Self, Error> {
        let by_helper = tracing.socket.is_some();
        let mut own = None;
        if !by_helper {
            let session = own.insert(Session::of(attached(&tracing)?));
            if !tracing.auto {
                session.resume()?;
            }
        }
        let mut missing = own.as_ref().map(unreadable).unwrap_or_default();
        let (latest, notes) = (Arc::new(Latest::default()), Arc::new(Notes::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let view = TraceView { summary: Arc::default(), began_ns: monotonic_ns() };
        let (report, reported) = mpsc::channel();
        let (draining, drained) = mpsc::channel::<()>();
        let reason = tracing.auto.then(Arc::<Reason>::default);
        let watch = reason.as_ref().map(Watch::of);
        let thread = Builder::new().name("pagetide-trace".into()).spawn({
            let (latest, notes, stop, view) =
                (Arc::clone(&latest), Arc::clone(&notes), Arc::clone(&stop), view.clone());
            move || {
                let (tracing, notes, stop, due) = (&tracing, &*notes, &*stop, Instant::now());
                let mut helper = Helper { tracing, notes, stop, report, said: None, due };
                let mut switch = AutomaticSwitch::new(tracing, reason);
                let mut draining = Some(draining);
                let mut running = own.or_else(|| helper.session(None));
                while let Some(mut session) = running {
                    running = match drain(&mut session, tracing.names, &mut switch, &latest, notes, &view, stop) {
                        Ok(()) => None,
                        Err(error) if by_helper => {
                            helper.lacks(&error);
                            helper.session(Some(session))
                        }
                        Err(error) => {
                            publish(&latest, Err(error));
                            None
                        }
                    };
                    if running.is_none() {
                        drop(draining.take());
                    }
                }
            }
        });
        let thread = thread.map_err(|error| Error::system(format!("cannot start the trace thread: {error}"), ""))?;
        if by_helper {
            missing = reported.recv_timeout(HEAD_START).unwrap_or_default();
        }
        let writer = TableWriter::default();
        Ok(Self { latest, notes, stop, thread: Some(thread), drained, by_helper, writer, watch, view, missing })
    }

    /// When and why it was switched on and off since the last call.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds to a sample of this host what changed since the one before.
    pub(crate) fn sample(&mut self, schema: &mut Schema, sample: &mut Sample) -> Result<(), Error> {
        if self.watch.as_mut().is_some_and(|watch| watch.look(monotonic_ns(), schema, sample))
            && let Some(thread) = &self.thread
        {
            thread.thread().unpark();
        }
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((summary, names)) = latest.transpose()? {
            self.writer.write(&summary, &names, schema, sample);
        }
        Ok(())
    }

    /// Ends it and waits for its last findings, which the next sample adds.
    pub(crate) fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.iter().for_each(|thread| thread.thread().unpark());
        // A helper that was stopped answers nothing.
        let longest = if self.by_helper { LAST_FINDINGS } else { Duration::MAX };
        let _: Result<(), _> = self.drained.recv_timeout(longest);
    }

    /// The schema begins anew.
    pub(crate) fn renew(&mut self) {
        self.writer.renew();
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        self.end();
        // The thread of a helper that does not answer ends with the process.
        if let Some(thread) = self.thread.take()
            && (!self.by_helper || self.drained.try_recv() == Err(mpsc::TryRecvError::Disconnected))
        {
            let _ = thread.join();
        }
    }
}

/// The tracer of this process or of its helper.
fn attached(tracing: &Tracing) -> Result<Tracer, Error> {
    let options = Options { shift: tracing.shift, method: Method::Auto };
    match &tracing.socket {
        None => Tracer::attach(options),
        Some(socket) => Tracer::connect(socket, options),
    }
}

/// What a session cannot trace, for the manifest.
fn unreadable(session: &Session) -> Vec<Unreadable> {
    let gaps = session.missing().iter();
    gaps.map(|gap| Unreadable { source: format!("trace: {}", gap.lost), reason: gap.why.clone() }).collect()
}

/// Asks the helper for a trace, and again when it does not answer or is gone.
struct Helper<'a> {
    tracing: &'a Tracing,
    notes: &'a Notes,
    stop: &'a AtomicBool,
    /// Told how the first attempt ended.
    report: mpsc::Sender<Vec<Unreadable>>,
    /// Why there is no trace, once a note says so.
    said: Option<String>,
    /// It is not asked before.
    due: Instant,
}

impl Helper<'_> {
    /// Notes why there is no trace, unless the last note says the same.
    fn lacks(&mut self, error: &Error) {
        let why = format!("{} ({})", error.what, error.hint);
        if self.said.as_ref() != Some(&why) {
            let note = format!("trace: off: {why}; asked again every {} s", self.tracing.retry.as_secs_f64());
            self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
            self.said = Some(why);
        }
    }

    /// A session of the helper as soon as it answers, switched on unless that is automatic; it continues an earlier session if there is
    /// one. None if `stop` is set first.
    fn session(&mut self, mut before: Option<Session>) -> Option<Session> {
        while !self.stop.load(Ordering::Relaxed) {
            let left = self.due.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                // Ending the trace unparks this thread.
                std::thread::park_timeout(left);
                continue;
            }
            self.due = Instant::now() + self.tracing.retry;
            match self.attempt(&mut before) {
                Ok(()) => {
                    let session = before?;
                    // Nobody may wait for it any more.
                    let _ = self.report.send(unreadable(&session));
                    let late = self.said.take().map(|_| "trace: on: the helper answers".to_owned());
                    self.notes.lock().unwrap_or_else(PoisonError::into_inner).extend(late);
                    return Some(session);
                }
                Err(error) => {
                    let reason = format!("{} ({})", error.what, error.hint);
                    let source = "trace: everything until the helper answers".to_owned();
                    let _ = self.report.send(vec![Unreadable { source, reason }]);
                    self.lacks(&error);
                }
            }
        }
        None
    }

    fn attempt(&self, session: &mut Option<Session>) -> Result<(), Error> {
        let tracer = attached(self.tracing)?;
        match session {
            Some(session) => session.go_on_with(tracer)?,
            None => *session = Some(Session::of(tracer)),
        }
        match session {
            Some(session) if !self.tracing.auto => session.resume(),
            _ => Ok(()),
        }
    }
}

/// Decides whether the trace is on, once a second at most.
#[derive(Debug)]
struct AutomaticSwitch {
    /// Set if the trace is switched on and off automatically.
    reason: Option<Arc<Reason>>,
    budget: Option<Budget>,
    due: Instant,
}

impl AutomaticSwitch {
    fn new(tracing: &Tracing, reason: Option<Arc<Reason>>) -> Self {
        Self { reason, budget: tracing.budget.map(Budget::new), due: Instant::now() }
    }

    /// Why the trace should be on; absent while it should not.
    fn wanted(&self) -> Option<String> {
        match &self.reason {
            None => Some("CPU time is available again".to_owned()),
            Some(reason) => reason.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// Sleeps while the trace is off: until the next decision, or until a sample says that it should be on.
    fn sleep(&self) {
        match self.wanted() {
            Some(_) => std::thread::park_timeout(self.due.saturating_duration_since(Instant::now())),
            None => std::thread::park(),
        }
    }

    /// Switches the trace on or off when it is time to decide. Gives a note for the recording when it did.
    fn decide(&mut self, session: &mut Session) -> Result<Option<String>, Error> {
        if Instant::now() < self.due {
            return Ok(None);
        }
        self.due = Instant::now() + DECISION;
        let now_ns = monotonic_ns();
        let affordable = self.budget.as_mut().is_none_or(|budget| {
            budget.allows(now_ns, Used { thread_ns: clock::thread_cpu().get(), hits: session.events().1 })
        });
        match self.wanted() {
            Some(why) if affordable => {
                let was_off = !session.is_on();
                session.resume()?;
                Ok(was_off.then(|| format!("trace: on: {why}")))
            }
            wanted => {
                let why = if wanted.is_some() {
                    "its CPU share is used up"
                } else {
                    "refaults and pressure are back at their baselines"
                };
                let was_on = session.is_on();
                session.pause()?;
                let length = Nanos::new(session.elapsed_ns());
                Ok(was_on.then(|| format!("trace: off: {why}; it was on for {length} in total")))
            }
        }
    }
}

fn publish(latest: &Latest, found: Result<(Summary, Names), Error>) {
    *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
}

/// Drains the rings until `stop` is set, and publishes what was found.
fn drain(
    session: &mut Session,
    names: bool,
    switch: &mut AutomaticSwitch,
    latest: &Latest,
    notes: &Notes,
    view: &TraceView,
    stop: &AtomicBool,
) -> Result<(), Error> {
    let mut due = Instant::now();
    // Off, it finds nothing: what it found is published once more, and its thread sleeps.
    let mut unpublished = true;
    loop {
        let last = stop.load(Ordering::Relaxed);
        let decided = if last { Ok(None) } else { switch.decide(session) };
        notes.lock().unwrap_or_else(PoisonError::into_inner).extend(decided?);
        unpublished |= session.is_on();
        match session.is_on() {
            true if last => session.finish()?,
            true => session.step()?,
            false if !last && !unpublished => switch.sleep(),
            false => {}
        }
        if last || (unpublished && (Instant::now() >= due || !session.is_on())) {
            unpublished = false;
            due = Instant::now() + PERIOD;
            let summary = session.summary();
            let found = if names { session.names(summary.files()).clone() } else { Names::new() };
            view.summary.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&summary);
            publish(latest, Ok((summary, found)));
        }
        if last {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Entity, Table};

    #[test]
    fn samples_say_once_that_the_trace_should_be_on_and_then_that_it_should_not() {
        let mut schema = Schema::default();
        let host = schema.push_entity(Table::Host, Entity::new("", ""));
        schema.column(Table::Host, "psi_memory_some");
        let reason = Arc::<Reason>::default();
        let mut watch = Watch::of(&reason);
        let mut stalled_us = 0;
        let mut second = |second: u64, stall_us: i64| {
            stalled_us += stall_us;
            let mut sample = Sample::default();
            sample.row(Table::Host, host, 1)[0] = Some(stalled_us);
            let now_ns = second * 1_000_000_000;
            let wakes = watch.look(now_ns, &schema, &sample);
            assert!(!watch.look(now_ns + 100_000_000, &schema, &sample), "ten samples a second are not looked at");
            (wakes, reason.lock().unwrap().clone())
        };
        assert_eq!([0, 1, 2].map(|at| second(at, 0)), [(false, None), (false, None), (false, None)]);
        let (wakes, why) = second(3, 600_000);
        assert!(wakes && why.is_some_and(|why| why.starts_with("memory pressure 200 ms of each second")));
        assert!(matches!(second(4, 600_000), (false, Some(_))), "its thread is awake");
        assert!((5..36).all(|at| matches!(second(at, 0), (false, Some(_)))), "half a minute of quiet");
        assert_eq!(second(40, 0), (false, None));
    }
}

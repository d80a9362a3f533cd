//! The recorder, as its users see it.

use crate::clock;
use crate::history::History;
use crate::monitor::Monitor;
use crate::probe::{Probe, TracedProbe, kernel_error};
use crate::protection::{Protection, check_interval};
use crate::sampling::{self, Account};
use crate::shared::{Command, Shared};
use crate::tasks::IteratedTasks;
use crate::trace::{Trace, TraceView, Tracing};
use crate::writing::Writer;
use pagetide_core::{Bytes, Error, Manifest, MarkKind, Nanos, Sink, Stamp};
use pagetide_kernel::{Processes, Root, Sampler, Watch};
use pagetide_trace::TaskIterator;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::{Builder, JoinHandle};

/// Stack of each of the two threads.
const STACK: usize = 512 << 10;

/// Memory for samples that are only shown: about ten minutes of a host with 100 processes and 100 groups.
const ROOM: Bytes = Bytes::new(64 << 20);

/// What is recorded, and how often.
#[derive(Debug, Clone)]
pub struct Options {
    /// Time between samples, 1 ms or more.
    pub interval: Nanos,
    /// Control groups and processes to sample.
    pub watch: Watch,
    /// Where the samples come from.
    pub origin: pagetide_core::Origin,
    /// What its users call the host ([`Manifest::labels`]).
    pub labels: BTreeMap<String, String>,
    /// The control group of the recorded work ([`Manifest::workload_cgroup`]).
    pub workload_cgroup: Option<String>,
    /// The disk of the recorded work ([`Manifest::workload_disk`]).
    pub workload_disk: Option<String>,
    /// Traces this host's page cache, too; refused where the kernel or the user's rights do not allow it.
    pub tracing: Option<Tracing>,
}

/// What is sampled for a live view. Finding groups and processes takes longer than reading everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The host, its zones, disks and CPUs.
    Host,
    /// All that a flight recorder takes: also all control groups, and the processes that matter most.
    All,
}

impl Default for Options {
    /// This host once a second, without control groups, and of the processes only the kernel's reclaim threads.
    fn default() -> Self {
        Self {
            interval: Nanos::new(1_000_000_000),
            watch: Watch::default(),
            origin: pagetide_core::Origin::Host,
            labels: BTreeMap::new(),
            workload_cgroup: None,
            workload_disk: None,
            tracing: None,
        }
    }
}

/// A running recording. Dropping it without [`Recorder::finish`] stops it and loses what still waits for the sink, after the
/// current call of the sink has returned.
///
/// All methods may be called from any thread.
pub struct Recorder {
    shared: Arc<Shared>,
    manifest: Manifest,
    trace: Option<TraceView>,
    sampling: Option<JoinHandle<Account>>,
    writing: Option<JoinHandle<Option<Writer>>>,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("shared", &self.shared).finish_non_exhaustive()
    }
}

impl Recorder {
    /// Starts to record what the kernel under `root` says, with the usual [`Protection`]. The first sample has been
    /// taken when this returns.
    ///
    /// # Errors
    /// When the interval is too short, the kernel's files cannot be read, or the sink does not begin.
    pub fn start(root: Root, options: Options, sink: Box<dyn Sink>) -> Result<Self, Error> {
        Self::start_protected(root, options, Protection::default(), sink)
    }

    /// Samples this host into memory, for those who show it live.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn in_memory(interval: Nanos, scope: Scope, protection: Protection) -> Result<(Self, History), Error> {
        let history = History::new(ROOM);
        let root = Root::host();
        let watch = match scope {
            Scope::Host => Watch::default(),
            Scope::All => Watch::flight_recorder(&root).unwrap_or_default(),
        };
        let options = Options { interval, watch, ..Options::default() };
        // Memory takes each sample at once, so few have to wait.
        let protection = Protection { ring: Bytes::ZERO, ..protection };
        let recorder = Self::start_protected(root, options, protection, Box::new(history.clone()))?;
        Ok((recorder, history))
    }

    /// As [`Self::start`], with this protection.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn start_protected(
        root: Root,
        options: Options,
        protection: Protection,
        sink: Box<dyn Sink>,
    ) -> Result<Self, Error> {
        let Options { interval, watch, origin, labels, workload_cgroup, workload_disk, tracing } = options;
        let facts = pagetide_kernel::facts(&root).map_err(|error| kernel_error(&error))?;
        let mut manifest = Manifest { interval, origin, labels, workload_cgroup, workload_disk, ..facts };
        if watch == Watch::default() && origin == pagetide_core::Origin::Host {
            // Of the host alone, what processes do is not wanted.
            manifest.unreadable.retain(|missing| !missing.is_of_processes());
        }
        let trace = tracing.map(Trace::start);
        let trace = trace.transpose()?;
        if let Some(trace) = &trace {
            manifest.capabilities.push("trace".to_owned());
            manifest.unreadable.extend(trace.missing.iter().cloned());
        }
        let view = trace.as_ref().map(|trace| trace.view.clone());
        let surveys = root.is_host() && matches!(watch.processes, Processes::Top(_) | Processes::All);
        let tasks = surveys.then(TaskIterator::open).and_then(Result::ok);
        manifest.capabilities.extend(tasks.as_ref().map(|_| "task_iterator".to_owned()));
        let mut recorder = Self::with_probe(
            move || {
                let mut sampler = Sampler::new(&root, watch).map_err(|error| kernel_error(&error))?;
                if let Some(tasks) = tasks {
                    sampler.set_task_runs(Box::new(IteratedTasks(tasks)));
                }
                Ok(TracedProbe { sampler, trace })
            },
            manifest,
            protection,
            sink,
        )?;
        recorder.trace = view;
        Ok(recorder)
    }

    /// Records what `probe` gives, every [`Manifest::interval`]. The probe is made on the sampling thread and stays
    /// there.
    ///
    /// # Errors
    /// When the interval is too short, the probe cannot be made, or the sink does not begin.
    pub fn with_probe<P: Probe>(
        probe: impl FnOnce() -> Result<P, Error> + Send + 'static,
        mut manifest: Manifest,
        protection: Protection,
        mut sink: Box<dyn Sink>,
    ) -> Result<Self, Error> {
        let interval = manifest.interval;
        check_interval(interval)?;
        let interval_ns = i64::try_from(interval.get()).unwrap_or(i64::MAX);
        if manifest.tool_version.is_empty() {
            manifest.tool_version = env!("CARGO_PKG_VERSION").to_owned();
        }
        let shared = Arc::new(Shared::default());
        let (tell, told) = mpsc::sync_channel(1);
        let sampling = spawn("pagetide-sample", {
            let shared = Arc::clone(&shared);
            move || {
                let ended = EndSampling(&shared);
                let mut probe = match probe() {
                    Ok(probe) => probe,
                    Err(error) => {
                        let _ = tell.send(Err(error));
                        return Account::default();
                    }
                };
                let begun = move || drop(tell.send(Ok(())));
                let account = sampling::run(ended.0, &mut probe, interval_ns, protection, begun);
                drop(ended);
                account
            }
        })?;
        let mut recorder = Self { shared, manifest, trace: None, sampling: Some(sampling), writing: None };
        told.recv().unwrap_or_else(|_| Err(broken("sampling")))?;
        sink.begin(&recorder.manifest)?;
        let shared = Arc::clone(&recorder.shared);
        recorder.writing = Some(spawn("pagetide-write", move || Writer::new(sink).run(&shared))?);
        Ok(recorder)
    }

    /// Stamps and records a mark, in order with the samples, and gives its stamp.
    pub fn mark(&self, kind: MarkKind) -> Stamp {
        self.shared.mark(kind)
    }

    /// Includes this process and its descendants in every sample from the next one on, as long as it lives.
    pub fn watch_pid(&self, pid: u32) {
        self.shared.command(Command::Pid(pid));
    }

    /// Includes this control group (the full path of its directory) in every sample from the next one on.
    pub fn watch_cgroup(&self, path: impl AsRef<Path>) {
        self.shared.command(Command::Cgroup(path.as_ref().to_owned()));
    }

    /// Takes a sample right now, beside those on the schedule, and gives its stamp when it has been taken. Every number
    /// in it was read between the call and the return.
    pub fn sample_now(&self) -> Stamp {
        self.shared.sample_now().unwrap_or_else(clock::now)
    }

    /// What the trace found so far; absent without a trace. Waits up to some seconds until it includes all that happened before this call.
    pub fn traced(&self) -> Option<pagetide_trace::Summary> {
        self.trace.as_ref().map(TraceView::settled)
    }

    /// Why the sink refuses samples at present; absent while it takes them. Refused samples wait in memory.
    pub fn refused(&self) -> Option<Error> {
        self.shared.refused()
    }

    /// The manifest as it was when the recording began.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// A handle that reports the state of the recording, from any thread and also after it has ended.
    pub fn monitor(&self) -> Monitor {
        Monitor::new(Arc::clone(&self.shared))
    }

    /// Takes a last sample, gives the sink all that waits, ends the recording and gives its final manifest. Waits as
    /// long as the sink does.
    ///
    /// # Errors
    /// When the sink refused at the end (what it refused before and took later is not an error; samples that were lost
    /// meanwhile are in [`Manifest::lost_samples`]).
    pub fn finish(mut self) -> Result<Manifest, Error> {
        self.shared.stop(false);
        let account = self.sampling.take().and_then(|thread| thread.join().ok());
        let writer = self.writing.take().and_then(|thread| thread.join().ok()).flatten();
        let writer = writer.ok_or_else(|| broken("writing"))?;
        let manifest = writer.finish(std::mem::take(&mut self.manifest), account.unwrap_or_default())?;
        account.map(|_| manifest).ok_or_else(|| broken("sampling"))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.shared.stop(true);
        // A panic of either thread was printed when it happened; no caller needs it.
        if let Some(thread) = self.sampling.take() {
            let _ = thread.join();
        }
        if let Some(thread) = self.writing.take() {
            let _ = thread.join();
        }
    }
}

/// Reports the end of sampling when the sampling thread ends, also by a panic, so that nothing waits for it.
struct EndSampling<'a>(&'a Shared);

impl Drop for EndSampling<'_> {
    fn drop(&mut self) {
        self.0.end_sampling();
    }
}

fn spawn<T: Send + 'static>(name: &str, run: impl FnOnce() -> T + Send + 'static) -> Result<JoinHandle<T>, Error> {
    Builder::new().name(name.to_owned()).stack_size(STACK).spawn(run).map_err(|error| {
        Error::system(format!("cannot start the thread {name}: {error}"), "raise the limit on processes: ulimit -u")
    })
}

fn broken(which: &str) -> Error {
    Error::system(format!("the recorder's {which} thread ended early"), "this is a bug: please report it")
}

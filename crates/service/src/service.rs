//! A recording from its start to its end.

use crate::child::{Child, CommandIo};
use crate::clean_pages;
use crate::command_waits::{self, CommandWaits, WaitListener};
use crate::containers::Containers;
use crate::endpoints::Endpoints;
use crate::kernel_log::LogNotes;
use crate::listen::Listener;
use crate::naming::NamingSink;
use crate::notify::ServiceManager;
use crate::responder::Responder;
use crate::sealing::{SealRequest, SealingWriter};
use crate::settings::Settings;
use crate::signals::{Event, Signals};
use crate::status::StatusSource;
use pagetide_core::{Error, Manifest, MarkKind, Nanos};
use pagetide_kernel::{Processes, Root, Top, Watch};
use pagetide_recorder::{Lock, Protection, Recorder, Tracing, now};
use pagetide_store::{Keep, Writer};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// The number of disks, groups and processes after which those that are gone are dropped from memory: some 10 MB, and minutes at least
/// of the fastest coming and going.
const MOST_ENTITIES: usize = 20_000;

/// What to record, and how.
#[derive(Debug, Default)]
pub struct Options {
    /// The recording's folder.
    pub folder: PathBuf,
    /// Time between samples.
    pub interval: Nanos,
    /// The group whose members may read the recording and ask for its state; the user's own when absent.
    pub group: Option<u32>,
    /// The time after which the recording ends; without one, a signal or the command's end ends it.
    pub length: Option<Nanos>,
    /// Continue the recording that the folder holds, keeping no more than this of it; absent: the folder must hold none.
    pub keep: Option<Keep>,
    /// Whether a service manager runs this process: all memory is locked, and SIGHUP ends a segment.
    pub service: bool,
    /// Where Prometheus connects.
    pub listener: Option<Listener>,
    /// Reads the kernel's files below this folder instead of this host's.
    pub root: Option<PathBuf>,
    /// Records every process.
    pub all_processes: bool,
    /// Records no processes but the kernel's reclaim threads, and no control groups.
    pub host_only: bool,
    /// Processes that are recorded for each of memory, IO, major faults and CPU time; [`Top::default`]'s when absent.
    pub top: Option<usize>,
    /// Records what processes were started with, which may hold passwords.
    pub command_lines: bool,
    /// What its users call the host, by name.
    pub labels: BTreeMap<String, String>,
    /// Traces the page cache, too.
    pub tracing: Option<Tracing>,
    /// A command and its arguments, recorded until it ends; may be empty.
    pub command: Vec<OsString>,
}

impl Options {
    fn root(&self) -> Root {
        self.root.as_ref().map_or_else(Root::host, Root::new)
    }
}

/// A recording that has ended.
#[derive(Debug)]
pub struct Recorded {
    /// The recording's manifest.
    pub manifest: Manifest,
    /// How the recorded command ended; absent without a command.
    pub command: Option<ExitStatus>,
    /// Whether the recorder ended the command, because it had to stop itself.
    pub stopped: bool,
    /// What the command asked of the kernel; absent without a command, and where this user may not read it.
    pub io: Option<CommandIo>,
    /// What the command waited for; absent without a command.
    pub waits: Option<CommandWaits>,
}

/// A running recording.
#[derive(Debug)]
pub struct Service {
    options: Options,
    signals: Signals,
    recorder: Recorder,
    seal: SealRequest,
    manager: ServiceManager,
    responder: Responder,
    address: Option<SocketAddr>,
}

impl Service {
    /// Starts to record and to answer.
    pub fn start(mut options: Options) -> Result<Self, Error> {
        let listener = options.listener.take();
        let address = listener.as_ref().map(Listener::address);
        let signals = Signals::catch(options.service)?;
        let is_new = !options.folder.exists();
        let (recorder, seal) = start_recorder(&options).inspect_err(|_| {
            // Only what is empty.
            if is_new && std::fs::remove_dir(options.folder.join(pagetide_store::OPEN_FOLDER)).is_ok() {
                let _ = std::fs::remove_dir(&options.folder);
            }
        })?;
        let status = StatusSource::new(&options.folder, &recorder);
        let responder =
            Responder::start(&options.folder, options.group, listener, Endpoints::new(status, options.root()))?;
        if let Some(why) = &responder.no_socket {
            recorder.mark(MarkKind::Note { text: format!("recorder: cannot answer --status: {why}") });
        }
        let manager = ServiceManager::from_environment();
        if options.service {
            manager.notify_ready();
        }
        Ok(Self { options, signals, recorder, seal, manager, responder, address })
    }

    /// Where Prometheus connects; the port is the real one when 0 was requested.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Runs the command if there is one, and waits until the recording ends.
    pub fn wait(self) -> Result<Recorded, Error> {
        let mut waits = (!self.options.command.is_empty()).then(|| WaitListener::start(self.options.root()));
        let child = Child::start(&self.options.command, &self.recorder);
        let (mut io, mut stopped) = (None, false);
        let command = child.and_then(|mut child| {
            let ended = self.wait_for_end(child.as_mut(), waits.as_mut());
            stopped = child.as_ref().is_some_and(|child| child.stopped);
            io = child.and_then(|child| child.io);
            ended
        });
        let waits = waits.map(WaitListener::finish);
        self.manager.notify_stopping();
        drop(self.responder);
        let manifest = self.recorder.finish()?;
        Ok(Recorded { manifest, command: command?, stopped, io, waits })
    }

    /// Waits for the command's end, the time's end or a signal to stop, whichever comes first. Gives the command's status.
    fn wait_for_end(
        &self,
        mut child: Option<&mut Child>,
        mut waits: Option<&mut WaitListener>,
    ) -> Result<Option<ExitStatus>, Error> {
        let Options { length, interval, .. } = self.options;
        let end = length.map(|length| Instant::now() + Duration::from_nanos(length.get()));
        let mut settings = Settings::new(self.options.root());
        let mut log = LogNotes::open(&self.options.root());
        let monitor = self.recorder.monitor();
        loop {
            if let Some(child) = child.as_mut()
                && let Some(status) = child.ended()?
            {
                self.recorder.mark(MarkKind::Note { text: format!("ended: {status}") });
                return Ok(Some(status));
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            let poll = child.as_ref().and_then(|child| child.poll_interval());
            let listen = waits.as_mut().map(|waits| {
                waits.look();
                command_waits::PERIOD
            });
            let (messages, rest) = log.as_ref().map(LogNotes::ready).map_or((None, None), |log| (log.ok(), log.err()));
            let times = [left, self.manager.period(), poll, listen, Some(settings.due()), rest];
            let beside = [child.as_ref().and_then(|child| child.pidfd()), messages];
            match self.signals.wait(times.into_iter().flatten().min(), beside.into_iter().flatten())? {
                Event::Stop => return child.map(Child::terminate).transpose(),
                Event::Seal => {
                    self.seal.request();
                    self.recorder.mark(MarkKind::Note { text: "recorder: SIGHUP ended the segment".to_owned() });
                }
                Event::Other => self.manager.notify_alive(&monitor.progress(), interval, now()),
            }
            let messages = log.as_mut().map(LogNotes::notes).unwrap_or_default();
            for text in settings.changes().into_iter().chain(messages) {
                self.recorder.mark(MarkKind::Note { text });
            }
            // When the sampling thread has died, finishing the recording reports it.
            if end.is_some_and(|end| Instant::now() >= end) || monitor.progress().ended {
                return child.map(Child::terminate).transpose();
            }
        }
    }
}

fn start_recorder(options: &Options) -> Result<(Recorder, SealRequest), Error> {
    let writer = match options.keep {
        Some(keep) => Writer::open_or_continue_for(&options.folder, keep, options.group)?,
        None => Writer::create_for(&options.folder, options.group)?,
    };
    let (sink, seal) = SealingWriter::new(writer);
    let sink = NamingSink::new(sink, Containers::new(options.root()));
    // A tree of files from elsewhere may lack the mounts, and with them all control groups.
    let (mut watch, no_groups) = match Watch::flight_recorder(&options.root()) {
        _ if options.host_only => (Watch::default(), None),
        Ok(watch) => (watch, None),
        Err(error) => {
            (Watch { cgroups: Vec::new(), processes: Processes::Top(Top::default()), ..Watch::default() }, Some(error))
        }
    };
    if let (Some(each), Processes::Top(top)) = (options.top, &mut watch.processes) {
        top.each = each;
        // Those of all three reasons, the kernel's threads and those that wait.
        top.rows = top.rows.max(4 * each);
    }
    if options.all_processes {
        watch.processes = Processes::All;
    }
    watch.command_lines = options.command_lines;
    let recorder_options = pagetide_recorder::Options {
        interval: options.interval,
        watch,
        labels: options.labels.clone(),
        tracing: options.tracing.clone(),
        ..pagetide_recorder::Options::default()
    };
    // A process that only records locks what it allocates later as well, and has more room for a sink that waits.
    let mut protection = Protection::default();
    if options.service {
        protection.lock = Lock::Future;
    }
    if options.command.is_empty() {
        protection.entities = MOST_ENTITIES;
    }
    clean_pages::release();
    let recorder = Recorder::start_protected(options.root(), recorder_options, protection, Box::new(sink))?;
    if let Some(error) = no_groups {
        recorder.mark(MarkKind::Note { text: format!("recorder: no control groups: {error}") });
    }
    Ok((recorder, seal))
}

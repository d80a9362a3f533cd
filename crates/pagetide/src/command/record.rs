//! `pagetide record`: the flight recorder.

mod answer;
mod child;
mod code;
mod http;
mod keep;
mod listen;
mod metrics;
mod notify;
mod sealing;
mod signals;
mod status;

use super::Outcome;
use crate::output;
use answer::Answers;
use child::Child;
use keep::Limit;
use listen::{Address, Listener};
use notify::Supervisor;
use pagetide_core::{Error, MarkKind, Nanos};
use pagetide_kernel::{Processes, Root, Top, Watch};
use pagetide_recorder::{Lock, Options, Protection, Recorder};
use pagetide_store::{Keep, Writer};
use sealing::{Ends, Sealing};
use serde_json::json;
use signals::{Event, Signals};
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// Record this host: until Ctrl-C, for a time, while a command runs, or as a service.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide record -o rec                                   until Ctrl-C
  pagetide record -o rec --for 60s --interval 100ms
  pagetide record -o rec -- fio --name=t --rw=randread --bs=8k --size=1g
  pagetide record -o rec --service --keep 14d --keep 2GiB --listen 9815
  pagetide record -o rec --status                          how that one goes
Then: pagetide diagnose rec, pagetide show rec disk

As a service SIGHUP ends the open segment; SIGTERM and SIGINT end the recording. docs/SERVICE.md has the rest.")]
pub(crate) struct Arguments {
    /// The folder for the recording; must not hold one already unless it is continued.
    #[arg(short, long, value_name = "DIR", default_value = "pagetide-recording")]
    out: PathBuf,
    /// Time between samples.
    #[arg(long, value_name = "TIME", default_value = "1s")]
    interval: Nanos,
    /// Stop after this time.
    #[arg(long = "for", value_name = "TIME")]
    length: Option<Nanos>,
    /// Record every process, not only the command's and those that matter most: by memory, IO, major faults and waiting.
    #[arg(long)]
    all_processes: bool,
    /// Record the host, its zones and its disks alone: no processes but the kernel's reclaim threads, and no control groups.
    #[arg(long, conflicts_with_all = ["command", "all_processes"])]
    host_only: bool,
    /// Read the kernel's files below this folder instead of this host's: a tree of them from elsewhere.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    root: Option<PathBuf>,
    /// Go on with the recording that the folder holds.
    #[arg(long = "continue")]
    go_on: bool,
    /// Keep no more than this, an age (`7d`) or a size (`2GiB`); may be given once for each. Continues a recording.
    #[arg(long, value_name = "AGE|SIZE")]
    keep: Vec<Limit>,
    /// Run under a service manager: continue the recording, lock all memory, print one line, tell systemd.
    #[arg(long, conflicts_with_all = ["command", "length"])]
    service: bool,
    /// Answer Prometheus at this address, `PORT` or `ADDRESS:PORT`, under /metrics.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<Address>,
    /// Let --listen take an address that other hosts can reach. There is no password.
    #[arg(long, requires = "listen")]
    expose: bool,
    /// Say how the recording in the folder goes, and record nothing. Exit code 1 when nothing is being recorded there.
    #[arg(long, conflicts_with_all = ["command", "length", "service", "listen", "keep", "go_on"])]
    status: bool,
    /// The command to run and record, with its arguments.
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Disks, groups and processes that have had rows before those that are gone are forgotten: some 10 MB, and minutes at least of the
/// wildest coming and going.
const MOST_ENTITIES: usize = 20_000;

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if arguments.status {
        return status::run(&arguments.out, json);
    }
    if Duration::from_nanos(arguments.interval.get()) < Duration::from_millis(1) {
        return Err(Error::input("the interval is shorter than 1 ms", "give --interval 100ms or more"));
    }
    let keep = keep::both(&arguments.keep)?;
    let listener = arguments.listen.map(|address| Listener::bind(address, arguments.expose)).transpose()?;
    let signals = Signals::catch(arguments.service)?;
    let (recorder, ends) = start(arguments, keep)?;
    let answers = Answers::new(&arguments.out, arguments.interval, recorder.monitor(), root(arguments));
    let at = listener.as_ref().map(Listener::address);
    let responder = http::start(&arguments.out, listener, answers)?;
    if let Some(missing) = &responder.missing {
        recorder.mark(MarkKind::Note { text: format!("recorder: --status cannot be asked: {missing}") });
    }
    let supervisor = Supervisor::of_environment();
    if arguments.service {
        let listens = at.map_or_else(String::new, |at| format!(", http://{at}/metrics"));
        output::say(&format!("recording to {} every {}{listens}", arguments.out.display(), arguments.interval));
        supervisor.ready();
    }
    let child = Child::start(&arguments.command, &recorder);
    let status = child.and_then(|mut child| wait(child.as_mut(), arguments, &signals, &recorder, &ends, &supervisor));
    supervisor.stopping();
    drop(responder);
    let manifest = recorder.finish()?;
    let status = status?;
    let folder = arguments.out.display();
    if json {
        output::print_json(&json!({
            "recording": arguments.out, "samples": manifest.samples, "late_samples": manifest.late_samples,
            "lost_samples": manifest.lost_samples, "recorder_cpu_ns": manifest.recorder_cpu.get(),
            "command_exit": status.and_then(|status| status.code()),
            "command_signal": status.and_then(|status| status.signal()),
        }))?;
    } else if !arguments.service {
        let late = match manifest.late_samples {
            0 => "none late".to_owned(),
            late => format!("{late} late"),
        };
        let lost = match manifest.lost_samples {
            0 => String::new(),
            lost => format!(", {lost} lost"),
        };
        output::say(&format!(
            "{} samples in {folder} ({late}{lost}), {} of CPU; now: pagetide diagnose {folder}",
            manifest.samples, manifest.recorder_cpu
        ));
        if let Some(status) = status.filter(|status| !status.success()) {
            output::say(&format!("the command ended with {status}"));
        }
    }
    Ok(if status.is_none_or(|status| status.success()) { Outcome::Done } else { Outcome::Failed })
}

fn root(arguments: &Arguments) -> Root {
    arguments.root.as_ref().map_or_else(Root::host, Root::new)
}

fn start(arguments: &Arguments, keep: Keep) -> Result<(Recorder, Ends), Error> {
    let continues = arguments.go_on || arguments.service || !arguments.keep.is_empty();
    let writer =
        if continues { Writer::open_or_continue(&arguments.out, keep)? } else { Writer::create(&arguments.out)? };
    let (sink, ends) = Sealing::new(writer);
    // A tree of files from elsewhere may lack the mounts, and so say nothing of control groups.
    let (mut watch, missing) = match Watch::flight_recorder(&root(arguments)) {
        _ if arguments.host_only => (Watch::default(), None),
        Ok(watch) => (watch, None),
        Err(error) => (Watch { cgroups: Vec::new(), processes: Processes::Top(Top::default()) }, Some(error)),
    };
    if arguments.all_processes {
        watch.processes = Processes::All;
    }
    let options = Options {
        interval: arguments.interval,
        watch,
        origin: pagetide_core::Origin::Host,
        workload_cgroup: None,
        workload_disk: None,
    };
    // A process that does nothing but record locks what it gets later as well, and has more room for a sink that waits.
    let mut protection = Protection::default();
    if arguments.service {
        protection.lock = Lock::Future;
    }
    if arguments.command.is_empty() {
        protection.entities = MOST_ENTITIES;
    }
    code::let_go();
    let recorder = Recorder::start_protected(root(arguments), options, protection, Box::new(sink))?;
    if let Some(error) = missing {
        recorder.mark(MarkKind::Note { text: format!("recorder: no control groups: {error}") });
    }
    Ok((recorder, ends))
}

/// Waits for the command's end, the time's end or a signal to stop, whichever comes first. Gives the command's status.
fn wait(
    mut child: Option<&mut Child>,
    arguments: &Arguments,
    signals: &Signals,
    recorder: &Recorder,
    ends: &Ends,
    supervisor: &Supervisor,
) -> Result<Option<ExitStatus>, Error> {
    let Arguments { length, interval, .. } = *arguments;
    let end = length.map(|length| Instant::now() + Duration::from_nanos(length.get()));
    let monitor = recorder.monitor();
    loop {
        if let Some(child) = child.as_mut()
            && let Some(status) = child.ended()?
        {
            recorder.mark(MarkKind::Note { text: format!("ended: {status}") });
            return Ok(Some(status));
        }
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let patience = [left, supervisor.period(), child.as_ref().and_then(|child| child.patience())];
        match signals.wait(patience.into_iter().flatten().min(), child.as_ref().and_then(|child| child.pidfd()))? {
            Event::Stop => return child.map(Child::terminate).transpose(),
            Event::Seal => {
                ends.segment();
                recorder.mark(MarkKind::Note { text: "recorder: the segment is ended by SIGHUP".to_owned() });
            }
            Event::Other => supervisor.alive(&monitor.progress(), interval, pagetide_recorder::now()),
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            return child.map(Child::terminate).transpose();
        }
        if monitor.progress().ended {
            // The sampling thread has died; the end says so.
            return child.map(Child::terminate).transpose();
        }
    }
}

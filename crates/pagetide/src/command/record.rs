//! `pagetide record`: the flight recorder.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use pagetide_core::{MarkKind, Nanos, Refusal};
use pagetide_kernel::{Processes, Root, Watch};
use pagetide_recorder::{Options, Recorder};
use pagetide_store::Writer;
use serde_json::json;
use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// Record this host: until Ctrl-C, for a time, or while a command runs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide record -o rec                                   until Ctrl-C
  pagetide record -o rec --for 60s --interval 100ms
  pagetide record -o rec -- fio --name=t --rw=randread --bs=8k --size=1g
Then: pagetide diagnose rec, pagetide show rec disk")]
pub(crate) struct Arguments {
    /// The folder for the recording; must not hold one already.
    #[arg(short, long, value_name = "DIR", default_value = "pagetide-recording")]
    out: PathBuf,
    /// Time between samples.
    #[arg(long, value_name = "TIME", default_value = "1s")]
    interval: Nanos,
    /// Stop after this time.
    #[arg(long = "for", value_name = "TIME")]
    length: Option<Nanos>,
    /// Record every process, not only the command's and the kernel's reclaim and writeback threads.
    #[arg(long)]
    all_processes: bool,
    /// The command to run and record, with its arguments.
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Refusal> {
    let interval = Duration::from_nanos(arguments.interval.get());
    if interval < Duration::from_millis(1) {
        return Err(Refusal::input("the interval is shorter than 1 ms", "give --interval 100ms or more"));
    }
    let interrupt = Interrupt::catch()?;
    let sink = Writer::create(&arguments.out)?;
    let processes = if arguments.all_processes { Processes::All } else { Processes::KernelThreads };
    let options = Options {
        interval: arguments.interval,
        watch: Watch { cgroups: Vec::new(), processes },
        origin: "host".to_owned(),
        workload_cgroup: None,
        workload_disk: None,
    };
    let recorder = Recorder::start(Root::host(), options, Box::new(sink))?;
    let command = start(&arguments.command, &recorder);
    let status = command.and_then(|mut child| wait(child.as_mut(), arguments.length, &interrupt, &recorder));
    let manifest = recorder.finish()?;
    let status = status?;
    let folder = arguments.out.display();
    if json {
        output::print_json(&json!({
            "recording": arguments.out, "samples": manifest.samples, "late_samples": manifest.late_samples,
            "recorder_cpu_ns": manifest.recorder_cpu.get(), "command_exit": status.and_then(|status| status.code()),
            "command_signal": status.and_then(|status| status.signal()),
        }))?;
    } else {
        let late = match manifest.late_samples {
            0 => "none late".to_owned(),
            late => format!("{late} late"),
        };
        output::say(&format!(
            "{} samples in {folder} ({late}), {} of CPU; now: pagetide diagnose {folder}",
            manifest.samples, manifest.recorder_cpu
        ));
        if let Some(status) = status.filter(|status| !status.success()) {
            output::say(&format!("the command ended with {status}"));
        }
    }
    Ok(if status.is_none_or(|status| status.success()) { Outcome::Done } else { Outcome::Failed })
}

/// Starts the command in a process group of its own, so that Ctrl-C reaches pagetide first, which passes it on.
fn start(words: &[OsString], recorder: &Recorder) -> Result<Option<Child>, Refusal> {
    let Some((program, rest)) = words.split_first() else { return Ok(None) };
    let child = Command::new(program).args(rest).process_group(0).spawn().map_err(|error| {
        Refusal::input(format!("cannot run {}: {error}", program.display()), "give a command that exists after --")
    })?;
    recorder.watch_pid(child.id());
    let line = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    recorder.mark(MarkKind::Note { text: format!("started: {line}") });
    Ok(Some(child))
}

/// Waits for the command's end, the time's end or an interrupt, whichever comes first. Gives the command's status.
fn wait(
    mut child: Option<&mut Child>,
    length: Option<Nanos>,
    interrupt: &Interrupt,
    recorder: &Recorder,
) -> Result<Option<ExitStatus>, Refusal> {
    let end = length.map(|length| Instant::now() + Duration::from_nanos(length.get()));
    let failed = |error: std::io::Error| Refusal::system(format!("waiting for the command: {error}"), "");
    loop {
        if let Some(child) = child.as_mut()
            && let Some(status) = child.try_wait().map_err(failed)?
        {
            recorder.mark(MarkKind::Note { text: format!("ended: {status}") });
            return Ok(Some(status));
        }
        if interrupt.came() || end.is_some_and(|end| Instant::now() >= end) {
            let Some(child) = child else { return Ok(None) };
            terminate(child);
            return child.wait().map(Some).map_err(failed);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Asks the command's process group to end, and ends it after two seconds.
fn terminate(child: &mut Child) {
    let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) else { return };
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
    let patience = Instant::now() + Duration::from_secs(2);
    while Instant::now() < patience {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
}

//! `pagetide record`: the flight recorder.

mod keep;
mod status;

use super::Outcome;
use crate::live_trace::Sample;
use crate::output;
use keep::Limit;
use pagetide_core::{Error, Nanos};
use pagetide_recorder::Tracing;
use pagetide_service::{Address, Listener, Options, Recorded, Service};
use serde_json::json;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::time::Duration;

/// Record this host: until Ctrl-C, for a time, while a command runs, or as a service.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide record -o rec                                   until Ctrl-C
  pagetide record -o rec --for 60s --interval 100ms
  pagetide record -o rec -- fio --name=t --rw=randread --bs=8k --size=1g
  pagetide record -o rec --service --keep 14d --keep 2GiB --listen 9815
  pagetide record -o rec --trace --for 10min                then: pagetide evictions rec, pagetide mrc rec
  pagetide record -o rec --status                          state of that recording
Then: pagetide diagnose rec, pagetide show rec disk

As a service SIGHUP ends the open segment; SIGTERM and SIGINT end the recording. docs/SERVICE.md has the rest.")]
pub(crate) struct Arguments {
    /// The recording's folder; it must hold no recording unless that is continued.
    #[arg(short, long, value_name = "DIR", default_value = "pagetide-recording")]
    out: PathBuf,
    /// Time between samples.
    #[arg(long, value_name = "TIME", default_value = "1s")]
    interval: Nanos,
    /// Stop after this time.
    #[arg(long = "for", value_name = "TIME")]
    length: Option<Nanos>,
    /// Record every process, not only the command's and the first by memory, IO, major faults and waiting.
    #[arg(long)]
    all_processes: bool,
    /// Record only the host, its zones and its disks: of processes only the kernel's reclaim threads, and no control groups.
    #[arg(long, conflicts_with_all = ["command", "all_processes"])]
    host_only: bool,
    /// Read the kernel's files below this folder instead of this host's: a tree of them from elsewhere.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    root: Option<PathBuf>,
    /// Continue the recording that the folder holds.
    #[arg(long = "continue")]
    continue_recording: bool,
    /// Keep at most this age (`7d`) or size (`2GiB`); may be given once for each. Continues a recording.
    #[arg(long, value_name = "AGE|SIZE")]
    keep: Vec<Limit>,
    /// Run under a service manager: continue the recording, lock all memory, print one line, notify systemd.
    #[arg(long, conflicts_with_all = ["command", "length"])]
    service: bool,
    /// Serve metrics to Prometheus at this address, `PORT` or `ADDRESS:PORT`, under /metrics.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<Address>,
    /// Allow --listen to take an address that other hosts can reach. There is no password.
    #[arg(long, requires = "listen")]
    expose: bool,
    /// Print the state of the recording in the folder, and record nothing. Exit code 1 when no recorder runs there.
    #[arg(long, conflicts_with_all = ["command", "length", "service", "listen", "keep", "continue_recording"])]
    status: bool,
    /// Trace the page cache, too: who evicts whom, how much memory would help, who waits (needs root; docs/TRACE.md).
    #[arg(long, value_name = "1/N", num_args = 0..=1, require_equals = true, default_missing_value = "1/64", conflicts_with = "root")]
    trace: Option<Sample>,
    /// Leave the names of files out of the trace.
    #[arg(long, requires = "trace")]
    no_names: bool,
    /// The command to run and record, with its arguments.
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if arguments.status {
        return status::run(&arguments.out, json);
    }
    if Duration::from_nanos(arguments.interval.get()) < Duration::from_millis(1) {
        return Err(Error::input("the interval is shorter than 1 ms", "give --interval 100ms or more"));
    }
    let keep = keep::both(&arguments.keep)?;
    let continues = arguments.continue_recording || arguments.service || !arguments.keep.is_empty();
    let service = Service::start(Options {
        folder: arguments.out.clone(),
        interval: arguments.interval,
        length: arguments.length,
        keep: continues.then_some(keep),
        service: arguments.service,
        listener: arguments.listen.map(|address| Listener::bind(address, arguments.expose)).transpose()?,
        root: arguments.root.clone(),
        all_processes: arguments.all_processes,
        host_only: arguments.host_only,
        tracing: arguments.trace.map(|sample| Tracing { shift: sample.shift, names: !arguments.no_names }),
        command: arguments.command.clone(),
    })?;
    if arguments.service {
        let listens = service.address().map_or_else(String::new, |address| format!(", http://{address}/metrics"));
        output::say(&format!("recording to {} every {}{listens}", arguments.out.display(), arguments.interval));
    }
    let recorded = service.wait()?;
    report(arguments, json, &recorded)?;
    Ok(if recorded.command.is_none_or(|status| status.success()) { Outcome::Done } else { Outcome::Failed })
}

fn report(arguments: &Arguments, json: bool, Recorded { manifest, command }: &Recorded) -> Result<(), Error> {
    let folder = arguments.out.display();
    if json {
        return output::print_json(&json!({
            "recording": arguments.out, "samples": manifest.samples, "late_samples": manifest.late_samples,
            "lost_samples": manifest.lost_samples, "recorder_cpu_ns": manifest.recorder_cpu.get(),
            "command_exit": command.and_then(|status| status.code()),
            "command_signal": command.and_then(|status| status.signal()),
        }));
    }
    if arguments.service {
        return Ok(());
    }
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
    if let Some(status) = command.filter(|status| !status.success()) {
        output::say(&format!("the command ended with {status}"));
    }
    Ok(())
}

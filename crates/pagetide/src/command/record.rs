//! `pagetide record`: the flight recorder.

mod group;
mod keep;
mod label;
mod settings;
mod status;
mod trace_mode;

use super::Outcome;
use crate::output;
use group::Group;
use pagetide_core::{Error, Nanos};
use pagetide_service::{Listener, Options, Recorded, Service};
use serde_json::json;
use settings::Settings;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
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
  pagetide record --check-config --config recorder.toml    the options that a file gives
Then: pagetide diagnose rec, pagetide show rec disk

As a service SIGHUP ends the open segment; SIGTERM and SIGINT end the recording. docs/SERVICE.md has the rest.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    settings: Settings,
    /// Read options from this TOML file; what the command line says comes first. Its keys are the options' names.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Check the file of options and print what it gives; record nothing [file: --config, else /etc/pagetide/recorder.toml].
    #[arg(long, conflicts_with_all = ["command", "status", "service"])]
    check_config: bool,
    /// Stop after this time.
    #[arg(long = "for", value_name = "TIME")]
    length: Option<Nanos>,
    /// Read the kernel's files below this folder instead of this host's: a tree of them from elsewhere.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["command", "trace"])]
    root: Option<PathBuf>,
    /// Continue the recording that the folder holds.
    #[arg(long = "continue")]
    continue_recording: bool,
    /// Run under a service manager: continue the recording, lock all memory, print one line, notify systemd.
    #[arg(long, conflicts_with_all = ["command", "length"])]
    service: bool,
    /// Print the state of the recording in the folder, and record nothing. Exit code 1 when no recorder runs there.
    #[arg(long, conflicts_with_all = ["command", "length", "service", "listen", "keep", "continue_recording"])]
    status: bool,
    /// The command to run and record, with its arguments.
    #[arg(last = true, value_name = "CMD", conflicts_with = "host_only")]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if arguments.check_config {
        let path = arguments.config.as_deref().unwrap_or(Path::new("/etc/pagetide/recorder.toml"));
        return check(path, json);
    }
    let settings = match &arguments.config {
        None => arguments.settings.clone(),
        Some(path) => arguments.settings.clone().or(settings::settings(path, &settings::words(path)?)?),
    };
    let (folder, interval) = (settings.folder(), settings.interval.unwrap_or(Nanos::new(1_000_000_000)));
    if arguments.status {
        return status::run(&folder, json);
    }
    if Duration::from_nanos(interval.get()) < Duration::from_millis(1) {
        return Err(Error::input("the interval is shorter than 1 ms", "give --interval 100ms or more"));
    }
    let keep = keep::both(&settings.keep)?;
    let continues = arguments.continue_recording || arguments.service || !settings.keep.is_empty();
    let tracing = settings.tracing(arguments.service);
    let service = Service::start(Options {
        folder: folder.clone(),
        interval,
        length: arguments.length,
        keep: continues.then_some(keep),
        service: arguments.service,
        listener: settings
            .listen
            .map(|address| Listener::bind(address, settings.expose, settings.listen_names))
            .transpose()?,
        group: settings.group.map(|Group(id)| id),
        root: arguments.root.clone(),
        all_processes: settings.all_processes,
        host_only: settings.host_only,
        top: settings.top.map(usize::from),
        labels: settings.labels.into_iter().map(|label| (label.name, label.value)).collect(),
        tracing,
        command: arguments.command.clone(),
    })?;
    if arguments.service {
        let listens = service.address().map_or_else(String::new, |address| format!(", http://{address}/metrics"));
        output::say(&format!("recording to {} every {interval}{listens}", folder.display()));
    }
    let recorded = service.wait()?;
    report(&folder, arguments.service, json, &recorded)?;
    Ok(if recorded.command.is_none_or(|status| status.success()) { Outcome::Done } else { Outcome::Failed })
}

/// Prints what a file of options gives, as the command line that gives the same.
fn check(path: &Path, json: bool) -> Result<Outcome, Error> {
    let words = settings::words(path)?;
    let settings = settings::settings(path, &words)?;
    keep::both(&settings.keep)?;
    if json {
        output::print_json(&json!({ "config": path, "arguments": words }))?;
    } else {
        output::print(&format!("{} is valid: pagetide record {}\n", path.display(), words.join(" ")))?;
    }
    Ok(Outcome::Done)
}

fn report(folder: &Path, service: bool, json: bool, Recorded { manifest, command }: &Recorded) -> Result<(), Error> {
    if json {
        return output::print_json(&json!({
            "recording": folder, "samples": manifest.samples, "late_samples": manifest.late_samples,
            "lost_samples": manifest.lost_samples, "recorder_cpu_ns": manifest.recorder_cpu.get(),
            "command_exit": command.and_then(|status| status.code()),
            "command_signal": command.and_then(|status| status.signal()),
        }));
    }
    if service {
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
    let folder = folder.display();
    output::say(&format!(
        "{} samples in {folder} ({late}{lost}), {} of CPU; now: pagetide diagnose {folder}",
        manifest.samples, manifest.recorder_cpu
    ));
    manifest.blind().iter().for_each(|line| output::say(line));
    if let Some(status) = command.filter(|status| !status.success()) {
        output::say(&format!("the command ended with {status}"));
    }
    Ok(())
}

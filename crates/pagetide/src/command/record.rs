//! `pagetide record`: the flight recorder.

mod group;
mod keep;
mod label;
pub(crate) mod rights;
mod settings;
mod status;
mod trace_mode;

use super::Outcome;
use crate::{output, programs, recordings};
use group::Group;
use pagetide_core::{Bytes, Error, Nanos, Quantity, Selection, Table};
use pagetide_diagnose::LEAST_SAMPLES;
use pagetide_service::{CommandIo, CommandWaits, Listener, Options, Recorded, Service};
use serde_json::json;
use settings::Settings;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};

/// Record this host: until Ctrl-C, for a given time, while a command runs, or as a service.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide record -o rec                                   until Ctrl-C
  pagetide record -o rec --for 60s --interval 100ms
  pagetide record -o rec -- sh -c 'sleep 15; ./job.sh'  a command, after 15 quiet seconds
  pagetide record -o rec --service --keep 14d --keep 2GiB --listen 9815
  pagetide record -o rec --trace --for 10min                then: pagetide evictions rec, pagetide mrc rec
  pagetide record -o rec --status                          the state of that recording
  pagetide record --check-config --config recorder.toml    check a configuration file
Then: pagetide diagnose rec, pagetide show rec disk

Start a minute before the trouble: diagnose compares it with the time before, and needs at least
10 samples. To record what each process waits for, run sysctl kernel.task_delayacct=1 as root before
the programs start.

With --service, SIGHUP ends the open segment; SIGTERM and SIGINT end the recording. docs/SERVICE.md describes the service.
The exit code is that of the recorded command; 128 + N if signal N ended it.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    settings: Settings,
    /// Read options from this TOML file, one key per option. The command line overrides it.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Check the configuration file, print the options it sets, and exit [file: --config, else /etc/pagetide/recorder.toml].
    #[arg(long, conflicts_with_all = ["command", "status", "service"])]
    check_config: bool,
    /// Stop after this time. A recording of a command ends with the command.
    #[arg(value_parser = Nanos::typed, long = "for", value_name = "TIME")]
    length: Option<Nanos>,
    /// Read the kernel's files below this folder instead of this host's.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["command", "trace"])]
    root: Option<PathBuf>,
    /// Continue the recording in the folder.
    #[arg(long = "continue")]
    continue_recording: bool,
    /// Run under a service manager: continue the recording, lock all memory, print one line, notify systemd.
    #[arg(long, conflicts_with_all = ["command", "length"])]
    service: bool,
    /// Print the state of the recording in the folder and exit, with code 1 if no recorder is running there.
    #[arg(long, conflicts_with_all = ["command", "length", "service", "listen", "keep", "continue_recording"])]
    status: bool,
    /// Command to run and record, with its arguments. A signal that ends the recording ends it too.
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
    pagetide_recorder::check_interval(interval)?;
    let keep = keep::both(&settings.keep)?;
    if let Some(program) = arguments.command.first() {
        if let Some(length) = arguments.length {
            return Err(Error::input(
                format!("--for would end the command after {length}"),
                "leave it out: the recording ends with the command; `-- timeout 60 CMD` limits the command",
            ));
        }
        programs::is_there(program, "give a program in PATH or a path after --; for shell syntax, `-- sh -c '…'`")?;
    }
    let continues =
        arguments.continue_recording || arguments.service || !settings.keep.is_empty() || is_of_this_host(&folder)?;
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
        command_lines: settings.command_lines,
        labels: settings.labels.into_iter().map(|label| (label.name, label.value)).collect(),
        tracing,
        command: arguments.command.clone(),
    })?;
    // What runs beside a command leaves the terminal to it.
    if arguments.command.is_empty() && !json {
        let listens = service.address().map_or_else(String::new, |address| format!(", http://{address}/metrics"));
        let ends = match arguments.length {
            Some(length) => format!(" for {length}"),
            None if arguments.service => String::new(),
            None => "; Ctrl-C ends it".to_owned(),
        };
        output::say(&format!("recording to {} every {interval}{listens}{ends}", folder.display()));
    }
    let recorded = service.wait()?;
    report(&folder, arguments.service, continues, json, &recorded)?;
    if let Some(root) = arguments.root.as_ref().filter(|_| stands_still(&folder)) {
        output::say(&format!(
            "nothing changed below {}: it is a copy of one moment, which has no rates",
            root.display()
        ));
    }
    Ok(recorded.command.map_or(Outcome::Done, Outcome::of_command))
}

/// Whether no task was switched to from the first sample of a recording to its last: no host that runs does that.
fn stands_still(folder: &Path) -> bool {
    let selection = Selection { tables: vec![Table::Host], metrics: vec!["ctxt".to_owned()], ..Selection::default() };
    let recording = recordings::load(folder, &selection);
    recording.is_ok_and(|recording| {
        recording.stamps().len() > 1
            && recording.host("ctxt").is_some_and(|switches| switches.rise(i64::MIN, i64::MAX) == Some(0))
    })
}

/// Whether the folder holds a recording of this host, which then goes on with a new segment.
fn is_of_this_host(folder: &Path) -> Result<bool, Error> {
    if folder.is_file() {
        return Ok(false);
    }
    let Ok(reader) = pagetide_store::Reader::open(folder) else { return Ok(false) };
    let host = pagetide_kernel::facts(&pagetide_kernel::Root::host()).map(|facts| facts.host).unwrap_or_default();
    let manifest = reader.manifest();
    if manifest.origin != pagetide_core::Origin::Host || manifest.host != host {
        return Ok(false);
    }
    output::say(&format!("{} holds a recording of this host: continuing it with a new segment", folder.display()));
    Ok(true)
}

/// Prints what a file of options gives, as the command line that gives the same.
fn check(path: &Path, json: bool) -> Result<Outcome, Error> {
    let words = settings::words(path)?;
    let settings = settings::settings(path, &words)?;
    keep::both(&settings.keep)?;
    if json {
        output::print_json(&json!({ "config": path.display().to_string(), "arguments": words }))?;
    } else {
        output::print(&format!("{} is valid: pagetide record {}\n", path.display(), words.join(" ")))?;
    }
    Ok(Outcome::Done)
}

/// What to do with a recording of this many samples. One that continues another has more.
fn next_step(folder: &Path, samples: u64, continues: bool) -> String {
    if continues || samples >= LEAST_SAMPLES as u64 {
        return format!("now: pagetide diagnose {}", output::shell_word(folder));
    }
    format!("too few for diagnose, which needs {LEAST_SAMPLES}: record for longer, or with a shorter --interval")
}

fn report(
    folder: &Path,
    service: bool,
    continues: bool,
    json: bool,
    Recorded { manifest, command, stopped, io, waits }: &Recorded,
) -> Result<(), Error> {
    if json {
        return output::print_json(&json!({
            "recording": folder.display().to_string(), "samples": manifest.samples, "late_samples": manifest.late_samples,
            "missed_samples": manifest.missed_samples, "lost_samples": manifest.lost_samples, "recorder_cpu_ns": manifest.recorder_cpu.get(),
            "command_exit": command.and_then(|status| status.code()),
            "command_signal": command.and_then(|status| status.signal()),
            "command_io": io.map(|io| json!({
                "elapsed_ns": u64::try_from(io.elapsed.as_nanos()).unwrap_or(u64::MAX),
                "read_calls": io.calls.0, "write_calls": io.calls.1, "read_bytes": io.bytes.0, "written_bytes": io.bytes.1,
                "device_read_bytes": io.device_bytes.0, "device_written_bytes": io.device_bytes.1,
                "hit_ratio": hit_ratio(&io),
            })),
            "command_waits": waits.as_ref().map(|waits| json!({
                "delays_ns": waits.delays.iter().map(|(name, time)| (*name, time.get())).collect::<BTreeMap<_, _>>(),
                "unknown": waits.unknown,
                "cpu_throttled_ns": waits.cpu_throttled.map(Nanos::get),
            })),
        }));
    }
    if service {
        return Ok(());
    }
    let late = match manifest.late_samples {
        0 => "none late".to_owned(),
        late => format!("{late} late"),
    };
    let count = |count: u64, what: &str| if count == 0 { String::new() } else { format!(", {count} {what}") };
    let (missed, lost) = (count(manifest.missed_samples, "not taken"), count(manifest.lost_samples, "lost"));
    output::say(&format!(
        "{} in {} ({late}{missed}{lost}), {} of CPU; {}",
        output::samples(usize::try_from(manifest.samples).unwrap_or(usize::MAX)),
        folder.display(),
        manifest.recorder_cpu,
        next_step(folder, manifest.samples.saturating_sub(manifest.lost_samples), continues)
    ));
    if let Some(io) = io {
        output::say(&summary(io));
    }
    if let Some(waits) = waits {
        output::say(&waited(waits));
    }
    manifest.blind().iter().for_each(|line| output::say(line));
    if let Some(command) = rights::hint(manifest) {
        output::say(&format!("to see what only root may read: {command}"));
    }
    if let Some(status) = command.filter(|status| !status.success()) {
        output::say(&match stopped {
            true => format!("pagetide was told to stop, and ended the command ({status})"),
            false => format!("the command ended with {status}"),
        });
    }
    Ok(())
}

/// The share of the bytes a command read by system calls that came from no block device.
fn hit_ratio(io: &CommandIo) -> Option<f64> {
    (io.bytes.0 > 0).then(|| (1.0 - io.device_bytes.0 as f64 / io.bytes.0 as f64).clamp(0.0, 1.0))
}

/// What the command did, as time(1) says it.
fn summary(io: &CommandIo) -> String {
    let bytes = |count| Bytes::new(count);
    let hits = hit_ratio(io).map_or_else(String::new, |hits| format!(", hit ratio {}", Quantity::ratio(hits)));
    let elapsed = Nanos::new(u64::try_from(io.elapsed.as_nanos()).unwrap_or(u64::MAX));
    let calls = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    format!(
        "the command took {elapsed}: {} of {}, {} of that from disk{hits}; {} of {}, {} of that to disk",
        calls(io.calls.0, "read"),
        bytes(io.bytes.0),
        bytes(io.device_bytes.0),
        calls(io.calls.1, "write"),
        bytes(io.bytes.1),
        bytes(io.device_bytes.1)
    )
}

/// In words, the delays that show where a command was slowed. A process that writes faster than the devices sleeps in `balance_dirty_pages`
/// (mm/page-writeback.c, 6.12), which the kernel counts as waiting for block IO.
const WAITS: [(&str, &str); 6] = [
    ("blkio_delay_total", "for block IO or throttled as a writer"),
    ("thrashing_delay_total", "for evicted pages read again"),
    ("freepages_delay_total", "in direct reclaim"),
    ("swapin_delay_total", "for swap"),
    ("compact_delay_total", "in compaction"),
    ("cpu_delay_total", "for a CPU"),
];

/// What the command and its children waited for, longest first, and how long a CPU limit throttled them.
fn waited(waits: &CommandWaits) -> String {
    let named = waits.delays.iter().filter_map(|(name, time)| {
        let (_, words) = WAITS.iter().find(|(known, _)| known == name)?;
        Some((*time, *words))
    });
    let mut named: Vec<(Nanos, &str)> = named.filter(|(time, _)| time.get() > 0).collect();
    named.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    let named: Vec<String> = named.iter().map(|(time, words)| format!("{time} {words}")).collect();
    let mut parts = if named.is_empty() { Vec::new() } else { vec![format!("its tasks waited {}", named.join(", "))] };
    parts.extend(waits.unknown.as_ref().map(|why| match parts.is_empty() {
        true => format!("what it waited for is not known ({why})"),
        false => format!("what else it waited for is not known ({why})"),
    }));
    match waits.cpu_throttled {
        Some(time) if time.get() > 0 => parts.push(format!("CPU limits throttled its control group for {time}")),
        Some(_) => parts.push("no CPU limit throttled it".to_owned()),
        None => {}
    }
    if parts.is_empty() { "its tasks waited for nothing".to_owned() } else { parts.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Manifest, RecordingBuilder, Stamp};

    #[test]
    fn a_recording_is_called_too_short_where_diagnose_calls_it_so() {
        for samples in LEAST_SAMPLES as u64 - 1..=LEAST_SAMPLES as u64 {
            let mut builder = RecordingBuilder::new(Manifest::default());
            let seconds = 0..samples.cast_signed();
            seconds.for_each(|at| builder.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() }));
            let unknown = pagetide_diagnose::diagnose(&builder.finish()).unknown;
            let is_too_short = unknown.iter().any(|reason| reason.contains("a baseline needs at least"));
            assert_eq!(
                next_step(Path::new("rec"), samples, false).starts_with("too few for diagnose"),
                is_too_short,
                "{unknown:?}"
            );
            assert_eq!(next_step(Path::new("rec"), samples, true), "now: pagetide diagnose rec");
        }
    }

    #[test]
    fn what_a_command_waited_for_is_said_largest_first() {
        let ns = Nanos::new;
        let off = || Some("kernel.task_delayacct is 0: set it to 1 before the work starts".to_owned());
        let all = CommandWaits {
            delays: vec![
                ("cpu_delay_total", ns(2_000_000)),
                ("blkio_delay_total", ns(3_000_000_000)),
                ("swapin_delay_total", ns(0)),
                ("irq_delay_total", ns(7)),
            ],
            unknown: None,
            cpu_throttled: Some(ns(500_000_000)),
        };
        assert_eq!(
            waited(&all),
            "its tasks waited 3 s for block IO or throttled as a writer, 2 ms for a CPU; CPU limits throttled its control group for 500 ms"
        );
        let cpu = CommandWaits {
            delays: vec![("cpu_delay_total", ns(2_000_000))],
            unknown: off(),
            cpu_throttled: Some(ns(0)),
        };
        assert_eq!(
            waited(&cpu),
            "its tasks waited 2 ms for a CPU; what else it waited for is not known (kernel.task_delayacct is 0: set it to 1 before the work starts); no CPU limit throttled it"
        );
        assert_eq!(
            waited(&CommandWaits { unknown: off(), ..CommandWaits::default() }),
            "what it waited for is not known (kernel.task_delayacct is 0: set it to 1 before the work starts)"
        );
        assert_eq!(waited(&CommandWaits::default()), "its tasks waited for nothing");
    }
}

//! `pagetide top`: the terminal UI.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::{output, recordings, sampling};
use pagetide_core::{Error, Nanos, Selection, Source};
use pagetide_kernel::Root;
use pagetide_recorder::{Lock, Protection, Scope};
use pagetide_top::Growth;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Watch this host, or step through a recording: memory, reclaim, disks, processes, groups, findings.
///
/// Without a recording, top shows this host: from the recording of the pagetide service if it is running and you may read it, else
/// from its own samples, which stay in memory. Arrows move in time, / jumps to the next finding, ? lists the keys.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide top                       this host
  pagetide top rec                   a recording, from its first sample
  pagetide top /var/lib/pagetide     a growing recording: its newest sample, and all before it")]
pub(crate) struct Arguments {
    /// The recording: its folder, or a run's folder.
    recording: Option<PathBuf>,
    /// Time between samples of this host.
    #[arg(value_parser = Nanos::typed, long, value_name = "TIME", default_value = "1s", conflicts_with = "recording")]
    interval: Nanos,
    /// Take samples even if the pagetide service records this host.
    #[arg(long, conflicts_with = "recording")]
    sample: bool,
    /// Do not capture the mouse, so that you can select text in the terminal.
    #[arg(long)]
    no_mouse: bool,
    /// Read and print times in UTC, not in the time zone of the recorded host.
    #[arg(long)]
    utc: bool,
}

/// Where the service of the package records.
const SERVICE: &str = "/var/lib/pagetide";

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if json {
        return Err(Error::input(
            "top draws on a terminal and has no JSON",
            "`pagetide show REC --json` prints tables",
        ));
    }
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(Error::input(
            "top needs a terminal",
            "`pagetide show` and `pagetide diagnose` print to files and pipes",
        ));
    }
    let interrupt = Interrupt::catch()?;
    match &arguments.recording {
        Some(recording) => replay(recording, arguments, &interrupt)?,
        None if !arguments.sample && is_recording(Path::new(SERVICE)) => {
            replay(Path::new(SERVICE), arguments, &interrupt)?;
        }
        None => live(arguments, &interrupt)?,
    }
    Ok(Outcome::Done)
}

/// Whether a recorder runs in a folder whose recording this user may read.
fn is_recording(folder: &Path) -> bool {
    matches!(pagetide_service::query(folder), Ok(Some(_))) && recordings::open(folder).is_ok()
}

/// Shows a recording, which may grow.
fn replay(path: &Path, arguments: &Arguments, interrupt: &Interrupt) -> Result<(), Error> {
    let reader = recordings::open(path)?;
    let manifest = reader.manifest().clone();
    let running = matches!(pagetide_service::query(reader.folder()), Ok(Some(_)));
    if running {
        protect();
    }
    let options = pagetide_top::Options {
        title: format!("{}  {}", manifest.host, path.display()),
        growth: if running { Growth::Grows } else { Growth::Still },
        every: Duration::from_nanos(manifest.interval.get()).clamp(Duration::from_millis(500), Duration::from_secs(5)),
        clock: recordings::clock(&manifest, arguments.utc),
        mouse: !arguments.no_mouse,
        host: running.then(this_host),
    };
    pagetide_top::run(Arc::new(reader), options, &|| interrupt.came())
}

/// Samples this host and shows it.
fn live(arguments: &Arguments, interrupt: &Interrupt) -> Result<(), Error> {
    let (recorder, history) = sampling::start(arguments.interval, Scope::All)?;
    let manifest = history.times(&Selection::default())?.manifest;
    let options = pagetide_top::Options {
        title: format!("{}  samples of its own", manifest.host),
        growth: Growth::Window,
        every: Duration::from_nanos(arguments.interval.get()).max(Duration::from_millis(100)),
        clock: recordings::clock(&manifest, arguments.utc),
        mouse: !arguments.no_mouse,
        host: Some(this_host()),
    };
    let shown = pagetide_top::run(Arc::new(history), options, &|| interrupt.came());
    recorder.finish()?;
    shown
}

/// What is known of this host besides its samples.
fn this_host() -> pagetide_top::ThisHost {
    pagetide_top::ThisHost {
        members: Box::new(|group| pagetide_kernel::cgroup::members(&Root::host(), Path::new(group))),
        command_line: Box::new(|process| pagetide_kernel::command_line(&Root::host(), process)),
    }
}

/// Locks this process in memory, so that it can show a thrashing host. A refusal of the system is not an error.
fn protect() {
    if let Some(line) = (Protection { lock: Lock::Future, ..Protection::default() }).lock() {
        output::say(&line);
    }
}

//! `pagetide lab run`: runs scenarios and leaves a folder for each.

mod folder;
mod one;
mod several;

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::progress::ProgressDisplay;
use crate::{output, reports};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser};
use pagetide_core::{ClaimStatus, Error, Nanos, Progress, Scale, Scenario};
use pagetide_lab::backend::{BACKENDS, BackendKind};
use pagetide_lab::catalogue;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

/// Run scenarios, check their claims, and leave a folder with results, recording and report.html.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide lab run buffered-read --scale 1/8                      on this host, as root
  pagetide lab run buffered-write --scale 1/8 --limit-device      limit the disk to the scenario's IOPS and bandwidth
  pagetide lab run buffered-read --scale 1/8 --set memory=2GiB    the same with less memory
  pagetide lab run swap-off --on vm --scale 1/16 --steps D2,D4    two steps, in a virtual machine
  pagetide lab run second-read --on host,vm --scale 1/16          on both, compared on one page
  pagetide lab run all --on vm --scale 1/16                       every shipped scenario, one page at the end
  pagetide lab run mine.toml -o run/mine --seed 7 --json          a scenario of your own, repeatable

Exit code 1: a claim does not hold or cannot be computed, or one of several runs was refused.")]
pub(crate) struct Arguments {
    /// Ids of shipped scenarios, paths of TOML files, or `all` for every shipped scenario.
    #[arg(required = true, value_delimiter = ',')]
    scenarios: Vec<String>,
    /// The backends that run each scenario, one after the other.
    #[arg(long, default_value = BACKENDS[0].name, value_delimiter = ',', value_parser = backend_names())]
    on: Vec<String>,
    /// Run only these steps, and earlier steps that set the machine (sysctl, swap, device,
    /// hold, drop_caches).
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    steps: Vec<String>,
    /// Scale memory, files, holds and swap, such as 1/8. Device limits stay.
    #[arg(long, default_value = "1", value_name = "FRACTION")]
    scale: Scale,
    /// Change the scenario before it is scaled: `memory=2GiB`, `vm.swappiness=1`, `A4.randrepeat=false`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// The seed of everything that the run chooses at random [default: a new one, which the run prints].
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// With --on vm: the kernel image [default: Debian's, downloaded into the cache].
    #[arg(long, value_name = "IMAGE")]
    kernel: Option<PathBuf>,
    /// With --on vm: what executes the guest's instructions.
    #[arg(long, default_value = "auto")]
    accelerator: Executed,
    /// With --on vm: run a command of this host alongside the steps, on the first disk. The files that it leaves are copied to
    /// `alongside` in the folder of the run.
    #[arg(long, value_name = "COMMAND")]
    alongside: Vec<String>,
    /// With --on host: how this host becomes as small as the scenario's machine.
    #[arg(long, default_value = "cgroup")]
    shrink: By,
    /// With --on host: limit the disk under the files to the scenario's IOPS and bandwidth during the run. This slows every
    /// user of that disk.
    #[arg(long)]
    limit_device: bool,
    /// A folder on the disk to use. Data files go to a new folder in it.
    #[arg(long, value_name = "DIR", default_value = "/var/tmp")]
    work_dir: PathBuf,
    /// With --on host: keep the data files.
    #[arg(long)]
    keep_data: bool,
    /// Time between samples.
    #[arg(long, value_name = "TIME", default_value = "100ms")]
    interval: Nanos,
    /// The folder of the run, or of all runs [default: run/SCENARIO-1, -2, …, or run/all-1].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace an earlier run in that folder.
    #[arg(long)]
    force: bool,
}

/// The names of the backends, with their help.
fn backend_names() -> PossibleValuesParser {
    PossibleValuesParser::new(BACKENDS.iter().map(|kind| PossibleValue::new(kind.name).help(kind.about)))
}

/// What executes the instructions of a virtual machine.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Executed {
    /// KVM when a guest boots with it, else software emulation.
    Auto,
    /// KVM.
    Kvm,
    /// Software emulation.
    Tcg,
}

/// The ways to shrink a host.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    /// The work runs in a memory control group with the machine's memory as its limit.
    Cgroup,
    /// A process holds the host's other memory; at least 1 GiB stays available.
    Hold,
    /// The host keeps all of its memory.
    None,
}

/// One requested run.
#[derive(Debug, Clone)]
struct Planned {
    /// The scenario's text, for the run's folder.
    text: String,
    /// The scenario, scaled, with the requested steps.
    scenario: Scenario,
    backend: &'static BackendKind,
    seed: u64,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let planned = plan(arguments)?;
    let interrupt = Interrupt::catch()?;
    let [one] = planned.as_slice() else { return several::run(arguments, &planned, &interrupt, json) };
    let dir = match &arguments.out {
        Some(out) => folder::make(out, arguments.force)?,
        None => folder::make(&folder::unused(&one.scenario.id), arguments.force)?,
    };
    let mut progress = ProgressDisplay::new(interrupt, false);
    progress.say(&format!("seed {0} (--seed {0} repeats its random choices)", one.seed));
    let report = one::run(arguments, one, &dir, &mut progress)?;
    drop(progress);
    if json {
        output::print_json(&report.run)?;
    } else {
        reports::print_text(&report)?;
        output::print(&format!("\nreport: {}\n", dir.path().join("report.html").display()))?;
    }
    let all_hold = report.run.iter().flat_map(|run| &run.claims).all(|claim| claim.holds == ClaimStatus::Holds);
    Ok(if all_hold { Outcome::Done } else { Outcome::Failed })
}

/// A seed that differs between runs, short enough to type.
fn new_seed() -> u64 {
    RandomState::new().hash_one(std::process::id()) & 0xFF_FFFF
}

/// Every scenario on every backend, each once, in the order in which they were named.
fn plan(arguments: &Arguments) -> Result<Vec<Planned>, Error> {
    let mut names: Vec<&str> = Vec::new();
    for name in &arguments.scenarios {
        let meant: Vec<&str> = if name == "all" { catalogue::ids().collect() } else { vec![name] };
        names.extend(meant.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    }
    if !arguments.steps.is_empty() && names.len() > 1 {
        return Err(Error::input("--steps names steps of one scenario, but there are several", "leave --steps out"));
    }
    let seed = arguments.seed.unwrap_or_else(new_seed);
    let mut planned: Vec<Planned> = Vec::new();
    for name in names {
        let found = catalogue::find(name, &arguments.sets)?;
        let mut scenario = found.scenario.scaled(arguments.scale);
        if !arguments.steps.is_empty() {
            scenario = catalogue::only(&scenario, &arguments.steps)?;
        }
        for on in &arguments.on {
            let backend = BackendKind::named(on)?;
            if !planned.iter().any(|one| one.scenario.id == scenario.id && one.backend.name == backend.name) {
                planned.push(Planned { text: found.text.clone(), scenario: scenario.clone(), backend, seed });
            }
        }
    }
    Ok(planned)
}

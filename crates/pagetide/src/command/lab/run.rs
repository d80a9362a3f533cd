//! `pagetide lab run`: runs scenarios and leaves a folder for each.

mod folder;
mod one;
mod several;

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::progress::Shown;
use crate::{output, reports};
use clap::ValueEnum;
use pagetide_core::{Error, Holds, Nanos, Scale, Scenario};
use pagetide_lab::catalogue;
use std::path::PathBuf;

/// Run scenarios, check their claims, and leave a folder with results, recording and report.html.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide lab run buffered-read --scale 1/8
  pagetide lab run buffered-write --scale 1/8 --limit-device      as slow a disk as the scenario's
  pagetide lab run buffered-read --scale 1/8 --set memory=2GiB    what if there were less memory?
  pagetide lab run swap-off --on vm --scale 1/16 --steps D2,D4    with swap and without, in a virtual machine
  pagetide lab run second-read --on host,vm --scale 1/16          on both, side by side in compare.html
  pagetide lab run all --on vm --scale 1/16                       the whole catalogue, one page at the end
  pagetide lab run mine.toml --out run/mine --json

Exit code 1 when a claim does not hold or cannot be computed, or one of several runs was refused.")]
pub(crate) struct Arguments {
    /// Shipped scenarios' ids, paths of TOML files, or `all` for every shipped one.
    #[arg(required = true, value_delimiter = ',')]
    scenarios: Vec<String>,
    /// Where it runs; on several, each scenario on one after the other, and compared.
    #[arg(long, default_value = "host", value_delimiter = ',')]
    on: Vec<On>,
    /// Only these steps, and those before them that set the machine (sysctl, swap, hold); claims about others are left out.
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    steps: Vec<String>,
    /// Scale memory, files, holds and swap; device limits never are.
    #[arg(long, default_value = "1", value_name = "FRACTION")]
    scale: Scale,
    /// Change something of the scenario before it is scaled: `memory=2GiB`, `vm.swappiness=1`, `A4.randrepeat=false`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// With --on vm: the kernel image; Debian's when left out, downloaded into the cache.
    #[arg(long, value_name = "IMAGE")]
    kernel: Option<PathBuf>,
    /// With --on vm: what executes its instructions.
    #[arg(long, default_value = "auto")]
    accelerator: Executed,
    /// With --on vm: a command of this host that runs beside the steps, on the first disk; the files that it leaves are in the run's
    /// folder under `beside`.
    #[arg(long, value_name = "COMMAND")]
    beside: Vec<String>,
    /// How this host becomes as small as the scenario's machine.
    #[arg(long, default_value = "cgroup")]
    shrink: By,
    /// Limit the device under the files to the scenario's IOPS and bandwidth while the run lasts (slows the whole host).
    #[arg(long)]
    limit_device: bool,
    /// A folder on the disk to be used; the data files go to a new folder in it.
    #[arg(long, value_name = "DIR", default_value = "/var/tmp")]
    work_dir: PathBuf,
    /// Keep the data files.
    #[arg(long)]
    keep_data: bool,
    /// Time between samples.
    #[arg(long, value_name = "TIME", default_value = "100ms")]
    interval: Nanos,
    /// The folder of the run, or of all of them; `run/<scenario>-<time>` or `run/all-<time>` when left out.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace an earlier run in that folder.
    #[arg(long)]
    force: bool,
}

/// The backends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum On {
    /// This host, as root.
    Host,
    /// A virtual machine with its own kernel, memory, disks and swap.
    Vm,
}

impl On {
    const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Vm => "vm",
        }
    }
}

/// What executes the instructions of a virtual machine.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Executed {
    /// KVM when a guest comes up with it, else software.
    Auto,
    /// The processor.
    Kvm,
    /// Software.
    Tcg,
}

/// The ways to shrink a host.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    /// A memory cgroup with the machine's memory as its limit.
    Cgroup,
    /// Take the host's own memory away (never below 1 GiB available).
    Hold,
    /// Not at all.
    None,
}

/// One run that was asked for.
#[derive(Debug, Clone)]
struct Planned {
    /// The scenario's text, for the run's folder.
    text: String,
    /// The scenario, scaled, with the steps that were asked for.
    scenario: Scenario,
    on: On,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let planned = plan(arguments)?;
    let interrupt = Interrupt::catch()?;
    let [one] = planned.as_slice() else { return several::run(arguments, &planned, &interrupt, json) };
    let dir = match &arguments.out {
        Some(out) => folder::make(out, arguments.force)?,
        None => folder::make(&folder::named(&one.scenario.id), arguments.force)?,
    };
    let mut progress = Shown::new(interrupt, false);
    let report = one::run(arguments, one, &dir, &mut progress)?;
    drop(progress);
    if json {
        output::print_json(&report.run)?;
    } else {
        reports::print_text(&report)?;
        output::print(&format!("\nreport: {}\n", dir.path().join("report.html").display()))?;
    }
    let all_hold = report.run.iter().flat_map(|run| &run.claims).all(|claim| claim.holds == Holds::Yes);
    Ok(if all_hold { Outcome::Done } else { Outcome::Failed })
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
    let mut planned: Vec<Planned> = Vec::new();
    for name in names {
        let found = catalogue::find(name, &arguments.sets)?;
        let mut scenario = found.scenario.scaled(arguments.scale);
        if !arguments.steps.is_empty() {
            scenario = catalogue::only(&scenario, &arguments.steps)?;
        }
        for on in &arguments.on {
            if !planned.iter().any(|one| one.scenario.id == scenario.id && one.on == *on) {
                planned.push(Planned { text: found.text.clone(), scenario: scenario.clone(), on: *on });
            }
        }
    }
    Ok(planned)
}

//! `pagetide lab run`: runs scenarios and leaves a folder for each.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::progress::Shown;
use crate::{output, recordings, reports};
use clap::ValueEnum;
use pagetide_core::{Backend, Holds, Nanos, Refusal, Report, RunResult, Scale, Selection};
use pagetide_lab::catalogue::{self, Found};
use pagetide_lab::claims;
use pagetide_lab::host::{Host, HostOptions, Shrink};
use pagetide_lab::vm::{self, Accelerator, Vm, VmOptions};
use pagetide_store::Writer;
use std::path::{Path, PathBuf};

/// Run scenarios, check their claims, and leave a folder with results, recording and report.html.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide lab run buffered-read --scale 1/8
  pagetide lab run buffered-write --scale 1/8 --limit-device      as slow a disk as the scenario's
  pagetide lab run buffered-read --scale 1/8 --set memory=2GiB    what if there were less memory?
  pagetide lab run mine.toml --out run/mine --json

Exit code 1 when a claim does not hold or cannot be computed.")]
pub(crate) struct Arguments {
    /// Shipped scenarios' ids or paths of TOML files.
    #[arg(required = true, value_delimiter = ',')]
    scenarios: Vec<String>,
    /// Where it runs.
    #[arg(long, default_value = "host")]
    on: On,
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
    /// The run's folder, for one scenario; `run/<scenario>-<time>` when left out.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace an earlier run in that folder.
    #[arg(long)]
    force: bool,
}

/// The backends.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum On {
    /// This host, as root.
    Host,
    /// A virtual machine with its own kernel, memory, disks and swap.
    Vm,
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

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Refusal> {
    let found: Vec<Found> =
        arguments.scenarios.iter().map(|name| catalogue::find(name, &arguments.sets)).collect::<Result<_, _>>()?;
    if arguments.out.is_some() && found.len() > 1 {
        return Err(Refusal::input("--out names one folder, but there are several scenarios", "leave --out out"));
    }
    let interrupt = Interrupt::catch()?;
    let mut results = Vec::new();
    for one in &found {
        let folder = folder(arguments, one)?;
        let mut progress = Shown::new(interrupt.clone(), false);
        let report = run_one(arguments, one, &folder, &mut progress)?;
        drop(progress);
        if !json {
            reports::print_text(&report)?;
            output::print(&format!("\nreport: {}\n", folder.join("report.html").display()))?;
        }
        results.extend(report.run);
    }
    if json {
        match results.as_slice() {
            [one] => output::print_json(one)?,
            many => output::print_json(&many)?,
        }
    }
    let all_hold = results.iter().flat_map(|run| &run.claims).all(|claim| claim.holds == Holds::Yes);
    Ok(if all_hold { Outcome::Done } else { Outcome::Failed })
}

/// Runs one scenario in its folder.
fn run_one(arguments: &Arguments, found: &Found, folder: &Path, progress: &mut Shown) -> Result<Report, Refusal> {
    write(&folder.join("scenario.toml"), &found.text)?;
    let scenario = found.scenario.scaled(arguments.scale);
    let sink = Writer::create(&folder.join("recording"))?;
    let mut backend = backend(arguments, folder)?;
    let mut run = backend.run(&scenario, arguments.scale, Box::new(sink), progress)?;
    run.claims = claims::check(&scenario, &run.steps);
    let recording = recordings::load(folder, &Selection::default())?;
    let diagnosis = pagetide_diagnose::diagnose(&recording);
    run.findings.clone_from(&diagnosis.findings);
    save(&run, &folder.join("result.json"))?;
    let report = Report { scenario: Some(scenario), run: Some(run), diagnosis, recording };
    reports::write_html(&report, &folder.join("report.html"))?;
    Ok(report)
}

fn backend(arguments: &Arguments, folder: &Path) -> Result<Box<dyn Backend>, Refusal> {
    Ok(match arguments.on {
        On::Vm => {
            let own = std::env::current_exe()
                .map_err(|error| Refusal::system(format!("cannot find this program's own file: {error}"), ""))?;
            Box::new(Vm::new(VmOptions {
                kernel: arguments.kernel.clone(),
                accelerator: match arguments.accelerator {
                    Executed::Auto => None,
                    Executed::Kvm => Some(Accelerator::Kvm),
                    Executed::Tcg => Some(Accelerator::Tcg),
                },
                interval: arguments.interval,
                init_words: vec!["guest".to_owned()],
                ..VmOptions::new(vm::usual_cache(), &arguments.work_dir, folder, own)
            }))
        }
        On::Host => Box::new(Host::new(HostOptions {
            shrink: match arguments.shrink {
                By::Cgroup => Shrink::Cgroup,
                By::Hold => Shrink::Hold,
                By::None => Shrink::None,
            },
            limit_device: arguments.limit_device,
            keep_data: arguments.keep_data,
            interval: arguments.interval,
            ..HostOptions::new(&arguments.work_dir, folder)
        })),
    })
}

/// The run's folder, made and empty. An earlier run is replaced only when the user says so, and nothing else ever is.
fn folder(arguments: &Arguments, found: &Found) -> Result<PathBuf, Refusal> {
    let folder = arguments.out.clone().unwrap_or_else(|| {
        let time = recordings::timestamp(pagetide_recorder::now().wall_ns).replace([':', '-'], "");
        PathBuf::from("run").join(format!("{}-{}", found.scenario.id, time.split('.').next().unwrap_or_default()))
    });
    let refused = |error: std::io::Error| {
        Refusal::system(format!("{}: {error}", folder.display()), "name a folder that can be written with --out")
    };
    std::fs::create_dir_all(&folder).map_err(refused)?;
    if std::fs::read_dir(&folder).map_err(refused)?.next().is_some() {
        if !folder.join("scenario.toml").exists() {
            return Err(Refusal::input(
                format!("{} holds something that is not a run", folder.display()),
                "name an empty folder with --out",
            ));
        }
        if !arguments.force {
            return Err(Refusal::input(
                format!("{} holds a run already", folder.display()),
                "--force replaces it, or name another folder with --out",
            ));
        }
        std::fs::remove_dir_all(&folder).and_then(|()| std::fs::create_dir_all(&folder)).map_err(refused)?;
    }
    // fio runs in another folder, and people copy the path of the report.
    folder.canonicalize().map_err(refused)
}

fn save(run: &RunResult, file: &Path) -> Result<(), Refusal> {
    let text = serde_json::to_string_pretty(run)
        .map_err(|error| Refusal::system(format!("{}: {error}", file.display()), ""))?;
    write(file, &(text + "\n"))
}

fn write(file: &Path, text: &str) -> Result<(), Refusal> {
    std::fs::write(file, text).map_err(|error| {
        Refusal::system(format!("{}: {error}", file.display()), "free some room, or name another folder with --out")
    })
}

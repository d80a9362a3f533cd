//! The arguments of `pagetide lab run`, and what they request.

use super::backend_options::{self, BackendArguments};
use clap::builder::PossibleValuesParser;
use pagetide_core::{Nanos, PageSample, Scale, Scenario};
use pagetide_lab::backend::BackendKind;
use pagetide_lab::backends::BACKENDS;
use std::path::PathBuf;

/// Run scenarios, check their claims, and write a folder with results, recording and report.html.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide lab run buffered-read --scale 1/8                      on this host, as root
  pagetide lab run buffered-write --scale 1/8 --limit-device      limit the disk to the scenario's IOPS and bandwidth
  pagetide lab run buffered-read --scale 1/8 --set memory=2GiB    with less memory
  pagetide lab run swap-off --on vm --scale 1/16 --steps D2,D4    two steps, in a virtual machine
  pagetide lab run second-read --on host,vm --scale 1/16          on both, compared on one page
  pagetide lab run all --on vm --scale 1/16                       every shipped scenario, one page at the end
  pagetide lab run all --on vm,sim --scale 1/16                   and how far the model is from it, figure by figure
  pagetide lab run all --on vm --scale 1/16 -o run/all --resume   go on after Ctrl-C or a crash
  pagetide lab run mine.toml -o run/mine --seed 7 --json          your own scenario, repeatable

Exit code 1: a claim fails, was disturbed or cannot be computed, or one of several runs was refused.")]
pub(crate) struct Arguments {
    /// Ids of shipped scenarios, paths of TOML files, or `all` for every shipped scenario.
    #[arg(required = true, value_delimiter = ',')]
    pub(super) scenarios: Vec<String>,
    /// Backends to run each scenario on, one after the other.
    #[arg(long, default_value = BACKENDS[0].name, value_delimiter = ',', value_parser = backend_names())]
    pub(super) on: Vec<String>,
    /// Run only these steps, and earlier steps that set the machine (sysctl, swap, device,
    /// hold, drop_caches).
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    pub(super) steps: Vec<String>,
    /// Scale memory, files, holds and swap by this factor, such as 1/8. Device limits stay.
    #[arg(long, default_value = "1", value_name = "FRACTION")]
    pub(super) scale: Scale,
    /// Change the scenario before it is scaled: `memory=2GiB`, `vm.swappiness=1`, `A4.randrepeat=false`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) sets: Vec<String>,
    /// Seed for every random choice of the run [default: a new one, which the run prints].
    #[arg(long, value_name = "NUMBER")]
    pub(super) seed: Option<u64>,
    /// A folder on the disk to use. Data files go into a new folder inside it.
    #[arg(long, value_name = "DIR", default_value = "/var/tmp")]
    pub(super) work_dir: PathBuf,
    /// Trace this share of the page cache's pages during the run: who evicts whom, and what more memory would save.
    #[arg(long, value_name = "1/N", num_args = 0..=1, require_equals = true, default_missing_value = "1/64")]
    pub(super) trace: Option<PageSample>,
    /// Time between samples.
    #[arg(value_parser = Nanos::typed, long, value_name = "TIME", default_value = "100ms")]
    pub(super) interval: Nanos,
    /// Folder for the run, or for all runs [default: run/SCENARIO-1, -2, …, or run/all-1].
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Overwrite an earlier run in that folder, or several runs by several.
    #[arg(long)]
    pub(super) force: bool,
    /// Go on with several runs that were interrupted, with the same arguments: runs that have a result are kept.
    #[arg(long, requires = "out", conflicts_with = "force")]
    pub(super) resume: bool,
    #[command(flatten)]
    pub(super) backends: BackendArguments,
}

impl Arguments {
    /// What a run says of itself if not all steps were requested.
    pub(super) fn only(&self) -> Option<String> {
        let steps = self.steps.join(", ");
        (!steps.is_empty()).then(|| format!("Only {steps} and earlier steps that set the machine were run."))
    }
}

/// The names of the backends, with their help.
fn backend_names() -> PossibleValuesParser {
    backend_options::choice(BACKENDS.iter().map(|kind| (kind.name, kind.about)))
}

/// One requested run.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    /// The scenario's text, for the run's folder.
    pub(super) text: String,
    /// The scenario, scaled, with the requested steps.
    pub(super) scenario: Scenario,
    pub(super) backend: &'static BackendKind,
    pub(super) seed: u64,
}

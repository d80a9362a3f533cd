//! What the command line knows of a backend, and the parts of a run that all backends share.

use crate::claims;
use pagetide_core::{Backend, Error, Nanos, Progress, RunRequest, RunResult, Sink};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A way to make a backend.
#[derive(Debug, Clone, Copy)]
pub struct BackendKind {
    /// Its name on the command line and in results.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The options that only it understands.
    pub options: &'static [BackendOption],
    /// Makes one.
    pub make: MakeBackend,
}

/// Makes a backend from the common options and its own.
pub type MakeBackend = fn(&RunPlace, &GivenOptions) -> Result<Box<dyn Backend>, Error>;

/// Where a backend works and how it samples, whichever it is.
#[derive(Debug, Clone)]
pub struct RunPlace {
    /// An existing folder on the disk to use, for data files.
    pub work_dir: PathBuf,
    /// An existing folder in which fio's own results are left.
    pub results: PathBuf,
    /// Time between two samples.
    pub interval: Nanos,
}

/// An option of one backend. The command line and its help are made of these.
#[derive(Debug, Clone, Copy)]
pub struct BackendOption {
    /// Its name on the command line, without dashes.
    pub name: &'static str,
    /// What its value is.
    pub value: OptionValue,
    /// What it does.
    pub about: &'static str,
}

/// The value of an option.
#[derive(Debug, Clone, Copy)]
pub enum OptionValue {
    /// None: it is given or not.
    Flag,
    /// One of these names, each with what it does. The first one is the default.
    Choice(&'static [(&'static str, &'static str)]),
    /// A text, with the word that help prints for it. The option may be repeated.
    Text(&'static str),
}

/// The options that the user gave, by name: none, one or several values each. A flag has the value `true`.
#[derive(Debug, Clone, Default)]
pub struct GivenOptions(pub BTreeMap<&'static str, Vec<String>>);

impl GivenOptions {
    /// All values of an option.
    pub fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// The last value of an option.
    pub fn last(&self, name: &str) -> Option<&str> {
        self.all(name).last().map(String::as_str)
    }
}

/// Runs a scenario on a backend and checks its claims.
///
/// # Errors
/// As [`Backend::run`].
pub fn run(
    backend: &mut dyn Backend,
    request: &RunRequest,
    sink: Box<dyn Sink>,
    progress: &mut dyn Progress,
) -> Result<RunResult, Error> {
    let run = backend.run(request, sink, progress)?;
    Ok(RunResult {
        scenario: request.scenario.id.clone(),
        backend: backend.name().to_owned(),
        scale: request.scale,
        machine: run.machine,
        differences: run.differences,
        kernel: run.kernel,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: request.seed,
        started_wall_ns: run.started_wall_ns,
        claims: claims::check(&request.scenario, &run.steps),
        steps: run.steps,
        findings: Vec::new(),
    })
}

//! The backends, and what a run is whichever of them runs it. A new backend is its folder and a row of [`BACKENDS`].

use crate::claims;
use crate::host::{Host, HostOptions};
use crate::vm::{Vm, VmOptions};
use pagetide_core::{Backend, Error, Progress, RunRequest, RunResult, Sink, suggest};

/// The options of every backend.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Those of the host backend.
    pub host: HostOptions,
    /// Those of the vm backend.
    pub vm: VmOptions,
}

/// A way to make a backend.
#[derive(Debug, Clone, Copy)]
pub struct BackendKind {
    /// Its name on the command line and in results.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Makes one.
    pub make: fn(&Settings) -> Box<dyn Backend>,
}

/// All backends. The first one is the default.
pub const BACKENDS: &[BackendKind] = &[
    BackendKind {
        name: "host",
        about: "this host, as root",
        make: |settings| Box::new(Host::new(settings.host.clone())),
    },
    BackendKind {
        name: "vm",
        about: "a virtual machine with its own kernel, memory, disks and swap",
        make: |settings| Box::new(Vm::new(settings.vm.clone())),
    },
];

impl BackendKind {
    /// The backend of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn named(name: &str) -> Result<&'static Self, Error> {
        let known = || BACKENDS.iter().map(|kind| kind.name);
        BACKENDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
            Error::input(
                format!("no backend `{name}`{}", suggest::hint(name, known())),
                format!("backends: {}", known().collect::<Vec<_>>().join(", ")),
            )
        })
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

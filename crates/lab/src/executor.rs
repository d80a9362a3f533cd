//! Runs the steps of a scenario on the machine that this process is on, and measures them.
//!
//! It does not know how the machine was made: the host backend shrinks a host and gives it a control group, the vm backend
//! runs the executor inside the guest.

mod caches;
pub(crate) mod changes;
mod dirty;
mod disk;
pub(crate) mod files;
mod groups;
mod loads;
mod others;
pub(crate) mod reading;
mod state;
pub(crate) mod step;
mod traced;

pub use disk::{Disk, disks_under};
pub use files::Files;
#[cfg(test)]
pub(crate) use files::{name_of, shared_files};
pub(crate) use files::{room, room_on};
pub use state::RunContext;

use crate::control::MachineControl;
use disk::Disks;
use groups::Groups;
use pagetide_core::{Error, Manifest, MarkKind, Progress, Scenario, Sink, Stamp, StepResult};
use pagetide_kernel::Root;
use pagetide_recorder::{Options, Recorder};
use state::Executor;
use std::collections::BTreeMap;

/// Runs all steps of a scenario, in order. `files` are those of [`RunContext::data`].
///
/// # Errors
/// The user interrupted it, or the machine refused something that all later steps need. A step that fails is not an error: its
/// result has the outcome.
pub fn run(
    scenario: &Scenario,
    context: &RunContext<'_>,
    files: Files,
    recording: Options,
    sink: Box<dyn Sink>,
    control: &mut dyn MachineControl,
    progress: &mut dyn Progress,
) -> Result<Recorded, Error> {
    let recorder = Recorder::start(Root::host(), recording, sink)?;
    let started = pagetide_recorder::now();
    let steps = all_steps(scenario, context, &recorder, files, control, progress);
    // An interrupted run has a whole recording too.
    let manifest = recorder.finish();
    Ok(Recorded { steps: steps?, manifest: manifest?, started })
}

/// What a run has measured.
#[derive(Debug)]
pub struct Recorded {
    /// The results of the steps and their parts.
    pub steps: Vec<StepResult>,
    /// The final manifest of the recording.
    pub manifest: Manifest,
    /// When the first step began.
    pub started: Stamp,
}

fn all_steps(
    scenario: &Scenario,
    context: &RunContext<'_>,
    recorder: &Recorder,
    files: Files,
    control: &mut dyn MachineControl,
    progress: &mut dyn Progress,
) -> Result<Vec<StepResult>, Error> {
    let disks = Disks::new(&context.disks)?;
    let mut executor = Executor {
        context,
        recorder,
        control,
        progress,
        disks,
        files,
        holds: BTreeMap::new(),
        groups: Groups::default(),
        parts: Vec::new(),
        predictions: traced::Predictions::default(),
    };
    let mut results = Vec::with_capacity(scenario.steps.len());
    for (at, step) in scenario.steps.iter().enumerate() {
        executor.progress.step(at + 1, scenario.steps.len(), &step.id, &step.title);
        let result = executor.step(step)?;
        recorder.mark(MarkKind::StepEnded { result: Box::new(result.clone()) });
        executor.progress.step_done(&step::headline(step, &result));
        results.push(result);
        results.append(&mut executor.parts);
    }
    Ok(results)
}

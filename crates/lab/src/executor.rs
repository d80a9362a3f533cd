//! Runs the steps of a scenario on the machine that this process is on, and measures them.
//!
//! It does not know how the machine was made: the host backend shrinks a host and gives it a control group, the vm backend
//! runs the executor inside the guest.

mod caches;
mod dirty;
mod disk;
mod files;
mod groups;
mod loads;
mod reading;
mod step;
mod traced;

pub use disk::Disk;
pub use files::Files;
pub(crate) use files::{room, room_on};

use crate::control::MachineControl;
use crate::group::Group;
use crate::hold::Hold;
use crate::undo::Journal;
use disk::Disks;
use groups::Groups;
use pagetide_core::{Action, Bytes, Error, Manifest, MarkKind, Progress, Scenario, Sink, Stamp, Step, StepResult};
use pagetide_kernel::{Root, device};
use pagetide_recorder::{Options, Recorder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the steps run and with what.
#[derive(Debug)]
pub struct RunContext<'a> {
    /// An empty folder for data files, on the disk that is measured.
    pub data: PathBuf,
    /// The scenario's disks, in its order. The folder of the first is [`RunContext::data`].
    pub disks: Vec<Disk>,
    /// The folder in which fio's results are left, as `fio-<step>.json`.
    pub results: PathBuf,
    /// fio.
    pub fio: PathBuf,
    /// The control group of the work; absent when the work has the whole machine.
    pub group: Option<Group>,
    /// MemAvailable of the machine that a step which holds memory must leave.
    pub floor: Bytes,
    /// Where changes are noted before they are made.
    pub journal: &'a Journal,
    /// The seed of everything that is chosen at random.
    pub seed: u64,
}

/// The disks under a folder, by their names in `/proc/diskstats`.
///
/// # Errors
/// It does not lie on a block device.
pub fn disks_under(folder: &Path) -> Result<Vec<String>, Error> {
    device::under(&Root::host(), folder).map_err(|error| {
        Error::system(error.to_string(), "choose a work folder on a disk with --work-dir, not on tmpfs or a network")
    })
}

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

/// What a run keeps between its steps.
struct Executor<'a, 'g> {
    context: &'a RunContext<'g>,
    recorder: &'a Recorder,
    control: &'a mut dyn MachineControl,
    progress: &'a mut dyn Progress,
    disks: Disks,
    files: Files,
    holds: BTreeMap<String, Hold>,
    groups: Groups,
    /// The results of the parts of the step that runs.
    parts: Vec<StepResult>,
}

impl Executor<'_, '_> {
    fn check_interrupted(&self) -> Result<(), Error> {
        if self.progress.interrupted() { Err(Error::interrupted()) } else { Ok(()) }
    }

    /// Prepares the machine for a step.
    fn prepare(&mut self, step: &Step, notes: &mut Vec<String>) -> Result<(), Error> {
        self.check_interrupted()?;
        self.files.prepare(step, self.progress)?;
        self.control.before_step()?;
        if step.drop_caches {
            self.progress.update(None, None, "dropping caches");
            notes.extend(caches::drop_all(&self.files.shared())?);
            // The drop evicted fio's own program file as well; reading it again is not part of the step.
            if matches!(step.action, Action::Fio(_)) {
                crate::fio::version(&self.context.fio)?;
            }
        }
        Ok(())
    }
}

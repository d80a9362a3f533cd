//! What a run keeps between its steps.

use super::caches;
use super::disk::{Disk, Disks};
use super::files::Files;
use super::groups::Groups;
use super::traced::Predictions;
use crate::control::MachineControl;
use crate::fio;
use crate::group::Group;
use crate::hold::Hold;
use crate::undo::Journal;
use pagetide_core::{Action, Bytes, Error, Figures, Outcome, Progress, Step, StepResult};
use pagetide_recorder::Recorder;
use std::collections::BTreeMap;
use std::path::PathBuf;

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

/// What a run keeps between its steps.
pub(super) struct Executor<'a, 'g> {
    pub(super) context: &'a RunContext<'g>,
    pub(super) recorder: &'a Recorder,
    pub(super) control: &'a mut dyn MachineControl,
    pub(super) progress: &'a mut dyn Progress,
    pub(super) disks: Disks,
    pub(super) files: Files,
    pub(super) holds: BTreeMap<String, Hold>,
    pub(super) groups: Groups,
    /// The results of the parts of the step that runs.
    pub(super) parts: Vec<StepResult>,
    /// What the trace of the steps so far says about other amounts of memory.
    pub(super) predictions: Predictions,
}

impl Executor<'_, '_> {
    pub(super) fn check_interrupted(&self) -> Result<(), Error> {
        if self.progress.interrupted() { Err(Error::interrupted()) } else { Ok(()) }
    }

    /// Prepares the machine for a step.
    pub(super) fn prepare(&mut self, step: &Step, notes: &mut Vec<String>) -> Result<(), Error> {
        self.check_interrupted()?;
        self.files.prepare(step, self.progress)?;
        self.control.before_step()?;
        if step.drop_caches {
            self.progress.update(None, None, "dropping caches");
            notes.extend(caches::drop_all(&self.files.shared())?);
            // The drop evicted fio's own program file as well; reading it again is not part of the step.
            if matches!(step.action, Action::Fio(_)) {
                fio::version(&self.context.fio)?;
            }
        }
        Ok(())
    }
}

/// What an action did.
pub(super) struct Done {
    pub(super) outcome: Outcome,
    pub(super) notes: Vec<String>,
    pub(super) figures: Figures,
    pub(super) fio: Option<fio::Ended>,
}

impl Done {
    pub(super) fn well() -> Self {
        Self { outcome: Outcome::Done, notes: Vec::new(), figures: Figures::default(), fio: None }
    }

    /// Refused where `result` is an error.
    pub(super) fn of(result: Result<(), Error>) -> Self {
        result.map_or_else(|error| Self::badly(Outcome::Refused, error.to_string()), |()| Self::well())
    }

    pub(super) fn badly(outcome: Outcome, why: String) -> Self {
        Self { outcome, notes: vec![why], ..Self::well() }
    }
}

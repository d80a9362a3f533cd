//! Does the steps of a scenario on the machine that it runs on, and measures them.
//!
//! It knows nothing of how the machine came to be as it is: the host backend makes a host small and gives it a control group,
//! the vm backend has it run inside of the guest.

mod caches;
mod dirty;
mod disk;
mod edge;
mod files;
mod groups;
mod loads;
mod step;

pub use disk::Disk;
pub(crate) use edge::page_size;
pub use files::Files;
pub(crate) use files::{room, room_on};

use crate::group::Group;
use crate::hold::Hold;
use crate::undo::Journal;
use disk::Disks;
use groups::Groups;
use pagetide_core::{Bytes, DeviceChange, Error, MarkKind, Progress, Scenario, Step, StepResult, SwapSpec};
use pagetide_kernel::{Root, device};
use pagetide_recorder::Recorder;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How settings are changed on the machine, and what is done to it between steps.
pub trait Tuning {
    /// Changes a setting such as `vm.dirty_ratio` to what the scenario says.
    ///
    /// # Errors
    /// There is no such setting, or it refuses the value.
    fn set(&mut self, name: &str, value: i64) -> Result<(), Error>;

    /// Makes these the machine's swap areas, the first one first, and no others.
    ///
    /// # Errors
    /// The machine's swap is not the scenario's to change, or the kernel refuses an area.
    fn swap(&mut self, areas: &[SwapSpec]) -> Result<(), Error> {
        let _ = areas;
        Err(Error::system("swap is as this host has it", "run it in a VM, whose swap is its own: --on vm"))
    }

    /// Makes a disk faster or slower from now on.
    ///
    /// # Errors
    /// The machine's disks are not the scenario's to change.
    fn device(&mut self, change: &DeviceChange) -> Result<(), Error> {
        let _ = change;
        Err(Error::system("disks are as this host has them", "run it in a VM, whose disks are its own: --on vm"))
    }

    /// Is called before each step: memory may be held now that was not before.
    ///
    /// # Errors
    /// The machine cannot be kept as it should be.
    fn settle(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// The dirty and the background threshold in force, when they are not the host's own.
    fn thresholds(&self) -> Option<(Bytes, Bytes)> {
        None
    }
}

/// Changes settings as they are named, through the journal.
impl Tuning for &Journal {
    fn set(&mut self, name: &str, value: i64) -> Result<(), Error> {
        self.set_sysctl(name, value)
    }
}

/// Where the steps are done and with what.
#[derive(Debug)]
pub struct Ground<'a> {
    /// An empty folder for data files, on the disk that is measured.
    pub data: PathBuf,
    /// The scenario's disks, in its order. The folder of the first is [`Ground::data`].
    pub disks: Vec<Disk>,
    /// The folder in which fio's results are left, as `fio-<step>.json`.
    pub results: PathBuf,
    /// fio.
    pub fio: PathBuf,
    /// The control group of the work; absent when it has the whole machine.
    pub group: Option<Group>,
    /// MemAvailable of the machine that a step which holds memory must leave.
    pub floor: Bytes,
    /// The recording of this run.
    pub recorder: &'a Recorder,
    /// What is to be undone.
    pub journal: &'a Journal,
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

/// Does all steps of a scenario, in order. `files` have been laid out in [`Ground::data`].
///
/// # Errors
/// The user interrupted it, or the machine refused something without which the rest means nothing. A step that fails is no
/// error: its result says so.
pub fn run(
    scenario: &Scenario,
    ground: &Ground<'_>,
    files: Files,
    tuning: &mut dyn Tuning,
    progress: &mut dyn Progress,
) -> Result<Vec<StepResult>, Error> {
    let disks = Disks::new(&ground.disks)?;
    let mut executor = Executor {
        ground,
        tuning,
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
        ground.recorder.mark(MarkKind::StepEnded { result: Box::new(result.clone()) });
        executor.progress.step_done(&step::in_words(&result));
        results.push(result);
        results.append(&mut executor.parts);
    }
    Ok(results)
}

/// What a run keeps between its steps.
struct Executor<'a, 'g> {
    ground: &'a Ground<'g>,
    tuning: &'a mut dyn Tuning,
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

    /// Brings the machine to where the step begins.
    fn prepare(&mut self, step: &Step, notes: &mut Vec<String>) -> Result<(), Error> {
        self.check_interrupted()?;
        self.files.prepare(step, self.progress)?;
        self.tuning.settle()?;
        if step.drop_caches {
            self.progress.update(None, None, "dropping caches");
            notes.extend(caches::drop_all(&self.files.shared())?);
            // The drop took fio's own program file as well; reading it back is not part of the step.
            if matches!(step.action, pagetide_core::Action::Fio(_)) {
                crate::fio::version(&self.ground.fio)?;
            }
        }
        Ok(())
    }
}

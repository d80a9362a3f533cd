//! The host backend: runs a scenario on this machine, made as small as the scenario's, and leaves it as it was.

mod account;
mod check;
mod device;

use crate::executor::{self, Disk, Files, Ground, Tuning};
use crate::group::Group;
use crate::hold::{self, Hold};
use crate::shrink::{self, Controller, Shrunk};
use crate::undo::{self, Change, HostLock, Identity, Journal};
use pagetide_core::{
    Backend, Bytes, Error, FileSystem, HoldKind, HoldSpec, Nanos, Progress, RunResult, Scale, Scenario, Sink,
    StepResult,
};
use pagetide_kernel::{Processes, Root, Watch};
use pagetide_recorder::{Options, Recorder};
use std::path::{Path, PathBuf};

/// How the host is made as small as the scenario's machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shrink {
    /// The work runs in a memory control group of that size.
    #[default]
    Cgroup,
    /// The host's other memory is held by a process, never below 1 GiB available.
    Hold,
    /// Not at all.
    None,
}

/// How the host backend runs scenarios.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// How the host is made smaller.
    pub shrink: Shrink,
    /// Gives the disk under the work folder the limits of the scenario's disk. Slows everybody who uses that disk.
    pub limit_device: bool,
    /// An existing folder on the disk that is to be measured; data files go to a new folder in it.
    pub work_dir: PathBuf,
    /// An existing folder in which fio's own results are left.
    pub results: PathBuf,
    /// Leaves the data files where they are.
    pub keep_data: bool,
    /// fio: a path, or a name to be found in `PATH`.
    pub fio: PathBuf,
    /// Time between two samples.
    pub interval: Nanos,
    /// The folder of the undo journal and of the lock that lets one run at a time; [`undo::folder`], where `lab` and `undo`
    /// look for journals of killed runs, when absent.
    pub state: Option<PathBuf>,
}

impl HostOptions {
    /// The usual options, with data in `work_dir` and fio's results in `results`.
    pub fn new(work_dir: impl Into<PathBuf>, results: impl Into<PathBuf>) -> Self {
        Self {
            shrink: Shrink::default(),
            limit_device: false,
            work_dir: work_dir.into(),
            results: results.into(),
            keep_data: false,
            fio: "fio".into(),
            interval: Nanos::new(100_000_000),
            state: None,
        }
    }
}

/// The backend.
#[derive(Debug, Clone)]
pub struct Host {
    options: HostOptions,
}

impl Host {
    /// A host backend with these options.
    pub fn new(options: HostOptions) -> Self {
        Self { options }
    }
}

/// How a host was made smaller, and how settings are changed on it.
enum Smaller<'a> {
    Group(Shrunk<'a>),
    Held { journal: &'a Journal, hold: Hold },
    AsItIs(&'a Journal),
}

impl Tuning for Smaller<'_> {
    fn set(&mut self, name: &str, value: i64) -> Result<(), Error> {
        match self {
            Self::Group(shrunk) => shrunk.set(name, value),
            Self::Held { journal, .. } | Self::AsItIs(journal) => journal.set_sysctl(name, value),
        }
    }

    fn settle(&mut self) -> Result<(), Error> {
        match self {
            Self::Group(shrunk) => shrunk.settle(),
            Self::Held { hold, .. } if !hold.held() => Err(Error::system(
                "the process that held the host's other memory was killed",
                "the host ran out of memory: use --shrink cgroup",
            )),
            Self::Held { .. } | Self::AsItIs(_) => Ok(()),
        }
    }

    fn thresholds(&self) -> Option<(Bytes, Bytes)> {
        match self {
            Self::Group(shrunk) => shrunk.thresholds(),
            Self::Held { .. } | Self::AsItIs(_) => None,
        }
    }
}

impl Smaller<'_> {
    fn group(&self) -> Option<&Group> {
        match self {
            Self::Group(shrunk) => Some(shrunk.group()),
            Self::Held { .. } | Self::AsItIs(_) => None,
        }
    }
}

impl Backend for Host {
    fn name(&self) -> &'static str {
        "host"
    }

    fn run(
        &mut self,
        scenario: &Scenario,
        scale: Scale,
        sink: Box<dyn Sink>,
        progress: &mut dyn Progress,
    ) -> Result<RunResult, Error> {
        check::root()?;
        let state = self.options.state.clone().map_or_else(undo::folder, Ok)?;
        let _lock = HostLock::acquire_in(&state)?;
        let found = check::all(scenario, &self.options)?;
        let journal = Journal::open_in(&state)?;
        let result = self.run_noted(scenario, scale, sink, progress, &journal, &found);
        // What follows can take seconds: a gigabyte of files goes, a group gives up its cache.
        progress.say("putting the host back as it was");
        for trouble in journal.undo() {
            progress.say(&trouble);
        }
        result
    }
}

impl Host {
    /// Everything that happens while the journal is open.
    fn run_noted(
        &self,
        scenario: &Scenario,
        scale: Scale,
        sink: Box<dyn Sink>,
        progress: &mut dyn Progress,
        journal: &Journal,
        found: &check::Found,
    ) -> Result<RunResult, Error> {
        let options = &self.options;
        let mut smaller = self.make_smaller(scenario, journal, progress)?;
        let data = self.data_folder(journal)?;
        let disks = disks_in(scenario, &data)?;
        let files = Files::lay_out(scenario, &disks, &options.results, &options.fio, progress)?;
        if options.limit_device {
            device::limit(journal, scenario, &found.disks, smaller.group(), progress)?;
        }
        let mut differences = account::before(scenario, options, &smaller, found);
        for line in &differences {
            progress.say(line);
        }
        let group = smaller.group().cloned();
        let path = group.as_ref().map(|group| group.path().to_owned());
        let watch = Watch { cgroups: path.iter().cloned().collect(), processes: Processes::KernelThreads };
        let recording = Options {
            interval: options.interval,
            watch,
            origin: pagetide_core::Origin::Host,
            workload_cgroup: path.map(|path| path.display().to_string()),
            workload_disk: found.disks.first().cloned(),
        };
        let recorder = Recorder::start(Root::host(), recording, sink)?;
        let started = pagetide_recorder::now();
        let ground = Ground {
            data,
            disks,
            results: options.results.clone(),
            fio: options.fio.clone(),
            group,
            floor: hold::FLOOR,
            recorder: &recorder,
            journal,
        };
        let steps = executor::run(scenario, &ground, files, &mut smaller, progress);
        // The recording is ended in any case: what an interrupted run has seen is worth something too.
        let manifest = recorder.finish();
        let steps: Vec<StepResult> = steps?;
        let manifest = manifest?;
        differences.extend(account::after(scenario, &steps));
        Ok(RunResult {
            scenario: scenario.id.clone(),
            backend: self.name().to_owned(),
            scale,
            machine: account::machine(&manifest, found),
            differences,
            kernel: manifest.kernel,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: 0,
            started_wall_ns: started.wall_ns,
            steps,
            claims: Vec::new(),
            findings: Vec::new(),
        })
    }

    fn make_smaller<'a>(
        &self,
        scenario: &Scenario,
        journal: &'a Journal,
        progress: &mut dyn Progress,
    ) -> Result<Smaller<'a>, Error> {
        let machine = &scenario.machine;
        let mut smaller = match self.options.shrink {
            Shrink::Cgroup => return Ok(Smaller::Group(Shrunk::make(journal, &Controller::find()?, machine)?)),
            Shrink::Hold => {
                let hold = hold_the_rest(shrink::limit(machine), &self.options.work_dir, journal, progress)?;
                Smaller::Held { journal, hold }
            }
            Shrink::None => Smaller::AsItIs(journal),
        };
        for (name, value) in &machine.sysctl {
            smaller.set(name, *value)?;
        }
        Ok(smaller)
    }

    fn data_folder(&self, journal: &Journal) -> Result<PathBuf, Error> {
        let path = check::absolute(&self.options.work_dir)?.join(format!("pagetide-data-{}", std::process::id()));
        if self.options.keep_data {
            std::fs::create_dir(&path).map_err(|error| {
                Error::system(format!("cannot make {}: {error}", path.display()), "choose another --work-dir")
            })?;
        } else {
            journal.make_folder(&path)?;
        }
        Ok(path)
    }
}

/// The scenario's disks as folders in one: the first is the folder itself. The host's block devices are not touched.
fn disks_in(scenario: &Scenario, data: &Path) -> Result<Vec<Disk>, Error> {
    let disks = scenario.machine.disks.iter().enumerate().map(|(at, disk)| {
        let name = disk.name.clone();
        if disk.filesystem == FileSystem::None {
            return Ok(Disk { name, folder: None, device: None });
        }
        let folder = if at == 0 { data.to_owned() } else { data.join(format!("disk-{name}")) };
        std::fs::create_dir_all(&folder)
            .map_err(|error| Error::system(format!("cannot make {}: {error}", folder.display()), ""))?;
        Ok(Disk { name, folder: Some(folder), device: None })
    });
    disks.collect()
}

/// Holds so much of the host's memory that `left` stays available, and at least [`hold::FLOOR`].
fn hold_the_rest(left: Bytes, folder: &Path, journal: &Journal, progress: &mut dyn Progress) -> Result<Hold, Error> {
    struct Noting<'a>(&'a Journal, &'a mut dyn Progress);
    impl hold::Witness for Noting<'_> {
        fn started(&mut self, process: Identity) -> Result<(), Error> {
            self.0.note(Change::Process { process, what: "held the host's other memory".into() })
        }
        fn touched(&mut self, _touched: Bytes) -> bool {
            !self.1.interrupted()
        }
    }
    let meminfo = Root::host().meminfo().map_err(|error| Error::system(error.to_string(), ""))?;
    let available = meminfo.available().unwrap_or(Bytes::ZERO);
    let size = available.saturating_sub(left.max(hold::FLOOR));
    progress.say(&format!("holding {size} of this host's memory, so that {} stay available", left.max(hold::FLOOR)));
    let options = hold::Options { floor: Bytes::new(hold::FLOOR.get() * 15 / 16), ..hold::Options::new(folder) };
    Hold::occupy(&HoldSpec { size, touch: None, kind: HoldKind::Mlock }, &options, &mut Noting(journal, progress))
}

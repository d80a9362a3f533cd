//! The host backend: runs a scenario on this machine, made as small as the scenario's, and leaves it as it was.

mod check;
mod device;
mod differences;
mod kind;
mod options;
mod shrunk;

pub use kind::KIND;
pub use options::{HostOptions, Shrink};

use crate::executor::{self, Disk, Files, RunContext};
use crate::hold;
use crate::undo::{self, HostLock, Journal};
use pagetide_core::{Backend, BackendRun, Error, FileSystem, Origin, Progress, RunRequest, Scenario, Sink};
use pagetide_kernel::{Processes, Watch};
use pagetide_recorder::{Options, Tracing};
use shrunk::ShrunkHost;
use std::path::{Path, PathBuf};

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

impl Backend for Host {
    fn name(&self) -> &'static str {
        Origin::Host.name()
    }

    fn run(
        &mut self,
        request: &RunRequest,
        sink: Box<dyn Sink>,
        progress: &mut dyn Progress,
    ) -> Result<BackendRun, Error> {
        check::root()?;
        let state = self.options.state.clone().map_or_else(undo::folder, Ok)?;
        let _lock = HostLock::acquire_in(&state)?;
        let found = check::all(&request.scenario, &self.options)?;
        let journal = Journal::open_in(&state)?;
        let result = self.run_noted(request, sink, progress, &journal, &found);
        // This can take seconds: it removes gigabytes of files and empties a control group.
        progress.say("restoring the host");
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
        request: &RunRequest,
        sink: Box<dyn Sink>,
        progress: &mut dyn Progress,
        journal: &Journal,
        found: &check::Found,
    ) -> Result<BackendRun, Error> {
        let (options, scenario) = (&self.options, &request.scenario);
        let mut host = ShrunkHost::make(options, &scenario.machine, journal, progress)?;
        let data = self.data_folder(journal)?;
        let disks = disks_in(scenario, &data)?;
        let files = Files::lay_out(scenario, &disks, &options.results, &options.fio, request.seed, progress)?;
        if options.limit_device {
            device::limit(journal, scenario, &found.disks, host.group(), progress)?;
        }
        let mut differences = differences::before(scenario, options, &host, found);
        for line in &differences {
            progress.say(line);
        }
        let group = host.group().cloned();
        let path = group.as_ref().map(|group| group.path().to_owned());
        let recording = Options {
            interval: options.interval,
            watch: Watch {
                cgroups: path.iter().cloned().collect(),
                processes: Processes::KernelThreads,
                ..Watch::default()
            },
            workload_cgroup: path.map(|path| path.display().to_string()),
            workload_disk: found.disks.first().cloned(),
            tracing: scenario.trace.map(|sample| Tracing::of(sample.shift)),
            ..Options::default()
        };
        let context = RunContext {
            data,
            disks,
            results: options.results.clone(),
            fio: options.fio.clone(),
            group,
            floor: hold::FLOOR,
            journal,
            seed: request.seed,
        };
        let run = executor::run(scenario, &context, files, recording, sink, &mut host, progress)?;
        differences.extend(differences::after(scenario, &run.steps));
        Ok(BackendRun {
            machine: differences::machine(&run.manifest, found),
            differences,
            kernel: run.manifest.kernel,
            started_wall_ns: run.started.wall_ns,
            steps: run.steps,
        })
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

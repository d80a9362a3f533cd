//! Checks before a host is changed. Each error names what is missing and the fix.

use super::options::{HostOptions, Shrink};
use crate::shrink::{self, Controller};
use crate::{executor, fio, hold};
use pagetide_core::{Action, Bytes, Error, Release, Scenario, Step, Sysctls};
use pagetide_kernel::Root;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Room on the disk that must be left.
const SPARE_DISK: Bytes = Bytes::new(1 << 30);

/// What the checks have found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// The disks under the work folder.
    pub(super) disks: Vec<String>,
    /// fio's version.
    pub(super) fio: String,
}

/// This process may change the system.
pub(super) fn root() -> Result<(), Error> {
    if rustix::process::geteuid().is_root() {
        Ok(())
    } else {
        Err(Error::system("the host backend changes settings and control groups, which needs root", "run it with sudo"))
    }
}

/// The folder as an absolute path.
pub(super) fn absolute(folder: &Path) -> Result<PathBuf, Error> {
    folder.canonicalize().map_err(|error| {
        Error::input(
            format!("the work folder {}: {error}", folder.display()),
            "give an existing folder with --work-dir",
        )
    })
}

/// All checks.
pub(super) fn all(scenario: &Scenario, options: &HostOptions) -> Result<Found, Error> {
    let fio = fio::version(&options.fio)?;
    let folder = absolute(&options.work_dir)?;
    // fio and the loads open their files by path.
    pagetide_dir::check_path(&folder).map_err(|error| {
        Error::system(
            format!("the work folder {}: {error}", folder.display()),
            "choose a folder that no other user can replace with --work-dir, such as /var/tmp",
        )
    })?;
    use rustix::fs::Access;
    rustix::fs::access(&folder, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).map_err(|error| {
        Error::system(format!("the work folder {}: {error}", folder.display()), "choose another with --work-dir")
    })?;
    let results = options.results.as_path();
    rustix::fs::access(results, Access::WRITE_OK)
        .map_err(|error| Error::system(format!("the folder for results {}: {error}", results.display()), ""))?;
    let disks = executor::disks_under(&folder)?;
    disk_room(scenario, &folder)?;
    memory(scenario, options)?;
    holds(scenario)?;
    blocks(scenario, &disks)?;
    settings(scenario)?;
    if options.shrink == Shrink::Cgroup {
        Controller::find()?;
    }
    Ok(Found { disks, fio })
}

fn disk_room(scenario: &Scenario, folder: &Path) -> Result<(), Error> {
    let stat = rustix::fs::statvfs(folder)
        .map_err(|error| Error::system(format!("the work folder {}: {error}", folder.display()), ""))?;
    let free = Bytes::new(stat.f_bavail.saturating_mul(stat.f_frsize));
    let files = executor::room(scenario);
    let needed = Bytes::new((files.get() / 10).saturating_add(files.get()).saturating_add(SPARE_DISK.get()));
    if free >= needed {
        return Ok(());
    }
    Err(Error::system(
        format!("{} has {free} free, but the files need {needed}, spare room included", folder.display()),
        "make room, choose another --work-dir or use a smaller --scale",
    ))
}

fn memory(scenario: &Scenario, options: &HostOptions) -> Result<(), Error> {
    let machine = &scenario.machine;
    let limit = shrink::limit(machine);
    if limit.get() < 32 << 20 {
        return Err(Error::input(
            format!(
                "a machine of {} whose system holds {} leaves {limit} for the work",
                machine.memory, machine.system
            ),
            "use a larger --scale: the work needs at least 32 MiB",
        ));
    }
    let meminfo = Root::host().meminfo().map_err(|error| Error::system(error.to_string(), ""))?;
    let available = meminfo.available().or_else(|| meminfo.free()).unwrap_or(Bytes::ZERO);
    let (needed, spare) = match options.shrink {
        Shrink::Cgroup => (limit, hold::FLOOR),
        Shrink::Hold => (limit.max(hold::FLOOR), Bytes::ZERO),
        Shrink::None => (Bytes::ZERO, hold::FLOOR),
    };
    if available.saturating_sub(spare) >= needed {
        return Ok(());
    }
    let with = if spare == Bytes::ZERO { String::new() } else { format!(", and {spare} for the host itself") };
    Err(Error::system(
        format!("the scenario needs {needed} of memory{with}; this host has {available} available"),
        "end other processes, or use a smaller --scale",
    ))
}

/// Memory that is held at one time must fit in the machine, or the OOM killer ends the experiment.
fn holds(scenario: &Scenario) -> Result<(), Error> {
    let limit = shrink::limit(&scenario.machine);
    let mut held: BTreeMap<&str, u64> = BTreeMap::new();
    for step in &scenario.steps {
        match &step.action {
            Action::Hold(spec) => held.insert(&step.id, spec.touched().get()),
            Action::Release(Release(id)) => held.remove(id.as_str()),
            _ => continue,
        };
        let sum = Bytes::new(held.values().fold(0, |sum: u64, size| sum.saturating_add(*size)));
        if sum >= limit {
            return Err(Error::input(
                format!("step `{}` would hold {sum} in total, but the work has {limit}", step.id),
                "hold less, or give the machine more memory",
            ));
        }
    }
    Ok(())
}

/// Direct IO must use whole blocks of the device.
fn blocks(scenario: &Scenario, disks: &[String]) -> Result<(), Error> {
    for disk in disks {
        let file = Path::new("/sys/block").join(disk).join("queue/logical_block_size");
        let block = std::fs::read_to_string(file).ok().and_then(|text| text.trim().parse::<u64>().ok());
        let Some(block) = block.filter(|block| *block > 0) else { continue };
        for step in &scenario.steps {
            if let Action::Fio(job) = &step.action
                && job.direct
                && !job.bs.get().is_multiple_of(block)
            {
                return Err(Error::input(
                    format!(
                        "step `{}`: the direct IO size {} is not a multiple of {disk}'s block size, {block} bytes",
                        step.id, job.bs
                    ),
                    format!("use a bs that is a multiple of {block} bytes"),
                ));
            }
        }
    }
    Ok(())
}

/// The kernel must have every setting of the scenario.
fn settings(scenario: &Scenario) -> Result<(), Error> {
    let in_steps = scenario.steps.iter().flat_map(Step::sysctls).map(|Sysctls(settings)| settings);
    for name in in_steps.chain([&scenario.machine.sysctl]).flat_map(|settings| settings.keys()) {
        crate::undo::read_sysctl(name)?;
    }
    Ok(())
}

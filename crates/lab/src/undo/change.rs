//! One change to the system and the way back.

use super::process::{Identity, kill};
use pagetide_core::Error;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Something that was changed. Each can be undone twice, or without having been made, and does no harm then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// A setting under `/proc/sys`.
    Sysctl {
        /// Its name, such as `vm.dirty_bytes`.
        name: String,
        /// What it was set to.
        set: String,
        /// The setting to write on the way back; another one than `name` where the kernel keeps one of two (see
        /// [`Change::sysctl`]).
        back: String,
        /// What to write there.
        before: String,
    },
    /// A control group that was made.
    Cgroup {
        /// Its directory.
        path: PathBuf,
    },
    /// A folder that was made.
    Folder {
        /// Where.
        path: PathBuf,
    },
    /// A limit of a device, in a file of the v1 blkio controller.
    DeviceLimit {
        /// The file.
        file: PathBuf,
        /// The device as `major:minor`.
        device: String,
        /// What was set.
        set: u64,
        /// What was set before; 0 for no limit, as the kernel itself means it.
        before: u64,
    },
    /// A process that was started.
    Process {
        /// Which.
        process: Identity,
        /// What it does.
        what: String,
    },
}

/// How undoing went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Undone {
    /// It is as before, and this line says what was done.
    Restored(String),
    /// It was as before already.
    Nothing,
    /// It is not as before, and this line says why.
    Trouble(String),
}

impl Undone {
    pub(super) fn trouble(self) -> Option<String> {
        match self {
            Self::Trouble(line) => Some(line),
            Self::Restored(_) | Self::Nothing => None,
        }
    }
}

fn sysctl_path(name: &str) -> PathBuf {
    Path::new("/proc/sys").join(name.replace('.', "/"))
}

/// The value of a setting.
///
/// # Errors
/// There is no such setting.
pub(crate) fn read_sysctl(name: &str) -> Result<String, Error> {
    let path = sysctl_path(name);
    fs::read_to_string(&path).map(|text| text.trim().to_owned()).map_err(|error| {
        Error::system(
            format!("cannot read the setting {name} ({}): {error}", path.display()),
            "check its name with `sysctl -a`",
        )
    })
}

pub(super) fn write_sysctl(name: &str, value: &str) -> Result<(), Error> {
    let path = sysctl_path(name);
    fs::write(&path, value).map_err(|error| {
        Error::system(format!("cannot set {name} to {value} ({}): {error}", path.display()), "run as root")
    })
}

/// The setting that the kernel sets to zero when `name` is written (`mm/page-writeback.c: dirty_bytes_handler,
/// dirty_ratio_handler` and their background fellows).
fn twin(name: &str) -> Option<&'static str> {
    Some(match name {
        "vm.dirty_bytes" => "vm.dirty_ratio",
        "vm.dirty_ratio" => "vm.dirty_bytes",
        "vm.dirty_background_bytes" => "vm.dirty_background_ratio",
        "vm.dirty_background_ratio" => "vm.dirty_background_bytes",
        _ => return None,
    })
}

/// Whether a folder's name is one that the lab gives.
pub(super) fn is_ours(path: &Path) -> bool {
    path.is_absolute() && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("pagetide-"))
}

/// The limit of a device in the text of a v1 blkio throttle file, 0 when it has none.
fn limit_of(text: &str, device: &str) -> u64 {
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(name, _)| *name == device)
        .and_then(|(_, limit)| limit.trim().parse().ok())
        .unwrap_or(0)
}

impl Change {
    /// The change of a setting to `set`, or none when that is its value already.
    ///
    /// Of `vm.dirty_bytes` and `vm.dirty_ratio` the kernel keeps the one written last and makes the other 0, which cannot be
    /// written to `dirty_bytes`. So the way back is to write whichever of the two was in force.
    ///
    /// # Errors
    /// There is no such setting.
    pub fn sysctl(name: &str, set: &str) -> Result<Option<Self>, Error> {
        let before = read_sysctl(name)?;
        if before == set {
            return Ok(None);
        }
        let (back, before) = match twin(name) {
            Some(twin) if before == "0" => (twin.to_owned(), read_sysctl(twin)?),
            _ => (name.to_owned(), before),
        };
        Ok(Some(Self::Sysctl { name: name.to_owned(), set: set.to_owned(), back, before }))
    }

    /// The change of a device's limit in a v1 blkio throttle file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn device_limit(file: &Path, device: &str, set: u64) -> io::Result<Self> {
        let before = limit_of(&fs::read_to_string(file)?, device);
        Ok(Self::DeviceLimit { file: file.to_owned(), device: device.to_owned(), set, before })
    }

    /// Whether it is still there after the host was started anew.
    pub(super) fn outlives_boot(&self) -> bool {
        matches!(self, Self::Folder { .. })
    }

    /// Takes it back.
    pub(super) fn undo(&self) -> Undone {
        match self {
            Self::Sysctl { name, set, back, before } => undo_sysctl(name, set, back, before),
            Self::Cgroup { path } => undo_cgroup(path),
            Self::Folder { path } => undo_folder(path),
            Self::DeviceLimit { file, device, set, before } => undo_limit(file, device, *set, *before),
            Self::Process { process, what } if kill(*process) => {
                Undone::Restored(format!("ended process {} ({what})", process.pid))
            }
            Self::Process { .. } => Undone::Nothing,
        }
    }
}

fn undo_sysctl(name: &str, set: &str, back: &str, before: &str) -> Undone {
    let now = match (read_sysctl(name), read_sysctl(back)) {
        (Ok(_), Ok(now)) if now == before => return Undone::Nothing,
        (Ok(now), Ok(_)) => now,
        (Err(error), _) | (_, Err(error)) => return Undone::Trouble(error.to_string()),
    };
    // The kernel prints some values otherwise than they were written (spaces for tabs); those it normalises alike.
    if now.split_whitespace().ne(set.split_whitespace()) {
        return Undone::Trouble(format!("left {name} at {now}: somebody set it after the lab had set it to {set}"));
    }
    match write_sysctl(back, before) {
        Ok(()) => Undone::Restored(format!("set {back} back to {before}")),
        Err(error) => Undone::Trouble(error.to_string()),
    }
}

/// Removes a control group: ends its processes, has v1 give up its cache (it would stay charged to the removed group), and
/// tries again while the kernel is still taking leave of the processes.
fn undo_cgroup(path: &Path) -> Undone {
    if !path.exists() {
        return Undone::Nothing;
    }
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        for pid in fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default().lines() {
            if let Some(process) = pid.parse().ok().filter(|pid| *pid != std::process::id()).and_then(Identity::of) {
                kill(process);
            }
        }
        // Absent under v2, and busy while a process is leaving.
        let _ = fs::write(path.join("memory.force_empty"), "0");
        match fs::remove_dir(path) {
            Ok(()) => return Undone::Restored(format!("removed the control group {}", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Undone::Nothing,
            Err(error) if Instant::now() > end => {
                return Undone::Trouble(format!("cannot remove the control group {}: {error}", path.display()));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

fn undo_folder(path: &Path) -> Undone {
    if !is_ours(path) {
        return Undone::Trouble(format!("left {}: it is not a folder of the lab", path.display()));
    }
    match fs::remove_dir_all(path) {
        Ok(()) => Undone::Restored(format!("removed {}", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Undone::Nothing,
        Err(error) => Undone::Trouble(format!("cannot remove {}: {error}", path.display())),
    }
}

fn undo_limit(file: &Path, device: &str, set: u64, before: u64) -> Undone {
    let now = match fs::read_to_string(file) {
        Ok(text) => limit_of(&text, device),
        Err(error) => return Undone::Trouble(format!("cannot read {}: {error}", file.display())),
    };
    if now == before {
        return Undone::Nothing;
    }
    if now != set {
        return Undone::Trouble(format!(
            "left the limit of {device} in {} at {now}: the lab had set {set}",
            file.display()
        ));
    }
    match fs::write(file, format!("{device} {before}")) {
        Ok(()) => Undone::Restored(format!("set the limit of {device} in {} back", file.display())),
        Err(error) => Undone::Trouble(format!("cannot write {}: {error}", file.display())),
    }
}

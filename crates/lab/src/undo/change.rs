//! One change to the system and the way back.

mod cgroup;
mod throttle;

pub use cgroup::Marked;
pub use throttle::Throttle;
pub(crate) use throttle::blkio_root;

use super::outcome::Undone;
use super::process::{Identity, kill};
use pagetide_core::{Error, Sysctl, is_sysctl_name};
use pagetide_dir::Dir;
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Something that was changed. Each can be undone twice, or without having been made, without harm. No path or name in it is used
/// unchecked: settings come from a table, groups and folders have pagetide's mark in their names, kernel files are found by what
/// they limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// A setting of the kernel.
    Sysctl {
        /// Which.
        name: Sysctl,
        /// What it was set to.
        set: i64,
        /// The setting to write on the way back; another one than `name` where the kernel keeps one of two (see
        /// [`Change::sysctl`]).
        back: Sysctl,
        /// What to write there.
        before: i64,
    },
    /// A control group that was made, and every group of that name in another hierarchy.
    Cgroup {
        /// Its path below the mount: parts that begin with `pagetide-`.
        group: Marked,
    },
    /// A folder that was made.
    Folder {
        /// Where. It is removed only if it has pagetide's mark in its name and belongs to the caller.
        path: PathBuf,
    },
    /// A limit of a device in the v1 blkio controller.
    DeviceLimit {
        /// Of what.
        throttle: Throttle,
        /// The device's major and minor number.
        device: (u32, u32),
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

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sysctl { name, set, .. } => write!(f, "{} = {set}", name.name()),
            Self::Cgroup { group } => write!(f, "control group {}", String::from(group.clone())),
            Self::Folder { path } => write!(f, "folder {}", path.display()),
            Self::DeviceLimit { device: (major, minor), .. } => write!(f, "limits of device {major}:{minor}"),
            Self::Process { process, what } => write!(f, "process {} ({what})", process.pid),
        }
    }
}

/// The setting of that name, which the lab may set on a host.
pub(super) fn host_sysctl(name: &str) -> Result<Sysctl, Error> {
    Sysctl::find(name).ok_or_else(|| {
        let names: Vec<_> = Sysctl::all().map(Sysctl::name).collect();
        Error::input(
            format!("`{name}` is not a setting that the lab sets on a host: {}", names.join(", ")),
            "set it in a virtual machine: --on vm",
        )
    })
}

fn sysctl_path(name: &str) -> PathBuf {
    Path::new("/proc/sys").join(name.replace('.', "/"))
}

/// The value of a setting of a host.
///
/// # Errors The lab does not set it on a host, or this kernel does not have it.
pub(crate) fn read_sysctl(name: &str) -> Result<i64, Error> {
    read(host_sysctl(name)?)
}

fn read(sysctl: Sysctl) -> Result<i64, Error> {
    let path = sysctl_path(sysctl.name());
    let text = fs::read_to_string(&path).and_then(|text| text.trim().parse().map_err(io::Error::other));
    text.map_err(|error| {
        Error::system(
            format!("cannot read the setting {} ({}): {error}", sysctl.name(), path.display()),
            "check its name with `sysctl -a`",
        )
    })
}

/// Sets a setting of this kernel, be it the guest's.
///
/// # Errors It is not the name of a setting, or the kernel refuses the value.
pub(crate) fn write_sysctl(name: &str, value: i64) -> Result<(), Error> {
    if !is_sysctl_name(name) {
        return Err(Error::input(format!("`{name}` is not the name of a setting"), "write one such as vm.swappiness"));
    }
    let path = sysctl_path(name);
    fs::write(&path, value.to_string()).map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::PermissionDenied => "run as root".to_owned(),
            _ => format!("the kernel does not take this value: `pagetide explain {name}` says what it means"),
        };
        Error::system(format!("cannot set {name} to {value} ({}): {error}", path.display()), hint)
    })
}

/// Whether a folder's name is one that the lab gives.
pub(super) fn is_ours(path: &Path) -> bool {
    path.is_absolute()
        && path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
        && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("pagetide-"))
}

impl Change {
    /// The change of a setting to `set`, or none when that is its value already.
    ///
    /// Of `vm.dirty_bytes` and `vm.dirty_ratio` the kernel keeps the one written last and makes the other 0, which cannot be
    /// written to `dirty_bytes`. So the way back is to write whichever of the two was in force.
    ///
    /// # Errors
    /// There is no such setting.
    pub fn sysctl(name: Sysctl, set: i64) -> Result<Option<Self>, Error> {
        let before = read(name)?;
        if before == set {
            return Ok(None);
        }
        let (back, before) = match name.twin() {
            Some(twin) if before == 0 => (twin, read(twin)?),
            _ => (name, before),
        };
        Ok(Some(Self::Sysctl { name, set, back, before }))
    }

    /// The making of a control group.
    ///
    /// # Errors
    /// It is not below a mount of control groups, or has a name without pagetide's mark.
    pub fn cgroup(path: &Path) -> Result<Self, Error> {
        Marked::of(path).map(|group| Self::Cgroup { group })
    }

    /// The change of a device's limit in the v1 blkio controller.
    ///
    /// # Errors
    /// The controller is not mounted, or its file cannot be read.
    pub fn device_limit(throttle: Throttle, device: (u32, u32), set: u64) -> Result<Self, Error> {
        Ok(Self::DeviceLimit { throttle, device, set, before: throttle.read(device)? })
    }

    /// Whether it is still there after the host was started anew.
    pub(super) fn outlives_boot(&self) -> bool {
        matches!(self, Self::Folder { .. })
    }

    /// Undoes it.
    pub(super) fn undo(&self) -> Undone {
        match self {
            Self::Sysctl { name, set, back, before } => undo_sysctl(*name, *set, *back, *before),
            Self::Cgroup { group } => group.undo(),
            Self::Folder { path } => undo_folder(path),
            Self::DeviceLimit { throttle, device, set, before } => throttle.undo(*device, *set, *before),
            Self::Process { process, what } if kill(*process) => {
                Undone::Restored(format!("ended process {} ({what})", process.pid))
            }
            Self::Process { .. } => Undone::Nothing,
        }
    }
}

fn undo_sysctl(name: Sysctl, set: i64, back: Sysctl, before: i64) -> Undone {
    let now = match (read(name), read(back)) {
        (Ok(_), Ok(now)) if now == before => return Undone::Nothing,
        (Ok(now), Ok(_)) => now,
        (Err(error), _) | (_, Err(error)) => return Undone::Trouble(error.to_string()),
    };
    let (name, back) = (name.name(), back.name());
    if now != set {
        return Undone::Trouble(format!("left {name} at {now}: somebody set it after the lab had set it to {set}"));
    }
    match write_sysctl(back, before) {
        Ok(()) => Undone::Restored(format!("set {back} back to {before}")),
        Err(error) => Undone::Trouble(error.to_string()),
    }
}

/// Gives a folder back to root that was lent to a sandbox's user when the run was killed.
fn take_back(path: &Path) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::open(path, flags, Mode::empty())?;
    let root = rustix::process::geteuid();
    if root.is_root() && pagetide_sandbox::is_user(rustix::fs::fstat(&folder)?.st_uid) {
        rustix::fs::fchown(&folder, Some(root), Some(rustix::process::getegid()))?;
    }
    Ok(())
}

fn undo_folder(path: &Path) -> Undone {
    let left = |why: &str| Undone::Trouble(format!("left {}: {why}", path.display()));
    if !is_ours(path) {
        return left("it is not a folder of the lab");
    }
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Undone::Nothing,
        Ok(data) if !data.is_dir() => return left("it is not a folder"),
        _ => {}
    }
    // Whose it is.
    match take_back(path).and_then(|()| Dir::own(path, None)).and_then(|_| fs::remove_dir_all(path)) {
        Ok(()) => Undone::Restored(format!("removed {}", path.display())),
        Err(error) => left(&error.to_string()),
    }
}

//! The disks of the guest.

use super::wait::wait_for;
use pagetide_core::{Error, FileSystem, Machine};
use rustix::mount::{MountFlags, mount};
use std::fs;
use std::path::{Path, PathBuf};

/// A disk in the guest.
#[derive(Debug)]
pub(super) struct Disk {
    /// Its name in the scenario.
    pub(super) name: String,
    /// Its name in `/proc/diskstats`.
    pub(super) device: String,
    /// The mount point of its file system.
    pub(super) folder: PathBuf,
    /// Whether it has a file system.
    pub(super) mounted: bool,
}

/// Finds each disk by its serial number and mounts it.
pub(super) fn mount_all(machine: &Machine) -> Result<Vec<Disk>, Error> {
    let mut disks = Vec::new();
    for (at, spec) in machine.disks.iter().enumerate() {
        let serial = crate::vm::qemu::serial(at);
        let device = wait_for(|| {
            fs::read_dir("/sys/block").ok()?.flatten().find_map(|entry| {
                let text = fs::read_to_string(entry.path().join("serial")).ok()?;
                (text.trim() == serial).then(|| entry.file_name().to_string_lossy().into_owned())
            })
        });
        let device = device.ok_or_else(|| {
            Error::system(format!("the guest does not see disk {}", spec.name), "use Debian's kernel")
        })?;
        let folder = PathBuf::from("/disk").join(&spec.name);
        if spec.filesystem != FileSystem::None {
            attach(spec.filesystem.name(), &format!("/dev/{device}"), &folder, None)?;
        }
        let mounted = spec.filesystem != FileSystem::None;
        disks.push(Disk { name: spec.name.clone(), device, folder, mounted });
    }
    Ok(disks)
}

/// Mounts a file system.
pub(super) fn attach(kind: &str, source: &str, at: &Path, options: Option<&str>) -> Result<(), Error> {
    fs::create_dir_all(at).map_err(|error| Error::system(format!("{}: {error}", at.display()), ""))?;
    let options = options.and_then(|options| std::ffi::CString::new(options).ok());
    match mount(source, at, kind, MountFlags::empty(), options.as_deref()) {
        // The kernel has mounted it already (CONFIG_DEVTMPFS_MOUNT).
        Ok(()) | Err(rustix::io::Errno::BUSY) => Ok(()),
        Err(error) => Err(Error::system(format!("cannot mount {kind} at {}: {error}", at.display()), "")),
    }
}

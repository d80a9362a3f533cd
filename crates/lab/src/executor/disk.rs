//! Where the scenario's disks are on the machine that the steps run on.

use pagetide_core::{Error, FioJob, Load, Place};
use pagetide_kernel::{Root, device};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A disk of the scenario's machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disk {
    /// Its name in the scenario.
    pub name: String,
    /// The folder for files on it; absent when it has no file system.
    pub folder: Option<PathBuf>,
    /// Its device node; absent when the machine's own disks are not to be touched.
    pub device: Option<PathBuf>,
}

/// The disks, and the block devices among them held open.
#[derive(Debug)]
pub(super) struct Disks {
    all: Vec<Disk>,
    /// The kernel drops the cache of a block device when nobody has it open any more (`block/bdev.c: blkdev_flush_mapping`).
    /// A disk with a mounted partition is always open; so are these.
    _open: Vec<File>,
}

impl Disks {
    pub(super) fn new(all: &[Disk]) -> Result<Self, Error> {
        let open = all.iter().filter(|disk| disk.folder.is_none()).filter_map(|disk| disk.device.as_ref());
        let open = open.map(|device| {
            File::open(device).map_err(|error| Error::system(format!("{}: {error}", device.display()), ""))
        });
        Ok(Self { all: all.to_vec(), _open: open.collect::<Result<_, _>>()? })
    }

    fn find(&self, name: Option<&str>) -> Result<&Disk, Error> {
        find(&self.all, name)
    }

    /// Where a place is.
    ///
    /// # Errors
    /// It is a block device, which this machine does not give away.
    pub(super) fn path(&self, place: &Place) -> Result<PathBuf, Error> {
        path(&self.all, place)
    }

    /// The names in `/proc/diskstats` of the disks that a load works on; of the first when it works on none.
    pub(super) fn of_load(&self, load: &Load) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        for place in load.stored() {
            names.extend(self.names(self.find(place.disk())?)?);
        }
        if names.is_empty() {
            names = self.names(self.find(None)?)?;
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// The same of a fio job.
    pub(super) fn of_job(&self, job: &FioJob) -> Result<Vec<String>, Error> {
        self.names(self.find(job.disk.as_deref())?)
    }

    /// The same of the first disk.
    pub(super) fn of_first(&self) -> Result<Vec<String>, Error> {
        self.names(self.find(None)?)
    }

    /// The same of a disk by its name in the scenario.
    pub(super) fn of(&self, name: &str) -> Result<Vec<String>, Error> {
        self.names(self.find(Some(name))?)
    }

    fn names(&self, disk: &Disk) -> Result<Vec<String>, Error> {
        match (&disk.folder, &disk.device) {
            (Some(folder), _) => disks_under(folder),
            (None, Some(device)) => {
                Ok(device.file_name().map(|name| name.to_string_lossy().into_owned()).into_iter().collect())
            }
            (None, None) => Ok(Vec::new()),
        }
    }
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

/// The disk called `name`, or the first.
fn find<'a>(all: &'a [Disk], name: Option<&str>) -> Result<&'a Disk, Error> {
    let found = match name {
        Some(name) => all.iter().find(|disk| disk.name == name),
        None => all.first(),
    };
    found.ok_or_else(|| {
        Error::input(
            format!("`{}` is not a disk of this machine", name.unwrap_or_default()),
            "use a disk of the scenario",
        )
    })
}

/// Where a place is on given disks.
pub(super) fn path(all: &[Disk], place: &Place) -> Result<PathBuf, Error> {
    let none = |name: &str, what: &str| {
        Error::system(format!("disk {name}: {what}"), "run it in a VM, whose disks are its own: --on vm")
    };
    match place {
        Place::Zero => Ok(Path::new("/dev/zero").to_owned()),
        Place::Null => Ok(Path::new("/dev/null").to_owned()),
        Place::File { name, disk } => {
            let disk = find(all, disk.as_deref())?;
            let folder =
                disk.folder.as_ref().ok_or_else(|| none(&disk.name, "it has no file system on this machine"))?;
            Ok(folder.join(name))
        }
        Place::Disk(name) => {
            let disk = find(all, Some(name))?;
            disk.device.clone().ok_or_else(|| none(name, "the lab does not use block devices of this machine"))
        }
    }
}

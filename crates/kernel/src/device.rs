//! Which disks lie under a file: through partitions, md, dm and loop devices, and through file systems that show a
//! device number of their own.

use crate::error::Error;
use crate::root::Root;
use pagetide_proctext::mounts::holding;
use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// How many devices may lie on each other before it is taken for a circle.
const DEEPEST: usize = 16;

/// The physical disks that `path` lies on (or that it is, when it is a block device), by their names in
/// `/proc/diskstats`: one, or the members of an array, each once.
///
/// # Errors
/// [`Error::NoDevice`] where there is none: tmpfs, network file systems, file systems that manage disks themselves.
pub fn under(root: &Root, path: &Path) -> Result<Vec<String>, Error> {
    let mut disks = Vec::new();
    of_path(root, path, &mut disks, DEEPEST)?;
    Ok(disks)
}

/// The physical disks below the block device with this major and minor number, by their names in `/proc/diskstats`.
pub fn below(root: &Root, (major, minor): (u32, u32)) -> Result<Vec<String>, Error> {
    let mut disks = Vec::new();
    of_number(root, (major, minor), &mut disks, DEEPEST)?;
    Ok(disks)
}

fn read_error(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    move |source| Error::Read { path: path.to_owned(), source }
}

fn split(device: u64) -> (u32, u32) {
    (rustix::fs::major(device), rustix::fs::minor(device))
}

fn block_device(metadata: &Metadata) -> Option<(u32, u32)> {
    metadata.file_type().is_block_device().then(|| split(metadata.rdev()))
}

fn of_path(root: &Root, path: &Path, disks: &mut Vec<String>, depth: usize) -> Result<(), Error> {
    let metadata = std::fs::metadata(path).map_err(read_error(path))?;
    if let Some(device) = block_device(&metadata) {
        return of_number(root, device, disks, depth);
    }
    match split(metadata.dev()) {
        (0, minor) => of_anonymous(root, path, minor, disks, depth),
        device => of_number(root, device, disks, depth),
    }
}

/// A file system whose device number says nothing (major 0): what the mount says it lies on.
fn of_anonymous(root: &Root, path: &Path, minor: u32, disks: &mut Vec<String>, depth: usize) -> Result<(), Error> {
    let none = |on: String| Err(Error::NoDevice { path: path.to_owned(), on });
    let real = std::fs::canonicalize(path).map_err(read_error(path))?;
    let mounts = root.mountinfo()?;
    let Some(mount) = holding(&mounts, &real).filter(|_| depth > 0) else {
        return none(format!("device 0:{minor}"));
    };
    if mount.kind == "overlay" {
        // Writes go to the upper layer; without one, reads come from the lower ones.
        let lower = mount.option("lowerdir").and_then(|layers| layers.split(':').next());
        return match mount.option("upperdir").or(lower) {
            Some(layer) if Path::new(layer).exists() => of_path(root, Path::new(layer), disks, depth - 1),
            _ => none("overlay".into()),
        };
    }
    match std::fs::metadata(&mount.source).ok().as_ref().and_then(block_device) {
        Some(device) if mount.source.starts_with('/') => of_number(root, device, disks, depth - 1),
        _ => none(mount.kind.clone()),
    }
}

fn of_number(root: &Root, (major, minor): (u32, u32), disks: &mut Vec<String>, depth: usize) -> Result<(), Error> {
    let link = root.join(format!("/sys/dev/block/{major}:{minor}"));
    let folder = std::fs::canonicalize(&link).map_err(read_error(&link))?;
    of_folder(root, folder, disks, depth)
}

/// A device by its folder in sysfs.
fn of_folder(root: &Root, mut folder: PathBuf, disks: &mut Vec<String>, depth: usize) -> Result<(), Error> {
    if folder.join("partition").exists() {
        folder.pop();
    }
    let name = name(&folder);
    if depth == 0 {
        return Err(Error::NoDevice { path: folder, on: "block devices that are stacked in a loop".into() });
    }
    let mut members: Vec<PathBuf> =
        std::fs::read_dir(folder.join("slaves")).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    members.sort();
    for member in &members {
        let folder = std::fs::canonicalize(member).map_err(read_error(member))?;
        of_folder(root, folder, disks, depth - 1)?;
    }
    if let Some(file) = backing_file(&folder) {
        return of_path(root, &file, disks, depth - 1);
    }
    if members.is_empty() && !disks.contains(&name) {
        disks.push(name);
    }
    Ok(())
}

/// The file under a loop device, when it is bound to one that still has a name.
fn backing_file(folder: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(folder.join("loop/backing_file")).ok()?;
    let path = PathBuf::from(text.strip_suffix('\n')?);
    path.exists().then_some(path)
}

/// A device's name as diskstats has it; sysfs cannot have a `/` in a name and writes `!`.
fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().replace('!', "/")
}

/// The devices directly below a device: of a partition its disk, of md and dm their members, of a loop device the disks that its file lies on.
pub(crate) fn directly_below(root: &Root, device: &str) -> Vec<String> {
    let entry = root.join(format!("/sys/class/block/{}", device.replace('/', "!")));
    let Ok(folder) = std::fs::canonicalize(entry) else { return Vec::new() };
    if folder.join("partition").exists() {
        return folder.parent().map(name).into_iter().collect();
    }
    if let Some(file) = backing_file(&folder) {
        return under(root, &file).unwrap_or_default();
    }
    let members = std::fs::read_dir(folder.join("slaves")).into_iter().flatten().flatten();
    let mut names: Vec<String> = members.map(|entry| name(&entry.path())).collect();
    names.sort();
    names
}

//! Names of files that are known by device and inode only.
//!
//! There are two ways, and neither guesses: the open files of all processes, and `open_by_handle_at` where inode numbers suffice
//! (ext4). A path is believed when the inode it leads to is the one that was asked for.

use crate::event::File;
use crate::sys::handle::open_by_inode;
use rustix::fs::{Mode, OFlags, major, minor};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Finds the paths of these files, as far as they can be found.
pub fn file_names(wanted: &BTreeSet<File>) -> BTreeMap<File, PathBuf> {
    let mounts = mounts();
    let mut found: BTreeMap<File, PathBuf> =
        wanted.iter().filter_map(|file| Some((*file, by_handle(*file, &mounts)?))).collect();
    let mut rest: BTreeSet<File> = wanted.iter().filter(|file| !found.contains_key(file)).copied().collect();
    if !rest.is_empty() {
        open_files(&mut rest, &mut found);
    }
    found
}

/// What a file is called when no path is known: its inode, and what its device is called.
pub fn unnamed(file: File, device: &str) -> String {
    if file.major() == 0 && file.minor() <= 3 {
        return "file system metadata".to_owned();
    }
    format!("inode {} on {device}", file.ino)
}

/// The mount points of each device.
fn mounts() -> BTreeMap<u32, Vec<PathBuf>> {
    parse_mounts(&fs::read_to_string("/proc/self/mountinfo").unwrap_or_default())
}

/// Parses `/proc/self/mountinfo`; a place with escaped characters is left out.
fn parse_mounts(text: &str) -> BTreeMap<u32, Vec<PathBuf>> {
    let mut mounts: BTreeMap<u32, Vec<PathBuf>> = BTreeMap::new();
    for line in text.lines() {
        let mut fields = line.split(' ').skip(2);
        let (Some(device), Some(_), Some(place)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let numbers = device
            .split_once(':')
            .and_then(|(major, minor)| Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?)));
        if let Some((major, minor)) = numbers.filter(|(major, minor)| *major < 1 << 12 && *minor < 1 << 20)
            && !place.contains('\\')
        {
            mounts.entry(major << 20 | minor).or_default().push(place.into());
        }
    }
    mounts
}

fn by_handle(file: File, mounts: &BTreeMap<u32, Vec<PathBuf>>) -> Option<PathBuf> {
    let ino = u32::try_from(file.ino).ok()?;
    mounts.get(&file.dev)?.iter().find_map(|place| {
        let mount =
            rustix::fs::open(place, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        path_of(&open_by_inode(&mount, ino).ok()?, file)
    })
}

/// The path of an open file, when it leads to this file.
fn path_of(open: &OwnedFd, file: File) -> Option<PathBuf> {
    let path = fs::read_link(format!("/proc/self/fd/{}", open.as_raw_fd())).ok()?;
    has_number(&path, file).then_some(path)
}

fn has_number(path: &Path, file: File) -> bool {
    fs::symlink_metadata(path)
        .is_ok_and(|metadata| metadata.ino() == file.ino && kernel_device(metadata.dev()) == file.dev)
}

/// The kernel's own form of a device number.
fn kernel_device(dev: u64) -> u32 {
    major(dev) << 20 | minor(dev)
}

/// Looks through the open files of all processes, until all are found.
fn open_files(wanted: &mut BTreeSet<File>, found: &mut BTreeMap<File, PathBuf>) {
    let Ok(processes) = fs::read_dir("/proc") else { return };
    let numbered = |entry: &fs::DirEntry| entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok());
    for process in processes.flatten().filter(numbered) {
        for open in fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten() {
            let Ok(metadata) = fs::metadata(open.path()) else { continue };
            let file = File { dev: kernel_device(metadata.dev()), ino: metadata.ino() };
            if wanted.remove(&file)
                && let Ok(path) = fs::read_link(open.path())
            {
                found.insert(file, path);
            }
        }
        if wanted.is_empty() {
            return;
        }
    }
}

/// A name that a terminal shows as it is: control characters become `?`.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_found_by_device() {
        let text = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n30 22 0:25 / /dev/shm rw - tmpfs tmpfs rw\n31 22 8:1 / /a\\040b rw - ext4 /dev/sda1 rw\n";
        let mounts = parse_mounts(text);
        assert_eq!(mounts.get(&(254 << 20)), Some(&vec![PathBuf::from("/")]));
        assert_eq!(mounts.get(&25), Some(&vec![PathBuf::from("/dev/shm")]));
        assert_eq!(mounts.len(), 2);
    }

    #[test]
    fn an_open_file_is_found_by_its_inode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        let open = fs::File::create(&path).unwrap();
        let metadata = open.metadata().unwrap();
        let file = File { dev: kernel_device(metadata.dev()), ino: metadata.ino() };
        let nobody = File { ino: u64::MAX, ..file };
        let found = file_names(&BTreeSet::from([file, nobody]));
        assert_eq!(found, BTreeMap::from([(file, path)]));
    }
}

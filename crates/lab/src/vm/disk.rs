//! The guest's disks: sparse files, formatted before the guest boots, and unlinked while it runs.

use crate::executor;
use crate::program::find_program;
use pagetide_core::{Action, Bytes, DiskSpec, Error, FileSystem, Scenario, SwapSpec, Swaps};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The programs that make file systems, and how to install them.
pub(super) const PROGRAMS: [(&str, &str); 2] =
    [("mkfs.ext4", "apt-get install -y e2fsprogs"), ("mkfs.xfs", "apt-get install -y xfsprogs")];

/// The smallest disk for a file system.
fn smallest(filesystem: FileSystem) -> Bytes {
    match filesystem {
        FileSystem::Ext4 => Bytes::new(32 << 20),
        FileSystem::Xfs => Bytes::new(320 << 20),
        FileSystem::None => Bytes::new(1 << 20),
    }
}

/// Bytes that a file system with this content takes for itself, at most: journal or log, inodes, groups.
/// (mke2fs gives a journal of 16 MiB below 1 GiB and one of at most a 128th above, and an inode of 256 bytes to 16 KiB; mkfs.xfs
/// a log of at least 64 MiB.)
fn overhead(filesystem: FileSystem, content: Bytes) -> Bytes {
    let (fixed, part) = match filesystem {
        FileSystem::Ext4 => (24 << 20, 24),
        FileSystem::Xfs => (112 << 20, 32),
        FileSystem::None => return Bytes::ZERO,
    };
    Bytes::new(content.get() / part + fixed)
}

/// The size of a disk's file: the size in the scenario or that of the files on it, whichever is larger, plus the largest swap area that is ever
/// on it, plus the file system's own blocks. A scale shrinks all of these but the last.
pub(crate) fn size(disk: &DiskSpec, scenario: &Scenario) -> Bytes {
    let in_steps = scenario.steps.iter().flat_map(|step| match &step.action {
        Action::Swap(Swaps(areas)) => areas.as_slice(),
        _ => &[],
    });
    let areas = std::iter::once(&scenario.machine.swap).chain(in_steps).map(|area| match area {
        SwapSpec::Disk { size, disk: on } if *on == disk.name => *size,
        _ => Bytes::ZERO,
    });
    let files = disk.size.max(executor::room_on(scenario, &disk.name));
    let content = files.saturating_add(areas.max().unwrap_or_default());
    let wanted = content.saturating_add(overhead(disk.filesystem, content));
    Bytes::new(wanted.max(smallest(disk.filesystem)).get() & !0xf_ffff)
}

/// Creates the file of a disk in `folder`, formats and unlinks it, so that nothing is left behind.
///
/// # Errors
/// The folder cannot be written, there is no mkfs, or it fails.
pub(super) fn make(disk: &DiskSpec, size: Bytes, folder: &Path) -> Result<File, Error> {
    let path = image(folder, disk);
    let refuse = |error: std::io::Error| {
        Error::system(
            format!("cannot make the VM's disk in {}: {error}", folder.display()),
            "name a writable folder with --work-dir",
        )
    };
    // In a folder such as /var/tmp anybody can create a link of that name; `create_new` follows none.
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path).map_err(refuse)?;
    let formatted = file.set_len(size.get()).map_err(refuse).and_then(|()| format(disk.filesystem, &path));
    fs::remove_file(&path).map_err(refuse)?;
    formatted.map(|()| file)
}

/// The program that makes a file system, how to install it, and its command line for the file at `path`.
pub(crate) fn mkfs(filesystem: FileSystem, path: &Path) -> Option<(&'static str, &'static str, Vec<OsString>)> {
    let ((program, hint), options): (_, &[&str]) = match filesystem {
        // Write everything now. Otherwise the guest would initialise inodes in the background, during the measurement.
        FileSystem::Ext4 => (
            PROGRAMS[0],
            // The same blocks and inodes at any size: mke2fs takes others for a disk below 512 MiB.
            &[
                "-q",
                "-F",
                "-b",
                "4096",
                "-i",
                "16384",
                "-m",
                "0",
                "-E",
                "lazy_itable_init=0,lazy_journal_init=0,nodiscard",
            ],
        ),
        FileSystem::Xfs => (PROGRAMS[1], &["-q", "-f", "-K"]),
        FileSystem::None => return None,
    };
    let path = [OsString::from("--"), path.into()];
    Some((program, hint, options.iter().map(OsString::from).chain(path).collect()))
}

/// The path of a disk's file until it is unlinked.
pub(crate) fn image(folder: &Path, disk: &DiskSpec) -> PathBuf {
    folder.join(format!(".pagetide-{}-{}.img", std::process::id(), disk.name))
}

fn format(filesystem: FileSystem, path: &Path) -> Result<(), Error> {
    let Some((program, hint, arguments)) = mkfs(filesystem, path) else { return Ok(()) };
    let program = find_program(Path::new(program), hint)?;
    let output = Command::new(&program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::system(format!("cannot run {}: {error}", program.display()), hint))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let line = complaint.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    Err(Error::system(format!("{} failed: {line}", program.display()), "check the free room of the disk with `df`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Scenario;
    use std::os::unix::fs::FileExt;

    fn scenario(rest: &str) -> Scenario {
        let text =
            format!("id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n{rest}\n");
        Scenario::parse(&text, "t.toml").unwrap()
    }

    fn number(file: &File, at: u64, length: usize) -> Vec<u8> {
        let mut found = vec![0; length];
        file.read_exact_at(&mut found, at).unwrap();
        found
    }

    /// Free bytes, from the superblock (fs/ext4/ext4.h: struct ext4_super_block; fs/xfs/libxfs/xfs_format.h: struct xfs_dsb).
    fn free(file: &File, filesystem: &str) -> u64 {
        let little = |at: u64| u64::from(u32::from_le_bytes(number(file, 1024 + at, 4).try_into().unwrap()));
        if filesystem == "ext4" {
            assert_eq!(number(file, 0x438, 2), b"\x53\xef");
            assert_eq!(1024 << little(24), 4096, "the same blocks at any size");
            little(12) * 4096
        } else {
            assert_eq!(number(file, 0, 4), b"XFSB");
            let blocks = u64::from_be_bytes(number(file, 144, 8).try_into().unwrap());
            blocks * u64::from(u32::from_be_bytes(number(file, 4, 4).try_into().unwrap()))
        }
    }

    #[test]
    fn a_formatted_disk_has_no_name_and_room_for_all_that_is_put_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let cases = [("ext4", [1, 48, 120, 500, 3000]), ("xfs", [1, 48, 120, 500, 3000])];
        for (name, size_mib) in cases.into_iter().flat_map(|(name, sizes)| sizes.map(|size| (name, size))) {
            // The files are larger than the disk in the scenario; swap is on it as well, and more of it in a step.
            let scenario = scenario(&format!(
                "swap = {{ size = \"16MiB\", disk = \"d\" }}\n[[machine.disk]]\nname = \"d\"\nsize = \"1MiB\"\nfilesystem = \"{name}\"\n\
                 [[step]]\nid = \"A\"\ndd = {{ from = \"file:x\", to = \"null\", size = \"{size_mib}MiB\" }}\n\
                 [[step]]\nid = \"B\"\nswap = {{ size = \"64MiB\", disk = \"d\" }}"
            ));
            let disk = &scenario.machine.disks[0];
            let size = size(disk, &scenario);
            let file = make(disk, size, folder.path()).unwrap();
            let (free, wanted) = (free(&file, name), (size_mib + 64) << 20);
            // Extents of files and swap will take some blocks.
            assert!(free > wanted + (1 << 20), "{name} of {size}: {free} bytes are free, {wanted} are wanted");
            assert_eq!(file.metadata().unwrap().len(), size.get());
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{name}");
        }
    }

    #[test]
    fn a_disk_has_room_for_its_own_swap_only() {
        let scenario = scenario(
            "swap = { size = \"512MiB\", disk = \"b\" }\n[[machine.disk]]\nname = \"a\"\nsize = \"1GiB\"\n\
             [[machine.disk]]\nname = \"b\"\nsize = \"1GiB\"\n[[step]]\nid = \"A\"\nsleep = \"1s\"",
        );
        let [a, b] = [0, 1].map(|at| size(&scenario.machine.disks[at], &scenario).get());
        assert!(a > 1 << 30 && b > a + (512 << 20), "{a} {b}");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let scenario =
            scenario("[[machine.disk]]\nname = \"d\"\nsize = \"32MiB\"\n[[step]]\nid = \"A\"\nsleep = \"1s\"");
        let error = make(&scenario.machine.disks[0], Bytes::new(32 << 20), Path::new("/proc/nowhere")).unwrap_err();
        assert!(error.what.contains("/proc/nowhere") && error.hint.contains("--work-dir"), "{error}");
    }
}

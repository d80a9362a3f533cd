//! The guest's disks: sparse files, formatted before the guest boots, without a name while it runs.

use super::initramfs::find_program;
use pagetide_core::{Bytes, DiskSpec, FileSystem, Machine, Refusal, SwapSpec};
use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};

/// The smallest disk that each file system is made on.
fn smallest(filesystem: FileSystem) -> Bytes {
    match filesystem {
        FileSystem::Ext4 => Bytes::new(32 << 20),
        FileSystem::Xfs => Bytes::new(320 << 20),
        FileSystem::None => Bytes::new(1 << 20),
    }
}

/// How large a disk's file is: what the scenario says, the swap area on it beside, and not below what its file system needs.
pub(super) fn size(disk: &DiskSpec, machine: &Machine) -> Bytes {
    let swap = match &machine.swap {
        SwapSpec::Disk { size, disk: on } if *on == disk.name => size.get(),
        _ => 0,
    };
    // A swap area takes some blocks of the file system's own beside its size.
    let wanted = disk.size.get().saturating_add(swap + swap / 64);
    Bytes::new(wanted.max(smallest(disk.filesystem).get()) & !0xf_ffff)
}

/// Makes the file of a disk in `folder` and formats it. It has no name any more when this returns, so that nothing of it is
/// left, whatever happens.
///
/// # Errors
/// The folder cannot be written, there is no mkfs, or it fails.
pub(super) fn make(disk: &DiskSpec, size: Bytes, folder: &Path) -> Result<File, Refusal> {
    let path = folder.join(format!(".pagetide-{}-{}.img", std::process::id(), disk.name));
    let refuse = |error: std::io::Error| {
        Refusal::system(
            format!("cannot make the VM's disk in {}: {error}", folder.display()),
            "name a folder that can be written with --work-dir",
        )
    };
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path).map_err(refuse)?;
    let formatted = file.set_len(size.get()).map_err(refuse).and_then(|()| format(disk.filesystem, &path));
    fs::remove_file(&path).map_err(refuse)?;
    formatted.map(|()| file)
}

fn format(filesystem: FileSystem, path: &Path) -> Result<(), Refusal> {
    let (program, mend, options): (_, _, &[&str]) = match filesystem {
        // Everything is written now: the guest would write it in the background, among what is measured.
        FileSystem::Ext4 => (
            "mkfs.ext4",
            "apt-get install e2fsprogs",
            &["-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"],
        ),
        FileSystem::Xfs => ("mkfs.xfs", "apt-get install xfsprogs", &["-q", "-f", "-K"]),
        FileSystem::None => return Ok(()),
    };
    let program = find_program(Path::new(program), mend)?;
    let output = Command::new(&program)
        .args(options)
        .arg(path)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Refusal::system(format!("cannot run {}: {error}", program.display()), mend))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let line = complaint.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    Err(Refusal::system(format!("{} failed: {line}", program.display()), "look for room on the disk with `df`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Scenario;
    use std::os::unix::fs::FileExt;

    fn machine(rest: &str) -> Machine {
        let text = format!(
            "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n{rest}\n\
             [[step]]\nid = \"A\"\nsleep = \"1s\"\n"
        );
        Scenario::parse(&text, "t.toml").unwrap().machine
    }

    #[test]
    fn a_formatted_disk_has_no_name_and_holds_a_file_system() {
        let folder = tempfile::tempdir().unwrap();
        for (name, magic, at) in [("ext4", &b"\x53\xef"[..], 0x438), ("xfs", &b"XFSB"[..], 0)] {
            let machine = machine(&format!("[[machine.disk]]\nname = \"d\"\nsize = \"1MiB\"\nfilesystem = \"{name}\""));
            let size = size(&machine.disks[0], &machine);
            let file = make(&machine.disks[0], size, folder.path()).unwrap();
            let mut found = vec![0; magic.len()];
            file.read_exact_at(&mut found, at).unwrap();
            assert_eq!(found, magic, "{name}");
            assert_eq!(file.metadata().unwrap().len(), size.get());
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{name}");
        }
    }

    #[test]
    fn a_disk_has_room_for_its_swap() {
        let machine = machine(
            "swap = { size = \"512MiB\", disk = \"b\" }\n[[machine.disk]]\nname = \"a\"\nsize = \"1GiB\"\n\
             [[machine.disk]]\nname = \"b\"\nsize = \"1GiB\"",
        );
        assert_eq!(size(&machine.disks[0], &machine), Bytes::new(1 << 30));
        assert!(size(&machine.disks[1], &machine).get() > (1 << 30) + (512 << 20));
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let machine = machine("[[machine.disk]]\nname = \"d\"\nsize = \"32MiB\"");
        let refusal = make(&machine.disks[0], Bytes::new(32 << 20), Path::new("/proc/nowhere")).unwrap_err();
        assert!(refusal.what.contains("/proc/nowhere") && refusal.mend.contains("--work-dir"), "{refusal}");
    }
}

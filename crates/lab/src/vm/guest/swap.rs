//! Swap of the guest: a file on one of its disks, or compressed memory.

use super::call;
use super::disk::Disk;
use pagetide_core::{Bytes, Error, Machine, SwapSpec};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// Turns on the swap of the scenario's machine.
///
/// # Errors
/// There is no such disk or algorithm, or the kernel refuses the area.
pub(super) fn turn_on(machine: &Machine, disks: &[Disk], differences: &mut Vec<String>) -> Result<(), Error> {
    match &machine.swap {
        SwapSpec::None => Ok(()),
        SwapSpec::Disk { size, disk } => {
            let found = disks.iter().find(|known| known.name == *disk).ok_or_else(|| {
                let known = disks.iter().map(|known| known.name.as_str());
                Error::input(
                    format!(
                        "swap is on disk {disk}, which the machine does not have{}",
                        pagetide_core::suggest::hint(disk, known)
                    ),
                    "name one of the machine's disks",
                )
            })?;
            differences.push(format!("Swap is a file on disk {disk}, and shares its limits."));
            area(&found.folder.join("swap"), *size)
        }
        SwapSpec::Zram { size, algorithm } => zram(*size, algorithm.as_deref()),
    }
}

/// Turns off all swap, then turns on these areas: the first is used first, since the kernel gives each a lower priority than
/// the one before (`mm/swapfile.c: enable_swap_info`).
///
/// # Errors
/// The swapped-out pages do not fit into memory; there is no such disk or algorithm; the kernel refuses an area.
pub(super) fn replace(areas: &[SwapSpec], disks: &[Disk]) -> Result<(), Error> {
    let used = fs::read_to_string("/proc/swaps").unwrap_or_default();
    for path in used.lines().skip(1).filter_map(|line| line.split_ascii_whitespace().next()).map(Path::new) {
        call::swap_off(path)
            .map_err(|error| Error::system(format!("cannot turn off swap on {}: {error}", path.display()), ""))?;
    }
    if Path::new("/sys/block/zram0/reset").exists() {
        fs::write("/sys/block/zram0/reset", "1")
            .map_err(|error| Error::system(format!("cannot reset zram: {error}"), ""))?;
    }
    for spec in areas {
        match spec {
            SwapSpec::None => {}
            SwapSpec::Disk { size, disk } => {
                let found = disks.iter().find(|known| known.name == *disk);
                let found = found.ok_or_else(|| Error::input(format!("no disk `{disk}`"), ""))?;
                area(&found.folder.join("swap"), *size)?;
            }
            SwapSpec::Zram { size, algorithm } => zram(*size, algorithm.as_deref())?,
        }
    }
    Ok(())
}

/// Makes a file a swap area and turns it on.
fn area(path: &Path, size: Bytes) -> Result<(), Error> {
    let refuse = |error: std::io::Error| Error::system(format!("no swap on {}: {error}", path.display()), "");
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(refuse)?;
    let page = rustix::param::page_size() as u64;
    let pages = size.get() / page;
    if file.metadata().map_err(refuse)?.is_file() {
        let all = rustix::fs::FallocateFlags::empty();
        rustix::fs::fallocate(&file, all, 0, pages * page).map_err(|error| refuse(error.into()))?;
    }
    file.write_all_at(&header(page, pages), 0).and_then(|()| file.sync_all()).map_err(refuse)?;
    call::swap_on(path).map_err(refuse)
}

/// The first page of a swap area (`include/linux/swap.h: union swap_header`): version 1, the last page, and the magic at the end.
fn header(page: u64, pages: u64) -> Vec<u8> {
    let mut header = vec![0; usize::try_from(page).unwrap_or(4096)];
    header[1024..1028].copy_from_slice(&1u32.to_le_bytes());
    header[1028..1032].copy_from_slice(&u32::try_from(pages - 1).unwrap_or(u32::MAX).to_le_bytes());
    let magic = b"SWAPSPACE2";
    let at = header.len() - magic.len();
    header[at..].copy_from_slice(magic);
    header
}

fn zram(size: Bytes, algorithm: Option<&str>) -> Result<(), Error> {
    let folder = Path::new("/sys/block/zram0");
    let write = |file: &str, value: &str| {
        fs::write(folder.join(file), value)
            .map_err(|error| Error::system(format!("zram refuses {value} as its {file}: {error}"), ""))
    };
    if let Some(algorithm) = algorithm {
        let offered = fs::read_to_string(folder.join("comp_algorithm")).unwrap_or_default();
        let offered: Vec<&str> = offered.split_whitespace().map(|name| name.trim_matches(['[', ']'])).collect();
        if !offered.contains(&algorithm) {
            return Err(Error::input(
                format!(
                    "zram has no algorithm `{algorithm}`{}",
                    pagetide_core::suggest::hint(algorithm, offered.iter().copied())
                ),
                format!("one of {}", offered.join(", ")),
            ));
        }
        write("comp_algorithm", algorithm)?;
    }
    write("disksize", &size.get().to_string())?;
    area(Path::new("/dev/zram0"), size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_header_is_one_that_others_know() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = (folder.path().join("ours"), folder.path().join("theirs"));
        for path in [&ours, &theirs] {
            fs::write(path, vec![0; 1 << 20]).unwrap();
        }
        OpenOptions::new().write(true).open(&ours).unwrap().write_all_at(&header(4096, 256), 0).unwrap();
        let made = Command::new("/sbin/mkswap").arg(&theirs).output().expect("mkswap is a part of util-linux");
        assert!(made.status.success());
        let read = |path: &Path| {
            let mut bytes = fs::read(path).unwrap();
            // UUID and label are random.
            bytes[1036..1068].fill(0);
            bytes
        };
        assert_eq!(read(&ours)[1024..], read(&theirs)[1024..]);
    }
}

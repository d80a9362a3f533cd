//! What the kernel's counters do not show on this machine, by its mounts and its processes.

use crate::Mount;
use crate::root::Root;
use pagetide_core::Unreadable;

/// File systems, and what is not recorded of them. A name ends with a dot where any kind below it is meant.
const FILE_SYSTEMS: &[(&[&str], &str)] = &[
    (
        &["nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "9p", "fuse.", "virtiofs", "lustre", "gpfs"],
        "a server does its IO: no disk of this host counts its requests, latency or utilisation; its cached and dirty pages are counted",
    ),
    (&["overlay"], "its IO is counted on the disks of its lower layers, so the disk of a path on it is unknown"),
    (&["btrfs"], "the disk of a path on it is unknown, and with compression bytes on disk differ from bytes in files"),
    (
        &["zfs"],
        "ARC is outside the page cache: MemAvailable counts it as used, and its hits and evictions are not recorded",
    ),
    (&["tmpfs", "ramfs"], "its pages count as page cache (Shmem), but reclaim can only swap them out"),
];

/// Places of small file systems in memory that every host has.
const USUAL: [&str; 4] = ["/dev", "/run", "/sys", "/proc"];

/// Why numbers of a mount are missing; `None` when all of its IO and cache is counted.
fn of_mount(mount: &Mount) -> Option<&'static str> {
    if mount.options.split(',').any(|option| option == "dax" || option == "dax=always") {
        return Some("DAX bypasses the page cache: neither its reads and writes nor its memory are counted");
    }
    if USUAL.iter().any(|place| mount.point.starts_with(place)) {
        return None;
    }
    let is = |kind: &str| mount.kind == kind || kind.ends_with('.') && mount.kind.starts_with(kind);
    FILE_SYSTEMS.iter().find(|(kinds, _)| kinds.iter().any(|kind| is(kind))).map(|(_, why)| *why)
}

/// What is not shown, one entry for each kind of mount with its first place and their number.
pub(crate) fn blind_spots(root: &Root, mounts: &[Mount]) -> Vec<Unreadable> {
    let mut spots: Vec<(&str, &'static str, Vec<String>)> = Vec::new();
    for mount in mounts {
        let Some(why) = of_mount(mount) else { continue };
        let place = mount.point.display().to_string();
        match spots.iter_mut().find(|(kind, known, _)| *kind == mount.kind && *known == why) {
            Some((_, _, places)) => places.push(place),
            None => spots.push((&mount.kind, why, vec![place])),
        }
    }
    let mounts = spots.into_iter().map(|(kind, why, places)| {
        let more = if places.len() > 1 { format!(" and {} more", places.len() - 1) } else { String::new() };
        Unreadable { source: format!("{kind} at {}{more}", places[0]), reason: why.to_owned() }
    });
    mounts.chain(processes_of_a_container(root)).collect()
}

/// The kernel's threads are processes of the host alone, the second one their parent (`init/main.c: rest_init`).
fn processes_of_a_container(root: &Root) -> Option<Unreadable> {
    let name = |pid: u32| root.optional(format!("/proc/{pid}/comm")).ok()?;
    name(1)?;
    let host = name(2).is_some_and(|name| name.trim() == "kthreadd");
    (!host).then(|| Unreadable {
        source: "/proc of the host".to_owned(),
        reason: "this container has its own process ids: memory and disks are the host's, but other processes, kswapd and the host's mounts are not visible"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_mounts;

    fn spots(mounts: &str) -> Vec<String> {
        let nowhere = tempfile::tempdir().unwrap();
        let spots = blind_spots(&Root::new(nowhere.path()), &parse_mounts(mounts).unwrap());
        spots.into_iter().map(|spot| format!("{}: {}", spot.source, spot.reason)).collect()
    }

    #[test]
    fn file_systems_whose_io_is_on_no_disk_are_named_once_a_kind() {
        let said = spots(
            "/dev/vda / ext4 rw 0 0\nserver:/a /a nfs4 rw 0 0\nserver:/b /b nfs4 rw 0 0\nshare /c fuse.sshfs rw 0 0\n\
             tmpfs /run tmpfs rw 0 0\ntmpfs /tmp tmpfs rw 0 0\ntank /tank zfs rw 0 0\noverlay /o overlay rw 0 0\n\
             /dev/sdb /b btrfs rw 0 0\n/dev/pmem0 /p xfs rw,dax=always 0 0\nfusectl /sys/fs/fuse fusectl rw 0 0\n",
        );
        let starts: Vec<&str> = said.iter().filter_map(|line| line.split(": ").next()).collect();
        let expected = [
            "nfs4 at /a and 1 more",
            "fuse.sshfs at /c",
            "tmpfs at /tmp",
            "zfs at /tank",
            "overlay at /o",
            "btrfs at /b",
            "xfs at /p",
        ];
        assert_eq!(starts, expected);
        assert!(said[6].contains("DAX") && said[3].contains("ARC"), "{said:?}");
        assert!(spots("/dev/vda / ext4 rw,dax=never 0 0\n").is_empty());
    }

    #[test]
    fn a_proc_without_the_kernels_threads_is_a_containers() {
        let folder = tempfile::tempdir().unwrap();
        let put = |pid: u32, name: &str| {
            let process = folder.path().join(format!("proc/{pid}"));
            std::fs::create_dir_all(&process).unwrap();
            std::fs::write(process.join("comm"), format!("{name}\n")).unwrap();
        };
        let root = Root::new(folder.path());
        let spots = || blind_spots(&root, &[]).len();
        assert_eq!(spots(), 0, "a tree without processes says nothing");
        put(1, "init");
        assert_eq!(spots(), 1);
        put(2, "kthreadd");
        assert_eq!(spots(), 0);
    }
}

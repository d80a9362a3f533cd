//! What does not change while a recording runs.

use crate::blind_spots::blind_spots;
use crate::device::directly_below;
use crate::error::Error;
use crate::kernel_log::KernelLog;
use crate::root::Root;
use crate::taskstats::{self, Taskstats};
use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use pagetide_core::{Bytes, Disk, HostTimeZone, Lru, Manifest, Swap, Unreadable, os_text};
use pagetide_proctext::DiskStats;
use pagetide_proctext::mounts::Mount;
use pagetide_proctext::text::number;
use std::collections::BTreeMap;
use std::path::Path;

/// All static facts about a system: host, kernel, CPUs, page size, disks, swap, mounts, settings. What a system does not report
/// is left empty.
pub fn facts(root: &Root) -> Result<Manifest, Error> {
    let text = |file: &str| Ok::<_, Error>(root.optional(file)?.unwrap_or_default());
    let meminfo = root.meminfo()?;
    let disks = match root.diskstats() {
        Err(error) if error.is_absent() => Vec::new(),
        disks => disks?,
    };
    let numbers: BTreeMap<(u32, u32), &str> =
        disks.iter().map(|disk| ((disk.major, disk.minor), disk.name.as_str())).collect();
    let links = links(root);
    let own_mounts = match root.mountinfo() {
        Err(error) if error.is_absent() => Vec::new(),
        mounts => mounts?,
    };
    // A unit or a pod has mounts of its own, which lack what is hidden from it.
    let mounts = root.mountinfo_of_init().unwrap_or_else(|_| own_mounts.clone());
    Ok(Manifest {
        host: text("/proc/sys/kernel/hostname")?,
        kernel: text("/proc/sys/kernel/osrelease")?,
        boot_id: text("/proc/sys/kernel/random/boot_id")?,
        cpus: cpus(root)?,
        page_size: page_size(root)?,
        memory_total: meminfo.total().unwrap_or_default(),
        disks: disks.iter().map(|disk| facts_of(root, disk, &links)).collect::<Result<_, _>>()?,
        swaps: root.swaps()?.into_iter().map(|area| Swap { path: area.path, size: area.size }).collect(),
        mounts: mounts.iter().filter_map(|mount| on_device(mount, &numbers)).collect(),
        filesystems: mounts
            .iter()
            .filter_map(|mount| Some((on_device(mount, &numbers)?.0, mount.kind.clone())))
            .collect(),
        sysctls: match root.vm_sysctls() {
            Err(error) if error.is_absent() => BTreeMap::new(),
            settings => settings?.0,
        },
        users: users(root),
        process_delays: taskstats::source(root),
        capabilities: capabilities(root),
        unreadable: [unreadable(root, &own_mounts), blind_spots(root, &mounts)].concat(),
        time_zone: time_zone(root),
        lru: lru(root)?,
        ..Manifest::default()
    })
}

/// Files that the recorder reads when it may and the kernel has them.
const WANTED: [&str; 7] = [
    "/proc/vmstat",
    "/proc/zoneinfo",
    "/proc/buddyinfo",
    "/proc/diskstats",
    "/proc/pressure/memory",
    "/proc/1/io",
    "/proc/1/mountinfo",
];

/// What can be used of what not every kernel or user has.
fn capabilities(root: &Root) -> Vec<String> {
    let has = |file: &str| root.join(file).exists();
    let all = [
        ("psi", has("/proc/pressure/memory")),
        ("cgroup1", has("/sys/fs/cgroup/memory/memory.stat")),
        ("cgroup2", has("/sys/fs/cgroup/cgroup.controllers")),
        ("taskstats", Taskstats::open(root).is_ok()),
        ("kernel_log", KernelLog::open(root).is_some()),
    ];
    all.into_iter().filter(|(_, usable)| *usable).map(|(name, _)| name.to_owned()).collect()
}

/// What cannot be read, and why.
fn unreadable(root: &Root, mounts: &[Mount]) -> Vec<Unreadable> {
    let file = |file: &str| {
        let reason = match root.read(file).err()? {
            Error::Read { source, .. } => os_text(&source),
            other => other.to_string(),
        };
        Some(Unreadable { source: file.to_owned(), reason: reason.to_lowercase() })
    };
    let delays = Taskstats::open(root).err();
    let delays = delays.map(|why| Unreadable { source: "taskstats".to_owned(), reason: why.to_string() });
    // Who gets no taskstats at all gets no exits either: said once.
    let exits = taskstats::why_unseen(root).filter(|why| delays.as_ref().is_none_or(|delays| delays.reason != *why));
    let exits = exits.map(|reason| Unreadable { source: "processes that end between two samples".to_owned(), reason });
    let hidden = hidden_processes(root, mounts);
    // Who cannot see the process cannot see its IO either: said once.
    let wanted = WANTED.into_iter().filter(|file| hidden.is_none() || !file.starts_with("/proc/1/"));
    wanted.filter_map(file).chain(delays).chain(exits).chain(hidden.clone()).collect()
}

/// Processes of other users, which a `/proc` mounted with `hidepid` shows to nobody but its group and who may trace them
/// (`fs/proc/base.c: has_pid_permissions`).
fn hidden_processes(root: &Root, mounts: &[Mount]) -> Option<Unreadable> {
    let proc = mounts.iter().rev().find(|mount| mount.kind == "proc" && mount.point == Path::new("/proc"))?;
    let how = proc.option("hidepid").filter(|how| !["0", "off"].contains(how))?;
    root.read("/proc/1/stat").is_err().then(|| Unreadable {
        source: "/proc/1/stat".to_owned(),
        reason: format!("/proc is mounted with hidepid={how}"),
    })
}

/// Users that are kept at most: a file of more is a directory service's.
const MOST_USERS: usize = 1024;

/// The users of `/etc/passwd` by their uid; of two names of one uid the first, as `ls` shows it. Those of a directory service are left out.
fn users(root: &Root) -> BTreeMap<u32, String> {
    let mut users = BTreeMap::new();
    for line in root.read("/etc/passwd").unwrap_or_default().lines() {
        let mut fields = line.split(':');
        let (name, uid) = (fields.next().unwrap_or_default(), fields.nth(1).and_then(|uid| uid.parse().ok()));
        if let Some(uid) = uid.filter(|_| !name.is_empty() && users.len() < MOST_USERS) {
            users.entry(uid).or_insert_with(|| name.to_owned());
        }
    }
    users
}

/// The zone that `/etc/localtime` links to or holds, and its offset now.
fn time_zone(root: &Root) -> Option<HostTimeZone> {
    let path = root.join("/etc/localtime");
    let link = std::fs::read_link(&path).unwrap_or_default();
    let name = link.to_string_lossy().split_once("zoneinfo/").map(|(_, name)| name.to_owned());
    let by_name = name.as_deref().and_then(|name| TimeZoneDatabase::bundled().get(name).ok());
    let zone = by_name.or_else(|| TimeZone::tzif("", &std::fs::read(&path).ok()?).ok())?;
    Some(HostTimeZone { name, utc_offset_s: zone.to_offset(Timestamp::now()).seconds() })
}

/// How the kernel orders pages for reclaim (`mm/vmscan.c: enabled_show`): by lists when bit 0 is clear or the file is not there.
fn lru(root: &Root) -> Result<Option<Lru>, Error> {
    if !root.join("/sys/kernel/mm").is_dir() {
        return Ok(None);
    }
    let enabled = root.optional("/sys/kernel/mm/lru_gen/enabled")?;
    let bits = enabled.as_deref().and_then(|text| u32::from_str_radix(text.trim_start_matches("0x"), 16).ok());
    Ok(Some(if bits.unwrap_or(0) & 1 == 1 { Lru::Mglru } else { Lru::Classic }))
}

/// CPUs online: from sysfs, else the lines of `/proc/stat`.
fn cpus(root: &Root) -> Result<u32, Error> {
    if let Some(count) = root.optional("/sys/devices/system/cpu/online")?.as_deref().and_then(count_list) {
        return Ok(count);
    }
    match root.stat() {
        Ok(stat) => Ok(u32::try_from(stat.cpus.len()).unwrap_or(u32::MAX)),
        Err(error) if error.is_absent() => Ok(0),
        Err(error) => Err(error),
    }
}

/// How many numbers a list such as `0-3,8` names.
fn count_list(list: &str) -> Option<u32> {
    list.split(',').try_fold(0u32, |sum, part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let count = number(last)?.checked_sub(number(first)?)?.checked_add(1)?;
        sum.checked_add(u32::try_from(count).ok()?)
    })
}

/// The size of a page: on this machine as the kernel says, else from an amount that meminfo gives in kB and vmstat in pages; 4
/// KiB if neither works.
pub(crate) fn page_size(root: &Root) -> Result<Bytes, Error> {
    if root.is_host() {
        return Ok(Bytes::new(rustix::param::page_size() as u64));
    }
    let meminfo = root.meminfo()?;
    let vmstat = match root.vmstat() {
        Err(error) if error.is_absent() => return Ok(Bytes::new(4096)),
        vmstat => vmstat?,
    };
    const PAIRS: [(&str, &str); 3] =
        [("Mapped", "nr_mapped"), ("SReclaimable", "nr_slab_reclaimable"), ("PageTables", "nr_page_table_pages")];
    let size = PAIRS.into_iter().find_map(|(amount, pages)| {
        let (amount, pages) = (meminfo.get(amount)?.get(), vmstat.get(pages)?);
        // The two files are read one after the other, so the quotient is only near a power of two.
        (pages >= 64).then(|| (amount.saturating_mul(2) / 3 / pages).checked_next_power_of_two()).flatten()
    });
    Ok(Bytes::new(size.filter(|size| (4096..=65536).contains(size)).unwrap_or(4096)))
}

/// Devices with the names that udev and the device mapper link to them: what a person calls a disk.
fn links(root: &Root) -> Vec<(String, String)> {
    let folders = ["/dev/disk/by-id", "/dev/disk/by-label", "/dev/disk/by-uuid", "/dev/disk/by-path", "/dev/mapper"];
    let entries =
        folders.into_iter().filter_map(|folder| std::fs::read_dir(root.join(folder)).ok()).flatten().flatten();
    let link = |entry: std::fs::DirEntry| {
        let device = std::fs::read_link(entry.path()).ok()?.file_name()?.to_str()?.to_owned();
        Some((device, entry.file_name().into_string().ok()?))
    };
    let mut links: Vec<(String, String)> = entries.filter_map(link).collect();
    links.sort_unstable();
    links.dedup();
    links
}

/// A block device with its size and settings.
fn facts_of(root: &Root, disk: &DiskStats, links: &[(String, String)]) -> Result<Disk, Error> {
    let name = disk.name.as_str();
    let folder = format!("/sys/class/block/{}", name.replace('/', "!"));
    let below = directly_below(root, name);
    let read = |file: &str| Ok::<_, Error>(root.optional(format!("{folder}/{file}"))?.as_deref().and_then(number));
    // A partition has no queue of its own.
    let queue = |file: &str| match read(&format!("queue/{file}"))? {
        None => read(&format!("../queue/{file}")),
        value => Ok(value),
    };
    // SCSI and NVMe pad it with spaces.
    let model = root.optional(format!("{folder}/device/model"))?.map(|text| text.trim().to_owned());
    Ok(Disk {
        name: name.to_owned(),
        device_number: Some(format!("{}:{}", disk.major, disk.minor)),
        model: model.filter(|model| !model.is_empty()),
        size: Bytes::new(read("size")?.unwrap_or(0).saturating_mul(512)),
        rotational: queue("rotational")?.map(|value| value != 0),
        read_ahead: queue("read_ahead_kb")?.map(|kib| Bytes::new(kib.saturating_mul(1024))),
        below,
        links: links.iter().filter(|(device, _)| device == name).map(|(_, link)| link.clone()).collect(),
    })
}

/// Mount point and device, for a mount that lies on a block device.
fn on_device(mount: &Mount, disks: &BTreeMap<(u32, u32), &str>) -> Option<(String, String)> {
    let by_number = mount.device.and_then(|device| disks.get(&device)).map(|name| (*name).to_owned());
    let by_source = || mount.source.strip_prefix("/dev/").map(str::to_owned);
    Some((mount.point.to_string_lossy().into_owned(), by_number.or_else(by_source)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_the_first_name_of_their_uid_and_are_few() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("etc")).unwrap();
        let many: String = (0..5000).map(|uid| format!("u{uid}:x:{uid}:0::/:/bin/sh\n")).collect();
        let text = format!(
            "root:x:0:0:root:/root:/bin/bash\ntoor:x:0:0::/:/bin/sh\n+::::::\n:x:7:0::/:\nann:x:many:0::/:\n{many}"
        );
        std::fs::write(folder.path().join("etc/passwd"), text).unwrap();
        let users = users(&Root::new(folder.path()));
        assert_eq!((users[&0].as_str(), users[&7].as_str(), users.len()), ("root", "u7", MOST_USERS));
        assert!(super::users(&Root::new(folder.path().join("none"))).is_empty());
    }

    #[test]
    fn mounts_are_the_hosts_where_this_process_has_others() {
        let folder = tempfile::tempdir().unwrap();
        let own = "22 1 8:0 / / rw - ext4 /dev/sda rw\n";
        for (file, text) in [
            ("meminfo", "MemTotal: 1000 kB\n".to_owned()),
            ("self/mountinfo", own.to_owned()),
            ("1/mountinfo", format!("{own}23 22 8:16 / /srv rw - ext4 /dev/sdb rw\n")),
        ] {
            let path = folder.path().join("proc").join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let mounts = || facts(&Root::new(folder.path())).unwrap().mounts.into_keys().collect::<Vec<_>>();
        assert_eq!(mounts(), ["/", "/srv"]);
        std::fs::remove_file(folder.path().join("proc/1/mountinfo")).unwrap();
        assert_eq!(mounts(), ["/"]);
    }

    #[test]
    fn lists_of_cpus_are_counted() {
        for (list, count) in [("0", 1), ("0-1", 2), ("0-3,8,10-11", 7)] {
            assert_eq!(count_list(list), Some(count));
        }
        for bad in ["", "3-1", "a", "0-", "0-18446744073709551615"] {
            assert_eq!(count_list(bad), None, "{bad}");
        }
    }
}

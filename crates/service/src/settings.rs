//! Changes of the host's settings, mounts and swap areas, as notes of the recording: what somebody changed near the onset of an incident.

use pagetide_core::{HOST_NOTE, SettingChange};
use pagetide_kernel::Root;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How often the settings are read: some 20 small files, and 4 of each disk.
pub(crate) const EVERY: Duration = Duration::from_secs(10);

/// Files whose reading changes nothing. (That of vm.lowmem_reserve_ratio computes the reserves of all zones anew.)
const FILES: [&str; 24] = [
    "/proc/sys/dev/raid/speed_limit_max",
    "/proc/sys/dev/raid/speed_limit_min",
    "/proc/sys/kernel/task_delayacct",
    "/proc/sys/vm/compaction_proactiveness",
    "/proc/sys/vm/dirty_background_bytes",
    "/proc/sys/vm/dirty_background_ratio",
    "/proc/sys/vm/dirty_bytes",
    "/proc/sys/vm/dirty_expire_centisecs",
    "/proc/sys/vm/dirty_ratio",
    "/proc/sys/vm/dirty_writeback_centisecs",
    "/proc/sys/vm/min_free_kbytes",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/overcommit_ratio",
    "/proc/sys/vm/page-cluster",
    "/proc/sys/vm/swappiness",
    "/proc/sys/vm/vfs_cache_pressure",
    "/proc/sys/vm/watermark_boost_factor",
    "/proc/sys/vm/watermark_scale_factor",
    "/proc/sys/vm/zone_reclaim_mode",
    "/sys/kernel/mm/lru_gen/enabled",
    "/sys/kernel/mm/lru_gen/min_ttl_ms",
    "/sys/kernel/mm/transparent_hugepage/defrag",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/module/zswap/parameters/enabled",
];

/// Settings of a disk below its directory in `/sys/block`.
const OF_DISK: [&str; 4] = ["queue/nr_requests", "queue/read_ahead_kb", "queue/scheduler", "queue/wbt_lat_usec"];

/// Changes of one look that get a note each; the others are counted.
const MOST_NOTES: usize = 32;

/// What is set and mounted.
#[derive(Debug)]
pub(crate) struct Settings {
    root: Root,
    known: Known,
    next: Instant,
}

/// Values of settings by name, what is mounted by mount point, and sizes of swap areas by path. What could not be read is absent.
#[derive(Debug, Default, PartialEq)]
struct Known {
    values: BTreeMap<String, String>,
    mounts: Option<BTreeMap<String, String>>,
    swaps: Option<BTreeMap<String, String>>,
}

impl Settings {
    pub(crate) fn new(root: Root) -> Self {
        let known = read(&root);
        Self { root, known, next: Instant::now() + EVERY }
    }

    /// The time until the next look.
    pub(crate) fn due(&self) -> Duration {
        self.next.saturating_duration_since(Instant::now())
    }

    /// What changed since it was called last, a note each; empty when it is too early to look.
    pub(crate) fn changes(&mut self) -> Vec<String> {
        if Instant::now() < self.next {
            return Vec::new();
        }
        self.next = Instant::now() + EVERY;
        let mut now = read(&self.root);
        let mut notes = differences(&self.known, &now);
        now.mounts = now.mounts.or(self.known.mounts.take());
        now.swaps = now.swaps.or(self.known.swaps.take());
        self.known = now;
        let more = notes.len().saturating_sub(MOST_NOTES);
        notes.truncate(MOST_NOTES);
        notes.extend((more > 0).then(|| format!("{HOST_NOTE}{more} more settings and mounts changed")));
        notes
    }
}

fn read(root: &Root) -> Known {
    let named = |file: &str| {
        let name = ["/proc/sys/", "/sys/kernel/mm/", "/sys/block/", "/sys/module/"]
            .into_iter()
            .find_map(|prefix| file.strip_prefix(prefix));
        name.unwrap_or(file).replace('/', ".")
    };
    let value = |file: &str| {
        let text = root.read(file).ok()?;
        Some((named(file), chosen(text.trim_ascii()).to_owned()))
    };
    let mut values: BTreeMap<String, String> = FILES.iter().filter_map(|file| value(file)).collect();
    for entry in std::fs::read_dir(root.join("/sys/block")).into_iter().flatten().flatten() {
        let Ok(disk) = entry.file_name().into_string() else { continue };
        // loop and ram devices come by the dozen and have nothing to queue.
        if !["loop", "ram"].iter().any(|kind| disk.starts_with(kind)) {
            values.extend(OF_DISK.iter().filter_map(|file| value(&format!("/sys/block/{disk}/{file}"))));
        }
    }
    let mounts = root.mountinfo().ok().map(|mounts| {
        let on_devices = mounts.into_iter().filter(|mount| mount.device.is_some_and(|(major, _)| major != 0));
        on_devices.map(|mount| (mount.point.to_string_lossy().into_owned(), mount.source)).collect()
    });
    let swaps =
        root.swaps().ok().map(|areas| areas.into_iter().map(|area| (area.path, area.size.to_string())).collect());
    Known { values, mounts, swaps }
}

/// The choice in brackets: `madvise` in `always [madvise] never`.
fn chosen(text: &str) -> &str {
    text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or(text, |(chosen, _)| chosen)
}

fn differences(before: &Known, now: &Known) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, to) in &now.values {
        if let Some(from) = before.values.get(name).filter(|from| *from != to) {
            notes.push(SettingChange { name, from, to }.note());
        }
    }
    let mut note = |text: String| notes.push(format!("{HOST_NOTE}{text}"));
    for (point, source) in additions(&before.mounts, &now.mounts) {
        note(format!("{source} was mounted at {point}"));
    }
    for (point, source) in removals(&before.mounts, &now.mounts) {
        note(format!("{source} was unmounted from {point}"));
    }
    for (path, size) in additions(&before.swaps, &now.swaps) {
        note(format!("{path} was enabled as swap, {size}"));
    }
    for (path, size) in removals(&before.swaps, &now.swaps) {
        note(format!("{path} was disabled as swap, {size}"));
    }
    notes
}

/// What is new or another one at its place, where both are known.
fn additions<'a>(
    before: &'a Option<BTreeMap<String, String>>,
    now: &'a Option<BTreeMap<String, String>>,
) -> impl Iterator<Item = (&'a String, &'a String)> {
    let both = before.as_ref().zip(now.as_ref());
    both.into_iter().flat_map(|(before, now)| now.iter().filter(|(place, what)| before.get(*place) != Some(what)))
}

/// What is not there any more, where both are known.
fn removals<'a>(
    before: &'a Option<BTreeMap<String, String>>,
    now: &'a Option<BTreeMap<String, String>>,
) -> impl Iterator<Item = (&'a String, &'a String)> {
    let both = before.as_ref().zip(now.as_ref());
    both.into_iter().flat_map(|(before, now)| before.iter().filter(|(place, _)| !now.contains_key(*place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(values: &[(&str, &str)], mounts: &[(&str, &str)], swaps: &[(&str, &str)]) -> Known {
        let owned = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Known { values: owned(values), mounts: Some(owned(mounts)), swaps: Some(owned(swaps)) }
    }

    #[test]
    fn a_change_is_one_note_with_both_values() {
        let before = known(
            &[("vm.swappiness", "60"), ("vm.dirty_ratio", "20")],
            &[("/", "/dev/vda"), ("/old", "/dev/vdb")],
            &[("/swap", "1GiB")],
        );
        let after = known(
            &[("vm.swappiness", "10"), ("vm.dirty_ratio", "20")],
            &[("/", "/dev/vda"), ("/new", "/dev/vdb")],
            &[("/dev/zram0", "2GiB")],
        );
        assert_eq!(
            differences(&before, &after),
            [
                "host: vm.swappiness changed from 60 to 10",
                "host: /dev/vdb was mounted at /new",
                "host: /dev/vdb was unmounted from /old",
                "host: /dev/zram0 was enabled as swap, 2GiB",
                "host: /swap was disabled as swap, 1GiB",
            ]
        );
        assert_eq!(differences(&after, &after), [""; 0]);
    }

    #[test]
    fn a_setting_that_the_kernel_does_not_have_is_no_change() {
        assert_eq!(differences(&known(&[], &[], &[]), &known(&[("vm.swappiness", "60")], &[], &[])), [""; 0]);
    }

    #[test]
    fn mounts_and_swap_that_cannot_be_read_for_a_moment_have_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let proc = folder.path().join("proc");
        std::fs::create_dir_all(proc.join("self")).unwrap();
        let (mountinfo, swaps) = (proc.join("self/mountinfo"), proc.join("swaps"));
        let write = |mounts: &str, swap: &str| {
            std::fs::write(&mountinfo, mounts).unwrap();
            std::fs::write(&swaps, format!("Filename Type Size Used Priority\n{swap}")).unwrap();
        };
        write("21 1 254:0 / / rw - ext4 /dev/vda rw\n", "/swap file 1024 0 -2\n");
        let mut settings = Settings::new(Root::new(folder.path()));
        let mut look = || {
            settings.next = Instant::now();
            settings.changes()
        };
        for file in [&mountinfo, &swaps] {
            std::fs::remove_file(file).unwrap();
            std::fs::create_dir(file).unwrap();
        }
        assert_eq!(look(), [""; 0]);
        for file in [&mountinfo, &swaps] {
            std::fs::remove_dir(file).unwrap();
        }
        write("21 1 254:0 / / rw - ext4 /dev/vda rw\n22 21 254:16 / /new rw - ext4 /dev/vdb rw\n", "");
        assert_eq!(look(), ["host: /dev/vdb was mounted at /new", "host: /swap was disabled as swap, 1 MiB"]);
    }

    #[test]
    fn settings_are_read_below_a_root_and_a_flood_of_changes_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("proc/sys/vm/swappiness", "60\n");
        write("sys/block/vdb/queue/scheduler", "none [mq-deadline] kyber\n");
        (0..40).for_each(|disk| write(&format!("sys/block/sd{disk}/queue/read_ahead_kb"), "128\n"));
        let mut settings = Settings::new(Root::new(folder.path()));
        write("proc/sys/vm/swappiness", "1\n");
        write("sys/block/vdb/queue/scheduler", "[none] mq-deadline kyber\n");
        assert_eq!(settings.changes(), [""; 0], "it is too early to look");
        settings.next = Instant::now();
        assert_eq!(
            settings.changes(),
            ["host: vdb.queue.scheduler changed from mq-deadline to none", "host: vm.swappiness changed from 60 to 1"]
        );
        (0..40).for_each(|disk| write(&format!("sys/block/sd{disk}/queue/read_ahead_kb"), "256\n"));
        settings.next = Instant::now();
        let notes = settings.changes();
        assert_eq!((notes.len(), notes[32].as_str()), (33, "host: 8 more settings and mounts changed"));
    }
}

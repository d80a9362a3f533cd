//! Changes of the host's settings and mounts, as notes of the recording: what somebody changed near the onset of an incident.

use pagetide_kernel::Root;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How often the settings are read: some 20 small files.
pub(crate) const EVERY: Duration = Duration::from_secs(10);

/// Files whose reading changes nothing. (That of vm.lowmem_reserve_ratio computes the reserves of all zones anew.)
const FILES: [&str; 16] = [
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
    "/proc/sys/vm/swappiness",
    "/proc/sys/vm/vfs_cache_pressure",
    "/proc/sys/vm/watermark_scale_factor",
    "/proc/sys/vm/zone_reclaim_mode",
    "/sys/kernel/mm/lru_gen/enabled",
    "/sys/kernel/mm/transparent_hugepage/enabled",
];

/// What is set and mounted.
#[derive(Debug)]
pub(crate) struct Settings {
    root: Root,
    known: Known,
    next: Instant,
}

/// Values of settings by name, and what is mounted by mount point.
#[derive(Debug, Default, PartialEq)]
struct Known {
    values: BTreeMap<String, String>,
    mounts: BTreeMap<String, String>,
}

impl Settings {
    pub(crate) fn new(root: Root) -> Self {
        let known = read(&root);
        Self { root, known, next: Instant::now() + EVERY }
    }

    /// What changed since it was called last, a note each; empty when it is too early to look.
    pub(crate) fn changes(&mut self) -> Vec<String> {
        if Instant::now() < self.next {
            return Vec::new();
        }
        self.next = Instant::now() + EVERY;
        let now = read(&self.root);
        let notes = differences(&self.known, &now);
        self.known = now;
        notes
    }
}

fn read(root: &Root) -> Known {
    let value = |file: &&str| {
        let text = root.read(file).ok()?;
        let name = file.strip_prefix("/proc/sys/").or_else(|| file.strip_prefix("/sys/kernel/mm/")).unwrap_or(file);
        Some((name.replace('/', "."), String::from_utf8_lossy(text.trim_ascii()).into_owned()))
    };
    let mounts = root.mountinfo().unwrap_or_default().into_iter();
    let on_devices = mounts.filter(|mount| mount.device.is_some_and(|(major, _)| major != 0));
    let mounts = on_devices.map(|mount| (mount.point.to_string_lossy().into_owned(), mount.source));
    Known { values: FILES.iter().filter_map(value).collect(), mounts: mounts.collect() }
}

/// Begins each note, so that a reader tells it from those of the recorder and of a recorded command.
const PREFIX: &str = "host: ";

fn differences(before: &Known, now: &Known) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, value) in &now.values {
        if let Some(earlier) = before.values.get(name).filter(|earlier| *earlier != value) {
            notes.push(format!("{PREFIX}{name} changed from {earlier} to {value}"));
        }
    }
    for (point, source) in &now.mounts {
        if before.mounts.get(point) != Some(source) {
            notes.push(format!("{PREFIX}{source} was mounted at {point}"));
        }
    }
    for (point, source) in before.mounts.iter().filter(|(point, _)| !now.mounts.contains_key(*point)) {
        notes.push(format!("{PREFIX}{source} was unmounted from {point}"));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(values: &[(&str, &str)], mounts: &[(&str, &str)]) -> Known {
        let owned = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Known { values: owned(values), mounts: owned(mounts) }
    }

    #[test]
    fn a_change_is_one_note_with_both_values() {
        let before = known(&[("vm.swappiness", "60"), ("vm.dirty_ratio", "20")], &[("/", "/dev/vda"), ("/old", "/dev/vdb")]);
        let after = known(&[("vm.swappiness", "10"), ("vm.dirty_ratio", "20")], &[("/", "/dev/vda"), ("/new", "/dev/vdb")]);
        assert_eq!(
            differences(&before, &after),
            [
                "host: vm.swappiness changed from 60 to 10",
                "host: /dev/vdb was mounted at /new",
                "host: /dev/vdb was unmounted from /old"
            ]
        );
        assert_eq!(differences(&after, &after), [""; 0]);
    }

    #[test]
    fn a_setting_that_the_kernel_does_not_have_is_no_change() {
        assert_eq!(differences(&known(&[], &[]), &known(&[("vm.swappiness", "60")], &[])), [""; 0]);
    }

    #[test]
    fn settings_are_read_below_a_root() {
        let folder = tempfile::tempdir().unwrap();
        let vm = folder.path().join("proc/sys/vm");
        std::fs::create_dir_all(&vm).unwrap();
        std::fs::write(vm.join("swappiness"), "60\n").unwrap();
        let mut settings = Settings::new(Root::at(folder.path()));
        std::fs::write(vm.join("swappiness"), "1\n").unwrap();
        assert_eq!(settings.changes(), [""; 0], "it is too early to look");
        settings.next = Instant::now();
        assert_eq!(settings.changes(), ["host: vm.swappiness changed from 60 to 1"]);
    }
}

//! Settings of the recorded host that advice changes, and the commands that put them back.

use crate::evidence::advise;
use crate::measure::cgroup_version;
use pagetide_core::{Advice, Manifest, Recording};

/// The settings that advice changes, by name below `vm.`, with the kernel's defaults.
const DEFAULTS: [(&str, u64); 8] = [
    ("dirty_background_bytes", 0),
    ("dirty_background_ratio", 10),
    ("dirty_bytes", 0),
    ("dirty_ratio", 20),
    ("vfs_cache_pressure", 100),
    ("watermark_scale_factor", 10),
    ("compaction_proactiveness", 20),
    ("swappiness", 60),
];

/// A setting as it was recorded, else the kernel's default. Only numbers count: a value becomes a part of a command.
pub(crate) fn value(manifest: &Manifest, name: &str) -> u64 {
    let recorded = manifest.sysctls.get(&format!("vm.{name}")).and_then(|value| value.trim().parse().ok());
    let default = || DEFAULTS.iter().find(|(known, _)| *known == name).map_or(0, |(_, value)| *value);
    recorded.unwrap_or_else(default)
}

/// The command that puts settings back as they were recorded. Of a ratio and its bytes one is 0, and to set the other clears it.
pub(crate) fn restore(manifest: &Manifest, names: &[&str]) -> String {
    let one = |name: &&str| {
        let bytes = name.strip_suffix("_ratio").map(|stem| format!("{stem}_bytes"));
        let bytes = bytes.map(|name| (value(manifest, &name), name)).filter(|(value, _)| *value > 0);
        bytes.map_or_else(
            || format!("vm.{name}={}", value(manifest, name)),
            |(value, name)| format!("vm.{name}={value}"),
        )
    };
    let all: Vec<String> = names.iter().map(one).collect();
    format!("sysctl -w {}", all.join(" "))
}

/// Less IO for a program that came: its weight, by the version of control groups that the host has.
pub(crate) fn less_io(recording: &Recording, action: &str) -> Advice {
    let needs = if cgroup_version::is_v1(recording) {
        "On control groups v1 systemd sets blkio.weight, which needs the bfq or cfq scheduler."
    } else {
        "IOWeight needs the io controller with the bfq scheduler or io.cost."
    };
    advise(
        action,
        Some("systemctl set-property --runtime SERVICE IOWeight=10"),
        &format!("Other programs wait less; this one takes longer. {needs}"),
        Some("systemctl revert SERVICE"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::RecordingBuilder;

    #[test]
    fn less_io_names_what_the_version_of_control_groups_needs() {
        let needs = |capability: &str| {
            let manifest = Manifest { capabilities: vec![capability.to_owned()], ..Manifest::default() };
            less_io(&RecordingBuilder::new(manifest).finish(), "Less.").effect
        };
        assert!(needs("cgroup1").contains("blkio.weight") && !needs("cgroup1").contains("io.cost"));
        assert!(needs("cgroup2").contains("io.cost") && !needs("cgroup2").contains("blkio"));
    }

    #[test]
    fn settings_are_put_back_as_they_were_recorded() {
        let mut manifest = Manifest::default();
        let names = ["dirty_background_ratio", "dirty_ratio"];
        assert_eq!(restore(&manifest, &names), "sysctl -w vm.dirty_background_ratio=10 vm.dirty_ratio=20", "defaults");
        let recorded =
            [("vm.dirty_ratio", "0"), ("vm.dirty_bytes", "4096"), ("vm.dirty_background_ratio", "5; reboot")];
        manifest.sysctls.extend(recorded.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(restore(&manifest, &names), "sysctl -w vm.dirty_background_ratio=10 vm.dirty_bytes=4096");
    }
}

//! Settings of the recorded host that advice changes, and the commands that put them back.

use crate::evidence::{advise, word};
use crate::measure::amount::{Amount, Count, Limit, Rate};
use crate::measure::cgroup_version;
use crate::measure::onset;
use pagetide_core::{Advice, Bytes, Manifest, Moment, Ratio, Recording};
use std::collections::BTreeMap;

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

/// Puts back the settings of a kind that somebody changed near an onset; absent where none was.
pub(crate) fn put_back(recording: &Recording, onset: Moment, kind: impl Fn(&str) -> bool) -> Option<Advice> {
    let near = onset::near_with_settings(recording, onset);
    let mut changed: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (at, change) in recording.setting_changes().filter(|(_, change)| kind(change.name)) {
        // A value becomes a part of a command: only numbers count.
        let values = change.from.trim().parse().ok().zip(change.to.trim().parse().ok());
        let Some((from, to)) = values.filter(|_| near.contains(Moment::new(at))) else { continue };
        changed.entry(change.name).or_insert((from, to)).1 = to;
    }
    changed.retain(|name, (from, to)| from != to && is_name(name));
    // Of a ratio and its bytes one is 0, which the other sets: to write it would clear that.
    let write = |of: fn(&(u64, u64)) -> u64| {
        let own = changed
            .iter()
            .filter(|(name, values)| of(values) > 0 || !clears(name))
            .map(|(name, values)| format!("{name}={}", of(values)));
        own.collect::<Vec<_>>().join(" ")
    };
    let (before, now) = (write(|values| values.0), write(|values| values.1));
    (!before.is_empty()).then(|| {
        let names: Vec<&str> = changed.keys().copied().collect();
        advise(
            &format!(
                "Put {} back to what {} before the incident.",
                names.join(" and "),
                if names.len() == 1 { "it was" } else { "they were" }
            ),
            Some(&format!("sysctl -w {before}")),
            "The kernel behaves as it did before the change.",
            Some(&format!("sysctl -w {now}")).filter(|_| !now.is_empty()).map(String::as_str),
        )
    })
}

/// Whether a setting of 0 means that its counterpart counts.
fn clears(name: &str) -> bool {
    name.starts_with("vm.dirty_") && (name.ends_with("_bytes") || name.ends_with("_ratio"))
}

/// Whether the name of a setting can stand in a command.
fn is_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte))
}

/// A group whose IO to a disk can be limited, as nothing else is in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limitable<'a> {
    pub(crate) group: &'a str,
    pub(crate) disk: &'a str,
    /// Its reads and writes a second.
    pub(crate) requests: [Rate<Count>; 2],
}

impl Limitable<'_> {
    /// The commands that limit it to half of its requests, and that remove the limit; absent where the number of the device was not recorded.
    fn commands(self, recording: &Recording) -> Option<[String; 2]> {
        let half = |rate: Rate<Count>| rate.is_positive().then(|| (rate.get() / 2.0).ceil());
        let limits = self.requests.map(half);
        let known = recording.manifest.disks.iter().find(|disk| disk.name == self.disk);
        let number = known.and_then(|disk| disk.device_number.as_deref())?;
        let all = |names: [&str; 2], write: &dyn Fn(&str, f64) -> String| {
            let each = names.into_iter().zip(limits).filter_map(|(name, limit)| Some(write(name, limit?)));
            each.collect::<Vec<_>>().join(" ")
        };
        if limits == [None, None] {
            return None;
        }
        let unit = self.group.rsplit('/').next().filter(|name| is_unit(name));
        if let Some(unit) = unit {
            let set = |values: String| format!("systemctl set-property --runtime {} {values}", word(unit));
            let names = ["IOReadIOPSMax", "IOWriteIOPSMax"];
            let device = format!("/dev/{}", self.disk);
            return Some([
                set(all(names, &|name, limit| format!("{name}={}", word(&format!("{device} {limit:.0}"))))),
                set(all(names, &|name, _| format!("{name}="))),
            ]);
        }
        let write = |values: String| {
            format!("echo {} > {}", word(&format!("{number} {values}")), word(&format!("{}/io.max", self.group)))
        };
        let names = ["riops", "wiops"];
        Some([
            write(all(names, &|name, limit| format!("{name}={limit:.0}"))),
            write(all(names, &|name, _| format!("{name}=max"))),
        ])
    }
}

/// Whether the last part of the path of a group is the name of a unit of systemd, which would undo what others write there.
fn is_unit(name: &str) -> bool {
    [".service", ".scope", ".slice"].iter().any(|kind| name.ends_with(kind))
}

/// The commands that set `memory.high` of a group, and that remove it.
pub(crate) fn memory_high(group: &str, size: Amount<Bytes>) -> [String; 2] {
    if let Some(unit) = group.rsplit('/').next().filter(|name| is_unit(name)) {
        let set = |value: &str| format!("systemctl set-property --runtime {} MemoryHigh={value}", word(unit));
        return [set(&format!("{:.0}M", (size.get() / f64::from(1 << 20)).ceil())), set("")];
    }
    let write = |value: &str| format!("echo {value} > {}", word(&format!("{group}/memory.high")));
    [write(&format!("{:.0}", size.get())), write("max")]
}

/// A program, and what it reads and writes of a disk a second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) comm: &'a str,
    pub(crate) disk: &'a str,
    pub(crate) moved: [Rate<Bytes>; 2],
    /// Its processes that do.
    pub(crate) processes: usize,
}

/// The part of what a program moves that it has to read, or to write, for a limit of that to be of use.
const LIMITED: Limit<Ratio> = Limit::new(
    "bytes that a program reads, or writes, per byte that it moves, at least, to limit them",
    0.1,
    "A limit of the few reads of a writer makes it wait for its own code.",
    "judgement",
);

impl Job<'_> {
    /// The command that starts it with half of that; absent where control groups cannot limit it: those of v1 do not know who wrote what the flusher
    /// writes back (`Documentation/admin-guide/cgroup-v1/blkio-controller.rst`, 6.12).
    fn command(self, v1: bool) -> Option<String> {
        let all = self.moved[0] + self.moved[1];
        let limit = |(name, rate): (&str, Rate<Bytes>)| {
            let half = (rate.get() / 2.0 / 1e3).ceil();
            let is_of_use = rate.is_positive() && rate >= all * LIMITED;
            is_of_use.then(|| format!("-p {name}={}", word(&format!("/dev/{} {half:.0}K", self.disk))))
        };
        let limited = if v1 { 1 } else { 2 };
        let reads = self.moved[0] >= self.moved[1];
        let limits = ["IOReadBandwidthMax", "IOWriteBandwidthMax"].into_iter().zip(self.moved).take(limited);
        let limits: Vec<String> = limits.filter(|_| reads || !v1).filter_map(limit).collect();
        // One group for all that it starts.
        let what = if self.processes > 1 { "sh".to_owned() } else { format!("{} …", word(self.comm)) };
        (!limits.is_empty()).then(|| format!("systemd-run --scope {} -- {what}", limits.join(" ")))
    }

    /// What the command does.
    fn effect(self) -> String {
        match self.processes {
            0 | 1 => "The command starts it in a group of its own, with half of the bandwidth that it has now. The group ends with the program.".to_owned(),
            some => format!(
                "The command opens a shell in a group with half of the bandwidth that its {some} processes have now: start them from there."
            ),
        }
    }
}

/// Less IO for what came: a limit of its group where nothing else is in that, else a group of its own when it is started again, else in words. No
/// weight: that has an effect only with the bfq scheduler or io.cost, which hosts rarely use and recordings do not show.
pub(crate) fn less_io(recording: &Recording, action: &str, own: Option<Limitable<'_>>, job: Option<Job<'_>>) -> Advice {
    const LESS: &str = "Other programs wait less; this one takes longer.";
    let v1 = cgroup_version::is_v1(recording);
    if let Some([limit, undo]) = own.filter(|_| !v1).and_then(|own| own.commands(recording)) {
        let effect = format!(
            "{LESS} The limit is half of the requests that its group sends now, and needs no certain IO scheduler."
        );
        return advise(action, Some(&limit), &effect, Some(&undo));
    }
    if let Some((job, command)) = job.and_then(|job| Some((job, job.command(v1)?))) {
        return advise(action, Some(&command), &format!("{LESS} {}", job.effect()), None);
    }
    let v1 =
        if v1 { " Control groups v1 limit no writes through the page cache: limit it by its own options." } else { "" };
    advise(action, None, &format!("{LESS}{v1}"), None)
}

/// The cached pages that a reader of files needs: enough for readahead.
const ROOM: Amount<Bytes> = Amount::new((64 << 20) as f64);

/// A limit within which a program that reads files once keeps what it allocates, and evicts only its own cached pages.
pub(crate) fn limit_memory(recording: &Recording, comm: &str, anonymous: Amount<Bytes>) -> Advice {
    let mib = ((anonymous + ROOM).get() / (1 << 20) as f64).ceil();
    let (limit, reached) = if cgroup_version::is_v1(recording) {
        ("MemoryMax", "control groups v1 have no memory.high: if it needs more for itself, the kernel kills it")
    } else {
        ("MemoryHigh", "if it needs more for itself, the kernel slows it down and does not kill it")
    };
    advise(
        "Run it in a control group with a memory limit.",
        Some(&format!("systemd-run --scope -p {limit}={mib:.0}M -- {} …", word(comm))),
        &format!(
            "It then evicts only its own pages: {ROOM} beside the {anonymous} that it allocated, at most, in this recording. Above the limit it \
             reclaims all the time; {reached}. The group ends with the program."
        ),
        None,
    )
}

/// To look at a device that takes longer than it should.
pub(crate) fn check_device(disk: &str) -> Advice {
    advise(
        "Check the device's health and limits: errors, an array rebuild, used-up burst credits of a cloud volume, other hosts on the same \
         storage.",
        Some(&health(disk)),
        "This only reads what the device and the kernel report. Of a virtual disk the provider has the counters: limits, credits, errors.",
        None,
    )
}

/// The command that shows how a device is: a layer on other disks has its own state, and the disk of a virtual machine reports nothing of the one below.
fn health(disk: &str) -> String {
    let is = |kinds: &[&str]| kinds.iter().any(|kind| disk.starts_with(kind));
    if is(&["md"]) {
        return "cat /proc/mdstat; iostat -x 1 5".to_owned();
    }
    if is(&["dm-"]) {
        return "dmsetup status; cat /proc/mdstat; iostat -x 1 5".to_owned();
    }
    if is(&["vd", "xvd"]) {
        return "iostat -x 1 5".to_owned();
    }
    format!("smartctl -a {}", word(&format!("/dev/{disk}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Disk, Mark, MarkKind, RecordingBuilder, SettingChange, Stamp};

    #[test]
    fn a_program_without_a_group_of_its_own_is_started_in_one() {
        let of = |capability: &str, moved: [f64; 2], processes: usize| {
            let manifest = Manifest { capabilities: vec![capability.to_owned()], ..Manifest::default() };
            let job = Job { comm: "cp;x", disk: "vdb", moved: moved.map(Amount::new), processes };
            less_io(&RecordingBuilder::new(manifest).finish(), "Less.", None, Some(job))
        };
        let told = |capability, moved| of(capability, moved, 1);
        let command = |capability, moved| told(capability, moved).command;
        assert_eq!(
            command("cgroup2", [3e6, 20e6]).as_deref(),
            Some(
                "systemd-run --scope -p IOReadBandwidthMax='/dev/vdb 1500K' -p IOWriteBandwidthMax='/dev/vdb 10000K' -- 'cp;x' …"
            )
        );
        assert_eq!(
            command("cgroup1", [20e6, 3e6]).as_deref(),
            Some("systemd-run --scope -p IOReadBandwidthMax='/dev/vdb 10000K' -- 'cp;x' …")
        );
        let writer = told("cgroup1", [3e6, 20e6]);
        assert_eq!((writer.command, writer.undo), (None, None), "control groups v1 do not know who wrote");
        assert!(writer.effect.contains("Control groups v1 limit no writes"), "{}", writer.effect);
        assert_eq!(command("cgroup2", [0.0; 2]), None, "nothing is known of what it moves");
        let writes = command("cgroup2", [6e3, 1e6]).unwrap();
        assert!(!writes.contains("IORead"), "its few reads are its code: {writes}");
        let several = of("cgroup2", [20e6, 0.0], 4);
        assert_eq!(
            several.command.as_deref(),
            Some("systemd-run --scope -p IOReadBandwidthMax='/dev/vdb 10000K' -- sh"),
            "one group for all of them"
        );
        assert!(several.effect.contains("its 4 processes"), "{}", several.effect);
    }

    #[test]
    fn settings_that_were_changed_near_an_onset_are_put_back() {
        const SECOND: i64 = 1_000_000_000;
        let told = |onset: i64| {
            let mut builder = RecordingBuilder::new(Manifest::default());
            let changes = [
                ("vm.dirty_expire_centisecs", "3000", "100"),
                ("vm.dirty_bytes", "0", "4096"),
                ("vm.dirty_ratio", "20", "0"),
                ("vm.swappiness", "60", "0"),
                ("vm.dirty_$(reboot)", "1", "2"),
            ];
            for (name, from, to) in changes {
                let stamp = Stamp { boot_ns: 60 * SECOND, ..Stamp::default() };
                let text = SettingChange { name, from, to }.note();
                builder.mark(Mark { stamp, kind: MarkKind::Note { text } });
            }
            put_back(&builder.finish(), Moment::new(onset * SECOND), |name| name.starts_with("vm.dirty"))
        };
        let advice = told(58).unwrap();
        let [command, undo] = [advice.command, advice.undo].map(Option::unwrap_or_default);
        assert_eq!(command, "sysctl -w vm.dirty_expire_centisecs=3000 vm.dirty_ratio=20");
        assert_eq!(undo, "sysctl -w vm.dirty_bytes=4096 vm.dirty_expire_centisecs=100");
        assert_eq!(told(5), None, "long after the onset");
    }

    #[test]
    fn a_group_of_its_own_is_limited_to_half_of_its_requests() {
        let commands = |group: &str, requests: [f64; 2], capability: &str, number: Option<&str>| {
            let device_number = number.map(ToOwned::to_owned);
            let manifest = Manifest {
                capabilities: vec![capability.to_owned()],
                disks: vec![Disk { name: "vdb".to_owned(), device_number, ..Disk::default() }],
                ..Manifest::default()
            };
            let own = Limitable { group, disk: "vdb", requests: requests.map(Amount::new) };
            let advice = less_io(&RecordingBuilder::new(manifest).finish(), "Less.", Some(own), None);
            [advice.command, advice.undo].map(Option::unwrap_or_default)
        };
        let plain = "/sys/fs/cgroup/batch";
        let number = Some("254:16");
        assert_eq!(
            commands(plain, [81.0, 0.0], "cgroup2", number),
            [
                "echo '254:16 riops=41' > /sys/fs/cgroup/batch/io.max",
                "echo '254:16 riops=max' > /sys/fs/cgroup/batch/io.max"
            ]
        );
        assert_eq!(
            commands("/sys/fs/cgroup/system.slice/tar.service", [80.0, 10.0], "cgroup2", number),
            [
                "systemctl set-property --runtime tar.service IOReadIOPSMax='/dev/vdb 40' IOWriteIOPSMax='/dev/vdb 5'",
                "systemctl set-property --runtime tar.service IOReadIOPSMax= IOWriteIOPSMax="
            ]
        );
        for [command, _] in [
            commands(plain, [80.0, 0.0], "cgroup1", number),
            commands(plain, [80.0, 0.0], "cgroup2", None),
            commands(plain, [0.0, 0.0], "cgroup2", number),
        ] {
            assert_eq!(command, "", "nothing is known that would limit it");
        }
    }

    #[test]
    fn a_limit_leaves_a_program_what_it_allocates_and_does_not_kill_it() {
        let of_version = |capability: &str| {
            let manifest = Manifest { capabilities: vec![capability.to_owned()], ..Manifest::default() };
            let recording = RecordingBuilder::new(manifest).finish();
            limit_memory(&recording, "git;fsck", Amount::new(252.5 * (1 << 20) as f64)).command.unwrap_or_default()
        };
        assert_eq!(of_version("cgroup2"), "systemd-run --scope -p MemoryHigh=317M -- 'git;fsck' …");
        assert_eq!(of_version("cgroup1"), "systemd-run --scope -p MemoryMax=317M -- 'git;fsck' …", "v1 has no other");
    }

    #[test]
    fn a_device_is_looked_at_by_what_it_is() {
        let command = |disk: &str| check_device(disk).command.unwrap_or_default();
        assert_eq!(command("sda"), "smartctl -a /dev/sda");
        assert_eq!(command("s;reboot"), "smartctl -a '/dev/s;reboot'");
        for layered in ["md0", "dm-1"] {
            assert!(command(layered).contains("/proc/mdstat") && !command(layered).contains("smartctl"), "{layered}");
        }
        assert_eq!(command("vdb"), "iostat -x 1 5", "a virtual disk has no SMART");
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

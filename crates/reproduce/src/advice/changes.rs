//! Changes of a scenario that could help, each as something that a person can do.

use crate::scenario::INCIDENT;
use crate::scenario::{Culprit, commands, titles};
use pagetide_core::{
    Action, Bytes, BytesPerSecond, Caching, DiskSpec, GroupSpec, Load, Nanos, Parallel, Part, Place, Scenario,
    SwapSpec, TimedChange, plain_name,
};
use std::collections::BTreeSet;

/// Memory of a group that only reads files once.
const READER: u64 = 64 << 20;

/// A change that may help.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// What it is, in a few words.
    pub(crate) words: String,
    /// The command that applies it, and the one that takes it back. None where people must do it.
    pub(crate) apply: Option<String>,
    pub(crate) undo: Option<String>,
    /// Whether it goes together with others: leaving the culprits out does not.
    pub(crate) can_pair: bool,
    /// The changed scenario.
    pub(crate) scenario: Scenario,
}

/// All changes that a scenario allows.
pub(crate) fn all(scenario: &Scenario, culprits: &[Culprit]) -> Vec<Change> {
    let mut all = Vec::new();
    for (culprit, title) in culprits.iter().zip(titles(scenario, culprits)) {
        all.extend(of_culprit(scenario, culprit, &title));
    }
    all.extend(without(scenario, culprits));
    all.extend(memory(scenario));
    all.extend(cpus(scenario, culprits));
    all.extend(swap(scenario));
    all.extend(dirty(scenario));
    all.extend(disks(scenario, culprits));
    all.extend(limits(scenario));
    all.extend(unchanged(scenario));
    all
}

/// Both of two changes of the same scenario.
pub(crate) fn pair(one: &Change, other: &Change, base: &Scenario) -> Option<Change> {
    let mut scenario = one.scenario.clone();
    let (mine, theirs) = (parts(&mut scenario)?.clone(), {
        let mut other = other.scenario.clone();
        parts(&mut other)?.clone()
    });
    let mut base_scenario = base.clone();
    let unchanged = parts(&mut base_scenario)?.clone();
    if mine.len() != theirs.len() || mine.len() != unchanged.len() {
        return None;
    }
    let mut both = Vec::new();
    for ((mine, theirs), unchanged) in mine.into_iter().zip(theirs).zip(unchanged) {
        // Two changes of one part do not go together.
        let part = match (mine == unchanged, theirs == unchanged) {
            (true, _) => theirs,
            (false, true) => mine,
            (false, false) => return None,
        };
        both.push(part);
    }
    *parts(&mut scenario)? = both;
    if other.scenario.machine != base.machine {
        if one.scenario.machine != base.machine {
            return None;
        }
        scenario.machine = other.scenario.machine.clone();
    }
    let meanwhile = |scenario: &Scenario| {
        let step = scenario.steps.iter().find(|step| step.id == INCIDENT);
        step.map(|step| step.meanwhile.clone()).unwrap_or_default()
    };
    let (mine, theirs, unchanged) = (meanwhile(&scenario), meanwhile(&other.scenario), meanwhile(base));
    if theirs != unchanged {
        if mine != unchanged {
            return None;
        }
        scenario
            .steps
            .iter_mut()
            .filter(|step| step.id == INCIDENT)
            .for_each(|step| step.meanwhile.clone_from(&theirs));
    }
    let join = |one: &Option<String>, other: &Option<String>| Some(format!("{}; {}", one.clone()?, other.clone()?));
    Some(Change {
        words: format!("{}, and {}", one.words, other.words),
        apply: join(&one.apply, &other.apply),
        undo: join(&other.undo, &one.undo),
        can_pair: true,
        scenario,
    })
}

/// The parts of the incident.
fn parts(scenario: &mut Scenario) -> Option<&mut Vec<Part>> {
    let step = scenario.steps.iter_mut().find(|step| step.id == INCIDENT)?;
    if let Action::Parallel(Parallel(parts)) = &mut step.action { Some(parts) } else { None }
}

/// The scenario with the parts of a process changed; none where none of them has anything to change.
fn changed(scenario: &Scenario, name: &str, change: impl Fn(&mut Part) -> Option<()>) -> Option<Scenario> {
    let mut scenario = scenario.clone();
    let own = parts(&mut scenario)?.iter_mut().filter(|part| part.process() == name);
    let changed = own.filter_map(change).count();
    (changed > 0).then_some(scenario)
}

fn of_culprit(scenario: &Scenario, culprit: &Culprit, title: &str) -> Vec<Change> {
    let name = culprit.process.as_str();
    let mut all = Vec::new();
    let mut add = |words: String, commands: Option<(String, String)>, scenario: Option<Scenario>| {
        let (apply, undo) = commands.unzip();
        all.extend(scenario.map(|scenario| Change { words, apply, undo, can_pair: true, scenario }));
    };
    let caching = |caching: Caching| {
        changed(scenario, name, |part| {
            let cache = cache_of(&mut part.load)?;
            (*cache == Caching::Keep).then(|| *cache = caching)
        })
    };
    add(format!("O_DIRECT for {title}"), None, caching(Caching::Direct));
    add(format!("{title} drops its pages behind itself (POSIX_FADV_DONTNEED)"), None, caching(Caching::DontNeed));
    let limited = changed(scenario, name, |part| {
        cache_of(&mut part.load).filter(|cache| **cache == Caching::Keep)?;
        part.cgroup = Some(below(part.cgroup.as_ref(), name));
        Some(())
    });
    let command = plain_name(&culprit.command);
    let run = format!("systemd-run --scope -p MemoryHigh={}M {command} …", READER >> 20);
    add(
        format!("a memory.high of {} MiB for {title}", READER >> 20),
        Some((run, format!("start {command} without it"))),
        limited,
    );
    let slower = changed(scenario, name, |part| {
        let rate = rate_of(part)?;
        let half = BytesPerSecond::new((rate.get() / 2).max(4096));
        set_rate(&mut part.load, half)
    });
    add(format!("half the rate for {title}"), None, slower);
    let fewer = changed(scenario, name, |part| {
        let Load::Dd(spec) = &mut part.load else { return None };
        spec.sync_every = Some(Bytes::new(spec.sync_every?.get().saturating_mul(4)));
        Some(())
    });
    add(format!("{title} syncs a fourth as often: fewer, larger commits"), None, fewer);
    all
}

/// Limits of groups that are twice as large.
fn limits(scenario: &Scenario) -> Vec<Change> {
    let mut base = scenario.clone();
    let Some(parts_of_base) = parts(&mut base) else { return Vec::new() };
    let groups: Vec<&GroupSpec> = parts_of_base.iter().filter_map(|part| part.cgroup.as_ref()).collect();
    let names: BTreeSet<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    let twice = |name: &str, what: &str, raise: fn(&mut GroupSpec)| {
        let mut scenario = scenario.clone();
        let in_parts = parts(&mut scenario)?.iter_mut().filter_map(|part| part.cgroup.as_mut());
        in_parts.filter(|group| group.name == name).for_each(raise);
        let in_steps = scenario.steps.iter_mut().filter_map(|step| step.cgroup.as_mut());
        in_steps.filter(|group| group.name == name).for_each(raise);
        let words = format!("twice the {what} for the group {name}");
        Some(Change { words, apply: None, undo: None, can_pair: true, scenario })
    };
    let mut all = Vec::new();
    for name in names {
        // A part may set the limits of a group that others are in before.
        let any = |has: fn(&GroupSpec) -> bool| groups.iter().any(|group| group.name == name && has(group));
        if any(|group| group.memory_max.is_some() || group.memory_high.is_some()) {
            all.extend(twice(name, "memory", |group| {
                for limit in [&mut group.memory_max, &mut group.memory_high].into_iter().flatten() {
                    *limit = Bytes::new(limit.get().saturating_mul(2));
                }
            }));
        }
        if any(|group| group.cpu_max.is_some()) {
            all.extend(twice(name, "CPU time (cpu.max)", |group| {
                group.cpu_max = group.cpu_max.map(|cpus| cpus * 2.0);
            }));
        }
        if any(|group| !group.io_max.is_empty()) {
            all.extend(twice(name, "io.max", |group| {
                for io in &mut group.io_max {
                    for rate in [&mut io.read, &mut io.write].into_iter().flatten() {
                        *rate = BytesPerSecond::new(rate.get().saturating_mul(2));
                    }
                    for rate in [&mut io.read_iops, &mut io.write_iops].into_iter().flatten() {
                        *rate = rate.saturating_mul(2);
                    }
                }
            }));
        }
    }
    all
}

/// Without what somebody, or something, did to the machine in the incident.
fn unchanged(scenario: &Scenario) -> Vec<Change> {
    let without = |words: &str, is_done: fn(&TimedChange) -> bool, take_back: fn(&mut TimedChange)| {
        let mut scenario = scenario.clone();
        let step = scenario.steps.iter_mut().find(|step| step.id == INCIDENT)?;
        if !step.meanwhile.iter().any(is_done) {
            return None;
        }
        step.meanwhile.iter_mut().for_each(take_back);
        Some(Change { words: words.to_owned(), apply: None, undo: None, can_pair: false, scenario })
    };
    [
        without(
            "nobody drops the caches",
            |change| change.drop_caches || !change.drop_files.is_empty(),
            |change| {
                change.drop_caches = false;
                change.drop_files.clear();
            },
        ),
        without("nobody reclaims memory of groups", |change| change.reclaim.is_some(), |change| change.reclaim = None),
        without("the settings as they were before", |change| change.sysctl.is_some(), |change| change.sysctl = None),
        without("the disk as fast as it was before", |change| change.device.is_some(), |change| change.device = None),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A group for a reader below the one that it is in, whose limits hold for it too.
fn below(own: Option<&GroupSpec>, name: &str) -> GroupSpec {
    let limit = Bytes::new(READER);
    GroupSpec {
        name: format!("{name}-limited"),
        memory_max: own.and_then(|own| own.memory_max),
        memory_high: Some(own.and_then(|own| own.memory_high).map_or(limit, |high| high.min(limit))),
        cpu_max: own.and_then(|own| own.cpu_max),
        io_max: own.map(|own| own.io_max.clone()).unwrap_or_default(),
    }
}

/// What a load does about the page cache; none of who syncs what it writes, as that is on the disk at once.
fn cache_of(load: &mut Load) -> Option<&mut Caching> {
    match load {
        Load::Stream(spec) => Some(&mut spec.cache),
        Load::Dd(spec) if spec.sync_every.is_none() => Some(&mut spec.cache),
        _ => None,
    }
}

/// The rate of a load; none where it goes as fast as it can, which the scenario does not tell.
const fn rate_of(part: &Part) -> Option<BytesPerSecond> {
    match &part.load {
        Load::Stream(spec) => spec.rate,
        Load::Dd(spec) => spec.rate,
        Load::Grow(spec) => spec.rate,
        _ => None,
    }
}

fn set_rate(load: &mut Load, rate: BytesPerSecond) -> Option<()> {
    match load {
        Load::Stream(spec) => spec.rate = Some(rate),
        Load::Dd(spec) => spec.rate = Some(rate),
        Load::Grow(spec) => spec.rate = Some(rate),
        _ => return None,
    }
    Some(())
}

/// The incident without those that began it: what no other change can surpass.
fn without(scenario: &Scenario, culprits: &[Culprit]) -> Option<Change> {
    let mut scenario = scenario.clone();
    let parts = parts(&mut scenario)?;
    parts.retain(|part| !culprits.iter().any(|culprit| culprit.process == part.process()));
    (!parts.is_empty() && !culprits.is_empty()).then(|| Change {
        words: format!("{} at another time", commands(culprits).join(" and ")),
        apply: None,
        undo: None,
        can_pair: false,
        scenario,
    })
}

fn memory(scenario: &Scenario) -> Vec<Change> {
    let memory = scenario.machine.memory;
    let with = |more: u64| {
        let mut scenario = scenario.clone();
        scenario.machine.memory = Bytes::new(memory.get() + more);
        Change { words: format!("{} more memory", Bytes::new(more)), apply: None, undo: None, can_pair: true, scenario }
    };
    vec![with(memory.get() / 2), with(memory.get())]
}

/// More CPUs, where one of those that began it only computes.
fn cpus(scenario: &Scenario, culprits: &[Culprit]) -> Option<Change> {
    let mut changed = scenario.clone();
    let computes = |part: &&mut Part| matches!(part.load, Load::Spin(_));
    let mut computing = parts(&mut changed)?.iter_mut().filter(computes);
    if !computing.any(|part| culprits.iter().any(|culprit| culprit.process == part.process())) {
        return None;
    }
    changed.machine.cpus = scenario.machine.cpus.checked_mul(2)?;
    let words = format!("twice as many CPUs: {}", changed.machine.cpus);
    Some(Change { words, apply: None, undo: None, can_pair: true, scenario: changed })
}

/// What is written into the file of a setting, and what was there.
fn sysctl(scenario: &Scenario, name: &str, value: i64, usual: i64) -> Option<Change> {
    let was = scenario.machine.sysctl.get(name).copied().unwrap_or(usual);
    let mut changed = scenario.clone();
    changed.machine.sysctl.insert(name.to_owned(), value);
    (was != value).then(|| Change {
        words: format!("{name} = {value}"),
        apply: Some(format!("sysctl -w {name}={value}")),
        undo: Some(format!("sysctl -w {name}={was}")),
        can_pair: true,
        scenario: changed,
    })
}

fn swap(scenario: &Scenario) -> Vec<Change> {
    let mut all = Vec::new();
    if scenario.machine.swap == SwapSpec::None {
        let mut with = scenario.clone();
        let size = Bytes::new(scenario.machine.memory.get() / 2);
        with.machine.swap = SwapSpec::Zram { size, algorithm: None };
        let kib = size.get() >> 10;
        all.push(Change {
            words: format!("{size} of swap in zram"),
            apply: Some(format!("zramctl --find --size {kib}KiB; mkswap /dev/zram0; swapon /dev/zram0")),
            undo: Some("swapoff /dev/zram0; zramctl --reset /dev/zram0".to_owned()),
            can_pair: true,
            scenario: with,
        });
    } else {
        all.extend([1, 100].into_iter().filter_map(|value| sysctl(scenario, "vm.swappiness", value, 60)));
        let mut with = scenario.clone();
        with.machine.swap = SwapSpec::None;
        all.push(Change {
            words: "no swap".to_owned(),
            apply: Some("swapoff -a".to_owned()),
            undo: Some("swapon -a".to_owned()),
            can_pair: true,
            scenario: with,
        });
    }
    all
}

/// Other limits of dirty memory, where somebody writes through the page cache.
fn dirty(scenario: &Scenario) -> Vec<Change> {
    let writes =
        scenario.loads().any(|load| matches!(load, Load::Dd(spec) if spec.to.stored() && spec.cache == Caching::Keep));
    if !writes {
        return Vec::new();
    }
    let limits = |background: u64, limit: u64| {
        let mut scenario = scenario.clone();
        let settings = &mut scenario.machine.sysctl;
        let old = |name: &str| settings.get(name).copied();
        let undo = match (old("vm.dirty_background_bytes"), old("vm.dirty_bytes")) {
            (Some(background), Some(limit)) => {
                format!("sysctl -w vm.dirty_background_bytes={background} vm.dirty_bytes={limit}")
            }
            _ => {
                let background = old("vm.dirty_background_ratio").unwrap_or(10);
                let limit = old("vm.dirty_ratio").unwrap_or(20);
                format!("sysctl -w vm.dirty_background_ratio={background} vm.dirty_ratio={limit}")
            }
        };
        settings
            .retain(|name, _| !name.starts_with("vm.dirty_ratio") && !name.starts_with("vm.dirty_background_ratio"));
        settings.insert("vm.dirty_background_bytes".to_owned(), background.cast_signed());
        settings.insert("vm.dirty_bytes".to_owned(), limit.cast_signed());
        Change {
            words: format!("dirty limits of {} and {}", Bytes::new(background), Bytes::new(limit)),
            apply: Some(format!("sysctl -w vm.dirty_background_bytes={background} vm.dirty_bytes={limit}")),
            undo: Some(undo),
            can_pair: true,
            scenario,
        }
    };
    let memory = scenario.machine.memory.get();
    vec![limits(memory / 128, memory / 32), limits(memory / 4, memory / 2)]
}

fn disks(scenario: &Scenario, culprits: &[Culprit]) -> Vec<Change> {
    let mut all = Vec::new();
    let Some(first) = scenario.machine.disks.first() else { return all };
    let mut faster = scenario.clone();
    let half = |time: &mut Option<Nanos>| *time = time.map(|time| Nanos::new(time.get() / 2));
    let twice = |iops: &mut Option<u64>| *iops = iops.map(|iops| iops.saturating_mul(2));
    let twice_bytes = |rate: &mut Option<BytesPerSecond>| {
        *rate = rate.map(|rate| BytesPerSecond::new(rate.get().saturating_mul(2)));
    };
    for disk in &mut faster.machine.disks {
        half(&mut disk.latency);
        twice(&mut disk.iops);
        twice_bytes(&mut disk.bandwidth);
    }
    for change in
        faster.steps.iter_mut().flat_map(|step| &mut step.meanwhile).filter_map(|change| change.device.as_mut())
    {
        half(&mut change.latency);
        twice(&mut change.iops);
        twice_bytes(&mut change.bandwidth);
    }
    all.push(Change {
        words: "disks twice as fast".to_owned(),
        apply: None,
        undo: None,
        can_pair: true,
        scenario: faster,
    });
    let mut moved = scenario.clone();
    moved.machine.disks.push(DiskSpec { name: "another".to_owned(), ..first.clone() });
    let mut any = false;
    if let Some(parts) = parts(&mut moved) {
        for part in parts.iter_mut().filter(|part| culprits.iter().any(|culprit| culprit.process == part.process())) {
            any |= on_disk(&mut part.load, "another").is_some();
        }
    }
    if any {
        let words = format!("the files of {} on a disk of their own", commands(culprits).join(" and "));
        all.push(Change { words, apply: None, undo: None, can_pair: true, scenario: moved });
    }
    all
}

/// Moves the file of a load to another disk.
fn on_disk(load: &mut Load, name: &str) -> Option<()> {
    let place = match load {
        Load::Stream(spec) => &mut spec.from,
        Load::Dd(spec) => &mut spec.to,
        _ => return None,
    };
    let Place::File { disk, .. } = place else { return None };
    *disk = Some(name.to_owned());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_below_another_has_its_limits_too() {
        let io = pagetide_core::IoMax {
            disk: "data".to_owned(),
            read: None,
            write: None,
            read_iops: Some(100),
            write_iops: None,
        };
        let own = GroupSpec {
            name: "batch".to_owned(),
            memory_max: Some(Bytes::new(1 << 30)),
            memory_high: Some(Bytes::new(32 << 20)),
            cpu_max: Some(0.5),
            io_max: vec![io.clone()],
        };
        let limited = below(Some(&own), "tar");
        assert_eq!((limited.name.as_str(), limited.memory_max), ("tar-limited", Some(Bytes::new(1 << 30))));
        assert_eq!((limited.memory_high, limited.cpu_max), (Some(Bytes::new(32 << 20)), Some(0.5)));
        assert_eq!(limited.io_max, vec![io]);
        let free = below(None, "tar");
        assert_eq!((free.memory_max, free.memory_high), (None, Some(Bytes::new(READER))));
    }

    #[test]
    fn what_was_done_to_the_machine_is_taken_back_limits_are_raised_and_syncs_are_fewer() {
        let text = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n\
            [[machine.disk]]\nname = \"d\"\nsize = \"8GiB\"\nlatency = \"1ms\"\niops = 100\n\
            [[step]]\nid = \"incident\"\nparallel = [{ name = \"early\", spin = { time = \"1s\" }, cgroup = { name = \"g\" } }, { name = \"log\", \
            dd = { from = \"zero\", to = \"file:f@d\", size = \"1MiB\", sync_every = \"64KiB\" }, \
            cgroup = { name = \"g\", memory_high = \"64MiB\", cpu_max = 0.2, io_max = [{ disk = \"d\", write = \"1MB/s\" }] } }]\n\
            meanwhile = [{ after = \"1s\", drop_caches = true, drop_files = [\"file:f@d\"], reclaim = { cgroup = \"g\", size = \"8MiB\" }, device = { disk = \"d\", iops = 10 } }]\n";
        let scenario = Scenario::parse(text, "t.toml").unwrap();
        let all = all(&scenario, &[Culprit { process: "log".to_owned(), command: "log".to_owned() }]);
        let step_of = |words: &str| {
            let change = all.iter().find(|change| change.words.contains(words)).unwrap_or_else(|| panic!("{words}"));
            change.scenario.steps[0].clone()
        };
        let group_of = |words: &str| step_of(words).parts()[1].cgroup.clone().unwrap();
        assert_eq!(group_of("twice the memory for the group g").memory_high, Some(Bytes::new(128 << 20)));
        assert_eq!(group_of("twice the io.max").io_max[0].write, Some(BytesPerSecond::new(2_000_000)));
        assert_eq!(group_of("twice the CPU time").cpu_max, Some(0.4));
        let step = step_of("a fourth as often");
        let Load::Dd(fewer) = &step.parts()[1].load else { panic!("no dd") };
        assert_eq!(fewer.sync_every, Some(Bytes::new(256 << 10)));
        let undropped = &step_of("nobody drops").meanwhile[0];
        assert!(!undropped.drop_caches && undropped.drop_files.is_empty());
        assert_eq!(step_of("nobody reclaims").meanwhile[0].reclaim, None);
        assert_eq!(step_of("as fast as it was").meanwhile[0].device, None);
        // A disk that is twice as fast is so after it has become slower, too.
        assert_eq!(step_of("twice as fast").meanwhile[0].device.as_ref().and_then(|device| device.iops), Some(20));
        let began = |process: &str| [Culprit { process: process.to_owned(), command: process.to_owned() }];
        assert_eq!(cpus(&scenario, &began("early")).map(|change| change.scenario.machine.cpus), Some(2));
        assert!(cpus(&scenario, &began("log")).is_none(), "who began it does not compute");
        // Nobody changed settings, what is synced is on the disk at once, and what goes as fast as it can has no rate to halve.
        for words in ["settings as they were", "O_DIRECT", "DONTNEED", "half the rate"] {
            assert!(!all.iter().any(|change| change.words.contains(words)), "{words}");
        }
    }
}

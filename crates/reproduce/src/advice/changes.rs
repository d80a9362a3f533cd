//! Changes of a scenario that could help, each as something that a person can do.

use crate::fit::Rates;
use crate::recorded::whole;
use crate::scenario::INCIDENT;
use crate::scenario::{Culprit, commands, titles};
use pagetide_core::{
    Action, Bytes, BytesPerSecond, Caching, DiskSpec, GroupSpec, Load, Nanos, Parallel, Part, Place, Scenario,
    SwapSpec, TimedChange,
};
use std::collections::{BTreeMap, BTreeSet};

/// The cached pages that a reader of files needs, beside what it allocates; as in the advice of `diagnose`.
const ROOM: Bytes = Bytes::new(64 << 20);
/// How far the kernel reads ahead on a disk that nobody set (`VM_READAHEAD_PAGES`).
const USUAL_READ_AHEAD: Bytes = Bytes::new(128 << 10);

/// A change that may help.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// What it is, in a few words.
    pub(crate) words: String,
    /// The command that applies it, and the one that takes it back. None where people must do it, or where it ends with the program; none takes back
    /// what is then set where that was not recorded.
    pub(crate) apply: Option<String>,
    pub(crate) undo: Option<String>,
    /// Whether it goes together with others: leaving the culprits out does not.
    pub(crate) can_pair: bool,
    /// The changed scenario.
    pub(crate) scenario: Scenario,
}

/// All changes that a scenario allows, in which the loads did what `rates` says.
pub(crate) fn all(scenario: &Scenario, culprits: &[Culprit], rates: &Rates) -> Vec<Change> {
    let mut all = Vec::new();
    for (culprit, title) in culprits.iter().zip(titles(scenario, culprits)) {
        all.extend(of_culprit(scenario, culprit, &title, rates));
    }
    all.extend(without(scenario, culprits));
    all.extend(memory(scenario));
    all.extend(cpus(scenario, culprits));
    all.extend(swap(scenario));
    all.extend(dirty(scenario));
    all.extend(disks(scenario, culprits));
    all.extend(read_ahead(scenario));
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
    // Half of what is to be done is not printed; what ends by itself needs no undo.
    let apply = one.apply.as_ref().zip(other.apply.as_ref()).map(|(one, other)| format!("{one}; {other}"));
    let undo: Vec<&str> = [&other.undo, &one.undo].into_iter().flatten().map(String::as_str).collect();
    Some(Change {
        words: format!("{}, and {}", one.words, other.words),
        undo: Some(undo.join("; ")).filter(|undo| apply.is_some() && !undo.is_empty()),
        apply,
        can_pair: true,
        scenario,
    })
}

/// The parts of the incident.
pub(super) fn parts(scenario: &mut Scenario) -> Option<&mut Vec<Part>> {
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

fn of_culprit(scenario: &Scenario, culprit: &Culprit, title: &str, rates: &Rates) -> Vec<Change> {
    let name = culprit.process.as_str();
    let mut all = Vec::new();
    let mut add = |words: String, apply: Option<String>, scenario: Option<Scenario>| {
        all.extend(scenario.map(|scenario| Change { words, apply, undo: None, can_pair: true, scenario }));
    };
    let caching = |caching: Caching| {
        changed(scenario, name, |part| {
            let cache = cache_of(&mut part.load)?;
            (*cache == Caching::Keep).then(|| *cache = caching)
        })
    };
    add(format!("O_DIRECT for {title}"), None, caching(Caching::Direct));
    add(format!("{title} drops its pages behind itself (POSIX_FADV_DONTNEED)"), None, caching(Caching::DontNeed));
    let mut limit = |high: Bytes, holds: fn(&Load) -> bool| {
        let limited = changed(scenario, name, |part| {
            if !holds(&part.load) {
                return None;
            }
            part.cgroup = Some(below(part.cgroup.as_ref(), name, high));
            Some(())
        });
        let mib = high.get() >> 20;
        let run = format!("systemd-run --scope -p MemoryHigh={mib}M -- {} …", culprit.command);
        add(format!("a memory.high of {mib} MiB for {title}"), Some(run), limited);
    };
    // The whole program runs in the group.
    if let Some(own) = taken_by_reader(scenario, name) {
        limit(Bytes::new(own.get() + ROOM.get()), |_| true);
    }
    if let Some(half) = half_of_taken(scenario, name) {
        limit(half, |load| taken(load).is_some());
    }
    add(format!("half the rate for {title}"), None, half_the_rate(scenario, name, rates));
    let fewer = changed(scenario, name, |part| {
        let Load::Dd(spec) = &mut part.load else { return None };
        spec.sync_every = Some(Bytes::new(spec.sync_every?.get().saturating_mul(4)));
        Some(())
    });
    add(format!("{title} syncs a fourth as often: fewer, larger commits"), None, fewer);
    all
}

/// Half of what each load of a process did: a rate that the disk did not let it reach is no bound, and one that went as fast as it could has none.
fn half_the_rate(scenario: &Scenario, name: &str, rates: &Rates) -> Option<Scenario> {
    /// Bytes per second of a load at least.
    const MIN_RATE: u64 = 4096;
    changed(scenario, name, |part| {
        let did = rates.get(&part.name).map(|did| BytesPerSecond::new(whole(*did)));
        let rate = [rate_of(part), did].into_iter().flatten().min()?;
        set_rate(&mut part.load, BytesPerSecond::new((rate.get() / 2).max(MIN_RATE)))
    })
}

/// Anonymous memory that a load takes.
const fn taken(load: &Load) -> Option<Bytes> {
    match load {
        Load::Grow(spec) => Some(spec.size),
        Load::MapAndWalk(spec) if spec.data.get() > 0 => Some(spec.data),
        _ => None,
    }
}

/// The anonymous memory of a process that fills the page cache with files; none of another.
fn taken_by_reader(scenario: &Scenario, name: &str) -> Option<Bytes> {
    let mut scenario = scenario.clone();
    let (mut reads, mut own) = (false, 0);
    for part in parts(&mut scenario)?.iter_mut().filter(|part| part.process() == name) {
        own += taken(&part.load).map_or(0, Bytes::get);
        reads |= cache_of(&mut part.load).is_some_and(|cache| *cache == Caching::Keep);
    }
    reads.then(|| Bytes::new(own))
}

/// Half of the anonymous memory that a process takes, in whole MiB.
fn half_of_taken(scenario: &Scenario, name: &str) -> Option<Bytes> {
    const MIB: u64 = 1 << 20;
    let mut scenario = scenario.clone();
    let own = parts(&mut scenario)?.iter().filter(|part| part.process() == name);
    let most = own.filter_map(|part| taken(&part.load)).max()?;
    Some(Bytes::new(most.get() / 2 / MIB * MIB)).filter(|half| half.get() > 0)
}

/// Limits of groups that are twice as large, that are as they were before somebody changed them, or that are no more.
fn limits(scenario: &Scenario) -> Vec<Change> {
    let mut base = scenario.clone();
    let Some(parts_of_base) = parts(&mut base) else { return Vec::new() };
    let groups: Vec<&GroupSpec> = parts_of_base.iter().filter_map(|part| part.cgroup.as_ref()).collect();
    let names: BTreeSet<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    let with = |name: &str, words: String, change: &dyn Fn(&mut GroupSpec)| {
        let mut scenario = scenario.clone();
        let in_parts = parts(&mut scenario)?.iter_mut().filter_map(|part| part.cgroup.as_mut());
        in_parts.filter(|group| group.name == name).for_each(change);
        let in_steps = scenario.steps.iter_mut().filter_map(|step| step.cgroup.as_mut());
        in_steps.filter(|group| group.name == name).for_each(change);
        Some(Change { words, apply: None, undo: None, can_pair: true, scenario })
    };
    let twice = |name: &str, what: &str, raise: fn(&mut GroupSpec)| {
        with(name, format!("twice the {what} for the group {name}"), &raise)
    };
    let mut all = Vec::new();
    for name in names {
        if let Some(was) = limits_before(parts_of_base, name) {
            all.extend(with(name, format!("the limits of the group {name} as they were before"), &|group| {
                group.clone_from(was);
            }));
        }
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
            all.extend(with(name, format!("no io.max for the group {name}"), &|group| group.io_max.clear()));
        }
    }
    all
}

/// The limits with which a group begins, where they are others later: what begins in a group sets them.
fn limits_before<'a>(parts: &'a [Part], name: &str) -> Option<&'a GroupSpec> {
    let of_group = |part: &'a Part| Some((part.delay, part.cgroup.as_ref()?)).filter(|(_, group)| group.name == name);
    let (_, first) = parts.iter().filter_map(of_group).min_by_key(|(delay, _)| *delay)?;
    parts.iter().filter_map(of_group).any(|(_, group)| group != first).then_some(first)
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
        without("the settings as they were before", |change| change.sysctl.is_some(), |change| change.sysctl = None)
            // What was set is concluded of its effect: no command sets that again.
            .map(|change| Change { apply: settings(&scenario.machine.sysctl, &set_meanwhile(scenario)), ..change }),
        without("the disk as fast as it was before", |change| change.device.is_some(), |change| change.device = None),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Whether a setting is a limit of dirty memory.
fn is_dirty_limit(name: &str) -> bool {
    ["vm.dirty_bytes", "vm.dirty_ratio", "vm.dirty_background_bytes", "vm.dirty_background_ratio"].contains(&name)
}

/// What somebody set in the incident.
fn set_meanwhile(scenario: &Scenario) -> BTreeMap<String, i64> {
    let steps = scenario.steps.iter().filter(|step| step.id == INCIDENT);
    let set = steps.flat_map(|step| &step.meanwhile).filter_map(|change| change.sysctl.as_ref());
    set.flat_map(|settings| settings.0.clone()).collect()
}

/// The limits of dirty memory as `sysctl` takes them: bytes where they are set, else shares.
fn dirty_limits(settings: &BTreeMap<String, i64>) -> String {
    let limit = |kind: &str, usual: i64| {
        let bytes = format!("vm.dirty_{kind}bytes");
        let ratio = format!("vm.dirty_{kind}ratio");
        match settings.get(&bytes).filter(|bytes| **bytes > 0) {
            Some(value) => format!("{bytes}={value}"),
            None => format!("{ratio}={}", settings.get(&ratio).copied().unwrap_or(usual)),
        }
    };
    format!("{} {}", limit("background_", 10), limit("", 20))
}

/// The command that gives settings the values that they have in others; none where one of them is not known.
fn settings(of: &BTreeMap<String, i64>, names: &BTreeMap<String, i64>) -> Option<String> {
    let (dirty, others): (Vec<&String>, Vec<&String>) = names.keys().partition(|name| is_dirty_limit(name));
    let known: Option<Vec<String>> =
        others.into_iter().map(|name| of.get(name).map(|value| format!("{name}={value}"))).collect();
    let mut all = known?;
    all.extend((!dirty.is_empty()).then(|| dirty_limits(of)));
    (!all.is_empty()).then(|| format!("sysctl -w {}", all.join(" ")))
}

/// A group with a `memory.high` below the one that a load is in, whose limits hold for it too.
fn below(own: Option<&GroupSpec>, name: &str, limit: Bytes) -> GroupSpec {
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

/// The rate that a load has at most; none where it goes as fast as it can.
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
            // Another device than zram0 where that is in use.
            apply: Some(format!("modprobe zram; dev=$(zramctl --find --size {kib}KiB) && mkswap $dev && swapon $dev")),
            undo: Some("swapoff $dev && zramctl --reset $dev".to_owned()),
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
        // Limits that were set in the incident are concluded of their effect.
        let is_known = !set_meanwhile(scenario).keys().any(|name| is_dirty_limit(name));
        let undo = is_known.then(|| format!("sysctl -w {}", dirty_limits(&scenario.machine.sysctl)));
        let mut scenario = scenario.clone();
        let settings = &mut scenario.machine.sysctl;
        settings.retain(|name, _| !is_dirty_limit(name));
        settings.insert("vm.dirty_background_bytes".to_owned(), background.cast_signed());
        settings.insert("vm.dirty_bytes".to_owned(), limit.cast_signed());
        let apply = dirty_limits(settings);
        // Nobody sets others in the incident.
        let steps = scenario.steps.iter_mut().filter(|step| step.id == INCIDENT);
        for change in steps.flat_map(|step| &mut step.meanwhile) {
            if let Some(settings) = &mut change.sysctl {
                settings.0.retain(|name, _| !is_dirty_limit(name));
            }
            change.sysctl.take_if(|settings| settings.0.is_empty());
        }
        Change {
            words: format!("dirty limits of {} and {}", Bytes::new(background), Bytes::new(limit)),
            apply: Some(format!("sysctl -w {apply}")),
            undo,
            can_pair: true,
            scenario,
        }
    };
    let memory = scenario.machine.memory.get();
    vec![limits(memory / 128, memory / 32), limits(memory / 4, memory / 2)]
}

fn disks(scenario: &Scenario, culprits: &[Culprit]) -> Vec<Change> {
    let mut all = Vec::new();
    if scenario.machine.disks.is_empty() {
        return all;
    }
    let mut faster = scenario.clone();
    let half = |time: &mut Option<Nanos>| *time = time.map(|time| Nanos::new(time.get() / 2));
    let twice = |iops: &mut Option<u64>| *iops = iops.map(|iops| iops.saturating_mul(2));
    let twice_bytes = |rate: &mut Option<BytesPerSecond>| {
        *rate = rate.map(|rate| BytesPerSecond::new(rate.get().saturating_mul(2)));
    };
    for disk in &mut faster.machine.disks {
        half(&mut disk.latency);
        half(&mut disk.write_latency);
        twice(&mut disk.iops);
        twice_bytes(&mut disk.bandwidth);
    }
    for change in
        faster.steps.iter_mut().flat_map(|step| &mut step.meanwhile).filter_map(|change| change.device.as_mut())
    {
        half(&mut change.latency);
        half(&mut change.write_latency);
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
    all.extend(disks_of_their_own(scenario, culprits));
    all
}

/// For each disk that those who began it share with others, the files that they have there on a disk like it; what is on another disk stays there.
fn disks_of_their_own(scenario: &Scenario, culprits: &[Culprit]) -> Vec<Change> {
    const NEW: &str = "another";
    let machine = &scenario.machine;
    let steps = scenario.steps.iter().filter(|step| step.id == INCIDENT);
    let (own, others): (Vec<&Part>, Vec<&Part>) = steps
        .flat_map(|step| step.parts())
        .partition(|part| culprits.iter().any(|culprit| culprit.process == part.process()));
    let files_of = |parts: &[&Part]| parts.iter().flat_map(|part| part.load.stored()).cloned().collect::<Vec<Place>>();
    let (own, others) = (files_of(&own), files_of(&others));
    let swap = if let SwapSpec::Disk { disk, .. } = &machine.swap { Some(disk.as_str()) } else { None };
    let is_on = |place: &Place, disk: &DiskSpec| {
        let first = machine.disks.first().map(|first| first.name.as_str());
        place.disk().or(first) == Some(disk.name.as_str())
    };
    let is_shared = |disk: &DiskSpec| swap == Some(disk.name.as_str()) || others.iter().any(|place| is_on(place, disk));
    let of_disk = |disk: &DiskSpec| {
        // A file that others use too stays.
        let moves = |place: &Place| place.is_file() && is_on(place, disk) && !others.contains(place);
        let mut moved = scenario.clone();
        moved.machine.disks.push(DiskSpec { name: NEW.to_owned(), ..disk.clone() });
        let parts = parts(&mut moved)?.iter_mut();
        let own_parts = parts.filter(|part| culprits.iter().any(|culprit| culprit.process == part.process()));
        let count = own_parts.map(|part| to_disk(&mut part.load, NEW, &moves)).sum::<usize>();
        let names = commands(culprits).join(" and ");
        let words = if own.iter().all(moves) {
            format!("the files of {names} on a disk of their own")
        } else {
            format!("the files of {names} that are on {} on a disk of their own", disk.name)
        };
        (count > 0).then_some(Change { words, apply: None, undo: None, can_pair: true, scenario: moved })
    };
    machine.disks.iter().filter(|disk| is_shared(disk)).filter_map(of_disk).collect()
}

/// The kernel's own readahead, where somebody set more.
fn read_ahead(scenario: &Scenario) -> Vec<Change> {
    let set = scenario.machine.disks.iter().enumerate().filter_map(|(at, disk)| Some((at, disk, disk.read_ahead?)));
    let more = set.filter(|(.., size)| *size > USUAL_READ_AHEAD);
    more.map(|(at, disk, was)| {
        let mut scenario = scenario.clone();
        scenario.machine.disks[at].read_ahead = Some(USUAL_READ_AHEAD);
        // `blockdev` counts sectors of 512 bytes.
        let command = |size: Bytes| format!("blockdev --setra {} /dev/{}", size.get() / 512, disk.name);
        Change {
            words: format!("readahead of {USUAL_READ_AHEAD} on {}", disk.name),
            apply: Some(command(USUAL_READ_AHEAD)),
            undo: Some(command(was)),
            can_pair: true,
            scenario,
        }
    })
    .collect()
}

/// Moves those files of a load to another disk for which `moves` says so. How many these are.
fn to_disk(load: &mut Load, name: &str, moves: &dyn Fn(&Place) -> bool) -> usize {
    let places = match load {
        Load::Stream(spec) => vec![&mut spec.from],
        Load::Dd(spec) => vec![&mut spec.from, &mut spec.to],
        _ => Vec::new(),
    };
    let mut count = 0;
    for place in places.into_iter().filter(|place| moves(place)) {
        if let Place::File { disk, .. } = place {
            *disk = Some(name.to_owned());
            count += 1;
        }
    }
    count
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
        let limited = below(Some(&own), "tar", ROOM);
        assert_eq!((limited.name.as_str(), limited.memory_max), ("tar-limited", Some(Bytes::new(1 << 30))));
        assert_eq!((limited.memory_high, limited.cpu_max), (Some(Bytes::new(32 << 20)), Some(0.5)));
        assert_eq!(limited.io_max, vec![io]);
        let free = below(None, "tar", ROOM);
        assert_eq!((free.memory_max, free.memory_high), (None, Some(ROOM)));
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
        let all = all(&scenario, &[Culprit { process: "log".to_owned(), command: "log".to_owned() }], &Rates::new());
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
        // Nobody changed settings, what is synced is on the disk at once, and what it did is not known.
        for words in ["settings as they were", "O_DIRECT", "DONTNEED", "half the rate"] {
            assert!(!all.iter().any(|change| change.words.contains(words)), "{words}");
        }
    }

    #[test]
    fn what_undoes_dirty_limits_is_what_was_set_of_each_pair() {
        let undo = |settings: &str| {
            let text = format!(
                "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\nsysctl = {{ {settings} }}\n\
                [[machine.disk]]\nname = \"d\"\nsize = \"8GiB\"\n[[step]]\nid = \"w\"\n\
                dd = {{ from = \"zero\", to = \"file:f@d\", size = \"1MiB\" }}\n"
            );
            dirty(&Scenario::parse(&text, "t.toml").unwrap())[0].undo.clone().unwrap()
        };
        assert_eq!(undo(""), "sysctl -w vm.dirty_background_ratio=10 vm.dirty_ratio=20");
        assert_eq!(
            undo("\"vm.dirty_bytes\" = 268435456, \"vm.dirty_background_ratio\" = 5"),
            "sysctl -w vm.dirty_background_ratio=5 vm.dirty_bytes=268435456"
        );
        assert_eq!(
            undo("\"vm.dirty_ratio\" = 30, \"vm.dirty_background_bytes\" = 4096"),
            "sysctl -w vm.dirty_background_bytes=4096 vm.dirty_ratio=30"
        );
    }

    #[test]
    fn swap_in_zram_is_made_and_undone_on_the_device_that_zramctl_found() {
        let text = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\nswap = \"none\"\n\
            [[machine.disk]]\nname = \"d\"\nsize = \"8GiB\"\n[[step]]\nid = \"w\"\nspin = { time = \"1s\" }\n";
        let [zram] = &swap(&Scenario::parse(text, "t.toml").unwrap())[..] else { panic!("one change") };
        let apply = "modprobe zram; dev=$(zramctl --find --size 524288KiB) && mkswap $dev && swapon $dev";
        assert_eq!(zram.apply.as_deref(), Some(apply));
        assert_eq!(zram.undo.as_deref(), Some("swapoff $dev && zramctl --reset $dev"));
    }

    fn of_incident(parts: &str, meanwhile: &str, machine: &str) -> Scenario {
        let text = format!(
            "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n{machine}\n\
             [[machine.disk]]\nname = \"d\"\nsize = \"8GiB\"\nlatency = \"1ms\"\nread_ahead = \"4MiB\"\n\
             [[step]]\nid = \"incident\"\nparallel = [{parts}]\nmeanwhile = [{meanwhile}]\n"
        );
        Scenario::parse(&text, "t.toml").unwrap()
    }

    fn named<'a>(all: &'a [Change], words: &str) -> &'a Change {
        all.iter().find(|change| change.words == words).unwrap_or_else(|| panic!("{words}"))
    }

    fn commands_of(change: &Change) -> [&str; 2] {
        [&change.apply, &change.undo].map(|command| command.as_deref().unwrap_or("none"))
    }

    #[test]
    fn only_the_files_on_a_disk_that_others_use_get_one_like_it() {
        let own = |parts: &str, machine: &str| {
            let second = format!("{machine}\n[[machine.disk]]\nname = \"fast\"\nsize = \"8GiB\"\nlatency = \"10us\"");
            let scenario = of_incident(parts, "", &second);
            let all = disks_of_their_own(&scenario, &[Culprit::new("mv", "mv"), Culprit::new("mv_2", "mv")]);
            let of = |change: Change| {
                let places = change.scenario.steps[0].loads().flat_map(Load::stored).map(ToString::to_string);
                let new = change.scenario.machine.disks.last().unwrap();
                (change.words, places.collect::<Vec<_>>().join(" "), new.name.clone(), new.latency.map(Nanos::get))
            };
            all.into_iter().map(of).collect::<Vec<_>>()
        };
        let reads = "{ name = \"mv\", stream = { from = \"file:a@fast\", size = \"1GiB\" } }";
        let writes = "{ name = \"mv_2\", dd = { from = \"zero\", to = \"file:b@d\", size = \"1GiB\" } }";
        let db = |place: &str| format!("{{ name = \"db\", stream = {{ from = \"{place}\", size = \"1GiB\" }} }}");
        let change = |words: &str, places: &str, latency| {
            (words.to_owned(), places.to_owned(), "another".to_owned(), Some(latency))
        };
        assert_eq!(
            own(&[reads, writes, &db("file:c@d")].join(", "), ""),
            [change(
                "the files of mv that are on d on a disk of their own",
                "file:a@fast file:b@another file:c@d",
                1_000_000
            )]
        );
        assert_eq!(
            own(&[reads, &db("file:c@fast")].join(", "), ""),
            [change("the files of mv on a disk of their own", "file:a@another file:c@fast", 10_000)]
        );
        // The first disk of the machine is meant where none is named, and swap is on a disk too.
        let swap = "swap = { size = \"1GiB\", disk = \"d\" }";
        assert_eq!(own(&[reads, &db("file:c")].join(", "), "").len(), 1);
        assert_eq!(own(writes, swap).len(), 1);
        assert_eq!(own(&[reads, writes].join(", "), ""), [], "nobody shares its disks");
        assert_eq!(own(&[reads, &db("file:a@fast")].join(", "), ""), [], "others use the same file");
    }

    #[test]
    fn half_the_rate_is_half_of_what_each_load_did() {
        let parts = "{ name = \"mv\", stream = { from = \"file:f@d\", size = \"1GiB\" } }, \
                     { name = \"mv_2\", process = \"mv\", dd = { from = \"zero\", to = \"file:g@d\", size = \"1GiB\", rate = \"20MB/s\" } }, \
                     { name = \"mv_3\", process = \"mv\", dd = { from = \"zero\", to = \"file:h@d\", size = \"1GiB\", rate = \"2MB/s\" } }, \
                     { name = \"mv_4\", process = \"mv\", spin = { time = \"1s\" } }, \
                     { name = \"db\", stream = { from = \"file:i@d\", size = \"1GiB\" } }";
        let scenario = of_incident(parts, "", "");
        let halved = |rates: &[(&str, f64)]| {
            let rates: Rates = rates.iter().map(|(name, rate)| ((*name).to_owned(), *rate)).collect();
            let halved = half_the_rate(&scenario, "mv", &rates).unwrap();
            let rates = halved.steps[0].parts().iter().map(|part| rate_of(part).map(BytesPerSecond::get));
            rates.collect::<Vec<_>>()
        };
        let did = [("mv", 80e6), ("mv_2", 10e6), ("mv_3", 2e6), ("db", 9e6)];
        assert_eq!(halved(&did), [Some(40_000_000), Some(5_000_000), Some(1_000_000), None, None]);
        assert_eq!(halved(&[]), [None, Some(10_000_000), Some(1_000_000), None, None], "what they did is not known");
    }

    #[test]
    fn dirty_limits_that_are_tried_hold_where_the_incident_changed_them() {
        let writes = "{ name = \"log\", dd = { from = \"zero\", to = \"file:f@d\", size = \"1MiB\" } }";
        let lowered = "{ after = \"1s\", sysctl = { \"vm.dirty_background_bytes\" = 524288, \"vm.dirty_bytes\" = 1048576 } }, \
                       { after = \"2s\", sysctl = { \"vm.nr_hugepages\" = 4 } }";
        let scenario = of_incident(writes, lowered, "sysctl = { \"vm.dirty_ratio\" = 30 }");
        let all = all(&scenario, &[], &Rates::new());
        let larger = named(&all, "dirty limits of 256 MiB and 512 MiB");
        assert_eq!(
            commands_of(larger),
            ["sysctl -w vm.dirty_background_bytes=268435456 vm.dirty_bytes=536870912", "none"],
            "which setting was changed, and to what, is concluded"
        );
        assert_eq!(larger.scenario.machine.sysctl.get("vm.dirty_ratio"), None);
        let meanwhile = &larger.scenario.steps[0].meanwhile;
        assert_eq!(meanwhile[0].sysctl, None, "nothing sets them back at the onset");
        assert!(meanwhile[1].sysctl.is_some(), "other settings change as they did");
        let before = named(&all, "the settings as they were before");
        assert_eq!(commands_of(before), ["none", "none"], "the pool of huge pages before is not known");
    }

    #[test]
    fn limits_that_were_changed_in_the_incident_are_put_back_and_what_they_were_is_not_set_again() {
        let writes = "{ name = \"log\", dd = { from = \"zero\", to = \"file:f@d\", size = \"1MiB\" } }";
        let lowered =
            "{ after = \"1s\", sysctl = { \"vm.dirty_background_bytes\" = 524288, \"vm.dirty_bytes\" = 1048576 } }";
        let scenario = of_incident(writes, lowered, "sysctl = { \"vm.dirty_ratio\" = 30 }");
        let all = all(&scenario, &[], &Rates::new());
        let before = named(&all, "the settings as they were before");
        assert_eq!(commands_of(before), ["sysctl -w vm.dirty_background_ratio=10 vm.dirty_ratio=30", "none"]);
    }

    #[test]
    fn settings_are_put_back_by_a_command_where_they_are_known() {
        let before: BTreeMap<String, i64> =
            [("vm.dirty_ratio".to_owned(), 30), ("vm.swappiness".to_owned(), 10)].into();
        let names = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), 0)).collect::<BTreeMap<_, _>>();
        assert_eq!(
            settings(&before, &names(&["vm.dirty_bytes", "vm.swappiness"])).as_deref(),
            Some("sysctl -w vm.swappiness=10 vm.dirty_background_ratio=10 vm.dirty_ratio=30")
        );
        assert_eq!(settings(&before, &names(&["vm.nr_hugepages"])), None);
    }

    #[test]
    fn who_reads_files_has_what_it_allocates_and_room_for_pages() {
        let parts = "{ name = \"git\", stream = { from = \"file:f@d\", size = \"1GiB\" } }, \
                     { name = \"more\", process = \"git\", grow = { size = \"252MiB\", hold_for = \"1ms\" } }";
        let all = all(&of_incident(parts, "", ""), &[Culprit::new("git", "git")], &Rates::new());
        let limited = named(&all, "a memory.high of 316 MiB for git");
        assert_eq!(commands_of(limited), ["systemd-run --scope -p MemoryHigh=316M -- git …", "none"]);
        let highs = limited.scenario.steps[0].parts().iter().map(|part| part.cgroup.as_ref()?.memory_high);
        assert!(highs.clone().count() == 2 && highs.flatten().all(|high| high == Bytes::new(316 << 20)), "all of it");
    }

    #[test]
    fn what_grows_is_limited_to_half_of_it_readahead_is_the_usual_and_limits_are_put_back() {
        let before = "cgroup = { name = \"beats\", memory_max = \"200MiB\" }";
        let after = "cgroup = { name = \"beats\", memory_max = \"44MiB\" }";
        let small = "fill = \"random\", hold_for = \"1ms\"";
        let parts = [
            format!("{{ name = \"late\", grow = {{ size = \"4KiB\", {small} }}, delay = \"30s\", {after} }}"),
            format!("{{ name = \"filebeat\", spin = {{ time = \"1s\" }}, {before} }}"),
            format!("{{ name = \"dask\", grow = {{ size = \"301MiB\", {small} }} }}"),
        ];
        let scenario = of_incident(&parts.join(", "), "", "");
        let all = all(&scenario, &[Culprit::new("dask", "dask/worker.py")], &Rates::new());
        let limited = named(&all, "a memory.high of 150 MiB for dask/worker.py");
        assert_eq!(
            commands_of(limited),
            ["systemd-run --scope -p MemoryHigh=150M -- dask/worker.py …", "none"],
            "the group ends with the program"
        );
        let group_of = |change: &Change, at: usize| change.scenario.steps[0].parts()[at].cgroup.clone();
        assert_eq!(group_of(limited, 2).and_then(|group| group.memory_high), Some(Bytes::new(150 << 20)));
        let back = named(&all, "the limits of the group beats as they were before");
        assert_eq!(group_of(back, 0), group_of(back, 1));
        assert_eq!(group_of(back, 0).and_then(|group| group.memory_max), Some(Bytes::new(200 << 20)));
        let ahead = named(&all, "readahead of 128 KiB on d");
        assert_eq!(commands_of(ahead), ["blockdev --setra 256 /dev/d", "blockdev --setra 8192 /dev/d"]);
        let both = pair(limited, ahead, &scenario).unwrap();
        assert_eq!(commands_of(&both)[1], "blockdev --setra 8192 /dev/d", "what ends by itself needs no undo");
        let swap = named(&all, "512 MiB of swap in zram");
        assert!(commands_of(swap)[0].starts_with("modprobe zram; "));
    }
}

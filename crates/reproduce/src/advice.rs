//! Changes of a scenario that could help, each as something that a person can do.

use crate::stretch::whole;
use crate::synthesis::INCIDENT;
use pagetide_core::{
    Action, Bytes, BytesPerSecond, Caching, DiskSpec, GroupSpec, Load, Nanos, Parallel, Part, Place, Scenario, SwapSpec,
};

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
pub(crate) fn all(scenario: &Scenario, culprits: &[String]) -> Vec<Change> {
    let mut all = Vec::new();
    for name in culprits {
        all.extend(of_culprit(scenario, name));
    }
    all.extend(without(scenario, culprits));
    all.extend(memory(scenario));
    all.extend(swap(scenario));
    all.extend(dirty(scenario));
    all.extend(disks(scenario, culprits));
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

/// The scenario with all parts of a process changed; none where one of them has nothing to change.
fn changed(scenario: &Scenario, name: &str, change: impl Fn(&mut Part) -> Option<()>) -> Option<Scenario> {
    let mut scenario = scenario.clone();
    let own = parts(&mut scenario)?.iter_mut().filter(|part| part.process() == name);
    own.map(change).collect::<Option<Vec<()>>>()?;
    Some(scenario)
}

fn of_culprit(scenario: &Scenario, name: &str) -> Vec<Change> {
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
    add(format!("O_DIRECT for {name}"), None, caching(Caching::Direct));
    add(format!("{name} drops its pages behind itself (POSIX_FADV_DONTNEED)"), None, caching(Caching::DontNeed));
    let limited = changed(scenario, name, |part| {
        cache_of(&mut part.load).filter(|cache| **cache == Caching::Keep)?;
        part.cgroup = Some(below(part.cgroup.as_ref(), name));
        Some(())
    });
    let run = format!("systemd-run --scope -p MemoryHigh={}M {name} …", READER >> 20);
    add(
        format!("a memory.high of {} MiB for {name}", READER >> 20),
        Some((run, format!("start {name} without it"))),
        limited,
    );
    let slower = changed(scenario, name, |part| {
        let rate = rate_of(part)?;
        let half = BytesPerSecond::new((rate.get() / 2).max(4096));
        set_rate(&mut part.load, half)
    });
    add(format!("half the rate for {name}"), None, slower);
    all
}

/// A group for a reader below the one that it is in, whose limits hold for it too.
fn below(own: Option<&GroupSpec>, name: &str) -> GroupSpec {
    let limit = Bytes::new(READER);
    GroupSpec {
        name: format!("{name}-limited"),
        memory_max: own.and_then(|own| own.memory_max),
        memory_high: Some(own.and_then(|own| own.memory_high).map_or(limit, |high| high.min(limit))),
        io_max: own.map(|own| own.io_max.clone()).unwrap_or_default(),
    }
}

fn cache_of(load: &mut Load) -> Option<&mut Caching> {
    match load {
        Load::Stream(spec) => Some(&mut spec.cache),
        Load::Dd(spec) => Some(&mut spec.cache),
        _ => None,
    }
}

/// The rate of a load, or what it would do in its time as fast as it can.
fn rate_of(part: &Part) -> Option<BytesPerSecond> {
    let spread = |size: Bytes, time: Option<pagetide_core::Nanos>| {
        let seconds = time?.as_f64() / 1e9;
        Some(BytesPerSecond::new(whole(size.as_f64() / seconds.max(0.1))))
    };
    match &part.load {
        Load::Stream(spec) => spec.rate.or_else(|| spread(spec.size, spec.time)),
        Load::Dd(spec) => spec.rate.or_else(|| spread(spec.size, spec.time)),
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
fn without(scenario: &Scenario, culprits: &[String]) -> Option<Change> {
    let mut scenario = scenario.clone();
    let parts = parts(&mut scenario)?;
    parts.retain(|part| !culprits.iter().any(|name| name == part.process()));
    (!parts.is_empty() && !culprits.is_empty()).then(|| Change {
        words: format!("{} at another time", culprits.join(" and ")),
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

fn disks(scenario: &Scenario, culprits: &[String]) -> Vec<Change> {
    let mut all = Vec::new();
    let Some(first) = scenario.machine.disks.first() else { return all };
    let mut faster = scenario.clone();
    for disk in &mut faster.machine.disks {
        disk.latency = disk.latency.map(|time| Nanos::new(time.get() / 2));
        disk.iops = disk.iops.map(|iops| iops * 2);
        disk.bandwidth = disk.bandwidth.map(|rate| BytesPerSecond::new(rate.get() * 2));
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
        for part in parts.iter_mut().filter(|part| culprits.iter().any(|name| name == part.process())) {
            any |= on_disk(&mut part.load, "another").is_some();
        }
    }
    if any {
        let words = format!("the files of {} on a disk of their own", culprits.join(" and "));
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
            io_max: vec![io.clone()],
        };
        let limited = below(Some(&own), "tar");
        assert_eq!((limited.name.as_str(), limited.memory_max), ("tar-limited", Some(Bytes::new(1 << 30))));
        assert_eq!((limited.memory_high, limited.io_max), (Some(Bytes::new(32 << 20)), vec![io]));
        let free = below(None, "tar");
        assert_eq!((free.memory_max, free.memory_high), (None, Some(Bytes::new(READER))));
    }
}

//! The trials of a reproduction with each advice.

use super::changes::{self, Change};
use super::effect::{self, Effect, Work};
use crate::cores::on_all_cores;
use crate::fit::{Amounts, Rates, Trial, run, run_on};
use crate::recorded::has_delays;
use crate::scenario::INCIDENT;
use crate::synthesis::Synthesis;
use pagetide_core::{Action, Backend, DeviceChange, Error, Figures, Nanos, Part, Progress, Recording, Scenario, Step};
use pagetide_lab::plan::RunsProgress;
use serde::Serialize;
use std::collections::BTreeMap;

/// An advice that was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// What was changed.
    pub what: String,
    /// The command that applies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apply: Option<String>,
    /// The command that takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// The median of what it did, over the seeds; of the processes that were killed the most.
    pub effect: Effect,
    /// The least and the most time that was lost, over the seeds.
    pub lost_range: (f64, f64),
    /// The changed scenario.
    #[serde(skip)]
    pub scenario: Scenario,
    /// What the model recorded with the first seed.
    #[serde(skip)]
    pub recording: Recording,
    /// What its loads did with the first seed.
    #[serde(skip)]
    pub(crate) rates: Rates,
}

/// Tries each advice on the model, and the best two together. The best comes first: what those who lost time lose least with.
///
/// # Errors
/// The user interrupted, or the model refuses the scenario.
pub fn try_advice(
    synthesis: &Synthesis<'_>,
    scenario: &Scenario,
    seeds: u64,
    watch: &dyn RunsProgress,
) -> Result<Vec<Tried>, Error> {
    let nothing =
        Change { words: "nothing".to_owned(), apply: None, undo: None, can_pair: false, scenario: scenario.clone() };
    let mut changes = vec![nothing];
    let mut tried = measure(synthesis, &changes, scenario, None, seeds, watch)?;
    let work = tried[0].as_ref().and_then(|one| {
        let (_, trouble) = synthesis.stretches(&one.recording)?;
        Some(effect::work(&trouble, synthesis.programs()))
    });
    let rates = tried[0].as_ref().map(|one| one.rates.clone()).unwrap_or_default();
    changes.extend(changes::all(scenario, &synthesis.culprits, &rates));
    tried.extend(measure(synthesis, &changes[1..], scenario, work.as_ref(), seeds, watch)?);
    // The best two that can be done together.
    let mut order: Vec<usize> = (1..changes.len()).filter(|at| tried[*at].is_some()).collect();
    let killed = |at: usize| tried[at].as_ref().map_or(u64::MAX, |one| one.effect.killed);
    let lost = |at: usize| tried[at].as_ref().map_or(f64::MAX, |one| one.effect.lost);
    order.sort_by(|one, other| killed(*one).cmp(&killed(*other)).then(lost(*one).total_cmp(&lost(*other))));
    let spares = |at: usize| killed(at) < killed(0) || killed(at) == killed(0) && lost(at) < 0.8 * lost(0);
    // What leaves the victims less of their work helps nobody, together with something else neither.
    let does_less = |at: usize| {
        let both = tried[at].as_ref().zip(tried[0].as_ref());
        both.is_some_and(|(one, unchanged)| one.effect.victims_do_less_than(&unchanged.effect))
    };
    let helps = |at: usize| spares(at) && !does_less(at);
    let able: Vec<usize> = order.into_iter().filter(|at| helps(*at) && changes[*at].can_pair).take(4).collect();
    let both = able.iter().enumerate().find_map(|(nth, one)| {
        able[nth + 1..].iter().find_map(|other| changes::pair(&changes[*one], &changes[*other], scenario))
    });
    if let Some(both) = both {
        tried.extend(measure(synthesis, &[both], scenario, work.as_ref(), seeds, watch)?);
    }
    let mut tried: Vec<Tried> = tried.into_iter().flatten().collect();
    let as_it_was = tried.remove(0);
    sort_best_first(&mut tried, &as_it_was);
    tried.insert(0, as_it_was);
    Ok(tried)
}

/// Sorts what was tried. Who is killed loses more than time: what has fewer processes killed is better. What leaves the victims clearly less of their
/// work helps nobody. What loses as many hundredths of the time is as good, since nobody notices less; then that which costs less, leaves the victims more
/// of their work, and then those who began it.
fn sort_best_first(tried: &mut [Tried], as_it_was: &Tried) {
    let harm = |one: &Tried| (one.effect.killed, one.effect.victims_do_less_than(&as_it_was.effect));
    let hundredths = |share: f64| (share * 1e2).round();
    let lost = |one: &Tried| hundredths(one.effect.lost);
    let work = |one: &Tried| hundredths(one.effect.throughput.unwrap_or(0.0));
    tried.sort_by(|one, other| {
        let by_lost = harm(one).cmp(&harm(other)).then(lost(one).total_cmp(&lost(other)));
        let by_cost = by_lost.then(cost(one, as_it_was).cmp(&cost(other, as_it_was)));
        let by_work = by_cost.then(work(other).total_cmp(&work(one)));
        by_work.then(other.effect.culprits.total_cmp(&one.effect.culprits))
    });
}

/// What an advice costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    /// Another setting, or other flags of a program.
    Little,
    /// Memory, CPUs or disks; or larger dirty limits, which take memory and put off what is to be written.
    Hardware,
    /// Those who began it do less than half of what they did.
    Work,
}

fn cost(one: &Tried, as_it_was: &Tried) -> Cost {
    const DIRTY: &str = "vm.dirty_bytes";
    /// A limit of more than the kernel's own fifth of memory is a larger one.
    const MAX_DIRTY: f64 = 5.0;
    let (machine, was) = (&one.scenario.machine, &as_it_was.scenario.machine);
    if one.effect.culprits < as_it_was.effect.culprits / 2.0 {
        Cost::Work
    } else if (machine.memory, machine.cpus) != (was.memory, was.cpus)
        || machine.disks != was.disks
        || machine.sysctl.get(DIRTY).is_some_and(|limit| machine.memory.as_f64() < MAX_DIRTY * *limit as f64)
            && machine.sysctl.get(DIRTY) != was.sysctl.get(DIRTY)
    {
        Cost::Hardware
    } else {
        Cost::Little
    }
}

/// Tries what was tried on the model on another backend, such as a kernel in a VM: one run.
///
/// # Errors
/// The backend fails, or the user interrupted.
pub fn try_on(
    synthesis: &Synthesis<'_>,
    one: &Tried,
    backend: &mut dyn Backend,
    progress: &mut dyn Progress,
) -> Result<Tried, Error> {
    let mut scenario = one.scenario.clone();
    fill_at_once(&mut scenario);
    // A kernel counts delays of tasks when it is told to.
    scenario.machine.sysctl.insert("kernel.task_delayacct".to_owned(), 1);
    let ran = run_on(backend, &scenario, 1, progress)?;
    let Some((calm, trouble)) = synthesis.stretches(&ran.recording) else {
        return Err(Error::system("the run took no samples of the incident", "run it again"));
    };
    let mut effect = effect::of(&calm, &trouble, synthesis.programs(), None);
    // Where it does not, pressure counts the waits of all.
    if !has_delays(&ran.recording) {
        effect.lost = Amounts::of(&calm, &trouble).waits.unwrap_or(effect.lost);
    }
    Ok(Tried { effect, lost_range: (effect.lost, effect.lost), recording: ran.recording, ..one.clone() })
}

/// Leaves the disks without limits while memory is filled, which is minutes of real time otherwise: they have them when the loads begin.
fn fill_at_once(scenario: &mut Scenario) {
    /// A disk whose limits change has a latency from the begin.
    const LITTLE: Nanos = Nanos::new(1_000);
    let Some(at) = scenario.steps.iter().position(|step| step.id == INCIDENT) else { return };
    for (nth, disk) in scenario.machine.disks.iter_mut().enumerate() {
        let (iops, bandwidth) = (disk.iops.take(), disk.bandwidth.take());
        let latency = disk.latency.replace(LITTLE);
        let (write_latency, flush) = (disk.write_latency.take(), disk.flush.take());
        let change = DeviceChange { disk: disk.name.clone(), latency, write_latency, flush, iops, bandwidth };
        let step = Step {
            id: format!("disk_{nth}"),
            title: "a disk becomes as slow as the recorded one".to_owned(),
            action: Action::Device(change),
            drop_caches: false,
            cgroup: None,
            meanwhile: Vec::new(),
            predicted_from: None,
            published: Figures::default(),
        };
        scenario.steps.insert(at, step);
    }
}

/// The scenario with the parts of the incident begun up to a sample later, by the seed: a recording tells between which two samples a program began, and
/// not how that lies to the kernel's timers and to other programs. Those that are together in the unchanged scenario keep their order. The first seed is
/// what was compared.
fn begun_later(scenario: &Scenario, unchanged: &Scenario, seed: u64, interval: Nanos) -> Scenario {
    const MAX: Nanos = Nanos::new(1_000_000_000);
    let mut scenario = scenario.clone();
    let later = if seed == 1 { 0 } else { interval.min(MAX).get() };
    let known: BTreeMap<&str, u64> = (unchanged.steps.iter().flat_map(Step::parts))
        .map(|part| (part.name.as_str(), place_in(later, seed, together(part))))
        .collect();
    for part in changes::parts(&mut scenario).into_iter().flatten() {
        let late = known.get(part.name.as_str()).copied().unwrap_or_default();
        part.delay = Nanos::new(part.delay.get().saturating_add(late));
    }
    scenario
}

/// What parts have in common that follow one another: their group, whose limits the last one sets, else their program.
fn together(part: &Part) -> &str {
    let process = part.process();
    let numbered = process.rsplit_once('_').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    part.cgroup.as_ref().map_or(numbered.map_or(process, |(program, _)| program), |group| &group.name)
}

/// A number below a limit, evenly spread over seeds and names (splitmix64).
fn place_in(limit: u64, seed: u64, name: &str) -> u64 {
    let mix = |of: u64| {
        let of = of.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let of = (of ^ of >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let of = (of ^ of >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        of ^ of >> 31
    };
    name.bytes().fold(mix(seed), |hash, byte| mix(hash ^ u64::from(byte))) % limit.max(1)
}

/// What each change does, for as much work as the victims did without it; none where the model refuses it.
fn measure(
    synthesis: &Synthesis<'_>,
    changes: &[Change],
    unchanged: &Scenario,
    work: Option<&Work>,
    seeds: u64,
    watch: &dyn RunsProgress,
) -> Result<Vec<Option<Tried>>, Error> {
    let jobs: Vec<(usize, u64)> = (0..changes.len()).flat_map(|at| (1..=seeds).map(move |seed| (at, seed))).collect();
    let interval = synthesis.manifest().interval;
    let effects = on_all_cores(&jobs, watch, |(at, seed)| {
        let scenario = begun_later(&changes[*at].scenario, unchanged, *seed, interval);
        let ran = run(&scenario, *seed, synthesis.manifest(), &|| watch.interrupted());
        let of = |ran: Trial| {
            let (calm, trouble) = synthesis.stretches(&ran.recording)?;
            let effect = effect::of(&calm, &trouble, synthesis.programs(), work);
            Some((effect, (*seed == 1).then_some((ran.recording, ran.rates))))
        };
        match ran {
            Ok(ran) => Ok((*at, of(ran))),
            Err(error) if watch.interrupted() => Err(error),
            Err(_) => Ok((*at, None)),
        }
    })?;
    let of = |at: usize| {
        let all = || effects.iter().filter(|(of, _)| *of == at).filter_map(|(_, effect)| effect.as_ref());
        let (recording, rates) = all().find_map(|(_, first)| first.clone())?;
        let mut own: Vec<Effect> = all().map(|(effect, _)| *effect).collect();
        own.sort_by(|one, other| one.lost.total_cmp(&other.lost));
        let (first, last) = (own.first()?, own.last()?);
        let killed = own.iter().map(|effect| effect.killed).max()?;
        let change = &changes[at];
        Some(Tried {
            what: change.words.clone(),
            apply: change.apply.clone(),
            undo: change.undo.clone(),
            effect: Effect { killed, ..own[own.len() / 2] },
            lost_range: (first.lost, last.lost),
            scenario: change.scenario.clone(),
            recording,
            rates,
        })
    };
    Ok((0..changes.len()).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Bytes;

    fn tried(what: &str, effect: Effect) -> Tried {
        let text = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n[[machine.disk]]\nname = \"d\"\n\
            size = \"8GiB\"\nlatency = \"1ms\"\n[[step]]\nid = \"incident\"\n\
            spin = { time = \"1s\" }\n";
        Tried {
            what: what.to_owned(),
            apply: None,
            undo: None,
            effect,
            lost_range: (0.0, 0.0),
            scenario: Scenario::parse(text, "t.toml").unwrap(),
            recording: Recording::default(),
            rates: Rates::new(),
        }
    }

    #[test]
    fn what_has_fewer_processes_killed_is_better_then_what_loses_less_costs_less_and_leaves_more_work() {
        let as_it_was = tried("nothing", Effect { lost: 0.9, throughput: Some(0.5), culprits: 9.0, killed: 2 });
        let order = |all: &[(&'static str, f64, f64, u64)]| {
            let of = |(what, lost, work, killed): &(&str, f64, f64, u64)| {
                tried(what, Effect { lost: *lost, throughput: Some(*work), culprits: 9.0, killed: *killed })
            };
            let mut all: Vec<Tried> = all.iter().map(of).collect();
            sort_best_first(&mut all, &as_it_was);
            all.into_iter().map(|one| one.what).collect::<Vec<_>>()
        };
        assert_eq!(
            order(&[("CPUs", 0.1, 0.9, 2), ("none killed", 0.5, 0.5, 0), ("one", 0.2, 0.9, 1), ("more", 0.0, 0.9, 3)]),
            ["none killed", "one", "CPUs", "more"]
        );
        assert_eq!(order(&[("does less", 0.1, 0.4, 2), ("as much", 0.3, 0.5, 2)]), ["as much", "does less"]);
        assert_eq!(order(&[("faster", 0.0097, 0.742, 2), ("its own", 0.0, 0.812, 2)]), ["its own", "faster"]);
        assert_eq!(
            order(&[("a", 0.0, 0.742, 2), ("b", 0.004, 0.812, 2)]),
            ["b", "a"],
            "nobody notices that it is lost"
        );
    }

    #[test]
    fn seeds_begin_programs_at_other_moments_within_a_sample_and_the_first_as_recorded() {
        const SECOND: u64 = 1_000_000_000;
        let spin = "spin = { time = \"1s\" }, delay = \"30s\"";
        let part = |name: &str, more: &str| format!("{{ name = \"{name}\", {spin}{more} }}");
        let group = |name: &str| format!(", cgroup = {{ name = \"{name}\" }}");
        let scenario = |parts: &[String]| {
            let text = format!(
                "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n[[machine.disk]]\nname = \"d\"\nsize = \"8GiB\"\n\
                 [[step]]\nid = \"incident\"\nparallel = [{}]\n",
                parts.join(", ")
            );
            Scenario::parse(&text, "t.toml").unwrap()
        };
        let unchanged = scenario(&[
            part("db", ""),
            part("db_2", ""),
            part("tar", &group("a")),
            part("sh", &group("a")),
            part("gzip", &group("b")),
        ]);
        let late = |scenario: &Scenario, seed, interval| {
            let later = begun_later(scenario, &unchanged, seed, Nanos::new(interval));
            later.steps[0].parts().iter().map(|part| part.delay.get() - 30_000_000_000).collect::<Vec<u64>>()
        };
        assert_eq!(late(&unchanged, 1, SECOND), [0; 5]);
        let two = late(&unchanged, 2, SECOND);
        let [db, db_2, tar, sh, gzip] = two[..] else { panic!("five parts") };
        assert!(
            db == db_2 && tar == sh && db != tar && tar != gzip && two.iter().all(|late| *late < SECOND),
            "{two:?}"
        );
        assert_ne!(late(&unchanged, 3, SECOND), two);
        let changed = scenario(&[part("tar", &group("tar-limited")), part("gzip", "")]);
        assert_eq!(late(&changed, 2, SECOND), [tar, gzip], "whatever else was changed");
        assert!(late(&unchanged, 2, 1000).iter().all(|late| *late < 1000));
        assert!(late(&unchanged, 2, u64::MAX).iter().all(|late| *late < SECOND), "samples lie an hour apart");
    }

    #[test]
    fn a_setting_costs_less_than_hardware_and_hardware_less_than_the_work() {
        let tried = |culprits: f64| tried("", Effect { culprits, ..Effect::default() });
        let was = tried(100.0);
        let mut more = tried(100.0);
        more.scenario.machine.memory = Bytes::new(2 << 30);
        let limits = |bytes: i64| {
            let mut one = tried(100.0);
            one.scenario.machine.sysctl.insert("vm.dirty_bytes".to_owned(), bytes);
            cost(&one, &was)
        };
        assert_eq!((limits(512 << 20), limits(32 << 20)), (Cost::Hardware, Cost::Little));
        assert_eq!(cost(&tried(60.0), &was), Cost::Little);
        assert_eq!(cost(&more, &was), Cost::Hardware);
        assert_eq!(cost(&tried(40.0), &was), Cost::Work);
        assert!(Cost::Little < Cost::Hardware && Cost::Hardware < Cost::Work);
    }
}

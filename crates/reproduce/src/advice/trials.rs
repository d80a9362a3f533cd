//! The trials of a reproduction with each advice.

use super::changes::{self, Change};
use super::effect::{self, Effect, Work};
use crate::cores::on_all_cores;
use crate::fit::{Amounts, Trial, run, run_on};
use crate::recorded::has_delays;
use crate::scenario::INCIDENT;
use crate::synthesis::Synthesis;
use pagetide_core::{Action, Backend, DeviceChange, Error, Figures, Nanos, Progress, Recording, Scenario, Step};
use pagetide_lab::plan::RunsProgress;
use serde::Serialize;

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
    /// The median of what it did, over the seeds.
    pub effect: Effect,
    /// The least and the most time that was lost, over the seeds.
    pub lost_range: (f64, f64),
    /// The changed scenario.
    #[serde(skip)]
    pub scenario: Scenario,
    /// What the model recorded with the first seed.
    #[serde(skip)]
    pub recording: Recording,
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
    let mut tried = measure(synthesis, &changes, None, seeds, watch)?;
    let work = tried[0].as_ref().and_then(|one| {
        let (_, trouble) = synthesis.stretches(&one.recording)?;
        Some(effect::work(&trouble, synthesis.programs()))
    });
    changes.extend(changes::all(scenario, &synthesis.culprits));
    tried.extend(measure(synthesis, &changes[1..], work.as_ref(), seeds, watch)?);
    // The best two that can be done together.
    let mut order: Vec<usize> = (1..changes.len()).filter(|at| tried[*at].is_some()).collect();
    let lost = |at: usize, tried: &[Option<Tried>]| tried[at].as_ref().map_or(f64::MAX, |one| one.effect.lost);
    order.sort_by(|one, other| lost(*one, &tried).total_cmp(&lost(*other, &tried)));
    let killed = |at: usize| tried[at].as_ref().map_or(0, |one| one.effect.killed);
    let helps = |at: usize| lost(at, &tried) < 0.8 * lost(0, &tried) && killed(at) <= killed(0);
    let able: Vec<usize> = order.into_iter().filter(|at| helps(*at) && changes[*at].can_pair).take(4).collect();
    let both = able.iter().enumerate().find_map(|(nth, one)| {
        able[nth + 1..].iter().find_map(|other| changes::pair(&changes[*one], &changes[*other], scenario))
    });
    if let Some(both) = both {
        tried.extend(measure(synthesis, &[both], work.as_ref(), seeds, watch)?);
    }
    let mut tried: Vec<Tried> = tried.into_iter().flatten().collect();
    let as_it_was = tried.remove(0);
    // What has more processes killed helps nobody. What loses as many hundredths of the time is as good, since nobody notices less; then that
    // which costs less.
    let kills = |one: &Tried| one.effect.killed > as_it_was.effect.killed;
    let lost = |one: &Tried| (one.effect.lost * 1e2).floor();
    tried.sort_by(|one, other| {
        let by_kills = kills(one).cmp(&kills(other));
        let by_lost = by_kills.then(lost(one).total_cmp(&lost(other)));
        let by_cost = by_lost.then(cost(one, &as_it_was).cmp(&cost(other, &as_it_was)));
        by_cost.then(other.effect.culprits.total_cmp(&one.effect.culprits))
    });
    tried.insert(0, as_it_was);
    Ok(tried)
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

/// What each change does, for as much work as the victims did without it; none where the model refuses it.
fn measure(
    synthesis: &Synthesis<'_>,
    changes: &[Change],
    work: Option<&Work>,
    seeds: u64,
    watch: &dyn RunsProgress,
) -> Result<Vec<Option<Tried>>, Error> {
    let jobs: Vec<(usize, u64)> = (0..changes.len()).flat_map(|at| (1..=seeds).map(move |seed| (at, seed))).collect();
    let effects = on_all_cores(&jobs, watch, |(at, seed)| {
        let ran = run(&changes[*at].scenario, *seed, synthesis.manifest(), &|| watch.interrupted());
        let of = |ran: Trial| {
            let (calm, trouble) = synthesis.stretches(&ran.recording)?;
            let effect = effect::of(&calm, &trouble, synthesis.programs(), work);
            Some((effect, (*seed == 1).then_some(ran.recording)))
        };
        match ran {
            Ok(ran) => Ok((*at, of(ran))),
            Err(error) if watch.interrupted() => Err(error),
            Err(_) => Ok((*at, None)),
        }
    })?;
    let of = |at: usize| {
        let all = || effects.iter().filter(|(of, _)| *of == at).filter_map(|(_, effect)| effect.as_ref());
        let recording = all().find_map(|(_, recording)| recording.clone())?;
        let mut own: Vec<Effect> = all().map(|(effect, _)| *effect).collect();
        own.sort_by(|one, other| one.lost.total_cmp(&other.lost));
        let (first, last) = (own.first()?, own.last()?);
        let change = &changes[at];
        Some(Tried {
            what: change.words.clone(),
            apply: change.apply.clone(),
            undo: change.undo.clone(),
            effect: own[own.len() / 2],
            lost_range: (first.lost, last.lost),
            scenario: change.scenario.clone(),
            recording,
        })
    };
    Ok((0..changes.len()).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Bytes;

    #[test]
    fn a_setting_costs_less_than_hardware_and_hardware_less_than_the_work() {
        let text = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n[[machine.disk]]\nname = \"d\"\n\
            size = \"8GiB\"\nlatency = \"1ms\"\n[[step]]\nid = \"incident\"\n\
            spin = { time = \"1s\" }\n";
        let tried = |culprits: f64| Tried {
            what: String::new(),
            apply: None,
            undo: None,
            effect: Effect { culprits, ..Effect::default() },
            lost_range: (0.0, 0.0),
            scenario: Scenario::parse(text, "t.toml").unwrap(),
            recording: Recording::default(),
        };
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

//! The trials of a reproduction: as it was, with each guess at its other end, and with each advice.

use crate::advice::{self, Change};
use crate::effect::{self, Effect};
use crate::likeness::{self, Amounts, Compared};
use crate::stretch::{Stretch, whole};
use crate::synthesis::{INCIDENT, Synthesis};
use crate::trial::{self, Trial};
use pagetide_core::{Action, Bytes, BytesPerSecond, Diagnosis, Error, Load, Parallel, Recording, Scenario};
use pagetide_lab::plan::PlanProgress;
use serde::Serialize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An incident, shown again.
#[derive(Debug)]
pub struct Reproduced {
    /// The scenario that came nearest.
    pub scenario: Scenario,
    /// What was compared.
    pub compared: Vec<Compared>,
}

impl Reproduced {
    /// Whether all that was compared is alike.
    pub fn is_alike(&self) -> bool {
        self.compared.iter().all(|one| one.alike)
    }
}

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
}

/// Runs jobs on all cores, in order of their results.
fn run_all<T: Send, J: Sync>(
    jobs: &[J],
    watch: &dyn PlanProgress,
    work: impl Fn(&J) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(jobs.len().max(1));
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Mutex<Vec<(usize, Result<T, Error>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(at).filter(|_| !watch.interrupted()) else { return };
                    let result = work(job);
                    if let Ok(mut results) = results.lock() {
                        results.push((at, result));
                    }
                    watch.done(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    if watch.interrupted() {
        return Err(Error::interrupted());
    }
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Before the incident and in it, of a trial.
fn stretches<'a>(synthesis: &Synthesis, recording: &'a Recording) -> Option<(Stretch<'a>, Stretch<'a>)> {
    let (begin, end) = recording.span()?;
    let calm = i64::try_from(synthesis.calm.to.since(synthesis.calm.from).get()).unwrap_or(i64::MAX);
    let onset = begin.saturating_add(calm).min(end);
    Some((Stretch { recording, from: begin, to: onset }, Stretch { recording, from: onset, to: end }))
}

/// Runs a scenario and the same with each guess at its other ends, and keeps the one that is most like the recording.
///
/// # Errors
/// The model refuses the scenario, or the user interrupted.
pub fn reproduce(
    synthesis: &Synthesis,
    (recording, diagnosis): (&Recording, &Diagnosis),
    seed: u64,
    watch: &dyn PlanProgress,
) -> Result<Reproduced, Error> {
    let stretch = |span: pagetide_core::Span| Stretch { recording, from: span.from.ns(), to: span.to.ns() };
    let recorded = Amounts::of(&stretch(synthesis.calm), &stretch(synthesis.trouble));
    let judge = |scenario: &Scenario| -> Result<(f64, Reproduced), Error> {
        let Trial { recording, diagnosis: again } =
            trial::run(scenario, seed, synthesis.interval, &|| watch.interrupted())?;
        let Some((calm, trouble)) = stretches(synthesis, &recording) else {
            return Err(Error::system("the model took no samples of the incident", "report this with the recording"));
        };
        let amounts = Amounts::of(&calm, &trouble);
        let compared = likeness::compare((diagnosis, &recorded), (&again, &amounts));
        let unlike = compared.iter().filter(|one| !one.alike).count() as f64;
        let distance = unlike + recorded.distance(&amounts) / 10.0;
        Ok((distance, Reproduced { scenario: scenario.clone(), compared }))
    };
    let (mut distance, mut best) = judge(&synthesis.scenario)?;
    // One guess after the other, twice: the first one may look different once another one is right.
    for _ in 0..2 {
        if best.is_alike() {
            break;
        }
        let before = distance;
        for ends in other_ends(&best.scenario) {
            if best.is_alike() {
                break;
            }
            // An end that the model refuses is no better.
            let judged = run_all(&ends, watch, |scenario| Ok(judge(scenario).ok()))?;
            for (other, reproduced) in judged.into_iter().flatten() {
                if other < distance {
                    (distance, best) = (other, reproduced);
                }
            }
        }
        if distance >= before {
            break;
        }
    }
    Ok(best)
}

/// The scenario with each guess at its other ends: how large a working set is and how fast it is used, and what bandwidth the
/// disks have.
fn other_ends(scenario: &Scenario) -> Vec<Vec<Scenario>> {
    let mut all = Vec::new();
    let step = scenario.steps.iter().position(|step| step.id == INCIDENT);
    let Some((step, Action::Parallel(Parallel(parts)))) = step.map(|at| (at, &scenario.steps[at].action)) else {
        return all;
    };
    for (at, part) in parts.iter().enumerate() {
        let Load::Stream(spec) = &part.load else { continue };
        if !spec.random {
            continue;
        }
        let with = |change: &dyn Fn(&mut Load)| {
            let mut scenario = scenario.clone();
            if let Action::Parallel(Parallel(parts)) = &mut scenario.steps[step].action {
                change(&mut parts[at].load);
            }
            scenario
        };
        let rates = [0.1, 0.3, 3.0].map(|factor| {
            with(&|load| {
                if let Load::Stream(spec) = load {
                    spec.rate = spec.rate.map(|rate| BytesPerSecond::new(whole(rate.as_f64() * factor).max(4096)));
                }
            })
        });
        all.push(rates.to_vec());
        let blocks = spec.bs.get().max(1);
        let sizes = [0.5, 0.8].map(|factor| {
            with(&|load| {
                if let Load::Stream(spec) = load {
                    spec.size = Bytes::new((whole(spec.size.as_f64() * factor) / blocks).max(1) * blocks);
                }
            })
        });
        all.push(sizes.to_vec());
    }
    let disks = [0.5, 4.0].map(|factor| {
        let mut scenario = scenario.clone();
        for disk in &mut scenario.machine.disks {
            disk.bandwidth = disk.bandwidth.map(|rate| BytesPerSecond::new(whole(rate.as_f64() * factor).max(4096)));
        }
        scenario
    });
    all.push(disks.to_vec());
    all
}

/// Tries each advice on the model, and the best two together. The best comes first: what those who lost time lose least with.
///
/// # Errors
/// The user interrupted, or the model refuses the scenario.
pub fn try_advice(
    synthesis: &Synthesis,
    scenario: &Scenario,
    seeds: u64,
    watch: &dyn PlanProgress,
) -> Result<Vec<Tried>, Error> {
    let nothing =
        Change { words: "nothing".to_owned(), apply: None, undo: None, can_pair: false, scenario: scenario.clone() };
    let mut changes = vec![nothing];
    changes.extend(advice::all(scenario, &synthesis.culprits));
    let mut tried = measure(synthesis, &changes, seeds, watch)?;
    // The best two that can be done together.
    let mut order: Vec<usize> = (1..changes.len()).filter(|at| tried[*at].is_some()).collect();
    let lost = |at: usize, tried: &[Option<Tried>]| tried[at].as_ref().map_or(f64::MAX, |one| one.effect.lost);
    order.sort_by(|one, other| lost(*one, &tried).total_cmp(&lost(*other, &tried)));
    let helps = |at: usize| lost(at, &tried) < 0.8 * lost(0, &tried);
    let able: Vec<usize> = order.into_iter().filter(|at| helps(*at) && changes[*at].can_pair).take(4).collect();
    let both = able.iter().enumerate().find_map(|(nth, one)| {
        able[nth + 1..].iter().find_map(|other| advice::pair(&changes[*one], &changes[*other], scenario))
    });
    if let Some(both) = both {
        tried.extend(measure(synthesis, &[both], seeds, watch)?);
    }
    let mut tried: Vec<Tried> = tried.into_iter().flatten().collect();
    let as_it_was = tried.remove(0);
    // What differs by less than a thousandth of the time is as good; then that which costs the culprits less.
    let lost = |one: &Tried| (one.effect.lost * 1e3).round();
    tried.sort_by(|one, other| {
        lost(one).total_cmp(&lost(other)).then(other.effect.culprits.total_cmp(&one.effect.culprits))
    });
    tried.insert(0, as_it_was);
    Ok(tried)
}

/// What each change does; none where the model refuses it.
fn measure(
    synthesis: &Synthesis,
    changes: &[Change],
    seeds: u64,
    watch: &dyn PlanProgress,
) -> Result<Vec<Option<Tried>>, Error> {
    let jobs: Vec<(usize, u64)> = (0..changes.len()).flat_map(|at| (1..=seeds).map(move |seed| (at, seed))).collect();
    let effects = run_all(&jobs, watch, |(at, seed)| {
        let ran = trial::run(&changes[*at].scenario, *seed, synthesis.interval, &|| watch.interrupted());
        let of = |ran: Trial| {
            let (calm, trouble) = stretches(synthesis, &ran.recording)?;
            Some(effect::of(&calm, &trouble, &synthesis.culprits))
        };
        match ran {
            Ok(ran) => Ok((*at, of(ran))),
            Err(error) if watch.interrupted() => Err(error),
            Err(_) => Ok((*at, None)),
        }
    })?;
    let of = |at: usize| {
        let mut own: Vec<Effect> =
            effects.iter().filter(|(of, _)| *of == at).filter_map(|(_, effect)| *effect).collect();
        own.sort_by(|one, other| one.lost.total_cmp(&other.lost));
        let (first, last) = (own.first()?, own.last()?);
        let change = &changes[at];
        Some(Tried {
            what: change.words.clone(),
            apply: change.apply.clone(),
            undo: change.undo.clone(),
            effect: own[own.len() / 2],
            lost_range: (first.lost, last.lost),
        })
    };
    Ok((0..changes.len()).map(of).collect())
}

//! The values of what a recording leaves open with which the model comes nearest to it.

use super::likeness::{self, Amounts, Compared};
use super::trial::{self, Trial};
use crate::cores::on_all_cores;
use crate::guess::{Factors, FittedGuess, Knob};
use crate::load::{CommandLoad, Kind};
use crate::recorded::disk::DiskModel;
use crate::recorded::until;
use crate::synthesis::Synthesis;
use pagetide_core::{Diagnosis, Error, Recording, Scenario, Span};
use pagetide_lab::plan::RunsProgress;

/// Steps of a factor: a coarse one, then finer ones.
const STEPS: [f64; 3] = [3.0, 1.7, 1.25];
/// Trials of an incident at most.
const MAX_TRIALS: usize = 96;
/// Where no step of one factor comes nearer, all move at once, each by this much at most.
const JUMP: f64 = 2.0;
/// Jumps that are tried at once.
const JUMPS: usize = 6;

/// An incident, shown again.
#[derive(Debug)]
pub struct Reproduced {
    /// The scenario that came nearest.
    pub scenario: Scenario,
    /// The same as a text that people can read and edit.
    pub toml: String,
    /// What was compared.
    pub compared: Vec<Compared>,
    /// The guesses that were tried at other values.
    pub fitted: Vec<FittedGuess>,
    /// Runs of the model that were compared.
    pub runs: usize,
    /// What the model recorded.
    pub recording: Recording,
}

impl Reproduced {
    /// Whether all that is asked is alike.
    pub fn is_alike(&self) -> bool {
        !self.compared.iter().any(Compared::differs)
    }
}

/// A trial at some factors.
#[derive(Debug)]
struct Tried {
    factors: Factors,
    distance: f64,
    compared: Vec<Compared>,
    ran: Trial,
}

/// Runs the scenario of a recording, and where the incidents differ looks for the values of its guesses that are nearer: one guess after
/// the other, within the range that the recording leaves open.
///
/// # Errors
/// The model refuses the scenario, or the user interrupted.
pub fn reproduce(
    synthesis: &Synthesis<'_>,
    diagnosis: &Diagnosis,
    seed: u64,
    watch: &dyn RunsProgress,
) -> Result<Reproduced, Error> {
    // What another incident did to the time before this one is not usual.
    let onset = synthesis.facts.trouble.from;
    let earlier: Vec<Span> =
        diagnosis.incidents.iter().map(|other| other.range).filter(|range| range.to.ns() <= onset).collect();
    let recorded = Amounts::since(&synthesis.facts.calm.without(&earlier), &synthesis.facts.trouble, None);
    let busiest = recorded.disk.as_deref().and_then(|disk| synthesis.disk_of_model(disk));
    let of_part = synthesis.of_repeated_part(diagnosis);
    let diagnosis = of_part.as_ref().unwrap_or(diagnosis);
    let judge = |factors: &Factors| -> Result<Tried, Error> {
        let (_, scenario) = synthesis.scenario(*factors)?;
        let ran = trial::run(&scenario, seed, synthesis.manifest(), &|| watch.interrupted())?;
        let Some((calm, trouble)) = synthesis.stretches(&ran.recording) else {
            return Err(Error::system("the model took no samples of the incident", "report this with the recording"));
        };
        let again = Amounts::since(&[calm], &trouble, busiest.as_deref());
        let names = |name: &str| synthesis.recorded_disk(name);
        let compared = likeness::compare((diagnosis, &recorded), (&ran.diagnosis, &again), &names);
        let distance = likeness::distance(&compared) + recorded.distance(&again) / 100.0;
        Ok(Tried { factors: *factors, distance, compared, ran })
    };
    let first = judge(&Factors::FIRST)?;
    let judge_all = |jobs: &[Factors]| {
        // A value that the model refuses is no better.
        let tried = on_all_cores(jobs, watch, |factors| Ok(judge(factors).ok()))?;
        Ok(tried.into_iter().flatten().collect())
    };
    let mut search = Search {
        synthesis,
        knobs: Knob::ALL.into_iter().filter(|knob| synthesis.has(*knob)).collect(),
        judge_all: &judge_all,
        asked: vec![first.factors],
        seen: vec![(first.factors, words(&first))],
        best: first,
        jumps: 0,
    };
    while !search.is_over() {
        while search.descend()? {}
        search.jump()?;
    }
    let Search { best, seen, knobs, .. } = search;
    let (toml, scenario) = synthesis.scenario(best.factors)?;
    let fitted = knobs.iter().filter_map(|knob| fitted(synthesis, *knob, best.factors, &seen)).collect();
    let runs = seen.len();
    Ok(Reproduced { scenario, toml, compared: best.compared, fitted, runs, recording: best.ran.recording })
}

/// Tries all of these factors; nothing comes of those that the model refuses.
type JudgeAll<'a> = dyn Fn(&[Factors]) -> Result<Vec<Tried>, Error> + 'a;

/// The trials of an incident, and the nearest of them.
struct Search<'a> {
    synthesis: &'a Synthesis<'a>,
    /// The guesses that the scenario has.
    knobs: Vec<Knob>,
    judge_all: &'a JudgeAll<'a>,
    /// What was to be tried, refused or not.
    asked: Vec<Factors>,
    /// What the model ran, and its amounts.
    seen: Vec<(Factors, String)>,
    best: Tried,
    jumps: usize,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.best.is_alike() || self.asked.len() >= MAX_TRIALS
    }

    /// Tries those of these factors that are new. The factors of the nearest, if it is nearer than all before.
    fn take(&mut self, mut jobs: Vec<Factors>) -> Result<Option<Factors>, Error> {
        jobs.retain(|factors| !self.asked.iter().any(|asked| asked.is_same(factors)));
        self.asked.extend(&jobs);
        let mut nearer = None;
        for one in (self.judge_all)(&jobs)? {
            self.seen.push((one.factors, words(&one)));
            if one.distance < self.best.distance {
                nearer = Some(one.factors);
                self.best = one;
            }
        }
        Ok(nearer)
    }

    /// Moves one factor after the other by coarse and then finer steps. Whether that came nearer.
    fn descend(&mut self) -> Result<bool, Error> {
        let began = self.best.distance;
        for step in STEPS {
            for knob in self.knobs.clone() {
                // Both ways first, then on in the one that was nearer.
                let mut ways = vec![step, 1.0 / step];
                while !ways.is_empty() {
                    if self.is_over() {
                        return Ok(false);
                    }
                    let (from, to) = self.synthesis.range(knob);
                    let (factors, at) = (self.best.factors, self.best.factors.of(knob));
                    let values = ways.iter().map(|way| (at * way).clamp(from, to));
                    let moved = values.filter(|value| (value / at - 1.0).abs() > 0.01);
                    let jobs = moved.map(|value| factors.with(knob, value)).collect();
                    let nearer = self.take(jobs)?.map(|nearer| nearer.of(knob) > at);
                    ways = nearer.map(|up| if up { step } else { 1.0 / step }).into_iter().collect();
                }
            }
        }
        Ok(self.best.distance < began)
    }

    /// Moves all factors at once, evenly spread around the nearest trial.
    fn jump(&mut self) -> Result<(), Error> {
        while !self.is_over() {
            let factors = self.best.factors;
            let to = |nth: usize| {
                let moves = spread(nth, self.knobs.len());
                self.knobs.iter().zip(moves).fold(factors, |factors, (knob, part)| {
                    let (from, to) = self.synthesis.range(*knob);
                    factors.with(*knob, (factors.of(*knob) * JUMP.powf(2.0 * part - 1.0)).clamp(from, to))
                })
            };
            let jobs = (self.jumps..self.jumps + JUMPS).map(to).collect();
            self.jumps += JUMPS;
            if self.take(jobs)?.is_some() {
                break;
            }
        }
        Ok(())
    }
}

/// The point with this number of a sequence that fills a cube evenly (M. Roberts, The Unreasonable Effectiveness of Quasirandom Sequences, 2018).
fn spread(nth: usize, dimensions: usize) -> Vec<f64> {
    // The root of x^(d+1) = x + 1.
    let power = 1.0 / (dimensions as f64 + 1.0);
    let root = (0..32).fold(2.0_f64, |root, _| (1.0 + root).powf(power));
    let steps = std::iter::successors(Some(1.0 / root), |step| Some(step / root));
    steps.take(dimensions).map(|step| (0.5 + (nth + 1) as f64 * step).fract()).collect()
}

impl Tried {
    /// Whether all that is asked is alike.
    fn is_alike(&self) -> bool {
        !self.compared.iter().any(Compared::differs)
    }
}

/// The amounts of a trial.
fn words(tried: &Tried) -> String {
    let amounts = tried.compared.iter().filter(|one| one.is_amount);
    let all: Vec<String> = amounts.map(|one| format!("{} {}", one.what, one.again)).collect();
    all.join(", ")
}

/// What is said of a guess: its value, and what came of others beside the values of the other guesses that were kept.
fn fitted(synthesis: &Synthesis<'_>, knob: Knob, kept: Factors, seen: &[(Factors, String)]) -> Option<FittedGuess> {
    let mut sensitivity: Vec<(f64, &String)> = seen
        .iter()
        .filter(|(factors, _)| factors.with(knob, 1.0) == kept.with(knob, 1.0))
        .map(|(factors, words)| (factors.of(knob), words))
        .collect();
    sensitivity.sort_by(|one, other| one.0.total_cmp(&other.0));
    (sensitivity.len() > 1).then(|| FittedGuess {
        what: knob.name(),
        why: knob.why(),
        range: synthesis.range(knob),
        factor: kept.of(knob),
        sensitivity: sensitivity.iter().map(|(factor, words)| format!("x {factor:.2}: {words}")).collect(),
    })
}

impl Synthesis<'_> {
    /// What the rules say of the part of an incident that is repeated, where that is not all of it and they find the same cause in it: who came later
    /// did nothing in that part.
    fn of_repeated_part(&self, whole: &Diagnosis) -> Option<Diagnosis> {
        self.shortened_from()?;
        let part = pagetide_diagnose::diagnose(&until(self.facts.trouble.recording, self.facts.trouble.to));
        let rule = |diagnosis: &Diagnosis| diagnosis.cause.as_ref().map(|cause| cause.rule);
        (rule(&part) == rule(whole) && part.verdict == whole.verdict).then_some(part)
    }

    /// Whether the scenario has something that a knob changes.
    fn has(&self, knob: Knob) -> bool {
        let any = |of: fn(&CommandLoad) -> bool| self.facts.loads.iter().any(of);
        match knob {
            Knob::WorkingSets => any(|load| load.kind.files().is_some()),
            Knob::Skew => any(|load| matches!(load.kind, Kind::WorkingSet { warm: true, .. })),
            Knob::ThinkTime => any(|load| load.ran_before && load.kind.rate().is_some()),
            Knob::NewLoad => any(|load| !load.ran_before && load.kind.rate().is_some()),
            Knob::Syncs => any(|load| matches!(load.kind, Kind::Write { sync_every: Some(_), .. })),
            Knob::Latency | Knob::Limits => true,
        }
    }

    /// The range that the recording leaves open, as factors.
    pub(crate) fn range(&self, knob: Knob) -> (f64, f64) {
        match knob {
            // What is cached at the onset is the most that is used of it, but for what was evicted before.
            Knob::WorkingSets => (0.15, 1.3),
            Knob::ThinkTime => (0.2, 20.0),
            Knob::NewLoad => (0.6, 2.5),
            Knob::Latency => (0.3, 3.0),
            // Each disk keeps to its own part of it.
            Knob::Limits => {
                let ranges = self.facts.disks.iter().map(DiskModel::range_of_limits);
                ranges.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1))).unwrap_or((1.0, 1.0))
            }
            Knob::Syncs => (0.25, 8.0),
            // Evenly, to 24 of 25 reads to one in 25 blocks.
            Knob::Skew => (1.0, 24.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn points_fill_a_cube_evenly() {
        for dimensions in 1..=6 {
            let points: Vec<Vec<f64>> = (0..32).map(|nth| spread(nth, dimensions)).collect();
            assert!(points.iter().flatten().all(|part| (0.0..1.0).contains(part)), "{points:?}");
            for at in 0..dimensions {
                let upper = points.iter().filter(|point| point[at] >= 0.5).count();
                assert!((10..=22).contains(&upper), "{dimensions} dimensions, {at}: {upper} of 32");
            }
        }
    }
}

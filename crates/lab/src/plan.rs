//! Plans: a scenario run on the model at many settings, on all cores.

mod observed;
mod pool;
mod shipped;
mod vary;

pub use observed::{Observed, ObservedMachine, RecordedFigure, model_settings};
pub use pool::{RunsProgress, run_all};
pub use shipped::{ShippedPlan, shipped, shipped_ids};
pub use vary::parse as parse_varied;

use crate::sim::{Model, ModelOptions, depends_on_seed};
use crate::{catalogue, claims};
use pagetide_core::{
    Bytes, Claim, ClaimStatus, Error, ErrorKind, Figure, MeasuredPoint, Outcome, Plan, PlanPoint, RunRequest,
    RunResult, Scale, Scenario, StepResult, VariedSetting, suggest,
};
use std::time::{Duration, Instant};

/// Runs of a plan beyond which it needs `--yes`.
pub const MANY_RUNS: usize = 10_000;

/// A plan as the user asks for it.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    /// The scenario: a shipped id, or the path of a TOML file.
    pub scenario: String,
    /// The text of the scenario, if it was made from a host or a recording.
    pub text: Option<String>,
    /// Its scale.
    pub scale: Scale,
    /// Changes to it, in the syntax of `--set`.
    pub sets: Vec<String>,
    /// Run only these steps, and earlier ones that change the machine; all if empty.
    pub steps: Vec<String>,
    /// What is varied.
    pub varied: Vec<VariedSetting>,
    /// The figure to show, such as `A2.iops`; by default that of the last fio step.
    pub show: Option<String>,
    /// The goal, as an expression over figures.
    pub goal: Option<String>,
    /// Number of seeds for each point.
    pub seeds: u64,
    /// The first seed.
    pub seed: u64,
    /// How the model runs.
    pub model: ModelOptions,
}

/// A checked request: every point of it can be parsed, and the figure and the goal are of its steps.
#[derive(Debug)]
pub struct CheckedPlan {
    request: PlanRequest,
    step: String,
    figure: Figure,
    combinations: Vec<Vec<usize>>,
    /// Runs of each combination: one if nothing depends on the seed, else one for each seed.
    runs_each: usize,
}

/// The result of a run.
type Ran = Result<Vec<StepResult>, Error>;

impl PlanRequest {
    /// Checks the request.
    ///
    /// # Errors
    /// The scenario, a setting, the figure or the goal is wrong.
    pub fn check(self) -> Result<CheckedPlan, Error> {
        if self.seeds == 0 || self.seeds > MANY_RUNS as u64 {
            let hint = format!("write 1 to {MANY_RUNS}");
            return Err(Error::input(format!("--seeds {} is out of range", self.seeds), hint));
        }
        let keys = || self.varied.iter().map(|setting| setting.key.as_str());
        if let Some((_, key)) = keys().enumerate().find(|(at, key)| keys().take(*at).any(|other| other == *key)) {
            let what = format!("--vary {key} appears twice");
            return Err(Error::input(what, format!("give all of its values at once: --vary {key}=VALUE,VALUE")));
        }
        let count = self.varied.iter().try_fold(1_usize, |all, setting| all.checked_mul(setting.values.len()));
        let count = count.filter(|count| *count <= 1 << 24).ok_or_else(|| {
            Error::input("the plan has more than 16 million points", "vary fewer settings, or each at fewer values")
        })?;
        let mut combinations = Vec::with_capacity(count);
        let mut at = vec![0; self.varied.len()];
        for _ in 0..count {
            combinations.push(at.clone());
            // The first setting changes fastest, so that an interrupted plan has whole curves.
            for (place, setting) in at.iter_mut().zip(&self.varied) {
                *place += 1;
                if *place < setting.values.len() {
                    break;
                }
                *place = 0;
            }
        }
        // Every value of every setting is parsed here; combinations are checked when they run.
        let mut draws = false;
        for (place, setting) in self.varied.iter().enumerate() {
            for value in 0..setting.values.len() {
                let mut at = vec![0; self.varied.len()];
                at[place] = value;
                draws |= depends_on_seed(&self.scenario_at(&at)?);
            }
        }
        let scenario = self.scenario_at(&vec![0; self.varied.len()])?;
        draws |= depends_on_seed(&scenario);
        let (step, figure) = figure_of(&scenario, self.show.as_deref())?;
        if let Some(goal) = &self.goal {
            claims::validate(&with_goal(&scenario, goal), |_| "--goal".to_owned())?;
        }
        let runs_each = if draws { usize::try_from(self.seeds).unwrap_or(usize::MAX) } else { 1 };
        Ok(CheckedPlan { step, figure, combinations, runs_each, request: self })
    }

    /// The scenario at a combination, scaled.
    fn scenario_at(&self, at: &[usize]) -> Result<Scenario, Error> {
        let mut sets = self.sets.clone();
        sets.extend(self.varied.iter().zip(at).map(|(setting, at)| format!("{}={}", setting.key, setting.values[*at])));
        let found = match &self.text {
            Some(text) => catalogue::read(text.clone(), &self.scenario, &sets)?,
            None => catalogue::find(&self.scenario, &sets)?,
        };
        let mut scenario = found.scenario;
        if !self.steps.is_empty() {
            scenario = catalogue::only(&scenario, &self.steps)?;
        }
        scenario.claims.clear();
        // The model has no page cache trace, and a plan needs none.
        scenario.trace = None;
        Ok(scenario.scaled(self.scale))
    }
}

/// The scenario with the goal as its only claim.
fn with_goal(scenario: &Scenario, goal: &str) -> Scenario {
    let claim = Claim { id: "goal".to_owned(), text: goal.to_owned(), check: goal.to_owned() };
    Scenario { claims: vec![claim], ..scenario.clone() }
}

/// Whom the OOM killer ended in a run, the loads of steps before others.
fn killed(steps: &[StepResult]) -> Option<String> {
    let load = steps.iter().find(|step| step.outcome == Outcome::Killed);
    let other = || steps.iter().find(|step| step.get(Figure::OomKills).is_some_and(|kills| kills > 0.0));
    let of_load = |step: &StepResult| format!("the OOM killer killed {}", step.id);
    let of_other = |step: &StepResult| format!("the OOM killer killed a process during {}", step.id);
    load.map(of_load).or_else(|| other().map(of_other))
}

/// Why no point of a plan has its figure, if the model refused any, or somebody was killed.
fn refusal(plan: &Plan) -> Option<Error> {
    if plan.points.iter().any(|point| !point.values.is_empty()) {
        return None;
    }
    let refused = || plan.points.iter().filter_map(|point| Some((point, point.refused.as_ref()?)));
    let (point, first) = refused().next()?;
    let is_everywhere = refused().count() == plan.points.len() && refused().all(|(_, why)| why == first);
    let what = match (plan.points.len(), is_everywhere) {
        (1, _) => first.clone(),
        (_, true) => format!("at every setting {first}"),
        (_, false) => format!("no setting has the figure: with {} {first}", plan.settings(point)),
    };
    Some(Error::input(what, "vary it over other values, or change what all points have in common with --set"))
}

/// The step and the figure that are shown.
fn figure_of(scenario: &Scenario, show: Option<&str>) -> Result<(String, Figure), Error> {
    let ids: Vec<String> = scenario.result_ids().collect();
    let Some(show) = show else {
        let works = scenario.steps.iter().rfind(|step| step.action.kind() == "fio");
        let step = works.ok_or_else(|| {
            Error::input(
                format!("{} has no fio step whose IOPS could be shown", scenario.id),
                "name a figure: --show STEP.FIGURE",
            )
        })?;
        return Ok((step.id.clone(), Figure::Iops));
    };
    let wrong = |what: String| Error::input(what, "write STEP.FIGURE such as A2.iops");
    let (step, figure) = show.split_once('.').ok_or_else(|| wrong(format!("--show {show}: no `.`")))?;
    if !ids.iter().any(|id| id == step) {
        let hint = suggest::hint(step, ids.iter().map(String::as_str));
        return Err(wrong(format!("--show {show}: {} has no step `{step}`{hint}", scenario.id)));
    }
    let figure = Figure::by_name(figure).ok_or_else(|| {
        let hint = suggest::hint(figure, Figure::ALL.iter().map(|figure| figure.name()));
        wrong(format!("--show {show}: no figure `{figure}`{hint}"))
    })?;
    Ok((step.to_owned(), figure))
}

impl CheckedPlan {
    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.combinations.len().saturating_mul(self.runs_each)
    }

    /// The time that all runs would take on `cores`, by running the first one.
    ///
    /// # Errors
    /// The model refuses it, or the user interrupts it.
    pub fn forecast(&self, cores: usize, progress: &dyn RunsProgress) -> Result<Duration, Error> {
        let began = Instant::now();
        self.run_one(&self.combinations[0], self.request.seed, cores, progress)?;
        let all = began.elapsed().as_secs_f64() * self.runs() as f64 / cores.max(1) as f64;
        Ok(Duration::from_secs_f64(all.min(1e15)))
    }

    /// Runs it on `cores`. When the user interrupts, the plan has the points that were computed.
    ///
    /// # Errors
    /// The model refuses every point.
    pub fn run(&self, cores: usize, progress: &dyn RunsProgress) -> Result<Plan, Error> {
        let seeds = self.runs_each;
        let at_once = cores.max(1).min(self.runs());
        let results = pool::run_all(self.runs(), cores, progress, |job| {
            let seed = self.request.seed.wrapping_add((job % seeds) as u64);
            self.run_one(&self.combinations[job / seeds], seed, at_once, progress)
        });
        let is_whole = |run: &Ran| !matches!(run, Err(error) if error.kind == ErrorKind::Interrupted);
        let mut points = Vec::new();
        for (at, combination) in self.combinations.iter().enumerate() {
            let own: Vec<&Ran> =
                results.iter().filter(|(job, run)| job / seeds == at && is_whole(run)).map(|(_, run)| run).collect();
            // A point that some seeds lack would not compare with the others.
            if own.len() == seeds {
                points.push(self.point(combination, &own)?);
            }
        }
        let plan = self.plan(points);
        refusal(&plan).map_or(Ok(plan), Err)
    }

    /// Runs one combination, `at_once` of them in parallel, with its share of the memory that models may take.
    fn run_one(&self, combination: &[usize], seed: u64, at_once: usize, progress: &dyn RunsProgress) -> Ran {
        let request = &self.request;
        let scenario = request.scenario_at(combination)?;
        let memory = request.model.memory.map(|memory| Bytes::new(memory.get() / at_once.max(1) as u64));
        let run = RunRequest { scenario, scale: request.scale, seed };
        Model::new(ModelOptions { memory, ..request.model.clone() }).steps_unless(&run, &|| progress.interrupted())
    }

    fn point(&self, combination: &[usize], runs: &[&Ran]) -> Result<PlanPoint, Error> {
        let mut point = PlanPoint { at: combination.to_vec(), values: Vec::new(), meets_goal: None, refused: None };
        // Of each seed: whether it meets the goal, none where that cannot be computed.
        let mut met: Vec<Option<bool>> = Vec::new();
        for run in runs {
            match run {
                Ok(steps) => {
                    let step = steps.iter().find(|step| step.id == self.step);
                    point.values.extend(step.and_then(|step| step.get(self.figure)));
                    let killed = killed(steps);
                    if let Some(goal) = &self.request.goal {
                        let scenario = with_goal(&self.request.scenario_at(combination)?, goal);
                        let holds = claims::check(&scenario, steps).first().map(|verdict| verdict.holds);
                        met.push(match holds {
                            _ if killed.is_some() => Some(false),
                            Some(ClaimStatus::Holds) => Some(true),
                            Some(ClaimStatus::Fails) => Some(false),
                            _ => None,
                        });
                    }
                    point.refused = point.refused.or(killed);
                }
                Err(error) if error.kind == ErrorKind::Input => {
                    met.push(None);
                    point.refused = Some(error.what.clone());
                }
                Err(error) => return Err(error.clone()),
            }
        }
        // What did not do its work has no figure of it. How many were killed is one all the same.
        if point.refused.is_some() && self.figure != Figure::OomKills {
            point.values.clear();
        }
        if self.request.goal.is_some() {
            point.meets_goal = if met.contains(&Some(false)) {
                Some(false)
            } else {
                met.into_iter().try_fold(true, |all, one| one.map(|one| all && one))
            };
        }
        let copies = usize::try_from(self.request.seeds).unwrap_or(usize::MAX) / self.runs_each;
        point.values = point.values.repeat(copies);
        point.values.sort_by(f64::total_cmp);
        Ok(point)
    }

    fn plan(&self, points: Vec<PlanPoint>) -> Plan {
        let request = &self.request;
        Plan {
            question: String::new(),
            explanation: String::new(),
            guesses: Vec::new(),
            scenario: request.scenario.clone(),
            scale: request.scale,
            step: self.step.clone(),
            figure: self.figure.name().to_owned(),
            varied: request.varied.clone(),
            goal: request.goal.clone(),
            seeds: request.seeds,
            points,
            planned: self.combinations.len(),
            measured: Vec::new(),
        }
    }

    /// A run on a real kernel as a point of the plan: its figure, at its machine's value of the first setting. `None` if it is of another scenario
    /// or scale, or did not measure the figure.
    pub fn measured(&self, run: &RunResult, scenario: &Scenario) -> Option<MeasuredPoint> {
        let setting = self.request.varied.first()?;
        let x = match setting.key.as_str() {
            "memory" => scenario.machine.memory.as_f64(),
            key => *scenario.machine.sysctl.get(key)? as f64,
        };
        let y = run.steps.iter().find(|step| step.id == self.step)?.get(self.figure)?;
        (run.scenario == self.request.scenario && run.scale == self.request.scale).then(|| MeasuredPoint {
            backend: run.backend.clone(),
            x,
            y,
        })
    }
}

#[cfg(test)]
mod tests;

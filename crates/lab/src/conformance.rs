//! How far the model is from real kernels: catalogue scenarios on both, figure by figure.
//!
//! The runs of real kernels are stored (`fixtures/conformance`), at least two seeds of each scenario, so that their own noise is
//! known. The model runs the same scenario at the same scale with the same seeds and three more, and medians are compared. CPU
//! times of an emulated machine are not the model's: they are calibrated by the steps that did no disk IO ([`sim::calibrate`]),
//! and steps that a time limit ended do as many requests in the model as they did in the run.

pub mod document;
mod judge;
mod memory;
pub mod misses;
mod order;
mod reference;

pub use judge::{Band, JudgedFigure, Verdict};
pub use order::{Order, orders};
pub use reference::{Reference, references};

use crate::catalogue;
use crate::sim::{self, MeasuredMemory, Model, ModelOptions};
use pagetide_core::{
    BytesPerSecond, Error, Figure, Lru, Outcome, RunRequest, RunResult, Scenario, StepResult, suggest,
};
use pagetide_sim::{Costs, Mechanisms, Release};
use std::collections::BTreeMap;

/// Seeds of the model beside those of the reference runs.
const MORE_SEEDS: u64 = 3;

/// One scenario on a kernel and on the model.
#[derive(Debug, Clone)]
pub struct Conformance {
    /// The scenario.
    pub scenario: String,
    /// The runs on a kernel.
    pub references: Vec<Reference>,
    /// Memory of the machine of the first run before its first step. The model gets it, because a VM has more memory than the
    /// scenario's machine, and its watermarks depend on all of it. Its initramfs and its init hold most of the difference.
    pub memory: Option<MeasuredMemory>,
    /// By how much the reference's CPU is slower than the model's default, and whether its own steps show it.
    pub cpu: (f64, bool),
    /// The figures; none where the model refuses the scenario.
    pub figures: Vec<JudgedFigure>,
    /// Why the model refuses it.
    pub refused: Option<String>,
}

impl Conformance {
    /// The scenario and, where it is not the LRU of its machine, the kernel and its LRU.
    pub fn name(&self) -> String {
        match self.references.first() {
            Some(first) if first.lru == Lru::Mglru => {
                let release: Vec<&str> = first.result.kernel.splitn(3, '.').take(2).collect();
                format!("{} on {} with MGLRU", self.scenario, release.join("."))
            }
            _ => self.scenario.clone(),
        }
    }

    /// The errors of the judged figures that are not exact, smallest first.
    fn errors(&self) -> Vec<f64> {
        let judged = self.figures.iter().filter(|figure| figure.counts);
        let mut errors: Vec<f64> = judged.filter_map(JudgedFigure::error).collect();
        errors.sort_by(f64::total_cmp);
        errors
    }

    /// The figures beyond their band.
    pub fn misses(&self) -> impl Iterator<Item = &JudgedFigure> {
        self.figures.iter().filter(|figure| figure.verdict == Verdict::Beyond)
    }

    /// Whether there are any.
    pub fn has_misses(&self) -> bool {
        self.misses().next().is_some()
    }

    /// The median error of its figures of amount.
    pub fn median(&self) -> Option<f64> {
        let errors = self.errors();
        errors.get(errors.len() / 2).copied()
    }

    /// The largest.
    pub fn worst(&self) -> Option<f64> {
        self.errors().last().copied()
    }
}

/// The model without one of its mechanisms; whole without a name.
///
/// # Errors
/// It has no such mechanism.
pub fn mechanisms(without: Option<&str>) -> Result<Mechanisms, Error> {
    let Some(name) = without else { return Ok(Mechanisms::default()) };
    Mechanisms::without(name).ok_or_else(|| {
        Error::input(
            format!("the model has no mechanism `{name}`{}", suggest::hint(name, Mechanisms::NAMES.iter().copied())),
            format!("mechanisms: {}", Mechanisms::NAMES.join(", ")),
        )
    })
}

/// Compares the model with the stored runs of a scenario.
///
/// # Errors The model fails. A mechanism that it lacks is not an error.
pub fn of(id: &str, references: &[Reference], mechanisms: Mechanisms) -> Result<Conformance, Error> {
    let Some(first) = references.first() else {
        return Err(Error::input(format!("no stored run of {id}"), "record one with --on vm"));
    };
    let scenario = catalogue::find(id, &[])?.scenario.scaled(first.result.scale);
    compare(scenario, references, &[], mechanisms)
}

/// Compares the model with a run that a VM has just made of a scenario, which is scaled as it was run. Stored runs of the same machine say
/// how far runs of the kernel are from each other.
///
/// # Errors The model fails. A mechanism that it lacks is not an error.
pub fn of_run(scenario: &Scenario, run: &RunResult) -> Result<Conformance, Error> {
    let lru = scenario.machine.lru.unwrap_or(Lru::Classic);
    let reference = Reference::new(run.clone(), lru);
    // A changed scenario, or one with only some steps, counts as another machine.
    let shipped = catalogue::find(&scenario.id, &[]).is_ok_and(|found| {
        let mut shipped = found.scenario.scaled(run.scale);
        shipped.machine.lru = scenario.machine.lru;
        shipped == *scenario
    });
    let alike = |stored: &Reference| {
        let result = &stored.result;
        shipped && result.scenario == run.scenario && result.scale == run.scale && stored.same_kernel(&reference)
    };
    let repeats: Vec<Reference> =
        references()?.into_iter().flat_map(|(_, runs)| runs).filter(|stored| alike(stored)).collect();
    compare(scenario.clone(), &[reference], &repeats, Mechanisms::default())
}

/// Compares the model with `references`; `repeats` are more runs of the same machine, of which only the noise is taken.
fn compare(
    mut scenario: Scenario,
    references: &[Reference],
    repeats: &[Reference],
    mechanisms: Mechanisms,
) -> Result<Conformance, Error> {
    let Some(first) = references.first() else { return Err(Error::input("no run to compare with", "")) };
    scenario.machine.lru = Some(first.lru);
    let mut conformance = Conformance {
        scenario: scenario.id.clone(),
        references: references.to_vec(),
        memory: first.memory(),
        cpu: (1.0, false),
        figures: Vec::new(),
        refused: None,
    };
    let options = ModelOptions {
        interval: None,
        dilate: first.dilated(),
        measured: conformance.memory,
        release: Release::near(&first.result.kernel),
        mechanisms,
        requests: requests(references),
        paces: paces(&scenario, references),
        ..ModelOptions::default()
    };
    let scenario = match sim::runnable(&scenario) {
        Ok((scenario, left_out)) => {
            conformance.refused = (!left_out.is_empty()).then(|| left_out.join("; "));
            scenario
        }
        Err(error) => {
            conformance.refused = Some(error.what);
            return Ok(conformance);
        }
    };
    let request = RunRequest { scenario: scenario.clone(), scale: first.result.scale, seed: first.result.seed };
    let native = Model::new(options.clone()).steps(&request)?;
    let own = sim::calibrate(&first.result.steps, &native);
    conformance.cpu = (own.unwrap_or(sim::EMULATED), own.is_some());
    let costs = Costs::default().times(conformance.cpu.0);
    let seeds = references.iter().map(|reference| reference.result.seed);
    let more = (1..=MORE_SEEDS).map(|at| first.result.seed.wrapping_add(1000 * at));
    // One run stands for all seeds where they decide nothing.
    let wanted = if sim::depends_on_seed(&scenario) { usize::MAX } else { 1 };
    let seeds: Vec<u64> = seeds.chain(more).take(wanted).collect();
    let with_memory = |measured: Option<MeasuredMemory>| -> Result<Vec<JudgedFigure>, Error> {
        let options = ModelOptions { measured, costs, ..options.clone() };
        let run = |seed: &u64| {
            let request = RunRequest { scenario: scenario.clone(), scale: first.result.scale, seed: *seed };
            Model::new(options.clone()).steps(&request)
        };
        let runs: Vec<Vec<StepResult>> = seeds.iter().map(run).collect::<Result<_, _>>()?;
        Ok(judge::all(&scenario, references, repeats, &runs))
    };
    conformance.figures = with_memory(conformance.memory)?;
    // What is missing without a mechanism has that reason.
    if mechanisms == Mechanisms::default()
        && let Some(before) = conformance.memory
    {
        memory::explain(&mut conformance.figures, before, with_memory)?;
    }
    Ok(conformance)
}

/// For steps that a time limit ended on the kernel: the number of requests after which the model ends them, the smallest of the runs.
fn requests(references: &[Reference]) -> BTreeMap<String, u64> {
    let mut least: BTreeMap<String, u64> = BTreeMap::new();
    for reference in references {
        for step in &reference.result.steps {
            let Some(issued) = limited(step) else { continue };
            let known = least.entry(step.id.clone()).or_insert(issued);
            *known = issued.min(*known);
        }
    }
    least
}

/// Bandwidths of the parts beside which others work until they have ended: medians of the runs.
fn paces(scenario: &Scenario, references: &[Reference]) -> BTreeMap<String, BytesPerSecond> {
    let mut paces = BTreeMap::new();
    for step in scenario.steps.iter().filter(|step| step.parts().iter().any(|part| part.background)) {
        for part in step.parts().iter().filter(|part| !part.background) {
            let id = step.part_id(part);
            let results = references.iter().flat_map(|reference| &reference.result.steps);
            let bandwidths: Vec<f64> =
                results.filter(|result| result.id == id).filter_map(|result| result.get(Figure::Bandwidth)).collect();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate")]
            let bandwidth = BytesPerSecond::new(judge::median(&bandwidths).max(0.0) as u64);
            if !bandwidths.is_empty() {
                paces.insert(id, bandwidth);
            }
        }
    }
    paces
}

/// Requests of a step that a time limit ended.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
fn limited(step: &StepResult) -> Option<u64> {
    let issued = step.get(Figure::Issued)?;
    (step.outcome == Outcome::TimedOut && issued >= 1.0).then_some(issued as u64)
}

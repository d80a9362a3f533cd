//! A scenario run on the model, as a recording of the incident alone.

use crate::scenario::INCIDENT;
use pagetide_core::{
    Backend, Diagnosis, Error, Figure, Load, Manifest, Mark, MarkKind, Nanos, Progress, Recording, RecordingBuilder,
    RunRequest, Sample, Scale, Scenario, Schema, Sink, StepResult,
};
use pagetide_lab::sim::{Model, ModelOptions};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes per second that each part of an incident read or wrote while it ran, by its name.
pub(crate) type Rates = BTreeMap<String, f64>;

/// What ran, and what the rules say of it.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) recording: Recording,
    pub(crate) diagnosis: Diagnosis,
    pub(crate) rates: Rates,
}

/// Runs a scenario on the model, with the samples and the kernel of a recording.
///
/// # Errors
/// The model lacks something that the scenario has, or the user interrupted it.
pub(crate) fn run(
    scenario: &Scenario,
    seed: u64,
    of: &Manifest,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Trial, Error> {
    let interval = Nanos::new(of.interval.get().clamp(100_000_000, 1_000_000_000));
    let options = ModelOptions { interval: Some(interval), ..ModelOptions::of_kernel(&of.kernel) };
    run_on(&mut Model::new(options), scenario, seed, &mut Quiet { stop })
}

/// Runs a scenario on a backend.
///
/// # Errors
/// The backend refuses the scenario or fails, or the user interrupted it.
pub(crate) fn run_on(
    backend: &mut dyn Backend,
    scenario: &Scenario,
    seed: u64,
    progress: &mut dyn Progress,
) -> Result<Trial, Error> {
    let kept = Kept::default();
    let request = RunRequest { scenario: scenario.clone(), scale: Scale::FULL, seed };
    let ran = backend.run(&request, Box::new(kept.clone()), progress)?;
    let recording = kept.finish();
    let diagnosis = pagetide_diagnose::diagnose(&recording);
    Ok(Trial { recording, diagnosis, rates: rates(scenario, &ran.steps) })
}

/// What the parts of the incident did, by their results.
fn rates(scenario: &Scenario, results: &[StepResult]) -> Rates {
    let steps = scenario.steps.iter().filter(|step| step.id == INCIDENT);
    let parts = steps.flat_map(|step| step.parts().iter().map(move |part| (step.part_id(part), part)));
    let moves = parts.filter(|(_, part)| matches!(part.load, Load::Stream(_) | Load::Dd(_)));
    let rate = |id: &str| {
        let figures = &results.iter().find(|result| result.id == id)?.figures;
        Some(figures.get(Figure::Processed)? * 1e9 / figures.get(Figure::Elapsed)?.max(1.0))
    };
    moves.filter_map(|(id, part)| Some((part.name.clone(), rate(&id)?))).collect()
}

/// Keeps the samples of the incident's step, and no marks: the rules judge it as they judge a host.
#[derive(Debug, Clone, Default)]
struct Kept(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    builder: Option<RecordingBuilder>,
    is_on: bool,
}

impl Kept {
    fn finish(self) -> Recording {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.builder.take().map(RecordingBuilder::finish).unwrap_or_default()
    }

    fn with(&self, act: impl FnOnce(&mut State)) {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Sink for Kept {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.with(|state| state.builder = Some(RecordingBuilder::new(manifest.clone())));
        Ok(())
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        self.with(|state| {
            if let Some(builder) = state.builder.as_mut().filter(|_| state.is_on) {
                builder.sample(schema, sample);
            }
        });
        Ok(())
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        if let MarkKind::StepStarted { id, .. } = &mark.kind {
            self.with(|state| state.is_on = id == INCIDENT);
        }
        Ok(())
    }

    fn finish(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
}

/// Shows nothing, and stops when told to.
struct Quiet<'a> {
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl Progress for Quiet<'_> {
    fn step(&mut self, _: usize, _: usize, _: &str, _: &str) {}
    fn update(&mut self, _: Option<f64>, _: Option<Nanos>, _: &str) {}
    fn step_done(&mut self, _: &str) {}
    fn say(&mut self, _: &str) {}
    fn interrupted(&self) -> bool {
        (self.stop)()
    }
}

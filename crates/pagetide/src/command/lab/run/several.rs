//! Several runs, one after the other, with one page for their outcomes, even if they fail. A scenario that ran both in a VM and on the
//! model is compared figure by figure.

use super::arguments::{Arguments, Planned};
use super::folder::Purpose;
use super::{folder, one};
use crate::command::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::ProgressDisplay;
use crate::remaining::RemainingTime;
use crate::{recordings, reports};
use pagetide_core::{Attempt, AttemptOutcome, Batch, Candidate, Error, Nanos, Progress, RunResult, Scenario};
use pagetide_dir::Dir;
use pagetide_lab::conformance::{self, Conformance};
use pagetide_lab::{sim, vm};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The runs, and the model beside the VM where both ran.
#[derive(Serialize)]
struct Compared<'a> {
    #[serde(flatten)]
    batch: &'a Batch,
    #[serde(skip_serializing_if = "Option::is_none")]
    conformance: Option<Value>,
}

pub(super) fn run(
    arguments: &Arguments,
    planned: &[Planned],
    interrupt: &Interrupt,
    json: bool,
) -> Result<Outcome, Error> {
    let place = place(arguments, planned);
    let dir = match arguments.resume {
        true => folder::go_on(&place)?,
        false => folder::make(&place, Purpose::Batch, arguments.force)?,
    };
    let folder = dir.path();
    let mut batch = Batch {
        scale: arguments.scale,
        started_wall_ns: pagetide_recorder::now().wall_ns,
        took: Nanos::ZERO,
        runs: planned.iter().map(|one| not_begun(arguments, one)).collect(),
    };
    let earlier_seed = if arguments.resume { take_over(arguments, planned, folder, &mut batch)? } else { None };
    // All runs of a batch have one seed.
    let seed = |one: &Planned| Planned { seed: earlier_seed.unwrap_or(one.seed), ..one.clone() };
    let planned: &[Planned] = &planned.iter().map(seed).collect::<Vec<_>>();
    let forecast = |(one, attempt): (&Planned, &Attempt)| match attempt.result() {
        Some(_) => Vec::new(),
        None => (one.backend.forecast)(&one.scenario, arguments.scale),
    };
    let forecasts: Vec<_> = planned.iter().zip(&batch.runs).map(forecast).collect();
    let mut progress = ProgressDisplay::of_several(interrupt.clone(), RemainingTime::new(&forecasts));
    let before = batch.took;
    let mut conforms: Vec<Conformance> = Vec::new();
    // The page is written first and after every run, so that a killed one leaves what it had.
    keep(&batch, &conforms, &dir)?;
    if let Some(first) = planned.first() {
        progress.say(&format!("seed {0} (--seed {0} repeats the random choices)", first.seed));
    }
    let began = Instant::now();
    for (at, one) in planned.iter().enumerate() {
        if interrupt.came() {
            break;
        }
        let attempt = &mut batch.runs[at];
        let what = format!("{} on {}", attempt.scenario, attempt.backend);
        if attempt.result().is_some() {
            progress.run(at, &format!("{what}: kept"));
        } else {
            progress.run(at, &what);
            let begun = Instant::now();
            attempt.outcome = match begin(arguments, one, &folder.join(&attempt.folder), &mut progress) {
                Ok(outcome) => outcome,
                Err(error) => error.into(),
            };
            attempt.took = Nanos::from_secs_f64(begun.elapsed().as_secs_f64()).unwrap_or_default();
        }
        if let AttemptOutcome::Refused { what, .. } = &attempt.outcome {
            progress.say(&format!("{} on {}: {what}", attempt.scenario, attempt.backend));
        }
        progress.run_done(attempt.result().is_some());
        let took = Nanos::from_secs_f64(began.elapsed().as_secs_f64()).unwrap_or_default();
        batch.took = before.saturating_add(took);
        compare(&mut batch, planned, &dir)?;
        if let Some(run) = on_vm_and_sim(&batch, at).filter(|_| !interrupt.came()) {
            progress.say(&format!("{}: comparing the VM with the model", one.scenario.id));
            match conformance::of_run(&one.scenario, run) {
                Ok(one) => conforms.push(one),
                Err(error) => progress.say(&format!("{}: {}", one.scenario.id, error.what)),
            }
        }
        keep(&batch, &conforms, &dir)?;
    }
    drop(progress);
    if json {
        output::print_json(&compared(&batch, &conforms))?;
    } else {
        reports::print_page(&pagetide_view::batch(&batch))?;
        if !conforms.is_empty() {
            output::print(&format!("\n# The VM beside the model\n\n{}", conformance::document::tables(&conforms)))?;
        }
        output::print(&format!("\npage: {}\n", folder.join("index.html").display()))?;
    }
    if interrupt.came() {
        return Err(Error::interrupted());
    }
    Ok(if batch.holds() { Outcome::Done } else { Outcome::Failed })
}

fn begin(
    arguments: &Arguments,
    planned: &Planned,
    folder: &Path,
    progress: &mut ProgressDisplay,
) -> Result<AttemptOutcome, Error> {
    let folder = folder::make(folder, Purpose::Run, arguments.resume)?;
    let report = one::run(arguments, planned, &folder, progress)?;
    let run = report.run.ok_or_else(|| Error::system("the run left no result", ""))?;
    Ok(AttemptOutcome::Ran(Box::new(run)))
}

/// What is taken over of an interrupted batch besides the results of its runs.
#[derive(Deserialize)]
struct Interrupted {
    started_wall_ns: i64,
    took_ns: u64,
    runs: Vec<InterruptedRun>,
}

#[derive(Deserialize)]
struct InterruptedRun {
    folder: String,
    took_ns: u64,
}

/// Takes over the runs of an interrupted batch that have a result. Gives their seed, where there is one.
fn take_over(
    arguments: &Arguments,
    planned: &[Planned],
    folder: &Path,
    batch: &mut Batch,
) -> Result<Option<u64>, Error> {
    let Some(text) = recordings::file_of(folder, folder::BATCH, RunResult::LARGEST_FILE)? else { return Ok(None) };
    let before: Interrupted = serde_json::from_slice(&text).map_err(|error| {
        let file = folder.join(folder::BATCH);
        Error::input(format!("{}: {error}", file.display()), "name another folder with -o, and leave --resume out")
    })?;
    (batch.started_wall_ns, batch.took) = (before.started_wall_ns, Nanos::new(before.took_ns));
    let mut seed = arguments.seed;
    for (one, attempt) in planned.iter().zip(&mut batch.runs) {
        let Some(run) = finished(&folder.join(&attempt.folder))? else { continue };
        let text = recordings::file_of(&folder.join(&attempt.folder), folder::SCENARIO, Scenario::LARGEST_FILE)?;
        let steps = |line: &&String| line.starts_with("Only ") && line.ends_with(" were run.");
        let differs = [
            ("scenario", text.as_deref() != Some(one.text.as_bytes())),
            ("--scale", run.scale != arguments.scale),
            ("--seed", seed.is_some_and(|seed| seed != run.seed)),
            ("--steps", run.differences.iter().find(steps) != arguments.only().as_ref()),
        ];
        if let Some((what, _)) = differs.into_iter().find(|(_, differs)| *differs) {
            return Err(Error::input(
                format!("{} was run with another {what}", attempt.folder),
                "--resume takes the arguments of the interrupted runs; or name another folder with -o",
            ));
        }
        seed = Some(run.seed);
        let took = before.runs.iter().find(|known| known.folder == attempt.folder);
        attempt.took = Nanos::new(took.map_or(0, |known| known.took_ns));
        attempt.outcome = AttemptOutcome::Ran(Box::new(run));
    }
    Ok(seed)
}

/// The result of a run that wrote all its files.
fn finished(folder: &Path) -> Result<Option<RunResult>, Error> {
    if folder.join(folder::REPORT).exists() { recordings::result(folder) } else { Ok(None) }
}

/// The folder of all: named after what was requested.
fn place(arguments: &Arguments, planned: &[Planned]) -> PathBuf {
    arguments.out.clone().unwrap_or_else(|| {
        let first = planned.first().map_or("several", |one| &one.scenario.id);
        let name = match planned {
            _ if arguments.scenarios.iter().any(|name| name == "all") => "all",
            planned if planned.iter().all(|one| one.scenario.id == first) => first,
            _ => "several",
        };
        folder::unused(name)
    })
}

fn not_begun(arguments: &Arguments, planned: &Planned) -> Attempt {
    let (id, backend) = (&planned.scenario.id, planned.backend.name);
    let folder = if arguments.on.len() > 1 { format!("{id}-{backend}") } else { id.clone() };
    Attempt {
        scenario: id.clone(),
        title: planned.scenario.title.clone(),
        backend: backend.to_owned(),
        folder,
        took: Nanos::ZERO,
        comparison: None,
        outcome: AttemptOutcome::NotBegun,
    }
}

/// Writes a page for each scenario that has run on more than one backend.
fn compare(batch: &mut Batch, planned: &[Planned], dir: &Dir) -> Result<(), Error> {
    for (at, one) in planned.iter().enumerate() {
        if batch.runs[at].comparison.is_some() {
            continue;
        }
        let of_it = |attempt: &&Attempt| attempt.scenario == one.scenario.id;
        let candidate = |attempt: &Attempt| {
            let result = attempt.result()?.clone();
            let scenario = reports::scenario_file(&dir.path().join(&attempt.folder)).ok().flatten();
            Some(Candidate { name: attempt.backend.clone(), result, scenario })
        };
        let candidates: Vec<_> = batch.runs.iter().filter(of_it).filter_map(candidate).collect();
        if candidates.len() < 2 {
            continue;
        }
        let file = format!("{}-compare.html", one.scenario.id);
        let page = pagetide_view::comparison(&pagetide_core::compare(&candidates)?);
        folder::write(dir, &file, &reports::html_of(&page)?)?;
        for attempt in batch.runs.iter_mut().filter(|attempt| attempt.scenario == one.scenario.id) {
            attempt.comparison = Some(file.clone());
        }
    }
    Ok(())
}

/// The run in a VM of the scenario whose run `at` has ended, when the VM and the model have both had their turn.
fn on_vm_and_sim(batch: &Batch, at: usize) -> Option<&RunResult> {
    let scenario = &batch.runs.get(at)?.scenario;
    let of = |backend: &str| batch.runs.iter().position(|run| run.scenario == *scenario && run.backend == backend);
    let (vm, sim) = (of(vm::KIND.name)?, of(sim::KIND.name)?);
    if vm.max(sim) == at { batch.runs[vm].result() } else { None }
}

fn compared<'a>(batch: &'a Batch, conforms: &[Conformance]) -> Compared<'a> {
    Compared { batch, conformance: (!conforms.is_empty()).then(|| conformance::document::json(conforms)) }
}

fn keep(batch: &Batch, conforms: &[Conformance], dir: &Dir) -> Result<(), Error> {
    folder::write_json(dir, folder::BATCH, &compared(batch, conforms))?;
    if !conforms.is_empty() {
        folder::write(dir, "conformance.md", conformance::document::tables(conforms).as_bytes())?;
    }
    folder::write(dir, "index.html", &reports::html_of(&pagetide_view::batch(batch))?)
}

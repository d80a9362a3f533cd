//! `pagetide lab run`: runs scenarios and leaves a folder for each.

mod arguments;
mod backend_options;
mod folder;
mod one;
mod several;

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::progress::ProgressDisplay;
use crate::{output, reports};
pub(crate) use arguments::Arguments;
use arguments::Planned;
use folder::Purpose;
use pagetide_core::{ClaimStatus, Error, Figure, Progress, Report};
use pagetide_lab::backends;
use pagetide_lab::catalogue;
use std::hash::{BuildHasher, RandomState};

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let planned = plan(arguments)?;
    let interrupt = Interrupt::catch()?;
    if arguments.resume && planned.len() == 1 {
        return Err(Error::input("--resume goes on with several runs, and this is one", "leave --resume out"));
    }
    let [one] = planned.as_slice() else { return several::run(arguments, &planned, &interrupt, json) };
    let out = arguments.out.clone().unwrap_or_else(|| folder::unused(&one.scenario.id));
    let dir = folder::make(&out, Purpose::Run, arguments.force)?;
    let mut progress = ProgressDisplay::new(interrupt, false);
    progress.say(&format!("seed {0} (--seed {0} repeats its random choices)", one.seed));
    let report = one::run(arguments, one, &dir, &mut progress)?;
    drop(progress);
    if json {
        output::print_json(&report.run)?;
    } else {
        reports::print_text(&report)?;
        output::print(&format!("\nreport: {}\n", dir.path().join("report.html").display()))?;
        if let Some(line) = more_memory(&report) {
            output::print(&line)?;
        }
    }
    let all_hold = report.run.iter().flat_map(|run| &run.claims).all(|claim| claim.holds == ClaimStatus::Holds);
    Ok(if all_hold && report.diagnosis.damaged.is_empty() { Outcome::Done } else { Outcome::Failed })
}

/// What more memory would have done for the last step that missed, where the run was traced.
fn more_memory(report: &Report) -> Option<String> {
    let steps = report.run.iter().flat_map(|run| run.steps.iter().rev());
    let (step, more) = steps.filter_map(|step| Some((step, step.quantity(Figure::MoreMemory)?))).next()?;
    Some(format!("step {} ({}): {more} more would have served it\n", step.id, step.title))
}

/// A seed that differs between runs, short enough to type.
fn new_seed() -> u64 {
    RandomState::new().hash_one(std::process::id()) & 0xFF_FFFF
}

/// Every scenario on every backend, each once, in the order in which they were named.
fn plan(arguments: &Arguments) -> Result<Vec<Planned>, Error> {
    pagetide_recorder::check_interval(arguments.interval)?;
    arguments.backends.check(&arguments.on)?;
    let mut names: Vec<&str> = Vec::new();
    for name in &arguments.scenarios {
        let meant: Vec<&str> = if name == "all" { catalogue::ids().collect() } else { vec![name] };
        names.extend(meant.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    }
    if !arguments.steps.is_empty() && names.len() > 1 {
        return Err(Error::input("--steps names steps of one scenario, but there are several", "leave --steps out"));
    }
    let seed = arguments.seed.unwrap_or_else(new_seed);
    let mut planned: Vec<Planned> = Vec::new();
    for name in names {
        let found = catalogue::find(name, &arguments.sets)?;
        let mut scenario = found.scenario.scaled(arguments.scale);
        scenario.trace = arguments.trace.or(scenario.trace);
        if !arguments.steps.is_empty() {
            scenario = catalogue::only(&scenario, &arguments.steps)?;
        }
        for on in &arguments.on {
            let backend = backends::named(on)?;
            if !planned.iter().any(|one| one.scenario.id == scenario.id && one.backend.name == backend.name) {
                planned.push(Planned { text: found.text.clone(), scenario: scenario.clone(), backend, seed });
            }
        }
    }
    Ok(planned)
}

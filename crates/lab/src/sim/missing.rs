//! What of a scenario the model does not have.

use crate::executor::files::writes_only;
use pagetide_core::{Action, Error, FioEngine, FioJob, Scenario, Step};
use pagetide_sim::workload::fio::Distribution;

/// Refuses a scenario that the model cannot run, with all that it lacks.
///
/// # Errors
/// Something is not modelled.
pub(super) fn check(scenario: &Scenario) -> Result<(), Error> {
    let mut missing = list(scenario);
    missing.sort();
    missing.dedup();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::input(
        format!("the model cannot run {}: {}", scenario.id, missing.join("; ")),
        "run it on a real kernel: --on vm",
    ))
}

/// The scenario up to the first step that the model lacks, and what it lacks of the steps from there on. What comes after such a
/// step cannot be compared, as it would begin with another machine.
///
/// # Errors
/// The model lacks something of the machine, or of the first step.
pub fn runnable(scenario: &Scenario) -> Result<(Scenario, Vec<String>), Error> {
    let upto = scenario.steps.iter().position(|step| !of_step(step).is_empty()).unwrap_or(scenario.steps.len());
    let left_out = scenario.steps[upto..].iter().flat_map(of_step).collect();
    let mut part = scenario.clone();
    part.trace = None;
    part.claims.clear();
    part.steps.truncate(upto);
    if part.steps.is_empty() {
        check(scenario)?;
    }
    check(&part)?;
    Ok((part, left_out))
}

/// What the model lacks, one short phrase each.
fn list(scenario: &Scenario) -> Vec<String> {
    let mut missing = Vec::new();
    let machine = &scenario.machine;
    if scenario.trace.is_some() {
        missing.push("a trace of the page cache".to_owned());
    }
    if machine.disks.is_empty() {
        missing.push("a machine without a disk".to_owned());
    }
    if machine.disks.len() > super::machine::DISKS.count() {
        missing.push(format!("a machine of {} disks", machine.disks.len()));
    }
    missing.extend(scenario.steps.iter().flat_map(of_step));
    missing
}

fn of_step(step: &Step) -> Vec<String> {
    let mut missing = Vec::new();
    let mut lacks = |what: String| missing.push(format!("step {}: {what}", step.id));
    if let Action::Fio(job) = &step.action {
        fio(job).into_iter().for_each(&mut lacks);
    }
    if step.predicted_from.is_some() {
        lacks("predicted_from".to_owned());
    }
    missing
}

fn fio(job: &FioJob) -> Vec<String> {
    let mut lacks = Vec::new();
    if matches!(job.ioengine, FioEngine::Vsync | FioEngine::Posixaio | FioEngine::Mmap) {
        lacks.push(format!("fio with ioengine = \"{}\"", job.ioengine.name()));
    }
    // The kernel reads for it while it goes on (`io_uring/rw.c: io_read`, FMODE_BUF_RASYNC), where libaio waits for each page.
    let depth = job.iodepth.unwrap_or(1);
    if job.ioengine == FioEngine::IoUring && depth > 1 && !job.direct && !writes_only(job) {
        lacks.push(format!("fio with ioengine = \"io_uring\" and iodepth = {depth} that reads without direct = true"));
    }
    if let Some(text) = &job.random_distribution
        && Distribution::parse(Some(text)).is_none()
    {
        lacks.push(format!("fio with random_distribution = \"{text}\""));
    }
    lacks
}

//! One run: a scenario on a backend, in a folder.

use super::arguments::{Arguments, Planned};
use super::folder;
use crate::{recordings, reports};
use pagetide_core::{Error, Progress, Report, RunRequest, Selection};
use pagetide_dir::Dir;
use pagetide_lab::backend::{self, RunPlace};
use pagetide_store::Writer;

/// Runs it and leaves result, recording and report in the folder.
pub(super) fn run(
    arguments: &Arguments,
    planned: &Planned,
    dir: &Dir,
    progress: &mut dyn Progress,
) -> Result<Report, Error> {
    let folder = dir.path();
    folder::write(dir, folder::SCENARIO, planned.text.as_bytes())?;
    let sink = Writer::create(&folder.join("recording"))?;
    let place =
        RunPlace { work_dir: arguments.work_dir.clone(), results: folder.to_owned(), interval: arguments.interval };
    let mut backend = (planned.backend.make)(&place, &arguments.backends.0)?;
    let scenario = planned.scenario.clone();
    let request = RunRequest { scenario, scale: arguments.scale, seed: planned.seed };
    let mut run = backend::run(&mut *backend, &request, Box::new(sink), progress)
        .inspect_err(|_| folder::forget_unless_begun(folder))?;
    if !arguments.steps.is_empty() {
        let only = arguments.steps.join(", ");
        run.differences.push(format!("Only {only} and earlier steps that set the machine were run."));
    }
    let recording = recordings::load(folder, &Selection::default())?;
    let diagnosis = pagetide_diagnose::diagnose(&recording);
    run.findings.clone_from(&diagnosis.findings);
    folder::write_json(dir, "result.json", &run)?;
    let report = Report { scenario: Some(request.scenario), run: Some(run), diagnosis, recording };
    folder::write(dir, "report.html", &reports::html_of(&pagetide_view::page(&report))?)?;
    Ok(report)
}

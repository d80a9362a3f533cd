//! One run: a scenario on a backend, in a folder.

use super::{Arguments, By, Executed, Planned, folder};
use crate::{recordings, reports};
use pagetide_core::{Error, Progress, Report, RunRequest, Selection};
use pagetide_dir::Dir;
use pagetide_lab::backend::{self, Settings};
use pagetide_lab::host::{HostOptions, Shrink};
use pagetide_lab::vm::{self, Accelerator, VmOptions};
use pagetide_store::Writer;
use std::path::Path;

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
    let mut backend = (planned.backend.make)(&settings(arguments, folder)?);
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

/// The options of every backend, by the arguments.
fn settings(arguments: &Arguments, folder: &Path) -> Result<Settings, Error> {
    let own = std::env::current_exe()
        .map_err(|error| Error::system(format!("cannot find this program's own file: {error}"), ""))?;
    let words = |line: &String| line.split_whitespace().map(str::to_owned).collect();
    Ok(Settings {
        host: HostOptions {
            shrink: match arguments.shrink {
                By::Cgroup => Shrink::Cgroup,
                By::Hold => Shrink::Hold,
                By::None => Shrink::None,
            },
            limit_device: arguments.limit_device,
            keep_data: arguments.keep_data,
            interval: arguments.interval,
            ..HostOptions::new(&arguments.work_dir, folder)
        },
        vm: VmOptions {
            kernel: arguments.kernel.clone(),
            accelerator: match arguments.accelerator {
                Executed::Auto => None,
                Executed::Kvm => Some(Accelerator::Kvm),
                Executed::Tcg => Some(Accelerator::Tcg),
            },
            interval: arguments.interval,
            init_words: vec!["guest".to_owned()],
            alongside: arguments.alongside.iter().map(words).collect(),
            ..VmOptions::new(vm::usual_cache(), &arguments.work_dir, folder, own)
        },
    })
}

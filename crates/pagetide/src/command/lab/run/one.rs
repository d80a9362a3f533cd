//! One run: a scenario on a backend, in a folder.

use super::{Arguments, By, Executed, On, Planned, folder};
use crate::{recordings, reports};
use pagetide_core::{Backend, Error, Progress, Report, Selection};
use pagetide_dir::Dir;
use pagetide_lab::claims;
use pagetide_lab::host::{Host, HostOptions, Shrink};
use pagetide_lab::vm::{self, Accelerator, Vm, VmOptions};
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
    let scenario = planned.scenario.clone();
    let sink = Writer::create(&folder.join("recording"))?;
    let mut backend = backend(arguments, planned.on, folder)?;
    let mut run = backend
        .run(&scenario, arguments.scale, Box::new(sink), progress)
        .inspect_err(|_| folder::forget_unless_begun(folder))?;
    if !arguments.steps.is_empty() {
        let only = arguments.steps.join(", ");
        run.differences.push(format!("Of the scenario only {only} and what sets the machine before were run."));
    }
    run.claims = claims::check(&scenario, &run.steps);
    let recording = recordings::load(folder, &Selection::default())?;
    let diagnosis = pagetide_diagnose::diagnose(&recording);
    run.findings.clone_from(&diagnosis.findings);
    folder::write_json(dir, "result.json", &run)?;
    let report = Report { scenario: Some(scenario), run: Some(run), diagnosis, recording };
    folder::write(dir, "report.html", &reports::html_of(&pagetide_view::page(&report))?)?;
    Ok(report)
}

fn backend(arguments: &Arguments, on: On, folder: &Path) -> Result<Box<dyn Backend>, Error> {
    Ok(match on {
        On::Vm => {
            let own = std::env::current_exe()
                .map_err(|error| Error::system(format!("cannot find this program's own file: {error}"), ""))?;
            Box::new(Vm::new(VmOptions {
                kernel: arguments.kernel.clone(),
                accelerator: match arguments.accelerator {
                    Executed::Auto => None,
                    Executed::Kvm => Some(Accelerator::Kvm),
                    Executed::Tcg => Some(Accelerator::Tcg),
                },
                interval: arguments.interval,
                init_words: vec!["guest".to_owned()],
                beside: arguments
                    .beside
                    .iter()
                    .map(|line| line.split_whitespace().map(str::to_owned).collect())
                    .collect(),
                ..VmOptions::new(vm::usual_cache(), &arguments.work_dir, folder, own)
            }))
        }
        On::Host => Box::new(Host::new(HostOptions {
            shrink: match arguments.shrink {
                By::Cgroup => Shrink::Cgroup,
                By::Hold => Shrink::Hold,
                By::None => Shrink::None,
            },
            limit_device: arguments.limit_device,
            keep_data: arguments.keep_data,
            interval: arguments.interval,
            ..HostOptions::new(&arguments.work_dir, folder)
        })),
    })
}

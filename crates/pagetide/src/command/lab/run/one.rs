//! One run: a scenario on a backend, in a folder.

use super::arguments::{Arguments, Planned};
use super::folder;
use crate::{recordings, reports};
use pagetide_core::{Diagnosis, Error, Progress, Recording, Report, RunRequest, Selection, Source};
use pagetide_dir::Dir;
use pagetide_lab::backend::{self, RunPlace};
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
    let place =
        RunPlace { work_dir: arguments.work_dir.clone(), results: folder.to_owned(), interval: arguments.interval };
    let mut backend = (planned.backend.make)(&place, &arguments.backends.given)?;
    let scenario = planned.scenario.clone();
    let request = RunRequest { scenario, scale: arguments.scale, seed: planned.seed };
    let mut run = backend::run(&mut *backend, &request, Box::new(sink), progress)
        .inspect_err(|_| folder::forget_unless_begun(folder))?;
    run.differences.extend(arguments.only());
    let (recording, diagnosis) = examine(folder)?;
    for line in &diagnosis.damaged {
        progress.say(&format!("damaged: {line}"));
    }
    run.findings.clone_from(&diagnosis.findings);
    folder::write_json(dir, "result.json", &run)?;
    let steps = pagetide_diagnose::diagnose_steps(&recordings::open(folder)?, &recording)?;
    let report =
        Report { scenario: Some(request.scenario), run: Some(run), diagnosis, steps, measured: None, recording };
    folder::write(dir, folder::REPORT, &reports::html_of(&pagetide_view::page(&report))?)?;
    Ok(report)
}

/// The recording of a run, and its diagnosis, which names damaged parts.
fn examine(folder: &Path) -> Result<(Recording, Diagnosis), Error> {
    let reader = recordings::open(folder)?;
    let recording = reader.load(&Selection::default())?;
    let mut diagnosis = pagetide_diagnose::diagnose(&recording);
    diagnosis.damaged = reader.damage().lines();
    Ok((recording, diagnosis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Entity, Manifest, Sample, Schema, Sink, Stamp, Table};

    #[test]
    fn a_damaged_recording_of_a_run_is_named_in_its_diagnosis() {
        let run = tempfile::tempdir().unwrap();
        let folder = run.path().join("recording");
        let mut writer = Writer::create(&folder).unwrap();
        writer.begin(&Manifest::default()).unwrap();
        let mut schema = Schema::default();
        let host = schema.push_entity(Table::Host, Entity::new("", "h"));
        schema.column(Table::Host, "MemFree");
        for at in 1..4 {
            let mut sample = Sample::default();
            sample.stamp = Stamp { wall_ns: at * 1_000_000_000, mono_ns: at, boot_ns: at };
            sample.row(Table::Host, host, 1)[0] = Some(at);
            writer.sample(&schema, &sample).unwrap();
        }
        writer.finish(&Manifest::default()).unwrap();
        assert_eq!(examine(run.path()).unwrap().1.damaged, Vec::<String>::new());
        let mut path = folder.join("host");
        while path.is_dir() {
            path = std::fs::read_dir(&path).unwrap().next().unwrap().unwrap().path();
        }
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let damaged = examine(run.path()).unwrap().1.damaged;
        assert!(damaged.len() == 1 && damaged[0].contains("the host rows of segment"), "{damaged:?}");
    }
}

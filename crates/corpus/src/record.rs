//! Runs a case in a virtual machine and keeps what a flight recorder would have recorded.

use crate::family::Incident;
use crate::truth::{self, Truth};
use pagetide_core::{
    Backend, BackendRun, Error, Manifest, Mark, MarkKind, Nanos, Outcome, Progress, RunRequest, Sample, Schema, Sink,
};
use pagetide_lab::vm::{Vm, VmOptions};
use pagetide_store::Writer;
use std::fs;
use std::path::Path;

/// Time between two samples.
const INTERVAL: Nanos = Nanos::new(500_000_000);

/// Records a case into `folder`, which is made, with `scenario.toml` and `truth.toml` beside the recording.
///
/// # Errors
/// The machine cannot run, or a step failed. No folder is left then.
pub fn record(case: &Incident, folder: &Path, work_dir: &Path, progress: &mut dyn Progress) -> Result<(), Error> {
    let _ = fs::remove_dir_all(folder);
    let recorded = run(case, folder, work_dir, progress).and_then(|result| keep(case, &result, folder));
    if recorded.is_err() {
        let _ = fs::remove_dir_all(folder);
    }
    recorded
}

fn run(case: &Incident, folder: &Path, work_dir: &Path, progress: &mut dyn Progress) -> Result<BackendRun, Error> {
    let options = VmOptions { interval: INTERVAL, as_host: true, ..VmOptions::of_this_program(work_dir, work_dir)? };
    let sink = Field {
        writer: Writer::create(&folder.join("recording"))?,
        from: case.recorded_from.clone(),
        begun: false,
        ended_ns: i64::MAX,
        due: Vec::new(),
    };
    let request = RunRequest { scenario: case.scenario.clone(), scale: case.scale, seed: case.seed };
    let result = Vm::new(options).run(&request, Box::new(sink), progress)?;
    let bad = result.steps.iter().find(|step| !matches!(step.outcome, Outcome::Done | Outcome::TimedOut));
    match bad {
        Some(step) => Err(Error::system(
            format!("step {} of {} ended badly: {}", step.id, case.name, step.notes.join("; ")),
            "fix the family",
        )),
        None => Ok(result),
    }
}

/// A step takes about so long to end once its loads have, in ns.
const ENDING: i64 = 100_000_000;

/// Keeps a recording as of a production machine: it begins after the preparation, ends before the loads do, has no marks of steps,
/// and only the samples that were due.
#[derive(Debug)]
struct Field {
    writer: Writer,
    from: String,
    begun: bool,
    /// When the last step ended, ns.
    ended_ns: i64,
    /// The samples that were due. Which of them were before the end is known at the end only: marks may overtake samples.
    due: Vec<(Schema, Sample)>,
}

impl Sink for Field {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.writer.begin(manifest)
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        // The lab takes samples of its own at the edges of steps, which would tell when something begins.
        let least = i64::try_from(INTERVAL.get()).unwrap_or(i64::MAX) / 2;
        let near = |(_, last): &(Schema, Sample)| sample.stamp.boot_ns - last.stamp.boot_ns < least;
        if self.begun && !self.due.last().is_some_and(near) {
            self.due.push((schema.clone(), sample.clone()));
        }
        Ok(())
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        match &mark.kind {
            MarkKind::StepStarted { id, .. } => self.begun |= *id == self.from,
            MarkKind::StepEnded { result } => self.ended_ns = result.ended_ns,
            MarkKind::Note { .. } => {}
        }
        Ok(())
    }

    fn finish(&mut self, manifest: &Manifest) -> Result<(), Error> {
        // A load that has ended is gone, and what it did has been added to its parent's counts, before its step has ended.
        self.due.retain(|(_, sample)| sample.stamp.boot_ns < self.ended_ns - ENDING);
        for (schema, sample) in &self.due {
            self.writer.sample(schema, sample)?;
        }
        self.writer.finish(&Manifest { samples: self.due.len() as u64, ..manifest.clone() })
    }
}

fn keep(case: &Incident, result: &BackendRun, folder: &Path) -> Result<(), Error> {
    let began = |id: &String| result.steps.iter().find(|step| step.id == *id).map(|step| step.started_ns);
    let truth = Truth {
        family: case.family.clone(),
        seed: case.seed,
        control: case.control,
        best: case.cause.first().cloned().unwrap_or_default(),
        cause: case.cause.clone(),
        origin: case.origin.iter().map(|origin| as_recorded(origin, case)).collect(),
        onset_ns: case.onset.as_ref().and_then(began),
        lost: Vec::new(),
        chosen: case.chosen.clone(),
        kernel: result.kernel.clone(),
    };
    let failed = |error: &dyn std::fmt::Display| Error::system(format!("{}: {error}", folder.display()), "");
    let text = toml::to_string(&truth).map_err(|error| failed(&error))?;
    fs::write(folder.join("scenario.toml"), &case.text).map_err(|error| failed(&error))?;
    fs::write(folder.join(truth::FILE), text).map_err(|error| failed(&error))
}

/// An origin with the names that the recording has: the guest's disks are virtio disks in the scenario's order, and its control
/// groups are made by process 1.
fn as_recorded(origin: &str, case: &Incident) -> String {
    match origin.split_once(':') {
        Some(("disk", name)) => {
            let at = case.scenario.machine.disks.iter().position(|disk| disk.name == name);
            let letter = at.and_then(|at| u8::try_from(at).ok()).map_or('?', |at| char::from(b'a' + at));
            format!("disk:vd{letter}")
        }
        Some(("cgroup", name)) => format!("cgroup:/sys/fs/cgroup/pagetide-1-{name}"),
        _ => origin.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Selection, Source, Stamp, StepResult};
    use std::path::PathBuf;

    fn stamp(ms: i64) -> Stamp {
        Stamp { wall_ns: ms * 1_000_000, mono_ns: ms * 1_000_000, boot_ns: ms * 1_000_000 }
    }

    #[test]
    fn a_recording_begins_with_its_step_and_ends_before_the_loads_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recording");
        let mut field = Field {
            writer: Writer::create(&path).unwrap(),
            from: "run".to_owned(),
            begun: false,
            ended_ns: i64::MAX,
            due: Vec::new(),
        };
        let manifest = Manifest { interval: INTERVAL, ..Manifest::default() };
        field.begin(&manifest).unwrap();
        let mut schema = Schema::default();
        let column = schema.column(pagetide_core::Table::Host, "pgfault");
        let host = schema.push_entity(pagetide_core::Table::Host, pagetide_core::Entity::new("", ""));
        let take = |field: &mut Field, ms: i64| {
            let mut sample = Sample::default();
            sample.stamp = stamp(ms);
            sample.row(pagetide_core::Table::Host, host, 1)[column.0 as usize] = Some(ms);
            field.sample(&schema, &sample).unwrap();
        };
        let started = |id: &str| MarkKind::StepStarted { id: id.to_owned(), title: String::new() };
        take(&mut field, 0);
        field.mark(&Mark { stamp: stamp(10), kind: started("warm") }).unwrap();
        take(&mut field, 500);
        field.mark(&Mark { stamp: stamp(600), kind: started("run") }).unwrap();
        // One at the edge of a step, which is not due.
        for ms in [1000, 1100, 1500, 2000, 2480] {
            take(&mut field, ms);
        }
        let result = StepResult {
            id: "run".to_owned(),
            kind: "parallel".to_owned(),
            title: String::new(),
            started_ns: 600_000_000,
            ended_ns: 2_500_000_000,
            outcome: Outcome::Done,
            notes: Vec::new(),
            figures: pagetide_core::Figures::default(),
        };
        field.mark(&Mark { stamp: stamp(2500), kind: MarkKind::StepEnded { result: Box::new(result) } }).unwrap();
        take(&mut field, 2980);
        field.finish(&manifest).unwrap();
        let recording = pagetide_store::Reader::open(&path).unwrap().load(&Selection::default()).unwrap();
        let kept: Vec<i64> = recording.stamps().iter().map(|stamp| stamp.boot_ns / 1_000_000).collect();
        assert_eq!(kept, [1000, 1500, 2000]);
        assert_eq!((recording.manifest.samples, recording.marks.len()), (3, 0));
    }

    #[test]
    fn origins_have_the_names_of_the_recording() {
        let families = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        let cases = crate::family::all(&families).unwrap();
        let case = cases.iter().find(|case| case.family == "swap-thrash").unwrap();
        assert_eq!(as_recorded("disk:swap", case), "disk:vdb");
        assert_eq!(as_recorded("cgroup:batch", case), "cgroup:/sys/fs/cgroup/pagetide-1-batch");
        assert_eq!(as_recorded("process:java", case), "process:java");
    }
}

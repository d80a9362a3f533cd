//! The steps of a run, each read as a live host is read: without what the lab knows of it, and with the step before as the baseline.

use pagetide_core::{Error, LazyRecording, Recording, Source, Span, StepDiagnosis};

/// From the begin of the step before a step to its end, ns since 1970-01-01 UTC; absent when there is no such step. The parts of a step
/// are not steps before it.
pub fn step_range(recording: &Recording, id: &str) -> Option<(i64, i64)> {
    let step = recording.steps().find(|step| step.id == id)?;
    let before =
        recording.steps().filter(|other| other.ended_ns <= step.started_ns).map(|other| other.started_ns).max();
    let wall = |boot_ns: i64| recording.wall_ns(boot_ns).unwrap_or(boot_ns);
    Some((wall(before.unwrap_or(step.started_ns)), wall(step.ended_ns)))
}

/// From the begin of a step to its end, on the axis of the recording; absent when there is no such step.
pub fn step_span(recording: &Recording, id: &str) -> Option<Span> {
    recording.steps().find(|step| step.id == id).map(|step| Span::new(step.started_ns, step.ended_ns))
}

/// What happened in each step of a run, whose times and marks are those of `recording`.
///
/// # Errors
/// Those of the source.
pub fn diagnose_steps<S: Source + ?Sized>(source: &S, recording: &Recording) -> Result<Vec<StepDiagnosis>, Error> {
    let ids = recording.steps().map(|step| step.id.clone());
    let diagnose = |(step, (from, to)): (String, (i64, i64))| {
        let mut part = LazyRecording::open(source, Some(from), Some(to))?;
        part.drop_marks();
        let span = step_span(recording, &step).unwrap_or(Span::ALL);
        Ok(StepDiagnosis { diagnosis: crate::diagnose_within(&mut part, &[], span)?, step })
    };
    ids.filter_map(|id| step_range(recording, &id).map(|range| (id, range))).map(diagnose).collect()
}

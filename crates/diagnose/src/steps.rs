//! The steps of a run, each read as a live host is read: without what the lab knows of it, and with the step before as the baseline.

use crate::measure::coverage::LEAST_SAMPLES;
use crate::measure::window::stamps;
use pagetide_core::{Error, LazyRecording, Load, Recording, Source, Span, StepDiagnosis, StepResult};

/// Whether a step is a baseline: it ran a load, or lasted. One that changes a setting or a device at once is neither.
fn is_baseline(recording: &Recording, step: &StepResult) -> bool {
    let loads = Load::KINDS.iter().map(|(kind, _)| *kind).chain(["fio", "parallel"]);
    let samples = || stamps(recording, Span::new(step.started_ns, step.ended_ns)).take(LEAST_SAMPLES).count();
    loads.into_iter().any(|kind| kind == step.kind) || samples() == LEAST_SAMPLES
}

/// From the begin of the step before a step to its end, ns since 1970-01-01 UTC; absent when there is no such step. The parts of a step
/// are not steps before it, nor are steps that only set something up.
pub fn step_range(recording: &Recording, id: &str) -> Option<(i64, i64)> {
    let step = recording.steps().find(|step| step.id == id)?;
    let before = || recording.steps().filter(|other| other.ended_ns <= step.started_ns && other.id != step.id);
    let baseline = before().filter(|other| is_baseline(recording, other)).map(|other| other.started_ns).max();
    let before = baseline.or_else(|| before().map(|other| other.started_ns).max());
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

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Figures, Manifest, Mark, MarkKind, Outcome, RecordingBuilder, Stamp};

    #[test]
    fn what_sets_up_a_step_is_no_baseline_of_it() {
        let begins = |steps: &[(&str, i64, i64)]| {
            let mut builder = RecordingBuilder::new(Manifest::default());
            let stamp = |at| Stamp { boot_ns: at, wall_ns: at, ..Stamp::default() };
            (0..100).for_each(|at| builder.stamp(stamp(at)));
            for (kind, started_ns, ended_ns) in steps {
                let step = StepResult {
                    id: format!("{kind}{started_ns}"),
                    kind: (*kind).to_owned(),
                    title: String::new(),
                    started_ns: *started_ns,
                    ended_ns: *ended_ns,
                    outcome: Outcome::Done,
                    notes: Vec::new(),
                    figures: Figures::default(),
                };
                builder.mark(Mark { stamp: stamp(*ended_ns), kind: MarkKind::StepEnded { result: Box::new(step) } });
            }
            let (kind, started, _) = steps[steps.len() - 1];
            step_range(&builder.finish(), &format!("{kind}{started}")).unwrap().0
        };
        assert_eq!(begins(&[("stream", 0, 40), ("device", 40, 40), ("stream", 40, 80)]), 0);
        assert_eq!(begins(&[("stream", 0, 40), ("sleep", 40, 44), ("swap", 44, 46), ("fio", 46, 80)]), 0);
        assert_eq!(begins(&[("stream", 0, 40), ("sleep", 40, 60), ("stream", 60, 80)]), 40, "a calm time");
        assert_eq!(begins(&[("stream", 0, 40), ("grow", 40, 42), ("stream", 42, 80)]), 40, "a short load");
        assert_eq!(begins(&[("drop_caches", 0, 0), ("stream", 2, 80)]), 0, "nothing else was before");
    }
}

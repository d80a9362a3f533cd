//! `pagetide diagnose --from --to --step`: a part of a recording.

use super::arguments::Arguments;
use crate::recordings;
use pagetide_core::{Error, Recording, suggest};

/// The requested part, ns since 1970-01-01 UTC; absent when the whole recording is requested.
pub(super) fn range(arguments: &Arguments) -> Result<Option<(i64, i64)>, Error> {
    let (from, to) = (arguments.from.as_deref(), arguments.to.as_deref());
    match &arguments.step {
        None if from.is_none() && to.is_none() => Ok(None),
        None => {
            let recording = recordings::times(&arguments.recording)?;
            let clock = recordings::clock(&recording.manifest, arguments.utc);
            recordings::range(&recording, &clock, from, to).map(Some)
        }
        Some(id) => of_step(&recordings::times(&arguments.recording)?, id).map(Some),
    }
}

/// From the begin of the step before a step to its end.
fn of_step(recording: &Recording, id: &str) -> Result<(i64, i64), Error> {
    pagetide_diagnose::step_range(recording, id).ok_or_else(|| {
        let known: Vec<&str> = recording.steps().map(|step| step.id.as_str()).collect();
        let hint = match suggest::nearest(id, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "this recording has no steps: use --from and --to".to_owned(),
            None => format!("it has {}", known.join(", ")),
        };
        Error::input(format!("this recording has no step `{id}`"), hint)
    })
}

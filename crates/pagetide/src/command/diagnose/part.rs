//! `pagetide diagnose --from --to --step`: a part of a recording.

use super::Arguments;
use crate::recordings;
use pagetide_core::{Recording, Refusal, Selection, suggest};

/// The part that was asked for; absent when all was.
pub(super) fn of(arguments: &Arguments, selection: &Selection) -> Result<Option<Recording>, Refusal> {
    if arguments.from.is_none() && arguments.to.is_none() && arguments.step.is_none() {
        return Ok(None);
    }
    let whole = recordings::load(&arguments.recording, selection)?;
    let (from, to) = match &arguments.step {
        Some(id) => of_step(&whole, id)?,
        None => recordings::range(&whole, arguments.from.as_deref(), arguments.to.as_deref())?,
    };
    let selection = Selection { from_wall_ns: Some(from), to_wall_ns: Some(to), ..selection.clone() };
    let mut part = recordings::load(&arguments.recording, &selection)?;
    if arguments.step.is_some() {
        part.marks.clear();
    }
    Ok(Some(part))
}

/// From the begin of the step before a step to its end, ns since 1970-01-01 UTC. The parts of a step are not steps before it.
fn of_step(recording: &Recording, id: &str) -> Result<(i64, i64), Refusal> {
    let Some(step) = recording.steps().find(|step| step.id == id) else {
        let known: Vec<&str> = recording.steps().map(|step| step.id.as_str()).collect();
        let mend = match suggest::nearest(id, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "this recording has no steps: use --from and --to".to_owned(),
            None => format!("it has {}", known.join(", ")),
        };
        return Err(Refusal::input(format!("there is no step `{id}` in this recording"), mend));
    };
    let before =
        recording.steps().filter(|other| other.ended_ns <= step.started_ns).map(|other| other.started_ns).max();
    let stamps = recording.stamps();
    let wall = |boot_ns: i64| {
        let index = stamps.partition_point(|stamp| stamp.boot_ns < boot_ns).min(stamps.len().saturating_sub(1));
        stamps.get(index).map_or(boot_ns, |stamp| stamp.wall_ns - stamp.boot_ns + boot_ns)
    };
    Ok((wall(before.unwrap_or(step.started_ns)), wall(step.ended_ns)))
}

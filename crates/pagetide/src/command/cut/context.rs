//! How much of what is around a stretch goes into its file: as little as gives the diagnosis that the recording gives.

use pagetide_core::{CutContent, Diagnosis, Error, Recording, Selection, Source};

/// How far around a stretch its context may reach: an hour, in ns.
const FARTHEST: i64 = 3_600_000_000_000;

/// Parts of the stretch's length that are tried as context before and behind it, from little to much.
const PARTS: [(f64, f64); 8] =
    [(0.0, 0.0), (0.125, 0.0), (0.25, 0.0), (0.25, 0.125), (0.5, 0.0), (0.5, 0.25), (1.0, 0.5), (2.0, 1.0)];

/// The stretch from `from` to `to` of a source whose times are `times`, with the context that its diagnosis needs.
pub(super) fn around(source: &impl Source, times: &Recording, (from, to): (i64, i64)) -> Result<Recording, Error> {
    let walls = || times.stamps().iter().map(|stamp| stamp.wall_ns);
    let inside = || walls().filter(|wall| (from..=to).contains(wall));
    let (Some(from), Some(to)) = (inside().min(), inside().max()) else {
        return source.load(&Selection { from_wall_ns: Some(from), to_wall_ns: Some(to), ..Selection::default() });
    };
    let with = |before: i64, behind: i64| {
        let range = (from.saturating_sub(before), to.saturating_add(behind));
        let part = Selection { from_wall_ns: Some(range.0), to_wall_ns: Some(range.1), ..Selection::default() };
        let mut recording = source.load(&part)?;
        let context = recording.stamps().iter().filter(|stamp| !(from..=to).contains(&stamp.wall_ns)).count() as u64;
        let stretch = (context > 0).then_some((from, to));
        recording.manifest.cut = Some(CutContent { context_samples: context, stretch, ..CutContent::default() });
        Ok::<_, Error>(recording)
    };
    let whole = walls().min().is_some_and(|first| first >= from) && walls().max().is_some_and(|last| last <= to);
    if whole {
        return with(0, 0);
    }
    let farthest = with(FARTHEST, FARTHEST)?;
    let told = said(&of_stretch(&farthest, (from, to)));
    let length = to.saturating_sub(from);
    for (before, behind) in PARTS {
        let recording = with(part(length, before), part(length, behind))?;
        if said(&of_stretch(&recording, (from, to))) == told {
            return Ok(recording);
        }
    }
    Ok(farthest)
}

#[expect(clippy::cast_possible_truncation, reason = "a small multiple of a length of time")]
fn part(length: i64, of: f64) -> i64 {
    ((length as f64 * of) as i64).min(FARTHEST)
}

fn of_stretch(recording: &Recording, stretch: (i64, i64)) -> Diagnosis {
    let cut = CutContent { stretch: Some(stretch), ..CutContent::default() };
    pagetide_diagnose::diagnose_stretch(recording, cut.span(recording.stamps()))
}

/// What must not change: the verdict, and the cause and those that bear it.
fn said(diagnosis: &Diagnosis) -> (&'static str, Option<String>) {
    (diagnosis.verdict.name(), diagnosis.cause.as_ref().map(|cause| cause.rule.to_string()))
}

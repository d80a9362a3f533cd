//! How many samples around a range go into its file: as few as give the same diagnosis as the whole recording.

use pagetide_core::{CutContent, Diagnosis, Error, Recording, Selection, Source, Span};

/// How far around a stretch its context may reach: an hour, in ns.
const FARTHEST: i64 = 3_600_000_000_000;

/// Context to try before and after the stretch, as parts of its length, smallest first.
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
    let all = pagetide_diagnose::diagnose(&farthest);
    let wanted = incident_of(&all, span((from, to), &farthest))
        .unwrap_or_else(|| verdict_of(&of_stretch(&farthest, (from, to))));
    let length = to.saturating_sub(from);
    for (before, behind) in PARTS {
        let recording = with(part(length, before), part(length, behind))?;
        if let Some(recording) = with_verdict(recording, (from, to), &wanted) {
            return Ok(recording);
        }
    }
    with_verdict(farthest, (from, to), &wanted).map_or_else(|| with(FARTHEST, FARTHEST), Ok)
}

/// What the recording's diagnosis says of the incident that lies mostly in a stretch; absent if there is none.
fn incident_of(diagnosis: &Diagnosis, stretch: Span) -> Option<Verdict> {
    let overlap = |range: Span| {
        let common = stretch.to.ns().min(range.to.ns()).saturating_sub(stretch.from.ns().max(range.from.ns()));
        common as f64 / range.to.ns().saturating_sub(range.from.ns()).max(1) as f64
    };
    let most = diagnosis.incidents.iter().max_by(|one, other| overlap(one.range).total_cmp(&overlap(other.range)))?;
    let rule = most.cause.as_ref().map(|cause| cause.rule.to_string());
    (overlap(most.range) > 0.5).then(|| (diagnosis.verdict.name(), rule))
}

/// The recording, if its diagnosis is the expected one: that of the range, or that of the whole recording, which the file must then show.
fn with_verdict(mut recording: Recording, stretch: (i64, i64), wanted: &Verdict) -> Option<Recording> {
    if verdict_of(&of_stretch(&recording, stretch)) == *wanted {
        return Some(recording);
    }
    if verdict_of(&pagetide_diagnose::diagnose(&recording)) == *wanted {
        recording.manifest.cut.get_or_insert_default().stretch = None;
        return Some(recording);
    }
    None
}

#[expect(clippy::cast_possible_truncation, reason = "a small multiple of a length of time")]
fn part(length: i64, of: f64) -> i64 {
    ((length as f64 * of) as i64).min(FARTHEST)
}

fn of_stretch(recording: &Recording, stretch: (i64, i64)) -> Diagnosis {
    pagetide_diagnose::diagnose_stretch(recording, span(stretch, recording))
}

/// A stretch of wall clock on the axis of a recording.
fn span(stretch: (i64, i64), recording: &Recording) -> Span {
    CutContent { stretch: Some(stretch), ..CutContent::default() }.span(recording.stamps())
}

/// What must not change: the verdict and the rule of the cause.
type Verdict = (&'static str, Option<String>);

fn verdict_of(diagnosis: &Diagnosis) -> Verdict {
    (diagnosis.verdict.name(), diagnosis.cause.as_ref().map(|cause| cause.rule.to_string()))
}

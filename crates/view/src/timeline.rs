//! Everything that has a time: plots of a recording on one axis, with the steps, the events and the gaps.

use crate::clock;
use pagetide_core::{Gap, Kind, Ledger, MarkKind, Recording, RunResult, Table};

mod drawing;
mod lost;
mod memory;
pub(crate) mod metrics;
mod rates;
mod slots;
mod stretches;

pub use drawing::*;
pub use lost::{lost_time, lost_time_title};

/// The timeline of a recording; of a run with its steps, and the disk of the cause first. Absent when nothing was recorded.
pub(crate) fn timeline(
    recording: &Recording,
    run: Option<&RunResult>,
    chain: &[crate::stage::Stage],
    ledger: Option<&Ledger>,
    disk: Option<&str>,
) -> Option<Timeline> {
    let bands = bands(recording, run);
    let mut stamps: Vec<i64> = recording.stamps().iter().map(|stamp| stamp.boot_ns).collect();
    stamps.sort_unstable();
    stamps.dedup();
    let mut moments: Vec<i64> = stamps.iter().copied().chain(stored(recording)).collect();
    moments.sort_unstable();
    moments.dedup();
    let mut known = moments.clone();
    known.extend(recording.marks.iter().map(|mark| mark.stamp.boot_ns));
    known.extend(bands.iter().flat_map(|band| [band.from, band.to]));
    known.sort_unstable();
    known.last()?;
    let axis = stretches::Stretches::new(&known, &bands, recording);
    let moment = |at: i64| axis.place(at);

    let unknown = gaps(recording, &moments);
    let slots = slots::Slots::new(&moments, unknown.clone(), recording);
    // Of files with different intervals one may have a gap where another has none.
    let gaps = if recording.manifest.column_intervals.is_empty() { unknown } else { recording.gaps() };
    let mut plots: Vec<Plot> = ledger.and_then(|ledger| lost::plot(ledger, &gaps, &axis)).into_iter().collect();
    let mut left_out = Vec::new();
    match memory::plot(recording, &stamps, &axis) {
        Some(plot) => plots.push(plot),
        None => left_out.push(memory::missing(recording)),
    }
    rates::plots(recording, run, disk, &slots, &mut plots, &mut left_out);
    let edges = slots.merge(&mut plots, &axis);
    for plot in &mut plots {
        if let Shape::Rates { levels: Some(levels), .. } = &mut plot.shape {
            levels.spans.iter_mut().for_each(|span| (span.0, span.1) = (moment(span.0), moment(span.1)));
        }
    }
    let wall = |at: i64| recording.wall_ns(at).or_else(|| Some(run?.started_wall_ns));
    let clock = clock::of(recording);
    let stretches = axis.on_axis(|at| wall(at).map(|wall| clock.local_ns(wall)));
    let chain = chain
        .iter()
        .map(|stage| Stage {
            words: stage.words.clone(),
            after: stage.after,
            from: moment(stage.range.0),
            to: moment(stage.range.1),
            plot: shown(&stage.source, &plots),
        })
        .collect();
    Some(Timeline {
        zone: clock.abbreviation(known.first().and_then(|at| wall(*at)).unwrap_or(0)),
        span_ns: stretches.last()?.to.max(1),
        stretches,
        steps: bands.into_iter().map(|band| Band { from: moment(band.from), to: moment(band.to), ..band }).collect(),
        chain,
        events: events(recording, moment),
        gaps: gaps
            .iter()
            .filter(|gap| !axis.cut(gap.from_ns, gap.to_ns))
            .map(|gap| (moment(gap.from_ns), moment(gap.to_ns)))
            .collect(),
        merged: edges.len() < slots.edges().len(),
        edges,
        plots,
        left_out,
    })
}

/// Metrics, and the plots that show what they count.
const SHOWN_BY: [(&str, &[&str]); 14] = [
    ("workingset_", &["reclaim"]),
    ("pgscan", &["reclaim"]),
    ("pgsteal", &["reclaim"]),
    ("allocstall", &["reclaim"]),
    ("refaults", &["reclaim"]),
    ("psi_", &["pressure"]),
    ("sectors", &["bandwidth", "disk"]),
    ("read_bytes", &["bandwidth", "workload"]),
    ("write_bytes", &["bandwidth", "workload"]),
    ("nr_written", &["bandwidth"]),
    ("io_ms", &["disk", "bandwidth"]),
    ("nr_dirty", &["memory"]),
    ("AnonPages", &["memory"]),
    ("MemAvailable", &["memory"]),
];

/// The plot that shows what was measured of a stage: that of the first of its metrics that any plot shows.
fn shown(source: &str, plots: &[Plot]) -> Option<&'static str> {
    let known = SHOWN_BY.iter().filter_map(|(metric, ids)| Some((source.find(metric)?, ids)));
    let mut known: Vec<_> = known.collect();
    known.sort_by_key(|(at, _)| *at);
    known.iter().flat_map(|(_, ids)| ids.iter()).copied().find(|id| plots.iter().any(|plot| plot.id == *id))
}

/// When the intervals of stored rates begin: at samples, but for the first one and those after gaps.
fn stored(recording: &Recording) -> Vec<i64> {
    let mut starts = Vec::new();
    for table in Table::ALL {
        for (entity, _) in recording.entities(table) {
            for column in recording.metrics(table, entity).filter(|column| column.kind == Kind::Rate) {
                let series = recording.series(table, entity, &column.name);
                starts.extend(series.into_iter().flat_map(|series| series.rates()).map(|(from, ..)| from));
            }
        }
    }
    starts
}

/// Stretches that are more than twice the longest interval and of which nothing is known.
fn gaps(recording: &Recording, moments: &[i64]) -> Vec<Gap> {
    let limit = i64::try_from(recording.manifest.longest_interval().get().saturating_mul(2)).unwrap_or(i64::MAX);
    moments
        .windows(2)
        .filter(|pair| limit > 0 && pair[1].saturating_sub(pair[0]) > limit)
        .map(|pair| Gap { from_ns: pair[0], to_ns: pair[1] })
        .collect()
}

/// The steps on the recording's own axis: those with a result, and those that began and have none.
fn bands(recording: &Recording, run: Option<&RunResult>) -> Vec<Band> {
    let results: Vec<_> = match run {
        Some(run) => run.steps.iter().collect(),
        None => recording.steps().collect(),
    };
    let mut bands: Vec<Band> = results
        .iter()
        .map(|step| Band {
            id: step.id.clone(),
            title: step.title.clone(),
            from: step.started_ns,
            to: step.ended_ns.max(step.started_ns),
        })
        .collect();
    let end = recording.span().map_or(0, |(_, to)| to);
    for mark in &recording.marks {
        if let MarkKind::StepStarted { id, title } = &mark.kind
            && !bands.iter().any(|band| band.id == *id)
        {
            let from = mark.stamp.boot_ns;
            bands.push(Band { id: id.clone(), title: format!("{title} (did not end)"), from, to: end.max(from) });
        }
    }
    bands.sort_by_key(|band| band.from);
    bands
}

fn events(recording: &Recording, moment: impl Fn(i64) -> i64) -> Vec<Event> {
    let text = |kind: &MarkKind| match kind {
        MarkKind::Note { text } => Some(text.clone()),
        _ => None,
    };
    recording
        .marks
        .iter()
        .filter_map(|mark| Some(Event { at: moment(mark.stamp.boot_ns), text: text(&mark.kind)? }))
        .collect()
}

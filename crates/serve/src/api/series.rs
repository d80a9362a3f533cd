//! Series of a range, at most so many points of each.

use super::coarse;
use super::points::{Answered, Series};
use super::quantity::Wanted;
use super::source::{self, Opened};
use crate::number::{ms, ms_up, rounded, shown};
use crate::query::Query;
use crate::reply::{Answer, Failure, json};
use crate::shared::Shared;
use axum::extract::{Path, RawQuery, State};
use pagetide_core::{Error, Recording};
use pagetide_store::Level;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Series of one request.
const MOST_SERIES: usize = 64;
/// Points of a series: at least, when not given, at most.
const POINTS: (i64, i64, i64) = (10, 1000, 5000);

pub(super) async fn series(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Query::parse(query.as_deref());
    let wanted = query.all("s").iter().map(|text| Wanted::parse(text)).collect::<Result<Vec<_>, Error>>()?;
    let range = query.range()?;
    let points = query.number("points")?.unwrap_or(POINTS.1);
    query.done(&["s", "from", "to", "points"])?;
    if !(POINTS.0..=POINTS.2).contains(&points) {
        return Err(Error::input(format!("points is not from {} to {}", POINTS.0, POINTS.2), "points=1000").into());
    }
    if wanted.is_empty() || wanted.len() > MOST_SERIES {
        let what = format!("{} series are requested", wanted.len());
        return Err(Error::input(what, format!("give s=host/MemFree, 1 to {MOST_SERIES} times")).into());
    }
    let inner = Arc::clone(&shared);
    json(shared.work.run(move || read(&inner, &source::open(&inner, &id)?, range, points, &wanted)).await?)
}

/// Whether to read buckets instead of samples: if a point covers at least the finest bucket.
fn is_long(opened: &Opened, (from, to): (i64, i64), points: i64) -> bool {
    let finest = Level::TenSeconds.ns();
    opened.interval() < finest && to.saturating_sub(from) / points.max(1) >= finest
}

/// The points of all series: an interval on the recording's axis and the wall clock at its end.
#[derive(Debug, PartialEq)]
struct Edge {
    from: i64,
    to: i64,
    wall_ns: i64,
    /// Whether it is a gap of the recording, of which nothing is known.
    gap: bool,
}

fn read(
    shared: &Shared,
    opened: &Opened,
    range: (Option<i64>, Option<i64>),
    points: i64,
    wanted: &[Wanted],
) -> Result<Answered, Failure> {
    let (from, to) = opened.range(range)?;
    if let Some(reader) = opened.reader().filter(|_| is_long(opened, (from, to), points)) {
        return coarse::read(reader, shared, (from, to), points, wanted);
    }
    let mut selection = opened.selection((from, to));
    wanted.iter().for_each(|wanted| wanted.select(&mut selection));
    if selection.tables.is_empty() {
        // Only unknown ones: the times alone.
        selection.metrics = vec![String::new()];
        selection.tables.push(pagetide_core::Table::Host);
    }
    selection.tables.sort_unstable();
    selection.tables.dedup();
    selection.metrics.sort_unstable();
    selection.metrics.dedup();
    let recording = opened.source.load(&selection)?;
    let (edges, step, is_whole) = edges(&recording, opened.interval(), (from, to), points);
    Ok(Answered {
        from_ms: ms(from),
        to_ms: ms_up(to),
        step_ms: step / 1_000_000,
        source: "samples",
        at_ms: edges.iter().map(|edge| ms(edge.wall_ns)).collect(),
        series: wanted.iter().map(|wanted| series_of(wanted, &recording, &edges, is_whole)).collect(),
    })
}

/// The intervals of the points: those between samples, or as many of them together as the number of points asks for. A gap is one of its own.
fn edges(recording: &Recording, interval: i64, (from, to): (i64, i64), points: i64) -> (Vec<Edge>, i64, bool) {
    let stamps = recording.stamps();
    let gaps: BTreeSet<i64> = recording.gaps().into_iter().map(|gap| gap.to_ns).collect();
    let inside = |wall_ns: i64| wall_ns > from && wall_ns <= to;
    let count = stamps.iter().filter(|stamp| inside(stamp.wall_ns)).count();
    let is_whole = i64::try_from(count).unwrap_or(i64::MAX) <= points;
    let width = if is_whole { 1 } else { to.saturating_sub(from) / (points - 1).max(1) + 1 };
    let mut edges: Vec<Edge> = Vec::new();
    let mut before: Option<i64> = None;
    let mut group = None;
    for stamp in stamps {
        // The model samples a moment more than once, when a step ends there. What lies between these samples is no interval.
        let is_later = before.is_none_or(|before| before < stamp.boot_ns);
        if inside(stamp.wall_ns) && is_later {
            let gap = gaps.contains(&stamp.boot_ns);
            let own = if is_whole || gap { None } else { Some(stamp.wall_ns.div_euclid(width)) };
            match edges.last_mut().filter(|_| own.is_some() && own == group) {
                Some(edge) => (edge.to, edge.wall_ns) = (stamp.boot_ns, stamp.wall_ns),
                None => edges.push(Edge {
                    // The first sample speaks for the time before it.
                    from: before.unwrap_or(stamp.boot_ns.saturating_sub(interval)),
                    to: stamp.boot_ns,
                    wall_ns: stamp.wall_ns,
                    gap,
                }),
            }
            group = own;
        }
        before = Some(stamp.boot_ns);
    }
    (edges, if is_whole { interval } else { width }, is_whole)
}

fn series_of(wanted: &Wanted, recording: &Recording, edges: &[Edge], is_whole: bool) -> Series {
    let (unit, factor) = shown(wanted.unit(), recording.manifest.page_size.as_f64());
    let value = |value: f64| rounded(value * factor);
    let mut answer = Series::empty(wanted, unit);
    let (mut walk, mut fine) = match (wanted.evaluator(recording), wanted.evaluator(recording)) {
        (Ok(walk), Ok(fine)) => (walk, fine),
        (Err(why), _) | (_, Err(why)) => {
            answer.missing = Some(why);
            return answer;
        }
    };
    let of = |edge: &Edge| walk.over(edge.from, edge.to).and_then(value).filter(|_| !edge.gap);
    let mean: Vec<Option<f64>> = edges.iter().map(of).collect();
    let (mut min, mut max) = (mean.clone(), mean.clone());
    if !is_whole {
        let stamps = recording.stamps();
        let first = stamps.partition_point(|stamp| Some(stamp.boot_ns) < edges.first().map(|edge| edge.from));
        let mut at = 0;
        for pair in stamps[first.min(stamps.len())..].windows(2) {
            let (from, to) = (pair[0].boot_ns, pair[1].boot_ns);
            while edges.get(at).is_some_and(|edge| edge.to < to) {
                at += 1;
            }
            let Some(value) =
                fine.over(from, to).and_then(value).filter(|_| edges.get(at).is_some_and(|edge| !edge.gap))
            else {
                continue;
            };
            min[at] = Some(min[at].map_or(value, |low| low.min(value)));
            max[at] = Some(max[at].map_or(value, |high| high.max(value)));
        }
    }
    (answer.mean, answer.min, answer.max) = (Some(mean), Some(min), Some(max));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Manifest, Nanos, RecordingBuilder, Sample, Schema, Stamp};

    #[test]
    fn a_gap_is_a_point_of_its_own_and_one_moment_is_none() {
        let mut builder = RecordingBuilder::new(Manifest { interval: Nanos::new(10), ..Manifest::default() });
        for at in [10, 20, 30, 30, 70, 80, 90, 90] {
            let mut sample = Sample::default();
            sample.stamp = Stamp { wall_ns: 1000 + at, mono_ns: at, boot_ns: at };
            builder.sample(&Schema::default(), &sample);
        }
        let recording = builder.finish();
        let points = |count| {
            let (edges, ..) = edges(&recording, 10, (1000, 1090), count);
            edges.into_iter().map(|edge| (edge.from, edge.to, edge.gap)).collect::<Vec<_>>()
        };
        let each = [(0, 10, false), (10, 20, false), (20, 30, false), (30, 70, true), (70, 80, false), (80, 90, false)];
        assert_eq!(points(10), each);
        assert_eq!(points(2), [(0, 30, false), (30, 70, true), (70, 90, false)]);
    }
}

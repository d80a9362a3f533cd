//! Series of a long range, from the buckets of the recording.

use super::points::{Answered, Series};
use super::quantity::Wanted;
use crate::number::{ms, ms_up, rounded, shown};
use crate::reply::Failure;
use crate::shared::Shared;
use pagetide_store::{Bucket, Curve, Level, Reader};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn read(
    reader: &Arc<Reader>,
    shared: &Shared,
    (from, to): (i64, i64),
    points: i64,
    wanted: &[Wanted],
) -> Result<Answered, Failure> {
    let shortest = to.saturating_sub(from) / (points - 1).max(1);
    let level = Level::ALL.into_iter().rev().find(|level| level.ns() <= shortest).unwrap_or(Level::TenSeconds);
    let width = (shortest.saturating_add(level.ns() - 1) / level.ns()).max(1).saturating_mul(level.ns());
    let curves: Vec<Vec<Curve>> = wanted.iter().map(Wanted::curves).collect();
    let all: Vec<Curve> = curves.iter().flatten().cloned().collect();
    let buckets = reader.buckets(shared.pyramids.cache(), (from, to), level, &all)?;
    if buckets.missing > 0 {
        shared.pyramids.make(reader);
    }
    let page = reader.manifest().page_size.as_f64();
    let first = from.div_euclid(width).saturating_add(1);
    let last = (to - 1).div_euclid(width).saturating_add(1).max(first);
    let ends: Vec<i64> = (first..=last).map(|cell| cell.saturating_mul(width)).collect();
    let mut read = buckets.curves.into_iter();
    let series = wanted.iter().zip(&curves).map(|(wanted, curves)| {
        let merged: Vec<BTreeMap<i64, Bucket>> =
            read.by_ref().take(curves.len()).map(|buckets| merged(buckets, width)).collect();
        series(wanted, curves, &merged, &ends, page)
    });
    let series = series.collect();
    Ok(Answered {
        from_ms: ms(from),
        to_ms: ms_up(to),
        step_ms: width / 1_000_000,
        source: level.name(),
        // The last point ends with the range.
        at_ms: ends.iter().map(|end| ms((*end).min(to))).collect(),
        series,
    })
}

/// The buckets of a curve, as many together as make a point.
fn merged(buckets: Vec<Bucket>, width: i64) -> BTreeMap<i64, Bucket> {
    let mut cells: BTreeMap<i64, Vec<Bucket>> = BTreeMap::new();
    for bucket in buckets {
        let end = (bucket.end_ns - 1).div_euclid(width).saturating_add(1).saturating_mul(width);
        cells.entry(end).or_default().push(bucket);
    }
    cells.into_iter().filter_map(|(end, buckets)| Some((end, Bucket::merge(end, buckets)?))).collect()
}

fn series(wanted: &Wanted, curves: &[Curve], merged: &[BTreeMap<i64, Bucket>], ends: &[i64], page: f64) -> Series {
    let (unit, factor) = shown(wanted.unit(), page);
    let mut answer = Series::empty(wanted, unit);
    if merged.iter().all(BTreeMap::is_empty) {
        answer.missing = Some("the recording has no values of it in this range".to_owned());
        return answer;
    }
    let values = |of: fn(&Bucket) -> f64| -> Vec<Option<f64>> {
        let value = |end: &i64| {
            let get = |name: &str| {
                let at = curves.iter().position(|curve| curve.metric.name == name)?;
                merged.get(at)?.get(end).map(of)
            };
            wanted.combine(&get).and_then(|value| rounded(value * factor))
        };
        ends.iter().map(value).collect()
    };
    let mean = values(|bucket| bucket.mean);
    // A part of memory is made of several gauges, whose smallest values belong to different moments.
    let (min, max) = if curves.len() == 1 {
        (values(|bucket| bucket.min), values(|bucket| bucket.max))
    } else {
        (mean.clone(), mean.clone())
    };
    (answer.mean, answer.min, answer.max) = (Some(mean), Some(min), Some(max));
    answer
}

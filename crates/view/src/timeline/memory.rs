//! Memory as a stack: anonymous, other, dirty, clean cache, free.

use super::drawing::{COLUMNS, Layer, Plot, Points, Shape};
use super::stretches::Stretches;
use crate::measure::Measure;
use pagetide_core::memory::{Split, SplitFields};
use pagetide_core::{Recording, Series, Table};
use std::collections::BTreeMap;

const LAYERS: [(&str, &str); 5] = [
    ("anonymous", "anon"),
    ("kernel and other", "other"),
    ("dirty and writeback", "dirty"),
    ("clean cache", "clean"),
    ("free", "free"),
];

/// Whose memory it is: that of the workload's control group, else the host's.
fn whose(recording: &Recording) -> (Table, &str, SplitFields) {
    let group = recording.manifest.workload_cgroup.as_deref();
    group.map_or((Table::Host, "", SplitFields::HOST), |path| (Table::Cgroup, path, SplitFields::CGROUP))
}

/// Memory at each of `stamps`, which stand on `axis`; absent when the recording has neither anonymous memory nor cache.
pub(super) fn plot(recording: &Recording, stamps: &[i64], axis: &Stretches) -> Option<Plot> {
    let (table, entity, fields) = whose(recording);
    let columns: BTreeMap<&str, Vec<Option<f64>>> =
        fields.names().map(|name| (name, aligned(recording.series(table, entity, name), stamps))).collect();
    let split = |index: usize| -> Option<[Option<f64>; 5]> {
        let Split { anonymous, other, dirty, clean, free } = Split::new(fields, |name| columns.get(name)?[index])?;
        Some([Some(anonymous), other, Some(dirty), Some(clean), free])
    };
    let mut at = Vec::with_capacity(stamps.len());
    let mut values: [Vec<Option<f64>>; 5] = Default::default();
    let mut push = |moment: i64, row: [Option<f64>; 5]| {
        at.push(moment);
        values.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    };
    let gaps = recording.gaps();
    for (index, stamp) in stamps.iter().enumerate() {
        push(axis.place(*stamp), split(index).unwrap_or_default());
        if gaps.iter().any(|gap| gap.from_ns == *stamp) {
            push(axis.place(*stamp).saturating_add(1), [None; 5]);
        }
    }
    let layers = LAYERS
        .iter()
        .zip(values)
        .map(|((name, hue), values)| Layer { name: (*name).to_owned(), hue, values })
        .filter(|layer| layer.values.iter().any(Option::is_some))
        .collect();
    let points = thinned(Points { at, layers });
    if points.layers.is_empty() {
        return None;
    }
    let (title, source) = match recording.manifest.workload_cgroup.as_deref() {
        Some(path) => (
            "Memory of the workload's control group".to_owned(),
            format!("memory.stat of {path}; free is its limit minus what is charged to it"),
        ),
        None => (
            "Memory of the host".to_owned(),
            "/proc/meminfo; cache is Cached and Buffers without Shmem, which counts as anonymous".to_owned(),
        ),
    };
    Some(Plot { id: "memory", title, source, measure: Measure::Bytes, shape: Shape::Stacked(points) })
}

/// Why there is no plot: of all parts of memory these must be known.
pub(super) fn missing(recording: &Recording) -> String {
    let (table, entity, fields) = whose(recording);
    let needed = fields.needed();
    let absent = |name: &&str| recording.series(table, entity, name).is_none();
    let absent: Vec<&str> = needed.into_iter().filter(absent).collect();
    match absent.as_slice() {
        [] => format!("Memory: no sample has {}.", needed.join(" and ")),
        absent => format!("Memory: the recording has no {}.", absent.join(" and no ")),
    }
}

/// The values of a series at `stamps`, absent where it has none.
fn aligned(series: Option<Series<'_>>, stamps: &[i64]) -> Vec<Option<f64>> {
    let mut out = vec![None; stamps.len()];
    for (at, value) in series.iter().flat_map(Series::points) {
        if let Ok(index) = stamps.binary_search(&at) {
            out[index] = Some(value as f64);
        }
    }
    out
}

/// Keeps, of each stretch that is too narrow to draw, the samples in which any layer is smallest or largest, and the
/// samples beside a gap. What is kept is as it was sampled, so the layers of a moment still add up.
fn thinned(points: Points) -> Points {
    let count = points.at.len();
    let stretches = COLUMNS / points.layers.len().max(1);
    if count <= 2 * COLUMNS {
        return points;
    }
    let (first, last) = (points.at[0], points.at[count - 1]);
    let width = (last.saturating_sub(first) / i64::try_from(stretches).unwrap_or(1)).max(1);
    let mut keep = vec![false; count];
    let mut start = 0;
    while start < count {
        let stretch = points.at[start].saturating_sub(first) / width;
        let end = start + points.at[start..].partition_point(|at| at.saturating_sub(first) / width == stretch);
        for layer in &points.layers {
            let present = || (start..end).filter_map(|index| Some((index, layer.values[index]?)));
            for index in [
                present().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index),
                present().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index),
            ]
            .into_iter()
            .flatten()
            {
                keep[index] = true;
            }
        }
        start = end;
    }
    for index in 0..count {
        if points.layers.iter().all(|layer| layer.values[index].is_none()) {
            (index.saturating_sub(1)..=(index + 1).min(count - 1)).for_each(|near| keep[near] = true);
        }
    }
    (keep[0], keep[count - 1]) = (true, true);
    let kept = |index: &usize| keep[*index];
    Points {
        at: (0..count).filter(kept).map(|index| points.at[index]).collect(),
        layers: points
            .layers
            .into_iter()
            .map(|layer| Layer { values: (0..count).filter(kept).map(|index| layer.values[index]).collect(), ..layer })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_every_spike_of_every_layer() {
        let count = 86_400;
        let mut values = vec![Some(5.0); count];
        values[40_000] = Some(900.0);
        values[70_001] = Some(-3.0);
        let layer = Layer { name: String::new(), hue: "anon", values };
        let points =
            thinned(Points { at: (0..86_400).map(|second| second * 1_000_000_000).collect(), layers: vec![layer] });
        assert!(points.at.len() <= 2 * COLUMNS + 2, "{}", points.at.len());
        let at = |value: f64| points.at[points.layers[0].values.iter().position(|v| *v == Some(value)).unwrap()];
        assert_eq!((at(900.0), at(-3.0)), (40_000_000_000_000, 70_001_000_000_000));
    }
}

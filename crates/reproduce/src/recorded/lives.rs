//! Processes of a command that come, take memory and end, one after the other.

use super::family::{forked_by, id, seen};
use super::stretch::Stretch;
use pagetide_core::Table;

/// A process that took memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Life {
    /// As the recording calls it.
    pub(crate) process: String,
    /// When it was first seen, if that was in the stretch, ns on the axis; and when it ended, if it did.
    pub(crate) appeared: Option<i64>,
    pub(crate) ended: Option<i64>,
    /// Anonymous memory that it had when the stretch began, and the most that it had, bytes; and how long that took, s.
    pub(crate) had: f64,
    pub(crate) took: f64,
    pub(crate) grew_for: f64,
}

/// The processes of a command that took memory in a stretch, in order of time, where one came after another had ended: a service that is started again
/// when it was killed. None where one forked another, as both have the same pages.
pub(super) fn lives(stretch: &Stretch<'_>, processes: &[String]) -> Vec<Life> {
    const MIN_SHARE_OF_MEMORY: f64 = 0.02;
    const MAX_LIVES: usize = 16;
    let recording = stretch.recording;
    let least = MIN_SHARE_OF_MEMORY * recording.manifest.memory_total.as_f64();
    let interval = recording.manifest.interval.get().cast_signed();
    let of = |process: &String| {
        let (first, last) = seen(recording, process)?;
        let held = recording.series(Table::Process, process, "RssAnon")?;
        let points = || held.within(stretch.from, stretch.to);
        let (at, most) = points().max_by_key(|(at, bytes)| (*bytes, std::cmp::Reverse(*at)))?;
        let comes = first > stretch.from;
        // It may have gone on for an interval after it was last seen.
        let end = last.saturating_add(interval);
        (most as f64 >= least).then(|| Life {
            process: process.clone(),
            appeared: comes.then_some(first),
            ended: (end.saturating_add(interval) < stretch.to).then_some(end),
            had: if comes { 0.0 } else { points().next().map_or(0.0, |(_, bytes)| bytes as f64) },
            took: most as f64,
            grew_for: at.saturating_sub(first.max(stretch.from)).max(interval) as f64 / 1e9,
        })
    };
    let mut all: Vec<Life> = processes.iter().filter_map(of).collect();
    all.sort_by_key(|life| life.appeared);
    let ids: Vec<i64> = all.iter().filter_map(|life| id(&life.process)).collect();
    let is_forked = |life: &Life| forked_by(recording, &life.process).is_some_and(|parent| ids.contains(&parent));
    let first_end = all.iter().filter_map(|life| life.ended).min();
    let last_start = all.iter().filter_map(|life| life.appeared).max();
    let follow = first_end.zip(last_start).is_some_and(|(ended, came)| ended <= came.saturating_add(interval));
    if !follow || all.iter().any(is_forked) {
        return Vec::new();
    }
    all.truncate(MAX_LIVES);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Bytes, Column, Kind, Manifest, Nanos, Recording, RecordingBuilder, Stamp, Unit};

    /// Twenty seconds of a host of 1 GB on which processes have this parent and 20 MB more in each of these seconds.
    fn recorded(processes: &[(&str, i64, std::ops::RangeInclusive<i64>)]) -> Recording {
        let (memory_total, interval) = (Bytes::new(1_000_000_000), Nanos::new(1_000_000_000));
        let mut made = RecordingBuilder::new(Manifest { memory_total, interval, ..Manifest::default() });
        let column = |name: &str, kind| Column { name: name.to_owned(), kind, unit: Unit::Bytes };
        for second in 0..=20 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            for (process, parent, seen) in processes.iter().filter(|(.., seen)| seen.contains(&second)) {
                let bytes = (second - seen.start() + 1) * 20_000_000;
                made.value(Table::Process, process, &column("RssAnon", Kind::Gauge), bytes);
                made.value(Table::Process, process, &column("ppid", Kind::Gauge), *parent);
                made.value(Table::Process, process, &column("rss", Kind::Gauge), bytes / 4096);
            }
        }
        made.finish()
    }

    fn of(processes: &[(&str, i64, std::ops::RangeInclusive<i64>)]) -> Vec<(Option<i64>, Option<i64>, f64)> {
        let recording = recorded(processes);
        let stretch = Stretch { recording: &recording, from: 0, to: 20_000_000_000 };
        let names: Vec<String> = processes.iter().map(|(name, ..)| (*name).to_owned()).collect();
        let second = |at: i64| at / 1_000_000_000;
        lives(&stretch, &names)
            .iter()
            .map(|life| (life.appeared.map(second), life.ended.map(second), life.took))
            .collect()
    }

    #[test]
    fn a_service_that_is_started_again_lives_as_often() {
        let twice = [("7@0", 1, 0..=5), ("9@8", 1, 8..=20)];
        assert_eq!(of(&twice), [(None, Some(6), 120e6), (Some(8), None, 260e6)]);
        assert_eq!(of(&[("7@0", 1, 0..=20), ("9@8", 1, 8..=20)]), [], "both at once");
        assert_eq!(of(&[("7@0", 1, 0..=5), ("9@8", 7, 8..=20)]), [], "it forked the other");
        assert_eq!(of(&[("7@0", 1, 0..=5), ("9@8", 1, 20..=20)]).len(), 2, "20 MB are 2 % of memory");
    }
}

//! A group that takes the place of another: a service is deployed anew, in a container of its own.

use crate::actors::group;
use crate::measure::amount::Limit;
use crate::measure::window::{Window, intervals};
use pagetide_core::{Nanos, Table};
use std::collections::BTreeMap;

/// Intervals between the last sample of what is replaced, a process or a group, and the first of what replaces it, at most.
pub(crate) const BETWEEN: u64 = 5;
/// How long the one ran.
pub(crate) const RAN: Limit<Nanos> = Limit::new(
    "time for which a program ran in a group before one of the same command began in another, at least",
    15e9,
    "Jobs of one command follow each other within less.",
    "judgement",
);

/// The group in whose place a group has come: a program ran there, and it ended, with all of its group, as one of the same command began here. Absent of
/// those that were there from the start.
pub(crate) fn predecessor<'w>(window: &Window<'w>, group: &str) -> Option<&'w str> {
    window.episodes.successions(|| all(window)).get(group).map(String::as_str)
}

/// The first and the last sample of a process, its command, and the number of its group.
struct Ran<'a> {
    first: i64,
    last: i64,
    comm: &'a str,
    group: i64,
}

/// All of them by the name of the group that came.
fn all(window: &Window<'_>) -> BTreeMap<String, String> {
    let recording = window.recording;
    let Some((start, _)) = recording.span() else { return BTreeMap::new() };
    let slack = intervals(recording, BETWEEN).get();
    let slack = i64::try_from(slack).unwrap_or(i64::MAX);
    let begun = |group| {
        let (at, id) = recording.series(Table::Cgroup, group, "cgroup_id")?.points().next()?;
        Some((group, at, id))
    };
    let known: Vec<(&str, i64, i64)> = group::leaves(recording).into_iter().filter_map(begun).collect();
    let new: Vec<&(&str, i64, i64)> = known.iter().filter(|(_, at, _)| at.saturating_sub(start) > slack).collect();
    if new.is_empty() {
        return BTreeMap::new();
    }
    let ran = |(name, comm)| {
        let series = recording.series(Table::Process, name, "utime")?;
        let (first, last) = (series.points().next()?.0, series.points().next_back()?.0);
        Some(Ran { first, last, comm, group: group::number(window.recording, Table::Process, name)? })
    };
    let processes: Vec<Ran<'_>> = recording.entities(Table::Process).filter_map(ran).collect();
    let ended = |group: i64| processes.iter().filter(|one| one.group == group).map(|one| one.last).max();
    // What starts a program, a shell, ran in the group before it.
    let old = |new: &Ran<'_>| {
        processes.iter().find(|old| {
            let near = old.last.abs_diff(new.first) <= slack.unsigned_abs();
            let lasted = old.last.saturating_sub(old.first) as f64 >= RAN.get();
            old.group != new.group && old.comm == new.comm && near && lasted && ended(old.group) == Some(old.last)
        })
    };
    let replaced = |(_, _, id): &(&str, i64, i64)| {
        let old = processes.iter().filter(|one| one.group == *id).find_map(old)?;
        known.iter().find(|(.., id)| *id == old.group).map(|(name, ..)| (*name).to_owned())
    };
    new.into_iter().filter_map(|group| Some((group.0.to_owned(), replaced(group)?))).collect()
}

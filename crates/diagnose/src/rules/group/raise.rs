//! To raise a memory limit of a control group, and who fills the group.

use crate::actors::{group, process};
use crate::evidence::word;
use crate::measure::amount::Amount;
use crate::measure::cgroup_version;
use crate::measure::window::{Level, Window, intervals};
use pagetide_core::{Bytes, Moment};

/// How a limit of a group is raised.
pub(super) struct Raise {
    /// In words.
    pub(super) action: String,
    pub(super) command: String,
    /// Puts it back as it is.
    pub(super) undo: String,
}

/// To raise a limit of a group, by its metric and by what it is called: to what it was before somebody lowered it where that was recorded, else by a
/// quarter, if the host has twice as much available.
pub(super) fn raise(window: &Window<'_>, group: &str, (metric, called): (&str, &str), limit: Level<Bytes>) -> Raise {
    let v1 = cgroup_version::is_v1(window.recording);
    let file = if v1 { "memory.limit_in_bytes".to_owned() } else { format!("memory.{metric}") };
    let path = word(&format!("{group}/{file}"));
    let write = |limit: Amount<Bytes>| format!("echo {:.0} > {path}", limit.get());
    let until = window.span.to.later(intervals(window.recording, 1));
    let before = match group::limit_before(window.recording, group, metric, until) {
        None if limit.most > limit.least => Some(group::Limit::Of(limit.most)),
        before => before,
    };
    let available = window.host_level::<Bytes>("MemAvailable").map(|available| available.least);
    let more = limit.least * QUARTER;
    let fits = available.is_none_or(|available| available >= more * 2.0);
    let (action, command) = match before {
        Some(group::Limit::None) => {
            let none = if v1 { "-1" } else { "max" };
            (format!("Remove {called} of the group: it had none."), format!("echo {none} > {path}"))
        }
        Some(group::Limit::Of(before)) => (format!("Put {called} of the group back to {before}."), write(before)),
        None if fits => {
            let raised = limit.least + more;
            (
                format!("Raise {called} of the group by a quarter, to {raised}, and again while that helps."),
                write(raised),
            )
        }
        None => {
            let available = available.unwrap_or(Amount::ZERO);
            let action = format!(
                "Raise {called} of the group by what the host can spare: it had {available} available, at least."
            );
            (action, format!("echo BYTES > {path}"))
        }
    };
    Raise { action, command, undo: write(limit.least) }
}

/// The step by which a limit is raised of which nobody knows how high it has to be.
const QUARTER: f64 = 0.25;
/// The part of a limit by which a program in the group grew, at least, to be named.
const GREW: f64 = 0.1;

/// Who in a group fills it, as a sentence, and what to do about that: the program that grew most, where it did so there, else the one that reads most.
pub(super) fn fills(window: &Window<'_>, group: &str, limit: Amount<Bytes>) -> Option<[String; 2]> {
    let both = [process::grower(window), process::growing_command(window)];
    let grower = both.into_iter().flatten().max_by(|one, other| one.amount.total_cmp(&other.amount));
    let grower = grower.filter(|one| one.amount >= limit * GREW && group::contains(window, group, one.name));
    let begins = |name: &str| {
        let start = window.recording.stamps().first().map_or(i64::MAX, |first| first.boot_ns);
        Moment::of_start(name).is_some_and(|at| at.ns() > start)
    };
    if let Some(grower) = grower {
        let (who, comm, grown) = (grower.words(), grower.comm, grower.amount);
        let other = if begins(grower.name) {
            format!(" Or run {comm} later, or outside of the group.")
        } else {
            format!(" Or find out why {comm} grew.")
        };
        return Some([format!(" {who} in it grew by {grown}."), other]);
    }
    let reader = process::fastest::<Bytes>(window, &["read_bytes"])
        .filter(|reader| reader.amount.is_positive() && group::contains(window, group, reader.name))?;
    let other = if begins(reader.name) {
        format!(" Or run {} later, or outside of the group.", reader.comm)
    } else {
        String::new()
    };
    Some([format!(" {} in it reads {}.", reader.words(), reader.amount), other])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::episodes::Episodes;
    use pagetide_core::{Column, Kind, Manifest, RecordingBuilder, Span, Stamp, Table, Unit};

    #[test]
    fn a_limit_is_raised_to_what_it_was_before_and_else_by_a_quarter() {
        let raised = |limits: [Option<i64>; 2], available: i64| {
            let mut builder = RecordingBuilder::new(Manifest::default());
            for at in 0..10 {
                builder.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() });
                let mut gauge = |table, entity: &str, name: &str, value| {
                    let column = Column { name: name.to_owned(), kind: Kind::Gauge, unit: Unit::Bytes };
                    builder.value(table, entity, &column, value);
                };
                gauge(Table::Cgroup, "/app", "current", 4096);
                gauge(Table::Host, "", "MemAvailable", available);
                if let Some(limit) = limits[usize::from(at >= 3)] {
                    gauge(Table::Cgroup, "/app", "high", limit);
                }
            }
            let recording = builder.finish();
            let episodes = Episodes::default();
            let whole = Window::whole(&recording, &episodes).unwrap();
            // It was lowered before.
            let late = whole.over(Span::new(6_000_000_000, 9_000_000_000));
            let limit = late.level(Table::Cgroup, "/app", "high").unwrap();
            let raise = raise(&late, "/app", ("high", "memory.high"), limit);
            assert_eq!(raise.undo, "echo 4096 > /app/memory.high");
            (raise.action, raise.command)
        };
        let command = |limits, available| raised(limits, available).1;
        assert_eq!(command([Some(8192), Some(4096)], 0), "echo 8192 > /app/memory.high");
        assert_eq!(command([None, Some(4096)], 0), "echo max > /app/memory.high", "it had none");
        let (action, same) = raised([Some(4096); 2], 1 << 20);
        assert_eq!(same, "echo 5120 > /app/memory.high");
        assert_eq!(action, "Raise memory.high of the group by a quarter, to 5 KiB, and again while that helps.");
        assert_eq!(command([Some(4096); 2], 1024), "echo BYTES > /app/memory.high", "the host has no quarter to spare");
    }
}

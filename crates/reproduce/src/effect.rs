//! What a change does to those who lose time, and to those who take it.

use crate::culprit::Culprit;
use crate::stretch::{Stretch, whole};
use pagetide_core::{Recording, Table};
use serde::Serialize;

/// What the victims and the culprits of an incident did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Effect {
    /// The share of time that the victims waited for IO, memory or a CPU beyond what they did before; 1 is one task all the time.
    pub lost: f64,
    /// What the victims read and wrote, by what they did before the incident.
    pub throughput: Option<f64>,
    /// Bytes that the culprits read and wrote per second.
    pub culprits: f64,
    /// Processes that the OOM killer killed: they lose no more time.
    pub killed: u64,
}

/// The delays of a task, ns.
const DELAYS: [&str; 3] = ["blkio_delay_total", "freepages_delay_total", "cpu_delay_total"];

/// Whether delays of any task were counted. Waits for a CPU the scheduler counts anyway (`kernel/sched/stats.h: sched_info_dequeue`), and the
/// rows of processes that ended have them.
pub(crate) fn has_delays(recording: &Recording) -> bool {
    const COUNTED: [&str; 2] = ["blkio_delay_total", "freepages_delay_total"];
    let of = |process: &str, metric| {
        recording.series(Table::Process, process, metric).is_some_and(|delay| delay.points().any(|(_, ns)| ns > 0))
    };
    recording.entities(Table::Process).any(|(process, _)| COUNTED.into_iter().any(|metric| of(process, metric)))
}

/// What happened to the processes of the parts. Where no part ran before, those that began it are the victims as well.
pub(crate) fn of(calm: &Stretch<'_>, trouble: &Stretch<'_>, culprits: &[Culprit]) -> Effect {
    let recording = trouble.recording;
    let resident = |process: &str| {
        recording.series(Table::Process, process, "rss").is_some_and(|pages| pages.points().any(|(_, pages)| pages > 0))
    };
    let all: Vec<(&str, bool)> = recording
        .entities(Table::Process)
        .filter(|(process, _)| resident(process))
        .map(|(process, name)| (process, culprits.iter().any(|culprit| culprit.process == name)))
        .collect();
    let alone = all.iter().all(|(_, is_culprit)| *is_culprit);
    let victims = || all.iter().filter(|(_, is_culprit)| alone || !is_culprit).map(|(process, _)| *process);
    let rate =
        |stretch: &Stretch<'_>, process: &str, metric| stretch.rate(Table::Process, process, metric).unwrap_or(0.0);
    let waits = |stretch: &Stretch<'_>| -> f64 {
        let of = |process: &str| {
            // Waits for swap and for refaults are waits for IO too.
            DELAYS.map(|metric| rate(stretch, process, metric)).iter().sum::<f64>()
        };
        victims().map(of).sum::<f64>() / 1e9
    };
    let moved =
        |stretch: &Stretch<'_>, process: &str| rate(stretch, process, "rchar") + rate(stretch, process, "wchar");
    let by = |stretch: &Stretch<'_>| victims().map(|process| moved(stretch, process)).sum::<f64>();
    let before = by(calm);
    let killed = calm.with(calm.from, trouble.to).ends(Table::Host, "", "oom_kill").map_or(0.0, |(from, to)| to - from);
    Effect {
        killed: whole(killed),
        lost: (waits(trouble) - waits(calm)).max(0.0),
        throughput: (!alone && before > 0.0).then(|| by(trouble) / before),
        culprits: all.iter().filter(|(_, is_culprit)| *is_culprit).map(|(process, _)| moved(trouble, process)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    #[test]
    fn waits_for_a_cpu_alone_are_no_sign_that_delays_are_counted() {
        let counts = |metric: &str, ns: i64| {
            let mut made = RecordingBuilder::new(Manifest::default());
            made.stamp(Stamp { boot_ns: 1, ..Stamp::default() });
            let column = Column { name: metric.to_owned(), kind: Kind::Counter, unit: Unit::Nanos };
            made.value(Table::Process, "ended/7.1@0", &column, ns);
            has_delays(&made.finish())
        };
        assert!(counts("blkio_delay_total", 5) && counts("freepages_delay_total", 5));
        assert!(!counts("blkio_delay_total", 0) && !counts("cpu_delay_total", 5));
    }
}

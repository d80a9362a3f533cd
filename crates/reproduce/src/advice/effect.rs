//! What a change does to those who lose time, and to those who take it.

use crate::recorded::{Stretch, TICKS, whole};
use crate::scenario::Programs;
use pagetide_core::{Recording, Table};
use serde::Serialize;
use std::collections::BTreeMap;

/// What the victims and the culprits of an incident did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Effect {
    /// The share of time that the victims waited for IO, memory or a CPU beyond what they did before; 1 is one task all the time. With an advice: for
    /// as much work as they did without it.
    pub lost: f64,
    /// What the victims read and wrote, by what they did before the incident.
    pub throughput: Option<f64>,
    /// Bytes that the culprits read and wrote per second.
    pub culprits: f64,
    /// Processes that the OOM killer killed: they lose no more time.
    pub killed: u64,
}

impl Effect {
    /// Whether the victims do clearly less of their work with a change than without it.
    pub fn victims_do_less_than(&self, unchanged: &Self) -> bool {
        const CLEARLY: f64 = 0.9;
        self.throughput.zip(unchanged.throughput).is_some_and(|(now, was)| now < CLEARLY * was)
    }
}

/// The delays of a task, ns.
const DELAYS: [&str; 3] = ["blkio_delay_total", "freepages_delay_total", "cpu_delay_total"];

/// What each victim did in an incident, by the name of its process.
pub(crate) type Work = BTreeMap<String, Did>;

/// What a program did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Did {
    /// Bytes per second that it read and wrote.
    bytes: f64,
    /// CPU time, as a share of the time.
    cpu: f64,
}

fn rate(stretch: &Stretch<'_>, process: &str, metric: &str) -> f64 {
    stretch.rate(Table::Process, process, metric).unwrap_or(0.0)
}

/// Bytes per second that system calls of a process read and wrote.
fn moved(stretch: &Stretch<'_>, process: &str) -> f64 {
    rate(stretch, process, "rchar") + rate(stretch, process, "wchar")
}

/// The processes of programs in a recording of the model, and what they are called.
fn resident(recording: &Recording) -> impl Iterator<Item = (&str, &str)> {
    let is_resident = |process: &str| {
        recording.series(Table::Process, process, "rss").is_some_and(|pages| pages.points().any(|(_, pages)| pages > 0))
    };
    recording.entities(Table::Process).filter(move |(process, _)| is_resident(process))
}

/// What the victims did.
pub(crate) fn work(trouble: &Stretch<'_>, programs: Programs<'_>) -> Work {
    let mut work = Work::new();
    for (process, name) in resident(trouble.recording).filter(|(_, name)| programs.is_victim(name)) {
        let did = work.entry(name.to_owned()).or_default();
        did.bytes += moved(trouble, process);
        // What the kernel does for it, such as reclaim, is no work of its own.
        did.cpu += rate(trouble, process, "utime") / TICKS;
    }
    work
}

/// How many times as long a victim waits for as much work as it had done without a change. Who does more in the same time, as a closed loop does
/// on a faster disk, waits less for each part of it. The work of who hardly reads and writes is its CPU time.
fn by_work(before: Option<Did>, now: Did) -> f64 {
    /// Less than a page a second is no work to compare with, nor is less than a millisecond of CPU time.
    const MIN_BYTES: f64 = 4096.0;
    const MIN_CPU: f64 = 0.001;
    const MAX_TIMES: f64 = 10.0;
    let times = match before {
        Some(before) if before.bytes >= MIN_BYTES => before.bytes / now.bytes.max(1.0),
        Some(before) if before.cpu >= MIN_CPU => before.cpu / now.cpu.max(MIN_CPU),
        _ => 1.0,
    };
    times.clamp(1.0 / MAX_TIMES, MAX_TIMES)
}

/// What happened to the programs of a scenario: `before` is what the victims did without a change, where it is known.
pub(crate) fn of(calm: &Stretch<'_>, trouble: &Stretch<'_>, programs: Programs<'_>, before: Option<&Work>) -> Effect {
    let recording = trouble.recording;
    let alone = programs.are_alone();
    let victims = || resident(recording).filter(|(_, name)| programs.is_victim(name));
    // Waits for swap and for refaults are waits for IO too.
    let waits =
        |stretch: &Stretch<'_>, process: &str| DELAYS.map(|metric| rate(stretch, process, metric)).iter().sum::<f64>();
    let now = work(trouble, programs);
    let lost: f64 = victims()
        .map(|(process, name)| {
            let usual = before.and_then(|before| before.get(name)).copied();
            let times = by_work(usual, now.get(name).copied().unwrap_or_default());
            (waits(trouble, process) * times - waits(calm, process)) / 1e9
        })
        .sum();
    let by = |stretch: &Stretch<'_>| victims().map(|(process, _)| moved(stretch, process)).sum::<f64>();
    let calm_work = by(calm);
    let killed = calm.with(calm.from, trouble.to).ends(Table::Host, "", "oom_kill").map_or(0.0, |(from, to)| to - from);
    let culprits = resident(recording).filter(|(_, name)| programs.is_culprit(name));
    Effect {
        killed: whole(killed),
        lost: lost.max(0.0),
        throughput: (!alone && calm_work > 0.0).then(|| by(trouble) / calm_work),
        culprits: culprits.map(|(process, _)| moved(trouble, process)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Culprit;
    use pagetide_core::{Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    /// CPU time of each process in the incident.
    const CPU: f64 = 0.02;

    /// Ten seconds of calm and ten of an incident of these processes: their name, the share of the incident in which they wait, and the bytes that they
    /// read per second of it.
    fn recorded(processes: &[(&str, f64, f64)]) -> Recording {
        let mut made = RecordingBuilder::new(Manifest::default());
        for second in 0..=20_u32 {
            made.stamp(Stamp { boot_ns: i64::from(second) * 1_000_000_000, ..Stamp::default() });
            let of_incident = f64::from(second.saturating_sub(10));
            for (name, waits, read) in processes {
                let counter = |name: &str| Column { name: name.to_owned(), kind: Kind::Counter, unit: Unit::Count };
                let gauge = Column { name: "rss".to_owned(), kind: Kind::Gauge, unit: Unit::Count };
                made.value(Table::Process, name, &gauge, 100);
                let count = |rate: f64| whole(rate * of_incident).cast_signed();
                made.value(Table::Process, name, &counter("blkio_delay_total"), count(waits * 1e9));
                made.value(Table::Process, name, &counter("rchar"), count(*read));
                made.value(Table::Process, name, &counter("utime"), count(CPU * TICKS));
            }
        }
        made.finish()
    }

    fn lost(recording: &Recording, all: &[&str], culprits: &[&str], before: Option<f64>) -> f64 {
        lost_of(recording, all, culprits, before.map(|bytes| Did { bytes, cpu: 0.0 }))
    }

    fn lost_of(recording: &Recording, all: &[&str], culprits: &[&str], before: Option<Did>) -> f64 {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let culprit = |name: String| Culprit { process: name.clone(), command: name };
        let culprits: Vec<Culprit> = names(culprits).into_iter().map(culprit).collect();
        let all = names(all);
        let programs = Programs { all: &all, culprits: &culprits };
        let calm = Stretch { recording, from: 0, to: 10_000_000_000 };
        let trouble = calm.with(10_000_000_000, 20_000_000_000);
        let work: Option<Work> = before.map(|did| [("db".to_owned(), did)].into());
        of(&calm, &trouble, programs, work.as_ref()).lost
    }

    fn is_near(is: f64, wanted: f64) -> bool {
        (is - wanted).abs() < 0.01
    }

    #[test]
    fn who_began_it_is_the_victim_where_all_others_hold_memory_only() {
        let recording = recorded(&[("tar", 0.5, 1e6), ("anonymous", 0.0, 0.0)]);
        assert!(is_near(lost(&recording, &["tar"], &["tar"], None), 0.5));
        let beside = recorded(&[("tar", 0.5, 1e6), ("db", 0.2, 1e6)]);
        assert!(is_near(lost(&beside, &["db", "tar"], &["tar"], None), 0.2), "another program is the victim");
    }

    #[test]
    fn a_tenth_less_of_the_victims_work_is_clearly_less() {
        let effect = |throughput| Effect { throughput, ..Effect::default() };
        let is_less = |now, was| effect(now).victims_do_less_than(&effect(was));
        assert!(is_less(Some(0.466), Some(0.734)) && !is_less(Some(0.7), Some(0.734)));
        assert!(!is_less(None, Some(0.7)) && !is_less(Some(0.1), None), "it is not known");
    }

    #[test]
    fn who_does_twice_as_much_in_the_same_time_loses_half_for_each_part_of_it() {
        let recording = recorded(&[("db", 0.8, 2e6)]);
        assert!(is_near(lost(&recording, &["db"], &[], None), 0.8), "nothing to compare with");
        assert!(is_near(lost(&recording, &["db"], &[], Some(2e6)), 0.8), "as much as before");
        assert!(is_near(lost(&recording, &["db"], &[], Some(1e6)), 0.4));
        assert!(is_near(lost(&recording, &["db"], &[], Some(4e6)), 1.6), "half as much");
        assert!(is_near(lost(&recording, &["db"], &[], Some(100.0)), 0.8), "it did nothing before");
        let computes = |cpu: f64| lost_of(&recording, &["db"], &[], Some(Did { bytes: 100.0, cpu }));
        assert!(is_near(computes(CPU / 2.0), 0.4), "it gets twice the CPU time: {}", computes(CPU / 2.0));
        assert!(is_near(computes(CPU), 0.8) && is_near(computes(0.0), 0.8));
    }
}

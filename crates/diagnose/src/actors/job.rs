//! A job that started in a group of others, and for whose own work alone the group waits: a `VACUUM` beside the sessions of a database, a copy that
//! somebody starts in the group of a service.

use crate::actors::{group, process};
use crate::measure::amount::{Amount, Count, Limit, Rate};
use crate::measure::readahead;
use crate::measure::window::{Window, intervals};
use pagetide_core::{Bytes, Origin, Ratio, Table, derived};
use std::collections::BTreeMap;

/// Intervals by which a job begins before what it waits for shows.
const LEAD: u64 = 5;
/// Intervals that show who ran before.
pub(crate) const EARLY: u64 = 5;
/// Samples without which a process is no job: who answers requests with a process each starts many of them.
const SAMPLES: usize = 2;

pub(crate) const ITS_OWN: Limit<Ratio> = Limit::new(
    "share of what a group reads and writes that jobs do which began with the stretch, at least, for its waits to be theirs",
    0.8,
    "The others wait for some of it.",
    "judgement",
);
pub(crate) const AT_REST: Limit<Ratio> = Limit::new(
    "share of its samples in which another process of the group sleeps uninterruptibly, at most",
    0.1,
    "With more, it waits as well.",
    "judgement",
);
pub(crate) const AS_BEFORE: Limit<Ratio> = Limit::new(
    "CPU time of the others of the group, as a share of what they used before, at least",
    0.5,
    "Who does less may wait for a lock that the job holds.",
    "judgement",
);
/// The CPU time of a group that does something, 1/100 s per second: timers and logging use less.
const WORKS: Rate<Count> = Amount::new(2.0);
/// What programs read that need a device, at least.
pub(crate) const READS: Rate<Bytes> = Amount::new(4096.0);

/// What this module reads.
pub(crate) const METRICS: &[&str] = &["state", "utime", "stime", "read_bytes", "write_bytes"];
const CPU_TIME: [&str; 2] = [METRICS[1], METRICS[2]];
const READ: [&str; 1] = [METRICS[3]];
const MOVED: [&str; 2] = [METRICS[3], METRICS[4]];

/// Whether all that a group waits for is the own work of jobs that began in it with a stretch: they do nearly all of its IO, in sequence as fast as the
/// disk goes or none at all while they take memory; and who ran there before goes on, reads from no device and does not sleep uninterruptibly. Who begins
/// anew and reads at random answers requests, and is a service; so is one more process of a program that works there. False where the processes of the
/// group were not recorded, or too little before the stretch.
pub(crate) fn waits_alone(window: &Window<'_>, name: &str) -> bool {
    let recording = window.recording;
    // A scenario tells the model of what somebody does more as of a process of its own.
    if recording.manifest.origin == Origin::Sim {
        return false;
    }
    let long = |before: &Window<'_>| before.span.length() >= intervals(recording, EARLY);
    let Some(before) = window.baseline().all().filter(long) else { return false };
    let since = window.span.from.earlier(intervals(recording, LEAD)).ns();
    let ran = |process: &str| recording.series(Table::Process, process, METRICS[1]);
    let within = |(process, _): &(&str, &str)| group::contains(window, name, process);
    let began = |process: &str| {
        let ran = ran(process);
        let first = ran.as_ref().and_then(|ran| ran.points().next());
        first.is_some_and(|(first, _)| first > since)
    };
    // Mostly nobody has begun: then nothing is worked out of those who are there.
    if !process::present(window).filter(|(process, _)| began(process)).any(|one| within(&one)) {
        return false;
    }
    let (moves, reads) = (process::by_process::<Bytes>(window, &MOVED), process::by_process::<Bytes>(window, &READ));
    let of = |rates: &BTreeMap<&str, Rate<Bytes>>, process: &str| rates.get(process).copied().unwrap_or(Amount::ZERO);
    let mut jobs = 0;
    let [mut theirs, mut all, mut read] = [Rate::<Bytes>::ZERO; 3];
    let [mut used, mut usual] = [Rate::<Count>::ZERO; 2];
    // One more process of a program that works there is another of its workers.
    let worked = |comm: &str| {
        let own = process::present(&before).filter(|(_, other)| *other == comm).filter(within);
        own.fold(Rate::<Count>::ZERO, |sum, (process, _)| sum + ticks(&before, process)) >= WORKS
    };
    for (process, comm) in process::present(window).filter(within) {
        let Some(ran) = ran(process) else { continue };
        let (moved, own_reads) = (of(&moves, process), of(&reads, process));
        all = all + moved;
        if !began(process) {
            if own_reads >= READS || sleeps(window, process) {
                return false;
            }
            used = used + ticks(window, process);
            usual = usual + ticks(&before, process);
        } else if ran.points().nth(SAMPLES - 1).is_some() && !worked(comm) {
            jobs += 1;
            theirs = theirs + moved;
            read = read + own_reads;
        }
    }
    let swapped: Rate<Bytes> = window.host_bytes(&derived::SWAP_IN).unwrap_or(Amount::ZERO);
    let goes_through = read < READS + swapped || readahead::in_sequence(window);
    let goes_on = usual < WORKS || used >= usual * AS_BEFORE;
    jobs > 0 && theirs >= all * ITS_OWN && goes_on && goes_through
}

/// The CPU time that a process uses, 1/100 s per second.
fn ticks(window: &Window<'_>, process: &str) -> Rate<Count> {
    window.rates(Table::Process, process, &CPU_TIME).unwrap_or(Amount::ZERO)
}

/// Whether a process sleeps uninterruptibly in more samples than one at rest does.
fn sleeps(window: &Window<'_>, process: &str) -> bool {
    process::slept(window, process).is_some_and(|(slept, all)| slept > f64::max(all * AT_REST.get(), 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::episodes::Episodes;
    use pagetide_core::{
        Column, Entity, Kind, Manifest, Moment, Nanos, Recording, RecordingBuilder, Span, Stamp, Unit,
    };

    const SECOND: i64 = 1_000_000_000;

    /// What a minute shows in which a job begins at the 30th second.
    #[derive(Clone, Copy)]
    struct Shown {
        /// When the first sample of the job is.
        began: i64,
        /// Bytes of a read of the job.
        size: i64,
        /// Bytes that the service reads from then on, per second.
        served: i64,
        /// Its state.
        state: u8,
        /// Its ticks, per second.
        used: i64,
        /// What the service is called.
        service: &'static str,
    }

    const JOB: Shown = Shown { began: 30, size: 131_072, served: 0, state: b'S', used: 10, service: "db" };

    fn recorded(shown: Shown) -> Recording {
        let mut builder =
            RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
        builder.entity(Table::Process, Entity::new("9@1".to_owned(), shown.service.to_owned()));
        builder.entity(Table::Process, Entity::new("11@3000".to_owned(), "dump".to_owned()));
        for at in 0..=60 {
            builder.stamp(Stamp { boot_ns: at * SECOND, ..Stamp::default() });
            let mut value = |table, entity: &str, name: &str, kind, value: i64| {
                let unit = if name == "read_sectors" { Unit::Sectors } else { Unit::Count };
                builder.value(table, entity, &Column { name: name.to_owned(), kind, unit }, value);
            };
            let since = (at - 30).max(0);
            value(Table::Cgroup, "/db", "cgroup_id", Kind::Gauge, 7);
            value(Table::Disk, "vdb", "reads", Kind::Counter, since * 100);
            value(Table::Disk, "vdb", "read_sectors", Kind::Counter, since * 100 * shown.size / 512);
            let state = if since > 0 { shown.state } else { b'S' };
            let service = [("cgroup_id", 7), ("state", i64::from(state))];
            service.into_iter().for_each(|(name, now)| value(Table::Process, "9@1", name, Kind::Gauge, now));
            value(Table::Process, "9@1", "utime", Kind::Counter, at.min(30) * 10 + since * shown.used);
            value(Table::Process, "9@1", "read_bytes", Kind::Counter, since * shown.served);
            if at >= shown.began {
                let job = [("cgroup_id", 7), ("state", i64::from(b'D'))];
                job.into_iter().for_each(|(name, now)| value(Table::Process, "11@3000", name, Kind::Gauge, now));
                value(Table::Process, "11@3000", "utime", Kind::Counter, since);
                value(Table::Process, "11@3000", "read_bytes", Kind::Counter, since * 100 * shown.size);
            }
        }
        builder.finish()
    }

    #[test]
    fn a_group_waits_for_a_job_alone_while_the_others_in_it_go_on() {
        let alone = |shown: Shown| {
            let recording = recorded(shown);
            let episodes = Episodes::default();
            let whole = Window::whole(&recording, &episodes).expect("a minute");
            let span = Span { from: Moment::new(31 * SECOND), to: Moment::new(60 * SECOND) };
            waits_alone(&whole.over(span), "/db")
        };
        assert!(alone(JOB));
        assert!(!alone(Shown { began: 10, ..JOB }), "it ran before");
        assert!(!alone(Shown { size: 8192, ..JOB }), "who reads at random answers requests");
        assert!(!alone(Shown { served: 65_536, ..JOB }), "the service reads as well");
        assert!(!alone(Shown { state: b'D', ..JOB }), "the service waits as well");
        assert!(!alone(Shown { used: 2, ..JOB }), "the service does less: it may wait for a lock");
        assert!(!alone(Shown { service: "dump", ..JOB }), "it is another worker of a program that works");
    }
}

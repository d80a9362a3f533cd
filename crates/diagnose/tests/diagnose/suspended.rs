//! Programs that somebody suspended: they do nothing, and lose nothing by it.

use crate::story::{MIB, Story, whole};
use crate::verdict::quiet;
use pagetide_core::{Conclusion, Diagnosis, Table};
use pagetide_diagnose::diagnose;

/// A job in a group that computes and calls until the 60th second, in a state by second, and what it uses from then on.
struct Job {
    state: fn(i64) -> u8,
    ticks: f64,
    /// Ticks of another program of its group.
    other: f64,
    frozen: fn(i64) -> i64,
}

const STOPPED: Job = Job { state: |_| b'T', ticks: 0.0, other: 0.0, frozen: |_| 0 };
const FROZEN: Job = Job { state: |_| b'S', frozen: |_| 1, ..STOPPED };

fn then(before: f64, since: f64) -> impl Fn(f64) -> f64 + Copy {
    move |at| if at > 60.0 { since } else { before }
}

fn story(job: &Job) -> Story {
    let Job { state, ticks, other, frozen } = *job;
    let states = (0..120_i64).map(|at| Some(i64::from(if at > 60 { state(at) } else { b'S' })));
    let freezer = (0..120_i64).map(|at| Some(if at > 60 { frozen(at) } else { 0 }));
    let used = 200_000.0 + other * 10_000.0;
    quiet(120)
        .gauge(Table::Cgroup, "/batch", "cgroup_id", |_| 42.0)
        .counter(Table::Cgroup, "/batch", "cpu_usage", then(used, ticks * 10_000.0 + 100.0))
        .counter(Table::Cgroup, "/batch", "psi_cpu_some", then(2000.0, 0.0))
        .line(Table::Cgroup, "/batch", "frozen", freezer.collect())
        .command("7@7", "simulation")
        .counter(Table::Process, "7@7", "utime", then(20.0, ticks))
        .counter(Table::Process, "7@7", "stime", |_| 0.0)
        .line(Table::Process, "7@7", "state", states.collect())
        .gauge(Table::Process, "7@7", "rss", |_| MIB)
        .gauge(Table::Process, "7@7", "cgroup_id", |_| 42.0)
        .command("8@8", "logger")
        .counter(Table::Process, "8@8", "utime", then(other, 0.0))
        .counter(Table::Process, "8@8", "stime", |_| 0.0)
        .gauge(Table::Process, "8@8", "rss", |_| MIB)
        .gauge(Table::Process, "8@8", "cgroup_id", |_| 42.0)
}

fn told(job: &Job) -> Diagnosis {
    diagnose(&story(job).tell())
}

#[test]
fn a_job_that_a_signal_stops_for_good_loses_nothing() {
    let answer = told(&STOPPED);
    assert_eq!(answer.verdict, Conclusion::Healthy, "{}", answer.summary);
    let said = "simulation (pid 7) was stopped by a signal (state T) for 58 s, and did not want a CPU.";
    assert!(answer.summary.contains(said), "{}", answer.summary);
    for (job, why) in [
        (Job { state: |_| b'S', ..STOPPED }, "it sleeps: it may wait for a lock"),
        (Job { state: |_| b't', ..STOPPED }, "a debugger holds it"),
        (
            Job { state: |at| if at % 4 > 0 { b'T' } else { b'S' }, ticks: 2.0, ..STOPPED },
            "a profiler stops it for moments",
        ),
        (Job { ticks: 2.0, ..STOPPED }, "it runs between any two samples"),
        (Job { other: 80.0, ..STOPPED }, "another program did the work of its group"),
    ] {
        let answer = told(&job);
        assert_eq!(answer.verdict, Conclusion::CannotTell, "{why}: {}", answer.summary);
        assert!(!answer.summary.contains("did not want a CPU"), "{why}: {}", answer.summary);
    }
}

#[test]
fn a_frozen_group_loses_nothing() {
    let answer = told(&FROZEN);
    assert_eq!(answer.verdict, Conclusion::Healthy, "{}", answer.summary);
    assert!(answer.summary.contains("the control group /batch was frozen for 58 s."), "{}", answer.summary);
    assert_eq!(told(&Job { frozen: |_| 0, ..FROZEN }).verdict, Conclusion::CannotTell);
    let above = |name: &str| {
        let frozen = (0..120_i64).map(|at| Some(i64::from(at > 60))).collect();
        let story = story(&Job { frozen: |_| 0, ..FROZEN }).line(Table::Cgroup, name, "frozen", frozen);
        diagnose(&story.tell()).verdict
    };
    assert_eq!(above("/batc"), Conclusion::CannotTell, "another group");
}

#[test]
fn those_who_wait_for_a_stopped_program_are_asked_all_the_same() {
    let calls = then(200.0, 10.0);
    let story = story(&STOPPED)
        .gauge(Table::Cgroup, "/shop", "cgroup_id", |_| 43.0)
        .counter(Table::Cgroup, "/shop", "cpu_usage", then(200_000.0, 10_000.0))
        .counter(Table::Cgroup, "/shop", "psi_cpu_some", |_| 100.0)
        .command("9@9", "shop")
        .counter(Table::Process, "9@9", "utime", then(20.0, 1.0))
        .counter(Table::Process, "9@9", "stime", |_| 0.0)
        .counter(Table::Process, "9@9", "syscr", calls)
        .counter(Table::Process, "9@9", "syscw", |_| 0.0)
        .gauge(Table::Process, "9@9", "rss", |_| MIB)
        .line(Table::Process, "9@9", "state", vec![Some(whole(f64::from(b'S'))); 120])
        .gauge(Table::Process, "9@9", "cgroup_id", |_| 43.0);
    let answer = diagnose(&story.tell());
    assert_eq!(answer.verdict, Conclusion::CannotTell, "{}", answer.summary);
    assert!(answer.summary.contains("tasks of /shop called read and write 10/s (200/s before)"), "{}", answer.summary);
}

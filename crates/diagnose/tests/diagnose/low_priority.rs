//! Processes that were told to give way to others that want a CPU: what they wait is no lost time.

use crate::story::{MIB, Story, finding, whole};
use crate::verdict::quiet;
use pagetide_core::{Conclusion, Diagnosis, Table};
use pagetide_diagnose::diagnose;

const SECOND: f64 = 1e9;
/// Numbers of groups; 1 is that of no group that was recorded.
const DESK: f64 = 43.0;
const ELSEWHERE: f64 = 1.0;

/// What the scheduler was told of a process: nice and policy.
type Told = Option<(i64, i64)>;
const USUAL: Told = Some((0, 0));
const NICED: Told = Some((19, 0));
const IDLE: Told = Some((0, 5));

/// From the 60th second on.
fn then(before: f64, since: f64) -> impl Fn(f64) -> f64 + Copy {
    move |at| if at > 60.0 { since } else { before }
}

/// A host of two CPUs whose programs use `before` ticks of each second, and `since` from the 60th on.
fn computing(before: f64, since: f64) -> Story {
    quiet(120)
        .counter(Table::Host, "", "cpu_user", then(before, since))
        .counter(Table::Host, "", "cpu_nice", |_| 0.0)
        .counter(Table::Host, "", "cpu_system", |_| 0.0)
        .counter(Table::Host, "", "cpu_idle", then(200.0 - before, 200.0 - since))
}

/// A host of two CPUs that are full from the 60th second on: tasks of `/cache` wait `cache` µs of each second for one, and all tasks `all`.
fn full(all: f64, cache: f64) -> Story {
    computing(20.0, 198.0)
        .counter(Table::Host, "", "cpu_iowait", |_| 0.0)
        .counter(Table::Host, "", "psi_cpu_some", then(5000.0, all))
        .gauge(Table::Cgroup, "/cache", "cgroup_id", |_| 42.0)
        .counter(Table::Cgroup, "/cache", "cpu_usage", |_| 200_000.0)
        .counter(Table::Cgroup, "/cache", "psi_cpu_some", then(5000.0, cache))
}

/// A process of a group that starts in the 60th second, uses `ticks` of each second and waits `waits` ns of it.
fn starts(story: Story, (name, group): (&str, f64), told: Told, ticks: f64, waits: f64) -> Story {
    let since = |rate: f64| (0..120).map(|at| (at >= 60).then(|| whole(f64::from(at - 60) * rate))).collect();
    let always = |value: f64| (0..120).map(|at| (at >= 60).then(|| whole(value))).collect();
    let story = story
        .command(name, "fossilize")
        .line(Table::Process, name, "utime", since(ticks))
        .line(Table::Process, name, "stime", since(0.0))
        .line(Table::Process, name, "run_delay", since(waits))
        .line(Table::Process, name, "num_threads", always(1.0))
        .line(Table::Process, name, "state", always(f64::from(b'R')))
        .line(Table::Process, name, "rss", always(MIB))
        .line(Table::Process, name, "cgroup_id", always(group));
    let Some((nice, policy)) = told else { return story };
    let always = |value: i64| (0..120).map(|at| (at >= 60).then_some(value)).collect();
    story.line(Table::Process, name, "nice", always(nice)).line(Table::Process, name, "policy", always(policy))
}

fn cause(diagnosis: &Diagnosis) -> Option<&str> {
    diagnosis.cause.as_ref().map(|cause| cause.rule.as_str())
}

/// Two programs that compute in no group, and wait for half of the time.
fn two(first: Told, second: Told) -> Story {
    let story = starts(full(750_000.0, 20_000.0), ("7@6000", ELSEWHERE), first, 95.0, 0.5 * SECOND);
    starts(story, ("8@6000", ELSEWHERE), second, 95.0, 0.5 * SECOND)
}

#[test]
fn a_cpu_that_only_those_who_give_way_wait_for_is_no_incident() {
    for told in [IDLE, NICED, Some((1, 3)), Some((7, 5))] {
        let answer = diagnose(&two(told, told).tell());
        assert_eq!(
            (answer.verdict, cause(&answer)),
            (Conclusion::Healthy, Some("healthy")),
            "{told:?}: {}",
            answer.summary
        );
        assert!(answer.incidents.is_empty(), "{told:?}");
        let said = "Low-priority processes (nice, SCHED_IDLE) waited for a CPU";
        assert!(answer.summary.contains(said), "{told:?}: {}", answer.summary);
    }
    for told in [None, USUAL, Some((-5, 0)), Some((19, 1)), Some((19, 2)), Some((19, 6))] {
        let answer = diagnose(&two(told, told).tell());
        assert_eq!(cause(&answer), Some("cpu-bound"), "{told:?}: {}", answer.summary);
        assert!(!answer.summary.contains("low priority already"), "{told:?}: {}", answer.summary);
    }
}

#[test]
fn one_who_waits_beside_them_and_was_told_nothing_loses_its_time() {
    let answer = diagnose(&two(IDLE, USUAL).tell());
    assert_eq!(cause(&answer), Some("cpu-bound"), "{}", answer.summary);
    let found = answer.findings.iter().find(|finding| finding.rule.as_str() == "cpu-bound").unwrap();
    assert!(found.statement.starts_with("CPU-bound: tasks waited for a CPU 5"), "{}", found.statement);
    let source = "psi_cpu_some - waits of processes at low priority";
    assert!(found.evidence.iter().any(|evidence| evidence.source == source), "{:?}", found.evidence);
}

#[test]
fn waits_that_theirs_do_not_explain_are_lost() {
    // They wait for a tenth of the time each.
    let story = starts(full(750_000.0, 20_000.0), ("7@6000", ELSEWHERE), IDLE, 95.0, 0.1 * SECOND);
    let answer = diagnose(&starts(story, ("8@6000", ELSEWHERE), IDLE, 95.0, 0.1 * SECOND).tell());
    assert_eq!(cause(&answer), Some("cpu-bound"), "{}", answer.summary);
}

#[test]
fn who_gives_way_can_still_take_the_cpu_from_others() {
    let story = starts(full(900_000.0, 600_000.0), ("7@6000", ELSEWHERE), NICED, 170.0, 0.5 * SECOND);
    let answer = diagnose(&story.tell());
    assert_eq!(cause(&answer), Some("cpu-bound"), "{}", answer.summary);
    let cause = answer.cause.as_ref().unwrap();
    assert!(cause.origins.first().is_some_and(|origin| origin.to_string().contains("fossilize")), "{cause:?}");
    let ledger = answer.ledger.as_ref().expect("a service lost time");
    assert_eq!(ledger.by, "cgroup:/cache");
    let advice = "limit its CPU time (cpu.max), or add CPUs: it runs at low priority already.";
    assert!(answer.summary.contains(advice), "{}", answer.summary);
}

/// A group that waits for nearly all of the time, with a program that gives way and another, and a service in it from the start.
fn shared(told: Told, service: f64) -> Diagnosis {
    let story = full(900_000.0, 5000.0)
        .gauge(Table::Cgroup, "/desk", "cgroup_id", |_| DESK)
        .counter(Table::Cgroup, "/desk", "cpu_usage", then(100_000.0, 1_800_000.0))
        .counter(Table::Cgroup, "/desk", "psi_cpu_some", then(5000.0, 880_000.0))
        .command("5@5", "editor")
        .counter(Table::Process, "5@5", "utime", |_| 10.0)
        .counter(Table::Process, "5@5", "stime", |_| 0.0)
        .counter(Table::Process, "5@5", "run_delay", then(0.005 * SECOND, service * SECOND))
        .gauge(Table::Process, "5@5", "num_threads", |_| 1.0)
        .gauge(Table::Process, "5@5", "rss", |_| MIB)
        .gauge(Table::Process, "5@5", "cgroup_id", |_| DESK);
    let story = starts(story, ("7@6000", DESK), told, 85.0, 0.45 * SECOND);
    diagnose(&starts(story, ("8@6000", DESK), told, 85.0, 0.45 * SECOND).tell())
}

#[test]
fn of_a_group_the_part_of_those_who_give_way_is_taken_off() {
    let answer = shared(IDLE, 0.01);
    assert_eq!(answer.verdict, Conclusion::Healthy, "{}", answer.summary);
    let lost = |answer: &Diagnosis| {
        let groups = answer.ledger.as_ref().map(|ledger| ledger.groups.clone()).unwrap_or_default();
        groups.iter().find(|group| group.by == "cgroup:/desk").map_or(0, |group| group.lost_ns)
    };
    assert!(lost(&answer) < 1_000_000_000, "{}", lost(&answer));
    let editor = shared(IDLE, 0.6);
    assert_eq!(cause(&editor), Some("cpu-bound"), "{}", editor.summary);
    assert!(lost(&editor) > 30_000_000_000, "{}", lost(&editor));
    assert!(lost(&shared(None, 0.01)) > 45_000_000_000, "as before");
}

#[test]
fn a_program_with_threads_that_uses_most_of_the_cpu_time_of_its_group_explains_its_waits() {
    let told = |ticks: f64, told: Told| {
        let story = full(900_000.0, 5000.0)
            .gauge(Table::Cgroup, "/desk", "cgroup_id", |_| DESK)
            .counter(Table::Cgroup, "/desk", "cpu_usage", then(20_000.0, 1_900_000.0))
            .counter(Table::Cgroup, "/desk", "psi_cpu_some", then(5000.0, 890_000.0));
        // Its first thread waits for the others, and for no CPU.
        let story = starts(story, ("7@6000", DESK), told, ticks, 0.0);
        let threads = (0..120).map(|at| (at >= 60).then_some(9)).collect();
        diagnose(&story.line(Table::Process, "7@6000", "num_threads", threads).tell())
    };
    let alone = told(185.0, NICED);
    assert_eq!(alone.verdict, Conclusion::Healthy, "{}", alone.summary);
    assert_eq!(cause(&told(60.0, NICED)), Some("cpu-bound"), "others compute more");
    assert_eq!(cause(&told(185.0, USUAL)), Some("cpu-bound"));
}

#[test]
fn programs_that_give_way_lose_no_time_by_their_delays_either() {
    let told = |told: Told| {
        let story = starts(full(900_000.0, 600_000.0), ("7@6000", ELSEWHERE), told, 170.0, 0.0);
        let delay = (0..120).map(|at| (at >= 60).then(|| i64::from(at - 60) * 900_000_000)).collect();
        diagnose(&story.line(Table::Process, "7@6000", "cpu_delay_total", delay).tell()).summary
    };
    let said = "fossilize waited 900 ms of each second for a CPU";
    assert!(told(USUAL).contains(said), "{}", told(USUAL));
    assert!(!told(IDLE).contains(said), "{}", told(IDLE));
}

#[test]
fn a_thread_that_gives_way_and_computes_all_the_time_is_what_it_is_for() {
    let found = |nice: f64| {
        let story = computing(3.0, 99.0)
            .counter(Table::Process, "7@7", "utime", then(3.0, 99.0))
            .counter(Table::Process, "7@7", "stime", |_| 0.0)
            .gauge(Table::Process, "7@7", "rss", |_| MIB)
            .gauge(Table::Process, "7@7", "nice", move |_| nice)
            .gauge(Table::Process, "7@7", "policy", |_| 0.0);
        finding(&story.tell(), "cpu-bound").is_some()
    };
    assert!(found(0.0));
    assert!(!found(10.0));
}

#[test]
fn runnable_tasks_that_give_way_are_no_queue_where_pressure_is_not_recorded() {
    let told = |told: Told| {
        let story = computing(20.0, 198.0).gauge(Table::Host, "", "procs_running", then(1.0, 4.0));
        let names = ["7@6000", "8@6000", "9@6000"];
        let story = names.into_iter().fold(story, |story, name| starts(story, (name, ELSEWHERE), told, 66.0, 0.0));
        finding(&story.tell(), "cpu-bound").is_some()
    };
    assert!(told(USUAL) && told(None));
    assert!(!told(IDLE));
}

#[test]
fn who_gives_way_is_not_asked_how_much_less_it_computes_while_it_waits() {
    let told = |told: Told, waits: f64| {
        let story = full(waits * 1e6, 5000.0)
            .gauge(Table::Cgroup, "/desk", "cgroup_id", |_| DESK)
            .counter(Table::Cgroup, "/desk", "cpu_usage", then(900_000.0, 200_000.0))
            .counter(Table::Cgroup, "/desk", "psi_cpu_some", then(5000.0, waits * 1e6))
            .command("5@5", "boinc")
            .counter(Table::Process, "5@5", "utime", then(90.0, 20.0))
            .counter(Table::Process, "5@5", "stime", |_| 0.0)
            .counter(Table::Process, "5@5", "run_delay", then(0.005 * SECOND, waits * SECOND))
            .gauge(Table::Process, "5@5", "num_threads", |_| 1.0)
            .gauge(Table::Process, "5@5", "rss", |_| MIB)
            .gauge(Table::Process, "5@5", "cgroup_id", |_| DESK);
        let Some((nice, policy)) = told else { return diagnose(&story.tell()) };
        let story = story.gauge(Table::Process, "5@5", "nice", move |_| nice as f64);
        diagnose(&story.gauge(Table::Process, "5@5", "policy", move |_| policy as f64).tell())
    };
    let gives_way = told(NICED, 0.8);
    assert_eq!(gives_way.verdict, Conclusion::Healthy, "{}", gives_way.summary);
    let locked = told(NICED, 0.005);
    assert_eq!(locked.verdict, Conclusion::CannotTell, "it waits for no CPU: {}", locked.summary);
    assert_ne!(told(USUAL, 0.8).verdict, Conclusion::Healthy);
}

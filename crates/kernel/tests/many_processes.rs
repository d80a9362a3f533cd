//! A survey of thousands of processes. A binary of its own: the sampler keeps as many files open as a process may.

#[path = "support/processes.rs"]
mod processes;

use pagetide_kernel::Top;
use processes::{Machine, Made, made};

#[test]
fn thousands_of_processes_take_turns_and_all_are_accounted_for() {
    let top = Top { processes: 600, ..Top::default() };
    let all: Vec<Made> = (1..=5000).map(|pid| Made { rss: u64::from(pid), ..made(pid) }).collect();
    let mut machine = Machine::new(top, &all);
    for round in 1..=9 {
        let names = machine.sample();
        let (tasks, skipped) = (machine.host("scan_tasks"), machine.host("scan_tasks_skipped"));
        assert_eq!(tasks + skipped, 5000, "round {round}");
        assert!((600..=600 + 128).contains(&tasks), "round {round}: {tasks} looked at");
        assert!(
            names.len() <= 128 && i64::try_from(names.len()) == Ok(machine.host("scan_rows")),
            "round {round}: {names:?}"
        );
    }
    let names = machine.sample();
    for pid in 4991..=5000 {
        assert!(names.contains(&format!("{pid}@7")), "after nine samples everybody had a turn: {names:?}");
    }
    let blocked: Vec<Made> = (1..=300).map(|pid| Made { state: 'D', ..made(pid) }).collect();
    blocked.iter().for_each(|made| machine.write(made));
    let (mut seen, mut unshown) = (0, 0);
    for _ in 0..9 {
        let names = machine.sample();
        assert!(names.len() <= 128);
        seen = seen.max(machine.host("scan_tasks_blocked"));
        unshown = unshown.max(machine.host("scan_rows_skipped"));
    }
    assert!(seen > 128 && unshown >= seen - 128, "{seen} blocked, {unshown} without a row");
}

//! The iterator over tasks beside what `/proc` says of the same tasks. Needs root and a kernel with BTF.

use pagetide_kernel::{ProcessRuns, parse_process_schedstat, parse_process_stat};
use pagetide_trace::{TaskIterator, TaskRow};
use std::collections::BTreeMap;

/// What `/proc` says of every process now: its first thread's runs, and its start in ticks.
fn proc() -> BTreeMap<u32, (ProcessRuns, u64)> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let of = |pid: u32| {
        let runs = parse_process_schedstat(&std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?).ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        Some((pid, (runs, parse_process_stat(&stat).ok()?.starttime)))
    };
    pids.filter_map(of).collect()
}

#[test]
fn every_process_has_the_row_that_proc_has() {
    let mut tasks = match TaskIterator::open() {
        Ok(tasks) => tasks,
        // A kernel without BTF: the recorder reads /proc then, and so says this test.
        Err(error) if !std::path::Path::new("/sys/kernel/btf/vmlinux").exists() => {
            return assert!(error.raw_os_error().is_some());
        }
        Err(error) => panic!("{error}"),
    };
    let before = proc();
    let rows: BTreeMap<u32, TaskRow> = tasks.read().unwrap().iter().map(|row| (row.tid, *row)).collect();
    let after = proc();
    let (mut compared, mut equal, mut hidden) = (0, 0, 0);
    for (pid, (first, start)) in &before {
        // Those that came or went meanwhile are in one of the two.
        let Some((last, _)) = after.get(pid).filter(|(_, later)| later == start) else { continue };
        let Some(row) = rows.get(pid) else {
            hidden += 1;
            continue;
        };
        assert_eq!((row.pid, row.start_ns / 10_000_000), (*pid, *start), "{row:?}");
        assert!((first.runs..=last.runs).contains(&row.runs), "{first:?} {row:?} {last:?}");
        assert!((first.exec_ns..=last.exec_ns).contains(&row.exec_ns), "{first:?} {row:?} {last:?}");
        assert!((first.wait_ns..=last.wait_ns).contains(&row.wait_ns), "{first:?} {row:?} {last:?}");
        compared += 1;
        equal += usize::from(first == last);
    }
    // A sandbox may keep its first process from BPF; the recorder asks /proc for that.
    assert!(compared > 20 && equal > 10 && hidden <= 1, "{compared} processes, {equal} rested, {hidden} have no row");
    let own = rows.values().filter(|row| row.pid == std::process::id()).count();
    assert!(own >= 2, "threads have rows: {own}");
}

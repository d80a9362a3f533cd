//! `cpu-bound`: the host is short of CPU and not of memory.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::{REFAULTED, Window};
use pagetide_core::{Finding, Quantity, Relation, RuleDoc};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "cpu-bound",
        title: "Programs wait for a CPU, not for memory or a device",
        meaning: "All CPUs are at work and tasks wait for one. The load is high, and neither memory nor devices have anything to do with it.",
        evidence: "CPUs were idle or waiting for IO at most a tenth of the time (/proc/stat), and tasks waited for a CPU at least a fifth of the time \
                   (psi_cpu_some), or more tasks were runnable than there are CPUs, for two seconds at least. Waiting for memory of more than 5 % of the time (psi_memory_some), and refaults of more than 1 % \
                   of memory a minute, speak against it.",
        why: "More tasks are runnable than there are CPUs, so that each has to wait for its turn.",
        otherwise: "Reclaim and compaction take CPU too: a busy kswapd is an effect of lack of memory. A hypervisor may take CPU away (cpu_steal).",
        advice: "Find who uses the CPUs. Memory or a faster disk would change nothing.",
        kernel: "kernel/sched/core.c: try_to_wake_up; kernel/sched/psi.c: psi_task_change; kernel/sched/cputime.c: account_user_time.",
    },
    name: "lack of CPU",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &[],
    decides: "CPU time of each process (`pidstat -u 1`) and cpu_steal.",
    examine,
};

const ALL: &[&str] =
    &["cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal"];

/// Seconds for which programs queue for a CPU and nobody minds.
const BURST: f64 = 2.0;

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return None;
    }
    // Most stretches are told from the stretch alone, without a look at the whole recording.
    let part = |metrics: &[&str]| Some(window.host_rate(metrics)? / window.host_rate(ALL).filter(|all| *all > 0.0)?);
    if part(&["cpu_idle", "cpu_iowait"])? > 0.7 {
        return None;
    }
    // A CPU that was half idle cannot be used four times as much, but tasks that queue for it are told from none.
    let queued = window.unusual(Of::host(&["psi_cpu_some"]));
    let during = queued.unwrap_or_else(|| window.when(Of::host(&["cpu_user", "cpu_nice", "cpu_system"])));
    let at_it = Window { from: during.0, to: during.1, ..*window };
    let all = at_it.host_rate(ALL).filter(|all| *all > 0.0)?;
    let idle = at_it.host_rate(&["cpu_idle", "cpu_iowait"])? / all;
    let waited = at_it.host_rate(&["psi_cpu_some"]).map(|micros| micros / 1e6);
    let runnable = at_it.host_gauge("procs_running").map(|(_, mean, _)| mean);
    let cpus = f64::from(window.recording.manifest.cpus).max(1.0);
    let queues = waited.is_some_and(|waited| waited >= 0.2) || runnable.is_some_and(|tasks| tasks > cpus + 1.0);
    if idle > 0.1 || !queues || at_it.seconds()? < BURST {
        return None;
    }
    let memory = window.memory()?;
    let pressure = at_it.host_rate(&["psi_memory_some"]).map(|micros| micros / 1e6);
    let refaulted = at_it.host_rate(REFAULTED).map(|pages| pages * window.page_size() * 60.0 / memory);
    if pressure.is_none() && refaulted.is_none() {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    case.during(during);
    case.weigh(
        1.0 + grade(idle, 0.1, 0.02),
        case.held(
            "part of CPU time idle or waiting for IO",
            "cpu_idle + cpu_iowait",
            Quantity::ratio(idle),
            Relation::Below,
            Quantity::ratio(0.1),
        ),
    );
    if let Some(waited) = waited {
        let evidence =
            case.measured("part of the time in which tasks waited for a CPU", "psi_cpu_some", Quantity::ratio(waited));
        case.weigh(grade(waited, 0.1, 0.6), evidence);
    }
    if let Some(runnable) = runnable {
        let (tasks, cpus) = (Quantity::count(runnable), Quantity::count(cpus));
        case.note(case.held("runnable tasks", "procs_running", tasks, Relation::Above, cpus));
    }
    if let Some(pressure) = pressure {
        let evidence = case.measured(
            "part of the time in which tasks waited for memory",
            "psi_memory_some",
            Quantity::ratio(pressure),
        );
        case.weigh(if pressure > 0.05 { -2.0 } else { 0.5 }, evidence);
    }
    if let Some(refaulted) = refaulted {
        let evidence = case.measured(
            "part of memory read back after eviction, a minute",
            "workingset_refault_file",
            Quantity::ratio(refaulted),
        );
        case.weigh(if refaulted > 0.01 { -1.5 } else { 0.5 }, evidence);
    }
    let who = process::fastest(&at_it, &["utime", "stime"]).map_or(String::new(), |who| {
        // Ticks of 1/100 s.
        let cpus = who.amount / 100.0;
        case.note(case.measured(&format!("CPUs that {} used", who.words()), "utime + stime", Quantity::count(cpus)));
        case.blame("process", who.comm);
        format!(", {cpus:.1} of {cpus_all} by {}", who.words(), cpus_all = window.recording.manifest.cpus)
    });
    let statement = format!(
        "The CPUs are the limit: they were idle {} of the time{who}, and nobody waited for memory.",
        Quantity::ratio(idle)
    );
    case.close(
        statement,
        vec![advise(
            "See who uses the CPUs; memory and devices are not the limit.",
            Some("pidstat -u 1 5"),
            "Only reads. Fewer tasks at a time or more CPUs help; more memory does not.",
            None,
        )],
    )
}

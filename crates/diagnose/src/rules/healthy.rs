//! `healthy`: nothing is wrong, with the numbers that say so.

use super::{Role, Rule, Scope};
use crate::case::{Case, grade};
use crate::coverage;
use crate::episodes::Of;
use crate::window::{REFAULTED, STALLS, Window};
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "healthy",
        title: "Nothing is wrong with memory and devices",
        meaning: "Programs get their memory and their pages without waiting for them. Devices may work and memory may be full: a full page \
                  cache is what memory is for.",
        evidence: "Tasks waited for memory less than 1 % of the time (psi_memory_some), or where that is not recorded there was less than one direct \
                   reclaim a second; less than 1 % of memory a minute was read back after eviction or from swap. The recording has ten samples or more of \
                   reclaim, memory and devices; without them the verdict is that it cannot be told. It is only said when no other rule found a cause.",
        why: "The kernel fills memory with what was read and gives it back when it is needed, so that neither little free memory nor reclaim \
              are signs of trouble by themselves.",
        otherwise: "What happened between two samples and left no counter behind; what a program waits for that is not memory or a device: locks, \
                    the network, another host.",
        advice: "Nothing. If programs are slow all the same, look at CPU, locks and the network.",
        kernel: "kernel/sched/psi.c: psi_memstall_enter; mm/workingset.c: workingset_refault.",
    },
    name: "nothing",
    role: Role::Benign,
    scope: Scope::Whole,
    shown_by: &[],
    decides: "Pressure stall information over the same time.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() || !coverage::gaps(window.recording).is_empty() {
        return None;
    }
    let memory = window.memory()?;
    let page = window.page_size();
    let mut case = Case::new(RULE.doc.id, window);
    let part = |what: &str, source: &str, value: f64, limit: f64| (what.to_owned(), source.to_owned(), value, limit);
    let again = |metrics: &[&str]| window.host_rate(metrics).map(|pages| pages * page * 60.0 / memory);
    let pressure = window.host_rate(&["psi_memory_some"]).map(|micros| micros / 1e6);
    let numbers = [
        pressure.map(|value| part("part of the time in which tasks waited for memory", "psi_memory_some", value, 0.01)),
        again(REFAULTED).map(|value| {
            part("part of memory read back after eviction, a minute", "workingset_refault_file", value, 0.01)
        }),
        again(&["pswpin"]).map(|value| part("part of memory read back from swap, a minute", "pswpin", value, 0.01)),
    ];
    let mut known = 0;
    for (what, source, value, limit) in numbers.into_iter().flatten() {
        known += 1;
        let evidence = case.held(&what, &source, Quantity::ratio(value), Relation::Below, Quantity::ratio(limit));
        case.weigh(if value < limit { 0.5 + grade(value, limit, limit * 0.1) } else { -3.0 }, evidence);
    }
    if let Some(stalls) = window.host_rate(STALLS) {
        known += 1;
        let value = Quantity::new(stalls, Unit::PerSecond);
        let evidence = case.held(
            "direct reclaims",
            "allocstall, all zones",
            value,
            Relation::Below,
            Quantity::new(1.0, Unit::PerSecond),
        );
        case.weigh(if stalls < 1.0 { 0.5 } else { -2.0 }, evidence);
    }
    if let Some(faults) = window.host_rate(&["pgmajfault"]) {
        known += 1;
        case.weigh(
            if faults < 10.0 { 0.5 } else { -0.5 },
            case.measured("major faults", "pgmajfault", Quantity::new(faults, Unit::PerSecond)),
        );
    }
    for disk in window.disks() {
        let (Some(busy), Some(wait)) = (window.busy(disk), window.wait(disk)) else { continue };
        let wait = Quantity::new(wait, Unit::Nanos);
        case.note(case.measured(
            &format!("part of the time in which {disk} was busy"),
            "io_ms or util",
            Quantity::ratio(busy),
        ));
        case.note(case.measured(
            &format!("time of a request of {disk}"),
            "read_ms + write_ms per request, or await_ms",
            wait,
        ));
    }
    if known < 2 || window.recording.entities(Table::Disk).next().is_none() {
        return None;
    }
    // The worst moment counts too: a mean over a long recording hides a minute of trouble.
    let worst = Of::host(&["psi_memory_some"]).signal(window.recording);
    if let Some(worst) = worst.and_then(|signal| signal.most(window.from, window.to)).map(|micros| micros / 1e6) {
        let evidence = case.measured("the same in the worst interval", "psi_memory_some", Quantity::ratio(worst));
        case.weigh(if worst > 0.2 { -1.0 } else { 0.0 }, evidence);
    }
    let waited = match pressure {
        Some(part) => format!("tasks waited for memory {} of the time", Quantity::ratio(part)),
        None => "no rule saw anything wrong".to_owned(),
    };
    let statement = format!(
        "Nothing is wrong with memory and devices: {waited}, and hardly anything had to be read a second time."
    );
    case.close(statement, Vec::new())
}

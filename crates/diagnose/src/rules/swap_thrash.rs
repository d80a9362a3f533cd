//! `swap-thrash`: what was swapped out is needed again at once.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::Window;
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "swap-thrash",
        title: "Memory goes to swap and comes back, again and again",
        meaning: "Programs use more anonymous memory than there is, at the same time. Pages are swapped in while others are swapped out, \
                  and each wait for swap is a major fault.",
        evidence: "pswpin and pswpout both run in the same stretch, the smaller at least a fifth of the larger, and together they move at least 1 % of \
                   memory a minute. Refaults of anonymous pages (workingset_refault_anon) near the swap-ins and stalls for memory (PSI) speak for it.",
        why: "A page that is used again soon after it was swapped out belongs to the working set, which is then larger than memory.",
        otherwise: "A burst of swap-out alone makes room, and one of swap-in alone brings back what is needed after it: neither is thrashing.",
        advice: "Reduce what runs at the same time, or add memory. A faster swap device or zram makes it bearable and does not end it.",
        kernel: "mm/page_io.c: swap_writepage, swap_read_folio; mm/workingset.c: workingset_refault.",
    },
    name: "anonymous memory that does not fit",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &["swap-off"],
    decides: "VmSwap and majflt of each process: both move in the process whose memory does not fit.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    let (came, went) = (window.host_rate(&["pswpin"])?, window.host_rate(&["pswpout"])?);
    let page = window.page_size();
    let total = window.recording.manifest.memory_total.as_f64();
    let total = if total > 0.0 { total } else { window.host_gauge("MemTotal")?.2 };
    if came.min(went) < came.max(went) * 0.2 || (came + went) * page * 60.0 < total * 0.01 || came <= 0.0 {
        return None;
    }
    let bytes = |pages: f64| Quantity::new(pages * page, Unit::BytesPerSecond);
    let mut case = Case::new(RULE.doc.id, window);
    let swapping = window.when(Of::host(&["pswpin", "pswpout"]));
    case.during(window.led_up_to(swapping, Of::host_growth("AnonPages")));
    case.weigh(
        1.0 + grade(came.min(went) / came.max(went), 0.2, 0.5),
        case.held("swapped in", "pswpin against pswpout", bytes(came), Relation::Near, bytes(went)),
    );
    case.weigh(
        grade((came + went) * page * 60.0 / total, 0.01, 0.1),
        case.measured(
            "part of memory swapped a minute",
            "(pswpin + pswpout) * page size / MemTotal",
            Quantity::ratio((came + went) * page * 60.0 / total),
        ),
    );
    if let Some(refaulted) = window.host_rate(&["workingset_refault_anon"]) {
        let evidence = case.held(
            "anonymous pages read back after reclaim",
            "workingset_refault_anon",
            bytes(refaulted),
            Relation::Near,
            bytes(came),
        );
        case.weigh(if refaulted < came * 0.1 { -1.0 } else { grade(refaulted / came, 0.1, 0.6) }, evidence);
    }
    if let Some(stalled) = window.host_rate(&["psi_memory_some"]).map(|micros| micros / 1e6) {
        case.weigh(
            if stalled < 0.01 { -0.5 } else { 1.0 },
            case.measured(
                "part of the time in which a task waited for memory",
                "psi_memory_some",
                Quantity::ratio(stalled),
            ),
        );
    }
    process::blame_faults(&mut case, window);
    let statement = format!(
        "Memory is swapped in at {} while {} are swapped out: the programs' memory does not fit.",
        bytes(came),
        bytes(went)
    );
    let advice = advise(
        "Run less at the same time, or add memory.",
        None,
        "The waits for swap end once the working set fits.",
        None,
    );
    case.close(statement, vec![advice])
}

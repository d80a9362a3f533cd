//! `direct-reclaim-stalls`: programs have to free memory themselves before they get any.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::window::{STALLS, Window};
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "direct-reclaim-stalls",
        title: "Programs stall in direct reclaim",
        meaning: "Free memory fell below the min watermark faster than kswapd frees it, so that programs that ask for memory have to scan and free pages \
                  themselves, and wait meanwhile.",
        evidence: "Direct reclaims run (allocstall and its zones), at least one per second on average, and pages are scanned by them (pgscan_direct). \
                   A share of at least a tenth of all scanning and stalls for memory (PSI) speak for it.",
        why: "kswapd starts at the low watermark and has the distance down to min to catch up; bursts of allocation larger than that distance overtake it, \
              and so does a kswapd that waits for writeback.",
        otherwise: "Reclaim at the limit of a control group is also direct, and has its own counters; it does not count as allocstall.",
        advice: "Widen the distance between the watermarks (vm.watermark_scale_factor), so that kswapd starts earlier.",
        kernel: "mm/page_alloc.c: __alloc_pages_slowpath, __perform_reclaim; mm/vmscan.c: try_to_free_pages.",
    },
    name: "stalls in direct reclaim",
    role: Role::Effect,
    scope: Scope::Busy,
    shown_by: &["swap-off"],
    decides: "allocstall and pgscan_direct together with the free pages of each zone.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    let stalls = window.host_rate(STALLS)?;
    let direct = window.host_rate(&["pgscan_direct"]).filter(|rate| *rate > 0.0)?;
    if stalls < 1.0 {
        return None;
    }
    let per_second = |value| Quantity::new(value, Unit::PerSecond);
    let mut case = Case::new(RULE.doc.id, window);
    case.weigh(
        1.0 + grade(stalls, 1.0, 50.0),
        case.measured("direct reclaims", "allocstall, all zones", per_second(stalls)),
    );
    let all = direct + window.host_rate(&["pgscan_kswapd"]).unwrap_or(0.0);
    let evidence = case.held(
        "pages scanned directly",
        "pgscan_direct against all",
        per_second(direct),
        Relation::Below,
        per_second(all),
    );
    case.weigh(if direct < all * 0.02 { -1.0 } else { grade(direct / all, 0.02, 0.3) }, evidence);
    let waited = window.host_rate(&["psi_memory_some"]).map(|micros| micros / 1e6);
    if let Some(waited) = waited {
        let evidence = case.measured(
            "part of the time in which a task waited for memory",
            "psi_memory_some",
            Quantity::ratio(waited),
        );
        case.weigh(if waited < 0.001 { -1.0 } else { grade(waited, 0.001, 0.05) }, evidence);
    }
    let statement = format!(
        "Programs had to reclaim memory themselves {} ({} of all scanning).",
        per_second(stalls),
        Quantity::ratio(direct / all)
    );
    let advice = advise(
        "Have kswapd start earlier.",
        Some("sysctl -w vm.watermark_scale_factor=100"),
        "1 % of memory lies between the watermarks instead of 0.1 %; that much less is left for cache.",
        Some("sysctl -w vm.watermark_scale_factor=10"),
    );
    case.close(statement, vec![advice])
}

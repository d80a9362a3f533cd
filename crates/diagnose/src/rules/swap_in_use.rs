//! `swap-in-use-harmless`: swap holds something that nobody asks for.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::window::Window;
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "swap-in-use-harmless",
        title: "Swap is in use and does no harm",
        meaning: "Some anonymous memory lies in swap because nobody used it. That leaves more memory for what is used; it is no sign of trouble.",
        evidence: "SwapTotal less SwapFree is at least 1 % of swap, and over at least ten samples less than a thousandth of what is in swap came back (pswpin); or what came back did so while less than a tenth of it went there (pswpout).",
        why: "Under pressure the kernel moves to swap what was not used for long, and leaves it there until somebody touches it.",
        otherwise: "Programs that sleep now may wake later and then wait for their memory. A short recording cannot tell.",
        advice: "Nothing. swapoff would read everything back for no use.",
        kernel: "mm/vmscan.c: shrink_folio_list; mm/swapfile.c: try_to_unuse (swapoff).",
    },
    name: "swap in use",
    role: Role::Benign,
    scope: Scope::Whole,
    shown_by: &["swap-off"],
    decides: "pswpin over a longer time.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    let (.., total) = window.host_gauge("SwapTotal").filter(|(.., most)| *most > 0.0)?;
    let (free, ..) = window.host_gauge("SwapFree")?;
    let used = total - free;
    let came = window.rise(Table::Host, "", "pswpin")? * window.page_size();
    let samples = window.recording.host("pswpin")?.within(window.from, window.to).count();
    if used < total * 0.01 || samples < 10 || window.step.is_some() {
        return None;
    }
    let bytes = |value| Quantity::new(value, Unit::Bytes);
    if came > used * 0.001 {
        return comes_back(window, came);
    }
    let mut case = Case::new(RULE.doc.id, window);
    case.weigh(
        1.0 + grade(came / used, 0.001, 0.0),
        case.held("read back from swap", "pswpin * page size", bytes(came), Relation::Below, bytes(used)),
    );
    case.note(case.measured("in swap at most", "SwapTotal - SwapFree", bytes(used)));
    let statement = format!(
        "{} lie in swap and hardly any of it was asked for ({}): no sign of trouble.",
        bytes(used),
        bytes(came)
    );
    case.close(
        statement,
        vec![advise("Leave it.", None, "What lies there unused leaves memory to what is used.", None)],
    )
}

/// What lay in swap comes back, once: nothing goes there meanwhile, so that memory suffices for what comes.
fn comes_back(window: &Window<'_>, came: f64) -> Option<Finding> {
    let bytes = |value| Quantity::new(value, Unit::Bytes);
    let went = window.rise(Table::Host, "", "pswpout")? * window.page_size();
    if went > came * 0.1 {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    case.during(window.when(Of::host(&["pswpin"])));
    for disk in window.swap_disks() {
        case.blame("disk", disk);
    }
    case.weigh(
        1.0 + grade(went / came, 0.1, 0.01),
        case.held("swapped out", "pswpout * page size", bytes(went), Relation::Below, bytes(came)),
    );
    let statement = format!(
        "{} came back from swap and only {} went there: it was asked for once, and memory suffices for it.",
        bytes(came),
        bytes(went)
    );
    case.close(
        statement,
        vec![advise("Wait until it is back.", None, "Each page is read once; after that it is in memory.", None)],
    )
}

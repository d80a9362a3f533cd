//! `caches-dropped`: somebody wrote to drop_caches.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise};
use crate::episodes::Of;
use crate::window::{STOLEN, Window};
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "caches-dropped",
        title: "The page cache was dropped by hand",
        meaning: "Somebody wrote 1 or 3 to /proc/sys/vm/drop_caches. What is read afterwards has to come from the devices, \
                  whatever memory there is.",
        evidence: "drop_pagecache of /proc/vmstat rose. That the file cache fell in the same stretch, and by more than reclaim freed, \
                   speaks for it.",
        why: "Scripts that are to free memory or to make a benchmark cold do it. The kernel does not do it by itself.",
        otherwise: "Kernels before 3.14 do not count it: a file cache that falls without scanning looks the same as a large file that was deleted.",
        advice: "Find the script (cron jobs, container hooks). Free memory is not a goal: clean cache is given back when it is needed.",
        kernel: "fs/drop_caches.c: drop_caches_sysctl_handler, count_vm_event(DROP_PAGECACHE).",
    },
    name: "caches dropped by hand",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &["second-read"],
    decides: "drop_pagecache of /proc/vmstat, and the kernel log, which names the process that wrote to drop_caches.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    let times = window.rise(Table::Host, "", "drop_pagecache").filter(|times| *times > 0.0)?;
    let mut case = Case::new(RULE.doc.id, window);
    case.during(window.when(Of::host(&["drop_pagecache"])));
    case.weigh(3.0, case.measured("times that the page cache was dropped", "drop_pagecache", Quantity::count(times)));
    let change = window.host_change("Cached");
    if let Some(change) = change {
        let bytes = |value| Quantity::new(value, Unit::Bytes);
        let freed = window.host_rise(STOLEN).unwrap_or(0.0) * window.page_size();
        let evidence = case.held("change of the file cache", "Cached", bytes(change), Relation::Below, bytes(-freed));
        // It may have been filled again before the end.
        if change < -freed { case.weigh(1.0, evidence) } else { case.note(evidence) }
    }
    let lost = change.filter(|change| *change < 0.0);
    let lost = lost
        .map_or(String::new(), |change| format!("; it is {} smaller after it", Quantity::new(-change, Unit::Bytes)));
    let statement = format!("The page cache was dropped by hand {} time(s){lost}.", Quantity::count(times));
    let advice = advise(
        "Find and remove what writes to drop_caches.",
        Some("grep -rs drop_caches /etc/cron* /etc/systemd /usr/local"),
        "Reads after it are served from memory again. Nothing is lost: clean cache is given back when memory is needed.",
        None,
    );
    case.close(statement, vec![advice])
}

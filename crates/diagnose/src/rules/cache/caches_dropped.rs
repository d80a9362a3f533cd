//! `caches-dropped`: a program wrote to drop_caches.

use crate::evidence::{EvidenceBuilder, advise, measured};
use crate::measure::amount::{Amount, Count};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{STOLEN, Window};
use crate::rules::contract::{EffectKind, Rule, Suspicion, leads, subsumes};
use pagetide_core::{Cleared, Finding, Relation, RuleDoc, RuleId, Table};

pub(crate) const RULE: Rule = Rule {
    name: "drop_caches",
    loss: None,
    leads_to: &[
        leads(
            EffectKind::CacheLost,
            "The kernel frees all clean pages that no program maps.",
            "fs/drop_caches.c: drop_pagecache_sb; mm/truncate.c: invalidate_mapping_pages",
        ),
        leads(
            EffectKind::Reads,
            "Reads that would have been cache hits go to the devices.",
            "mm/filemap.c: filemap_read",
        ),
    ],
    subsumes: &[
        subsumes(EffectKind::Reads, &[RuleId::ColdCache, RuleId::ReadAheadWaste]),
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache]),
        subsumes(EffectKind::CacheLost, &[RuleId::OverReclaim]),
    ],
    clears: Some(clears),
    scenarios: &["second-read"],
    deciding_test: "drop_pagecache of /proc/vmstat, and the kernel log: it names the process that wrote to drop_caches.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::CachesDropped,
            title: "A program dropped the page cache",
            meaning: "A program wrote 1 or 3 to /proc/sys/vm/drop_caches. Later reads go to the devices, however much memory is free.",
            evidence: "drop_pagecache of /proc/vmstat rises. A file cache that shrinks by more than reclaim frees supports it.",
            metrics: &["drop_pagecache", "Cached", "pgsteal_kswapd", "pgsteal_direct"],
            thresholds: &[],
            why: "Scripts do this to free memory, or to start a benchmark with a cold cache. The kernel never does it on its own.",
            alternatives: "Kernels before 3.14 do not count it. There, a file cache that shrinks without scanning may also be a deleted file.",
            advice: "Find the script (cron job, container hook). Clean cache needs no freeing: the kernel reclaims it on demand.",
            mglru: "drop_pagecache counts the same. Dropped pages leave no shadow entries, so reading them again does not count as refaults, with or without MGLRU.",
            kernel: "Linux 6.12: fs/drop_caches.c: drop_caches_sysctl_handler, count_vm_event(DROP_PAGECACHE).",
        },
        examine,
    )
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    let times: Amount<Count> =
        window.rise(Table::Host, "", "drop_pagecache").filter(|times: &Amount<Count>| times.is_positive())?;
    let mut found = EvidenceBuilder::new(window);
    found.span(window.when(SignalSpec::host(&["drop_pagecache"])));
    found.add(3.0, "writes to drop_caches", "drop_pagecache", times);
    let change = window.host_change("Cached");
    if let Some(change) = change {
        let freed = -window.host_amount(&STOLEN).unwrap_or(Amount::ZERO);
        // It may have filled again before the end.
        let weight = if change < freed { 1.0 } else { 0.0 };
        found.compare(weight, "change of the file cache", "Cached", change, Relation::Below, freed);
    }
    let lost = change.filter(|change| change.get() < 0.0);
    let lost = lost.map_or(String::new(), |change| format!(", and the file cache fell by {}", -change));
    let often = match times.get() {
        times if times < 1.5 => "once".to_owned(),
        times if times < 2.5 => "twice".to_owned(),
        times => format!("{times:.0} times"),
    };
    let statement = format!("A program dropped the page cache {often}{lost}.");
    let advice = advise(
        "Find what writes to drop_caches, and remove it.",
        Some("grep -rs drop_caches /etc/cron* /etc/systemd /usr/local"),
        "Reads come from memory again. Nothing is lost: the kernel reclaims clean cache when memory is needed.",
        None,
    );
    found.finish(RuleId::CachesDropped, statement, vec![advice])
}

fn clears(suspicion: Suspicion<'_>) -> Option<Cleared> {
    let rate = suspicion.during.host_rate(&["drop_pagecache"]).filter(|rate| rate.get() == 0.0)?;
    let times = Amount::<Count>::new(rate.get());
    Some(Cleared {
        rule: RuleId::CachesDropped,
        statement: "Not drop_caches: no program wrote to it.".to_owned(),
        evidence: vec![measured(suspicion.during.span, "writes to drop_caches", "drop_pagecache", times)],
    })
}

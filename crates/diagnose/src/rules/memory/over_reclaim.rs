//! `over-reclaim`: reclaim continues although free memory is far above the watermarks.

use crate::actors::group::{self, shrunk};
use crate::evidence::threshold::TURNOVER;
use crate::evidence::{EvidenceBuilder, advise, word};
use crate::measure::amount::{Amount, Count, Limit, Rate, grade, grade_log};
use crate::measure::cache_fall::{self, RECLAIMED};
use crate::measure::episodes::SignalSpec;
use crate::measure::watermarks::{self, FAR};
use crate::measure::window::{REFAULTED, SCANNED, STOLEN, Window};
use crate::rules::contract::{EffectKind, Role, Rule, leads};
use pagetide_core::derived;
use pagetide_core::{Actor, Advice, Bytes, Finding, Pages, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "reclaim far above the watermarks",
    role: Role::Effect,
    leads_to: &[leads(
        EffectKind::Refaults,
        "Programs read evicted pages again although memory was free.",
        "mm/workingset.c: workingset_refault",
    )],
    deciding_test: "/proc/buddyinfo and the order for which kswapd is woken.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::OverReclaim,
            title: "Free memory is far above the high watermarks, and the kernel still reclaims file cache",
            meaning: "kswapd stops once a zone's free memory reaches its high watermark. Here many times that is free after the file cache fell, \
                so shortage is not the reason. Programs that need the evicted pages read them again.",
            evidence: "The file cache falls and free memory rises by much of that, to far above the sum of the high watermarks (of the same \
                stretch, else the nearest recorded; without any, of memory). drop_caches is excluded where drop_pagecache was recorded, and \
                otherwise named as the other explanation. Pages scanned in another part of the recording count less. The control group whose \
                file cache fell is the origin. If it reached no limit, a program requested the reclaim. \
                Or the cache of a group that reached no limit is taken again and again, and read back, while that much is free.",
            metrics: &[
                "Cached",
                "MemFree",
                "high",
                "free",
                "AnonPages",
                "SwapFree",
                "pgscan_kswapd",
                "pgscan_direct",
                "drop_pagecache",
                "workingset_refault_file",
                "file",
                "pgsteal",
            ],
            thresholds: &[
                LOST.doc(),
                GAINED.doc(),
                FAR.doc(),
                WITHOUT.doc(),
                ENDED.doc(),
                GROUP.doc(),
                AGAIN.doc(),
                TURNOVER.doc(),
                RECLAIMED.doc(),
            ],
            why: "Known reasons: requests for high-order blocks, which single free pages cannot meet; one zone or node that stays below its \
                watermark while others are far above; reclaim at high priority, which frees in proportion to the lists and not to the need; a \
                program that writes to memory.reclaim of a group.",
            alternatives: "A process that exits or truncates a large file frees its cache at once, without scanning. Or a program dropped the caches.",
            advice: "Record zoneinfo, buddyinfo and kswapd's order (tracepoint vmscan:mm_vmscan_kswapd_wake) while it lasts. Free memory per \
                zone shows imbalance, and blocks per order show fragmentation. The order shows what requests it.",
            mglru: "pgscan and pgsteal count the same.",
            kernel: "Linux 6.12: mm/vmscan.c: balance_pgdat, pgdat_balanced, kswapd_shrink_node; mm/page_alloc.c: __zone_watermark_ok.",
        },
        examine,
    )
};

const LOST: Limit<Ratio> = Limit::new(
    "fall of the file cache, relative to its size",
    0.5,
    "Reclaim that answers a shortage takes less.",
    "judgement",
);
const GAINED: Limit<Ratio> = Limit::new(
    "rise of free memory per byte of cache lost",
    0.5,
    "With less, a program used the freed memory.",
    "judgement",
);
const WITHOUT: Limit<Ratio> = Limit::new(
    "free memory, as a share of all, where no watermark was recorded",
    0.05,
    "High watermarks are below 1 % of memory unless watermark_scale_factor is raised.",
    "mm/page_alloc.c: __setup_per_zone_wmarks (6.12)",
);
const GROUP: Limit<Ratio> = Limit::new(
    "fall of a group's file cache, as a share of the whole fall",
    0.5,
    "With less, the whole host was reclaimed.",
    "judgement",
);

/// Of a group whose cache comes back at once.
const AGAIN: Limit<Ratio> = Limit::new(
    "bytes that a group reads again per byte that was reclaimed from it, where its cache does not fall",
    0.5,
    "With less, most of what was taken is not missed.",
    "judgement",
);

const ENDED: Limit<Ratio> = Limit::new(
    "fall of anonymous memory per byte of memory that became free, at most",
    0.5,
    "With more, a program exited or freed its memory.",
    "judgement",
);
fn examine(window: &Window<'_>) -> Option<Finding> {
    fallen(window).or_else(|| again_and_again(window))
}

/// A cache that fell and left memory free.
fn fallen(window: &Window<'_>) -> Option<Finding> {
    if window.host_rate(&["drop_pagecache"]).is_some_and(Amount::is_positive) {
        return None;
    }
    let stretch = window;
    let window = &cache_fall::of(stretch, "Cached")?;
    let lost = -window.host_change("Cached")?;
    let gained = window.host_change("MemFree")?;
    let end = |metric: &str| Some(window.points::<Bytes>(&window.series(Table::Host, "", metric)?).next_back()?.1);
    let (free, left) = (end("MemFree")?, end("Cached")?);
    let marks = watermarks::high(window);
    let total = Amount::<Bytes>::new(window.recording.manifest.memory_total.as_f64());
    let goal = marks.map_or(total * WITHOUT / FAR.get(), |(high, _)| high);
    let ended = window
        .host_level::<Bytes>("AnonPages")
        .zip(end("AnonPages"))
        .map_or(Amount::ZERO, |(level, end)| level.most - end);
    if ended > gained * ENDED {
        return None;
    }
    // Pages that nobody reclaimed were dropped, or their file was deleted.
    if cache_fall::without_reclaim(window, lost) {
        return None;
    }
    if !lost.is_positive() || left > lost || gained < lost * GAINED || free < goal * FAR || !goal.is_positive() {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let (weight, source) =
        (1.5 * grade_log(free / goal, 1f64.exp(), 3f64.exp()), "MemFree compared with the sum of high");
    let above = found.compare(weight, "free memory at the end", source, free, Relation::Above, goal);
    if let Some((_, at)) = marks {
        above.range = above.range.union(Span { from: at, to: at });
    }
    let weight = grade(gained / lost, 0.3, 0.9);
    found.compare(weight, "rise of free memory", "MemFree compared with Cached", gained, Relation::Near, lost);
    if let Some(change) = window.host_change("AnonPages") {
        let weight = 0.5 * grade(change.abs() / lost, 0.3, 0.05);
        found.compare(weight, "change of anonymous memory", "AnonPages", change, Relation::Below, lost);
    }
    if let Some(used) = window.host_change("SwapFree") {
        found.note("change of free swap", "SwapFree", used);
    }
    add_scans(window, &mut found);
    if stretch.host(&REFAULTED).is_some_and(Amount::is_positive) {
        found.span(window.span.union(stretch.when(SignalSpec::derived(&REFAULTED))));
    }
    let group = fell_most(window, lost);
    // A group at its limit is reclaimed because of that, and one whose limit is lowered is reclaimed to it.
    if group.is_some_and(|group| is_held(stretch, group)) {
        return None;
    }
    let requested = group.and_then(|group| Some((group, requested(window, group, lost)?)));
    let of_group = group.map_or(String::new(), |group| {
        found.origin(Actor::group(group));
        match requested {
            Some((_, freed)) => {
                found.add(1.0, format!("bytes reclaimed from {group}, which did not reach a limit"), "pgsteal of the group", freed);
                format!(" {freed} were reclaimed from {group}, which did not reach a limit: a program requested it (memory.reclaim).")
            }
            None => format!(" Most of it was cache of {group}."),
        }
    });
    let at_limit = stretch.host(&derived::SCANNED_AT_LIMIT).filter(|rate| rate.is_positive() && group.is_none());
    let of_group = at_limit.map_or(of_group, |rate| {
        let what = "pages scanned of control groups, which were not recorded";
        found.contradict(1.0, what, "pgscan_anon + pgscan_file compared with the sums by reclaimer", rate);
        " A control group was reclaimed, at its limit or because a program requested it (memory.reclaim): record groups to see which.".to_owned()
    });
    let marks = if marks.is_some() { format!("{goal} in all") } else { "not recorded".to_owned() };
    let statement = format!(
        "The file cache fell by {lost} in {} and free memory rose by {gained} to {free}, far above the high watermarks ({marks}): shortage does not explain this reclaim.{of_group}",
        window.span.length(),
    );
    if let Some((group, _)) = requested {
        return found.finish(RuleId::OverReclaim, statement, vec![request_less(group)]);
    }
    let advice = advise(
        "Record free blocks by order and by zone, and the order for which kswapd is woken, while it lasts.",
        Some("perf trace -e vmscan:mm_vmscan_kswapd_wake -a sleep 10; cat /proc/buddyinfo /proc/zoneinfo"),
        "Free memory in only one node means imbalance; few blocks of the requested order mean fragmentation. The commands only read.",
        None,
    );
    found.finish(RuleId::OverReclaim, statement, vec![advice])
}

fn request_less(group: &str) -> Advice {
    advise(
        "Find the program that writes to memory.reclaim of the group. Stop it, or let it request less.",
        Some(&format!(
            "fuser -v {}; grep -rls memory.reclaim /etc /usr/local /opt",
            word(&format!("{group}/memory.reclaim"))
        )),
        "The commands only read. Without these requests the group keeps its cache until memory is short.",
        None,
    )
}

/// A group whose cache is taken as fast as it reads it back, though it reached no limit and the host has memory to spare.
fn again_and_again(window: &Window<'_>) -> Option<Finding> {
    let free = window.host_level::<Bytes>("MemFree")?.least;
    let (goal, _) = watermarks::high(window)?;
    if !goal.is_positive() || free < goal * FAR {
        return None;
    }
    let for_host = window.host_amount(&STOLEN).unwrap_or(Amount::ZERO);
    let of_group = |group: &'_ str| {
        let pages = |metric| Some(window.rise::<Pages>(Table::Cgroup, group, metric)? * window.page_size());
        let (taken, back) = (pages("pgsteal")?, pages("workingset_refault_file")?);
        let share = window.turnover(taken.per(window.length()?))?;
        let wanted = for_host < taken * (1.0 - GROUP.get()) && back >= taken * AGAIN.get();
        let held = || group::with_parents(window, group).any(|group| is_held(window, group));
        (share >= TURNOVER && wanted && !held()).then_some((taken, back))
    };
    let leaves = group::leaves(window.recording).into_iter();
    let all = leaves.filter_map(|group| Some((group, of_group(group)?)));
    let (group, (taken, back)) = all.max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    let mut found = EvidenceBuilder::new(window);
    found.origin(Actor::group(group));
    found.span(window.when(SignalSpec::rate(Table::Cgroup, group, &["pgsteal"])));
    let what = format!("bytes reclaimed from {group}, which did not reach a limit");
    found.compare(1.5, what, "pgsteal of the group, compared with that of the host", taken, Relation::Above, for_host);
    let what = format!("bytes of them that {group} read again");
    found.compare(1.0, what, "workingset_refault_file of the group", back, Relation::Near, taken);
    let weight = grade_log(free / goal, 1f64.exp(), 3f64.exp());
    found.compare(weight, "least free memory", "MemFree compared with the sum of high", free, Relation::Above, goal);
    let statement = format!(
        "{taken} were reclaimed from {group}, which did not reach a limit, while {free} or more were free, far above the high watermarks ({goal} in all): a \
         program requested it (memory.reclaim). The group read {back} again."
    );
    found.finish(RuleId::OverReclaim, statement, vec![request_less(group)])
}

/// Whether a group reached its limit or was given a lower one.
fn is_held(window: &Window<'_>, group: &str) -> bool {
    let hits: Option<Rate<Count>> = window.derived(Table::Cgroup, group, &derived::LIMIT_HITS);
    shrunk(window, group).is_some() || hits.is_some_and(Amount::is_positive)
}

/// The control group that lost most of the file cache; what it lost, all groups above lost as well.
fn fell_most<'a>(window: &Window<'a>, lost: Amount<Bytes>) -> Option<&'a str> {
    let fell = |group: &&str| {
        let cache = window.level::<Bytes>(Table::Cgroup, group, "file");
        cache.is_some_and(|cache| cache.most - cache.least >= lost * GROUP)
    };
    let groups = window.recording.entities(Table::Cgroup).map(|(group, _)| group);
    groups.filter(fell).max_by_key(|group| group.len())
}

/// The bytes that were reclaimed from a group, where neither kswapd nor direct reclaim for the host took them.
fn requested(window: &Window<'_>, group: &str, lost: Amount<Bytes>) -> Option<Amount<Bytes>> {
    let freed = window.rise::<Pages>(Table::Cgroup, group, "pgsteal")? * window.page_size();
    let for_host = window.host_amount(&STOLEN).is_some_and(|freed| freed >= lost * GROUP);
    Some(freed).filter(|freed| *freed >= lost * GROUP && !for_host)
}

fn add_scans(window: &Window<'_>, found: &mut EvidenceBuilder) {
    let source = "pgscan_kswapd + pgscan_direct";
    // Reclaim for a control group counts in none of these.
    let groups = window.host(&derived::SCANNED_AT_LIMIT).filter(|rate| rate.is_positive());
    if let Some(rate) = groups {
        found.add(
            1.5,
            "pages scanned at a control group's limit or for its memory.reclaim",
            "pgscan_anon + pgscan_file",
            rate,
        );
        return;
    }
    if let Some(rate) = window.host(&SCANNED) {
        found.add(if rate.is_positive() { 1.5 } else { -2.5 }, "pages scanned", source, rate);
        return;
    }
    // Of another stretch: the same host reclaims, though not at the moment at which memory was recorded.
    let Some(whole) = Window::whole(window.recording, window.episodes) else { return };
    match whole.host(&SCANNED).filter(|rate| rate.is_positive()) {
        Some(rate) => found.add(0.5, "pages scanned at other times of the recording", source, rate).range = whole.span,
        None => {
            let what = "scans recorded: without them, drop_caches or a truncated file looks the same";
            found.contradict(1.0, what, "pgscan_kswapd", Amount::<Count>::ZERO);
        }
    }
}

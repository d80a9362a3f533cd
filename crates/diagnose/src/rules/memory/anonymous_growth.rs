//! `anonymous-growth-takes-cache`: anonymous memory grows into the file cache.

use crate::actors::group;
use crate::actors::process::{self, ProcessShare};
use crate::actors::tmpfs::{self, MIN_GROWTH_SHARE};
use crate::evidence::threshold::GROWTH;
use crate::evidence::traced::Traced;
use crate::evidence::{EvidenceBuilder, advise, measured};
use crate::measure::amount::{Amount, Limit, Per, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{SCANNED, Window};
use crate::rules::contract::{EffectKind, Rule, Suspicion, When, subsumes};
use pagetide_core::{Actor, Advice, Bytes, Cleared, Finding, Moment, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "growth of anonymous memory",
    loss: None,
    effect: Some(EffectKind::AnonGrows),
    subsumes: &[
        subsumes(EffectKind::MajorFaults, &[RuleId::CodeThrash]).when(When::OtherProcess),
        subsumes(EffectKind::SwapIn, &[RuleId::SwapThrash]).when(When::OtherProcess),
        subsumes(EffectKind::DirectReclaim, &[RuleId::DirectReclaim]),
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache]),
        subsumes(EffectKind::CacheLost, &[RuleId::ColdCache]),
        subsumes(EffectKind::Reclaim, &[RuleId::ZoneImbalance]).when(When::OtherProcess),
    ],
    clears: Some(clears),
    deciding_test: "RssAnon of each process over the same time: it shows which process grew.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::AnonymousGrowth,
            title: "Anonymous memory grows at the expense of the page cache",
            meaning: "Programs allocate memory, and the kernel reclaims file cache to make room. Later reads of the evicted files go to the device.",
            evidence: "AnonPages, Shmem (tmpfs, shared segments), Hugetlb (the huge page pool) and swap in use together grow, and the file cache \
                without Shmem falls by what free memory does not cover. Reclaim (pgscan) supports it. Free memory that grows by more than \
                anonymous memory contradicts it. The process whose RssAnon grew most is the origin; of files in tmpfs the one that wrote about as much, \
                to no device, or the group that they are charged to; and so the group of many small processes. Pages that come back from swap are not \
                growth, unless swap was switched off: SwapTotal falls by at least that much and SwapFree is 0.",
            metrics: &[
                "AnonPages",
                "Shmem",
                "Hugetlb",
                "SwapTotal",
                "SwapFree",
                "Cached",
                "MemFree",
                "MemTotal",
                "RssAnon",
                "RssShmem",
                "shmem",
                "anon",
                "rss",
                "VmSwap",
                "wchar",
                "write_bytes",
                "pgscan_kswapd",
                "pgscan_direct",
            ],
            thresholds: &[GROWTH.doc(), PAID.doc()],
            why: "Clean file pages are the cheapest to reclaim. Growing anonymous memory takes file cache first, then swap.",
            alternatives: "Both may change for other reasons, for example when one program starts while another deletes a large file.",
            advice: "Check whether the growth ends. Limit the program, or add memory for the working set of files.",
            mglru: "AnonPages, Cached and pgscan mean the same. Reclaim weighs file and anonymous pages by how often each kind was read back, \
                not by vm.swappiness alone. Without swap it takes only file pages, as the classic lists do.",
            kernel: "Linux 6.12: mm/memory.c: do_anonymous_page; mm/vmscan.c: get_scan_count; mm/swapfile.c: try_to_unuse.",
        },
        examine,
    )
};

const PAID: Limit<Ratio> = Limit::new(
    "fall of the file cache per byte of growth that free memory did not cover",
    0.5,
    "With less, another kind of memory made room.",
    "judgement",
);

/// The part of a growth that is called all of it: what one program writes is counted in samples of another time.
const ALL: f64 = 0.8;

/// How much the memory of files in tmpfs and of shared segments grew: the kernel counts it as Cached, and reclaims it as anonymous memory.
fn shared(window: &Window<'_>) -> Amount<Bytes> {
    window.host_change("Shmem").unwrap_or(Amount::ZERO)
}

/// How much the pool of huge pages grew: nobody can use it but for huge pages, and reclaim never frees it.
fn pool(window: &Window<'_>) -> Amount<Bytes> {
    window.host_change("Hugetlb").unwrap_or(Amount::ZERO)
}

/// What grew most of the memory that reclaim cannot free without swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Anonymous,
    Shared,
    Pool,
}

impl Kind {
    fn of(window: &Window<'_>, grown: Amount<Bytes>) -> Self {
        match (shared(window) > grown * 0.5, pool(window) > grown * 0.5) {
            (true, _) => Self::Shared,
            (_, true) => Self::Pool,
            _ => Self::Anonymous,
        }
    }

    const fn metric(self) -> &'static str {
        match self {
            Self::Anonymous => "AnonPages",
            Self::Shared => "Shmem",
            Self::Pool => "Hugetlb",
        }
    }

    /// What a control group counts of it.
    const fn charged(self) -> Option<&'static str> {
        match self {
            Self::Anonymous => Some("anon"),
            Self::Shared => Some("shmem"),
            Self::Pool => None,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Anonymous => "Anonymous memory",
            Self::Shared => "Shared memory (files in tmpfs)",
            Self::Pool => "The huge page pool",
        }
    }
}

/// How much anonymous and shared memory and the pool of huge pages grew. What comes back from swap was there before, unless swap was switched off.
fn own_memory(window: &Window<'_>, off: bool) -> Option<Amount<Bytes>> {
    let swapped = swap(window).filter(|_| !off);
    let swapped = swapped.map_or(Amount::ZERO, |(total, free)| (total.1 - free.1) - (total.0 - free.0));
    Some(window.host_change("AnonPages")? + shared(window) + pool(window) + swapped)
}

/// The size of a thing at the start of a stretch and at its end.
type Ends = (Amount<Bytes>, Amount<Bytes>);

/// The size of swap, and what of it is free.
fn swap(window: &Window<'_>) -> Option<(Ends, Ends)> {
    window.host_ends("SwapTotal").zip(window.host_ends("SwapFree"))
}

/// Whether somebody switched swap off: it lost its size, and all that was in it comes back.
fn switched_off(window: &Window<'_>) -> bool {
    swap(window).is_some_and(|(total, free)| {
        let back = (total.0 - free.0) - (total.1 - free.1);
        back.is_positive() && total.0 - total.1 >= back && !free.1.is_positive()
    })
}

/// When this memory, resident and swapped, was largest.
fn most(window: &Window<'_>) -> Option<Moment> {
    let host = |metric: &str| window.series(Table::Host, "", metric);
    let (total, free) = (host("SwapTotal"), host("SwapFree"));
    let others = [host("Shmem"), host("Hugetlb")];
    let off = switched_off(window);
    let swapped = |at: i64| Some(total.as_ref()?.at(at)?.saturating_sub(free.as_ref()?.at(at)?)).filter(|_| !off);
    let own = host("AnonPages")?.within(window.span.from.ns(), window.span.to.ns());
    let most = own.max_by_key(|(at, anonymous)| {
        let others = others.iter().flatten().filter_map(|series| series.at(*at));
        others.fold(anonymous.saturating_add(swapped(*at).unwrap_or(0)), i64::saturating_add)
    });
    most.map(|(at, _)| Moment::new(at))
}

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.host_rate(&["drop_pagecache"]).is_some_and(Amount::is_positive) {
        return None;
    }
    // A program that has ended took the cache all the same.
    let window = &window.over(Span { to: most(window)?, ..window.span });
    let off = switched_off(window);
    let grown = own_memory(window, off)?;
    let shared = shared(window);
    let lost = shared - window.host_change("Cached")?;
    let total = window.memory()?;
    let covered = window.host_change("MemFree").map_or(0.0, |free| (-free.get()).clamp(0.0, grown.get().max(0.0)));
    let paid = grown - Amount::new(covered);
    if grown < total * GROWTH || lost < (total * GROWTH).min(grown * PAID) || lost < paid * PAID {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let most = |process: &ProcessShare<'_, Bytes>| process.amount >= grown * MIN_GROWTH_SHARE;
    let mapped = || process::growing(window, "RssShmem").filter(most);
    let process =
        process::grower(window).filter(most).or_else(|| process::growing_command(window).filter(most)).or_else(mapped);
    // It began when the process began to grow, into memory that was free.
    let kind = Kind::of(window, grown);
    let span = window.when(SignalSpec::host_growth(kind.metric()));
    let begun = |process: ProcessShare<'_, Bytes>| {
        window.onset(span).at_rise_of(SignalSpec::growth(Table::Process, process.name, "RssAnon"))
    };
    // What a program writes is compared with the growth of the same time, of which a stretch may be a part.
    let during = window.over(span);
    let held = self::shared(&during);
    let writer =
        Some(kind).filter(|kind| *kind == Kind::Shared && process.is_none()).and_then(|_| tmpfs::writer(&during, held));
    let written = |writer: ProcessShare<'_, Bytes>| {
        window.onset(span).at_rise_of(SignalSpec::rate(Table::Process, writer.name, &tmpfs::WRITTEN))
    };
    found.span(process.map(begun).or_else(|| writer.map(written)).unwrap_or(span));
    let weight = 0.5 + 1.5 * grade(lost / paid, 0.4, 0.8);
    found.compare(
        weight,
        "growth of anonymous memory",
        "AnonPages + Shmem + Hugetlb compared with Cached - Shmem",
        grown,
        Relation::Near,
        lost,
    );
    let share = grown / total;
    found.add(
        grade(share, 0.03, 0.2),
        "growth as a share of memory",
        "(AnonPages + Shmem + Hugetlb) / MemTotal",
        share,
    );
    if let Some(scanned) = window.host(&SCANNED) {
        let weight = if scanned.is_positive() { 1.0 } else { -1.5 };
        found.add(weight, "pages scanned", "pgscan_kswapd + pgscan_direct", scanned);
    }
    if let Some(free) = window.host_change("MemFree").filter(|free| *free > grown) {
        found.contradict(1.5, "growth of free memory", "MemFree", free);
    }
    let who = process.map_or(String::new(), |process| {
        found.add(0.5, format!("growth of {}", process.words()), "RssAnon or rss", process.amount);
        found.origin(process.actor(window));
        part_in(process.amount, grown, &process.words())
    });
    let who = writer.map_or(who, |writer| {
        found.add(
            0.5,
            format!("bytes that {} gave to write calls and no device", writer.words()),
            "wchar - write_bytes",
            writer.amount,
        );
        found.origin(writer.actor(window));
        part_written(writer.amount, grown, &writer.words())
    });
    // What is in tmpfs belongs to no process: the one that reads as much from devices meanwhile copies it there.
    let copies = |one: &ProcessShare<'_, Per<Bytes>>| {
        during.length().is_some_and(|length| one.amount.over(length) >= held * MIN_GROWTH_SHARE)
    };
    let copier = process::fastest::<Bytes>(&during, &["read_bytes"])
        .filter(|one| kind == Kind::Shared && process.is_none() && writer.is_none() && copies(one));
    let who = copier.map_or(who, |copier| {
        found.note(format!("bytes that {} reads from devices", copier.words()), "read_bytes", copier.amount);
        found.origin(copier.actor(window));
        format!(" while {} read {} from devices", copier.words(), copier.amount)
    });
    // Many small processes, none of which grew by much, have a group as well.
    let charged = kind.charged().filter(|_| process.is_none() && writer.is_none() && copier.is_none());
    let holder = charged.and_then(|metric| Some((group::grower(&during, metric)?, metric)));
    let holder = holder.filter(|((_, amount), _)| *amount >= grown * MIN_GROWTH_SHARE);
    let who = holder.map_or(who, |((group, amount), metric)| {
        found.add(0.5, format!("growth of {group}"), format!("{metric} of memory.stat"), amount);
        found.origin(Actor::group(group));
        format!(", {amount} of it charged to {group}")
    });
    let traced = Traced::of(window);
    let evictor = traced.as_ref().and_then(Traced::host_evictor).filter(|evictor| evictor.others.is_positive());
    let evicted =
        evictor.map_or(String::new(), |evictor| evictor.add_to(&mut found, process.map(|process| process.comm)));
    let why = if off { "Swap was switched off, and the kernel reads back what was in it. " } else { "" };
    let statement = format!("{why}{} grew by {grown}{who}, and the file cache fell by {lost}.{evicted}", kind.words());
    let files = kind == Kind::Shared && process.is_none();
    let advice = match process.or(writer) {
        _ if off => swap_on(),
        who if files => fewer_files(who),
        _ if kind == Kind::Pool => smaller_pool(),
        who => limit(who),
    };
    found.finish(RuleId::AnonymousGrowth, statement, vec![advice])
}

/// How much of a growth is in a process.
fn part_in(part: Amount<Bytes>, grown: Amount<Bytes>, who: &str) -> String {
    if part >= grown * 0.5 {
        return format!(", most of it in {who}");
    }
    format!(", the largest part of it, {part}, in {who}")
}

/// How much of a growth a program wrote: to say that it wrote all of it takes nearly all.
fn part_written(part: Amount<Bytes>, grown: Amount<Bytes>, who: &str) -> String {
    if part >= grown * ALL {
        return format!(", which {who} wrote");
    }
    format!(", of which {who} wrote {part}")
}

fn swap_on() -> Advice {
    advise(
        "Turn swap back on, unless its contents fit in memory beside the cache that programs need.",
        Some("swapon -a"),
        "The kernel can swap out pages that no program uses, and keeps the file cache. The command takes the swap areas from /etc/fstab.",
        Some("swapoff -a"),
    )
}

fn smaller_pool() -> Advice {
    advise(
        "Reserve only as many huge pages (vm.nr_hugepages) as programs use.",
        Some("grep Huge /proc/meminfo"),
        "The command only reads. HugePages_Free minus HugePages_Rsvd is unused: a smaller pool returns it to the file cache.",
        None,
    )
}

/// What is in tmpfs is in the RSS of no process.
fn fewer_files(writer: Option<ProcessShare<'_, Bytes>>) -> Advice {
    let action = writer.map_or_else(
        || "Find the files in tmpfs. Delete them, move them to a disk, or limit the size of the tmpfs.".to_owned(),
        |writer| {
            let comm = writer.comm;
            format!("Let {comm} write to a disk, delete what it wrote to tmpfs, or limit the size of the tmpfs.")
        },
    );
    advise(
        &action,
        Some("df -h -t tmpfs; lsof +L1; ipcs -m"),
        "The commands only read. A file in tmpfs takes memory until it is deleted and no process has it open. A limit (mount -o remount,size=SIZE) \
         makes writes beyond it fail.",
        None,
    )
}

fn limit(grower: Option<ProcessShare<'_, Bytes>>) -> Advice {
    let action = grower.map_or_else(
        || "Find the growing process, and limit it if the growth does not end.".to_owned(),
        |grower| format!("Limit the memory of {} if its growth does not end.", grower.comm),
    );
    let one = grower.filter(|grower| grower.processes == 1);
    let command = one.map_or_else(
        || "ps -eo pid,rss,comm --sort=-rss | head".to_owned(),
        |grower| format!("ps -o pid,etime,rss,args -p {}", process::pid(grower.name)),
    );
    advise(
        &action,
        Some(&command),
        "The command only reads. A limit keeps the file cache for other programs. If the limited program needs more, the kernel kills it.",
        None,
    )
}

/// Anonymous memory is judged over the whole recording when it was not recorded during the cause.
fn clears(suspicion: Suspicion<'_>) -> Option<Cleared> {
    let during = suspicion.during.host_change("AnonPages").map(|change| (change, suspicion.during.span));
    let (change, span) = during.or_else(|| suspicion.whole.range_of("AnonPages"))?;
    let memory = suspicion.whole.memory()?;
    let confirmed = suspicion.confirmed(&[RuleId::AnonymousGrowth, RuleId::MemoryLeak, RuleId::SwapThrash]);
    (!confirmed && change.abs() < memory * 0.02).then(|| Cleared {
        rule: RuleId::AnonymousGrowth,
        statement: format!("Not anonymous memory: it changed by {change}, {} of memory.", change.abs() / memory),
        evidence: vec![measured(span, "change of anonymous memory", "AnonPages", change)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_of_a_growth_is_half_of_it() {
        let mib = |mib: f64| Amount::new(mib * (1 << 20) as f64);
        assert_eq!(part_in(mib(160.0), mib(272.0), "java (pid 9)"), ", most of it in java (pid 9)");
        assert_eq!(
            part_in(mib(125.0), mib(272.0), "java (pid 9)"),
            ", the largest part of it, 125 MiB, in java (pid 9)"
        );
        assert_eq!(part_written(mib(320.0), mib(330.0), "cp (pid 9)"), ", which cp (pid 9) wrote");
        assert_eq!(part_written(mib(176.0), mib(330.0), "cp (pid 9)"), ", of which cp (pid 9) wrote 176 MiB");
    }
}

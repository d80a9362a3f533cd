//! `oom-kill`: the kernel killed a process to get memory.

use crate::actors::group;
use crate::actors::kernel_log::{self, Named};
use crate::actors::{process, tmpfs};
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Count, Limit};
use crate::measure::episodes::SignalSpec;
use crate::measure::watermarks::{self, Imbalance};
use crate::measure::window::{Window, intervals, stored};
use crate::rules::contract::{EffectKind, Loss, Rule, leads, subsumes};
use pagetide_core::{Actor, Bytes, Finding, Moment, Pages, Ratio, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "an OOM kill",
    loss: Some(Loss::Killed),
    leads_to: &[leads(
        EffectKind::AnonGrows,
        "Memory grew until reclaim found nothing more to free.",
        "mm/oom_kill.c: out_of_memory; mm/memcontrol.c: mem_cgroup_out_of_memory",
    )],
    subsumes: &[
        subsumes(EffectKind::AnonGrows, &[RuleId::AnonymousGrowth, RuleId::MemoryLeak]),
        subsumes(EffectKind::SwapIn, &[RuleId::SwapThrash]),
        subsumes(EffectKind::MajorFaults, &[RuleId::CodeThrash]),
        subsumes(EffectKind::DirectReclaim, &[RuleId::DirectReclaim]),
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache]),
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
    ],
    deciding_test: "The kernel log: `journalctl -k | grep -i -A3 'out of memory\\|oom-kill'` names the process and the group.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::OomKill,
            title: "The OOM killer ended a process",
            meaning: "The host, or a control group at its limit, ran out of memory. The kernel killed a process to free its memory.",
            evidence: "oom_kill of /proc/vmstat, or oom_kill in a group's memory.events, rises. The process with the most anonymous memory that \
                ended in that interval was probably the victim, unless the kernel log names it. The one that grew most before it is the origin, or who wrote the files in tmpfs that did. If one node was full while \
                others had much free (zoneinfo), the node is named.",
            metrics: &[
                "oom_kill",
                "Shmem",
                "wchar",
                "write_bytes",
                "events_oom_kill",
                "events_oom",
                "max",
                "MemFree",
                "free",
                "low",
                "high",
                "managed",
                "RssAnon",
                "rss",
                "VmSwap",
            ],
            thresholds: &[MUCH.doc()],
            why: "Reclaim frees clean file pages, and anonymous pages as long as swap has room. When neither is left, the allocation fails.",
            alternatives: "A kill at a group's limit does not mean that the host lacks memory. systemd-oomd and earlyoom kill before the kernel does and are not counted here.",
            advice: "Limit what grows, raise the group's limit, or add memory or swap. Protect critical services with OOMScoreAdjust.",
            mglru: "Kills are counted the same. With min_ttl_ms of /sys/kernel/mm/lru_gen above 0, the kernel kills before it thrashes: when it cannot keep the pages of that time.",
            kernel: "Linux 6.12: mm/oom_kill.c: oom_kill_process (count_vm_event(OOM_KILL)), mm/memcontrol.c: mem_cgroup_out_of_memory.",
        },
        examine,
    )
};

/// Samples before a kill in which what filled memory still grew.
const NEAR: u64 = 5;
const MUCH: Limit<Ratio> = Limit::new(
    "growth of a program, as a share of the victim's memory",
    0.25,
    "A program that grew by less did not fill the memory.",
    "judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    // A counter alone says nothing about memory.
    window.host_level::<Bytes>("MemFree")?;
    let kills = |table, entity: &str, metric| {
        window.rise::<Count>(table, entity, metric).filter(|kills: &Amount<Count>| kills.is_positive())
    };
    let groups = window
        .recording
        .entities(Table::Cgroup)
        .filter_map(|(group, _)| Some((group, kills(Table::Cgroup, group, "events_oom_kill")?)));
    // A kill counts in all groups above as well: the innermost has the longest path.
    let group = groups.max_by_key(|(group, _)| group.len());
    let host = kills(Table::Host, "", "oom_kill");
    let times = group.map(|(_, kills)| kills).or(host)?;
    // The kernel counts whom it kills for the host in their group, too.
    let at_limit = group.and_then(|(group, _)| at_limit(window, group));
    let signal = match group {
        Some((group, _)) => SignalSpec::rate(Table::Cgroup, group, &["events_oom_kill"]),
        None => SignalSpec::host(&["oom_kill"]),
    };
    let killed = window.episodes.signal(window.recording, signal)?.above_zero(window.span)?;
    let mut found = EvidenceBuilder::new(window);
    found.span(killed);
    // The kernel counted it.
    found.add(5.0, "processes that the OOM killer ended", "oom_kill, or events_oom_kill of the group", times);
    // A program that may use one node only is killed when that is full, however much is free elsewhere.
    let full = window.over(Span { from: killed.from.earlier(intervals(window.recording, NEAR)), to: killed.from });
    let node = watermarks::imbalance(&full).filter(|_| at_limit.is_none());
    let host = node.map_or_else(
        || "the host ran out of memory".to_owned(),
        |Imbalance { short, free, .. }| {
            let bytes = |pages: Amount<Pages>| pages * window.page_size();
            found.note(format!("free memory of {}", short.name), "free", bytes(short.free));
            found.note("free memory of the other zones", "free", bytes(free));
            format!(
                "{} ran out of memory ({} free) while other zones had {} free, so the process was bound to it (numactl, cpuset)",
                short.node(),
                bytes(short.free),
                bytes(free)
            )
        },
    );
    let place = at_limit.map_or_else(
        || host,
        |group| {
            found.origin(Actor::group(group));
            format!("the control group {group} was at its limit")
        },
    );
    let before = window.over(killed).baseline().all();
    let ended = victims(window, killed);
    let victim = ended.iter().copied().max_by(|one, other| one.held.total_cmp(&other.held));
    let enough = |amount: Amount<Bytes>| victim.is_none_or(|victim| amount >= victim.held * MUCH);
    let grower = before.as_ref().and_then(|before| {
        let both = [process::grower(before), process::growing_command(before)];
        both.into_iter().flatten().max_by(|a, b| a.amount.total_cmp(&b.amount)).filter(|grower| enough(grower.amount))
    });
    // It began when what filled memory began to grow.
    let near = Span { from: killed.from.earlier(intervals(window.recording, NEAR)), to: killed.from };
    let begun = |grower: process::ProcessShare<'_, Bytes>| {
        window.onset(near).at_rise_of(SignalSpec::growth(Table::Process, grower.name, "RssAnon")).union(killed)
    };
    // Files in tmpfs fill memory as well, and the kernel cannot end them.
    let filled = before.as_ref().filter(|_| grower.is_none() && at_limit.is_none()).and_then(|before| {
        let shared = before.host_change("Shmem")?;
        (enough(shared) && shared.is_positive())
            .then(|| (shared, window.onset(near).at_rise_of(SignalSpec::host_growth("Shmem")).union(killed)))
    });
    // Where somebody lowered the limit, nothing had to grow.
    let lowered = at_limit.and_then(|group| lowered(window, group, near));
    let begun = || grower.map(begun).or_else(|| filled.map(|(_, span)| span)).unwrap_or(killed);
    found.span(lowered.map_or_else(begun, |at| Span { from: at, to: killed.to }));
    let filled = filled.map_or(String::new(), |(shared, span)| {
        found.add(0.5, "growth of files in tmpfs", "Shmem", shared);
        let writer = tmpfs::writer(&window.over(Span { to: killed.from, ..span }), shared);
        let who = writer.map_or(String::new(), |writer| {
            found.origin(writer.actor(window));
            format!(", which {} wrote", writer.words())
        });
        format!(" Files in tmpfs had grown by {shared}{who}.")
    });
    let action = match (grower, at_limit) {
        (Some(grower), Some(group)) => {
            let comm = grower.comm;
            format!(
                "Find out why {comm} grew. If it needs that much, raise the limit of {group}; otherwise limit {comm}."
            )
        }
        (Some(grower), None) => {
            format!("Find out why {} grew. Limit it, or give the host more memory.", grower.comm)
        }
        (None, _) => "Find what grew. Limit it, or give it more memory.".to_owned(),
    };
    let grower = grower.map_or(String::new(), |grower| {
        found.add(0.5, format!("growth of {}", grower.words()), "RssAnon + VmSwap", grower.amount);
        found.origin(grower.actor(window));
        format!(" {} had grown most, by {}.", grower.words(), grower.amount)
    });
    // The kernel's word goes before what ended in that interval; of several that it names, who held most, or the last.
    let known = |named: &Named| ended.iter().copied().find(|victim| named.pid.to_string() == process::pid(victim.name));
    let logged = kernel_log::killed(window, killed).map(|named| (known(&named), named));
    let logged = logged.max_by(|(one, _), (other, _)| held(one).total_cmp(&held(other)));
    let victim =
        logged.as_ref().map_or(victim, |(known, named)| known.or(victim.filter(|one| one.comm == named.command)));
    let memory = victim.map(|Victim { comm, held, .. }| {
        found.note(format!("anonymous memory of {comm} before it ended"), "RssAnon", held);
        format!(" ended with {held} of anonymous memory.")
    });
    let victim = match (&logged, victim) {
        (Some((_, logged)), _) => {
            found.origin(logged.actor());
            format!(" {}{}", logged.words(), memory.unwrap_or_else(|| " was ended.".to_owned()))
        }
        (None, Some(Victim { comm, .. })) => {
            found.origin(Actor::command(comm));
            memory.map_or(String::new(), |memory| format!(" {comm}{memory}"))
        }
        (None, None) => String::new(),
    };
    let count = if times.get() < 1.5 { "one process".to_owned() } else { format!("{times} processes") };
    let statement = format!("The OOM killer ended {count}: {place}.{victim}{grower}{filled}");
    let advice = advise(
        &action,
        Some("journalctl -k --grep 'oom-kill|Out of memory'"),
        "The command only reads. With a limit on what grows, the kernel kills that instead of another program.",
        None,
    );
    found.finish(RuleId::OomKill, statement, vec![advice])
}

/// The group whose limit a kill in `group` is of, itself or one above it: the innermost in which an allocation failed, which counts in all above it,
/// too. Where that was not recorded, the innermost that has a limit.
fn at_limit<'a>(window: &Window<'a>, group: &str) -> Option<&'a str> {
    let innermost = |is: &dyn Fn(&str) -> bool| {
        group::with_parents(window, group).filter(|group| is(group)).max_by_key(|group| group.len())
    };
    let failed = |group: &str| window.rise::<Count>(Table::Cgroup, group, "events_oom");
    if group::with_parents(window, group).any(|group| failed(group).is_some()) {
        return innermost(&|group| failed(group).is_some_and(Amount::is_positive));
    }
    innermost(&|group| window.series(Table::Cgroup, group, "max").is_some())
}

/// When the limit of a group, or of one above it, was last lowered in a stretch or the sample after it.
fn lowered(window: &Window<'_>, group: &str, within: Span) -> Option<Moment> {
    let within = Span { to: within.to.later(intervals(window.recording, 1)), ..within };
    let falls =
        group::with_parents(window, group).filter_map(|group| group::lowered(window.recording, group, "max", within));
    falls.map(|(at, _)| at).max()
}

/// A process that ended while the OOM killer worked.
#[derive(Debug, Clone, Copy)]
struct Victim<'a> {
    name: &'a str,
    comm: &'a str,
    /// Its anonymous memory.
    held: Amount<Bytes>,
}

/// What is known of the memory of one.
fn held(victim: &Option<Victim<'_>>) -> Amount<Bytes> {
    victim.map_or(Amount::ZERO, |victim| victim.held)
}

/// The processes whose last sample is of the interval of the kill. That sample may find one dying, without the memory that it held in the one before.
fn victims<'a>(window: &Window<'a>, killed: Span) -> Vec<Victim<'a>> {
    let last = window.recording.stamps().last().map_or(i64::MIN, |last| last.boot_ns);
    let ended = process::present(window).filter_map(|(name, comm)| {
        let series = window.recording.series(Table::Process, name, "RssAnon")?;
        let mut points = series.points().rev();
        let (at, dying) = points.next()?;
        let held = points.next().map_or(dying, |(_, held)| held.max(dying));
        let inside = at >= killed.from.ns() && at <= killed.to.ns() && at < last;
        inside.then(|| Victim { name, comm, held: stored(held) })
    });
    ended.collect()
}

//! `oom-kill`: the kernel killed a process to get memory.

use crate::actors::group;
use crate::actors::kernel_log::{self, Named};
use crate::actors::{process, tmpfs};
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Count, Limit};
use crate::measure::episodes::SignalSpec;
use crate::measure::watermarks::{self, Imbalance};
use crate::measure::window::{Window, intervals, joined, stored};
use crate::rules::contract::{EffectKind, Loss, Rule, leads, subsumes};
use pagetide_core::{Actor, Bytes, Finding, Moment, Nanos, Pages, Ratio, RuleDoc, RuleId, Span, Table};

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
                ended in that interval was probably the victim, unless the kernel log names it. Kills that follow each other are one finding, with \
                how often each program was killed, in which group, and for how long none of its processes ran: no wait counts that time. The one that grew most before it is the origin, or who wrote the files in tmpfs that did. If one node was full while \
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
            thresholds: &[MUCH.doc(), AGAIN.doc()],
            why: "Reclaim frees clean file pages, and anonymous pages as long as swap has room. When neither is left, the allocation fails.",
            alternatives: "A kill at a group's limit does not mean that the host lacks memory. systemd-oomd and earlyoom kill before the kernel does and are not counted here.",
            advice: "Limit what grows, raise the group's limit, or add memory or swap. Protect critical services with OOMScoreAdjust.",
            mglru: "Kills are counted the same. With min_ttl_ms of /sys/kernel/mm/lru_gen above 0, the kernel kills before it thrashes: when it cannot keep the pages of that time.",
            kernel: "Linux 6.12: mm/oom_kill.c: oom_kill_process (count_vm_event(OOM_KILL)), mm/memcontrol.c: mem_cgroup_out_of_memory.",
        },
        examine,
    )
};

/// Samples between two kills of one program that is started again and again.
const CLOSE: u64 = 10;
const AGAIN: Limit<Nanos> = Limit::new(
    "time between two kills that are counted together, at most",
    60e9,
    "What is started again after a kill fills memory again. Kubernetes waits 10, 20 and 40 s before it starts it.",
    "judgement",
);
/// Programs that are named with how often they were killed.
const NAMED: usize = 3;
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
    // A kill counts in all groups above as well: the innermost has the longest path.
    let groups = window.recording.entities(Table::Cgroup).map(|(group, _)| group);
    let group = groups.filter(|group| kills(window, Some(group)).is_some()).max_by_key(|group| group.len());
    kills(window, group)?;
    // The kernel counts whom it kills for the host in their group, too.
    let at_limit = group.and_then(|group| at_limit(window, group));
    let killed = window.episodes.signal(window.recording, counter(group))?.above_zero(window.span)?;
    // For the host, processes of any group are killed; at a limit, those of the group that it is of.
    let of = if kills(window, at_limit).is_some() { at_limit } else { group };
    // What is started again is killed again: stretches of one rule that lie close together are one finding.
    let run = again(window, counter(of), killed);
    let times = kills(&window.over(run), of)?;
    let mut found = EvidenceBuilder::new(window);
    found.span(killed);
    // The kernel counted it.
    found.add(5.0, "processes that the OOM killer ended", "oom_kill, or events_oom_kill of the group", times).range =
        run;
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
    let ended = victims(&window.over(run), of);
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
    let logged = kernel_log::killed(window, run).map(|named| (known(&named), named));
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
    let several = times.get() >= 1.5;
    let count = if several { format!("{times} processes within {}", run.length()) } else { "one process".to_owned() };
    let groups = if several { by_group(&window.over(run), of) } else { String::new() };
    let commands = commands(window, run, &ended);
    let each = if several { how_often(&commands) } else { String::new() };
    let gone = commands.first().and_then(|(comm, _)| Some((*comm, Gone::of(window, comm, run)?)));
    let gone = gone.map_or(String::new(), |(comm, gone)| {
        found.note(format!("time for which no {comm} ran"), "samples of its processes", gone.time);
        gone.words(comm)
    });
    let statement = format!("The OOM killer ended {count}{groups}: {place}.{victim}{each}{gone}{grower}{filled}");
    let advice = advise(
        &action,
        Some("journalctl -k --grep 'oom-kill|Out of memory'"),
        "The command only reads. With a limit on what grows, the kernel kills that instead of another program.",
        None,
    );
    found.finish(RuleId::OomKill, statement, vec![advice])
}

/// The processes that were killed in a group, or on the host; absent where none was.
fn kills(window: &Window<'_>, group: Option<&str>) -> Option<Amount<Count>> {
    let killed = match group {
        Some(group) => window.rise(Table::Cgroup, group, "events_oom_kill"),
        None => window.rise(Table::Host, "", "oom_kill"),
    };
    killed.filter(|killed: &Amount<Count>| killed.is_positive())
}

/// What counts the kills in a group, or on the host.
const fn counter(group: Option<&str>) -> SignalSpec<'_> {
    match group {
        Some(group) => SignalSpec::rate(Table::Cgroup, group, &["events_oom_kill"]),
        None => SignalSpec::host(&["oom_kill"]),
    }
}

/// From the interval before the first of kills that follow each other to the last.
fn again(window: &Window<'_>, kills: SignalSpec<'_>, killed: Span) -> Span {
    let Some(signal) = window.episodes.signal(window.recording, kills) else { return killed };
    let all = signal.intervals().filter(|(_, rate)| *rate > 0.0).map(|(span, _)| span).collect();
    let runs = joined(all, intervals(window.recording, CLOSE).max(AGAIN.value().nanos()));
    runs.into_iter().find(|run| run.overlaps(killed)).map_or(killed, |run| run.union(killed))
}

/// How many were killed in each of several groups, in words.
fn by_group(run: &Window<'_>, of: Option<&str>) -> String {
    let leaves = group::leaves(run.recording).into_iter();
    let leaves = leaves.filter(|group| of.is_none_or(|of| *group != of && group::within(group, of)));
    let mut all: Vec<(&str, Amount<Count>)> =
        leaves.filter_map(|group| Some((group, kills(run, Some(group))?))).collect();
    all.sort_by(|one, other| other.1.total_cmp(&one.1));
    let all: Vec<String> = all.into_iter().map(|(group, times)| format!("{times} in {group}")).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}

/// The commands whose processes were killed, and how often: by the kernel's log where it names them. The one that was killed most often first.
fn commands<'a>(window: &Window<'a>, run: Span, ended: &[Victim<'a>]) -> Vec<(&'a str, usize)> {
    let logged: Vec<Named> = kernel_log::killed(window, run).collect();
    let known = |named: &Named| window.recording.entities(Table::Process).find(|(_, comm)| *comm == named.command);
    let mut names: Vec<&str> = if logged.is_empty() {
        ended.iter().map(|victim| victim.comm).collect()
    } else {
        logged.iter().filter_map(known).map(|(_, comm)| comm).collect()
    };
    names.sort_unstable();
    let mut all: Vec<(&str, usize)> = names.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
    all.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    all
}

/// How often each command was killed, as a sentence.
fn how_often(commands: &[(&str, usize)]) -> String {
    if commands.iter().map(|(_, times)| times).sum::<usize>() < 2 {
        return String::new();
    }
    let times = |times: usize| match times {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    };
    let all = commands.iter().take(NAMED).map(|(comm, often)| format!("{comm} {}", times(*often)));
    format!(" Killed: {}.", all.collect::<Vec<_>>().join(", "))
}

/// For how long a program did not run after its processes were killed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Gone {
    time: Amount<Nanos>,
    /// Whether it ran again.
    back: bool,
}

impl Gone {
    /// Of a program of which no process ran in at least one sample; absent where another process of it went on.
    fn of(window: &Window<'_>, comm: &str, run: Span) -> Option<Self> {
        let recording = window.recording;
        let ran = |(name, _): (&str, &str)| {
            let series = recording.series(Table::Process, name, "utime")?;
            Some(Span::new(series.points().next()?.0, series.points().next_back()?.0))
        };
        let all = recording.entities(Table::Process).filter(|(_, other)| *other == comm).filter_map(ran).collect();
        // Between a sample with it and the next one it ran for a part of the time.
        let apart = Nanos::new(intervals(recording, 3).get() / 2);
        let all = joined(all, apart);
        let ends = all.iter().map(|span| span.to).filter(|to| run.contains(*to));
        let (_, end) = recording.span()?;
        let mut gone = Self { time: Amount::ZERO, back: true };
        for to in ends {
            let next = all.iter().map(|span| span.from).find(|from| *from > to);
            let until = next.unwrap_or(Moment::new(end));
            let without = until.since(to).get().saturating_sub(recording.manifest.interval.get());
            gone = Self { time: gone.time + Amount::new(without as f64), back: next.is_some() };
        }
        gone.time.is_positive().then_some(gone)
    }

    fn words(self, comm: &str) -> String {
        let Self { time, back } = self;
        let rest = if back { "" } else { " and was not back when the recording ended" };
        format!(" {comm} did not run for {time} in all{rest}: an outage that no wait counts.")
    }
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

/// The processes that were killed in a stretch: of those whose last sample is of the interval of a kill as many as were killed in it, those that held most
/// first. That sample may find one dying, without the memory that it held in the one before.
fn victims<'a>(run: &Window<'a>, of: Option<&str>) -> Vec<Victim<'a>> {
    let last = run.recording.stamps().last().map_or(i64::MIN, |last| last.boot_ns);
    let ended = process::present(run).filter_map(|(name, comm)| {
        let series = run.recording.series(Table::Process, name, "RssAnon")?;
        let mut points = series.points().rev();
        let (at, dying) = points.next()?;
        let held = points.next().map_or(dying, |(_, held)| held.max(dying));
        (at < last).then(|| (Moment::new(at), Victim { name, comm, held: stored(held) }))
    });
    let mut ended: Vec<(Moment, Victim<'_>)> = ended.collect();
    ended.sort_by(|(_, one), (_, other)| other.held.total_cmp(&one.held));
    let Some(signal) = run.episodes.signal(run.recording, counter(of)) else { return Vec::new() };
    let kills = signal.intervals_in(run.span).filter(|(_, rate)| *rate > 0.0);
    let mut victims = Vec::new();
    for (interval, rate) in kills {
        let times = (rate * interval.length().as_f64() / 1e9).max(1.0);
        let killed = |(at, victim): &(Moment, Victim<'_>)| {
            interval.contains(*at)
                && of.is_none_or(|of| !grouped(run, victim.name) || group::contains(run, of, victim.name))
        };
        let inside = (0..ended.len()).filter(|index| killed(&ended[*index]));
        // As many as were killed, by the count of the interval.
        let inside: Vec<usize> = inside
            .zip(0_u32..)
            .take_while(|(_, before)| f64::from(*before) + 0.5 < times)
            .map(|(index, _)| index)
            .collect();
        victims.extend(inside.into_iter().rev().map(|index| ended.remove(index).1));
    }
    victims
}

/// Whether the group of a process was recorded.
fn grouped(window: &Window<'_>, process: &str) -> bool {
    group::number(window.recording, Table::Process, process).is_some()
}

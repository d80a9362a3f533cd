//! `io-limit`: a control group waits because it uses up its IO limit, whatever the device could do.

use crate::actors::group::{self, ROOT};
use crate::actors::io_limit::{self, DEMANDED, IoLimit, Limited, USED_UP};
use crate::actors::process;
use crate::evidence::threshold::SATURATED;
use crate::evidence::{EvidenceBuilder, advise, word};
use crate::ledger::lost_time::Activity;
use crate::measure::amount::{Amount, Count, Limit, Per, grade};
use crate::measure::cgroup_version;
use crate::measure::queue::DEPTH;
use crate::measure::window::Window;
use crate::rules::contract::{EffectKind, Rule, Scope, When, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Moment, Nanos, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "a control group at its IO limit",
    scope: Scope::Whole,
    leads_to: &[leads(
        EffectKind::IoWaits,
        "Requests above the limit wait in the queue of the group and not in that of the device. Tasks that need them sleep.",
        "block/blk-throttle.c: __blk_throtl_bio, tg_dispatch_time, blk_throtl_dispatch_work_fn",
    )],
    subsumes: &[
        subsumes(
            EffectKind::IoWaits,
            &[
                RuleId::LatencyBound,
                RuleId::DirtyThrottled,
                RuleId::FsyncStorm,
                RuleId::ColdCache,
                RuleId::ReadAheadWaste,
            ],
        ),
        // A device that has time left is not what the group waits for, even if others' requests to it take longer.
        subsumes(EffectKind::IoWaits, &[RuleId::DeviceSlow]).when(When::SameOrigin),
    ],
    deciding_test: "The limit of the group: raise it, and its requests per second rise at once.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::IoLimit,
            title: "A control group uses up its IO limit and waits",
            meaning: "The group, or one above it, may send only so many bytes or requests a second to the device (io.max, or blkio.throttle of \
                v1), or as much as the cost model of io.cost lets all groups send. Its tasks wait for the limit, and the device has time left.",
            evidence: "The IO of the group stays at the recorded limit, and its tasks wait for IO (io.pressure of the group, the block IO delay of \
                its processes, or psi_io_some of the host). A device that is busy all the time with a queue is the limit itself.",
            metrics: &[
                "max_rbps",
                "max_wbps",
                "max_riops",
                "max_wiops",
                "cost_usage",
                "rbytes",
                "wbytes",
                "rios",
                "wios",
                "psi_io_some",
                "blkio_delay_total",
                "cgroup_id",
                "io_ms",
                "util",
                "weighted_io_ms",
                "queue_depth",
            ],
            thresholds: &[USED_UP.doc(), DEMANDED.doc(), WAITS.doc(), RESTS.doc(), SATURATED.doc(), DEPTH.doc()],
            why: "The throttle gives each group a budget a slice. What exceeds it waits for the next slice, even if the device is idle.",
            alternatives: "A group at its limit whose tasks do not wait sends asynchronously or in the background, and a job that starts below a \
                limit is what the limit is for. \
                io.latency and io.weight hold groups back as well, and have no number to reach.",
            advice: "Raise or remove the limit if the device has time left; of io.cost, measure the device again and write its model. Otherwise send fewer requests: more cache, or larger requests where requests are limited.",
            mglru: "Not used: the rule reads control groups and devices only.",
            kernel: "Linux 6.12: block/blk-throttle.c: __blk_throtl_bio, tg_within_bps_limit, tg_within_iops_limit; block/blk-iocost.c: ioc_rqos_throttle, ioc_pd_stat.",
        },
        examine,
    )
};

const WAITS: Limit<Ratio> = Limit::new(
    "share of time that tasks of the group wait for IO, at least",
    0.1,
    "A limit that costs less is a limit that works.",
    "judgement",
);
const RESTS: Limit<Ratio> = Limit::new(
    "share of time that the device is busy, at most, to have time left",
    0.5,
    "Half of the time the device has nothing to do, and the group waits.",
    "judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    let found = io_limit::used_up(window).into_iter().filter_map(|(limit, span)| of_limit(window, limit, span));
    found.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

/// How much a group waits for IO.
struct Wait {
    /// Of time; of processes together it may be more than all.
    share: Amount<Ratio>,
    source: &'static str,
}

/// How much the tasks of a group, and of those below it, wait for IO.
fn wait(during: &Window<'_>, group: &str) -> Option<Wait> {
    let of_group = || {
        let share = during.derived(Table::Cgroup, group, &derived::PSI_IO_SOME)?;
        Some(Wait { share, source: "psi_io_some of the group" })
    };
    let delays = || {
        let groups = during.recording.entities(Table::Cgroup).map(|(name, _)| name);
        let own = groups.filter(|name| group::within(group, name));
        let delays = own.filter_map(|name| during.rate::<Nanos>(Table::Cgroup, name, "blkio_delay_total"));
        let delay = delays.reduce(|sum, one| sum + one)?;
        Some(Wait { share: Amount::new(delay.get() / 1e9), source: "blkio_delay_total of the group's processes" })
    };
    let of_host = || Some(Wait { share: during.share(&derived::PSI_IO_SOME)?, source: "psi_io_some of the host" });
    of_group().or_else(delays).or_else(of_host)
}

fn of_limit(window: &Window<'_>, limit: IoLimit<'_>, span: Span) -> Option<Finding> {
    let during = window.over(span);
    let IoLimit { group, disk, limited, .. } = limit;
    // A job that starts below a limit is what the limit is for. Groups of v1 show by their IO alone whether they ran before.
    let ran = Activity::of(window.recording, window.episodes, group).before(span.from);
    if !ran || cgroup_version::is_v1(window.recording) && !io_limit::used_before(window, group, disk, span.from) {
        return None;
    }
    let wait = wait(&during, group);
    if wait.as_ref().is_some_and(|wait| wait.share < WAITS) || is_full(&during, disk) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(span);
    found.origin(Actor::group(group));
    let (used, source) = (limit.used(), format!("{} of the group at {disk}", limited.counter()));
    let weight = 1.5 + grade(used, USED_UP.get(), 0.98);
    let rate = limit.rate?;
    match limited {
        Limited::ModelTime => {
            let (what, source) = (
                "device time that io.cost charges all groups, of each second",
                format!("cost_usage of groups at {disk}"),
            );
            found.compare(weight, what, source, used, Relation::Near, Amount::new(1.0));
        }
        _ if limited.in_bytes() => {
            let (done, most) = (Amount::<Per<Bytes>>::new(rate), Amount::new(limit.limit));
            found.compare(weight, "bytes per second of the group", source, done, Relation::Near, most);
        }
        _ => {
            let (done, most) = (Amount::<Per<Count>>::new(rate), Amount::new(limit.limit));
            found.compare(weight, "requests per second of the group", source, done, Relation::Near, most);
        }
    }
    if let Some(Wait { share, source }) = &wait {
        let what = "share of time that the group's tasks wait for IO";
        found.compare(0.5 + grade(*share, WAITS.get(), 0.5), what, *source, *share, Relation::Above, WAITS.value());
    }
    let busy = during.busy(disk);
    if let Some(busy) = busy {
        found.add(
            grade(busy, SATURATED.get(), RESTS.get()),
            "share of time that the device is busy",
            format!("io_ms or util of {disk}"),
            busy,
        );
    }
    let sender = process::fastest::<Bytes>(&during, limited.of_process())
        .filter(|sender| group::contains(&during, group, sender.name));
    if let Some(sender) = sender {
        found.origin(sender.actor(window));
    }
    found.origin(Actor::disk(disk));
    let v1 = cgroup_version::is_v1(window.recording);
    let waited = wait.map_or(String::new(), |wait| {
        let rests = busy.map_or(String::new(), |busy| format!(", while {disk} was busy {busy} of the time"));
        // Delays of several tasks add up to more than the time.
        if wait.share.get() > 1.0 {
            let waited = Amount::<Nanos>::new(wait.share.get() * 1e9);
            return format!(" Its tasks, added up, waited for IO {waited} of each second{rests}.");
        }
        format!(" Its tasks waited for IO {} of the time{rests}.", wait.share)
    });
    // A request that comes in the middle of a slice waits for whole ones.
    let slices = if limited.in_requests() && used < USED_UP {
        " It does less because each request waits for whole slices of the throttle."
    } else {
        ""
    };
    let (setting, allows) = (limit.setting(v1), limit.allows());
    let uses_up =
        if limited == Limited::ModelTime { "waits for its share of a device" } else { "uses up its IO limit" };
    let statement = format!("The control group {group} {uses_up}: {setting} {allows}.{slices}{waited}");
    let rests = busy.filter(|busy| *busy < RESTS);
    let rests = rests.map_or_else(
        || format!(" if {disk} has time left for it"),
        |busy| format!(": {disk} was busy {busy} of the time"),
    );
    let other = sender.and_then(|sender| of_newcomer(&during, &limit, &sender)).unwrap_or_default();
    found.finish(RuleId::IoLimit, statement, vec![advice(window, &limit, v1, [&rests, &other])])
}

/// Whether requests wait for each other at a device that has no time left: those of the group would wait without a limit as well.
fn is_full(during: &Window<'_>, disk: &str) -> bool {
    during.busy(disk).is_some_and(|busy| busy >= SATURATED) && during.queue(disk).is_some_and(|queue| queue >= DEPTH)
}

/// What to do about a program that started in this recording and sends most of what the group does.
fn of_newcomer(
    during: &Window<'_>,
    limit: &IoLimit<'_>,
    sender: &process::ProcessShare<'_, Per<Bytes>>,
) -> Option<String> {
    let start = during.recording.stamps().first()?.boot_ns;
    let [read, written] = group::transfers(during, limit.group, limit.disk)?;
    let all = match limit.limited {
        Limited::BytesRead | Limited::Reads => read,
        Limited::BytesWritten | Limited::Writes => written,
        Limited::ModelTime => read + written,
    };
    let newcomer = Moment::of_start(sender.name).is_some_and(|at| at.ns() > start);
    let (who, sent) = (sender.words(), sender.amount);
    (newcomer && sent >= all * MOST_OF_GROUP).then(|| {
        format!(" Or run {} later, or in a group of its own: {who} moves {sent} of the group's {all}.", sender.comm)
    })
}

/// The part of its group's bytes that a program moves which is named in advice.
const MOST_OF_GROUP: f64 = 0.5;

/// How to raise the limit, with why that helps and what else does, and how to put it back.
fn advice(window: &Window<'_>, limit: &IoLimit<'_>, v1: bool, [rests, other]: [&str; 2]) -> pagetide_core::Advice {
    let disks = &window.recording.manifest.disks;
    let number = disks.iter().find(|disk| disk.name == limit.disk).and_then(|disk| disk.device_number.clone());
    // It becomes a part of a command.
    let is_number = |number: &String| {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        number.split_once(':').is_some_and(|(major, minor)| digits(major) && digits(minor))
    };
    let number = number.filter(is_number).unwrap_or_else(|| "MAJ:MIN".to_owned());
    if limit.limited == Limited::ModelTime {
        let file = word(&format!("{ROOT}/{}", limit.file(v1)));
        let switch = |on: u8| format!("echo '{number} {}={on}' > {file}", limit.limited.key());
        return advise(
            "Write the numbers of the device into io.cost.model if it has time left, or switch io.cost off for it.",
            Some(&switch(0)),
            "Groups stop waiting for the model. Without it nothing divides the device between them by io.weight.",
            Some(&switch(1)),
        );
    }
    // The blkio controller has a folder of the same path.
    let folder = if v1 { limit.group.replacen("/memory/", "/blkio/", 1) } else { limit.group.to_owned() };
    let file = word(&format!("{folder}/{}", limit.file(v1)));
    let write = |value: String| {
        let line = if v1 { format!("{number} {value}") } else { format!("{number} {}={value}", limit.limited.key()) };
        format!("echo '{line}' > {file}")
    };
    advise(
        &format!("Raise the IO limit of the group, at first to twice its value{rests}.{other}"),
        Some(&write(format!("{:.0}", limit.limit * 2.0))),
        "The tasks of the group wait less for the limit. Other users of the device may wait longer.",
        Some(&write(format!("{:.0}", limit.limit))),
    )
}

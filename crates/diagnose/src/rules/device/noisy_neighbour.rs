//! `noisy-neighbour`: one program loads a device that others use, and memory has no part in it.

use crate::actors::newcomer;
use crate::actors::process;
use crate::actors::victim;
use crate::evidence::advice;
use crate::evidence::{EvidenceBuilder, advise, advise_service};
use crate::ledger::disk_load::{DiskLoad, OWNS};
use crate::measure::amount::{Amount, Count, Limit, Per, grade_log};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{STOLEN, Window};
use crate::rules::contract::{EffectKind, Rule, When, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Nanos, Ratio, Relation, RuleDoc, RuleId, Table};

pub(crate) const RULE: Rule = Rule {
    name: "a neighbour on the same device",
    leads_to: &[leads(
        EffectKind::DiskBusy,
        "The new program's requests fill the queue, and other programs' requests wait behind them.",
        "block/blk-mq.c: blk_mq_submit_bio; block/mq-deadline.c: dd_dispatch_request",
    )],
    subsumes: &[
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound, RuleId::ColdCache]),
        subsumes(EffectKind::DiskBusy, &[RuleId::CpuBound]).when(When::SameProcess),
    ],
    deciding_test: "Bytes read and written per process (`pidstat -d 1`): stop or limit the new one, and the time per request falls.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::NoisyNeighbour,
            title: "One program loads a device, and others on it wait longer",
            meaning: "A program starts to send a device far more requests than before. Programs that already used the device wait behind it. \
                Nothing is evicted for it, so more memory changes nothing.",
            evidence: "A request takes a multiple of its baseline (the median, which a burst does not shift) at a much higher load, and one \
                process causes most of the new bytes. The device had requests before. Reclaim frees little compared with what is read, or no \
                program reads back what it evicts.",
            metrics: &[
                "reads",
                "writes",
                "read_sectors",
                "write_sectors",
                "read_ms",
                "write_ms",
                "read_bytes",
                "write_bytes",
                "pgsteal_kswapd",
                "pgsteal_direct",
            ],
            thresholds: &[SLOWER.doc(), MIN_AWAIT.doc(), MORE.doc(), USED.doc(), OWNS.doc(), FREED.doc()],
            why: "A device has one queue. Large or frequent requests of one program delay the small ones of another.",
            alternatives: "If reclaim frees as much as the program reads, and others read that back, it evicts what they use: that is a stream. \
                A device that slows down at the same load is slow by itself.",
            advice: "Give the program a lower IO weight, a limit (io.weight, io.max, ionice), or its own device.",
            mglru: "Not used: the rule reads devices and processes only.",
            kernel: "Linux 6.12: block/blk-mq.c: blk_mq_submit_bio; block/blk-iocost.c: ioc_rqos_throttle; block/blk-throttle.c: tg_dispatch_time.",
        },
        examine,
    )
};

const SLOWER: Limit<Count> = Limit::new(
    "time per request, relative to its baseline",
    3.0,
    "A different mix of requests changes it by less.",
    "judgement",
);
const MIN_AWAIT: Limit<Nanos> =
    Limit::new("time per request", 1e6, "Nobody notices a shorter wait.", "latency of SSDs");
const MORE: Limit<Count> = Limit::new(
    "bytes per second of the device, relative to its baseline",
    2.0,
    "If the load has not grown, the device itself is slow.",
    "judgement",
);
const USED: Limit<Per<Count>> =
    Limit::new("requests before", 2.0, "With fewer, no other process uses the device.", "judgement");
const FREED: Limit<Ratio> = Limit::new(
    "bytes reclaimed per byte read, at most, where a program reads back what it lost",
    0.3,
    "With more, the reads evict what other programs use.",
    "mm/filemap.c: filemap_add_folio (6.12)",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    let found = window.disks().into_iter().filter_map(|disk| of_disk(window, disk));
    found.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

fn of_disk(window: &Window<'_>, disk: &str) -> Option<Finding> {
    // The stretch first: what was before it may be a day.
    let time = window.disk_await(disk).filter(|time| *time >= MIN_AWAIT)?;
    let bytes = window.moved(disk)?;
    let freed = window.host_bytes(&STOLEN).unwrap_or(Amount::ZERO);
    let program =
        process::fastest::<Bytes>(window, &["read_bytes", "write_bytes"]).filter(|one| one.amount >= bytes * OWNS);
    // A check of an array, or another kernel thread, has no bytes of its own.
    let kernel = || DiskLoad::of(window, disk)?.kernel_thread(window);
    let neighbour = program.or_else(kernel)?;
    let evicts = || freed > bytes * FREED && !victim::all(window, Some(neighbour.name)).is_empty();
    if evicts() {
        return None;
    }
    let before = window.history()?;
    let usual = before.moved(disk).filter(|usual| bytes >= *usual * MORE)?;
    let used = before.derived::<Per<Count>>(Table::Disk, disk, &derived::TPS).filter(|used| *used >= USED)?;
    let its_usual = process::together::<Bytes>(&before, neighbour.comm, &["read_bytes", "write_bytes"]);
    if neighbour.amount < its_usual * MORE {
        return None;
    }
    let earlier = window.median_before(SignalSpec::disk_await(disk)).or_else(|| before.disk_await(disk))?;
    if time < earlier * SLOWER {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let busy = window.when(SignalSpec::disk(disk, &derived::QUEUE_DEPTH));
    found.span(window.begun(busy, SignalSpec::rate(Table::Process, neighbour.name, &["read_bytes", "write_bytes"])));
    let source = format!("read_ms + write_ms per request of {disk}");
    found.compare(
        0.5 + grade_log(time / earlier, 3.0, 20.0),
        "time per request",
        source,
        time,
        Relation::Above,
        earlier,
    );
    let source = format!("read_sectors + write_sectors of {disk}");
    found.compare(
        0.5 + grade_log(bytes / usual, 2.0, 16.0),
        "bytes of the device",
        source,
        bytes,
        Relation::Above,
        usual,
    );
    found.note("requests before", format!("reads + writes of {disk}"), used);
    found.add(1.0, format!("bytes of {}", neighbour.words()), "read_bytes + write_bytes", neighbour.amount);
    let weight = if freed > bytes * FREED { 0.0 } else { 0.5 };
    found.compare(weight, "bytes freed", "pgsteal * page size", freed, Relation::Below, bytes);
    found.origin(neighbour.actor(window));
    found.origin(Actor::disk(disk));
    let memory = if freed > bytes * FREED {
        "no program reads back what reclaim frees for it"
    } else {
        "memory is not involved"
    };
    let statement = format!(
        "{} moves {} on {disk}, and a request takes {time} ({earlier} before). Other programs share the device; {memory}.",
        neighbour.words(),
        neighbour.amount
    );
    let threads = |comm: &str| {
        advise(
            "Let the kernel thread send less. For md, lower its speed limit while services need the disks, or run the check at another time.",
            Some("sysctl -w dev.raid.speed_limit_max=10000"),
            &format!("{comm} takes longer, and other programs wait less. This setting is for md only."),
            Some("sysctl -w dev.raid.speed_limit_max=200000"),
        )
    };
    let limit =
        || advice::less_io(window.recording, "Lower the program's IO priority, or limit its rate on this device.");
    let service = newcomer::serves(window, neighbour.comm);
    let advice = if program.is_none() {
        threads(neighbour.comm)
    } else if service {
        advise_service(neighbour.comm)
    } else {
        limit()
    };
    found.finish(RuleId::NoisyNeighbour, statement, vec![advice])
}

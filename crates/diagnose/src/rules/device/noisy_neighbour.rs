//! `noisy-neighbour`: one program loads a device that others use, and memory has no part in it.

use crate::actors::group;
use crate::actors::newcomer;
use crate::actors::process::{self, ProcessShare};
use crate::actors::victim;
use crate::evidence::advice as settings;
use crate::evidence::threshold::{BEHIND, PRESSURE, SATURATED};
use crate::evidence::{EvidenceBuilder, advise, advise_service};
use crate::ledger::disk_load::{self, DiskLoad, OWNS};
use crate::ledger::harm::NOTICED;
use crate::ledger::slowed::{self, Slowed};
use crate::ledger::writeback::Writeback;
use crate::measure::amount::{Amount, Count, Limit, Per, Rate, grade, grade_log};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{STOLEN, Window};
use crate::rules::contract::{EffectKind, Rule, When, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Advice, Bytes, Finding, Nanos, Ratio, Relation, RuleDoc, RuleId, Span, Table};

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
            evidence: "A request takes a multiple of its baseline (the median, which a burst does not shift) at a much higher load, or at no lower one \
                of a device that is full, and one process causes most of the new bytes. The device had requests before. Where groups were recorded, one other than the program's own waits for IO \
                more than before, or another program in its group reads or writes. Reclaim frees little compared with what is read, or no \
                program reads back what it evicts. What the flusher writes for it is writeback-saturates-disk. A neighbour that was there from the start of the recording has no baseline: then the device is \
                full from start to end, the program sends most of its bytes in each third of it, and a control group or program that sends few waits for IO.",
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
                "io_ms",
                "weighted_io_ms",
                "psi_io_some",
                "blkio_delay_total",
                "io_rbytes",
                "io_wbytes",
                "rbytes",
                "wbytes",
            ],
            thresholds: &[
                SLOWER.doc(),
                MIN_AWAIT.doc(),
                MORE.doc(),
                USED.doc(),
                OWNS.doc(),
                TRANSFERS.doc(),
                FREED.doc(),
                SATURATED.doc(),
                BEHIND.doc(),
                THROUGHOUT.doc(),
                NOTICED.doc(),
                PRESSURE.doc(),
            ],
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
const TRANSFERS: Limit<Per<Bytes>> = Limit::new(
    "bytes of another program, at least, for it to share the device: of its group, or of any where groups are unknown",
    8192.0,
    "With less than two requests of a page, it hardly uses the device.",
    "judgement",
);
const FREED: Limit<Ratio> = Limit::new(
    "bytes reclaimed per byte read, at most, where a program reads back what it lost",
    0.3,
    "With more, the reads evict what other programs use.",
    "mm/filemap.c: filemap_add_folio (6.12)",
);

const THROUGHOUT: Limit<Ratio> = Limit::new(
    "share of time that a group or program which sends few of the bytes waits for IO, from start to end",
    0.5,
    "A service that waits most of the time for little is behind the requests of another.",
    "judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    let found = window.disks().into_iter().filter_map(|disk| of_disk(window, disk));
    let found = found.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()));
    found.or_else(|| {
        let whole = Window::whole(window.recording, window.episodes).filter(|_| window.step.is_none())?;
        // It is the same for all stretches, and reads the whole recording.
        let is_first = window.quiet.is_none_or(|quiet| quiet.from == whole.span.from);
        let disks = if is_first { window.disks() } else { Vec::new() };
        disks.into_iter().find_map(|disk| from_the_start(&whole, disk))
    })
}

const IO: [&str; 2] = ["read_bytes", "write_bytes"];

/// Who waits for a device that another program fills.
struct Behind<'a> {
    name: &'a str,
    waits: Amount<Ratio>,
    source: &'static str,
    /// What it reads and writes itself.
    bytes: Rate<Bytes>,
}

/// The group without others in it that waits longest for IO and sends less than half of what a device transfers; the program, where no group was
/// recorded and delays were.
fn behind<'a>(whole: &Window<'a>, disk: &str, neighbour: &ProcessShare<'a, Per<Bytes>>) -> Option<Behind<'a>> {
    let groups = group::leaves(whole.recording).into_iter().filter_map(|group| {
        let [read, written] = group::transfers(whole, group, disk)?;
        let waits = whole.derived(Table::Cgroup, group, &derived::PSI_IO_SOME)?;
        Some(Behind { name: group, waits, source: "psi_io_some of the group", bytes: read + written })
    });
    let groups: Vec<Behind<'a>> = groups.collect();
    let commands = Some(disk_load::commands(whole)).filter(|_| groups.is_empty());
    let programs = commands.into_iter().flatten().filter(|comm| *comm != neighbour.comm).filter_map(|comm| {
        let delays: Rate<Nanos> = process::together(whole, comm, &["blkio_delay_total"]);
        let (waits, bytes) = (Amount::new(delays.get() / 1e9), process::together(whole, comm, &IO));
        bytes.is_positive().then_some(Behind { name: comm, waits, source: "blkio_delay_total", bytes })
    });
    let moved = whole.moved(disk)?;
    let few = |one: &Behind<'_>| {
        one.bytes.is_positive() && one.bytes <= moved * (1.0 - OWNS.get()) && one.waits >= THROUGHOUT
    };
    groups.into_iter().chain(programs).filter(few).max_by(|a, b| a.waits.total_cmp(&b.waits))
}

/// A neighbour that was there before the recording began: no time shows what was usual, so it counts who sends and who waits.
fn from_the_start(whole: &Window<'_>, disk: &str) -> Option<Finding> {
    let (busy, depth) = (whole.busy(disk).filter(|busy| *busy >= SATURATED)?, whole.depth(disk)?);
    let moved = whole.moved(disk)?;
    let freed = whole.host_bytes(&STOLEN).unwrap_or(Amount::ZERO);
    if depth < BEHIND || freed > moved * FREED {
        return None;
    }
    let neighbour = disk_load::owner(whole, disk)?;
    let third = whole.span.length().get() / 3;
    let throughout = (0..3).all(|part| {
        let from = whole.span.from.later(Nanos::new(third * part));
        let part = whole.over(Span { from, to: from.later(Nanos::new(third)) });
        part.moved(disk).is_some_and(|moved| disk_load::part(&part, disk, neighbour.comm) >= moved * OWNS)
    });
    let behind = behind(whole, disk, &neighbour).filter(|_| throughout)?;
    let mut found = EvidenceBuilder::new(whole);
    let of = |what: &str| format!("{what} of {disk}");
    found.compare(
        0.5,
        "share of time busy, from start to end",
        of("io_ms or util"),
        busy,
        Relation::Above,
        SATURATED.value(),
    );
    let source = of("weighted_io_ms / io_ms");
    found.compare(
        0.5 + 0.5 * grade(depth, 1.5, 4.0),
        "requests in flight while busy",
        source,
        depth,
        Relation::Above,
        BEHIND.value(),
    );
    let what = format!("bytes of {}, of all that the device transfers", neighbour.words());
    found.compare(1.0, what, "read_bytes + write_bytes", neighbour.amount, Relation::Near, moved);
    let what = format!("share of time that {} waits for IO", behind.name);
    found.compare(
        0.5 + 0.5 * grade(behind.waits, 0.5, 0.9),
        what,
        behind.source,
        behind.waits,
        Relation::Above,
        THROUGHOUT.value(),
    );
    found.note(format!("bytes of {}", behind.name), "read and written", behind.bytes);
    found.origin(neighbour.actor(whole));
    found.origin(Actor::disk(disk));
    let statement = format!(
        "From start to end {} moves {} on {disk}, which is busy {busy} of the time, and {} waits for IO {} of the time for the {} that it reads and \
         writes itself.",
        neighbour.words(),
        neighbour.amount,
        behind.name,
        behind.waits,
        behind.bytes
    );
    found.finish(RuleId::NoisyNeighbour, statement, vec![advice(whole, disk, &neighbour, true)])
}

/// What to do about a program, or a thread of the kernel, that loads a device.
fn advice(window: &Window<'_>, disk: &str, neighbour: &ProcessShare<'_, Per<Bytes>>, is_program: bool) -> Advice {
    if !is_program {
        let is_of_md = neighbour.comm.starts_with("md");
        return advise(
            "Let the kernel thread send less, or run its work at another time.",
            is_of_md.then_some("sysctl -w dev.raid.speed_limit_max=10000"),
            &format!("{} takes longer, and other programs wait less.", neighbour.comm),
            is_of_md.then_some("sysctl -w dev.raid.speed_limit_max=200000"),
        );
    }
    if newcomer::serves(window, neighbour.comm) {
        return advise_service(neighbour.comm);
    }
    settings::less_io(
        window.recording,
        &format!("Limit the IO of {} on {disk}, or run it when no other program needs the device.", neighbour.comm),
        disk_load::limitable(window, disk, neighbour.comm),
        Some(disk_load::job(window, disk, neighbour)),
    )
}

/// Whether a program that ran before is the only one that waits longer for a disk: no other group that sends requests there waits for IO more than
/// before, and nobody beside it in its own reads or writes. Its own requests have become larger or more. Where the groups of its processes are not
/// known, no other program that ran before reads or writes.
fn harms_itself(window: &Window<'_>, disk: &str, comm: &str) -> bool {
    let Some(before) = window.baseline().all().filter(|_| newcomer::serves(window, comm)) else { return false };
    let Some(own) = disk_load::groups_of(window, comm).filter(|own| !own.is_empty()) else {
        let is_other = |other: &str| ![comm, victim::RECORDER].contains(&other);
        let others = process::by_command::<Bytes>(&before, &IO, is_other);
        return !others.iter().any(|(other, rate)| *rate >= TRANSFERS && newcomer::serves(window, other));
    };
    let waits = |window: &Window<'_>, group: &str| {
        window.derived(Table::Cgroup, group, &derived::PSI_IO_SOME).unwrap_or(Amount::<Ratio>::ZERO)
    };
    let sends = |group: &str, disk: &str| {
        group::transfers(window, group, disk).is_some_and(|rates| rates.into_iter().any(Amount::is_positive))
    };
    let elsewhere = |group: &str| !sends(group, disk) && window.disks().into_iter().any(|other| sends(group, other));
    let groups = group::leaves(window.recording).into_iter();
    let mut groups = groups.filter(|group| !own.contains(group) && !elsewhere(group));
    let beside = |other: &str| {
        other != comm
            && process::together::<Bytes>(window, other, &IO) >= TRANSFERS
            && disk_load::groups_of(window, other).is_some_and(|groups| groups.iter().any(|group| own.contains(group)))
    };
    groups.all(|group| waits(window, group) - waits(&before, group) < PRESSURE)
        && !disk_load::commands(window).any(beside)
}

/// Whether nobody beside a program reads, writes or waits for IO meanwhile, as far as programs and groups show: it keeps no other waiting.
fn is_alone(window: &Window<'_>, disk: &str, neighbour: &ProcessShare<'_, Per<Bytes>>) -> bool {
    let is_other = |other: &str| ![neighbour.comm, victim::RECORDER].contains(&other);
    let others = process::by_command::<Bytes>(window, &IO, is_other);
    let own = disk_load::groups_of(window, neighbour.comm).unwrap_or_default();
    let mut groups = group::leaves(window.recording).into_iter().filter(|group| !own.contains(group));
    let sends = |group: &str| {
        group::transfers(window, group, disk).is_some_and(|rates| rates.into_iter().any(Amount::is_positive))
    };
    let waits = |group: &str| {
        let waits: Option<Amount<Ratio>> = window.derived(Table::Cgroup, group, &derived::PSI_IO_SOME);
        waits.is_some_and(Amount::is_positive)
    };
    !others.into_values().any(Amount::is_positive) && !groups.any(|group| sends(group) || waits(group))
}

fn of_disk(window: &Window<'_>, disk: &str) -> Option<Finding> {
    // The stretch first: what was before it may be a day.
    let time = window.disk_await(disk).filter(|time| *time >= MIN_AWAIT)?;
    let bytes = window.moved(disk)?;
    let freed = window.host_bytes(&STOLEN).unwrap_or(Amount::ZERO);
    let program = disk_load::owner(window, disk);
    // The kernel counts no bytes for its own threads: the check of an array, a copy of the device mapper.
    let kernel = || DiskLoad::of(window, disk)?.kernel_thread(window);
    let neighbour = program.or_else(kernel)?;
    let evicts = || freed > bytes * FREED && !victim::all(window, Some(neighbour.name)).is_empty();
    if evicts() {
        return None;
    }
    let before = window.baseline().all()?;
    // One that does no more is full: what the neighbour sends takes the place of what others sent.
    let full = window.busy(disk).is_some_and(|busy| busy >= SATURATED);
    let usual = before.moved(disk).filter(|usual| bytes >= *usual * MORE || full && bytes >= *usual)?;
    let used = before.derived::<Per<Count>>(Table::Disk, disk, &derived::TPS).filter(|used| *used >= USED)?;
    let its_usual = process::together::<Bytes>(&before, neighbour.comm, &IO);
    if neighbour.amount < its_usual * MORE
        || harms_itself(window, disk, neighbour.comm)
        || is_alone(window, disk, &neighbour)
    {
        return None;
    }
    let earlier = window.baseline().median(SignalSpec::disk_await(disk)).or_else(|| before.disk_await(disk));
    // A median of no time is that of a disk without requests.
    let earlier = earlier.filter(|earlier| earlier.is_positive()).or_else(|| before.disk_await(disk))?;
    let slower = time >= earlier * SLOWER;
    let slowed = if slower { None } else { slowed::of(window, disk, neighbour.comm) };
    if !slower && slowed.is_none() {
        return None;
    }
    // What it sends are its written pages, which the flusher sends.
    let is_writer = |writeback: &Writeback<'_>| writeback.writer.is_some_and(|writer| writer.comm == neighbour.comm);
    let writeback = Writeback::of(window).filter(|one| one.disk == disk && is_writer(one));
    if writeback.is_some_and(|one| one.saturates() || one.only_throttles(window)) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let busy = window.when(SignalSpec::disk(disk, &derived::QUEUE_DEPTH));
    found.span(window.onset(busy).at_rise_of(SignalSpec::rate(
        Table::Process,
        neighbour.name,
        &["read_bytes", "write_bytes"],
    )));
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
    if let Some(Slowed { group, waits, before }) = slowed {
        let what = format!("share of time that {group} waits for IO");
        found.compare(
            0.5 + grade(waits - before, 0.1, 0.4),
            what,
            "psi_io_some of the group",
            waits,
            Relation::Above,
            before,
        );
    }
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
    let moves = if program.is_some() {
        format!("{} moves {} on {disk}", neighbour.words(), neighbour.amount)
    } else {
        // The kernel does not count what its threads read and write: the CPU time at that moment is all that names one.
        format!(
            "No program sends the {} on {disk}, and the kernel thread {} runs at that time",
            neighbour.amount,
            neighbour.words()
        )
    };
    let statement =
        format!("{moves}; a request takes {time} ({earlier} before). Other programs share the device; {memory}.");
    let advice = advice(window, disk, &neighbour, program.is_some());
    found.finish(RuleId::NoisyNeighbour, statement, vec![advice])
}

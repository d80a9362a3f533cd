//! `dirty-throttled`: writers slow down to the rate at which the device takes dirty pages.

mod of_device;
mod of_group;
mod peak;

use self::peak::add_peak;
use crate::actors::process;
use crate::evidence::advice;
use crate::evidence::traced::Traced;
use crate::evidence::{EvidenceBuilder, advise, compared};
use crate::ledger::{disk_load, slowed};
use crate::measure::amount::{Amount, Count, Limit, Rate};
use crate::measure::episodes::SignalSpec;
use crate::measure::freerun::{CEILING, Level, SAMPLES, levels};
use crate::measure::window::{Window, stored};
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{
    Actor, Advice, Bytes, Figure, Finding, Manifest, Moment, Nanos, Pages, Ratio, Recording, Relation, RuleDoc, RuleId,
    Span,
};

pub(crate) const RULE: Rule = Rule {
    name: "dirty throttling of writers",
    // The kernel stops the writer: that is the loss itself.
    loss: None,
    leads_to: &[leads(
        EffectKind::Writes,
        "The flusher writes back what exceeds the background threshold.",
        "fs/fs-writeback.c: wb_workfn",
    )],
    subsumes: &[
        subsumes(EffectKind::Writes, &[RuleId::WritebackSaturates]),
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
    ],
    scenarios: &["buffered-write"],
    deciding_test: "Time that the writer sleeps in balance_dirty_pages: `perf trace -e writeback:balance_dirty_pages`.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::DirtyThrottled,
            title: "The kernel throttles writers because too much memory is dirty",
            meaning: "Dirty memory exceeds the freerun ceiling, so the kernel makes writers sleep until the device catches up. They write at the \
                speed of writeback, not of memory.",
            evidence: "Dirty plus writeback memory reaches the freerun ceiling, (dirty threshold + background threshold) / 2: dirty_peak of a \
                step, or nr_dirty + nr_writeback in several samples of a live recording. The device writes meanwhile. The time that the writer \
                sleeps (throttled) decides, where recorded. Of a control group (v2) with a memory limit, its own dirty and writeback memory reaches \
                the ceiling of the memory that it has for files, and its tasks wait for IO. Of a device with a ceiling of its own, a program sleeps in \
                balance_dirty_pages while dirty memory is below the ceiling of the host. That a writer is throttled is no cause where another \
                control group waits for the disk and none of its tasks was seen in balance_dirty_pages. Linux up to 5.15 does not tell where tasks \
                sleep: there it counts whether that group reads more than it writes.",
            metrics: &[
                "nr_dirty",
                "nr_writeback",
                "nr_dirty_threshold",
                "nr_dirty_background_threshold",
                "nr_dirtied",
                "write_sectors",
                "write_bytes",
                "drop_pagecache",
                "file_dirty",
                "file_writeback",
                "file",
                "shmem",
                "current",
                "max",
                "high",
                "cgroup_id",
                "psi_io_some",
                "state",
                "rbytes",
                "wbytes",
                "MemFree",
                "Active(file)",
                "Inactive(file)",
                "Cached",
                "Shmem",
            ],
            thresholds: &[
                CEILING.doc(),
                SAMPLES.doc(),
                PART.doc(),
                FELL.doc(),
                BURST.doc(),
                of_group::WAITS.doc(),
                of_device::SLEEPS.doc(),
                slowed::SYNCS.doc(),
            ],
            why: "Both thresholds are shares of dirtyable memory (free + file pages): a program that holds memory lowers them. Above the ceiling \
                every writer sleeps, which keeps dirty memory between the ceiling and the limit.",
            alternatives: "A writer with O_DIRECT or O_SYNC waits for the device itself, and dirty memory stays low. Below the \
                        background threshold the flusher writes nothing for up to 30 s. Another writer may have reached the ceiling.",
            advice: "Use a device that writes faster, write less or in larger requests, or free memory. Higher thresholds let longer bursts run \
                at memory speed, but make the next fsync slower and a power loss worse.",
            mglru: "Not used: dirty limits do not depend on the LRU. Reclaim moves dirty pages to a younger generation instead of writing them one by one.",
            kernel: "Linux 6.12: mm/page-writeback.c: balance_dirty_pages, dirty_freerun_ceiling, domain_dirty_limits, mdtc_calc_avail, wb_position_ratio.",
        },
        examine,
    )
};

const PART: Limit<Ratio> = Limit::new(
    "bytes of programs per byte that the devices write, and of the largest writer, to name it",
    0.1,
    "With less, swap-out or other programs write most of it.",
    "judgement",
);
const FELL: Limit<Ratio> = Limit::new(
    "dirty threshold, as a share of what dirtyable memory implies, below which a setting lowered it",
    0.5,
    "The threshold is a share of dirtyable memory, which varies by less.",
    "mm/page-writeback.c: domain_dirty_limits (6.12)",
);
const BURST: Limit<Count> = Limit::new(
    "bytes written per byte of the dirty threshold, at least, of a throttled writer that other thresholds do not help",
    2.0,
    "A burst fits in the memory that may be dirty. Beyond it, the writer gets the rate of the device.",
    "mm/page-writeback.c: balance_dirty_pages (6.12), and judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        of_step(window)
    } else {
        of_host(window).or_else(|| of_group::examine(window)).or_else(|| of_device::examine(window))
    }
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let peak = window.figure(Figure::DirtyPeak)?;
    let threshold: Amount<Bytes> = window.figure(Figure::DirtyThreshold)?;
    let ceiling = (threshold + window.figure(Figure::BackgroundThreshold)?) / 2.0;
    // The kernel does not throttle a step that only reads.
    if window.figure::<Ratio>(Figure::CacheHitRatio).is_some() || peak < ceiling * CEILING || !ceiling.is_positive() {
        return None;
    }
    // The kernel counted how long it throttled writers: not at all.
    let stopped = window.figure::<Nanos>(Figure::Throttled);
    if stopped.is_some_and(|stopped| !stopped.is_positive()) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    add_peak(&mut found, peak, ceiling, "dirty_peak compared with (dirty_threshold + background_threshold) / 2");
    let written: Option<Amount<Bytes>> = window.figure(Figure::DiskWrittenBytes);
    let weight = |positive: bool| if positive { 1.0 } else { -2.0 };
    if let Some(written) = written {
        let what = "bytes that the device wrote during the step";
        found.add(weight(written.is_positive()), what, "disk_written_bytes", written);
    } else if let Some(writes) = window.figure::<Count>(Figure::DiskWrites) {
        found.add(weight(writes.is_positive()), "writes of the device during the step", "disk_writes", writes);
    }
    let processed = window.figure::<Bytes>(Figure::Processed);
    if let Some(processed) = processed {
        // A step that wrote less than the ceiling cannot have reached it alone.
        let below = processed < ceiling;
        let (weight, relation) = if below { (-1.5, Relation::Below) } else { (0.5, Relation::Above) };
        found.compare(weight, "bytes that the step wrote", "processed", processed, relation, ceiling);
    }
    if let Some(stopped) = stopped {
        found.add(2.0, "time that the kernel throttled the writer", "throttled", stopped);
    }
    let elapsed = window.figure::<Nanos>(Figure::Elapsed).filter(|elapsed| elapsed.is_positive());
    let rates = match (window.quantity(Figure::Bandwidth), written.zip(elapsed)) {
        (Some(writer), Some((bytes, elapsed))) => {
            let device = Rate::<Bytes>::new(bytes.get() / elapsed.get() * 1e9);
            format!(" The program wrote {writer}, the device {device}.")
        }
        _ => String::new(),
    };
    found.finish(
        RuleId::DirtyThrottled,
        statement(peak, ceiling, threshold) + &rates,
        advice(&window.recording.manifest, None, processed.is_some_and(|bytes| lasts(bytes, threshold))),
    )
}

fn of_host(window: &Window<'_>) -> Option<Finding> {
    let inside: Vec<Level> = levels(window, window.span)?.collect();
    let above = inside.iter().filter(|level| level.above()).count();
    let peak = inside.iter().copied().max_by(|a, b| (a.dirty / a.ceiling).total_cmp(&(b.dirty / b.ceiling)))?;
    let all = |disk: &str| window.disk_bytes(disk, &derived::WRITE_BANDWIDTH);
    // What reclaim swaps out counts as writeback, is written by no program, and throttles nobody.
    let written = |disk: &str| Some((all(disk)? - disk_load::swapped_out(window, disk)).max(Amount::ZERO));
    let swap = window.all_disks(written).zip(window.all_disks(all)).is_some_and(|(own, all)| own < all * PART);
    if (above as f64) < SAMPLES.get() || swap {
        return None;
    }
    let busiest = window.busiest(written);
    let writer = process::fastest::<Bytes>(window, &["write_bytes"]);
    if busiest.zip(writer).is_some_and(|((disk, _), writer)| only_loads(window, disk, writer.comm)) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    // Throttling lasts while dirty memory stays at the ceiling, also when the writer sleeps and dirties nothing.
    let began = window.when(SignalSpec::host(&["nr_dirtied"]));
    let end =
        || levels(window, Span { from: peak.at, ..Span::ALL })?.take_while(Level::above).last().map(|level| level.at);
    let to = window.episodes.end_of_run("dirty memory at the ceiling", peak.at, end);
    let to = to.map_or(began.to, |to| to.max(began.to));
    let fell = fell(window, began, peak);
    // Where a setting lowered the thresholds, that is what began, however long a writer wrote before.
    let from = fell.map_or(began.from, |(level, _)| if level.above() { level.at } else { level.at.max(began.from) });
    let writer = writer.filter(|writer| busiest.is_none_or(|(_, all)| writer.amount >= all * PART));
    let span = Span { from, to: to.max(from) };
    found.span(writer.map_or(span, |writer| window.onset(span).not_before_start_of(writer.comm)));
    if let Some(process) = writer {
        found.origin(process.actor(window));
    }
    let writer = writer.filter(|writer| !process::works_for_others(writer.comm));
    if let Some((disk, _)) = busiest {
        found.origin(Actor::disk(disk));
    }
    let source = "nr_dirty + nr_writeback compared with (nr_dirty_threshold + nr_dirty_background_threshold) / 2";
    let Level { dirty, ceiling, threshold, .. } = peak;
    add_peak(&mut found, dirty, ceiling, source);
    let share = Amount::<Ratio>::new(above as f64 / inside.len() as f64);
    found.add(0.5, "share of samples at or above the ceiling", "count of samples", share);
    if let Some(rate) = window.all_disks(written) {
        let weight = if rate.is_positive() { 1.0 } else { -1.5 };
        found.add(weight, "bytes per second that the devices wrote", "rate of write_sectors", rate);
    }
    let mut waited = String::new();
    if let Some(traced) = Traced::of(window) {
        if let Some((comm, device, time)) = traced.most_throttled() {
            found.add(2.0, format!("time that {comm} was throttled on {device}"), "throttle.throttled_ns", time);
            found.origin(Actor::command(comm));
            waited = format!(" Trace: {comm} waited {time} for {device}.");
        } else {
            let none = Amount::<Nanos>::new(0.0);
            found.add(-2.0, "time that writers were throttled", "throttle.throttled_ns", none);
        }
    }
    let manifest = &window.recording.manifest;
    let who = writer.map_or(String::new(), |writer| format!(" {} writes {}.", writer.words(), writer.amount));
    let statement = statement(dirty, ceiling, threshold) + &who + &fell.map_or(String::new(), |(_, before)| {
        format!(" The dirty threshold fell from {before} although dirtyable memory did not fall: vm.dirty_bytes or vm.dirty_ratio was lowered.")
    });
    let dirtied = writer.zip(window.length()).map(|(writer, length)| writer.amount.over(length));
    let lasts = dirtied.is_some_and(|dirtied| lasts(dirtied, threshold));
    let advice = match fell {
        Some(_) => raise(window.recording, to),
        None => advice(manifest, writer.map(|writer| writer.comm), lasts),
    };
    found.finish(RuleId::DirtyThrottled, statement + &waited, advice)
}

/// Whether others wait for the disk to which a program writes, and not for the thresholds: that it is throttled is no harm to them.
fn only_loads(window: &Window<'_>, disk: &str, comm: &str) -> bool {
    slowed::of(window, disk, comm).is_some_and(|slowed| !slowed.is_throttled(window, disk))
}

/// The first sample after a setting lowered the dirty threshold, and what that was before: at one moment it is less than the memory implies that it is a share of then.
fn fell(window: &Window<'_>, began: Span, peak: Level) -> Option<(Level, Amount<Bytes>)> {
    let quiet = window.baseline().until(began.from).or_else(|| window.baseline().all())?;
    // The quiet time may hold what came after the change: the largest values are of before it.
    let before = quiet.host_level::<Pages>("nr_dirty_threshold")?.most * window.page_size();
    let earlier = file_pages(|metric| Some(quiet.host_level(metric)?.most))? + quiet.host_level("MemFree")?.most;
    // Free memory counts above the reserves only, which are not recorded: what is dirtyable now is at least the file pages.
    let lowered = |level: &Level| {
        let now = file_pages(|metric| Some(stored(window.recording.host(metric)?.at(level.at.ns())?)));
        now.is_some_and(|now| level.threshold < before * (now / earlier).get() * FELL.get())
    };
    let mut levels = levels(window, Span { from: quiet.span.from, to: began.to })?;
    lowered(&peak).then(|| levels.find(lowered)).flatten().map(|level| (level, before))
}

/// Memory of files, of which `of` gives what /proc/meminfo says.
fn file_pages(of: impl Fn(&str) -> Option<Amount<Bytes>>) -> Option<Amount<Bytes>> {
    let lists = || Some(of("Active(file)")? + of("Inactive(file)")?);
    lists().or_else(|| Some((of("Cached")? - of("Shmem").unwrap_or(Amount::ZERO)).max(Amount::ZERO)))
}

/// Undoes what lowered the thresholds.
fn raise(recording: &Recording, at: Moment) -> Vec<Advice> {
    // What somebody set is one of the two; the other is 0 then.
    let set = |name: &&str| {
        let value = recording.setting_at(&format!("vm.{name}"), at.ns())?;
        (value.trim().parse::<u64>().ok()? > 0).then(|| format!("vm.{name}={}", value.trim()))
    };
    let names = ["dirty_background_bytes", "dirty_bytes", "dirty_background_ratio", "dirty_ratio"];
    let now: Vec<String> = names.iter().filter_map(set).collect();
    let undo = if now.is_empty() {
        "set vm.dirty_bytes or vm.dirty_ratio as they are now".to_owned()
    } else {
        format!("sysctl -w {}", now.join(" "))
    };
    let before = advice::restore(&recording.manifest, &["dirty_background_ratio", "dirty_ratio"]);
    // A recording that does not have the settings from before begins with those that were set.
    let known = Some(before).filter(|before| *before != undo);
    vec![advise(
        "Restore the previous dirty thresholds.",
        Some(known.as_deref().unwrap_or("sysctl -w vm.dirty_background_ratio=10 vm.dirty_ratio=20")),
        "Writers dirty memory at full speed again, up to the freerun ceiling, and the flusher writes it in the background.",
        Some(&undo),
    )]
}

fn statement(peak: Amount<Bytes>, ceiling: Amount<Bytes>, threshold: Amount<Bytes>) -> String {
    // A sample may miss the peak.
    let place = if compared(peak, Relation::Above, ceiling).0 == Relation::Above { "above" } else { "near" };
    format!(
        "The kernel throttled writers: dirty memory reached {peak}, {place} the freerun ceiling of {ceiling} (dirty threshold {threshold})."
    )
}

/// Whether what was written is no burst: by far more than may be dirty at once, so that the writer gets the rate of the device whatever the thresholds are.
fn lasts(written: Amount<Bytes>, threshold: Amount<Bytes>) -> bool {
    written >= threshold * BURST.get()
}

fn advice(manifest: &Manifest, writer: Option<&str>, lasts: bool) -> Vec<Advice> {
    let less = match writer {
        Some(comm) => {
            format!("Write less with {comm}, limit its rate, or move its files to a device that writes faster.")
        }
        None => {
            "Write less, limit the rate of the writers, or move their files to a device that writes faster.".to_owned()
        }
    };
    // Half of what it is, and in the unit in which the host has it.
    let bytes = advice::value(manifest, "dirty_background_bytes");
    let ratio = advice::value(manifest, "dirty_background_ratio");
    let lower = match bytes {
        0 => format!("vm.dirty_background_ratio={}", (ratio / 2).max(1)),
        bytes => format!("vm.dirty_background_bytes={}", (bytes / 2).max(4096)),
    };
    let less = advise(
        &less,
        Some("pidstat -d 1 5; iostat -x 1 5"),
        "The commands only read. A throttled writer gets the rate of the device: other thresholds change only when that begins.",
        None,
    );
    if lasts {
        return vec![less];
    }
    vec![
        less,
        advise(
            "Free memory that programs hold needlessly: both thresholds are shares of dirtyable memory.",
            None,
            "The thresholds rise with free memory. Bursts up to the ceiling run at memory speed.",
            None,
        ),
        advise(
            "Start the flusher earlier, so that a burst finds less dirty memory.",
            Some(&format!("sysctl -w {lower}")),
            "The device writes sooner and more evenly, including data that programs soon delete or overwrite.",
            Some(&advice::restore(manifest, &["dirty_background_ratio"])),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flusher_is_started_earlier_for_a_burst_only() {
        let count = |mib: f64| {
            let lasts = lasts(Amount::new(mib), Amount::new(100.0));
            let advice = advice(&Manifest::default(), Some("cp"), lasts);
            advice.iter().filter(|one| one.action.starts_with("Start the flusher")).count()
        };
        assert_eq!((count(150.0), count(250.0)), (1, 0));
    }
}

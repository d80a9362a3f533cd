//! `dirty-throttled`: writers slow down to the rate at which the device takes dirty pages.

use crate::amount::{Amount, Count, Limit, grade};
use crate::effect::EffectKind;
use crate::episodes::SignalSpec;
use crate::evidence::{EvidenceBuilder, Origin, advise};
use crate::process;
use crate::settings;
use crate::rule::{Rule, leads, subsumes};
use crate::traced::Traced;
use crate::window::{Window, stored};
use pagetide_core::derived;
use pagetide_core::{Advice, Bytes, Figure, Finding, Manifest, Moment, Nanos, Pages, Ratio, Relation, RuleDoc, RuleId, Span};

pub(crate) const RULE: Rule = Rule {
    name: "dirty throttling of writers",
    // The kernel stops the writer: that is the loss itself.
    loss: None,
    leads_to: &[leads(
        EffectKind::Writes,
        "The flusher writes what is above the background threshold.",
        "fs/fs-writeback.c: wb_workfn",
    )],
    subsumes: &[
        subsumes(EffectKind::Writes, &[RuleId::WritebackSaturates]),
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
    ],
    scenarios: &["buffered-write"],
    decides: "Time that the writer sleeps in balance_dirty_pages: `perf trace -e writeback:balance_dirty_pages`.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::DirtyThrottled,
            title: "The kernel throttles writers because too much memory is dirty",
            meaning: "Dirty memory exceeds the freerun ceiling, so the kernel makes writers sleep until the device has caught up. \
                      They write at the rate of writeback, not of memory.",
            evidence: "Dirty plus writeback memory reaches the freerun ceiling, (dirty threshold + background threshold) / 2: of a \
                       step dirty_peak, of a live recording nr_dirty + nr_writeback in several samples. The device writes meanwhile. \
                       The time that the writer sleeps (throttled), where recorded, decides.",
            metrics: &["nr_dirty", "nr_writeback", "nr_dirty_threshold", "nr_dirty_background_threshold", "nr_dirtied", "write_sectors", "write_bytes", "drop_pagecache"],
            thresholds: &[CEILING.doc(), SAMPLES.doc()],
            why: "Both thresholds are shares of dirtyable memory (free + file pages): a program that holds memory lowers them. \
                  Above the ceiling every writer sleeps, so that dirty memory stays between the ceiling and the limit.",
            otherwise: "A writer with O_DIRECT or O_SYNC waits for the device itself, and dirty memory stays low. Below the \
                        background threshold the flusher writes nothing for up to 30 s. Another writer may have reached the ceiling.",
            advice: "Use a device that writes faster, write less or in larger requests, or free memory. Higher thresholds let longer bursts \
                     run at memory speed, and make the fsync after them, or a power loss, worse.",
            mglru: "Not used: dirty limits do not depend on the kind of lists. Dirty pages that reclaim meets are moved to a younger generation and not written one by one.",
            kernel: "Linux 6.12: mm/page-writeback.c: balance_dirty_pages, dirty_freerun_ceiling, domain_dirty_limits, wb_position_ratio.",
        },
        examine,
    )
};

const CEILING: Limit<Ratio> = Limit::new(
    "dirty and writeback memory, as a share of the freerun ceiling",
    0.95,
    "A sample rarely meets the peak itself.",
    "mm/page-writeback.c: dirty_freerun_ceiling (6.12)",
);
const SAMPLES: Limit<Count> =
    Limit::new("samples at the ceiling, of a live recording", 2.0, "One may be an accident of sampling.", "judgement");

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() { of_step(window) } else { of_host(window) }
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let peak = window.figure(Figure::DirtyPeak)?;
    let threshold: Amount<Bytes> = window.figure(Figure::DirtyThreshold)?;
    let ceiling = (threshold + window.figure(Figure::BackgroundThreshold)?) / 2.0;
    // The kernel does not throttle a step that only reads.
    if window.figure::<Ratio>(Figure::CacheHitRatio).is_some() || peak < ceiling * CEILING || !ceiling.is_positive() {
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
    if let Some(processed) = window.figure(Figure::Processed) {
        // A step that wrote less than the ceiling cannot have reached it alone.
        let below = processed < ceiling;
        let (weight, relation) = if below { (-1.5, Relation::Below) } else { (0.5, Relation::Above) };
        found.compare(weight, "bytes that the step wrote", "processed", processed, relation, ceiling);
    }
    if let Some(stopped) = window.figure::<Nanos>(Figure::Throttled) {
        let weight = if stopped.is_positive() { 2.0 } else { -2.0 };
        found.add(weight, "time for which the kernel throttled the writer", "throttled", stopped);
    }
    let elapsed = window.figure::<Nanos>(Figure::Elapsed).filter(|elapsed| elapsed.is_positive());
    let rates = match (window.quantity(Figure::Bandwidth), written.zip(elapsed)) {
        (Some(writer), Some((bytes, elapsed))) => {
            let device = crate::amount::Rate::<Bytes>::new(bytes.get() / elapsed.get() * 1e9);
            format!(" The program wrote {writer}, the device {device}.")
        }
        _ => String::new(),
    };
    found.finish(RuleId::DirtyThrottled, statement(peak, ceiling, threshold) + &rates, advice(&window.recording.manifest))
}

/// Dirty and writeback memory at a sample, with the freerun ceiling and the dirty threshold then.
#[derive(Clone, Copy)]
struct Level {
    at: Moment,
    dirty: Amount<Bytes>,
    ceiling: Amount<Bytes>,
    threshold: Amount<Bytes>,
}

impl Level {
    fn above(&self) -> bool {
        self.dirty >= self.ceiling * CEILING
    }
}

fn levels<'a>(window: &Window<'a>, span: Span) -> Option<impl Iterator<Item = Level> + use<'a>> {
    let page = window.page_size();
    let host = |metric: &str| Some(window.recording.host(metric)?.around(span.from.ns(), span.to.ns()));
    let (dirty, writeback, threshold) = (host("nr_dirty")?, host("nr_writeback")?, host("nr_dirty_threshold")?);
    let background = host("nr_dirty_background_threshold")?;
    let (mut writeback, mut threshold, mut background) = (writeback.follow(), threshold.follow(), background.follow());
    let level = move |(at, dirty): (i64, i64)| {
        let bytes = |pages: Option<i64>| pages.map(|pages| stored::<Pages>(pages) * page);
        let (writeback, threshold, background) = (writeback(at), threshold(at), background(at));
        let (writeback, threshold, background) = (bytes(writeback)?, bytes(threshold)?, bytes(background)?);
        let ceiling = (threshold + background) / 2.0;
        let dirty = stored::<Pages>(dirty) * page + writeback;
        ceiling.is_positive().then_some(Level { at: Moment::new(at), dirty, ceiling, threshold })
    };
    Some(dirty.within(span.from.ns(), span.to.ns()).filter_map(level))
}

fn of_host(window: &Window<'_>) -> Option<Finding> {
    let inside: Vec<Level> = levels(window, window.span)?.collect();
    let above = inside.iter().filter(|level| level.above()).count();
    let peak = inside.iter().copied().max_by(|a, b| (a.dirty / a.ceiling).total_cmp(&(b.dirty / b.ceiling)))?;
    if (above as f64) < SAMPLES.get() {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    // Throttling lasts while dirty memory stays at the ceiling, also when the writer sleeps and dirties nothing.
    let began = window.when(SignalSpec::host(&["nr_dirtied"]));
    let later = levels(window, Span { from: peak.at, ..Span::ALL })?;
    let to = later.take_while(Level::above).last().map_or(began.to, |level| level.at.max(began.to));
    found.span(Span { to, ..began });
    if let Some(process) = process::fastest::<Bytes>(window, &["write_bytes"]) {
        found.origin(Origin::Process(process.comm));
    }
    let written = |disk: &str| window.disk_bytes(disk, &derived::WRITE_BANDWIDTH);
    if let Some((disk, _)) = window.busiest(written) {
        found.origin(Origin::Disk(disk));
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
            found.add(2.0, format!("time for which {comm} was throttled on {device}"), "throttle.throttled_ns", time);
            found.origin(Origin::Process(comm));
            waited = format!(" By the trace, {comm} waited {time} for {device}.");
        } else {
            let none = Amount::<Nanos>::new(0.0);
            found.add(-2.0, "time for which writers were throttled", "throttle.throttled_ns", none);
        }
    }
    found.finish(RuleId::DirtyThrottled, statement(dirty, ceiling, threshold) + &waited, advice(&window.recording.manifest))
}

fn add_peak(found: &mut EvidenceBuilder, peak: Amount<Bytes>, ceiling: Amount<Bytes>, source: &str) {
    let weight = 2.0 * grade(peak / ceiling, 0.9, 1.05);
    found.compare(weight, "most dirty and writeback memory", source, peak, Relation::Above, ceiling);
}

fn statement(peak: Amount<Bytes>, ceiling: Amount<Bytes>, threshold: Amount<Bytes>) -> String {
    format!(
        "The kernel throttled writers: dirty memory reached {peak}, above the freerun ceiling of {ceiling} (dirty threshold {threshold})."
    )
}

fn advice(manifest: &Manifest) -> Vec<Advice> {
    // Half of what it is, and in the unit in which the host has it.
    let bytes = settings::value(manifest, "dirty_background_bytes");
    let ratio = settings::value(manifest, "dirty_background_ratio");
    let lower = match bytes {
        0 => format!("vm.dirty_background_ratio={}", (ratio / 2).max(1)),
        bytes => format!("vm.dirty_background_bytes={}", (bytes / 2).max(4096)),
    };
    vec![
        advise(
            "Free memory that programs hold without need: both thresholds are shares of dirtyable memory.",
            None,
            "The thresholds rise with free memory, and bursts up to the ceiling run at memory speed.",
            None,
        ),
        advise(
            "Start the flusher earlier, so that a burst finds less dirty memory.",
            Some(&format!("sysctl -w {lower}")),
            "The device writes sooner and more evenly. It also writes data that programs delete or overwrite soon.",
            Some(&settings::restore(manifest, &["dirty_background_ratio"])),
        ),
    ]
}

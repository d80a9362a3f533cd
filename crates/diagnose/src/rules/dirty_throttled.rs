//! `dirty-throttled`: writers are slowed to the rate at which the device takes dirty pages.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::Window;
use pagetide_core::{Advice, Figure, Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "dirty-throttled",
        title: "Writers are throttled for dirty memory",
        meaning: "More memory is dirty than the kernel lets writers dirty freely, so it makes them pause until the device has \
                  caught up. Their rate is that of writeback, not that of memory.",
        evidence: "Dirty plus writeback memory reached the freerun ceiling, (dirty threshold + background threshold) / 2: of a \
                   step dirty_peak, of a live recording nr_dirty + nr_writeback in at least two samples. The device wrote \
                   meanwhile. Time that the writer was stopped (throttled), where it was measured, decides.",
        why: "Both thresholds are parts of available (dirtyable) memory, not of all memory: whoever holds memory lowers them. \
              Above the ceiling every writer is made to sleep so that dirty memory stays between ceiling and limit.",
        otherwise: "A writer with O_DIRECT or O_SYNC is held up by the device itself, and dirty memory stays low. Below the \
                    background threshold nothing is written for up to 30 s. The ceiling may be reached by another writer.",
        advice: "A device that writes faster; fewer or larger writes; memory that is available. Higher thresholds let longer bursts \
                 through at memory speed and make what follows (fsync, power loss) worse.",
        kernel: "mm/page-writeback.c: balance_dirty_pages, dirty_freerun_ceiling, domain_dirty_limits, wb_position_ratio.",
    },
    name: "writers throttled for dirty memory",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &["buffered-write"],
    decides: "Time that the writer sleeps in balance_dirty_pages: `perf trace -e writeback:balance_dirty_pages`.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() { of_step(window) } else { of_host(window) }
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let peak = window.figure(Figure::DirtyPeak)?;
    let (threshold, background) = (window.figure(Figure::DirtyThreshold)?, window.figure(Figure::BackgroundThreshold)?);
    let ceiling = (threshold + background) / 2.0;
    // A step that only reads is not the one that was throttled.
    if window.figure(Figure::CacheHitRatio).is_some() || peak < ceiling * 0.95 || ceiling <= 0.0 {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    weigh_peak(&mut case, peak, ceiling, "dirty_peak against (dirty_threshold + background_threshold) / 2");
    let written = window.figure(Figure::DiskWrittenBytes);
    if let Some(written) = written {
        let evidence = case.measured(
            "bytes that the device wrote during the step",
            "disk_written_bytes",
            Quantity::new(written, Unit::Bytes),
        );
        case.weigh(if written > 0.0 { 1.0 } else { -2.0 }, evidence);
    } else if let Some(writes) = window.figure(Figure::DiskWrites) {
        let evidence = case.measured("writes of the device during the step", "disk_writes", Quantity::count(writes));
        case.weigh(if writes > 0.0 { 1.0 } else { -2.0 }, evidence);
    }
    if let Some(asked) = window.figure(Figure::Processed) {
        // Who wrote less than the ceiling cannot have reached it alone.
        let evidence = case.held(
            "bytes that the step wrote",
            "processed",
            Quantity::new(asked, Unit::Bytes),
            if asked < ceiling { Relation::Below } else { Relation::Above },
            Quantity::new(ceiling, Unit::Bytes),
        );
        case.weigh(if asked < ceiling { -1.5 } else { 0.5 }, evidence);
    }
    if let Some(stopped) = window.figure(Figure::Throttled) {
        let evidence =
            case.measured("time in which the writer was stopped", "throttled", Quantity::new(stopped, Unit::Nanos));
        case.weigh(if stopped > 0.0 { 2.0 } else { -2.0 }, evidence);
    }
    let rates = match (window.quantity(Figure::Bandwidth), written.zip(window.figure(Figure::Elapsed))) {
        (Some(writer), Some((bytes, nanos))) if nanos > 0.0 => format!(
            " The writer got {writer}, the device wrote {}.",
            Quantity::new(bytes / nanos * 1e9, Unit::BytesPerSecond)
        ),
        _ => String::new(),
    };
    case.close(statement(peak, ceiling, threshold) + &rates, advice())
}

fn of_host(window: &Window<'_>) -> Option<Finding> {
    let page = window.page_size();
    let dirty = window.recording.host("nr_dirty")?.around(window.from, window.to);
    let (writeback, threshold) = (window.recording.host("nr_writeback")?, window.recording.host("nr_dirty_threshold")?);
    let background = window.recording.host("nr_dirty_background_threshold")?;
    let mut peak: Option<(f64, f64, f64)> = None;
    let (mut above, mut samples) = (0u32, 0u32);
    for (at, dirty) in dirty.within(window.from, window.to) {
        let (Some(writeback), Some(threshold), Some(background)) =
            (writeback.at(at), threshold.at(at), background.at(at))
        else {
            continue;
        };
        let (dirty, threshold) = ((dirty as f64 + writeback as f64) * page, threshold as f64 * page);
        let ceiling = (threshold + background as f64 * page) / 2.0;
        if ceiling <= 0.0 {
            continue;
        }
        samples += 1;
        above += u32::from(dirty >= ceiling * 0.95);
        if peak.is_none_or(|(most, ceiling_then, _)| dirty / ceiling > most / ceiling_then) {
            peak = Some((dirty, ceiling, threshold));
        }
    }
    let (peak, ceiling, threshold) = peak.filter(|_| above >= 2)?;
    let mut case = Case::new(RULE.doc.id, window);
    case.during(window.when(Of::host(&["nr_dirtied"])));
    if let Some(who) = process::fastest(window, &["write_bytes"]) {
        case.blame("process", who.comm);
    }
    if let Some((disk, _)) = writing(window) {
        case.blame("disk", disk);
    }
    weigh_peak(
        &mut case,
        peak,
        ceiling,
        "nr_dirty + nr_writeback against (nr_dirty_threshold + nr_dirty_background_threshold) / 2",
    );
    let part = f64::from(above) / f64::from(samples);
    case.weigh(
        0.5,
        case.measured("part of the samples at or above the ceiling", "count of samples", Quantity::ratio(part)),
    );
    let sectors = window.disks().into_iter().filter_map(|disk| window.rate(Table::Disk, disk, "write_sectors"));
    if let Some(rate) = sectors.reduce(|a, b| a + b).map(|sectors| sectors * 512.0) {
        let evidence = case.measured(
            "bytes per second that the devices wrote",
            "rate of write_sectors",
            Quantity::new(rate, Unit::BytesPerSecond),
        );
        case.weigh(if rate > 0.0 { 1.0 } else { -1.5 }, evidence);
    }
    case.close(statement(peak, ceiling, threshold), advice())
}

fn weigh_peak(case: &mut Case, peak: f64, ceiling: f64, source: &str) {
    let evidence = case.held(
        "most dirty and writeback memory",
        source,
        Quantity::new(peak, Unit::Bytes),
        Relation::Above,
        Quantity::new(ceiling, Unit::Bytes),
    );
    case.weigh(2.0 * grade(peak / ceiling, 0.9, 1.05), evidence);
}

fn statement(peak: f64, ceiling: f64, threshold: f64) -> String {
    let bytes = |value| Quantity::new(value, Unit::Bytes);
    format!(
        "Writers were throttled: dirty memory reached {}, above the {} up to which they run freely (dirty threshold {}).",
        bytes(peak),
        bytes(ceiling),
        bytes(threshold),
    )
}

fn advice() -> Vec<Advice> {
    vec![
        advise(
            "Free memory that is held without need: both thresholds are parts of available memory.",
            None,
            "The thresholds rise with available memory, and bursts up to the ceiling run at memory speed.",
            None,
        ),
        advise(
            "Let the flusher begin earlier, so that a burst finds less dirty memory.",
            Some("sysctl -w vm.dirty_background_ratio=5"),
            "The device writes sooner and more evenly; the price is that data that are deleted or overwritten soon get written \
             all the same.",
            Some("sysctl -w vm.dirty_background_ratio=10"),
        ),
    ]
}

/// The disk that wrote most, and how many bytes per second.
pub(super) fn writing<'a>(window: &Window<'a>) -> Option<(&'a str, f64)> {
    let rates = window.disks().into_iter().filter_map(|disk| {
        Some((disk, window.rate(Table::Disk, disk, "write_sectors")? * 512.0)).filter(|(_, rate)| *rate > 0.0)
    });
    rates.max_by(|a, b| a.1.total_cmp(&b.1))
}

//! `latency-bound`: one request at a time, each as fast as the device answers.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::Window;
use pagetide_core::{Advice, Figure, Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "latency-bound",
        title: "The workload waits for one request at a time; the device could do more",
        meaning: "Requests are sent one after the other, each waits for the one before, and the rate is one second divided \
                  by the latency. Neither the device's IOPS limit nor its bandwidth is reached.",
        evidence: "Of a step: IOPS x mean completion latency lies within 15 % of 1 s/s, the device was busy at least half \
                   of the time, and its mean queue (rate of weighted_io_ms) is near 1. Of a disk alone: at least 20 \
                   requests per second, nearly all reads of at most 64 KiB, busy (rate of io_ms) at least 70 % of the time, and weighted_io_ms \
                   no more than 15 % above io_ms. That the same device did more requests per second at another time of the \
                   recording speaks for it.",
        why: "A synchronous read returns when the data are there. With one thread and no readahead there is never a second \
              request for the device to work on at the same time, so every request pays the full latency.",
        otherwise: "A device that is limited to just this rate and answers each request late looks the same from one step; a \
                    step with more requests in flight tells them apart. A warm run also has IOPS x latency of 1, but does \
                    no device IO.",
        advice: "Send more requests at once (threads, asynchronous IO, readahead for sequential access), ask for more per \
                 request, or make the data fit in the page cache. A device with more IOPS does not help; one with less \
                 latency does.",
        kernel: "mm/filemap.c: filemap_read waits in folio_wait_locked for each missing folio; block/genhd.c: \
                 part_stat_show gives io_ms and weighted_io_ms; Documentation/admin-guide/iostats.rst.",
    },
    name: "one request at a time",
    role: Role::Effect,
    scope: Scope::Busy,
    shown_by: &["buffered-read"],
    decides: "The rate of the device with more requests at a time.",
    examine,
};

/// Below this part of requests that reach the device, the device does not set the rate.
const LEAST_DEVICE_SHARE: f64 = 0.05;
/// The tolerance of IOPS x latency around 1: what fio does between two requests is not in the latency.
const TOLERANCE: f64 = 0.15;

/// Bytes of a read of which the transfer, at 100 MB/s, takes as long as a fast disk's latency; of a larger one the bandwidth
/// counts and not the latency.
const SMALL: f64 = 65_536.0;

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() { of_step(window) } else { of_disks(window) }
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let (iops, latency) = (window.figure(Figure::Iops)?, window.figure(Figure::ClatMean)?);
    let depth = iops * latency / 1e9;
    let device = window.figure(Figure::DiskReads).unwrap_or(0.0).max(window.figure(Figure::DiskWrites).unwrap_or(0.0));
    let share = device / window.figure(Figure::Issued).filter(|issued| *issued > 0.0)?;
    if (depth - 1.0).abs() > TOLERANCE || share < LEAST_DEVICE_SHARE {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    case.weigh(
        2.0 * grade((depth - 1.0).abs(), TOLERANCE, 0.03),
        case.held(
            "requests in flight at the workload: IOPS x mean completion latency",
            "iops * clat_mean",
            Quantity::count(depth),
            Relation::Near,
            Quantity::count(1.0),
        ),
    );
    let busiest =
        window.disks().into_iter().filter_map(|disk| queue(window, disk)).max_by(|a, b| a.depth.total_cmp(&b.depth));
    let busy = window.figure(Figure::DiskUtil).or_else(|| busiest.as_ref().map(|queue| queue.busy));
    if let Some(busy) = busy {
        if busy < 0.5 && share < 0.5 {
            return None;
        }
        let weight = if busy < 0.5 { -1.0 } else { grade(busy, 0.5, 0.9) };
        case.weigh(
            weight,
            case.measured("part of the step in which the device was busy", "disk_util", Quantity::ratio(busy)),
        );
    }
    if let Some(queue) = busiest.filter(|queue| queue.busy > 0.0) {
        let depth = queue.depth / queue.busy;
        let source = format!("weighted_io_ms / io_ms of {}", queue.disk);
        let evidence = case.held(
            "requests in flight at the device while it was busy",
            &source,
            Quantity::count(depth),
            Relation::Near,
            Quantity::count(1.0),
        );
        // A longer queue there may be others': it makes this less sure, not wrong.
        case.weigh(if depth > 1.5 { -1.5 * grade(depth, 1.5, 3.0) } else { grade(depth, 1.5, 1.1) }, evidence);
    }
    weigh_other_steps(window, &mut case);
    let statement = format!(
        "One request at a time: {} x {} per request = {depth:.2} s/s, so the latency of the device sets the rate, not its limits.",
        Quantity::new(iops, Unit::PerSecond),
        Quantity::new(latency, Unit::Nanos),
    );
    case.close(statement, advice())
}

/// Another step that got more out of the same device shows that its limit was not reached.
fn weigh_other_steps(window: &Window<'_>, case: &mut Case) {
    let rate = |step: &pagetide_core::StepResult| {
        let requests = step.get(Figure::DiskReads)? + step.get(Figure::DiskWrites).unwrap_or(0.0);
        Some(requests / (step.get(Figure::Elapsed).filter(|elapsed| *elapsed > 0.0)? / 1e9))
    };
    let Some(own) = window.step.and_then(rate) else { return };
    let best = window.recording.steps().filter_map(|step| Some((step, rate(step)?))).max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((step, best)) = best.filter(|(_, best)| *best > own * 1.3) {
        let evidence = case.held(
            &format!("requests per second that the device did in step {}", step.id),
            "(disk_reads + disk_writes) / elapsed",
            Quantity::new(best, Unit::PerSecond),
            Relation::Above,
            Quantity::new(own, Unit::PerSecond),
        );
        case.weigh(0.6 * grade(best / own, 1.0, 2.0), evidence);
    }
}

/// How a disk was used over a window.
struct Queue<'a> {
    disk: &'a str,
    /// Mean requests in flight.
    depth: f64,
    /// Part of the time in which there was one at least.
    busy: f64,
}

fn queue<'a>(window: &Window<'_>, disk: &'a str) -> Option<Queue<'a>> {
    let depth = window.rate(Table::Disk, disk, "weighted_io_ms")? / 1e3;
    let busy = window.rate(Table::Disk, disk, "io_ms")? / 1e3;
    Some(Queue { disk, depth, busy })
}

fn of_disks(window: &Window<'_>) -> Option<Finding> {
    let found = window.disks().into_iter().filter_map(|disk| of_disk(window, disk));
    found.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

fn of_disk(window: &Window<'_>, disk: &str) -> Option<Finding> {
    let queue = queue(window, disk)?;
    let reads = window.rate(Table::Disk, disk, "reads")?;
    let writes = window.rate(Table::Disk, disk, "writes").unwrap_or(0.0);
    let excess = queue.depth / queue.busy;
    let size = window.rate(Table::Disk, disk, "read_sectors")? * 512.0 / reads;
    if reads < 20.0 || queue.busy < 0.7 || excess > 1.15 || writes > reads * 0.1 || size > SMALL {
        return None;
    }
    let latency = queue.depth / (reads + writes) * 1e9;
    let mut case = Case::new(RULE.doc.id, window);
    case.during(window.when(Of::disk(disk, &["io_ms"])));
    case.blame("disk", disk);
    if let Some(who) = process::fastest(window, &["read_bytes"]).filter(|who| who.amount >= reads * size * 0.5) {
        case.blame("process", who.comm);
    }
    let source = |what: &str| format!("{what} of {disk}");
    case.weigh(
        2.0 * grade(queue.busy, 0.5, 0.95),
        case.measured(
            "part of the time in which the device was busy",
            &source("rate of io_ms"),
            Quantity::ratio(queue.busy),
        ),
    );
    case.weigh(
        2.0 * grade(excess, 1.15, 1.0),
        case.held(
            "requests in flight while it was busy",
            &source("weighted_io_ms / io_ms"),
            Quantity::count(excess),
            Relation::Near,
            Quantity::count(1.0),
        ),
    );
    let most = window.recording.disk(disk, "reads")?.rates().into_iter().map(|(.., rate)| rate).fold(0.0, f64::max);
    if most > reads * 1.3 {
        case.weigh(
            grade(most / reads, 1.3, 3.0),
            case.held(
                "most reads per second that the device did in this recording",
                &source("rate of reads"),
                Quantity::new(most, Unit::PerSecond),
                Relation::Above,
                Quantity::new(reads, Unit::PerSecond),
            ),
        );
    }
    let statement = format!(
        "{disk} has one request in flight at a time: {} of {} each, so its latency sets the rate, not its limits.",
        Quantity::new(reads, Unit::PerSecond),
        Quantity::new(latency, Unit::Nanos),
    );
    case.close(statement, advice())
}

fn advice() -> Vec<Advice> {
    vec![advise(
        "Send more requests at a time, or make the data fit in the page cache.",
        None,
        "The rate grows with the number of requests in flight until the device's own limit; each request takes longer near it.",
        None,
    )]
}

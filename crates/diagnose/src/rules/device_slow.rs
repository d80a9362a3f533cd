//! `device-slow`: a device takes longer for the same work than it did.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::window::Window;
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "device-slow",
        title: "A device takes longer for each request than it did, and was not asked for more",
        meaning: "The device itself is the cause: it is worn, limited, rebuilding, or shared with somebody outside of this host. Everything that needs it \
                  waits.",
        evidence: "The time per request (read_ms + write_ms over reads + writes, or await) is at least three times what it was before, while the device \
                   completes no more requests and no more bytes per second than before and the requests are not larger. Without a time before: at \
                   least 50 ms per request with no more than 1.5 requests in flight while it was busy, which is more than a seek and a turn of any disk take, and tasks that wait for IO (psi_io_some).",
        why: "By Little's law the time of a request is the queue over the rate. A queue that grows because more is asked for comes with a higher rate; one \
              that grows while the rate falls means that the device does less.",
        otherwise: "Requests of another kind (small random ones after large sequential ones, flushes, discards) take longer on a device that is well. \
                    A program that writes synchronously beside a reader may lengthen its queue at a falling rate of reads.",
        advice: "Look at the device's own health and limits, and at who else uses what lies below it.",
        kernel: "block/blk-mq.c: blk_mq_end_request, blk_account_io_done; block/genhd.c: diskstats_show.",
    },
    name: "a slow device",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &[],
    decides: "The device's own latency below the block layer (its health, the storage's or the cloud volume's own figures) at the same time.",
    examine,
};

/// A seek over the whole disk and a turn of 5400 rpm take 30 ms at most.
const MECHANICAL: f64 = 50e6;
/// Requests per second below which a mean says nothing.
const FEW: f64 = 2.0;

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return None;
    }
    let found = window.disks().into_iter().filter_map(|disk| of_disk(window, disk));
    found.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

/// What a disk did over a stretch.
struct Work {
    /// Time per request, ns.
    wait: f64,
    /// Requests per second.
    requests: f64,
    /// Bytes per second.
    bytes: f64,
}

fn work(window: &Window<'_>, disk: &str) -> Option<Work> {
    let requests = window
        .rates(Table::Disk, disk, &["reads", "writes"])
        .or_else(|| window.rate(Table::Disk, disk, "reads_writes"))
        .filter(|requests| *requests >= FEW)?;
    let bytes = window.rates(Table::Disk, disk, &["read_sectors", "write_sectors"])? * 512.0;
    Some(Work { wait: window.wait(disk)?, requests, bytes })
}

fn of_disk(window: &Window<'_>, disk: &str) -> Option<Finding> {
    // Most stretches are told from the stretch alone, without a look at the whole recording.
    let before = window.before().and_then(|quiet| quiet.wait(disk));
    if window.wait(disk)? < before.map_or(MECHANICAL * 0.2, |before| before * 1.2) {
        return None;
    }
    let during = window.when(Of::waits(disk));
    let at_it = Window { from: during.0, to: during.1, ..*window };
    let now = work(&at_it, disk)?;
    let nanos = |value| Quantity::new(value, Unit::Nanos);
    let mut case = Case::new(RULE.doc.id, window);
    case.during(during);
    case.blame("disk", disk);
    let source = format!("(read_ms + write_ms) / (reads + writes), or await, of {disk}");
    let usual = window.until(during.0).and_then(|quiet| work(&quiet, disk));
    let waited = at_it.host_rate(&["psi_io_some"]).map(|micros| micros / 1e6);
    match &usual {
        Some(usual) => {
            let more = (now.requests / usual.requests).max(now.bytes / usual.bytes);
            let larger = (now.bytes / now.requests) / (usual.bytes / usual.requests);
            if now.wait < usual.wait * 3.0 || now.wait < 1e6 || more > 1.2 || larger > 2.0 {
                return None;
            }
            case.weigh(
                1.0 + 1.5 * grade((now.wait / usual.wait).ln(), 3f64.ln(), 20f64.ln()),
                case.held("time of a request", &source, nanos(now.wait), Relation::Above, nanos(usual.wait)),
            );
            case.weigh(
                1.5 * grade(more, 1.2, 0.8),
                case.held(
                    "requests completed per second",
                    &format!("reads + writes of {disk}"),
                    Quantity::new(now.requests, Unit::PerSecond),
                    Relation::Near,
                    Quantity::new(usual.requests, Unit::PerSecond),
                ),
            );
        }
        None => {
            // While it was busy: a burst of writeback is deep and short.
            let queue = at_it.queue(disk)? / at_it.busy(disk).filter(|busy| *busy > 0.0)?;
            if now.wait < MECHANICAL || queue > 1.5 || waited.is_some_and(|waited| waited < 0.01) {
                return None;
            }
            case.weigh(
                1.0 + grade(now.wait, MECHANICAL, MECHANICAL * 4.0),
                case.held("time of a request", &source, nanos(now.wait), Relation::Above, nanos(MECHANICAL)),
            );
            case.weigh(
                0.5,
                case.measured(
                    "requests in flight while it was busy",
                    &format!("weighted_io_ms / io_ms of {disk}"),
                    Quantity::count(queue),
                ),
            );
        }
    }
    if let Some(waited) = waited {
        let evidence =
            case.measured("part of the time in which tasks waited for IO", "psi_io_some", Quantity::ratio(waited));
        case.weigh(if waited < 0.01 { -1.0 } else { grade(waited, 0.01, 0.2) }, evidence);
    }
    let before = usual.map_or(String::new(), |usual| {
        format!(
            " instead of {}, at {} requests a second instead of {}",
            nanos(usual.wait),
            Quantity::count(now.requests.round()),
            Quantity::count(usual.requests.round())
        )
    });
    let statement = format!("{disk} became slow: {} per request{before}. It was not asked for more.", nanos(now.wait));
    let command = format!("smartctl -a /dev/{disk}; cat /sys/block/{disk}/queue/scheduler");
    case.close(
        statement,
        vec![advise(
            "Look at the health and the limits of the device: errors, a rebuild of its array, a spent burst of a cloud volume, other guests of the same storage.",
            Some(&command),
            "Only reads; it says what the device and the kernel know of it.",
            None,
        )],
    )
}

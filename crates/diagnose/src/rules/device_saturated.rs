//! `device-saturated`: a device has more requests than it can do, as a cause or as a victim.

use super::{Role, Rule, Scope, stream_floods_cache};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::window::{REFAULTED, Window};
use pagetide_core::{Evidence, Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "device-saturated",
        title: "A device is busy all the time and requests queue up in front of it",
        meaning: "The device always has work and more is waiting, so that every request takes longer than the device needs for it. Whether it \
                  is the cause or a victim depends on what it reads: a device that only brings back evicted pages suffers from what evicted them.",
        evidence: "Busy (rate of io_ms, or util) at least 90 % of the time with at least two requests in flight on average (rate of \
                   weighted_io_ms, or queue_depth). It is called a victim when another device floods the page cache in the same stretch, or when \
                   refaults make up at least half of what it reads.",
        why: "Requests arrive faster than they are done. Latency is then the queue divided by the rate (Little's law).",
        otherwise: "A device that works on many requests in parallel (SSD, RAID) is busy all the time long before its limit: look whether its rate \
                    still grows with the queue. A limit of a cloud volume looks the same as a slow device.",
        advice: "For a victim, stop what evicts its pages. For a cause, fewer or larger requests, or a faster device.",
        kernel: "block/blk-core.c: update_io_ticks; block/genhd.c: diskstats_show.",
    },
    name: "a saturated device",
    role: Role::Effect,
    scope: Scope::Busy,
    shown_by: &["ssd-stream-starves-raid"],
    decides: "The rate of the device at a longer queue: when it grows, the limit was not reached.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return None;
    }
    let found = window.disks().into_iter().filter_map(|disk| of_disk(window, disk));
    found.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

fn of_disk(window: &Window<'_>, disk: &str) -> Option<Finding> {
    let (busy, queue) = (window.busy(disk)?, window.queue(disk)?);
    if busy < 0.9 || queue < 2.0 {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    case.during(window.when(Of::disk(disk, &["io_ms"])));
    case.blame("disk", disk);
    let of = |what: &str| format!("{what} of {disk}");
    case.weigh(
        1.0 + grade(busy, 0.9, 0.98),
        case.measured("part of the time in which it was busy", &of("rate of io_ms, or util"), Quantity::ratio(busy)),
    );
    case.weigh(
        1.5 * grade(queue, 1.5, 6.0),
        case.held(
            "requests in flight",
            &of("rate of weighted_io_ms, or queue_depth"),
            Quantity::count(queue),
            Relation::Above,
            Quantity::count(1.0),
        ),
    );
    if let Some(usual) = window.before().and_then(|quiet| quiet.busy(disk)) {
        let evidence =
            case.held("the same before", &of("busy"), Quantity::ratio(usual), Relation::Below, Quantity::ratio(busy));
        case.weigh(grade(usual / busy, 0.9, 0.4), evidence);
    }
    let flood = stream_floods_cache::origin(window).filter(|origin| origin.disk != disk);
    let read = window.rate(Table::Disk, disk, "read_sectors").map(|sectors| sectors * 512.0);
    let refaulted = window.host_rate(REFAULTED).map(|pages| pages * window.page_size());
    let rate = |value| Quantity::new(value, Unit::BytesPerSecond);
    let part = match (flood, read, refaulted) {
        (Some(origin), ..) => {
            let evidence =
                case.measured(&format!("bytes read from {} meanwhile", origin.disk), "read_sectors", rate(origin.rate));
            case.note(Evidence { against: read.map(|read| (Relation::Above, rate(read))), ..evidence });
            format!("a victim of the stream from {}", origin.disk)
        }
        (None, Some(read), Some(refaulted)) if read > 0.0 && refaulted >= read * 0.5 => {
            case.note(case.held(
                "read back after eviction",
                "workingset_refault_file",
                rate(refaulted),
                Relation::Near,
                rate(read),
            ));
            "a victim of eviction: it mostly reads back what was cached before".to_owned()
        }
        _ => "nothing that was recorded makes it a victim of others".to_owned(),
    };
    let statement = format!(
        "{disk} is saturated: busy {} of the time with {queue:.1} requests in flight; {part}.",
        Quantity::ratio(busy)
    );
    let advice = advise(
        "If it is a victim, stop what evicts the pages it reads; else ask less of it.",
        None,
        "A faster device for a victim treats the effect and leaves the cause.",
        None,
    );
    case.close(statement, vec![advice])
}

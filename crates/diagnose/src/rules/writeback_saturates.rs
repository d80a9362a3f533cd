//! `writeback-saturates-disk`: the flusher keeps a device so busy that reads wait behind it.

use super::{Role, Rule, Scope, dirty_throttled};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::Window;
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "writeback-saturates-disk",
        title: "Writeback keeps a device busy, and reads wait behind it",
        meaning: "Dirty pages of one writer are sent to the device as fast as it takes them, and whoever reads from the same device, or faults, waits in \
                  the same queue.",
        evidence: "The device is busy at least 90 % of the time, at least two thirds of its bytes are writes, at 0.3 times or more of the rate of \
                   writeback (nr_written). Somebody reads from it as well, and a read takes at least three times as long as before (read_ms per read), or \
                   at least 10 ms when nothing is known of before.",
        why: "The flusher has many requests in flight and a reader has one; a device that takes them in turn serves the reader at the end of a long queue.",
        otherwise: "Direct or synchronous writes fill the queue in the same way and are no writeback: nr_written then stays behind the writes of the device.",
        advice: "Let less be dirty at a time, or put the writer's files on another device.",
        kernel: "fs/fs-writeback.c: wb_writeback, writeback_chunk_size; block/blk-wbt.c: wbt_wait; mm/page-writeback.c: wb_over_bg_thresh.",
    },
    name: "writeback",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &["buffered-write"],
    decides: "The queue of the device by kind of request: `perf trace -e block:block_rq_issue`: most are writes of the kernel's flusher threads.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return None;
    }
    let (disk, _) = dirty_throttled::writing(window)?;
    // Most stretches are told from the stretch alone, without a look at the whole recording.
    if window.busy(disk)? < 0.3 || window.host_rate(&["nr_written"])? <= 0.0 {
        return None;
    }
    let during = window.when(Of::disk(disk, &["write_sectors"]));
    let at_it = Window { from: during.0, to: during.1, ..*window };
    let sectors = |metric: &str| at_it.rate(Table::Disk, disk, metric).map(|sectors| sectors * 512.0);
    let (written, read) = (sectors("write_sectors")?, sectors("read_sectors")?);
    let busy = at_it.busy(disk)?;
    let flushed = at_it.host_rate(&["nr_written"])? * window.page_size();
    let wait = read_wait(&at_it, disk)?;
    let quiet = window.until(during.0);
    let usual = quiet.and_then(|quiet| read_wait(&quiet, disk));
    let slow = usual.map_or(wait >= 10e6, |usual| wait >= usual * 3.0 && wait >= 1e6);
    if busy < 0.9 || written < (written + read) * 0.66 || flushed < written * 0.3 || !slow {
        return None;
    }
    let rate = |value| Quantity::new(value, Unit::BytesPerSecond);
    let mut case = Case::new(RULE.doc.id, window);
    case.during(window.led_up_to(during, Of::host(&["nr_dirtied"])));
    if let Some(who) = process::fastest(&at_it, &["write_bytes"]) {
        case.note(case.measured(&format!("bytes that {} dirtied", who.words()), "write_bytes", rate(who.amount)));
        case.blame("process", who.comm);
    }
    case.blame("disk", disk);
    case.weigh(
        1.0 + grade(flushed / written, 0.3, 0.9),
        case.held("written back", "nr_written * page size", rate(flushed), Relation::Near, rate(written)),
    );
    case.weigh(
        grade(busy, 0.9, 0.98),
        case.measured("part of the time in which it was busy", &format!("io_ms of {disk}"), Quantity::ratio(busy)),
    );
    let mut waited =
        case.measured("time of a read", &format!("read_ms / reads of {disk}"), Quantity::new(wait, Unit::Nanos));
    waited.against = usual.map(|usual| (Relation::Above, Quantity::new(usual, Unit::Nanos)));
    case.weigh(usual.map_or(0.5, |usual| 0.5 + 1.5 * grade((wait / usual).ln(), 3f64.ln(), 20f64.ln())), waited);
    let before = usual.map_or(String::new(), |usual| format!(" instead of {}", Quantity::new(usual, Unit::Nanos)));
    let statement = format!(
        "Writeback of {} keeps {disk} busy {} of the time, and a read takes {}{before}.",
        rate(flushed),
        Quantity::ratio(busy),
        Quantity::new(wait, Unit::Nanos)
    );
    case.close(
        statement,
        vec![advise(
            "Let less be dirty at a time, so that the flusher's bursts are short.",
            Some("sysctl -w vm.dirty_background_bytes=67108864 vm.dirty_bytes=268435456"),
            "Reads wait less; writers are throttled earlier and run at the speed of the device.",
            Some("sysctl -w vm.dirty_background_ratio=10 vm.dirty_ratio=20"),
        )],
    )
}

/// The mean time of a read of a disk with its queue, ns.
fn read_wait(window: &Window<'_>, disk: &str) -> Option<f64> {
    let reads = window.rate(Table::Disk, disk, "reads").filter(|reads| *reads >= 1.0)?;
    Some(window.rate(Table::Disk, disk, "read_ms")? / reads * 1e6)
}

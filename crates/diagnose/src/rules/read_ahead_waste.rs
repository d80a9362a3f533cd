//! `read-ahead-waste`: the device reads much more than anybody asked for.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::{REFAULTED, Window};
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "read-ahead-waste",
        title: "Readahead reads much that nobody asks for",
        meaning: "Random accesses bring in their neighbours as well. The device is busy with bytes that are evicted before anybody uses them, and they take the place of what is used.",
        evidence: "The process that reads most has the devices read at least twice what it asks for with read calls (read_bytes against rchar), so that half of it or more is in vain, at 1 % of \
                   memory a minute or more. Of a process that asks with page faults: at least 64 pages per major fault, with refaults of at least a \
                   tenth of what is read. Requests of the device of at least 64 KiB and a large read_ahead_kb speak for it.",
        why: "A read that looks sequential, and every fault in a mapping that is not marked as random, reads a window around itself: up to read_ahead_kb.",
        otherwise: "A sequential reader is ahead of itself by one window only, so that what it had read and what it asks for stay together.",
        advice: "Make readahead smaller on this device, or have the program say that it reads at random.",
        kernel: "mm/readahead.c: page_cache_ra_order, ondemand_readahead; mm/filemap.c: do_sync_mmap_readahead.",
    },
    name: "wasted readahead",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &[],
    decides: "The same work with read_ahead_kb=0: the bytes that the device reads fall and the work gets no slower.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return None;
    }
    let memory = window.memory()?;
    let reader = process::fastest(window, &["read_bytes"]).filter(|who| who.amount * 60.0 >= memory * 0.01)?;
    let page = window.page_size();
    // What comes from swap is asked for by no read call.
    if window.host_rate(&["pswpin"]).is_some_and(|pages| pages * page >= reader.amount * 0.5) {
        return None;
    }
    let asked = window.rate(Table::Process, reader.name, "rchar").unwrap_or(0.0);
    let faulted = window.rate(Table::Process, reader.name, "majflt").unwrap_or(0.0);
    let refaulted = window.host_rate(REFAULTED).map_or(0.0, |pages| pages * page);
    let by_faults = faulted * page > asked;
    let (used, source, least) =
        if by_faults { (faulted * page, "majflt * page size", 64.0) } else { (asked, "rchar", 2.0) };
    if used <= 0.0 || reader.amount < used * least || by_faults && refaulted < reader.amount * 0.1 {
        return None;
    }
    let rate = |value| Quantity::new(value, Unit::BytesPerSecond);
    let mut case = Case::new(RULE.doc.id, window);
    let disks = window.disks().into_iter();
    let disk = disks
        .filter_map(|disk| {
            Some((disk, window.rate(Table::Disk, disk, "read_sectors")?, window.rate(Table::Disk, disk, "reads")?))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|(_, sectors, _)| *sectors > 0.0);
    if let Some((disk, ..)) = disk {
        case.during(window.when(Of::disk(disk, &["read_sectors"])));
    }
    case.blame("process", reader.comm);
    let times = reader.amount / used;
    case.weigh(
        1.0 + 1.5 * grade(times.ln(), least.ln(), (least * 8.0).ln()),
        case.held(
            &format!("bytes that devices read for {}", reader.words()),
            &format!("read_bytes against {source}"),
            rate(reader.amount),
            Relation::Above,
            rate(used),
        ),
    );
    if let Some((disk, sectors, reads)) = disk.filter(|(.., reads)| *reads > 0.0) {
        case.blame("disk", disk);
        let size = sectors * 512.0 / reads;
        let evidence = case.measured(
            "size of a read",
            &format!("read_sectors / reads of {disk}"),
            Quantity::new(size, Unit::Bytes),
        );
        case.weigh(if size < 16.0 * 1024.0 { -1.5 } else { grade(size, 32e3, 128e3) }, evidence);
        let manifest = &window.recording.manifest;
        let ahead = manifest.disks.iter().find(|known| known.name == disk).and_then(|known| known.read_ahead);
        if let Some(ahead) = ahead {
            case.weigh(
                if ahead.as_f64() > 131_072.0 { 0.5 } else { 0.0 },
                case.measured("readahead of the device", "read_ahead_kb", Quantity::bytes(ahead)),
            );
        }
    }
    if refaulted > 0.0 {
        case.note(case.measured("read back after eviction", "workingset_refault_file * page size", rate(refaulted)));
    }
    let statement = format!(
        "The devices read {} for {}, which asked for {}: {times:.0} times as much.",
        rate(reader.amount),
        reader.words(),
        rate(used)
    );
    let command = format!("blockdev --setra 32 /dev/{}", disk.map_or("DISK", |disk| disk.0));
    case.close(
        statement,
        vec![advise(
            "Make readahead smaller, or have the program call posix_fadvise or madvise with RANDOM.",
            Some(&command),
            "Random reads bring in 16 KiB at most; sequential readers of the same device get slower.",
            Some("blockdev --setra 256 /dev/DISK, which is the usual 128 KiB"),
        )],
    )
}

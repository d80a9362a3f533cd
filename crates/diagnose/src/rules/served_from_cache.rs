//! `served-from-cache`: the page cache answers, the device rests.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::process;
use crate::window::Window;
use pagetide_core::{Figure, Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "served-from-cache",
        title: "Reads are answered by the page cache",
        meaning: "What is read lies in the page cache, so hardly any request reaches the device. The rate measures memory and \
                  CPU, not the device.",
        evidence: "Of a step that only reads: cache_hit_ratio (one less device bytes per requested byte) of at least 90 %. \
                   Of a live recording: a process whose read calls (rchar of /proc/PID/io) ask for at least 16 MiB/s and ten times \
                   what all devices read; rchar also counts pipes and sockets, so this is weaker. Of what a process rose in an \
                   interval in which another one ended, what that one had read is taken off: the kernel adds the IO of a \
                   child to its parent when the parent has waited for it. Requests that are faster \
                   than the device ever was speak for it.",
        why: "A page that was read stays in the page cache until memory is needed for something else. The next read copies it.",
        otherwise: "Requests for holes of a file or for tmpfs also need no device. With O_DIRECT the page cache is passed by and \
                    every request reaches the device.",
        advice: "Nothing, if this is what production does. A benchmark that is to measure the device must drop the caches, use \
                 O_DIRECT, or read more than fits.",
        kernel: "mm/filemap.c: filemap_read, filemap_get_pages; fs/proc/base.c: do_io_accounting.",
    },
    name: "reads served from the cache",
    role: Role::Benign,
    scope: Scope::Busy,
    shown_by: &["second-read"],
    decides: "The reads of the device while the same work runs.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() { of_step(window) } else { of_processes(window) }
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let hits = window.figure(Figure::CacheHitRatio)?;
    let issued = window.figure(Figure::Issued)?;
    if hits < 0.9 || issued < 100.0 {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    case.weigh(
        4.0 * grade(hits, 0.88, 0.99),
        case.measured("part of the requested bytes that no device read", "cache_hit_ratio", Quantity::ratio(hits)),
    );
    let reads = window.figure(Figure::DiskReads);
    if let Some(reads) = reads {
        let evidence = case.held(
            "reads of the device",
            "disk_reads",
            Quantity::count(reads),
            Relation::Below,
            Quantity::count(issued),
        );
        // Reads of others count here too, so that many of them only make it less sure.
        case.weigh(if reads > issued { -2.0 } else { 2.0 * grade(reads / issued, 0.5, 0.01) }, evidence);
    }
    if let (Some(cached), Some(size)) = (window.figure(Figure::CachedBefore), window.quantity(Figure::FileBytes)) {
        case.note(case.held(
            "part of the file that was cached before",
            "cached_before",
            Quantity::new(cached, Unit::Bytes),
            Relation::Near,
            size,
        ));
    }
    let rate = window.quantity(Figure::Iops).map_or(String::new(), |iops| format!(" at {iops}"));
    let reached = reads.map_or(String::new(), |reads| {
        format!("{} of {} requests reached the device: ", Quantity::count(reads), Quantity::count(issued))
    });
    let statement = format!("{reached}the page cache served {}{rate}.", Quantity::ratio(hits));
    case.close(statement, advice())
}

fn of_processes(window: &Window<'_>) -> Option<Finding> {
    let seconds = window.seconds()?;
    let much = |bytes: f64| bytes / seconds >= 16.0 * 1024.0 * 1024.0;
    // What it read itself of that can only be less.
    let rose = |(name, _): &(&str, &str)| own_reads(window, name, &[]).is_some_and(much);
    let readers: Vec<(&str, &str)> = process::present(window).filter(rose).collect();
    if readers.is_empty() {
        return None;
    }
    let ended = ended(window);
    let (process, label, asked) = readers
        .into_iter()
        .filter_map(|(name, label)| Some((name, label, own_reads(window, name, &ended)?)))
        .max_by(|a, b| a.2.total_cmp(&b.2))
        .filter(|(.., bytes)| much(*bytes))
        .map(|(name, label, bytes)| (name, label, bytes / seconds))?;
    let disks = window.disks();
    let sectors: Vec<f64> = disks.iter().filter_map(|disk| window.rate(Table::Disk, disk, "read_sectors")).collect();
    let read = (!sectors.is_empty()).then(|| sectors.iter().sum::<f64>() * 512.0)?;
    if read * 10.0 > asked {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    case.weigh(
        2.0 * grade(read / asked, 0.2, 0.01),
        case.held(
            "bytes per second that all devices read",
            "sum of the rates of read_sectors",
            Quantity::new(read, Unit::BytesPerSecond),
            Relation::Below,
            Quantity::new(asked, Unit::BytesPerSecond),
        ),
    );
    case.note(case.measured(
        "bytes per second that it asked for",
        &format!("rate of rchar of {process}"),
        Quantity::new(asked, Unit::BytesPerSecond),
    ));
    let statement = format!(
        "{label} ({process}) read {} while the devices read {}: the page cache served the rest.",
        Quantity::new(asked, Unit::BytesPerSecond),
        Quantity::new(read, Unit::BytesPerSecond),
    );
    case.close(statement, advice())
}

/// The processes that ended before the recording did: the moment of their last sample, and what they had read by then.
fn ended<'a>(window: &Window<'a>) -> Vec<(&'a str, i64, i64)> {
    let last = |(name, _): (&'a str, _)| {
        let (at, read) = window.recording.series(Table::Process, name, "rchar")?.points().next_back()?;
        window.recording.stamps().last().is_some_and(|stamp| stamp.boot_ns > at).then_some((name, at, read))
    };
    window.recording.entities(Table::Process).filter_map(last).collect()
}

/// Bytes that a process read itself in the window. When a parent has waited for a child that ended, the kernel adds all that
/// the child had read to the parent (`kernel/exit.c:wait_task_zombie`). A recording does not say who is whose parent, so
/// what others had read is taken off in the interval in which they ended, as far as the process rose by as much.
fn own_reads(window: &Window<'_>, process: &str, ended: &[(&str, i64, i64)]) -> Option<f64> {
    let series = window.recording.series(Table::Process, process, "rchar")?.around(window.from, window.to);
    let points: Vec<(i64, i64)> = series.points().collect();
    let own = |from: i64, to: i64, rise: i64| {
        let children = ended.iter().filter(|(name, last, _)| (from..to).contains(last) && *name != process);
        children.fold(rise, |own, (.., read)| if *read <= own { own - read.max(&0) } else { own })
    };
    let rises = points.windows(2).filter_map(|pair| {
        let ((from, before), (to, after)) = (pair[0], pair[1]);
        let rise = after.checked_sub(before).filter(|rise| *rise >= 0)?;
        Some(own(from, to, rise) as f64)
    });
    (points.len() > 1).then(|| rises.sum())
}

fn advice() -> Vec<pagetide_core::Advice> {
    vec![advise(
        "To measure the device and not memory, drop the caches before the run or read with O_DIRECT.",
        Some("sync; echo 3 > /proc/sys/vm/drop_caches"),
        "The next reads of everybody on the host go to the devices until the cache is filled again.",
        None,
    )]
}

//! `served-from-cache`: the page cache serves the reads, and the device rests.

use crate::actors::process;
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Count, Limit, Per, Rate, grade};
use crate::measure::window::{Window, stored};
use crate::rules::contract::{Role, Rule};
use pagetide_core::derived;
use pagetide_core::{Advice, Bytes, Figure, Finding, Ratio, Relation, RuleDoc, RuleId, Series, Table};

pub(crate) const RULE: Rule = Rule {
    name: "reads served from the cache",
    role: Role::Benign,
    scenarios: &["second-read"],
    deciding_test: "The reads of the device while the same work runs.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::ServedFromCache,
            title: "The page cache serves the reads",
            meaning: "What the program reads is in the page cache, so almost no request reaches the device. The rate measures memory and \
                      CPU, not the device.",
            evidence: "Of a step that only reads: cache_hit_ratio (1 - device bytes per requested byte) is high. Of a live recording: one \
                process requests much with read calls (rchar of /proc/PID/io), many times what all devices read, and writes less than half as \
                much. rchar also counts pipes, sockets and devices such as /dev/zero, so this evidence is weaker. When a child exits, the kernel \
                adds its IO to the parent; the rule subtracts it.",
            metrics: &["rchar", "read_sectors", "write_bytes"],
            thresholds: &[HITS.doc(), RATE.doc(), TIMES.doc(), COPIES.doc()],
            why: "A page that was read stays in the page cache until reclaim evicts it. The next read copies it from there.",
            alternatives: "Reads of file holes or tmpfs need no device either. O_DIRECT bypasses the page cache, so every request reaches the \
                device.",
            advice: "Nothing, if production does the same. A benchmark of the device must drop the caches, use \
                     O_DIRECT, or read more than fits.",
            mglru: "Not used: the rule compares reads of programs with reads of devices.",
            kernel: "Linux 6.12: mm/filemap.c: filemap_read, filemap_get_pages; fs/proc/base.c: do_io_accounting.",
        },
        examine,
    )
};

const HITS: Limit<Ratio> = Limit::new(
    "share of the requested bytes that no device read, of a step",
    0.9,
    "With less, the device contributes to the rate.",
    "judgement",
);
const RATE: Limit<Per<Bytes>> = Limit::new(
    "bytes that a process requests, of a live recording",
    16.0 * 1024.0 * 1024.0,
    "Pipes and sockets of idle programs stay below this.",
    "judgement",
);
const TIMES: Limit<Count> = Limit::new(
    "bytes that it requests per byte that the devices read",
    10.0,
    "With less, the device contributes to the rate.",
    "judgement",
);
const COPIES: Limit<Ratio> = Limit::new(
    "bytes it writes to files per byte it requests, of a live recording",
    0.5,
    "With more, it copies or generates data, and its source may not be a file.",
    "judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() { of_step(window) } else { of_processes(window) }
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let hits: Amount<Ratio> = window.figure(Figure::CacheHitRatio)?;
    let issued: Amount<Count> = window.figure(Figure::Issued)?;
    if hits < HITS || issued.get() < 100.0 {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let what = "share of the requested bytes that no device read";
    found.add(4.0 * grade(hits, 0.88, 0.99), what, "cache_hit_ratio", hits);
    let reads = window.figure(Figure::DiskReads);
    if let Some(reads) = reads {
        // Reads of others count here too, so that many of them only weaken the finding.
        let weight = if reads > issued { -2.0 } else { 2.0 * grade(reads / issued, 0.5, 0.01) };
        found.compare(weight, "reads of the device", "disk_reads", reads, Relation::Below, issued);
    }
    if let Some((cached, size)) =
        window.figure::<Bytes>(Figure::CachedBefore).zip(window.figure::<Bytes>(Figure::FileBytes))
    {
        found.compare(0.0, "cached bytes of the file before", "cached_before", cached, Relation::Near, size);
    }
    let rate = window.quantity(Figure::Iops).map_or(String::new(), |iops| format!(" at {iops}"));
    let reached = reads.map_or(String::new(), |reads| format!("; {reads} of {issued} requests reached the device"));
    let statement = format!("The page cache served {hits} of the reads{rate}{reached}.");
    found.finish(RuleId::ServedFromCache, statement, advice())
}

fn of_processes(window: &Window<'_>) -> Option<Finding> {
    let length = window.length()?;
    // What a process read itself can only be less.
    let rose = |(name, _): &(&str, &str)| own_reads(window, name, &[]).is_some_and(|bytes| bytes.per(length) >= RATE);
    let readers: Vec<(&str, &str)> = process::present(window).filter(rose).collect();
    if readers.is_empty() {
        return None;
    }
    let ended = ended(window);
    let own = |(name, comm)| Some((name, comm, own_reads(window, name, &ended)?.per(length)));
    let (process, comm, requested): (_, _, Rate<Bytes>) =
        readers.into_iter().filter_map(own).max_by(|a, b| a.2.total_cmp(&b.2)).filter(|(.., rate)| *rate >= RATE)?;
    let read = window.all_disks(|disk| window.disk_bytes(disk, &derived::READ_BANDWIDTH))?;
    let written =
        window.rise::<Bytes>(Table::Process, process, "write_bytes").map_or(Amount::ZERO, |rise| rise.per(length));
    if read * TIMES > requested || written >= requested * COPIES {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let (weight, what) = (2.0 * grade(read / requested, 0.2, 0.01), "bytes per second that all devices read");
    found.compare(weight, what, "sum of the rates of read_sectors", read, Relation::Below, requested);
    found.note("bytes per second that it requested", format!("rate of rchar of {process}"), requested);
    let statement = format!(
        "{comm} (pid {}) reads {requested} while the devices read {read}: the page cache serves the rest.",
        process::pid(process)
    );
    // A host in production is not measured: no command that empties its cache.
    let advice = advise(
        "To measure the device, read with O_DIRECT, or read more than fits in memory.",
        None,
        "Reads reach the device.",
        None,
    );
    found.finish(RuleId::ServedFromCache, statement, vec![advice])
}

/// The processes that ended before the recording did: the moment of their last sample, and what they had read by then.
fn ended<'a>(window: &Window<'a>) -> Vec<(&'a str, i64, i64)> {
    let last = |(name, series): (&'a str, Series<'a>)| {
        let (at, read) = series.points().next_back()?;
        window.recording.stamps().last().is_some_and(|stamp| stamp.boot_ns > at).then_some((name, at, read))
    };
    window.recording.series_within(Table::Process, "rchar", (i64::MIN, i64::MAX)).filter_map(last).collect()
}

/// Bytes that a process read itself in the window. When a parent has waited for a child that ended, the kernel adds all that
/// the child had read to the parent (`kernel/exit.c: wait_task_zombie`, 6.12). A recording does not tell who is whose parent, so
/// what others had read is subtracted in the interval in which they ended, as far as the process rose by as much.
fn own_reads(window: &Window<'_>, process: &str, ended: &[(&str, i64, i64)]) -> Option<Amount<Bytes>> {
    let points: Vec<(i64, i64)> = window.series(Table::Process, process, "rchar")?.points().collect();
    let own = |from: i64, to: i64, rise: i64| {
        let children = ended.iter().filter(|(name, last, _)| (from..to).contains(last) && *name != process);
        children.fold(rise, |own, (.., read)| if *read <= own { own - read.max(&0) } else { own })
    };
    let rises = points.windows(2).filter_map(|pair| {
        let ((from, before), (to, after)) = (pair[0], pair[1]);
        let rise = after.checked_sub(before).filter(|rise| *rise >= 0)?;
        Some(stored(own(from, to, rise)))
    });
    (points.len() > 1).then(|| rises.fold(Amount::ZERO, |sum, rise| sum + rise))
}

fn advice() -> Vec<Advice> {
    vec![advise(
        "To measure the device and not memory, drop the caches before the run or read with O_DIRECT.",
        Some("sync; echo 3 > /proc/sys/vm/drop_caches"),
        "Every program's next reads go to the devices until the cache is filled again.",
        None,
    )]
}

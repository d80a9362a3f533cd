//! `read-ahead-waste`: the device reads far more than the program requests.

use crate::actors::process;
use crate::evidence::threshold::TURNOVER;
use crate::evidence::{EvidenceBuilder, advise, word};
use crate::measure::amount::{Amount, Count, Limit, Per, grade, grade_log};
use crate::measure::episodes::SignalSpec;
use crate::measure::onset::SETTINGS_LATE;
use crate::measure::readahead;
use crate::measure::window::{REFAULTED, STOLEN, Window};
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Moment, Ratio, Recording, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "wasted readahead",
    leads_to: &[leads(
        EffectKind::Reads,
        "Each random read also reads its neighbours, which no program requested.",
        "mm/readahead.c: page_cache_ra_unbounded; mm/filemap.c: do_sync_mmap_readahead",
    )],
    subsumes: &[
        subsumes(EffectKind::Reads, &[RuleId::ColdCache, RuleId::StreamFloodsCache]),
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache]),
    ],
    deciding_test: "The same work with read_ahead_kb=0: the device reads fewer bytes, and the work is no slower.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::ReadAheadWaste,
            title: "Readahead reads much more than programs request",
            meaning: "Random accesses also read their neighbours. The device is busy with bytes that are evicted before any program uses them, and that evict pages in use.",
            evidence: "For the process that reads most, the devices read a multiple of what it requests with read calls (read_bytes compared \
                with rchar). More than a readahead window for each call is asynchronous, or fetched by the program in advance (posix_fadvise): the latter if its read \
                calls requested what devices read before. For a process that reads by page faults: more than all its faults can have mapped. Large device requests and a \
                large read_ahead_kb support it.",
            metrics: &[
                "read_bytes",
                "rchar",
                "syscr",
                "majflt",
                "minflt",
                "workingset_refault_file",
                "pswpin",
                "reads",
                "read_sectors",
                "Cached",
                "Buffers",
                "SReclaimable",
                "pgsteal_kswapd",
                "pgsteal_direct",
            ],
            thresholds: &[
                CALLS.doc(),
                WINDOWS.doc(),
                READ.doc(),
                STARTS.doc(),
                LISTED.doc(),
                MAPPED.doc(),
                FAULTS.doc(),
                FAULTED.doc(),
                KEPT.doc(),
                TURNOVER.doc(),
            ],
            why: "A read that looks sequential reads a window around itself, up to read_ahead_kb. So does every fault in a mapping that is not marked as random.",
            alternatives: "A sequential reader is at most one window ahead of itself, so bytes read and bytes requested stay close. rchar omits mmap and asynchronous IO.",
            advice: "Reduce readahead on this device, or let the program declare random access.",
            mglru: "Pages that readahead brought in and nobody used stay in the oldest generation and leave first. The rule measures their share of what was read, with or without MGLRU.",
            kernel: "Linux 6.12: mm/readahead.c: page_cache_ra_order, page_cache_sync_ra; mm/filemap.c: do_sync_mmap_readahead.",
        },
        examine,
    )
};

const CALLS: Limit<Count> = Limit::new(
    "bytes read per byte requested with read calls",
    2.0,
    "Half of what is read is then wasted.",
    "judgement",
);
const WINDOWS: Limit<Count> = Limit::new(
    "readahead windows per read call",
    2.0,
    "A call reads the window around itself and starts the next one. With more, the reads are asynchronous, and rchar omits them.",
    "mm/readahead.c: page_cache_sync_ra, page_cache_async_ra (6.12)",
);
const READ: Limit<Per<Bytes>> = Limit::new(
    "bytes that devices read for the program before, at least, to tell that it reads by read calls",
    16_384.0,
    "With less, what it read when it started tells nothing.",
    "judgement",
);
const STARTS: Limit<Ratio> = Limit::new(
    "bytes read by a starting program, as a share of memory",
    0.05,
    "It faults in its own code and its libraries.",
    "judgement",
);
const LISTED: Limit<Ratio> = Limit::new(
    "growth of reclaimable slab per byte read, below which the reads are file data",
    0.5,
    "A program that lists files reads inodes and directories. No read call requests them, and slab keeps them.",
    "fs/ext4/inode.c: __ext4_get_inode_loc (6.12), and judgement",
);
const MAPPED: Limit<Bytes> = Limit::new(
    "bytes that a page fault maps, at most",
    65_536.0,
    "A fault maps the cached pages around it, 16 of them: what was read beyond that, no program has touched.",
    "mm/memory.c: do_fault_around, fault_around_pages (6.12)",
);
const FAULTS: Limit<Count> = Limit::new(
    "bytes read per byte that faults mapped",
    1.25,
    "A fifth of what is read is then wasted at least, and the rest only mapped.",
    "judgement",
);
const FAULTED: Limit<Per<Count>> = Limit::new(
    "major faults of such a reader",
    1.0,
    "With fewer, something else reads for it (madvise with WILLNEED, MAP_POPULATE).",
    "mm/filemap.c: filemap_fault (6.12)",
);
const KEPT: Limit<Ratio> = Limit::new(
    "growth of the cache plus what it replaced, per byte read",
    0.5,
    "O_DIRECT reads, including asynchronous ones, bypass the cache and have no readahead.",
    "mm/filemap.c: generic_file_read_iter (6.12)",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    window.memory()?;
    let reader = process::fastest::<Bytes>(window, &["read_bytes"])
        .filter(|process| window.turnover(process.amount).is_some_and(|share| share >= TURNOVER))?;
    // No read call requests what comes from swap.
    if window.host_bytes(&derived::SWAP_IN).is_some_and(|swapped| swapped >= reader.amount * 0.5) {
        return None;
    }
    // The window of one moment says nothing about a minute, and what bypasses the cache was not read ahead.
    let read = reader.amount.over(window.length()?);
    // What is read from a device without a file system counts as Buffers.
    let buffers = window.host_change("Buffers").unwrap_or(Amount::ZERO);
    let freed = window.host_amount(&STOLEN).unwrap_or(Amount::ZERO);
    let kept = window.host_change("Cached").map(|grown| grown + buffers + freed);
    let least = if process::starts(window, reader.name) { STARTS } else { TURNOVER };
    if read < window.memory()? * least || kept.is_some_and(|kept| kept < read * KEPT) {
        return None;
    }
    if window.host_change("SReclaimable").is_some_and(|grown| grown >= read * LISTED) {
        return None;
    }
    let of_reader = |metric| process::together::<Count>(window, reader.comm, &[metric]);
    let called = Amount::<Per<Bytes>>::new(of_reader("rchar").get());
    let major = of_reader("majflt");
    let faults = major + of_reader("minflt");
    let mapped = Amount::<Per<Bytes>>::new(faults.get() * MAPPED.get());
    let refaulted = window.host_bytes(&REFAULTED).unwrap_or(Amount::ZERO);
    let by_faults = major >= FAULTED && mapped > called;
    let (used, source, least) =
        if by_faults { (mapped, "(majflt + minflt) * 64 KiB", FAULTS) } else { (called, "rchar", CALLS) };
    // What a program that has just started has read around itself it may use later.
    let least = if by_faults && process::starts(window, reader.name) { CALLS } else { least };
    if !used.is_positive() || reader.amount < used * least {
        return None;
    }
    let disk = window.busiest(|disk| {
        window.rate::<Count>(Table::Disk, disk, "reads")?;
        window.disk_bytes(disk, &derived::READ_BANDWIDTH)
    });
    let ahead = disk.and_then(|(disk, _)| readahead::of(window, disk));
    let raised = disk.and_then(|(disk, _)| raise(window.recording, disk));
    // What was read before somebody raised readahead is no effect of that, and no beginning of it.
    if raised.is_some_and(|raised| window.span.to <= raised.from) {
        return None;
    }
    let calls = of_reader("syscr");
    let windows = ahead.filter(|_| !by_faults && calls.is_positive());
    let most = windows.map(|ahead| called + Amount::<Per<Bytes>>::new(calls.get() * ahead.get() * WINDOWS.get()));
    let beyond = most.is_some_and(|most| reader.amount > most);
    if beyond && !reads_by_calls(window, reader.comm) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    if let Some((disk, _)) = disk {
        let when = window.when(SignalSpec::disk(disk, &derived::READ_BANDWIDTH));
        let from = raised.map_or(when.from, |raised| when.from.max(raised.from).min(when.to));
        found.span(Span { from, ..when });
    }
    found.origin(reader.actor(window));
    let times = reader.amount / used;
    let weight = 1.0 + 1.5 * grade_log(times, least.get(), least.get() * 8.0);
    let what = format!("bytes that devices read for {}", reader.words());
    let source = format!("read_bytes compared with {source}");
    found.compare(weight, what, source, reader.amount, Relation::Above, used);
    let reads = |disk| window.rate::<Count>(Table::Disk, disk, "reads").filter(|reads| reads.is_positive());
    if let Some((disk, bytes)) = disk
        && let Some(reads) = reads(disk)
    {
        found.origin(Actor::disk(disk));
        let size = Amount::<Bytes>::new(bytes.get() / reads.get());
        let weight = if size.get() < 16.0 * 1024.0 { -1.5 } else { grade(size, 32e3, 128e3) };
        found.add(weight, "size of a read", format!("read_sectors / reads of {disk}"), size);
        if let Some(ahead) = ahead {
            let weight = if ahead.get() > 131_072.0 { 0.5 } else { 0.0 };
            found.add(weight, "readahead of the device", "read_ahead_kb", ahead);
        }
    }
    if refaulted.is_positive() {
        found.note("refaulted bytes", "workingset_refault_file * page size", refaulted);
    }
    let (read, who, times) = (reader.amount, reader.words(), times.get());
    let statement = if by_faults {
        format!(
            "Page faults of {who} read {read} from the devices and can have mapped {used} of it: readahead reads {times:.1} times as much."
        )
    } else {
        let more = if beyond {
            " Readahead of its read calls alone reads less: it has the kernel fetch data (posix_fadvise, readahead(2)) that it does not read."
        } else {
            ""
        };
        format!("The devices read {read} for {who}, which requested {used}: {times:.1} times as much.{more}")
    };
    if beyond {
        let advice = advise(
            "Find where the program or its library fetches data in advance (prefetch, pre-buffering, WILLNEED), and switch that off for random reads.",
            Some(&format!("strace -f -e trace=fadvise64,readahead,madvise -p {}", process::pid(reader.name))),
            "The command only reads, and slows the program down while it runs.",
            None,
        );
        return found.finish(RuleId::ReadAheadWaste, statement, vec![advice]);
    }
    let name = disk.map_or("DISK", |(disk, _)| disk);
    let device = word(&format!("/dev/{name}"));
    // In sectors; the kernel's default is 128 KiB.
    let set = |ahead: Amount<Bytes>| format!("blockdev --setra {:.0} {device}", ahead.get() / 512.0);
    let put_back = set(ahead.unwrap_or(Amount::new(131_072.0)));
    let before = raised.filter(|raised| Some(raised.to) == ahead).map(|raised| raised.was);
    let advice = match before {
        Some(before) => advise(
            &format!(
                "Put readahead of {name} back to {before}, or let the program call posix_fadvise or madvise with RANDOM."
            ),
            Some(&set(before)),
            "A random read then reads as much as before. Sequential readers of the same device may get slower.",
            Some(&put_back),
        ),
        None => advise(
            "Reduce readahead, or let the program call posix_fadvise or madvise with RANDOM.",
            Some(&set(Amount::new(16_384.0))),
            "A random read then reads at most 16 KiB. Sequential readers of the same device get slower.",
            Some(&put_back),
        ),
    };
    found.finish(RuleId::ReadAheadWaste, statement, vec![advice])
}

/// Whether a program read by read calls before a stretch: what devices read for it beyond these, it has the kernel fetch (readahead(2), posix_fadvise).
/// Asynchronous reads were no calls before either.
fn reads_by_calls(window: &Window<'_>, comm: &str) -> bool {
    let Some(before) = window.baseline().all() else { return false };
    let [read, called] = ["read_bytes", "rchar"].map(|metric| process::together::<Bytes>(&before, comm, &[metric]));
    read >= READ && called <= read * CALLS.get() && read <= called * CALLS.get()
}

/// That somebody raised the readahead of a disk.
#[derive(Debug, Clone, Copy)]
struct Raised {
    /// The earliest moment of it: the change was noted later.
    from: Moment,
    was: Amount<Bytes>,
    to: Amount<Bytes>,
}

/// The last time that somebody raised the readahead of a disk.
fn raise(recording: &Recording, disk: &str) -> Option<Raised> {
    let name = format!("{disk}.queue.read_ahead_kb");
    let bytes = |kib: &str| kib.trim().parse::<u32>().ok().map(|kib| Amount::new(f64::from(kib) * 1024.0));
    let changes = recording.setting_changes().filter(|(_, change)| change.name == name);
    let raises = changes.filter_map(|(at, change)| {
        let from = Moment::new(at).earlier(SETTINGS_LATE);
        Some(Raised { from, was: bytes(change.from)?, to: bytes(change.to)? })
    });
    raises.filter(|raised| raised.was < raised.to).last()
}

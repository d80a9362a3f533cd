//! `stream-floods-cache`: the reads of one device evict the pages of other programs.

use crate::actors::newcomer;
use crate::actors::process;
use crate::actors::stream::{
    self, ANON_MOST, AROUND, COPIES, FAULTING, FREED_LEAST, FREED_MOST, INODES, MOST_OF_READS, NEW, RANDOM,
    REFAULTS_MOST, SWAP_MOST, Stream, USED,
};
use crate::actors::victim::{self, MIN_READS};
use crate::evidence::advice::limit_memory;
use crate::evidence::threshold::{FAULTS, TURNOVER};
use crate::evidence::traced::{self, Traced};
use crate::evidence::{EvidenceBuilder, advise, advise_service};
use crate::measure::amount::{Amount, Rate, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::readahead::WHOLE;
use crate::measure::watermarks;
use crate::measure::window::{SCANNED, Window};
use crate::rules::contract::{EffectKind, Rule, When, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Advice, Bytes, Finding, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "a stream of reads",
    effect: Some(EffectKind::Reads),
    subsumes: &[
        subsumes(EffectKind::Reads, &[RuleId::ReadAheadWaste]),
        subsumes(EffectKind::Reclaim, &[RuleId::OverReclaim]),
        subsumes(EffectKind::Reclaim, &[RuleId::ZoneImbalance]).when(When::OtherProcess),
        subsumes(EffectKind::DirectReclaim, &[RuleId::DirectReclaim]),
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache, RuleId::ColdCache]),
        subsumes(EffectKind::MajorFaults, &[RuleId::CodeThrash]),
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
    ],
    scenarios: &["ssd-stream-starves-raid", "backup-evicts-neighbour"],
    deciding_test: "Bytes read per process (`pidstat -d 1`): one process reads at the device's rate and never reads the same data again.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::StreamFloodsCache,
            title: "A stream of reads evicts the cached pages of other programs",
            meaning: "A program reads more data from one device than memory can hold, and reads it once. Each page of the stream replaces \
                another, so reclaim runs at the rate of the stream and other programs lose their cached files. That program, and the device from which it \
                reads, are the origin, although neither suffers. Devices that read back evicted pages are victims.",
            evidence: "Reclaim runs (pgscan, pgsteal) and frees about as much as one device reads, far more than that device read before. Other \
                programs miss what was evicted: file pages refault, major faults rise, or another device gets busy. Growth of anonymous memory, \
                swap traffic and drop_caches exclude it. So do reads that mostly refault (a working set), unless one program reads sequentially \
                and others read back their pages; and reads of a service that ran before, where no other program and no other device does.",
            metrics: &[
                "read_sectors",
                "pgsteal_kswapd",
                "pgsteal_direct",
                "pgscan_kswapd",
                "pgscan_direct",
                "workingset_refault_file",
                "pgmajfault",
                "pswpin",
                "pswpout",
                "AnonPages",
                "io_ms",
                "read_bytes",
                "drop_pagecache",
            ],
            thresholds: &[
                MOST_OF_READS.doc(),
                NEW.doc(),
                FREED_LEAST.doc(),
                FREED_MOST.doc(),
                REFAULTS_MOST.doc(),
                USED.doc(),
                WHOLE.doc(),
                RANDOM.doc(),
                INODES.doc(),
                COPIES.doc(),
                FAULTING.doc(),
                AROUND.doc(),
                SWAP_MOST.doc(),
                ANON_MOST.doc(),
                TURNOVER.doc(),
                FAULTS.doc(),
                MIN_READS.doc(),
                traced::MIN_SHARE_OF_EVICTOR.doc(),
                traced::MIN_SAMPLED_PAGES.doc(),
            ],
            why: "All devices share one page cache, and every page read enters it, whether or not anything uses it again. A fast device can \
                replace all of memory in seconds, before slower ones have read anything twice.",
            alternatives: "Readers that share a working set larger than memory look alike, except that their reads refault. An O_DIRECT stream \
                bypasses the cache; then something else drives reclaim.",
            advice: "Find the reader (read_bytes of /proc/PID/io), and let it bypass the cache or drop its pages behind itself. In a control \
                group with a memory limit, a stream evicts only its own pages.",
            mglru: "pgscan and pgsteal count the same. A stream read once stays in the oldest generation, and pages used twice survive it more \
                often. A stream that hurts no program is not a cause. Refaults of a victim are counted since Linux 6.5, and only when the group \
                that lost the page reads it back. Reads of the victims (read_bytes, disks) decide.",
            kernel: "Linux 6.12: mm/filemap.c: filemap_add_folio; mm/vmscan.c: balance_pgdat, shrink_inactive_list, inactive_is_low; mm/fadvise.c: generic_fadvise.",
        },
        examine,
    )
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    let stream = stream::of(window).filter(|stream| stream.harmful(window))?;
    let Stream { disk, reader, rate, freed, .. } = stream;
    let mut found = EvidenceBuilder::new(window);
    let flood = window.when(SignalSpec::disk(disk, &derived::READ_BANDWIDTH));
    // It began with the first reads of its reader, into memory that was free then.
    let begun = |process: process::ProcessShare<'_, _>| {
        window.onset(flood).at_rise_of(SignalSpec::rate(Table::Process, process.name, &["read_bytes"]))
    };
    found.span(reader.map_or(flood, begun));
    let off = Amount::<Ratio>::new((freed / rate).get().ln().abs());
    found.compare(0.5 + 1.5 * grade(off, 1.2, 0.2), "bytes freed", "pgsteal * page size", freed, Relation::Near, rate);
    if let Some(baseline) = stream.baseline {
        let weight = 1.5 * grade(rate / baseline.max(Rate::<Bytes>::new(1.0)), 2.0, 20.0);
        let source = format!("read_sectors of {disk}");
        found.compare(weight, "bytes read before the stream", source, baseline, Relation::Below, rate);
    }
    if let Some(refaulted) = stream.refaulted.filter(|_| stream.repeats) {
        found.note(
            "refaulted bytes, read again by the stream's own reader",
            "workingset_refault_file * page size",
            refaulted,
        );
    } else if let Some(refaulted) = stream.refaulted {
        let weight = 1.5 * grade(refaulted / rate, 0.6, 0.2);
        let source = "workingset_refault_file * page size";
        found.compare(weight, "refaulted bytes", source, refaulted, Relation::Below, rate);
    }
    if let Some(scanned) = window.host(&SCANNED) {
        found.note("pages scanned", "pgscan_kswapd + pgscan_direct", scanned);
    }
    add_faults(window, &mut found);
    let mut victims = Vec::new();
    for victim in stream.disks(window) {
        let what = format!("share of time that {} is busy", victim.disk);
        found.compare(0.5, what, "io_ms or util", victim.busy, Relation::Above, victim.baseline);
        victims.push(victim.disk);
    }
    add_memory(window, &mut found);
    let who = reader.map_or_else(String::new, |process| {
        found.add(1.0, format!("bytes that {} read", process.words()), "read_bytes", process.amount);
        found.origin(process.actor(window));
        process.words()
    });
    found.origin(Actor::disk(disk));
    // Where no process shows who reads, devices that write as much show that it may be copied.
    let written = window.all_disks(|disk| window.disk_bytes(disk, &derived::WRITE_BANDWIDTH));
    if let Some(written) = written.filter(|written| reader.is_none() && *written > rate * COPIES.get()) {
        found.contradict(1.0, "bytes that devices write meanwhile, as a copy would", "write_sectors", written);
    }
    let lost = stream.victims(window);
    if let Some(most) = lost.first() {
        let what = format!("bytes that {} reads from devices", most.comm);
        found.compare(1.0, what, "read_bytes", most.read, Relation::Above, most.before);
    }
    let disks = Some(format!("{} read back what was evicted", victims.join(" and "))).filter(|_| !victims.is_empty());
    let suffer = disks.or_else(|| Some(victim::words(&lost)).filter(|words| !words.is_empty()));
    let suffer = suffer.map_or(String::new(), |words| format!("; {words}"));
    let reads = if who.is_empty() {
        format!("A program reads {rate} from {disk}")
    } else {
        format!("{who} reads {rate} from {disk}")
    };
    let traced = Traced::of(window);
    let evictor = traced.as_ref().and_then(Traced::host_evictor).filter(|evictor| evictor.others.is_positive());
    let traced =
        evictor.map_or(String::new(), |evictor| evictor.add_to(&mut found, reader.map(|process| process.comm)));
    let repeats = if stream.repeats { ", rereading the same data" } else { "" };
    let statement = format!("{reads}{repeats}. Reclaim evicts {freed} of cached pages to make room{suffer}.{traced}");
    found.finish(RuleId::StreamFloodsCache, statement, advice(window, reader.map(|process| process.comm)))
}

/// What to do about a reader: a service needs its memory, so only another program is told to bypass the cache or to run in a group with a limit.
fn advice(window: &Window<'_>, reader: Option<&str>) -> Vec<Advice> {
    if let Some(service) = reader.filter(|comm| newcomer::serves(window, comm)) {
        return vec![advise_service(service)];
    }
    let action = reader.map_or_else(
        || "Find the reader of the device. Let it use O_DIRECT, or drop its pages behind itself with POSIX_FADV_DONTNEED.".to_owned(),
        |comm| format!("Let {comm} use O_DIRECT, or drop its pages behind itself with POSIX_FADV_DONTNEED."),
    );
    let bypass = advise(
        &action,
        Some("pidstat -d 1 5"),
        "The stream no longer enters the cache, and other programs keep their pages. With O_DIRECT it loses readahead.",
        None,
    );
    let own =
        reader.and_then(|comm| Some(limit_memory(window.recording, comm, process::most_anonymous(window, comm)?)));
    std::iter::once(bypass).chain(own).collect()
}

fn add_faults(window: &Window<'_>, found: &mut EvidenceBuilder) {
    let Some(faults) = window.host(&derived::MAJOR_FAULTS) else { return };
    let baseline = window.baseline().quiet().and_then(|quiet| quiet.host(&derived::MAJOR_FAULTS));
    let weight = baseline.map_or(0.0, |baseline| grade(faults / baseline.max(Amount::new(1.0)), 2.0, 50.0));
    found.compare(weight, "major faults", "pgmajfault", faults, Relation::Above, baseline);
}

/// Adds what anonymous memory and swap would show if they were the cause.
fn add_memory(window: &Window<'_>, found: &mut EvidenceBuilder) {
    if let Some(change) = window.host_change("AnonPages") {
        found.add(0.5, "change of anonymous memory", "AnonPages", change);
    }
    if let Some(above) = watermarks::far_above(window) {
        let what = "free memory, which should have stopped reclaim";
        let source = "sum of free compared with sum of high over all zones";
        found.compare(-0.5, what, source, above.free, Relation::Above, above.high).range =
            Span { from: above.at, to: above.at };
    }
    if let Some(swapped) = window.host_rate(&["pswpin", "pswpout"]) {
        found.add(0.5, "pages swapped", "pswpin + pswpout", swapped);
    }
}

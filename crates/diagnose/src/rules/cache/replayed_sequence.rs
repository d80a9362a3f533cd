//! `replayed-sequence`: a step, or a program, reads blocks in the order in which the cache has just evicted them.

use crate::evidence::threshold::REFAULT_RATE;
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Count, Limit, grade};
use crate::measure::window::Window;
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use expectation::Reading;
use opening::Opening;
use pagetide_core::{Advice, Bytes, Figure, Finding, Pages, Ratio, Relation, RuleDoc, RuleId, Table};

mod expectation;
mod of_reader;
mod opening;

pub(crate) const RULE: Rule = Rule {
    name: "a replayed sequence",
    leads_to: &[leads(
        EffectKind::Refaults,
        "LRU evicts each block just before the sequence reaches it again.",
        "mm/vmscan.c: shrink_inactive_list",
    )],
    subsumes: &[
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache]),
        subsumes(EffectKind::DiskBusy, &[RuleId::LatencyBound]),
    ],
    scenarios: &["buffered-read"],
    deciding_test: "The same work with another random sequence.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::ReplayedSequence,
            title: "Reads follow the order of eviction, so the cache serves almost nothing",
            meaning: "Much of the file was cached when the step began, yet the step missed as often as from an empty cache. The requests repeat \
                the sequence that filled the cache, so LRU has always just evicted the next block. The hits are blocks that the step itself read \
                twice.",
            evidence: "With a part c of the file cached, independent requests miss 1 - c when blocks are drawn with replacement. From an empty \
                cache N draws over n blocks miss 1 - (1 - 1/n)^N of n per N until the cache is full, and every request when each block is read \
                once. Misses must exceed 1 - c. Also, either the total is near that of an empty cache, or the opening misses too much: there the \
                cache serves less than half of what c promises. The opening is the first fifth of the requests, by rchar of the process compared \
                with refaults or sectors read. Misses are refaults where they were recorded (they are the workload's own), else what the device \
                read. The rule does not apply if the caches were dropped meanwhile or the file lost more than half of its cached pages. Blocks \
                are counted in requests of mean size. If the step read fewer bytes than the file has, both the file and a range of that size are \
                tried, and the weaker result counts in the opening. Without steps, one program that was there before reads most of what the \
                devices read, in whole readahead windows; nearly all of it refaults, and the cache serves next to nothing of its read calls.",
            metrics: &["rchar", "read_bytes", "drop_pagecache", "workingset_refault_file", "read_sectors"],
            thresholds: &[
                CACHED.doc(),
                EXCESS.doc(),
                NEAR.doc(),
                INEXACT.doc(),
                of_reader::AGAIN.doc(),
                of_reader::SERVED.doc(),
                of_reader::PART.doc(),
                REFAULT_RATE.doc(),
            ],
            why: "LRU evicts the block that was used longest ago. A program that repeats a sequence larger than the cache reads exactly that \
                block next: the last blocks evict the first one, reading it evicts the second, and so on. fio by default repeats one random \
                sequence from run to run (randrepeat is true). A loop over a file larger than memory does the same.",
            alternatives: "By totals alone, a new permutation of all blocks over a cache that holds 70 to 80 % of them misses about as often as \
                replayed draws with replacement. The opening tells them apart: it hits at first and misses at the end. A skewed access pattern \
                that happens to prefer uncached blocks misses as often, but repeats from run to run only if the sequence does. The rule does not \
                report a replay of draws with replacement over its own leftovers when a small part is cached. Blocks drawn twice hit anyway: at \
                c = 20 % a model of it misses 79.8 %, as independent requests do (80 %).",
            advice: "For a benchmark: draw a new sequence (`--randrepeat=0`), or drop the caches and report a cold run. For a program that loops \
                over its data: read a part that fits, alternate the direction, or give it more cache. O_DIRECT helps other programs: the loop then reads all of \
                its data from the device, without readahead.",
            mglru: "Pages that a sequence reads once stay in the oldest generation, as on the inactive list, so a repeated sequence larger than \
                memory misses as well. The rule compares hits with those of independent reads, which MGLRU does not change.",
            kernel: "Linux 6.12: mm/vmscan.c: shrink_inactive_list takes from the tail; mm/swap.c: folio_mark_accessed; mm/workingset.c: workingset_refault. \
                     fio 3.33: options.c: randrepeat.",
        },
        examine,
    )
};

const CACHED: Limit<Ratio> = Limit::new(
    "cached part of the file",
    0.15,
    "With less, the cache could not serve enough to tell the difference.",
    "model of LRU in expectation.rs",
);
const NEAR: Limit<Ratio> = Limit::new(
    "distance of the misses from those of an empty cache, in addition to 3 sigma",
    0.04,
    "Other programs' requests and pages that were not evicted add this much.",
    "measured with fio",
);
const INEXACT: Limit<Ratio> = Limit::new(
    "further distance below the misses of an empty cache",
    0.03,
    "Blocks that fio drew twice made room for others in the sequence that it repeats.",
    "model of LRU in expectation.rs",
);
const EXCESS: Limit<Ratio> = Limit::new(
    "misses above those of independent requests, in addition to 3 sigma",
    0.08,
    "Between two measurements of a step the cached part of a file differs by a few percent.",
    "measured with fio",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() { of_step(window) } else { of_reader::examine(window, advice(true)) }
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let size: Amount<Bytes> = window.figure(Figure::FileBytes)?;
    let issued = window.figure(Figure::Issued).filter(|issued: &Amount<Count>| issued.get() >= 1000.0)?;
    let processed = window.figure(Figure::Processed).filter(|asked: &Amount<Bytes>| asked.is_positive());
    let asked = processed.unwrap_or(size);
    let reading = Reading {
        requests: issued.get(),
        block: asked.get() / issued.get(),
        cached_before: window.figure::<Bytes>(Figure::CachedBefore)?.get(),
        cached_after: window.figure::<Bytes>(Figure::CachedAfter)?.get(),
    };
    let (misses, source) = missed(window, asked)?;
    let (size, missed) = (size.get(), misses.get());
    let ranges: Vec<f64> = if asked.get() < size * 0.98 { vec![size, asked.get()] } else { vec![size] };
    let dropped = window.rise::<Count>(Table::Host, "", "drop_pagecache").is_some_and(Amount::is_positive);
    let lost = reading.cached_after < reading.cached_before * 0.5;
    if dropped || lost || reading.cached_part(size) < CACHED.get() || missed <= 0.0 {
        return None;
    }
    let scatter = 3.0 * (0.25 / reading.requests).sqrt();
    let mut found = EvidenceBuilder::new(window);
    let read_range = ranges
        .iter()
        .copied()
        .filter(|range| missed > reading.independent(*range) + EXCESS.get() + scatter)
        .min_by(|a, b| reading.of_empty_cache(*a, missed).1.total_cmp(&reading.of_empty_cache(*b, missed).1))?;
    let independent = Amount::<Ratio>::new(reading.independent(read_range));
    let (empty, off) = reading.of_empty_cache(read_range, missed);
    let weight = 2.0 * grade(misses - independent, EXCESS.get(), 0.3);
    found.compare(weight, "share of the requested bytes that missed", source, misses, Relation::Above, independent);
    // Where the replay is not exact, as after a pass that read each block once, the cache still serves some blocks.
    let near = off < NEAR.get() + scatter + if missed < empty { INEXACT.get() } else { 0.0 };
    let (empty, off) = (Amount::<Ratio>::new(empty), Amount::<Ratio>::new(off));
    let weight = if near { 0.5 + 1.5 * grade(off, NEAR.get() + INEXACT.get(), scatter) } else { -1.0 };
    let relation = if near { Relation::Near } else { Relation::Below };
    let source = "1 - cache_hit_ratio compared with first touches of N draws over n blocks, or 1";
    found.compare(weight, "the same, compared with an empty cache", source, misses, relation, empty);
    match &opening::of(window) {
        Some(opening) => add_opening(&mut found, &reading, &ranges, opening)?,
        None if !near => return None,
        None => add_permutation(&mut found, &reading, read_range, misses),
    }
    let sequential = in_sequence(window, Amount::new(missed * asked.get() / reading.block));
    let cached = Amount::<Ratio>::new(reading.cached_part(read_range));
    let order = if sequential {
        "The step reads the file in the same order again"
    } else {
        "The step replays its random sequence"
    };
    let statement = format!(
        "{misses} of the reads missed although {cached} of the range was cached (random reads would miss {}, an empty cache {empty}). \
         {order}, so LRU has always just evicted the block that comes next.",
        Amount::<Ratio>::new(1.0 - cached.get()),
    );
    found.finish(RuleId::ReplayedSequence, statement, advice(sequential))
}

/// The share of the requested bytes that had to be read although it was cached before, and how it was measured.
/// Refaults count just that and, in a control group, no other task's; the device's reads are also those of others.
fn missed(window: &Window<'_>, asked: Amount<Bytes>) -> Option<(Amount<Ratio>, &'static str)> {
    if let Some(refaults) = window.figure::<Pages>(Figure::Refaults) {
        let misses = (refaults * window.page_size() / asked).min(Amount::new(1.0));
        return Some((misses, "refaults * page size / processed compared with 1 - cached / range"));
    }
    let hits: Amount<Ratio> = window.figure(Figure::CacheHitRatio)?;
    Some((Amount::new(1.0) - hits, "1 - cache_hit_ratio compared with 1 - cached / range"))
}

/// Adds what the cache served at the beginning, when most of it was still what the step found.
fn add_opening(found: &mut EvidenceBuilder, reading: &Reading, ranges: &[f64], opening: &Opening<'_>) -> Option<()> {
    let hits = 1.0 - opening.misses.get();
    let served = ranges
        .iter()
        .map(|range| {
            let again = reading.touched_again(*range, opening.part.get());
            (hits - again) / (reading.cached_part(*range) - again).max(0.05)
        })
        .fold(f64::NEG_INFINITY, f64::max);
    let served = Amount::<Ratio>::new(served);
    if served.get() > 0.5 {
        return None;
    }
    let promised = Amount::<Ratio>::new(1.0 - reading.cached_part(ranges[0]));
    let what = format!("misses in the first {} of the requests", opening.part);
    let source = format!("rise of {} compared with rise of rchar of {}", opening.source, opening.process);
    let weight = 0.5 + 3.0 * grade(served, 0.5, 0.15);
    found.compare(weight, what, source, opening.misses, Relation::Above, promised).range = opening.span;
    Some(())
}

/// Without an opening, a new permutation of all blocks may give the same total.
fn add_permutation(found: &mut EvidenceBuilder, reading: &Reading, range: f64, misses: Amount<Ratio>) {
    let (least, most) = reading.new_permutation(range);
    let near = (least - NEAR.get()..=most + NEAR.get()).contains(&misses.get());
    if reading.requests <= reading.blocks(range) * 1.02 && near {
        let middle = Amount::<Ratio>::new((least + most) / 2.0);
        let what = "share that a new permutation of all blocks would miss";
        found.compare(-2.5, what, "1 - c - (1 - c) ln(1 - c)", middle, Relation::Near, misses);
    }
}

/// Readahead detects a sequence and reads several blocks at a time, so that the device does fewer reads than blocks
/// were missed. Reads of others only add to them.
fn in_sequence(window: &Window<'_>, missed_blocks: Amount<Count>) -> bool {
    window.figure::<Count>(Figure::DiskReads).is_some_and(|reads| reads < missed_blocks * 0.5)
}

fn advice(sequential: bool) -> Vec<Advice> {
    if sequential {
        return vec![advise(
            "Read a part of the file that fits, alternate the direction, or give the loop more cache: memory, or a higher limit of its control group.",
            None,
            "A loop over more than fits evicts each page before it is read again. Any other order leaves part of the file cached; cache for all of it \
             ends the reads.",
            None,
        )];
    }
    vec![advise(
        "If this is fio, make it draw a new random sequence; otherwise change the seed between runs.",
        Some("fio --randrepeat=0"),
        "The requests no longer follow the order of eviction, and the cache serves what it holds. Runs are then no longer repeatable request by \
         request.",
        None,
    )]
}

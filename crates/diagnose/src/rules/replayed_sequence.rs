//! `replayed-sequence`: blocks are asked for in the order in which they have just been evicted.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::window::Window;
use expectation::Reading;
use pagetide_core::{Advice, Figure, Finding, Quantity, Relation, RuleDoc, Table};

mod expectation;
mod opening;

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "replayed-sequence",
        title: "Reads ask for blocks in the order in which they were evicted, so the cache serves nothing",
        meaning: "Much of the file was cached when the step began, and yet it missed as often as from an empty cache. The \
                  requests repeat the sequence by which the cache was filled, so that each block is asked for just after it \
                  was evicted. What hits there are come from blocks that the step itself asked for twice.",
        evidence: "With the part c of the file cached, requests that know nothing of the cache miss 1 - c of the time when blocks are drawn \
                   with replacement. From an empty cache N draws over n blocks miss 1 - (1 - 1/n)^N of n per N until the cache is full, \
                   and every request when each block is asked for once. The rule asks for c of at least 15 %, misses above 1 - c by at least \
                   8 % + 3 sigma, and either a total near what an empty cache gives (4 % + 3 sigma above, 7 % + 3 sigma below), or an opening (the first \
                   fifth of the requests, by rchar of the process against refaults or sectors read) in which the cache served less than \
                   half of what c promises. Misses are refaults where they were counted \
                   (they are the workload's own, and what was never cached is not among them), else what the device read. It is silent when \
                   the caches were dropped meanwhile or the file lost more than half of its cached pages. Blocks are counted \
                   in requests of mean size; where fewer bytes were asked for than the file has, both the file and a range of that \
                   size are tried, and the one that speaks less for the finding counts in the opening.",
        why: "LRU evicts what was used longest ago. Whoever repeats one sequence over more than fits asks next for exactly that: the \
              first block is evicted by the last ones, its reading evicts the second, and so on. fio repeats one random sequence from run to \
              run unless told otherwise (randrepeat defaults to true); a loop over a file larger than memory does the same.",
        otherwise: "From totals alone, a new permutation of all blocks over a cache that holds 70 to 80 % of them misses about as often as replayed \
                    draws with replacement; the opening tells them apart (it hits at first and misses at the end). A skewed access that by chance \
                    prefers what is not cached misses as often, but does so from run to run only if it is repeated. \
                    Not claimed: a replay of draws with replacement over its own leftovers when a small part is cached. The blocks that are \
                    drawn twice hit anyway, so that at c = 20 % a model of it misses 79.8 %, as independent requests do (80 %): it \
                    behaves alike, and no total tells them apart.",
        advice: "For a benchmark: draw a new sequence (`--randrepeat=0`), or drop the caches and say that the run is cold. For a program that loops \
                 over its data: read a part that fits, alternate the direction, or keep the loop out of the cache.",
        kernel: "mm/vmscan.c: shrink_inactive_list takes from the tail; mm/swap.c: folio_mark_accessed; mm/workingset.c: workingset_refault. \
                 fio: options.c, randrepeat.",
    },
    name: "a replayed sequence",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &["buffered-read"],
    decides: "The same work with another random sequence.",
    examine,
};

/// Below this part of the file, what was cached could not have served enough to be missed.
const LEAST_CACHED: f64 = 0.15;
/// How far a total may lie from what is expected, beside its scatter.
const NEAR: f64 = 0.04;
/// How far a total may lie below it when blocks drawn twice gave way to others in the sequence that is repeated.
const INEXACT: f64 = 0.03;
/// How far misses must exceed those of independent requests, beside their scatter: between two measurements of a step the
/// cached part of a file differs by some percent.
const EXCESS: f64 = 0.08;

fn examine(window: &Window<'_>) -> Option<Finding> {
    let size = window.figure(Figure::FileBytes)?;
    let issued = window.figure(Figure::Issued).filter(|issued| *issued >= 1000.0)?;
    let asked = window.figure(Figure::Processed).filter(|asked| *asked > 0.0).unwrap_or(size);
    let reading = Reading {
        requests: issued,
        block: asked / issued,
        cached_before: window.figure(Figure::CachedBefore)?,
        cached_after: window.figure(Figure::CachedAfter)?,
    };
    let (misses, source) = missed(window, asked)?;
    let ranges: Vec<f64> = if asked < size * 0.98 { vec![size, asked] } else { vec![size] };
    let dropped = window.rise(Table::Host, "", "drop_pagecache").is_some_and(|times| times > 0.0);
    let lost = reading.cached_after < reading.cached_before * 0.5;
    if dropped || lost || reading.cached_part(size) < LEAST_CACHED || misses <= 0.0 {
        return None;
    }
    let scatter = 3.0 * (0.25 / issued).sqrt();
    let mut case = Case::new(RULE.doc.id, window);
    let read_range = ranges
        .iter()
        .copied()
        .filter(|range| misses > reading.independent(*range) + EXCESS + scatter)
        .min_by(|a, b| reading.of_empty_cache(*a, misses).1.total_cmp(&reading.of_empty_cache(*b, misses).1))?;
    let independent = reading.independent(read_range);
    let (empty, off) = reading.of_empty_cache(read_range, misses);
    case.weigh(
        2.0 * grade(misses - independent, EXCESS, 0.3),
        case.held(
            "part of the requested bytes that had been evicted and was read again",
            source,
            Quantity::ratio(misses),
            Relation::Above,
            Quantity::ratio(independent),
        ),
    );
    // Where the replay is not exact, as after a pass that read each block once, some blocks are still served.
    let near = off < NEAR + scatter + if misses < empty { INEXACT } else { 0.0 };
    let as_empty = case.held(
        "the same, against what an empty cache gives",
        "1 - cache_hit_ratio against first touches of N draws over n blocks, or 1",
        Quantity::ratio(misses),
        if near { Relation::Near } else { Relation::Below },
        Quantity::ratio(empty),
    );
    case.weigh(if near { 0.5 + 1.5 * grade(off, NEAR + INEXACT, scatter) } else { -1.0 }, as_empty);
    let opened = opening::of(window);
    match &opened {
        Some(opening) => weigh_opening(&mut case, &reading, &ranges, opening)?,
        None if !near => return None,
        None => weigh_permutation(&mut case, &reading, read_range, misses),
    }
    let sequential = in_sequence(window, misses * asked / reading.block);
    let cached = Quantity::ratio(reading.cached_part(read_range));
    let order =
        if sequential { "reads go through the file in the same order again" } else { "reads repeat their sequence" };
    let statement = format!(
        "With {cached} of what it reads in the cache, the step missed {} of the time, near the {} of an empty cache, where \
         independent requests would miss {}: {order} and ask for each block just after it was evicted.",
        Quantity::ratio(misses),
        Quantity::ratio(empty),
        Quantity::ratio(1.0 - reading.cached_part(read_range)),
    );
    case.close(statement, advice(sequential))
}

/// The part of the requested bytes that had to be read although it had been cached before, and how it was measured.
/// Refaults count just that and, in a control group, nobody else's; the device's reads are also those of others.
fn missed(window: &Window<'_>, asked: f64) -> Option<(f64, &'static str)> {
    if let Some(refaults) = window.figure(Figure::Refaults) {
        let misses = (refaults * window.page_size() / asked).min(1.0);
        return Some((misses, "refaults * page size / processed against 1 - cached / range"));
    }
    let hits = window.figure(Figure::CacheHitRatio)?;
    Some((1.0 - hits, "1 - cache_hit_ratio against 1 - cached / range"))
}

/// What the cache served at the beginning, when most of it was still what the step found.
fn weigh_opening(case: &mut Case, reading: &Reading, ranges: &[f64], opening: &opening::Opening) -> Option<()> {
    let hits = 1.0 - opening.misses;
    let served = ranges
        .iter()
        .map(|range| {
            let again = reading.touched_again(*range, opening.part);
            (hits - again) / (reading.cached_part(*range) - again).max(0.05)
        })
        .fold(f64::NEG_INFINITY, f64::max);
    if served > 0.5 {
        return None;
    }
    let promised = 1.0 - reading.cached_part(ranges[0]);
    let mut evidence = case.held(
        &format!("misses in the first {} of the requests", Quantity::ratio(opening.part)),
        &format!("rise of {} against rise of rchar of {}", opening.source, opening.process),
        Quantity::ratio(opening.misses),
        Relation::Above,
        Quantity::ratio(promised),
    );
    evidence.range = opening.range;
    case.weigh(0.5 + 3.0 * grade(served, 0.5, 0.15), evidence);
    Some(())
}

/// Without an opening, a new permutation of all blocks may give the same total.
fn weigh_permutation(case: &mut Case, reading: &Reading, range: f64, misses: f64) {
    let (least, most) = reading.new_permutation(range);
    if reading.requests <= reading.blocks(range) * 1.02 && (least - NEAR..=most + NEAR).contains(&misses) {
        let evidence = case.held(
            "part that a new permutation of all blocks would miss",
            "1 - c - (1 - c) ln(1 - c)",
            Quantity::ratio((least + most) / 2.0),
            Relation::Near,
            Quantity::ratio(misses),
        );
        case.against(2.5, evidence);
    }
}

/// Readahead sees a sequence and asks the device for several blocks at a time, so that it does fewer reads than blocks
/// were missed. Reads of others only add to them.
fn in_sequence(window: &Window<'_>, missed_blocks: f64) -> bool {
    window.figure(Figure::DiskReads).is_some_and(|reads| reads < missed_blocks * 0.5)
}

fn advice(sequential: bool) -> Vec<Advice> {
    if sequential {
        return vec![advise(
            "Go through a part of the file that fits, alternate the direction, or read past the cache with O_DIRECT.",
            None,
            "A loop over more than fits evicts each page before it comes round again; any other order leaves a part of the file cached.",
            None,
        )];
    }
    vec![advise(
        "If this is fio, have it draw a new random sequence; else change the seed between runs.",
        Some("fio --randrepeat=0"),
        "The requests no longer follow the order of eviction, and the cache serves the part that it holds. Runs are then not repeatable \
         request by request.",
        None,
    )]
}

//! The analysis against slow and obvious models: an LRU cache that reports its events as the kernel does.

use pagetide_trace::{
    Analysis, Domain, Event, File, Frames, Identity, Kind, Mechanism, Processes, Range, Sampling, Scope,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Process `n` is `p<n>` in the group `/g`.
struct Numbered;

impl Processes for Numbered {
    fn identity(&mut self, pid: u32) -> Option<Identity> {
        Some(Identity { comm: format!("p{pid}"), group: "/g".into(), uid: None })
    }

    fn is_memory_hierarchy(&self, _: u32) -> bool {
        true
    }
}

const KSWAPD: u32 = 99;

/// A page of a file, and who reads it.
type Access = (u32, u64, u64);

/// Who reclaims in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reclaimer {
    Reader,
    Kswapd,
}

/// What an LRU cache of so many pages reports, how often it misses, and what the truth of the matrix is.
struct Truth {
    events: Vec<Event>,
    misses: usize,
    evicted: BTreeMap<(u32, u64), usize>,
    read_again: BTreeMap<(u32, u64), usize>,
}

fn lru(accesses: &[Access], memory: usize, reclaimer: Reclaimer) -> Truth {
    let mut truth = Truth { events: Vec::new(), misses: 0, evicted: BTreeMap::new(), read_again: BTreeMap::new() };
    let mut cache: Vec<(u64, u64)> = Vec::new();
    let mut gone: BTreeMap<(u64, u64), u32> = BTreeMap::new();
    let mut time_ns = 0;
    for (pid, ino, index) in accesses {
        let (pid, page) = (*pid, (*ino, *index));
        let mut report = |pid, kind| {
            time_ns += 1;
            truth.events.push(Event { time_ns, pid, tid: pid, kind });
        };
        let range = |(ino, index)| Range { file: File { dev: 1, ino }, first: index, last: index };
        if let Some(at) = cache.iter().position(|cached| *cached == page) {
            cache.remove(at);
            cache.push(page);
            continue;
        }
        truth.misses += 1;
        if let Some(evictor) = gone.remove(&page) {
            *truth.read_again.entry((evictor, page.0)).or_default() += 1;
        }
        // The kernel frees its batch of 32 pages before it adds the page; exactly one page makes room here, afterwards.
        report(pid, Kind::Added(range(page)));
        cache.push(page);
        if cache.len() > memory {
            let victim = cache.remove(0);
            let frames = Frames { pfn: 64 * (victim.0 * 1000 + victim.1), order: 0 };
            let deleted = Kind::Deleted(range(victim), frames);
            match reclaimer {
                Reclaimer::Reader => {
                    report(pid, Kind::ReclaimBegin(Scope::Group));
                    report(pid, deleted);
                    report(pid, Kind::ReclaimEnd(Scope::Group));
                }
                Reclaimer::Kswapd => {
                    report(KSWAPD, deleted);
                    report(pid, Kind::Allocated(frames));
                }
            }
            *truth.evicted.entry((pid, victim.0)).or_default() += 1;
            gone.insert(victim, pid);
        }
    }
    truth
}

fn analyse(events: &[Event]) -> Analysis<Numbered> {
    let mut analysis = Analysis::new(Sampling::by_hash(0), BTreeSet::from([KSWAPD]), Numbered);
    events.iter().for_each(|event| analysis.take(event));
    analysis.divide();
    analysis
}

fn accesses() -> impl Strategy<Value = Vec<Access>> {
    proptest::collection::vec((1u32..4, 1u64..4, 0u64..40), 0..600)
}

proptest! {
    #[test]
    fn the_matrix_is_that_of_the_model(accesses in accesses(), memory in 1usize..60) {
        let truth = lru(&accesses, memory, Reclaimer::Reader);
        let analysis = analyse(&truth.events);
        let (mut evicted, mut read_again) = (BTreeMap::new(), BTreeMap::new());
        for (pair, pages) in analysis.evictions() {
            prop_assert_eq!(pair.mechanism, Mechanism::Group);
            let evictor: u32 = analysis.identity(pair.evictor.unwrap()).comm[1..].parse().unwrap();
            let key = (evictor, pair.victim.file.unwrap().ino);
            *evicted.entry(key).or_insert(0.0) += pages.pages;
            *read_again.entry(key).or_insert(0.0) += pages.read_again;
        }
        read_again.retain(|_, pages| *pages > 0.0);
        let as_numbers = |counts: BTreeMap<(u32, u64), usize>| counts.into_iter().map(|(key, pages)| (key, pages as f64)).collect::<BTreeMap<_, _>>();
        prop_assert_eq!(evicted, as_numbers(truth.evicted));
        prop_assert_eq!(read_again, as_numbers(truth.read_again));
    }

    /// Where all that kswapd frees goes to the next who allocates, the evictors' totals are exact, whoever the victims are.
    #[test]
    fn kswapd_evicts_for_those_who_take_the_frames(accesses in accesses(), memory in 1usize..60) {
        let truth = lru(&accesses, memory, Reclaimer::Kswapd);
        let analysis = analyse(&truth.events);
        let mut by_evictor = BTreeMap::new();
        for (pair, pages) in analysis.evictions() {
            prop_assert_eq!(pair.mechanism, Mechanism::Kswapd);
            *by_evictor.entry(analysis.identity(pair.evictor.unwrap()).comm.clone()).or_insert(0.0) += pages.pages;
        }
        let mut expected = BTreeMap::new();
        for ((evictor, _), pages) in truth.evicted {
            *expected.entry(format!("p{evictor}")).or_insert(0.0) += pages as f64;
        }
        prop_assert_eq!(by_evictor.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (evictor, pages) in by_evictor {
            prop_assert!((pages - expected[&evictor]).abs() < 1e-6);
        }
    }

    /// For LRU the ghost rank is exact: the misses of rank X and more, and the first reads, are the misses of an LRU cache of X more.
    #[test]
    fn ghost_ranks_foretell_an_lru_cache_of_any_larger_size(accesses in accesses(), memory in 1usize..60, more in 0usize..16) {
        let analysis = analyse(&lru(&accesses, memory, Reclaimer::Reader).events);
        let mut foretold = 0;
        for ((domain, _), misses) in analysis.misses() {
            for (rank, ranked, beyond) in misses.buckets() {
                foretold += beyond + if rank >= more as u64 { ranked } else { 0 };
            }
            prop_assert!(matches!(domain, Domain::Group(_) | Domain::Host));
        }
        prop_assert_eq!(foretold, lru(&accesses, memory + more, Reclaimer::Reader).misses as u64);
    }

    /// Any stream of events is taken, in any order: a trace begins in the middle and may lose records.
    #[test]
    fn any_stream_of_events_is_taken(steps in proptest::collection::vec((0u8..12, 1u32..5, 0u64..30, 0u64..5), 0..400)) {
        let mut analysis = Analysis::new(Sampling::by_hash(1), BTreeSet::from([KSWAPD]), Numbered);
        for (time_ns, (what, pid, first, more)) in (0u64..).zip(steps) {
            let range = Range { file: File { dev: 1, ino: 7 }, first, last: first + more };
            let frames = Frames { pfn: first * 64, order: u8::try_from(more).unwrap() };
            let kind = match what {
                0..2 => Kind::Added(range),
                2..4 => Kind::Deleted(range, frames),
                4 => Kind::Read(range),
                5 => Kind::ReclaimBegin(if more > 2 { Scope::Group } else { Scope::Direct }),
                6 => Kind::ReclaimEnd(if more > 2 { Scope::Group } else { Scope::Direct }),
                7 => Kind::Allocated(frames),
                8 => Kind::Forked { parent: pid + 1 },
                9 => Kind::Named { comm: "x".into() },
                10 => Kind::Exited,
                _ => Kind::Lost(1),
            };
            let pid = if what == 3 { KSWAPD } else { pid };
            analysis.take(&Event { time_ns, pid, tid: pid, kind });
            analysis.divide();
        }
        for (_, evicted) in analysis.evictions() {
            prop_assert!(evicted.pages >= 0.0 && evicted.read_again >= 0.0);
        }
    }
}

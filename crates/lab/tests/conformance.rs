//! The model and stored runs of real kernels: no figure leaves its band that is within it by docs/CONFORMANCE.md.

use pagetide_core::{Error, Figure, Lru};
use pagetide_lab::catalogue;
use pagetide_lab::conformance::{self, Conformance, Order, Reference, document, misses, orders};
use pagetide_sim::Mechanisms;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/CONFORMANCE.md");

/// The whole model compared with all stored runs, computed once for all tests, on all cores.
static WHOLE: LazyLock<Vec<Conformance>> = LazyLock::new(|| {
    let stored = conformance::references().unwrap();
    let (next, cores) = (AtomicUsize::new(0), std::thread::available_parallelism().map_or(1, usize::from));
    let work = || -> Vec<(usize, Conformance)> {
        let places = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&at| at < stored.len()));
        places.map(|at| (at, conformance::of(&stored[at].0, &stored[at].1, Mechanisms::default()).unwrap())).collect()
    };
    let mut all: Vec<(usize, Conformance)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, one)| one).collect()
});

/// Whether the runs are of this scenario and of a kernel with the classic LRU.
fn is_classic(scenario: &str, id: &str, runs: &[Reference]) -> bool {
    id == scenario && runs[0].lru == Lru::Classic
}

/// The model without one mechanism, compared with the runs of a scenario on the classic LRU.
fn without(mechanism: &str, scenario: &str) -> Result<Vec<Conformance>, Error> {
    let mechanisms = conformance::mechanisms(Some(mechanism)).unwrap();
    let stored = conformance::references().unwrap();
    let wanted = stored.iter().filter(|(id, runs)| is_classic(scenario, id, runs));
    wanted.map(|(id, runs)| conformance::of(id, runs, mechanisms)).collect()
}

/// The figures that a document says are beyond their band: scenario, step, figure.
fn beyond(document: &str) -> Vec<String> {
    let mut scenario = "";
    let mut found = Vec::new();
    for line in document.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            scenario = name;
        } else if line.ends_with("| **beyond** |") {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            found.push(format!("{scenario} {}.{}", cells[1], cells[2]));
        }
    }
    found
}

#[test]
fn no_figure_leaves_its_band() {
    let file = Path::new(PAGE);
    let all = &*WHOLE;
    let now = document::markdown(all);
    let stored = std::fs::read_to_string(file).unwrap_or_default();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(file, now).unwrap();
        return;
    }
    assert_eq!(misses::outdated(all), Vec::<String>::new(), "reasons for figures that are within their band");
    let known = beyond(&stored);
    assert!(!stored.is_empty(), "{} is not there", file.display());
    let left: Vec<String> = beyond(&now).into_iter().filter(|figure| !known.contains(figure)).collect();
    let hint = "UPDATE_DOCS=1 cargo test -p pagetide-lab --test conformance writes docs/CONFORMANCE.md anew";
    assert!(left.is_empty(), "figures that left their band ({hint}): {left:#?}");
}

#[test]
fn two_settings_have_the_same_order_on_the_model() {
    let orders: Vec<_> =
        WHOLE.iter().flat_map(|one| orders(one).into_iter().map(|order| (one.name(), order))).collect();
    assert!(orders.len() > 100, "{}", orders.len());
    let page = std::fs::read_to_string(PAGE).unwrap();
    let row =
        |name: &str, order: &Order| format!("\n| {name} | {} | {} | {} |", order.figure.name(), order.more, order.less);
    let wrong = orders.iter().filter(|(_, order)| !order.kept).map(|(name, order)| row(name, order));
    let left: Vec<String> = wrong.filter(|row| !page.contains(row.as_str())).collect();
    assert!(left.is_empty(), "orders that were the kernel's: {left:#?}");
}

#[test]
fn a_run_is_compared_as_the_stored_ones_are() {
    let stored = conformance::references().unwrap();
    let (id, runs) = stored.iter().find(|(id, runs)| id == "second-read" && runs[0].lru == Lru::Classic).unwrap();
    let run = &runs[0].result;
    let mut scenario = catalogue::find(id, &[]).unwrap().scenario.scaled(run.scale);
    let one = conformance::of_run(&scenario, run).unwrap();
    assert!(!one.figures.is_empty());
    for figure in &one.figures {
        // The run itself is one of the stored.
        assert!(figure.kernel.len() == 1 && figure.repeats.len() == 1 + runs.len(), "{figure:?}");
    }
    assert!(document::tables(&[one]).starts_with("| scenario | kernel |"));
    // Another machine has other noise.
    scenario.machine.cpus += 1;
    let other = conformance::of_run(&scenario, run).unwrap();
    assert!(other.figures.iter().all(|figure| figure.repeats.len() == 1));
}

#[test]
fn a_miss_of_a_step_that_began_with_other_memory_is_tried_again_with_that() {
    let stored = conformance::references().unwrap();
    let (id, runs) = stored.iter().find(|(id, runs)| id == "second-read" && runs[0].lru == Lru::Classic).unwrap();
    let scenario = catalogue::find(id, &[]).unwrap().scenario.scaled(runs[0].result.scale);
    // As if the guest's programs had had a fifth of its memory before the first step, and had ended since.
    let mut run = runs[0].result.clone();
    for figure in [Figure::AvailableBefore, Figure::FreeBefore] {
        let before = run.steps[0].get(figure).unwrap();
        run.steps[0].figures.set(figure, before * 0.8);
    }
    let one = conformance::of_run(&scenario, &run).unwrap();
    let first = &run.steps[0].id;
    let later: Vec<_> = one.misses().filter(|miss| miss.step != *first && miss.figure == Figure::FreeAfter).collect();
    assert!(!later.is_empty(), "the model's machine is too small: {:?}", one.misses().collect::<Vec<_>>());
    for miss in later {
        assert!(
            miss.shown.as_ref().is_some_and(|why| why.contains("more memory available when the step began")),
            "{miss:?}"
        );
    }
    // The first step began with the machine's memory, and what a step began with explains nothing of itself.
    let given = |figure: Figure| matches!(figure, Figure::AvailableBefore | Figure::FreeBefore);
    assert!(one.misses().all(|miss| miss.shown.is_none() || (miss.step != *first && !given(miss.figure))));
}

/// A scenario that shows each mechanism. What none of them shows has a small scenario of its own in `crates/sim/tests/switches.rs`.
const SHOWN: &[(&str, &[&str])] = &[
    ("backup-evicts-neighbour", &["shadows", "fault_around", "second_touch", "group_lists"]),
    ("buffered-write", &["bandwidth_estimate", "slow_dirty_limit", "background_threshold"]),
    ("swap-off", &["asynchronous_swap_out", "deactivate_on_refault", "cost_balance", "swap_readahead"]),
    ("buffered-read", &["lowmem_reserve"]),
];
/// Bands by which a mechanism that is switched off moves a figure.
const BANDS: f64 = 3.0;

/// By how many bands the figure that differs most is apart, and its name.
fn farthest(whole: &[&Conformance], without: &[Conformance]) -> (f64, String) {
    let mut most = (0.0, String::new());
    for one in whole.iter().flat_map(|one| &one.figures) {
        // Whether a time compares depends on the model too.
        let mut others = without.iter().flat_map(|other| &other.figures);
        let Some(other) = others.find(|other| other.step == one.step && other.figure == one.figure) else { continue };
        let Some((whole, without)) = one.modelled().zip(other.modelled()) else { continue };
        let bands = (whole - without).abs() / one.band.amount;
        if one.band.amount > 0.0 && bands > most.0 {
            most = (bands, format!("{}.{}", one.step, one.figure.name()));
        }
    }
    most
}

#[test]
fn without_a_mechanism_a_figure_moves_by_three_bands() {
    // The comparison can fail, and each mechanism is in it.
    for (scenario, mechanisms) in SHOWN {
        let whole: Vec<_> = WHOLE.iter().filter(|one| is_classic(scenario, &one.scenario, &one.references)).collect();
        assert!(!whole.is_empty(), "{scenario} has no stored run");
        for mechanism in *mechanisms {
            let without =
                without(mechanism, scenario).unwrap_or_else(|error| panic!("{scenario}, {mechanism}: {error:?}"));
            let (bands, figure) = farthest(&whole, &without);
            assert!(bands >= BANDS, "{scenario} without {mechanism}: {figure} moves by {bands:.1} bands");
        }
    }
}

#[test]
fn what_no_scenario_shows_is_said() {
    let page = include_str!("../../../docs/CONFORMANCE.md");
    let shown: Vec<&str> = SHOWN.iter().flat_map(|(_, mechanisms)| mechanisms.iter().copied()).collect();
    assert!(page.contains(&format!("{} mechanisms, {} decide", Mechanisms::NAMES.len(), shown.len())));
    for name in Mechanisms::NAMES.iter().filter(|name| !shown.contains(name)) {
        assert!(page.contains(&format!("`{name}`")), "docs/CONFORMANCE.md does not say that nothing shows {name}");
    }
}

//! The model and stored runs of real kernels: no figure leaves its band that is within it by docs/CONFORMANCE.md.

use pagetide_core::Lru;
use pagetide_lab::conformance::{self, Conformance, document, misses};
use pagetide_sim::Mechanisms;
use std::path::Path;

/// The scenarios of which runs are stored, or one of them on the classic LRU, with all mechanisms of the model or without one.
fn compared(only: Option<&str>, without: Option<&str>) -> Vec<Conformance> {
    let mechanisms = conformance::mechanisms(without).unwrap();
    let stored = conformance::references().unwrap();
    let wanted = stored
        .iter()
        .filter(|(scenario, runs)| only.is_none_or(|only| scenario == only && runs[0].lru == Lru::Classic));
    wanted.map(|(scenario, runs)| conformance::of(scenario, runs, mechanisms).unwrap()).collect()
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
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/CONFORMANCE.md");
    let all = compared(None, None);
    let now = document::markdown(&all);
    let stored = std::fs::read_to_string(&file).unwrap_or_default();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, now).unwrap();
        return;
    }
    assert_eq!(misses::outdated(&all), Vec::<String>::new(), "reasons for figures that are within their band");
    let known = beyond(&stored);
    assert!(!stored.is_empty(), "{} is not there", file.display());
    let left: Vec<String> = beyond(&now).into_iter().filter(|figure| !known.contains(figure)).collect();
    let hint = "UPDATE_DOCS=1 cargo test -p pagetide-lab --test conformance writes docs/CONFORMANCE.md anew";
    assert!(left.is_empty(), "figures that left their band ({hint}): {left:#?}");
}

/// A scenario that shows each mechanism. What none of them shows has a small scenario of its own in `crates/sim/tests/switches.rs`.
const SHOWN: &[(&str, &[&str])] = &[
    ("backup-evicts-neighbour", &["shadows", "fault_around", "second_touch", "group_lists"]),
    ("buffered-write", &["position_ratio", "bandwidth_estimate", "slow_dirty_limit", "background_threshold"]),
    ("swap-off", &["asynchronous_swap_out", "deactivate_on_refault", "cost_balance", "swap_readahead"]),
    ("buffered-read", &["lowmem_reserve"]),
];
/// Bands by which a mechanism that is switched off moves a figure.
const BANDS: f64 = 3.0;

/// By how many bands the figure that differs most is apart, and its name.
fn farthest(whole: &[Conformance], without: &[Conformance]) -> (f64, String) {
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
        let whole = compared(Some(scenario), None);
        for mechanism in *mechanisms {
            let (bands, figure) = farthest(&whole, &compared(Some(scenario), Some(mechanism)));
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

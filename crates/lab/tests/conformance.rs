//! The model and stored runs of real kernels: no figure leaves its band that is within it by docs/CONFORMANCE.md.

use pagetide_lab::conformance::{self, Conformance, document};
use std::path::Path;

/// The scenarios of which runs are stored, or one of them, with all mechanisms of the model or without one.
fn compared(only: Option<&str>, without: Option<&str>) -> Vec<Conformance> {
    let mechanisms = conformance::mechanisms(without).unwrap();
    let stored = conformance::references().unwrap();
    let wanted = stored.iter().filter(|(scenario, _)| only.is_none_or(|only| scenario == only));
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
    let now = document::markdown(&compared(None, None));
    let stored = std::fs::read_to_string(&file).unwrap_or_default();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, now).unwrap();
        return;
    }
    let known = beyond(&stored);
    assert!(!stored.is_empty(), "{} is not there", file.display());
    let left: Vec<String> = beyond(&now).into_iter().filter(|figure| !known.contains(figure)).collect();
    let hint = "UPDATE_DOCS=1 cargo test -p pagetide-lab --test conformance writes docs/CONFORMANCE.md anew";
    assert!(left.is_empty(), "figures that left their band ({hint}): {left:#?}");
}

#[test]
fn without_shadows_the_model_is_far_from_the_kernel() {
    // The comparison can fail: a model that forgets what it evicted activates no refault.
    let whole = compared(Some("buffered-read"), None);
    let without = compared(Some("buffered-read"), Some("shadows"));
    let refaults = |all: &[Conformance]| {
        let figures = all.iter().flat_map(|one| &one.figures);
        figures.filter(|figure| figure.figure.name() == "refaults").filter_map(|figure| figure.modelled()).sum::<f64>()
    };
    assert!(refaults(&whole) > 10_000.0, "{}", refaults(&whole));
    assert!(refaults(&without) < refaults(&whole) / 10.0, "{}", refaults(&without));
}

//! The list of metrics that are loaded, against the metrics that the sources name: of the rules and of the views.

use pagetide_core::{Table, metric};
use std::collections::BTreeSet;
use std::path::Path;

/// Names under which other tools' figures are imported and that the kernel does not have.
const IMPORTED: [&str; 8] = [
    "util",
    "queue_depth",
    "await_ms",
    "reads_writes",
    "cpu_iowait_share",
    "cpu_user_share",
    "cpu_system_share",
    "pgsteal",
];

/// The metrics that the Rust files of a folder name outside of their tests.
fn named(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            named(&path, names);
        } else if path.extension().is_some_and(|kind| kind == "rs")
            && path.file_name().is_some_and(|name| name != "metrics.rs")
        {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for word in text.split('"') {
                let known = Table::ALL.iter().any(|table| metric::find(*table, word).is_some());
                if known || IMPORTED.contains(&word) {
                    names.insert(word.to_owned());
                }
            }
        }
    }
}

/// Compares a list with what the folders of a crate name.
fn holds(listed: &[&str], folders: &[&str], at_least: usize) {
    let mut names = BTreeSet::new();
    for folder in folders {
        named(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder), &mut names);
    }
    let loaded: BTreeSet<String> = listed.iter().map(|name| (*name).to_owned()).collect();
    // Words of the views that are metrics of other tables as well.
    let plain = ["free", "kernel", "scanned", "swap"];
    let forgotten: Vec<&String> = names.difference(&loaded).filter(|name| !plain.contains(&name.as_str())).collect();
    assert!(forgotten.is_empty(), "not loaded: {forgotten:?}");
    assert!(names.len() > at_least, "the sources name more: {names:?}");
}

#[test]
fn every_metric_that_a_rule_names_is_loaded() {
    holds(pagetide_diagnose::metrics(), &["diagnose/src"], 30);
}

#[test]
fn every_metric_that_a_view_names_is_loaded() {
    holds(&pagetide_view::metrics(), &["view/src/timeline", "view/src/page"], 10);
}

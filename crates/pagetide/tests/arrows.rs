//! The arrows between the crates: `cargo metadata` has none that the table of docs/ARCHITECTURE.md lacks, and which names are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The crates of the table in docs/ARCHITECTURE.md: the level of each, and which others it may use.
fn arrows(page: &str) -> BTreeMap<String, (usize, BTreeSet<String>)> {
    let quoted = |text: &str| -> BTreeSet<String> { text.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.trim_end_matches(" |").split(" | ").collect();
        let (level, name) = (cells[0].parse().ok()?, quoted(cells.get(1)?).pop_first()?);
        Some((name, level, *cells.last()?))
    });
    let rows: Vec<(String, usize, &str)> = rows.collect();
    let allowed = |name: &str, uses: &str| -> BTreeSet<String> {
        let named = quoted(uses.split(" (").next().unwrap());
        let others = rows.iter().map(|(other, ..)| other).filter(|other| *other != name && !named.contains(*other));
        if uses.starts_with("all but ") { others.cloned().collect() } else { named }
    };
    rows.iter().map(|(name, level, uses)| (name.clone(), (*level, allowed(name, uses)))).collect()
}

/// Dependencies that only one crate may have, because they are heavy or make it impure.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("parquet", &["store", "fleet", "fuzz"]),
    ("rhai", &["lab"]),
    ("clap", &["pagetide"]),
    ("pyo3", &["python"]),
    ("arrow-array", &["python"]),
    ("indicatif", &["pagetide"]),
    ("ratatui", &["top"]),
    ("crossterm", &["top"]),
    ("axum", &["serve"]),
    ("tokio", &["serve"]),
];

#[test]
fn dependencies_follow_the_arrows() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let short = |name: &str| name.strip_prefix("pagetide-").unwrap_or(name).to_owned();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ARCHITECTURE.md");
    let arrows = arrows(&std::fs::read_to_string(page).unwrap());
    for (name, (level, uses)) in &arrows {
        let lowest = uses.iter().map(|used| arrows[used].0 + 1).max().unwrap_or(0);
        assert_eq!(*level, lowest, "the level of {name} is one above those it may use");
    }
    let mut seen = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = short(package["name"].as_str().unwrap());
        assert!(!["common", "utils", "util", "misc"].contains(&name.as_str()), "a crate's name says what it is for");
        let (_, allowed) =
            arrows.get(&name).unwrap_or_else(|| panic!("`{name}` is not in the table of docs/ARCHITECTURE.md"));
        for dependency in package["dependencies"].as_array().unwrap() {
            if !dependency["kind"].is_null() {
                continue; // Tests may use more.
            }
            let used = dependency["name"].as_str().unwrap();
            if let Some(ours) = used.strip_prefix("pagetide-") {
                assert!(allowed.contains(ours), "{name} may not depend on {ours}");
            }
            if let Some((_, homes)) = ONLY_IN.iter().find(|(crate_name, _)| *crate_name == used) {
                assert!(homes.contains(&name.as_str()), "{used} belongs in {homes:?}, not in {name}");
            }
        }
        seen.insert(name);
    }
    assert_eq!(seen, arrows.into_keys().collect(), "the table has the crates that exist");
}

//! The arrows between the crates, from `cargo metadata`: who may depend on whom, and which names are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Every crate of the workspace and what it may use of the others. docs/ARCHITECTURE.md says why.
const ARROWS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("dir", &[]),
    ("sandbox", &[]),
    ("proctext", &["core"]),
    ("kernel", &["core", "proctext"]),
    ("store", &["core", "dir", "proctext"]),
    ("sim", &["core"]),
    ("trace", &["core"]),
    ("diagnose", &["core", "trace"]),
    ("view", &["core"]),
    ("recorder", &["core", "kernel", "trace"]),
    ("lab", &["core", "dir", "sandbox", "kernel", "recorder", "sim", "trace"]),
    ("reproduce", &["core", "diagnose", "lab"]),
    ("service", &["core", "dir", "kernel", "recorder", "store"]),
    ("top", &["core", "diagnose", "view"]),
    ("serve", &["core", "dir", "kernel", "recorder", "store", "diagnose", "view"]),
    ("fleet", &["core", "dir", "store", "diagnose"]),
    ("python", &["core", "kernel", "store", "diagnose", "fleet"]),
    ("fuzz", &["core", "kernel", "store"]),
    ("corpus", &["core", "store", "diagnose", "fleet", "lab"]),
    (
        "pagetide",
        &[
            "core",
            "dir",
            "sandbox",
            "kernel",
            "store",
            "trace",
            "diagnose",
            "fleet",
            "view",
            "recorder",
            "service",
            "lab",
            "reproduce",
            "top",
            "serve",
            "fuzz",
        ],
    ),
];

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
    let arrows: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut seen = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = short(package["name"].as_str().unwrap());
        assert!(!["common", "utils", "util", "misc"].contains(&name.as_str()), "a crate's name says what it is for");
        let allowed =
            arrows.get(name.as_str()).unwrap_or_else(|| panic!("`{name}` has no arrows yet: add it to ARROWS"));
        for dependency in package["dependencies"].as_array().unwrap() {
            if !dependency["kind"].is_null() {
                continue; // Tests may use more.
            }
            let used = dependency["name"].as_str().unwrap();
            if let Some(ours) = used.strip_prefix("pagetide-") {
                assert!(allowed.contains(&ours), "{name} may not depend on {ours}");
            }
            if let Some((_, homes)) = ONLY_IN.iter().find(|(crate_name, _)| *crate_name == used) {
                assert!(homes.contains(&name.as_str()), "{used} belongs in {homes:?}, not in {name}");
            }
        }
        seen.insert(name);
    }
    assert_eq!(seen, arrows.keys().map(|name| (*name).to_owned()).collect(), "ARROWS names the crates that exist");
}

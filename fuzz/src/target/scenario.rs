//! Any text as a scenario: it is understood or refused, and one that is understood can be scaled to any size.

use crate::seed;
use pagetide_core::{Scale, Scenario};

/// The scenarios of the repository, and texts that broke something once.
pub fn seeds() -> Vec<Vec<u8>> {
    let kept = seed::files("fuzz/seeds/scenario", &[""]);
    seed::files("scenarios", &[".toml"]).into_iter().chain(kept).collect()
}

/// Reads the bytes as a scenario.
pub fn run(bytes: &[u8]) {
    let Ok(scenario) = Scenario::parse(&String::from_utf8_lossy(bytes), "scenario.toml") else { return };
    for (numerator, denominator) in [(1, 16), (u32::MAX, 1), (1, u32::MAX)] {
        let scale = Scale::new(numerator, denominator).expect("it is one");
        let _ = scenario.scaled(scale);
    }
    assert!(scenario.result_ids().count() >= scenario.steps.len());
}

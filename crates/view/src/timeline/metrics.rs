//! What the plots show, so that nothing else has to be loaded. A test compares this with the sources.

use pagetide_core::derived::{self, Derived};
use pagetide_core::memory::SplitFields;

/// The derived metrics.
const DERIVED: &[&Derived] = &[
    &derived::SCANNED,
    &derived::SCANNED_DIRECT,
    &derived::STOLEN,
    &derived::REFAULTS_FILE,
    &derived::TPS,
    &derived::READS,
    &derived::WRITES,
    &derived::READ_BANDWIDTH,
    &derived::WRITE_BANDWIDTH,
    &derived::CPU_USER,
    &derived::CPU_SYSTEM,
    &derived::CPU_IOWAIT,
    &derived::PSI_MEMORY_SOME,
    &derived::PSI_MEMORY_FULL,
    &derived::PSI_IO_SOME,
    &derived::PSI_IO_FULL,
    &derived::PSI_CPU_SOME,
];

/// The metrics that are shown as they were recorded, in any table; and of an import the size of swap, beside the plots.
const RECORDED: &[&str] = &["MemAvailable", "SwapTotal", "syscr", "syscw", "vsize"];

/// The names of all metrics that are read.
pub(crate) fn all() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        DERIVED.iter().flat_map(|derived| derived.metrics()).chain(RECORDED.iter().copied()).collect();
    names.extend(SplitFields::HOST.names().chain(SplitFields::CGROUP.names()));
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_derived_metric_that_is_plotted_is_loaded() {
        let source = include_str!("rates.rs");
        for derived in derived::ALL {
            let name = format!("&derived::{}", derived.name.to_ascii_uppercase());
            let plotted = source
                .split(&name)
                .skip(1)
                .any(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'));
            assert_eq!(plotted, DERIVED.iter().any(|loaded| loaded.name == derived.name), "{name}");
        }
    }
}

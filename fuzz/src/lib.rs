//! What must hold for any bytes.
//!
//! A [`Target`] is a function of bytes that panics when something does not hold, and files to begin with. Its inputs come from
//! two places: [`mutation`], which the tests run for a bounded time on any toolchain, and libFuzzer, which looks for inputs that reach
//! new code (`make fuzz TARGET=log SECONDS=600`).

pub mod bomb;
pub mod mutation;
mod seed;
pub mod target;

use target::{cut, import, kernel, log, pyramid, scenario, segment, tree};

/// A function of bytes that must not panic.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Panics when something does not hold for these bytes.
    pub run: fn(&[u8]),
    seeds: fn() -> Vec<Vec<u8>>,
}

impl Target {
    /// Inputs that lead far into the code, and those of `fuzz/seeds/NAME`, some of which broke something once.
    pub fn seeds(&self) -> Vec<Vec<u8>> {
        let mut seeds = (self.seeds)();
        seeds.extend(seed::files(&format!("fuzz/seeds/{}", self.name), &[""]));
        seeds
    }
}

/// All of them.
pub const TARGETS: [Target; 8] = [
    Target { name: "cut", run: cut::run, seeds: cut::seeds },
    Target { name: "import", run: import::run, seeds: import::seeds },
    Target { name: "kernel", run: kernel::run, seeds: kernel::seeds },
    Target { name: "log", run: log::run, seeds: log::seeds },
    Target { name: "pyramid", run: pyramid::run, seeds: pyramid::seeds },
    Target { name: "scenario", run: scenario::run, seeds: scenario::seeds },
    Target { name: "segment", run: segment::run, seeds: segment::seeds },
    Target { name: "tree", run: tree::run, seeds: tree::seeds },
];

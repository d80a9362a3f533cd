//! What a file of `pagetide cut` contains, so that a reader can check that it is complete.

use crate::sample::Stamp;
use crate::span::Span;
use serde::{Deserialize, Serialize};

/// What a file of `pagetide cut` holds when it is whole, and which part of it was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CutContent {
    /// Samples.
    pub samples: u64,
    /// Marks.
    pub marks: u64,
    /// Samples before and after the requested range: context for the diagnosis's baseline.
    pub context_samples: u64,
    /// Where the stretch that was asked for begins and ends, ns since 1970-01-01 UTC; absent when all was.
    pub stretch: Option<(i64, i64)>,
}

impl CutContent {
    /// The stretch that was asked for on the axis of a recording with these samples.
    pub fn span(&self, stamps: &[Stamp]) -> Span {
        let Some((from, to)) = self.stretch else { return Span::ALL };
        let within = || stamps.iter().filter(|stamp| (from..=to).contains(&stamp.wall_ns)).map(|stamp| stamp.boot_ns);
        match (within().min(), within().max()) {
            (Some(from), Some(to)) => Span::new(from, to),
            _ => Span::ALL,
        }
    }
}

//! What tasks wait for.

use serde::{Deserialize, Serialize};

/// What a task waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// A block device.
    Io,
    /// Memory: reclaim, compaction, pages that were evicted.
    Memory,
    /// A CPU.
    Cpu,
}

impl Resource {
    /// In words, after "waits for".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Io => "IO",
            Self::Memory => "memory",
            Self::Cpu => "a CPU",
        }
    }
}

//! What is in the slab.

use std::collections::VecDeque;

/// Slab of the page cache's index and of names.
#[derive(Debug, Default)]
pub(crate) struct Slab {
    /// Leaves of the index.
    pub(crate) leaves: u64,
    /// Leaves that hold only shadows.
    pub(crate) shadow_leaves: u64,
    /// Those leaves, oldest first; some are not any more.
    pub(crate) listed: VecDeque<(u32, u32)>,
    /// Heads of blocks in the page cache.
    pub(crate) buffer_heads: u64,
    /// Dentries that nobody uses.
    pub(crate) dentries: u64,
    /// Pages that it has.
    pub(crate) pages: u64,
    /// Their zones.
    pub(crate) zones: Vec<usize>,
}

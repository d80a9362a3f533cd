//! What tasks do to memory: reads, writes, page faults, swap-in, and the pages and charges that these take.

pub(crate) mod alloc;
pub(crate) mod charge;
pub(crate) mod fault;
pub(crate) mod files;
pub(crate) mod read;
pub(crate) mod readahead;
pub(crate) mod swap;
pub(crate) mod write;

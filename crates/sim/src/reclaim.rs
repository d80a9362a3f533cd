//! How the kernel takes pages back: the lists and their order, kswapd, direct reclaim, and the OOM killer.

pub(crate) mod direct;
pub(crate) mod evict;
pub(crate) mod kswapd;
pub(crate) mod lru;
pub(crate) mod mglru;
pub(crate) mod shrink;
pub(crate) mod slab;
pub(crate) mod workingset;

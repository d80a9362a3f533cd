//! Rules about what the page cache holds: hits, misses, evictions.

pub(super) mod caches_dropped;
pub(super) mod changed_working_set;
pub(super) mod code_thrash;
pub(super) mod cold_cache;
pub(super) mod read_ahead_waste;
pub(super) mod replayed_sequence;
pub(super) mod served_from_cache;
pub(super) mod stream_floods_cache;
pub(super) mod working_set_exceeds_cache;

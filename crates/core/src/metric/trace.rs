//! The tables of a recording made with `--trace`. All are counters since the trace began; a row is there when it changed.

/// Whose pages were evicted for whom.
pub(in crate::metric) mod eviction {
    metrics! {
        Eviction;
        "tracepoints" {
            "pages" Counter Pages "pages of the file that reclaim evicted from the page cache (estimated from the sample)"
            "read_again" Counter Pages "of these, pages that entered the page cache again"
        }
    }
}

/// Misses by ghost rank: the memory that would have served them.
pub(in crate::metric) mod ghost {
    metrics! {
        Ghost;
        "tracepoints" {
            "ranked_0" Counter Count "sampled misses of this rank, sub-sample 0"
            "ranked_1" Counter Count "sampled misses of this rank, sub-sample 1"
            "ranked_2" Counter Count "sampled misses of this rank, sub-sample 2"
            "ranked_3" Counter Count "sampled misses of this rank, sub-sample 3"
            "ranked_4" Counter Count "sampled misses of this rank, sub-sample 4"
            "ranked_5" Counter Count "sampled misses of this rank, sub-sample 5"
            "ranked_6" Counter Count "sampled misses of this rank, sub-sample 6"
            "ranked_7" Counter Count "sampled misses of this rank, sub-sample 7"
            "beyond_0" Counter Count "sampled misses known to have this rank or a longer one, sub-sample 0"
            "beyond_1" Counter Count "sampled misses known to have this rank or a longer one, sub-sample 1"
            "beyond_2" Counter Count "sampled misses known to have this rank or a longer one, sub-sample 2"
            "beyond_3" Counter Count "sampled misses known to have this rank or a longer one, sub-sample 3"
            "beyond_4" Counter Count "sampled misses known to have this rank or a longer one, sub-sample 4"
            "beyond_5" Counter Count "sampled misses known to have this rank or a longer one, sub-sample 5"
            "beyond_6" Counter Count "sampled misses known to have this rank or a longer one, sub-sample 6"
            "beyond_7" Counter Count "sampled misses known to have this rank or a longer one, sub-sample 7"
        }
    }
}

/// Throttled writers.
pub(in crate::metric) mod throttle {
    metrics! {
        Throttle;
        "tracepoints" {
            "pauses" Counter Count "pauses of writers in balance_dirty_pages"
            "throttled_ns" Counter Nanos "length of these pauses"
        }
    }
}

/// Who reclaims.
pub(in crate::metric) mod reclaim {
    metrics! {
        Reclaim;
        "tracepoints" {
            "direct_calls" Counter Count "direct reclaims for the host that ended"
            "direct_ns" Counter Nanos "time in direct reclaim for the host"
            "group_calls" Counter Count "reclaims at a control group's limit that ended"
            "group_ns" Counter Nanos "time in reclaim at a control group's limit"
            "kswapd_wakeups" Counter Count "allocations that woke kswapd"
        }
    }
}

/// Reads replayed through models of smaller caches.
pub(in crate::metric) mod replay {
    metrics! {
        Replay;
        "tracepoints" {
            "file_pages" Gauge Pages "file cache on the LRU lists of the place"
            "other_pages" Gauge Pages "other memory that is charged to the control group"
            "reads" Counter Pages "pages that buffered reads looked up (estimated from the sample)"
            "misses" Counter Pages "pages of these that were read from the device for it"
            "lists_1" Counter Pages "pages of these reads that two LRU lists with 1/8 of the file cache would have missed"
            "lists_2" Counter Pages "pages of these reads that two LRU lists with 2/8 of the file cache would have missed"
            "lists_3" Counter Pages "pages of these reads that two LRU lists with 3/8 of the file cache would have missed"
            "lists_4" Counter Pages "pages of these reads that two LRU lists with 4/8 of the file cache would have missed"
            "lists_5" Counter Pages "pages of these reads that two LRU lists with 5/8 of the file cache would have missed"
            "lists_6" Counter Pages "pages of these reads that two LRU lists with 6/8 of the file cache would have missed"
            "lists_7" Counter Pages "pages of these reads that two LRU lists with 7/8 of the file cache would have missed"
            "lists_8" Counter Pages "pages of these reads that two LRU lists with 8/8 of the file cache would have missed"
            "lru_1" Counter Pages "pages of these reads that one LRU list with 1/8 of the file cache would have missed"
            "lru_2" Counter Pages "pages of these reads that one LRU list with 2/8 of the file cache would have missed"
            "lru_3" Counter Pages "pages of these reads that one LRU list with 3/8 of the file cache would have missed"
            "lru_4" Counter Pages "pages of these reads that one LRU list with 4/8 of the file cache would have missed"
            "lru_5" Counter Pages "pages of these reads that one LRU list with 5/8 of the file cache would have missed"
            "lru_6" Counter Pages "pages of these reads that one LRU list with 6/8 of the file cache would have missed"
            "lru_7" Counter Pages "pages of these reads that one LRU list with 7/8 of the file cache would have missed"
            "lru_8" Counter Pages "pages of these reads that one LRU list with 8/8 of the file cache would have missed"
        }
    }
}

/// How much was traced.
pub(in crate::metric) mod coverage {
    metrics! {
        Trace;
        "tracepoints" {
            "sampled_of" Gauge Pages "one page in this many is sampled"
            "traced_ns" Counter Nanos "time traced"
            "lost_records" Counter Count "trace records lost because a ring was full; the other tables lack them"
            "added_pages" Counter Pages "pages that entered the page cache"
            "read_pages" Counter Pages "pages that buffered reads looked up in the page cache"
            "removed_pages" Counter Pages "pages that left the page cache outside of reclaim (estimated from the sample)"
        }
    }
}

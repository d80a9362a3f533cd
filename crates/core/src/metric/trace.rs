//! The tables of a recording made with `--trace`. All are counters since the trace began; a row is there when it changed.

/// Whose pages were evicted for whom.
pub(in crate::metric) mod eviction {
    metrics! {
        Eviction;
        "tracepoints" {
            "pages" Counter Pages "pages of the file that left the page cache by reclaim (estimated from the sample)"
            "read_again" Counter Pages "pages of these that entered the page cache again"
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

/// How much was traced.
pub(in crate::metric) mod coverage {
    metrics! {
        Trace;
        "tracepoints" {
            "sampled_of" Gauge Pages "one page of so many is looked at"
            "traced_ns" Counter Nanos "time traced"
            "lost_records" Counter Count "trace records lost because a ring was full: the other tables lack what they said"
            "added_pages" Counter Pages "pages that entered the page cache"
            "read_pages" Counter Pages "pages that buffered reads looked up in the page cache"
            "removed_pages" Counter Pages "pages that left the page cache outside of reclaim (estimated from the sample)"
        }
    }
}

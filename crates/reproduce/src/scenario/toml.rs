//! Amounts as a scenario has them.

use crate::recorded::whole;

/// A whole number of KiB, at least one page.
pub(super) fn size(bytes: f64) -> String {
    format!("\"{}KiB\"", whole((bytes / 4096.0).max(1.0)) * 4)
}

/// A size in whole blocks.
pub(super) fn blocks(bytes: f64, block: f64) -> String {
    size((bytes / block).ceil().max(1.0) * block)
}

pub(super) fn seconds(time: f64) -> String {
    format!("\"{}ms\"", whole((time * 1e3).max(1.0)))
}

pub(super) fn per_second(rate: f64) -> String {
    format!("\"{}B/s\"", whole(rate.max(4096.0)))
}

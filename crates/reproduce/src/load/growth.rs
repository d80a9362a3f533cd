//! How fast memory grows.

use crate::recorded::Stretch;

/// Bytes per second of so much that grew with a gauge of the host: most of it may come at once.
pub(super) fn rate(trouble: &Stretch<'_>, metric: &str, bytes: f64) -> f64 {
    let time = trouble.time_of_rise(metric, 0.9).map_or(trouble.seconds(), |time| time / 0.9);
    bytes / time.clamp(0.5, trouble.seconds())
}

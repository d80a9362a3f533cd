//! Where moments stand in the drawings, which share one time axis.

/// Width of the drawing, and what its left and right margins take of it.
pub(super) const WIDTH: f64 = 1000.0;
pub(super) const LEFT: f64 = 72.0;
pub(super) const RIGHT: f64 = 12.0;

/// Where a moment stands.
pub(super) fn x(at: i64, span: i64) -> f64 {
    LEFT + (at as f64 / span.max(1) as f64).clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
}

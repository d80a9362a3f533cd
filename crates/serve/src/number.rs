//! Numbers as they are in responses.

use pagetide_core::Unit;

/// ns since 1970-01-01 as whole milliseconds.
pub(crate) fn ms(wall_ns: i64) -> i64 {
    wall_ns.div_euclid(1_000_000)
}

/// The first whole millisecond that is not before: the end of a range, so that its last sample is in it.
pub(crate) fn ms_up(wall_ns: i64) -> i64 {
    ms(wall_ns.saturating_add(999_999))
}

/// A unit as it is in responses, and what a value in `unit` is multiplied by: pages are given as bytes.
pub(crate) fn shown(unit: Unit, page_size: f64) -> (Unit, f64) {
    match unit {
        Unit::Pages => (Unit::Bytes, page_size),
        Unit::PagesPerSecond => (Unit::BytesPerSecond, page_size),
        unit => (unit, 1.0),
    }
}

/// A value with nine digits, which is more than a plot or a table shows; absent when it is no number.
#[expect(clippy::cast_possible_truncation, reason = "it is from -300 to 300")]
pub(crate) fn rounded(value: f64) -> Option<f64> {
    if !value.is_finite() {
        return None;
    }
    let digits = 8 - value.abs().log10().floor().clamp(-300.0, 300.0) as i32;
    if value == 0.0 || digits <= 0 {
        return Some(value.round());
    }
    let scale = 10_f64.powi(digits.min(300));
    Some((value * scale).round() / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_in_milliseconds_contains_its_ends() {
        assert_eq!([ms(1_000_001), ms_up(1_000_001)], [1, 2]);
        assert_eq!([ms(1_000_000), ms_up(1_000_000)], [1, 1]);
    }

    #[test]
    fn values_keep_nine_digits() {
        assert_eq!(rounded(0.123_456_789_123), Some(0.123_456_789));
        assert_eq!(rounded(8_589_934_592.4), Some(8_589_934_592.0));
        assert_eq!([rounded(0.0), rounded(f64::NAN), rounded(f64::INFINITY)], [Some(0.0), None, None]);
        assert_eq!(rounded(-2.5e-7), Some(-2.5e-7));
    }
}

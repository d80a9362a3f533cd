//! Numbers as text, as `format!` writes them and several times as fast: a table of a day has a million of them.

use std::fmt::{self, Write};

/// Powers of ten by the digits that they make room for.
const POWERS: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
/// A product with one of [`POWERS`] is off by less than 1e-4 below this.
const EXACT: f64 = 1e9;
/// So near to the middle between two texts all of the number's digits decide which is nearer.
const MIDDLE: f64 = 1e-3;
/// Digits of the largest `u64`.
const LONGEST: usize = 20;

/// Writes what `format!("{value:.digits$}")` gives.
pub(crate) fn write(out: &mut impl Write, value: f64, digits: usize) -> fmt::Result {
    if let Some(power) = POWERS.get(digits).filter(|_| value.is_sign_positive() && value < EXACT) {
        let scaled = value * power;
        let below = scaled.trunc();
        let rest = scaled - below;
        if (rest - 0.5).abs() > MIDDLE {
            return write_parts(out, whole(below) + u64::from(rest > 0.5), digits);
        }
    }
    write!(out, "{value:.digits$}")
}

/// A number that is not negative, without its fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "that is what it is for")]
pub(crate) fn whole(value: f64) -> u64 {
    value as u64
}

/// Writes a whole number with a point before its last digits.
fn write_parts(out: &mut impl Write, mut number: u64, digits: usize) -> fmt::Result {
    let mut text = [b'0'; LONGEST + 1];
    let mut at = text.len();
    let mut written = 0;
    while number > 0 || written <= digits {
        if written == digits && digits > 0 {
            at -= 1;
            text[at] = b'.';
        }
        at -= 1;
        text[at] += u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
        written += 1;
    }
    out.write_str(std::str::from_utf8(&text[at..]).unwrap_or_default())
}

/// Writes a whole number that is not negative with its digits in groups of three: `262 144`.
pub(crate) fn write_grouped(out: &mut impl Write, mut number: u64) -> fmt::Result {
    let mut text = [b' '; LONGEST + LONGEST / 3];
    let mut at = text.len();
    let mut written = 0;
    while number > 0 || written == 0 {
        if written > 0 && written % 3 == 0 {
            at -= 1;
        }
        at -= 1;
        text[at] = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
        written += 1;
    }
    out.write_str(std::str::from_utf8(&text[at..]).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(value: f64, digits: usize) -> String {
        let mut out = String::new();
        write(&mut out, value, digits).unwrap();
        out
    }

    #[test]
    fn ties_and_ends_are_as_in_format() {
        for value in
            [0.0, -0.0, 0.5, 1.5, 2.5, 0.25, 0.125, 0.35, 0.045, 1.005, 9.995, 99.95, 999_999_999.5, 1e9, 1e300, -1.25]
        {
            for digits in 0..6 {
                assert_eq!(written(value, digits), format!("{value:.digits$}"), "{value} {digits}");
            }
        }
        assert_eq!(written(f64::NAN, 1), "NaN");
    }

    #[test]
    fn groups_are_of_three() {
        let grouped = |number| {
            let mut out = String::new();
            write_grouped(&mut out, number).unwrap();
            out
        };
        let texts = [0, 999, 1000, 262_144, u64::MAX].map(grouped);
        assert_eq!(texts, ["0", "999", "1 000", "262 144", "18 446 744 073 709 551 615"]);
    }

    proptest! {
        #[test]
        fn every_number_is_written_as_format_writes_it(value in any::<f64>(), digits in 0usize..5) {
            prop_assert_eq!(written(value, digits), format!("{value:.digits$}"));
        }

        #[test]
        fn so_are_those_that_tables_have(thousandths in 0u64..10_000_000_000, by in 1u32..1000, digits in 0usize..4) {
            for value in [thousandths as f64 / 1000.0, thousandths as f64 / f64::from(by)] {
                prop_assert_eq!(written(value, digits), format!("{value:.digits$}"));
            }
        }
    }
}

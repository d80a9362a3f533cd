//! Numbers as tools print them: decimals with a point or a comma, and the suffixes of sar's `-h`.

use pagetide_core::metric::RATE_SCALE;

/// How many decimals a stored rate has.
const DECIMALS: u32 = RATE_SCALE.ilog10();

/// A decimal number in millionths, rounded if it has more than six decimals. Point and comma are both decimal separators.
pub(super) fn millionths(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut value = 0i64;
    let mut decimals = None;
    let mut any = false;
    for byte in digits.bytes() {
        match (byte, decimals) {
            (b'0'..=b'9', None) => {
                value = value.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?;
                any = true;
            }
            (b'0'..=b'9', Some(seen)) => {
                if seen < DECIMALS {
                    value = value.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?;
                } else if seen == DECIMALS && byte >= b'5' {
                    value = value.checked_add(1)?;
                }
                decimals = Some(seen + 1);
            }
            (b'.' | b',', None) if any => decimals = Some(0),
            _ => return None,
        }
    }
    if !any || decimals == Some(0) {
        return None;
    }
    for _ in decimals.unwrap_or(0).min(DECIMALS)..DECIMALS {
        value = value.checked_mul(10)?;
    }
    Some(if negative { -value } else { value })
}

/// A size in millionths of a KiB. A plain number is in KiB, one with a suffix of sysstat (`sar -h`) in that unit.
pub(super) fn millionths_of_kib(text: &str) -> Option<i64> {
    let Some(suffix) = text.chars().last().filter(char::is_ascii_alphabetic) else { return millionths(text) };
    let number = millionths(&text[..text.len() - 1])?;
    match suffix {
        's' => Some((number + 1) / 2),
        'B' => Some((number + 512) / 1024),
        'k' => Some(number),
        'M' => number.checked_mul(1 << 10),
        'G' => number.checked_mul(1 << 20),
        'T' => number.checked_mul(1 << 30),
        'P' => number.checked_mul(1 << 40),
        _ => None,
    }
}

/// `value * numerator / denominator`, rounded; `None` if it overflows.
pub(super) fn scaled(value: i64, numerator: i64, denominator: i64) -> Option<i64> {
    let product = i128::from(value) * i128::from(numerator);
    let half = i128::from(denominator) / 2;
    let rounded = if product < 0 { product - half } else { product + half } / i128::from(denominator);
    i64::try_from(rounded).ok()
}

/// A float in millionths, rounded; `None` if an `i64` cannot hold it.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub(super) fn millionths_of(value: f64) -> Option<i64> {
    let product = (value * RATE_SCALE as f64).round();
    (product.abs() < 9e18).then_some(product as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_are_read_exactly() {
        let check = |text, value| assert_eq!(millionths(text), value, "{text}");
        check("694031.81", Some(694_031_810_000));
        check("694031,81", Some(694_031_810_000));
        check("0.3", Some(300_000));
        check("-1.2345678", Some(-1_234_568));
        check("369488", Some(369_488_000_000));
        for bad in ["", ".", "1.", ".5", "1.2.3", "12a", "-", "nan", "1e3", "99999999999999999999", "+1"] {
            check(bad, None);
        }
    }

    #[test]
    fn suffixes_say_the_unit() {
        assert_eq!(millionths_of_kib("22.8G"), Some(22_800_000 << 20));
        assert_eq!(millionths_of_kib("0,5k"), Some(500_000));
        assert_eq!(millionths_of_kib("512.0B"), Some(500_000));
        assert_eq!(millionths_of_kib("8.0s"), Some(4_000_000));
        assert_eq!(millionths_of_kib("12"), Some(12_000_000));
        assert_eq!(millionths_of_kib("1.0Q"), None);
        assert_eq!(millionths_of_kib("é"), None);
    }

    proptest! {
        #[test]
        fn what_printf_prints_is_read_back(hundredths in -1_000_000_000_000i64..1_000_000_000_000) {
            let sign = if hundredths < 0 { "-" } else { "" };
            let text = format!("{sign}{}.{:02}", hundredths.abs() / 100, hundredths.abs() % 100);
            prop_assert_eq!(millionths(&text), Some(hundredths * 10_000));
        }

        #[test]
        fn any_text_is_a_number_or_not(text in ".{0,12}") {
            let _ = millionths(&text);
            let _ = millionths_of_kib(&text);
        }
    }
}

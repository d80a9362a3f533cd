//! The scale of a run.

use crate::units::Bytes;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The fraction to which memory, files, holds and swap of a scenario are scaled, such as 1/8. Device limits are not scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    numerator: u32,
    denominator: u32,
}

impl Scale {
    /// The sizes of the scenario.
    pub const FULL: Self = Self { numerator: 1, denominator: 1 };

    /// `numerator/denominator`, both at least 1.
    pub const fn new(numerator: u32, denominator: u32) -> Option<Self> {
        if numerator == 0 || denominator == 0 { None } else { Some(Self { numerator, denominator }) }
    }

    /// As a number.
    pub fn ratio(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    /// The scaled size, rounded down to whole pages of 4 KiB but not below one.
    pub fn bytes(self, size: Bytes) -> Bytes {
        if self == Self::FULL || size == Bytes::ZERO {
            return size;
        }
        let scaled = u128::from(size.get()) * u128::from(self.numerator) / u128::from(self.denominator);
        Bytes::new((u64::try_from(scaled).unwrap_or(u64::MAX) & !4095).max(4096))
    }

    /// A text with its sizes scaled: `random read of 2 GiB` at 1/8 is `random read of 256 MiB`. Of `300, 400 and 600 MiB` all are sizes;
    /// what is smaller than a MiB is a block, and what is per second belongs to a device.
    pub fn words(self, text: &str) -> String {
        if self == Self::FULL {
            return text.to_owned();
        }
        let mut scaled = String::new();
        let mut rest = text;
        while let Some((at, unit)) = next_unit(rest) {
            let (before, behind) = (&rest[..at], &rest[at + UNITS[unit].len()..]);
            let list = list(before);
            if list.is_empty() || behind.starts_with(|c: char| c.is_alphanumeric() || c == '/') {
                scaled.push_str(&rest[..at + UNITS[unit].len()]);
            } else {
                let sizes: Vec<(std::ops::Range<usize>, f64)> =
                    list.into_iter().map(|(place, size)| (place, size * self.ratio())).collect();
                let least = sizes.iter().map(|(_, size)| *size).fold(f64::INFINITY, f64::min);
                let (factor, unit) =
                    if least < 1.0 && unit > 0 { (1024.0, UNITS[unit - 1]) } else { (1.0, UNITS[unit]) };
                let mut from = 0;
                for (place, size) in sizes {
                    scaled.push_str(&before[from..place.start]);
                    scaled.push_str(&digits(size * factor));
                    from = place.end;
                }
                scaled.push_str(&before[from..]);
                scaled.push_str(unit);
            }
            rest = behind;
        }
        scaled + rest
    }
}

/// Units of sizes that scale, from the smallest.
const UNITS: [&str; 3] = [" MiB", " GiB", " TiB"];

/// Where the next unit stands in a text, and which it is.
fn next_unit(text: &str) -> Option<(usize, usize)> {
    let unit = |at: usize| UNITS.iter().position(|unit| text[at..].starts_with(unit));
    text.match_indices(' ').find_map(|(at, _)| Some((at, unit(at)?)))
}

/// The numbers at the end of a text, the first first, as `300, 400 and 600` has them, and where they stand.
fn list(text: &str) -> Vec<(std::ops::Range<usize>, f64)> {
    let mut found = Vec::new();
    let mut end = text.len();
    loop {
        let begin = text[..end].trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let Ok(number) = text[begin..end].parse::<f64>() else { break };
        found.push((begin..end, number));
        let before = &text[..begin];
        match [", ", " and ", " to ", " or "].iter().find_map(|between| before.strip_suffix(between)) {
            Some(before) => end = before.len(),
            None => break,
        }
    }
    found.reverse();
    found
}

/// A number with three digits, or as many as stand before its point, and no zeros at the end of a fraction.
fn digits(value: f64) -> String {
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    let text = format!("{value:.decimals$}");
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

impl FromStr for Scale {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.splitn(2, '/').map(|part| part.trim().parse::<u32>().ok());
        match (parts.next().flatten(), parts.next()) {
            (Some(numerator), None) => Self::new(numerator, 1),
            (Some(numerator), Some(Some(denominator))) => Self::new(numerator, denominator),
            _ => None,
        }
        .ok_or_else(|| format!("not a scale: `{text}` (write a fraction such as 1/8)"))
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 1 {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

impl Serialize for Scale {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Scale {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_texts_scale() {
        let eighth = Scale::new(1, 8).unwrap();
        for (text, scaled) in [
            ("random read of 2 GiB, cold", "random read of 256 MiB, cold"),
            ("4 GiB again, blocks of 8 KiB at 125 MiB/s", "512 MiB again, blocks of 8 KiB at 125 MiB/s"),
            ("with 300, 400 and 600 MiB", "with 37.5, 50 and 75 MiB"),
            ("between 200 and 600 MiB; 64 GiB", "between 25 and 75 MiB; 8 GiB"),
            ("4 and 16 GiB", "512 and 2048 MiB"),
            ("125 MiB, 16000 MiB", "15.6 MiB, 2000 MiB"),
            ("no size: MiB, 3 MiBs, 5 steps", "no size: MiB, 3 MiBs, 5 steps"),
        ] {
            assert_eq!(eighth.words(text), scaled);
            assert_eq!(Scale::FULL.words(text), text);
        }
    }

    #[test]
    fn any_text_scales() {
        for (text, scaled) in
            [("wit\u{fffd}600 MiB", "wit\u{fffd}75 MiB"), ("\u{20ac} MiB", "\u{20ac} MiB"), (" MiB MiB", " MiB MiB")]
        {
            assert_eq!(Scale::new(1, 8).unwrap().words(text), scaled);
        }
    }

    #[test]
    fn scales_are_fractions() {
        assert_eq!("1/8".parse(), Ok(Scale::new(1, 8).unwrap()));
        assert_eq!("1".parse(), Ok(Scale::FULL));
        for bad in ["0", "1/0", "-1", "x", "0.5", "1/2/3", ""] {
            assert!(bad.parse::<Scale>().is_err(), "{bad}");
        }
    }
}

//! A measured number with its unit, for results, evidence and claims.

use crate::decimal;
use crate::units::is_padded;
use crate::{Bytes, BytesPerSecond, Nanos, Pages, Ratio, UnitError};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};

/// The unit of a [`Quantity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A plain count.
    Count,
    /// Nanoseconds.
    Nanos,
    /// Bytes.
    Bytes,
    /// Pages of the kernel.
    Pages,
    /// A share of a whole.
    Ratio,
    /// Counts per second.
    PerSecond,
    /// Bytes per second.
    BytesPerSecond,
    /// Pages per second.
    PagesPerSecond,
    /// Sectors of 512 bytes, as `/proc/diskstats` counts.
    Sectors,
    /// Milliseconds, as `/proc/diskstats` counts.
    Millis,
    /// Microseconds, as PSI counts.
    Micros,
    /// Clock ticks of 1/100 s (`USER_HZ`), as `/proc/stat` counts.
    Ticks,
    /// Thousandths of a count, as load averages are stored.
    Milli,
    /// Hundredths of a percent, as PSI and sysstat print shares.
    BasisPoints,
    /// Unknown: the kernel does not document it.
    #[serde(other)]
    Unknown,
}

/// The exponents of seconds, bytes and pages in a unit: what may be added to or compared with what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Dimension {
    /// Exponent of the second.
    pub seconds: i8,
    /// Exponent of the byte.
    pub bytes: i8,
    /// Exponent of the page.
    pub pages: i8,
}

impl Unit {
    /// The dimension, and the factor that turns a number in this unit into seconds, bytes or counts.
    pub const fn base(self) -> (Dimension, f64) {
        const fn dimension(seconds: i8, bytes: i8, pages: i8) -> Dimension {
            Dimension { seconds, bytes, pages }
        }
        match self {
            Self::Count | Self::Ratio | Self::Unknown => (dimension(0, 0, 0), 1.0),
            Self::Milli => (dimension(0, 0, 0), 1e-3),
            Self::BasisPoints => (dimension(0, 0, 0), 1e-4),
            Self::Nanos => (dimension(1, 0, 0), 1e-9),
            Self::Micros => (dimension(1, 0, 0), 1e-6),
            Self::Millis => (dimension(1, 0, 0), 1e-3),
            Self::Ticks => (dimension(1, 0, 0), 1e-2),
            Self::Bytes => (dimension(0, 1, 0), 1.0),
            Self::Sectors => (dimension(0, 1, 0), 512.0),
            Self::Pages => (dimension(0, 0, 1), 1.0),
            Self::PerSecond => (dimension(-1, 0, 0), 1.0),
            Self::BytesPerSecond => (dimension(-1, 1, 0), 1.0),
            Self::PagesPerSecond => (dimension(-1, 0, 1), 1.0),
        }
    }

    /// A number in this unit as seconds, bytes, pages or counts.
    pub fn to_base(self, value: f64) -> f64 {
        let (times, parts) = self.fraction();
        value * times / parts
    }

    /// By what [`Self::to_base`] multiplies and divides; one of them is 1, which changes no number.
    pub(crate) const fn fraction(self) -> (f64, f64) {
        match self.parts() {
            None => (self.base().1, 1.0),
            // A whole number of parts divides to the nearest number; a product with 0.001 would not.
            Some(parts) => (1.0, parts),
        }
    }

    /// Seconds, bytes, pages or counts as a number in this unit.
    pub fn of_base(self, value: f64) -> f64 {
        match self.parts() {
            None => value / self.base().1,
            Some(parts) => value * parts,
        }
    }

    /// How many of it are one in base units; absent of those that are one or more themselves.
    const fn parts(self) -> Option<f64> {
        match self {
            Self::Ticks => Some(1e2),
            Self::Milli | Self::Millis => Some(1e3),
            Self::BasisPoints => Some(1e4),
            Self::Micros => Some(1e6),
            Self::Nanos => Some(1e9),
            _ => None,
        }
    }
}

/// A number with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
}

impl Quantity {
    /// A quantity of `value` in `unit`.
    pub const fn new(value: f64, unit: Unit) -> Self {
        Self { value, unit }
    }

    /// A plain count.
    pub const fn count(value: f64) -> Self {
        Self::new(value, Unit::Count)
    }

    /// A share of a whole.
    pub const fn ratio(value: f64) -> Self {
        Self::new(value, Unit::Ratio)
    }

    /// An amount of bytes.
    pub fn bytes(value: Bytes) -> Self {
        Self::new(value.as_f64(), Unit::Bytes)
    }

    /// A length of time.
    pub fn nanos(value: Nanos) -> Self {
        Self::new(value.as_f64(), Unit::Nanos)
    }

    /// A number of pages.
    pub fn pages(value: Pages) -> Self {
        Self::new(value.as_f64(), Unit::Pages)
    }

    /// Reads a size, time, bandwidth or percentage with its unit, or a bare count. The units are told apart by their suffix.
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        if let Ok(count) = text.parse::<f64>() {
            return Ok(Self::count(count));
        }
        if text.ends_with('%') {
            return text.parse::<Ratio>().map(|ratio| Self::ratio(ratio.get()));
        }
        if let Some(rate) = text.strip_suffix("/s") {
            if let Ok(rate) = rate.trim_end().parse::<f64>() {
                return Ok(Self::new(rate, Unit::PerSecond));
            }
            return text.parse::<BytesPerSecond>().map(|rate| Self::new(rate.as_f64(), Unit::BytesPerSecond));
        }
        if let Ok(time) = text.parse::<Nanos>() {
            return Ok(Self::nanos(time));
        }
        text.parse::<Bytes>().map(Self::bytes)
    }
}

impl fmt::Display for Quantity {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "printing rounds; a negative amount is printed as a plain number before"
    )]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_padded(f) {
            let plain = Self::new(self.value, self.unit);
            return f.pad(&plain.to_string());
        }
        let value = self.value;
        if !value.is_finite() {
            return f.write_str("-");
        }
        if value < 0.0 {
            return write!(f, "-{}", Self::new(-value, self.unit));
        }
        match self.unit {
            Unit::Nanos => write!(f, "{}", Nanos::new(value.round() as u64)),
            Unit::Micros => write!(f, "{}", Nanos::new((value * 1e3).round() as u64)),
            Unit::Millis => write!(f, "{}", Nanos::new((value * 1e6).round() as u64)),
            Unit::Ticks => write!(f, "{}", Nanos::new((value * 1e7).round() as u64)),
            Unit::Bytes => write!(f, "{}", Bytes::new(value.round() as u64)),
            Unit::Sectors => write!(f, "{}", Bytes::new((value * 512.0).round() as u64)),
            Unit::BytesPerSecond => write!(f, "{}", BytesPerSecond::new(value.round() as u64)),
            Unit::Ratio => write!(f, "{}", Ratio::new(value).unwrap_or_default()),
            Unit::PerSecond => plain(f, value).and_then(|()| f.write_str("/s")),
            Unit::Pages => plain(f, value).and_then(|()| f.write_str(" pages")),
            Unit::PagesPerSecond => plain(f, value).and_then(|()| f.write_str(" pages/s")),
            Unit::Milli => plain(f, value / 1e3),
            Unit::BasisPoints => write!(f, "{}", Self::ratio(value / 1e4)),
            Unit::Count | Unit::Unknown => plain(f, value),
        }
    }
}

/// Writes a number that is not negative with as many decimals as its size deserves, the digits of a whole one by thousands with a thin gap
/// that stays in plain ASCII: `262 144`.
fn plain(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    /// Above it not every whole number is one of these.
    const EXACT: f64 = (1u64 << 53) as f64;
    let size = value.round_ties_even();
    if value.fract() != 0.0 && value < 99.95 {
        decimal::write(f, value, if value >= 9.995 { 1 } else { 2 })
    } else if size < EXACT {
        decimal::write_grouped(f, decimal::whole(size))
    } else {
        let digits = format!("{size:.0}");
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                f.write_char(' ')?;
            }
            f.write_char(digit)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_differ_by_suffix() {
        let check = |text: &str, value: f64, unit| {
            assert_eq!(Quantity::parse(text), Ok(Quantity::new(value, unit)), "{text}");
        };
        check("262144", 262_144.0, Unit::Count);
        check("448ms", 448e6, Unit::Nanos);
        check("1min", 60e9, Unit::Nanos);
        check("2GiB", 2_147_483_648.0, Unit::Bytes);
        check("125MB/s", 125e6, Unit::BytesPerSecond);
        check("20000/s", 20_000.0, Unit::PerSecond);
        check("62.5%", 0.625, Unit::Ratio);
        assert!(Quantity::parse("2 parsecs").is_err());
    }

    #[test]
    fn quantities_print_for_people() {
        let check = |value: f64, unit, text: &str| assert_eq!(Quantity::new(value, unit).to_string(), text);
        check(262_144.0, Unit::Count, "262 144");
        check(-5.0, Unit::Count, "-5");
        check(18398.65, Unit::PerSecond, "18 399/s");
        check(53700.4, Unit::Nanos, "53.7 us");
        check(0.6312, Unit::Ratio, "63.1 %");
        // Three digits, whatever a value rounds to.
        check(0.009_999_9, Unit::Ratio, "1.0 %");
        check(102_380.0, Unit::BytesPerSecond, "100 KiB/s");
        check(9.996, Unit::PerSecond, "10.0/s");
        check(99.97, Unit::Count, "100");
        check(8.0, Unit::Sectors, "4 KiB");
        check(1250.0, Unit::Milli, "1.25");
    }
}

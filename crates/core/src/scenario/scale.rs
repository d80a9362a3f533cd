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
    fn scales_are_fractions() {
        assert_eq!("1/8".parse(), Ok(Scale::new(1, 8).unwrap()));
        assert_eq!("1".parse(), Ok(Scale::FULL));
        for bad in ["0", "1/0", "-1", "x", "0.5", "1/2/3", ""] {
            assert!(bad.parse::<Scale>().is_err(), "{bad}");
        }
    }
}

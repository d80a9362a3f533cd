//! Amounts with a unit: bytes, pages, nanoseconds, bytes per second and ratios.
//!
//! The numbers are private: an amount is made from text that names its unit (`"512MiB"`, `"20ms"`), or by a
//! constructor that says the unit. Arithmetic is checked; turning pages into bytes asks for the page size.

use crate::decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// Why a text is not an amount.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// A number without a unit.
    #[error("not a {what}: `{text}` has no unit (write {text}{unit})")]
    Missing {
        /// The text as given.
        text: String,
        /// What is measured.
        what: &'static str,
        /// A unit of it.
        unit: &'static str,
    },
    /// A unit that is not known.
    #[error("not a unit of {what}: `{unit}` (write one of {expected})")]
    Unknown {
        /// The unit as given.
        unit: String,
        /// What is measured.
        what: &'static str,
        /// The units that are understood.
        expected: &'static str,
    },
    /// Not a number at all.
    #[error("not a {what}: `{text}` (write {example})")]
    NotANumber {
        /// The text as given.
        text: String,
        /// What is measured.
        what: &'static str,
        /// A correct text.
        example: &'static str,
    },
    /// Nothing, where something is needed.
    #[error("`{text}` is not above 0")]
    Zero {
        /// The text as given.
        text: String,
    },
    /// A number that is negative or does not fit.
    #[error("`{text}` is out of range")]
    OutOfRange {
        /// The text as given.
        text: String,
    },
}

/// One family of units: its name, its suffixes with their factors, and an example.
struct Family {
    what: &'static str,
    expected: &'static str,
    example: &'static str,
    suffixes: &'static [(&'static str, f64)],
}

const KIB: f64 = 1024.0;

const BYTES: Family = Family {
    what: "size",
    expected: "B, KiB, MiB, GiB, TiB, kB, MB, GB, TB (or k, m, g, which are KiB, MiB, GiB as in fio)",
    example: "512MiB",
    suffixes: &[
        ("B", 1.0),
        ("KiB", KIB),
        ("MiB", KIB * KIB),
        ("GiB", KIB * KIB * KIB),
        ("TiB", KIB * KIB * KIB * KIB),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("k", KIB),
        ("m", KIB * KIB),
        ("g", KIB * KIB * KIB),
    ],
};

const TIME: Family = Family {
    what: "time",
    expected: "ns, us, ms, s, min, h, d",
    example: "20ms",
    suffixes: &[
        ("ns", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
        ("min", 60e9),
        ("h", 3600e9),
        ("d", 86400e9),
    ],
};

const BANDWIDTH: Family = Family {
    what: "bandwidth",
    expected: "B/s, KiB/s, MiB/s, GiB/s, kB/s, MB/s, GB/s",
    example: "125MB/s",
    suffixes: &[
        ("B/s", 1.0),
        ("KiB/s", KIB),
        ("MiB/s", KIB * KIB),
        ("GiB/s", KIB * KIB * KIB),
        ("kB/s", 1e3),
        ("MB/s", 1e6),
        ("GB/s", 1e9),
    ],
};

impl Family {
    /// The error of a number without a unit, with the unit of the example.
    fn missing(&self, text: String) -> UnitError {
        if to_whole(text.parse().unwrap_or_default()).is_none() {
            return UnitError::OutOfRange { text };
        }
        let unit = self.example.trim_start_matches(|c: char| c.is_ascii_digit());
        UnitError::Missing { text, what: self.what, unit }
    }

    /// Parses `12.5MiB` into base units, rounding to the nearest whole one.
    fn parse(&self, text: &str) -> Result<u64, UnitError> {
        let trimmed = text.trim();
        let split = trimmed.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(split);
        let unit = unit.trim();
        let value: f64 = number.replace('_', "").parse().map_err(|_| UnitError::NotANumber {
            text: trimmed.to_owned(),
            what: self.what,
            example: self.example,
        })?;
        if unit.is_empty() {
            return Err(self.missing(trimmed.to_owned()));
        }
        let (_, factor) = self
            .suffixes
            .iter()
            .find(|(suffix, _)| *suffix == unit)
            .ok_or_else(|| UnitError::Unknown { unit: unit.to_owned(), what: self.what, expected: self.expected })?;
        to_whole(value * factor).ok_or_else(|| UnitError::OutOfRange { text: trimmed.to_owned() })
    }
}

/// The nearest whole number, when it is one that a `u64` holds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
fn to_whole(value: f64) -> Option<u64> {
    (value.is_finite() && (0.0..1.8e19).contains(&value)).then(|| value.round() as u64)
}

/// Prints `value` with the largest of `steps` that keeps it at 1 or more, with at most `digits` decimals.
fn print_scaled(f: &mut fmt::Formatter<'_>, value: f64, steps: &[(&str, f64)]) -> fmt::Result {
    // What rounds to the next unit prints in it: 999.7 ms is 1.00 s.
    let (suffix, factor) = steps.iter().rev().find(|(_, factor)| value >= factor * 0.9995).unwrap_or(&steps[0]);
    let scaled = value / factor;
    // What rounds to another digit before the point has three digits, too: 99.98 is 100, 9.996 is 10.0.
    let digits = if scaled.fract() == 0.0 || *factor == 1.0 || scaled >= 99.95 {
        0
    } else if scaled >= 9.995 {
        1
    } else {
        2
    };
    if is_padded(f) {
        return f.pad(&format!("{scaled:.digits$} {suffix}"));
    }
    decimal::write(f, scaled, digits)?;
    f.write_char(' ')?;
    f.write_str(suffix)
}

/// Whether a text is to be made longer or shorter.
pub(crate) fn is_padded(f: &fmt::Formatter<'_>) -> bool {
    f.width().is_some() || f.precision().is_some()
}

macro_rules! amount {
    ($(#[$doc:meta])* $name:ident, $family:ident, $unit:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// None of it.
            pub const ZERO: Self = Self(0);

            #[doc = concat!("An amount of `value` ", $unit, ".")]
            pub const fn new(value: u64) -> Self {
                Self(value)
            }

            #[doc = concat!("The amount in ", $unit, ".")]
            pub const fn get(self) -> u64 {
                self.0
            }

            #[doc = concat!("The amount in ", $unit, ", for ratios and plots.")]
            pub fn as_f64(self) -> f64 {
                self.0 as f64
            }

            /// The sum, unless it overflows.
            pub fn checked_add(self, other: Self) -> Option<Self> {
                self.0.checked_add(other.0).map(Self)
            }

            /// The difference, unless it would be negative.
            pub fn checked_sub(self, other: Self) -> Option<Self> {
                self.0.checked_sub(other.0).map(Self)
            }

            /// The sum, or the largest amount there is.
            #[must_use]
            pub fn saturating_add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }

            /// The difference, or none of it.
            pub fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }
        }
    };
}

macro_rules! amount_text {
    ($name:ident, $family:ident) => {
        impl FromStr for $name {
            type Err = UnitError;
            fn from_str(text: &str) -> Result<Self, UnitError> {
                $family.parse(text).map(Self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl de::Visitor<'_> for Text {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        write!(f, "a {} as text, such as \"{}\"", $family.what, $family.example)
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                    fn visit_i64<E: de::Error>(self, number: i64) -> Result<$name, E> {
                        Err(E::custom($family.missing(number.to_string())))
                    }
                    fn visit_u64<E: de::Error>(self, number: u64) -> Result<$name, E> {
                        Err(E::custom($family.missing(number.to_string())))
                    }
                    fn visit_f64<E: de::Error>(self, number: f64) -> Result<$name, E> {
                        Err(E::custom($family.missing(number.to_string())))
                    }
                }
                deserializer.deserialize_any(Text)
            }
        }

        impl Serialize for $name {
            /// As exact text in the base unit, which parses back to the same amount.
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&format!("{}{}", self.0, $family.suffixes[0].0))
            }
        }
    };
}

amount! {
    /// An amount of memory or of data, in bytes.
    Bytes, BYTES, "bytes"
}
amount_text!(Bytes, BYTES);

amount! {
    /// A length of time, in nanoseconds.
    Nanos, TIME, "nanoseconds"
}
amount_text!(Nanos, TIME);

amount! {
    /// A bandwidth, in bytes per second.
    BytesPerSecond, BANDWIDTH, "bytes per second"
}
amount_text!(BytesPerSecond, BANDWIDTH);

amount! {
    /// An amount of memory in the kernel's pages.
    Pages, PAGES, "pages"
}

/// Reads an option: a number, and a suffix that is found without regard to upper and lower case unless that would change the unit.
fn typed(text: &str, family: &Family, words: &[(&str, &str)], bare: Option<&str>) -> Result<u64, UnitError> {
    let trimmed = text.trim();
    let split = trimmed.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(split);
    let unit = match unit.trim() {
        "" => bare.unwrap_or(""),
        unit => words.iter().find(|(word, _)| *word == unit).map_or(unit, |(_, meant)| meant),
    };
    family.parse(&format!("{number}{unit}"))
}

/// Words for times that people type, beside the units of files.
const TIME_WORDS: &[(&str, &str)] = &[
    ("S", "s"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("m", "min"),
    ("mins", "min"),
    ("minute", "min"),
    ("minutes", "min"),
    ("H", "h"),
    ("hr", "h"),
    ("hrs", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("D", "d"),
    ("day", "d"),
    ("days", "d"),
    ("msec", "ms"),
    ("usec", "us"),
];

/// Words for sizes that people type: as for dd, fio and systemd a letter alone is a power of 1024.
const SIZE_WORDS: &[(&str, &str)] = &[
    ("b", "B"),
    ("K", "KiB"),
    ("M", "MiB"),
    ("G", "GiB"),
    ("T", "TiB"),
    ("t", "TiB"),
    ("Ki", "KiB"),
    ("Mi", "MiB"),
    ("Gi", "GiB"),
    ("Ti", "TiB"),
    ("kib", "KiB"),
    ("mib", "MiB"),
    ("gib", "GiB"),
    ("tib", "TiB"),
    ("KB", "kB"),
    ("kb", "kB"),
    ("mb", "MB"),
    ("gb", "GB"),
    ("tb", "TB"),
];

impl Nanos {
    /// Reads a time that was typed as an option: a number alone is seconds, as in sar and sleep(1), and `m` is minutes. Files are strict:
    /// their times carry a unit.
    ///
    /// # Errors It is not a number, or its unit is not one of time.
    pub fn typed(text: &str) -> Result<Self, UnitError> {
        typed(text, &TIME, TIME_WORDS, Some("s")).map(Self)
    }

    /// The same of a distance between two moments.
    ///
    /// # Errors Those of [`Self::typed`], and 0.
    pub fn typed_interval(text: &str) -> Result<Self, UnitError> {
        let time = Self::typed(text)?;
        if time == Self::ZERO { Err(UnitError::Zero { text: text.to_owned() }) } else { Ok(time) }
    }
}

impl Bytes {
    /// Reads a size that was typed as an option: `2G`, `2g`, `512M` and `10m` are powers of 1024, as in fio. A number alone has no unit.
    ///
    /// # Errors It is not a number, or its unit is not one of size.
    pub fn typed(text: &str) -> Result<Self, UnitError> {
        typed(text, &BYTES, SIZE_WORDS, None).map(Self)
    }

    /// An amount in KiB, as `/proc/meminfo` (which writes kB and means KiB) counts it.
    pub const fn from_kib(kib: u64) -> Option<Self> {
        match kib.checked_mul(1024) {
            Some(bytes) => Some(Self(bytes)),
            None => None,
        }
    }

    /// Whole pages in this amount; a rest is cut off. A page size of zero gives zero pages.
    pub fn to_pages(self, page_size: Bytes) -> Pages {
        Pages(self.0.checked_div(page_size.0).unwrap_or(0))
    }
}

impl Pages {
    /// The amount in bytes, unless it overflows.
    pub fn to_bytes(self, page_size: Bytes) -> Option<Bytes> {
        self.0.checked_mul(page_size.0).map(Bytes)
    }
}

impl Nanos {
    /// The time in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.as_f64() / 1e9
    }

    /// A time of `secs` seconds, when it is not negative and fits.
    pub fn from_secs_f64(secs: f64) -> Option<Self> {
        to_whole(secs * 1e9).map(Self)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_scaled(f, self.as_f64(), &BYTES.suffixes[..5])
    }
}

impl fmt::Display for BytesPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_scaled(f, self.as_f64(), &BANDWIDTH.suffixes[..4])
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_scaled(f, self.as_f64(), &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)])
    }
}

impl fmt::Display for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} pages", self.0))
    }
}

/// A part of a whole, or how many times as large: a finite number without a unit. Reads `"5%"`, `"1/8"` and `0.05`.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Ratio(f64);

impl Ratio {
    /// A ratio, when `value` is finite.
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value))
    }

    /// `part / whole`, unless the whole is zero.
    pub fn of(part: f64, whole: f64) -> Option<Self> {
        if whole == 0.0 { None } else { Self::new(part / whole) }
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for Ratio {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = || UnitError::NotANumber { text: text.trim().to_owned(), what: "ratio", example: "5%, 1/8 or 0.05" };
        let number = |part: &str| part.trim().parse::<f64>().map_err(|_| bad());
        let value = if let Some(percent) = text.trim().strip_suffix('%') {
            number(percent)? / 100.0
        } else if let Some((part, whole)) = text.split_once('/') {
            number(part)? / number(whole)?
        } else {
            number(text)?
        };
        Self::new(value).ok_or_else(bad)
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.0 * 100.0;
        let digits = if percent.abs() >= 99.95 || percent.fract() == 0.0 {
            0
        } else if percent.abs() >= 0.9995 {
            1
        } else {
            3
        };
        if is_padded(f) {
            return f.pad(&format!("{percent:.digits$} %"));
        }
        decimal::write(f, percent, digits)?;
        f.write_str(" %")
    }
}

impl Serialize for Ratio {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Ratio {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(f64),
            Text(String),
        }
        match Either::deserialize(deserializer)? {
            Either::Number(value) => Self::new(value).ok_or_else(|| de::Error::custom("not a finite number")),
            Either::Text(text) => text.parse().map_err(de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn options_are_read_as_people_type_them() {
        for (text, seconds) in [
            ("5", 5.0),
            ("0.5", 0.5),
            ("5s", 5.0),
            ("5 sec", 5.0),
            ("10m", 600.0),
            ("10min", 600.0),
            ("2 minutes", 120.0),
            ("1h", 3600.0),
            ("2d", 172_800.0),
            ("250ms", 0.25),
            ("1hour", 3600.0),
        ] {
            assert_eq!(Nanos::typed(text).map(Nanos::as_secs_f64), Ok(seconds), "{text}");
        }
        for (text, mib) in [
            ("2G", 2048),
            ("2g", 2048),
            ("512M", 512),
            ("10m", 10),
            ("1T", 1 << 20),
            ("512MiB", 512),
            ("1Gi", 1024),
            ("1024k", 1),
            ("1024K", 1),
        ] {
            assert_eq!(Bytes::typed(text), Ok(Bytes::new(mib << 20)), "{text}");
        }
        assert_eq!(Bytes::typed("2gb"), Ok(Bytes::new(2_000_000_000)));
        assert!(Bytes::typed("512").unwrap_err().to_string().contains("512MiB"));
        assert!(Nanos::typed("5x").unwrap_err().to_string().contains("ms, s, min"));
        assert!(Nanos::typed("").is_err() && Nanos::typed("-5").is_err() && Nanos::typed("s").is_err());
        for strict in ["5", "10m"] {
            assert!(strict.parse::<Nanos>().is_err(), "{strict} in a file");
        }
    }

    #[test]
    fn sizes_are_read_with_their_unit_only() {
        assert_eq!("512MiB".parse(), Ok(Bytes::new(512 << 20)));
        assert_eq!("2 GiB".parse(), Ok(Bytes::new(2 << 30)));
        assert_eq!("8k".parse(), Ok(Bytes::new(8192)));
        assert_eq!("1.5MB".parse(), Ok(Bytes::new(1_500_000)));
        assert!(matches!("512".parse::<Bytes>(), Err(UnitError::Missing { .. })));
        assert!(matches!("512MiX".parse::<Bytes>(), Err(UnitError::Unknown { .. })));
        assert!(matches!("MiB".parse::<Bytes>(), Err(UnitError::NotANumber { .. })));
        assert!(matches!("99999999TiB".parse::<Bytes>(), Err(UnitError::OutOfRange { .. })));
    }

    #[test]
    fn a_number_that_is_no_amount_is_told_no_unit() {
        for odd in ["-1", "1e300"] {
            let error = serde_json::from_str::<Bytes>(odd).unwrap_err().to_string();
            assert!(error.contains("is out of range") && !error.contains("write"), "{error}");
        }
    }

    #[test]
    fn times_and_bandwidths_are_read() {
        assert_eq!("370us".parse(), Ok(Nanos::new(370_000)));
        assert_eq!("100.465s".parse(), Ok(Nanos::new(100_465_000_000)));
        assert_eq!("125MB/s".parse(), Ok(BytesPerSecond::new(125_000_000)));
        assert_eq!("5%".parse(), Ok(Ratio(0.05)));
        assert_eq!("1/8".parse(), Ok(Ratio(0.125)));
    }

    #[test]
    fn amounts_print_in_the_unit_that_fits() {
        assert_eq!(Bytes::new(512 << 20).to_string(), "512 MiB");
        assert_eq!(Bytes::new(1_610_612_736).to_string(), "1.50 GiB");
        assert_eq!(Bytes::new(12).to_string(), "12 B");
        assert_eq!(Nanos::new(382_220).to_string(), "382 us");
        assert_eq!(Ratio(0.6312).to_string(), "63.1 %");
        assert_eq!(Bytes::ZERO.to_string(), "0 B");
    }

    proptest! {
        #[test]
        fn exact_text_parses_back(value in 0u64..1 << 53) {
            let json = serde_json_text(Bytes::new(value));
            prop_assert_eq!(json.parse::<Bytes>().unwrap(), Bytes::new(value));
        }

        #[test]
        fn any_text_is_an_amount_or_an_error(text in ".{0,20}") {
            let _ = text.parse::<Bytes>();
            let _ = text.parse::<Nanos>();
            let _ = text.parse::<Ratio>();
        }

        #[test]
        fn pages_and_bytes_agree(pages in 0u64..1 << 40) {
            let page = Bytes::new(4096);
            prop_assert_eq!(Pages::new(pages).to_bytes(page).unwrap().to_pages(page), Pages::new(pages));
        }
    }

    fn serde_json_text(bytes: Bytes) -> String {
        format!("{}B", bytes.get())
    }
}

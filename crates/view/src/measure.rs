//! What the numbers of a plot are, and how they are written.

use pagetide_core::{Quantity, Unit};

/// What the numbers of a plot are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Bytes, ticked in powers of two.
    Bytes,
    /// Events per second.
    PerSecond,
    /// Pages of the kernel per second.
    PagesPerSecond,
    /// Bytes per second, ticked in powers of two: the units of every other answer.
    BytesPerSecond,
    /// A part of a whole, written in percent.
    Share,
    /// A plain number.
    Count,
}

impl Measure {
    /// What stands beside the axis.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::PerSecond => "per second",
            Self::PagesPerSecond => "pages per second",
            Self::BytesPerSecond => "bytes per second",
            Self::Share => "share of time",
            Self::Count => "",
        }
    }

    /// A value with its unit.
    pub fn show(self, value: f64) -> String {
        let unit = match self {
            Self::Bytes => Unit::Bytes,
            Self::PerSecond => Unit::PerSecond,
            Self::BytesPerSecond => Unit::BytesPerSecond,
            Self::Share => return format!("{} %", decimals(value * 100.0)),
            Self::PagesPerSecond => return format!("{} pages/s", Quantity::count(rounded(value))),
            Self::Count => Unit::Count,
        };
        Quantity::new(if unit == Unit::PerSecond { rounded(value) } else { value }, unit).to_string()
    }

    pub(crate) fn tick(self, value: f64) -> String {
        match self {
            Self::Bytes => Quantity::new(value, Unit::Bytes).to_string(),
            Self::BytesPerSecond => Quantity::new(value, Unit::BytesPerSecond).to_string(),
            Self::Share => format!("{} %", decimals(value * 100.0)),
            Self::PerSecond | Self::PagesPerSecond | Self::Count => short(value),
        }
    }
}

/// Whole above 10: a rate is a quotient, its decimals are noise.
fn rounded(value: f64) -> f64 {
    if value.abs() >= 10.0 { value.round() } else { value }
}

pub(crate) fn decimals(value: f64) -> String {
    if value == 0.0 || value.abs() >= 10.0 {
        format!("{value:.0}")
    } else if value.abs() >= 1.0 {
        let text = format!("{value:.1}");
        text.strip_suffix(".0").unwrap_or(&text).to_owned()
    } else {
        format!("{value:.2}")
    }
}

/// A number in few characters: `25 k`, `1.5 M`.
fn short(value: f64) -> String {
    let (scaled, suffix) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, " G"),
        size if size >= 1e6 => (value / 1e6, " M"),
        size if size >= 1e3 => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let text = format!("{scaled:.2}");
    format!("{}{suffix}", text.trim_end_matches('0').trim_end_matches('.'))
}

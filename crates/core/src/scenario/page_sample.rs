//! Which share of the pages a trace looks at.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// One page of `2^shift`, written `1/64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSample {
    /// Binary logarithm of the number of pages of which one is looked at.
    pub shift: u32,
}

impl Default for PageSample {
    /// One page of 64.
    fn default() -> Self {
        Self { shift: 6 }
    }
}

impl FromStr for PageSample {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let pages = text.strip_prefix("1/").and_then(|pages| pages.parse::<u32>().ok());
        match pages {
            Some(pages) if pages.is_power_of_two() && pages <= 65_536 => Ok(Self { shift: pages.ilog2() }),
            _ => Err("write 1/N, N a power of two up to 65536, such as 1/64".to_owned()),
        }
    }
}

impl fmt::Display for PageSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1/{}", 1_u64 << self.shift)
    }
}

impl Serialize for PageSample {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A sample as text; `true` is the usual one and `false` means none, as version 0.1 wrote it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Whether(bool),
    Share(String),
}

/// Reads the key `trace` of a scenario.
pub(super) fn optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PageSample>, D::Error> {
    match Option::<Written>::deserialize(deserializer)? {
        None | Some(Written::Whether(false)) => Ok(None),
        Some(Written::Whether(true)) => Ok(Some(PageSample::default())),
        Some(Written::Share(text)) => text.parse().map(Some).map_err(serde::de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_read_back_as_it_is_written() {
        for text in ["1/1", "1/64", "1/65536"] {
            assert_eq!(text.parse::<PageSample>().unwrap().to_string(), text);
        }
        for text in ["64", "1/63", "1/0", "1/131072", "2/64", "1/-1"] {
            assert!(text.parse::<PageSample>().is_err(), "{text}");
        }
    }
}

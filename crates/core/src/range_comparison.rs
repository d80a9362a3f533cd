//! What differs between two ranges of time: whether a change helped.

use crate::Unit;
use crate::quantity::Quantity;
use serde::{Deserialize, Serialize};

/// Whether a change helped, by the time that tasks lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeVerdict {
    /// Tasks lose less time.
    Better,
    /// Tasks lose more time.
    Worse,
    /// Tasks lose less time by waits for one resource, and more by waits for another.
    Mixed,
    /// The time that tasks lose differs by less than what matters.
    NoDifference,
    /// The ranges do not show it.
    #[default]
    CannotTell,
}

/// One of two ranges of time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ComparedRange {
    /// The recorded host.
    pub host: String,
    /// When it begins and ends, ns since 1970-01-01 UTC.
    pub from_wall_ns: i64,
    /// See above.
    pub to_wall_ns: i64,
    /// Samples in it.
    pub samples: usize,
}

/// One measured value in both ranges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedValue {
    /// What was measured, in a few words.
    pub what: String,
    /// Of whom: `host`, `disk:NAME` or `cgroup:PATH`.
    pub of: String,
    /// The derived metric by which it was measured.
    pub source: String,
    /// Its mean before.
    pub before: Quantity,
    /// Its mean after.
    pub after: Quantity,
    /// The difference of the means, and the interval that contains it.
    pub difference: Quantity,
    /// The lower end of the interval.
    pub low: Quantity,
    /// The upper end of the interval.
    pub high: Quantity,
    /// Whether the interval leaves out 0.
    pub differs: bool,
    /// Whether the interval excludes every difference that matters. If a value neither differs nor is equal, the ranges cannot decide.
    #[serde(default)]
    pub equal: bool,
    /// Whether it is time that tasks lose.
    pub harm: bool,
}

impl ComparedValue {
    /// A difference, or an end of its interval, in words: two shares differ by percentage points.
    pub fn difference_words(difference: Quantity) -> String {
        let words = difference.to_string();
        if difference.unit == Unit::Ratio { words.replace(" %", " points") } else { words }
    }
}

/// What a program or a control group uses of disks or CPUs, where it is clearly more or less than before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedLoad {
    /// Who: `process:COMM` or `cgroup:PATH`.
    pub of: String,
    /// What it does, in a word: `reads`, `writes`, `uses`.
    pub what: String,
    /// Its mean before: bytes per second, or CPUs.
    pub before: Quantity,
    /// Its mean after.
    pub after: Quantity,
}

/// Two ranges of time, compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RangeComparison {
    /// Whether the change helped.
    pub verdict: ChangeVerdict,
    /// The same in a few sentences, with amounts.
    pub summary: String,
    /// The first range.
    pub before: ComparedRange,
    /// The second.
    pub after: ComparedRange,
    /// How differences and their intervals are computed, in one sentence.
    pub method: String,
    /// What was compared: the time that tasks lose first.
    pub values: Vec<ComparedValue>,
    /// Which programs and groups use more or less than before, those that changed most first.
    #[serde(default)]
    pub load: Vec<ComparedLoad>,
    /// What could not be compared, and why; a sentence each.
    pub unknown: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_differ_by_points_and_other_values_by_themselves() {
        assert_eq!(ComparedValue::difference_words(Quantity::new(0.848, Unit::Ratio)), "84.8 points");
        assert_eq!(
            ComparedValue::difference_words(Quantity::new(84.8, Unit::Count)),
            Quantity::new(84.8, Unit::Count).to_string()
        );
    }
}

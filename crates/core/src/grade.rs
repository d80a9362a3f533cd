//! Grades of evidence.

use crate::finding::Confidence;
use serde::{Deserialize, Serialize};

/// How strong the evidence of a finding is. How often causes of each grade are right is measured on recordings that no author of rules
/// had seen, and printed beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// A strength below 0.7.
    Weak,
    /// A strength from 0.7 on.
    Moderate,
    /// A strength from 0.9 on.
    Strong,
}

impl Grade {
    /// All, the strongest first.
    pub const ALL: [Self; 3] = [Self::Strong, Self::Moderate, Self::Weak];

    /// The grade of a strength.
    pub fn of(strength: Confidence) -> Self {
        match strength.get() {
            strength if strength >= 0.9 => Self::Strong,
            strength if strength >= 0.7 => Self::Moderate,
            _ => Self::Weak,
        }
    }

    /// Its name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Moderate => "moderate",
            Self::Strong => "strong",
        }
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Weak => "weak evidence",
            Self::Moderate => "moderate evidence",
            Self::Strong => "strong evidence",
        }
    }
}

/// How often causes of a grade were right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitRate {
    /// Recordings in which such a cause was right.
    pub right: u32,
    /// Recordings in which such a cause was reported.
    pub of: u32,
}

impl HitRate {
    /// Counts one more recording, in which the cause was right or not.
    pub fn add(&mut self, right: bool) {
        self.right += u32::from(right);
        self.of += 1;
    }

    /// The share that is expected of the next recording, by Laplace's rule of succession: 1/2 before any was seen.
    pub fn expected(self) -> f64 {
        (f64::from(self.right) + 1.0) / (f64::from(self.of) + 2.0)
    }

    /// The interval that contains the share in 95 of 100 cases (Wilson, 1927); absent before any was seen.
    pub fn interval(self) -> Option<(f64, f64)> {
        const Z: f64 = 1.96;
        let count = f64::from(self.of);
        let share = (self.of > 0).then(|| f64::from(self.right) / count)?;
        let middle = share + Z * Z / (2.0 * count);
        let wide = Z * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
        let whole = 1.0 + Z * Z / count;
        Some((((middle - wide) / whole).max(0.0), ((middle + wide) / whole).min(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_have_edges() {
        let of = |strength| Grade::of(Confidence::new(strength));
        assert_eq!([0.5, 0.69, 0.7, 0.89, 0.9, 1.0].map(of), {
            use Grade::{Moderate, Strong, Weak};
            [Weak, Weak, Moderate, Moderate, Strong, Strong]
        });
    }

    #[test]
    fn a_hit_rate_of_few_recordings_is_wide() {
        assert_eq!(HitRate::default().interval(), None);
        assert!((HitRate::default().expected() - 0.5).abs() < 1e-9);
        let (low, high) = HitRate { right: 9, of: 10 }.interval().unwrap();
        assert!((low - 0.596).abs() < 0.001 && (high - 0.982).abs() < 0.001, "{low} {high}");
        let all = HitRate { right: 20, of: 20 }.interval().unwrap();
        assert!(all.0 > 0.83 && all.1 >= 0.999, "{all:?}");
    }
}

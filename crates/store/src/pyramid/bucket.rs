//! Buckets, their lengths, and the curves that they belong to.

use pagetide_core::Table;
use pagetide_core::derived::Derived;

/// The length of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// 10 s.
    TenSeconds,
    /// 2 min.
    TwoMinutes,
    /// 30 min.
    HalfHour,
    /// 6 h.
    SixHours,
}

impl Level {
    /// All, the finest first.
    pub const ALL: [Self; 4] = [Self::TenSeconds, Self::TwoMinutes, Self::HalfHour, Self::SixHours];

    /// Its length in seconds.
    pub const fn seconds(self) -> i64 {
        match self {
            Self::TenSeconds => 10,
            Self::TwoMinutes => 120,
            Self::HalfHour => 1800,
            Self::SixHours => 21_600,
        }
    }

    /// Its length in ns.
    pub const fn ns(self) -> i64 {
        self.seconds() * 1_000_000_000
    }

    /// The end of the bucket that contains a moment. A bucket includes its end.
    pub(super) const fn end(self, wall_ns: i64) -> i64 {
        wall_ns.saturating_sub(1).div_euclid(self.ns()).saturating_add(1).saturating_mul(self.ns())
    }

    /// Its length as text, such as `10 s`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TenSeconds => "10s",
            Self::TwoMinutes => "2min",
            Self::HalfHour => "30min",
            Self::SixHours => "6h",
        }
    }
}

/// The values of a metric over a period that ends at a multiple of its length since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    /// Its end, ns since 1970-01-01 UTC.
    pub end_ns: i64,
    /// The value over the whole period.
    pub mean: f64,
    /// The smallest value between two samples in it.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Its weight when buckets are merged: its time in s, for a ratio times its denominator.
    pub weight: f64,
}

impl Bucket {
    /// Merges buckets into one that ends at `end_ns`; `None` if there are none.
    pub fn merge(end_ns: i64, buckets: impl IntoIterator<Item = Self>) -> Option<Self> {
        let (mut merged, mut amount): (Option<Self>, f64) = (None, 0.0);
        for bucket in buckets {
            amount += bucket.mean * bucket.weight;
            merged = Some(merged.map_or(bucket, |merged| Self {
                min: merged.min.min(bucket.min),
                max: merged.max.max(bucket.max),
                weight: merged.weight + bucket.weight,
                ..merged
            }));
        }
        let merged = merged?;
        let mean = if merged.weight > 0.0 { amount / merged.weight } else { merged.mean };
        // Rounding may move the mean out of the bounds.
        Some(Self { end_ns, mean: mean.clamp(merged.min.min(merged.mean), merged.max.max(merged.mean)), ..merged })
    }
}

/// A metric of an entity.
#[derive(Debug, Clone)]
pub struct Curve {
    /// The entity's table.
    pub table: Table,
    /// The entity's name; empty for the host.
    pub entity: String,
    /// The metric.
    pub metric: &'static Derived,
}

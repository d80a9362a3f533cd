//! Latencies of requests, to an eighth of their size.

/// Buckets of latency: eight for each power of two of nanoseconds.
pub const BUCKETS: usize = 64 * 8;

/// The bucket of a latency.
pub fn bucket(nanos: u64) -> usize {
    let nanos = nanos.max(8);
    let power = nanos.ilog2();
    let eighth = (nanos >> (power - 3)) & 7;
    power as usize * 8 + usize::try_from(eighth).unwrap_or(0)
}

/// The middle of a bucket, ns.
fn middle(bucket: usize) -> f64 {
    let (power, eighth) = (bucket / 8, bucket % 8);
    let low = f64::from(u32::try_from(8 + eighth).unwrap_or(8));
    (low + 0.5) * 2f64.powi(i32::try_from(power).unwrap_or(0) - 3)
}

/// How many requests took how long.
#[derive(Debug, Clone)]
pub struct Latencies(Vec<u64>);

impl Default for Latencies {
    fn default() -> Self {
        Self(vec![0; BUCKETS])
    }
}

impl Latencies {
    /// Those of counts for each [`bucket`].
    pub fn of(counts: impl Iterator<Item = u64>) -> Self {
        let mut all = Self::default();
        all.0.iter_mut().zip(counts).for_each(|(own, count)| *own = count);
        all
    }

    /// Counts a request.
    pub fn add(&mut self, nanos: u64) {
        self.0[bucket(nanos)] += 1;
    }

    /// Adds those of another load.
    pub fn append(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own += other);
    }

    /// The latency that `share` of the requests did not exceed, ns; none without requests.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = share * self.0.iter().sum::<u64>() as f64;
        let mut seen = 0.0;
        let at = self.0.iter().position(|count| {
            seen += *count as f64;
            seen > 0.0 && seen >= wanted
        });
        at.map(middle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_known_to_an_eighth() {
        for nanos in [8, 100, 1000, 54_321, 999_999, 1 << 40] {
            let middle = middle(bucket(nanos));
            assert!((middle / nanos as f64 - 1.0).abs() < 0.07, "{nanos}: {middle}");
        }
        assert!(bucket(u64::MAX) < BUCKETS && bucket(0) < BUCKETS);
        assert_eq!(Latencies::default().quantile(0.5), None);
    }
}

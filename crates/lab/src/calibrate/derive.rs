//! From measurements to a disk.

use super::measured::{LARGE, Measured, SMALL, Work};
use pagetide_core::{Bytes, BytesPerSecond, DiskSpec, FileSystem, Nanos};

/// A disk does more and more with more requests at once until it meets a limit: below this part of what its latency alone allows, it
/// has met one.
const LIMITED: f64 = 0.7;
/// Apart by this, two rates are different.
const APART: f64 = 0.1;
/// Rates of reads and writes that differ by this factor are told, and so are their times.
const DIFFER: f64 = 1.25;

/// The fastest of the points of a work and size.
fn fastest(points: &[Measured], work: Work, size: Bytes) -> Option<&Measured> {
    let alike = points.iter().filter(|point| point.work == work && point.size == size);
    alike.max_by(|one, other| one.per_second.total_cmp(&other.per_second))
}

/// The time of a request that is alone.
fn alone(points: &[Measured], work: Work, size: Bytes) -> Option<Nanos> {
    points.iter().find(|point| point.work == work && point.size == size && point.depth == 1).map(|point| point.median)
}

/// Whether a read and a write take different times.
fn differ(read: Nanos, write: Nanos) -> bool {
    let (read, write) = (read.as_secs_f64(), write.as_secs_f64());
    read > write * DIFFER || write > read * DIFFER
}

/// The rate that the requests of a work and size met as a limit. None when they met none.
fn limit(points: &[Measured], work: Work, size: Bytes, latency: Nanos) -> Option<f64> {
    let best = fastest(points, work, size)?;
    let deepest =
        points.iter().filter(|point| point.work == work && point.size == size).map(|point| point.depth).max()?;
    let unlimited = f64::from(deepest) / latency.as_secs_f64().max(1e-9);
    (best.per_second < LIMITED * unlimited).then_some(best.per_second)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate that was measured")]
fn whole(value: f64) -> u64 {
    value.round().max(1.0) as u64
}

/// The disk that does what was measured, and what its numbers do not say.
pub(super) fn disk(name: &str, size: Bytes, read_ahead: Option<Bytes>, points: &[Measured]) -> (DiskSpec, Vec<String>) {
    let mut notes = Vec::new();
    let latency = alone(points, Work::Read, SMALL).unwrap_or_default();
    let iops = limit(points, Work::Read, SMALL, latency);
    if iops.is_none()
        && let Some(best) = fastest(points, Work::Read, SMALL)
    {
        notes.push(format!(
            "The IOPS limit was not reached: {:.0} requests/s with {} at once, and more requests at once would give more.",
            best.per_second, best.depth
        ));
    }
    let large = limit(points, Work::Read, LARGE, latency);
    // Large requests that are as many as small ones are limited by their number.
    let by_count = iops.zip(large).is_some_and(|(iops, large)| large > iops * (1.0 - APART));
    if by_count {
        notes.push("Large requests reached the IOPS limit, not a bandwidth limit.".to_owned());
    } else if large.is_none() {
        notes.push("The bandwidth limit was not reached.".to_owned());
    }
    let bandwidth = large.filter(|_| !by_count).map(|rate| rate * LARGE.as_f64());
    if let (Some(read), Some(write)) = (fastest(points, Work::Read, SMALL), fastest(points, Work::Write, SMALL))
        && (read.per_second > write.per_second * DIFFER || write.per_second > read.per_second * DIFFER)
    {
        notes.push(format!(
            "The disk completes {:.0} writes/s and {:.0} reads/s. The block has one limit for both, that of reads.",
            write.per_second, read.per_second
        ));
    }
    let flush = points.iter().find(|point| point.work == Work::Flush).map(|point| point.median);
    let disk = DiskSpec {
        name: name.to_owned(),
        size,
        iops: iops.map(whole),
        bandwidth: bandwidth.map(|rate| BytesPerSecond::new(whole(rate))),
        latency: Some(latency),
        write_latency: alone(points, Work::Write, SMALL).filter(|write| differ(latency, *write)),
        flush,
        filesystem: FileSystem::default(),
        read_ahead,
        burst: None,
        reads_apart: false,
    };
    (disk, notes)
}

#[cfg(test)]
mod tests {
    use super::super::measured::PLAN;
    use super::*;
    use pagetide_sim::IoKind;
    use pagetide_sim::disk::Limits;
    use proptest::prelude::*;

    /// What the lab's model of a disk does with requests of `size`, `depth` at once, in a second.
    fn served(mut disk: Limits, work: Work, size: Bytes, depth: u32) -> Measured {
        const SECOND: u64 = 1_000_000_000;
        let mut free = vec![0u64; depth as usize];
        let mut times = Vec::new();
        // The first requests are those of a device that was idle.
        while let Some(first) = free.iter_mut().min().filter(|first| **first < 11 * SECOND) {
            let now = *first;
            let mut done = |at: u64, kind: IoKind| disk.done_at(Nanos::new(at), kind, size);
            let kind = if work == Work::Read { IoKind::Read } else { IoKind::Write };
            let flushes = work == Work::Flush;
            let written = if flushes { done(now, kind) } else { Nanos::new(now) };
            let done = done(written.get(), if flushes { IoKind::Flush } else { kind });
            if now >= SECOND {
                times.push(done.get() - written.get());
            }
            *first = done.get();
        }
        times.sort_unstable();
        let at = |part: usize| Nanos::new(times[(times.len() - 1) * part / 100]);
        Measured { work, size, depth, per_second: times.len() as f64 / 10.0, median: at(50), p99: at(99) }
    }

    fn measured(spec: &DiskSpec) -> DiskSpec {
        let points: Vec<Measured> = PLAN
            .iter()
            .flat_map(|(work, size, depths)| depths.iter().map(|depth| (*work, *size, *depth)))
            .map(|(work, size, depth)| served(Limits::of(spec), work, size, depth))
            .collect();
        disk("d", spec.size, None, &points).0
    }

    fn spec(latency: u64, iops: Option<u64>, bandwidth: Option<u64>, flush: u64) -> DiskSpec {
        DiskSpec {
            name: "d".to_owned(),
            size: Bytes::new(1 << 40),
            iops,
            bandwidth: bandwidth.map(BytesPerSecond::new),
            latency: Some(Nanos::new(latency)),
            write_latency: None,
            flush: Some(Nanos::new(flush)),
            filesystem: FileSystem::Ext4,
            read_ahead: None,
            burst: None,
            reads_apart: false,
        }
    }

    /// How far apart, as a share of the first.
    fn apart(one: Option<u64>, other: Option<u64>) -> f64 {
        match (one, other) {
            (Some(one), Some(other)) => (one.abs_diff(other)) as f64 / one as f64,
            (None, None) => 0.0,
            _ => f64::INFINITY,
        }
    }

    #[test]
    fn a_disk_without_limits_gets_none() {
        let found = measured(&spec(500_000, None, None, 3_000_000));
        assert_eq!((found.iops, found.bandwidth), (None, None));
        assert_eq!((found.latency, found.flush), (Some(Nanos::new(500_000)), Some(Nanos::new(3_000_000))));
    }

    #[test]
    fn a_disk_whose_writes_take_another_time_says_so() {
        let of = |write: u64| DiskSpec { write_latency: Some(Nanos::new(write)), ..spec(500_000, None, None, 0) };
        assert_eq!(measured(&of(4_000_000)).write_latency, Some(Nanos::new(4_000_000)));
        assert_eq!(measured(&of(550_000)).write_latency, None, "as long as a read");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10))]
        #[test]
        fn the_limits_of_a_known_disk_are_found(
            latency in 50_000u64..2_000_000,
            // Below what 32 requests at once would reach.
            used in 0.05f64..0.6,
            request in 8_192u64..500_000,
            flush in 0u64..20_000_000,
        ) {
            let iops = whole(used * 32e9 / latency as f64).max(300);
            prop_assume!((iops as f64) < 0.65 * 32e9 / latency as f64);
            let bandwidth = iops * request;
            prop_assume!((bandwidth as f64) < 0.65 * 16.0 * 1e9 / latency as f64 * LARGE.as_f64());
            let given = spec(latency, Some(iops), Some(bandwidth), flush);
            let found = measured(&given);
            let bytes = |disk: &DiskSpec| disk.bandwidth.map(BytesPerSecond::get);
            prop_assert!(apart(given.iops, found.iops) < 0.05, "{:?} of {:?}", found, given);
            prop_assert!(apart(bytes(&given), bytes(&found)) < 0.05, "{:?} of {:?}", found, given);
            // A disk whose limit is below what one request at a time does shows no latency of its own.
            let slowest = latency.max(1_000_000_000 / iops);
            prop_assert!(apart(Some(slowest), found.latency.map(Nanos::get)) < 0.05, "{:?} of {:?}", found, given);
            prop_assert!(apart(Some(flush.max(1)), found.flush.map(|flush| flush.get().max(1))) < 0.05, "{:?}", found);
        }
    }
}

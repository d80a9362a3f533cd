//! Block devices: `/proc/diskstats`, fields as in the kernel's Documentation/admin-guide/iostats.rst.

use super::Kind::{Counter, Gauge};
use super::{Metric, Table, metric};
use crate::quantity::Unit;

const T: Table = Table::Disk;

pub(super) static METRICS: &[Metric] = &[
    metric(T, "reads", "/proc/diskstats", Counter, Unit::Count, "reads completed"),
    metric(
        T,
        "read_merges",
        "/proc/diskstats",
        Counter,
        Unit::Count,
        "reads merged with one beside them before they were sent",
    ),
    metric(T, "read_sectors", "/proc/diskstats", Counter, Unit::Sectors, "sectors of 512 bytes read"),
    metric(T, "read_ms", "/proc/diskstats", Counter, Unit::Millis, "time spent reading, summed over all requests"),
    metric(T, "writes", "/proc/diskstats", Counter, Unit::Count, "writes completed"),
    metric(
        T,
        "write_merges",
        "/proc/diskstats",
        Counter,
        Unit::Count,
        "writes merged with one beside them before they were sent",
    ),
    metric(T, "write_sectors", "/proc/diskstats", Counter, Unit::Sectors, "sectors of 512 bytes written"),
    metric(T, "write_ms", "/proc/diskstats", Counter, Unit::Millis, "time spent writing, summed over all requests"),
    metric(T, "in_flight", "/proc/diskstats", Gauge, Unit::Count, "requests sent and not yet completed"),
    metric(
        T,
        "io_ms",
        "/proc/diskstats",
        Counter,
        Unit::Millis,
        "time during which at least one request was in flight",
    ),
    metric(
        T,
        "weighted_io_ms",
        "/proc/diskstats",
        Counter,
        Unit::Millis,
        "time in flight summed over requests; its rate is the mean queue depth",
    ),
    metric(T, "discards", "/proc/diskstats", Counter, Unit::Count, "discards completed (since Linux 4.18)"),
    metric(T, "discard_merges", "/proc/diskstats", Counter, Unit::Count, "discards merged (since Linux 4.18)"),
    metric(T, "discard_sectors", "/proc/diskstats", Counter, Unit::Sectors, "sectors discarded (since Linux 4.18)"),
    metric(T, "discard_ms", "/proc/diskstats", Counter, Unit::Millis, "time spent discarding (since Linux 4.18)"),
    metric(T, "flushes", "/proc/diskstats", Counter, Unit::Count, "cache flushes completed (since Linux 5.5)"),
    metric(T, "flush_ms", "/proc/diskstats", Counter, Unit::Millis, "time spent flushing (since Linux 5.5)"),
];

//! Memory zones: `/proc/zoneinfo` and `/proc/buddyinfo`.

use super::Kind::Gauge;
use super::{Metric, Table, metric};
use crate::quantity::Unit;

const T: Table = Table::Zone;

pub(super) static METRICS: &[Metric] = &[
    metric(T, "free", "/proc/zoneinfo", Gauge, Unit::Pages, "free pages in the zone"),
    metric(T, "min", "/proc/zoneinfo", Gauge, Unit::Pages, "watermark below which allocations reclaim directly"),
    metric(T, "low", "/proc/zoneinfo", Gauge, Unit::Pages, "watermark below which kswapd is woken"),
    metric(T, "high", "/proc/zoneinfo", Gauge, Unit::Pages, "watermark at which kswapd stops"),
    metric(
        T,
        "boost",
        "/proc/zoneinfo",
        Gauge,
        Unit::Pages,
        "temporary rise of the watermarks after fragmentation (since Linux 5.0)",
    ),
    metric(T, "spanned", "/proc/zoneinfo", Gauge, Unit::Pages, "pages the zone spans, holes included"),
    metric(T, "present", "/proc/zoneinfo", Gauge, Unit::Pages, "pages that exist in the zone"),
    metric(T, "managed", "/proc/zoneinfo", Gauge, Unit::Pages, "pages the page allocator manages"),
    metric(
        T,
        "reserve_max",
        "/proc/zoneinfo",
        Gauge,
        Unit::Pages,
        "largest lowmem reserve against allocations that could use a higher zone",
    ),
    metric(T, "order0", "/proc/buddyinfo", Gauge, Unit::Count, "free blocks of 2^0 pages"),
    metric(T, "order1", "/proc/buddyinfo", Gauge, Unit::Count, "free blocks of 2^1 pages"),
    metric(T, "order2", "/proc/buddyinfo", Gauge, Unit::Count, "free blocks of 2^2 pages"),
    metric(T, "order3", "/proc/buddyinfo", Gauge, Unit::Count, "free blocks of 2^3 pages"),
    metric(T, "order4", "/proc/buddyinfo", Gauge, Unit::Count, "free blocks of 2^4 pages"),
    metric(T, "order5", "/proc/buddyinfo", Gauge, Unit::Count, "free blocks of 2^5 pages"),
    metric(T, "order6", "/proc/buddyinfo", Gauge, Unit::Count, "free blocks of 2^6 pages"),
    metric(T, "order7", "/proc/buddyinfo", Gauge, Unit::Count, "free blocks of 2^7 pages"),
    metric(T, "order8", "/proc/buddyinfo", Gauge, Unit::Count, "free blocks of 2^8 pages"),
    metric(T, "order9", "/proc/buddyinfo", Gauge, Unit::Count, "free blocks of 2^9 pages"),
    metric(T, "order10", "/proc/buddyinfo", Gauge, Unit::Count, "free blocks of 2^10 pages"),
];

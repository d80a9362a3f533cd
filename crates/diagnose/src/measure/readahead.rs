//! The readahead of a device, and whether it is read in sequence: readahead sends whole windows then.

use crate::measure::amount::{Amount, Count, Limit};
use crate::measure::window::Window;
use pagetide_core::{Bytes, Ratio, Table, derived};

/// Size of a read in readahead windows.
pub(crate) const WHOLE: Limit<Ratio> = Limit::new(
    "size of a sequential read, as a share of the device's readahead window, at least",
    0.75,
    "Sequential readahead reaches its full window after a few requests; random reads stay below it.",
    "mm/readahead.c: get_next_ra_size (6.12)",
);
/// The kernel's readahead, where the recording lacks that of the device (`VM_READAHEAD_PAGES`, include/linux/pagemap.h of Linux 6.12).
const BY_DEFAULT: Amount<Bytes> = Amount::new(131_072.0);

/// The readahead of a disk at the end of a stretch: somebody may have changed it since the recording began.
pub(crate) fn of(window: &Window<'_>, disk: &str) -> Option<Amount<Bytes>> {
    let recording = window.recording;
    let set = recording.setting_at(&format!("{disk}.queue.read_ahead_kb"), window.span.to.ns());
    let set = set.and_then(|kib| kib.trim().parse::<u32>().ok()).map(|kib| Amount::new(f64::from(kib) * 1024.0));
    let first = || recording.manifest.disks.iter().find(|known| known.name == disk)?.read_ahead;
    set.or_else(|| first().map(|ahead| Amount::new(ahead.as_f64())))
}

/// Whether the device that reads most reads in whole readahead windows.
pub(crate) fn in_sequence(window: &Window<'_>) -> bool {
    let read = |disk: &str| window.disk_bytes(disk, &derived::READ_BANDWIDTH);
    let Some((disk, rate)) = window.busiest(read) else { return false };
    let ahead = of(window, disk).unwrap_or(BY_DEFAULT);
    let reads = window.rate::<Count>(Table::Disk, disk, "reads").filter(|reads| reads.is_positive());
    reads.is_some_and(|reads| rate.get() / reads.get() >= ahead.get() * WHOLE.get())
}

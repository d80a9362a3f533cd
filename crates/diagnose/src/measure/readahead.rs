//! Whether a device is read in sequence: readahead sends whole windows then.

use crate::measure::amount::{Count, Limit};
use crate::measure::window::Window;
use pagetide_core::{Ratio, Table, derived};

/// Size of a read in readahead windows.
pub(crate) const WHOLE: Limit<Ratio> = Limit::new(
    "size of a sequential read, as a share of the device's readahead window, at least",
    0.75,
    "Sequential readahead reaches its full window after a few requests; random reads stay below it.",
    "mm/readahead.c: get_next_ra_size (6.12)",
);
/// The kernel's readahead, bytes, where the recording lacks that of the device.
const READ_AHEAD: f64 = 131_072.0;

/// Whether the device that reads most reads in whole readahead windows.
pub(crate) fn in_sequence(window: &Window<'_>) -> bool {
    let read = |disk: &str| window.disk_bytes(disk, &derived::READ_BANDWIDTH);
    let Some((disk, rate)) = window.busiest(read) else { return false };
    let known = window.recording.manifest.disks.iter().find(|known| known.name == disk);
    let ahead = known.and_then(|known| known.read_ahead).map_or(READ_AHEAD, |ahead| ahead.as_f64());
    let reads = window.rate::<Count>(Table::Disk, disk, "reads").filter(|reads| reads.is_positive());
    reads.is_some_and(|reads| rate.get() / reads.get() >= ahead * WHOLE.get())
}

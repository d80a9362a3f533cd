//! Who fills tmpfs and shared segments: their memory belongs to no process, and outlives the one that wrote it.

use crate::actors::process::{self, ProcessShare};
use crate::measure::amount::{Amount, Rate};
use crate::measure::window::Window;
use pagetide_core::Bytes;

/// The part of the growth that makes a program or a group its origin.
pub(crate) const MIN_GROWTH_SHARE: f64 = 0.4;
/// What a program gives to write calls.
pub(crate) const WRITTEN: [&str; 1] = ["wchar"];

/// The command that wrote a file into tmpfs: what it gave to write calls and sent to no device is about what shared memory grew by.
pub(crate) fn writer<'a>(during: &Window<'a>, grown: Amount<Bytes>) -> Option<ProcessShare<'a, Bytes>> {
    let length = during.length()?;
    let most = process::fastest::<Bytes>(during, &WRITTEN)?;
    let stored: Rate<Bytes> = process::together(during, most.comm, &["write_bytes"]);
    let amount = (most.amount - stored).over(length);
    (amount >= grown * MIN_GROWTH_SHARE && amount <= grown / MIN_GROWTH_SHARE).then_some(ProcessShare {
        name: most.name,
        comm: most.comm,
        amount,
        processes: most.processes,
        mostly: most.mostly,
    })
}

//! Occupies the memory that the guest has beyond the scenario's machine.
//!
//! How much a kernel takes for itself is known only once it runs, and does not scale with the scenario. So a guest boots with too much
//! memory, and init occupies the surplus before the first step.

use pagetide_core::{Bytes, Error, Machine};
use pagetide_kernel::Root;
use std::time::Duration;

/// The occupied memory. Init's memory is locked, so it stays resident until this is dropped.
#[derive(Debug)]
pub(super) struct Surplus {
    _held: Vec<Vec<u8>>,
}

/// Bytes of one allocation.
const PIECE: usize = 256 << 10;

/// Allocates until MemAvailable is what the scenario's machine has.
///
/// # Errors
/// The guest has clearly too little memory.
pub(super) fn take(machine: &Machine, differences: &mut Vec<String>) -> Result<Surplus, Error> {
    let wanted = machine.memory.saturating_sub(machine.system);
    rustix::fs::sync();
    // Pages read and written until now are cache: they count as available, but reclaiming them takes time.
    std::fs::write("/proc/sys/vm/drop_caches", "3")
        .map_err(|error| Error::system(format!("cannot drop caches: {error}"), ""))?;
    std::thread::sleep(Duration::from_millis(200));
    let mut held: Vec<Vec<u8>> = Vec::new();
    let before = available()?;
    // The kernel counts free memory in batches per CPU, so check again until nothing is left to take.
    loop {
        let surplus = available()?.saturating_sub(wanted).get();
        let pieces = usize::try_from(surplus).unwrap_or(0) / PIECE;
        if pieces == 0 {
            break;
        }
        for piece in 0..pieces.div_ceil(2) {
            // Not zero, so that no page is the shared zero page or merged with others.
            held.push(vec![u8::try_from(piece % 255).unwrap_or(0) + 1; PIECE]);
        }
    }
    let after = available()?;
    let taken = Bytes::new((held.len() * PIECE) as u64);
    differences.push(format!(
        "{after} are available before the first step ({wanted} wanted; {taken} of {before} taken away)."
    ));
    if after.get() < wanted.get() / 20 * 19 {
        return Err(Error::system(
            format!("the guest has {after} available, but the scenario's machine has {wanted}"),
            "its kernel takes more than expected: use Debian's cloud kernel, or a larger scale",
        ));
    }
    Ok(Surplus { _held: held })
}

/// MemAvailable now.
fn available() -> Result<Bytes, Error> {
    let meminfo = Root::host().meminfo().map_err(|error| Error::system(error.to_string(), ""))?;
    Ok(meminfo.available().unwrap_or_default())
}

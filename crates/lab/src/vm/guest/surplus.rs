//! Takes the memory that the guest has beyond the scenario's machine.
//!
//! How much a kernel keeps for itself is known only once it runs, and does not scale with the scenario. So a guest boots with
//! too much memory and occupies the surplus before the first step.

use pagetide_core::{Bytes, Error, Machine};
use pagetide_kernel::Root;
use std::time::Duration;

/// Memory that is held; init's memory is locked, so it stays resident until this is dropped.
#[derive(Debug)]
pub(super) struct Surplus {
    _held: Vec<Vec<u8>>,
}

/// A piece of it.
const PIECE: usize = 256 << 10;

/// Holds so much that what is available is what the scenario's machine has.
///
/// # Errors
/// The guest has clearly too little instead.
pub(super) fn take(machine: &Machine, differences: &mut Vec<String>) -> Result<Surplus, Error> {
    let wanted = machine.memory.saturating_sub(machine.system);
    rustix::fs::sync();
    // What was read and written until now is cache, which is available but takes time to be given back.
    std::fs::write("/proc/sys/vm/drop_caches", "3")
        .map_err(|error| Error::system(format!("cannot drop caches: {error}"), ""))?;
    std::thread::sleep(Duration::from_millis(200));
    let mut held: Vec<Vec<u8>> = Vec::new();
    let before = available()?;
    // The kernel counts free memory in batches per CPU: look again while there is something to take.
    loop {
        let surplus = available()?.saturating_sub(wanted).get();
        let pieces = usize::try_from(surplus).unwrap_or(0) / PIECE;
        if pieces == 0 {
            break;
        }
        for piece in 0..pieces.div_ceil(2) {
            // Not zero, so that no page is shared with others.
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

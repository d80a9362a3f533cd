//! `pagetide guest`: the init of a virtual machine.

use super::Outcome;
use pagetide_core::Error;

/// Runs the guest, which powers itself off at the end. Returns only outside of a guest.
pub(crate) fn run() -> Result<Outcome, Error> {
    Err(pagetide_lab::vm::guest::run())
}

//! `pagetide guest`: the init of a virtual machine.

use super::Outcome;
use pagetide_core::Error;

/// Runs the guest, which ends by powering itself off. Comes back only where this is no guest.
pub(crate) fn run() -> Result<Outcome, Error> {
    Err(pagetide_lab::vm::guest::run())
}

//! What a system call answers.

use std::io;

/// The error of a call that gave a negative number.
pub(crate) fn checked(result: libc::c_long) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

//! System calls of init that no crate offers.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Turns a swap area off (swapoff(2)), which reads its pages back.
pub(super) fn swap_off(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path is a C string that lives through the call.
    match unsafe { libc::swapoff(path.as_ptr()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Turns a swap area on (swapon(2)).
pub(super) fn swap_on(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path is a C string that lives through the call.
    match unsafe { libc::swapon(path.as_ptr(), 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

//! Work between fork and exec.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Lets the child inherit these descriptors under their numbers, and kills it when the thread that starts it ends, so that no VM outlives a
/// killed lab. The caller keeps the descriptors open until the child has been started.
pub(super) fn prepare(command: &mut Command, inherited: Vec<RawFd>) {
    let parent = std::process::id();
    let enter = move || {
        crate::confined::prepare(None, parent)?;
        for fd in &inherited {
            // SAFETY: fcntl with these arguments reads no memory of ours; a closed descriptor is an error.
            if unsafe { libc::fcntl(*fd, libc::F_SETFD, 0) } == -1 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: the closure makes only system calls that are safe after a fork, and allocates nothing.
    unsafe {
        command.pre_exec(enter);
    }
}

//! Processes that the lab starts: born into a control group, and ended with the lab.
#![allow(unsafe_code)]

use crate::group::Group;
use pagetide_core::Refusal;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};

/// Has the command's process join the group before it becomes the new program, so that no page of its is charged
/// elsewhere, and die when the thread that started it dies, so that a killed lab leaves no load behind.
pub(crate) fn confine(command: &mut Command, group: Option<&Group>) -> Result<(), Refusal> {
    let door = group.map(Group::door).transpose()?;
    let parent = std::process::id();
    let enter = move || prepare(door.as_ref().map(AsRawFd::as_raw_fd), parent);
    // SAFETY: `prepare` makes only system calls that are safe after a fork, and allocates nothing.
    unsafe {
        command.pre_exec(enter);
    }
    Ok(())
}

/// What a forked child does first: joins the group and ties its life to its parent's. Safe after a fork.
pub(crate) fn prepare(door: Option<RawFd>, parent: u32) -> io::Result<()> {
    // SAFETY: prctl with these arguments reads no memory of ours.
    if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // The parent may have died before that call; then its signal has been missed.
    // SAFETY: getppid takes nothing and cannot fail.
    if u32::try_from(unsafe { libc::getppid() }) != Ok(parent) {
        return Err(io::Error::from_raw_os_error(libc::ECHILD));
    }
    if let Some(door) = door {
        // SAFETY: the descriptor is open, and the buffer is one byte long.
        if unsafe { libc::write(door, b"0".as_ptr().cast(), 1) } != 1 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Waits for a child and gives, with how it ended, the bytes that the kernel read from a device on its behalf, its threads'
/// included (`ru_inblock` of wait4(2), of `task_io_account_read` in the kernel). The child must not be waited for again.
pub(crate) fn reap(child: &Child) -> io::Result<(ExitStatus, u64)> {
    let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let mut status = 0;
    // SAFETY: an all-zero rusage is valid: it is made of numbers only.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live values of ours.
        if unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) } == pid {
            let blocks = u64::try_from(usage.ru_inblock).unwrap_or(0);
            return Ok((ExitStatus::from_raw(status), blocks.saturating_mul(512)));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

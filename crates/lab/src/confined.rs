//! Processes that the lab starts: they begin in a control group, and end with the lab.
#![allow(unsafe_code)]

use crate::group::Group;
use pagetide_core::{Error, Figure, Figures};
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};

/// Has the command's process join the group before it becomes the new program, so that no page of its is charged
/// elsewhere, and die when the thread that started it dies, so that a killed lab leaves no load behind.
pub(crate) fn confine(command: &mut Command, group: Option<&Group>) -> Result<(), Error> {
    let procs = group.map(Group::procs_file).transpose()?;
    let parent = std::process::id();
    let enter = move || prepare(procs.as_ref().map(AsRawFd::as_raw_fd), parent);
    // SAFETY: `prepare` makes only system calls that are safe after a fork, and allocates nothing.
    unsafe {
        command.pre_exec(enter);
    }
    Ok(())
}

/// What a forked child does first: joins the group and ties its life to its parent's. Safe after a fork.
pub(crate) fn prepare(procs: Option<RawFd>, parent: u32) -> io::Result<()> {
    // SAFETY: prctl with these arguments reads no memory of ours.
    if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // The parent may have died before that call; then its signal has been missed.
    // SAFETY: getppid takes nothing and cannot fail.
    if u32::try_from(unsafe { libc::getppid() }) != Ok(parent) {
        return Err(io::Error::from_raw_os_error(libc::ECHILD));
    }
    if let Some(procs) = procs {
        // SAFETY: the descriptor is open, and the buffer is one byte long.
        if unsafe { libc::write(procs, b"0".as_ptr().cast(), 1) } != 1 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// What a forked child does first: sets the name under which the kernel reports it, dies on SIGTERM even if its parent handles it, leaves a terminal's signals to its parent (Ctrl-C
/// reaches both), closes all files but `kept` (-1 stands for none), so that no lock or pipe of its parent's lives on in it, and is [`prepare`]d; `procs` is kept as well. Safe after a
/// fork.
pub(crate) fn begin(name: &CStr, procs: Option<RawFd>, parent: u32, kept: &mut [RawFd]) -> io::Result<()> {
    // SAFETY: the name ends with a zero byte.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
    for (signal, action) in [
        (libc::SIGINT, libc::SIG_IGN),
        (libc::SIGHUP, libc::SIG_IGN),
        (libc::SIGTERM, libc::SIG_DFL),
        (libc::SIGPIPE, libc::SIG_DFL),
    ] {
        // SAFETY: sets an action; no handler of ours is involved.
        unsafe { libc::signal(signal, action) };
    }
    // SAFETY: an empty set is a valid mask.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
    // This comes before anything that may fail: a child whose parent was just killed would keep its locks, and wait for ever on a
    // pipe whose other end it holds itself.
    kept.sort_unstable();
    let mut from: RawFd = 0;
    for fd in kept.iter().copied().filter(|fd| *fd >= 0) {
        if fd >= from {
            close_range(from, fd - 1);
            from = fd + 1;
        }
    }
    close_range(from, RawFd::MAX);
    prepare(procs, parent)
}

/// Descriptors that are looked for one by one at most: the kernel's own limit unless root raised it (`fs.nr_open`).
const MOST_FILES: RawFd = 1 << 20;

fn close_range(from: RawFd, to: RawFd) {
    if from > to {
        return;
    }
    // SAFETY: closing a descriptor that nobody here uses. By number, because glibc has the call only since 2.34.
    let result = unsafe { libc::syscall(libc::SYS_close_range, from, to, 0) };
    if result != 0 {
        // Linux before 5.9, or a seccomp filter.
        close_each(from, to);
    }
}

/// Closes descriptors one by one, the last included, as far as there can be any: up to the limit of open files.
fn close_each(from: RawFd, to: RawFd) {
    for fd in from..=to.min(most_files()) {
        // SAFETY: closing a descriptor that nobody here uses.
        unsafe { libc::close(fd) };
    }
}

/// The limit of open files (`ulimit -n`), at most [`MOST_FILES`].
fn most_files() -> RawFd {
    // SAFETY: an all-zero rlimit is valid: it is made of numbers only.
    let mut limit: libc::rlimit = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live value of ours.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } == 0;
    let most = if known { RawFd::try_from(limit.rlim_cur).unwrap_or(MOST_FILES) } else { MOST_FILES };
    most.min(MOST_FILES)
}

/// What a process has used, its threads included (wait4(2)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Bytes that the kernel read from a device on its behalf (`ru_inblock`, of `task_io_account_read` in the kernel).
    pub(crate) read_from_disk: u64,
    /// Page faults that had to read from a device.
    pub(crate) major_faults: u64,
    /// CPU time in user mode, ns.
    pub(crate) user_ns: u64,
    /// CPU time in the kernel, ns.
    pub(crate) system_ns: u64,
}

impl Usage {
    /// Sets the figures that are the process's own.
    pub(crate) fn figures(&self, figures: &mut Figures) {
        figures.set(Figure::UserCpu, self.user_ns as f64);
        figures.set(Figure::SystemCpu, self.system_ns as f64);
    }
}

/// Waits for a child and gives how it ended and what it used. The child must not be waited for again.
pub(crate) fn reap(child: &Child) -> io::Result<(ExitStatus, Usage)> {
    reap_pid(libc::pid_t::try_from(child.id()).map_err(io::Error::other)?, 0)?
        .ok_or_else(|| io::ErrorKind::Other.into())
}

/// The same of a child by its number; none when it has not ended and `flags` say not to wait.
pub(crate) fn reap_pid(pid: libc::pid_t, flags: libc::c_int) -> io::Result<Option<(ExitStatus, Usage)>> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is valid: it is made of numbers only.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live values of ours.
        match unsafe { libc::wait4(pid, &raw mut status, flags, &raw mut usage) } {
            0 => return Ok(None),
            found if found == pid => break,
            _ => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
    let count = |number: libc::c_long| u64::try_from(number).unwrap_or(0);
    let nanos = |time: libc::timeval| {
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        seconds * 1_000_000_000 + u64::try_from(time.tv_usec).unwrap_or(0) * 1000
    };
    let used = Usage {
        read_from_disk: count(usage.ru_inblock).saturating_mul(512),
        major_faults: count(usage.ru_majflt),
        user_ns: nanos(usage.ru_utime),
        system_ns: nanos(usage.ru_stime),
    };
    Ok(Some((ExitStatus::from_raw(status), used)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn descriptors_are_closed_one_by_one_up_to_and_with_the_last() {
        let open = |fd: RawFd| std::path::Path::new(&format!("/proc/self/fd/{fd}")).is_symlink();
        // The last ones: far above those that other tests of this process open meanwhile.
        let file = File::open("/dev/null").unwrap();
        let last = most_files() - 1;
        let expected = [last - 2, last - 1, last];
        let fds = expected.map(|least| {
            // SAFETY: duplicates a descriptor that is open.
            unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, least) }
        });
        assert_eq!(fds, expected);
        close_each(last - 2, last - 1);
        assert_eq!(fds.map(open), [false, false, true]);
        close_each(last, RawFd::MAX);
        assert!(!open(last));
    }
}

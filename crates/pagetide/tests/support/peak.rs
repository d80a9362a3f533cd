//! The peak of resident memory of a program that ended.
#![allow(unsafe_code, reason = "wait4(2)")]

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Output};

/// Runs a program whose outputs are pipes; gives what it wrote, and its peak of resident memory in bytes (`ru_maxrss`).
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
pub(crate) fn with_peak(command: &mut Command) -> (Output, u64) {
    let mut child = command.spawn().unwrap();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let reader = std::thread::spawn(move || {
        let mut stdout = Vec::new();
        out.read_to_end(&mut stdout).map(|_| stdout)
    });
    let mut stderr = Vec::new();
    err.read_to_end(&mut stderr).unwrap();
    let stdout = reader.join().unwrap().unwrap();
    let (mut status, pid) = (0, libc::pid_t::try_from(child.id()).unwrap());
    // SAFETY: an all-zero rusage is valid: it is made of numbers only.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live values of ours.
    let ended = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
    assert_eq!(ended, pid, "{}", std::io::Error::last_os_error());
    let peak = u64::try_from(usage.ru_maxrss).unwrap() << 10;
    (Output { status: ExitStatus::from_raw(status), stdout, stderr }, peak)
}

//! What a program that ended has used.
#![allow(unsafe_code, reason = "wait4(2)")]

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Output};

/// What a program has used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Used {
    /// Its peak of resident memory, bytes (`ru_maxrss`).
    pub(crate) peak: u64,
    /// CPU time, seconds.
    pub(crate) cpu: f64,
}

/// Runs a program whose outputs are pipes; gives what it wrote, and what it used. Its peak is not less than what this process has now, for
/// which the kernel counts it until it begins (`exec_mmap` in fs/exec.c).
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
pub(crate) fn with_usage(command: &mut Command) -> (Output, Used) {
    // Forgets this process' own peak (proc_pid_clear_refs(5)); a kernel that cannot counts it, too.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
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
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let used = Used {
        peak: u64::try_from(usage.ru_maxrss).unwrap() << 10,
        cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
    };
    (Output { status: ExitStatus::from_raw(status), stdout, stderr }, used)
}

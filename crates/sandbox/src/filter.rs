//! Which system calls a confined program cannot make: a filter of the kernel's (Documentation/userspace-api/seccomp_filter.rst).
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "codes of 16 bits, and error numbers that are positive"
)]

use crate::call::checked;
use std::io;

/// The kernel's name of this machine's system calls (`include/uapi/linux/audit.h`).
#[cfg(target_arch = "x86_64")]
const MACHINE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const MACHINE: u32 = 0xC000_00B7;

/// Calls that reach other processes, the network or the kernel's own settings.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setsid,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
];

// Places in what the filter looks at (`struct seccomp_data`): the call's number, the machine, the first argument's low half.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST: u32 = 16;

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const IF_ANY_BIT: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
const ANSWER: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;

const fn refuse(error: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | error as u32
}

/// The bit of the calls of x32, another numbering on x86-64.
const X32: u32 = 0x4000_0000;

/// A filter, made before the fork.
#[derive(Debug)]
pub(super) struct Filter(Vec<libc::sock_filter>);

impl Filter {
    pub(super) fn new(io_uring: bool) -> Self {
        let statement = |code, k| libc::sock_filter { code, jt: 0, jf: 0, k };
        let test = |code, k, jt, jf| libc::sock_filter { code, jt, jf, k };
        let number = |call: libc::c_long| u32::try_from(call).unwrap_or(u32::MAX);
        let mut code = vec![
            statement(LOAD, ARCHITECTURE),
            test(IF_EQUAL, MACHINE, 1, 0),
            statement(ANSWER, KILL),
            statement(LOAD, NUMBER),
            test(IF_ANY_BIT, X32, 0, 1),
            statement(ANSWER, KILL),
        ];
        let uring = (!io_uring).then_some(libc::SYS_io_uring_setup);
        for call in REFUSED.iter().copied().chain(uring) {
            code.extend([test(IF_EQUAL, number(call), 0, 1), statement(ANSWER, refuse(libc::EPERM))]);
        }
        // Its arguments are in memory, where no filter can look. The library takes clone(2) then.
        code.extend([test(IF_EQUAL, number(libc::SYS_clone3), 0, 1), statement(ANSWER, refuse(libc::ENOSYS))]);
        // Threads, but no processes.
        code.extend([
            test(IF_EQUAL, number(libc::SYS_clone), 0, 3),
            statement(LOAD, FIRST),
            test(IF_ANY_BIT, libc::CLONE_THREAD as u32, 1, 0),
            statement(ANSWER, refuse(libc::EPERM)),
            statement(ANSWER, ALLOW),
        ]);
        Self(code)
    }

    /// Filters this process's calls from now on. Safe after a fork.
    pub(super) fn enter(&self) -> io::Result<()> {
        let program = libc::sock_fprog {
            len: u16::try_from(self.0.len()).unwrap_or(u16::MAX),
            filter: self.0.as_ptr().cast_mut(),
        };
        // SAFETY: the program and its statements live until the call returns; the kernel copies and does not change them.
        checked(
            unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program, 0, 0) }.into(),
        )
    }
}

//! Confines a program that works on foreign data, such as fio on a scenario that somebody sent, or sadf on a binary file: it has
//! a session of its own without a terminal, can make neither sockets nor processes, and gains no rights by executing another program.
//!
//! When the caller is root, the program also runs as a user who owns nothing, without capabilities, in namespaces of its own: no
//! network, no shared memory of others, and a view of the file system that is read-only but for one folder, and empty where people,
//! services and their sockets are. Another caller cannot give those rights away, and has not got them.
//!
//! All that the child does between fork and exec is made ready before: there it makes system calls only. `unsafe`: those calls.
#![allow(unsafe_code)]

mod call;
mod filter;
mod view;

use call::checked;
use filter::Filter;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use view::View;

/// Users whom no package owns: systemd's range for users that live as long as a service (`DynamicUser=`, systemd.exec(5)).
const USERS: std::ops::RangeInclusive<u32> = 61184..=65519;

/// Whether a user is one that a sandbox of root gives its program.
pub fn is_user(user: u32) -> bool {
    USERS.contains(&user)
}

/// What a program may take at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// CPU time, seconds.
    CpuSeconds(u64),
    /// Address space, bytes.
    Memory(u64),
    /// Size of a file that it writes, bytes.
    FileSize(u64),
    /// Open files.
    Files(u64),
}

/// What a program may do. Made before the program's [`Command`], whose child it confines.
#[derive(Debug)]
pub struct Sandbox {
    /// Who it becomes; absent when the caller is not root.
    user: Option<u32>,
    /// Whether it gets namespaces of its own.
    namespaces: bool,
    folder: Option<OwnedFd>,
    inherited: Vec<OwnedFd>,
    limits: Vec<Limit>,
    io_uring: bool,
    note: Option<String>,
}

impl Sandbox {
    /// As little as this caller can give.
    pub fn new() -> Self {
        // SAFETY: geteuid takes nothing and cannot fail.
        let root = unsafe { libc::geteuid() } == 0;
        let pid = std::process::id();
        let count = USERS.end() - USERS.start() + 1;
        // The first process of a machine has nobody beside it: the guest of a VM is a sandbox itself, and its root file system,
        // an initramfs, can be nobody's view.
        let refused = if root && pid != 1 { view::refused() } else { None };
        let note = refused.as_ref().map(|error| format!("without namespaces of its own: {error}"));
        Self {
            user: root.then_some(USERS.start() + pid % count),
            namespaces: root && pid != 1 && refused.is_none(),
            folder: None,
            inherited: Vec::new(),
            limits: Vec::new(),
            io_uring: false,
            note,
        }
    }

    /// The user that the program becomes: what it is to write must be theirs. Absent when it stays the caller's.
    pub fn user(&self) -> Option<u32> {
        self.user
    }

    /// What the system refused to this sandbox.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Starts the program in this folder, the only one that it can write in.
    #[must_use]
    pub fn in_folder(mut self, folder: OwnedFd) -> Self {
        self.folder = Some(folder);
        self
    }

    /// Lets the program inherit a file, and returns the path under which the program can open it.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn inherit(&mut self, file: &File) -> io::Result<String> {
        let file = file.as_fd().try_clone_to_owned()?;
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        self.inherited.push(file);
        Ok(path)
    }

    /// Limits what the program takes.
    #[must_use]
    pub fn with_limits(mut self, limits: &[Limit]) -> Self {
        self.limits.extend_from_slice(limits);
        self
    }

    /// Lets the program use `io_uring_setup(2)`, which can make sockets past a filter of system calls.
    #[must_use]
    pub fn with_io_uring(mut self) -> Self {
        self.io_uring = true;
        self
    }

    /// Confines the process of `command`, whose program is at `program`. The last of what is asked of the command before it is started.
    pub fn confine(self, command: &mut Command, program: &Path) {
        let filter = Filter::new(self.io_uring);
        let view = self.namespaces.then(|| View::new(program, self.folder.is_some()));
        let parent = std::process::id();
        let enter = move || self.enter(view.as_ref(), &filter, parent);
        // SAFETY: `enter` makes only system calls, and allocates nothing.
        unsafe {
            command.pre_exec(enter);
        }
    }

    fn enter(&self, view: Option<&View>, filter: &Filter, parent: u32) -> io::Result<()> {
        // SAFETY: takes nothing. A child that has just been forked leads no group, so that it can lead a session.
        checked(unsafe { libc::setsid() }.into())?;
        for file in &self.inherited {
            // SAFETY: fcntl with these arguments reads no memory of ours.
            checked(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, 0) }.into())?;
        }
        self.limit()?;
        let folder = self.folder.as_ref().map(AsRawFd::as_raw_fd);
        if let Some(folder) = folder {
            // SAFETY: takes a number.
            checked(unsafe { libc::fchdir(folder) }.into())?;
        }
        if let Some(view) = view {
            view.enter()?;
        }
        if let Some(user) = self.user {
            become_user(user)?;
        }
        // After the change of the user, which clears it (kernel/cred.c: commit_creds).
        // SAFETY: prctl with these arguments reads no memory of ours.
        checked(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) }.into())?;
        // SAFETY: takes nothing and cannot fail.
        if u32::try_from(unsafe { libc::getppid() }) != Ok(parent) {
            return Err(io::Error::from_raw_os_error(libc::ECHILD));
        }
        // SAFETY: prctl with these arguments reads no memory of ours.
        checked(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }.into())?;
        filter.enter()
    }

    fn limit(&self) -> io::Result<()> {
        set_limit(libc::RLIMIT_CORE, 0)?;
        self.limits.iter().try_for_each(|limit| match *limit {
            Limit::CpuSeconds(most) => set_limit(libc::RLIMIT_CPU, most),
            Limit::Memory(most) => set_limit(libc::RLIMIT_AS, most),
            Limit::FileSize(most) => set_limit(libc::RLIMIT_FSIZE, most),
            Limit::Files(most) => set_limit(libc::RLIMIT_NOFILE, most),
        })
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(target_env = "gnu")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_env = "gnu"))]
type Resource = libc::c_int;

fn set_limit(resource: Resource, most: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: the pointer is to a live value of ours.
    checked(unsafe { libc::setrlimit(resource, &raw const limit) }.into())
}

/// Drops all capabilities, the user and the groups. It uses system calls by number, because the library's functions also notify other
/// threads, which a child does not have.
fn become_user(user: u32) -> io::Result<()> {
    for capability in 0..64 {
        // SAFETY: prctl with these arguments reads no memory of ours. It fails for the first that the kernel has not got.
        if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } != 0 {
            break;
        }
    }
    // SAFETY: an empty list needs no memory.
    checked(unsafe { libc::syscall(libc::SYS_setgroups, 0, std::ptr::null::<libc::gid_t>()) })?;
    // SAFETY: takes numbers.
    checked(unsafe { libc::syscall(libc::SYS_setresgid, user, user, user) })?;
    // SAFETY: takes numbers.
    checked(unsafe { libc::syscall(libc::SYS_setresuid, user, user, user) })
}

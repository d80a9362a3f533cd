//! Workers: forked processes that occupy memory or generate load, and report by counters on a shared page, so that the lab knows
//! what a worker had done also when it was killed. `unsafe`: fork.
#![allow(unsafe_code)]

pub(crate) mod after_fork;
mod counters;

pub(crate) use counters::{Activity, Counters, END_OF_FILE, Phase, SharedCounters};

use crate::confined::{self, Usage};
use crate::group::Group;
use crate::undo::Identity;
use pagetide_core::Error;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::process::ExitStatus;

/// What a worker does. It is made before the fork and runs after it, where only system calls and memory of its own are safe
/// ([`after_fork`]).
pub(crate) trait Work {
    /// The files it uses; -1 for none.
    fn files(&self) -> [RawFd; 2] {
        [-1, -1]
    }

    /// Does it. An error is an error number.
    fn run(&self, counters: &Counters) -> Result<(), i32>;
}

/// A worker. Dropped, it is killed and waited for.
#[derive(Debug)]
pub(crate) struct Worker {
    process: Identity,
    pid: libc::pid_t,
    counters: SharedCounters,
    /// A byte starts the work; closing it ends the process.
    gate: Option<File>,
    reaped: bool,
}

fn failed(what: &str, error: &io::Error) -> Error {
    Error::system(format!("cannot {what}: {error}"), "")
}

impl Worker {
    /// Starts a worker with a name, of which the kernel keeps 15 bytes (`TASK_COMM_LEN`). It waits for [`Self::go`].
    ///
    /// # Errors
    /// No process can be started, or it cannot join the group.
    pub(crate) fn start(name: &str, work: &dyn Work, group: Option<&Group>) -> Result<Self, Error> {
        let name = CString::new(name).map_err(|_| Error::input(format!("not a process name: `{name:?}`"), ""))?;
        let group = group.map(Group::procs_file).transpose()?;
        let counters = SharedCounters::new().map_err(|error| failed("map memory", &error))?;
        let (inside, outside) = io::pipe().map_err(|error| failed("make a pipe", &error))?;
        let (gate, parent) = (inside.as_raw_fd(), std::process::id());
        let joins = group.as_ref().map(AsRawFd::as_raw_fd);
        // SAFETY: the child only makes system calls, counts on the shared page and uses memory that it maps itself, and never
        // returns: it uses no lock or allocator of the parent, so it does not matter what other threads held.
        let pid = unsafe { libc::fork() };
        match pid {
            -1 => Err(failed("start a process", &io::Error::last_os_error())),
            0 => live(&name, work, counters.get(), gate, joins, parent),
            _ => {
                let number = u32::try_from(pid).unwrap_or(0);
                let process = Identity::of(number).unwrap_or(Identity { pid: number, started: 0 });
                Ok(Self { process, pid, counters, gate: Some(File::from(OwnedFd::from(outside))), reaped: false })
            }
        }
    }

    pub(crate) fn process(&self) -> Identity {
        self.process
    }

    pub(crate) fn counters(&self) -> &SharedCounters {
        &self.counters
    }

    /// Lets it start its work.
    pub(crate) fn go(&mut self) -> Result<(), Error> {
        let gate = self.gate.as_mut();
        gate.map_or(Ok(()), |gate| gate.write_all(b"g")).map_err(|error| failed("start the work", &error))
    }

    /// Lets it end once its work is done; until then it keeps its memory.
    pub(crate) fn dismiss(&mut self) {
        self.gate = None;
    }

    /// How it ended and what it used, once it has ended.
    pub(crate) fn ended(&mut self) -> Result<Option<(ExitStatus, Usage)>, Error> {
        let ended = confined::reap_pid(self.pid, libc::WNOHANG).map_err(|error| failed("wait for a worker", &error))?;
        self.reaped = self.reaped || ended.is_some();
        Ok(ended)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if !self.reaped {
            // SAFETY: a signal to a child of ours that was not waited for, so that the number is still its own.
            unsafe { libc::kill(self.pid, libc::SIGKILL) };
            // It fails only when there is nothing to wait for.
            let _ = confined::reap_pid(self.pid, 0);
        }
    }
}

/// The whole life of the child.
fn live(name: &CStr, work: &dyn Work, counters: &Counters, gate: RawFd, joins: Option<RawFd>, parent: u32) -> ! {
    counters.set_activity(Activity::Start);
    let [one, two] = work.files();
    let begun = confined::begin(name, joins, parent, &mut [gate, one, two, joins.unwrap_or(-1)]);
    let mut done = begun.map_err(|error| error.raw_os_error().unwrap_or(libc::EIO));
    if done.is_ok() && wait_at(gate) {
        counters.set_began(after_fork::clock());
        done = work.run(counters);
        counters.set_ended(after_fork::clock());
    }
    if let Err(error) = done {
        counters.set_error(error);
    }
    counters.set_phase(Phase::Done);
    // Until the lab has read what it holds.
    wait_at(gate);
    // SAFETY: ends this process without running anything of its parent's.
    unsafe { libc::_exit(0) }
}

/// Waits for a byte; false at the end of the pipe.
fn wait_at(gate: RawFd) -> bool {
    let mut byte = 0_u8;
    // SAFETY: reads one byte into a byte of ours.
    unsafe { libc::read(gate, (&raw mut byte).cast(), 1) == 1 }
}

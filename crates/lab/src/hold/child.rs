//! The process that holds memory: a fork that makes system calls and fills memory, and nothing else. `unsafe`: fork and mmap.
#![allow(unsafe_code)]

use super::Options;
use crate::confined;
use crate::undo::Identity;
use pagetide_core::{Bytes, Error, HoldKind, HoldSpec, Nanos};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;

/// So much is touched between two reports. A multiple of every page size.
const CHUNK: usize = 16 << 20;

/// What the holder says, as the first byte of a record of 9 bytes; then a number.
const ALLOCATED: u8 = 1;
const TOUCHING: u8 = 2;
const TOUCHED: u8 = 3;
const DONE: u8 = 4;
const FAILED: u8 = 5;

/// What a holder has got to.
pub(super) enum Report {
    Allocated,
    Touching,
    Touched(Bytes),
    Done,
    /// Nothing new for a while.
    Idle,
}

/// A holder. Dropped, it is killed and waited for.
#[derive(Debug)]
pub(super) struct Child {
    identity: Identity,
    pid: libc::pid_t,
    go: File,
    reports: File,
}

/// What the holder needs to know, all of it made before the fork.
struct Plan {
    size: usize,
    touch: usize,
    kind: HoldKind,
    after: Nanos,
    file: Option<RawFd>,
    door: Option<RawFd>,
    parent: u32,
    go: RawFd,
    reports: RawFd,
}

fn killed() -> Error {
    Error::system(super::KILLED, "hold less: memory ran out")
}

fn failed(what: &str, error: &io::Error) -> Error {
    Error::system(format!("cannot {what}: {error}"), "")
}

impl Child {
    /// Starts a holder that waits for [`Child::go`].
    pub(super) fn start(
        spec: &HoldSpec,
        touch: Bytes,
        options: &Options<'_>,
        file: Option<File>,
    ) -> Result<Self, Error> {
        let too_much = |_| Error::input(format!("{} is more than this machine can address", spec.size), "");
        let door = options.group.map(crate::group::Group::door).transpose()?;
        let (go_in, go) = io::pipe().map_err(|error| failed("make a pipe", &error))?;
        let (reports, reports_out) = io::pipe().map_err(|error| failed("make a pipe", &error))?;
        let plan = Plan {
            size: usize::try_from(spec.size.get()).map_err(too_much)?,
            touch: usize::try_from(touch.get()).map_err(too_much)?,
            kind: spec.kind,
            after: options.after,
            file: file.as_ref().map(AsRawFd::as_raw_fd),
            door: door.as_ref().map(AsRawFd::as_raw_fd),
            parent: std::process::id(),
            go: go_in.as_raw_fd(),
            reports: reports_out.as_raw_fd(),
        };
        // SAFETY: the child only makes system calls and writes to memory that it maps itself, and never returns: no lock or
        // allocator of the parent's is used, so it does not matter what other threads held at this moment.
        let pid = unsafe { libc::fork() };
        match pid {
            -1 => Err(failed("start a process", &io::Error::last_os_error())),
            0 => hold(&plan),
            _ => {
                let number = u32::try_from(pid).unwrap_or(0);
                let identity = Identity::of(number).unwrap_or(Identity { pid: number, started: 0 });
                let go = File::from(std::os::fd::OwnedFd::from(go));
                Ok(Self { identity, pid, go, reports: File::from(std::os::fd::OwnedFd::from(reports)) })
            }
        }
    }

    pub(super) fn identity(&self) -> Identity {
        self.identity
    }

    /// Lets the holder begin.
    pub(super) fn go(&mut self) -> Result<(), Error> {
        self.go.write_all(b"g").map_err(|error| failed("reach the process that holds memory", &error))
    }

    /// Waits for what the holder says next, 50 ms at most.
    pub(super) fn report(&mut self) -> Result<Report, Error> {
        let lost = |error: io::Error| failed("hear the process that holds memory", &error);
        let wait = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        match poll(&mut [PollFd::new(&self.reports, PollFlags::IN)], Some(&wait)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(Report::Idle),
            Ok(_) => {}
            Err(error) => return Err(lost(error.into())),
        }
        let mut record = [0; 9];
        match self.reports.read_exact(&mut record) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(killed()),
            Err(error) => return Err(lost(error)),
        }
        let [kind, number @ ..] = record;
        let number = u64::from_ne_bytes(number);
        match kind {
            ALLOCATED => Ok(Report::Allocated),
            TOUCHING => Ok(Report::Touching),
            TOUCHED => Ok(Report::Touched(Bytes::new(number))),
            DONE => Ok(Report::Done),
            _ => {
                let error = io::Error::from_raw_os_error(i32::try_from(number).unwrap_or(libc::EIO));
                Err(Error::system(
                    format!("the memory is refused: {error}"),
                    "hold less, or look at ulimit -l and ulimit -v",
                ))
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // SAFETY: the process is our own child and is waited for only here, so the id is still its own.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            while libc::waitpid(self.pid, ptr::null_mut(), 0) == -1
                && io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
            {}
        }
    }
}

/// The life of a holder. Runs after a fork: system calls and memory only.
fn hold(plan: &Plan) -> ! {
    if let Err(error) = try_hold(plan) {
        say(plan, FAILED, u64::try_from(error).unwrap_or(0));
        // SAFETY: ends the process without running anything of the parent's.
        unsafe { libc::_exit(1) }
    }
    loop {
        // SAFETY: waits for a signal, which ends the process.
        unsafe { libc::pause() };
    }
}

fn say(plan: &Plan, kind: u8, number: u64) {
    let mut record = [0; 9];
    record[0] = kind;
    record[1..].copy_from_slice(&number.to_ne_bytes());
    // SAFETY: the buffer is 9 bytes long. A record of that size is written whole or, when the parent is gone, not at all.
    unsafe { libc::write(plan.reports, record.as_ptr().cast(), record.len()) };
}

/// The error number of the last system call.
fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

fn check(result: libc::c_int) -> Result<(), i32> {
    if result == 0 { Ok(()) } else { Err(errno()) }
}

fn try_hold(plan: &Plan) -> Result<(), i32> {
    let mut kept = [plan.go, plan.reports, plan.file.unwrap_or(-1)];
    confined::begin(c"pagetide-hold", plan.door, plan.parent, &mut kept)
        .map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))?;
    let mut byte = 0_u8;
    // SAFETY: reads one byte into a byte of ours.
    if unsafe { libc::read(plan.go, (&raw mut byte).cast(), 1) } != 1 {
        return Err(libc::ECANCELED);
    }
    let memory = allocate(plan)?;
    say(plan, ALLOCATED, 0);
    rest(plan.after);
    say(plan, TOUCHING, 0);
    let mut done = 0;
    while done < plan.touch {
        let length = CHUNK.min(plan.touch - done);
        // SAFETY: `done + length` is within the mapping of `size` bytes.
        let chunk = unsafe { memory.add(done) };
        if plan.kind == HoldKind::Mlock {
            // SAFETY: the range is within the mapping.
            check(unsafe { libc::mlock(chunk.cast(), length) })?;
        }
        // SAFETY: the range is within the mapping, which is writable and nobody else's.
        unsafe { fill(chunk, length, done) };
        done += length;
        say(plan, TOUCHED, done as u64);
    }
    if let Some(file) = plan.file {
        // What is held is cache, not dirty memory.
        // SAFETY: the descriptor is open.
        check(unsafe { libc::fsync(file) })?;
    }
    say(plan, DONE, 0);
    Ok(())
}

fn allocate(plan: &Plan) -> Result<*mut u8, i32> {
    let flags = match plan.kind {
        HoldKind::Anon | HoldKind::Mlock => libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
        HoldKind::Shared => libc::MAP_SHARED | libc::MAP_ANONYMOUS,
        HoldKind::File => libc::MAP_SHARED,
    };
    if let Some(file) = plan.file {
        let size = libc::off_t::try_from(plan.size).map_err(|_| libc::EFBIG)?;
        // Room on the disk now, not a SIGBUS later.
        // SAFETY: the descriptor is open.
        match unsafe { libc::posix_fallocate(file, 0, size) } {
            0 => {}
            error => return Err(error),
        }
    }
    // SAFETY: a new mapping at an address of the kernel's choice.
    let memory = unsafe {
        libc::mmap(
            ptr::null_mut(),
            plan.size.max(1),
            libc::PROT_READ | libc::PROT_WRITE,
            flags | libc::MAP_NORESERVE,
            plan.file.unwrap_or(-1),
            0,
        )
    };
    if memory == libc::MAP_FAILED { Err(errno()) } else { Ok(memory.cast()) }
}

fn rest(time: Nanos) {
    const SECOND: u64 = 1_000_000_000;
    let mut left = libc::timespec {
        tv_sec: libc::time_t::try_from(time.get() / SECOND).unwrap_or(libc::time_t::MAX),
        tv_nsec: libc::c_long::try_from(time.get() % SECOND).unwrap_or(0),
    };
    // SAFETY: both pointers are to our own value; the rest is written back when a signal comes in between.
    while unsafe { libc::nanosleep(&raw const left, &raw mut left) } == -1 && errno() == libc::EINTR {}
}

/// Fills memory with words that are all different: one multiplication each, so that a page costs little more than its fault.
///
/// # Safety
/// `length` bytes from `memory` are writable and nobody else's.
unsafe fn fill(memory: *mut u8, length: usize, offset: usize) {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let words = length / 8;
    let first = (offset / 8) as u64 + 1;
    for word in 0..words {
        let value = (first + word as u64).wrapping_mul(ODD);
        // SAFETY: the word is within the range; mappings and chunks begin at whole pages, so it is aligned. Volatile, because
        // nobody reads it and the compiler would be free to leave it out.
        unsafe { memory.cast::<u64>().add(word).write_volatile(value) };
    }
    for byte in words * 8..length {
        // SAFETY: within the range.
        unsafe { memory.add(byte).write_volatile(1) };
    }
}

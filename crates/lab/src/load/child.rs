//! The process of a load: a fork that makes system calls, touches memory of its own, and nothing else. `unsafe`: fork.
#![allow(unsafe_code)]

use super::board::{Board, EARLY, Phase};
use super::{nanos, work};
use crate::confined::{self, Usage};
use crate::group::Group;
use crate::undo::Identity;
use pagetide_core::{Bytes, BytesPerSecond, Caching, Error, Fill, Load, Order, Sharing};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::process::ExitStatus;

/// What a load is to do, in numbers, made before the fork. Times and rates of 0 are none.
#[derive(Debug, Clone, Copy)]
pub(super) enum Plan {
    Move(Move),
    Walk(Walk),
    Grow { size: usize, rate: u64, fill: Fill, linger: u64 },
    Spin { time: u64 },
    Names { folder: RawFd, count: u64, rate: u64, linger: u64 },
}

/// Bytes from a file to another or to nowhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    pub(super) from: RawFd,
    pub(super) to: Option<RawFd>,
    /// Whether `to` is on a disk.
    pub(super) stored: bool,
    pub(super) size: u64,
    pub(super) bs: usize,
    pub(super) rate: u64,
    pub(super) caching: Caching,
    /// Whether each block is drawn anew.
    pub(super) random: bool,
    /// Bytes that are read before `skip` are left out; 0 for no end.
    pub(super) stride: u64,
    pub(super) skip: u64,
    pub(super) sync: bool,
    pub(super) time: u64,
}

/// Memory and a mapped file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    pub(super) file: Option<RawFd>,
    pub(super) code: usize,
    pub(super) executable: bool,
    pub(super) data: usize,
    pub(super) sharing: Sharing,
    pub(super) fill: Fill,
    pub(super) chunk: usize,
    pub(super) walked: usize,
    pub(super) iterations: u64,
    pub(super) order: Order,
    pub(super) rate: u64,
    pub(super) time: u64,
}

impl Plan {
    pub(super) fn of(load: &Load, from: Option<RawFd>, to: Option<RawFd>) -> Result<Self, Error> {
        let length = |size: Bytes| {
            usize::try_from(size.get())
                .map_err(|_| Error::input(format!("{size} is more than this machine can address"), ""))
        };
        let rate = |rate: Option<BytesPerSecond>| rate.map_or(0, BytesPerSecond::get);
        let from_fd = || from.ok_or_else(|| Error::input("there is nothing to read from", ""));
        Ok(match load {
            Load::Stream(stream) => Self::Move(Move {
                from: from_fd()?,
                to: None,
                stored: false,
                size: stream.size.get(),
                bs: length(stream.bs)?,
                rate: rate(stream.rate),
                caching: stream.cache,
                random: stream.random,
                stride: stream.stride.map_or(0, |stride| stride.read.get()),
                skip: stream.stride.map_or(0, |stride| stride.skip.get()),
                sync: false,
                time: nanos(stream.time),
            }),
            Load::Dd(dd) => Self::Move(Move {
                from: from_fd()?,
                to,
                stored: dd.to.stored(),
                size: dd.size.get(),
                bs: length(dd.bs)?,
                rate: rate(dd.rate),
                caching: dd.cache,
                random: false,
                stride: 0,
                skip: 0,
                sync: dd.sync,
                time: nanos(dd.time),
            }),
            Load::Copy(copy) => Self::Move(Move {
                from: from_fd()?,
                to,
                stored: true,
                size: copy.size.get(),
                bs: length(copy.bs)?,
                rate: 0,
                caching: copy.cache,
                random: false,
                stride: 0,
                skip: 0,
                sync: false,
                time: 0,
            }),
            Load::MapAndWalk(walk) => {
                let (code, data) = (length(walk.code)?, length(walk.data)?);
                let walked = walk.walked.map(length).transpose()?.unwrap_or(data);
                let whole = if data > 0 { walked } else { code };
                Self::Walk(Walk {
                    file: from,
                    code,
                    executable: walk.executable,
                    data,
                    sharing: walk.sharing,
                    fill: walk.fill,
                    chunk: walk.chunk.map(length).transpose()?.unwrap_or(whole).min(whole),
                    walked,
                    iterations: walk.iterations,
                    order: walk.order,
                    rate: walk.rate.unwrap_or(0),
                    time: nanos(walk.time),
                })
            }
            Load::Grow(grow) => Self::Grow {
                size: length(grow.size)?,
                rate: rate(grow.rate),
                fill: grow.fill,
                linger: grow.linger.get(),
            },
            Load::Spin(spin) => Self::Spin { time: nanos(spin.time) },
            Load::Names(names) => Self::Names {
                folder: from_fd()?,
                count: names.count,
                rate: names.rate.unwrap_or(0),
                linger: names.linger.get(),
            },
        })
    }

    fn files(&self) -> [RawFd; 2] {
        match self {
            Self::Move(plan) => [plan.from, plan.to.unwrap_or(-1)],
            Self::Walk(walk) => [walk.file.unwrap_or(-1), -1],
            Self::Names { folder, .. } => [*folder, -1],
            Self::Grow { .. } | Self::Spin { .. } => [-1, -1],
        }
    }
}

/// The process, and the page it counts on. Dropped, it is killed and waited for.
#[derive(Debug)]
pub(super) struct Child {
    identity: Identity,
    pid: libc::pid_t,
    board: Board,
    /// A byte lets it begin; the end lets it go.
    door: Option<File>,
    reaped: bool,
}

fn failed(what: &str, error: &io::Error) -> Error {
    Error::system(format!("cannot {what}: {error}"), "")
}

impl Child {
    /// Starts it under a name, of which the kernel keeps 15 bytes (`TASK_COMM_LEN`).
    pub(super) fn start(name: &str, plan: Plan, group: Option<&Group>) -> Result<Self, Error> {
        let name = CString::new(name).map_err(|_| Error::input(format!("`{name:?}` cannot be a name"), ""))?;
        let group = group.map(Group::door).transpose()?;
        let board = Board::new().map_err(|error| failed("map memory", &error))?;
        let (inside, outside) = io::pipe().map_err(|error| failed("make a pipe", &error))?;
        let (door, parent) = (inside.as_raw_fd(), std::process::id());
        let joins = group.as_ref().map(AsRawFd::as_raw_fd);
        // SAFETY: the child only makes system calls, counts on the shared page and uses memory that it maps itself, and never
        // returns: no lock or allocator of the parent's is used, so it does not matter what other threads held.
        let pid = unsafe { libc::fork() };
        match pid {
            -1 => Err(failed("start a process", &io::Error::last_os_error())),
            0 => live(&name, &plan, &board, door, joins, parent),
            _ => {
                let number = u32::try_from(pid).unwrap_or(0);
                let identity = Identity::of(number).unwrap_or(Identity { pid: number, started: 0 });
                Ok(Self { identity, pid, board, door: Some(File::from(OwnedFd::from(outside))), reaped: false })
            }
        }
    }

    pub(super) fn identity(&self) -> Identity {
        self.identity
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    /// Lets it begin.
    pub(super) fn go(&mut self) -> Result<(), Error> {
        self.door.as_mut().map_or(Ok(()), |door| door.write_all(b"g")).map_err(|error| failed("start the load", &error))
    }

    /// Lets it end, when it has done everything.
    pub(super) fn dismiss(&mut self) {
        self.door = None;
    }

    /// How it ended and what it used, when it has.
    pub(super) fn ended(&mut self) -> Result<Option<(ExitStatus, Usage)>, Error> {
        let ended = confined::reap_pid(self.pid, libc::WNOHANG).map_err(|error| failed("wait for the load", &error))?;
        self.reaped = self.reaped || ended.is_some();
        Ok(ended)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.reaped {
            // SAFETY: a signal to a child of ours that has not been waited for, so that the number is still its own.
            unsafe { libc::kill(self.pid, libc::SIGKILL) };
            // It fails only when there is nothing to wait for, which is what is wanted.
            let _ = confined::reap_pid(self.pid, 0);
        }
    }
}

/// The child's whole life.
fn live(name: &CStr, plan: &Plan, board: &Board, door: RawFd, joins: Option<RawFd>, parent: u32) -> ! {
    let counts = board.counts();
    let [from, to] = plan.files();
    let begun = confined::begin(name, joins, parent, &mut [door, from, to]);
    let mut done = begun.map_err(|error| error.raw_os_error().unwrap_or(libc::EIO));
    if done.is_ok() && wait_at(door) {
        counts.begin(work::clock());
        done = work::work(plan, counts);
        counts.end(work::clock());
    }
    if let Err(error) = done {
        counts.fail(error);
    }
    counts.phase(Phase::Done);
    // Until its lab has seen what it holds.
    wait_at(door);
    // SAFETY: ends this process without running anything of its parent's.
    unsafe { libc::_exit(0) }
}

/// Waits for a byte; false at the end of the pipe.
fn wait_at(door: RawFd) -> bool {
    let mut byte = 0_u8;
    // SAFETY: reads one byte into a byte of ours.
    unsafe { libc::read(door, (&raw mut byte).cast(), 1) == 1 }
}

/// The number that stands for the early end of what is read.
pub(super) fn early() -> i32 {
    i32::try_from(EARLY).unwrap_or(libc::EIO)
}

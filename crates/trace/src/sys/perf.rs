//! `perf_event_open(2)`: one event on one CPU, for all processes.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// `struct perf_event_attr` up to `clockid` (`PERF_ATTR_SIZE_VER3`, Linux 3.19 and 4.1).
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint_type: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    sample_regs_user: u64,
    sample_stack_user: u32,
    clockid: i32,
}

const _: () = assert!(size_of::<Attributes>() == 96);

/// `PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW`: what each sample has, in this order.
const SAMPLE_TYPE: u64 = 1 << 1 | 1 << 2 | 1 << 10;

const DISABLED: u64 = 1 << 0;
const COMM: u64 = 1 << 9;
const TASK: u64 = 1 << 13;
const WATERMARK: u64 = 1 << 14;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const USE_CLOCKID: u64 = 1 << 25;

/// The type of perf's ioctl requests, `'$'`.
const DOLLAR: u32 = b'$' as u32;

/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;

/// What an event reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Births, names and ends of tasks: owns the ring of its CPU.
    Tasks,
    /// Records of BPF programs (`PERF_COUNT_SW_BPF_OUTPUT`).
    BpfOutput,
    /// A tracepoint by its id.
    Tracepoint(u16),
}

/// An event on one CPU, disabled. Dropping it closes it.
#[derive(Debug)]
pub(crate) struct PerfEvent(OwnedFd);

impl PerfEvent {
    /// Opens an event on a CPU for all processes. Records are announced when a quarter of `ring_bytes` is full.
    pub(crate) fn open(source: Source, cpu: u32, ring_bytes: usize) -> io::Result<Self> {
        const SOFTWARE: u32 = 1;
        const TRACEPOINT: u32 = 2;
        let (kind, config, extra) = match source {
            Source::Tasks => (SOFTWARE, 9, COMM | TASK),
            Source::BpfOutput => (SOFTWARE, 10, 0),
            Source::Tracepoint(id) => (TRACEPOINT, u64::from(id), 0),
        };
        let attributes = Attributes {
            kind,
            size: 96,
            config,
            sample_period: 1,
            sample_type: SAMPLE_TYPE,
            flags: DISABLED | WATERMARK | SAMPLE_ID_ALL | USE_CLOCKID | extra,
            wakeup: u32::try_from(ring_bytes / 4).unwrap_or(u32::MAX),
            clockid: libc::CLOCK_MONOTONIC,
            ..Attributes::default()
        };
        let cpu = libc::c_int::try_from(cpu).map_err(|_| io::ErrorKind::InvalidInput)?;
        // SAFETY: the pointer is to a live struct whose `size` says how long it is; the call only reads it.
        // perf_event_open(2): pid -1 with a CPU measures all processes there; group -1 is a group of its own.
        let fd = unsafe { libc::syscall(libc::SYS_perf_event_open, &raw const attributes, -1, cpu, -1, CLOSE_ON_EXEC) };
        let fd = i32::try_from(fd).map_err(|_| io::ErrorKind::Other)?;
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call has just returned this descriptor; nothing else owns it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Starts it.
    pub(crate) fn enable(&self) -> io::Result<()> {
        self.ioctl(libc::_IO(DOLLAR, 0), 0)
    }

    /// Stops it.
    pub(crate) fn disable(&self) -> io::Result<()> {
        self.ioctl(libc::_IO(DOLLAR, 1), 0)
    }

    /// Writes its records into the ring of `owner`, an event of the same CPU.
    pub(crate) fn write_into(&self, owner: &Self) -> io::Result<()> {
        self.ioctl(
            libc::_IO(DOLLAR, 5),
            libc::c_ulong::try_from(owner.0.as_raw_fd()).map_err(|_| io::ErrorKind::InvalidInput)?,
        )
    }

    /// Passes only the records that a tracefs filter accepts.
    pub(crate) fn filter(&self, filter: &str) -> io::Result<()> {
        let filter = CString::new(filter)?;
        // SAFETY: PERF_EVENT_IOC_SET_FILTER reads a string that ends with 0 and lives during the call.
        let result = unsafe { libc::ioctl(self.0.as_raw_fd(), libc::_IOW::<*const u8>(DOLLAR, 6), filter.as_ptr()) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Has a BPF program run at each hit of the tracepoint (on every CPU), whether the event is enabled or not.
    pub(crate) fn run(&self, program: &OwnedFd) -> io::Result<()> {
        self.ioctl(
            libc::_IOW::<u32>(DOLLAR, 8),
            libc::c_ulong::try_from(program.as_raw_fd()).map_err(|_| io::ErrorKind::InvalidInput)?,
        )
    }

    /// The descriptor.
    pub(crate) const fn fd(&self) -> &OwnedFd {
        &self.0
    }

    fn ioctl(&self, request: libc::Ioctl, argument: libc::c_ulong) -> io::Result<()> {
        // SAFETY: the requests of this file take a number, not a pointer (perf_event_open(2), "perf_event ioctl calls").
        let result = unsafe { libc::ioctl(self.0.as_raw_fd(), request, argument) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

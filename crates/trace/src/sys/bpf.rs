//! `bpf(2)`: maps and programs.
#![allow(unsafe_code)]

use crate::assembler::Instruction;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// `union bpf_attr` for `BPF_MAP_CREATE`, up to `map_flags`.
#[repr(C)]
struct CreateMap {
    kind: u32,
    key_size: u32,
    value_size: u32,
    entries: u32,
    flags: u32,
}

/// `union bpf_attr` for the commands on map elements.
#[repr(C)]
struct Element {
    map: u32,
    unused: u32,
    key: u64,
    value: u64,
    flags: u64,
}

/// `union bpf_attr` for `BPF_PROG_LOAD`, up to `attach_btf_id`.
#[repr(C)]
#[derive(Default)]
struct LoadProgram {
    kind: u32,
    count: u32,
    instructions: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log: u64,
    kernel_version: u32,
    flags: u32,
    name: [u8; 16],
    interface: u32,
    expected_attach_type: u32,
    btf: u32,
    function_record: u32,
    functions: u64,
    function_count: u32,
    line_record: u32,
    lines: u64,
    line_count: u32,
    attach_btf_id: u32,
}

/// `union bpf_attr` for `BPF_LINK_CREATE` of an iterator over everything.
#[repr(C)]
struct CreateLink {
    program: u32,
    target: u32,
    attach_type: u32,
    flags: u32,
    info: u64,
    info_length: u32,
    unused: u32,
}

/// `union bpf_attr` for `BPF_ITER_CREATE`.
#[repr(C)]
struct CreateIterator {
    link: u32,
    flags: u32,
}

const MAP_CREATE: libc::c_int = 0;
const MAP_UPDATE: libc::c_int = 2;
const PROGRAM_LOAD: libc::c_int = 5;
const LINK_CREATE: libc::c_int = 28;
const ITERATOR_CREATE: libc::c_int = 33;

const ARRAY: u32 = 2;
const PERF_EVENT_ARRAY: u32 = 4;
/// `BPF_F_MMAPABLE`.
const MAPPABLE: u32 = 1 << 10;
const PROGRAM_TRACEPOINT: u32 = 5;
const PROGRAM_TRACING: u32 = 26;
/// `BPF_TRACE_ITER`.
const ATTACH_ITERATOR: u32 = 28;

/// # Safety
/// `attributes` must be what `command` reads, and each pointer in it valid for the kernel to read or write during the call.
unsafe fn call<T>(command: libc::c_int, attributes: &T) -> io::Result<libc::c_long> {
    // SAFETY: the size tells the kernel how much to read; bytes beyond it count as zero (`bpf_check_uarg_tail_zero`).
    let result = unsafe { libc::syscall(libc::SYS_bpf, command, &raw const *attributes, size_of::<T>()) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn own(fd: libc::c_long) -> io::Result<OwnedFd> {
    let fd = RawFd::try_from(fd).map_err(|_| io::ErrorKind::Other)?;
    // SAFETY: the callers pass a descriptor that the kernel has just returned; nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn create(kind: u32, value_size: u32, entries: u32, flags: u32) -> io::Result<OwnedFd> {
    let attributes = CreateMap { kind, key_size: 4, value_size, entries, flags };
    // SAFETY: the struct has no pointers.
    own(unsafe { call(MAP_CREATE, &attributes) }?)
}

/// An array of perf events, one for each CPU, that programs write records to.
#[derive(Debug)]
pub(crate) struct OutputMap(OwnedFd);

impl OutputMap {
    /// A map for CPUs below `cpus`.
    pub(crate) fn new(cpus: u32) -> io::Result<Self> {
        create(PERF_EVENT_ARRAY, 4, cpus, 0).map(Self)
    }

    /// Records of programs on `cpu` go to `event`.
    pub(crate) fn set(&self, cpu: u32, event: &OwnedFd) -> io::Result<()> {
        let value = event.as_raw_fd();
        let attributes = element(&self.0, &cpu, (&raw const value) as u64);
        // SAFETY: key and value are live numbers of the map's sizes (4 and 4).
        unsafe { call(MAP_UPDATE, &attributes) }.map(drop)
    }

    /// The descriptor.
    pub(crate) fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// An array of numbers that programs count in, and that whoever holds its descriptor maps: reading it needs no `bpf(2)`, so a process
/// without rights can. Linux 5.5 and later.
#[derive(Debug)]
pub(crate) struct CountMap(OwnedFd);

impl CountMap {
    /// A map of `entries`, each of `value_size` bytes (a multiple of 8).
    pub(crate) fn new(entries: u32, value_size: u32) -> io::Result<Self> {
        create(ARRAY, value_size, entries, MAPPABLE).map(Self)
    }

    /// The descriptor.
    pub(crate) const fn fd(&self) -> &OwnedFd {
        &self.0
    }
}

/// The numbers of a [`CountMap`], mapped.
#[derive(Debug)]
pub(crate) struct Counts {
    start: NonNull<u64>,
    numbers: usize,
}

// SAFETY: the mapping belongs to this value alone and is only read, through atomics.
unsafe impl Send for Counts {}

impl Counts {
    /// Maps so many numbers of 8 bytes of a [`CountMap`].
    pub(crate) fn map(map: &OwnedFd, numbers: usize) -> io::Result<Self> {
        // SAFETY: a new shared mapping at an address of the kernel's choice, to be read only; the kernel refuses more than the map has.
        let start = unsafe {
            libc::mmap(std::ptr::null_mut(), numbers * 8, libc::PROT_READ, libc::MAP_SHARED, map.as_raw_fd(), 0)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { start, numbers })
    }

    /// A number; 0 beyond the end.
    pub(crate) fn get(&self, number: usize) -> u64 {
        if number >= self.numbers {
            return 0;
        }
        // SAFETY: inside the mapping, which lives as long as `self`, and aligned; the programs write it concurrently, which atomics allow.
        unsafe { AtomicU64::from_ptr(self.start.as_ptr().add(number)) }.load(Ordering::Relaxed)
    }
}

impl Drop for Counts {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what `map` mapped.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.numbers * 8) };
    }
}

fn element(map: &OwnedFd, key: &u32, value: u64) -> Element {
    Element { map: map.as_raw_fd().cast_unsigned(), unused: 0, key: (&raw const *key) as u64, value, flags: 0 }
}

/// Loads a program for tracepoints.
pub(crate) fn load(program: &[Instruction]) -> io::Result<OwnedFd> {
    load_as(program, || LoadProgram { kind: PROGRAM_TRACEPOINT, ..LoadProgram::default() })
}

/// Loads a program for an iterator, which has the number of its function in the kernel's BTF.
pub(crate) fn load_iterator(program: &[Instruction], function: u32) -> io::Result<OwnedFd> {
    load_as(program, || LoadProgram {
        kind: PROGRAM_TRACING,
        expected_attach_type: ATTACH_ITERATOR,
        attach_btf_id: function,
        ..LoadProgram::default()
    })
}

/// Makes a loaded program an iterator. The program lives as long as the link.
pub(crate) fn link_iterator(program: &OwnedFd) -> io::Result<OwnedFd> {
    let attributes = CreateLink {
        program: program.as_raw_fd().cast_unsigned(),
        target: 0,
        attach_type: ATTACH_ITERATOR,
        flags: 0,
        info: 0,
        info_length: 0,
        unused: 0,
    };
    // SAFETY: the struct has no pointers but an absent one.
    own(unsafe { call(LINK_CREATE, &attributes) }?)
}

/// Begins an iteration, whose rows are read from what it gives.
pub(crate) fn iterate(link: &OwnedFd) -> io::Result<OwnedFd> {
    let attributes = CreateIterator { link: link.as_raw_fd().cast_unsigned(), flags: 0 };
    // SAFETY: the struct has no pointers.
    own(unsafe { call(ITERATOR_CREATE, &attributes) }?)
}

/// On refusal by the verifier the error has the end of its log.
fn load_as(program: &[Instruction], kind: impl Fn() -> LoadProgram) -> io::Result<OwnedFd> {
    const LICENSE: &std::ffi::CStr = c"Dual MIT/GPL"; // Helpers that write to perf events ask for one that includes the GPL.
    let attempt = |log: &mut [u8]| {
        let attributes = LoadProgram {
            count: u32::try_from(program.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
            instructions: program.as_ptr() as u64,
            license: LICENSE.as_ptr() as u64,
            log_level: u32::from(!log.is_empty()),
            log_size: u32::try_from(log.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
            log: if log.is_empty() { 0 } else { log.as_mut_ptr() as u64 },
            ..kind()
        };
        // SAFETY: the pointers are to live memory of the stated lengths: instructions in the kernel's layout (`#[repr(C)]`), a string
        // that ends with 0, and a log that the kernel may write.
        own(unsafe { call(PROGRAM_LOAD, &attributes) }?)
    };
    attempt(&mut []).or_else(|refusal: io::Error| {
        if !matches!(refusal.raw_os_error(), Some(libc::EINVAL | libc::EACCES)) {
            return Err(refusal);
        }
        let mut log = vec![0_u8; 64 << 10];
        attempt(&mut log).map_err(|error| {
            let text = String::from_utf8_lossy(&log);
            let lines: Vec<&str> = text.trim_end_matches('\0').trim().lines().rev().take(3).collect();
            let reason = lines.into_iter().rev().collect::<Vec<_>>().join("; ");
            if reason.is_empty() { error } else { io::Error::new(error.kind(), format!("{error}: {reason}")) }
        })
    })
}

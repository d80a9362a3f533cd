//! How often and how long every task has run, in one read: a BPF iterator over tasks (Linux 5.8 and later, with BTF).
//!
//! It says what `/proc/PID/schedstat` says of each (`fs/proc/base.c:proc_pid_schedstat`), from the same fields of `struct task_struct`,
//! whose places the kernel's BTF tells. Needs `CAP_BPF` and `CAP_PERFMON`, and the first namespace of process ids, in whose numbers the
//! kernel counts.

use crate::assembler::{Assembler, Comparison, Helper, Instruction, Operation, Register, Width};
use crate::btf::Btf;
use crate::sys::bpf;
use std::io::{self, Read};
use std::os::fd::OwnedFd;

/// Where the kernel describes its types.
const BTF: &str = "/sys/kernel/btf/vmlinux";
/// `readlink /proc/self/ns/pid` in the first namespace (`PROC_PID_INIT_INO`, include/linux/proc_ns.h).
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

/// A task, and how it has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskRow {
    /// Its thread id.
    pub tid: u32,
    /// The id of its process.
    pub pid: u32,
    /// When it started, in ns since boot.
    pub start_ns: u64,
    /// Time that it has run, in ns.
    pub exec_ns: u64,
    /// Time that it has waited for a CPU, in ns.
    pub wait_ns: u64,
    /// Times that it was given a CPU.
    pub runs: u64,
    /// Its state, as bits (`TASK_*` of include/linux/sched.h).
    pub state: u32,
}

impl TaskRow {
    /// Whether it is in uninterruptible sleep, or idle as some threads of the kernel are.
    pub const fn is_uninterruptible(&self) -> bool {
        self.state & 2 != 0
    }
}

/// A field of `struct task_struct`: where it is looked for in turn, its place in a row and its width there.
type RowField = (&'static [&'static [&'static str]], i16, Width);

/// The fields of a row.
const FIELDS: [RowField; 7] = [
    (&[&["pid"]], 0, Width::Word),
    (&[&["tgid"]], 4, Width::Word),
    // It was a long before Linux 5.14.
    (&[&["__state"], &["state"]], 8, Width::Double),
    (&[&["start_boottime"]], 16, Width::Double),
    (&[&["se", "sum_exec_runtime"]], 24, Width::Double),
    (&[&["sched_info", "run_delay"]], 32, Width::Double),
    (&[&["sched_info", "pcount"]], 40, Width::Double),
];
const ROW_BYTES: i16 = 48;

/// A loaded iterator.
#[derive(Debug)]
pub struct TaskIterator {
    link: OwnedFd,
    buffer: Vec<u8>,
    rows: Vec<TaskRow>,
}

impl TaskIterator {
    /// Loads it.
    ///
    /// # Errors
    /// When the kernel has no BTF or no such iterator, or does not let this process load it.
    pub fn open() -> io::Result<Self> {
        let namespace = std::fs::read_link("/proc/self/ns/pid")?;
        if namespace.as_os_str() != FIRST_NAMESPACE {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "not in the first namespace of process ids"));
        }
        let unsupported = || io::Error::new(io::ErrorKind::Unsupported, "the kernel's BTF has no iterator over tasks");
        let bytes = std::fs::read(BTF)?;
        let btf = Btf::parse(&bytes).ok_or_else(unsupported)?;
        let function = btf.function("bpf_iter_task").ok_or_else(unsupported)?;
        let program = program(&btf).ok_or_else(unsupported)?;
        let link = bpf::link_iterator(&bpf::load_iterator(&program, function)?)?;
        let mut iterator = Self { link, buffer: vec![0; 256 << 10], rows: Vec::with_capacity(4096) };
        // What cannot be read is known now, and what it is read into is touched.
        iterator.read()?;
        Ok(iterator)
    }

    /// All tasks, in ascending order of their ids.
    ///
    /// # Errors
    /// When the kernel ends the read early.
    pub fn read(&mut self) -> io::Result<&[TaskRow]> {
        let Self { link, buffer, rows } = self;
        let mut tasks = std::fs::File::from(bpf::iterate(link)?);
        rows.clear();
        let mut length = 0;
        loop {
            if length == buffer.len() {
                buffer.resize(2 * length, 0);
            }
            match tasks.read(&mut buffer[length..])? {
                0 => break,
                read => length += read,
            }
        }
        rows.extend(buffer[..length].chunks_exact(ROW_BYTES.unsigned_abs().into()).map(row));
        rows.sort_unstable_by_key(|row| row.tid);
        Ok(rows)
    }
}

fn row(bytes: &[u8]) -> TaskRow {
    let word = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let double = |at: usize| {
        let mut number = [0; 8];
        number.copy_from_slice(&bytes[at..at + 8]);
        u64::from_ne_bytes(number)
    };
    TaskRow {
        tid: word(0),
        pid: word(4),
        start_ns: double(16),
        exec_ns: double(24),
        wait_ns: double(32),
        runs: double(40),
        state: word(if cfg!(target_endian = "little") { 8 } else { 12 }),
    }
}

/// Copies the fields of the task that it is called for to the stack, and from there to the reader. `None` when this kernel lays them out
/// in another way.
fn program(btf: &Btf<'_>) -> Option<Vec<Instruction>> {
    use Register::{Frame, R0, R1, R2, R3, R7, R8};
    let mut code = Assembler::default();
    let done = code.label();
    // struct bpf_iter__task: what the iteration is about, then the task, which is absent at the end.
    code.load(R7, R1, 8, Width::Double);
    code.jump_if(R7, Comparison::Equal, 0, done);
    code.load(R8, R1, 0, Width::Double);
    code.load(R8, R8, 0, Width::Double);
    for (paths, at, width) in FIELDS {
        let place = paths.iter().find_map(|path| btf.field("task_struct", path))?;
        code.load(R0, R7, i16::try_from(place.offset).ok()?, Width::of_bytes(u16::try_from(place.size).ok()?)?);
        code.store(Frame, at - ROW_BYTES, R0, width);
    }
    code.compute(Operation::Move, R1, R8);
    code.compute(Operation::Move, R2, Frame);
    code.compute(Operation::Add, R2, i32::from(-ROW_BYTES));
    code.compute(Operation::Move, R3, i32::from(ROW_BYTES));
    code.call(Helper::SequenceWrite);
    code.place(done);
    code.compute(Operation::Move, R0, 0);
    code.exit();
    code.finish()
}

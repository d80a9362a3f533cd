//! Processes: `/proc/PID/stat` (`fs/proc/array.c:do_task_stat`), `io`, `status` and `schedstat`.

use crate::error::{Error, Problem};
use crate::keyed::{Fields, with_colon};
use crate::text::{cut, lines, next_number, number, pieces, signed};
use pagetide_core::Bytes;

const STAT: &str = "/proc/PID/stat";
const IO: &str = "/proc/PID/io";
const STATUS: &str = "/proc/PID/status";
const SCHEDSTAT: &str = "/proc/PID/schedstat";

/// Flag of a kernel thread (`PF_KTHREAD`, include/linux/sched.h).
const KERNEL_THREAD: u64 = 0x0020_0000;
/// Flag of a process that was forked and has not called exec (`PF_FORKNOEXEC`, include/linux/sched.h).
const FORK_NO_EXEC: u64 = 0x40;

/// What `/proc/PID/stat` says. Times are in clock ticks of 1/100 s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStat<'a> {
    /// Process id.
    pub pid: u32,
    /// What the process calls itself.
    pub comm: &'a str,
    /// The letter of its state: R running, S sleeping, D uninterruptible, Z zombie, …
    pub state: char,
    /// Process id of its parent.
    pub parent: u32,
    /// `PF_*` of include/linux/sched.h.
    pub flags: u64,
    /// Page faults served without IO.
    pub minflt: u64,
    /// Page faults that had to read from a device.
    pub majflt: u64,
    /// CPU time in user mode, in ticks.
    pub utime: u64,
    /// CPU time in the kernel, in ticks.
    pub stime: u64,
    /// How far it gives way to others, from -20 to 19 (`kernel/sched/syscalls.c:set_user_nice`, 6.12): each step up is a tenth less CPU time.
    pub nice: i64,
    /// Threads.
    pub num_threads: u64,
    /// When it started, in ticks since boot. With the process id it names the process for good.
    pub starttime: u64,
    /// Virtual size in bytes.
    pub vsize: u64,
    /// Resident pages.
    pub rss: u64,
    /// Where its stack begins, which another program changes; 0 for who may not trace it.
    pub start_stack: Option<u64>,
    /// `SCHED_*` of include/uapi/linux/sched.h, since Linux 2.5.19: OTHER 0, FIFO 1, RR 2, BATCH 3, IDLE 5, DEADLINE 6.
    pub policy: Option<u64>,
    /// Time spent waiting for block IO, in ticks.
    pub delayacct_blkio_ticks: Option<u64>,
}

/// Parses `/proc/PID/stat`.
pub fn parse_process_stat(text: &str) -> Result<ProcessStat<'_>, Error> {
    ProcessStat::fields(text).map_err(|problem| Error::line(STAT, 1, problem))
}

impl<'a> ProcessStat<'a> {
    fn fields(text: &'a str) -> Result<Self, Problem> {
        if text.is_empty() {
            return Err(Problem::Empty);
        }
        // The name in brackets may hold anything: spaces, brackets, line feeds. It ends at the last bracket.
        let line = text.strip_suffix('\n').ok_or(Problem::Cut)?;
        let end = line.bytes().rposition(|byte| byte == b')').ok_or(Problem::Short)?;
        let rest = line[end..].strip_prefix(") ").ok_or(Problem::Short)?;
        let (pid, comm) = cut(&line[..end], b' ').ok_or(Problem::Short)?;
        let comm = comm.strip_prefix('(').ok_or(Problem::Short)?;
        let id = |value: u64| u32::try_from(value).map_err(|_| Problem::NotANumber);
        let mut fields = pieces(rest, b' ');
        let mut letters = fields.next().ok_or(Problem::Short)?.chars();
        let (Some(state), None) = (letters.next(), letters.next()) else { return Err(Problem::Foreign) };
        // Field numbers are those of proc(5); the state is number 3.
        let mut at = 3;
        let mut field = |wanted: usize| {
            let text = fields.nth(wanted - at - 1).ok_or(Problem::Short);
            at = wanted;
            text
        };
        let must = |text: Result<&str, Problem>| number(text?).ok_or(Problem::NotANumber);
        let may = |text: Result<&str, Problem>| text.ok().and_then(number);
        let stat = Self {
            pid: id(number(pid).ok_or(Problem::NotANumber)?)?,
            comm,
            state,
            parent: id(must(field(4))?)?,
            flags: must(field(9))?,
            minflt: must(field(10))?,
            majflt: must(field(12))?,
            utime: must(field(14))?,
            stime: must(field(15))?,
            nice: signed(field(19)?).ok_or(Problem::NotANumber)?,
            num_threads: must(field(20))?,
            starttime: must(field(22))?,
            vsize: must(field(23))?,
            rss: must(field(24))?,
            start_stack: may(field(28)),
            policy: may(field(41)),
            // Since Linux 2.6.18; there but 0 unless delay accounting is on.
            delayacct_blkio_ticks: may(field(42)),
        };
        Ok(stat)
    }

    /// Whether it is a thread of the kernel.
    pub fn is_kernel_thread(&self) -> bool {
        self.flags & KERNEL_THREAD != 0
    }

    /// Whether it still runs the program of who forked it, and has its name.
    pub fn is_fork(&self) -> bool {
        self.flags & FORK_NO_EXEC != 0
    }
}

/// What `/proc/PID/io` says: bytes and counts by the kernel's names, such as `read_bytes`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessIo {
    fields: Fields,
}

impl ProcessIo {
    /// A number by its name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.fields.get(name)
    }

    /// Every line, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.fields.0.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

/// Parses `/proc/PID/io`.
pub fn parse_process_io(text: &str) -> Result<ProcessIo, Error> {
    Ok(ProcessIo { fields: Fields::parse(IO, text, with_colon)? })
}

/// What `/proc/PID/status` says: its lines by name. Amounts (`kB`) can be asked for in bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessStatus {
    /// Name and text of every line.
    pub lines: Vec<(String, String)>,
}

impl ProcessStatus {
    /// An amount such as `VmRSS`; kernel threads have none.
    pub fn get(&self, name: &str) -> Option<Bytes> {
        let (_, text) = self.lines.iter().find(|(known, _)| known == name)?;
        number(text.strip_suffix(" kB")?).map(|kib| Bytes::new(kib.saturating_mul(1024)))
    }
}

/// One line of status, if it is an amount.
pub fn status_amount(line: &str) -> Option<(&str, u64)> {
    with_colon(line.strip_suffix(" kB").map(|_| line)?).ok()
}

/// The user id of a line of status that has them: the real one.
pub fn status_user(line: &str) -> Option<u64> {
    number(line.strip_prefix("Uid:\t")?.split('\t').next()?)
}

/// The path of the control group in `/proc/PID/cgroup` that the memory of the process is charged to: that of v1's memory controller, else
/// v2's.
pub fn memory_group(text: &str) -> Option<&str> {
    let mut unified = None;
    for line in text.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        if controllers.split(',').any(|controller| controller == "memory") {
            return Some(path);
        }
        if controllers.is_empty() {
            unified = Some(path);
        }
    }
    unified
}

/// Parses `/proc/PID/status`.
pub fn parse_process_status(text: &str) -> Result<ProcessStatus, Error> {
    let lines = lines(STATUS, text)?
        .map(|(at, line)| {
            let (name, value) = line.split_once(':').ok_or_else(|| Error::line(STATUS, at, Problem::Short))?;
            Ok((name.to_owned(), value.trim_ascii().to_owned()))
        })
        .collect::<Result<_, Error>>()?;
    Ok(ProcessStatus { lines })
}

/// What `/proc/PID/schedstat` says of a task's running (`fs/proc/base.c:proc_pid_schedstat`): of a process it is its first thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessRuns {
    /// Time that it has run, in ns.
    pub exec_ns: u64,
    /// Time that it has waited for a CPU, in ns.
    pub wait_ns: u64,
    /// Times that it was given a CPU.
    pub runs: u64,
}

/// Parses `/proc/PID/schedstat`. A kernel that does not account it prints zeros.
pub fn parse_process_schedstat(text: &str) -> Result<ProcessRuns, Error> {
    let (at, line) = lines(SCHEDSTAT, text)?.next().unwrap_or((1, ""));
    let mut fields = pieces(line, b' ');
    let mut next = || next_number(&mut fields).map_err(|problem| Error::line(SCHEDSTAT, at, problem));
    Ok(ProcessRuns { exec_ns: next()?, wait_ns: next()?, runs: next()? })
}

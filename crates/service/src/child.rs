//! The command that is recorded.

use pagetide_core::{Error, MarkKind};
use pagetide_recorder::Recorder;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, waitid};
use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// How long a command may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);
/// How often a command is checked where the kernel has no pidfd.
const POLL: Duration = Duration::from_millis(20);

/// IO of a command and of the children that it waited for, as `/proc/PID/io` counts it (`fs/proc/base.c: do_io_accounting`; what
/// a child did is added to its parent's when that waits for it).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandIo {
    /// Wall clock time from its start to its end.
    pub elapsed: Duration,
    /// Read and write system calls.
    pub calls: (u64, u64),
    /// Bytes that these read and wrote, cached or not.
    pub bytes: (u64, u64),
    /// Bytes that had to be read from block devices, and that were dirtied to be written to them.
    pub device_bytes: (u64, u64),
}

/// A running command.
#[derive(Debug)]
pub(crate) struct Child {
    child: std::process::Child,
    started: Instant,
    /// Known once it has ended, where this user may read it.
    pub(crate) io: Option<CommandIo>,
    /// Whether it was told to end.
    pub(crate) stopped: bool,
    /// Absent before Linux 5.3.
    pidfd: Option<OwnedFd>,
}

impl Child {
    /// Starts the command in a process group of its own, so that Ctrl-C reaches pagetide first, which passes it on.
    pub(crate) fn start(words: &[OsString], recorder: &Recorder) -> Result<Option<Self>, Error> {
        let Some((program, rest)) = words.split_first() else { return Ok(None) };
        // Before the command runs: on a busy host this process may have to wait for a CPU meanwhile.
        let started = Instant::now();
        let child = Command::new(program).args(rest).process_group(0).spawn().map_err(|error| {
            Error::input(format!("cannot run {}: {error}", program.display()), "name an existing command after --")
        })?;
        recorder.watch_pid(child.id());
        let line = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        recorder.mark(MarkKind::Note { text: format!("started: {line}") });
        let pidfd = group(&child).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        Ok(Some(Self { child, pidfd, started, io: None, stopped: false }))
    }

    /// Its exit status; absent while it runs.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>, Error> {
        self.look();
        self.child.try_wait().map_err(|error| failed(&error))
    }

    /// Reads the counters of a command that has ended and was not yet waited for: they are gone after that.
    fn look(&mut self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Some(pid) = group(&self.child) else { return };
        if self.io.is_some() || !matches!(waitid(WaitId::Pid(pid), options), Ok(Some(_))) {
            return;
        }
        let text = std::fs::read_to_string(format!("/proc/{}/io", self.child.id())).unwrap_or_default();
        self.io = counters(&text, self.started.elapsed());
    }

    /// Becomes readable when the command ends.
    pub(crate) fn pidfd(&self) -> Option<BorrowedFd<'_>> {
        self.pidfd.as_ref().map(AsFd::as_fd)
    }

    /// How often to call [`Self::ended`] where there is no pidfd.
    pub(crate) fn poll_interval(&self) -> Option<Duration> {
        self.pidfd.is_none().then_some(POLL)
    }

    /// Sends SIGTERM to the command's process group, and SIGKILL after two seconds.
    pub(crate) fn terminate(&mut self) -> Result<ExitStatus, Error> {
        self.stopped = true;
        if let Some(group) = group(&self.child) {
            let _ = kill_process_group(group, Signal::TERM);
            let end = Instant::now() + GRACE;
            while Instant::now() < end {
                if let Some(status) = self.ended()? {
                    return Ok(status);
                }
                std::thread::sleep(POLL);
            }
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.child.wait().map_err(|error| failed(&error))
    }
}

/// The counters in a text of `/proc/PID/io`.
fn counters(text: &str, elapsed: Duration) -> Option<CommandIo> {
    let of = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')?.trim().parse::<u64>().ok())
    };
    Some(CommandIo {
        elapsed,
        calls: (of("syscr")?, of("syscw")?),
        bytes: (of("rchar")?, of("wchar")?),
        device_bytes: (of("read_bytes")?, of("write_bytes")?),
    })
}

fn group(child: &std::process::Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

fn failed(error: &std::io::Error) -> Error {
    Error::system(format!("waiting for the command: {error}"), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_of_a_process_are_read() {
        let text =
            "rchar: 100\nwchar: 20\nsyscr: 3\nsyscw: 4\nread_bytes: 50\nwrite_bytes: 60\ncancelled_write_bytes: 0\n";
        let io = counters(text, Duration::ZERO).unwrap();
        assert_eq!((io.calls, io.bytes, io.device_bytes), ((3, 4), (100, 20), (50, 60)));
        assert_eq!(counters("", Duration::ZERO), None);
    }
}

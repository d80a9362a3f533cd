//! The command that is recorded.

use pagetide_core::{Error, MarkKind};
use pagetide_recorder::Recorder;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// How long a command may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);
/// How often a command is checked where the kernel has no pidfd.
const POLL: Duration = Duration::from_millis(20);

/// A running command.
#[derive(Debug)]
pub(crate) struct Child {
    child: std::process::Child,
    /// Absent before Linux 5.3.
    pidfd: Option<OwnedFd>,
}

impl Child {
    /// Starts the command in a process group of its own, so that Ctrl-C reaches pagetide first, which passes it on.
    pub(crate) fn start(words: &[OsString], recorder: &Recorder) -> Result<Option<Self>, Error> {
        let Some((program, rest)) = words.split_first() else { return Ok(None) };
        let child = Command::new(program).args(rest).process_group(0).spawn().map_err(|error| {
            Error::input(format!("cannot run {}: {error}", program.display()), "give a command that exists after --")
        })?;
        recorder.watch_pid(child.id());
        let line = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        recorder.mark(MarkKind::Note { text: format!("started: {line}") });
        let pidfd = group(&child).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        Ok(Some(Self { child, pidfd }))
    }

    /// How it ended; absent while it runs.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>, Error> {
        self.child.try_wait().map_err(|error| failed(&error))
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

fn group(child: &std::process::Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

fn failed(error: &std::io::Error) -> Error {
    Error::system(format!("waiting for the command: {error}"), "")
}

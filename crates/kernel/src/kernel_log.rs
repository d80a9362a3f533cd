//! The kernel's log, `/dev/kmsg` (Documentation/ABI/testing/dev-kmsg), from a moment on.

use crate::root::Root;
use pagetide_core::KernelMessage;
use pagetide_proctext::parse_kmsg;
use rustix::fs::{Mode, OFlags, SeekFrom, open, seek};
use rustix::io::{Errno, read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Longest record (`CONSOLE_EXT_LOG_MAX` of `kernel/printk/internal.h`, Linux 6.12).
const RECORD: usize = 8192;

/// An open log. It is readable, for `poll`, when there are messages.
#[derive(Debug)]
pub struct KernelLog(OwnedFd);

impl KernelLog {
    /// The log from now on; nothing where this user may not read it (`kernel.dmesg_restrict`, CAP_SYSLOG), or where there is none.
    pub fn open(root: &Root) -> Option<Self> {
        // Elsewhere it would be a file of another kernel.
        let path = root.is_host().then(|| root.join("/dev/kmsg"))?;
        let log = open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).ok()?;
        seek(&log, SeekFrom::End(0)).ok()?;
        Some(Self(log))
    }

    /// What the next records tell, of no more than `records`, and whether there was any.
    pub fn messages(&self, records: usize) -> (Vec<KernelMessage>, bool) {
        let mut buffer = [0; RECORD];
        let (mut messages, mut any) = (Vec::new(), false);
        for _ in 0..records {
            match read(&self.0, &mut buffer) {
                Ok(0) => break,
                Ok(length) => messages.extend(parse_kmsg(&String::from_utf8_lossy(&buffer[..length]))),
                // Messages were overwritten before they were read.
                Err(Errno::PIPE | Errno::INTR) => {}
                Err(_) => break,
            }
            any = true;
        }
        (messages, any)
    }
}

impl AsFd for KernelLog {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_another_machine_is_not_read() {
        assert!(KernelLog::open(&Root::new("/nowhere")).is_none());
    }
}

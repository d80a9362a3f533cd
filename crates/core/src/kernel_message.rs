//! What the kernel wrote to its log about memory and devices, as the line of a note that is written and read back here alone.

use crate::recording::{MarkKind, Recording};
use std::fmt;

/// Begins each note with a message of the kernel.
const KERNEL_NOTE: &str = "kernel: ";

/// A message of the kernel log that names who did something, or what failed, which no counter names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelMessage {
    /// A process wrote to `/proc/sys/vm/drop_caches` (`fs/drop_caches.c`: `drop_caches_sysctl_handler`, Linux 6.12).
    CachesDropped {
        /// Its name.
        command: String,
        /// Its process id.
        pid: u32,
        /// What it wrote: 1 the page cache, 2 slab, 3 both.
        value: u32,
    },
    /// The OOM killer chose a process (`mm/oom_kill.c`: `dump_oom_victim`, Linux 6.12).
    OomKill {
        /// Its name.
        command: String,
        /// Its process id.
        pid: u32,
        /// The control group that was at its limit; absent when the host, or what the process may use of it, was out of memory.
        group: Option<String>,
    },
    /// Requests failed (`block/blk-mq.c`: `blk_print_req_error`, Linux 6.12; the kernel leaves out messages that come too fast).
    IoErrors {
        /// The device.
        disk: String,
        /// How many messages there were.
        times: u64,
    },
    /// A task waited without a break (`kernel/hung_task.c`: `check_hung_task`, Linux 6.12).
    TaskBlocked {
        /// Its name.
        command: String,
        /// Its process id.
        pid: u32,
        /// For how long at least, in seconds.
        seconds: u64,
    },
}

impl KernelMessage {
    /// The text of its note: `kernel: sh (pid 417) wrote 3 to drop_caches`.
    pub fn note(&self) -> String {
        format!("{KERNEL_NOTE}{self}")
    }

    /// The message that a note holds, if it holds one.
    pub fn parse(note: &str) -> Option<Self> {
        let text = note.strip_prefix(KERNEL_NOTE)?;
        let errors = text.split_once(" I/O errors of ").or_else(|| text.split_once(" I/O error of "));
        if let Some((Ok(times), disk)) = errors.map(|(times, disk)| (times.parse(), disk)) {
            return Some(Self::IoErrors { disk: disk.to_owned(), times });
        }
        // Anybody may name a process, so that the last of several matches is the kernel's.
        let process = |text: &str| {
            let (command, pid) = text.strip_suffix(')')?.rsplit_once(" (pid ")?;
            Some((command.to_owned(), pid.parse().ok()?))
        };
        if let Some((who, value)) = text.strip_suffix(" to drop_caches").and_then(|text| text.rsplit_once(" wrote ")) {
            let (command, pid) = process(who)?;
            return Some(Self::CachesDropped { command, pid, value: value.parse().ok()? });
        }
        if let Some((who, seconds)) = text.strip_suffix(" s").and_then(|text| text.rsplit_once(" was blocked for ")) {
            let (command, pid) = process(who)?;
            return Some(Self::TaskBlocked { command, pid, seconds: seconds.parse().ok()? });
        }
        let rest = text.strip_prefix("OOM kill of ")?;
        let (who, group) = match rest.split_once(" at the limit of ") {
            Some((who, group)) => (who, Some(group.to_owned())),
            None => (rest, None),
        };
        let (command, pid) = process(who)?;
        Some(Self::OomKill { command, pid, group })
    }
}

impl fmt::Display for KernelMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CachesDropped { command, pid, value } => {
                write!(f, "{command} (pid {pid}) wrote {value} to drop_caches")
            }
            Self::OomKill { command, pid, group } => {
                write!(f, "OOM kill of {command} (pid {pid})")?;
                group.as_ref().map_or(Ok(()), |group| write!(f, " at the limit of {group}"))
            }
            Self::IoErrors { disk, times } => {
                write!(f, "{times} I/O error{} of {disk}", if *times == 1 { "" } else { "s" })
            }
            Self::TaskBlocked { command, pid, seconds } => {
                write!(f, "{command} (pid {pid}) was blocked for {seconds} s")
            }
        }
    }
}

impl Recording {
    /// The kernel's messages that were noted, in order of time: when, ns on the recording's axis, and what.
    pub fn kernel_messages(&self) -> impl Iterator<Item = (i64, KernelMessage)> {
        self.marks.iter().filter_map(|mark| match &mark.kind {
            MarkKind::Note { text } => KernelMessage::parse(text).map(|message| (mark.stamp.boot_ns, message)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_back_as_the_message_that_it_was_made_of() {
        let odd = "a (pid 1) wrote";
        let messages =
            ["sh", odd, "was blocked for", " I/O errors of "].map(str::to_owned).into_iter().flat_map(|command| {
                [
                    KernelMessage::CachesDropped { command: command.clone(), pid: 417, value: 3 },
                    KernelMessage::OomKill { command: command.clone(), pid: 418, group: None },
                    KernelMessage::OomKill { command: command.clone(), pid: 418, group: Some("pod/app".to_owned()) },
                    KernelMessage::TaskBlocked { command, pid: 419, seconds: 120 },
                ]
            });
        for message in messages.chain([1, 12].map(|times| KernelMessage::IoErrors { disk: "vdb".to_owned(), times })) {
            assert_eq!(KernelMessage::parse(&message.note()), Some(message));
        }
        for other in ["host: vm.swappiness changed from 60 to 10", "kernel: hello", "kernel: sh wrote 3 to drop_caches"]
        {
            assert_eq!(KernelMessage::parse(other), None, "{other}");
        }
    }
}

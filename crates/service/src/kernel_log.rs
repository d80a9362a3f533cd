//! The kernel's log, as notes of the recording: who dropped the page cache, whom the OOM killer ended, which disk failed.

use pagetide_core::KernelMessage;
use pagetide_kernel::{KernelLog, Root};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// The log is read no more often than this: a flood of messages wakes the recorder once a second.
const REST: Duration = Duration::from_secs(1);

/// Records that are read in one look; more are left for the next.
const RECORDS_A_LOOK: usize = 4096;

/// Messages of one look that get a note each.
const NOTES_A_LOOK: usize = 32;

/// The log from a moment on, as notes.
#[derive(Debug)]
pub(crate) struct LogNotes {
    log: KernelLog,
    next: Instant,
}

impl LogNotes {
    /// Those from now on; nothing where the log cannot be read.
    pub(crate) fn open(root: &Root) -> Option<Self> {
        Some(Self { log: KernelLog::open(root)?, next: Instant::now() })
    }

    /// What is readable when there are messages; or the time until it may be looked at again.
    pub(crate) fn ready(&self) -> Result<BorrowedFd<'_>, Duration> {
        let rest = self.next.saturating_duration_since(Instant::now());
        if rest.is_zero() { Ok(self.log.as_fd()) } else { Err(rest) }
    }

    /// What the kernel said since this was called last, a note each.
    pub(crate) fn notes(&mut self) -> Vec<String> {
        if self.ready().is_err() {
            return Vec::new();
        }
        let (messages, any) = self.log.messages(RECORDS_A_LOOK);
        if any {
            self.next = Instant::now() + REST;
        }
        summed(messages).iter().map(KernelMessage::note).collect()
    }
}

/// The messages with the errors of a disk as one, no more than get a note.
fn summed(messages: Vec<KernelMessage>) -> Vec<KernelMessage> {
    let mut kept: Vec<KernelMessage> = Vec::new();
    for message in messages {
        let same = kept.iter_mut().find_map(|known| match (known, &message) {
            (KernelMessage::IoErrors { disk, times }, KernelMessage::IoErrors { disk: other, times: more })
                if disk == other =>
            {
                *times += more;
                Some(())
            }
            _ => None,
        });
        if same.is_none() && kept.len() < NOTES_A_LOOK {
            kept.push(message);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_one_disk_are_one_note_and_a_flood_has_an_end() {
        let errors = |disk: &str, times| KernelMessage::IoErrors { disk: disk.to_owned(), times };
        let killed = |pid| KernelMessage::OomKill { command: "java".to_owned(), pid, group: None };
        assert_eq!(
            summed(vec![errors("vdb", 1), killed(1), errors("vdc", 1), errors("vdb", 1), errors("vdb", 2)]),
            [errors("vdb", 4), killed(1), errors("vdc", 1)]
        );
        assert_eq!(summed((0..1000).map(killed).collect()).len(), NOTES_A_LOOK);
    }
}

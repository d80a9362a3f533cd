//! Commits of a file system's journal (`fs/jbd2/commit.c: jbd2_journal_commit_transaction`).
//!
//! What `fsync(2)` waits for after the data. All that wait while a commit runs share the next one, so many that sync at once
//! cost a device no more commits than a few. The disk has no FUA, as those of the lab's machines: a commit flushes before and behind its record.

use crate::PAGE_SIZE;
use crate::block::{Payload, Request};
use crate::device::IoKind;
use crate::host::Host;
use crate::mapping::Backing;

/// Time after which a commit begins that nobody waits for (`JBD2_DEFAULT_MAX_COMMIT_AGE`).
const AGE: u64 = 5_000_000_000;
/// Blocks of a commit: its descriptor and the inodes; with new blocks of files a bitmap and a group descriptor.
const BLOCKS: u64 = 2;
const BLOCKS_WITH_NEW: u64 = 4;

/// How far a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Blocks,
    FlushBefore,
    Record,
    FlushBehind,
}

/// The journal of a file system.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    /// Commits that are done; the one that runs, if any, is the next.
    done: u64,
    runs: Option<Stage>,
    /// Whether anything is part of the transaction that is open, since when, and whether blocks are.
    open_since: Option<u64>,
    open_blocks: bool,
    /// Tasks that wait for a commit.
    waiters: Vec<(u64, u32)>,
    /// Where it writes next.
    at: u64,
}

impl Journal {
    /// The number of the commit that the open transaction will be.
    const fn open(&self) -> u64 {
        self.done + 1 + self.runs.is_some() as u64
    }

    /// When the next commit begins.
    pub(crate) fn due(&self) -> Option<u64> {
        let since = self.open_since.filter(|_| self.runs.is_none())?;
        let waited_for = self.waiters.iter().any(|(commit, _)| *commit == self.open());
        Some(if waited_for { 0 } else { since + AGE })
    }
}

impl Host {
    /// A file's times become part of the open transaction (`file_update_time`).
    pub(crate) fn journal_times(&mut self, mapping: usize) {
        if let Some(open) = self.join_transaction(mapping) {
            self.mappings[mapping].commit = open;
        }
    }

    /// New blocks of a file become part of the open transaction (`ext4_convert_unwritten_extents`).
    pub(crate) fn journal_blocks(&mut self, mapping: usize) {
        if let Some(open) = self.join_transaction(mapping) {
            self.mappings[mapping].blocks_commit = open;
            if let Some((device, _)) = self.mappings[mapping].on_device() {
                self.journals[device].open_blocks = true;
            }
        }
    }

    fn join_transaction(&mut self, mapping: usize) -> Option<u64> {
        let Backing::File { device, .. } = self.mappings[mapping].backing else { return None };
        let journal = &mut self.journals[device];
        journal.open_since.get_or_insert(self.now);
        Some(journal.open())
    }

    /// Lets the task that runs wait for a commit, unless it is done (`jbd2_complete_transaction`).
    pub(crate) fn wait_for_commit(&mut self, device: usize, commit: u64) -> bool {
        let journal = &mut self.journals[device];
        if commit <= journal.done {
            return false;
        }
        journal.waiters.push((commit, self.current as u32));
        if journal.due().is_some_and(|due| due <= self.now) {
            self.commit(device);
        }
        true
    }

    /// Begins a commit of what is open.
    pub(crate) fn commit(&mut self, device: usize) {
        let journal = &mut self.journals[device];
        journal.open_since = None;
        journal.runs = Some(Stage::Blocks);
        let blocks = if std::mem::take(&mut journal.open_blocks) { BLOCKS_WITH_NEW } else { BLOCKS };
        self.send_journal(device, IoKind::Write, blocks * PAGE_SIZE);
    }

    /// The part of a commit that was sent last has ended: goes on.
    pub(crate) fn commit_on(&mut self, device: usize) {
        let Some(stage) = self.journals[device].runs else { return };
        let (next, kind, length) = match stage {
            Stage::Blocks => (Stage::FlushBefore, IoKind::Flush, 0),
            Stage::FlushBefore => (Stage::Record, IoKind::Write, PAGE_SIZE),
            Stage::Record => (Stage::FlushBehind, IoKind::Flush, 0),
            Stage::FlushBehind => {
                let journal = &mut self.journals[device];
                journal.runs = None;
                journal.done += 1;
                let done = journal.done;
                let waiters = std::mem::take(&mut journal.waiters);
                let (ended, left): (Vec<_>, Vec<_>) = waiters.into_iter().partition(|(commit, _)| *commit <= done);
                journal.waiters = left;
                for (_, task) in ended {
                    self.synced(task);
                }
                if self.journals[device].due().is_some_and(|due| due <= self.now) {
                    self.commit(device);
                }
                return;
            }
        };
        self.journals[device].runs = Some(next);
        self.send_journal(device, kind, length);
    }

    /// Sends a part of a commit. Its writes are the root's (`kjournald2`).
    fn send_journal(&mut self, device: usize, kind: IoKind, length: u64) {
        let journal = &mut self.journals[device];
        let offset = journal.at;
        journal.at = (journal.at + length) % (16 << 20);
        let request = Request {
            kind,
            offset,
            length,
            sync: true,
            swap: false,
            group: 0,
            since: self.now,
            payload: Payload::Journal,
        };
        self.send(device, request);
        self.charge_io(0, device, kind, length);
    }
}

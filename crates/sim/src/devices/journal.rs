//! The journal of a file system (`fs/jbd2/commit.c: jbd2_journal_commit_transaction`).
//!
//! What `fsync(2)` waits for after the data. All that wait while a commit runs share the next one, so many that sync at once
//! cost a device no more commits than a few. The disk has no FUA, as those of the lab's machines: a commit flushes before and behind its record.

use crate::PAGE_SIZE;
use crate::devices::device::IoKind;

/// Time after which a commit begins that nobody waits for (`JBD2_DEFAULT_MAX_COMMIT_AGE`).
const AGE: u64 = 5_000_000_000;
/// Blocks of a commit: its descriptor and the inodes; with new blocks of files a bitmap and a group descriptor.
const BLOCKS: u64 = 2;
const BLOCKS_WITH_NEW: u64 = 4;

/// Where the journal's file begins anew, in bytes.
const SIZE: u64 = 16 << 20;

/// A request of a commit; bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) stage: Stage,
    /// Since when the kernel counts its time: the record is one write with both of its flushes.
    pub(crate) since: u64,
    pub(crate) kind: IoKind,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// How far a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
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
    /// When the record of the commit that runs was sent.
    record_since: u64,
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

    /// Adds to the open transaction, with new blocks of a file or without, and returns the commit that it will be.
    pub(crate) fn join(&mut self, blocks: bool, now: u64) -> u64 {
        self.open_since.get_or_insert(now);
        self.open_blocks |= blocks;
        self.open()
    }

    /// Lets a task wait for a commit, unless it is done.
    pub(crate) fn wait(&mut self, commit: u64, task: u32) -> bool {
        if commit <= self.done {
            return false;
        }
        self.waiters.push((commit, task));
        true
    }

    /// Begins a commit of what is open.
    pub(crate) fn begin(&mut self, now: u64) -> Part {
        self.open_since = None;
        let blocks = if std::mem::take(&mut self.open_blocks) { BLOCKS_WITH_NEW } else { BLOCKS };
        self.part(Stage::Blocks, now, IoKind::Write, blocks * PAGE_SIZE)
    }

    /// What a commit sends after the part that has ended, or the tasks that it wakes.
    pub(crate) fn advance(&mut self, now: u64) -> Result<Part, Vec<u32>> {
        let (next, kind, length) = match self.runs {
            Some(Stage::Blocks) => {
                self.record_since = now;
                (Stage::FlushBefore, IoKind::Flush, 0)
            }
            Some(Stage::FlushBefore) => (Stage::Record, IoKind::Write, PAGE_SIZE),
            Some(Stage::Record) => (Stage::FlushBehind, IoKind::Flush, 0),
            Some(Stage::FlushBehind) => {
                self.runs = None;
                self.done += 1;
                let done = self.done;
                return Err(self.waiters.extract_if(.., |(commit, _)| *commit <= done).map(|(_, task)| task).collect());
            }
            None => return Err(Vec::new()),
        };
        Ok(self.part(next, self.record_since, kind, length))
    }

    fn part(&mut self, stage: Stage, since: u64, kind: IoKind, length: u64) -> Part {
        self.runs = Some(stage);
        let offset = self.at;
        self.at = (self.at + length) % SIZE;
        Part { stage, since, kind, offset, length }
    }
}

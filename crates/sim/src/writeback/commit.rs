//! Commits of the journal: who joins them, who waits for them, and what they send to their disk.

use crate::devices::journal::Part;
use crate::devices::queue::{Payload, Request};
use crate::host::Host;
use crate::memory::mapping::Backing;

impl Host {
    /// A file's times become part of the open transaction (`file_update_time`).
    pub(crate) fn journal_times(&mut self, mapping: usize) {
        if let Some(open) = self.join_transaction(mapping, false) {
            self.mappings[mapping].commit = open;
        }
    }

    /// New blocks of a file become part of the open transaction (`ext4_convert_unwritten_extents`).
    pub(crate) fn journal_blocks(&mut self, mapping: usize) {
        if let Some(open) = self.join_transaction(mapping, true) {
            self.mappings[mapping].blocks_commit = open;
        }
    }

    fn join_transaction(&mut self, mapping: usize, blocks: bool) -> Option<u64> {
        let Backing::File { device, .. } = self.mappings[mapping].backing else { return None };
        Some(self.journals[device].join(blocks, self.now))
    }

    /// Lets the task that runs wait for a commit, unless it is done (`jbd2_complete_transaction`).
    pub(crate) fn wait_for_commit(&mut self, device: usize, commit: u64) -> bool {
        let waits = self.journals[device].wait(commit, self.current as u32);
        if waits {
            self.commit_if_due(device);
        }
        waits
    }

    /// Begins the next commit if it is time.
    pub(crate) fn commit_if_due(&mut self, device: usize) {
        if self.journals[device].due().is_some_and(|due| due <= self.now) {
            let part = self.journals[device].begin(self.now);
            self.send_journal(device, part);
        }
    }

    /// The part of a commit that was sent last has ended: goes on.
    pub(crate) fn commit_on(&mut self, device: usize) {
        match self.journals[device].advance(self.now) {
            Ok(part) => self.send_journal(device, part),
            Err(ended) => {
                for task in ended {
                    self.synced(task);
                }
                self.commit_if_due(device);
            }
        }
    }

    /// Sends a part of a commit. Its writes are the root's (`kjournald2`).
    fn send_journal(&mut self, device: usize, Part { stage, since, kind, offset, length }: Part) {
        let request = Request {
            kind,
            offset,
            length,
            sync: true,
            swap: false,
            apart: false,
            group: 0,
            since,
            payload: Payload::Journal(stage),
        };
        self.send(device, request);
        self.charge_io(0, device, kind, length);
    }
}

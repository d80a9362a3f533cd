//! The memory that one read operation may take. It is charged before it is allocated, because a hostile file may ask for any amount.

use pagetide_core::{Disk, Error};
use serde::de::DeserializeOwned;
use std::collections::TryReserveError;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Memory that a read operation may always take, however small its files: an hour of a large host.
const MIN_BUDGET: u64 = 512 << 20;
/// Bytes of memory granted for each byte read. An unchanged row takes 2 bytes in a log and 9 bytes a column in memory, so 512 allows a table
/// 113 columns.
const PER_BYTE: u64 = 512;
/// Memory that a read operation never exceeds, however large its files: enough for more than a week of a large host.
const MAX_BUDGET: u64 = 4 << 30;

/// Bytes that this process can spare for reading.
static SPARE: AtomicU64 = AtomicU64::new(MAX_BUDGET);

/// Limits every read operation of this process to `bytes`, however large its files. This crate does not ask the system how much memory there
/// is; a program does that when it starts.
pub fn limit_memory(bytes: u64) {
    SPARE.store(bytes, Ordering::Relaxed);
}

/// Read operations that may run at once.
static READERS: AtomicUsize = AtomicUsize::new(1);

/// Lets this many read operations of this process run at once, each with an equal share of what the process can spare. A fleet is read on all
/// cores, and no file may take another's share.
pub fn share_memory(readers: usize) {
    READERS.store(readers.max(1), Ordering::Relaxed);
}

/// The share of one reader.
fn part(spare: u64, readers: usize) -> u64 {
    (spare / readers.max(1) as u64).min(MAX_BUDGET)
}

/// Why a read operation gets no more memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Exceeded {
    /// More of something than a writer makes, or more memory than files of this size need.
    #[error("damaged or hostile: {amount} {what} exceeds {limit}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        amount: u64,
        /// The most that is read.
        limit: u64,
    },
    /// More memory than the program can spare; the files may be valid.
    #[error("too large to be read whole, or hostile: {amount} bytes of memory exceeds {limit}")]
    Spare {
        /// How much.
        amount: u64,
        /// The most that is taken.
        limit: u64,
    },
    /// The allocation failed.
    #[error("not enough memory to read it: {0}")]
    Memory(#[from] TryReserveError),
}

impl From<Exceeded> for io::Error {
    fn from(exceeded: Exceeded) -> Self {
        Self::new(io::ErrorKind::InvalidData, exceeded)
    }
}

impl Exceeded {
    /// The limit that stopped a reader, if one did.
    pub(crate) fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    /// The error about the file or folder at `path`.
    pub(crate) fn at(&self, path: &Path) -> Error {
        let hint = match self {
            Self::Limit { .. } => {
                "ask whoever sent it; `pagetide diagnose`, `show` and `cut` read a part of a large recording, with --from and --to"
            }
            Self::Spare { .. } | Self::Memory(_) => {
                "`pagetide diagnose`, `show` and `cut` read a part of it, with --from and --to; or read it on a host with more memory"
            }
        };
        Error::input(format!("{}: {self}", path.display()), hint)
    }
}

/// Refuses more than `limit`.
pub(crate) fn at_most(what: &'static str, amount: u64, limit: u64) -> Result<(), Exceeded> {
    if amount <= limit { Ok(()) } else { Err(Exceeded::Limit { what, amount, limit }) }
}

/// The memory of one read operation: rows, bytes, names, row groups and strings are all charged to it. Clones share one account.
#[derive(Debug, Clone, Default)]
pub(crate) struct Budget(Arc<Account>);

#[derive(Debug)]
struct Account {
    read: AtomicU64,
    taken: AtomicU64,
    spare: u64,
}

impl Default for Account {
    fn default() -> Self {
        let spare = part(SPARE.load(Ordering::Relaxed), READERS.load(Ordering::Relaxed));
        Self { read: 0.into(), taken: 0.into(), spare }
    }
}

impl Budget {
    /// Raises the limit by what reading this many bytes allows.
    pub(crate) fn grant(&self, bytes: u64) {
        self.0.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Takes memory. Called before it is allocated.
    pub(crate) fn charge(&self, bytes: u64) -> Result<(), Exceeded> {
        let Account { read, taken, spare } = &*self.0;
        let worth = read.load(Ordering::Relaxed).saturating_mul(PER_BYTE).max(MIN_BUDGET);
        let amount = taken.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let within = at_most("bytes of memory", amount, worth).and(if amount <= *spare {
            Ok(())
        } else {
            Err(Exceeded::Spare { amount, limit: *spare })
        });
        if within.is_err() {
            self.release(bytes);
        }
        within
    }

    /// Gives memory back.
    fn release(&self, bytes: u64) {
        self.0.taken.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Memory that is given back when the value is dropped.
    pub(crate) fn hold(&self) -> Held {
        Held { budget: self.clone(), bytes: 0.into() }
    }
}

/// Bytes of memory for each byte of JSON while it is parsed. The worst case is `{},`: three bytes that become one disk of a manifest, in a
/// vector that may be half empty. Strings and numbers that are kept take less, [`KEPT_JSON_BYTES`].
pub(crate) const JSON_BYTES: usize = size_of::<Disk>();
/// Bytes of memory for each byte of JSON once it is parsed, at most. The worst case is `"",`: three bytes that become an empty string.
pub(crate) const KEPT_JSON_BYTES: usize = 16;

/// Charges what the JSON may take, then parses it. Returns the value and the charge, to be held as long as the value.
pub(crate) fn json<T: DeserializeOwned>(
    text: &[u8],
    budget: &Budget,
) -> Result<(serde_json::Result<T>, Held), Exceeded> {
    let held = budget.hold();
    held.charge(bytes_of(text.len(), JSON_BYTES))?;
    Ok((serde_json::from_slice(text), held))
}

/// Memory that is charged until this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    budget: Budget,
    bytes: AtomicU64,
}

impl Held {
    /// Takes more.
    pub(crate) fn charge(&self, bytes: u64) -> Result<(), Exceeded> {
        self.budget.charge(bytes)?;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Never gives it back: the allocation outlives it.
    pub(crate) fn keep(mut self) {
        *self.bytes.get_mut() = 0;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.release(*self.bytes.get_mut());
    }
}

/// Bytes that `count` things of `size` bytes take.
pub(crate) fn bytes_of(count: usize, size: usize) -> u64 {
    (count as u64).saturating_mul(size as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_charged_stays_below_what_the_files_are_worth() {
        let budget = Budget::default();
        budget.charge(MIN_BUDGET).unwrap();
        let refused = budget.charge(1).unwrap_err();
        assert_eq!(refused.to_string(), "damaged or hostile: 536870913 bytes of memory exceeds 536870912");
        budget.grant(MIN_BUDGET / PER_BYTE + 1);
        let held = budget.hold();
        held.charge(PER_BYTE).unwrap();
        assert!(budget.charge(1).is_err());
        drop(held);
        budget.charge(PER_BYTE).unwrap();
        assert!(budget.charge(u64::MAX).is_err());
    }

    #[test]
    fn no_file_is_worth_more_than_the_program_can_spare() {
        let budget = Budget::default();
        budget.grant(u64::MAX);
        budget.charge(MAX_BUDGET).unwrap();
        let refused = budget.charge(1).unwrap_err().to_string();
        assert_eq!(refused, "too large to be read whole, or hostile: 4294967297 bytes of memory exceeds 4294967296");
        assert_eq!(
            (part(MAX_BUDGET, 8), part(64 * MAX_BUDGET, 8), part(1 << 20, 0)),
            (MAX_BUDGET / 8, MAX_BUDGET, 1 << 20)
        );
        let small = Budget(Arc::new(Account { spare: 1 << 20, ..Account::default() }));
        small.charge(1 << 20).unwrap();
        assert_eq!(small.charge(1), Err(Exceeded::Spare { amount: (1 << 20) + 1, limit: 1 << 20 }));
    }
}

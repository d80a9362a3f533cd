//! Files that stay open and are read repeatedly into one buffer.

use crate::error::{Error, absent};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// File descriptors left to the rest of the program.
const SPARE_FILES: u64 = 192;

/// How the kernel hands out a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text {
    /// One record (`single_open`, kernfs): a read that does not fill the buffer has returned all of it.
    Record,
    /// Many records (`seq_open`): a read returns as many as fit into the kernel's own buffer, so only a read of 0 bytes is the end.
    Records,
}

/// The buffer that all files of a sampler are read into, one after the other.
#[derive(Debug)]
pub(crate) struct Buffer(Vec<u8>);

impl Buffer {
    pub(crate) fn new() -> Self {
        // zoneinfo of one node with two CPUs is 6 KiB, vmstat 5 KiB; it grows when a file needs more.
        Self(vec![0; 64 * 1024])
    }

    /// Opens a file and reads all of it.
    pub(crate) fn read_at(&mut self, path: &Path) -> io::Result<&str> {
        open(path).and_then(|file| self.fill(&file, Text::Record))
    }

    /// Reads all of an open file from its beginning.
    pub(crate) fn fill(&mut self, file: &OwnedFd, text: Text) -> io::Result<&str> {
        let mut length = 0;
        loop {
            if length == self.0.len() {
                self.0.resize(length * 2, 0);
            }
            match rustix::io::pread(file, &mut self.0[length..], length as u64) {
                Ok(0) => break,
                Ok(read) => {
                    length += read;
                    if text == Text::Record && length < self.0.len() {
                        break;
                    }
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        // A process can choose any name. Bytes that are not UTF-8 become `?`, which no parser takes for a digit.
        while let Err(error) = std::str::from_utf8(&self.0[..length]) {
            self.0[error.valid_up_to()] = b'?';
        }
        std::str::from_utf8(&self.0[..length]).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }
}

/// Files that the samplers of this process hold open.
static HELD: AtomicU64 = AtomicU64::new(0);

/// How many files may stay open, and how many do. Others are opened for each sample, which takes more time and reads the same.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    held: u64,
}

impl Budget {
    /// All that this process may open, less what the rest of the program needs.
    pub(crate) fn of_this_process() -> Self {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
        Self { limit: limit.saturating_sub(SPARE_FILES), held: 0 }
    }

    /// Counts one more open file, if the budget allows it.
    pub(crate) fn take(&mut self) -> bool {
        let one_more = |held: u64| (held < self.limit).then_some(held + 1);
        let taken = HELD.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok();
        self.held += u64::from(taken);
        taken
    }

    /// Whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        HELD.load(Ordering::Relaxed) >= self.limit
    }

    /// Closes a file and returns it to the budget.
    pub(crate) fn close(&mut self, file: &mut Option<OwnedFd>) {
        if file.take().is_some() && self.held > 0 {
            self.held -= 1;
            HELD.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        HELD.fetch_sub(self.held, Ordering::Relaxed);
    }
}

/// A kernel file that stays open, or is opened for each reading.
#[derive(Debug)]
pub(crate) struct KernelFile {
    pub(crate) path: PathBuf,
    pub(crate) file: Option<OwnedFd>,
    text: Text,
}

impl KernelFile {
    /// Opens a file; `None` when this kernel does not have it.
    pub(crate) fn open(path: PathBuf, text: Text) -> Result<Option<Self>, Error> {
        match open(&path) {
            Ok(file) => Ok(Some(Self { path, file: Some(file), text })),
            Err(source) if absent(&source) => Ok(None),
            Err(source) => Err(Error::Read { path, source }),
        }
    }

    /// The same for a file of one record, which stays open only if the budget allows it.
    pub(crate) fn open_within(path: PathBuf, budget: &mut Budget) -> Result<Option<Self>, Error> {
        let mut kept = Self::open(path, Text::Record)?;
        if let Some(kept) = &mut kept
            && !budget.take()
        {
            kept.file = None;
        }
        Ok(kept)
    }

    /// Reads it; `None` if what it describes is gone.
    pub(crate) fn read<'b>(&self, buffer: &'b mut Buffer) -> Result<Option<&'b str>, Error> {
        let text = match &self.file {
            Some(file) => buffer.fill(file, self.text),
            None => open(&self.path).and_then(|file| buffer.fill(&file, self.text)),
        };
        match text {
            Ok(text) => Ok(Some(text)),
            Err(source) if absent(&source) => Ok(None),
            Err(source) => Err(Error::Read { path: self.path.clone(), source }),
        }
    }

    /// Reads it and parses the text with `parse`, so that an error names this file.
    pub(crate) fn with<T>(
        &self,
        buffer: &mut Buffer,
        parse: impl FnOnce(&str) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        match self.read(buffer)? {
            Some(text) => parse(text).map(Some).map_err(|error| error.at(&self.path)),
            None => Ok(None),
        }
    }
}

/// Opens a file for reading, not to be inherited by children.
fn open(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

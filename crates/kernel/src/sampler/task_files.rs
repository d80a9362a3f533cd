//! The files of one process below `/proc`.

use super::kernel_file::{Buffer, Text};
use crate::error::{Error, absent};
use rustix::fs::{Mode, OFlags};
use std::fmt::Write as _;
use std::io;
use std::os::fd::OwnedFd;

/// The files of one process.
pub(crate) struct Files<'a> {
    pub(crate) proc: &'a OwnedFd,
    pub(crate) path: &'a mut String,
    pub(crate) pid: u32,
}

impl Files<'_> {
    /// Opens one; `None` if the process is gone or may not be read.
    pub(crate) fn open(&mut self, name: &str) -> Result<Option<OwnedFd>, Error> {
        self.path.clear();
        // Writing to a string does not fail.
        let _ = write!(self.path, "{}/{name}", self.pid);
        match rustix::fs::openat(self.proc, self.path.as_str(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(file) => Ok(Some(file)),
            Err(error) => self.none_if_absent(error.into()).map(|()| None),
        }
    }

    pub(crate) fn fill<'b>(&self, buffer: &'b mut Buffer, file: &OwnedFd) -> Result<Option<&'b str>, Error> {
        match buffer.fill(file, Text::Record) {
            Ok(text) => Ok(Some(text)),
            Err(error) => self.none_if_absent(error).map(|()| None),
        }
    }

    /// Reads a file that is kept open, or else opens it for this sample.
    pub(crate) fn read<'b>(
        &mut self,
        name: &str,
        kept: Option<&OwnedFd>,
        buffer: &'b mut Buffer,
    ) -> Result<Option<&'b str>, Error> {
        match kept {
            Some(file) => self.fill(buffer, file),
            None => match self.open(name)? {
                Some(file) => self.fill(buffer, &file),
                None => Ok(None),
            },
        }
    }

    fn none_if_absent(&self, source: io::Error) -> Result<(), Error> {
        if absent(&source) || source.kind() == io::ErrorKind::PermissionDenied {
            Ok(())
        } else {
            Err(Error::Read { path: self.place("stat"), source })
        }
    }

    pub(crate) fn place(&self, name: &str) -> std::path::PathBuf {
        format!("/proc/{}/{name}", self.pid).into()
    }
}

//! Lists the numbers in a directory without allocating each time.

use crate::error::Error;
use crate::root::Root;
use pagetide_proctext::text::number;
use rustix::fs::{Mode, OFlags, RawDir, SeekFrom};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

/// Processes to reserve room for at the start, so that a busy host does not make the sampler allocate later.
const ROOM: usize = 4096;

/// An empty list of process ids with [`ROOM`], its memory touched.
pub(crate) fn roomy() -> Vec<u32> {
    let mut pids = vec![u32::MAX; ROOM];
    pids.clear();
    pids
}

/// Opens `/proc` below a root.
pub(crate) fn open_proc(root: &Root) -> Result<OwnedFd, Error> {
    let path = root.join("/proc");
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(&path, flags, Mode::empty()).map_err(|source| Error::Read { path, source: source.into() })
}

/// Lists `/proc`.
#[derive(Debug)]
pub(crate) struct Listing {
    entries: Vec<MaybeUninit<u8>>,
    numbers: Vec<u32>,
}

impl Listing {
    pub(crate) fn new() -> Self {
        Self { entries: vec![MaybeUninit::uninit(); 32 * 1024], numbers: roomy() }
    }

    /// The names that are numbers, in ascending order.
    pub(crate) fn numbers(&mut self, directory: &OwnedFd) -> Result<&[u32], Error> {
        let failed = |source: rustix::io::Errno| Error::Read { path: "/proc".into(), source: source.into() };
        rustix::fs::seek(directory, SeekFrom::Start(0)).map_err(failed)?;
        self.numbers.clear();
        let mut entries = RawDir::new(directory, &mut self.entries);
        while let Some(entry) = entries.next() {
            let entry = entry.map_err(failed)?;
            let pid = entry.file_name().to_str().ok().and_then(number).and_then(|pid| u32::try_from(pid).ok());
            self.numbers.extend(pid);
        }
        self.numbers.sort_unstable();
        Ok(&self.numbers)
    }
}

//! One row per watched process: `/proc/PID/stat`, `io` and `status`.

use super::Processes;
use super::delays::DelaySource;
use super::kept::Buffer;
use super::learned::Learned;
use super::listing::{Listing, roomy};
use super::row::{Row, columns};
use crate::error::{Error, absent};
use crate::keyed::{Line, with_colon};
use crate::process::{StatLine, status_amount};
use crate::root::Root;
use crate::text::lines;
use pagetide_core::{ColumnId, EntityId, Sample, Schema, Table, metric};
use rustix::fs::{Mode, OFlags};
use std::fmt::Write as _;
use std::io;
use std::os::fd::OwnedFd;

/// The columns that come from stat.
const STAT: [&str; 9] =
    ["state", "minflt", "majflt", "utime", "stime", "num_threads", "vsize", "rss", "delayacct_blkio_ticks"];

/// File descriptors left to the rest of the program; processes beyond that are opened anew for each sample.
const SPARE_FILES: u64 = 256;

/// A process that has rows. Its files cannot speak of another process: the kernel ties an open file to the task.
#[derive(Debug)]
struct Watched {
    pid: u32,
    starttime: u64,
    entity: EntityId,
    kernel_thread: bool,
    stat: Option<OwnedFd>,
    io: Option<OwnedFd>,
    status: Option<OwnedFd>,
    alive: bool,
}

#[derive(Debug)]
pub(crate) struct Watchers {
    proc: OwnedFd,
    listing: Listing,
    want: Processes,
    /// Processes whose children are looked for, beside those that are watched already.
    asked: Vec<u32>,
    watched: Vec<Watched>,
    /// Processes that were looked at and are not wanted, in ascending order.
    passed: Vec<u32>,
    /// Processes seen for the first time: id, parent, whether a kernel thread of interest.
    newcomers: Vec<(u32, u32, bool)>,
    budget: u64,
    path: String,
    row: Row,
    stat: Option<[ColumnId; STAT.len()]>,
    io: Learned<ColumnId>,
    status: Learned<Option<ColumnId>>,
    delays: DelaySource,
}

impl Watchers {
    pub(crate) fn open(root: &Root, want: Processes) -> Result<Self, Error> {
        let path = root.join("/proc");
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = rustix::fs::open(&path, flags, Mode::empty())
            .map_err(|source| Error::Read { path, source: source.into() })?;
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
        let asked = match &want {
            Processes::Tree(pids) => pids.clone(),
            Processes::KernelThreads | Processes::All => Vec::new(),
        };
        Ok(Self {
            proc,
            listing: Listing::new(),
            want,
            asked,
            watched: Vec::new(),
            passed: roomy(),
            newcomers: Vec::new(),
            budget: limit.saturating_sub(SPARE_FILES),
            path: String::new(),
            row: Row::default(),
            stat: None,
            io: Learned::default(),
            status: Learned::default(),
            delays: DelaySource::open(root),
        })
    }

    pub(crate) fn watch(&mut self, pid: u32) {
        if !self.asked.contains(&pid) {
            self.asked.push(pid);
        }
        // Its children may have been passed over before.
        self.passed.clear();
    }

    pub(crate) fn sample(
        &mut self,
        buffer: &mut Buffer,
        schema: &mut Schema,
        sample: &mut Sample,
    ) -> Result<(), Error> {
        let found = self.find(buffer, schema);
        let Self { proc, watched, path, row, stat, io, status, delays, .. } = self;
        let stat = *stat.get_or_insert_with(|| columns(schema, Table::Process, STAT));
        let mut result = found;
        for process in watched.iter_mut() {
            row.clear();
            let delayed = delays.add(process.pid, schema, row);
            let mut files = Files { proc, path, pid: process.pid };
            let read = process.read_stat(&mut files, buffer, row, &stat).and_then(|alive| match alive {
                true => process.read_more(&mut files, buffer, schema, row, io, status),
                false => Ok(()),
            });
            result = result.and(delayed).and(read);
            if process.alive && !row.is_empty() {
                row.put(schema, sample, Table::Process, process.entity);
            }
        }
        watched.retain(|process| process.alive);
        result
    }

    /// Looks for processes that are new since the last sample and wanted: descendants of those watched, kswapd threads,
    /// or every one. A process is looked at once; a child whose parent ends before the first look is not found.
    fn find(&mut self, buffer: &mut Buffer, schema: &mut Schema) -> Result<(), Error> {
        let Self { proc, listing, want, asked, watched, passed, newcomers, budget, path, .. } = self;
        if *want == Processes::KernelThreads && asked.is_empty() && !passed.is_empty() {
            // kswapd threads neither come nor go while the host runs.
            return Ok(());
        }
        let pids = listing.numbers(proc)?;
        passed.retain(|pid| pids.binary_search(pid).is_ok());
        newcomers.clear();
        for pid in pids {
            if passed.binary_search(pid).is_ok() || watched.iter().any(|known| known.pid == *pid) {
                continue;
            }
            let mut files = Files { proc, path, pid: *pid };
            let Some(file) = files.open("stat")? else { continue };
            let Some(text) = files.fill(buffer, &file)? else { continue };
            let line = StatLine::parse(text).map_err(|error| error.at(&files.place("stat")))?;
            let reclaims = line.is_kernel_thread() && line.comm.starts_with("kswapd");
            newcomers.push((*pid, line.parent, reclaims));
        }
        // A child may have a lower id than its parent, so this goes on until nobody new is found.
        loop {
            let before = newcomers.len();
            let mut at = 0;
            while at < newcomers.len() {
                let (pid, parent, reclaims) = newcomers[at];
                let wanted = matches!(want, Processes::All)
                    || reclaims
                    || asked.contains(&pid)
                    || asked.contains(&parent)
                    || watched.iter().any(|known| known.pid == parent);
                if wanted {
                    newcomers.swap_remove(at);
                    let mut files = Files { proc, path, pid };
                    watched.extend(Watched::open(&mut files, buffer, schema, budget)?);
                } else {
                    at += 1;
                }
            }
            if newcomers.len() == before {
                break;
            }
        }
        passed.extend(newcomers.iter().map(|(pid, ..)| *pid));
        passed.sort_unstable();
        Ok(())
    }
}

/// The files of one process.
struct Files<'a> {
    proc: &'a OwnedFd,
    path: &'a mut String,
    pid: u32,
}

impl Files<'_> {
    /// Opens one; `None` when the process is gone or may not be asked.
    fn open(&mut self, name: &str) -> Result<Option<OwnedFd>, Error> {
        self.path.clear();
        // Writing to a string does not fail.
        let _ = write!(self.path, "{}/{name}", self.pid);
        match rustix::fs::openat(self.proc, self.path.as_str(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(file) => Ok(Some(file)),
            Err(error) => self.forgive(error.into()).map(|()| None),
        }
    }

    fn fill<'b>(&self, buffer: &'b mut Buffer, file: &OwnedFd) -> Result<Option<&'b str>, Error> {
        match buffer.fill(file) {
            Ok(text) => Ok(Some(text)),
            Err(error) => self.forgive(error).map(|()| None),
        }
    }

    /// Reads a kept file, or one that is opened for this sample only.
    fn read<'b>(
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

    fn forgive(&self, source: io::Error) -> Result<(), Error> {
        if absent(&source) || source.kind() == io::ErrorKind::PermissionDenied {
            Ok(())
        } else {
            Err(Error::Read { path: self.place("stat"), source })
        }
    }

    fn place(&self, name: &str) -> std::path::PathBuf {
        format!("/proc/{}/{name}", self.pid).into()
    }
}

impl Watched {
    fn open(
        files: &mut Files<'_>,
        buffer: &mut Buffer,
        schema: &mut Schema,
        budget: &mut u64,
    ) -> Result<Option<Self>, Error> {
        let Some(stat) = files.open("stat")? else { return Ok(None) };
        let Some(text) = files.fill(buffer, &stat)? else { return Ok(None) };
        let line = StatLine::parse(text).map_err(|error| error.at(&files.place("stat")))?;
        let (starttime, kernel_thread) = (line.starttime, line.is_kernel_thread());
        let name = format!("{}@{starttime}", files.pid);
        let id = match schema.find_entity(Table::Process, &name) {
            Some(id) => id,
            None => schema.push_entity(Table::Process, pagetide_core::Entity { name, label: line.comm.to_owned() }),
        };
        let mut process = Self {
            pid: files.pid,
            starttime,
            entity: id,
            kernel_thread,
            stat: None,
            io: None,
            status: None,
            alive: true,
        };
        if let Some(left) = budget.checked_sub(3) {
            *budget = left;
            process.stat = Some(stat);
            process.io = files.open("io")?;
            process.status = if kernel_thread { None } else { files.open("status")? };
        }
        Ok(Some(process))
    }

    /// Reads stat; whether the process is still there.
    fn read_stat(
        &mut self,
        files: &mut Files<'_>,
        buffer: &mut Buffer,
        row: &mut Row,
        columns: &[ColumnId; STAT.len()],
    ) -> Result<bool, Error> {
        self.alive = false;
        let Some(text) = files.read("stat", self.stat.as_ref(), buffer)? else { return Ok(false) };
        let line = StatLine::parse(text).map_err(|error| error.at(&files.place("stat")))?;
        if line.starttime != self.starttime {
            // Another process has got the id.
            return Ok(false);
        }
        self.alive = true;
        let values = [
            Some(u64::from(u32::from(line.state))),
            Some(line.minflt),
            Some(line.majflt),
            Some(line.utime),
            Some(line.stime),
            Some(line.num_threads),
            Some(line.vsize),
            Some(line.rss),
            line.delayacct_blkio_ticks,
        ];
        for (column, value) in columns.iter().zip(values) {
            if let Some(value) = value {
                row.set(*column, value);
            }
        }
        Ok(true)
    }

    fn read_more(
        &self,
        files: &mut Files<'_>,
        buffer: &mut Buffer,
        schema: &mut Schema,
        row: &mut Row,
        io: &mut Learned<ColumnId>,
        status: &mut Learned<Option<ColumnId>>,
    ) -> Result<(), Error> {
        if let Some(text) = files.read("io", self.io.as_ref(), buffer)? {
            for (at, line) in whole_lines("/proc/PID/io", text)? {
                let (name, value): Line<'_> =
                    with_colon(line).map_err(|problem| Error::line("/proc/PID/io", at, problem))?;
                row.set(io.at(at - 1, name, |name| schema.column(Table::Process, name)), value);
            }
        }
        if self.kernel_thread {
            return Ok(());
        }
        if let Some(text) = files.read("status", self.status.as_ref(), buffer)? {
            for (at, line) in whole_lines("/proc/PID/status", text)? {
                let Some((name, value)) = status_amount(line) else { continue };
                // status has some fifteen amounts; those of the metric table are recorded.
                let column = status.at(at - 1, name, |name| {
                    metric::find(Table::Process, name).map(|_| schema.column(Table::Process, name))
                });
                if let Some(column) = column {
                    row.set(column, value);
                }
            }
        }
        Ok(())
    }
}

/// The lines of a file, none when it is empty: what a process leaves while it ends.
fn whole_lines<'a>(
    file: &'static str,
    text: &'a str,
) -> Result<impl Iterator<Item = (usize, &'a str)> + use<'a>, Error> {
    let lines = if text.is_empty() { None } else { Some(lines(file, text)?) };
    Ok(lines.into_iter().flatten())
}

//! One process or thread: its files, and its row.

use super::kernel_file::{Budget, Buffer, Text};
use super::pass::Pass;
use super::position_cache::PositionCache;
use super::row::{Row, columns};
use crate::error::{Error, absent};
use pagetide_core::{ColumnId, Entity, EntityId, Sample, Schema, Table, metric};
use pagetide_proctext::keyed::with_colon;
use pagetide_proctext::process::{
    ProcessRuns, ProcessStat, parse_process_schedstat, parse_process_stat, status_amount,
};
use pagetide_proctext::text::lines;
use rustix::fs::{Mode, OFlags};
use std::fmt::Write as _;
use std::io;
use std::os::fd::OwnedFd;

/// The columns that come from stat.
const STAT: [&str; 9] =
    ["state", "minflt", "majflt", "utime", "stime", "num_threads", "vsize", "rss", "delayacct_blkio_ticks"];

/// What the files of processes are in the schema.
#[derive(Debug, Default)]
pub(crate) struct TaskColumns {
    stat: Option<[ColumnId; STAT.len()]>,
    io: PositionCache<ColumnId>,
    status: PositionCache<Option<ColumnId>>,
}

impl TaskColumns {
    fn stat(&mut self, schema: &mut Schema) -> [ColumnId; STAT.len()] {
        *self.stat.get_or_insert_with(|| columns(schema, Table::Process, STAT))
    }

    /// The column of the state's letter.
    pub(crate) fn state(&mut self, schema: &mut Schema) -> ColumnId {
        self.stat(schema)[0]
    }
}

/// A process that has rows. Its files cannot speak of another process: the kernel ties an open file to the task.
#[derive(Debug)]
pub(crate) struct SampledTask {
    pub(crate) pid: u32,
    pub(crate) starttime: u64,
    pub(crate) kernel_thread: bool,
    /// Set when it first has a row.
    pub(crate) entity: Option<EntityId>,
    /// Whether it was the fork of another, by whose name it went, when it had a row last.
    fork: bool,
    schedstat: Option<OwnedFd>,
    stat: Option<OwnedFd>,
    io: Option<OwnedFd>,
    status: Option<OwnedFd>,
    /// What schedstat said when a survey looked at it last, and when it had its last row; absent when the kernel does not account it.
    looked: Option<ProcessRuns>,
    shown: Option<ProcessRuns>,
    /// What io and status said for its last row, and how many threads and resident pages it had then.
    more: Row,
    threads_and_rss: Option<(u64, u64)>,
    /// Whether the last reading found it.
    pub(crate) alive: bool,
}

/// The files of one process.
pub(crate) struct Files<'a> {
    pub(crate) proc: &'a OwnedFd,
    pub(crate) path: &'a mut String,
    pub(crate) pid: u32,
}

impl Files<'_> {
    /// Opens one; `None` when the process is gone or may not be asked.
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

    /// Reads a kept file, or one that is opened for this sample only.
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

impl SampledTask {
    /// Looks at a process for the first time; `None` when it is gone. While `budget` lasts, its files stay open.
    pub(crate) fn open(files: &mut Files<'_>, pass: &mut Pass<'_>) -> Result<Option<Self>, Error> {
        let Some(stat) = files.open("stat")? else { return Ok(None) };
        let Some(text) = files.fill(pass.buffer, &stat)? else { return Ok(None) };
        let line = parse_process_stat(text).map_err(|error| error.at(&files.place("stat")))?;
        let mut process = Self {
            pid: files.pid,
            starttime: line.starttime,
            kernel_thread: line.is_kernel_thread(),
            entity: None,
            fork: false,
            schedstat: None,
            stat: None,
            io: None,
            status: None,
            looked: None,
            shown: None,
            more: Row::default(),
            threads_and_rss: None,
            alive: true,
        };
        if pass.budget.take() {
            process.stat = Some(stat);
        }
        Ok(Some(process))
    }

    /// Gives back what it took of the budget.
    pub(crate) fn close(&mut self, budget: &mut Budget) {
        for file in [&mut self.schedstat, &mut self.stat, &mut self.io, &mut self.status] {
            budget.close(file);
        }
    }

    /// Whether its first thread has certainly not run since this was asked last: nothing that it does can have changed. What others
    /// do to it (its pages are reclaimed) can have.
    pub(crate) fn rests(&mut self, files: &mut Files<'_>, pass: &mut Pass<'_>) -> Result<bool, Error> {
        let runs = self.runs(files, pass)?;
        let before = std::mem::replace(&mut self.looked, runs);
        Ok(runs.is_some() && runs == before)
    }

    /// How often and how long its first thread has run; `None` when the kernel does not say.
    fn runs(&mut self, files: &mut Files<'_>, pass: &mut Pass<'_>) -> Result<Option<ProcessRuns>, Error> {
        keep(&mut self.schedstat, "schedstat", files, pass.budget)?;
        // Only the open file is certain to speak of this task.
        let Some(file) = &self.schedstat else { return Ok(None) };
        let Some(text) = files.fill(pass.buffer, file)? else { return Ok(None) };
        let runs = parse_process_schedstat(text).map_err(|error| error.at(&files.place("schedstat")))?;
        Ok(Some(runs).filter(|runs| runs.runs > 0))
    }

    /// Closes what is only needed of a task that runs.
    pub(crate) fn rest(&mut self, budget: &mut Budget) {
        for file in [&mut self.stat, &mut self.io, &mut self.status] {
            budget.close(file);
        }
    }

    /// Reads stat and hands it on; `None` when the process is gone.
    pub(crate) fn stat<'b>(
        &mut self,
        files: &mut Files<'_>,
        buffer: &'b mut Buffer,
    ) -> Result<Option<ProcessStat<'b>>, Error> {
        self.alive = false;
        let Some(text) = files.read("stat", self.stat.as_ref(), buffer)? else { return Ok(None) };
        let line = parse_process_stat(text).map_err(|error| error.at(&files.place("stat")))?;
        // Else another process has got the id.
        self.alive = line.starttime == self.starttime;
        Ok(self.alive.then_some(line))
    }

    /// Reads io and hands it on; `None` when the process is gone or may not be asked.
    pub(crate) fn io<'b>(
        &mut self,
        files: &mut Files<'_>,
        buffer: &'b mut Buffer,
        budget: &mut Budget,
    ) -> Result<Option<&'b str>, Error> {
        keep(&mut self.io, "io", files, budget)?;
        files.read("io", self.io.as_ref(), buffer)
    }

    /// Fills `row` with all that its files say. Of an error the row holds what was read before it.
    ///
    /// Of a process with one thread that has not run since its last row, io and status are not read again unless its resident pages
    /// are others: a process that rests does no IO, gets no memory, and what it loses it loses from those.
    pub(crate) fn sample(
        &mut self,
        files: &mut Files<'_>,
        pass: &mut Pass<'_>,
        row: &mut Row,
        meaning: &mut TaskColumns,
    ) -> Result<(), Error> {
        let columns = meaning.stat(pass.schema);
        let runs = self.runs(files, pass)?;
        let before = std::mem::replace(&mut self.shown, runs);
        let rests = runs.is_some() && runs == before;
        let Some(line) = self.stat(files, pass.buffer)? else { return Ok(()) };
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
        let now = Some((line.num_threads, line.rss));
        let same = rests && line.num_threads == 1 && now == self.threads_and_rss;
        let fork = std::mem::replace(&mut self.fork, line.is_fork());
        match self.entity {
            None => self.entity = Some(task_entity(pass.schema, self.pid, self.starttime, line.comm)),
            Some(entity) if fork && !self.fork => {
                self.entity = Some(program_entity(pass.schema, entity, line.comm));
            }
            Some(_) => {}
        }
        let mut read = Ok(());
        if !same {
            let mut more = std::mem::take(&mut self.more);
            more.clear();
            read = self.read_more(files, pass, &mut more, meaning);
            self.more = more;
            // What could not be read is asked for again.
            self.threads_and_rss = now.filter(|_| read.is_ok());
        }
        row.overlay(&self.more);
        read
    }

    /// Copies the row into the sample, if the process was found.
    pub(crate) fn put(&self, row: &Row, schema: &Schema, sample: &mut Sample) {
        if let Some(entity) = self.entity.filter(|_| self.alive) {
            row.put(schema, sample, Table::Process, entity);
        }
    }

    fn read_more(
        &mut self,
        files: &mut Files<'_>,
        pass: &mut Pass<'_>,
        row: &mut Row,
        meaning: &mut TaskColumns,
    ) -> Result<(), Error> {
        let TaskColumns { io, status, .. } = meaning;
        if let Some(text) = self.io(files, pass.buffer, pass.budget)? {
            for (at, line) in whole_lines("/proc/PID/io", text)? {
                let (name, value) = with_colon(line).map_err(|problem| Error::line("/proc/PID/io", at, problem))?;
                row.set(io.at(at - 1, name, |name| pass.schema.column(Table::Process, name)), value);
            }
        }
        if self.kernel_thread {
            return Ok(());
        }
        keep(&mut self.status, "status", files, pass.budget)?;
        if let Some(text) = files.read("status", self.status.as_ref(), pass.buffer)? {
            for (at, line) in whole_lines("/proc/PID/status", text)? {
                let Some((name, value)) = status_amount(line) else { continue };
                // status has some fifteen amounts; those of the metric table are recorded.
                let column = status.at(at - 1, name, |name| {
                    metric::find(Table::Process, name).map(|_| pass.schema.column(Table::Process, name))
                });
                if let Some(column) = column {
                    row.set(column, value);
                }
            }
        }
        Ok(())
    }
}

/// Opens a file that is to stay open, while the budget lasts.
fn keep(kept: &mut Option<OwnedFd>, name: &str, files: &mut Files<'_>, budget: &mut Budget) -> Result<(), Error> {
    if kept.is_none()
        && let Some(file) = files.open(name)?
        && budget.take()
    {
        *kept = Some(file);
    }
    Ok(())
}

/// The entity of a process or a thread, which is named by its id and its start: an id is used again, both are not.
pub(crate) fn task_entity(schema: &mut Schema, id: u32, starttime: u64, comm: &str) -> EntityId {
    let name = format!("{id}@{starttime}");
    schema
        .find_entity(Table::Process, &name)
        .unwrap_or_else(|| schema.push_entity(Table::Process, Entity { name, label: comm.to_owned() }))
}

/// The entity of a process that was sampled as a fork of another and now runs a program of its own: the same, if that goes by the same
/// name, else `ID@START/PROGRAM`, because what the fork did the program did not.
fn program_entity(schema: &mut Schema, fork: EntityId, comm: &str) -> EntityId {
    let entities = schema.entities(Table::Process);
    let Some(known) = entities.get(fork.0 as usize).filter(|known| known.label != comm) else { return fork };
    let name = format!("{}/{comm}", known.name);
    schema.push_entity(Table::Process, Entity { name, label: comm.to_owned() })
}

/// The lines of a file, none when it is empty: what a process leaves while it ends.
pub(crate) fn whole_lines<'a>(
    file: &'static str,
    text: &'a str,
) -> Result<impl Iterator<Item = (usize, &'a str)> + use<'a>, Error> {
    let lines = if text.is_empty() { None } else { Some(lines(file, text)?) };
    Ok(lines.into_iter().flatten())
}

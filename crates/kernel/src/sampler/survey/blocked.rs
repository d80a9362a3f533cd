//! Tasks in uninterruptible sleep, threads among them, and where in the kernel they wait.

use super::counts::Counts;
use super::surveyed::SurveyedProcess;
use super::waits::Waits;
use crate::error::Error;
use crate::sampler::listing::Listing;
use crate::sampler::pass::Pass;
use crate::sampler::row::Row;
use crate::sampler::task::{TaskColumns, task_entity};
use crate::sampler::task_files::Files;
use pagetide_core::{ColumnId, EntityId, Table};
use pagetide_proctext::process::parse_process_stat;
use std::fmt::Write as _;
use std::os::fd::OwnedFd;

/// Threads whose entity is cached, so that one that blocks again is not looked up by name.
const REMEMBERED: usize = 1024;

/// A thread in uninterruptible sleep.
#[derive(Debug)]
struct Blocked {
    entity: EntityId,
    process: u32,
    wait: Option<ColumnId>,
}

/// The threads of all processes, without the first of each, which `/proc/PID/stat` covers.
#[derive(Debug)]
pub(super) struct Threads {
    listing: Option<Listing>,
    /// Threads looked at in one sample.
    limit: usize,
    /// Rows in one sample.
    rows: usize,
    /// The process and thread that were looked at last.
    cursor: (u32, u32),
    blocked: Vec<Blocked>,
    remembered: Vec<(u32, u64, EntityId)>,
    name: String,
    process: Option<ColumnId>,
}

impl Threads {
    pub(super) fn new(limit: usize, rows: usize) -> Self {
        Self {
            listing: Some(Listing::new()),
            limit,
            rows,
            cursor: (0, 0),
            blocked: Vec::with_capacity(limit),
            remembered: Vec::with_capacity(REMEMBERED),
            name: String::with_capacity(64),
            process: None,
        }
    }

    /// Looks at as many threads as the limit allows, beginning after the one that was looked at last.
    pub(super) fn look(
        &mut self,
        proc: &OwnedFd,
        path: &mut String,
        known: &[SurveyedProcess],
        pass: &mut Pass<'_>,
        waits: &mut Waits,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        self.blocked.clear();
        if !pass.tasks.is_empty() {
            return self.look_at_blocked(proc, path, pass, waits, counts);
        }
        let there: u64 = known.iter().map(|known| known.threads.saturating_sub(1)).sum();
        let (start, resume) = (known.partition_point(|known| (known.pid, u32::MAX) <= self.cursor), self.cursor);
        let mut left = self.limit;
        let mut result = Ok(());
        for step in 0..known.len() {
            let known = &known[(start + step) % known.len()];
            if known.threads < 2 {
                continue;
            }
            if left == 0 {
                break;
            }
            let after = if step == 0 && known.pid == resume.0 { resume.1 } else { 0 };
            let mut files = Files { proc, path, pid: known.pid };
            result = result.and(self.process(&mut files, after, &mut left, pass, waits));
        }
        let looked = (self.limit - left) as u64;
        counts.tasks += looked;
        counts.tasks_skipped += there.saturating_sub(looked);
        counts.blocked += self.blocked.len() as u64;
        result
    }

    /// Looks at the threads that may be blocked according to a source of all tasks.
    fn look_at_blocked(
        &mut self,
        proc: &OwnedFd,
        path: &mut String,
        pass: &mut Pass<'_>,
        waits: &mut Waits,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        let tasks = pass.tasks;
        let (mut left, mut result) = (self.limit, Ok(()));
        for task in tasks.iter().filter(|task| task.tid != task.pid) {
            if !task.uninterruptible {
                counts.tasks += 1;
            } else if left == 0 {
                counts.tasks_skipped += 1;
            } else {
                left -= 1;
                counts.tasks += 1;
                let mut files = Files { proc, path, pid: task.pid };
                result = result.and(self.thread(&mut files, task.tid, pass, waits));
            }
        }
        counts.blocked += self.blocked.len() as u64;
        result
    }

    /// Looks at one thread, and keeps it when it is blocked.
    fn thread(
        &mut self,
        files: &mut Files<'_>,
        thread: u32,
        pass: &mut Pass<'_>,
        waits: &mut Waits,
    ) -> Result<(), Error> {
        let Self { blocked, remembered, name, .. } = self;
        name.clear();
        // Writing to a string does not fail.
        let _ = write!(name, "task/{thread}/stat");
        let Some(text) = files.read(name, None, pass.buffer)? else { return Ok(()) };
        let line = parse_process_stat(text).map_err(|error| error.at(&files.place(name)))?;
        if line.state != 'D' {
            return Ok(());
        }
        let known = remembered.iter().find(|known| (known.0, known.1) == (thread, line.starttime));
        let entity = match known {
            Some((.., entity)) => *entity,
            None => {
                let entity = task_entity(pass.schema, thread, line.starttime, line.comm, None);
                if remembered.len() == REMEMBERED {
                    remembered.clear();
                }
                remembered.push((thread, line.starttime, entity));
                entity
            }
        };
        name.clear();
        let _ = write!(name, "task/{thread}/wchan");
        let wait = waits.column(name, files, pass)?;
        blocked.push(Blocked { entity, process: files.pid, wait });
        Ok(())
    }

    /// Looks at the threads of one process, those with ids above `after`.
    fn process(
        &mut self,
        files: &mut Files<'_>,
        after: u32,
        left: &mut usize,
        pass: &mut Pass<'_>,
        waits: &mut Waits,
    ) -> Result<(), Error> {
        let Some(directory) = files.open("task")? else { return Ok(()) };
        let mut listing = self.listing.take().unwrap_or_else(Listing::new);
        let threads = match listing.numbers(&directory) {
            Err(error) if !error.is_absent() => return Err(error),
            threads => threads.unwrap_or(&[]),
        };
        let process = files.pid;
        let mut result = Ok(());
        for thread in threads.iter().filter(|thread| **thread > after && **thread != process) {
            if *left == 0 || result.is_err() {
                break;
            }
            *left -= 1;
            self.cursor = (process, *thread);
            result = self.thread(files, *thread, pass, waits);
        }
        if *left > 0 && result.is_ok() {
            self.cursor = (process, u32::MAX);
        }
        self.listing = Some(listing);
        result
    }

    /// Whether a thread of this process was seen blocked in this sample.
    pub(super) fn are_blocked_in(&self, process: u32) -> bool {
        self.blocked.iter().any(|blocked| blocked.process == process)
    }

    /// Puts a row for each blocked thread: its state, its process and that process's group, and where it waits. Its counters are part of its
    /// process's row.
    pub(super) fn show(
        &mut self,
        group: impl Fn(u32) -> Option<u64>,
        pass: &mut Pass<'_>,
        row: &mut Row,
        meaning: &mut TaskColumns,
        counts: &mut Counts,
    ) {
        let process = *self.process.get_or_insert_with(|| pass.schema.column(Table::Process, "tgid"));
        for (at, blocked) in self.blocked.iter().enumerate() {
            if at >= self.rows {
                counts.rows_skipped += 1;
                continue;
            }
            row.clear();
            row.set(meaning.state(pass.schema), u64::from(u32::from('D')));
            row.set(process, u64::from(blocked.process));
            if let Some(group) = group(blocked.process) {
                row.set(meaning.group(pass.schema), group);
            }
            if let Some(wait) = blocked.wait {
                row.set(wait, 1);
            }
            // Threads and processes have different ids, but a list that changes during the read may show one as both.
            if pass.sample.has_row(Table::Process, blocked.entity) {
                continue;
            }
            row.put(pass.schema, pass.sample, Table::Process, blocked.entity);
            counts.rows += 1;
        }
    }
}

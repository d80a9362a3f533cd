//! One process or thread: its files, and its row.

use super::kernel_file::{Budget, Buffer};
use super::pass::Pass;
use super::position_cache::PositionCache;
use super::row::{Row, columns};
use super::task_files::Files;
use crate::command_line::words;
use crate::error::Error;
use pagetide_core::{ColumnId, Entity, EntityId, Sample, Schema, Table, metric};
use pagetide_proctext::keyed::with_colon;
use pagetide_proctext::process::{
    ProcessRuns, ProcessStat, parse_process_schedstat, parse_process_stat, status_amount, status_user,
};
use pagetide_proctext::program::{is_interpreter, script};
use pagetide_proctext::text::{lines, stored};
use std::os::fd::OwnedFd;

/// The columns that come from stat.
const STAT: [&str; 12] = [
    "state",
    "ppid",
    "minflt",
    "majflt",
    "utime",
    "stime",
    "num_threads",
    "vsize",
    "rss",
    "delayacct_blkio_ticks",
    "nice",
    "policy",
];

/// Rows between two lookups of a process's group, to which somebody may move it.
const GROUP_EVERY: u32 = 32;

/// A clock tick of `/proc/PID/stat` (`USER_HZ`), in ns.
pub(super) const TICK_NS: u64 = 10_000_000;

/// Programs that one process runs in turn and that get a name of their own, at most.
const MOST_NAMES: u8 = 8;

/// The columns of processes in the schema.
#[derive(Debug, Default)]
pub(crate) struct TaskColumns {
    stat: Option<[ColumnId; STAT.len()]>,
    group: Option<ColumnId>,
    user: Option<ColumnId>,
    run_delay: Option<ColumnId>,
    io: PositionCache<ColumnId>,
    status: PositionCache<Option<ColumnId>>,
}

impl TaskColumns {
    fn stat(&mut self, schema: &mut Schema) -> [ColumnId; STAT.len()] {
        *self.stat.get_or_insert_with(|| columns(schema, Table::Process, STAT))
    }

    /// The column of the id of the control group.
    pub(crate) fn group(&mut self, schema: &mut Schema) -> ColumnId {
        *self.group.get_or_insert_with(|| schema.column(Table::Process, "cgroup_id"))
    }

    /// The column of the state's letter.
    pub(crate) fn state(&mut self, schema: &mut Schema) -> ColumnId {
        self.stat(schema)[0]
    }
}

/// A process that has rows. The kernel ties an open file to its task, so its files never belong to another process.
#[derive(Debug)]
pub(crate) struct SampledTask {
    pub(crate) pid: u32,
    pub(crate) starttime: u64,
    pub(crate) kernel_thread: bool,
    /// Set when it first has a row.
    pub(crate) entity: Option<EntityId>,
    /// The program of its last row.
    program: Program,
    names: u8,
    rows: u32,
    /// Its control group at the last lookup.
    group: Option<u64>,
    schedstat: Option<OwnedFd>,
    stat: Option<OwnedFd>,
    io: Option<OwnedFd>,
    status: Option<OwnedFd>,
    /// schedstat at the last look of a survey, and at its last row; `None` if the kernel does not account it.
    looked: Option<ProcessRuns>,
    shown: Option<ProcessRuns>,
    /// The values of io and status in its last row, and its threads and resident pages then.
    more: Row,
    threads_and_rss: Option<(u64, u64)>,
    /// Whether the last reading found it.
    pub(crate) alive: bool,
}

impl SampledTask {
    /// Opens a process; `None` if it is gone. Its files stay open as far as `budget` allows.
    pub(crate) fn open(files: &mut Files<'_>, pass: &mut Pass<'_>) -> Result<Option<Self>, Error> {
        let Some(stat) = files.open("stat")? else { return Ok(None) };
        let Some(text) = files.fill(pass.buffer, &stat)? else { return Ok(None) };
        let line = parse_process_stat(text).map_err(|error| error.at(&files.place("stat")))?;
        let mut process = Self {
            pid: files.pid,
            starttime: line.starttime,
            kernel_thread: line.is_kernel_thread(),
            entity: None,
            program: Program::default(),
            names: 0,
            rows: 0,
            group: None,
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

    /// Closes its files and returns them to the budget.
    pub(crate) fn close(&mut self, budget: &mut Budget) {
        for file in [&mut self.schedstat, &mut self.stat, &mut self.io, &mut self.status] {
            budget.close(file);
        }
    }

    /// Whether its first thread has certainly not run since the last call, so its own counters are unchanged. What others do to it, such as
    /// reclaim, may have changed.
    pub(crate) fn rests(&mut self, files: &mut Files<'_>, pass: &mut Pass<'_>) -> Result<bool, Error> {
        let runs = self.runs(files, pass)?;
        let before = std::mem::replace(&mut self.looked, runs);
        Ok(runs.is_some() && runs == before)
    }

    /// How often and how long its first thread has run; `None` if the kernel does not say.
    fn runs(&mut self, files: &mut Files<'_>, pass: &mut Pass<'_>) -> Result<Option<ProcessRuns>, Error> {
        if let Ok(at) = pass.tasks.binary_search_by_key(&self.pid, |task| task.tid) {
            let task = &pass.tasks[at];
            // Else another process has got the id.
            let same = task.start_ns / TICK_NS == self.starttime;
            return Ok(Some(task.runs).filter(|runs| same && runs.runs > 0));
        }
        keep(&mut self.schedstat, "schedstat", files, pass.budget)?;
        // Only the open file certainly belongs to this task.
        let Some(file) = &self.schedstat else { return Ok(None) };
        let Some(text) = files.fill(pass.buffer, file)? else { return Ok(None) };
        let runs = parse_process_schedstat(text).map_err(|error| error.at(&files.place("schedstat")))?;
        Ok(Some(runs).filter(|runs| runs.runs > 0))
    }

    /// Closes the files that are needed only while the task runs.
    pub(crate) fn rest(&mut self, budget: &mut Budget) {
        for file in [&mut self.stat, &mut self.io, &mut self.status] {
            budget.close(file);
        }
    }

    /// Reads and parses stat; `None` if the process is gone.
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

    /// Reads and parses io; `None` if the process is gone or may not be read.
    pub(crate) fn io<'b>(
        &mut self,
        files: &mut Files<'_>,
        buffer: &'b mut Buffer,
        budget: &mut Budget,
    ) -> Result<Option<&'b str>, Error> {
        keep(&mut self.io, "io", files, budget)?;
        files.read("io", self.io.as_ref(), buffer)
    }

    /// Fills `row` from its files. After an error the row has what was read before it.
    ///
    /// If a process has one thread, has not run since its last row and has the same resident pages, io and status are not read again: without
    /// running it does no IO and gets no memory, and memory taken from it would change its resident pages.
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
            Some(i64::from(u32::from(line.state))),
            Some(line.parent.into()),
            Some(stored(line.minflt)),
            Some(stored(line.majflt)),
            Some(stored(line.utime)),
            Some(stored(line.stime)),
            Some(stored(line.num_threads)),
            Some(stored(line.vsize)),
            Some(stored(line.rss)),
            line.delayacct_blkio_ticks.map(stored),
            Some(line.nice),
            line.policy.map(stored),
        ];
        for (column, value) in columns.iter().zip(values) {
            if let Some(value) = value {
                row.set_stored(*column, value);
            }
        }
        if let Some(runs) = runs {
            let column = meaning.run_delay.get_or_insert_with(|| pass.schema.column(Table::Process, "run_delay"));
            row.set(*column, runs.wait_ns);
        }
        let now = Some((line.num_threads, line.rss));
        let same = rests && line.num_threads == 1 && now == self.threads_and_rss;
        let changed = self.program.update(&line);
        let mut read = self.name(changed, files, pass);
        if changed || self.rows.is_multiple_of(GROUP_EVERY) {
            read = read.and(self.find_group(files, pass));
        }
        self.rows = self.rows.wrapping_add(1);
        if let Some(group) = self.group {
            row.set(meaning.group(pass.schema), group);
        }
        if !same {
            let mut more = std::mem::take(&mut self.more);
            more.clear();
            read = read.and(self.read_more(files, pass, &mut more, meaning));
            self.more = more;
            // What could not be read is read again next time.
            self.threads_and_rss = now.filter(|_| read.is_ok());
        }
        row.overlay(&self.more);
        read
    }

    /// Sets its entity, and another one when it runs another program.
    fn name(&mut self, changed: bool, files: &mut Files<'_>, pass: &mut Pass<'_>) -> Result<(), Error> {
        // A kworker's name says what it does at the moment.
        let fixed = self.kernel_thread || self.names == MOST_NAMES;
        if self.entity.is_some() && (fixed || !(changed || self.program.unread)) {
            return Ok(());
        }
        let (label, command_line) = self.label(files, pass)?;
        self.entity = Some(match self.entity {
            None => task_entity(pass.schema, self.pid, self.starttime, &label, command_line),
            Some(entity) => {
                let first = format!("{}@{}", self.pid, self.starttime);
                let called = Entity { command_line, ..Entity::new("", label) };
                let named = program_entity(pass.schema, entity, &first, &self.program.comm, called);
                self.names += u8::from(named != entity);
                named
            }
        });
        Ok(())
    }

    /// Its label: the name of the program, or of an interpreter the script; and its command line, if those are recorded.
    fn label(&mut self, files: &mut Files<'_>, pass: &mut Pass<'_>) -> Result<(String, Option<String>), Error> {
        let Program { comm, state, unread, .. } = &mut self.program;
        *unread = false;
        if self.kernel_thread || !(is_interpreter(comm) || pass.command_lines) {
            return Ok((comm.clone(), None));
        }
        // Reading the command line means reading the process's memory, which may block while the process is in state D.
        if *state == Some('D') {
            *unread = true;
            return Ok((comm.clone(), None));
        }
        let text = files.read("cmdline", None, pass.buffer)?.unwrap_or_default();
        let script = script(comm, text).filter(|_| is_interpreter(comm));
        let label = script.map_or_else(|| comm.clone(), |script| format!("{comm} {script}"));
        Ok((label, words(text).filter(|_| pass.command_lines)))
    }

    /// The id of its control group.
    pub(crate) fn group(&mut self, files: &mut Files<'_>, pass: &mut Pass<'_>) -> Result<Option<u64>, Error> {
        if self.group.is_none() {
            self.find_group(files, pass)?;
        }
        Ok(self.group)
    }

    /// The same, as of the last lookup.
    pub(crate) fn known_group(&self) -> Option<u64> {
        self.group
    }

    fn find_group(&mut self, files: &mut Files<'_>, pass: &mut Pass<'_>) -> Result<(), Error> {
        self.group = pass.groups.of(files, pass.buffer)?.or(self.group);
        Ok(())
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
        let TaskColumns { io, status, user, .. } = meaning;
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
                if let Some(uid) = status_user(line) {
                    row.set(*user.get_or_insert_with(|| pass.schema.column(Table::Process, "uid")), uid);
                    continue;
                }
                let Some((name, value)) = status_amount(line) else { continue };
                // status has some fifteen amounts. Those in the metric table are recorded.
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

/// Opens a file to stay open, if the budget allows it.
fn keep(kept: &mut Option<OwnedFd>, name: &str, files: &mut Files<'_>, budget: &mut Budget) -> Result<(), Error> {
    if kept.is_none()
        && let Some(file) = files.open(name)?
        && budget.take()
    {
        *kept = Some(file);
    }
    Ok(())
}

/// The entity of a process or a thread. Its name is its id and its start time: the kernel reuses ids.
pub(crate) fn task_entity(
    schema: &mut Schema,
    id: u32,
    starttime: u64,
    comm: &str,
    command_line: Option<String>,
) -> EntityId {
    let name = format!("{id}@{starttime}");
    schema
        .find_entity(Table::Process, &name)
        .unwrap_or_else(|| schema.push_entity(Table::Process, Entity { command_line, ..Entity::new(name, comm) }))
}

/// The entity of a process that runs another program than before: the same one if the label stays the same, else `ID@START/NAME`, because the
/// earlier counters belong to the other program.
fn program_entity(schema: &mut Schema, known: EntityId, first: &str, comm: &str, called: Entity) -> EntityId {
    let is_called = |schema: &Schema, entity: EntityId| {
        schema.entities(Table::Process).get(entity.0 as usize).is_some_and(|known| known.label == called.label)
    };
    if is_called(schema, known) {
        return known;
    }
    // For two scripts of one interpreter, run one after the other.
    for nth in 1..=MOST_NAMES {
        let name = if nth == 1 { format!("{first}/{comm}") } else { format!("{first}/{comm}/{nth}") };
        match schema.find_entity(Table::Process, &name) {
            None => return schema.push_entity(Table::Process, Entity { name, ..called }),
            Some(entity) if is_called(schema, entity) => return entity,
            Some(_) => {}
        }
    }
    known
}

/// The program that a process runs, as far as its stat shows.
#[derive(Debug, Default)]
struct Program {
    comm: String,
    /// Whether it is a fork that still has its parent's name.
    fork: bool,
    start_stack: Option<u64>,
    state: Option<char>,
    /// Its command line could not be read yet.
    unread: bool,
}

impl Program {
    /// Updates from stat. Returns whether it runs another program than before. A process that renames itself does not, except an interpreter,
    /// whose new name says what it runs.
    fn update(&mut self, line: &ProcessStat<'_>) -> bool {
        let fork = std::mem::replace(&mut self.fork, line.is_fork());
        let stack = std::mem::replace(&mut self.start_stack, line.start_stack);
        self.state = Some(line.state);
        let mut named = false;
        if self.comm != line.comm {
            named = is_interpreter(&self.comm) && !is_interpreter(line.comm);
            self.comm.clear();
            self.comm.push_str(line.comm);
        }
        named || (fork && !self.fork) || (stack != self.start_stack && stack.is_some())
    }
}

/// The lines of a file; `None` if it is empty, as while a process exits.
pub(crate) fn whole_lines<'a>(
    file: &'static str,
    text: &'a str,
) -> Result<impl Iterator<Item = (usize, &'a str)> + use<'a>, Error> {
    let lines = if text.is_empty() { None } else { Some(lines(file, text)?) };
    Ok(lines.into_iter().flatten())
}

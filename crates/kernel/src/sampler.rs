//! The sampler: reads everything that is recorded, from files that stay open.

mod cgroup;
mod delays;
mod disk;
mod exits;
mod group;
mod group_delays;
mod group_disk;
mod group_of;
mod host;
mod kernel_file;
mod keyed;
mod listing;
mod md;
mod pass;
mod position_cache;
mod process;
mod row;
mod runs;
mod stat;
mod survey;
mod task;
mod task_files;
mod tree;
mod zone;

use crate::error::Error;
use crate::root::Root;
use pagetide_core::{Kind, Sample, Schema, Table};
pub use process::Processes;
pub use runs::{TaskRun, TaskRuns};
use rustix::time::{ClockId, clock_gettime};
use std::path::{Path, PathBuf};
pub use survey::Top;

/// What to sample beside the host, its zones and its disks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watch {
    /// Full paths of control groups: v1 memory groups or v2 groups. A last part of `**` means the group before it and all
    /// groups below, as in `/sys/fs/cgroup/**`.
    pub cgroups: Vec<PathBuf>,
    /// Processes to sample.
    pub processes: Processes,
    /// Whether to record their command lines, which may contain passwords.
    pub command_lines: bool,
}

impl Watch {
    /// What a flight recorder samples: all control groups with memory accounting, and the processes that matter most.
    ///
    /// # Errors
    /// When the mounts of the machine under `root` cannot be read.
    pub fn flight_recorder(root: &Root) -> Result<Self, Error> {
        Ok(Self { cgroups: crate::cgroup::trees(root)?, processes: Processes::Top(Top::default()), ..Self::default() })
    }
}

/// Reads everything that is recorded into a [`Sample`].
///
/// Files stay open and are read into one buffer. Once every line has been seen, a sample allocates nothing. Use one [`Schema`] for the life of
/// a sampler, which keeps the numbers of its columns and entities.
#[derive(Debug)]
pub struct Sampler {
    root: Root,
    watch: Watch,
    buffer: kernel_file::Buffer,
    budget: kernel_file::Budget,
    host: host::HostFiles,
    zones: zone::Zones,
    disks: disk::Disks,
    cgroups: cgroup::Cgroups,
    group_finder: group_of::GroupFinder,
    group_delays: group_delays::GroupDelays,
    skipped_groups: u64,
    processes: process::Watchers,
    survey: Option<survey::Survey>,
    /// Only if all processes are looked at.
    exits: Option<exits::Exits>,
    task_runs: Option<Box<dyn TaskRuns>>,
    tasks: Vec<TaskRun>,
}

impl Sampler {
    /// Opens the files. A file that this kernel does not have is left out.
    pub fn new(root: &Root, watch: Watch) -> Result<Self, Error> {
        let survey = match &watch.processes {
            Processes::Top(top) => Some(survey::Survey::open(root, top.clone())?),
            _ => None,
        };
        let exits = match &watch.processes {
            Processes::Top(_) | Processes::All => exits::Exits::open(root),
            _ => None,
        };
        let mut sampler = Self {
            root: root.clone(),
            watch: watch.clone(),
            buffer: kernel_file::Buffer::new(),
            budget: kernel_file::Budget::of_this_process(),
            host: host::HostFiles::open(root)?,
            zones: zone::Zones::open(root)?,
            disks: disk::Disks::open(root)?,
            cgroups: cgroup::Cgroups::new(root),
            group_finder: group_of::GroupFinder::open(root),
            group_delays: group_delays::GroupDelays::default(),
            skipped_groups: 0,
            processes: process::Watchers::open(root, watch.processes)?,
            survey,
            exits,
            task_runs: None,
            tasks: Vec::new(),
        };
        for path in &watch.cgroups {
            sampler.watch_cgroup(path);
        }
        Ok(sampler)
    }

    /// Starts again, as if newly created, with another, empty schema.
    ///
    /// # Errors
    /// As [`Self::new`]. The sampler is unchanged then.
    pub fn renew(&mut self) -> Result<(), Error> {
        let mut new = Self::new(&self.root, self.watch.clone())?;
        new.task_runs = self.task_runs.take();
        new.exits = self.exits.take().map(exits::Exits::renew);
        *self = new;
        Ok(())
    }

    /// Also samples this control group (or tree of groups, see [`Watch::cgroups`]) from now on. The full path of its directory is its name in the
    /// samples. It need not exist yet.
    pub fn watch_cgroup(&mut self, path: &Path) {
        self.cgroups.watch(&self.root, path);
    }

    /// Control groups without a row in the last sample, because the limit of rows was reached.
    pub fn skipped_groups(&self) -> u64 {
        self.skipped_groups
    }

    /// Gets the run times of all tasks from this source, and reads `/proc` only for tasks that ran.
    pub fn set_task_runs(&mut self, source: Box<dyn TaskRuns>) {
        self.task_runs = Some(source);
    }

    /// Also samples this process and its descendants from now on.
    pub fn watch_pid(&mut self, pid: u32) {
        self.processes.watch(pid);
    }

    /// Replaces the rows of `sample`; the stamp is the caller's. What cannot be read is missing from the sample, and the first error is returned
    /// after everything else has been read, so the sample is valid even then. What no longer exists (a disk, a group, a process) has no row.
    pub fn sample(&mut self, schema: &mut Schema, sample: &mut Sample) -> Result<(), Error> {
        let Self { buffer, budget, host, zones, disks, cgroups, processes, survey, .. } = self;
        let (groups, delays) = (&mut self.group_finder, &mut self.group_delays);
        sample.clear();
        self.tasks.clear();
        if let Some(source) = &mut self.task_runs {
            source.read(&mut self.tasks);
        }
        let (tasks, command_lines) = (&self.tasks, self.watch.command_lines);
        let pass = &mut pass::Pass { buffer, budget, groups, tasks, command_lines, schema, sample };
        let mut result = host.read(pass);
        result = result.and(zones.sample(pass));
        result = result.and(disks.sample(pass));
        let began = thread_cpu_ns();
        result = result.and(cgroups.open(pass));
        result = result.and(processes.sample(pass));
        let surveyed = survey.as_mut().map(|survey| survey.sample(|pid| processes.has(pid), pass, delays));
        let exited = self.exits.as_mut().map(|exits| match survey {
            Some(survey) => exits.sample(survey.processes(), pass),
            None => exits.sample(processes.processes(), pass),
        });
        // After the survey, which sums the delays of each group's processes.
        let (groups, read) = cgroups.sample(pass, delays);
        result = result.and(read);
        if let Some(counts) = groups {
            self.skipped_groups = counts.skipped;
            host.set(pass.schema, "scan_groups", counts.groups);
            host.set(pass.schema, "scan_groups_skipped", counts.skipped);
        }
        if let Some((counts, read)) = exited {
            result = result.and(read);
            host.set(pass.schema, "scan_exits", counts.unseen);
            host.set(pass.schema, "scan_exits_dropped", counts.dropped);
        }
        if let Some((counts, read)) = surveyed {
            result = result.and(read);
            host.set(pass.schema, "scan_tasks", counts.tasks);
            host.set(pass.schema, "scan_tasks_skipped", counts.tasks_skipped);
            host.set(pass.schema, "scan_tasks_blocked", counts.blocked);
            host.set(pass.schema, "scan_rows", counts.rows);
            host.set(pass.schema, "scan_rows_skipped", counts.rows_skipped);
            host.set(pass.schema, "scan_ns", thread_cpu_ns().saturating_sub(began));
        }
        host.put(pass.schema, pass.sample);
        result
    }

    /// How many columns the schema has that the metric table does not know: new lines of a newer kernel.
    pub fn unknown_fields(schema: &Schema) -> u64 {
        let unknown = |table| schema.columns(table).iter().filter(|column| column.kind == Kind::Unknown).count() as u64;
        Table::ALL.into_iter().map(unknown).sum()
    }
}

/// CPU time that this thread has used, in ns.
fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(time.tv_sec).saturating_mul(1_000_000_000).saturating_add(part(time.tv_nsec))
}

//! A process in a survey, as it was at the last look.

use super::waits::Waits;
use crate::error::Error;
use crate::sampler::delays::DelaySource;
use crate::sampler::group_delays::GroupDelays;
use crate::sampler::kernel_file::Budget;
use crate::sampler::pass::Pass;
use crate::sampler::row::Row;
use crate::sampler::task::{SampledTask, TaskColumns, whole_lines};
use crate::sampler::task_files::Files;
use crate::taskstats::Delays;
use pagetide_core::{ColumnId, Sample, Schema};
use pagetide_proctext::keyed::with_colon;
use pagetide_proctext::process::ProcessStat;

/// More threads than any system has (`PID_MAX_LIMIT`, include/linux/threads.h).
const PID_MAX_LIMIT: u64 = 4 << 20;

/// Samples between two full looks at a process that does not run.
const FRESH: u64 = 8;

#[derive(Debug)]
pub(super) struct SurveyedProcess {
    pub(super) pid: u32,
    /// Its files; absent before it is looked at.
    process: Option<SampledTask>,
    /// It started during the survey, so its counters have risen from 0.
    newborn: bool,
    /// The sample of the last look; 0 before the first.
    looked: u64,
    looked_now: bool,
    /// The last sample in which it has a row.
    until: u64,
    wanted: bool,
    flusher: bool,
    /// Whether it was in uninterruptible sleep at the last look.
    sleeps: bool,
    blocked: Option<Option<ColumnId>>,
    pub(super) threads: u64,
    pub(super) rss: u64,
    majflt: Rise,
    io: Rise,
    cpu: Rise,
    delay: Rise,
    /// Its delays so far, where the kernel accounts them.
    delays: Option<Delays>,
}

/// What a look needs besides the files of the process.
pub(super) struct Reasons<'a> {
    pub(super) waits: &'a mut Waits,
    pub(super) delays: &'a mut DelaySource,
    /// Sums by control group.
    pub(super) sums: &'a mut GroupDelays,
}

/// A counter and its rise between the last two looks.
#[derive(Debug, Default, Clone, Copy)]
struct Rise {
    last: u64,
    rise: u64,
    /// Samples between these looks.
    samples: u64,
}

impl Rise {
    fn add(&mut self, now: u64, before: Option<u64>, samples: u64) {
        self.rise = before.map_or(0, |before| now.saturating_sub(before));
        self.last = now;
        self.samples = samples.max(1);
    }

    fn pace(self) -> u64 {
        self.rise.div_ceil(self.samples.max(1))
    }
}

/// Whether this is a thread that writes dirty pages back: a kworker during and after writeback (`fs/fs-writeback.c:wb_workfn` sets its
/// description), or the flusher threads before Linux 3.10 and pdflush before 2.6.32.
fn is_flusher(line: &ProcessStat<'_>) -> bool {
    let name = line.comm;
    line.is_kernel_thread()
        && (name.starts_with("kworker/") && name.contains("flush-")
            || name.starts_with("flush-")
            || name.starts_with("pdflush"))
}

impl SurveyedProcess {
    pub(super) fn new(pid: u32, newborn: bool) -> Self {
        Self {
            pid,
            process: None,
            newborn,
            looked: 0,
            looked_now: false,
            until: 0,
            wanted: false,
            flusher: false,
            sleeps: false,
            blocked: None,
            threads: 1,
            rss: 0,
            majflt: Rise::default(),
            io: Rise::default(),
            cpu: Rise::default(),
            delay: Rise::default(),
            delays: None,
        }
    }

    pub(super) fn close(&mut self, budget: &mut Budget) {
        if let Some(process) = &mut self.process {
            process.close(budget);
        }
    }

    /// Forgets what belongs to the sample before.
    pub(super) fn forget(&mut self) {
        self.looked_now = false;
        self.wanted = false;
        self.blocked = None;
    }

    /// Looks at it. If its id now belongs to another process, looks at that one.
    pub(super) fn look(
        &mut self,
        files: &mut Files<'_>,
        round: u64,
        pass: &mut Pass<'_>,
        reasons: &mut Reasons<'_>,
    ) -> Result<(), Error> {
        if self.glance(files, round, pass, reasons)? == Glance::Other {
            self.close(pass.budget);
            *self = Self::new(self.pid, true);
            self.glance(files, round, pass, reasons)?;
        }
        if self.looked_now && self.blocked.is_some() {
            self.blocked = Some(reasons.waits.column("wchan", files, pass)?);
        }
        Ok(())
    }

    fn glance(
        &mut self,
        files: &mut Files<'_>,
        round: u64,
        pass: &mut Pass<'_>,
        reasons: &mut Reasons<'_>,
    ) -> Result<Glance, Error> {
        let process = match &mut self.process {
            Some(process) => process,
            None => match SampledTask::open(files, pass)? {
                Some(process) => self.process.insert(process),
                None => return Ok(Glance::Gone),
            },
        };
        let samples = round - self.looked;
        let first = self.looked == 0;
        // Read this first, so that a task that runs during the look is seen next time. It does not cover other threads, nor memory that reclaim
        // takes from an idle process, so every few samples the look is a full one.
        let due = round.wrapping_add(u64::from(self.pid)).is_multiple_of(FRESH);
        if self.threads == 1 && process.rests(files, pass)? && !due && !first {
            self.majflt.add(self.majflt.last, Some(self.majflt.last), samples);
            self.io.add(self.io.last, Some(self.io.last), samples);
            self.cpu.add(self.cpu.last, Some(self.cpu.last), samples);
            self.delay.add(self.delay.last, Some(self.delay.last), samples);
            self.blocked = self.sleeps.then_some(None);
            self.looked = round;
            self.looked_now = true;
            if pass.budget.is_spent() {
                process.rest(pass.budget);
            }
            return Ok(Glance::Done);
        }
        let delays = reasons.delays.read(self.pid)?;
        let Some(line) = process.stat(files, pass.buffer)? else { return Ok(Glance::Other) };
        let before = |rise: &Rise| if first { self.newborn.then_some(0) } else { Some(rise.last) };
        self.majflt.add(line.majflt, before(&self.majflt), samples);
        self.cpu.add(line.utime.saturating_add(line.stime), before(&self.cpu), samples);
        self.rss = line.rss;
        self.threads = line.num_threads.min(PID_MAX_LIMIT);
        self.flusher = is_flusher(&line);
        self.sleeps = line.state == 'D';
        self.blocked = self.sleeps.then_some(None);
        // Of all kernel threads only those for writeback do much IO of their own.
        if !process.kernel_thread || self.flusher {
            let text = process.io(files, pass.buffer, pass.budget)?;
            if let Some(bytes) = text.map(io_bytes).transpose()? {
                self.io.add(bytes, before(&self.io), samples);
            }
        }
        if let Some(now) = delays {
            self.delay.add(now.sum(), before(&self.delay), samples);
            let earlier = self.delays.replace(now).or((first && self.newborn).then(Delays::none));
            if let (Some(earlier), Some(group)) = (earlier, process.group(files, pass)?) {
                reasons.sums.add(group, &earlier, &now);
            }
        }
        self.looked = round;
        self.looked_now = true;
        Ok(Glance::Done)
    }

    /// Its delays at the last look.
    pub(super) fn delays(&self) -> Option<&Delays> {
        self.delays.as_ref()
    }

    /// The id of its control group, if known.
    pub(super) fn group(&self) -> Option<u64> {
        self.process.as_ref()?.known_group()
    }

    /// Delays per sample between the last two looks, in ns.
    pub(super) fn delay_pace(&self) -> u64 {
        self.delay.pace()
    }

    pub(super) fn is_looked_at(&self) -> bool {
        self.looked_now
    }

    pub(super) fn is_blocked(&self) -> bool {
        self.looked_now && self.blocked.is_some()
    }

    pub(super) fn is_flusher(&self) -> bool {
        self.looked_now && self.flusher
    }

    /// Bytes read and written per sample between the last two looks.
    pub(super) fn io_pace(&self) -> u64 {
        self.io.pace()
    }

    /// Major faults per sample between the last two looks.
    pub(super) fn fault_pace(&self) -> u64 {
        self.majflt.pace()
    }

    /// Ticks of CPU time per sample between the last two looks.
    pub(super) fn cpu_pace(&self) -> u64 {
        self.cpu.pace()
    }

    /// Gives it rows up to this sample.
    pub(super) fn want(&mut self, until: u64) {
        self.until = until;
        self.wanted = true;
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.wanted
    }

    pub(super) fn is_shown(&self, round: u64) -> bool {
        self.until >= round
    }

    /// Fills its row, with the state and the place of waiting that the look found.
    pub(super) fn row(
        &mut self,
        files: &mut Files<'_>,
        pass: &mut Pass<'_>,
        row: &mut Row,
        meaning: &mut TaskColumns,
    ) -> Result<(), Error> {
        let Some(process) = &mut self.process else { return Ok(()) };
        process.sample(files, pass, row, meaning)?;
        if let Some(wait) = self.blocked {
            row.set(meaning.state(pass.schema), u64::from(u32::from('D')));
            if let Some(column) = wait {
                row.set(column, 1);
            }
        }
        Ok(())
    }

    /// Copies the row into the sample. Returns whether the process was there.
    pub(super) fn put(&self, row: &Row, schema: &Schema, sample: &mut Sample) -> bool {
        let Some(process) = self.process.as_ref().filter(|process| process.alive) else { return false };
        process.put(row, schema, sample);
        true
    }
}

/// What a look at a process found.
#[derive(Debug, PartialEq, Eq)]
enum Glance {
    Done,
    /// There is no such process.
    Gone,
    /// The process that was known has ended; the id may have gone to another one.
    Other,
}

/// Bytes that a process caused to be read from and written to devices.
fn io_bytes(text: &str) -> Result<u64, Error> {
    let mut sum = 0u64;
    for (at, line) in whole_lines("/proc/PID/io", text)? {
        let (name, value) = with_colon(line).map_err(|problem| Error::line("/proc/PID/io", at, problem))?;
        if matches!(name, "read_bytes" | "write_bytes") {
            sum = sum.saturating_add(value);
        }
    }
    Ok(sum)
}

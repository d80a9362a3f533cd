//! The processes that matter most: a bounded look at all of them, and rows for those at the top.

mod best;
mod blocked;
mod counts;
mod surveyed;
mod waits;

use super::delays::DelaySource;
use super::group_delays::GroupDelays;
use super::kernel_file::Budget;
use super::listing::{Listing, open_proc};
use super::pass::Pass;
use super::row::Row;
use super::task::TaskColumns;
use super::task_files::Files;
use crate::error::Error;
use crate::root::Root;
use best::Best;
use blocked::Threads;
pub(crate) use counts::Counts;
use std::os::fd::OwnedFd;
use surveyed::{Reasons, SurveyedProcess};
use waits::Waits;

/// Samples for which a process keeps its row after it was last at the top: counters count as differences between consecutive rows.
const LINGER: u64 = 10;

/// Processes to reserve room for at the start.
const ROOM: usize = 4096;

/// How far a survey of all processes goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Top {
    /// Processes that get rows for each reason: resident memory, IO, major faults, CPU time, delays.
    pub each: usize,
    /// Processes looked at in one sample, besides those that have rows. If there are more, they take turns.
    pub processes: usize,
    /// Threads looked at in one sample, besides each process's first; they take turns too.
    pub threads: usize,
    /// Rows of processes in one sample, and rows of threads.
    pub rows: usize,
}

impl Default for Top {
    fn default() -> Self {
        Self { each: 10, processes: 1024, threads: 256, rows: 128 }
    }
}

#[derive(Debug)]
pub(crate) struct Survey {
    proc: OwnedFd,
    top: Top,
    listing: Listing,
    /// Every process of the last listing, in ascending order of its id.
    known: Vec<SurveyedProcess>,
    /// Samples taken so far.
    round: u64,
    /// The process that was looked at last in turn.
    cursor: u32,
    best: [Best; 5],
    threads: Threads,
    waits: Waits,
    path: String,
    row: Row,
    meaning: TaskColumns,
    delays: DelaySource,
}

impl Survey {
    pub(crate) fn open(root: &Root, top: Top) -> Result<Self, Error> {
        Ok(Self {
            proc: open_proc(root)?,
            listing: Listing::new(),
            known: Vec::with_capacity(ROOM),
            round: 0,
            cursor: 0,
            best: [(); 5].map(|()| Best::new(top.each)),
            threads: Threads::new(top.threads, top.rows),
            waits: Waits::default(),
            path: String::with_capacity(64),
            row: Row::default(),
            meaning: TaskColumns::default(),
            delays: DelaySource::open(root),
            top,
        })
    }

    /// Looks at the processes and puts rows for those that matter and are not `taken`, that is, sampled elsewhere. `sums` gets the delays of each
    /// control group's processes.
    pub(crate) fn sample(
        &mut self,
        taken: impl Fn(u32) -> bool,
        pass: &mut Pass<'_>,
        sums: &mut GroupDelays,
    ) -> (Counts, Result<(), Error>) {
        self.round += 1;
        let mut counts = Counts::default();
        let listed = self.list(pass.budget);
        let looked = self.look(pass, &mut counts, sums);
        let Self { proc, known, threads, waits, path, .. } = self;
        let threaded = threads.look(proc, path, known, pass, waits, &mut counts);
        self.choose();
        let shown = self.show(taken, pass, &mut counts);
        let Self { known, threads, row, meaning, .. } = self;
        let group = |process: u32| {
            let at = known.binary_search_by_key(&process, |known| known.pid).ok()?;
            known[at].group()
        };
        threads.show(group, pass, row, meaning, &mut counts);
        (counts, listed.and(looked).and(threaded).and(shown))
    }

    /// The processes of the last listing.
    pub(crate) fn processes(&self) -> impl Iterator<Item = u32> {
        self.known.iter().map(|known| known.pid)
    }

    /// Updates the list of processes. New ones are only listed, and looked at in their turn.
    fn list(&mut self, budget: &mut Budget) -> Result<(), Error> {
        let Self { proc, listing, known, round, .. } = self;
        let pids = listing.numbers(proc)?;
        known.retain_mut(|known| {
            let there = pids.binary_search(&known.pid).is_ok();
            if !there {
                known.close(budget);
            }
            there
        });
        let old = known.len();
        for pid in pids {
            if known[..old].binary_search_by_key(pid, |known| known.pid).is_err() {
                known.push(SurveyedProcess::new(*pid, *round > 1));
            }
        }
        if known.len() > old {
            known.sort_unstable_by_key(|known| known.pid);
        }
        Ok(())
    }

    /// Looks at the processes that have rows, and at as many others as the limit allows.
    fn look(&mut self, pass: &mut Pass<'_>, counts: &mut Counts, sums: &mut GroupDelays) -> Result<(), Error> {
        let Self { proc, top, known, round, cursor, waits, path, delays, .. } = self;
        let mut result = Ok(());
        let mut left = top.processes;
        let count = known.len();
        let start = known.partition_point(|known| known.pid <= *cursor);
        for step in 0..count {
            let known = &mut known[(start + step) % count];
            known.forget();
            if !known.is_shown(*round) {
                if left == 0 {
                    counts.tasks_skipped += 1;
                    continue;
                }
                left -= 1;
                *cursor = known.pid;
            }
            counts.tasks += 1;
            let mut files = Files { proc, path, pid: known.pid };
            result = result.and(known.look(&mut files, *round, pass, &mut Reasons { waits, delays, sums }));
            counts.blocked += u64::from(known.is_blocked());
        }
        result
    }

    /// Decides who has a row in this sample and for some samples after it.
    fn choose(&mut self) {
        let Self { best: [rss, io, faults, cpu, delay], known, threads, round, .. } = self;
        for best in [&mut *rss, &mut *io, &mut *faults, &mut *cpu, &mut *delay] {
            best.clear();
        }
        for (at, known) in known.iter().enumerate().filter(|(_, known)| known.is_looked_at()) {
            rss.offer(known.rss, at);
            io.offer(known.io_pace(), at);
            faults.offer(known.fault_pace(), at);
            cpu.offer(known.cpu_pace(), at);
            delay.offer(known.delay_pace(), at);
        }
        for at in rss.places().chain(io.places()).chain(faults.places()).chain(cpu.places()).chain(delay.places()) {
            known[at].want(*round + LINGER);
        }
        for known in known.iter_mut() {
            let has_blocked_thread = threads.are_blocked_in(known.pid);
            if known.is_flusher() || known.is_blocked() || has_blocked_thread {
                known.want(*round + LINGER);
            }
        }
    }

    /// Puts the rows, first of processes that matter now, then of those that mattered lately.
    fn show(&mut self, taken: impl Fn(u32) -> bool, pass: &mut Pass<'_>, counts: &mut Counts) -> Result<(), Error> {
        let Self { proc, top, known, round, path, row, meaning, delays, .. } = self;
        let mut result = Ok(());
        let mut rows = 0;
        for now in [true, false] {
            for known in known.iter_mut().filter(|known| known.is_shown(*round) && known.is_wanted() == now) {
                if taken(known.pid) {
                    continue;
                }
                if rows == top.rows {
                    counts.rows_skipped += 1;
                    continue;
                }
                row.clear();
                if let Some(delayed) = known.delays() {
                    delays.put(delayed, pass.schema, row);
                }
                let mut files = Files { proc, path, pid: known.pid };
                let read = known.row(&mut files, pass, row, meaning);
                if known.put(row, pass.schema, pass.sample) {
                    rows += 1;
                    counts.rows += 1;
                }
                result = result.and(read);
            }
        }
        result
    }
}

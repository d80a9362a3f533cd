//! One row per watched process: `/proc/PID/stat`, `io` and `status`.

use super::delays::DelaySource;
use super::listing::{Listing, open_proc, roomy};
use super::pass::Pass;
use super::row::Row;
use super::survey::Top;
use super::task::{SampledTask, TaskColumns};
use super::task_files::Files;
use crate::error::Error;
use crate::root::Root;
use pagetide_proctext::process::parse_process_stat;
use std::os::fd::OwnedFd;

/// Which processes to sample.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Processes {
    /// Only the kernel's own reclaim threads: every `kswapd`.
    #[default]
    KernelThreads,
    /// These processes, their descendants, and the kernel threads.
    Tree(Vec<u32>),
    /// What a flight recorder samples: the processes that matter most, the kernel's reclaim and writeback threads, and every task in
    /// uninterruptible sleep with the place where it waits. What this costs, and how much it leaves out, is in the host's row (`scan_…`).
    Top(Top),
    /// Every process.
    All,
}

#[derive(Debug)]
pub(crate) struct Watchers {
    proc: OwnedFd,
    listing: Listing,
    want: Processes,
    /// Processes whose children are looked for, besides those that are watched.
    asked: Vec<u32>,
    /// In ascending order of their ids.
    watched: Vec<SampledTask>,
    /// Processes that were looked at and are not watched, in ascending order.
    passed: Vec<u32>,
    /// Processes seen for the first time: id, parent, whether a kernel thread of interest.
    newcomers: Vec<(u32, u32, bool)>,
    path: String,
    row: Row,
    meaning: TaskColumns,
    delays: DelaySource,
}

impl Watchers {
    pub(crate) fn open(root: &Root, want: Processes) -> Result<Self, Error> {
        let asked = match &want {
            Processes::Tree(pids) => pids.clone(),
            Processes::KernelThreads | Processes::Top(_) | Processes::All => Vec::new(),
        };
        Ok(Self {
            proc: open_proc(root)?,
            listing: Listing::new(),
            want,
            asked,
            watched: Vec::new(),
            passed: roomy(),
            newcomers: Vec::new(),
            path: String::new(),
            row: Row::default(),
            meaning: TaskColumns::default(),
            delays: DelaySource::open(root),
        })
    }

    pub(crate) fn watch(&mut self, pid: u32) {
        if !self.asked.contains(&pid) {
            self.asked.push(pid);
        }
        // Its children may have been rejected before.
        self.passed.clear();
    }

    /// Whether this process has rows from here.
    pub(crate) fn has(&self, pid: u32) -> bool {
        self.watched.binary_search_by_key(&pid, |known| known.pid).is_ok()
    }

    /// The watched processes that had a row in the last sample.
    pub(crate) fn processes(&self) -> impl Iterator<Item = u32> {
        self.watched.iter().map(|known| known.pid)
    }

    pub(crate) fn sample(&mut self, pass: &mut Pass<'_>) -> Result<(), Error> {
        let mut result = self.find(pass);
        let Self { proc, watched, path, row, meaning, delays, .. } = self;
        for process in watched.iter_mut() {
            row.clear();
            let delayed = delays.read(process.pid);
            if let Ok(Some(delayed)) = &delayed {
                delays.put(delayed, pass.schema, row);
            }
            let mut files = Files { proc, path, pid: process.pid };
            let read = process.sample(&mut files, pass, row, meaning);
            process.put(row, pass.schema, pass.sample);
            result = result.and(delayed.map(drop)).and(read);
        }
        watched.retain_mut(|process| {
            if !process.alive {
                process.close(pass.budget);
            }
            process.alive
        });
        result
    }

    /// Finds processes to watch that are new since the last sample: descendants of watched ones, kswapd threads, or all. It looks at a process
    /// once; a child whose parent ends before that is not found.
    fn find(&mut self, pass: &mut Pass<'_>) -> Result<(), Error> {
        let Self { proc, listing, want, asked, watched, passed, newcomers, path, .. } = self;
        if matches!(want, Processes::KernelThreads | Processes::Top(_)) && asked.is_empty() && !passed.is_empty() {
            // kswapd threads neither come nor go while the host runs.
            return Ok(());
        }
        let pids = listing.numbers(proc)?;
        passed.retain(|pid| pids.binary_search(pid).is_ok());
        newcomers.clear();
        for pid in pids {
            if passed.binary_search(pid).is_ok() || watched.binary_search_by_key(pid, |known| known.pid).is_ok() {
                continue;
            }
            let mut files = Files { proc, path, pid: *pid };
            let Some(file) = files.open("stat")? else { continue };
            let Some(text) = files.fill(pass.buffer, &file)? else { continue };
            let line = parse_process_stat(text).map_err(|error| error.at(&files.place("stat")))?;
            let reclaims = line.is_kernel_thread() && line.comm.starts_with("kswapd");
            newcomers.push((*pid, line.parent, reclaims));
        }
        // A child may have a lower id than its parent, so repeat until no new one is found.
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
                    watched.extend(SampledTask::open(&mut files, pass)?);
                } else {
                    at += 1;
                }
            }
            if newcomers.len() == before {
                break;
            }
        }
        watched.sort_unstable_by_key(|known| known.pid);
        passed.extend(newcomers.iter().map(|(pid, ..)| *pid));
        passed.sort_unstable();
        Ok(())
    }
}

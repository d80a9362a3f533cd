//! Loads that the lab generates itself: each is a worker that reads, writes, maps or allocates.

mod transfer;
mod walk;
mod work;

use crate::confined::Usage;
use crate::group::Group;
use crate::undo::Identity;
use crate::worker::{Phase, SharedCounters, Worker};
use pagetide_core::{Bytes, Caching, Error, Figure, Figures, Goal, Load, Outcome, Place};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

/// How a load ended.
#[derive(Debug)]
pub struct Ended {
    /// Done, killed, timed out or refused.
    pub outcome: Outcome,
    /// Remarks, one sentence each.
    pub notes: Vec<String>,
    /// What it did and used.
    pub figures: Figures,
}

/// How far a load is.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    /// Bytes that it has read, written or touched.
    pub processed: Bytes,
    /// The fraction of its goal that is done, when it has one.
    pub fraction: Option<f64>,
    /// Its resident memory, by `/proc/PID/statm`.
    pub resident: Bytes,
}

/// A load that was started. Dropped before it ends, it is killed and waited for.
#[derive(Debug)]
pub struct Run {
    goal: Goal,
    worker: Worker,
    /// Resident memory of the process before it did anything.
    own: Bytes,
    resident: Bytes,
    /// Swap of the machine in use when its work was done.
    swapped: Option<Bytes>,
    /// Processes that the OOM killer had killed before it began.
    killed_before: Option<u64>,
    /// Files stay open as long as their process exists.
    _files: [Option<File>; 2],
}

fn open(place: &Place, path: &Path, write: bool, caching: Caching) -> Result<File, Error> {
    let mut flags = OFlags::CLOEXEC | if write { OFlags::WRONLY } else { OFlags::RDONLY };
    if write && matches!(place, Place::File { .. }) {
        flags |= OFlags::CREATE | OFlags::TRUNC;
    }
    if caching == Caching::Direct && place.stored() {
        flags |= OFlags::DIRECT;
    }
    rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).map(File::from).map_err(|error| {
        let why = if error == rustix::io::Errno::INVAL { " (direct IO may not be supported)" } else { "" };
        Error::system(format!("cannot open {}: {error}{why}", path.display()), "")
    })
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> Result<File, Error> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    File::open(folder).map_err(|error| Error::system(format!("cannot open {}: {error}", folder.display()), ""))
}

impl Run {
    /// Starts the worker of a load under a name, in a control group when there is one. It waits for [`Run::go`]. `path` finds a
    /// place of the load, and `seed` decides what it chooses at random.
    ///
    /// # Errors
    /// A file cannot be opened; no process can be started.
    pub fn start(
        name: &str,
        load: &Load,
        seed: u64,
        path: impl Fn(&Place) -> Result<std::path::PathBuf, Error>,
        group: Option<&Group>,
    ) -> Result<Self, Error> {
        let spec = load.spec();
        let caching = spec.caching();
        let from = match spec.folder_of() {
            Some(place) => Some(folder_of(&path(place)?)?),
            None => spec.reads().map(|(place, _)| open(place, &path(place)?, false, caching)).transpose()?,
        };
        let to = spec.writes().map(|(place, _)| open(place, &path(place)?, true, caching)).transpose()?;
        let descriptor = |file: &Option<File>| file.as_ref().map(AsRawFd::as_raw_fd);
        let inputs = work::Inputs { from: descriptor(&from), to: descriptor(&to), seed };
        let worker = Worker::start(name, &*work::of(load, inputs)?, group)?;
        let own = resident(worker.process().pid);
        Ok(Self {
            goal: spec.goal(),
            worker,
            own,
            resident: Bytes::ZERO,
            swapped: None,
            killed_before: oom_kills(),
            _files: [from, to],
        })
    }

    /// Its process.
    pub fn process(&self) -> Identity {
        self.worker.process()
    }

    /// Lets it begin.
    ///
    /// # Errors
    /// It has ended already.
    pub fn go(&mut self) -> Result<(), Error> {
        self.worker.go()
    }

    /// Tells it to end as soon as it can; it counts as done then.
    pub fn stop(&self) {
        self.counters().stop();
    }

    fn counters(&self) -> &SharedCounters {
        self.worker.counters()
    }

    /// How far it is.
    pub fn standing(&self) -> Standing {
        let processed = self.counters().processed();
        let fraction = match self.goal {
            Goal::Bytes(size) => Some((processed.as_f64() / size.as_f64()).min(1.0)),
            Goal::Iterations(count) => Some(self.counters().iterations() as f64 / count as f64),
            Goal::Open => None,
        };
        Standing { processed, fraction, resident: self.resident }
    }

    /// Returns how it ended, once it has. Call it many times a second, because it also reads the resident memory.
    ///
    /// # Errors
    /// The process cannot be waited for.
    pub fn poll(&mut self) -> Result<Option<Ended>, Error> {
        let now = resident(self.process().pid).saturating_sub(self.own);
        self.resident = self.resident.max(now);
        if self.counters().phase() == Phase::Done {
            // It has waited for this with all its memory.
            self.swapped = self.swapped.or_else(swap_in_use);
            self.worker.dismiss();
        }
        let Some((status, usage)) = self.worker.ended()? else { return Ok(None) };
        Ok(Some(self.result(status, usage)))
    }

    fn result(&self, status: std::process::ExitStatus, usage: Usage) -> Ended {
        use std::os::unix::process::ExitStatusExt;
        let counters = self.counters();
        let mut notes = Vec::new();
        let outcome = if let Some(signal) = status.signal() {
            let oom = oom_kills().zip(self.killed_before).is_some_and(|(now, before)| now > before);
            let by = if oom { "the OOM killer" } else { "a signal" };
            notes.push(format!("{by} ({signal}) killed it after it had processed {}", counters.processed()));
            Outcome::Killed
        } else if let Some(failure) = counters.failure() {
            notes.push(format!("it {failure}"));
            Outcome::Refused
        } else if counters.timed_out() && self.goal != Goal::Open {
            notes.push("it ran out of time before it was done".to_owned());
            Outcome::TimedOut
        } else {
            Outcome::Done
        };
        let mut figures = Figures::default();
        counters.figures(&mut figures);
        usage.figures(&mut figures);
        figures.set(Figure::MajorFaults, usage.major_faults as f64);
        figures.set(Figure::Resident, self.resident.as_f64());
        figures.set_some(Figure::SwapUsed, self.swapped.map(Bytes::as_f64));
        if outcome == Outcome::Done && !counters.stopped() {
            notes.extend(self.shortfall());
        }
        Ended { outcome, notes, figures }
    }

    /// By how much it missed its goal.
    fn shortfall(&self) -> Option<String> {
        match self.goal {
            // For memory, this counts the pages that were written: resident memory does not include what was swapped out.
            Goal::Bytes(size) => {
                let processed = self.counters().processed();
                (processed < size).then(|| format!("it did {processed} of {size}"))
            }
            Goal::Iterations(count) => {
                let done = self.counters().iterations();
                (done < count).then(|| format!("it did {done} of {count} iterations"))
            }
            Goal::Open => None,
        }
    }
}

/// Processes that the OOM killer has killed since boot (`oom_kill` of `/proc/vmstat`).
fn oom_kills() -> Option<u64> {
    pagetide_kernel::Root::host().vmstat().ok()?.get("oom_kill")
}

/// Swap that is in use on the whole machine.
fn swap_in_use() -> Option<Bytes> {
    let meminfo = pagetide_kernel::Root::host().meminfo().ok()?;
    Some(meminfo.get("SwapTotal")?.saturating_sub(meminfo.get("SwapFree")?))
}

/// Resident memory by the kernel's counters, which are cheap to read even while memory is short.
fn resident(pid: u32) -> Bytes {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages = text.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0);
    Bytes::new(pages.saturating_mul(rustix::param::page_size() as u64))
}

#[cfg(test)]
mod tests;

//! Loads that the lab makes itself: each is a process of its own that reads, writes, maps or grows, and says what it did.
//!
//! A load counts on a page that it shares with the lab, so that what it had done is known also when it is killed.

mod board;
mod child;
mod work;

use crate::confined::Usage;
use crate::group::Group;
use crate::undo::Identity;
use board::{Board, Phase};
use child::{Child, Plan};
use pagetide_core::{Bytes, Caching, Error, Figure, Figures, Load, Nanos, Outcome, Place};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

/// How a load ended.
#[derive(Debug)]
pub struct Ended {
    /// Done, killed, timed out or refused.
    pub outcome: Outcome,
    /// What is worth saying, one sentence each.
    pub notes: Vec<String>,
    /// What it did and used.
    pub figures: Figures,
}

/// How far a load is.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    /// Bytes that it has read, written or touched.
    pub processed: Bytes,
    /// Part of what it is to do, where that can be told.
    pub part: Option<f64>,
    /// Its resident memory, as `/proc/PID/statm` says.
    pub resident: Bytes,
}

/// A load that has been started. Dropped before it ends, it is killed and waited for.
#[derive(Debug)]
pub struct Run {
    load: Load,
    child: Child,
    /// Resident memory of the process before it did anything.
    own: Bytes,
    resident: Bytes,
    /// Swap of the machine that was in use when it had done everything.
    swapped: Option<Bytes>,
    /// Processes that the OOM killer had killed before it began.
    killed_before: Option<u64>,
    /// Files are open as long as their process is there.
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
        let why = if error == rustix::io::Errno::INVAL { " (it may not know direct IO)" } else { "" };
        Error::system(format!("cannot open {}: {error}{why}", path.display()), "")
    })
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> Result<File, Error> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    File::open(folder).map_err(|error| Error::system(format!("cannot open {}: {error}", folder.display()), ""))
}

impl Run {
    /// Starts the process of a load under a name, in a control group when there is one. It waits for [`Run::go`]. `path`
    /// gives where a place of the load is.
    ///
    /// # Errors
    /// A file cannot be opened; no process can be started.
    pub fn start(
        name: &str,
        load: &Load,
        path: impl Fn(&Place) -> Result<std::path::PathBuf, Error>,
        group: Option<&Group>,
    ) -> Result<Self, Error> {
        let caching = match load {
            Load::Stream(stream) => stream.cache,
            Load::Dd(dd) => dd.cache,
            Load::Copy(copy) => copy.cache,
            Load::MapAndWalk(_) | Load::Grow(_) | Load::Spin(_) | Load::Names(_) => Caching::Keep,
        };
        let from = match load {
            Load::Names(names) => Some(folder_of(&path(&names.beside)?)?),
            _ => load.reads().map(|(place, _)| open(place, &path(place)?, false, caching)).transpose()?,
        };
        let to = load.writes().map(|(place, _)| open(place, &path(place)?, true, caching)).transpose()?;
        let files = [from, to];
        let [from, to] = files.each_ref().map(|file| file.as_ref().map(AsRawFd::as_raw_fd));
        let plan = Plan::of(load, from, to)?;
        let child = Child::start(name, plan, group)?;
        let own = resident(child.identity().pid);
        let run = Self {
            load: load.clone(),
            child,
            own,
            resident: Bytes::ZERO,
            swapped: None,
            killed_before: oom_kills(),
            _files: files,
        };
        Ok(run)
    }

    /// Its process.
    pub fn process(&self) -> Identity {
        self.child.identity()
    }

    /// Lets it begin.
    ///
    /// # Errors
    /// It is gone already.
    pub fn go(&mut self) -> Result<(), Error> {
        self.child.go()
    }

    /// Asks it to end as soon as it can; it counts as done then.
    pub fn stop(&self) {
        self.board().stop();
    }

    fn board(&self) -> &Board {
        self.child.board()
    }

    /// How far it is.
    pub fn standing(&self) -> Standing {
        let processed = self.board().processed();
        let whole = match &self.load {
            Load::Stream(stream) => stream.size.as_f64(),
            Load::Dd(dd) => dd.size.as_f64(),
            Load::Copy(copy) => copy.size.as_f64(),
            Load::Grow(grow) => grow.size.as_f64(),
            Load::Spin(_) | Load::Names(_) => return Standing { processed, part: None, resident: self.resident },
            Load::MapAndWalk(walk) => {
                let part = self.board().iterations() as f64 / walk.iterations as f64;
                return Standing { processed, part: Some(part), resident: self.resident };
            }
        };
        Standing { processed, part: Some((processed.as_f64() / whole).min(1.0)), resident: self.resident }
    }

    /// Looks whether it has ended. To be called many times a second: resident memory is seen only then.
    ///
    /// # Errors
    /// The process is not ours to wait for any more.
    pub fn poll(&mut self) -> Result<Option<Ended>, Error> {
        let now = resident(self.process().pid).saturating_sub(self.own);
        self.resident = self.resident.max(now);
        if self.board().phase() == Phase::Done {
            // It waits for this, so that all that it holds could be seen.
            self.swapped = self.swapped.or_else(swap_in_use);
            self.child.dismiss();
        }
        let Some((status, usage)) = self.child.ended()? else { return Ok(None) };
        Ok(Some(self.judge(status, usage)))
    }

    fn judge(&self, status: std::process::ExitStatus, usage: Usage) -> Ended {
        use std::os::unix::process::ExitStatusExt;
        let board = self.board();
        let mut notes = Vec::new();
        let outcome = if let Some(signal) = status.signal() {
            let oom = oom_kills().zip(self.killed_before).is_some_and(|(now, before)| now > before);
            let by = if oom { "the OOM killer" } else { "a signal" };
            notes.push(format!("it was killed by {by} ({signal}) after {} had been processed", board.processed()));
            Outcome::Killed
        } else if let Some(error) = board.error() {
            notes.push(format!("it failed to {}: {error}", board.doing()));
            Outcome::Refused
        } else if board.timed_out() {
            notes.push("its time was over before it was done".to_owned());
            Outcome::TimedOut
        } else {
            Outcome::Done
        };
        let mut figures = Figures::default();
        board.figures(&mut figures);
        usage.figures(&mut figures);
        figures.set(Figure::MajorFaults, usage.major_faults as f64);
        figures.set(Figure::Resident, self.resident.as_f64());
        figures.set_some(Figure::SwapUsed, self.swapped.map(Bytes::as_f64));
        if outcome == Outcome::Done && !board.stopped() {
            self.verify(&mut notes);
        }
        Ended { outcome, notes, figures }
    }

    /// Says where less came about than was to be.
    fn verify(&self, notes: &mut Vec<String>) {
        let (wanted, did) = match &self.load {
            Load::Stream(stream) if stream.time.is_none() && !stream.random => (stream.size, self.board().processed()),
            Load::Dd(dd) => (dd.size, self.board().processed()),
            Load::Copy(copy) => (copy.size, self.board().processed()),
            // What is resident less what was swapped out can be anything; that every page was written is counted.
            Load::Grow(grow) => (grow.size, self.board().processed()),
            Load::MapAndWalk(walk) => (walk.data, self.board().filled()),
            Load::Stream(_) | Load::Spin(_) | Load::Names(_) => return,
        };
        if did < wanted {
            notes.push(format!("it did {did} of {wanted}"));
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

/// Resident memory by the kernel's counters, which cost nothing to read also while memory is short.
fn resident(pid: u32) -> Bytes {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages = text.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0);
    Bytes::new(pages.saturating_mul(rustix::param::page_size() as u64))
}

/// A length of time as the child counts it, 0 for none.
fn nanos(time: Option<Nanos>) -> u64 {
    time.map_or(0, |time| time.get().max(1))
}

#[cfg(test)]
mod tests;

//! Memory that is held: a worker allocates and fills it, and the kernel's count of its resident memory proves it.

mod work;

use crate::group::Group;
use crate::undo::Identity;
use crate::worker::{Phase, Worker};
use pagetide_core::{Bytes, Error, HoldKind, HoldSpec, Nanos};
use pagetide_kernel::Root;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

/// Time between two looks at the holder.
const POLL: Duration = Duration::from_millis(5);

/// Memory that a hold leaves available on a host, unless its options say otherwise.
pub const FLOOR: Bytes = Bytes::new(1 << 30);

/// How memory is to be held.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// Time between allocating and touching.
    pub after: Nanos,
    /// MemAvailable that must be left once all is touched.
    pub floor: Bytes,
    /// Goes below the floor anyway.
    pub allow_oom: bool,
    /// The control group that the memory is charged to.
    pub group: Option<&'a Group>,
    /// The folder of the file of [`HoldKind::File`]. The file has no name and ends with its holder.
    pub folder: &'a Path,
}

impl<'a> Options<'a> {
    /// Starts at once, in no group, and leaves [`FLOOR`]; files are in `folder`.
    pub fn new(folder: &'a Path) -> Self {
        Self { after: Nanos::ZERO, floor: FLOOR, allow_oom: false, group: None, folder }
    }
}

/// Observes how a hold is made.
pub trait HoldObserver {
    /// The holder has started and holds nothing yet. An error ends it.
    ///
    /// # Errors
    /// The hold must not continue.
    fn started(&mut self, holder: Identity) -> Result<(), Error> {
        let _ = holder;
        Ok(())
    }

    /// So much is touched; called many times a second. False ends it.
    fn touched(&mut self, touched: Bytes) -> bool {
        let _ = touched;
        true
    }
}

/// Observes nothing.
impl HoldObserver for () {}

/// Memory that is held until this is dropped. It is freed too when the thread that made it ends, so that nothing is left when
/// the lab is killed.
#[derive(Debug)]
pub struct Hold {
    worker: Worker,
    /// Resident memory of the holder before it touched anything.
    own: Bytes,
    touched: Bytes,
    took: Nanos,
}

impl Hold {
    /// Allocates memory, fills it, and returns when all of it is filled.
    ///
    /// # Errors
    /// It would leave less than the floor available; the system refuses the memory; the holder was killed
    /// ([`pagetide_core::ErrorKind::Killed`]); less is resident than was touched; the observer ended it.
    pub fn occupy(spec: &HoldSpec, options: &Options<'_>, observer: &mut dyn HoldObserver) -> Result<Self, Error> {
        let touch = spec.touched();
        check_room(touch, options)?;
        let file = (spec.kind == HoldKind::File).then(|| nameless(options.folder)).transpose()?;
        let too_much = |_| Error::input(format!("{} is more than this machine can address", spec.size), "");
        let work = work::HoldWork {
            size: usize::try_from(spec.size.get()).map_err(too_much)?,
            touch: usize::try_from(touch.get()).map_err(too_much)?,
            kind: spec.kind,
            after: options.after.get(),
            file: file.as_ref().map(AsRawFd::as_raw_fd),
        };
        let mut worker = Worker::start("pagetide-hold", &work, options.group)?;
        observer.started(worker.process())?;
        let own = rss(worker.process().pid).unwrap_or(Bytes::ZERO);
        worker.go()?;
        while worker.counters().phase() != Phase::Done {
            if worker.ended()?.is_some() {
                return Err(Error::killed("the holder was killed before it had touched all memory", "hold less"));
            }
            if !observer.touched(worker.counters().processed()) {
                return Err(Error::interrupted());
            }
            std::thread::sleep(POLL);
        }
        if let Some(failure) = worker.counters().failure() {
            return Err(Error::system(format!("the holder {failure}"), "hold less, or check ulimit -l and ulimit -v"));
        }
        let took = worker.counters().elapsed().unwrap_or_default();
        let hold = Self { worker, own, touched: touch, took };
        let resident = hold.resident();
        // Page tables are not counted, so more than a small difference means that memory was taken away.
        if resident.get() < touch.get() - touch.get() / 64 {
            return Err(Error::system(
                format!("{touch} were touched, but only {resident} of them are resident"),
                "the rest was swapped out or reclaimed: hold less, or use kind mlock",
            ));
        }
        Ok(hold)
    }

    /// How much of it is resident now (`Rss` of `/proc/PID/smaps_rollup`, less what the holder itself needs). 0 when the holder
    /// was killed.
    pub fn resident(&self) -> Bytes {
        rss(self.worker.process().pid).unwrap_or(Bytes::ZERO).saturating_sub(self.own)
    }

    /// How much was touched.
    pub fn touched(&self) -> Bytes {
        self.touched
    }

    /// How long it took to touch it.
    pub fn took(&self) -> Nanos {
        self.took
    }

    /// The process that holds it.
    pub fn holder(&self) -> Identity {
        self.worker.process()
    }

    /// Whether it is still held: the holder has not been killed.
    pub fn held(&self) -> bool {
        self.worker.process().alive()
    }
}

fn check_room(touch: Bytes, options: &Options<'_>) -> Result<(), Error> {
    let meminfo = Root::host().meminfo().map_err(|error| Error::system(error.to_string(), ""))?;
    let available = meminfo.available().or_else(|| meminfo.free()).unwrap_or(Bytes::ZERO);
    let room = available.saturating_sub(options.floor);
    if options.allow_oom || touch <= room {
        return Ok(());
    }
    Err(Error::system(
        format!("holding {touch} would leave less than {} of the {available} that are available", options.floor),
        format!("hold {room} at most, or give --allow-oom"),
    ))
}

fn nameless(folder: &Path) -> Result<File, Error> {
    use rustix::fs::{Mode, OFlags};
    rustix::fs::open(folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR)
        .map(File::from)
        .map_err(|error| Error::system(format!("cannot make a file in {}: {error}", folder.display()), ""))
}

/// Resident memory of a process, exact where the kernel offers it: the counters in `status` lag behind.
fn rss(pid: u32) -> Option<Bytes> {
    let field = |file: &str, name: &str| {
        let text = fs::read_to_string(format!("/proc/{pid}/{file}")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        Bytes::from_kib(line.trim().trim_end_matches("kB").trim().parse().ok()?)
    };
    field("smaps_rollup", "Rss:").or_else(|| field("status", "VmRSS:"))
}

#[cfg(test)]
mod tests;

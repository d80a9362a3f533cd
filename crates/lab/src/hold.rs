//! Memory that is held: allocated and touched by a process of its own, proven by what the kernel says is resident.

mod child;

use crate::group::Group;
use crate::undo::Identity;
use child::{Child, Report};
use pagetide_core::{Bytes, Error, HoldKind, HoldSpec, Nanos};
use pagetide_kernel::Root;
use std::fs::{self, File};
use std::path::Path;
use std::time::Instant;

/// What a host keeps available unless it is told otherwise.
pub const FLOOR: Bytes = Bytes::new(1 << 30);

/// What a [`Error`] says when the holder was killed while it took its memory, by the OOM killer as a rule.
pub const KILLED: &str = "the process that holds the memory was killed before it had touched all of it";

/// How memory is to be held.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// Time between allocating and touching.
    pub after: Nanos,
    /// MemAvailable that must be left once all is touched.
    pub floor: Bytes,
    /// Goes below the floor all the same.
    pub allow_oom: bool,
    /// The control group that the memory is charged to.
    pub group: Option<&'a Group>,
    /// Where the file of [`HoldKind::File`] lies. It has no name and is gone when its holder is.
    pub folder: &'a Path,
}

impl<'a> Options<'a> {
    /// At once, in no group, leaving [`FLOOR`]; files lie in `folder`.
    pub fn new(folder: &'a Path) -> Self {
        Self { after: Nanos::ZERO, floor: FLOOR, allow_oom: false, group: None, folder }
    }
}

/// Is told how a hold comes into being.
pub trait Witness {
    /// The holder was started and has taken nothing yet. An error ends it.
    ///
    /// # Errors
    /// When the hold must not go on.
    fn started(&mut self, holder: Identity) -> Result<(), Error> {
        let _ = holder;
        Ok(())
    }

    /// So much has been touched; called many times a second. False ends it.
    fn touched(&mut self, touched: Bytes) -> bool {
        let _ = touched;
        true
    }
}

/// Does not care.
impl Witness for () {}

/// Memory that is held as long as this lives, and as the thread that made it does (the holder dies with that thread, so that
/// nothing stays when the lab is killed). Dropped, it is free again at once.
#[derive(Debug)]
pub struct Hold {
    child: Child,
    /// Resident memory of the holder before it touched anything.
    own: Bytes,
    touched: Bytes,
    took: Nanos,
}

impl Hold {
    /// Allocates memory and touches it, and comes back when all that is to be touched has been. Every page gets content of its
    /// own, so that neither the compiler nor the kernel (zero page, KSM, compressed swap) can hold it in less.
    ///
    /// # Errors
    /// It would leave less than the floor available; the system refuses the memory; the holder was killed (out of memory);
    /// less became resident than was touched; the witness ended it.
    pub fn occupy(spec: &HoldSpec, options: &Options<'_>, witness: &mut dyn Witness) -> Result<Self, Error> {
        let touch = spec.touch.unwrap_or(spec.size).min(spec.size);
        check_room(touch, options)?;
        let file = (spec.kind == HoldKind::File).then(|| nameless(options.folder)).transpose()?;
        let mut child = Child::start(spec, touch, options, file)?;
        witness.started(child.identity())?;
        let own = rss(child.identity().pid).unwrap_or(Bytes::ZERO);
        child.go()?;
        let mut began = Instant::now();
        loop {
            match child.report()? {
                Report::Allocated => {}
                Report::Touching => began = Instant::now(),
                Report::Touched(touched) => {
                    if !witness.touched(touched) {
                        return Err(Error::interrupted());
                    }
                }
                Report::Idle => {
                    if !witness.touched(Bytes::ZERO) {
                        return Err(Error::interrupted());
                    }
                }
                Report::Done => break,
            }
        }
        let took = Nanos::new(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX));
        let hold = Self { child, own, touched: touch, took };
        let resident = hold.resident();
        // Page tables and the kernel's own count of pages are not what is missing here: less means that it was taken away.
        if resident.get() < touch.get() - touch.get() / 64 {
            return Err(Error::system(
                format!("{touch} were touched, but only {resident} of them are resident"),
                "the rest was swapped out or reclaimed at once: hold less, or use kind mlock",
            ));
        }
        Ok(hold)
    }

    /// How much of it is resident now, as the kernel says (`Rss` of `/proc/PID/smaps_rollup`, less what the holder itself needs).
    /// Nothing when the holder was killed.
    pub fn resident(&self) -> Bytes {
        rss(self.child.identity().pid).unwrap_or(Bytes::ZERO).saturating_sub(self.own)
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
        self.child.identity()
    }

    /// Whether it is still held: the holder has not been killed.
    pub fn held(&self) -> bool {
        self.child.identity().alive()
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

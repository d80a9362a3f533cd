//! A file on a real disk, or a block device, and requests to it past the page cache.

use super::measured::{LARGE, Measured, SMALL, Work};
use pagetide_core::{Bytes, Error, Nanos, Progress};
use pagetide_kernel::{Root, device};
use pagetide_sim::Rng;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What direct IO wants buffers and offsets to be a multiple of.
const ALIGNED: usize = 4096;
/// The smallest file that a disk's own cache does not hold.
const MIN_FILE: Bytes = Bytes::new(64 << 20);
/// Between two looks at whether the user wants to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Where requests go.
#[derive(Debug)]
pub(super) struct Target {
    file: File,
    size: Bytes,
    writable: bool,
    device_size: Bytes,
    read_ahead: Option<Bytes>,
}

/// A buffer for direct IO.
struct Buffer(Vec<u8>, usize);

impl Buffer {
    fn new() -> Self {
        let room = vec![0; length(LARGE) + ALIGNED];
        let start = room.as_ptr().align_offset(ALIGNED);
        Self(room, start)
    }

    fn part(&mut self, size: Bytes) -> &mut [u8] {
        let start = self.1;
        &mut self.0[start..start + length(size)]
    }
}

impl Target {
    /// A file of `size` in a folder, which loses its name at once, or a block device, which is only read.
    pub(super) fn open(place: &Path, size: Bytes) -> Result<Self, Error> {
        let hint = "name a folder on the disk, such as /var/tmp, or a block device";
        let refuse = |error: io::Error| Error::input(format!("{}: {error}", place.display()), hint);
        let meta = std::fs::metadata(place).map_err(refuse)?;
        let direct = |error: rustix::io::Errno| match error {
            rustix::io::Errno::INVAL | rustix::io::Errno::OPNOTSUPP => Error::input(
                format!("{}: its file system cannot bypass the page cache (O_DIRECT)", place.display()),
                "name a folder on ext4, XFS or Btrfs",
            ),
            error => refuse(error.into()),
        };
        if meta.file_type().is_block_device() {
            let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
            let file = File::from(rustix::fs::open(place, flags, Mode::empty()).map_err(direct)?);
            let whole = Bytes::new(rustix::fs::seek(&file, rustix::fs::SeekFrom::End(0)).map_err(direct)?);
            let read_ahead = read_ahead(meta.rdev());
            return Self { file, size: whole, writable: false, device_size: whole, read_ahead }.checked(place);
        }
        if !meta.is_dir() {
            return Err(Error::input(format!("{} is neither a folder nor a block device", place.display()), hint));
        }
        let room = rustix::fs::statvfs(place).map_err(direct)?;
        let free = Bytes::new(room.f_bavail.saturating_mul(room.f_frsize));
        let size = Bytes::new(size.get().min(free.get() / 2));
        let path = place.join(format!(".pagetide-calibrate-{}", std::process::id()));
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::DIRECT | OFlags::CLOEXEC;
        let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR);
        // What was there already is somebody else's.
        if matches!(file, Err(rustix::io::Errno::EXIST)) {
            return Err(refuse(rustix::io::Errno::EXIST.into()));
        }
        // Without O_DIRECT the kernel may have made the file before it refused.
        let removed = std::fs::remove_file(&path);
        let file = File::from(file.map_err(direct)?);
        removed.map_err(refuse)?;
        let device_size = Bytes::new(room.f_blocks.saturating_mul(room.f_frsize));
        Self { file, size, writable: true, device_size, read_ahead: read_ahead(meta.dev()) }.checked(place)
    }

    fn checked(mut self, place: &Path) -> Result<Self, Error> {
        self.size = Bytes::new(self.size.get() / LARGE.get() * LARGE.get());
        if self.size < MIN_FILE {
            return Err(Error::input(
                format!("{} has no room for a file of {MIN_FILE}", place.display()),
                "name a folder on a disk with more free space",
            ));
        }
        Ok(self)
    }

    pub(super) const fn is_writable(&self) -> bool {
        self.writable
    }

    pub(super) const fn size(&self) -> Bytes {
        self.size
    }

    pub(super) const fn device_size(&self) -> Bytes {
        self.device_size
    }

    pub(super) const fn read_ahead(&self) -> Option<Bytes> {
        self.read_ahead
    }

    /// Writes the file once, with bytes that do not compress: blocks that were never written are not read from the disk.
    pub(super) fn fill(&self, progress: &mut dyn Progress) -> Result<(), Error> {
        let began = Instant::now();
        let mut buffer = Buffer::new();
        let mut rng = Rng::new(u64::from(std::process::id()));
        let mut at = 0;
        while at < self.size.get() {
            if progress.interrupted() {
                return Err(Error::interrupted());
            }
            let part = buffer.part(LARGE);
            for eight in part.chunks_exact_mut(8) {
                eight.copy_from_slice(&rng.next_u64().to_ne_bytes());
            }
            self.file.write_all_at(part, at).map_err(failed)?;
            at += LARGE.get();
            let done = at as f64 / self.size.as_f64();
            let left = began.elapsed().mul_f64((1.0 - done) / done);
            progress.update(Some(done), Some(nanos(left)), "");
        }
        self.file.sync_all().map_err(failed)
    }

    /// Keeps `depth` requests in flight for a time.
    pub(super) fn measure(
        &self,
        work: Work,
        size: Bytes,
        depth: u32,
        time: Nanos,
        progress: &mut dyn Progress,
    ) -> Result<Measured, Error> {
        let (stop, time) = (AtomicBool::new(false), Duration::from_nanos(time.get()));
        let began = Instant::now();
        let (times, interrupted) = std::thread::scope(|scope| {
            let tasks: Vec<_> = (0..depth)
                .map(|task| {
                    let stop = &stop;
                    scope.spawn(move || self.request(work, size, u64::from(task), stop))
                })
                .collect();
            let mut interrupted = false;
            while began.elapsed() < time
                && !interrupted
                && !tasks.iter().any(std::thread::ScopedJoinHandle::is_finished)
            {
                interrupted = progress.interrupted();
                let left = time.saturating_sub(began.elapsed());
                let share = began.elapsed().as_secs_f64() / time.as_secs_f64();
                progress.update(Some(share.min(1.0)), Some(nanos(left)), "");
                std::thread::sleep(LOOK.min(left));
            }
            stop.store(true, Ordering::Relaxed);
            let ended: Vec<_> = tasks.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            (ended, interrupted)
        });
        let elapsed = began.elapsed();
        if interrupted {
            return Err(Error::interrupted());
        }
        let mut all = Vec::new();
        for task in times {
            let times = task.map_err(|_| Error::system("a thread that made requests panicked", ""))?;
            all.extend(times.map_err(failed)?);
        }
        all.sort_unstable();
        let at = |part: usize| Nanos::new(all.get((all.len().max(1) - 1) * part / 100).copied().unwrap_or_default());
        let per_second = all.len() as f64 / elapsed.as_secs_f64();
        Ok(Measured { work, size, depth, per_second, median: at(50), p99: at(99) })
    }

    /// One request after the other until it is told to stop; at least one. Gives the time of each.
    fn request(&self, work: Work, size: Bytes, task: u64, stop: &AtomicBool) -> io::Result<Vec<u64>> {
        let mut buffer = Buffer::new();
        let mut rng = Rng::new(task + 1);
        let part = buffer.part(size);
        for eight in part.chunks_exact_mut(8) {
            eight.copy_from_slice(&rng.next_u64().to_ne_bytes());
        }
        let mut times = Vec::new();
        loop {
            let offset = rng.below(self.size.get() / size.get()) * size.get();
            let writes = work.writes() && (work != Work::Mixed || rng.below(2) == 1);
            let mut began = Instant::now();
            if writes {
                self.file.write_all_at(part, offset)?;
            } else {
                self.file.read_exact_at(part, offset)?;
            }
            if work == Work::Flush {
                began = Instant::now();
                self.file.sync_data()?;
            }
            times.push(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX));
            if stop.load(Ordering::Relaxed) {
                return Ok(times);
            }
        }
    }
}

/// How far the disk with this device number reads ahead.
fn read_ahead(device: u64) -> Option<Bytes> {
    let number = (rustix::fs::major(device), rustix::fs::minor(device));
    let disk = device::below(&Root::host(), number).ok()?.into_iter().next()?;
    let text = std::fs::read_to_string(Path::new("/sys/block").join(disk).join("queue/read_ahead_kb")).ok()?;
    Some(Bytes::new(text.trim().parse::<u64>().ok()?.saturating_mul(1024)))
}

const _: () = assert!(length(SMALL).is_multiple_of(ALIGNED) && length(LARGE).is_multiple_of(ALIGNED));

/// Bytes of a request.
#[expect(clippy::cast_possible_truncation, reason = "1 MiB at most")]
const fn length(size: Bytes) -> usize {
    size.get() as usize
}

fn nanos(time: Duration) -> Nanos {
    Nanos::new(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

fn failed(error: io::Error) -> Error {
    Error::system(format!("the disk failed: {error}"), "see the kernel's log: dmesg")
}

//! Takes samples and writes them to a recording's folder.

use crate::files::{self, Files, Output, System};
use crate::layout::{self, Folder, MANIFEST, OPEN, SegmentName};
use crate::log::{self, Encoder, Start};
use crate::pyramid;
use crate::retention::Keep;
use crate::seal::Survey;
use crate::sealed::{self, SealedFile};
use crate::sealer::{Sealer, Work};
use crate::{FORMAT_VERSION, Reader, file_error};
use pagetide_core::{Error, Manifest, Mark, MarkKind, Sample, Schema, Sink, Stamp};
use pagetide_dir::{Dir, Lock};
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NS_PER_HOUR: i64 = 3_600_000_000_000;
const HOURS_PER_DAY: i64 = 24;
/// A segment ends with the hour only if it has this many samples; fewer are not worth separate files.
const SAMPLES_OF_AN_HOUR: u64 = 600;
/// A segment ends when its log has this size, which bounds what a reader of the open segment has to read.
const LARGEST_LOG: u64 = 64 << 20;

/// Writes a recording. Give it samples as a [`Sink`].
///
/// The writer stays usable after an error: a refused call can be repeated, and what was accepted is safe.
#[derive(Debug)]
pub struct Writer {
    folder: Folder,
    files: Arc<dyn Files>,
    keep: Keep,
    manifest: Manifest,
    open: Option<OpenLog>,
    sealer: Sealer,
    next_segment: u64,
    next_sample: u64,
    last_wall_ns: i64,
    /// Samples of logs that somebody removed, which [`Sink::take_lost`] has not told yet.
    removed: u64,
    /// What happened to the log or the folder, which the next log says first.
    note: Option<String>,
    /// Whether to start even on a full disk, and record once there is room.
    waits_for_room: bool,
    /// Whether the folder of logs and the manifest exist.
    ready: bool,
    /// Held as long as the writer lives, so that no other process writes to the folder.
    _lock: Option<Lock>,
}

/// The log that is being written.
#[derive(Debug)]
struct OpenLog {
    path: PathBuf,
    file: Box<dyn Output>,
    length: u64,
    encoder: Encoder,
    buffer: Vec<u8>,
    hour: i64,
    begin_boot_ns: i64,
    samples: u64,
}

impl Writer {
    /// Starts a recording in `folder`, which is created if it does not exist.
    ///
    /// # Errors
    ///
    /// The folder already holds a recording, another process writes to it, or it cannot be written.
    pub fn create(folder: &Path) -> Result<Self, Error> {
        Self::create_for(folder, None)
    }

    /// [`Writer::create`], readable by the members of a group.
    ///
    /// # Errors
    ///
    /// See [`Writer::create`]. The caller may not give files to that group.
    pub fn create_for(folder: &Path, group: Option<u32>) -> Result<Self, Error> {
        Self::create_in(own(folder, group)?, Arc::new(System))
    }

    /// Continues the recording in `folder`, or starts one. Logs that a crash left are sealed in the background, without the record that it tore.
    /// From now on the recording is limited by `keep`.
    ///
    /// # Errors
    ///
    /// Another process writes there, the format is newer than this crate, or the folder cannot be written.
    pub fn open_or_continue(folder: &Path, keep: Keep) -> Result<Self, Error> {
        Self::open_or_continue_for(folder, keep, None)
    }

    /// [`Writer::open_or_continue`]; the members of a group may read what is written from now on.
    ///
    /// # Errors
    ///
    /// See [`Writer::open_or_continue`]. The caller may not give files to that group.
    pub fn open_or_continue_for(folder: &Path, keep: Keep, group: Option<u32>) -> Result<Self, Error> {
        Self::open_or_continue_in(own(folder, group)?, keep, Arc::new(System))
    }

    #[cfg(test)]
    pub(crate) fn create_on(path: &Path, files: Arc<dyn Files>) -> Result<Self, Error> {
        Self::create_in(own(path, None)?, files)
    }

    #[cfg(test)]
    pub(crate) fn open_or_continue_on(path: &Path, keep: Keep, files: Arc<dyn Files>) -> Result<Self, Error> {
        Self::open_or_continue_in(own(path, None)?, keep, files)
    }

    fn create_in(folder: Folder, files: Arc<dyn Files>) -> Result<Self, Error> {
        let path = folder.dir().path();
        if folder.is_recording().map_err(|error| file_error::reading("look into it", path, &error))? {
            return Err(Error::input(
                format!("{}: already holds a recording", path.display()),
                "use another folder, or remove this one",
            ));
        }
        Self::prepare(folder, Keep::default(), files, false)
    }

    fn open_or_continue_in(folder: Folder, keep: Keep, files: Arc<dyn Files>) -> Result<Self, Error> {
        let mut writer = Self::prepare(folder, keep, files, true)?;
        let folder = writer.folder.clone();
        let failed = |error| file_error::reading("look into it", folder.dir().path(), &error);
        if writer.folder.is_recording().map_err(failed)? {
            writer.manifest = Reader::of(writer.folder.clone())?.manifest().clone();
            writer.continue_numbers().map_err(failed)?;
            pyramid::remove_unfinished(&*writer.files, &writer.folder);
        }
        Ok(writer)
    }

    fn prepare(folder: Folder, keep: Keep, files: Arc<dyn Files>, waits_for_room: bool) -> Result<Self, Error> {
        let open = Path::new(OPEN);
        let made = files.make_folder(folder.dir(), open);
        let ready = made.is_ok();
        made.or_else(|error| if waits_for_room && is_full(&error) { Ok(()) } else { Err(error) })
            .map_err(|error| file_error::writing("make the folder", &folder.full(open), &error))?;
        let lock = lock(folder.dir())?;
        Ok(Self {
            sealer: Sealer::new(Work { files: files.clone(), folder: folder.clone(), keep }),
            folder,
            files,
            keep,
            manifest: Manifest::default(),
            open: None,
            next_segment: 1,
            next_sample: 0,
            last_wall_ns: i64::MIN,
            removed: 0,
            note: None,
            waits_for_room,
            ready,
            _lock: lock,
        })
    }

    /// Finds the next numbers of segments and samples, and has the remaining logs sealed.
    fn continue_numbers(&mut self) -> io::Result<()> {
        let logs = self.folder.logs()?;
        let samples = self.folder.sealed_files(sealed::SAMPLES)?;
        let names = logs.iter().chain(samples.iter().map(|file| &file.name));
        self.next_segment = names.map(|name| name.number + 1).max().unwrap_or(1);
        for name in &logs {
            // An unreadable log has no sample, so it uses up no number.
            if let Ok(survey) = Survey::of(&self.folder, name) {
                self.next_sample = self.next_sample.max(survey.first_sample + survey.samples);
            }
        }
        for file in samples.iter().rev() {
            let Ok(file) = SealedFile::open(&self.folder, file, &crate::budget::Budget::default()) else { continue };
            if let Some((_, last)) = file.range(0) {
                self.next_sample = self.next_sample.max(u64::try_from(last).unwrap_or(0) + 1);
                break;
            }
        }
        if !logs.is_empty() {
            self.sealer.request(Some(self.next_segment), self.last_wall_ns);
        }
        Ok(())
    }

    fn write_manifest(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.put_manifest(manifest).map_err(|error| self.no_manifest(&error))
    }

    fn no_manifest(&self, error: &io::Error) -> Error {
        file_error::writing("write the manifest", &self.folder.full(Path::new(MANIFEST)), error)
    }

    fn put_manifest(&mut self, manifest: &Manifest) -> io::Result<()> {
        self.manifest = Manifest { schema_version: FORMAT_VERSION, ..manifest.clone() };
        let mut text = serde_json::to_vec_pretty(&self.manifest)?;
        text.push(b'\n');
        let (files, folder) = (&*self.files, &self.folder);
        self.making_room(|| files::replace(files, folder.dir(), Path::new(MANIFEST), &text))
    }

    /// Tries to write; on a full disk it removes the oldest segment and tries again, if the recording may be shortened.
    fn making_room<T>(&self, write: impl Fn() -> io::Result<T>) -> io::Result<T> {
        let mut written = write();
        while written.as_ref().is_err_and(is_full) && self.keep.make_room(&*self.files, &self.folder)? {
            written = write();
        }
        written
    }

    /// Creates the files that could not be created on a full disk.
    fn get_ready(&mut self) -> Result<(), Error> {
        let open = Path::new(OPEN);
        let made = self.files.make_folder(self.folder.dir(), open);
        made.map_err(|error| file_error::writing("make the folder", &self.folder.full(open), &error))?;
        self.write_manifest(&self.manifest.clone())?;
        self.ready = true;
        Ok(())
    }

    /// Ends the open segment, which is sealed in the background. The next sample begins another one.
    pub fn end_segment(&mut self) {
        if self.open.take().is_some() {
            self.sealer.request(Some(self.next_segment), self.last_wall_ns);
        }
    }

    /// Starts the recording again in a new folder at the same path, after somebody removed the folder, moved it or mounted something there.
    fn begin_anew(&mut self) -> Result<(), Error> {
        let dir = self.folder.dir();
        let failed = |error: io::Error| file_error::writing("write to it", dir.path(), &error);
        let folder = Folder::new(dir.reopen().map_err(failed)?);
        // The lock on the old folder keeps nobody out.
        let lock = lock(folder.dir())?;
        let holds_one = folder.is_recording().map_err(failed)?;
        self._lock = lock;
        self.sealer = Sealer::new(Work { files: self.files.clone(), folder: folder.clone(), keep: self.keep });
        self.folder = folder;
        self.open = None;
        self.ready = false;
        if holds_one {
            let path = self.folder.dir().path().to_owned();
            self.continue_numbers().map_err(|error| file_error::reading("look into it", &path, &error))?;
        }
        Ok(())
    }

    /// Gives up a log that somebody removed: what it had is lost, and so would be what is written to it.
    fn look_at_log(&mut self) {
        if let Some(log) = self.open.take_if(|log| log.file.is_removed()) {
            let samples = if log.samples == 1 { "sample" } else { "samples" };
            self.note =
                Some(format!("recorder: somebody removed the open segment; its {} {samples} are lost", log.samples));
            self.removed += log.samples;
            // The folder of logs may be gone with it.
            self.ready = false;
        }
    }

    /// The log for a sample or mark at `stamp`: a new one if there is none or the segment is over.
    fn log(&mut self, stamp: Stamp) -> Result<&mut OpenLog, Error> {
        let most = self.keep.of_segment();
        if self.open.as_ref().is_some_and(|log| log.is_over(stamp, most)) {
            self.end_segment();
        }
        self.look_at_log();
        if self.folder.dir().has_left_its_path() {
            self.begin_anew()?;
            self.note.get_or_insert_with(|| {
                "recorder: the folder was moved away or covered by a mount; what was recorded before is there"
                    .to_owned()
            });
        }
        if !self.ready {
            self.get_ready()?;
        }
        let log = match self.open.take() {
            Some(log) => log,
            None => {
                let path = layout::log(&SegmentName::new(self.next_segment, stamp.wall_ns));
                let start = Start { first_sample: self.next_sample, manifest: self.manifest.clone() };
                let (files, folder) = (&*self.files, &self.folder);
                let log = self.making_room(|| OpenLog::create(files, folder, &path, stamp, &start));
                self.next_segment += 1;
                log.map_err(|error| file_error::writing("start a segment", &self.folder.full(&path), &error))?
            }
        };
        let log = self.open.insert(log);
        if let Some(text) = &self.note {
            log.mark(&Mark { stamp, kind: MarkKind::Note { text: text.clone() } })?;
            self.note = None;
        }
        Ok(log)
    }
}

/// The folder at `path`, created if it does not exist.
fn own(path: &Path, group: Option<u32>) -> Result<Folder, Error> {
    Dir::own(path, group).map(Folder::new).map_err(|error| file_error::writing("write to it", path, &error))
}

/// Keeps other writers out by a lock on the folder itself. On a file system without locks there is none.
fn lock(dir: &Dir) -> Result<Option<Lock>, Error> {
    match dir.lock() {
        Ok(lock) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Err(Error::input(
            format!("{}: another process is recording there", dir.path().display()),
            "use another folder, or stop the other one",
        )),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn hour(stamp: Stamp) -> i64 {
    stamp.wall_ns.div_euclid(NS_PER_HOUR)
}

impl OpenLog {
    fn create(files: &dyn Files, folder: &Folder, path: &Path, stamp: Stamp, start: &Start) -> io::Result<Self> {
        let mut buffer = log::header().to_vec();
        Encoder::start(&mut buffer, 0, start);
        let file = files.create(folder.dir(), path)?;
        let mut log = Self {
            path: folder.full(path),
            file,
            length: 0,
            encoder: Encoder::new(),
            buffer,
            hour: hour(stamp),
            begin_boot_ns: stamp.boot_ns,
            samples: 0,
        };
        if let Err(error) = log.append() {
            // It is empty. If it cannot be removed, readers skip it.
            let _ = files.remove(folder.dir(), path);
            return Err(error);
        }
        Ok(log)
    }

    /// Whether a sample or mark at `stamp` belongs to the next segment: one of another hour, if this one is long enough, or of another UTC day, or
    /// one beyond what a segment may be.
    fn is_over(&self, stamp: Stamp, most: Keep) -> bool {
        let hour = hour(stamp);
        let lasted = u64::try_from(stamp.boot_ns.saturating_sub(self.begin_boot_ns)).unwrap_or(0);
        self.length >= most.size.map_or(LARGEST_LOG, |size| size.get().min(LARGEST_LOG))
            || most.age.is_some_and(|age| lasted >= age.get())
            || (hour != self.hour && self.samples >= SAMPLES_OF_AN_HOUR)
            || hour.div_euclid(HOURS_PER_DAY) != self.hour.div_euclid(HOURS_PER_DAY)
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        self.buffer.clear();
        Encoder::mark(&mut self.buffer, self.length, mark);
        self.append().map_err(|error| file_error::writing("write a mark", &self.path, &error))
    }

    /// Writes the buffer after the last valid record. After an error the next call writes at the same offset.
    fn append(&mut self) -> io::Result<()> {
        if let Err(error) = self.file.write_at(&self.buffer, self.length) {
            // Readers stop at a torn record, so it could stay; truncating the file is tidier.
            let _ = self.file.cut(self.length);
            return Err(error);
        }
        self.length += self.buffer.len() as u64;
        Ok(())
    }
}

impl Sink for Writer {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        match self.put_manifest(manifest) {
            // Samples are refused until there is room; the caller keeps them until then.
            Err(error) if self.waits_for_room && is_full(&error) => self.ready = false,
            written => written.map_err(|error| self.no_manifest(&error))?,
        }
        Ok(())
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        let log = self.log(sample.stamp)?;
        log.buffer.clear();
        if !log.encoder.sample(&mut log.buffer, log.length, schema, sample) {
            log.encoder.forget();
            let what = format!("{}: a sample of more than 64 MiB was left out", log.path.display());
            return Err(Error::system(what, "record fewer processes"));
        }
        if let Err(error) = log.append() {
            log.encoder.forget();
            return Err(file_error::writing("write a sample", &log.path, &error));
        }
        log.samples += 1;
        self.next_sample += 1;
        self.last_wall_ns = sample.stamp.wall_ns;
        Ok(())
    }

    /// Another schema follows, and a segment has only one.
    fn renew(&mut self) {
        self.end_segment();
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        self.log(mark.stamp)?.mark(mark)
    }

    fn take_lost(&mut self) -> u64 {
        self.look_at_log();
        std::mem::take(&mut self.removed)
    }

    /// Ends the recording: seals all of it and writes the manifest. When sealing fails the manifest is written all the
    /// same, and readers read the logs.
    fn finish(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.open = None;
        let sealed = self.sealer.finish(self.last_wall_ns);
        self.write_manifest(manifest)?;
        sealed.map_err(|(path, error)| file_error::writing("seal it", &path, &error))
    }
}

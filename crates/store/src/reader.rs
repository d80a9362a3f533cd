//! Reads a recording.
//!
//! Sealed segments are read ahead on other threads: `segment::sealed` opens, checks and decodes one without a look at any other, and
//! `segment::gather` puts them together on the caller's thread, in order of time. Each thread holds one segment. Where that takes more memory than
//! the budget allows, the load starts over with one segment at a time.

mod axis;
mod damage;
mod days;
mod gather;
mod listing;
mod resume;
mod segment;
mod span;

use crate::budget::{self, Budget, Exceeded};
use crate::layout::{Folder, MANIFEST, SealedPath, SegmentName};
use crate::seal::Survey;
use crate::sealed::{self, SealedFile};
use crate::{FORMAT_VERSION, cut, file_error};
pub use axis::CLOCK_WENT_BACK;
pub use damage::Damage;
pub use days::{Day, hosts};
use gather::{Depth, LoadedParts, Request};
use listing::{Listing, Listings};
use pagetide_core::{Error, Manifest, Mark, Recording, Selection, Source, cores, in_order};
use pagetide_dir::Dir;
use resume::Positions;
use segment::{LoadError, Ranges, SealedFiles};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Reads a recording from its folder, also while it is written.
///
/// A reader that stays open follows a recording at little cost: a load with `from_wall_ns` continues in the open log near the place
/// where an earlier load ended, and skips sealed segments that it does not select.
#[derive(Debug)]
pub struct Reader {
    pub(crate) folder: Folder,
    path: PathBuf,
    manifest: Manifest,
    damage: Damage,
    positions: Positions,
    listings: Listings,
    ranges: Ranges,
    /// The most samples that a load gave.
    samples: AtomicUsize,
}

/// Sentences of damage that are taken from a file that was cut: somebody else may have written it.
const MAX_DAMAGED: usize = 64;

/// Threads that read segments ahead, at most: each holds what it read of one.
const MAX_THREADS: usize = 4;

/// How often a load starts over because a segment was removed during the read.
const TRIES: usize = 5;

impl Reader {
    /// Opens the recording at `path`: its folder, the folder of a run, which has it in `recording/`, or a file that was
    /// [cut](crate::cut::write).
    ///
    /// # Errors
    ///
    /// There is none, it cannot be read, or its format is newer than this crate.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => no_recording(path),
            _ => file_error::reading("read it", path, &error),
        };
        let dir = match Dir::open(path) {
            Ok(dir) => dir,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Self::open_cut(path),
            Err(error) => return Err(failed(error)),
        };
        match dir.dir(Path::new("recording")) {
            Ok(inner) if inner.has(Path::new(MANIFEST)).map_err(failed)? => Self::open_in(inner),
            _ => Self::open_in(dir),
        }
    }

    /// A recording in one file.
    fn open_cut(path: &Path) -> Result<Self, Error> {
        let failed = |error: io::Error| file_error::reading("read it", path, &error);
        let name = path.file_name().ok_or_else(|| no_recording(path))?;
        let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self::open_file(Dir::open(above).map_err(failed)?, PathBuf::from(name))
    }

    /// [`Reader::open`] for a recording in one file, below a directory that is open.
    ///
    /// # Errors
    ///
    /// See [`Reader::open`].
    pub fn open_file(dir: Dir, name: PathBuf) -> Result<Self, Error> {
        let folder = Folder::of_cut(dir, name);
        let missing = cut::check(&folder).map_err(|error| error.at(&folder.path()))?;
        let reader = Self::of(folder)?;
        missing.into_iter().for_each(|line| reader.damage.add(line));
        let before = reader.manifest.damaged.iter().take(MAX_DAMAGED);
        before.for_each(|line| reader.damage.add(format!("damaged before it was cut: {line}")));
        Ok(reader)
    }

    /// [`Reader::open`] for a directory that is open.
    ///
    /// # Errors
    ///
    /// See [`Reader::open`].
    pub fn open_in(dir: Dir) -> Result<Self, Error> {
        Self::of(Folder::new(dir))
    }

    /// The sealed segments of one host of [`hosts`], in a tree that holds several hosts' recordings. It skips open logs and the
    /// manifest, because nothing says which host they belong to.
    ///
    /// # Errors
    ///
    /// See [`Reader::open`].
    pub fn open_host(dir: Dir, partition: &str) -> Result<Self, Error> {
        Self::of(Folder::of_host(dir, partition))
    }

    pub(crate) fn of(folder: Folder) -> Result<Self, Error> {
        let path = folder.full(Path::new(MANIFEST));
        let damage = Damage::default();
        let manifest = match folder.read_manifest() {
            Ok(text) => {
                let (manifest, _) = budget::json(&text, &Budget::default()).map_err(|exceeded| exceeded.at(&path))?;
                manifest.inspect_err(|_| damage.manifest()).ok()
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            // No recorder made it: the segments have what it says.
            Err(error) if damage::is_foreign(&error) => {
                damage.add(format!("{MANIFEST} is left out ({error}): using the one in the last segment"));
                None
            }
            Err(error) => return Err(file_error::reading("read it", &path, &error)),
        };
        // Every segment has the manifest of its beginning, so a damaged one can be replaced.
        let manifest: Option<Manifest> = manifest.or_else(|| last_manifest(&folder));
        let manifest = manifest.ok_or_else(|| no_recording(&folder.path()))?;
        if manifest.schema_version > FORMAT_VERSION {
            return Err(file_error::newer(&path, manifest.schema_version));
        }
        Ok(Self::new(folder, manifest, damage))
    }

    fn new(folder: Folder, manifest: Manifest, damage: Damage) -> Self {
        Self {
            path: folder.path(),
            folder,
            manifest,
            damage,
            positions: Positions::default(),
            listings: Listings::default(),
            ranges: Ranges::default(),
            samples: AtomicUsize::default(),
        }
    }

    /// The manifest: what is known of the host and of the run that wrote last.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The recording's folder, or the file that was cut.
    pub fn folder(&self) -> &Path {
        &self.path
    }

    /// Where this reader notes the damage that it finds in files from now on.
    pub fn damage(&self) -> Damage {
        self.damage.clone()
    }

    /// What is known of a segment without a file of samples. Removal starts with the oldest segment and deletes its file of samples first. So
    /// such a segment is half removed, unless whole segments come before it, or none comes after it: a recorder removes none but for a later one.
    fn without_samples(
        &self,
        files: &SealedFiles,
        has_later: bool,
        gathered: &mut LoadedParts<'_>,
    ) -> Result<(), LoadError> {
        let is_half_removed = gathered.sealed_segments == 0 && has_later;
        let Some(file) = files.values().flatten().next().filter(|_| !is_half_removed) else {
            return Ok(());
        };
        if self.folder.sealed_files(sealed::SAMPLES)?.iter().any(|samples| samples.name.number == file.name.number) {
            // It was sealed after the logs were listed.
            return Err(io::Error::from(io::ErrorKind::NotFound).into());
        }
        let text = format!("segment {} is damaged: its file in sample/ is missing", file.name.text());
        gathered.damaged(&file.name, text, &damage::cost(&file.name, sealed::SAMPLES));
        Ok(())
    }

    /// Loads with so many threads that read sealed segments ahead.
    fn try_load(&self, request: &Request<'_>, threads: usize) -> Result<Recording, LoadError> {
        let Listing { logs, sealed: files } = self.listings.now(&self.folder)?;
        self.positions.retain(&logs);
        self.damage.look_for_logs(&self.folder)?;
        let mut gathered = LoadedParts::new(request, self.damage.clone(), self.expected());
        let numbers: BTreeSet<u64> = logs.keys().chain(files.keys()).copied().collect();
        let began = |number: &u64| {
            let sealed = files.get(number).and_then(|files| files.values().flatten().next()).map(|file| &file.name);
            logs.get(number).or(sealed).and_then(SegmentName::wall_ns)
        };
        let begun: Vec<Option<i64>> = numbers.iter().skip(1).map(began).chain([None]).collect();
        let with_samples =
            files.iter().filter(|(_, files)| files.contains_key(sealed::SAMPLES)).map(|(number, _)| *number);
        let last = logs.keys().copied().chain(with_samples).max();
        let segments: Vec<(u64, Option<i64>)> = numbers.into_iter().zip(begun).collect();
        let sealed = |files: &SealedFiles| segment::sealed(&self.folder, files, &self.ranges, request);
        let closed = |number: &u64| files.get(number).filter(|_| !logs.contains_key(number));
        let inside = files.values().filter(|files| !segment::is_outside(files, &self.ranges, request)).count();
        let read = |(number, _): &(u64, Option<i64>)| closed(number).map(sealed);
        in_order(threads.min(inside), &segments, read, |(number, next_wall_ns), part| {
            gathered.next_wall_ns = *next_wall_ns;
            let listed_again;
            let mut files = files.get(number);
            if let Some(name) = logs.get(number) {
                match segment::open(&self.folder, name, &self.positions, &mut gathered) {
                    // It was sealed since the lists were made.
                    Err(LoadError::Io(_, error)) if error.kind() == io::ErrorKind::NotFound => {
                        listed_again = self.listings.now(&self.folder)?.sealed;
                        files = listed_again.get(number);
                    }
                    done => return done,
                }
            }
            let Some(files) = files else { return Ok(()) };
            if !files.contains_key(sealed::SAMPLES) {
                return self.without_samples(files, last.is_some_and(|last| last > *number), &mut gathered);
            }
            gathered.sealed_segments += 1;
            let part = part.unwrap_or_else(|| sealed(files))?;
            if segment::lacks_something(&part) {
                self.listings.forget();
            }
            segment::gather(part, &mut gathered)
        })?;
        let recording = gathered.finish(self.manifest.clone());
        self.samples.fetch_max(recording.stamps().len(), Ordering::Relaxed);
        Ok(recording)
    }

    /// How many samples a load gives at most, where an earlier one shows it.
    fn expected(&self) -> usize {
        match self.samples.load(Ordering::Relaxed) {
            0 => usize::MAX,
            samples => samples,
        }
    }
}

fn no_recording(path: &Path) -> Error {
    Error::input(
        format!(
            "{}: not a recording: it has no manifest.json and no segment, and is not a file written by `pagetide cut`",
            path.display()
        ),
        "`pagetide record -o DIR` makes one",
    )
}

/// The manifest of the newest segment that has one.
fn last_manifest(folder: &Folder) -> Option<Manifest> {
    let of_log = |name: &SegmentName| Survey::of(folder, name).ok().map(|survey| survey.manifest);
    let of_sealed = |file: &SealedPath| {
        SealedFile::open(folder, file, &Budget::default()).ok().and_then(|file| file.description().manifest.clone())
    };
    let logs = folder.logs().unwrap_or_default();
    let samples = folder.sealed_files(sealed::SAMPLES).unwrap_or_default();
    logs.iter().rev().find_map(of_log).or_else(|| samples.iter().rev().find_map(of_sealed))
}

impl Source for Reader {
    /// Loads the selected part. Segments outside the time range are not read beyond their ends, and of sealed segments only the files
    /// of the selected tables. It leaves out a damaged segment, with a mark. Times of earlier boots are moved so that the axis
    /// continues across a restart of the host as the wall clock did; so are times before the boot clock went back.
    fn load(&self, selection: &Selection) -> Result<Recording, Error> {
        self.load_parts(selection, Depth::Values)
    }

    fn times(&self, selection: &Selection) -> Result<Recording, Error> {
        self.load_parts(selection, Depth::Times)
    }
}

impl Reader {
    /// All marks, on the axis of the whole recording. Of sealed segments it reads only the first and last time: the samples of a year,
    /// one a second, would take a gigabyte.
    ///
    /// # Errors
    ///
    /// When the recording cannot be read.
    pub fn marks(&self) -> Result<Vec<Mark>, Error> {
        Ok(self.load_parts(&Selection::default(), Depth::Marks)?.marks)
    }

    fn load_parts(&self, selection: &Selection, depth: Depth) -> Result<Recording, Error> {
        let (mut tries, mut threads) = (0, cores().min(MAX_THREADS));
        loop {
            tries += 1;
            match self.try_load(&Request::new(selection, depth), threads) {
                Ok(recording) => return Ok(recording),
                Err(LoadError::Io(_, error)) if error.kind() == io::ErrorKind::NotFound && tries < TRIES => {
                    self.listings.forget();
                }
                // One segment at a time takes less memory.
                Err(LoadError::Io(_, error)) if Exceeded::of(&error).is_some() && threads > 1 => threads = 1,
                Err(LoadError::Io(path, error)) => {
                    let path = if path.as_os_str().is_empty() { self.folder.dir().path() } else { &path };
                    return Err(file_error::reading("read it", path, &error));
                }
                Err(LoadError::Newer(path, version)) => return Err(file_error::newer(&path, version)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use crate::test_support::{SinkCall, files, give, manifest, short};
    use pagetide_core::Sink;
    use std::fs;

    const DAY: i64 = 86_400_000_000_000;

    /// A sample a day: a segment for each.
    fn daily() -> Vec<SinkCall> {
        let (mut given, mut passed) = (short(12, 1), 0);
        for call in &mut given {
            let stamp = match call {
                SinkCall::Sample(_, sample) => &mut sample.stamp,
                SinkCall::Mark(mark) => &mut mark.stamp,
            };
            for ns in [&mut stamp.wall_ns, &mut stamp.mono_ns, &mut stamp.boot_ns] {
                *ns += passed;
            }
            passed += if matches!(call, SinkCall::Sample(..)) { DAY } else { 0 };
        }
        given
    }

    #[test]
    fn segments_that_are_read_ahead_are_gathered_like_those_that_are_not() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("r");
        let mut writer = Writer::create(&folder).unwrap();
        writer.begin(&manifest()).unwrap();
        daily().iter().for_each(|given| give(&mut writer, given).unwrap());
        writer.finish(&manifest()).unwrap();
        let whole = Selection::default();
        let times = Reader::open(&folder).unwrap().times(&whole).unwrap();
        let walls = [2, 8].map(|at| Some(times.stamps()[at].wall_ns));
        let part = Selection { from_wall_ns: walls[0], to_wall_ns: walls[1], ..Selection::default() };
        let load = |selection: &Selection, threads: usize| {
            let reader = Reader::open(&folder).unwrap();
            let loaded = reader.try_load(&Request::new(selection, Depth::Values), threads).unwrap();
            (loaded, reader.damage().lines())
        };
        let compare = || {
            for selection in [&whole, &part] {
                let one_by_one = load(selection, 1);
                (2..5).for_each(|threads| assert_eq!(load(selection, threads), one_by_one, "{threads}"));
            }
        };
        assert_eq!(load(&whole, 1).0.stamps().len(), 12);
        assert_eq!(load(&part, 1).0.stamps().len(), 7);
        compare();
        let mut files = files(&folder);
        files.retain(|path| path.extension().is_some_and(|kind| kind == "parquet"));
        assert!(files.len() > 30, "{files:?}");
        for path in files.iter().step_by(4) {
            let mut bytes = fs::read(path).unwrap();
            fs::remove_file(path).unwrap();
            compare();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
            fs::write(path, &bytes).unwrap();
            compare();
        }
        assert!(!load(&whole, 1).1.is_empty(), "damage is noticed");
    }

    #[test]
    fn a_reader_that_stays_open_notices_what_comes_and_goes_between_two_loads() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("r");
        let given = daily();
        let write = |calls: &[SinkCall]| {
            let mut writer = Writer::open_or_continue(&folder, crate::Keep::default()).unwrap();
            writer.begin(&manifest()).unwrap();
            calls.iter().for_each(|given| give(&mut writer, given).unwrap());
            writer.finish(&manifest()).unwrap();
        };
        write(&given[..given.len() / 2]);
        let reader = Reader::open(&folder).unwrap();
        let seen = || (reader.load(&Selection::default()).unwrap().stamps().len(), reader.damage().lines().len());
        let (half, none) = seen();
        assert_eq!((none, seen()), (0, (half, 0)));
        write(&given[given.len() / 2..]);
        let (samples, _) = seen();
        assert!(samples > half, "sealed since, and its log came and went");
        let of_table = |name: &str| {
            let mut all = files(&folder).into_iter().rev();
            all.find(|path| path.starts_with(folder.join(name)) && path.extension().is_some()).unwrap()
        };
        let table = of_table("host");
        let away = scratch.path().join("away");
        fs::rename(&table, &away).unwrap();
        assert_eq!(seen(), (samples, 1), "a file is missing that was listed");
        fs::rename(&away, &table).unwrap();
        let whole = Reader::open(&folder).unwrap().load(&Selection::default()).unwrap();
        assert_eq!(reader.load(&Selection::default()).unwrap(), whole, "it is there again");
    }
}

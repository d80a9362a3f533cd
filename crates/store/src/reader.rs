//! Reads a recording.

mod axis;
mod damage;
mod days;
mod gather;
mod resume;
mod segment;
mod span;

use crate::budget::{self, Budget};
use crate::layout::{Folder, MANIFEST, SealedPath, SegmentName};
use crate::seal::Survey;
use crate::sealed::{self, SealedFile};
use crate::{FORMAT_VERSION, cut, file_error};
pub use axis::CLOCK_WENT_BACK;
pub use damage::Damage;
pub use days::{Day, hosts};
use gather::{Depth, LoadedParts};
use pagetide_core::{Error, Manifest, Mark, Recording, Selection, Source};
use pagetide_dir::Dir;
use resume::Positions;
use segment::{LoadError, Ranges, SealedFiles};
use std::collections::BTreeMap;
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
    ranges: Ranges,
    /// The most samples that a load gave.
    samples: AtomicUsize,
}

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
            _ => file_error::io("read it", path, &error),
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
        let failed = |error: io::Error| file_error::io("read it", path, &error);
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
            Err(error) => return Err(file_error::io("read it", &path, &error)),
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

    /// The sealed files by segment, then by table.
    fn sealed_segments(&self) -> io::Result<BTreeMap<u64, SealedFiles>> {
        let mut segments: BTreeMap<u64, SealedFiles> = BTreeMap::new();
        for kind in sealed::kinds() {
            for file in self.folder.sealed_files(kind)? {
                segments.entry(file.name.number).or_default().entry(kind).or_default().push(file);
            }
        }
        Ok(segments)
    }

    /// Reads a sealed segment. Removal starts with the oldest segment and deletes its file of samples first. So a segment without
    /// that file is half removed, unless whole segments come before it.
    fn load_sealed(&self, files: &SealedFiles, gathered: &mut LoadedParts<'_>) -> Result<(), LoadError> {
        if files.contains_key(sealed::SAMPLES) {
            gathered.sealed_segments += 1;
            return segment::sealed(&self.folder, files, &self.ranges, gathered);
        }
        let Some(file) = files.values().flatten().next().filter(|_| gathered.sealed_segments > 0) else {
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

    fn try_load(&self, selection: &Selection, depth: Depth) -> Result<Recording, LoadError> {
        // Logs are listed first, so that a segment that is sealed during the listing is in one of the lists. If it is in both, its log
        // counts.
        let mut logs: BTreeMap<u64, SegmentName> = BTreeMap::new();
        for name in self.folder.logs()? {
            logs.insert(name.number, name);
        }
        self.positions.retain(&logs);
        let mut files = self.sealed_segments()?;
        self.damage.look_for_logs(&self.folder)?;
        let mut gathered = LoadedParts::new(selection, depth, self.damage.clone(), self.expected());
        let numbers: std::collections::BTreeSet<u64> = logs.keys().chain(files.keys()).copied().collect();
        let began = |number: &u64| {
            let sealed = files.get(number).and_then(|files| files.values().flatten().next()).map(|file| &file.name);
            logs.get(number).or(sealed).and_then(SegmentName::wall_ns)
        };
        let begun: Vec<Option<i64>> = numbers.iter().skip(1).map(began).chain([None]).collect();
        for (number, next_wall_ns) in numbers.into_iter().zip(begun) {
            gathered.next_wall_ns = next_wall_ns;
            if let Some(name) = logs.get(&number) {
                match segment::open(&self.folder, name, &self.positions, &mut gathered) {
                    // It was sealed since the lists were made.
                    Err(LoadError::Io(_, error)) if error.kind() == io::ErrorKind::NotFound => {
                        files = self.sealed_segments()?;
                    }
                    done => {
                        done?;
                        continue;
                    }
                }
            }
            if let Some(files) = files.get(&number) {
                self.load_sealed(files, &mut gathered)?;
            }
        }
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
        let mut tries = 0;
        loop {
            tries += 1;
            match self.try_load(selection, depth) {
                Ok(recording) => return Ok(recording),
                Err(LoadError::Io(path, error)) if error.kind() == io::ErrorKind::NotFound && tries < TRIES => {
                    drop(path);
                }
                Err(LoadError::Io(path, error)) => {
                    let path = if path.as_os_str().is_empty() { self.folder.dir().path() } else { &path };
                    return Err(file_error::io("read it", path, &error));
                }
                Err(LoadError::Newer(path, version)) => return Err(file_error::newer(&path, version)),
            }
        }
    }
}

//! Finding and loading a recording that the user named, and reading times within it.

use jiff::tz::TimeZone;
use pagetide_core::{Error, HostTimeZone, LocalClock, Manifest, Recording, RunResult, Selection, Source};
use pagetide_dir::Dir;
use pagetide_store::Reader;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What names a host, as words on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HostFrom {
    Recording,
    Folder,
}

/// Opens the recording at `path`.
pub(crate) fn open(path: &Path) -> Result<Reader, Error> {
    if !path.exists() {
        return Err(Error::input(
            format!("{}: no such recording", path.display()),
            "`pagetide record -o DIR` or `pagetide lab run` makes one",
        ));
    }
    Reader::open(path)
}

/// Loads the selected part of the recording at `path`.
pub(crate) fn load(path: &Path, selection: &Selection) -> Result<Recording, Error> {
    open(path)?.load(selection)
}

/// Loads the times and marks of the recording at `path`.
pub(crate) fn times(path: &Path) -> Result<Recording, Error> {
    open(path)?.times(&Selection::default())
}

/// Reads the `result.json` of a run's folder; absent when the folder is not a run's.
pub(crate) fn result(path: &Path) -> Result<Option<RunResult>, Error> {
    let file = path.join("result.json");
    let Some(text) = file_of(path, "result.json", RunResult::LARGEST_FILE)? else { return Ok(None) };
    serde_json::from_slice(&text)
        .map(Some)
        .map_err(|error| Error::input(format!("{}: {error}", file.display()), "run the scenario again"))
}

/// The content of a file of a run's folder, of at most `largest` bytes; absent when it is not there.
pub(crate) fn file_of(folder: &Path, name: &str, largest: u64) -> Result<Option<Vec<u8>>, Error> {
    let is_absent = |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    let dir = match Dir::open(folder) {
        Ok(dir) => dir,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(unreadable(folder, &error)),
    };
    match dir.read(Path::new(name), largest) {
        Ok(content) => Ok(Some(content)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(unreadable(&folder.join(name), &error)),
    }
}

/// The content of a file that belongs to this user or root, as of [`file_of`]; absent if it belongs to another user, who could replace it
/// between two reads.
pub(crate) fn own_file_of(folder: &Path, name: &str, largest: u64) -> Result<Option<Vec<u8>>, Error> {
    let is_own = |owner: u32| owner == 0 || owner == rustix::process::geteuid().as_raw();
    let path = Path::new(name);
    let read = || -> io::Result<Option<Vec<u8>>> {
        let dir = Dir::open(folder)?;
        if !dir.owner(path).is_ok_and(is_own) {
            return Ok(None);
        }
        let file = dir.file(path, largest)?;
        if !is_own(file.metadata()?.uid()) {
            return Ok(None);
        }
        let mut content = Vec::new();
        file.take(largest).read_to_end(&mut content)?;
        Ok(Some(content))
    };
    read().map_err(|error| unreadable(&folder.join(name), &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::unreadable(path, error, "name the folder of a recording or of a run")
}

/// The clock for people who read a recording: UTC on request, else the recorded host's zone; if the recording has no zone, the reader's.
pub(crate) fn clock(manifest: &Manifest, utc: bool) -> LocalClock {
    if utc {
        return LocalClock::utc();
    }
    LocalClock::of(manifest).unwrap_or_else(|| LocalClock::new(TimeZone::system()))
}

/// Has pages show the times of a recording by [`clock`]: its manifest names the zone.
pub(crate) fn set_zone(manifest: &mut Manifest, utc: bool) {
    let clock = clock(manifest, utc);
    let begin = manifest.time_zone.as_ref().map_or(0, |zone| zone.utc_offset_s);
    let name = Some(clock.zone().to_owned()).filter(|name| LocalClock::named(name).is_some());
    let utc_offset_s = if name.is_some() { 0 } else { begin };
    manifest.time_zone = Some(HostTimeZone { name, utc_offset_s });
}

/// Date and time in UTC as ISO 8601 with milliseconds, as files and JSON have it.
pub(crate) fn timestamp(wall_ns: i64) -> String {
    LocalClock::utc().iso(wall_ns)
}

/// The wall clock range that `--from` and `--to` name within a recording.
pub(crate) fn range(
    recording: &Recording,
    clock: &LocalClock,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<(i64, i64), Error> {
    let walls: Vec<i64> = recording.stamps().iter().map(|stamp| stamp.wall_ns).collect();
    if walls.is_empty() {
        return Ok((i64::MIN, i64::MAX));
    }
    let moment = |text: Option<&str>, otherwise: i64| text.map_or(Ok(otherwise), |text| clock.parse(text, &walls));
    let (from, to) = (moment(from, i64::MIN)?, moment(to, i64::MAX)?);
    if from > to {
        return Err(Error::input("--from is later than --to", "swap them"));
    }
    if !walls.iter().any(|wall| (from..=to).contains(wall)) {
        let (first, last) = (walls.iter().min().copied().unwrap_or(0), walls.iter().max().copied().unwrap_or(0));
        return Err(Error::input(
            "the recording has no sample in this range",
            format!("its samples span {} to {}", clock.date_time(first), clock.date_time(last)),
        ));
    }
    Ok((from, to))
}

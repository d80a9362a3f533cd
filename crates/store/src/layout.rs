//! Where things are in a recording's folder, and what they are called.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use pagetide_dir::Dir;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The format of the start time in a segment's name, in UTC.
const BEGAN: &str = "%Y%m%dT%H%M%SZ";

/// Size limits of files: no writer makes larger ones, so a reader opens none.
const LARGEST_MANIFEST: u64 = 16 << 20;
/// A segment ends at 64 MiB, and one sample is 64 MiB at most.
const LARGEST_LOG: u64 = 256 << 20;
const LARGEST_SEALED: u64 = 1 << 30;

/// The name of a segment: when it began, and its number within the recording, which gives the order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SegmentName {
    /// Its number, from 1.
    pub(crate) number: u64,
    text: String,
}

impl SegmentName {
    /// The name of segment `number` that begins at `wall_ns`.
    pub(crate) fn new(number: u64, wall_ns: i64) -> Self {
        let began = Timestamp::from_nanosecond(wall_ns.into()).unwrap_or_default();
        Self { number, text: format!("{}-{number:08}", began.strftime(BEGAN)) }
    }

    /// The name in a file's name, without its extension. A writer names segments in ASCII only.
    pub(crate) fn parse(stem: &str) -> Option<Self> {
        let (_, number) = stem.is_ascii().then(|| stem.rsplit_once('-'))??;
        Some(Self { number: number.parse().ok()?, text: stem.to_owned() })
    }

    /// The name as text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The name of a sealed file of this segment. It contains the checksum of all bytes of the file.
    pub(crate) fn sealed(&self, checksum: u32) -> String {
        format!("{}-{checksum:08x}.parquet", self.text)
    }

    /// When it began according to its name, in ns since 1970.
    pub(crate) fn wall_ns(&self) -> Option<i64> {
        let (began, _) = self.text.rsplit_once('-')?;
        let began = TimeZone::UTC.to_timestamp(DateTime::strptime(BEGAN, began).ok()?).ok()?;
        i64::try_from(began.as_nanosecond()).ok()
    }

    /// The day of its beginning, `2026-11-21`.
    pub(crate) fn day(&self) -> String {
        let (date, _) = self.text.split_once('T').unwrap_or((&self.text, ""));
        let (year, rest) = date.split_at(date.len().saturating_sub(4));
        let (month, day) = rest.split_at(rest.len().min(2));
        format!("{year}-{month}-{day}")
    }
}

/// A sealed file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SealedPath {
    /// The segment it belongs to.
    pub(crate) name: SegmentName,
    /// The checksum in its name; absent when somebody renamed the file.
    pub(crate) checksum: Option<u32>,
    pub(crate) path: PathBuf,
}

/// The folder of the files that have one row per sample: the time axes of the segments.
pub(crate) const SAMPLES: &str = "sample";
/// The folder of the files of marks.
pub(crate) const MARKS: &str = "mark";
/// Where the manifest is.
pub(crate) const MANIFEST: &str = "manifest.json";
/// Prefix of the folder of a host's sealed files.
const HOST: &str = "host=";
/// Prefix of the folder of a day, below it.
const DATE: &str = "date=";
/// Where the logs are.
pub const OPEN: &str = "open";

/// The log of an open segment.
pub(crate) fn log(name: &SegmentName) -> PathBuf {
    Path::new(OPEN).join(format!("{}.log", name.text))
}

/// The folder for the sealed files of a table, a host and the day on which the segment began.
pub(crate) fn sealed_folder(table: &str, host: &str, name: &SegmentName) -> PathBuf {
    let host = format!("{HOST}{}", partition_value(host));
    Path::new(table).join(host).join(format!("{DATE}{}", name.day()))
}

/// A recording's folder. All paths are relative to it.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    dir: Arc<Dir>,
    /// In a tree with several hosts, the one whose segments are read, as in the partition's name.
    host: Option<String>,
    /// The UTC days whose segments are read, if not all.
    days: Option<Vec<String>>,
    /// The numbers of the first and the last segment that are read, if not all.
    segments: Option<(u64, u64)>,
    /// The file in it that holds the whole recording, if it is a cut.
    cut: Option<PathBuf>,
}

impl Folder {
    pub(crate) fn new(dir: Dir) -> Self {
        Self { dir: Arc::new(dir), host: None, days: None, segments: None, cut: None }
    }

    /// A recording of one file, which is the log `name` in `dir`.
    pub(crate) fn of_cut(dir: Dir, name: PathBuf) -> Self {
        Self { cut: Some(name), ..Self::new(dir) }
    }

    /// Whether it is one file.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// Its path for people: of the folder, or of the file of a cut.
    pub(crate) fn path(&self) -> PathBuf {
        self.cut.as_ref().map_or_else(|| self.dir.path().to_owned(), |name| self.dir.path().join(name))
    }

    /// The sealed segments of one host in a tree with several. The manifest and the logs there may be of any host.
    pub(crate) fn of_host(dir: Dir, partition: &str) -> Self {
        Self { host: Some(partition.to_owned()), ..Self::new(dir) }
    }

    /// The same with the segments of one day alone.
    pub(crate) fn of_day(&self, day: &str) -> Self {
        Self { days: Some(vec![day.to_owned()]), ..self.clone() }
    }

    /// The same with only the segments from `first` to `last`, two at most. It reads no other day's folder: a year has many.
    pub(crate) fn of_segments(&self, first: &SegmentName, last: &SegmentName) -> Self {
        let mut days = vec![first.day(), last.day()];
        days.dedup();
        Self { segments: Some((first.number, last.number)), days: Some(days), ..self.clone() }
    }

    /// Whether a segment is among those that are read.
    pub(crate) fn has_segment(&self, name: &SegmentName) -> bool {
        let in_range = self.segments.is_none_or(|(first, last)| (first..=last).contains(&name.number));
        in_range && self.days.as_ref().is_none_or(|days| days.contains(&name.day()))
    }

    /// The hosts that have sealed segments, as the partitions name them, in order.
    pub(crate) fn hosts(&self) -> io::Result<Vec<String>> {
        let mut names = self.dir.names(Path::new(SAMPLES))?;
        names.retain(|name| name.starts_with(HOST));
        names.sort();
        Ok(names.into_iter().map(|name| name[HOST.len()..].to_owned()).collect())
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// A path in it for people, with the path of the recording before it.
    pub(crate) fn full(&self, path: &Path) -> PathBuf {
        if self.is_cut() { self.path() } else { self.dir.path().join(path) }
    }

    /// The content of the manifest.
    pub(crate) fn read_manifest(&self) -> io::Result<Vec<u8>> {
        if self.host.is_some() || self.is_cut() {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.dir.read(Path::new(MANIFEST), LARGEST_MANIFEST)
    }

    /// The log of an open segment, for reading.
    pub(crate) fn open_log(&self, name: &SegmentName) -> io::Result<File> {
        self.dir.file(self.cut.as_deref().unwrap_or(&log(name)), LARGEST_LOG)
    }

    /// A sealed file, for reading.
    pub(crate) fn open_sealed(&self, file: &SealedPath) -> io::Result<File> {
        self.dir.file(&file.path, LARGEST_SEALED)
    }

    /// The size of a file; 0 when it is not there.
    pub(crate) fn size(&self, path: &Path) -> u64 {
        self.dir.size(path).unwrap_or(0)
    }

    /// Whether it contains a recording, or what is left of one.
    pub(crate) fn is_recording(&self) -> io::Result<bool> {
        let begun = self.dir.has(Path::new(MANIFEST))? || !self.logs()?.is_empty();
        Ok(begun || !self.sealed_files(SAMPLES)?.is_empty())
    }

    /// The open segments, in order.
    pub(crate) fn logs(&self) -> io::Result<Vec<SegmentName>> {
        if self.host.is_some() {
            return Ok(Vec::new());
        }
        if self.is_cut() {
            return Ok(vec![SegmentName::new(1, 0)]);
        }
        let names = self.dir.names(Path::new(OPEN))?;
        let mut logs: Vec<_> = names.iter().filter_map(|name| SegmentName::parse(name.strip_suffix(".log")?)).collect();
        logs.retain(|name| self.has_segment(name));
        logs.sort();
        Ok(logs)
    }

    /// The sealed files of one table, in order.
    pub(crate) fn sealed_files(&self, table: &str) -> io::Result<Vec<SealedPath>> {
        let mut found = Vec::new();
        for day in self.days(table)? {
            let names = self.dir.names(&day)?;
            let files = names.iter().filter_map(|name| sealed_path(&day, name));
            found.extend(files.filter(|path| self.has_segment(&path.name)));
        }
        found.sort();
        Ok(found)
    }

    /// Temporary files of one table, left by a writer that did not finish.
    pub(crate) fn unfinished_files(&self, table: &str) -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for day in self.days(table)? {
            let names = self.dir.names(&day)?;
            found.extend(names.iter().filter(|name| pagetide_dir::is_temporary(name)).map(|name| day.join(name)));
        }
        Ok(found)
    }

    /// The folders of the days of one table.
    fn days(&self, table: &str) -> io::Result<Vec<PathBuf>> {
        if self.is_cut() {
            return Ok(Vec::new());
        }
        let hosts = match &self.host {
            Some(host) => vec![Path::new(table).join(format!("{HOST}{host}"))],
            None => self.folders(Path::new(table), HOST)?,
        };
        let mut days = Vec::new();
        for host in hosts {
            match &self.days {
                Some(some) => days.extend(some.iter().map(|day| host.join(format!("{DATE}{day}")))),
                None => days.extend(self.folders(&host, DATE)?),
            }
        }
        Ok(days)
    }

    fn folders(&self, folder: &Path, prefix: &str) -> io::Result<Vec<PathBuf>> {
        let names = self.dir.names(folder)?;
        Ok(names.iter().filter(|name| name.starts_with(prefix)).map(|name| folder.join(name)).collect())
    }
}

fn sealed_path(folder: &Path, name: &str) -> Option<SealedPath> {
    let stem = name.strip_suffix(".parquet")?;
    let path = folder.join(name);
    if let Some((text, checksum)) = stem.rsplit_once('-')
        && checksum.len() == 8
        && let (Ok(checksum), Some(name)) = (u32::from_str_radix(checksum, 16), SegmentName::parse(text))
    {
        return Some(SealedPath { name, checksum: Some(checksum), path });
    }
    Some(SealedPath { name: SegmentName::parse(stem)?, checksum: None, path })
}

/// A host's name as part of a path: other characters than letters, digits, `.`, `_` and `-` as `%XX`, as Hive does.
fn partition_value(host: &str) -> String {
    if host.is_empty() {
        return "unknown".to_owned();
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    host.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NS_PER_SECOND: i64 = 1_000_000_000;

    #[test]
    fn a_segment_is_named_by_when_it_began_and_its_number() {
        let name = SegmentName::new(7, 1_795_255_230 * NS_PER_SECOND);
        assert_eq!(SegmentName::parse("20261121T100030Z-00000007"), Some(name.clone()));
        assert_eq!(name.wall_ns(), Some(1_795_255_230 * NS_PER_SECOND));
        let day = sealed_folder("disk", "db 1/a", &name);
        assert_eq!(day.to_string_lossy(), "disk/host=db%201%2Fa/date=2026-11-21");
        let file = sealed_path(&day, &name.sealed(0xab)).unwrap();
        assert_eq!((&file.name, file.checksum), (&name, Some(0xab)));
        let renamed = sealed_path(&day, &format!("{}.parquet", name.text())).unwrap();
        assert_eq!((&renamed.name, renamed.checksum), (&name, None));
        assert_eq!(sealed_path(&day, ".20261121T100030Z-00000007.parquet.tmp"), None);
        for foreign in ["\u{661}\u{662}-1", "2026112\u{20ac}-1", "\u{20ac}-00000007", "\u{fffd}-7"] {
            assert_eq!(SegmentName::parse(foreign), None, "{foreign}");
        }
        for odd in [i64::MIN, -1, 0, i64::MAX] {
            assert_eq!(SegmentName::parse(&SegmentName::new(3, odd).text), Some(SegmentName::new(3, odd)));
        }
    }

    #[test]
    fn of_two_segments_no_other_days_are_looked_at() {
        let scratch = tempfile::tempdir().unwrap();
        let names = [0, 1, 2].map(|day| SegmentName::new(day + 1, (day * 86_400).cast_signed() * NS_PER_SECOND));
        for name in &names {
            let day = scratch.path().join(sealed_folder(SAMPLES, "db", name));
            std::fs::create_dir_all(&day).unwrap();
            std::fs::write(day.join(name.sealed(1)), "").unwrap();
        }
        let all = Folder::new(Dir::open(scratch.path()).unwrap());
        let numbers = |folder: &Folder| {
            folder.sealed_files(SAMPLES).unwrap().iter().map(|file| file.name.number).collect::<Vec<_>>()
        };
        assert_eq!(numbers(&all), [1, 2, 3]);
        let two = all.of_segments(&names[1], &names[2]);
        assert_eq!((numbers(&two), two.days(SAMPLES).unwrap().len()), (vec![2, 3], 2));
        let one = all.of_segments(&names[1], &names[1]);
        assert_eq!((numbers(&one), one.days(SAMPLES).unwrap().len()), (vec![2], 1));
    }

    #[test]
    fn segments_are_in_the_order_of_their_numbers_whatever_the_clock_said() {
        assert!(SegmentName::new(9, 2 * NS_PER_SECOND) < SegmentName::new(10, NS_PER_SECOND));
    }
}

//! Where things are in a recording's folder, and what they are called.

use pagetide_core::calendar;
use std::io;
use std::path::{Path, PathBuf};

const NS_PER_SECOND: i64 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

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
        let seconds = wall_ns.div_euclid(NS_PER_SECOND);
        let (year, month, day) = calendar::date(seconds.div_euclid(SECONDS_PER_DAY));
        let second = seconds.rem_euclid(SECONDS_PER_DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        Self { number, text: format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z-{number:08}") }
    }

    /// The name in a file's name, without its extension.
    pub(crate) fn parse(stem: &str) -> Option<Self> {
        let (_, number) = stem.rsplit_once('-')?;
        Some(Self { number: number.parse().ok()?, text: stem.to_owned() })
    }

    /// The name as text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What a sealed file of it is called. The checksum of its bytes is in its name, where it covers all of them.
    pub(crate) fn sealed(&self, checksum: u32) -> String {
        format!("{}-{checksum:08x}.parquet", self.text)
    }

    /// When it began, by its name.
    pub(crate) fn wall_ns(&self) -> Option<i64> {
        let digits: Vec<i64> = [0..4, 4..6, 6..8, 9..11, 11..13, 13..15]
            .into_iter()
            .map(|range| self.text.get(range)?.parse().ok())
            .collect::<Option<_>>()?;
        let days = calendar::days(digits[0], digits[1], digits[2]);
        (((days * 24 + digits[3]) * 60 + digits[4]) * 60 + digits[5]).checked_mul(NS_PER_SECOND)
    }

    /// The day of its beginning, `2026-11-21`.
    fn day(&self) -> String {
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
    /// The checksum of its bytes; absent when somebody gave it another name.
    pub(crate) checksum: Option<u32>,
    pub(crate) path: PathBuf,
}

/// A recording's folder.
#[derive(Debug, Clone)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.0.join("manifest.json")
    }

    /// Where the logs are.
    pub(crate) fn open(&self) -> PathBuf {
        self.0.join("open")
    }

    /// The log of an open segment.
    pub(crate) fn log(&self, name: &SegmentName) -> PathBuf {
        self.open().join(format!("{}.log", name.text))
    }

    /// The folder for the sealed files of a table, a host and the day on which the segment began.
    pub(crate) fn sealed_folder(&self, table: &str, host: &str, name: &SegmentName) -> PathBuf {
        let host = format!("host={}", partition_value(host));
        self.0.join(table).join(host).join(format!("date={}", name.day()))
    }

    /// Whether there is a recording in it, or what is left of one.
    pub(crate) fn is_recording(&self) -> io::Result<bool> {
        let begun = self.manifest().try_exists()? || !self.logs()?.is_empty();
        Ok(begun || !self.sealed_files(crate::sealed::SAMPLES)?.is_empty())
    }

    /// The open segments, in order.
    pub(crate) fn logs(&self) -> io::Result<Vec<SegmentName>> {
        let names = names(&self.open())?;
        let mut logs: Vec<_> = names.iter().filter_map(|name| SegmentName::parse(name.strip_suffix(".log")?)).collect();
        logs.sort();
        Ok(logs)
    }

    /// The sealed files of one table, in order.
    pub(crate) fn sealed_files(&self, table: &str) -> io::Result<Vec<SealedPath>> {
        let mut found = Vec::new();
        for host in folders(&self.0.join(table), "host=")? {
            for day in folders(&host, "date=")? {
                found.extend(names(&day)?.iter().filter_map(|name| sealed_path(&day, name)));
            }
        }
        found.sort();
        Ok(found)
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

/// The names in a folder; none when there is no such folder.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

fn folders(folder: &Path, prefix: &str) -> io::Result<Vec<PathBuf>> {
    Ok(names(folder)?.iter().filter(|name| name.starts_with(prefix)).map(|name| folder.join(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_named_by_when_it_began_and_its_number() {
        let name = SegmentName::new(7, 1_795_255_230 * NS_PER_SECOND);
        assert_eq!(SegmentName::parse("20261121T100030Z-00000007"), Some(name.clone()));
        assert_eq!(name.wall_ns(), Some(1_795_255_230 * NS_PER_SECOND));
        let folder = Folder::new(Path::new("/r"));
        let day = folder.sealed_folder("disk", "db 1/a", &name);
        assert_eq!(day.to_string_lossy(), "/r/disk/host=db%201%2Fa/date=2026-11-21");
        let file = sealed_path(&day, &name.sealed(0xab)).unwrap();
        assert_eq!((&file.name, file.checksum), (&name, Some(0xab)));
        let renamed = sealed_path(&day, &format!("{}.parquet", name.text())).unwrap();
        assert_eq!((&renamed.name, renamed.checksum), (&name, None));
        assert_eq!(sealed_path(&day, ".20261121T100030Z-00000007.parquet.tmp"), None);
        for odd in [i64::MIN, -1, 0, i64::MAX] {
            assert_eq!(SegmentName::parse(&SegmentName::new(3, odd).text), Some(SegmentName::new(3, odd)));
        }
    }

    #[test]
    fn segments_are_in_the_order_of_their_numbers_whatever_the_clock_said() {
        assert!(SegmentName::new(9, 2 * NS_PER_SECOND) < SegmentName::new(10, NS_PER_SECOND));
    }
}

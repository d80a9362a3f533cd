//! Where things are in a recording's folder, and what they are called.

use pagetide_core::Manifest;
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
        let (year, month, day) = date(seconds.div_euclid(SECONDS_PER_DAY));
        let second = seconds.rem_euclid(SECONDS_PER_DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        Self { number, text: format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z-{number:08}") }
    }

    /// The name in a file's name, without its extension.
    pub(crate) fn parse(stem: &str) -> Option<Self> {
        let (_, number) = stem.rsplit_once('-')?;
        Some(Self { number: number.parse().ok()?, text: stem.to_owned() })
    }

    /// The day of its beginning, `2026-11-21`.
    fn day(&self) -> String {
        let (date, _) = self.text.split_once('T').unwrap_or((&self.text, ""));
        let (year, rest) = date.split_at(date.len().saturating_sub(4));
        let (month, day) = rest.split_at(rest.len().min(2));
        format!("{year}-{month}-{day}")
    }
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

    /// The sealed file of a segment for one table.
    pub(crate) fn sealed(&self, table: &str, manifest: &Manifest, name: &SegmentName) -> PathBuf {
        let host = format!("host={}", partition_value(&manifest.host));
        self.0.join(table).join(host).join(format!("date={}", name.day())).join(format!("{}.parquet", name.text))
    }

    /// The open segments, in order.
    pub(crate) fn logs(&self) -> io::Result<Vec<SegmentName>> {
        let mut names: Vec<_> = files(&self.open(), "log")?.into_iter().map(|(name, _)| name).collect();
        names.sort();
        Ok(names)
    }

    /// The sealed files of one table, in order.
    pub(crate) fn sealed_files(&self, table: &str) -> io::Result<Vec<(SegmentName, PathBuf)>> {
        let mut found = Vec::new();
        for host in folders(&self.0.join(table), "host=")? {
            for day in folders(&host, "date=")? {
                found.extend(files(&day, "parquet")?);
            }
        }
        found.sort();
        Ok(found)
    }
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

fn files(folder: &Path, extension: &str) -> io::Result<Vec<(SegmentName, PathBuf)>> {
    let segment = |name: &String| {
        let stem = name.strip_suffix(extension)?.strip_suffix('.')?;
        Some((SegmentName::parse(stem)?, folder.join(name)))
    };
    Ok(names(folder)?.iter().filter_map(segment).collect())
}

/// Year, month and day of a number of days since 1970-01-01 in the Gregorian calendar, with years that begin in March.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_named_by_when_it_began_and_its_number() {
        let name = SegmentName::new(7, 1_795_255_230 * NS_PER_SECOND);
        assert_eq!(SegmentName::parse("20261121T100030Z-00000007"), Some(name.clone()));
        let folder = Folder::new(Path::new("/r"));
        let manifest = Manifest { host: "db 1/a".into(), ..Manifest::default() };
        assert_eq!(
            folder.sealed("disk", &manifest, &name).to_string_lossy(),
            "/r/disk/host=db%201%2Fa/date=2026-11-21/20261121T100030Z-00000007.parquet"
        );
        for odd in [i64::MIN, -1, 0, i64::MAX] {
            assert_eq!(SegmentName::parse(&SegmentName::new(3, odd).text), Some(SegmentName::new(3, odd)));
        }
    }

    #[test]
    fn segments_are_in_the_order_of_their_numbers_whatever_the_clock_said() {
        assert!(SegmentName::new(9, 2 * NS_PER_SECOND) < SegmentName::new(10, NS_PER_SECOND));
    }
}

//! The days of a recording. A segment lies in one UTC day, so days can be read, and their results cached, one by one.

use super::{Damage, Reader};
use crate::layout::{self, Folder, SegmentName};
use crate::{file_error, sealed};
use pagetide_core::{Error, Selection, Source};
use pagetide_dir::Dir;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::{self, Read};

/// A UTC day of a recording.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    /// The day on which its segments began, `2026-11-21`.
    pub date: String,
    /// Its files with their sizes, a line each. Sealed files have the checksum of their content in their name and logs only grow, so
    /// equal text means equal samples. Of a cut, the checksum of its content.
    pub files: String,
}

/// The hosts with sealed segments in a folder, from the names of the partitions (`host=…`), in order. A recording has one, unless its host
/// was renamed; a tree into which recordings were copied has many.
///
/// # Errors
///
/// When the folder cannot be read.
pub fn hosts(dir: Dir) -> Result<Vec<String>, Error> {
    let folder = Folder::new(dir);
    folder.hosts().map_err(|error| file_error::reading("look into it", folder.dir().path(), &error))
}

impl Reader {
    /// The days that have segments, in order. A cut has one segment, with the days of its samples.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn days(&self) -> Result<Vec<Day>, Error> {
        if self.folder.is_cut() {
            return self.days_of_cut();
        }
        self.list_days().map_err(|error| file_error::reading("look into it", self.folder(), &error))
    }

    /// A reader of the segments of one day only, with a list of damage of its own. The segment of a cut also has its other days.
    #[must_use]
    pub fn of_day(&self, date: &str) -> Self {
        let ranges = self.ranges.clone();
        Self { ranges, ..Self::new(self.folder.of_day(date), self.manifest.clone(), Damage::default()) }
    }

    fn days_of_cut(&self) -> Result<Vec<Day>, Error> {
        let failed = |error: io::Error| file_error::reading("read it", self.folder(), &error);
        let mut content = Vec::new();
        for log in self.folder.logs().map_err(failed)? {
            self.folder.open_log(&log).and_then(|mut file| file.read_to_end(&mut content)).map_err(failed)?;
        }
        let files = format!("{:08x} {}\n", crc32fast::hash(&content), content.len());
        let times = self.times(&Selection::default())?;
        let dates =
            times.stamps().iter().map(|stamp| SegmentName::new(1, stamp.wall_ns).day()).collect::<BTreeSet<_>>();
        Ok(dates.into_iter().map(|date| Day { date, files: files.clone() }).collect())
    }

    fn list_days(&self) -> io::Result<Vec<Day>> {
        let mut days: BTreeMap<String, String> = BTreeMap::new();
        let mut add = |day: String, path: &std::path::Path| {
            let size = self.folder.size(path);
            let _ = writeln!(days.entry(day).or_default(), "{} {size}", path.display());
        };
        for name in self.folder.logs()? {
            add(name.day(), &layout::log(&name));
        }
        for kind in sealed::kinds() {
            for file in self.folder.sealed_files(kind)? {
                add(file.name.day(), &file.path);
            }
        }
        Ok(days.into_iter().map(|(date, files)| Day { date, files }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use crate::test_support::{give, manifest, short};
    use pagetide_core::{Manifest, Sink};
    use std::path::Path;

    fn record(folder: &Path, host: &str) {
        let manifest = Manifest { host: host.to_owned(), ..manifest() };
        let mut writer = Writer::create(folder).unwrap();
        writer.begin(&manifest).unwrap();
        short(8, 1).iter().for_each(|given| give(&mut writer, given).unwrap());
        writer.finish(&manifest).unwrap();
    }

    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
            let to = to.join(entry.file_name());
            if entry.path().is_dir() { copy(&entry.path(), &to) } else { _ = std::fs::copy(entry.path(), to).unwrap() }
        }
    }

    #[test]
    fn hosts_in_one_tree_are_read_one_by_one() {
        let scratch = tempfile::tempdir().unwrap();
        let tree = scratch.path().join("tree");
        for host in ["web 1", "web2"] {
            let own = scratch.path().join(host);
            record(&own, host);
            copy(&own, &tree);
        }
        let open = |path: &Path| Dir::open(path).unwrap();
        assert_eq!(hosts(open(&tree)).unwrap(), ["web%201", "web2"]);
        for (partition, host) in [("web%201", "web 1"), ("web2", "web2")] {
            let one = Reader::open_host(open(&tree), partition).unwrap();
            let alone = Reader::open(&scratch.path().join(host)).unwrap();
            assert_eq!(one.manifest().host, host);
            assert_eq!(one.days().unwrap(), alone.days().unwrap());
            let (one, alone) = (one.load(&Selection::default()), alone.load(&Selection::default()));
            assert_eq!(one.unwrap().stamps(), alone.unwrap().stamps());
        }
    }

    #[test]
    fn a_day_changes_with_its_files_and_with_no_others() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("r");
        record(&folder, "web1");
        let reader = Reader::open(&folder).unwrap();
        let before = reader.days().unwrap();
        assert!(!before.is_empty());
        std::fs::write(folder.join("open/20990101T000000Z-00000099.log"), "x").unwrap();
        let after = reader.days().unwrap();
        assert_eq!(after[..before.len()], before);
        assert_eq!(after.last().map(|day| day.date.as_str()), Some("2099-01-01"));
    }
}

//! Makes the files of buckets.

use super::bucket::{Bucket, Level};
use super::file::Files;
use super::kept::{self, Kept};
use super::metrics;
use super::rows::{self, Groups, Rows};
use super::segment::{self, Segment};
use crate::budget::Budget;
use crate::files::Files as FileSystem;
use crate::layout::{Folder, SealedPath, SegmentName};
use crate::sealed::{self, Description, SealedFile};
use pagetide_core::Table;
use parquet::data_type::ByteArray;
use std::collections::BTreeMap;
use std::io;

/// Segments with fewer samples (5 minutes at one a second) get no file: reading their samples is as fast.
const WORTH_SAMPLES: i64 = 300;
/// The buckets in files of days. Shorter ones are read from the segments.
const DAY_LEVELS: [Level; 2] = [Level::HalfHour, Level::SixHours];

/// Whether files of days hold a level of a table. Processes are left out: they are many, and are looked at over hours.
pub(super) fn is_in_days(level: Level, table: Table) -> bool {
    DAY_LEVELS.contains(&level) && table != Table::Process
}

/// Writes the file of a segment that was just sealed, into its recording, and that of the day before once it is over. Readers compute what
/// they need if a file is missing.
pub(crate) fn after_seal(files: &dyn FileSystem, folder: &Folder, name: &SegmentName) -> io::Result<()> {
    let segments = segment::all(folder)?;
    let Some(at) = segments.iter().position(|segment| segment.name.number == name.number) else { return Ok(()) };
    of_segment(files, folder, folder, &segments[at])?;
    let (earlier, own) = segments.split_at(at);
    let day = segment::by_day(earlier).last().filter(|day| day[0].name.day() != own[0].name.day());
    day.map_or(Ok(()), |day| of_day(files, (folder, folder), &Files::of(folder, None)?, day).map(drop))
}

/// Removes files that a crash or a full disk left unfinished. Any that remain do no harm.
pub(crate) fn remove_unfinished(files: &dyn FileSystem, folder: &Folder) {
    let kinds = [sealed::PYRAMID, sealed::PYRAMID_DAY].into_iter();
    for path in kinds.filter_map(|kind| folder.unfinished_files(kind).ok()).flatten() {
        let _ = files.remove(folder.dir(), &path);
    }
}

/// The checksums that identify the file of a day; `None` while the day is not over, and if none of its segments has a file: their samples
/// are read as fast.
pub(super) fn worth_a_file(known: &Files, day: &[Segment]) -> Option<Vec<u32>> {
    let has_file = |segment: &Segment| segment.samples.as_ref().is_some_and(|samples| known.has(samples));
    segment::checksums(day).filter(|_| day.iter().any(has_file))
}

/// Whether a segment is long enough to have a file.
pub(super) fn is_worth_it(folder: &Folder, samples: &SealedPath) -> bool {
    samples.checksum.is_some()
        && SealedFile::open(folder, samples, &Budget::default()).is_ok_and(|file| file.rows() >= WORTH_SAMPLES)
}

/// Writes the file of a sealed segment. Returns whether the segment was long enough.
pub(super) fn of_segment(
    files: &dyn FileSystem,
    folder: &Folder,
    target: &Folder,
    segment: &Segment,
) -> io::Result<bool> {
    let Some(samples) = segment.samples.as_ref().filter(|samples| is_worth_it(folder, samples)) else {
        return Ok(false);
    };
    let Some(host) = host(folder, samples) else { return Ok(false) };
    let groups = rows::of_segment(folder, &samples.name, segment.before.as_ref())?;
    let about = Description { file: sealed::PYRAMID.to_owned(), samples: samples.checksum, ..Description::default() };
    rows::store(files, target, (&host, &samples.name), &groups, about).map(|()| true)
}

/// Writes the file of a past day, with the longer buckets of its segments merged. Returns whether it was written.
pub(super) fn of_day(
    files: &dyn FileSystem,
    (folder, target): (&Folder, &Folder),
    known: &Files,
    day: &[Segment],
) -> io::Result<bool> {
    let (Some(checksums), Some(first)) = (worth_a_file(known, day), day.first()) else { return Ok(false) };
    if known.has_day((&first.name.day(), &checksums)) {
        return Ok(false);
    }
    let Some(host) = first.samples.as_ref().and_then(|samples| host(folder, samples)) else { return Ok(false) };
    let mut merged = Merged::new();
    for segment in day {
        let Some(samples) = &segment.samples else { return Ok(false) };
        let rows = |level: Level| Some((level, known.rows(samples, level, |table| is_in_days(level, table))?));
        let found: Option<Vec<_>> = DAY_LEVELS.into_iter().map(rows).collect();
        match found {
            Some(levels) => {
                for (level, tables) in levels {
                    tables.iter().for_each(|(table, rows)| add(&mut merged, (*table, level), rows));
                }
            }
            None => {
                // It is too short to have a file.
                let groups = rows::of_segment(folder, &segment.name, segment.before.as_ref())?;
                for level in DAY_LEVELS {
                    let of_level = |own: Level, top: bool| own == level || (top && own < level);
                    let groups = groups.iter().filter(|((_, own, top), _)| of_level(*own, *top));
                    groups.for_each(|((table, ..), rows)| add(&mut merged, (*table, level), rows));
                }
            }
        }
    }
    let about = Description { file: sealed::PYRAMID_DAY.to_owned(), days: checksums, ..Description::default() };
    rows::store(files, target, (&host, &first.name), &groups(merged), about).map(|()| true)
}

/// The buckets of a metric of an entity that end at the same time, from all segments.
type Merged = BTreeMap<(Table, Level), BTreeMap<(Vec<u8>, Vec<u8>), BTreeMap<i64, Vec<Bucket>>>>;

fn add(merged: &mut Merged, (table, level): (Table, Level), rows: &Rows) {
    if !is_in_days(level, table) {
        return;
    }
    let of_level = merged.entry((table, level)).or_default();
    for (row, kept) in rows.kept.iter().enumerate() {
        let name = (rows.metrics[row].data().to_vec(), rows.entities[row].data().to_vec());
        let end_ns = level.end(rows.ends[row]);
        let buckets = of_level.entry(name).or_default().entry(end_ns).or_default();
        buckets.extend(kept.bucket(end_ns));
    }
}

fn groups(merged: Merged) -> Groups {
    let mut groups = Groups::new();
    for ((table, level), curves) in merged {
        let rows = groups.entry((table, level, false)).or_default();
        for ((metric, entity), ends) in curves {
            let Some(known) = metrics::of_table(table).find(|known| known.name.as_bytes() == metric) else { continue };
            let is_counted = kept::is_counted(known);
            let (metric, entity) = (ByteArray::from(metric), ByteArray::from(entity));
            for bucket in ends.into_iter().filter_map(|(end_ns, buckets)| Bucket::merge(end_ns, buckets)) {
                rows.metrics.push(metric.clone());
                rows.entities.push(entity.clone());
                rows.ends.push(bucket.end_ns);
                rows.kept.push(Kept::of(&bucket, is_counted));
            }
        }
    }
    groups
}

/// The host of a segment, as its manifest names it.
fn host(folder: &Folder, samples: &SealedPath) -> Option<String> {
    let file = SealedFile::open(folder, samples, &Budget::default()).ok()?;
    file.description().manifest.as_ref().map(|manifest| manifest.host.clone())
}

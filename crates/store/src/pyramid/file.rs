//! The files of buckets: of segments in `pyramid/`, of days in `pyramid-day/`.

use super::bucket::{Bucket, Curve, Level};
use super::kept::Kept;
use super::rows::Rows;
use crate::budget::{Budget, bytes_of};
use crate::layout::{Folder, SealedPath};
use crate::sealed::{self, BUCKET_COLUMNS, Description, SealedError, SealedFile};
use pagetide_core::Table;
use pagetide_dir::Dir;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The files of a recording, and those of a cache.
pub(super) struct Files {
    segments: BTreeMap<u64, Vec<(Folder, SealedPath)>>,
    days: BTreeMap<String, Vec<(Folder, SealedPath)>>,
}

impl Files {
    pub(super) fn of(folder: &Folder, cache: Option<&Path>) -> io::Result<Self> {
        let mut files = Self { segments: BTreeMap::new(), days: BTreeMap::new() };
        let cached = cache.and_then(|cache| Dir::open(&cached(cache, folder.dir().path())).ok()).map(Folder::new);
        for folder in [Some(folder.clone()), cached].into_iter().flatten() {
            for path in folder.sealed_files(sealed::PYRAMID)? {
                files.segments.entry(path.name.number).or_default().push((folder.clone(), path));
            }
            for path in folder.sealed_files(sealed::PYRAMID_DAY)? {
                files.days.entry(path.name.day()).or_default().push((folder.clone(), path));
            }
        }
        Ok(files)
    }

    /// Whether a segment has a file. Only reading it shows whether it is of the same samples.
    pub(super) fn has(&self, samples: &SealedPath) -> bool {
        self.segments.contains_key(&samples.name.number)
    }

    /// The buckets of curves at a level; `None` if the file is missing, damaged, of other samples or of another version.
    pub(super) fn read(&self, samples: &SealedPath, level: Level, curves: &[Curve]) -> Option<Vec<Vec<Bucket>>> {
        self.of_segment(samples, |file| read(file, level, curves))
    }

    /// The rows of a segment at a level, of the tables that are wanted; `None` as above.
    pub(super) fn rows(
        &self,
        samples: &SealedPath,
        level: Level,
        wants: impl Fn(Table) -> bool,
    ) -> Option<Vec<(Table, Rows)>> {
        self.of_segment(samples, |file| {
            let groups = groups(file, level).filter(|(.., table)| wants(*table));
            groups.map(|(group, _, table)| Ok((table, rows(file, group)?))).collect()
        })
    }

    /// The buckets of curves over a day whose files of samples have these checksums; `None` as above.
    pub(super) fn read_day(
        &self,
        (day, checksums): (&str, &[u32]),
        level: Level,
        curves: &[Curve],
    ) -> Option<Vec<Vec<Bucket>>> {
        let is_of_day = |about: &Description| about.days == checksums;
        first_valid(self.days.get(day)?, is_of_day, |file| read(file, level, curves))
    }

    /// Whether a day has a file of these samples.
    pub(super) fn has_day(&self, (day, checksums): (&str, &[u32])) -> bool {
        self.days
            .get(day)
            .is_some_and(|files| first_valid(files, |about| about.days == checksums, |_| Ok(())).is_some())
    }

    fn of_segment<T>(&self, samples: &SealedPath, of: impl Fn(&SealedFile) -> Result<T, SealedError>) -> Option<T> {
        let is_of_it = |about: &Description| about.samples.is_some() && about.samples == samples.checksum;
        first_valid(self.segments.get(&samples.name.number)?, is_of_it, of)
    }
}

/// What `of` returns for the first valid file that `is_it` accepts.
fn first_valid<T>(
    files: &[(Folder, SealedPath)],
    is_it: impl Fn(&Description) -> bool,
    of: impl Fn(&SealedFile) -> Result<T, SealedError>,
) -> Option<T> {
    let read = |folder: &Folder, path: &SealedPath| -> Result<Option<T>, SealedError> {
        let file = SealedFile::open(folder, path, &Budget::default())?;
        let is_meant = path.checksum.is_some() && is_it(file.description());
        is_meant.then(|| of(&file)).transpose()
    };
    files.iter().find_map(|(folder, path)| {
        // Another user can write a file with a valid checksum and pages on which the parquet crate panics.
        catch_unwind(AssertUnwindSafe(|| read(folder, path))).ok()?.ok().flatten()
    })
}

/// The row groups with buckets of a level: the group, the length of its buckets, and its table.
fn groups(file: &SealedFile, level: Level) -> impl Iterator<Item = (usize, Level, Table)> {
    let stated = file.description().groups.iter().flatten().enumerate().take(file.row_groups());
    stated.filter_map(move |(group, (seconds, table))| {
        let own = Level::ALL.into_iter().find(|known| known.seconds() == *seconds)?;
        let stands_for_it = own < level && file.description().tops.contains(&group);
        (own == level || stands_for_it).then_some((group, own, *table))
    })
}

fn rows(file: &SealedFile, group: usize) -> Result<Rows, SealedError> {
    let strings = |name| file.strings(group, file.column_named(name)?);
    let floats = |name| file.floats(group, file.column_named(name)?);
    let [mean, amount, min, max, weight] = BUCKET_COLUMNS.2.map(floats);
    let (mean, amount, min, max, weight) = (mean?, amount?, min?, max?, weight?);
    let ends = file.required(group, file.column_named("end_ns")?)?;
    file.charge(bytes_of(ends.len(), size_of::<Kept>()))?;
    let kept =
        |row: usize| Kept { mean: mean[row], amount: amount[row], min: min[row], max: max[row], weight: weight[row] };
    let kept = (0..ends.len()).map(kept).collect();
    Ok(Rows { metrics: strings("metric")?, entities: strings("entity")?, ends, kept })
}

fn read(file: &SealedFile, level: Level, curves: &[Curve]) -> Result<Vec<Vec<Bucket>>, SealedError> {
    let mut found = vec![Vec::new(); curves.len()];
    for (group, own, table) in groups(file, level) {
        if !curves.iter().any(|curve| curve.table == table) {
            continue;
        }
        let rows = rows(file, group)?;
        for (curve, found) in curves.iter().zip(&mut found).filter(|(curve, _)| curve.table == table) {
            for row in 0..rows.ends.len() {
                let is_named = rows.metrics[row].data() == curve.metric.name.as_bytes()
                    && rows.entities[row].data() == curve.entity.as_bytes();
                let Some(bucket) = is_named.then(|| rows.kept[row].bucket(rows.ends[row])).flatten() else { continue };
                if !is_possible(&bucket, own) {
                    return Err(SealedError::Damaged(format!("no samples have the bucket {bucket:?}")));
                }
                file.charge(bytes_of(2, size_of::<Bucket>()))?;
                found.push(Bucket { end_ns: level.end(bucket.end_ns), ..bucket });
            }
        }
    }
    Ok(found)
}

/// Whether samples can result in this bucket: a file of another user may hold anything under a valid checksum.
fn is_possible(bucket: &Bucket, level: Level) -> bool {
    let Bucket { end_ns, mean, min, max, weight } = *bucket;
    let finite = [mean, min, max, weight].into_iter().all(f64::is_finite);
    finite && min <= mean && mean <= max && weight >= 0.0 && end_ns % level.ns() == 0
}

/// Where new files go: into the recording if it belongs to the caller, else into the cache.
pub(super) fn target(recording: &Path, cache: Option<&Path>) -> io::Result<Folder> {
    match (Dir::own(recording, None), cache) {
        (Ok(dir), _) => Ok(Folder::new(dir)),
        (Err(_), Some(cache)) => Ok(Folder::new(Dir::own(&cached(cache, recording), None)?)),
        (Err(error), None) => Err(error),
    }
}

/// The folder of a recording in a cache.
fn cached(cache: &Path, recording: &Path) -> PathBuf {
    let whole = recording.canonicalize().unwrap_or_else(|_| recording.to_owned());
    cache.join(format!("{:08x}", crc32fast::hash(whole.as_os_str().as_encoded_bytes())))
}

//! The files in `pyramid/`.

use super::bucket::{Bucket, Curve, Level};
use super::compute::{self, Part};
use super::kept::{self, Kept};
use super::metrics;
use crate::FORMAT_VERSION;
use crate::budget::{Budget, bytes_of};
use crate::files::{Files as FileSystem, System};
use crate::layout::{self, Folder, SealedPath, SegmentName};
use crate::sealed::{self, BUCKET_COLUMNS, Description, FileWriter, SealedError, SealedFile};
use pagetide_core::derived::Derived;
use pagetide_core::{Selection, Table};
use pagetide_dir::{Dir, temporary};
use parquet::data_type::ByteArray;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Segments with fewer samples (some minutes at one sample a second) have no pyramid: their samples are read as fast.
const WORTH_SAMPLES: i64 = 300;
/// Metrics whose samples are in memory at the same time.
const AT_ONCE: usize = 6;

/// The files of a recording, and those of a cache.
pub(super) struct Files {
    found: BTreeMap<u64, Vec<(Folder, SealedPath)>>,
}

impl Files {
    pub(super) fn of(folder: &Folder, cache: Option<&Path>) -> io::Result<Self> {
        let mut found: BTreeMap<u64, Vec<(Folder, SealedPath)>> = BTreeMap::new();
        let cached = cache.and_then(|cache| Dir::open(&cached(cache, folder.dir().path())).ok()).map(Folder::new);
        for folder in [Some(folder.clone()), cached].into_iter().flatten() {
            for path in folder.sealed_files(sealed::PYRAMID)? {
                found.entry(path.name.number).or_default().push((folder.clone(), path));
            }
        }
        Ok(Self { found })
    }

    /// Whether a segment has a file. That it is of the same samples is seen when it is read.
    pub(super) fn has(&self, samples: &SealedPath) -> bool {
        self.found.contains_key(&samples.name.number)
    }

    /// Whether a segment is long enough to have one.
    pub(super) fn has_room(&self, folder: &Folder, samples: &SealedPath) -> bool {
        is_worth_it(folder, samples)
    }

    /// The buckets of curves at a level; absent when there is no file, or it is of other samples, of another version or damaged.
    pub(super) fn read(
        &self,
        samples: &Option<SealedPath>,
        level: Level,
        curves: &[Curve],
    ) -> Option<Vec<Vec<Bucket>>> {
        let samples = samples.as_ref()?;
        let files = self.found.get(&samples.name.number)?;
        files.iter().find_map(|(folder, path)| {
            // A file of another user may have a right checksum and pages on which the parquet crate panics.
            let read = AssertUnwindSafe(|| read(folder, path, samples, level, curves));
            catch_unwind(read).ok()?.ok().flatten()
        })
    }
}

fn is_worth_it(folder: &Folder, samples: &SealedPath) -> bool {
    samples.checksum.is_some()
        && SealedFile::open(folder, samples, &Budget::default()).is_ok_and(|file| file.rows() >= WORTH_SAMPLES)
}

fn read(
    folder: &Folder,
    path: &SealedPath,
    samples: &SealedPath,
    level: Level,
    curves: &[Curve],
) -> Result<Option<Vec<Vec<Bucket>>>, SealedError> {
    let file = SealedFile::open(folder, path, &Budget::default())?;
    let Some(groups) = &file.description().groups else { return Ok(None) };
    if path.checksum.is_none() || file.description().samples != samples.checksum {
        return Ok(None);
    }
    let mut found = vec![Vec::new(); curves.len()];
    for (group, (seconds, table)) in groups.iter().enumerate().take(file.row_groups()) {
        let Some(own) = Level::ALL.into_iter().find(|known| known.seconds() == *seconds) else { continue };
        let stands_for_it = own < level && file.description().tops.contains(&group);
        if !(own == level || stands_for_it) || !curves.iter().any(|curve| curve.table == *table) {
            continue;
        }
        let strings = |name| file.strings(group, file.column_named(name)?);
        let floats = |name| file.floats(group, file.column_named(name)?);
        let (metric, entity) = (strings("metric")?, strings("entity")?);
        let ends = file.required(group, file.column_named("end_ns")?)?;
        let [mean, amount, min, max, weight] = BUCKET_COLUMNS.2.map(floats);
        let (mean, amount, min, max, weight) = (mean?, amount?, min?, max?, weight?);
        for (curve, found) in curves.iter().zip(&mut found).filter(|(curve, _)| curve.table == *table) {
            for row in 0..ends.len() {
                if metric[row].data() != curve.metric.name.as_bytes() || entity[row].data() != curve.entity.as_bytes() {
                    continue;
                }
                let kept =
                    Kept { mean: mean[row], amount: amount[row], min: min[row], max: max[row], weight: weight[row] };
                let Some(bucket) = kept.bucket(ends[row]) else { continue };
                if !is_possible(&bucket, own) {
                    return Err(SealedError::Damaged(format!("no samples have the bucket {bucket:?}")));
                }
                file.charge(bytes_of(2, size_of::<Bucket>()))?;
                found.push(Bucket { end_ns: level.end(bucket.end_ns), ..bucket });
            }
        }
    }
    Ok(Some(found))
}

/// Whether samples can have a bucket: what somebody else wrote under a right checksum may be anything.
fn is_possible(bucket: &Bucket, level: Level) -> bool {
    let Bucket { end_ns, mean, min, max, weight } = *bucket;
    let finite = [mean, min, max, weight].into_iter().all(f64::is_finite);
    finite && min <= mean && mean <= max && weight >= 0.0 && end_ns % level.ns() == 0
}

/// Where new files go: into the recording where it belongs to the caller, else into the cache.
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

/// Makes the file of a sealed segment. Gives whether there is enough in the segment.
pub(super) fn write(folder: &Folder, target: &Folder, samples: &SealedPath, before: Option<u64>) -> io::Result<bool> {
    write_with(&System, folder, target, samples, before)
}

/// Makes the file of a segment that was just sealed, in its recording. Without it readers compute what they need.
pub(crate) fn make(files: &dyn FileSystem, folder: &Folder, name: &SegmentName) -> io::Result<()> {
    let mut samples = folder.of_segments(name.number, name.number).sealed_files(sealed::SAMPLES)?;
    let before = folder
        .sealed_files(sealed::SAMPLES)?
        .iter()
        .map(|path| path.name.number)
        .filter(|number| *number < name.number)
        .max();
    let Some(samples) = samples.pop() else { return Ok(()) };
    write_with(files, folder, folder, &samples, before).map(drop)
}

fn write_with(
    files: &dyn FileSystem,
    folder: &Folder,
    target: &Folder,
    samples: &SealedPath,
    before: Option<u64>,
) -> io::Result<bool> {
    if !is_worth_it(folder, samples) {
        return Ok(false);
    }
    let Some(manifest) =
        SealedFile::open(folder, samples, &Budget::default()).ok().and_then(|file| file.description().manifest.clone())
    else {
        return Ok(false);
    };
    let rows = rows(folder, &samples.name, before)?;
    let description = Description {
        version: FORMAT_VERSION,
        file: sealed::PYRAMID.to_owned(),
        samples: samples.checksum,
        groups: Some(rows.keys().map(|(table, level, _)| (level.seconds(), *table)).collect()),
        tops: rows.keys().enumerate().filter(|(_, (_, _, top))| *top).map(|(group, _)| group).collect(),
        ..Description::default()
    };
    let below = layout::sealed_folder(sealed::PYRAMID, &manifest.host, &samples.name);
    files.make_folder(target.dir(), &below)?;
    let temporary = temporary(&below.join(format!("{}.parquet", samples.name.text())));
    let written = files.create(target.dir(), &temporary).and_then(|output| {
        let mut file = FileWriter::of_buckets(output, &description)?;
        for rows in rows.values() {
            rows.write(&mut file)?;
        }
        let content = file.finish()?;
        files.rename(target.dir(), &temporary, &below.join(samples.name.sealed(content.crc32)))
    });
    if written.is_err() {
        let _ = files.remove(target.dir(), &temporary);
    }
    written.and_then(|()| files.sync_folder(target.dir(), &below)).map(|()| true)
}

/// Row groups: of a table at a level, and whether their buckets stand for the longer ones.
type Groups = BTreeMap<(Table, Level, bool), Rows>;

/// The buckets of a table at a level.
#[derive(Default)]
struct Rows {
    metrics: Vec<ByteArray>,
    entities: Vec<ByteArray>,
    ends: Vec<i64>,
    kept: Vec<Kept>,
}

fn rows(folder: &Folder, name: &SegmentName, before: Option<u64>) -> io::Result<Groups> {
    let mut all = Groups::new();
    for table in metrics::TABLES {
        let metrics: Vec<&'static Derived> = metrics::of_table(table).collect();
        for some in metrics.chunks(AT_ONCE) {
            let mut selection = Selection::default();
            some.iter().for_each(|metric| compute::select(table, metric, &mut selection));
            let part = Part::load(folder, name, before, &selection).map_err(io::Error::other)?;
            let Some(part) = part else { continue };
            let cells = Level::ALL.map(|level| (level, part.cells(level)));
            let mut names: Vec<&str> = part.recording.entities(table).map(|(name, _)| name).collect();
            if table == Table::Host && names.is_empty() {
                names.push("");
            }
            for metric in some {
                for entity in &names {
                    add(&mut all, &part, &cells, (table, entity), metric);
                }
            }
        }
    }
    Ok(all)
}

fn add(
    all: &mut Groups,
    part: &Part,
    cells: &[(Level, Vec<compute::Cell>)],
    (table, entity): (Table, &str),
    metric: &'static Derived,
) {
    let is_counted = kept::is_counted(metric);
    let intervals = metric.intervals(&part.recording, table, entity);
    let (of_metric, of_entity) = (ByteArray::from(metric.name), ByteArray::from(entity));
    let mut levels = Vec::new();
    for (level, cells) in cells {
        let Some(walk) = metric.walk(&part.recording, table, entity) else { return };
        levels.push((*level, part.buckets_of(cells, walk, (table, entity), metric, &intervals)));
    }
    let top = (0..levels.len()).find(|at| stands_for(&levels[*at..]));
    for (at, (level, buckets)) in levels.iter().enumerate().take(top.map_or(levels.len(), |top| top + 1)) {
        let rows = all.entry((table, *level, top == Some(at))).or_default();
        rows.metrics.extend(std::iter::repeat_n(of_metric.clone(), buckets.len()));
        rows.entities.extend(std::iter::repeat_n(of_entity.clone(), buckets.len()));
        rows.ends.extend(buckets.iter().map(|bucket| bucket.end_ns));
        rows.kept.extend(buckets.iter().map(|bucket| Kept::of(bucket, is_counted)));
    }
}

/// Whether there is one bucket, and all longer ones hold the same: most processes live so shortly.
fn stands_for(levels: &[(Level, Vec<Bucket>)]) -> bool {
    let only = |buckets: &[Bucket]| match buckets {
        [bucket] => Some(kept::values(bucket)),
        _ => None,
    };
    let first = levels.first().and_then(|(_, buckets)| only(buckets));
    first.is_some() && levels.iter().all(|(_, buckets)| only(buckets) == first)
}

impl Rows {
    fn write(&self, file: &mut FileWriter) -> io::Result<()> {
        let mut group = file.row_group()?;
        group.numbers(&self.ends)?;
        group.strings(&self.metrics)?;
        group.strings(&self.entities)?;
        // In the order of BUCKET_COLUMNS.
        let columns: [fn(&Kept) -> Option<f32>; 5] =
            [|kept| kept.mean, |kept| kept.amount, |kept| kept.min, |kept| kept.max, |kept| kept.weight];
        for of in columns {
            group.floats(self.kept.iter().map(of))?;
        }
        group.finish()
    }
}

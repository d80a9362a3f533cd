//! The rows of a file of buckets: made of samples, and written.

use super::bucket::{Bucket, Level};
use super::compute::{self, Part};
use super::kept::{self, Kept};
use super::metrics;
use crate::FORMAT_VERSION;
use crate::files::Files;
use crate::layout::{self, Folder, SegmentName};
use crate::sealed::{Description, FileWriter};
use pagetide_core::derived::Derived;
use pagetide_core::{Selection, Table};
use pagetide_dir::temporary;
use parquet::data_type::ByteArray;
use std::collections::BTreeMap;
use std::io;

/// Metrics whose samples are held in memory at once: many for the host, which has one row, few for tables with a row for each device,
/// process or group.
fn at_once(table: Table) -> usize {
    if table == Table::Host { 48 } else { 6 }
}

/// Row groups by table and level, and whether their buckets also stand for the longer ones.
pub(super) type Groups = BTreeMap<(Table, Level, bool), Rows>;

/// The buckets of a table at a level.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) metrics: Vec<ByteArray>,
    pub(super) entities: Vec<ByteArray>,
    pub(super) ends: Vec<i64>,
    pub(super) kept: Vec<Kept>,
}

/// Writes a file of rows to the folder of a host and a day, under a segment's name. `about` says of which samples they are.
pub(super) fn store(
    files: &dyn Files,
    target: &Folder,
    (host, name): (&str, &SegmentName),
    groups: &Groups,
    about: Description,
) -> io::Result<()> {
    let below = layout::sealed_folder(&about.file, host, name);
    let description = Description {
        version: FORMAT_VERSION,
        groups: Some(groups.keys().map(|(table, level, _)| (level.seconds(), *table)).collect()),
        tops: groups.keys().enumerate().filter(|(_, (_, _, top))| *top).map(|(group, _)| group).collect(),
        ..about
    };
    files.make_folder(target.dir(), &below)?;
    let temporary = temporary(&below.join(format!("{}.parquet", name.text())));
    let written = files.create(target.dir(), &temporary).and_then(|output| {
        let mut file = FileWriter::of_buckets(output, &description)?;
        for rows in groups.values() {
            rows.write(&mut file)?;
        }
        let content = file.finish()?;
        files.rename(target.dir(), &temporary, &below.join(name.sealed(content.crc32)))
    });
    if written.is_err() {
        let _ = files.remove(target.dir(), &temporary);
    }
    written.and_then(|()| files.sync_folder(target.dir(), &below))
}

/// The rows of a segment from its samples.
pub(super) fn of_segment(folder: &Folder, name: &SegmentName, before: Option<&SegmentName>) -> io::Result<Groups> {
    let mut all = Groups::new();
    let Some(begin_ns) = compute::begin(folder, name).map_err(io::Error::other)? else { return Ok(all) };
    let own = folder.of_segments(name, name);
    for table in metrics::TABLES {
        // Some metrics of the host are sums over its CPUs and disks.
        if table != Table::Host && own.sealed_files(table.name())?.is_empty() {
            continue;
        }
        let metrics: Vec<&'static Derived> = metrics::of_table(table).collect();
        for some in metrics.chunks(at_once(table)) {
            let mut selection = Selection::default();
            some.iter().for_each(|metric| compute::select(table, metric, &mut selection));
            let part = Part::load(folder, (name, begin_ns), before, &selection).map_err(io::Error::other)?;
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

/// Whether there is one bucket, and all longer ones equal it. Most processes live that briefly.
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

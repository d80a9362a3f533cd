//! Reading one segment, open or sealed.

use super::damage;
use super::gather::{LoadedParts, Request, Rows};
use super::resume::{Keeper, Positions};
use crate::RATE_FACTOR_BEFORE_3;
use crate::budget::{Budget, Exceeded, Held, KEPT_JSON_BYTES, bytes_of};
use crate::layout::{self, Folder, SealedPath, SegmentName};
use crate::log::{self, Event, LogError, LogReader};
use crate::sealed::{self, COMMAND_LINE_COLUMN, Description, SealedError, SealedFile};
use pagetide_core::{Entity, Kind, Manifest, Mark, Stamp, Table, WantedMetrics};
use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Why a recording cannot be loaded.
#[derive(Debug)]
pub(super) enum LoadError {
    /// Reading failed; the path may be empty for the recording's folder.
    Io(PathBuf, io::Error),
    /// A segment of a newer version.
    Newer(PathBuf, u32),
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        Self::Io(PathBuf::new(), error)
    }
}

impl From<Exceeded> for LoadError {
    fn from(exceeded: Exceeded) -> Self {
        io::Error::from(exceeded).into()
    }
}

/// Reads the valid records of an open segment. If it was read before, only a part at its end is read.
pub(super) fn open(
    folder: &Folder,
    name: &SegmentName,
    positions: &Positions,
    gathered: &mut LoadedParts<'_>,
) -> Result<(), LoadError> {
    let path = || folder.full(&layout::log(name));
    let failed = |error| LoadError::Io(path(), error);
    let file = match folder.open_log(name) {
        Ok(file) => file,
        // A cut is the whole recording.
        Err(error) if damage::is_foreign(&error) && !folder.is_cut() => {
            let what = format!("{} is left out: {error}", path().display());
            gathered.damaged(name, what, &damage::cost(name, sealed::SAMPLES));
            return Ok(());
        }
        Err(error) => return Err(failed(error)),
    };
    // Another descriptor of the same file: once it is sealed its name is gone.
    let again = file.try_clone().map_err(failed)?;
    let from_wall_ns = gathered.request.selection.from_wall_ns;
    let resumed = from_wall_ns
        .map_or(Ok(None), |from| positions.resume(name, &file, from, &gathered.request.budget))
        .map_err(failed)?;
    let (opened, mut keeper) = match resumed {
        Some((log, keeper)) => (Ok(log), Some(keeper)),
        None => {
            let keeper = from_wall_ns.map(|_| Keeper::new(&file)).transpose().map_err(failed)?;
            (LogReader::open(BufReader::new(file), &gathered.request.budget), keeper)
        }
    };
    let mut log = match opened {
        Ok(log) => log,
        // Its writer has not written the first record yet, or crashed before that; or that record is damaged.
        Err(LogError::NotALog) => {
            if log::has_lost_its_beginning(again, &gathered.request.budget).map_err(failed)? {
                let what = format!("{} is damaged at its beginning", path().display());
                gathered.damaged(name, what, &damage::cost(name, sealed::SAMPLES));
            }
            return Ok(());
        }
        Err(LogError::Manifest(why)) => {
            let what = format!("{} is left out: its manifest cannot be read: {why}", path().display());
            gathered.damaged(name, what, &damage::cost(name, sealed::SAMPLES));
            return Ok(());
        }
        Err(LogError::Io(error)) => return Err(failed(error)),
        Err(LogError::Newer(version)) => return Err(LoadError::Newer(path(), version)),
    };
    gathered.run(&log.start().manifest);
    let mut slots = BTreeMap::new();
    while let Some(event) = log.next().map_err(failed)? {
        let wall_ns = match &event {
            Event::Mark(mark) => mark.stamp.wall_ns,
            Event::Sample => log.sample().stamp.wall_ns,
        };
        match event {
            Event::Mark(mark) => gathered.mark(mark),
            Event::Sample => gathered.sample(log.schema(), log.sample(), &mut slots),
        }
        .map_err(|exceeded| failed(exceeded.into()))?;
        if let (Some(keeper), Some(position)) = (&mut keeper, log.position()) {
            keeper.passed(position, wall_ns).map_err(failed)?;
        }
    }
    let valid = log.valid();
    if let (Some(mut keeper), Some(position)) = (keeper, log.position()) {
        keeper.ended(position).map_err(failed)?;
        positions.take(name, keeper);
    }
    if log::is_damaged_at(again, valid, &gathered.request.budget).map_err(failed)? {
        let what = format!("{} is damaged at byte {valid}", path().display());
        gathered.damaged(name, what, "the samples after it are lost");
    }
    Ok(())
}

/// The sealed files of one segment by table. There is one of each, unless somebody copied another segment of this number here.
pub(super) type SealedFiles = BTreeMap<&'static str, Vec<SealedPath>>;

/// The first and last moment of sealed segments, by their file of samples, which does not change: its checksum is in its name. Readers of
/// parts of a recording share them.
pub(super) type Ranges = Arc<Mutex<BTreeMap<PathBuf, (i64, i64)>>>;

/// The selected samples of a segment by their numbers, each with its place among them.
#[derive(Debug, Default)]
struct Places(Vec<(i64, usize)>);

impl Places {
    /// The places of the samples of some rows, most of which are in order; `None` for samples that were not selected.
    fn of_rows(&self, numbers: &[i64]) -> Vec<Option<usize>> {
        let mut next = 0;
        let place = |number: &i64| {
            if self.0.get(next).is_none_or(|(known, _)| known != number) {
                next = self.0.partition_point(|(known, _)| known < number);
            }
            let (_, place) = self.0.get(next).filter(|(known, _)| known == number)?;
            next += 1;
            Some(*place)
        };
        numbers.iter().map(place).collect()
    }
}

/// Something that is damaged, and what is lost with it.
#[derive(Debug)]
pub(super) struct Lost {
    name: SegmentName,
    what: String,
    cost: String,
}

impl Lost {
    fn note(self, gathered: &mut LoadedParts<'_>) {
        gathered.damaged(&self.name, self.what, &self.cost);
    }
}

/// What was read of a file, with the charge for it; what is lost if the file is damaged.
type Content<T> = Result<(T, Held), Lost>;

/// What is selected of a sealed segment. It is read without a look at other segments, which other threads read meanwhile, and then
/// gathered in their order.
#[derive(Debug)]
pub(super) struct SealedSegment {
    manifest: Manifest,
    /// Its other files that are missing.
    missing: Vec<Lost>,
    marks: Option<Content<Vec<Mark>>>,
    stamps: Vec<Stamp>,
    tables: Vec<(Table, Content<Vec<Rows>>)>,
    _held: Held,
}

/// Whether a sealed segment is known to have no selected sample.
pub(super) fn is_outside(files: &SealedFiles, ranges: &Ranges, request: &Request<'_>) -> bool {
    let path = files.get(sealed::SAMPLES).and_then(|paths| paths.last());
    let known = ranges.lock().unwrap_or_else(PoisonError::into_inner);
    path.and_then(|path| known.get(&path.path)).is_some_and(|range| request.is_outside(*range))
}

/// What of a sealed segment was read: nothing if none of it is selected, and what is lost if its file of samples is damaged.
pub(super) type SealedPart = Result<Option<SealedSegment>, Lost>;

/// Whether a segment, or a file of it, is damaged or missing.
pub(super) fn lacks_something(part: &SealedPart) -> bool {
    part.as_ref().map_or(true, |segment| segment.as_ref().is_some_and(|segment| !segment.missing.is_empty()))
}

/// Reads a sealed segment.
pub(super) fn sealed(
    folder: &Folder,
    files: &SealedFiles,
    ranges: &Ranges,
    request: &Request<'_>,
) -> Result<SealedPart, LoadError> {
    let Some(path) = files.get(sealed::SAMPLES).and_then(|paths| paths.last()) else { return Ok(Ok(None)) };
    if is_outside(files, ranges, request) {
        return Ok(Ok(None));
    }
    let budget = &request.budget;
    let samples = read(folder, path, budget, |file| {
        let (mut numbers, mut stamps) = (Vec::new(), Vec::new());
        let range = file.range(file.column_named("wall_ns")?);
        if let Some(range) = range.filter(|_| path.checksum.is_some()) {
            ranges.lock().unwrap_or_else(PoisonError::into_inner).insert(path.path.clone(), range);
        }
        if range.is_some_and(|range| request.is_outside(range)) {
            return Ok(None);
        }
        let ends = if request.wants_times() { None } else { ends(file)? };
        if let Some(ends) = ends {
            return Ok(Some((file.description().clone(), vec![0, 1], ends.to_vec())));
        }
        for group in 0..file.row_groups() {
            let more = file.required(group, file.column_named("sample")?)?;
            let more_stamps = read_stamps(file, group)?;
            file.charge(bytes_of(2 * more.len(), size_of::<i64>() + size_of::<Stamp>()))?;
            numbers.try_reserve(more.len()).map_err(Exceeded::from)?;
            stamps.try_reserve(more_stamps.len()).map_err(Exceeded::from)?;
            numbers.extend(more);
            stamps.extend(more_stamps);
        }
        Ok(Some((file.description().clone(), numbers, stamps)))
    })?;
    let ((description, numbers, mut stamps), held) = match samples {
        Ok((Some(samples), held)) => (samples, held),
        Ok((None, _)) => return Ok(Ok(None)),
        Err(lost) => return Ok(Err(lost)),
    };
    let (siblings, missing) = siblings(folder, files, path, &description)?;
    let marks = siblings.get(sealed::MARKS).map(|path| read(folder, path, budget, read_marks)).transpose()?;
    let room = budget.hold();
    room.charge(bytes_of(numbers.len(), 2 * size_of::<(i64, usize)>()))?;
    let selected = numbers.into_iter().zip(&stamps).filter(|(_, stamp)| request.wants(stamp.wall_ns));
    let mut places = Places(selected.map(|(number, _)| number).zip(0..).collect());
    places.0.sort_unstable();
    stamps.retain(|stamp| request.wants(stamp.wall_ns));
    let mut tables = Vec::new();
    for table in Table::ALL.into_iter().filter(|table| !stamps.is_empty() && request.wants_table(*table)) {
        let Some(path) = siblings.get(table.name()) else { continue };
        tables.push((table, read(folder, path, budget, |file| read_table(file, &places, &request.metrics))?));
    }
    let manifest = description.manifest.unwrap_or_default();
    Ok(Ok(Some(SealedSegment { manifest, missing, marks, stamps, tables, _held: held })))
}

/// Adds what was read of a sealed segment.
pub(super) fn gather(part: SealedPart, gathered: &mut LoadedParts<'_>) -> Result<(), LoadError> {
    let segment = match part {
        Ok(Some(segment)) => segment,
        Ok(None) => return Ok(()),
        Err(lost) => {
            lost.note(gathered);
            return Ok(());
        }
    };
    gathered.run(&segment.manifest);
    segment.missing.into_iter().for_each(|lost| lost.note(gathered));
    match segment.marks {
        Some(Ok((marks, held))) => {
            marks.into_iter().try_for_each(|mark| gathered.mark(mark))?;
            held.keep();
        }
        Some(Err(lost)) => lost.note(gathered),
        None => {}
    }
    let first = gathered.samples();
    segment.stamps.into_iter().try_for_each(|stamp| gathered.stamp(stamp).map(drop))?;
    for (table, rows) in segment.tables {
        match rows {
            Ok((rows, _held)) => rows.into_iter().try_for_each(|rows| gathered.rows(table, first, rows))?,
            Err(lost) => lost.note(gathered),
        }
    }
    Ok(())
}

/// The files that belong to a file of samples: those that it lists, with the listed content. Before version 3 it lists none, and those that
/// exist are read. Beside them, those that are missing or have other content; unknown tables are skipped.
fn siblings(
    folder: &Folder,
    files: &SealedFiles,
    samples: &SealedPath,
    description: &Description,
) -> Result<(BTreeMap<&'static str, SealedPath>, Vec<Lost>), LoadError> {
    let Some(listed) = &description.siblings else {
        let all = files.iter().filter_map(|(kind, paths)| Some((*kind, paths.last()?.clone())));
        return Ok((all.collect(), Vec::new()));
    };
    let (mut siblings, mut missing) = (BTreeMap::new(), Vec::new());
    for kind in sealed::kinds() {
        let Some(content) = listed.get(kind) else { continue };
        let there = files.get(kind).map_or(&[][..], Vec::as_slice);
        let same = |path: &&SealedPath| {
            path.checksum.is_none_or(|checksum| checksum == content.crc32) && folder.size(&path.path) == content.size
        };
        if let Some(path) = there.iter().find(same) {
            siblings.insert(kind, SealedPath { checksum: Some(content.crc32), ..path.clone() });
            continue;
        }
        // The removal of a segment begins with its file of samples.
        folder.open_sealed(samples).map_err(|error| LoadError::Io(samples.path.clone(), error))?;
        let why = if there.is_empty() { "is missing" } else { "is not the one written with it" };
        let what = format!("segment {} is damaged: its file in {kind}/ {why}", samples.name.text());
        missing.push(Lost { cost: damage::cost(&samples.name, kind), name: samples.name.clone(), what });
    }
    Ok((siblings, missing))
}

/// Reads a sealed file.
fn read<T>(
    folder: &Folder,
    path: &SealedPath,
    budget: &Budget,
    read: impl FnOnce(&SealedFile) -> Result<T, SealedError>,
) -> Result<Content<T>, LoadError> {
    // A renamed file has no checksum, and the parquet crate panics on some damage (a varint that is too long).
    let content = catch_unwind(AssertUnwindSafe(|| {
        let file = SealedFile::open(folder, path, budget)?;
        Ok((read(&file)?, file.into_held()))
    }));
    let full = || folder.full(&path.path);
    let why = match content.unwrap_or_else(|_| Err(SealedError::Damaged("cannot decode a page".to_owned()))) {
        Ok(content) => return Ok(Ok(content)),
        Err(SealedError::Io(error)) if !damage::is_foreign(&error) => return Err(LoadError::Io(full(), error)),
        Err(SealedError::Newer(version)) => return Err(LoadError::Newer(full(), version)),
        Err(SealedError::Io(error)) => error.to_string(),
        Err(SealedError::Damaged(why)) => why,
    };
    let what = format!("{} is left out: {why}", full().display());
    Ok(Err(Lost { name: path.name.clone(), what, cost: damage::cost_of(path) }))
}

/// The times of the rows of a row group.
fn read_stamps(file: &SealedFile, group: usize) -> Result<Vec<Stamp>, SealedError> {
    let times = |name| file.required(group, file.column_named(name)?);
    let (wall, mono, boot) = (times("wall_ns")?, times("mono_ns")?, times("boot_ns")?);
    let stamps = wall.into_iter().zip(mono).zip(boot);
    Ok(stamps.map(|((wall_ns, mono_ns), boot_ns)| Stamp { wall_ns, mono_ns, boot_ns }).collect())
}

/// The times of the first and the last sample from the file's metadata; `None` if it has none.
fn ends(file: &SealedFile) -> Result<Option<[Stamp; 2]>, SealedError> {
    let range = |name| Ok::<_, SealedError>(file.range(file.column_named(name)?));
    let (wall, mono, boot) = (range("wall_ns")?, range("mono_ns")?, range("boot_ns")?);
    Ok(wall.zip(mono).zip(boot).map(|((wall, mono), boot)| {
        let stamp = |of: fn((i64, i64)) -> i64| Stamp { wall_ns: of(wall), mono_ns: of(mono), boot_ns: of(boot) };
        [stamp(|range| range.0), stamp(|range| range.1)]
    }))
}

fn read_marks(file: &SealedFile) -> Result<Vec<Mark>, SealedError> {
    let mut marks = Vec::new();
    for group in 0..file.row_groups() {
        let stamps = read_stamps(file, group)?;
        let kinds = file.strings(group, file.column_named("json")?)?;
        for (stamp, json) in stamps.into_iter().zip(kinds) {
            file.charge(bytes_of(json.len(), KEPT_JSON_BYTES))?;
            let kind = log::mark(file.json(json.data())?);
            let kind = kind.ok_or_else(|| SealedError::Damaged("a mark is not JSON".into()))?;
            marks.extend(kind.map(|kind| Mark { stamp, kind }));
        }
    }
    Ok(marks)
}

fn read_table(file: &SealedFile, places: &Places, wanted: &WantedMetrics<'_>) -> Result<Vec<Rows>, SealedError> {
    let Description { label, metrics, version, .. } = file.description();
    // Other columns, whatever they are, come before those of the metrics.
    let first_metric = file.columns().checked_sub(metrics.len());
    let first_metric = first_metric.ok_or_else(|| SealedError::Damaged("a column is missing".into()))?;
    let mut all = Vec::new();
    for group in 0..file.row_groups() {
        let numbers = file.required(group, file.column_named("sample")?)?;
        file.charge(bytes_of(numbers.len(), size_of::<Option<usize>>()))?;
        let places = places.of_rows(&numbers);
        if places.iter().all(Option::is_none) {
            continue;
        }
        let runs = match label {
            Some(label) => vec![(Entity::new("", label.clone()), numbers.len())],
            None => read_runs(file, group)?,
        };
        let mut columns = Vec::with_capacity(metrics.len());
        for (at, metric) in metrics.iter().enumerate().filter(|(_, metric)| wanted.wants(&metric.name)) {
            let mut values = file.numbers(group, first_metric + at)?;
            if *version < 3 && metric.kind == Kind::Rate {
                values.values.iter_mut().for_each(|value| *value = value.saturating_mul(RATE_FACTOR_BEFORE_3));
            }
            columns.push((metric.clone(), values));
        }
        all.push(Rows { places, runs, columns });
    }
    Ok(all)
}

/// The entities of a row group, each with the index after its last row.
fn read_runs(file: &SealedFile, group: usize) -> Result<Vec<(Entity, usize)>, SealedError> {
    let names = file.strings(group, file.column_named("entity")?)?;
    let is_last = |row: &usize| names.get(row + 1).is_none_or(|next| *next != names[*row]);
    let last: Vec<usize> = (0..names.len()).filter(is_last).collect();
    let labels = file.strings_at(group, file.column_named("label")?, &last)?;
    let command_lines =
        file.column_named(COMMAND_LINE_COLUMN).ok().map(|column| file.strings_at(group, column, &last)).transpose()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut runs = Vec::new();
    for (nth, (row, label)) in last.iter().zip(&labels).enumerate() {
        let name = &names[*row];
        let command_line = command_lines.as_ref().and_then(|lines| lines.get(nth)).filter(|line| !line.is_empty());
        let length = name.len() + label.len() + command_line.map_or(0, |line| line.len());
        file.charge((2 * size_of::<Entity>() + 3 * length) as u64)?;
        let command_line = command_line.map(|line| text(line.data()));
        runs.push((Entity { command_line, ..Entity::new(text(name.data()), text(label.data())) }, row + 1));
    }
    Ok(runs)
}

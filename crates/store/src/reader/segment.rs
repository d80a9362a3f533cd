//! Reading one segment, open or sealed.

use super::gather::Gathered;
use crate::layout::{self, Folder, SealedPath, SegmentName};
use crate::log::{Event, LogError, LogReader};
use crate::sealed::{self, MARK_COLUMNS, ROW_COLUMNS, SealedError, SealedFile, TIME_COLUMNS};
use pagetide_core::{Entity, Mark, MarkKind, Selection, Stamp, Table};
use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// Why a recording cannot be loaded.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The file system refused; the path may be empty when it is the recording's folder.
    Io(PathBuf, io::Error),
    /// A segment of a newer version.
    Newer(PathBuf, u32),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(PathBuf::new(), error)
    }
}

/// Reads an open segment as far as it is whole and valid.
pub(super) fn open(folder: &Folder, name: &SegmentName, gathered: &mut Gathered<'_>) -> Result<(), Trouble> {
    let path = || folder.full(&layout::log(name));
    let failed = |error| Trouble::Io(path(), error);
    let mut log = match LogReader::open(BufReader::new(folder.open_log(name).map_err(failed)?)) {
        Ok(log) => log,
        // Its writer has not come to the first record yet, or crashed before.
        Err(LogError::NotALog) => return Ok(()),
        Err(LogError::Io(error)) => return Err(failed(error)),
        Err(LogError::Newer(version)) => return Err(Trouble::Newer(path(), version)),
    };
    gathered.run(&log.start().manifest);
    let mut slots = BTreeMap::new();
    while let Some(event) = log.next().map_err(failed)? {
        match event {
            Event::Mark(mark) => gathered.mark(mark),
            Event::Sample => gathered.sample(log.schema(), log.sample(), &mut slots),
        }
    }
    Ok(())
}

/// Which of [`TIME_COLUMNS`] is the wall clock.
const WALL: usize = 1;

/// Reads a sealed segment: the files of one number.
pub(super) fn sealed(
    folder: &Folder,
    files: &BTreeMap<&'static str, SealedPath>,
    gathered: &mut Gathered<'_>,
) -> Result<(), Trouble> {
    // Without the file of samples it is the rest of a segment that is being removed.
    let Some(path) = files.get(sealed::SAMPLES) else { return Ok(()) };
    let Selection { from_wall_ns, to_wall_ns, .. } = gathered.selection;
    let outside = |(first, last): (i64, i64)| {
        from_wall_ns.is_some_and(|from| last < from) || to_wall_ns.is_some_and(|to| first > to)
    };
    let Some(samples) = read(folder, path, gathered, |file| {
        let (mut numbers, mut stamps) = (Vec::new(), Vec::new());
        let groups = if file.range(WALL).is_some_and(outside) { 0 } else { file.row_groups() };
        for group in 0..groups {
            numbers.extend(file.required(group, 0)?);
            stamps.extend(read_stamps(file, group, WALL)?);
        }
        Ok((file.description().manifest.clone().unwrap_or_default(), numbers, stamps))
    })?
    else {
        return Ok(());
    };
    let (manifest, numbers, stamps) = samples;
    gathered.run(&manifest);
    if let Some(path) = files.get(sealed::MARKS) {
        let marks = read(folder, path, gathered, read_marks)?;
        marks.into_iter().flatten().for_each(|mark| gathered.mark(mark));
    }
    let places: BTreeMap<i64, usize> =
        numbers.into_iter().zip(stamps).filter_map(|(number, stamp)| Some((number, gathered.stamp(stamp)?))).collect();
    if places.is_empty() {
        return Ok(());
    }
    for table in Table::ALL {
        let Some(path) = files.get(table.name()).filter(|_| gathered.wants_table(table)) else { continue };
        let selection = gathered.selection;
        let rows = read(folder, path, gathered, |file| read_table(file, &places, selection))?;
        for rows in rows.into_iter().flatten() {
            gathered.rows(table, rows);
        }
    }
    Ok(())
}

/// Reads a sealed file; absent, with a note in the recording, when it is damaged.
fn read<T>(
    folder: &Folder,
    path: &SealedPath,
    gathered: &mut Gathered<'_>,
    read: impl FnOnce(&SealedFile) -> Result<T, SealedError>,
) -> Result<Option<T>, Trouble> {
    // A file that lost its checksum with its name may be damaged in ways on which the parquet crate panics (a varint that is too long).
    let content = catch_unwind(AssertUnwindSafe(|| SealedFile::open(folder, path).and_then(|file| read(&file))));
    match content.unwrap_or_else(|_| Err(SealedError::Damaged("a page cannot be decoded".to_owned()))) {
        Ok(content) => Ok(Some(content)),
        Err(SealedError::Io(error)) => Err(Trouble::Io(folder.full(&path.path), error)),
        Err(SealedError::Newer(version)) => Err(Trouble::Newer(folder.full(&path.path), version)),
        Err(SealedError::Damaged(why)) => {
            gathered
                .note(path.name.wall_ns(), format!("store: {} is left out: {why}", folder.full(&path.path).display()));
            Ok(None)
        }
    }
}

/// Three columns from `first` on as stamps.
fn read_stamps(file: &SealedFile, group: usize, first: usize) -> Result<Vec<Stamp>, SealedError> {
    let (wall, mono, boot) =
        (file.required(group, first)?, file.required(group, first + 1)?, file.required(group, first + 2)?);
    let stamps = wall.into_iter().zip(mono).zip(boot);
    Ok(stamps.map(|((wall_ns, mono_ns), boot_ns)| Stamp { wall_ns, mono_ns, boot_ns }).collect())
}

fn read_marks(file: &SealedFile) -> Result<Vec<Mark>, SealedError> {
    let mut marks = Vec::new();
    for group in 0..file.row_groups() {
        let stamps = read_stamps(file, group, 0)?;
        for (stamp, json) in stamps.into_iter().zip(file.strings(group, MARK_COLUMNS.len() - 1)?) {
            let kind: Result<MarkKind, _> = serde_json::from_slice(json.data());
            marks.push(Mark { stamp, kind: kind.map_err(|error| SealedError::Damaged(error.to_string()))? });
        }
    }
    Ok(marks)
}

/// The rows of a row group: runs of one entity, and columns.
#[derive(Debug)]
pub(super) struct Rows {
    /// Where each row's sample is in the recording; absent when it was not selected.
    pub(super) places: Vec<Option<usize>>,
    /// The entities in order: each with the row behind its last one.
    pub(super) runs: Vec<(Entity, usize)>,
    pub(super) columns: Vec<(pagetide_core::Column, Vec<Option<i64>>)>,
}

fn read_table(
    file: &SealedFile,
    places: &BTreeMap<i64, usize>,
    selection: &Selection,
) -> Result<Vec<Rows>, SealedError> {
    let label = file.description().label.clone();
    // Up to version 1 tables had all times.
    let times = if file.description().version < 2 { TIME_COLUMNS.len() } else { ROW_COLUMNS.len() };
    let first_metric = times + if label.is_some() { 0 } else { sealed::ENTITY_COLUMNS.len() };
    if file.columns() != first_metric + file.description().metrics.len() {
        return Err(SealedError::Damaged("its columns are not those it describes".into()));
    }
    let mut all = Vec::new();
    for group in 0..file.row_groups() {
        let numbers = file.required(group, 0)?;
        let places: Vec<_> = numbers.iter().map(|number| places.get(number).copied()).collect();
        if places.iter().all(Option::is_none) {
            continue;
        }
        let runs = match &label {
            Some(label) => vec![(Entity { name: String::new(), label: label.clone() }, numbers.len())],
            None => read_runs(file, group, times)?,
        };
        let mut columns = Vec::with_capacity(file.description().metrics.len());
        let metrics = file.description().metrics.iter().enumerate();
        for (at, metric) in metrics.filter(|(_, metric)| selection.wants_metric(&metric.name)) {
            columns.push((metric.clone(), file.numbers(group, first_metric + at)?));
        }
        all.push(Rows { places, runs, columns });
    }
    Ok(all)
}

/// The entities of a row group, whose two columns begin with `first`.
fn read_runs(file: &SealedFile, group: usize, first: usize) -> Result<Vec<(Entity, usize)>, SealedError> {
    let (names, labels) = (file.strings(group, first)?, file.strings(group, first + 1)?);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut runs = Vec::new();
    for (row, (name, label)) in names.iter().zip(&labels).enumerate() {
        if names.get(row + 1).is_none_or(|next| next != name) {
            runs.push((Entity { name: text(name.data()), label: text(label.data()) }, row + 1));
        }
    }
    Ok(runs)
}

//! Turns an open segment into sealed files.
//!
//! The log is read once per table, so sealing needs the memory of one row group, however large the log. As long as the log exists, readers
//! use it and ignore sealed files, so a crash at any moment loses nothing.

use crate::FORMAT_VERSION;
use crate::budget::{Budget, Exceeded};
use crate::files::Files;
use crate::layout::{self, Folder, OPEN, SegmentName};
use crate::log::{self, Event, LogError, LogReader};
use crate::sealed::{
    self, COMMAND_LINE_COLUMN, Content, Description, ENTITY_COLUMNS, FileWriter, MARK_COLUMNS, ROW_COLUMNS,
    TIME_COLUMNS,
};
use pagetide_core::{Entity, Manifest, Mark, Schema, Stamp, Table};
use pagetide_dir::temporary;
use parquet::data_type::ByteArray;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// A row group ends at this many numbers, which bounds the memory that sealing needs.
const ROW_GROUP_CELLS: usize = 1 << 20;

/// Seals the segment `name` and removes its log.
pub(crate) fn seal(files: &dyn Files, folder: &Folder, name: &SegmentName) -> io::Result<()> {
    let path = layout::log(name);
    let survey = match Survey::of(folder, name) {
        Ok(survey) => survey,
        // A crash before the first record left an empty file. A file that cannot be read is kept.
        Err(LogError::NotALog) if !log::has_lost_its_beginning(folder.open_log(name)?, &Budget::default())? => {
            return remove(files, folder, &path);
        }
        Err(LogError::NotALog | LogError::Manifest(_) | LogError::Newer(_)) => return set_aside(files, folder, &path),
        // No recorder writes such a sample. Left as it is, the log would block the sealing of all later ones.
        Err(LogError::Io(error)) if Exceeded::of(&error).is_some() => return set_aside(files, folder, &path),
        Err(LogError::Io(error)) => return Err(error),
    };
    for kind in sealed::folders() {
        // A crash during an earlier attempt may have left some.
        for file in folder.sealed_files(kind)?.into_iter().filter(|file| file.name.number == name.number) {
            files.remove(folder.dir(), &file.path)?;
        }
    }
    let sealing = Sealing { files, folder, name, survey: &survey };
    let mut siblings = BTreeMap::new();
    if survey.samples > 0 {
        for table in survey.tables.iter().copied() {
            siblings.insert(table.name().to_owned(), sealing.table(table)?);
        }
    }
    if survey.marks > 0 {
        siblings.insert(sealed::MARKS.to_owned(), sealing.marks()?);
    }
    // The file of samples lists the others, and readers see the segment once it exists, so it comes last.
    sealing.samples(siblings)?;
    if survey.damaged { set_aside(files, folder, &path) } else { remove(files, folder, &path) }
}

fn remove(files: &dyn Files, folder: &Folder, path: &Path) -> io::Result<()> {
    files.remove(folder.dir(), path)?;
    files.sync_folder(folder.dir(), Path::new(OPEN))
}

/// Renames a damaged log so that readers skip it and a person can examine it.
fn set_aside(files: &dyn Files, folder: &Folder, path: &Path) -> io::Result<()> {
    files.rename(folder.dir(), path, &path.with_extension("damaged"))?;
    files.sync_folder(folder.dir(), Path::new(OPEN))
}

/// What a log holds.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) manifest: Manifest,
    pub(crate) first_sample: u64,
    pub(crate) samples: u64,
    marks: u64,
    schema: Schema,
    tables: BTreeSet<Table>,
    /// Whether valid records follow after the end of what can be read, which a crash does not cause.
    damaged: bool,
}

impl Survey {
    /// Reads the log of a segment once.
    pub(crate) fn of(folder: &Folder, name: &SegmentName) -> Result<Self, LogError> {
        let mut log = LogReader::open(BufReader::new(folder.open_log(name)?), &Budget::default())?;
        let (mut samples, mut marks, mut tables) = (0, 0, BTreeSet::new());
        while let Some(event) = log.next()? {
            match event {
                Event::Mark(_) => marks += 1,
                Event::Sample => {
                    samples += 1;
                    tables.extend(log.sample().tables().map(|rows| rows.table()));
                }
            }
        }
        Ok(Self {
            manifest: log.start().manifest.clone(),
            first_sample: log.start().first_sample,
            samples,
            marks,
            schema: log.schema().clone(),
            tables,
            damaged: log::is_damaged_behind(folder.open_log(name)?, log.valid(), &Budget::default())?,
        })
    }
}

struct Sealing<'a> {
    files: &'a dyn Files,
    folder: &'a Folder,
    name: &'a SegmentName,
    survey: &'a Survey,
}

impl Sealing<'_> {
    fn log(&self) -> io::Result<LogReader<BufReader<File>>> {
        LogReader::open(BufReader::new(self.folder.open_log(self.name)?), &Budget::default()).map_err(io::Error::other)
    }

    fn description(&self, file: &str) -> Description {
        Description { version: FORMAT_VERSION, file: file.to_owned(), ..Description::default() }
    }

    /// Writes a file under a temporary name and renames it when it is complete. Returns its size and checksum.
    fn file(
        &self,
        kind: &str,
        [numbers, strings]: [&[&str]; 2],
        metrics: (&[String], &[bool]),
        description: &Description,
        fill: impl FnOnce(&mut FileWriter) -> io::Result<()>,
    ) -> io::Result<Content> {
        let (files, dir) = (self.files, self.folder.dir());
        let folder = layout::sealed_folder(kind, &self.survey.manifest.host, self.name);
        let temporary = temporary(&folder.join(format!("{}.parquet", self.name.text())));
        let opened = files.make_folder(dir, &folder).and_then(|()| files.create(dir, &temporary));
        let written = opened.and_then(|output| {
            let mut writer = FileWriter::new(output, numbers, strings, metrics, description)?;
            fill(&mut writer)?;
            let content = writer.finish()?;
            files.rename(dir, &temporary, &folder.join(self.name.sealed(content.crc32)))?;
            Ok(content)
        });
        if written.is_err() {
            // The log still has everything; a half-written file only takes space, as do folders that were made for it.
            let _ = files.remove(dir, &temporary);
            for above in folder.ancestors().filter(|above| !above.as_os_str().is_empty()) {
                let _ = files.remove_empty_folder(dir, above);
            }
            return written;
        }
        folder.ancestors().try_for_each(|folder| files.sync_folder(dir, folder))?;
        written
    }

    fn samples(&self, siblings: BTreeMap<String, Content>) -> io::Result<Content> {
        let manifest = Some(self.survey.manifest.clone());
        let description = Description { manifest, siblings: Some(siblings), ..self.description(sealed::SAMPLES) };
        self.file(sealed::SAMPLES, [&TIME_COLUMNS, &[]], (&[], &[]), &description, |file| {
            let mut rows = Rows::new(TIME_COLUMNS.len(), 0);
            let mut log = self.log()?;
            let mut number = self.survey.first_sample;
            while let Some(event) = log.next()? {
                if event == Event::Sample {
                    rows.push(0, number, log.sample().stamp, &[]);
                    number += 1;
                    if rows.full() {
                        rows.write(file, &[])?;
                    }
                }
            }
            rows.write(file, &[])
        })
    }

    fn table(&self, table: Table) -> io::Result<Content> {
        let (metrics, entities) = (self.survey.schema.columns(table), self.survey.schema.entities(table));
        // The host is the only entity of its table, so its rows need no name.
        let only = entities.first().filter(|entity| entities.len() == 1 && entity.name.is_empty());
        let mut strings = if only.is_some() { Vec::new() } else { ENTITY_COLUMNS.to_vec() };
        if entities.iter().any(|entity| entity.command_line.is_some()) {
            strings.push(COMMAND_LINE_COLUMN);
        }
        let taken = [ROW_COLUMNS.as_slice(), &strings].concat();
        let names = sealed::column_names(&taken, metrics);
        let description = Description {
            label: only.map(|entity| entity.label.clone()),
            metrics: metrics.to_vec(),
            ..self.description(table.name())
        };
        let texts: Vec<Texts> = strings.iter().map(|column| texts(entities, column)).collect();
        let mut rows = Rows::new(ROW_COLUMNS.len(), metrics.len());
        let (mut log, mut number) = (self.log()?, self.survey.first_sample);
        let mut read = |rows: &mut Rows| -> io::Result<()> {
            while !rows.full()
                && let Some(event) = log.next()?
            {
                if event != Event::Sample {
                    continue;
                }
                for (id, values) in log.sample().table(table).into_iter().flat_map(|table| table.rows()) {
                    rows.push(id.0, number, log.sample().stamp, values);
                }
                number += 1;
            }
            Ok(())
        };
        read(&mut rows)?;
        // An encoding is of a whole file: the first row group tells it.
        let moving = rows.moving();
        self.file(table.name(), [&ROW_COLUMNS, &strings], (&names, &moving), &description, |file| {
            while !rows.is_empty() {
                rows.write(file, &texts)?;
                read(&mut rows)?;
            }
            Ok(())
        })
    }

    fn marks(&self) -> io::Result<Content> {
        let (numbers, strings) = MARK_COLUMNS.split_at(3);
        self.file(sealed::MARKS, [numbers, strings], (&[], &[]), &self.description(sealed::MARKS), |file| {
            let mut marks = Vec::new();
            let mut log = self.log()?;
            while let Some(event) = log.next()? {
                if let Event::Mark(mark) = event {
                    marks.push(mark);
                }
            }
            write_marks(file, &marks)
        })
    }
}

fn write_marks(file: &mut FileWriter, marks: &[Mark]) -> io::Result<()> {
    let clocks: [fn(&Stamp) -> i64; 3] = [|stamp| stamp.wall_ns, |stamp| stamp.mono_ns, |stamp| stamp.boot_ns];
    let mut group = file.row_group()?;
    for clock in clocks {
        group.numbers(&marks.iter().map(|mark| clock(&mark.stamp)).collect::<Vec<_>>())?;
    }
    let kinds: Result<Vec<_>, _> = marks.iter().map(|mark| serde_json::to_value(&mark.kind)).collect();
    let kinds = kinds?;
    let name = |kind: &serde_json::Value| ByteArray::from(kind["type"].as_str().unwrap_or_default());
    group.strings(&kinds.iter().map(name).collect::<Vec<_>>())?;
    group.strings(&kinds.iter().map(|kind| ByteArray::from(kind.to_string().as_str())).collect::<Vec<_>>())?;
    group.finish()
}

/// The text of a column for each entity.
type Texts = Vec<ByteArray>;

fn texts(entities: &[Entity], column: &str) -> Texts {
    let text = |entity: &Entity| match column {
        COMMAND_LINE_COLUMN => ByteArray::from(entity.command_line.as_deref().unwrap_or_default()),
        "label" => ByteArray::from(entity.label.as_str()),
        _ => ByteArray::from(entity.name.as_str()),
    };
    entities.iter().map(text).collect()
}

/// The rows of a row group.
#[derive(Debug)]
struct Rows {
    /// How many of [`TIME_COLUMNS`] they have.
    times: usize,
    width: usize,
    keys: Vec<Key>,
    values: Vec<i64>,
    present: Vec<bool>,
}

#[derive(Debug, Clone, Copy)]
struct Key {
    entity: u32,
    sample: u64,
    stamp: Stamp,
}

impl Rows {
    fn new(times: usize, width: usize) -> Self {
        Self { times, width, keys: Vec::new(), values: Vec::new(), present: Vec::new() }
    }

    /// Adds a row. Columns that the log did not have yet have no value.
    fn push(&mut self, entity: u32, sample: u64, stamp: Stamp, values: &[Option<i64>]) {
        self.keys.push(Key { entity, sample, stamp });
        let cells = values.iter().copied().chain(std::iter::repeat(None)).take(self.width);
        for cell in cells {
            self.values.push(cell.unwrap_or(0));
            self.present.push(cell.is_some());
        }
    }

    fn full(&self) -> bool {
        self.keys.len() * (self.width + self.times) >= ROW_GROUP_CELLS
    }

    fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The rows by entity, then time.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        order.sort_by_key(|at| self.keys[*at].entity);
        order
    }

    /// Of each metric, whether most values of an entity differ from the one before.
    fn moving(&self) -> Vec<bool> {
        let (mut pairs, mut differing) = (vec![0u32; self.width], vec![0u32; self.width]);
        let order = self.order();
        let same = |pair: &&[usize]| self.keys[pair[0]].entity == self.keys[pair[1]].entity;
        for pair in order.windows(2).filter(same) {
            let [before, after] = [pair[0] * self.width, pair[1] * self.width];
            for column in 0..self.width {
                let there = self.present[before + column] && self.present[after + column];
                pairs[column] += u32::from(there);
                differing[column] += u32::from(there && self.values[before + column] != self.values[after + column]);
            }
        }
        differing.iter().zip(&pairs).map(|(differing, pairs)| differing * 2 > *pairs).collect()
    }

    /// Writes the rows ordered by entity, then time, so that neighbours differ little, and forgets them.
    fn write(&mut self, file: &mut FileWriter, texts: &[Texts]) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let order = self.order();
        let mut group = file.row_group()?;
        let clocks: [fn(&Key) -> i64; 4] =
            [|key| key.sample.cast_signed(), |key| key.stamp.wall_ns, |key| key.stamp.mono_ns, |key| key.stamp.boot_ns];
        let mut numbers = Vec::with_capacity(order.len());
        for clock in &clocks[..self.times] {
            numbers.clear();
            numbers.extend(order.iter().map(|at| clock(&self.keys[*at])));
            group.numbers(&numbers)?;
        }
        for texts in texts {
            let rows: Vec<ByteArray> = order.iter().map(|at| texts[self.keys[*at].entity as usize].clone()).collect();
            group.strings(&rows)?;
        }
        let mut present = Vec::with_capacity(order.len());
        for column in 0..self.width {
            numbers.clear();
            present.clear();
            for at in &order {
                let cell = at * self.width + column;
                present.push(i16::from(self.present[cell]));
                if self.present[cell] {
                    numbers.push(self.values[cell]);
                }
            }
            group.metric(&numbers, &present)?;
        }
        group.finish()?;
        self.keys.clear();
        self.values.clear();
        self.present.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_moves_where_most_values_of_an_entity_differ_from_the_one_before() {
        let mut rows = Rows::new(0, 4);
        for sample in 0..4i64 {
            let stamp = Stamp::default();
            // One moves, one is moved once, one differs between entities only, and one is absent every other time.
            for entity in 0..2 {
                let values = [sample, sample.min(1), i64::from(entity), sample];
                let absent = |at: usize| at == 3 && sample % 2 == 1;
                let values: Vec<Option<i64>> =
                    values.iter().enumerate().map(|(at, value)| (!absent(at)).then_some(*value)).collect();
                rows.push(entity, sample.unsigned_abs(), stamp, &values);
            }
        }
        assert_eq!(rows.moving(), [true, false, false, false]);
        assert_eq!(rows.order(), [0, 2, 4, 6, 1, 3, 5, 7]);
    }
}

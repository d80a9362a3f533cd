//! Gives a recording back.

use crate::layout::Folder;
use crate::log::{Event, LogError, LogReader};
use crate::{FORMAT_VERSION, refuse};
use pagetide_core::{Column, Entity, Manifest, Recording, RecordingBuilder, Refusal, Selection, Source, Stamp, Table};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// Reads a recording from its folder, also while it is written.
#[derive(Debug)]
pub struct Reader {
    folder: Folder,
    manifest: Manifest,
}

impl Reader {
    /// Opens the recording in `folder`.
    ///
    /// # Errors
    ///
    /// When there is none, when it cannot be read, or when its format is newer than this crate.
    pub fn open(folder: &Path) -> Result<Self, Refusal> {
        let folder = Folder::new(folder);
        let path = folder.manifest();
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Err(Refusal::input(
                    format!("{}: not a recording, it has no manifest.json", folder.path().display()),
                    "`pagetide record -o DIR` makes one",
                ));
            }
            Err(error) => return Err(refuse::io("read it", &path, &error)),
        };
        let manifest: Manifest = serde_json::from_slice(&text)
            .map_err(|error| Refusal::input(format!("{}: {error}", path.display()), ""))?;
        if manifest.schema_version > FORMAT_VERSION {
            return Err(refuse::newer(&path, manifest.schema_version));
        }
        Ok(Self { folder, manifest })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }
}

/// A recording being put together, by column.
#[derive(Debug, Default)]
struct Gathered {
    stamps: Vec<Stamp>,
    entities: BTreeMap<(Table, String), GatheredEntity>,
}

#[derive(Debug)]
struct GatheredEntity {
    label: String,
    columns: BTreeMap<String, GatheredColumn>,
}

#[derive(Debug)]
struct GatheredColumn {
    column: Column,
    /// Index of the sample with the first value.
    first: usize,
    values: Vec<Option<i64>>,
}

impl Source for Reader {
    fn load(&self, selection: &Selection) -> Result<Recording, Refusal> {
        let mut builder = RecordingBuilder::new(self.manifest.clone());
        let mut gathered = Gathered::default();
        let logs = self.folder.logs().map_err(|error| refuse::io("list it", &self.folder.open(), &error))?;
        for name in logs {
            let path = self.folder.log(&name);
            let failed = |error: io::Error| refuse::io("read it", &path, &error);
            let mut log = match LogReader::open(BufReader::new(File::open(&path).map_err(failed)?)) {
                Ok(log) => log,
                Err(LogError::NotALog) => continue,
                Err(LogError::Io(error)) => return Err(failed(error)),
                Err(LogError::Newer(version)) => return Err(refuse::newer(&path, version)),
            };
            while let Some(event) = log.next().map_err(failed)? {
                match event {
                    Event::Mark(mark) if wanted(selection, mark.stamp) => builder.mark(mark),
                    Event::Sample if wanted(selection, log.sample().stamp) => gathered.sample(&log, selection),
                    _ => {}
                }
            }
        }
        for stamp in gathered.stamps {
            builder.stamp(stamp);
        }
        for ((table, name), entity) in gathered.entities {
            builder.entity(table, Entity { name: name.clone(), label: entity.label });
            for GatheredColumn { column, first, values } in entity.columns.into_values() {
                builder.values(table, &name, column, first, values);
            }
        }
        Ok(builder.finish())
    }
}

fn wanted(selection: &Selection, stamp: Stamp) -> bool {
    selection.from_wall_ns.is_none_or(|from| stamp.wall_ns >= from)
        && selection.to_wall_ns.is_none_or(|to| stamp.wall_ns <= to)
}

impl Gathered {
    fn sample<R: io::Read>(&mut self, log: &LogReader<R>, selection: &Selection) {
        let at = self.stamps.len();
        self.stamps.push(log.sample().stamp);
        for rows in log.sample().tables() {
            let table = rows.table();
            if !selection.tables.is_empty() && !selection.tables.contains(&table) {
                continue;
            }
            for (id, values) in rows.rows() {
                let Some(entity) = log.schema().entities(table).get(id.0 as usize) else { continue };
                let gathered = self
                    .entities
                    .entry((table, entity.name.clone()))
                    .or_insert_with(|| GatheredEntity { label: entity.label.clone(), columns: BTreeMap::new() });
                for (column, value) in log.schema().columns(table).iter().zip(values) {
                    let Some(value) = value else { continue };
                    let points = gathered.columns.entry(column.name.clone());
                    points.or_insert_with(|| GatheredColumn::new(column, at)).push(at, *value);
                }
            }
        }
    }
}

impl GatheredColumn {
    fn new(column: &Column, first: usize) -> Self {
        Self { column: column.clone(), first, values: Vec::new() }
    }

    /// Adds a value at sample `at`, which is not before one that was added.
    fn push(&mut self, at: usize, value: i64) {
        self.values.resize(at - self.first, None);
        self.values.push(Some(value));
    }
}

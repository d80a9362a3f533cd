//! One row per watched control group.

use super::disk::entity;
use super::kept::{Buffer, Kept};
use super::learned::Learned;
use super::row::Row;
use crate::cgroup::{BLKIO, Form, V1, V2, Version, blkio_beside, directory, numbers, version};
use crate::error::Error;
use crate::root::Root;
use pagetide_core::{ColumnId, EntityId, Sample, Schema, Table};
use std::path::{Path, PathBuf};

#[derive(Debug)]
struct GroupFile {
    kept: Kept,
    form: Form,
    columns: Learned<ColumnId>,
}

/// A watched group. Its files are open while it exists; a group that is made later, or again, is found then.
#[derive(Debug)]
struct Group {
    path: PathBuf,
    directory: PathBuf,
    entity: Option<EntityId>,
    files: Vec<GroupFile>,
}

#[derive(Debug, Default)]
pub(crate) struct Cgroups {
    groups: Vec<Group>,
    row: Row,
}

impl Cgroups {
    pub(crate) fn watch(&mut self, root: &Root, path: &Path) {
        if !self.groups.iter().any(|group| group.path == path) {
            let directory = directory(root, path);
            self.groups.push(Group { path: path.to_owned(), directory, entity: None, files: Vec::new() });
        }
    }

    pub(crate) fn sample(
        &mut self,
        buffer: &mut Buffer,
        schema: &mut Schema,
        sample: &mut Sample,
    ) -> Result<(), Error> {
        let Self { groups, row } = self;
        let mut result = Ok(());
        for group in groups {
            row.clear();
            result = result.and(group.sample(buffer, schema, row));
            if !row.is_empty() {
                let entity =
                    *group.entity.get_or_insert_with(|| entity(schema, Table::Cgroup, &group.path.to_string_lossy()));
                row.put(schema, sample, Table::Cgroup, entity);
            }
        }
        result
    }
}

impl Group {
    fn open(&mut self) -> Result<(), Error> {
        let mut add = |folder: &Path, list: &[(&str, Form)]| {
            for (name, form) in list {
                if let Some(kept) = Kept::open(folder.join(name))? {
                    self.files.push(GroupFile { kept, form: *form, columns: Learned::default() });
                }
            }
            Ok(())
        };
        match version(&self.directory) {
            None => Ok(()),
            Some(Version::V2) => add(&self.directory, &V2),
            Some(Version::V1) => {
                add(&self.directory, &V1)?;
                blkio_beside(&self.directory).map_or(Ok(()), |blkio| add(&blkio, &BLKIO))
            }
        }
    }

    fn sample(&mut self, buffer: &mut Buffer, schema: &mut Schema, row: &mut Row) -> Result<(), Error> {
        if self.files.is_empty() {
            self.open()?;
        }
        let mut result = Ok(());
        let mut gone = false;
        for GroupFile { kept, form, columns } in &mut self.files {
            let read = kept.with(buffer, |text| {
                numbers(*form, text, |at, name, value| {
                    row.set(columns.at(at, &name, |name| schema.column(Table::Cgroup, name)), value);
                })
            });
            match read {
                Ok(Some(())) => {}
                Ok(None) => gone = true,
                Err(error) => result = result.and(Err(error)),
            }
        }
        if gone {
            // The directory was removed; one of the same name would have other files.
            self.files.clear();
            row.clear();
        }
        result
    }
}

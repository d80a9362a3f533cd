//! One row per watched control group.

use super::disk::entity;
use super::kept::{Budget, Buffer, Kept};
use super::learned::Learned;
use super::row::Row;
use super::tree::Tree;
use crate::cgroup::{BLKIO, Form, V1, V2, Version, blkio_beside, directory, numbers, version};
use crate::error::Error;
use crate::root::Root;
use pagetide_core::{ColumnId, EntityId, Sample, Schema, Table, name_of_bytes};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[derive(Debug)]
struct GroupFile {
    kept: Kept,
    form: Form,
    columns: Learned<ColumnId>,
}

/// A watched group. Its files are open while it exists; a group that is made later, or again, is found then.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) path: PathBuf,
    directory: PathBuf,
    entity: Option<EntityId>,
    files: Vec<GroupFile>,
    /// Its directory was removed.
    pub(crate) gone: bool,
}

/// How many groups the trees hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    /// Groups with a row.
    pub(crate) groups: u64,
    /// Groups that were seen and have no row for want of room.
    pub(crate) skipped: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Cgroups {
    groups: Vec<Group>,
    trees: Vec<Tree>,
    row: Row,
}

impl Cgroups {
    /// Watches a group, or with a last part of `**` all groups of a tree.
    pub(crate) fn watch(&mut self, root: &Root, path: &Path) {
        if let (Some("**"), Some(top)) = (path.file_name().and_then(|name| name.to_str()), path.parent()) {
            if !self.trees.iter().any(|tree| tree.is(top)) {
                self.trees.push(Tree::new(root, top));
            }
        } else if !self.groups.iter().any(|group| group.path == path) {
            self.groups.push(Group::new(path.to_owned(), directory(root, path)));
        }
    }

    pub(crate) fn sample(
        &mut self,
        buffer: &mut Buffer,
        budget: &mut Budget,
        schema: &mut Schema,
        sample: &mut Sample,
    ) -> (Option<Counts>, Result<(), Error>) {
        let Self { groups, trees, row } = self;
        let mut result = Ok(());
        for group in groups.iter_mut() {
            result = result.and(group.put(buffer, budget, schema, sample, row).map(|_| ()));
        }
        let mut counts = (!trees.is_empty()).then_some(Counts { groups: 0, skipped: 0 });
        for tree in trees {
            let taken = |path: &Path| groups.iter().any(|group| group.path == path);
            let (rows, read) = tree.sample(taken, buffer, budget, schema, sample, row);
            result = result.and(read);
            if let Some(counts) = &mut counts {
                counts.groups += rows;
                counts.skipped += tree.skipped();
            }
        }
        (counts, result)
    }
}

impl Group {
    pub(crate) fn new(path: PathBuf, directory: PathBuf) -> Self {
        Self { path, directory, entity: None, files: Vec::new(), gone: false }
    }

    /// Fills its row; whether it has one.
    pub(crate) fn put(
        &mut self,
        buffer: &mut Buffer,
        budget: &mut Budget,
        schema: &mut Schema,
        sample: &mut Sample,
        row: &mut Row,
    ) -> Result<bool, Error> {
        row.clear();
        let result = self.sample(buffer, budget, schema, row);
        if !row.is_empty() {
            let path = &self.path;
            let entity = *self
                .entity
                .get_or_insert_with(|| entity(schema, Table::Cgroup, &name_of_bytes(path.as_os_str().as_bytes())));
            row.put(schema, sample, Table::Cgroup, entity);
        }
        result.map(|()| !row.is_empty())
    }

    /// Closes its files.
    pub(crate) fn close(&mut self, budget: &mut Budget) {
        for file in &mut self.files {
            budget.close(&mut file.kept.file);
        }
        self.files.clear();
    }

    fn open(&mut self, budget: &mut Budget) -> Result<(), Error> {
        let mut add = |folder: &Path, list: &[(&str, Form)]| {
            for (name, form) in list {
                if let Some(kept) = Kept::open_within(folder.join(name), budget)? {
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

    fn sample(
        &mut self,
        buffer: &mut Buffer,
        budget: &mut Budget,
        schema: &mut Schema,
        row: &mut Row,
    ) -> Result<(), Error> {
        if self.files.is_empty() {
            self.open(budget)?;
        }
        let mut result = Ok(());
        self.gone = false;
        for GroupFile { kept, form, columns } in &mut self.files {
            let read = kept.with(buffer, |text| {
                numbers(*form, text, |at, name, value| {
                    row.set(columns.at(at, &name, |name| schema.column(Table::Cgroup, name)), value);
                })
            });
            match read {
                Ok(Some(())) => {}
                Ok(None) => self.gone = true,
                Err(error) => result = result.and(Err(error)),
            }
        }
        if self.gone {
            // The directory was removed; one of the same name would have other files.
            self.close(budget);
            row.clear();
        }
        result
    }
}

//! A watched control group: its files, and its row.

use super::disk::entity;
use super::kernel_file::{Budget, KernelFile};
use super::pass::Pass;
use super::position_cache::PositionCache;
use super::row::Row;
use crate::cgroup::{BLKIO, Form, V1, V2, Version, blkio_beside, numbers, version};
use crate::error::Error;
use pagetide_core::{ColumnId, EntityId, Table, name_of_bytes};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[derive(Debug)]
struct GroupFile {
    kept: KernelFile,
    form: Form,
    columns: PositionCache<ColumnId>,
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

impl Group {
    pub(crate) fn new(path: PathBuf, directory: PathBuf) -> Self {
        Self { path, directory, entity: None, files: Vec::new(), gone: false }
    }

    /// Fills its row; whether it has one.
    pub(crate) fn put(&mut self, pass: &mut Pass<'_>, row: &mut Row) -> Result<bool, Error> {
        row.clear();
        let result = self.sample(pass, row);
        if !row.is_empty() {
            let path = &self.path;
            let entity = *self
                .entity
                .get_or_insert_with(|| entity(pass.schema, Table::Cgroup, &name_of_bytes(path.as_os_str().as_bytes())));
            row.put(pass.schema, pass.sample, Table::Cgroup, entity);
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
                if let Some(kept) = KernelFile::open_within(folder.join(name), budget)? {
                    self.files.push(GroupFile { kept, form: *form, columns: PositionCache::default() });
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

    fn sample(&mut self, pass: &mut Pass<'_>, row: &mut Row) -> Result<(), Error> {
        if self.files.is_empty() {
            self.open(pass.budget)?;
        }
        let mut result = Ok(());
        self.gone = false;
        for GroupFile { kept, form, columns } in &mut self.files {
            let read = kept.with(pass.buffer, |text| {
                numbers(*form, text, |at, name, value| {
                    row.set(columns.at(at, &name, |name| pass.schema.column(Table::Cgroup, name)), value);
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
            self.close(pass.budget);
            row.clear();
        }
        result
    }
}

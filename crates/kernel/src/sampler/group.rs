//! A watched control group: its files, and its row.

use super::disk::entity;
use super::group_delays::GroupDelays;
use super::group_disk::{DevicesOfGroup, GroupDisks};
use super::kernel_file::{Budget, KernelFile};
use super::pass::Pass;
use super::position_cache::PositionCache;
use super::row::Row;
use crate::cgroup::{BLKIO, Form, IO_SUMS, V1, V2, Version, blkio_beside, numbers, version};
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

/// What all groups share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) row: Row,
    pub(crate) disks: GroupDisks,
    /// The column of the group's id, and that of whether it is frozen.
    id: Option<ColumnId>,
    frozen: Option<ColumnId>,
}

impl Shared {
    pub(crate) fn new(disks: GroupDisks) -> Self {
        Self { row: Row::default(), disks, id: None, frozen: None }
    }
}

/// A watched group. Its files are open while it exists; one that is created later, or again, is found then.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) path: PathBuf,
    directory: PathBuf,
    entity: Option<EntityId>,
    files: Vec<GroupFile>,
    devices: DevicesOfGroup,
    /// The kernel's id of the group: the inode of its directory.
    id: u64,
    /// Whether it was frozen at the last look; absent before Linux 5.2, which does not say it.
    frozen: Option<u64>,
    /// Whether somebody looked.
    looked: bool,
    /// Its directory was removed.
    pub(crate) gone: bool,
}

impl Group {
    pub(crate) fn new(path: PathBuf, directory: PathBuf) -> Self {
        let devices = DevicesOfGroup::default();
        Self {
            path,
            directory,
            entity: None,
            files: Vec::new(),
            devices,
            id: 0,
            frozen: None,
            looked: false,
            gone: false,
        }
    }

    /// Fills its row. Returns whether it has one.
    pub(crate) fn put(
        &mut self,
        pass: &mut Pass<'_>,
        shared: &mut Shared,
        delays: &mut GroupDelays,
    ) -> Result<bool, Error> {
        let Shared { row, disks, id, frozen } = shared;
        row.clear();
        let due = !self.looked || disks.reads_settings(self.id);
        let mut result = self.sample(pass, row, due);
        if !row.is_empty() {
            row.set(*id.get_or_insert_with(|| pass.schema.column(Table::Cgroup, "cgroup_id")), self.id);
            if let Some(now) = self.frozen {
                row.set(*frozen.get_or_insert_with(|| pass.schema.column(Table::Cgroup, "frozen")), now);
            }
            delays.put(self.id, pass.schema, row);
            let path = &self.path;
            let entity = *self
                .entity
                .get_or_insert_with(|| entity(pass.schema, Table::Cgroup, &name_of_bytes(path.as_os_str().as_bytes())));
            row.put(pass.schema, pass.sample, Table::Cgroup, entity);
            let name = name_of_bytes(path.as_os_str().as_bytes());
            result = result.and(self.devices.put(&name, self.id, disks, pass));
        }
        result.map(|()| !shared.row.is_empty())
    }

    /// Closes its files.
    pub(crate) fn close(&mut self, budget: &mut Budget) {
        for file in &mut self.files {
            budget.close(&mut file.kept.file);
        }
        self.files.clear();
        (self.frozen, self.looked) = (None, false);
    }

    /// Opens its files, unless they are open.
    pub(crate) fn open(&mut self, budget: &mut Budget) -> Result<(), Error> {
        if !self.files.is_empty() {
            return Ok(());
        }
        self.id = rustix::fs::stat(&self.directory).map_or(0, |stat| stat.st_ino);
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
            Some(Version::V2) => {
                self.devices = DevicesOfGroup::v2(&self.directory);
                add(&self.directory, &V2)
            }
            Some(Version::V1) => {
                add(&self.directory, &V1)?;
                let Some(blkio) = blkio_beside(&self.directory) else { return Ok(()) };
                self.devices = DevicesOfGroup::v1(&blkio);
                add(&blkio, &BLKIO)
            }
        }
    }

    fn sample(&mut self, pass: &mut Pass<'_>, row: &mut Row, due: bool) -> Result<(), Error> {
        self.open(pass.budget)?;
        let mut result = Ok(());
        (self.gone, self.looked) = (false, true);
        let Self { files, devices, frozen, .. } = self;
        for GroupFile { kept, form, columns } in files {
            if matches!(form, Form::Frozen) && !due {
                continue;
            }
            let read = kept.with(pass.buffer, |text| {
                let mut set = |at, name: &str, value| {
                    row.set(columns.at(at, name, |name| pass.schema.column(Table::Cgroup, name)), value);
                };
                match form {
                    Form::IoStat => {
                        let sums = devices.stat(text)?;
                        IO_SUMS.iter().zip(sums).enumerate().for_each(|(at, (name, sum))| set(at, name, sum));
                    }
                    Form::Blkio(names) => {
                        let sums = devices.operations(names[0], text)?;
                        names.iter().zip(sums).enumerate().for_each(|(at, (name, sum))| set(at, name, sum));
                    }
                    Form::Frozen => numbers(*form, text, |_, _, value| *frozen = Some(value))?,
                    form => numbers(*form, text, |at, name, value| set(at, &name, value))?,
                }
                Ok(())
            });
            match read {
                Ok(Some(())) => {}
                Ok(None) => self.gone = true,
                Err(error) => result = result.and(Err(error)),
            }
        }
        if self.gone {
            // The directory was removed. A new one of the same name has other files.
            self.close(pass.budget);
            row.clear();
        }
        result
    }
}

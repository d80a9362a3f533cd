//! The files and block devices of a run: the same ones that the executor lays out.

use super::machine::SimDisk;
use crate::executor::files::{own_name, shared_files, shared_name};
use pagetide_core::{Action, Bytes, Error, FioJob, Place, Scenario, Step};
use pagetide_sim::workload::{Script, Stored};
use pagetide_sim::{FileId, FileSpec, GroupId, Op, Sim, TaskId};
use std::collections::BTreeMap;

/// The files of a run, by place.
#[derive(Debug, Default)]
pub(super) struct SimFiles(BTreeMap<String, SimFile>);

/// A file or a block device.
#[derive(Debug, Clone, Copy)]
struct SimFile {
    id: FileId,
    size: u64,
    /// Its disk, and where it begins there.
    disk: usize,
    begin: u64,
}

/// The disk called `name`, or the first.
pub(super) fn disk_at(disks: &[SimDisk], name: Option<&str>) -> Result<usize, Error> {
    let at = match name {
        Some(name) => disks.iter().position(|disk| disk.spec.name == name),
        None => (!disks.is_empty()).then_some(0),
    };
    at.ok_or_else(|| {
        Error::input(
            format!("`{}` is not a disk of this machine", name.unwrap_or_default()),
            "use a disk of the scenario",
        )
    })
}

/// The file of a fio job.
fn job_place(job: &FioJob, step: &Step) -> Place {
    let name = shared_name(job).map_or_else(|| own_name(step), str::to_owned);
    // As in the executor, fio's files lie in the folder of the first disk.
    Place::File { name, disk: None }
}

/// The place that a step's work reads or writes first.
pub(super) fn place_of(step: &Step) -> Option<Place> {
    match &step.action {
        Action::Fio(job) => Some(job_place(job, step)),
        Action::Load(load) => load.spec().reads().map(|(place, _)| place.clone()).filter(Place::is_file),
        _ => None,
    }
}

impl SimFiles {
    /// The files that are there before the first step.
    pub(super) fn lay_out(scenario: &Scenario, sim: &mut Sim, disks: &mut [SimDisk]) -> Result<Self, Error> {
        let mut files = Self::default();
        for (name, size) in shared_files(scenario) {
            files.need(&Place::File { name, disk: None }, size, true, sim, disks)?;
        }
        for (place, size) in scenario.loads().filter_map(|load| load.spec().reads()) {
            if place.stored() {
                files.need(place, size, true, sim, disks)?;
            }
        }
        Ok(files)
    }

    /// The file at a place, made when it is not there yet, `size` bytes long at least. `written`: its blocks are on the disk.
    pub(super) fn need(
        &mut self,
        place: &Place,
        size: Bytes,
        written: bool,
        sim: &mut Sim,
        disks: &mut [SimDisk],
    ) -> Result<FileId, Error> {
        let key = place.to_string();
        if let Some(file) = self.0.get(&key).filter(|file| file.size >= size.get()) {
            return Ok(file.id);
        }
        let at = disk_at(disks, place.disk())?;
        let disk = &mut disks[at];
        let whole = matches!(place, Place::Disk(_));
        let size = if whole { disk.spec.size } else { size };
        let offset = if whole { 0 } else { disk.take(size.get()) };
        let id = sim.host_mut().create_file(&FileSpec {
            device: disk.id,
            offset,
            size,
            allocated: written,
            block_device: whole,
        })?;
        self.0.insert(key, SimFile { id, size: size.get(), disk: at, begin: offset });
        Ok(id)
    }

    /// Opens the file at a place.
    pub(super) fn open(
        &mut self,
        place: &Place,
        size: Bytes,
        written: bool,
        sim: &mut Sim,
        disks: &mut [SimDisk],
    ) -> Result<Stored, Error> {
        let file = self.need(place, size, written, sim, disks)?;
        Ok(Stored { file, handle: sim.host_mut().open(file) })
    }

    /// The file at a place, and its size.
    pub(super) fn find(&self, place: &Place) -> Option<(FileId, Bytes)> {
        self.0.get(&place.to_string()).map(|file| (file.id, Bytes::new(file.size)))
    }

    /// Removes the file that a step had for itself. Gives the task that does it.
    pub(super) fn finish(&mut self, step: &Step, sim: &mut Sim, disks: &mut [SimDisk]) -> Option<TaskId> {
        match &step.action {
            Action::Fio(job) if shared_name(job).is_none() => self.remove(&job_place(job, step), sim, disks),
            _ => None,
        }
    }

    /// Removes a file, or empties it for a load that opens it with `O_TRUNC`. Gives the task that does it.
    pub(super) fn remove(&mut self, place: &Place, sim: &mut Sim, disks: &mut [SimDisk]) -> Option<TaskId> {
        let file = self.0.remove(&place.to_string())?;
        disks[file.disk].freed.push((file.begin, file.size));
        Some(sim.spawn(Box::new(Script::new([Op::Remove(file.id)])), GroupId::ROOT))
    }
}

//! The scenario's machine as one of the model.

use super::options::{MeasuredMemory, ModelOptions};
use super::recorder::host_value;
use pagetide_core::{Bytes, DiskSpec, Error, HugePages, Lru, Scenario};
use pagetide_sim::disk::{Disk, Limits};
use pagetide_sim::{DeviceId, MachineSpec, PAGE_SIZE, QueueSpec, Sim};
use std::cell::RefCell;
use std::rc::Rc;

/// Below this a kernel does not use huge pages unless it is told to.
const MIN_HUGE_PAGE_MEMORY: Bytes = Bytes::new(512 << 20);

/// The last letters of disks' names, as the kernel gives them to virtio disks.
pub(super) const DISKS: std::ops::RangeInclusive<u8> = b'a'..=b'z';

/// A disk of the machine.
#[derive(Debug)]
pub(super) struct SimDisk {
    /// As the scenario has it.
    pub(super) spec: DiskSpec,
    /// Its name in the recording.
    pub(super) device: String,
    pub(super) id: DeviceId,
    pub(super) limits: Rc<RefCell<Limits>>,
    /// Where no file has been yet.
    pub(super) free_from: u64,
    /// Where files were that are gone: begin and bytes.
    pub(super) freed: Vec<(u64, u64)>,
}

impl SimDisk {
    /// Takes room for a file, where one was that is gone if it fits there. Gives where the room begins.
    pub(super) fn take(&mut self, bytes: u64) -> u64 {
        if let Some(at) = self.freed.iter().position(|(_, room)| *room >= bytes) {
            let (begin, room) = self.freed.swap_remove(at);
            if room > bytes {
                self.freed.push((begin + bytes, room - bytes));
            }
            return begin;
        }
        let begin = self.free_from;
        self.free_from += bytes;
        begin
    }
}

/// Whether Linux gives this name to a disk.
fn is_of_kernel(name: &str) -> bool {
    let letters = |rest: &str| (1..=2).contains(&rest.len()) && rest.bytes().all(|letter| letter.is_ascii_lowercase());
    let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|digit| digit.is_ascii_digit());
    let nvme = || name.strip_prefix("nvme").and_then(|rest| rest.split_once('n'));
    ["sd", "vd", "xvd", "hd"].iter().any(|kind| name.strip_prefix(kind).is_some_and(letters))
        || nvme().is_some_and(|(controller, namespace)| digits(controller) && digits(namespace))
}

/// What the model's kernel calls a scenario's disks: a name that Linux gives stays, so that a reproduction has the recorded ones; the others are
/// virtio disks in order.
pub fn device_names(disks: &[&str]) -> Vec<String> {
    let kept = |name: &String| disks.iter().any(|disk| disk == name);
    let mut free = DISKS.map(|letter| format!("vd{}", char::from(letter))).filter(|name| !kept(name));
    disks.iter().map_while(|disk| if is_of_kernel(disk) { Some((*disk).to_owned()) } else { free.next() }).collect()
}

/// Makes the machine, with its disks.
///
/// # Errors
/// It cannot exist.
pub(super) fn make(scenario: &Scenario, options: &ModelOptions) -> Result<(Sim, Vec<SimDisk>), Error> {
    let machine = &scenario.machine;
    let total = options.measured.map_or(machine.memory, |measured| measured.total);
    let mut spec = MachineSpec::new(machine.cpus, total);
    // The kernels of the lab's VMs have both kinds of reclaim and are set to the lists.
    spec.lru = machine.lru.unwrap_or(Lru::Classic);
    // A kernel switches huge pages off on a small machine (mm/huge_memory.c: hugepage_init).
    let usual = if total < MIN_HUGE_PAGE_MEMORY { HugePages::Never } else { HugePages::Always };
    spec.huge_pages = machine.huge_pages.unwrap_or(usual);
    spec.costs =
        machine.reclaim_slowdown.map_or(options.costs, |factor| options.costs.with_slower_reclaim(factor.get()));
    spec.mechanisms = options.mechanisms;
    spec.release = options.release;
    spec.model_memory = options.memory;
    for (name, value) in &machine.sysctl {
        spec.sysctls.set(name, *value)?;
    }
    let mut sim = match &options.measured {
        Some(measured) => occupied_as(spec, measured)?,
        None => Sim::new(occupied(spec, machine.memory.saturating_sub(machine.system))?)?,
    };
    let mut disks = Vec::new();
    let names: Vec<&str> = machine.disks.iter().map(|disk| disk.name.as_str()).collect();
    for (device, disk) in device_names(&names).into_iter().zip(&machine.disks) {
        let (timing, limits) = Disk::of(disk);
        let mut queue = QueueSpec::new(&device, crate::vm::disk::size(disk, scenario));
        queue.read_ahead = disk.read_ahead.unwrap_or(queue.read_ahead);
        let id = sim.add_device(Box::new(timing), queue);
        disks.push(SimDisk { spec: disk.clone(), device, id, limits, free_from: 0, freed: Vec::new() });
    }
    Ok((sim, disks))
}

/// The machine with so much memory in use by its system that as much is available (`MemAvailable`) as is wanted: what the kernel
/// keeps as a reserve is not.
fn occupied(mut spec: MachineSpec, wanted: Bytes) -> Result<MachineSpec, Error> {
    spec.check()?;
    let surplus = value(&Sim::new(spec.clone())?, "MemAvailable").saturating_sub(wanted);
    spec.system = spec.system.saturating_add(surplus);
    spec.check()?;
    Ok(spec)
}

/// The machine with as much free and available as was measured. What is available beyond what is free and the kernel does not
/// reserve is reclaimable slab; it counts but for its half or the low watermarks (`si_mem_available`).
fn occupied_as(mut spec: MachineSpec, measured: &MeasuredMemory) -> Result<Sim, Error> {
    spec.check()?;
    let empty = Sim::new(spec.clone())?;
    let reserved = value(&empty, "MemFree").saturating_sub(value(&empty, "MemAvailable"));
    let counted = measured.available.saturating_add(reserved).saturating_sub(measured.free);
    let low = Bytes::new(empty.host().low_watermarks() * PAGE_SIZE);
    spec.system_slab = counted.saturating_add(counted.min(low));
    spec.system_buffers = measured.buffers;
    let rest = value(&empty, "MemFree").saturating_sub(spec.system_slab).saturating_sub(measured.buffers);
    let system = rest.saturating_sub(measured.free);
    let taken = measured.taken.min(system);
    spec.system = system.saturating_sub(taken);
    spec.check()?;
    let mut sim = Sim::new(spec)?;
    sim.host_mut().take_memory(taken)?;
    Ok(sim)
}

/// A value of a machine in bytes.
fn value(sim: &Sim, name: &str) -> Bytes {
    Bytes::new(host_value(sim, name).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_keeps_the_name_that_linux_gave_it() {
        assert_eq!(device_names(&["vdb", "vdc"]), ["vdb", "vdc"]);
        assert_eq!(device_names(&["nvme0n1", "sda", "copy", "xvdba"]), ["nvme0n1", "sda", "vda", "xvdba"]);
        assert_eq!(device_names(&["data", "vda", "log"]), ["vdb", "vda", "vdc"], "each name is one disk");
        assert_eq!(device_names(&["ssd", "sdcard", "nvme", "vd"]), ["vda", "vdb", "vdc", "vdd"]);
    }
}

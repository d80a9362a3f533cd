//! The state of a machine: its memory, files, devices and groups. What happens to it in time is in [`crate::Sim`].

use crate::PAGE_SIZE;
use crate::devices::bdi::{Domain, Wb};
use crate::devices::device::{Device, QueueSpec};
use crate::devices::journal::Journal;
use crate::devices::queue::{Plug, Queue, Request};
use crate::devices::throttle::Throttles;
use crate::events::Events;
use crate::group::{Group, Stock};
use crate::id::{AreaId, DeviceId, FileId, GroupId, HandleId, TaskId};
use crate::machine::MachineSpec;
use crate::memory::mapping::{self, Area, Backing, Handle, LEAF, Leaf, Mapping, OWNER_SHIFT};
use crate::memory::objects::Slab;
use crate::memory::slots::Swap;
use crate::memory::zone::{self, Zone};
use crate::page::{PageId, Word, flag};
use crate::pressure::{Pressure, State};
use crate::program::{Access, Advice, Op};
use crate::progress::attempt::{Direct, OverHigh};
use crate::progress::scan::Scan;
use crate::progress::sleeper::Kswapd;
use pagetide_core::{Bytes, Error, Nanos};
use std::collections::VecDeque;

/// What helps against a scenario that is too large. Not every command that runs the model can scale one.
const SMALLER: &str = "use a scenario with smaller files and less memory, or a host with more memory";

/// What a task waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stall {
    /// A page that is being read or written.
    Page(PageId),
    /// Until then.
    Until(u64),
    /// It used CPU and goes on.
    Yield,
    /// One of its direct requests, flushes or commits.
    Request,
    /// All writes of a mapping.
    Mapping(usize),
    /// Room for requests in a device.
    Room(usize),
    /// A wake-up from outside.
    Wake,
}

/// What a task has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskStats {
    /// CPU time in user mode.
    pub user: Nanos,
    /// CPU time in the kernel.
    pub system: Nanos,
    /// Time in the dirty throttle.
    pub throttled: Nanos,
    /// Faults without a read.
    pub minor_faults: u64,
    /// Faults that read a device.
    pub major_faults: u64,
    /// Bytes read from devices for it, readahead included.
    pub read_bytes: u64,
    /// Bytes that it dirtied, and that it wrote directly.
    pub write_bytes: u64,
    /// Most pages of anonymous memory that it had at once.
    pub resident_peak: u64,
    /// Pages of all swap that were taken when it exited.
    pub swap_at_exit: u64,
}

/// Counts of a task, times in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) user: u64,
    pub(crate) system: u64,
    pub(crate) throttled: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) read_bytes: u64,
    pub(crate) write_bytes: u64,
    /// Reads and writes by system calls, and their bytes.
    pub(crate) syscr: u64,
    pub(crate) syscw: u64,
    pub(crate) rchar: u64,
    pub(crate) wchar: u64,
    /// Pages of its anonymous memory in memory and in swap.
    pub(crate) anon_pages: u64,
    pub(crate) swap_pages: u64,
    pub(crate) resident_peak: u64,
    pub(crate) swap_at_exit: u64,
}

/// A file as it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSpec {
    /// The device that it is on.
    pub device: DeviceId,
    /// Its first byte on the device.
    pub offset: u64,
    /// Its size.
    pub size: Bytes,
    /// Whether it has data already; else a write to a part of a page reads nothing.
    pub allocated: bool,
    /// Whether it is the device itself: its pages in memory are Buffers.
    pub block_device: bool,
}

/// What the machine knows of a task.
#[derive(Debug, Default)]
pub(crate) struct Task {
    /// What it is called (`comm`).
    pub(crate) name: String,
    pub(crate) group: usize,
    pub(crate) node: usize,
    pub(crate) stats: Usage,
    pub(crate) direct: Direct,
    /// Its pass over a node that waits until swap takes more writes.
    pub(crate) paused: Option<Box<Scan>>,
    /// Pages dirtied since the throttle last looked, and when it looks next.
    pub(crate) nr_dirtied: u64,
    pub(crate) nr_dirtied_pause: u64,
    pub(crate) dirty_paused_at: u64,
    /// Pages charged while a group was above `memory.high` (`memcg_nr_pages_over_high`).
    pub(crate) over_high: u64,
    /// What it does about them at the moment.
    pub(crate) above_high: Option<OverHigh>,
    /// Direct requests in flight, and those that ended.
    pub(crate) in_flight: u64,
    pub(crate) reaped: VecDeque<u64>,
    pub(crate) flushes: u64,
    pub(crate) areas: Vec<u32>,
    pub(crate) exited: bool,
    pub(crate) kernel: bool,
}

/// Bytes that the model keeps of a page of memory, of a file or of swap: its word, its slot and its entry in a page table.
const MODEL_OF_PAGE: u64 = 16;

/// The state of a machine. Its methods change it at once and take no time; what takes time is an [`crate::Op`].
#[derive(Debug)]
pub struct Host {
    pub(crate) spec: MachineSpec,
    pub(crate) now: u64,
    pub(crate) words: Vec<Word>,
    /// The mapping of each run of page numbers.
    pub(crate) owners: Vec<u32>,
    pub(crate) mappings: Vec<Mapping>,
    /// Page numbers of mappings that are gone: first, and how many.
    pub(crate) free_ranges: Vec<(PageId, u64)>,
    pub(crate) areas: Vec<Area>,
    pub(crate) handles: Vec<Handle>,
    pub(crate) zones: Vec<Zone>,
    /// Zones by node in the order in which an allocation tries them.
    pub(crate) zonelists: Vec<Vec<usize>>,
    pub(crate) totalreserve: u64,
    pub(crate) nodes: usize,
    /// Lists, by group and node.
    pub(crate) lruvecs: Vec<crate::memory::lruvec::LruVec>,
    pub(crate) groups: Vec<Group>,
    pub(crate) queues: Vec<Queue>,
    /// The journal of the file system on each device.
    pub(crate) journals: Vec<Journal>,
    pub(crate) throttles: Throttles,
    pub(crate) plug: Plug,
    pub(crate) swap: Swap,
    pub(crate) slab: Slab,
    /// The zone of each page in the pool of huge pages.
    pub(crate) pool: Vec<usize>,
    pub(crate) domain: Domain,
    pub(crate) wbs: Vec<Wb>,
    pub(crate) kswapds: Vec<Kswapd>,
    pub(crate) tasks: Vec<Task>,
    /// The task whose operation runs.
    pub(crate) current: usize,
    /// The CPU that it runs on.
    pub(crate) on_cpu: usize,
    /// What each CPU has charged in advance.
    pub(crate) stocks: Vec<Stock>,
    pub(crate) pressure: Pressure,
    pub(crate) events: Events,
    pub(crate) gauges: Gauges,
    /// Zones of the pages that page tables take.
    pub(crate) tables: Vec<usize>,
    /// A fault is being handled (`current->in_lru_fault`).
    pub(crate) in_fault: bool,
    /// CPU time of the operation so far.
    pub(crate) cpu: u64,
    /// The part of it that reclaims memory.
    pub(crate) reclaims: u64,
    /// Tasks that wait for pages.
    pub(crate) page_waiters: Vec<(PageId, u32)>,
    pub(crate) room_waiters: Vec<(usize, u32)>,
    pub(crate) mapping_waiters: Vec<(usize, u32)>,
    /// Requests that have just ended.
    pub(crate) ended: Vec<Request>,
    /// Tasks to run.
    pub(crate) woken: Vec<u32>,
    /// Why a program did not get what it asked for, until that is asked for.
    pub(crate) refused: Option<Error>,
    /// Tasks that the OOM killer chose.
    pub(crate) killed: Vec<u32>,
}

/// Counts of pages in a state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Gauges {
    pub(crate) dirty: u64,
    pub(crate) writeback: u64,
    pub(crate) file_pages: u64,
    pub(crate) buffers: u64,
    pub(crate) shmem: u64,
    pub(crate) anon_mapped: u64,
    pub(crate) file_mapped: u64,
    pub(crate) swapcached: u64,
    pub(crate) unevictable: u64,
    pub(crate) mlocked: u64,
    pub(crate) page_tables: u64,
    /// Pages of files that the system holds.
    pub(crate) system_files: u64,
    /// Most dirty and writeback pages since it was asked for.
    pub(crate) dirty_peak: u64,
}

impl Host {
    pub(crate) fn new(spec: MachineSpec) -> Result<Self, Error> {
        spec.check()?;
        let mut zones = zone::zones(&spec);
        let totalreserve = zone::set_watermarks(&mut zones, &spec);
        let nodes = spec.nodes as usize;
        let zonelists = (0..nodes).map(|node| zonelist(&zones, node, nodes)).collect();
        let mut host = Self {
            now: 0,
            words: Vec::new(),
            owners: Vec::new(),
            mappings: Vec::new(),
            free_ranges: Vec::new(),
            areas: Vec::new(),
            handles: Vec::new(),
            zones,
            zonelists,
            totalreserve,
            nodes,
            lruvecs: Vec::new(),
            groups: Vec::new(),
            queues: Vec::new(),
            journals: Vec::new(),
            throttles: Throttles::default(),
            plug: Plug::default(),
            swap: Swap::default(),
            slab: Slab::default(),
            pool: Vec::new(),
            domain: Domain::default(),
            wbs: Vec::new(),
            kswapds: (0..nodes).map(|_| Kswapd::default()).collect(),
            tasks: Vec::new(),
            current: 0,
            on_cpu: 0,
            stocks: vec![Stock::default(); spec.cpus.max(1) as usize],
            pressure: Pressure::new(spec.cpus),
            events: Events::default(),
            gauges: Gauges::default(),
            tables: Vec::new(),
            in_fault: false,
            cpu: 0,
            reclaims: 0,
            page_waiters: Vec::new(),
            room_waiters: Vec::new(),
            mapping_waiters: Vec::new(),
            ended: Vec::new(),
            woken: Vec::new(),
            killed: Vec::new(),
            refused: None,
            spec,
        };
        host.push_group(Group::root());
        host.hold_for_system()?;
        host.reset_dirty_limit();
        Ok(host)
    }

    fn hold_for_system(&mut self) -> Result<(), Error> {
        self.gauges.system_files = self.spec.system_files.get() / PAGE_SIZE;
        self.gauges.buffers = self.spec.system_buffers.get() / PAGE_SIZE;
        self.gauges.file_pages = self.gauges.buffers;
        let files = self.spec.system_files.saturating_add(self.spec.system_buffers);
        let slab = self.spec.system_slab;
        self.take_memory(files.saturating_add(slab).saturating_add(self.spec.system))
    }

    /// Takes memory for good, as the kernel does for itself, from the zones that allocations try first, down to the high
    /// watermarks. What the machine computed from its memory at boot stays (the dirty limit, until a throttled writer updates it).
    ///
    /// # Errors
    /// There is not so much above the watermarks.
    pub fn take_memory(&mut self, size: Bytes) -> Result<(), Error> {
        let mut left = size.get() / PAGE_SIZE;
        for at in self.zonelists[0].clone() {
            let zone = &mut self.zones[at];
            let taken = left.min(zone.free.saturating_sub(zone.high + zone.reserve + 64));
            zone.free -= taken;
            left -= taken;
        }
        if left > 0 {
            return Err(Error::input(
                format!(
                    "the system needs {} more than a memory of {} has above its watermarks",
                    Bytes::new(left * PAGE_SIZE),
                    self.spec.memory
                ),
                "write a larger memory, or a smaller system",
            ));
        }
        Ok(())
    }

    /// Low watermarks of all zones, pages.
    pub fn low_watermarks(&self) -> u64 {
        self.zones.iter().map(|zone| zone.low).sum()
    }

    /// The machine as it was asked for.
    pub fn spec(&self) -> &MachineSpec {
        &self.spec
    }

    /// Adds a device.
    pub(crate) fn add_device(&mut self, device: Box<dyn Device>, spec: QueueSpec) -> DeviceId {
        self.queues.push(Queue::new(spec, device));
        self.wbs.push(Wb::default());
        self.journals.push(Journal::default());
        DeviceId(self.queues.len() as u16 - 1)
    }

    /// Refuses pages and swap slots beyond those there are, when the host has no memory for their model.
    pub(crate) fn check_model_memory(&self, more: u64) -> Result<(), Error> {
        let slots: usize = self.swap.areas.iter().map(|area| area.slots.len()).sum();
        let pages = (self.words.len() as u64).saturating_add(slots as u64).saturating_add(more);
        let model = Bytes::new(pages.saturating_mul(MODEL_OF_PAGE));
        match self.spec.model_memory {
            Some(most) if model > most => Err(Error::input(
                format!(
                    "memory, files and swap of the scenario are {}: their model takes {model}, more than {most}",
                    Bytes::new(pages.saturating_mul(PAGE_SIZE))
                ),
                SMALLER,
            )),
            _ => Ok(()),
        }
    }

    /// Page numbers for so many pages in a row.
    fn take_range(&mut self, pages: u64, mapping: usize) -> Result<PageId, Error> {
        let size = mapping::range_of(pages);
        let found = self.free_ranges.iter().position(|(_, free)| *free == size);
        let base = match found {
            Some(at) => {
                let (base, _) = self.free_ranges.swap_remove(at);
                self.words[base as usize..][..size as usize].fill(Word::default());
                base
            }
            None => {
                self.check_model_memory(size)?;
                let base = self.words.len() as u64;
                if base + size >= u64::from(u32::MAX) {
                    return Err(Error::input(
                        "the files and the memory of the scenario are more than 16TiB together".to_owned(),
                        SMALLER,
                    ));
                }
                self.words.resize((base + size) as usize, Word::default());
                self.owners.resize(((base + size) >> OWNER_SHIFT) as usize, 0);
                base as PageId
            }
        };
        self.owners[(base >> OWNER_SHIFT) as usize..][..(size >> OWNER_SHIFT) as usize].fill(mapping as u32);
        Ok(base)
    }

    pub(crate) fn add_mapping(&mut self, backing: Backing, size: u64) -> Result<usize, Error> {
        let pages = size.div_ceil(PAGE_SIZE);
        let at = self.mappings.len();
        let base = self.take_range(pages, at)?;
        let mut mapping = Mapping::new(backing, base, pages, size);
        if matches!(backing, Backing::File { .. } | Backing::Block { .. }) {
            mapping.leaves = vec![Leaf::default(); pages.div_ceil(LEAF) as usize];
        }
        self.mappings.push(mapping);
        Ok(at)
    }

    /// A file on a device, in one piece, or the device itself.
    ///
    /// # Errors
    /// It does not fit on the device, or is larger than the model.
    pub fn create_file(&mut self, spec: &FileSpec) -> Result<FileId, Error> {
        let device = usize::from(spec.device.0);
        let queue = &self.queues[device];
        if spec.offset.checked_add(spec.size.get()).is_none_or(|end| end > queue.spec.size.get()) {
            return Err(Error::input(
                format!("a file of {} at {} does not fit on {}", spec.size, Bytes::new(spec.offset), queue.spec.name),
                "write a larger disk or a smaller file",
            ));
        }
        let backing = if spec.block_device {
            Backing::Block { device, offset: spec.offset }
        } else {
            Backing::File { device, offset: spec.offset, allocated: spec.allocated }
        };
        Ok(FileId(self.add_mapping(backing, spec.size.get())? as u32))
    }

    /// Opens a file.
    pub fn open(&mut self, file: FileId) -> HandleId {
        let mapping = file.0 as usize;
        let ahead = self.mappings[mapping]
            .on_device()
            .map_or(0, |(device, _)| self.queues[device].spec.read_ahead.get() / PAGE_SIZE);
        self.handles.push(Handle { mapping, ahead, ..Handle::default() });
        HandleId(self.handles.len() as u32 - 1)
    }

    /// The file that is open.
    pub fn file_of(&self, handle: HandleId) -> FileId {
        FileId(self.handles[handle.0 as usize].mapping as u32)
    }

    /// Bytes of a file.
    pub fn size(&self, file: FileId) -> Bytes {
        Bytes::new(self.mappings[file.0 as usize].size)
    }

    /// `posix_fadvise(2)`.
    pub fn advise(&mut self, handle: HandleId, advice: Advice) {
        let mapping = self.handles[handle.0 as usize].mapping;
        let usual = self.mappings[mapping]
            .on_device()
            .map_or(0, |(device, _)| self.queues[device].spec.read_ahead.get() / PAGE_SIZE);
        let open = &mut self.handles[handle.0 as usize];
        open.random = advice == Advice::Random;
        open.ahead = if advice == Advice::Sequential { usual * 2 } else { usual };
    }

    /// Pages of a file that are in memory.
    pub fn cached_pages(&self, file: FileId) -> u64 {
        self.mappings[file.0 as usize].resident
    }

    /// Opens a file and maps pages of it.
    pub fn map_file(&mut self, task: TaskId, file: FileId, first: u64, pages: u64, executable: bool) -> AreaId {
        let handle = self.open(file);
        let mapping = file.0 as usize;
        let pages = pages.min(self.mappings[mapping].pages.saturating_sub(first));
        self.add_area(Area { executable, handle: Some(handle.0), ..Area::new(task.0, mapping, first, pages) })
    }

    /// Maps anonymous memory, private or shared.
    ///
    /// # Errors
    /// It is larger than the model.
    pub fn map_anon(&mut self, task: TaskId, pages: u64, shared: bool) -> Result<AreaId, Error> {
        let mapped = self.map_new(task, pages, shared);
        self.refused = mapped.as_ref().err().cloned().or(self.refused.take());
        mapped
    }

    /// Why a program did not get what it asked for, if one did not since the last call: its machine is larger than the model.
    pub fn take_refused(&mut self) -> Option<Error> {
        self.refused.take()
    }

    fn map_new(&mut self, task: TaskId, pages: u64, shared: bool) -> Result<AreaId, Error> {
        let backing = if shared { Backing::Shared } else { Backing::Anonymous };
        let Some(size) = pages.checked_mul(PAGE_SIZE) else {
            return Err(Error::input(
                "anonymous memory is larger than the model has".to_owned(),
                "write a smaller size",
            ));
        };
        let mapping = self.add_mapping(backing, size)?;
        Ok(self.add_area(Area::new(task.0, mapping, 0, pages)))
    }

    /// What is written to the anonymous memory of an area is zeros: in swap it takes no room that costs anything.
    pub fn hold_zeros(&mut self, area: AreaId) {
        let mapping = self.areas[area.0 as usize].mapping;
        self.mappings[mapping].zeros = true;
    }

    /// Pages of an area stay in memory once they are touched (`mlock2(2)` with `MLOCK_ONFAULT`).
    pub fn lock(&mut self, area: AreaId) {
        self.areas[area.0 as usize].locked = true;
    }

    fn add_area(&mut self, area: Area) -> AreaId {
        let at = self.areas.len() as u32;
        self.mappings[area.mapping].areas.push(at);
        self.tasks[area.task as usize].areas.push(at);
        self.areas.push(area);
        AreaId(at)
    }

    /// Sets a setting by its name, such as `vm.swappiness`.
    ///
    /// # Errors
    /// The model does not have it, or the kernel refuses the value.
    pub fn set_sysctl(&mut self, name: &str, value: i64) -> Result<(), Error> {
        let limits = |host: &Self| (host.spec.sysctls.dirty_ratio, host.spec.sysctls.dirty_bytes);
        let before = limits(self);
        self.spec.sysctls.set(name, value)?;
        self.totalreserve = zone::set_watermarks(&mut self.zones, &self.spec);
        if limits(self) != before {
            // `writeback_set_ratelimit`.
            self.reset_dirty_limit();
        }
        Ok(())
    }

    /// The most pages that were dirty or written back at once since the last call.
    pub fn take_dirty_peak(&mut self) -> u64 {
        let now = self.gauges.dirty + self.gauges.writeback;
        std::mem::replace(&mut self.gauges.dirty_peak, now)
    }

    /// What a task does that waits for a page (`folio_wait_bit_common`).
    pub(crate) fn waits_for_page(&self, page: PageId) -> State {
        let word = self.word(page);
        if word.has(flag::ANON) && word.has(flag::LOCKED) {
            State::SwapsIn
        } else if word.has(flag::WORKINGSET) && word.has(flag::LOCKED) {
            State::Thrashes
        } else {
            State::Io
        }
    }

    /// Counts a system call that reads or writes (`task_io_accounting`).
    pub(crate) fn count_call(&mut self, task: usize, op: Op) {
        let used = &mut self.tasks[task].stats;
        let (calls, bytes, length) = match op {
            Op::Read { length, .. } | Op::Submit { length, access: Access::Read, .. } => {
                (&mut used.syscr, &mut used.rchar, length)
            }
            Op::Write { length, .. } | Op::Submit { length, access: Access::Write, .. } => {
                (&mut used.syscw, &mut used.wchar, length)
            }
            _ => return,
        };
        *calls += 1;
        *bytes += length;
    }

    /// The group of a task.
    pub fn group_of(&self, task: TaskId) -> GroupId {
        GroupId(self.tasks[task.0 as usize].group as u16)
    }

    #[inline]
    pub(crate) fn word(&self, page: PageId) -> Word {
        self.words[page as usize]
    }

    #[inline]
    pub(crate) fn owner(&self, page: PageId) -> usize {
        self.owners[(page >> OWNER_SHIFT) as usize] as usize
    }

    #[inline]
    pub(crate) fn spend(&mut self, cost: pagetide_core::Nanos) {
        self.cpu += cost.get();
    }

    pub(crate) fn spend_times(&mut self, cost: pagetide_core::Nanos, times: u64) {
        self.cpu += cost.get() * times;
    }

    /// Free pages of all zones.
    pub(crate) fn free_pages(&self) -> u64 {
        self.zones.iter().map(|zone| zone.free).sum()
    }
}

/// Zones in the order in which an allocation on a node tries them: its own from the highest down, then those of the others.
fn zonelist(zones: &[Zone], node: usize, nodes: usize) -> Vec<usize> {
    (0..nodes)
        .map(|step| (node + step) % nodes)
        .flat_map(|node| (0..zones.len()).rev().filter(move |at| zones[*at].node == node))
        .collect()
}

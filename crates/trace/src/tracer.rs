//! The tracer: attaches to the tracepoints, drains their rings, counts what is lost.

use crate::cpu;
use crate::decode::Decoder;
use crate::event::{Event, Kind};
use crate::filter::page_filter;
use crate::format::Format;
use crate::missing::{self, Missing};
use crate::order::Order;
use crate::program::{Maps, Purpose, sampling_program, totals};
use crate::sampling::{FRAME_FILTER, Sampling};
use crate::sys::bpf::{self, CountMap, OutputMap};
use crate::sys::perf::{PerfEvent, Source};
use crate::sys::ring::Ring;
use crate::tracefs::Tracefs;
use crate::tracepoint::Tracepoint;
use pagetide_core::Error;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// All rings together.
const RINGS_BYTES: usize = 64 << 20;
/// One ring at most: more is never needed at ten drains a second.
const RING_BYTES_MAX: usize = 8 << 20;
/// One ring at least.
const RING_PAGES_MIN: usize = 8;

/// How events are sampled in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By BPF where bpf(2) works, else by filters.
    Auto,
    /// By tracefs filters only.
    Filters,
}

/// What is to be traced.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// One page of `2^shift` is sampled.
    pub shift: u32,
    /// How.
    pub method: Method,
}

/// Exact counts since the start, where BPF counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Pages that entered the page cache.
    pub added: u64,
    /// Pages that left it.
    pub deleted: u64,
    /// Pages that buffered reads looked up; absent where the kernel does not report them.
    pub read: Option<u64>,
}

/// An attached tracer. Dropping it detaches.
#[derive(Debug)]
pub struct Tracer {
    rings: Vec<Ring>,
    owners: Vec<PerfEvent>,
    /// Everything else that must stay open.
    events: Vec<PerfEvent>,
    programs: Option<Programs>,
    decoder: Decoder,
    order: Order,
    scratch: Vec<u8>,
    sampling: Sampling,
    missing: Vec<Missing>,
    lost: u64,
    running: bool,
}

/// What stays open for the BPF programs.
#[derive(Debug)]
struct Programs {
    counts: CountMap,
    reads: bool,
    /// Records lost before the start, when nothing listened.
    unheard: u64,
    /// Records lost up to the last look while running.
    lost: u64,
    _output: OutputMap,
    _attached: Vec<(PerfEvent, OwnedFd)>,
}

impl Tracer {
    /// Attaches to the tracepoints of this kernel; nothing is recorded before [`Self::start`].
    pub fn attach(options: Options) -> Result<Self, Error> {
        let tracefs = Tracefs::open()?;
        let mut formats = BTreeMap::new();
        let mut missing = Vec::new();
        for tracepoint in Tracepoint::all() {
            match tracefs.format(tracepoint.group(), tracepoint.name())? {
                Some(format) => drop(formats.insert(tracepoint, format)),
                None if tracepoint.required() => return Err(missing::no_tracepoint(tracepoint)),
                None => missing.push(Missing::tracepoint(tracepoint)),
            }
        }
        let cpus =
            cpu::online().map_err(|error| Error::system(format!("/sys/devices/system/cpu/online: {error}"), ""))?;
        raise_descriptor_limit();
        let ring_bytes = ring_bytes(cpus.len());
        let mut tracer = Self {
            rings: Vec::new(),
            owners: Vec::new(),
            events: Vec::new(),
            programs: None,
            decoder: Decoder::default(),
            order: Order::default(),
            scratch: Vec::new(),
            sampling: Sampling::by_hash(options.shift),
            missing,
            lost: 0,
            running: false,
        };
        for cpu in &cpus {
            let owner =
                PerfEvent::open(Source::Tasks, *cpu, ring_bytes).map_err(|error| missing::perf_event_open(&error))?;
            tracer.rings.push(Ring::map(&owner, ring_bytes).map_err(|error| missing::ring(&error, ring_bytes))?);
            tracer.owners.push(owner);
        }
        for (tracepoint, format) in &formats {
            tracer.decoder.learn(*tracepoint, format.clone());
        }
        if options.method == Method::Auto {
            match tracer.attach_programs(&formats, &cpus, ring_bytes) {
                Ok(programs) => tracer.programs = Some(programs),
                Err(error) => tracer.missing.push(Missing::bpf(&error)),
            }
        }
        if tracer.programs.is_none() {
            tracer.events.clear();
            tracer.sampling = Sampling::by_place(options.shift, place_of_now());
        }
        tracer.attach_tracepoints(&formats, &cpus, ring_bytes).map_err(|error| missing::perf_event_open(&error))?;
        Ok(tracer)
    }

    /// Loads and attaches the sampling programs, each to an event that is never enabled.
    fn attach_programs(
        &mut self,
        formats: &BTreeMap<Tracepoint, Format>,
        cpus: &[u32],
        ring_bytes: usize,
    ) -> io::Result<Programs> {
        missing::raise_locked_memory();
        let output = OutputMap::new(cpus.iter().max().map_or(1, |last| last + 1))?;
        let counts = CountMap::new(Purpose::ALL.len().try_into().unwrap_or(0), totals::SIZE)?;
        for (cpu, owner) in cpus.iter().zip(&self.owners) {
            let event = PerfEvent::open(Source::BpfOutput, *cpu, ring_bytes)?;
            event.write_into(owner)?;
            output.set(*cpu, event.fd())?;
            self.events.push(event);
        }
        let maps = Maps { totals: counts.fd(), output: output.fd() };
        let mut attached = Vec::new();
        for purpose in Purpose::ALL {
            let Some(format) = formats.get(&purpose.tracepoint()) else { continue };
            let code = sampling_program(purpose, format, self.sampling, maps)
                .ok_or_else(|| io::Error::other(format!("{} has other fields", purpose.tracepoint().name())))?;
            let program = bpf::load(&code)?;
            let event = PerfEvent::open(Source::Tracepoint(format.id), cpus[0], ring_bytes)?;
            event.run(&program)?;
            attached.push((event, program));
        }
        let reads = formats.contains_key(&Tracepoint::Read);
        Ok(Programs { counts, reads, unheard: 0, lost: 0, _output: output, _attached: attached })
    }

    /// Opens the tracepoints that perf records itself, on every CPU, each with its filter.
    fn attach_tracepoints(
        &mut self,
        formats: &BTreeMap<Tracepoint, Format>,
        cpus: &[u32],
        ring_bytes: usize,
    ) -> io::Result<()> {
        for (tracepoint, format) in formats {
            let Some(filter) = self.filter_of(*tracepoint, format) else { continue };
            for (cpu, owner) in cpus.iter().zip(&self.owners) {
                let event = PerfEvent::open(Source::Tracepoint(format.id), *cpu, ring_bytes)?;
                event.write_into(owner)?;
                if !filter.is_empty() {
                    event.filter(&filter)?;
                }
                self.events.push(event);
            }
        }
        Ok(())
    }

    /// The filter of a tracepoint that perf records; `None` when programs do it or nobody can.
    fn filter_of(&self, tracepoint: Tracepoint, format: &Format) -> Option<String> {
        match tracepoint {
            Tracepoint::Read => None,
            Tracepoint::Added | Tracepoint::Deleted => {
                page_filter(self.sampling, format.field("order").is_some(), tracepoint == Tracepoint::Deleted)
            }
            Tracepoint::Allocated => Some(FRAME_FILTER.to_owned()),
            _ => Some(String::new()),
        }
    }

    /// Starts recording.
    pub fn start(&mut self) -> Result<(), Error> {
        self.owners
            .iter()
            .chain(&self.events)
            .try_for_each(PerfEvent::enable)
            .map_err(|error| missing::switch(&error))?;
        if let Some(programs) = &mut self.programs {
            programs.unheard = programs.count_lost();
        }
        self.running = true;
        Ok(())
    }

    /// Stops recording; what was recorded can still be drained.
    pub fn stop(&mut self) -> Result<(), Error> {
        self.lost();
        self.running = false;
        self.events.iter().chain(&self.owners).try_for_each(PerfEvent::disable).map_err(|error| missing::switch(&error))
    }

    /// Which pages are sampled.
    pub const fn sampling(&self) -> Sampling {
        self.sampling
    }

    /// What this kernel or this process cannot do, and what is lost by it.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// Waits until a ring is a quarter full, at most so long.
    pub fn wait(&self, at_most: std::time::Duration) -> Result<(), Error> {
        let mut polled: Vec<PollFd<'_>> =
            self.owners.iter().map(|owner| PollFd::from_borrowed_fd(owner.fd().as_fd(), PollFlags::IN)).collect();
        let timeout = Timespec::try_from(at_most).ok();
        match poll(&mut polled, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(Error::system(format!("poll on perf rings: {error}"), "")),
        }
    }

    /// Appends the events that are complete, in order of time.
    pub fn drain(&mut self, out: &mut Vec<Event>) {
        let began = monotonic_ns();
        self.collect();
        self.order.release(began, out);
    }

    /// All that happened up to this time (`CLOCK_MONOTONIC`) was handed out.
    pub const fn complete_ns(&self) -> u64 {
        self.order.complete_ns()
    }

    /// Appends all events that are left, after [`Self::stop`].
    pub fn finish(&mut self, out: &mut Vec<Event>) {
        self.collect();
        self.order.release_all(out);
    }

    fn collect(&mut self) {
        let Self { rings, decoder, order, scratch, lost, .. } = self;
        for ring in rings {
            let full = ring.drain(scratch, |kind, body| match decoder.decode(kind, body) {
                Some(Event { kind: Kind::Lost(records), .. }) => *lost += records,
                Some(event) => order.push(event),
                None => {}
            });
            // The kernel reports a loss with the next record that fits; there may be none.
            *lost += u64::from(full);
        }
    }

    /// Records lost since the start because a ring was full; attribution is wrong from there on until the state is forgotten.
    pub fn lost(&mut self) -> u64 {
        let Some(programs) = &mut self.programs else { return self.lost };
        if self.running {
            programs.lost = programs.count_lost() - programs.unheard;
        }
        self.lost + programs.lost
    }

    /// Exact counts since the programs were attached; absent without BPF.
    pub fn totals(&self) -> Option<Totals> {
        let programs = self.programs.as_ref()?;
        let pages = |purpose| programs.sum(purpose, totals::PAGES);
        Some(Totals {
            added: pages(Purpose::Added)?,
            deleted: pages(Purpose::Deleted)?,
            read: if programs.reads { pages(Purpose::Read) } else { None },
        })
    }
}

impl Programs {
    /// Sums one number of one entry over all CPUs.
    fn sum(&self, purpose: Purpose, offset: i16) -> Option<u64> {
        let values = self.counts.read(purpose as u32).ok()?;
        Some(values.iter().map(|value| value[number_at(offset)]).sum())
    }

    fn count_lost(&self) -> u64 {
        Purpose::ALL.into_iter().filter_map(|purpose| self.sum(purpose, totals::LOST)).sum()
    }
}

/// Which number of 8 bytes is at this offset.
const fn number_at(offset: i16) -> usize {
    offset.unsigned_abs() as usize / 8
}

/// One ring's length: a power of two of pages, such that all take at most [`RINGS_BYTES`].
fn ring_bytes(cpus: usize) -> usize {
    let share = RINGS_BYTES / cpus.max(1);
    let least = RING_PAGES_MIN * rustix::param::page_size();
    (1 << share.max(1).ilog2()).clamp(least, RING_BYTES_MAX)
}

/// About a dozen descriptors for each CPU: raises the soft limit to the hard one, where that is allowed.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// `CLOCK_MONOTONIC`.
pub fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// A place in the group for samples by place: another one each time, so that no place is looked at for good.
fn place_of_now() -> u64 {
    monotonic_ns() / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_are_bounded_however_many_cpus() {
        for cpus in [1, 2, 3, 8, 64, 100, 1024, 2000] {
            let bytes = ring_bytes(cpus);
            assert!(bytes.is_power_of_two() && bytes <= RING_BYTES_MAX);
            assert!(bytes * cpus <= RINGS_BYTES, "{cpus} CPUs take {bytes} bytes each");
        }
    }
}

//! The part that needs privileges: attaching events and programs to this host's tracepoints, and switching them on and off.
//!
//! While it is off no event is enabled and no program attached: a tracepoint that is hit then costs its callers some nanoseconds. The
//! tracepoints stay registered, because registering them anew can take seconds on a starved host.

use crate::clock::monotonic_ns;
use crate::cpu;
use crate::filter::page_filter;
use crate::format::Format;
use crate::missing::{self, Missing};
use crate::options::{Method, Options};
use crate::program::{Maps, Purpose, sampling_program, totals};
use crate::sampling::{FRAME_FILTER, Sampling};
use crate::sys::bpf::{self, CountMap, OutputMap};
use crate::sys::perf::{PerfEvent, Source};
use crate::sys::ring::Ring;
use crate::tracefs::Tracefs;
use crate::tracepoint::Tracepoint;
use pagetide_core::Error;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// All rings together.
const RINGS_BYTES: usize = 64 << 20;
/// One ring at most: more is never needed at ten drains a second.
const RING_BYTES_MAX: usize = 8 << 20;
/// Pages of one ring at least.
const RING_PAGES_MIN: usize = 8;

/// Events and programs on this host's tracepoints. Dropping it detaches.
#[derive(Debug)]
pub(crate) struct Attachment {
    pub(crate) description: Description,
    owners: Vec<Owner>,
    events: Vec<PerfEvent>,
    programs: Option<Programs>,
}

/// The event of a CPU into whose ring all others of that CPU write. They can only while it is mapped.
#[derive(Debug)]
struct Owner {
    event: PerfEvent,
    _ring: Ring,
}

impl Owner {
    /// One for each CPU, and the length of their rings. Without CAP_IPC_LOCK rings count as locked memory, of which little may be allowed:
    /// then they are as long as that allows.
    fn open_all(cpus: &[u32]) -> Result<(Vec<Self>, usize), Error> {
        let mut ring_bytes = ring_bytes(cpus.len());
        loop {
            match Self::map_all(cpus, ring_bytes)? {
                Ok(owners) => return Ok((owners, ring_bytes)),
                Err(error) if error.raw_os_error() == Some(libc::EPERM) && ring_bytes > ring_bytes_min() => {
                    ring_bytes /= 2;
                }
                Err(error) => return Err(missing::ring(&error, ring_bytes)),
            }
        }
    }

    /// The inner error is that of a ring that cannot be mapped.
    fn map_all(cpus: &[u32], ring_bytes: usize) -> Result<io::Result<Vec<Self>>, Error> {
        let open = |cpu: &u32| {
            PerfEvent::open(Source::Tasks, *cpu, ring_bytes).map_err(|error| missing::perf_event_open(&error))
        };
        let events: Vec<PerfEvent> = cpus.iter().map(open).collect::<Result<_, _>>()?;
        let map = |event: PerfEvent| Ring::map(event.fd(), ring_bytes).map(|ring| Self { event, _ring: ring });
        Ok(events.into_iter().map(map).collect())
    }
}

/// What a reader of the rings must know.
#[derive(Debug, Clone)]
pub(crate) struct Description {
    pub(crate) formats: BTreeMap<Tracepoint, Format>,
    pub(crate) sampling: Sampling,
    pub(crate) missing: Vec<Missing>,
    /// Length of each ring.
    pub(crate) ring_bytes: usize,
    /// CPUs that the map of totals has entries for; absent without programs.
    pub(crate) counted_cpus: Option<u32>,
}

/// The BPF programs.
#[derive(Debug)]
struct Programs {
    counts: CountMap,
    _output: OutputMap,
    /// Each with the id of its tracepoint.
    loaded: Vec<(u16, OwnedFd)>,
    /// Events that keep these tracepoints registered; never enabled.
    _registered: Vec<PerfEvent>,
    /// Events that the programs are attached to, while it is on; never enabled.
    attached: Vec<PerfEvent>,
    cpu: u32,
}

impl Attachment {
    /// Opens everything; it is off.
    pub(crate) fn open(options: Options) -> Result<Self, Error> {
        let tracefs = Tracefs::open()?;
        let mut formats = BTreeMap::new();
        let mut missing = Vec::new();
        for tracepoint in Tracepoint::all() {
            match tracefs.format(tracepoint.group(), tracepoint.name())? {
                Some(format) => drop(formats.insert(tracepoint, format)),
                None if tracepoint.required() => return Err(missing::no_tracepoint(tracepoint, tracefs.has_events())),
                None => missing.push(Missing::tracepoint(tracepoint)),
            }
        }
        let refused = |error: io::Error| Error::system(format!("/sys/devices/system/cpu: {error}"), "");
        let (cpus, possible) = (cpu::online().map_err(refused)?, cpu::possible().map_err(refused)?);
        raise_descriptor_limit();
        missing::raise_locked_memory();
        let (owners, ring_bytes) = Owner::open_all(&cpus)?;
        let sampling = Sampling::by_hash(options.shift);
        let description = Description { formats, sampling, missing, ring_bytes, counted_cpus: None };
        let mut attachment = Self { description, owners, events: Vec::new(), programs: None };
        if options.method == Method::Auto {
            match attachment.load_programs(&cpus, possible) {
                Ok(programs) => {
                    attachment.programs = Some(programs);
                    attachment.description.counted_cpus = Some(possible);
                }
                Err(error) => attachment.description.missing.push(Missing::bpf(&error)),
            }
        }
        if attachment.programs.is_none() {
            attachment.events.clear();
            attachment.description.sampling = Sampling::by_place(options.shift, place_of_now());
        }
        attachment.open_tracepoints(&cpus).map_err(|error| missing::perf_event_open(&error))?;
        Ok(attachment)
    }

    /// Loads the sampling programs.
    fn load_programs(&mut self, cpus: &[u32], possible: u32) -> io::Result<Programs> {
        let Description { formats, sampling, ring_bytes, .. } = &self.description;
        let output = OutputMap::new(possible)?;
        let counts = CountMap::new(possible * Purpose::COUNT, totals::SIZE)?;
        for (cpu, owner) in cpus.iter().zip(&self.owners) {
            let event = PerfEvent::open(Source::BpfOutput, *cpu, *ring_bytes)?;
            event.write_into(&owner.event)?;
            output.set(*cpu, event.fd())?;
            self.events.push(event);
        }
        let maps = Maps { totals: counts.fd().as_raw_fd(), cpus: possible, output: output.fd() };
        let (mut loaded, mut registered) = (Vec::new(), Vec::new());
        for purpose in Purpose::ALL {
            let Some(format) = formats.get(&purpose.tracepoint()) else { continue };
            let code = sampling_program(purpose, format, *sampling, maps)
                .ok_or_else(|| io::Error::other(format!("{} has other fields", purpose.tracepoint().name())))?;
            loaded.push((format.id, bpf::load(&code)?));
            registered.push(PerfEvent::open(Source::Tracepoint(format.id), cpus[0], *ring_bytes)?);
        }
        let mut programs =
            Programs { counts, _output: output, loaded, _registered: registered, attached: Vec::new(), cpu: cpus[0] };
        // A kernel that refuses to attach them must say so before filters are chosen.
        programs.attach(*ring_bytes)?;
        programs.attached.clear();
        Ok(programs)
    }

    /// Opens the tracepoints that perf records itself, on every CPU, each with its filter.
    fn open_tracepoints(&mut self, cpus: &[u32]) -> io::Result<()> {
        for (tracepoint, format) in &self.description.formats {
            let Some(filter) = self.filter_of(*tracepoint, format) else { continue };
            for (cpu, owner) in cpus.iter().zip(&self.owners) {
                let event = PerfEvent::open(Source::Tracepoint(format.id), *cpu, self.description.ring_bytes)?;
                event.write_into(&owner.event)?;
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
            Tracepoint::Added | Tracepoint::Deleted => page_filter(
                self.description.sampling,
                format.field("order").is_some(),
                tracepoint == Tracepoint::Deleted,
            ),
            Tracepoint::Allocated => Some(FRAME_FILTER.to_owned()),
            _ => Some(String::new()),
        }
    }

    /// Switches it on: records come from now on.
    pub(crate) fn enable(&mut self) -> Result<(), Error> {
        self.all_events().try_for_each(PerfEvent::enable).map_err(|error| missing::switch(&error))?;
        // Last, so that there is an output for what they pass on.
        let ring_bytes = self.description.ring_bytes;
        self.programs
            .as_mut()
            .map_or(Ok(()), |programs| programs.attach(ring_bytes))
            .map_err(|error| missing::switch(&error))
    }

    /// Switches it off; what was recorded stays in the rings.
    pub(crate) fn disable(&mut self) -> Result<(), Error> {
        if let Some(programs) = &mut self.programs {
            programs.attached.clear();
        }
        self.all_events().try_for_each(PerfEvent::disable).map_err(|error| missing::switch(&error))
    }

    fn all_events(&self) -> impl Iterator<Item = &PerfEvent> {
        self.owners.iter().map(|owner| &owner.event).chain(&self.events)
    }

    /// The descriptors of the rings, one for each CPU.
    pub(crate) fn rings(&self) -> impl Iterator<Item = &OwnedFd> {
        self.owners.iter().map(|owner| owner.event.fd())
    }

    /// The descriptor of the map of totals.
    pub(crate) fn counts(&self) -> Option<&OwnedFd> {
        self.programs.as_ref().map(|programs| programs.counts.fd())
    }
}

impl Programs {
    fn attach(&mut self, ring_bytes: usize) -> io::Result<()> {
        self.attached.clear();
        for (id, program) in &self.loaded {
            let event = PerfEvent::open(Source::Tracepoint(*id), self.cpu, ring_bytes)?;
            event.run(program)?;
            self.attached.push(event);
        }
        Ok(())
    }
}

/// One ring's length: a power of two of pages, such that all take at most [`RINGS_BYTES`].
fn ring_bytes(cpus: usize) -> usize {
    let share = RINGS_BYTES / cpus.max(1);
    (1 << share.max(1).ilog2()).clamp(ring_bytes_min(), RING_BYTES_MAX)
}

/// One ring at least.
fn ring_bytes_min() -> usize {
    RING_PAGES_MIN * rustix::param::page_size()
}

/// About a dozen descriptors for each CPU: raises the soft limit to the hard one, where that is allowed.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// The position in the group for samples by position: another one each time, so that no position is sampled for ever.
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

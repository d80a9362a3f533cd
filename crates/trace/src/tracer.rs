//! The tracer: drains the rings of the tracepoints, counts what is lost, and switches the trace on and off.

use crate::attachment::{Attachment, Description};
use crate::clock::monotonic_ns;
use crate::decode::Decoder;
use crate::event::{Event, Kind};
use crate::helper::{self, RemoteSwitch};
use crate::missing::{self, Missing};
use crate::options::Options;
use crate::order::Order;
use crate::program::{Purpose, totals};
use crate::sampling::Sampling;
use crate::sys::bpf::Counts;
use crate::sys::ring::Ring;
use crate::tracepoint::Tracepoint;
use pagetide_core::Error;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// Exact counts while the trace was on, where BPF counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Pages that entered the page cache.
    pub added: u64,
    /// Pages that left it.
    pub deleted: u64,
    /// Pages that buffered reads looked up; absent where the kernel does not report them.
    pub read: Option<u64>,
    /// Hits of tracepoints that ran a program.
    pub events: u64,
}

impl Totals {
    /// The counts of two tracers, one after the other.
    pub(crate) fn after(self, before: Self) -> Self {
        Self {
            added: before.added + self.added,
            deleted: before.deleted + self.deleted,
            read: self.read.map(|read| read + before.read.unwrap_or(0)),
            events: before.events + self.events,
        }
    }
}

/// A tracer of this host. Dropping it detaches.
#[derive(Debug)]
pub struct Tracer {
    switch: Switch,
    rings: Vec<Ring>,
    /// Announces that the rings are filling.
    ring_fds: Vec<OwnedFd>,
    counts: Option<CountedPages>,
    decoder: Decoder,
    order: Order,
    scratch: Vec<u8>,
    sampling: Sampling,
    missing: Vec<Missing>,
    /// Records that the rings had no room for.
    lost: u64,
    /// The same of the programs, up to the last stop.
    lost_by_programs: u64,
    /// What their map counted at the start; absent while the trace is off: then they have no output, and pass nothing on.
    at_start: Option<u64>,
}

/// Who switches the trace on and off.
#[derive(Debug)]
enum Switch {
    /// This process, which has the rights.
    Own(Box<Attachment>),
    /// A helper process, see [`helper`].
    Helper(RemoteSwitch),
}

/// The totals that the programs count.
#[derive(Debug)]
struct CountedPages {
    counts: Counts,
    cpus: usize,
    reads: bool,
}

impl Tracer {
    /// Attaches to the tracepoints of this kernel; nothing is recorded before [`Self::start`].
    pub fn attach(options: Options) -> Result<Self, Error> {
        let attachment = Attachment::open(options)?;
        let rings: Vec<OwnedFd> = attachment
            .rings()
            .map(|ring| ring.try_clone())
            .collect::<Result<_, _>>()
            .map_err(|error| missing::perf_event_open(&error))?;
        let counts = attachment
            .counts()
            .map(OwnedFd::try_clone)
            .transpose()
            .map_err(|error| missing::perf_event_open(&error))?;
        let description = attachment.description.clone();
        Self::read(Switch::Own(Box::new(attachment)), description, rings, counts)
    }

    /// Reads the rings of the helper process that listens at this socket, so that this process needs no rights.
    pub fn connect(socket: &Path, options: Options) -> Result<Self, Error> {
        let helper::Offer { switch, description, rings, counts } = helper::connect(socket, options)?;
        Self::read(Switch::Helper(switch), description, rings, counts)
    }

    fn read(
        switch: Switch,
        description: Description,
        ring_fds: Vec<OwnedFd>,
        counts: Option<OwnedFd>,
    ) -> Result<Self, Error> {
        let Description { formats, sampling, missing, ring_bytes, counted_cpus } = description;
        let rings = ring_fds.iter().map(|fd| Ring::map(fd, ring_bytes)).collect::<Result<_, _>>();
        let rings = rings.map_err(|error| missing::ring(&error, ring_bytes))?;
        let reads = formats.contains_key(&Tracepoint::Read);
        let counts = counts.zip(counted_cpus).map(|(map, cpus)| CountedPages::map(&map, cpus, reads)).transpose()?;
        let mut decoder = Decoder::default();
        formats.into_iter().for_each(|(tracepoint, format)| decoder.learn(tracepoint, format));
        Ok(Self {
            switch,
            rings,
            ring_fds,
            counts,
            decoder,
            order: Order::default(),
            scratch: Vec::new(),
            sampling,
            missing,
            lost: 0,
            lost_by_programs: 0,
            at_start: None,
        })
    }

    /// Starts recording.
    pub fn start(&mut self) -> Result<(), Error> {
        self.at_start = Some(self.counted_lost());
        match &mut self.switch {
            Switch::Own(attachment) => attachment.enable(),
            Switch::Helper(helper) => helper.switch(true),
        }
    }

    /// Stops recording; what was recorded can still be drained, and recording can start again.
    pub fn stop(&mut self) -> Result<(), Error> {
        self.lost_by_programs += self.lost_since_start();
        self.at_start = None;
        match &mut self.switch {
            Switch::Own(attachment) => attachment.disable(),
            Switch::Helper(helper) => helper.switch(false),
        }
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
    ///
    /// # Errors
    /// The helper is gone: its programs are detached, and the rings stay empty.
    pub fn wait(&self, at_most: std::time::Duration) -> Result<(), Error> {
        let rings = self.ring_fds.iter().map(|ring| PollFd::from_borrowed_fd(ring.as_fd(), PollFlags::IN));
        let helper = match &self.switch {
            Switch::Own(_) => None,
            // That it hung up is told without being asked for.
            Switch::Helper(helper) => Some(PollFd::from_borrowed_fd(helper.as_fd(), PollFlags::empty())),
        };
        let mut polled: Vec<PollFd<'_>> = rings.chain(helper).collect();
        let timeout = Timespec::try_from(at_most).ok();
        match poll(&mut polled, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Error::system(format!("poll on perf rings: {error}"), "")),
        }
        let hung_up = polled[self.ring_fds.len()..].iter().any(|helper| !helper.revents().is_empty());
        if hung_up { Err(RemoteSwitch::ended()) } else { Ok(()) }
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
    pub fn lost(&self) -> u64 {
        self.lost + self.lost_by_programs + self.lost_since_start()
    }

    fn lost_since_start(&self) -> u64 {
        self.at_start.map_or(0, |at_start| self.counted_lost() - at_start)
    }

    fn counted_lost(&self) -> u64 {
        self.counts.as_ref().map_or(0, |counts| counts.sum_all(totals::LOST))
    }

    /// Exact counts since the programs were attached; absent without BPF.
    pub fn totals(&self) -> Option<Totals> {
        let counts = self.counts.as_ref()?;
        Some(Totals {
            added: counts.sum(Purpose::Added, totals::PAGES),
            deleted: counts.sum(Purpose::Deleted, totals::PAGES),
            read: counts.reads.then(|| counts.sum(Purpose::Read, totals::PAGES)),
            events: counts.sum_all(totals::EVENTS),
        })
    }
}

impl CountedPages {
    fn map(map: &OwnedFd, cpus: u32, reads: bool) -> Result<Self, Error> {
        let cpus = cpus as usize;
        let numbers = cpus * Purpose::COUNT as usize * totals::SIZE as usize / 8;
        let counts = Counts::map(map, numbers)
            .map_err(|error| Error::system(format!("cannot map the totals of the trace: {error}"), ""))?;
        Ok(Self { counts, cpus, reads })
    }

    /// Sums one number of one purpose over all CPUs.
    fn sum(&self, purpose: Purpose, offset: i16) -> u64 {
        let entry = totals::SIZE as usize / 8;
        let first = purpose as usize * self.cpus;
        let place = offset.unsigned_abs() as usize / 8;
        (first..first + self.cpus).map(|cpu| self.counts.get(cpu * entry + place)).sum()
    }

    fn sum_all(&self, offset: i16) -> u64 {
        Purpose::ALL.into_iter().map(|purpose| self.sum(purpose, offset)).sum()
    }
}

//! A trace of the running host from start to end: the tracer, the analysis, and the names of files.

use crate::analysis::Analysis;
use crate::clock::monotonic_ns;
use crate::event::{Event, File};
use crate::host::{HostProcesses, kswapd, memory};
use crate::missing::Missing;
use crate::name::{file_names, printable};
use crate::options::Options;
use crate::summary::{Coverage, Summary};
use crate::tracer::{Totals, Tracer};
use pagetide_core::Error;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How often kswapd's evictions are divided among those who took the frames, and the memory of groups is read.
const DIVIDE_NS: u64 = 1_000_000_000;
/// How long a drain waits at most: a ring of 8 MiB holds about as much of a very busy CPU.
const DRAIN: Duration = Duration::from_millis(100);
/// Names that are kept, found or not.
const NAMES_MAX: usize = 1 << 14;

/// A trace of this host. Dropping it detaches.
#[derive(Debug)]
pub struct Session {
    tracer: Tracer,
    analysis: Analysis<HostProcesses>,
    events: Vec<Event>,
    /// When it was switched on; absent while it is off.
    on_since_ns: Option<u64>,
    /// How long it was on before that.
    traced_ns: u64,
    divided_ns: u64,
    lost: u64,
    /// What tracers before this one counted and lost.
    totals_before: Totals,
    lost_before: u64,
    /// Events that were analysed.
    analysed: u64,
    names: BTreeMap<File, Option<String>>,
}

impl Session {
    /// Attaches to this host's tracepoints and starts.
    pub fn start(options: Options) -> Result<Self, Error> {
        let mut session = Self::of(Tracer::attach(options)?);
        session.resume()?;
        Ok(session)
    }

    /// A trace by this tracer, which is off.
    pub fn of(tracer: Tracer) -> Self {
        let analysis = Analysis::new(tracer.sampling(), kswapd(), HostProcesses::default());
        Self {
            tracer,
            analysis,
            events: Vec::new(),
            on_since_ns: None,
            traced_ns: 0,
            divided_ns: 0,
            lost: 0,
            totals_before: Totals::default(),
            lost_before: 0,
            analysed: 0,
            names: BTreeMap::new(),
        }
    }

    /// Goes on with another tracer, off, in the place of one whose helper is gone: what was found stays, and nothing is joined across the
    /// change.
    ///
    /// # Errors
    /// The other one samples other pages.
    pub fn go_on_with(&mut self, tracer: Tracer) -> Result<(), Error> {
        if tracer.sampling() != self.tracer.sampling() {
            return Err(Error::system("the trace helper samples other pages than before", "start the recorder again"));
        }
        self.traced_ns = self.analysed_ns();
        self.on_since_ns = None;
        self.totals_before = self.totals().unwrap_or_default();
        self.lost_before += self.tracer.lost();
        self.lost = self.lost_before;
        self.tracer = tracer;
        self.analysis.forget();
        Ok(())
    }

    /// The counts of all tracers.
    fn totals(&self) -> Option<Totals> {
        self.tracer.totals().map(|totals| totals.after(self.totals_before))
    }

    /// Switches it on, when it is off.
    pub fn resume(&mut self) -> Result<(), Error> {
        if self.on_since_ns.is_none() {
            self.tracer.start()?;
            let now = monotonic_ns();
            (self.on_since_ns, self.divided_ns) = (Some(now), now);
        }
        Ok(())
    }

    /// Switches it off, when it is on. What happens meanwhile is not seen, so nothing is joined across it: an eviction before and a
    /// read after.
    pub fn pause(&mut self) -> Result<(), Error> {
        if self.on_since_ns.is_some() {
            self.finish()?;
            self.analysis.forget();
        }
        Ok(())
    }

    /// Whether it is on.
    pub const fn is_on(&self) -> bool {
        self.on_since_ns.is_some()
    }

    /// Events that were analysed, and hits of tracepoints that the programs saw, up to now: what the trace costs grows with both.
    pub fn events(&self) -> (u64, u64) {
        (self.analysed, self.totals().map_or(self.analysed, |totals| totals.events))
    }

    /// What cannot be known here.
    pub fn missing(&self) -> &[Missing] {
        self.tracer.missing()
    }

    /// Waits a tenth of a second at most and analyses what came.
    pub fn step(&mut self) -> Result<(), Error> {
        self.tracer.wait(DRAIN)?;
        self.tracer.drain(&mut self.events);
        self.analyse();
        Ok(())
    }

    /// Stops and analyses the rest.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.traced_ns = self.elapsed_ns();
        self.on_since_ns = None;
        self.tracer.stop()?;
        self.tracer.finish(&mut self.events);
        self.analyse();
        self.analysis.divide();
        Ok(())
    }

    fn analyse(&mut self) {
        self.analysed += self.events.len() as u64;
        for event in self.events.drain(..) {
            self.analysis.take(&event);
        }
        let lost = self.lost_before + self.tracer.lost();
        if lost > self.lost {
            self.lost = lost;
            self.analysis.forget();
        }
        let now = monotonic_ns();
        if now - self.divided_ns >= DIVIDE_NS {
            self.divided_ns = now;
            self.analysis.divide();
            self.analysis.set_memory(memory);
        }
    }

    /// How long it was on.
    pub fn elapsed_ns(&self) -> u64 {
        self.traced_ns + self.on_since_ns.map_or(0, |since| monotonic_ns().saturating_sub(since))
    }

    /// How much of that time is analysed: all events up to here are in the summary.
    fn analysed_ns(&self) -> u64 {
        self.traced_ns + self.on_since_ns.map_or(0, |since| self.tracer.complete_ns().saturating_sub(since))
    }

    /// What was found so far.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::of(&self.analysis);
        let totals = self.totals();
        summary.coverage = Coverage {
            time_ns: self.analysed_ns(),
            lost_records: self.lost,
            added_pages: totals.map(|totals| totals.added),
            read_pages: totals.and_then(|totals| totals.read),
            ..summary.coverage
        };
        summary
    }

    /// The paths of these files as far as they can be found; each is looked for once.
    pub fn names(&mut self, files: impl Iterator<Item = File>) -> &BTreeMap<File, Option<String>> {
        let unknown: BTreeSet<File> = files.filter(|file| !self.names.contains_key(file)).collect();
        if self.names.len() + unknown.len() > NAMES_MAX {
            self.names.clear();
        }
        let mut found = file_names(&unknown);
        self.names.extend(
            unknown.into_iter().map(|file| (file, found.remove(&file).map(|path| printable(&path.to_string_lossy())))),
        );
        &self.names
    }
}

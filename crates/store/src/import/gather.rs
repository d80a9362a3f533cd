//! Collects the values of one file by column, at 12 bytes a value.

use super::report::FileReport;
use super::whole::Whole;
use crate::budget::{Budget, Exceeded, Held, bytes_of};
use pagetide_core::{Column, Kind, StepResult, Table};
use std::collections::{HashMap, HashSet};

/// The position of a lane in its [`Gather`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LaneId(usize);

/// One metric of one entity: its values and their moments, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) moments: Vec<u32>,
    pub(super) values: Vec<i64>,
}

impl Lane {
    /// The memory that the values take.
    fn make_room(&mut self, budget: &Budget) -> Result<(), Exceeded> {
        let more = self.values.len().max(4);
        budget.charge(bytes_of(more, VALUE_BYTES))?;
        self.values.try_reserve_exact(more)?;
        Ok(self.moments.try_reserve_exact(more)?)
    }
}

/// Which column of which entity a lane is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct LaneKey {
    pub(super) table: Table,
    pub(super) entity: String,
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// Something in a file that is not a number.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    /// A restart of the host, a comment.
    Note(String),
    /// A job of fio.
    Step(Box<StepResult>),
}

/// What a file says about its host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HostFacts {
    pub(super) host: Option<String>,
    pub(super) kernel: Option<String>,
    pub(super) cpus: Option<u32>,
    /// Whether something in the file shows that pages are 4 KiB.
    pub(super) small_pages: bool,
}

/// The moments and values of one file. Times are in nanoseconds: since 1970-01-01 UTC when the day is known, else since
/// the midnight of an unknown day.
#[derive(Debug)]
pub(super) struct Gather {
    pub(super) report: FileReport,
    pub(super) facts: HostFacts,
    pub(super) dated: bool,
    /// Whether the file has a clock at all.
    pub(super) timed: bool,
    /// Whether times came without a zone.
    pub(super) local: bool,
    pub(super) moments: Vec<i64>,
    pub(super) lanes: Vec<(LaneKey, Column, Lane)>,
    pub(super) events: Vec<(i64, Event)>,
    /// Display names of entities whose own names mean nothing to people.
    pub(super) labels: HashMap<(Table, String), String>,
    pub(super) whole: Whole,
    known_moments: HashMap<i64, u32>,
    known_lanes: HashMap<LaneKey, LaneId>,
    /// The events of each moment.
    known_events: HashSet<(i64, String)>,
    now: u32,
    budget: Budget,
    /// The limit that the file exceeded, after which nothing more is read from it.
    pub(super) exceeded: Option<Exceeded>,
}

/// Bytes of memory of a column of an entity besides its values: entries of two maps, three copies of its names, allocator overhead.
const LANE_BYTES: usize = 512;
/// Bytes of memory of an event besides its text: itself, and an entry of a set.
const EVENT_BYTES: usize = size_of::<StepResult>() + 256;
/// Bytes of memory of a moment: itself and an entry of a map, which may be half empty.
const MOMENT_BYTES: usize = 64;
/// Bytes of memory of a value.
const VALUE_BYTES: usize = size_of::<u32>() + size_of::<i64>();

impl Gather {
    pub(super) fn new(name: &str, budget: &Budget) -> Self {
        Self {
            budget: budget.clone(),
            exceeded: None,
            report: FileReport::new(name),
            facts: HostFacts::default(),
            dated: false,
            timed: true,
            local: false,
            moments: Vec::new(),
            lanes: Vec::new(),
            events: Vec::new(),
            labels: HashMap::new(),
            whole: Whole::default(),
            known_moments: HashMap::new(),
            known_lanes: HashMap::new(),
            known_events: HashSet::new(),
            now: 0,
        }
    }

    /// Leaves out the rates of a file with a single moment: a tool that runs without an interval prints averages since boot.
    pub(super) fn only_report(&mut self) {
        if self.moments.len() != 1 {
            return;
        }
        let rates = self.lanes.iter_mut().filter(|(key, _, _)| key.kind == Kind::Rate);
        let mut dropped = 0;
        for (_, _, lane) in rates {
            dropped += lane.values.len() as u64;
            *lane = Lane::default();
        }
        if dropped > 0 {
            self.report.values -= dropped;
            self.report.leave_out(
                self.report.lines,
                "rates of the only report: they may be averages since boot (--first-report interval keeps them)",
            );
        }
    }

    /// Notes that a date was read whose day and month could be swapped.
    pub(super) fn guessed(&mut self, ambiguous: bool) {
        if ambiguous {
            self.report.note("the order of day and month in its dates is a guess (--date-order decides)");
        }
    }

    /// Notes what sysstat is known to print wrong (its `read_vmstat_paging`, corrected in 12.7.9).
    pub(super) fn doubled_steal(&mut self, has_steal: bool) {
        let mut release =
            self.facts.kernel.as_deref().unwrap_or("").split(['.', '-']).map(|part| part.parse().unwrap_or(0));
        let release: (u32, u32) = (release.next().unwrap_or(0), release.next().unwrap_or(0));
        // pgsteal_anon and pgsteal_file came with 497a6c1b0990 ("mm: keep separate anon and file statistics on page reclaim activity").
        if release >= (5, 8) && has_steal {
            self.report.note(
                "sysstat before 12.7.9 counts ordinary reclaim twice in pgsteal/s and %vmeff on this kernel (Linux 5.8 and later)",
            );
        }
    }

    /// The values that follow were read at `nanos`.
    pub(super) fn at(&mut self, nanos: i64) {
        if self.moments.get(self.now as usize) == Some(&nanos) {
            return;
        }
        if !self.charge(MOMENT_BYTES) {
            return;
        }
        let next = u32::try_from(self.moments.len()).unwrap_or(u32::MAX);
        self.now = *self.known_moments.entry(nanos).or_insert(next);
        if self.now == next {
            self.moments.push(nanos);
        }
    }

    /// A row of a table was read, at the moment set last.
    pub(super) fn row(&mut self, table: Table) {
        self.whole.row(table, self.now, self.report.skipped_lines);
    }

    /// The name of a process of which a tool prints the id and the command, and not when it was started. One that runs another program (exec) is
    /// another entity, as of the recorder: of the same command is what begins with the same word, of which the kernel keeps 15 bytes, and a
    /// kernel thread that says what it does at the moment (`kworker/0:1-events`).
    pub(super) fn process(&mut self, pid: &str, command: &str) -> String {
        let Some(word) = command.split_whitespace().next() else { return format!("{pid}@0") };
        let word = if word.starts_with("kworker/") { "kworker" } else { word.rsplit('/').next().unwrap_or(word) };
        let word = word.trim_start_matches('-').trim_end_matches(':');
        let entity = format!("{pid}@0/{}", String::from_utf8_lossy(&word.as_bytes()[..word.len().min(15)]));
        self.labels.entry((Table::Process, entity.clone())).or_insert_with(|| command.to_owned());
        entity
    }

    /// Sets a rate to 0 at moments at which the file has none.
    pub(super) fn fill(&mut self, lane: usize, moments: &[u32]) {
        let Some((_, _, lane)) = self.lanes.get_mut(lane) else { return };
        let room = self.budget.charge(bytes_of(moments.len(), VALUE_BYTES)).err();
        self.exceeded = self.exceeded.take().or(room);
        if self.exceeded.is_none() {
            lane.moments.extend(moments);
            lane.values.resize(lane.moments.len(), 0);
        }
    }

    /// The lane of a column of an entity, new when there is none.
    pub(super) fn lane(&mut self, table: Table, entity: &str, column: Column) -> LaneId {
        let key = LaneKey { table, entity: entity.to_owned(), name: column.name.clone(), kind: column.kind };
        if let Some(known) = self.known_lanes.get(&key) {
            return *known;
        }
        let lane = LaneId(self.lanes.len());
        if self.charge(LANE_BYTES + 3 * (key.entity.len() + key.name.len())) {
            self.lanes.push((key.clone(), column, Lane::default()));
            self.known_lanes.insert(key, lane);
        }
        // Values for a lane that does not exist are dropped.
        lane
    }

    /// Whether more memory may be taken.
    fn charge(&mut self, bytes: usize) -> bool {
        if self.exceeded.is_none() {
            self.exceeded = self.budget.charge(bytes as u64).err();
        }
        self.exceeded.is_none()
    }

    /// Adds a value at the moment set last.
    pub(super) fn put(&mut self, lane: LaneId, value: i64) {
        if let Some((_, _, lane)) = self.lanes.get_mut(lane.0) {
            if lane.values.len() == lane.values.capacity() {
                let room = lane.make_room(&self.budget).err();
                self.exceeded = self.exceeded.take().or(room);
            }
            if self.exceeded.is_some() {
                return;
            }
            lane.moments.push(self.now);
            lane.values.push(value);
            self.report.values += 1;
        }
    }

    /// Adds an event, unless the file said the same already.
    pub(super) fn event(&mut self, nanos: i64, event: Event) {
        let said = (nanos, format!("{event:?}"));
        if !self.known_events.contains(&said) && self.charge(EVENT_BYTES + 3 * said.1.len()) {
            self.known_events.insert(said);
            self.events.push((nanos, event));
        }
    }

    /// Memory that is taken for a while.
    pub(super) fn hold(&self) -> Held {
        self.budget.hold()
    }

    /// Drops what was read so far, but keeps the report.
    pub(super) fn forget(&mut self) {
        for (_, _, lane) in &mut self.lanes {
            *lane = Lane::default();
        }
        self.moments.clear();
        self.known_moments.clear();
        self.events.clear();
        self.known_events.clear();
        self.whole = Whole::default();
        self.now = 0;
        self.report.values = 0;
    }
}

//! Processes that began and ended between two samples, summed by command and parent.

use super::kernel_file::{KernelFile, Text};
use super::pass::Pass;
use super::row::{Row, columns};
use super::task::TICK_NS;
use crate::error::Error;
use crate::root::Root;
use crate::taskstats::{Delays, ExitRecord, ExitRecords};
use pagetide_core::{ColumnId, EndedName, Entity, EntityId, Table};

/// Rows, at most. All others share one row.
const MAX_ROWS: usize = 128;

/// The label of the row of all others.
const OTHERS: &str = "(other short-lived)";

/// Samples for which a row stays after the last of its processes ended, so that its rates fall to 0 before it disappears.
const LINGER: u32 = 10;

/// Records read in one sample, at most.
const MAX_RECORDS: usize = 1 << 16;

/// The columns that are not copied from a record's counters.
const OWN: [&str; 5] = ["ppid", "uid", "utime", "stime", "ended_processes"];

/// What the scheduler was told of them.
const PRIORITY: [&str; 2] = ["nice", "policy"];

/// Room for the ids of the processes of a sample.
const ROOM: usize = 4096;

/// The processes of one command and one parent.
#[derive(Debug)]
struct Ended {
    name: EndedName,
    comm: String,
    /// Set when it first has a row.
    entity: Option<EntityId>,
    /// Samples since the last of them ended.
    idle: u32,
    uid: u32,
    nice: i64,
    policy: u64,
    processes: u64,
    cpu_ns: [u64; 2],
    counters: [u64; ExitRecord::COUNTERS.len()],
    delays: [Option<u64>; Delays::NAMES.len()],
}

impl Ended {
    fn add(&mut self, record: &ExitRecord) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        self.idle = 0;
        (self.uid, self.nice, self.policy) = (record.uid, record.nice, record.policy);
        // The others are its threads.
        add(&mut self.processes, u64::from(record.task == record.process));
        self.cpu_ns.iter_mut().zip(record.cpu_ns).for_each(|(sum, more)| add(sum, more));
        self.counters.iter_mut().zip(record.counters).for_each(|(sum, more)| add(sum, more));
        for (sum, more) in self.delays.iter_mut().zip(record.delays.totals()) {
            if let Some(more) = more {
                add(sum.get_or_insert(0), *more);
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Columns {
    own: [ColumnId; OWN.len()],
    priority: [ColumnId; PRIORITY.len()],
    counters: [ColumnId; ExitRecord::COUNTERS.len()],
    delays: [ColumnId; Delays::NAMES.len()],
}

/// The sums of a recorder.
#[derive(Debug)]
pub(crate) struct Sums {
    ended: Vec<Ended>,
    /// Rows so far.
    named: u64,
    /// The processes of this sample and of the one before, in ascending order.
    listed: [Vec<u32>; 2],
    /// When the sample before was taken, in ticks; absent before the first.
    before: Option<u64>,
    columns: Option<Columns>,
    row: Row,
}

impl Sums {
    fn new() -> Self {
        let ended = Vec::with_capacity(MAX_ROWS + 1);
        let listed = [(); 2].map(|()| Vec::with_capacity(ROOM));
        Self { ended, named: 0, listed, before: None, columns: None, row: Row::default() }
    }

    /// Begins a sample that found these processes.
    fn begin(&mut self, processes: impl Iterator<Item = u32>) {
        self.listed.swap(0, 1);
        let [now, _] = &mut self.listed;
        now.clear();
        now.extend(processes);
        now.sort_unstable();
        self.ended.iter_mut().for_each(|ended| ended.idle = ended.idle.saturating_add(1));
        self.ended.retain(|ended| ended.idle <= LINGER);
    }

    fn was_seen(&self, process: u32) -> bool {
        self.listed.iter().any(|listed| listed.binary_search(&process).is_ok())
    }

    /// Adds a record to the sums. Returns whether its process was in no sample; other processes have rows of their own.
    fn book(&mut self, record: &ExitRecord) -> bool {
        // Processes that ended before the first sample are not part of the recording.
        let Some(tick) = self.before else { return false };
        if self.was_seen(record.process) {
            return false;
        }
        let parent = Some(record.parent).filter(|parent| *parent != 0 && self.was_seen(*parent));
        let of = |ended: &&mut Ended, parent, comm| ended.name.parent == parent && ended.comm == comm;
        let known = self.ended.iter_mut().find(|ended| of(ended, parent, record.comm()));
        if let Some(known) = known {
            known.add(record);
            return true;
        }
        let (parent, comm) = if self.ended.len() < MAX_ROWS { (parent, record.comm()) } else { (None, OTHERS) };
        if let Some(others) = self.ended.iter_mut().find(|ended| of(ended, parent, comm)) {
            others.add(record);
            return true;
        }
        let mut ended = Ended {
            name: EndedName { parent, nth: self.named, tick },
            comm: comm.to_owned(),
            entity: None,
            idle: 0,
            uid: 0,
            nice: 0,
            policy: 0,
            processes: 0,
            cpu_ns: [0; 2],
            counters: [0; ExitRecord::COUNTERS.len()],
            delays: [None; Delays::NAMES.len()],
        };
        ended.add(record);
        self.named += 1;
        self.ended.push(ended);
        true
    }

    /// Puts the rows into the sample.
    fn put(&mut self, pass: &mut Pass<'_>) {
        self.before = Some(u64::try_from(pass.sample.stamp.boot_ns).unwrap_or(0) / TICK_NS);
        if self.ended.is_empty() {
            return;
        }
        let known = *self.columns.get_or_insert_with(|| Columns {
            own: columns(pass.schema, Table::Process, OWN),
            priority: columns(pass.schema, Table::Process, PRIORITY),
            counters: columns(pass.schema, Table::Process, ExitRecord::COUNTERS),
            delays: columns(pass.schema, Table::Process, Delays::NAMES),
        });
        let Self { ended, row, .. } = self;
        for ended in ended {
            row.clear();
            let [user, system] = ended.cpu_ns.map(|ns| ns / TICK_NS);
            // Those of one command and parent have them from that parent.
            let alike = ended.comm != OTHERS;
            let uid = alike.then_some(ended.uid.into());
            let own = [ended.name.parent.map(u64::from), uid, Some(user), Some(system), Some(ended.processes)];
            let counters = ended.counters.iter().map(|count| Some(*count));
            let values = own.into_iter().chain(counters).chain(ended.delays);
            for (column, value) in known.own.iter().chain(&known.counters).chain(&known.delays).zip(values) {
                if let Some(value) = value {
                    row.set(*column, value);
                }
            }
            if alike {
                let [nice, policy] = known.priority;
                row.set_stored(nice, ended.nice);
                row.set(policy, ended.policy);
            }
            let Ended { name, comm, entity, .. } = ended;
            let entity = *entity.get_or_insert_with(|| {
                pass.schema.push_entity(Table::Process, Entity::new(name.to_string(), comm.as_str()))
            });
            row.put(pass.schema, pass.sample, Table::Process, entity);
        }
    }
}

/// Reads the kernel's exit records and makes rows of them.
#[derive(Debug)]
pub(crate) struct Exits {
    records: ExitRecords,
    /// Where the kernel counts the records that it dropped.
    sockets: Option<KernelFile>,
    sums: Sums,
}

/// The records of one sample.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ExitCounts {
    /// Tasks of processes that no sample has seen.
    pub(crate) unseen: u64,
    /// Records that the kernel has dropped so far.
    pub(crate) dropped: u64,
}

impl Exits {
    /// Asks the kernel for exit records; `None` if this user may not have them, or the kernel lacks them.
    pub(crate) fn open(root: &Root) -> Option<Self> {
        let records = ExitRecords::open(root).ok()?;
        let sockets = KernelFile::open(root.join("/proc/net/netlink"), Text::Records).ok()?;
        Some(Self { records, sockets, sums: Sums::new() })
    }

    /// Forgets the numbers of a schema.
    pub(crate) fn renew(mut self) -> Self {
        self.sums.columns = None;
        self.sums.ended.iter_mut().for_each(|ended| ended.entity = None);
        self
    }

    /// Adds up the processes that ended since the previous sample, which listed these processes.
    pub(crate) fn sample(
        &mut self,
        processes: impl Iterator<Item = u32>,
        pass: &mut Pass<'_>,
    ) -> (ExitCounts, Result<(), Error>) {
        let Self { records, sockets, sums } = self;
        let mut counts = ExitCounts::default();
        sums.begin(processes);
        let failed = |source| Error::Read { path: "taskstats of tasks that end".into(), source };
        let mut taken =
            records.take(MAX_RECORDS, |record| counts.unseen += u64::from(sums.book(record))).map_err(failed);
        sums.put(pass);
        if records.dropped
            && let Some(sockets) = sockets
        {
            match sockets.read(pass.buffer) {
                Ok(text) => counts.dropped = text.and_then(|text| records.drops(text)).unwrap_or(0),
                Err(error) => taken = taken.and(Err(error)),
            }
        }
        (counts, taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::group_of::GroupFinder;
    use crate::sampler::kernel_file::{Budget, Buffer};
    use pagetide_core::{Sample, Schema};

    fn record(task: u32, process: u32, parent: u32, comm: &str) -> ExitRecord {
        let mut record = ExitRecord::of(comm);
        (record.task, record.process, record.parent, record.uid) = (task, process, parent, 1000);
        (record.nice, record.policy) = (19, 3);
        record.cpu_ns = [4_000_000, 8_000_000];
        record.counters = [1, 2, 3, 4, 5, 6, 4096, 7, 8];
        record
    }

    struct Host {
        sums: Sums,
        schema: Schema,
        sample: Sample,
    }

    impl Host {
        fn new() -> Self {
            Self { sums: Sums::new(), schema: Schema::default(), sample: Sample::default() }
        }

        /// Takes a sample that lists these processes. Returns which of the records were added.
        fn sample(&mut self, at_s: i64, there: &[u32], records: &[ExitRecord]) -> Vec<bool> {
            let Self { sums, schema, sample } = self;
            sample.clear();
            sample.stamp.boot_ns = at_s * 1_000_000_000;
            sums.begin(there.iter().copied());
            let booked = records.iter().map(|record| sums.book(record)).collect();
            let (mut buffer, mut budget) = (Buffer::new(), Budget::of_this_process());
            let mut groups = GroupFinder::open(&Root::new("/nowhere"));
            let (buffer, budget, groups) = (&mut buffer, &mut budget, &mut groups);
            sums.put(&mut Pass { buffer, budget, groups, tasks: &[], command_lines: false, schema, sample });
            booked
        }

        /// The rows: name, command, and a column.
        fn rows(&self, column: &str) -> Vec<(String, String, Option<i64>)> {
            let rows = self.sample.tables().find(|table| table.table() == Table::Process);
            let at = self.schema.find_column(Table::Process, column).map(|column| column.0 as usize);
            let row = |(id, values): (EntityId, &[Option<i64>])| {
                let Entity { name, label, .. } = self.schema.entities(Table::Process)[id.0 as usize].clone();
                (name, label, at.and_then(|at| values.get(at).copied().flatten()))
            };
            rows.map(|rows| rows.rows().map(row).collect()).unwrap_or_default()
        }
    }

    #[test]
    fn what_no_sample_saw_is_booked_to_its_command_and_parent() {
        let mut host = Host::new();
        let dd = |pid| record(pid, pid, 10, "dd");
        assert_eq!(host.sample(5, &[1, 10, 20], &[dd(30)]), [false], "nobody knows when it began");
        // 20 was there in the sample before, 31 is there now, and 33 is a thread of 32.
        let all = [
            dd(30),
            dd(20),
            dd(31),
            dd(32),
            record(33, 32, 10, "dd"),
            record(34, 34, 99, "dd"),
            record(35, 35, 10, "tar"),
        ];
        assert_eq!(host.sample(6, &[1, 10, 31], &all), [true, false, false, true, true, true, true]);
        let row = |name: &str, comm: &str, value| (name.to_owned(), comm.to_owned(), value);
        let bytes = [
            row("ended/10.0@500", "dd", Some(3 * 4096)),
            row("ended/0.1@500", "dd", Some(4096)),
            row("ended/10.2@500", "tar", Some(4096)),
        ];
        assert_eq!(host.rows("read_bytes"), bytes);
        let of = |host: &Host, column: &str| host.rows(column).into_iter().map(|(.., value)| value).collect::<Vec<_>>();
        assert_eq!(of(&host, "ended_processes"), [Some(2), Some(1), Some(1)]);
        assert_eq!((of(&host, "ppid"), of(&host, "uid")), (vec![Some(10), None, Some(10)], vec![Some(1000); 3]));
        assert_eq!((of(&host, "nice"), of(&host, "policy")), (vec![Some(19); 3], vec![Some(3); 3]));
        assert_eq!(
            (of(&host, "utime"), of(&host, "stime")),
            (vec![Some(1), Some(0), Some(0)], vec![Some(2), Some(0), Some(0)])
        );
        host.sample(7, &[1, 10], &[dd(40), dd(41), dd(42)]);
        assert_eq!(of(&host, "read_bytes"), [Some(6 * 4096), Some(4096), Some(4096)], "sums go on");
        assert_eq!(of(&host, "utime"), [Some(2), Some(0), Some(0)], "parts of a tick are not lost");
        for second in 0..=i64::from(LINGER) {
            host.sample(8 + second, &[1, 10], &[]);
        }
        assert_eq!(host.rows("utime"), [], "and end some samples after the last of them");
        host.sample(30, &[1, 10], &[dd(50)]);
        assert_eq!(
            host.rows("read_bytes"),
            [row("ended/10.3@1800", "dd", Some(4096))],
            "another row begins at 0 again"
        );
    }

    #[test]
    fn a_storm_of_processes_takes_no_more_memory_than_a_few() {
        let mut host = Host::new();
        host.sample(1, &[1], &[]);
        let all: Vec<ExitRecord> = (0..10_000).map(|at| record(1000 + at, 1000 + at, 1, &format!("c{at}"))).collect();
        host.sample(2, &[1], &all);
        let rows = host.rows("ended_processes");
        assert_eq!(rows.len(), MAX_ROWS + 1);
        assert_eq!(rows.iter().filter_map(|(.., count)| *count).sum::<i64>(), 10_000, "none is lost");
        assert_eq!(rows.last().map(|(_, comm, _)| comm.as_str()), Some(OTHERS));
        let room = host.sums.ended.capacity();
        for second in 3..100 {
            host.sample(second, &[1], &all);
        }
        assert_eq!((host.rows("utime").len(), host.sums.ended.capacity()), (MAX_ROWS + 1, room));
        assert_eq!(host.schema.entities(Table::Process).len(), MAX_ROWS + 1, "commands that go on keep their names");
    }
}

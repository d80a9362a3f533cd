//! The work: how much each program read and wrote, and through how much cache.

use super::machine::{ObservedMachine, bytes, too_little};
use pagetide_core::{Bytes, EndedName, Error, Figure, Quantity, Recording, Table as Rows, Unit, part_name};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Longest time of recorded work that the model repeats, in seconds.
const MAX_REPEATED_SECONDS: f64 = 60.0;
/// Shortest recording from which the work of a program is estimated, in seconds.
const MIN_RECORDED_SECONDS: f64 = 10.0;

/// A figure of the recorded work.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedFigure {
    /// The step.
    pub step: String,
    /// The figure.
    pub figure: Figure,
    /// Its value during the time that the model repeats.
    pub value: f64,
    /// Memory of the machine (MemTotal).
    pub memory: Bytes,
}

impl RecordedFigure {
    /// The figure in the syntax of `--show`.
    pub fn show(&self) -> String {
        format!("{}.{}", self.step, self.figure.name())
    }
}

/// A program is repeated if it read or wrote at least this share of all programs' bytes.
const WORTH: f64 = 0.05;
/// Fewest bytes read or written by a program that is repeated.
const MIN_PROGRAM_BYTES: f64 = 1_048_576.0;
/// With a smaller share of cache hits a program is assumed to read nothing twice.
const SOME_HITS: f64 = 0.05;
/// A program that waits for a disk at least this share of its time reads as fast as the disk serves it.
const WAITS: f64 = 0.5;
/// The smallest and the largest request that is repeated.
const REQUESTS: (f64, f64) = (4096.0, 1_048_576.0);

/// A recording's work as steps of a scenario.
pub(super) struct Work {
    pub(super) steps: Vec<Value>,
    pub(super) guesses: Vec<String>,
    pub(super) recorded: RecordedFigure,
    /// Bytes of all its files.
    pub(super) stored: Bytes,
}

/// What the processes of one name did.
#[derive(Debug, Clone, Copy, Default)]
struct Program {
    processes: f64,
    asked: f64,
    reads: f64,
    read: f64,
    writes: f64,
    given: f64,
    written: f64,
    waited_ns: Option<f64>,
}

impl Program {
    /// Share of the bytes it read that came from the cache.
    fn hits(&self) -> f64 {
        (1.0 - self.read / self.asked).max(0.0)
    }
}

/// # Errors
/// The recording does not say enough.
pub(super) fn of(recording: &Recording, machine: &ObservedMachine) -> Result<Work, Error> {
    let refuse = |what: &str| too_little("the recording", what);
    let stamps = recording.stamps();
    let span = stamps.first().zip(stamps.last()).map(|(first, last)| (first.boot_ns, last.boot_ns));
    let (from, to) = span.ok_or_else(|| refuse("any sample"))?;
    let seconds = (to - from) as f64 / 1e9;
    if seconds < MIN_RECORDED_SECONDS {
        return Err(refuse(&format!("{MIN_RECORDED_SECONDS} s of work: it covers {seconds:.1} s")));
    }
    let programs = programs(recording, from, to);
    if programs.is_empty() {
        return Err(refuse("what programs read and wrote (rchar and read_bytes of processes)"));
    }
    let sum = |of: fn(&Program) -> f64| programs.values().map(of).sum::<f64>();
    let (all_read, all_written) = (sum(|program| program.read), sum(|program| program.written));
    let reads_much = |program: &Program| program.read >= MIN_PROGRAM_BYTES.max(WORTH * all_read);
    let writes_much = |program: &Program| program.written >= MIN_PROGRAM_BYTES.max(WORTH * all_written);
    let mut guesses = Vec::new();
    let mut readers: Vec<(&String, &Program)> = programs.iter().filter(|(_, program)| reads_much(program)).collect();
    readers.retain(|(name, program)| {
        let counted = program.asked * 2.0 >= program.read && program.reads >= 1.0;
        if !counted {
            guesses.push(format!("{name} is left out: it reads mapped files, whose hits the kernel does not count."));
        }
        counted
    });
    let writers: Vec<(&String, &Program)> = programs.iter().filter(|(_, program)| writes_much(program)).collect();
    if readers.is_empty() && writers.is_empty() {
        return Err(refuse("a program that read or wrote 1 MiB of a disk or more"));
    }
    let median = |name: &str| {
        let mut values: Vec<i64> = recording.host(name)?.points().map(|(_, value)| value).collect();
        values.sort_unstable();
        Some(*values.get(values.len() / 2)? as f64)
    };
    let cached = median("Cached").zip(median("Shmem")).map(|(cached, shmem)| (cached - shmem).max(0.0));
    let cached = cached.ok_or_else(|| refuse("how much of files was cached (Cached, Shmem)"))?;
    let repeated = seconds.min(MAX_REPEATED_SECONDS);
    let mut parts = Parts { repeated, seconds, ..Parts::default() };
    let all_hits: f64 = readers.iter().map(|(_, program)| program.hits() * program.asked).sum();
    for (name, program) in &readers {
        let share = if all_hits > 0.0 { program.hits() * program.asked / all_hits } else { 0.0 };
        parts.reader(name, program, cached * share);
    }
    for (name, program) in &writers {
        parts.writer(name, program);
    }
    let sectors = |name: &str| recording.series(Rows::Disk, &machine.disk.name, name)?.rise(from, to);
    let (figure, metric) = if readers.is_empty() {
        (Figure::DiskWrittenBytes, "write_sectors")
    } else {
        (Figure::DiskReadBytes, "read_sectors")
    };
    let moved = sectors(metric).ok_or_else(|| refuse(&format!("{metric} of {}", machine.disk.name)))?;
    guesses.push(format!("The model repeats {repeated:.0} s of {seconds:.0} s; each program is one thread."));
    guesses.append(&mut parts.guesses);
    let step = |id: &str, title: &str, parts: Vec<Value>| -> Value {
        Table::from_iter([
            ("id".to_owned(), id.into()),
            ("title".to_owned(), title.into()),
            ("parallel".to_owned(), Value::from(parts)),
        ])
        .into()
    };
    let mut steps = Vec::new();
    if !parts.warm.is_empty() {
        steps.push(step("warm", "every program reads its file once", parts.warm));
    }
    steps.push(step("work", "the recorded work", parts.work));
    Ok(Work {
        steps,
        guesses,
        recorded: RecordedFigure {
            step: "work".to_owned(),
            figure,
            value: moved as f64 * 512.0 * repeated / seconds,
            memory: machine.memory,
        },
        stored: parts.stored,
    })
}

/// What the processes of each name did, without threads.
fn programs(recording: &Recording, from: i64, to: i64) -> BTreeMap<String, Program> {
    let mut programs: BTreeMap<String, Program> = BTreeMap::new();
    for (entity, label) in recording.entities(Rows::Process) {
        let rise = |name: &str| Some(recording.series(Rows::Process, entity, name)?.rise(from, to)? as f64);
        // A thread's counters are part of its process's row, and those of processes that no sample saw are part of their parent's.
        let again = recording.series(Rows::Process, entity, "tgid").is_some() || EndedName::is(entity);
        let Some((asked, read)) = rise("rchar").zip(rise("read_bytes")).filter(|_| !again) else { continue };
        let program = programs.entry(part_name(label)).or_default();
        program.processes += 1.0;
        program.asked += asked;
        program.read += read;
        program.reads += rise("syscr").unwrap_or(0.0);
        program.given += rise("wchar").unwrap_or(0.0);
        program.writes += rise("syscw").unwrap_or(0.0);
        program.written += rise("write_bytes").unwrap_or(0.0);
        if let Some(waited) = rise("blkio_delay_total") {
            *program.waited_ns.get_or_insert(0.0) += waited;
        }
    }
    programs
}

/// The parts of the steps.
#[derive(Default)]
struct Parts {
    warm: Vec<Value>,
    work: Vec<Value>,
    guesses: Vec<String>,
    stored: Bytes,
    repeated: f64,
    seconds: f64,
}

impl Parts {
    fn reader(&mut self, name: &str, program: &Program, cached: f64) {
        let block = request(program.asked / program.reads);
        let hits = program.hits();
        let twice = hits >= SOME_HITS && cached > 0.0;
        // The file that it reads repeatedly. If all of a file is read equally often, the cached share of it equals the share of hits.
        let size = if twice { cached / hits } else { program.read / self.seconds * self.repeated };
        let size = whole(size, block);
        let waits = program.waited_ns.map(|waited| waited / (self.seconds * 1e9 * program.processes));
        let paced = waits.is_none_or(|share| share < WAITS);
        let rate = if twice { program.asked } else { program.read } / self.seconds;
        self.guesses.push(format!(
            "{name} {} {} in requests of {}, {}.",
            if twice { "reads evenly at random from" } else { "reads nothing twice, also from a larger cache:" },
            shown(size, Unit::Bytes),
            shown(block, Unit::Bytes),
            if paced {
                format!("{} as recorded", shown(rate, Unit::BytesPerSecond))
            } else {
                "as fast as it is served".to_owned()
            },
        ));
        let file = format!("file:read_{name}");
        self.stored = self.stored.saturating_add(Bytes::new(integer(size)));
        let mut stream = Table::from_iter([
            ("from".to_owned(), file.clone().into()),
            ("size".to_owned(), bytes(Bytes::new(integer(size)))),
            ("bs".to_owned(), bytes(Bytes::new(integer(block)))),
            ("time".to_owned(), format!("{:.3}s", self.repeated).into()),
        ]);
        if paced {
            stream.insert("rate".to_owned(), format!("{}B/s", integer(rate).max(1)).into());
        }
        if twice {
            stream.insert("random".to_owned(), true.into());
            let once = Table::from_iter([
                ("from".to_owned(), file.into()),
                ("size".to_owned(), bytes(Bytes::new(integer(size)))),
                ("bs".to_owned(), bytes(Bytes::new(integer(block)))),
            ]);
            self.warm.push(part(&format!("read_{name}"), "stream", once));
        }
        self.work.push(part(&format!("read_{name}"), "stream", stream));
    }

    fn writer(&mut self, name: &str, program: &Program) {
        let block = request(program.given.max(program.written) / program.writes.max(1.0));
        let rate = program.written / self.seconds;
        let size = whole(rate * self.repeated, block);
        self.guesses.push(format!(
            "{name} writes a new file in order, {} in requests of {}; whether it syncs is not recorded.",
            shown(rate, Unit::BytesPerSecond),
            shown(block, Unit::Bytes),
        ));
        self.stored = self.stored.saturating_add(Bytes::new(integer(size)));
        let dd = Table::from_iter([
            ("from".to_owned(), "zero".into()),
            ("to".to_owned(), format!("file:write_{name}").into()),
            ("size".to_owned(), bytes(Bytes::new(integer(size)))),
            ("bs".to_owned(), bytes(Bytes::new(integer(block)))),
            ("rate".to_owned(), format!("{}B/s", integer(rate).max(1)).into()),
        ]);
        self.work.push(part(&format!("write_{name}"), "dd", dd));
    }
}

fn part(name: &str, kind: &str, load: Table) -> Value {
    Table::from_iter([("name".to_owned(), name.into()), (kind.to_owned(), load.into())]).into()
}

/// A request size: the power of two nearest to the mean.
fn request(mean: f64) -> f64 {
    mean.clamp(REQUESTS.0, REQUESTS.1).log2().round().exp2()
}

/// Rounds to whole requests, at least one.
fn whole(size: f64, block: f64) -> f64 {
    (size / block).ceil().max(1.0) * block
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "amounts that were recorded fit")]
fn integer(value: f64) -> u64 {
    value.max(0.0).round() as u64
}

fn shown(value: f64, unit: Unit) -> String {
    Quantity::new(value, unit).to_string()
}

//! The work: how much each program read and wrote, and through how much cache.

use super::group::{Group, Groups};
use super::machine::{ObservedMachine, bytes, too_little};
use pagetide_core::{Bytes, EndedName, Error, Figure, Origin, Quantity, Recording, Table as Rows, Unit, part_name};
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
    /// What was recorded.
    pub origin: Origin,
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
/// With a smaller share of cache hits a program has none: it reads nothing twice, or again what was evicted meanwhile.
const SOME_HITS: f64 = 0.05;
/// With a smaller share of refaults in what such a program reads it reads nothing twice.
const SOME_REFAULTS: f64 = 0.05;
/// With at least this share it does little but to read again what was evicted.
const MANY_REFAULTS: f64 = 0.5;
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
    /// The control group that bounds their cache.
    group: Option<usize>,
    asked: f64,
    reads: f64,
    read: f64,
    writes: f64,
    given: f64,
    written: f64,
}

impl Program {
    /// Share of the bytes it read that came from the cache.
    fn hits(&self) -> f64 {
        (1.0 - self.read / self.asked).max(0.0)
    }

    /// Whether the cache serves some of what it reads.
    fn has_hits(&self) -> bool {
        self.hits() >= SOME_HITS
    }
}

/// What a program reads.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reads {
    /// A file that is in part cached, evenly at random.
    AtRandom(f64),
    /// A file again and again, in order: what it comes back to was evicted meanwhile.
    InCircles(f64),
    /// Nothing twice, but for a small share that was refaulted.
    Once { refaulted: f64 },
}

impl Reads {
    /// `cached` is the part of its file in the cache, `refaulted` the share of refaults in what programs without hits read. None where it reads
    /// again what was evicted, of a file of which the recording shows only a part.
    fn of(program: &Program, cached: f64, refaulted: f64) -> Option<Self> {
        if program.has_hits() && cached > 0.0 {
            // If all of a file is read equally often, the cached share of it equals the share of hits.
            return Some(Self::AtRandom(cached / program.hits()));
        }
        if program.has_hits() || refaulted < MANY_REFAULTS {
            return Some(Self::Once { refaulted: if program.has_hits() { 0.0 } else { refaulted } });
        }
        // What was not read before is the file, once, if it is all of it: then it does not fit.
        let file = program.read * (1.0 - refaulted);
        (file > cached).then_some(Self::InCircles(file))
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
    let mut groups = Groups::of(recording);
    let programs = programs(recording, from, to, &mut groups);
    if programs.is_empty() {
        return Err(refuse("what programs read and wrote (rchar and read_bytes of processes)"));
    }
    let sum = |of: fn(&Program) -> f64| programs.values().map(of).sum::<f64>();
    let (all_read, all_written) = (sum(|program| program.read), sum(|program| program.written));
    let reads_much = |program: &Program| program.read >= MIN_PROGRAM_BYTES.max(WORTH * all_read);
    let writes_much = |program: &Program| program.written >= MIN_PROGRAM_BYTES.max(WORTH * all_written);
    let mut guesses = Vec::new();
    let mut left_out = Vec::new();
    let mut readers: Vec<(&String, &Program)> = programs.iter().filter(|(_, program)| reads_much(program)).collect();
    readers.retain(|(name, program)| {
        let counted = program.asked * 2.0 >= program.read && program.reads >= 1.0;
        if !counted {
            left_out.push(name.as_str());
        }
        counted
    });
    guesses.extend(left_out.iter().map(|name| {
        format!("{name} is left out: it reads mapped files or swap, whose hits the kernel does not count.")
    }));
    let median = |name: &str| {
        let mut values: Vec<i64> = recording.host(name)?.points().map(|(_, value)| value).collect();
        values.sort_unstable();
        Some(*values.get(values.len() / 2)? as f64)
    };
    let cached = median("Cached").zip(median("Shmem")).map(|(cached, shmem)| (cached - shmem).max(0.0));
    let refaulted = refaulted(recording, all_read, &readers, from, to);
    // What is in a group with a limit shares the group's cache, all else that of the host.
    let caches: BTreeMap<Option<usize>, (f64, f64)> = {
        let mut caches: BTreeMap<Option<usize>, (f64, f64)> = BTreeMap::new();
        for (_, program) in &readers {
            let cache = caches.entry(program.group).or_default();
            cache.0 += program.hits() * program.asked;
            cache.1 = program.group.and_then(|group| groups.get(group).file).unwrap_or(0.0);
        }
        let of_groups: f64 = caches.values().map(|(_, file)| file).sum();
        caches.entry(None).or_default().1 = (cached.unwrap_or(0.0) - of_groups).max(0.0);
        caches
    };
    let reads = |program: &Program| {
        let (all_hits, cached) = caches[&program.group];
        let share = if program.has_hits() { program.hits() * program.asked / all_hits } else { 1.0 };
        Reads::of(program, cached * share, refaulted)
    };
    let mut unknown = Vec::new();
    readers.retain(|(name, program)| {
        let is_known = reads(program).is_some();
        if !is_known {
            unknown.push(name.as_str());
        }
        is_known
    });
    guesses.extend(unknown.iter().map(|name| {
        format!("{name} is left out: it reads again what was evicted, and how large its file is was not recorded.")
    }));
    let writers: Vec<(&String, &Program)> = programs.iter().filter(|(_, program)| writes_much(program)).collect();
    if readers.is_empty() && writers.is_empty() {
        if !unknown.is_empty() {
            return Err(Error::input(
                format!(
                    "{} read again what was evicted, and how large the file is was not recorded: how much memory helps is unknown",
                    unknown.join(", ")
                ),
                "record from the start of the work, or write a scenario of it: docs/SCENARIOS.md",
            ));
        }
        return Err(match left_out.as_slice() {
            [] => refuse("a program that read or wrote at least 1 MiB and 5 % of what all programs did"),
            names => Error::input(
                format!("{} read from disks only by page faults or from swap, which plan leaves out", names.join(", ")),
                "write a scenario of this work with the load `map_and_walk`: docs/SCENARIOS.md",
            ),
        });
    }
    if cached.is_none() {
        return Err(refuse("how much of files was cached (Cached, Shmem)"));
    }
    let repeated = seconds.min(MAX_REPEATED_SECONDS);
    let mut parts = Parts { repeated, seconds, ..Parts::default() };
    for (name, program) in &readers {
        if let Some(reads) = reads(program) {
            parts.reader(name, program, reads, program.group.map(|group| groups.get(group)));
        }
    }
    for (name, program) in &writers {
        parts.writer(name, program, program.group.map(|group| groups.get(group)));
    }
    for at in caches.keys().copied().flatten() {
        let inside = readers.iter().filter(|(_, program)| program.group == Some(at));
        let names: Vec<&str> = inside.map(|(name, _)| name.as_str()).collect();
        if names.is_empty() {
            continue;
        }
        let of_bytes = |value| shown(value, Unit::Bytes);
        parts.guesses.push(format!(
            "{} in the control group {} leaves {} for file cache: more memory of the host does not change that.",
            if let [name] = names[..] { format!("{name} runs") } else { format!("{} run", names.join(", ")) },
            groups.get(at).limited_by(of_bytes),
            of_bytes(groups.get(at).room()),
        ));
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
            origin: recording.manifest.origin,
        },
        stored: parts.stored,
    })
}

/// The share of refaults in what the readers without hits read. What others read was cached before too.
fn refaulted(recording: &Recording, all_read: f64, readers: &[(&String, &Program)], from: i64, to: i64) -> f64 {
    let rise = |name: &str| recording.host(name)?.rise(from, to);
    let pages = rise("workingset_refault_file").or_else(|| rise("workingset_refault")).unwrap_or(0);
    let refaults = pages as f64 * recording.manifest.page_size.as_f64();
    let read = readers.iter().filter(|(_, program)| !program.has_hits()).map(|(_, program)| program.read).sum::<f64>();
    let left = refaults - (all_read - read);
    if left > 0.0 && read > 0.0 { (left / read).min(1.0) } else { 0.0 }
}

/// What the processes of each name did, without threads: those in a control group with a limit of memory apart from others.
fn programs(recording: &Recording, from: i64, to: i64, groups: &mut Groups) -> BTreeMap<String, Program> {
    let mut programs: BTreeMap<(String, Option<usize>), Program> = BTreeMap::new();
    for (entity, label) in recording.entities(Rows::Process) {
        let rise = |name: &str| Some(recording.series(Rows::Process, entity, name)?.rise(from, to)? as f64);
        // A thread's counters are part of its process's row, and those of processes that no sample saw are part of their parent's.
        let again = recording.series(Rows::Process, entity, "tgid").is_some() || EndedName::is(entity);
        let Some((asked, read)) = rise("rchar").zip(rise("read_bytes")).filter(|_| !again) else { continue };
        let group = groups.of_process(recording, entity);
        let program = programs.entry((part_name(label), group)).or_default();
        program.group = group;
        program.processes += 1.0;
        program.asked += asked;
        program.read += read;
        program.reads += rise("syscr").unwrap_or(0.0);
        program.given += rise("wchar").unwrap_or(0.0);
        program.writes += rise("syscw").unwrap_or(0.0);
        program.written += rise("write_bytes").unwrap_or(0.0);
    }
    let mut named: BTreeMap<String, Program> = BTreeMap::new();
    for ((name, group), program) in programs {
        let apart = group.filter(|_| named.contains_key(&name)).map(|group| format!("{name:.30}_{group}"));
        named.insert(apart.unwrap_or(name), program);
    }
    named
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
    fn reader(&mut self, name: &str, program: &Program, reads: Reads, group: Option<&Group>) {
        let block = request(program.asked / program.reads);
        let (size, how) = match reads {
            Reads::AtRandom(size) => (size, "reads evenly at random from".to_owned()),
            Reads::InCircles(size) => (size, "reads in order, again and again as it was evicted meanwhile,".to_owned()),
            Reads::Once { refaulted } => {
                let how = if refaulted < SOME_REFAULTS {
                    "reads nothing twice, also from a larger cache:".to_owned()
                } else {
                    format!(
                        "reads nothing twice, although a larger cache would have served {} that was refaulted:",
                        shown(refaulted, Unit::Ratio)
                    )
                };
                (program.read / self.seconds * self.repeated, how)
            }
        };
        let size = whole(size, block);
        let rate = if matches!(reads, Reads::Once { .. }) { program.read } else { program.asked } / self.seconds;
        self.guesses.push(format!(
            "{name} {how} {} in requests of {}, {} as recorded{}.",
            shown(size, Unit::Bytes),
            shown(block, Unit::Bytes),
            shown(rate, Unit::BytesPerSecond),
            if matches!(reads, Reads::Once { .. }) { "" } else { ", also where the cache would serve it faster" },
        ));
        let file = format!("file:read_{name}");
        self.stored = self.stored.saturating_add(Bytes::new(integer(size)));
        let once = Table::from_iter([
            ("from".to_owned(), file.into()),
            ("size".to_owned(), bytes(Bytes::new(integer(size)))),
            ("bs".to_owned(), bytes(Bytes::new(integer(block)))),
        ]);
        let mut stream = once.clone();
        stream.insert("time".to_owned(), format!("{:.3}s", self.repeated).into());
        stream.insert("rate".to_owned(), format!("{}B/s", integer(rate).max(1)).into());
        let again = match reads {
            Reads::AtRandom(_) => Some("random"),
            Reads::InCircles(_) => Some("repeat"),
            Reads::Once { .. } => None,
        };
        if let Some(again) = again {
            stream.insert(again.to_owned(), true.into());
            self.warm.push(part(&format!("read_{name}"), "stream", once, group));
        }
        self.work.push(part(&format!("read_{name}"), "stream", stream, group));
    }

    fn writer(&mut self, name: &str, program: &Program, group: Option<&Group>) {
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
        self.work.push(part(&format!("write_{name}"), "dd", dd, group));
    }
}

fn part(name: &str, kind: &str, load: Table, group: Option<&Group>) -> Value {
    let mut part = Table::from_iter([("name".to_owned(), name.into()), (kind.to_owned(), load.into())]);
    part.extend(group.map(|group| ("cgroup".to_owned(), group.spec())));
    part.into()
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

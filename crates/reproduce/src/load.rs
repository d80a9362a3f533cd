//! The load that a command is: what a step of the lab does in its place.

use crate::command::{Command, Did, Phase};
use crate::guess::Guess;
use crate::stretch::Stretch;

/// Bytes per second below which a command's IO has no part in an incident.
const MIN_TRAFFIC: f64 = 64.0 * 1024.0;
/// Write calls per second from which on they matter to who waits for each page.
const MIN_CALLS: f64 = 0.1;
/// A command misses the page cache if it reads this share of what it asks for from devices.
const MIN_MISS_SHARE: f64 = 0.5;
/// A command whose tasks wait for IO for this share of the time sends its next request when the last one has ended.
const MIN_WAIT_SHARE: f64 = 0.5;
/// Requests of this size on average are a stream.
const MIN_STREAM_REQUEST: f64 = 48.0 * 1024.0;
/// Major faults per second from which on a command that reads without system calls for it touches mapped files, or memory in swap.
const MIN_MAJOR_FAULTS: f64 = 5.0;
/// Bytes of a major fault at most: a mapped file is read ahead by so much.
const MAX_FAULT_READ: f64 = 128.0 * 1024.0;
/// Bytes that a file is read ahead (`VM_READAHEAD_PAGES`).
const READ_AHEAD: f64 = 128.0 * 1024.0;
/// Touches of pages for each that is a major fault: most find their page.
const TOUCHES_PER_FAULT: f64 = 8.0;
/// A command that reads this many times what it asks for has more read for it than it wants.
const MORE_THAN_ASKED: f64 = 1.3;
/// What is read beside much more than this is no part of the same files: directories, or mapped files.
const MOST_SKIPPED: f64 = 8.0;
/// Waits for IO, as a share of the time, from which on they tell how a command reads.
const MIN_WAITS_FOR_EACH: f64 = 0.05;
/// Of what a command reads from devices a smaller share that comes back after it was evicted says that it uses other pages than before: faults are
/// read around, and what is read beside the page that was evicted is no refault.
const MIN_SHARE_EVICTED: f64 = 0.25;
/// CPU time that a request may take, ns.
const MAX_COMPUTE: f64 = 1e8;
/// A CPU that a command uses this share of is a load.
const MIN_CPU_SHARE: f64 = 0.05;
/// The share of a CPU from which on who uses it uses all that it gets.
const MIN_SHARE_AT_WORK: f64 = 0.8;
/// CPUs that a command uses beyond those of its requests, from which on it does something else on them.
const MIN_CPUS_MORE: f64 = 0.3;

/// What a command does in the scenario. Rates are bytes per second; none is as fast as it can.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Reads files in order: once, or so many bytes of them again and again; all, or a block of so many bytes each.
    Stream { rate: Option<f64>, block: f64, direct: bool, pass: Option<f64>, stride: Option<f64> },
    /// Reads blocks at random from files that do not fit into memory.
    Cold { rate: Option<f64>, block: f64, direct: bool },
    /// Reads blocks at random from files that fit, and are cached before the incident if they are warm.
    WorkingSet { rate: f64, block: f64, size: f64, warm: bool },
    /// Touches pages of a mapped file, which is cached before the incident if it is warm, and of its own memory, at random. It fills that memory at a
    /// rate first; none is as fast as it can.
    Touch { code: f64, data: f64, fill: Option<f64>, rate: f64, warm: bool },
    /// Writes files, or at random places of so many bytes of them, and syncs after so many bytes.
    Write { rate: Option<f64>, block: f64, direct: bool, sync_every: Option<f64>, random: Option<f64> },
    /// Takes memory.
    Grow { to: f64, rate: f64 },
    /// Uses so many CPUs, and nothing else.
    Spin { cpus: f64 },
    /// Looks up names, which the kernel keeps in its slab.
    Lookups { rate: f64 },
}

impl Kind {
    /// Bytes per second; none where it goes as fast as it can.
    pub(crate) const fn rate(&self) -> Option<f64> {
        match self {
            Self::Stream { rate, .. } | Self::Cold { rate, .. } | Self::Write { rate, .. } => *rate,
            Self::WorkingSet { rate, .. } | Self::Touch { rate, .. } | Self::Grow { rate, .. } => Some(*rate),
            Self::Spin { .. } | Self::Lookups { .. } => None,
        }
    }

    /// Whether it writes files.
    pub(crate) const fn writes(&self) -> bool {
        matches!(self, Self::Write { .. })
    }

    /// Requests per second of what its command did.
    fn requests(&self, did: &Did) -> f64 {
        match self {
            Self::Stream { block, .. } | Self::Cold { block, .. } => did.read / block,
            Self::WorkingSet { block, .. } => did.asked.max(did.read) / block,
            Self::Write { block, .. } => did.written / block,
            Self::Touch { fill: Some(_), .. } => did.major_faults * TOUCHES_PER_FAULT,
            Self::Touch { .. } | Self::Grow { .. } | Self::Spin { .. } | Self::Lookups { .. } => 0.0,
        }
    }

    /// Whether it is requests, each with some CPU time.
    const fn has_requests(&self) -> bool {
        matches!(
            self,
            Self::Stream { .. }
                | Self::Cold { .. }
                | Self::WorkingSet { .. }
                | Self::Write { .. }
                | Self::Touch { fill: Some(_), .. }
        )
    }

    /// Bytes of files that it uses again and again, cached before the incident or not.
    pub(crate) const fn files(&self) -> Option<f64> {
        match self {
            Self::WorkingSet { size, .. } => Some(*size),
            Self::Touch { code, .. } if *code > 0.0 => Some(*code),
            _ => None,
        }
    }

    /// Bytes of cached files that it uses again and again.
    pub(crate) fn set(&self) -> Option<f64> {
        match self {
            Self::WorkingSet { size, warm: true, .. } => Some(*size),
            Self::Touch { code, warm: true, .. } => (*code > 0.0).then_some(*code),
            _ => None,
        }
    }
}

/// A load with its command.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CommandLoad {
    pub(crate) command: Command,
    pub(crate) kind: Kind,
    /// Whether it ran before the incident.
    pub(crate) ran_before: bool,
    /// Bytes of its files that are charged to its group at the onset, where that is known. Others may have read the rest.
    pub(crate) charged: Option<f64>,
    /// Requests that it has in its disk at once, where that is known.
    pub(crate) depth: Option<f64>,
    /// CPU time for each of its requests, ns.
    pub(crate) compute: f64,
}

impl CommandLoad {
    pub(crate) fn new(command: &Command, kind: Kind, ran_before: bool) -> Self {
        Self { command: command.clone(), kind, ran_before, charged: None, depth: None, compute: 0.0 }
    }

    /// Whether it came with the incident, and does enough to have a part in it.
    pub(crate) fn is_culprit(&self) -> bool {
        /// CPUs that others miss.
        const MIN_CPUS_MISSED: f64 = 0.3;
        !self.ran_before && !matches!(self.kind, Kind::Spin { cpus } if cpus < MIN_CPUS_MISSED)
    }

    /// Whether it has a part in an incident in which all commands moved so many bytes per second: not one that came, read next to nothing of
    /// that and did not wait for it.
    pub(crate) fn has_part(&self, moved: f64) -> bool {
        const MIN_SHARE: f64 = 0.05;
        let reads = matches!(self.kind, Kind::Stream { .. } | Kind::Cold { .. } | Kind::WorkingSet { .. });
        self.ran_before || !reads || self.command.moved() >= MIN_SHARE * moved || self.command.waits()
    }

    /// Has a reader of large blocks compute for each part that is read ahead: it copies that while the disk reads the next one.
    fn spread(&mut self) {
        if let Kind::Stream { block, direct: false, stride: None, .. } = &mut self.kind
            && *block > READ_AHEAD
        {
            self.compute *= READ_AHEAD / *block;
            *block = READ_AHEAD;
        }
    }

    /// Whether the CPU time of its command is a part of it.
    fn computes(&self) -> bool {
        self.compute > 0.0 && self.kind.has_requests() || matches!(self.kind, Kind::Spin { .. })
    }

    /// Whether it is a closed loop: it sends a request, works on what it got, and sends the next one.
    pub(crate) fn is_loop(&self) -> bool {
        self.ran_before || self.command.phase == Phase::Changed
    }

    /// Whether it is of the same program as another.
    pub(crate) fn is_of_program(&self, other: &Self) -> bool {
        self.command.name == other.command.name && self.command.group == other.command.group
    }

    /// Bytes of the anonymous memory at the onset that it takes in the scenario.
    pub(crate) fn brings(&self, calm: &Stretch<'_>) -> f64 {
        match self.kind {
            Kind::Touch { data, .. } if self.ran_before => data,
            Kind::Grow { .. } if self.command.appeared.is_some_and(|at| at < calm.to) => self.command.calm.anon.1,
            _ => 0.0,
        }
    }

    /// Processes of the command that do it at once, as far as that matters: those that wait for each request.
    pub(crate) fn at_once(&self) -> usize {
        const MOST_PROCESSES: usize = 8;
        const MOST_REQUESTS: usize = 64;
        let most = if self.depth.is_some() { MOST_REQUESTS } else { MOST_PROCESSES };
        match self.kind {
            Kind::WorkingSet { .. }
            | Kind::Touch { .. }
            | Kind::Cold { .. }
            | Kind::Stream { direct: true, .. }
            | Kind::Write { sync_every: Some(_), .. }
            | Kind::Write { direct: true, .. } => {
                // Threads of one process wait at once too.
                let waits = if self.ran_before { self.command.calm.waits } else { self.command.trouble.waits };
                let waiting = self.depth.unwrap_or(0.0).max(waits);
                let processes = self.command.trouble.active.max(self.command.calm.active);
                (1..most).find(|count| *count >= processes.min(most) && *count as f64 + 0.5 >= waiting).unwrap_or(most)
            }
            Kind::Spin { cpus } => {
                let did = if self.ran_before { &self.command.calm } else { &self.command.trouble };
                // What it computes beside its requests is of one of its processes.
                let is_beside = self.command.appeared.is_none() && !self.ran_before;
                let processes = if is_beside { 1 } else { did.computing().min(MOST_PROCESSES) };
                let enough = |count: &usize| *count >= processes && *count as f64 >= cpus;
                (1..MOST_PROCESSES).find(enough).unwrap_or(MOST_PROCESSES)
            }
            // A process computes on one CPU at a time.
            Kind::Stream { .. } => {
                let did = if self.ran_before { &self.command.calm } else { &self.command.trouble };
                let most = did.active.clamp(1, MOST_PROCESSES);
                (1..most).find(|count| *count as f64 + 0.5 >= did.cpu + did.cpu_waits).unwrap_or(most)
            }
            Kind::Write { .. } | Kind::Grow { .. } | Kind::Lookups { .. } => 1,
        }
    }

    /// What one of so many processes does of it.
    pub(crate) fn part_of(&self, all: usize) -> Self {
        let part = |rate: f64| rate / all as f64;
        let kind = match self.kind {
            Kind::WorkingSet { rate, block, size, warm } => Kind::WorkingSet { rate: part(rate), block, size, warm },
            Kind::Touch { code, data, fill, rate, warm } => {
                Kind::Touch { code, data: part(data), fill: fill.map(part), rate: part(rate), warm }
            }
            Kind::Cold { rate, block, direct } => Kind::Cold { rate: rate.map(part), block, direct },
            Kind::Write { rate, block, direct, sync_every, random } => {
                Kind::Write { rate: rate.map(part), block, direct, sync_every, random: random.map(part) }
            }
            Kind::Spin { cpus } => Kind::Spin { cpus: part(cpus) },
            Kind::Stream { rate, block, direct, pass, stride } => {
                // Each reads files of its own: together they are those of the command.
                Kind::Stream { rate: rate.map(part), block, direct, pass: pass.map(part), stride }
            }
            Kind::Grow { .. } | Kind::Lookups { .. } => self.kind,
        };
        Self { kind, ..self.clone() }
    }
}

/// What the host as a whole says of all commands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HostShape {
    /// Memory, bytes.
    pub(crate) memory: f64,
    /// Bytes of the file cache at the onset.
    pub(crate) cache: f64,
    /// Bytes per second that were read, and that came into the cache, in trouble.
    pub(crate) read: f64,
    pub(crate) cached: f64,
    /// Bytes per second that all programs dirtied in the page cache, in trouble, where that is known.
    pub(crate) dirtied: Option<f64>,
    /// Bytes of a read, and of a write, of a device on average.
    pub(crate) read_size: f64,
    /// The same of a read before the incident, where there were some.
    pub(crate) usual_read_size: Option<f64>,
    pub(crate) write_size: f64,
    /// How long a read of a device took, s, and the share of time in which the busiest was busy.
    pub(crate) read_time: f64,
    pub(crate) busy: f64,
    /// How long the command ran in the incident, s.
    pub(crate) seconds: f64,
    /// Bytes per second that the command read again after they were evicted, in trouble.
    pub(crate) refaulted: f64,
    /// Whether somebody dropped cached files.
    pub(crate) is_dropped: bool,
    /// Whether the command's group is above `memory.high`: what it charges it waits for, however little that is.
    pub(crate) is_throttled: bool,
}

impl HostShape {
    /// Bytes of the files that a command reads at such a rate, where it reads a good part of them again.
    fn pass(&self, read: f64) -> Option<f64> {
        const MIN_SHARE_AGAIN: f64 = 0.1;
        (self.refaulted > MIN_SHARE_AGAIN * read).then(|| ((read - self.refaulted) * self.seconds).max(1e6))
    }

    /// Whether a command had read before it was seen what it reads again after it was evicted: what it reads for the first time is a small part of
    /// what is cached.
    fn had_read(&self, did: &Did, group_cache: Option<f64>) -> bool {
        const MAX_SHARE_FIRST: f64 = 0.5;
        let first = (did.read - self.refaulted) * self.seconds;
        self.refaulted >= MIN_MISS_SHARE * did.read && first < MAX_SHARE_FIRST * group_cache.unwrap_or(self.cache)
    }

    /// Bytes of the files of a command that had read them before and reads most of them again after they were evicted, by the share of what it asks for
    /// that it finds in the cache; 0 where it does not.
    fn outgrown(&self, did: &Did, group_cache: Option<f64>) -> f64 {
        /// What system calls ask for is not all that is read around it: less says nothing.
        const MIN_HITS: f64 = 0.25;
        if self.refaulted < MIN_MISS_SHARE * did.read {
            return 0.0;
        }
        let hits = 1.0 - did.read / did.asked.max(1.0);
        // Of mapped files nobody counts what was asked for: some more than the cache.
        const MORE_THAN_CACHE: f64 = 1.3;
        let is_mapped = did.asked < MIN_MISS_SHARE * did.read;
        let times = if is_mapped { MORE_THAN_CACHE } else { 1.0 / hits.clamp(MIN_HITS, 1.0) };
        (group_cache.unwrap_or(self.cache) * times).max((did.read - self.refaulted) * self.seconds)
    }

    /// Whether what was read passed the page cache by.
    pub(crate) fn reads_directly(&self) -> bool {
        self.cached < 0.3 * self.read
    }

    /// Whether a command waits for each of its reads as long as a disk with time to spare takes for it: the kernel does not read ahead for it, as it
    /// does for what is read in order, and the disk reads no more at a time than it asks for, which is `size`.
    fn waits_for_each(&self, did: &Did, size: f64) -> bool {
        const LARGER_THAN_ASKED: f64 = 1.5;
        const NEARLY_ALL_READS: f64 = 0.7;
        const MAX_BUSY: f64 = 0.7;
        let reads = did.read / self.read_size * self.read_time;
        let is_read_ahead = self.read_size > LARGER_THAN_ASKED * size;
        !is_read_ahead
            && did.waits >= MIN_WAITS_FOR_EACH
            && did.waits >= NEARLY_ALL_READS * reads
            && self.busy <= MAX_BUSY
    }
}

/// The loads of a command: one for each thing that it does.
pub(crate) fn of(
    command: &Command,
    host: &HostShape,
    group_cache: Option<f64>,
    guesses: &mut Vec<Guess>,
) -> Vec<CommandLoad> {
    let (calm, trouble) = (&command.calm, &command.trouble);
    let using = command.swapping.as_ref().unwrap_or(trouble);
    let mut kinds = Vec::new();
    let name = &command.name;
    // It waits for what it does most.
    let waits = trouble.waits >= MIN_WAIT_SHARE && command.phase == Phase::Whole;
    let paced = |rate: f64| (!waits || rate < 0.5 * (trouble.read + trouble.written)).then_some(rate);
    let faults = faults(command);
    // What hardly moves anything is known by the CPU time that it uses.
    let computes = trouble.sum() <= MIN_TRAFFIC / 16.0;
    let ran_before = command.appeared.is_none() && (calm.sum() > 0.1 * trouble.sum() || faults.is_some() || computes);
    let in_swap = trouble.swapped > host.memory / 200.0;
    // What it touches beside what it did before, and nobody evicted or dropped, it touches for the first time.
    let touches_anew = calm.major_faults < 0.1 * trouble.major_faults
        && trouble.asked >= 0.5 * calm.asked
        && host.refaulted < MIN_SHARE_EVICTED * trouble.read
        && !host.is_dropped;
    // Who has as many major faults before the incident finds little of what it touches.
    let usual_faults = faults.filter(|faults| ran_before && !in_swap && calm.major_faults > 0.5 * faults);
    if let Some(faults) = usual_faults.filter(|_| command.phase == Phase::Usual) {
        guesses.push(Guess::new(
            format!("{name} touches mapped files at random that do not fit into memory"),
            "it has major faults before the incident, and no system calls for what it reads",
        ));
        kinds.push(Kind::Cold { rate: Some(calm.read), block: block(calm.read / faults), direct: false });
    } else if let Some(faults) = faults.filter(|_| (ran_before && !touches_anew) || in_swap) {
        // What it took since the onset is no part of what it touches all the time.
        let own = if ran_before { calm } else { trouble };
        let data = if in_swap { own.anon.1 + own.swapped } else { 0.0 };
        let code = if data > 0.0 { 0.0 } else { group_cache.unwrap_or(host.cache).max(1e6) };
        // Who comes fills its memory, and then uses it.
        let fill = (data > 0.0 && !ran_before && command.grew_for > 0.0).then(|| data / command.grew_for);
        // Until pages come back from swap nobody misses them.
        let faults = if data > 0.0 { using.major_faults.max(faults) } else { faults };
        guesses.push(Guess::new(
            if data > 0.0 {
                format!("{name} uses all of its {} of memory", megabytes(data))
            } else {
                format!("{name} uses {} of mapped files at random", megabytes(code))
            },
            "it has major faults, and no system calls for what it reads",
        ));
        kinds.push(Kind::Touch { code, data, fill, rate: faults * TOUCHES_PER_FAULT, warm: true });
    } else if let Some(faults) = faults.filter(|_| command.phase == Phase::Changed) {
        guesses.push(Guess::new(
            format!("{name} touches mapped files at random that nobody had read before"),
            "it has major faults from the onset on, and no system calls for what it reads",
        ));
        kinds.push(Kind::Cold { rate: Some(trouble.read), block: block(trouble.read / faults), direct: false });
    } else if let Some(faults) = faults.filter(|_| host.had_read(trouble, group_cache)) {
        let code = host.outgrown(trouble, group_cache).max(1e6);
        guesses.push(Guess::new(
            format!("{name} uses {} of mapped files at random, which do not fit into memory", megabytes(code)),
            "most of what it reads from devices it reads again after it was evicted; it has major faults, and no system calls for it",
        ));
        // What comes back it had read before.
        kinds.push(Kind::Touch { code, data: 0.0, fill: None, rate: faults * TOUCHES_PER_FAULT, warm: true });
    } else if let Some(faults) = faults {
        // A fault reads what is around it.
        let size = ((trouble.read - host.refaulted) * host.seconds).max(1e6);
        guesses.push(Guess::new(
            format!("{name} uses {} of mapped files at random", megabytes(size)),
            "what it reads from devices in the incident, less what it reads again; it has major faults, and no system calls for it",
        ));
        let block = block(trouble.read / faults);
        kinds.push(Kind::WorkingSet { rate: trouble.read, block, size, warm: false });
    } else if trouble.read.max(calm.read).max(trouble.asked / 16.0).max(calm.asked / 16.0) > MIN_TRAFFIC / 16.0 {
        let size = (calm.asked + trouble.asked) / (calm.read_calls + trouble.read_calls).max(1e-9);
        // Who ran before the incident shows in the calm whether its files fit into memory.
        let usual = if ran_before && calm.asked > 0.0 { calm } else { trouble };
        // Who comes and reads little again finds the rest in the cache because others had read it.
        let is_new = !ran_before && host.pass(trouble.read).is_none() && trouble.read > MIN_TRAFFIC / 16.0;
        if usual.read >= MIN_MISS_SHARE * usual.asked || is_new {
            let rate = paced(trouble.read);
            // Who passes the cache by reads no more than it asks for; of what no system call asked for that tells nothing.
            let more = trouble.read / trouble.asked.max(1.0);
            let is_read_on =
                !ran_before && host.read_size >= MIN_STREAM_REQUEST && (MORE_THAN_ASKED..MOST_SKIPPED).contains(&more);
            let direct = host.reads_directly() && !is_read_on;
            let again = host.pass(trouble.read).filter(|_| !direct);
            // What others read in the incident says nothing of who read before.
            let read_size = host.usual_read_size.filter(|_| ran_before && calm.read > 0.0).unwrap_or(host.read_size);
            let is_large = size.max(read_size) >= MIN_STREAM_REQUEST || !ran_before && host.read_size > 2.0 * size;
            let scattered = !direct && !ran_before && host.waits_for_each(trouble, size);
            if is_large && !scattered {
                if let Some(pass) = again {
                    guesses.push(Guess::new(
                        format!("{name} reads {} of files again and again", megabytes(pass)),
                        "what it read from devices, less what came back after it was evicted",
                    ));
                }
                let stride = (is_read_on && again.is_none()).then(|| block(size) * more);
                if let Some(stride) = stride {
                    guesses.push(Guess::new(
                        format!("{name} reads {} of each {}", megabytes(block(size)), megabytes(stride)),
                        "more was read from devices than it asked for: the kernel read on behind what it wanted",
                    ));
                }
                kinds.push(Kind::Stream { rate, block: block(size), direct, pass: again, stride });
            } else if let Some(unique) = again.filter(|_| !ran_before) {
                let drawn = drawn_from(unique, trouble.asked.max(trouble.read) * host.seconds);
                let outgrown = host.outgrown(trouble, group_cache);
                let set = drawn.max(outgrown);
                guesses.push(Guess::new(
                    format!("{name} uses {} of files at random, which do not fit into memory", megabytes(set)),
                    "part of what it reads from devices it reads again after it was evicted: by that share of all that it asks for",
                ));
                let rate = trouble.asked.max(trouble.read);
                // What comes back at once it had read before.
                kinds.push(Kind::WorkingSet { rate, block: block(size), size: set, warm: outgrown > 0.0 });
            } else {
                guesses.push(Guess::new(
                    format!("{name} reads at random from files that do not fit into memory"),
                    if scattered {
                        "it waits for each of its reads, as if nothing was read ahead"
                    } else {
                        "its reads miss the page cache and are small"
                    },
                ));
                kinds.push(Kind::Cold { rate, block: block(size), direct });
            }
        } else {
            let hits = 1.0 - trouble.read / trouble.asked.max(1.0);
            let outgrew = command.phase == Phase::Changed && host.refaulted >= MIN_MISS_SHARE * trouble.read;
            let (set, why) = if outgrew {
                let cached = group_cache.unwrap_or(host.cache);
                (
                    cached / hits.max(0.05),
                    "the file cache at the onset, by the share of what it asks for that it finds there",
                )
            } else if !ran_before {
                (
                    trouble.read * host.seconds,
                    "what it reads from devices in the incident: it asks for it again and again",
                )
            } else if let Some(cached) = group_cache {
                (cached, "its part of its group's file cache at the onset")
            } else {
                (host.cache, "its part of the file cache at the onset")
            };
            let set = set.max(1e6);
            guesses.push(Guess::new(format!("{name} uses {} of files at random", megabytes(set)), why));
            let rate = calm.asked.max(trouble.asked);
            guesses.push(Guess::new(
                format!("{name} asks files for {} per second", megabytes(rate)),
                "all that its system calls read, of which pipes are a part",
            ));
            kinds.push(Kind::WorkingSet { rate, block: block(size), size: set, warm: ran_before || outgrew });
        }
    }
    let written = trouble.written.max(calm.written);
    // The lines of a log. Most begin a page anew: the kernel took the last one.
    let calls = calm.write_calls.max(trouble.write_calls);
    let lines = (host.is_throttled && written <= MIN_TRAFFIC / 16.0 && calls >= MIN_CALLS).then(|| {
        const PAGE: f64 = 4096.0;
        Kind::Write { rate: Some(calls * PAGE), block: PAGE, direct: false, sync_every: None, random: None }
    });
    if written > MIN_TRAFFIC / 16.0 {
        let rate = paced(trouble.written);
        let calls = (calm.given + trouble.given) / (calm.write_calls + trouble.write_calls).max(1e-9);
        // What is written in order the kernel writes back in large requests, unless somebody syncs it.
        let random = (host.write_size < MIN_STREAM_REQUEST).then(|| (written * host.seconds).max(1e6));
        let block = if random.is_some() { block(calls.min(host.write_size)) } else { block(calls) };
        let direct = host.dirtied.is_some_and(|dirtied| trouble.written > 2.0 * dirtied);
        if direct {
            guesses.push(Guess::new(
                format!("{name} writes past the page cache"),
                "it wrote twice as much as all programs dirtied in it",
            ));
        }
        kinds.push(Kind::Write { rate, block, direct, sync_every: None, random: random.filter(|_| !direct) });
    }
    // What went to swap meanwhile it took as well.
    let grown = command.grew_by.unwrap_or_else(|| {
        trouble.anon.1 + (trouble.swapped - calm.swapped).max(0.0) - trouble.anon.0.min(calm.anon.1.max(calm.anon.0))
    });
    // Who comes and uses memory that is in swap has taken it for that.
    let touches = !ran_before && kinds.iter().any(|kind| matches!(kind, Kind::Touch { data, .. } if *data > 0.0));
    if grown > host.memory / 50.0 && !touches {
        kinds.push(Kind::Grow { to: grown, rate: 0.0 });
    }
    // It works on what it gets; what takes longer than a request could is work of its own.
    let requests = |did: &Did| kinds.iter().map(|kind| kind.requests(did)).sum::<f64>();
    let mut of_its_own = None;
    let asks = requests(trouble);
    let fills = kinds.iter().any(|kind| matches!(kind, Kind::Touch { fill: Some(_), .. }));
    let mut compute =
        [calm, if fills { using } else { trouble }].map(|did| (did.cpu - did.reclaim) * 1e9 / requests(did).max(1e-9));
    // Of who did next to nothing before, a request takes what it takes in the incident.
    if requests(calm) < 0.1 * asks && calm.cpu < MIN_CPU_SHARE {
        compute[0] = compute[1];
    }
    if compute.iter().any(|time| *time > MAX_COMPUTE) {
        compute = [0.0; 2];
        if trouble.cpu.max(calm.cpu) > min_cpu_share(command) {
            kinds.push(Kind::Spin { cpus: trouble.cpu_wanted() });
        }
    }
    // What it computes beyond what its requests took before is work of its own.
    let explained = asks * compute[0] / 1e9;
    let more = trouble.cpu - trouble.reclaim - explained;
    if ran_before && compute[0] > 0.0 && command.phase == Phase::Whole && more > MIN_CPUS_MORE.max(explained) {
        guesses.push(Guess::new(
            format!("{name} computes on {more:.1} CPUs beside its requests"),
            "it uses that much more CPU time than its requests took before the incident",
        ));
        // Who works most of the time never sleeps.
        let wanted = more + (trouble.cpu_waits - calm.cpu_waits).max(0.0);
        let cpus = if wanted.fract() >= MIN_SHARE_AT_WORK { wanted.ceil() } else { wanted };
        of_its_own = Some(Kind::Spin { cpus });
    }
    // What came on top of a cached set and misses the cache is no part of that set, unless it was evicted from it.
    let (read, asked) = (trouble.read - calm.read, trouble.asked - calm.asked);
    let anew = asked > 0.5 * calm.asked && read >= MIN_MISS_SHARE * asked && host.refaulted < MIN_MISS_SHARE * read;
    let mut loads: Vec<CommandLoad> = if ran_before {
        let split = |kind| match kind {
            Kind::WorkingSet { block, size, warm, .. } if anew => {
                let usual = Kind::WorkingSet { rate: calm.asked, block, size, warm };
                let cold = Kind::Cold { rate: paced(read), block, direct: false };
                vec![CommandLoad::new(command, cold, false), CommandLoad::new(command, usual, true)]
            }
            // What it touches for the first time.
            Kind::WorkingSet { warm: false, .. } => vec![CommandLoad::new(command, kind, false)],
            kind => as_before_and_more(command, kind),
        };
        kinds.into_iter().flat_map(split).collect()
    } else {
        kinds.into_iter().map(|kind| CommandLoad::new(command, kind, ran_before)).collect()
    };
    for load in &mut loads {
        load.compute = compute[usize::from(!load.ran_before)];
    }
    loads.iter_mut().for_each(CommandLoad::spread);
    loads.extend(of_its_own.map(|kind| CommandLoad::new(command, kind, false)));
    loads.extend(lines.map(|kind| CommandLoad::new(command, kind, ran_before)));
    loads
}

/// The share of a CPU from which on what a command computes is a load. Of one that computes all the time later, how little it did before tells that it does.
const fn min_cpu_share(command: &Command) -> f64 {
    match command.phase {
        Phase::Usual => 0.01,
        Phase::Whole | Phase::Changed => MIN_CPU_SHARE,
    }
}

/// The loads of a command that have a part in an incident in which all moved so many bytes per second. It computes, whether what it reads has one or not.
pub(crate) fn with_part(loads: Vec<CommandLoad>, moved: f64) -> Vec<CommandLoad> {
    let (mut kept, left): (Vec<_>, Vec<_>) = loads.into_iter().partition(|load| load.has_part(moved));
    let spins = left.iter().find(|load| load.computes()).filter(|_| !kept.iter().any(CommandLoad::computes));
    let used = |load: &CommandLoad| load.command.trouble.cpu - load.command.trouble.reclaim;
    let spins = spins.filter(|load| used(load) > min_cpu_share(&load.command)).into_iter().flat_map(|load| {
        let spin = Kind::Spin { cpus: load.command.trouble.cpu_wanted() };
        let is_usual = load.command.appeared.is_none() && load.command.phase == Phase::Whole;
        if is_usual {
            as_before_and_more(&load.command, spin)
        } else {
            vec![CommandLoad::new(&load.command, spin, false)]
        }
    });
    kept.extend(spins.collect::<Vec<_>>());
    kept
}

/// Bytes of files of which so many different ones are read when so many are drawn at random.
fn drawn_from(different: f64, drawn: f64) -> f64 {
    const MAX_TIMES: f64 = 64.0;
    let read_of = |set: f64| set * (1.0 - (-drawn / set).exp());
    let (mut least, mut most) = (different, different * MAX_TIMES);
    if drawn <= different || read_of(most) < different {
        return most;
    }
    for _ in 0..40 {
        let middle = (least + most) / 2.0;
        if read_of(middle) < different {
            least = middle;
        } else {
            most = middle;
        }
    }
    most
}

/// Major faults per second of a command that reads what no system call asked for.
fn faults(command: &Command) -> Option<f64> {
    let (calm, trouble) = (&command.calm, &command.trouble);
    let did = if trouble.read >= calm.read { trouble } else { calm };
    // What comes is read in larger pieces: a program that goes through a file has the kernel read on behind its faults.
    let most = if command.appeared.is_none() { MAX_FAULT_READ } else { 8.0 * MAX_FAULT_READ };
    let is_mapped = did.asked < MIN_MISS_SHARE * did.read && did.read <= did.major_faults * most;
    (is_mapped && did.major_faults >= MIN_MAJOR_FAULTS).then_some(did.major_faults)
}

/// What a command that ran before does: as much as before all the time, and what it does beyond that in the incident.
fn as_before_and_more(command: &Command, kind: Kind) -> Vec<CommandLoad> {
    let (calm, trouble) = (&command.calm, &command.trouble);
    let (usual, now) = match kind {
        Kind::Stream { .. } | Kind::Cold { .. } => (calm.read, trouble.read),
        Kind::WorkingSet { .. } => (calm.asked, trouble.asked),
        Kind::Write { .. } => (calm.written, trouble.written),
        // What it touched before is not counted.
        Kind::Touch { .. } => (1.0, 1.0),
        // Who gets less of a CPU than before, and waits for it, wants no more than before.
        Kind::Spin { .. } if trouble.cpu <= calm.cpu => (calm.cpu_wanted(), calm.cpu_wanted()),
        Kind::Spin { .. } => (calm.cpu_wanted(), trouble.cpu_wanted()),
        Kind::Grow { .. } | Kind::Lookups { .. } => (0.0, 1.0),
    };
    let with = |rate: Option<f64>| match kind {
        Kind::Stream { block, direct, pass, stride, .. } => Kind::Stream { rate, block, direct, pass, stride },
        Kind::Cold { block, direct, .. } => Kind::Cold { rate, block, direct },
        Kind::WorkingSet { block, size, warm, rate: all } => {
            Kind::WorkingSet { rate: rate.unwrap_or(all), block, size, warm }
        }
        Kind::Write { block, direct, sync_every, random, .. } => {
            Kind::Write { rate, block, direct, sync_every, random }
        }
        Kind::Spin { cpus } => Kind::Spin { cpus: rate.unwrap_or(cpus) },
        Kind::Touch { .. } | Kind::Grow { .. } | Kind::Lookups { .. } => kind,
    };
    let load = |kind: Kind, ran_before: bool| CommandLoad::new(command, kind, ran_before);
    let paced = !matches!(
        kind,
        Kind::Stream { rate: None, .. } | Kind::Cold { rate: None, .. } | Kind::Write { rate: None, .. }
    );
    // A closed loop: what it did before decides how fast it is, and the incident what it loses. A half more is more than rates
    // differ by themselves, and who waits most of the time would do less of what it did before.
    if now <= if paced { 1.5 } else { 1.2 } * usual {
        return vec![load(with(Some(usual)), true)];
    }
    let mut all = vec![load(with(paced.then_some(now - usual)), false)];
    let little = if let Kind::Spin { .. } = kind { MIN_CPU_SHARE } else { MIN_TRAFFIC / 16.0 };
    if usual > little {
        all.push(load(with(Some(usual)), true));
    }
    all
}

/// A block of a program that reads so much at a time: a power of two from 4 KiB to 1 MiB.
fn block(size: f64) -> f64 {
    (12..20).map(|power| f64::from(1 << power)).find(|block| size <= block * 1.5).unwrap_or(1048576.0)
}

pub(crate) fn megabytes(bytes: f64) -> String {
    pagetide_core::Quantity::new(bytes, pagetide_core::Unit::Bytes).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command that ran before, and what it asks for and reads from devices, before and in an incident.
    fn reader(asked: (f64, f64), read: (f64, f64)) -> Command {
        let did = |asked: f64, read: f64| Did { asked, read, read_calls: asked / 8192.0, active: 1, ..Did::default() };
        let (calm, trouble) = (did(asked.0, read.0), did(asked.1, read.1));
        Command { name: "db".to_owned(), calm, trouble, ran: [1.0; 2], ..Command::default() }
    }

    fn host(refaulted: f64) -> HostShape {
        HostShape {
            memory: 512e6,
            cache: 256e6,
            read: 1e6,
            cached: 1e6,
            dirtied: Some(1e6),
            read_size: 8192.0,
            usual_read_size: None,
            write_size: 8192.0,
            read_time: 0.001,
            busy: 0.5,
            seconds: 30.0,
            refaulted,
            is_dropped: false,
            is_throttled: false,
        }
    }

    #[test]
    fn what_is_read_on_top_of_a_cached_set_is_cold_unless_it_was_evicted() {
        let kinds = |refaulted: f64, command: &Command| -> Vec<(Kind, bool)> {
            let all = of(command, &host(refaulted), None, &mut Vec::new());
            all.into_iter().map(|load| (load.kind, load.ran_before)).collect()
        };
        let clients = reader((1e6, 3e6), (0.0, 2e6));
        let cold = kinds(0.0, &clients);
        assert!(matches!(cold[..], [(Kind::Cold { .. }, false), (Kind::WorkingSet { .. }, true)]), "{cold:?}");
        let evicted = kinds(1.8e6, &clients);
        assert!(evicted.iter().all(|(kind, _)| matches!(kind, Kind::WorkingSet { .. })), "{evicted:?}");
        let more = kinds(0.0, &reader((1e6, 3e6), (0.0, 0.1e6)));
        assert!(more.iter().all(|(kind, _)| matches!(kind, Kind::WorkingSet { .. })), "cached as well: {more:?}");
    }

    #[test]
    fn a_stream_that_computes_on_several_cpus_is_of_several_processes() {
        let processes = |cpu: f64, cpu_waits: f64, active: usize| {
            let trouble = Did { cpu, cpu_waits, active, ..Did::default() };
            let command = Command { trouble, appeared: Some(1), ..reader((0.0, 0.0), (0.0, 0.0)) };
            let kind = Kind::Stream { rate: Some(1e6), block: 8192.0, direct: false, pass: None, stride: None };
            CommandLoad::new(&command, kind, false).at_once()
        };
        assert_eq!(processes(1.6, 2.2, 10), 4, "two of four wait for a CPU at any time");
        assert_eq!(processes(1.6, 2.2, 2), 2, "it has no more");
        assert_eq!(processes(0.9, 0.2, 10), 1, "one at a time computes");
    }

    #[test]
    fn who_writes_more_than_all_dirty_writes_past_the_page_cache() {
        let writes = |dirtied: Option<f64>| {
            let trouble = Did { written: 50e6, given: 50e6, write_calls: 50.0, active: 1, ..Did::default() };
            let command =
                Command { trouble, calm: Did::default(), appeared: Some(1), ..reader((0.0, 0.0), (0.0, 0.0)) };
            let loads = of(&command, &HostShape { dirtied, ..host(0.0) }, None, &mut Vec::new());
            loads.iter().any(|load| matches!(load.kind, Kind::Write { direct: true, .. }))
        };
        assert!(writes(Some(1e6)));
        assert!(!writes(Some(49e6)));
        assert!(!writes(None), "not recorded");
    }

    #[test]
    fn of_who_is_throttled_at_memory_high_each_line_of_a_log_matters() {
        let pages = |is_throttled: bool, calls: f64| {
            let trouble = Did { written: 500.0, given: 20.0 * calls, write_calls: calls, active: 1, ..Did::default() };
            let command = Command { calm: Did::default(), trouble, ..reader((0.0, 0.0), (0.0, 0.0)) };
            let loads = of(&command, &HostShape { is_throttled, ..host(0.0) }, None, &mut Vec::new());
            loads.iter().find_map(|load| match load.kind {
                Kind::Write { rate, .. } => rate.map(|bytes| bytes / 4096.0),
                _ => None,
            })
        };
        assert_eq!(pages(true, 2.0), Some(2.0));
        assert_eq!(pages(false, 2.0), None);
        assert_eq!(pages(true, 0.01), None, "it hardly writes");
    }

    #[test]
    fn a_program_that_turns_to_more_than_fits_has_a_set_larger_than_the_cache() {
        let sets = |read: f64, refaulted: f64| -> Vec<(Kind, bool)> {
            let phases = reader((2e6, 1e6), (0.0, read)).phases(10);
            let all = phases.iter().flat_map(|phase| of(phase, &host(refaulted), None, &mut Vec::new()));
            all.map(|load| (load.kind, load.ran_before)).collect()
        };
        let outgrown = sets(0.4e6, 0.4e6);
        let [(Kind::WorkingSet { size, warm: true, .. }, false), (Kind::WorkingSet { size: usual, .. }, true)] =
            outgrown[..]
        else {
            panic!("{outgrown:?}")
        };
        // It finds six of ten in a cache of 256 MB.
        assert!((size - 256e6 / 0.6).abs() < 1e3 && (usual - 256e6).abs() < 1e3, "{outgrown:?}");
        let new = sets(0.8e6, 0.0);
        assert!(matches!(new[0], (Kind::Cold { .. }, false)), "it had not read that before: {new:?}");
    }

    /// A command that ran before and has major faults: before and in the incident, and what it reads from devices for them.
    fn toucher(faults: (f64, f64), read: (f64, f64)) -> Command {
        let did = |major_faults: f64, read: f64| Did { major_faults, read, active: 1, ..Did::default() };
        Command { calm: did(faults.0, read.0), trouble: did(faults.1, read.1), ..reader((0.0, 0.0), (0.0, 0.0)) }
    }

    #[test]
    fn mapped_files_that_were_evicted_or_dropped_are_used_again_and_others_for_the_first_time() {
        let kinds = |refaulted: f64, is_dropped: bool| -> Vec<Kind> {
            let host = HostShape { is_dropped, ..host(refaulted) };
            of(&toucher((0.0, 60.0), (0.0, 4e6)), &host, None, &mut Vec::new()).iter().map(|load| load.kind).collect()
        };
        assert!(matches!(kinds(0.0, false)[..], [Kind::WorkingSet { warm: false, .. }]), "{:?}", kinds(0.0, false));
        for (refaulted, is_dropped) in [(4e6, false), (0.0, true)] {
            let again = kinds(refaulted, is_dropped);
            assert!(matches!(again[..], [Kind::Touch { .. }]), "{again:?}");
        }
    }

    #[test]
    fn what_was_swapped_out_while_a_program_grew_it_took_as_well() {
        let loads = |swapped: f64| {
            let did = |anon, swapped| Did { anon, swapped, major_faults: 60.0, read: 1e6, ..Did::default() };
            let (calm, trouble) = (did((200e6, 200e6), 0.0), did((200e6, 300e6), swapped));
            let command = Command { calm, trouble, ..reader((0.0, 0.0), (0.0, 0.0)) };
            let all = of(&command, &host(1e6), None, &mut Vec::new());
            let grown = all.iter().find_map(|load| if let Kind::Grow { to, .. } = load.kind { Some(to) } else { None });
            let data =
                all.iter().find_map(|load| if let Kind::Touch { data, .. } = load.kind { Some(data) } else { None });
            (grown.unwrap(), data.unwrap())
        };
        assert_eq!(loads(150e6), (250e6, 200e6));
        assert_eq!(loads(0.0), (100e6, 0.0), "nothing is in swap");
    }

    #[test]
    fn who_comes_fills_its_memory_and_then_uses_it_as_fast_as_while_pages_came_back() {
        let touches = |appeared: Option<i64>, swapping: Option<f64>| {
            let did = |major_faults: f64| Did {
                anon: (0.0, 200e6),
                swapped: 100e6,
                major_faults,
                read: 1e6,
                cpu: 0.4,
                active: 1,
                ..Did::default()
            };
            let calm = if appeared.is_none() { did(0.0) } else { Did::default() };
            let command = Command {
                calm,
                trouble: did(60.0),
                swapping: swapping.map(did),
                grew_for: 20.0,
                appeared,
                ..reader((0.0, 0.0), (0.0, 0.0))
            };
            of(&command, &host(0.0), None, &mut Vec::new())
        };
        let [CommandLoad { kind: Kind::Touch { fill, rate, .. }, compute, .. }] = &touches(Some(1), Some(250.0))[..]
        else {
            panic!("{:?}", touches(Some(1), Some(250.0)))
        };
        // 300 MB in 20 s; 250 faults per second, and 0.4 CPUs for their 2000 touches.
        assert_eq!((*fill, *rate), (Some(15e6), 2000.0));
        assert!((compute - 0.2e6).abs() < 1.0, "{compute}");
        let rate = |appeared, swapping| {
            let all = touches(appeared, swapping);
            all.iter()
                .find_map(|load| if let Kind::Touch { fill, rate, .. } = load.kind { Some((fill, rate)) } else { None })
        };
        assert_eq!(rate(Some(1), None), Some((Some(15e6), 480.0)), "nobody counts what comes back");
        assert_eq!(rate(None, Some(250.0)), Some((None, 2000.0)), "it had its memory before");
    }

    #[test]
    fn who_comes_and_neither_reads_nor_waits_has_no_part() {
        let has_part = |read: f64, waits: f64, appeared: Option<i64>| {
            let trouble = Did { read, waits, ..Did::default() };
            let command = Command { trouble, appeared, ..reader((0.0, 0.0), (0.0, 0.0)) };
            let kind = Kind::Cold { rate: None, block: 4096.0, direct: false };
            CommandLoad::new(&command, kind, appeared.is_none()).has_part(1e6)
        };
        assert!(!has_part(1e4, 0.0, Some(1)));
        assert!(has_part(1e5, 0.0, Some(1)) && has_part(1e4, 0.1, Some(1)) && has_part(1e4, 0.0, None));
    }

    #[test]
    fn what_a_command_computes_stays_where_what_it_reads_has_no_part() {
        let kinds = |cpu: f64, cpu_waits: f64, read: f64| -> Vec<Kind> {
            let trouble = Did { asked: 2.0 * read, read, read_calls: 1.0, cpu, cpu_waits, active: 1, ..Did::default() };
            let command =
                Command { trouble, calm: Did::default(), appeared: Some(1), ..reader((0.0, 0.0), (0.0, 0.0)) };
            let kind = Kind::WorkingSet { rate: 2.0 * read, block: 8192.0, size: 1e6, warm: false };
            let load = CommandLoad { compute: 1e6, ..CommandLoad::new(&command, kind, false) };
            with_part(vec![load], 10e6).into_iter().map(|load| load.kind).collect()
        };
        assert_eq!(kinds(0.8, 2.2, 1e4), [Kind::Spin { cpus: 3.0 }], "as many as it wants");
        assert_eq!(kinds(0.01, 0.0, 1e4), [], "next to nothing");
        assert!(matches!(kinds(0.8, 2.2, 1e6)[..], [Kind::WorkingSet { .. }]), "it computes for what it reads");
    }

    #[test]
    fn what_a_service_computes_beyond_its_requests_is_work_of_its_own() {
        let spins = |cpu: f64, asked: f64| -> Vec<Kind> {
            let mut command = reader((1e6, asked), (0.0, 0.0));
            (command.calm.cpu, command.trouble.cpu) = (0.1, cpu);
            let loads = of(&command, &host(0.0), None, &mut Vec::new());
            let own = loads.iter().filter(|load| !load.ran_before && matches!(load.kind, Kind::Spin { .. }));
            own.map(|load| load.kind).collect()
        };
        assert_eq!(spins(0.98, 1e6), [Kind::Spin { cpus: 1.0 }], "a CPU that never rests");
        let some = spins(0.6, 1e6);
        assert!(matches!(some[..], [Kind::Spin { cpus }] if (cpus - 0.5).abs() < 0.01), "{some:?}");
        assert_eq!(spins(0.98, 9e6), [], "it serves as many requests more");
        assert_eq!(spins(0.3, 1e6), [], "a little more");
    }

    #[test]
    fn who_gets_less_of_a_cpu_and_waits_for_it_does_what_it_did_before() {
        let spins = |cpu: f64, waits: f64| -> Vec<(Kind, bool)> {
            let did = |cpu: f64, waits: f64, written: f64| Did {
                cpu,
                cpu_waits: waits,
                cpu_of_each: vec![(cpu, waits)],
                written,
                ..Did::default()
            };
            // It begins a page of its log now and then.
            let (calm, trouble) = (did(0.37, 0.0, 19.0), did(cpu, waits, 560.0));
            let command = Command { calm, trouble, ..reader((0.0, 0.0), (0.0, 0.0)) };
            let loads = with_part(of(&command, &host(0.0), None, &mut Vec::new()), 1e6);
            loads.into_iter().map(|load| (load.kind, load.ran_before)).collect()
        };
        assert_eq!(spins(0.22, 0.77), [(Kind::Spin { cpus: 0.37 }, true)]);
        assert_eq!(spins(0.95, 0.0).iter().filter(|(_, ran_before)| !ran_before).count(), 1, "it computes more");
    }

    #[test]
    fn of_a_thread_that_comes_to_compute_all_the_time_it_tells_how_little_it_did_before() {
        let mut command = reader((0.0, 0.0), (0.0, 0.0));
        (command.calm.cpu, command.trouble.cpu) = (0.03, 0.98);
        let spins = |command: &Command| -> Vec<Kind> {
            let loads = of(command, &host(0.0), None, &mut Vec::new());
            with_part(loads, 0.0).into_iter().map(|load| load.kind).collect()
        };
        let [changed, usual] = command.phases(10).map(|phase| spins(&phase));
        assert!(matches!(changed[..], [Kind::Spin { cpus }] if cpus > 0.9), "{changed:?}");
        assert!(matches!(usual[..], [Kind::Spin { cpus }] if cpus < 0.05), "{usual:?}");
        let [_, usual] = Command { calm: Did { cpu: 0.001, ..Did::default() }, ..command }.phases(10);
        assert_eq!(spins(&usual), [], "it was at rest");
    }

    #[test]
    fn a_request_of_who_did_nothing_before_takes_what_it_takes_in_the_incident() {
        let of = |cpu_before: f64, asked_before: f64| -> Vec<CommandLoad> {
            let mut command = reader((asked_before, 1e6), (asked_before, 1e6));
            (command.calm.cpu, command.trouble.cpu) = (cpu_before, 0.5);
            let loads = of(&command, &host(0.0), None, &mut Vec::new());
            loads.into_iter().filter(|load| !load.ran_before).collect()
        };
        // 122 reads of 8 KiB per second.
        let [CommandLoad { kind: Kind::Cold { .. }, compute, .. }] = of(0.02, 0.0)[..] else {
            panic!("{:?}", of(0.02, 0.0))
        };
        assert!((compute / 1e9 - 0.5 * 8192.0 / 1e6).abs() < 1e-4, "{compute}");
        let spins = |loads: &[CommandLoad]| loads.iter().any(|load| matches!(load.kind, Kind::Spin { .. }));
        assert!(spins(&of(0.4, 0.0)), "it computed before, and for no request");
    }

    #[test]
    fn who_only_computes_is_as_many_processes_as_compute() {
        let processes = |each: &[(f64, f64)], cpus: f64, appeared: Option<i64>| {
            let trouble = Did { cpu_of_each: each.to_vec(), ..Did::default() };
            let command = Command { trouble, appeared, ..Command::default() };
            CommandLoad::new(&command, Kind::Spin { cpus }, false).at_once()
        };
        assert_eq!(processes(&[(0.07, 0.4); 4], 0.5, Some(1)), 4);
        assert_eq!(processes(&[(0.3, 0.0), (0.0, 0.001)], 0.3, Some(1)), 1, "the other one sleeps");
        assert_eq!(processes(&[(0.9, 1.8)], 2.7, Some(1)), 3, "threads");
        assert_eq!(processes(&[(0.07, 0.4); 4], 0.5, None), 1, "it serves requests as well");
    }

    #[test]
    fn processes_that_read_files_again_have_a_part_of_them_each() {
        let of = |pass: Option<f64>| {
            let kind = Kind::Stream { rate: Some(8e6), block: 8192.0, direct: false, pass, stride: None };
            CommandLoad::new(&Command::default(), kind, false).part_of(4).kind
        };
        assert!(matches!(of(Some(400e6)), Kind::Stream { rate: Some(2e6), pass: Some(100e6), .. }));
        assert!(matches!(of(None), Kind::Stream { rate: Some(2e6), pass: None, .. }), "it reads each page once");
    }

    #[test]
    fn who_read_before_is_told_by_the_requests_of_then() {
        let kind = |usual_read_size: Option<f64>| {
            let stream_beside = HostShape { read_size: 131_072.0, usual_read_size, ..host(0.0) };
            of(&reader((1e6, 1e6), (1e6, 1e6)), &stream_beside, None, &mut Vec::new())[0].kind
        };
        assert!(matches!(kind(Some(8192.0)), Kind::Cold { .. }), "who came reads in large pieces");
        assert!(matches!(kind(Some(131_072.0)), Kind::Stream { .. }) && matches!(kind(None), Kind::Stream { .. }));
    }

    #[test]
    fn a_reader_of_large_blocks_computes_while_the_next_part_is_read_ahead() {
        let spread = |block: f64, direct: bool| {
            let kind = Kind::Stream { rate: None, block, direct, pass: None, stride: None };
            let mut load = CommandLoad { compute: 8e6, ..CommandLoad::new(&Command::default(), kind, false) };
            load.spread();
            let Kind::Stream { block, .. } = load.kind else { panic!("{load:?}") };
            (block, load.compute)
        };
        assert_eq!(spread(1_048_576.0, false), (131_072.0, 1e6));
        assert_eq!(spread(1_048_576.0, true), (1_048_576.0, 8e6), "nothing is read ahead");
        assert_eq!(spread(65_536.0, false), (65_536.0, 8e6));
    }

    /// What a command that comes, asks for so much in calls of a size and reads so much from devices does on a host.
    fn comes(asked: f64, call: f64, read: f64, waits: f64, host: &HostShape) -> Kind {
        let trouble = Did { asked, read, read_calls: asked / call, waits, active: 1, ..Did::default() };
        let command = Command { trouble, appeared: Some(1), ..reader((0.0, 0.0), (0.0, 0.0)) };
        of(&Command { calm: Did::default(), ..command }, host, None, &mut Vec::new())[0].kind
    }

    #[test]
    fn who_waits_for_each_of_its_reads_reads_at_random_even_in_large_blocks() {
        const LARGE: f64 = 131_072.0;
        // 100 reads per second of a millisecond each.
        let large = HostShape { read_size: LARGE, cached: 13e6, read: 13e6, ..host(0.0) };
        assert!(matches!(comes(13.1e6, LARGE, 13.1e6, 0.1, &large), Kind::Cold { .. }));
        let stream = |kind: Kind| matches!(kind, Kind::Stream { .. });
        assert!(stream(comes(13.1e6, LARGE, 13.1e6, 0.05, &large)), "it computes while the kernel reads ahead");
        let full = HostShape { busy: 0.95, ..large };
        assert!(stream(comes(13.1e6, LARGE, 13.1e6, 0.1, &full)), "a stream waits for a full disk as well");
        let ahead = HostShape { read_size: 4.0 * LARGE, read_time: 0.004, ..large };
        assert!(stream(comes(13.1e6, LARGE, 13.1e6, 0.1, &ahead)), "the disk reads more at a time than it asks for");
    }

    #[test]
    fn what_comes_back_of_files_that_are_read_at_random_says_how_large_they_are() {
        let small = HostShape { cached: 2e6, read: 2e6, ..host(1e6) };
        let Kind::WorkingSet { size, warm: true, .. } = comes(4e6, 8192.0, 2e6, 0.1, &small) else {
            panic!("half of what it reads comes back")
        };
        // It finds half of what it asks for in a cache of 256 MB.
        assert!((size - 512e6).abs() < 1e6, "{size}");
        let some = HostShape { refaulted: 0.4e6, ..small };
        let kind = comes(2.1e6, 8192.0, 2e6, 0.1, &some);
        assert!(matches!(kind, Kind::WorkingSet { warm: false, .. }), "it reads most for the first time: {kind:?}");
        assert!(matches!(comes(2.1e6, 8192.0, 2e6, 0.1, &HostShape { refaulted: 0.0, ..small }), Kind::Cold { .. }));
    }

    #[test]
    fn so_many_different_ones_of_so_many_that_are_drawn_are_of_so_many() {
        // 1000 draws of 1000 find 632.
        assert!((drawn_from(632.1, 1000.0) - 1000.0).abs() < 2.0);
        assert!(drawn_from(1000.0, 1000.0) > 10_000.0, "all are different");
    }

    #[test]
    fn who_reads_more_than_it_asks_for_in_large_requests_leaves_out_the_rest() {
        let large = HostShape { read_size: 262_144.0, cached: 0.0, ..host(0.0) };
        let stride = |asked: f64, read_size: f64| {
            let kind = comes(asked, 65_536.0, 20e6, 0.1, &HostShape { read_size, ..large });
            if let Kind::Stream { stride, direct, .. } = kind { (stride, direct) } else { panic!("{kind:?}") }
        };
        assert_eq!(stride(10e6, 262_144.0), (Some(131_072.0), false));
        assert_eq!(stride(20e6, 262_144.0), (None, true), "it reads what it asks for, past the cache");
        assert_eq!(stride(1e6, 262_144.0).0, None, "no system call asks for it");
    }

    #[test]
    fn mapped_files_that_come_back_at_once_were_in_use_before_the_program_was_seen() {
        let kind = |read: f64, refaulted: f64| {
            let did = Did { major_faults: 100.0, read, active: 1, ..Did::default() };
            let command =
                Command { trouble: did, calm: Did::default(), appeared: Some(1), ..reader((0.0, 0.0), (0.0, 0.0)) };
            of(&command, &host(refaulted), None, &mut Vec::new())[0].kind
        };
        assert!(matches!(kind(10e6, 9e6), Kind::Touch { warm: true, .. }), "{:?}", kind(10e6, 9e6));
        // 300 MB for the first time in 30 s, beside a cache of 256 MB.
        assert!(matches!(kind(20e6, 10e6), Kind::WorkingSet { warm: false, .. }), "{:?}", kind(20e6, 10e6));
    }

    #[test]
    fn what_a_program_in_swap_reads_is_no_file() {
        let did = |swapped: f64, asked: f64| Did { swapped, asked, read: 1e6, anon: (0.0, 50e6), ..Did::default() };
        assert!(did(50e6, 0.0).is_swapped_in());
        assert!(!did(1e6, 0.0).is_swapped_in(), "little is in swap");
        assert!(!did(50e6, 1e6).is_swapped_in(), "it asks for what it reads");
    }
}

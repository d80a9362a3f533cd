//! Which process it was.

use crate::evidence::EvidenceBuilder;
use crate::measure::amount::{Amount, Count, Per, Rate};
use crate::measure::low_priority;
use crate::measure::window::{Window, intervals, stored};
use pagetide_core::{Actor, Bytes, EndedName, Kind, Moment, Nanos, Pages, Series, Table};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// A process and how much it did or has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ProcessShare<'a, M> {
    /// Its name in the process table: id and start time.
    pub(crate) name: &'a str,
    /// What it is called (`comm`).
    pub(crate) comm: &'a str,
    pub(crate) amount: Amount<M>,
    /// The processes of this command that have a part in the amount.
    pub(crate) processes: usize,
    /// Whether the process of that name has half of the amount, or more.
    pub(crate) mostly: bool,
}

impl<'a, M> ProcessShare<'a, M> {
    /// The part of one process.
    pub(crate) const fn of_one(name: &'a str, comm: &'a str, amount: Amount<M>) -> Self {
        Self { name, comm, amount, processes: 1, mostly: true }
    }
}

impl<M> ProcessShare<'_, M> {
    /// The process as a reader knows it.
    pub(crate) fn words(&self) -> String {
        let pid = pid(self.name);
        if let Ok(EndedName { parent, .. }) = self.name.parse() {
            let parent = parent.map_or_else(String::new, |parent| format!(" of pid {parent}"));
            return format!("{} (short-lived processes{parent})", self.comm);
        }
        match self.processes {
            0 | 1 => format!("{} (pid {pid})", self.comm),
            more if self.mostly => format!("{} ({more} processes, mostly pid {pid})", self.comm),
            more => format!("{} ({more} processes)", self.comm),
        }
    }
}

impl<M> ProcessShare<'_, M> {
    /// It as an origin or a victim.
    pub(crate) fn actor(&self, window: &Window<'_>) -> Actor {
        let (command, pid) = (self.comm.to_owned(), pid(self.name).parse().ok());
        if is_kernel_thread(window, self.name) {
            Actor::KernelThread { command, pid }
        } else {
            Actor::Process { command, pid }
        }
    }
}

/// The part of an amount that one process has, at least, where it is mostly its.
const HALF: f64 = 0.5;

/// Threads that work for whoever calls them.
const SERVANTS: [&str; 10] =
    ["kworker", "ksoftirqd", "kswapd", "kcompactd", "migration", "rcu", "khugepaged", "cpuhp", "watchdog", "jbd2"];

/// Whether a command is a thread of the kernel that works for others. A loop device has one of its own up to Linux 5.13.
pub(crate) fn works_for_others(comm: &str) -> bool {
    let is_loop = || comm.strip_prefix("loop").is_some_and(|number| number.parse::<u32>().is_ok());
    SERVANTS.iter().any(|servant| comm.starts_with(servant)) || is_loop()
}

/// Whether a process has no memory of its own, as far as was recorded: a thread of the kernel.
pub(crate) fn is_kernel_thread(window: &Window<'_>, process: &str) -> bool {
    let most = |metric: &str| window.level::<Count>(Table::Process, process, metric).map(|level| level.most);
    let own = [most("rss"), most("RssAnon")];
    own.iter().any(Option::is_some) && own.into_iter().flatten().all(|amount| !amount.is_positive())
}

/// The code of uninterruptible sleep in `state` (fs/proc/array.c: task_state_array of Linux 6.12).
const UNINTERRUPTIBLE: f64 = b'D' as f64;

/// In how many of its samples a process slept uninterruptibly, and how many there are; absent where states were not recorded.
pub(crate) fn slept(window: &Window<'_>, process: &str) -> Option<(f64, f64)> {
    let series = window.series(Table::Process, process, "state")?;
    let states = window.points::<Count>(&series);
    Some(
        states.fold((0.0, 0.0), |(slept, all), (_, state)| {
            (slept + f64::from(state.get() == UNINTERRUPTIBLE), all + 1.0)
        }),
    )
}

/// Whether a process was told to give way to others that want a CPU (nice, SCHED_IDLE); false where that was not recorded.
pub(crate) fn is_of_low_priority(window: &Window<'_>, process: &str) -> bool {
    low_priority::is_low(window.recording, process, window.span)
}

impl ProcessShare<'_, Per<Count>> {
    /// CPUs that it uses, where its amount is of ticks (1/100 s).
    pub(crate) fn cpus(&self) -> Amount<Count> {
        Amount::new(self.amount.get() / 100.0)
    }
}

impl<'a> ProcessShare<'a, Bytes> {
    /// The amount as a rate over that time.
    pub(crate) fn per(self, time: Nanos) -> ProcessShare<'a, Per<Bytes>> {
        let Self { name, comm, amount, processes, mostly } = self;
        ProcessShare { name, comm, amount: amount.per(time), processes, mostly }
    }
}

/// The process id. The name in the process table has the tick at which it started as well. It becomes a part of commands that a reader pastes, and
/// somebody else may have written the recording: what is no number stands as `PID`.
pub(crate) fn pid(name: &str) -> &str {
    let pid = name.split_once('@').map_or(name, |(pid, _)| pid);
    if !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit()) { pid } else { "PID" }
}

/// The processes that ran in a window: name and command.
pub(crate) fn present<'a>(window: &Window<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
    window.recording.entities_within(Table::Process, window.span.from.ns(), window.span.to.ns())
}

/// The processes of a command by name, with what each does per second.
type Rates<'a, M> = Vec<(&'a str, Rate<M>)>;

/// The command whose processes did most of something per second, and the one of them that did most: a database, or a program with several
/// workers, does its work with many processes.
pub(crate) fn fastest<'a, M>(window: &Window<'a>, metrics: &[&str]) -> Option<ProcessShare<'a, Per<M>>> {
    most(window, metrics, |_| Some(Amount::ZERO))
}

/// The same of those who do it for themselves.
pub(crate) fn fastest_for_itself<'a, M>(window: &Window<'a>, metrics: &[&str]) -> Option<ProcessShare<'a, Per<M>>> {
    most(window, metrics, |comm| (!works_for_others(comm)).then_some(Amount::ZERO))
}

/// The same of what is new: the command that exceeds most what its processes did before the window. Threads that work for others begin nothing.
pub(crate) fn fastest_new<'a, M>(window: &Window<'a>, metrics: &[&str]) -> Option<ProcessShare<'a, Per<M>>> {
    let before = window.baseline().all();
    most(window, metrics, |comm| {
        let usual = || before.as_ref().map_or(Amount::ZERO, |before| together(before, comm, metrics));
        (!works_for_others(comm)).then(usual)
    })
}

/// What the processes of a command do together, and the one of them that does most.
pub(crate) fn of_command<'a, M>(
    window: &Window<'a>,
    comm: &'a str,
    metrics: &[&str],
) -> Option<ProcessShare<'a, Per<M>>> {
    let own = present(window).filter(|(_, other)| *other == comm);
    let rates = own.filter_map(|(name, _)| Some((name, of_window(window, name, metrics)?)));
    share(comm, rates.filter(|(_, rate)| rate.is_positive()).collect(), &heirs(window, metrics))
}

/// Who inherited what these counters show, in a window.
fn heirs<'a>(window: &Window<'a>, metrics: &[&'a str]) -> Vec<Heirs<'a>> {
    metrics.iter().map(|metric| Heirs::of(window, metric)).collect()
}

/// What the processes of a command did by themselves, and the one of them that did most.
fn share<'a, M>(comm: &'a str, mut processes: Rates<'a, M>, heirs: &[Heirs<'_>]) -> Option<ProcessShare<'a, Per<M>>> {
    processes.retain(|(name, _)| !heirs.iter().any(|heirs| heirs.has(name)));
    let (name, most) = processes.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let amount = sum(&processes);
    Some(ProcessShare { name, comm, amount, processes: processes.len(), mostly: most >= amount * HALF })
}

/// What processes do together.
fn sum<M>(processes: &[(&str, Rate<M>)]) -> Rate<M> {
    processes.iter().fold(Amount::ZERO, |sum, (_, rate)| sum + *rate)
}

/// The processes of each command, with what each did: what short-lived ones did is not their parents' too.
fn commands_of<'a, M>(window: &Window<'a>, metrics: &[&str]) -> BTreeMap<&'a str, Rates<'a, M>> {
    let mut commands: BTreeMap<&str, Rates<'_, M>> = BTreeMap::new();
    for (name, comm) in present(window) {
        if let Some(rate) = of_window(window, name, metrics).filter(|rate| rate.is_positive()) {
            commands.entry(comm).or_default().push((name, rate));
        }
    }
    if metrics.iter().all(|metric| INHERITED.contains(metric)) {
        take_off(&mut commands);
        hand_down(window, &mut commands);
    }
    commands
}

/// What each command did by itself.
pub(crate) fn each<'a, M>(window: &Window<'a>, metric: &str) -> BTreeMap<&'a str, Rate<M>> {
    let heirs = heirs(window, &[metric]);
    let commands = commands_of(window, &[metric]).into_iter();
    commands.filter_map(|(comm, own)| Some((comm, share(comm, own, &heirs)?.amount))).collect()
}

/// What each process did by itself.
pub(crate) fn by_process<'a, M>(window: &Window<'a>, metrics: &[&str]) -> BTreeMap<&'a str, Rate<M>> {
    let heirs = heirs(window, metrics);
    let own = commands_of(window, metrics).into_values().flatten();
    own.filter(|(name, _)| !heirs.iter().any(|heirs| heirs.has(name))).collect()
}

/// The command that exceeds most what is usual of it, of those that have a usual amount.
fn most<'a, M>(
    window: &Window<'a>,
    metrics: &[&str],
    usual: impl Fn(&str) -> Option<Rate<M>>,
) -> Option<ProcessShare<'a, Per<M>>> {
    let exceeds = |(comm, own): (&'a str, Rates<'a, M>)| {
        let usual = usual(comm)?;
        Some((sum(&own) - usual, usual, comm, own))
    };
    let mut commands: Vec<_> = commands_of(window, metrics).into_iter().filter_map(exceeds).collect();
    commands.sort_by(|a, b| b.0.total_cmp(&a.0));
    let heirs = heirs(window, metrics);
    let mut most: Option<(Rate<M>, ProcessShare<'a, Per<M>>)> = None;
    for (more, usual, comm, processes) in commands {
        // What others inherited is taken off below, so a smaller sum cannot become the largest.
        if most.as_ref().is_some_and(|(most, _)| *most >= more) {
            break;
        }
        let Some(share) = share(comm, processes, &heirs) else { continue };
        let more = share.amount - usual;
        if most.as_ref().is_none_or(|(most, _)| more > *most) {
            most = Some((more, share));
        }
    }
    most.map(|(_, share)| share)
}

/// What a process did in a window, per second of all of it: what was there for a part of it did less than its rate then, and only such
/// rates can be added.
fn of_window<M>(window: &Window<'_>, process: &str, metrics: &[&str]) -> Option<Rate<M>> {
    let length = window.length()?;
    let rises = metrics.iter().filter_map(|metric| risen::<M>(window, process, metric));
    rises.reduce(|sum, rise| sum + rise).map(|rise| rise.per(length))
}

/// Whether a process started within a window, or in the interval before it.
pub(crate) fn starts(window: &Window<'_>, process: &str) -> bool {
    let edge = window.span.from.earlier(intervals(window.recording, 1));
    Moment::of_start(process).is_some_and(|start| start >= edge)
}

/// How much a counter of a process rose in a window. One that started within the window, or in the interval before it, began at 0: a short
/// program is in one sample, or in two.
fn risen<M>(window: &Window<'_>, process: &str, metric: &str) -> Option<Amount<M>> {
    let rise = window.rise(Table::Process, process, metric);
    let first = || {
        let series = window.recording.series(Table::Process, process, metric)?;
        let (at, value) = series.points().next().filter(|_| series.column().kind == Kind::Counter)?;
        (Moment::new(at) > window.span.from && Moment::new(at) <= window.span.to).then(|| stored(value))
    };
    let first = if starts(window, process) { first() } else { None };
    rise.into_iter().chain(first).reduce(|sum, more| sum + more)
}

/// What the processes of a command do together per second; 0 where none of them does.
pub(crate) fn together<M>(window: &Window<'_>, comm: &str, metrics: &[&str]) -> Rate<M> {
    by_command(window, metrics, |other| other == comm).remove(comm).unwrap_or(Amount::ZERO)
}

/// The same of each command that is wanted, in one look at the processes.
pub(crate) fn by_command<'a, M>(
    window: &Window<'a>,
    metrics: &[&str],
    wanted: impl Fn(&str) -> bool,
) -> BTreeMap<&'a str, Rate<M>> {
    let mut rates: BTreeMap<&str, Rate<M>> = BTreeMap::new();
    for (name, comm) in present(window).filter(|(_, comm)| wanted(comm)) {
        if let Some(own) = of_window::<M>(window, name, metrics) {
            let sum = rates.entry(comm).or_insert(Amount::ZERO);
            *sum = *sum + own;
        }
    }
    rates
}

/// What a service gets done, where it reads requests and writes answers. Linux 6.12: fs/read_write.c: inc_syscr, inc_syscw.
pub(crate) const CALLS: &[&str] = &["syscr", "syscw"];

/// Counters of IO that the kernel adds to the parent's when a process is waited for (`wait_task_zombie` in kernel/exit.c, 6.12).
const INHERITED: [&str; 6] = ["read_bytes", "write_bytes", "rchar", "wchar", "syscr", "syscw"];

/// The bytes that a core copies in a second: who moves more by its own CPU time has inherited them.
const COPIED: Amount<Bytes> = Amount::new(10e9);
/// Short-lived programs, at least, of a program that starts others again and again.
const SHORT: usize = 3;

/// Whether a process moved more bytes than its own CPU time can copy: a shell that runs `dd` again and again, each for less than a sample.
fn moves_without_cpu(window: &Window<'_>, process: &str) -> bool {
    let rise = |metric: &str| risen::<Count>(window, process, metric).map_or(0.0, Amount::get);
    let moved = rise("read_bytes") + rise("write_bytes");
    // Ticks of 1/100 s, and one that was not counted.
    let copied = |ticks: f64| ticks / 100.0 * COPIED.get();
    moved >= copied(1.0) && moved >= copied(rise("utime") + rise("stime") + 1.0)
}

/// Takes what short-lived processes did off what their parents did, to which the kernel has added it.
fn take_off<M>(commands: &mut BTreeMap<&str, Rates<'_, M>>) {
    let ended = commands.values().flatten().filter_map(|(name, rate)| {
        let EndedName { parent, .. } = name.parse().ok()?;
        Some((parent?.to_string(), *rate))
    });
    let ended: Vec<(String, Rate<M>)> = ended.collect();
    for (parent, mut rate) in ended {
        for (_, own) in commands.values_mut().flatten().filter(|(name, _)| !EndedName::is(name) && pid(name) == parent)
        {
            let part = if *own < rate { *own } else { rate };
            (*own, rate) = (*own - part, rate - part);
        }
    }
}

/// Hands what processes inherited to the command of which several came and went, and which did most of it as far as samples show: programs
/// that are shorter than a sample are seen in some of them.
fn hand_down<M>(window: &Window<'_>, commands: &mut BTreeMap<&str, Rates<'_, M>>) {
    let ended = |name: &str| {
        let series = window.recording.series(Table::Process, name, "utime")?;
        let last = Moment::new(series.points().next_back()?.0);
        (Moment::of_start(name)? >= window.span.from && last < window.span.to).then_some(())
    };
    let short = |processes: &Rates<'_, M>| {
        processes.iter().filter(|(name, _)| ended(name).is_some()).take(SHORT).count() == SHORT
    };
    let inherited: BTreeMap<&str, (&str, Rate<M>)> = commands
        .iter()
        .flat_map(|(comm, processes)| processes.iter().map(|(name, rate)| (*name, (*comm, *rate))))
        .filter(|(name, _)| moves_without_cpu(window, name))
        .collect();
    let parents = |comm: &str| inherited.values().any(|(parent, _)| *parent == comm);
    let child = commands.iter().filter(|(comm, processes)| !inherited.is_empty() && !parents(comm) && short(processes));
    let child = child.max_by(|a, b| sum(a.1).total_cmp(&sum(b.1))).map(|(comm, _)| *comm);
    let Some(own) = child.and_then(|child| commands.get_mut(child)) else { return };
    // Their own parents inherit it again.
    let all = inherited.values().map(|(_, rate)| *rate).fold(Amount::ZERO, Amount::max);
    let times = (all / sum(own)).get().max(1.0);
    own.iter_mut().for_each(|(_, rate)| *rate = *rate * times);
    for (name, (comm, _)) in inherited {
        commands.entry(comm).or_default().retain(|(other, _)| *other != name);
    }
}

/// Who inherited what a counter shows of them, in a window.
#[derive(Debug)]
pub(crate) struct Heirs<'a> {
    window: Window<'a>,
    metric: &'a str,
    /// The last samples of the processes that were there, in order of time: moment, value, process. Known once somebody may be an heir.
    last: OnceCell<Vec<(i64, f64, &'a str)>>,
}

impl<'a> Heirs<'a> {
    pub(crate) const fn of(window: &Window<'a>, metric: &'a str) -> Self {
        Self { window: *window, metric, last: OnceCell::new() }
    }

    /// Whether most of what a process did is what another had done that ended: its own is the rest.
    pub(crate) fn has(&self, process: &str) -> bool {
        let Self { window, metric, .. } = self;
        let Some(own) = window.series(Table::Process, process, metric).filter(|_| INHERITED.contains(metric)) else {
            return false;
        };
        let Some(all) = risen::<Count>(window, process, metric).map(Amount::get) else { return false };
        let mut points: Vec<(i64, i64)> = own.points().collect();
        if let Some((at, _)) = points.first().copied().filter(|_| starts(window, process)) {
            points.insert(0, (Moment::new(at).earlier(intervals(window.recording, 1)).ns(), 0));
        }
        let jumps = || points.windows(2).map(|pair| pair[1].1.saturating_sub(pair[0].1) as f64);
        // What inherits rises at times, or once by most of all: a program that works rises in every interval.
        let rises = jumps().filter(|jump| *jump > 0.0).count();
        if rises * 2 > points.len() && jumps().fold(0.0, f64::max) < all * 0.5 {
            return false;
        }
        let last = self.last.get_or_init(|| self.last_samples());
        // The last sample of a child is of the interval before, and what it did after that comes on top. Of a parent that slept meanwhile there is no
        // sample, and several children may have ended. A loop inherits again and again.
        let inherited = points.windows(2).map(|pair| {
            let (from, to, jump) = (pair[0].0, pair[1].0, pair[1].1.saturating_sub(pair[0].1) as f64);
            let since = from.saturating_sub(to.saturating_sub(from).saturating_mul(2));
            let then = &last[last.partition_point(|(at, ..)| *at < since)..];
            let then = then.iter().take_while(|(at, ..)| *at < to).filter(|(.., other)| *other != process);
            // The parent gets all that a child did, and no more than it rose by. Whole numbers have one sum, whatever their order.
            let ended: f64 = then.map(|(_, value, _)| *value).filter(|value| *value <= jump * 1.1).sum();
            if ended >= jump * 0.5 { jump } else { 0.0 }
        });
        all > 0.0 && inherited.sum::<f64>() >= all * 0.5
    }

    fn last_samples(&self) -> Vec<(i64, f64, &'a str)> {
        let Self { window, metric, .. } = self;
        let near = (window.span.from.earlier(intervals(window.recording, 3)).ns(), window.span.to.ns());
        let last = |(name, series): (&'a str, Series<'a>)| {
            let (at, value) = series.points().next_back()?;
            Some((at, value as f64, name))
        };
        let there = window.recording.series_within(Table::Process, metric, near);
        let mut last: Vec<_> = there.filter_map(last).collect();
        last.sort_by_key(|(at, ..)| *at);
        last
    }
}

/// Adds the process with most major faults, and how many it has a second.
pub(crate) fn name_faulting<'a>(
    found: &mut EvidenceBuilder,
    window: &Window<'a>,
) -> Option<ProcessShare<'a, Per<Count>>> {
    let process = fastest::<Count>(window, &["majflt"])?;
    found.note(format!("major faults of {}", process.words()), "majflt", process.amount);
    found.origin(process.actor(window));
    Some(process)
}

/// The process whose anonymous memory, swapped or resident, grew most.
pub(crate) fn grower<'a>(window: &Window<'a>) -> Option<ProcessShare<'a, Bytes>> {
    let grown = present(window).filter_map(|(name, comm)| {
        let of = |metric: &str| growth::<Bytes>(window, name, metric);
        let pages = || Some(growth::<Pages>(window, name, "rss")? * window.page_size());
        let resident = of("RssAnon").or_else(pages)?;
        let amount = resident + of("VmSwap").unwrap_or(Amount::ZERO);
        Some(ProcessShare::of_one(name, comm, amount)).filter(|share| share.amount.is_positive())
    });
    grown.max_by(|a, b| a.amount.total_cmp(&b.amount))
}

/// The most anonymous memory that the processes of a command had at once, in all of the recording; absent where it was not recorded.
pub(crate) fn most_anonymous(window: &Window<'_>, comm: &str) -> Option<Amount<Bytes>> {
    let mut together: BTreeMap<i64, Amount<Bytes>> = BTreeMap::new();
    for (name, _) in window.recording.entities(Table::Process).filter(|(_, other)| *other == comm) {
        let series = |metric| window.recording.series(Table::Process, name, metric);
        let pages = |value| stored::<Pages>(value) * window.page_size();
        let bytes = |series: Series<'_>| series.points().map(|(at, value)| (at, stored(value))).collect::<Vec<_>>();
        let resident = series("RssAnon")
            .map(bytes)
            .or_else(|| Some(series("rss")?.points().map(|(at, value)| (at, pages(value))).collect()));
        let swap = series("VmSwap");
        for (at, resident) in resident.into_iter().flatten() {
            let swapped = swap.as_ref().and_then(|swap| swap.at(at)).unwrap_or(0);
            let sum = together.entry(at).or_insert(Amount::ZERO);
            *sum = *sum + resident + stored(swapped);
        }
    }
    together.into_values().reduce(Amount::max)
}

/// The process whose gauge grew most.
pub(crate) fn growing<'a>(window: &Window<'a>, metric: &str) -> Option<ProcessShare<'a, Bytes>> {
    let grown = present(window).filter_map(|(name, comm)| {
        let amount = growth::<Bytes>(window, name, metric).filter(|amount| amount.is_positive())?;
        Some(ProcessShare::of_one(name, comm, amount))
    });
    grown.max_by(|a, b| a.amount.total_cmp(&b.amount))
}

/// The command whose processes grew most together, of those that are there at the end: compilers, workers.
pub(crate) fn growing_command<'a>(window: &Window<'a>) -> Option<ProcessShare<'a, Bytes>> {
    let grown = |name: &str| growth::<Bytes>(window, name, "RssAnon").filter(|amount| amount.is_positive());
    largest(commands_at_end(window, "RssAnon", grown))
}

/// The command whose processes hold most memory of their own: together at the end of a window, or one of them at any time, since an idle process has
/// few samples. Memory that they share counts once.
pub(crate) fn holder<'a>(window: &Window<'a>) -> Option<ProcessShare<'a, Bytes>> {
    let level = |name: &str, metric: &str| window.level::<Bytes>(Table::Process, name, metric).map(|level| level.most);
    let pages = |name: &str| Some(window.level::<Pages>(Table::Process, name, "rss")?.most * window.page_size());
    let own = |name: &str| level(name, "RssAnon").or_else(|| pages(name));
    let last = |name: &str| {
        let near = window.series(Table::Process, name, "RssAnon")?;
        window.points(&near).next_back().map(|(_, value)| value)
    };
    let together = commands_at_end(window, "RssAnon", last);
    let alone = present(window).filter_map(|(name, comm)| Some(ProcessShare::of_one(name, comm, own(name)?)));
    let shared = |comm: &str| {
        let own = present(window).filter(|(_, other)| *other == comm);
        own.filter_map(|(name, _)| level(name, "RssShmem")).fold(Amount::ZERO, Amount::max)
    };
    let all = together.into_iter().chain(alone);
    largest(all.map(|one| ProcessShare { amount: one.amount + shared(one.comm), ..one }).collect())
}

fn largest(commands: Vec<ProcessShare<'_, Bytes>>) -> Option<ProcessShare<'_, Bytes>> {
    commands.into_iter().max_by(|a, b| a.amount.total_cmp(&b.amount))
}

/// The commands of which a process has a metric at the end of a window, each with the sum of an amount over those processes and the one with most.
fn commands_at_end<'a>(
    window: &Window<'a>,
    metric: &str,
    amount: impl Fn(&str) -> Option<Amount<Bytes>>,
) -> Vec<ProcessShare<'a, Bytes>> {
    let mut commands: BTreeMap<&str, (ProcessShare<'a, Bytes>, Amount<Bytes>)> = BTreeMap::new();
    for (name, comm) in present(window) {
        let last = window.series(Table::Process, name, metric).and_then(|series| Some(series.points().next_back()?.0));
        let there = last.is_some_and(|last| Moment::new(last).later(intervals(window.recording, 1)) >= window.span.to);
        let Some(own) = amount(name).filter(|_| there) else { continue };
        let first = ProcessShare { name, comm, amount: Amount::ZERO, processes: 0, mostly: true };
        let (share, most) = commands.entry(comm).or_insert((first, own));
        let name = if own > *most { name } else { share.name };
        *most = most.max(own);
        *share = ProcessShare { name, amount: share.amount + own, processes: share.processes + 1, ..*share };
    }
    let mostly = |(share, most): (ProcessShare<'a, Bytes>, Amount<Bytes>)| ProcessShare {
        mostly: most >= share.amount * HALF,
        ..share
    };
    commands.into_values().map(mostly).collect()
}

/// How much a gauge of a process grew. One that started within the stretch, after the first sample, grew from nothing.
fn growth<M>(window: &Window<'_>, process: &str, metric: &str) -> Option<Amount<M>> {
    let first_at = window.recording.series(Table::Process, process, metric)?.points().next()?.0;
    let recorded = window.recording.stamps().first()?.boot_ns;
    let near = window.series(Table::Process, process, metric)?;
    let mut values = window.points(&near).map(|(_, value)| value);
    let first = values.next()?;
    let last = values.next_back().unwrap_or(first);
    let from = window.span.from.ns();
    let started = first_at > from && first_at > recorded;
    let start = if started { Amount::ZERO } else { near.at(from).map_or(first, stored) };
    Some(last - start)
}

/// What this module reads.
pub(crate) const METRICS: &[&str] =
    &["read_bytes", "write_bytes", "rchar", "majflt", "RssAnon", "RssShmem", "rss", "VmSwap"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_of_many_is_named_where_half_of_it_is_its() {
        let words = |processes, mostly| {
            ProcessShare { name: "9@4", comm: "php", amount: Amount::<Bytes>::ZERO, processes, mostly }.words()
        };
        assert_eq!(words(158, false), "php (158 processes)");
        assert_eq!(words(158, true), "php (158 processes, mostly pid 9)");
        assert_eq!(words(1, true), "php (pid 9)");
    }

    #[test]
    fn what_is_no_number_is_no_part_of_a_command() {
        assert_eq!(["9@4000", "9", "9; reboot@1", "", "-1@2"].map(pid), ["9", "9", "PID", "PID", "PID"]);
    }
}

//! Who waits for what, and for how long: pressure stall information and delay accounting (`kernel/sched/psi.c`, `kernel/delayacct.c`).
//!
//! A machine's pressure is that of its root group. A task counts on the CPU on which it runs, or ran last. The time of the CPUs is added up by how long
//! each was not idle since it was added up before (`collect_percpu_times`).

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How often the times of the CPUs are added up, ns (`PSI_FREQ`).
const ADDED_UP_EVERY: u64 = 2_000_000_000;

/// What a task does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// It waits for a clock or for another program.
    #[default]
    Sleeps,
    /// It waits for a CPU.
    Runnable,
    /// It has a CPU.
    Runs,
    /// It has a CPU and reclaims memory (`psi_memstall_enter` of direct reclaim).
    Reclaims,
    /// It waits for IO (`io_schedule`): requests, and pauses of the dirty throttle.
    Io,
    /// It waits for a page of a file that was evicted from the working set.
    Thrashes,
    /// It waits for a page of swap.
    SwapsIn,
    /// It reclaims memory and waits until its disk takes more of what goes to swap.
    SwapsOut,
    /// It pauses because memory is short (`reclaim_throttle`, `memory.high`).
    Memory,
}

impl State {
    const fn waits_for_io(self) -> bool {
        matches!(self, Self::Io | Self::Thrashes | Self::SwapsIn | Self::SwapsOut)
    }

    const fn lacks_memory(self) -> bool {
        matches!(self, Self::Reclaims | Self::Thrashes | Self::SwapsIn | Self::SwapsOut | Self::Memory)
    }

    const fn has_cpu(self) -> bool {
        matches!(self, Self::Runs | Self::Reclaims)
    }

    const fn could_run(self) -> bool {
        self.has_cpu() || matches!(self, Self::Runnable)
    }
}

/// Time for which a task waited, ns, by the names of taskstats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Delays {
    pub(crate) cpu: u64,
    pub(crate) blkio: u64,
    pub(crate) swapin: u64,
    pub(crate) freepages: u64,
    pub(crate) thrashing: u64,
}

impl Delays {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            cpu: self.cpu + other.cpu,
            blkio: self.blkio + other.blkio,
            swapin: self.swapin + other.swapin,
            freepages: self.freepages + other.freepages,
            thrashing: self.thrashing + other.thrashing,
        }
    }

    fn add(&mut self, state: State, time: u64) {
        if state.waits_for_io() {
            self.blkio += time;
        }
        match state {
            State::Runnable => self.cpu += time,
            State::Reclaims | State::SwapsOut | State::Memory => self.freepages += time,
            State::Thrashes => self.thrashing += time,
            State::SwapsIn => self.swapin += time,
            State::Sleeps | State::Runs | State::Io => {}
        }
    }
}

/// Some and full stall time of a resource, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stalled {
    pub(crate) some: u64,
    pub(crate) full: u64,
}

impl Stalled {
    fn add(&mut self, time: u64, some: bool, full: bool) {
        self.some += if some { time } else { 0 };
        self.full += if full { time } else { 0 };
    }
}

/// The tasks of a group and those below it on a CPU (`struct psi_group_cpu`).
#[derive(Debug, Clone, Default)]
struct OnCpu {
    since: u64,
    waiting: u64,
    short: u64,
    /// Tasks that could run, and those of them that lack memory.
    able: u64,
    able_short: u64,
    has_cpu: u64,
    /// Times since they were added up: CPU, IO and memory, and that in which the CPU had a task that did not sleep.
    stalled: [Stalled; 3],
    not_idle: u64,
    /// CPU time that nobody used while tasks waited for IO, and while none did.
    iowait: u64,
    idle: u64,
}

impl OnCpu {
    fn advance(&mut self, now: u64) {
        let time = now.saturating_sub(self.since);
        self.since = self.since.max(now);
        let [cpu, io, memory] = &mut self.stalled;
        io.add(time, self.waiting > 0, self.waiting > 0 && self.able == 0);
        memory.add(time, self.short > 0, self.short > 0 && self.able == self.able_short);
        cpu.add(time, self.able > self.has_cpu, self.able > 0 && self.has_cpu == 0);
        if self.waiting + self.short + self.able > 0 {
            self.not_idle += time;
        }
        if self.has_cpu == 0 {
            *(if self.waiting > 0 { &mut self.iowait } else { &mut self.idle }) += time;
        }
    }

    fn count(&mut self, state: State, sign: i64) {
        for (count, counts) in [
            (&mut self.waiting, state.waits_for_io()),
            (&mut self.short, state.lacks_memory()),
            (&mut self.able, state.could_run()),
            (&mut self.able_short, state.could_run() && state.lacks_memory()),
            (&mut self.has_cpu, state.has_cpu()),
        ] {
            *count = count.saturating_add_signed(if counts { sign } else { 0 });
        }
    }
}

/// The tasks of a group and those below it (`struct psi_group`).
#[derive(Debug, Clone)]
struct Account {
    cpus: Vec<OnCpu>,
    /// CPU, IO and memory, up to when the times of the CPUs were added up.
    stalled: [Stalled; 3],
}

impl Account {
    fn new(now: u64, cpus: usize) -> Self {
        Self { cpus: vec![OnCpu { since: now, ..OnCpu::default() }; cpus], stalled: [Stalled::default(); 3] }
    }

    /// Adds up the times of the CPUs: each counts by how long it was not idle.
    fn add_up(&mut self, now: u64) {
        self.cpus.iter_mut().for_each(|cpu| cpu.advance(now));
        let all: u128 = self.cpus.iter().map(|cpu| u128::from(cpu.not_idle)).sum();
        let weighted = |time: &dyn Fn(&OnCpu) -> u64| {
            let sum: u128 = self.cpus.iter().map(|cpu| u128::from(time(cpu)) * u128::from(cpu.not_idle)).sum();
            u64::try_from(sum / all.max(1)).unwrap_or(u64::MAX)
        };
        for (at, stalled) in self.stalled.iter_mut().enumerate() {
            stalled.some += weighted(&|cpu| cpu.stalled[at].some);
            stalled.full += weighted(&|cpu| cpu.stalled[at].full);
        }
        for cpu in &mut self.cpus {
            (cpu.stalled, cpu.not_idle) = ([Stalled::default(); 3], 0);
        }
    }
}

/// What is known of a task.
#[derive(Debug, Clone, Default)]
struct Tracked {
    /// Its group and those above it.
    groups: Vec<usize>,
    /// The CPU on which it runs, or ran last.
    cpu: usize,
    state: State,
    since: u64,
    /// Of the changes on their way only those with this number count.
    turn: u64,
    delays: Delays,
}

/// A change to come, in the order of time, then of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    at: u64,
    order: u64,
    task: u32,
    turn: u64,
    state: State,
}

/// The pressure of all groups, and the delays of all tasks.
#[derive(Debug, Default)]
pub(crate) struct Pressure {
    cpus: usize,
    tasks: Vec<Tracked>,
    /// Who reads the pressure of a group has it added up (`psi_show`).
    groups: RefCell<Vec<Account>>,
    added_up: u64,
    /// Changes to come. A step of the engine knows beforehand when its task will wait.
    ahead: BinaryHeap<Reverse<Change>>,
    order: u64,
}

impl Pressure {
    pub(crate) fn new(cpus: u32) -> Self {
        Self { cpus: cpus.max(1) as usize, ..Self::default() }
    }

    /// Adds a task, which sleeps. `groups` are its group and those above it.
    pub(crate) fn add(&mut self, now: u64, groups: Vec<usize>) {
        let accounts = self.groups.get_mut();
        for group in &groups {
            if accounts.len() <= *group {
                accounts.resize_with(*group + 1, || Account::new(now, self.cpus));
            }
        }
        let cpu = self.tasks.len() % self.cpus;
        self.tasks.push(Tracked { groups, cpu, since: now, ..Tracked::default() });
    }

    /// The CPU on which a task runs, or ran last.
    pub(crate) fn cpu_of(&self, task: usize) -> usize {
        self.tasks[task].cpu
    }

    /// A task gets a CPU now.
    pub(crate) fn runs_on(&mut self, now: u64, task: usize, cpu: usize) {
        self.settle(now);
        let tracked = &mut self.tasks[task];
        let was = std::mem::replace(&mut tracked.cpu, cpu);
        if was != cpu {
            let accounts = self.groups.get_mut();
            for group in &tracked.groups {
                for (at, sign) in [(was, -1), (cpu, 1)] {
                    let on_cpu = &mut accounts[*group].cpus[at];
                    on_cpu.advance(now);
                    on_cpu.count(tracked.state, sign);
                }
            }
        }
        self.now(now, task, State::Runs);
    }

    /// A task changes its state now: what was to come of it does not.
    pub(crate) fn now(&mut self, now: u64, task: usize, state: State) {
        self.settle(now);
        self.tasks[task].turn += 1;
        self.change(now, task, state);
    }

    /// A task will change its state, unless something else happens to it before.
    pub(crate) fn later(&mut self, at: u64, task: usize, state: State) {
        self.order += 1;
        let turn = self.tasks[task].turn;
        self.ahead.push(Reverse(Change { at, order: self.order, task: task as u32, turn, state }));
    }

    /// Takes over the changes up to now.
    pub(crate) fn settle(&mut self, now: u64) {
        while let Some(Reverse(next)) = self.ahead.peek().copied().filter(|Reverse(next)| next.at <= now) {
            self.ahead.pop();
            if self.tasks[next.task as usize].turn == next.turn {
                self.change(next.at, next.task as usize, next.state);
            }
        }
    }

    fn change(&mut self, now: u64, task: usize, state: State) {
        let accounts = self.groups.get_mut();
        while self.added_up + ADDED_UP_EVERY <= now {
            self.added_up += ADDED_UP_EVERY;
            accounts.iter_mut().for_each(|account| account.add_up(self.added_up));
        }
        let tracked = &mut self.tasks[task];
        if tracked.state == state {
            return;
        }
        let was = std::mem::replace(&mut tracked.state, state);
        tracked.delays.add(was, now.saturating_sub(tracked.since));
        tracked.since = now;
        for group in &tracked.groups {
            let on_cpu = &mut accounts[*group].cpus[tracked.cpu];
            on_cpu.advance(now);
            on_cpu.count(was, -1);
            on_cpu.count(state, 1);
        }
    }

    /// What a task does.
    pub(crate) fn state(&self, task: usize) -> State {
        self.tasks[task].state
    }

    /// The delays of a task up to now.
    pub(crate) fn delays(&self, now: u64, task: usize) -> Delays {
        let tracked = &self.tasks[task];
        let mut delays = tracked.delays;
        delays.add(tracked.state, now.saturating_sub(tracked.since));
        delays
    }

    /// Stall time of a group up to now: CPU, IO, memory. None where it never had a task.
    pub(crate) fn stalled(&self, now: u64, group: usize) -> Option<[Stalled; 3]> {
        let mut accounts = self.groups.borrow_mut();
        let account = accounts.get_mut(group)?;
        account.add_up(now);
        Some(account.stalled)
    }

    /// CPU time of all CPUs that nobody used, up to now: while tasks waited for IO, and while none did.
    pub(crate) fn unused(&self, now: u64) -> (u64, u64) {
        let mut accounts = self.groups.borrow_mut();
        let Some(account) = accounts.first_mut() else { return (0, self.cpus as u64 * now) };
        account.cpus.iter_mut().for_each(|cpu| cpu.advance(now));
        account.cpus.iter().fold((0, 0), |(iowait, idle), cpu| (iowait + cpu.iowait, idle + cpu.idle))
    }

    /// Tasks that could run, and tasks that wait for IO.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let accounts = self.groups.borrow();
        let cpus = accounts.first().into_iter().flat_map(|account| &account.cpus);
        cpus.fold((0, 0), |(able, waiting), cpu| (able + cpu.able, waiting + cpu.waiting))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_waits_alone_stalls_its_group_fully_and_one_beside_a_running_task_does_not() {
        let mut pressure = Pressure::new(2);
        pressure.add(0, vec![1, 0]);
        pressure.add(0, vec![2, 0]);
        pressure.now(0, 0, State::Io);
        pressure.now(0, 1, State::Runs);
        pressure.now(10, 0, State::Sleeps);
        pressure.now(30, 1, State::Io);
        let [_, io, _] = pressure.stalled(40, 1).unwrap();
        assert_eq!((io.some, io.full), (10, 10));
        let [_, io, _] = pressure.stalled(40, 0).unwrap();
        // Each waited for 10 ns, on a CPU that was not idle for 10 ns, and for 40 ns.
        assert_eq!((io.some, io.full), (10, 10));
        // The first 10 ns one CPU runs and the other waits, then it idles for 20 ns; the last 10 ns one of two waits.
        assert_eq!(pressure.unused(40), (20, 30));
        assert_eq!(pressure.delays(40, 0).blkio, 10);
    }

    /// Stall time for IO in 100 ns of a task that waits on the first CPU all the time, while another does something on a CPU.
    fn io_beside(other: State, cpu: usize) -> (u64, u64) {
        let mut pressure = Pressure::new(2);
        pressure.add(0, vec![0]);
        pressure.add(0, vec![0]);
        pressure.now(0, 0, State::Io);
        pressure.runs_on(0, 1, cpu);
        pressure.now(0, 1, other);
        let [_, io, _] = pressure.stalled(100, 0).unwrap();
        (io.some, io.full)
    }

    #[test]
    fn a_cpu_that_is_not_idle_counts_as_much_as_that_on_which_a_task_waits() {
        assert_eq!(io_beside(State::Runs, 1), (50, 50));
        assert_eq!(io_beside(State::Sleeps, 1), (100, 100), "an idle CPU does not count");
        assert_eq!(io_beside(State::Runs, 0), (100, 0), "on the same CPU");
    }

    #[test]
    fn what_was_read_of_a_group_never_falls() {
        let mut pressure = Pressure::new(2);
        pressure.add(0, vec![0]);
        pressure.add(0, vec![0]);
        pressure.now(0, 0, State::Io);
        let some = |pressure: &Pressure, at: u64| pressure.stalled(at, 0).unwrap()[1].some;
        assert_eq!(some(&pressure, 100), 100);
        pressure.runs_on(100, 1, 1);
        assert_eq!(some(&pressure, 200), 150);
        // Times are added up every two seconds, whether somebody reads them or not.
        pressure.now(2_000_000_000, 1, State::Sleeps);
        assert_eq!(some(&pressure, 3_000_000_000), 150 + (2_000_000_000 - 200) / 2 + 1_000_000_000);
    }

    #[test]
    fn a_task_that_is_moved_to_another_cpu_counts_there() {
        let mut pressure = Pressure::new(2);
        pressure.add(0, vec![0]);
        pressure.now(0, 0, State::Runnable);
        pressure.runs_on(10, 0, 1);
        pressure.now(20, 0, State::Io);
        assert_eq!((pressure.cpu_of(0), pressure.counts()), (1, (0, 1)));
        assert_eq!(pressure.unused(30), (10, 40));
    }

    #[test]
    fn a_change_that_was_expected_does_not_happen_after_another_one() {
        let mut pressure = Pressure::new(1);
        pressure.add(0, vec![0]);
        pressure.now(0, 0, State::Runs);
        pressure.later(5, 0, State::Thrashes);
        pressure.later(20, 0, State::Runnable);
        pressure.now(10, 0, State::Runs);
        pressure.settle(100);
        assert_eq!(pressure.state(0), State::Runs);
        let delays = pressure.delays(100, 0);
        assert_eq!((delays.thrashing, delays.blkio, delays.cpu), (5, 5, 0));
        let [_, _, memory] = pressure.stalled(100, 0).unwrap();
        assert_eq!((memory.some, memory.full), (5, 5));
    }
}

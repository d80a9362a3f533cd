//! Who waits for what, and for how long: pressure stall information and delay accounting (`kernel/sched/psi.c`, `kernel/delayacct.c`).
//!
//! A machine's pressure is that of its root group. The kernel adds up CPUs by how busy each of them is; here a group has one state at a
//! time, as a machine with one CPU has.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    /// It pauses because memory is short (`reclaim_throttle`, `memory.high`).
    Memory,
}

impl State {
    const fn waits_for_io(self) -> bool {
        matches!(self, Self::Io | Self::Thrashes | Self::SwapsIn)
    }

    const fn lacks_memory(self) -> bool {
        matches!(self, Self::Reclaims | Self::Thrashes | Self::SwapsIn | Self::Memory)
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
            State::Reclaims | State::Memory => self.freepages += time,
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

/// The tasks of a group and those below it (`struct psi_group`).
#[derive(Debug, Clone, Default)]
struct Account {
    since: u64,
    waiting: u64,
    short: u64,
    /// Tasks that could run, and those of them that lack memory.
    able: u64,
    able_short: u64,
    on_cpu: u64,
    cpu: Stalled,
    io: Stalled,
    memory: Stalled,
    /// CPU time that nobody used while tasks waited for IO, and while none did.
    iowait: u64,
    idle: u64,
}

impl Account {
    fn advance(&mut self, now: u64, cpus: u64) {
        let time = now.saturating_sub(self.since);
        self.since = self.since.max(now);
        self.io.add(time, self.waiting > 0, self.waiting > 0 && self.able == 0);
        self.memory.add(time, self.short > 0, self.short > 0 && self.able == self.able_short);
        self.cpu.add(time, self.able > self.on_cpu, self.able > 0 && self.on_cpu == 0);
        let idle = cpus.saturating_sub(self.on_cpu);
        let iowait = idle.min(self.waiting);
        self.iowait += iowait * time;
        self.idle += (idle - iowait) * time;
    }

    fn count(&mut self, state: State, sign: i64) {
        for (count, counts) in [
            (&mut self.waiting, state.waits_for_io()),
            (&mut self.short, state.lacks_memory()),
            (&mut self.able, state.could_run()),
            (&mut self.able_short, state.could_run() && state.lacks_memory()),
            (&mut self.on_cpu, state.has_cpu()),
        ] {
            *count = count.saturating_add_signed(if counts { sign } else { 0 });
        }
    }
}

/// What is known of a task.
#[derive(Debug, Clone, Default)]
struct Tracked {
    /// Its group and those above it.
    groups: Vec<usize>,
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
    cpus: u64,
    tasks: Vec<Tracked>,
    groups: Vec<Account>,
    /// Changes to come. A step of the engine knows beforehand when its task will wait.
    ahead: BinaryHeap<Reverse<Change>>,
    order: u64,
}

impl Pressure {
    pub(crate) fn new(cpus: u32) -> Self {
        Self { cpus: u64::from(cpus), ..Self::default() }
    }

    /// Adds a task, which sleeps. `groups` are its group and those above it.
    pub(crate) fn add(&mut self, now: u64, groups: Vec<usize>) {
        for group in &groups {
            if self.groups.len() <= *group {
                self.groups.resize_with(*group + 1, || Account { since: now, ..Account::default() });
            }
        }
        self.tasks.push(Tracked { groups, since: now, ..Tracked::default() });
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
        let tracked = &mut self.tasks[task];
        if tracked.state == state {
            return;
        }
        let was = std::mem::replace(&mut tracked.state, state);
        tracked.delays.add(was, now.saturating_sub(tracked.since));
        tracked.since = now;
        for group in &tracked.groups {
            let account = &mut self.groups[*group];
            account.advance(now, self.cpus);
            account.count(was, -1);
            account.count(state, 1);
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
        let mut account = self.groups.get(group)?.clone();
        account.advance(now, self.cpus);
        Some([account.cpu, account.io, account.memory])
    }

    /// CPU time of all CPUs that nobody used, up to now: while tasks waited for IO, and while none did.
    pub(crate) fn unused(&self, now: u64) -> (u64, u64) {
        let Some(mut account) = self.groups.first().cloned() else { return (0, self.cpus * now) };
        account.advance(now, self.cpus);
        (account.iowait, account.idle)
    }

    /// Tasks that could run, and tasks that wait for IO.
    pub(crate) fn counts(&self) -> (u64, u64) {
        self.groups.first().map_or((0, 0), |account| (account.able, account.waiting))
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
        assert_eq!((io.some, io.full), (20, 10));
        // The first 10 ns one CPU runs and the other waits, then it idles for 20 ns; the last 10 ns one of two waits.
        assert_eq!(pressure.unused(40), (20, 30));
        assert_eq!(pressure.delays(40, 0).blkio, 10);
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

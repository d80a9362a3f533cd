//! The engine: tasks, CPUs, kernel threads and devices on virtual time.

use crate::devices::device::{Device, QueueSpec};
use crate::host::{Host, Stall, Task, TaskStats};
use crate::id::{DeviceId, GroupId, TaskId};
use crate::machine::MachineSpec;
use crate::pressure::State;
use crate::program::{Done, Op};
use crate::run_queue::RunQueue;
use crate::step::Progress;
use pagetide_core::{Error, Nanos};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

/// Why a run stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The time has come.
    Time,
    /// A task exited.
    Exited(TaskId),
    /// The OOM killer killed a task.
    Killed(TaskId),
}

/// What a task runs.
pub trait Program: fmt::Debug {
    /// The next operation. `last` says how the one before ended; `me` is the task itself, `host` the machine, whose files and
    /// areas it may make.
    fn next(&mut self, host: &mut Host, me: TaskId, now: Nanos, last: Done) -> Op;
}

/// What a task of the engine runs.
#[derive(Debug)]
enum Body {
    Program(Box<dyn Program>),
    Kswapd(usize),
    Flusher(usize),
}

/// A task of the engine.
#[derive(Debug)]
struct Running {
    body: Body,
    op: Option<Op>,
    progress: Progress,
    last: Done,
    started: u64,
    /// Of the wake-ups on their way only that with this number counts.
    wake: u64,
    waits: bool,
    /// CPU time that is left of [`Op::Compute`].
    compute: u64,
    exited: bool,
}

/// A CPU.
#[derive(Debug, Clone, Copy, Default)]
struct Cpu {
    /// Until when a task has it.
    taken: u64,
    /// Who had it last and would go on.
    goes_on: Option<u32>,
}

/// A machine that runs.
#[derive(Debug)]
pub struct Sim {
    host: Host,
    running: Vec<Running>,
    /// Wake-ups: time, order, task, number.
    events: BinaryHeap<Reverse<(u64, u64, u32, u64)>>,
    order: u64,
    /// Tasks that wait for a CPU.
    ready: RunQueue,
    cpus: Vec<Cpu>,
    stopped: Vec<Stop>,
    /// CPU time in user mode of the step that runs.
    user: u64,
    steps: u64,
}

impl Sim {
    /// A machine that has just booted.
    ///
    /// # Errors
    /// The machine cannot exist, or is larger than the model.
    pub fn new(spec: MachineSpec) -> Result<Self, Error> {
        let cpus = vec![Cpu::default(); spec.cpus as usize];
        let nodes = spec.nodes as usize;
        let ready = RunQueue::new(spec.release);
        let mut sim = Self {
            host: Host::new(spec)?,
            running: Vec::new(),
            events: BinaryHeap::new(),
            order: 0,
            ready,
            cpus,
            stopped: Vec::new(),
            user: 0,
            steps: 0,
        };
        for node in 0..nodes {
            sim.add(GroupId::ROOT, Body::Kswapd(node), true);
        }
        Ok(sim)
    }

    /// Adds a device. The first is `DeviceId` 0.
    pub fn add_device(&mut self, device: Box<dyn Device>, spec: QueueSpec) -> DeviceId {
        let id = self.host.add_device(device, spec);
        self.add(GroupId::ROOT, Body::Flusher(usize::from(id.0)), true);
        id
    }

    /// The state of the machine.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The state of the machine, to change it.
    pub fn host_mut(&mut self) -> &mut Host {
        &mut self.host
    }

    /// The time since boot.
    pub fn now(&self) -> Nanos {
        Nanos::new(self.host.now)
    }

    /// Steps that the engine has done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Starts a task.
    pub fn spawn(&mut self, program: Box<dyn Program>, group: GroupId) -> TaskId {
        let id = self.add(group, Body::Program(program), false);
        self.schedule(id.0, self.host.now);
        id
    }

    fn add(&mut self, group: GroupId, body: Body, kernel: bool) -> TaskId {
        let at = self.running.len() as u32;
        let node = at as usize % self.host.nodes;
        let name = match &body {
            Body::Program(_) => "program".to_owned(),
            Body::Kswapd(node) => format!("kswapd{node}"),
            Body::Flusher(device) => format!("kworker/flush-{}", self.host.queues[*device].spec.name),
        };
        let groups = self.host.ancestors(usize::from(group.0)).collect();
        self.host.pressure.add(self.host.now, groups);
        self.host.tasks.push(Task {
            name,
            group: usize::from(group.0),
            node: if kernel { 0 } else { node },
            kernel,
            ..Task::default()
        });
        self.ready.add();
        self.running.push(Running {
            body,
            op: None,
            progress: Progress::default(),
            last: Done::default(),
            started: 0,
            wake: 0,
            waits: true,
            compute: 0,
            exited: false,
        });
        TaskId(at)
    }

    /// Gives a task a name (`comm`).
    pub fn name(&mut self, task: TaskId, name: &str) {
        name.clone_into(&mut self.host.tasks[task.0 as usize].name);
    }

    /// Lets a task of a node allocate there first.
    pub fn bind(&mut self, task: TaskId, node: u32) {
        self.host.tasks[task.0 as usize].node = node as usize % self.host.nodes;
    }

    /// What a task has used.
    pub fn task(&self, task: TaskId) -> TaskStats {
        let used = &self.host.tasks[task.0 as usize].stats;
        TaskStats {
            user: Nanos::new(used.user),
            system: Nanos::new(used.system),
            throttled: Nanos::new(used.throttled),
            minor_faults: used.minor_faults,
            major_faults: used.major_faults,
            read_bytes: used.read_bytes,
            write_bytes: used.write_bytes,
            resident_peak: used.resident_peak,
            swap_at_exit: used.swap_at_exit,
        }
    }

    /// CPU time of all kswapds.
    pub fn kswapd_cpu(&self) -> Nanos {
        let of = |at: &usize| matches!(self.running[*at].body, Body::Kswapd(_));
        Nanos::new((0..self.running.len()).filter(of).map(|at| self.host.tasks[at].stats.system).sum())
    }

    /// Gives what `/proc` would say now, by the recorder's names: table, row, metric, value. What the model does not have is absent.
    pub fn counters(&self, take: &mut crate::Take<'_>) {
        self.host.counters(take);
    }

    /// Whether a task has exited or was killed.
    pub fn exited(&self, task: TaskId) -> bool {
        self.running[task.0 as usize].exited
    }

    /// Wakes a task that does [`Op::Wait`].
    pub fn wake(&mut self, task: TaskId) {
        if self.running[task.0 as usize].waits {
            self.schedule(task.0, self.host.now);
        }
    }

    /// Ends a task: its memory is free.
    pub fn kill(&mut self, task: TaskId) {
        self.exit(task.0 as usize);
    }

    fn schedule(&mut self, task: u32, at: u64) {
        let running = &mut self.running[task as usize];
        if running.exited {
            return;
        }
        running.wake += 1;
        self.order += 1;
        if at <= self.host.now {
            self.host.pressure.now(self.host.now, task as usize, State::Runnable);
            self.ready.enqueue(task);
        } else {
            self.host.pressure.later(at, task as usize, State::Runnable);
            self.ready.dequeue(task);
            self.events.push(Reverse((at, self.order, task, running.wake)));
        }
    }

    /// Runs until `until`, or until a task exits or is killed.
    pub fn run(&mut self, until: Nanos) -> Stop {
        loop {
            if let Some(stop) = self.run_events(until, u32::MAX) {
                return stop;
            }
        }
    }

    /// The same with so many events at most: none where there are more before `until`.
    pub fn run_events(&mut self, until: Nanos, most: u32) -> Option<Stop> {
        for _ in 0..most {
            if let Some(stop) = self.stopped.pop() {
                return Some(stop);
            }
            self.start_kernel_threads();
            let task = self.first_wake();
            let device = self.host.next_device_event();
            let next = [task, device, self.next_turn(None)].into_iter().flatten().min();
            let Some(next) = next.filter(|at| *at <= until.get()) else {
                self.host.now = self.host.now.max(until.get());
                self.host.pressure.settle(self.host.now);
                return Some(Stop::Time);
            };
            self.host.now = self.host.now.max(next);
            if device.is_some_and(|at| at <= next) {
                self.host.advance_devices();
                self.wake_all();
                continue;
            }
            self.enqueue_due(self.host.now);
            self.next_task(self.host.now);
        }
        None
    }

    /// When a CPU but `own` is free for a task that waits for one or would go on.
    fn next_turn(&self, own: Option<usize>) -> Option<u64> {
        let others = self.cpus.iter().enumerate().filter(|(at, _)| Some(*at) != own).map(|(_, cpu)| cpu);
        others.filter(|cpu| cpu.goes_on.is_some() || !self.ready.is_empty()).map(|cpu| cpu.taken).min()
    }

    /// Has those wait for a CPU whose time has come.
    fn enqueue_due(&mut self, now: u64) {
        while let Some(Reverse((_, _, task, wake))) = self.events.peek().copied().filter(|Reverse((at, ..))| *at <= now)
        {
            self.events.pop();
            if self.running[task as usize].wake == wake && !self.running[task as usize].exited {
                self.ready.enqueue(task);
            }
        }
        for cpu in self.cpus.iter_mut().filter(|cpu| cpu.taken <= now) {
            if let Some(task) = cpu.goes_on.take().filter(|task| !self.running[*task as usize].exited) {
                self.ready.enqueue(task);
            }
        }
    }

    /// Lets a task run on the CPU on which it ran last, if that is free, else on the one that is free for longest (`select_idle_sibling`).
    fn next_task(&mut self, now: u64) {
        if self.cpus.iter().all(|cpu| cpu.taken > now) {
            return;
        }
        let Some(task) = self.ready.pick() else { return };
        let last = self.host.pressure.cpu_of(task as usize);
        let free = |at: &usize| if self.cpus[*at].taken <= now && *at == last { 0 } else { self.cpus[*at].taken + 1 };
        if let Some(cpu) = (0..self.cpus.len()).min_by_key(free) {
            self.run_task(task as usize, cpu);
        }
    }

    /// Runs until a task has exited or was killed, `until` at most. Whether it has.
    pub fn run_task_to_end(&mut self, task: TaskId, until: Nanos) -> bool {
        while !self.exited(task) {
            if self.run(until) == Stop::Time {
                break;
            }
        }
        self.exited(task)
    }

    fn wake_all(&mut self) {
        let mut woken = std::mem::take(&mut self.host.woken);
        for task in woken.drain(..) {
            if self.running[task as usize].waits {
                self.schedule(task, self.host.now);
            }
        }
        self.host.woken = woken;
        for task in std::mem::take(&mut self.host.killed) {
            self.exit(task as usize);
            self.stopped.push(Stop::Killed(TaskId(task)));
        }
    }

    /// Lets kswapd and the flushers run that were woken.
    fn start_kernel_threads(&mut self) {
        for at in 0..self.running.len() {
            let wake = match self.running[at].body {
                Body::Program(_) => break,
                Body::Kswapd(node) => self.host.kswapds[node].woken && self.host.kswapds[node].sleeps(),
                Body::Flusher(device) => self.host.wbs[device].woken,
            };
            if wake && self.running[at].waits {
                self.schedule(at as u32, self.host.now);
                self.running[at].waits = false;
            }
            if let Body::Flusher(device) = self.running[at].body
                && let Some(timer) = self.host.wbs[device].timer
                && self.running[at].waits
                && self.running[at].compute != timer
            {
                // The timer was set by a writer.
                self.running[at].compute = timer;
                self.schedule(at as u32, timer);
            }
        }
    }

    fn run_task(&mut self, at: usize, cpu: usize) {
        let now = self.host.now;
        let group = self.host.tasks[at].group;
        if let Some(until) = self.host.throttled_until(group) {
            self.schedule(at as u32, until);
            return;
        }
        self.steps += 1;
        self.host.current = at;
        self.host.on_cpu = cpu;
        self.host.cpu = 0;
        self.host.reclaims = 0;
        self.user = 0;
        self.running[at].waits = false;
        self.host.pressure.runs_on(now, at, cpu);
        let throttled = self.host.tasks[at].stats.throttled;
        let stall = match self.running[at].body {
            Body::Kswapd(node) => Some(self.host.step_kswapd(node)),
            Body::Flusher(device) => Some(self.host.step_flusher(device)),
            Body::Program(_) => self.step_program(at, cpu),
        };
        self.host.send_plug();
        let used = self.host.cpu;
        self.host.tasks[at].stats.system += used - self.user;
        self.cpus[cpu].taken = now + used;
        self.host.charge_cpu(group, used);
        self.ready.ran(at as u32, used, stall != Some(Stall::Yield));
        let end = now + used;
        if matches!(self.running[at].body, Body::Kswapd(_)) {
            self.host.pressure.now(now, at, State::Reclaims);
        } else if self.host.reclaims > 0 {
            // `psi_memstall_enter` around reclaim of memory and of groups.
            self.host.pressure.now(now, at, State::Reclaims);
            self.host.pressure.later(now + self.host.reclaims, at, State::Runs);
        }
        let throttled = self.host.tasks[at].stats.throttled > throttled;
        self.host.pressure.later(end, at, self.waits_for(at, stall, throttled));
        match stall {
            None => {}
            Some(Stall::Yield) => {
                self.running[at].wake += 1;
                self.cpus[cpu] = Cpu { taken: end.max(now + 1), goes_on: Some(at as u32) };
            }
            Some(Stall::Until(until)) => {
                self.running[at].waits = matches!(self.running[at].body, Body::Kswapd(_) | Body::Flusher(_));
                self.schedule(at as u32, until.max(end));
            }
            Some(Stall::Page(page)) => {
                self.running[at].waits = true;
                self.host.page_waiters.push((page, at as u32));
            }
            Some(Stall::Mapping(mapping)) => {
                self.running[at].waits = true;
                self.host.mapping_waiters.push((mapping, at as u32));
            }
            Some(Stall::Room(device)) => {
                self.running[at].waits = true;
                self.host.room_waiters.push((device, at as u32));
            }
            Some(Stall::Request | Stall::Wake) => self.running[at].waits = true,
        }
        if !self.host.woken.is_empty() || !self.host.killed.is_empty() {
            self.wake_all();
        }
    }

    /// What a task does once it has no CPU any more.
    fn waits_for(&self, at: usize, stall: Option<Stall>, throttled: bool) -> State {
        let of_kernel = !matches!(self.running[at].body, Body::Program(_));
        match stall {
            None | Some(Stall::Wake) => State::Sleeps,
            Some(Stall::Yield) => State::Runnable,
            Some(Stall::Page(page)) => self.host.waits_for_page(page),
            // A task that has several requests in flight asks for their ends (`io_getevents`), which is no wait for IO.
            Some(Stall::Request) if self.host.tasks[at].in_flight > 1 => State::Sleeps,
            Some(Stall::Room(_)) if !matches!(self.running[at].body, Body::Flusher(_)) => State::SwapsOut,
            Some(Stall::Request | Stall::Mapping(_) | Stall::Room(_)) => State::Io,
            Some(Stall::Until(_)) if throttled => State::Io,
            Some(Stall::Until(_)) if of_kernel || matches!(self.running[at].op, Some(Op::SleepUntil(_))) => {
                State::Sleeps
            }
            Some(Stall::Until(_)) => State::Memory,
        }
    }

    /// Goes on with a program: ends of operations and begins of others, as long as nothing else happens before.
    fn step_program(&mut self, at: usize, cpu: usize) -> Option<Stall> {
        let begin = self.host.now;
        let slice = self.ready.slice_left(at as u32);
        loop {
            let clock = begin + self.host.cpu;
            if self.running[at].op.is_none() {
                self.host.now = clock;
                let above_high = self.host.handle_over_high();
                self.host.now = begin;
                if let Err(stall) = above_high {
                    // The system call has not returned yet.
                    let now = begin + self.host.cpu;
                    let until = if let Stall::Until(until) = stall { until } else { now };
                    self.running[at].last.ended = Nanos::new(until.max(now));
                    return Some(stall);
                }
                if self.host.cpu > 0 && clock >= self.next_event(cpu).min(begin + slice) {
                    return Some(Stall::Yield);
                }
                self.host.now = clock;
                let last = self.running[at].last;
                let Body::Program(program) = &mut self.running[at].body else { return None };
                let op = program.next(&mut self.host, TaskId(at as u32), Nanos::new(clock), last);
                self.host.now = begin;
                if op == Op::Exit {
                    self.exit(at);
                    self.stopped.push(Stop::Exited(TaskId(at as u32)));
                    return None;
                }
                let running = &mut self.running[at];
                running.started = clock;
                running.progress = Progress::default();
                running.compute = if let Op::Compute(time) = op { time.get() } else { 0 };
                running.op = Some(op);
            }
            let op = self.running[at].op?;
            if self.running[at].compute > 0 {
                let next = if self.ready.preempts() { self.next_wake() } else { u64::MAX };
                let most = next.min(begin + slice).saturating_sub(clock).max(1);
                let computes = self.running[at].compute.min(most);
                self.running[at].compute -= computes;
                self.host.tasks[at].stats.user += computes;
                self.host.cpu += computes;
                self.user += computes;
                if self.running[at].compute > 0 {
                    return Some(Stall::Yield);
                }
            }
            self.host.now = clock;
            let mut progress = self.running[at].progress;
            let step = self.host.step(op, &mut progress);
            self.host.send_plug();
            self.host.now = begin;
            self.running[at].progress = progress;
            match step {
                Ok(()) => {
                    self.host.count_call(at, op);
                    let running = &mut self.running[at];
                    running.op = None;
                    running.last = Done {
                        started: Nanos::new(running.started),
                        ended: Nanos::new(begin + self.host.cpu),
                        tag: progress.tag,
                        major_faults: progress.touching.majors,
                        refused: 0,
                    };
                }
                Err(stall) => return Some(stall),
            }
        }
    }

    /// When a task wakes up next.
    fn first_wake(&self) -> Option<u64> {
        self.events.peek().map(|Reverse((at, ..))| *at)
    }

    /// When a task wakes up next, or a device is done.
    fn next_wake(&self) -> u64 {
        [self.first_wake(), self.host.next_device_event()].into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// When something happens next that is not of the task on this CPU: until then it goes on at once.
    fn next_event(&self, own: usize) -> u64 {
        self.next_wake().min(self.next_turn(Some(own)).unwrap_or(u64::MAX))
    }

    /// A task is gone: its areas are unmapped.
    fn exit(&mut self, at: usize) {
        if std::mem::replace(&mut self.running[at].exited, true) {
            return;
        }
        self.host.tasks[at].exited = true;
        self.ready.dequeue(at as u32);
        self.host.pressure.now(self.host.now, at, State::Sleeps);
        self.host.tasks[at].stats.swap_at_exit = self.host.swap.used_slots();
        for area in self.host.tasks[at].areas.clone() {
            self.host.unmap(crate::id::AreaId(area));
        }
        self.host.page_waiters.retain(|(_, waiter)| *waiter != at as u32);
        self.host.mapping_waiters.retain(|(_, waiter)| *waiter != at as u32);
        self.host.room_waiters.retain(|(_, waiter)| *waiter != at as u32);
    }
}

//! Runs the steps of a scenario on the model and measures them, as [`crate::executor`] does on a real kernel.

use super::files::{self, SimFiles, disk_at};
use super::machine::{self, SimDisk};
use super::options::ModelOptions;
use super::programs::{Counted, Workshop};
use super::recorder::{SimRecorder, charged, host_value, reading};
use crate::executor::changes::{self, Changes};
use crate::executor::reading::Reading;
use crate::executor::step::headline;
use pagetide_core::{
    Action, BackendRun, Bytes, DeviceChange, Error, Figure, Figures, FioJob, Goal, GroupReclaim, GroupSpec, HoldSpec,
    Load, Manifest, MarkKind, Nanos, Origin, Outcome, Parallel, Part, Place, Progress, Release, Scenario, Sink, Sleep,
    Step, StepResult, SwapSpec, Swaps, Sysctls, TimedChange,
};
use pagetide_sim::disk::Limits;
use pagetide_sim::workload::{Script, SharedTally, Tally};
use pagetide_sim::{
    CpuLimit, FileId, GroupId, GroupLimits, HUGE_PAGE, IoLimits, Op, PAGE_SIZE, Release as KernelRelease, Sim, Stop,
    TaskId,
};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// Time between two looks at what runs, when no samples are taken.
const LOOK_NS: u64 = 1_000_000_000;
/// Events between two looks at whether the user interrupted: they take a fraction of a second.
const LOOK_EVENTS: u32 = 1 << 12;
/// The longest run in the model's time. A real run takes its time, and its recording the room for it; a model is through a year in minutes.
const MAX_MODEL_TIME: Nanos = Nanos::new(24 * 3600 * 1_000_000_000);

fn too_long() -> Error {
    Error::input(
        format!("the scenario takes more than {MAX_MODEL_TIME} of the model's time"),
        "write shorter times, less work or faster disks",
    )
}

/// Refuses a scenario whose steps wait for longer than a run may take.
///
/// # Errors
/// They do.
fn check_time(scenario: &Scenario) -> Result<(), Error> {
    let waits = scenario.steps.iter().map(least_time).fold(Nanos::ZERO, Nanos::saturating_add);
    if waits > MAX_MODEL_TIME { Err(too_long()) } else { Ok(()) }
}

/// The time that a step takes at least, whatever the machine does.
fn least_time(step: &Step) -> Nanos {
    let open = |load: &Load| {
        let spec = load.spec();
        spec.effort().limit.filter(|_| spec.goal() == Goal::Open).unwrap_or_default()
    };
    match &step.action {
        Action::Sleep(Sleep(time)) => *time,
        Action::Fio(job) => job.runtime.filter(|_| job.time_based).unwrap_or_default(),
        Action::Load(load) => open(load),
        Action::Parallel(Parallel(parts)) => {
            let foreground = parts.iter().filter(|part| !part.background);
            foreground.map(|part| part.delay.saturating_add(open(&part.load))).max().unwrap_or_default()
        }
        _ => Nanos::ZERO,
    }
}

/// What a run keeps between its steps.
struct Run<'a> {
    scenario: &'a Scenario,
    options: &'a ModelOptions,
    seed: u64,
    sim: Sim,
    disks: Vec<SimDisk>,
    files: SimFiles,
    holds: BTreeMap<String, Running>,
    groups: BTreeMap<String, GroupId>,
    /// Where swap areas are: disk, begin, bytes.
    swap: Vec<(usize, u64, u64)>,
    recorder: Option<SimRecorder>,
    progress: &'a mut dyn Progress,
    /// The results of the parts of the step that runs.
    parts: Vec<StepResult>,
}

/// A task of the model and what it counts.
struct Running {
    task: TaskId,
    tally: SharedTally,
    killed: bool,
}

/// What an action did.
#[derive(Default)]
struct Did {
    outcome: Option<Outcome>,
    notes: Vec<String>,
    figures: Figures,
}

/// Runs all steps.
///
/// # Errors
/// The machine cannot be made, the user interrupted the run, or the sink refused.
pub(super) fn run(
    scenario: &Scenario,
    seed: u64,
    options: &ModelOptions,
    sink: Box<dyn Sink>,
    progress: &mut dyn Progress,
) -> Result<BackendRun, Error> {
    check_time(scenario)?;
    let began_wall_ns = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or_default();
    let (mut sim, mut disks) = machine::make(scenario, options)?;
    let files = SimFiles::lay_out(scenario, &mut sim, &mut disks)?;
    let manifest = manifest(scenario, &sim, &disks, options);
    let (kernel, total) = (manifest.kernel.clone(), manifest.memory_total);
    let recorder = options.interval.map(|_| SimRecorder::begin(sink, manifest, began_wall_ns)).transpose()?;
    let mut run = Run {
        scenario,
        options,
        seed,
        sim,
        disks,
        files,
        holds: BTreeMap::new(),
        groups: BTreeMap::new(),
        swap: Vec::new(),
        recorder,
        progress,
        parts: Vec::new(),
    };
    run.swap(std::slice::from_ref(&scenario.machine.swap))?;
    let steps = run.steps();
    // An interrupted run has a whole recording too.
    if let Some(recorder) = &mut run.recorder {
        recorder.finish()?;
    }
    Ok(BackendRun {
        machine: vec![format!("model of {kernel}: {} CPUs, {total} of memory", scenario.machine.cpus)],
        differences: vec![
            "A model ran it, not a kernel: docs/CONFORMANCE.md lists how far the model is from real kernels."
                .to_owned(),
        ],
        kernel,
        started_wall_ns: began_wall_ns,
        steps: steps?,
    })
}

/// The release that the model follows.
fn release(sim: &Sim) -> &'static str {
    match sim.host().spec().release {
        KernelRelease::V6_1 => "6.1",
        KernelRelease::V6_12 => "6.12",
    }
}

fn manifest(scenario: &Scenario, sim: &Sim, disks: &[SimDisk], options: &ModelOptions) -> Manifest {
    let machine = &scenario.machine;
    Manifest {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        origin: Origin::Sim,
        host: "model".to_owned(),
        kernel: release(sim).to_owned(),
        cpus: machine.cpus,
        page_size: Bytes::new(PAGE_SIZE),
        memory_total: host_value(sim, "MemTotal").map_or(machine.memory, Bytes::new),
        interval: options.interval.unwrap_or_default(),
        disks: disks
            .iter()
            .map(|disk| pagetide_core::Disk {
                name: disk.device.clone(),
                size: disk.spec.size,
                // Virtio disks do, to the kernel.
                rotational: Some(true),
                read_ahead: disk.spec.read_ahead,
                ..pagetide_core::Disk::default()
            })
            .collect(),
        sysctls: machine.sysctl.iter().map(|(name, value)| (name.clone(), value.to_string())).collect(),
        workload_disk: disks.first().filter(|_| disks.len() == 1).map(|disk| disk.device.clone()),
        process_delays: "the model's".to_owned(),
        lru: machine.lru,
        ..Manifest::default()
    }
}

impl Run<'_> {
    fn steps(&mut self) -> Result<Vec<StepResult>, Error> {
        let steps = &self.scenario.steps;
        let mut results = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            self.progress.step(at + 1, steps.len(), &step.id, &step.title);
            let result = self.step(step)?;
            self.mark(MarkKind::StepEnded { result: Box::new(result.clone()) })?;
            self.progress.step_done(&headline(step, &result));
            results.push(result);
            results.append(&mut self.parts);
        }
        Ok(results)
    }

    fn mark(&mut self, kind: MarkKind) -> Result<(), Error> {
        self.recorder.as_mut().map_or(Ok(()), |recorder| recorder.mark(&self.sim, kind))
    }

    fn sample(&mut self) -> Result<(), Error> {
        self.recorder.as_mut().map_or(Ok(()), |recorder| recorder.sample(&self.sim))
    }

    fn now(&self) -> i64 {
        i64::try_from(self.sim.now().get()).unwrap_or(i64::MAX)
    }

    /// Does a step and measures it.
    fn step(&mut self, step: &Step) -> Result<StepResult, Error> {
        self.prepare(step)?;
        let file = files::place_of(step);
        let disks = self.disks_of(step)?;
        let cached_before = self.cached(file.as_ref());
        self.sim.host_mut().take_dirty_peak();
        self.sample()?;
        let before = reading(&self.sim, &disks);
        self.mark(MarkKind::StepStarted { id: step.id.clone(), title: step.title.clone() })?;
        let started_ns = self.now();
        let mut did = self.act(step)?;
        let ended_ns = self.now();
        let after = reading(&self.sim, &disks);
        self.sample()?;

        let mut figures = Figures::default();
        figures.set(Figure::Elapsed, (ended_ns - started_ns) as f64);
        before.difference(&after, &mut figures);
        // The tasks' own counters are more precise than those of the whole machine during the step.
        figures.override_with(&did.figures);
        figures
            .set_some(Figure::DiskUtil, figures.get(Figure::Elapsed).and_then(|time| before.disk_util(&after, time)));
        figures.set(Figure::DirtyPeak, (self.sim.host_mut().take_dirty_peak() * PAGE_SIZE) as f64);
        if let Some((limit, background)) = before.thresholds() {
            figures.set(Figure::DirtyThreshold, limit.as_f64());
            figures.set(Figure::BackgroundThreshold, background.as_f64());
        }
        figures.set_some(Figure::CachedBefore, cached_before);
        figures.set_some(Figure::CachedAfter, self.cached(file.as_ref()));
        if let Action::Fio(job) = &step.action {
            figures.set(Figure::FileBytes, job.size.as_f64());
            hit_ratio(job, &mut figures);
        }
        for (id, hold) in self.holds.iter().filter(|(_, hold)| hold.killed) {
            let held = Bytes::new(hold.tally.borrow().processed);
            did.notes.push(format!("the memory of step {id} ({held}) was lost: its holder was killed"));
        }
        if let Some(task) = self.files.finish(step, &mut self.sim, &mut self.disks) {
            self.finish(&mut [Running { task, tally: Tally::shared(), killed: false }])?;
        }
        Ok(StepResult {
            id: step.id.clone(),
            kind: step.action.kind().to_owned(),
            title: step.title.clone(),
            started_ns,
            ended_ns,
            outcome: did.outcome.unwrap_or(Outcome::Done),
            notes: did.notes,
            figures,
        })
    }

    /// Prepares the machine for a step.
    fn prepare(&mut self, step: &Step) -> Result<(), Error> {
        if let Action::Fio(job) = &step.action
            && let Some(place) = files::place_of(step)
        {
            let written = !crate::executor::files::writes_only(job);
            self.files.need(&place, job.size, written, &mut self.sim, &mut self.disks)?;
        }
        if step.drop_caches {
            self.drop_caches()?;
        }
        Ok(())
    }

    fn drop_caches(&mut self) -> Result<(), Error> {
        let task = self.sim.spawn(Box::new(dropping_caches()), GroupId::ROOT);
        self.finish(&mut [Running { task, tally: Tally::shared(), killed: false }]).map(drop)
    }

    fn cached(&self, place: Option<&Place>) -> Option<f64> {
        let (file, _) = self.files.find(place?)?;
        Some((self.sim.host().cached_pages(file) * PAGE_SIZE) as f64)
    }

    /// Lets the machine run until all of these have ended.
    fn finish(&mut self, all: &mut [Running]) -> Result<(), Error> {
        let mut left: Vec<TaskId> = all.iter().map(|running| running.task).collect();
        while !left.is_empty() {
            if self.progress.interrupted() {
                return Err(Error::interrupted());
            }
            let stop = self.advance(None)?;
            let (Stop::Exited(task) | Stop::Killed(task)) = stop else { continue };
            left.retain(|other| *other != task);
            if matches!(stop, Stop::Killed(_)) {
                self.killed(task, all);
            }
        }
        Ok(())
    }

    /// Notes which work the OOM killer ended.
    fn killed(&mut self, task: TaskId, all: &mut [Running]) {
        let holds = self.holds.values_mut();
        for running in all.iter_mut().chain(holds).filter(|running| running.task == task) {
            running.killed = true;
        }
    }

    /// Lets the machine run up to `until`, the next sample, or the end of a task.
    fn advance(&mut self, until: Option<u64>) -> Result<Stop, Error> {
        let now = self.sim.now().get();
        let interval = self.options.interval.map_or(LOOK_NS, |interval| interval.get().max(1));
        let next_sample = (now / interval + 1) * interval;
        let moment = until.map_or(next_sample, |until| until.min(next_sample));
        if now > MAX_MODEL_TIME.get() {
            return Err(too_long());
        }
        // Much can happen in little of the model's time.
        let stop = loop {
            if let Some(stop) = self.sim.run_events(Nanos::new(moment), LOOK_EVENTS) {
                break stop;
            }
            if self.progress.interrupted() {
                return Err(Error::interrupted());
            }
        };
        if let Some(refused) = self.sim.host_mut().take_refused() {
            return Err(refused);
        }
        if matches!(stop, Stop::Time) && self.sim.now().get() == next_sample {
            self.sample()?;
        }
        Ok(stop)
    }

    fn act(&mut self, step: &Step) -> Result<Did, Error> {
        match &step.action {
            Action::Fio(job) => self.fio(step, job),
            Action::Hold(spec) => self.hold(step, spec),
            Action::Release(Release(id)) => self.release(id),
            Action::DropCaches(_) => self.drop_caches().map(|()| Did::default()),
            Action::Sleep(Sleep(time)) => {
                let until = self.sim.now().get().saturating_add(time.get());
                while self.sim.now().get() < until {
                    if self.progress.interrupted() {
                        return Err(Error::interrupted());
                    }
                    if let Stop::Killed(task) = self.advance(Some(until))? {
                        self.killed(task, &mut []);
                    }
                }
                Ok(Did::default())
            }
            Action::Sysctl(settings) => {
                let mut pools = self.set(settings)?;
                self.finish(&mut pools).map(|_| Did::default())
            }
            Action::Snapshot(_) => Ok(Did::default()),
            Action::Load(load) => self.load(step, load),
            Action::Parallel(Parallel(parts)) => self.parallel(step, parts),
            Action::Device(change) => self.change_disk(change).map(|()| Did::default()),
            Action::Swap(Swaps(areas)) => self.swap(areas).map(|()| Did::default()),
        }
    }

    /// Changes settings, and gives the tasks that are still at it: that of huge pages takes its time.
    fn set(&mut self, Sysctls(settings): &Sysctls) -> Result<Vec<Running>, Error> {
        let mut tasks = Vec::new();
        for (name, value) in settings {
            if name == "vm.nr_hugepages" {
                let pages = u64::try_from(*value).unwrap_or(0).saturating_mul(HUGE_PAGE);
                let task = self.sim.spawn(Box::new(Script::new([Op::ResizePool { pages }])), GroupId::ROOT);
                self.sim.name(task, "sysctl");
                tasks.push(Running { task, tally: Tally::shared(), killed: false });
            } else {
                self.sim.host_mut().set_sysctl(name, *value)?;
            }
        }
        Ok(tasks)
    }

    fn change_disk(&mut self, change: &DeviceChange) -> Result<(), Error> {
        let disk = &mut self.disks[disk_at_of(&self.scenario.machine.disks, &change.disk)?];
        disk.spec = change.of(&disk.spec);
        *disk.limits.borrow_mut() = Limits::of(&disk.spec);
        Ok(())
    }

    /// Changes the machine while loads run. Says to what, or why it was refused. A task drops the caches: it writes what is dirty first, which
    /// takes its time.
    fn change(&mut self, change: &TimedChange) -> Result<Result<String, Error>, Error> {
        change.sysctl.iter().try_for_each(|settings| self.set(settings).map(drop))?;
        change.device.iter().try_for_each(|device| self.change_disk(device))?;
        if change.drop_caches {
            let task = self.sim.spawn(Box::new(dropping_caches()), GroupId::ROOT);
            self.sim.name(task, "drop_caches");
        }
        let reclaimed = change.reclaim.as_ref().map_or_else(|| Ok(String::new()), |asked| self.reclaim(asked));
        for place in &change.drop_files {
            let Some((file, _)) = self.files.find(place) else {
                return Err(Error::input(
                    format!("drop_files: no load of the scenario reads `{place}`"),
                    "name a file that a load reads",
                ));
            };
            let task =
                self.sim.spawn(Box::new(Script::new([Op::DontNeed { file, offset: 0, length: 0 }])), GroupId::ROOT);
            self.sim.name(task, "drop_files");
        }
        Ok(reclaimed)
    }

    /// Asks for memory of a group, and says what it had.
    fn reclaim(&mut self, GroupReclaim { cgroup, size }: &GroupReclaim) -> Result<String, Error> {
        let group = *self.groups.get(cgroup).ok_or_else(|| changes::no_group(cgroup))?;
        let had = changes::of_group(charged(&self.sim, cgroup));
        let reclaim = Op::ReclaimGroup { group, pages: size.get() / PAGE_SIZE };
        let task = self.sim.spawn(Box::new(Script::new([reclaim])), GroupId::ROOT);
        self.sim.name(task, "reclaim");
        Ok(had)
    }

    fn workshop(&mut self, id: &str) -> Workshop<'_> {
        Workshop {
            seed: crate::seed::derive(self.seed, id),
            requests: self.options.requests.get(id).copied().unwrap_or(0),
            pace: self.options.paces.get(id).copied(),
            sim: &mut self.sim,
            disks: &mut self.disks,
            files: &mut self.files,
        }
    }

    fn spawn(&mut self, name: &str, (program, tally): Counted, group: GroupId) -> Running {
        let task = self.sim.spawn(program, group);
        self.sim.name(task, name);
        Running { task, tally, killed: false }
    }

    fn fio(&mut self, step: &Step, job: &FioJob) -> Result<Did, Error> {
        let Some(place) = files::place_of(step) else { return Ok(Did::default()) };
        let group = self.group(step.cgroup.as_ref())?;
        let programs = self.workshop(&step.id).fio(&place, job)?;
        let mut all: Vec<Running> = programs.into_iter().map(|counted| self.spawn("fio", counted, group)).collect();
        self.finish(&mut all)?;
        let mut whole = Tally::default();
        let mut did = Did::default();
        for running in &all {
            whole.append(&running.tally.borrow());
            did.outcome = did.outcome.or(running.killed.then_some(Outcome::Killed));
        }
        whole.figures(&mut did.figures);
        self.usage(&all, &mut did.figures);
        if did.outcome == Some(Outcome::Killed) {
            did.notes.push("the OOM killer killed fio".to_owned());
        }
        Ok(did)
    }

    /// Sets the CPU time of tasks.
    fn usage(&self, all: &[Running], figures: &mut Figures) {
        let sum = |of: fn(&pagetide_sim::TaskStats) -> Nanos| {
            all.iter().map(|running| of(&self.sim.task(running.task)).as_f64()).sum::<f64>()
        };
        figures.set(Figure::UserCpu, sum(|task| task.user));
        figures.set(Figure::SystemCpu, sum(|task| task.system));
        figures.set(Figure::Throttled, sum(|task| task.throttled));
    }

    fn hold(&mut self, step: &Step, spec: &HoldSpec) -> Result<Did, Error> {
        let counted = self.workshop(&step.id).hold(&step.id, spec)?;
        let mut running = self.spawn(&step.id, counted, GroupId::ROOT);
        let began = self.sim.now();
        while running.tally.borrow().ended.is_none() {
            if self.progress.interrupted() {
                return Err(Error::interrupted());
            }
            if let Stop::Killed(task) = self.advance(None)? {
                self.killed(task, std::slice::from_mut(&mut running));
                if running.killed {
                    return Ok(Did {
                        outcome: Some(Outcome::Killed),
                        notes: vec!["the OOM killer killed what was to hold memory".to_owned()],
                        ..Did::default()
                    });
                }
            }
        }
        let mut did = Did::default();
        {
            let tally = running.tally.borrow();
            did.figures.set(Figure::Resident, tally.processed as f64);
            did.figures.set(Figure::Processed, tally.processed as f64);
            did.figures.set_some(Figure::Elapsed, tally.ended.map(|ended| ended.saturating_sub(began).as_f64()));
        }
        self.holds.insert(step.id.clone(), running);
        Ok(did)
    }

    fn release(&mut self, id: &str) -> Result<Did, Error> {
        let Some(running) = self.holds.remove(id) else {
            return Ok(Did {
                outcome: Some(Outcome::Refused),
                notes: vec![format!("step {id} holds no memory")],
                ..Did::default()
            });
        };
        if !running.killed {
            running.tally.borrow_mut().stop = true;
            self.sim.wake(running.task);
            self.finish(&mut [running])?;
        }
        Ok(Did::default())
    }

    fn group(&mut self, spec: Option<&GroupSpec>) -> Result<GroupId, Error> {
        let Some(spec) = spec else { return Ok(GroupId::ROOT) };
        let id = match self.groups.get(&spec.name) {
            Some(id) => *id,
            None => {
                let id = self.sim.host_mut().add_group(&spec.name, GroupId::ROOT)?;
                self.groups.insert(spec.name.clone(), id);
                id
            }
        };
        let limits = GroupLimits { high: spec.memory_high, max: spec.memory_max, ..GroupLimits::default() };
        self.sim.host_mut().set_group_limits(id, &limits);
        let cpu = spec.cpu_quota().map(|quota| CpuLimit { quota, period: GroupSpec::CPU_PERIOD });
        self.sim.host_mut().set_cpu_limit(id, cpu);
        for io in &spec.io_max {
            let device = self.disks[disk_at(&self.disks, Some(&io.disk))?].id;
            let limits = IoLimits { read: io.read, write: io.write, reads: io.read_iops, writes: io.write_iops };
            self.sim.host_mut().set_io_limits(id, device, limits);
        }
        Ok(id)
    }

    fn load(&mut self, step: &Step, load: &Load) -> Result<Did, Error> {
        let group = self.group(step.cgroup.as_ref())?;
        let counted = self.workshop(&step.id).load(load)?;
        let mut all = [self.spawn(&step.id, counted, group)];
        self.finish(&mut all)?;
        Ok(self.of_load(load, &all[0]))
    }

    /// What a load's own task says.
    fn of_load(&self, load: &Load, running: &Running) -> Did {
        let mut did = Did::default();
        let tally = running.tally.borrow();
        tally.figures(&mut did.figures);
        self.usage(std::slice::from_ref(running), &mut did.figures);
        let stats = self.sim.task(running.task);
        did.figures.set(Figure::MajorFaults, stats.major_faults as f64);
        // The model counts the pages of anonymous memory only.
        let resident = (stats.resident_peak * PAGE_SIZE) as f64;
        did.figures.set_some(Figure::Resident, (resident > 0.0).then_some(resident));
        did.figures.set(Figure::SwapUsed, (stats.swap_at_exit * PAGE_SIZE) as f64);
        if running.killed {
            did.outcome = Some(Outcome::Killed);
            let processed = Bytes::new(tally.processed);
            did.notes.push(format!("the OOM killer killed it after it had processed {processed}"));
        } else if tally.timed_out && load.spec().goal() != Goal::Open {
            did.outcome = Some(Outcome::TimedOut);
            did.notes.push("it ran out of time before it was done".to_owned());
        }
        did
    }

    /// Runs several loads at once. Each gives a result of its own beside that of the step.
    fn parallel(&mut self, step: &Step, parts: &[Part]) -> Result<Did, Error> {
        let began = self.sim.now().get();
        let mut all: Vec<Option<PartRun>> = parts.iter().map(|_| None).collect();
        let mut results: Vec<Option<(Did, i64, i64)>> = parts.iter().map(|_| None).collect();
        let mut changes = Changes::of(step);
        loop {
            if self.progress.interrupted() {
                return Err(Error::interrupted());
            }
            let since = self.sim.now().saturating_sub(Nanos::new(began));
            while let Some(change) = changes.take_due(since) {
                let to = self.change(change)?;
                changes.made(change, since, to);
            }
            let mut until = changes.next_after().map(|after| began.saturating_add(after.get()));
            for (at, part) in parts.iter().enumerate() {
                let moment = began.saturating_add(part.delay.get());
                if all[at].is_none() && results[at].is_none() {
                    if self.sim.now().get() >= moment {
                        all[at] = Some(self.begin_part(step, part)?);
                    } else {
                        until = Some(until.map_or(moment, |until: u64| until.min(moment)));
                    }
                }
            }
            let stop = self.advance(until)?;
            if let Stop::Exited(task) | Stop::Killed(task) = stop {
                let mine = all.iter().position(|run| run.as_ref().is_some_and(|run| run.running.task == task));
                match mine {
                    Some(at) => {
                        let Some(mut run) = all[at].take() else { continue };
                        run.running.killed = matches!(stop, Stop::Killed(_));
                        results[at] = Some(self.end_part(&parts[at], &run)?);
                    }
                    None if matches!(stop, Stop::Killed(_)) => self.killed(task, &mut []),
                    None => {}
                }
            }
            let ended = |at: usize| results[at].is_some();
            if (0..parts.len()).all(ended) {
                break;
            }
            if parts.iter().enumerate().all(|(at, part)| part.background || ended(at)) {
                for (at, part) in parts.iter().enumerate() {
                    // One whose delay is not over yet begins and ends at once.
                    if all[at].is_none() && results[at].is_none() {
                        all[at] = Some(self.begin_part(step, part)?);
                    }
                }
                for run in all.iter().flatten().filter(|run| !run.running.tally.borrow().stop) {
                    run.running.tally.borrow_mut().stop = true;
                    self.sim.wake(run.running.task);
                }
            }
        }
        let (refused, happened) = changes.end(self.sim.now().saturating_sub(Nanos::new(began)));
        let mut did = Did { notes: refused, ..Did::default() };
        let as_written = did.notes.is_empty();
        for (result, part) in results.into_iter().zip(parts) {
            let Some((own, started_ns, ended_ns)) = result else { continue };
            let outcome = own.outcome.unwrap_or(Outcome::Done);
            if outcome != Outcome::Done {
                did.notes.push(format!("{}: {}", part.name, own.notes.first().map_or("", String::as_str)));
                if !part.background {
                    did.outcome = Some(outcome);
                }
            }
            self.parts.push(StepResult {
                id: step.part_id(part),
                kind: part.load.kind().to_owned(),
                title: part.name.clone(),
                started_ns,
                ended_ns,
                outcome,
                notes: own.notes,
                figures: own.figures,
            });
        }
        if !as_written {
            did.outcome = Some(Outcome::Refused);
        }
        did.notes.extend(happened);
        Ok(did)
    }

    fn begin_part(&mut self, step: &Step, part: &Part) -> Result<PartRun, Error> {
        let group = self.group(part.cgroup.as_ref())?;
        let counted = self.workshop(&step.part_id(part)).load(&part.load)?;
        let disks = self.disks_of_load(&part.load)?;
        let file = part.load.spec().reads().and_then(|(place, _)| self.files.find(place)).map(|(file, _)| file);
        let before = reading(&self.sim, &disks);
        let cached = file.map(|file| self.sim.host().cached_pages(file));
        let started_ns = self.now();
        Ok(PartRun { running: self.spawn(part.process(), counted, group), before, disks, file, cached, started_ns })
    }

    fn end_part(&self, part: &Part, run: &PartRun) -> Result<(Did, i64, i64), Error> {
        let own = self.of_load(&part.load, &run.running);
        let after = reading(&self.sim, &run.disks);
        let ended_ns = self.now();
        let mut figures = Figures::default();
        run.before.difference(&after, &mut figures);
        let elapsed = own.figures.get(Figure::Elapsed).unwrap_or((ended_ns - run.started_ns) as f64);
        figures.set(Figure::Elapsed, elapsed);
        figures.set_some(Figure::DiskUtil, run.before.disk_util(&after, (ended_ns - run.started_ns) as f64));
        let bytes = |pages: u64| (pages * PAGE_SIZE) as f64;
        figures.set_some(Figure::CachedBefore, run.cached.map(bytes));
        figures.set_some(Figure::CachedAfter, run.file.map(|file| bytes(self.sim.host().cached_pages(file))));
        figures.override_with(&own.figures);
        Ok((Did { figures, ..own }, run.started_ns, ended_ns))
    }

    fn disks_of(&self, step: &Step) -> Result<Vec<String>, Error> {
        let mut names = match &step.action {
            Action::Load(load) => self.disks_of_load(load)?,
            Action::Fio(job) => vec![self.disks[disk_at(&self.disks, job.disk.as_deref())?].device.clone()],
            Action::Parallel(_) => {
                let mut names = Vec::new();
                for load in step.loads() {
                    names.extend(self.disks_of_load(load)?);
                }
                names
            }
            _ => vec![self.disks[disk_at(&self.disks, None)?].device.clone()],
        };
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn disks_of_load(&self, load: &Load) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        for place in load.stored() {
            names.push(self.disks[disk_at(&self.disks, place.disk())?].device.clone());
        }
        if names.is_empty() {
            names.push(self.disks[disk_at(&self.disks, None)?].device.clone());
        }
        Ok(names)
    }

    /// Makes these the only swap areas.
    fn swap(&mut self, areas: &[SwapSpec]) -> Result<(), Error> {
        if self.sim.host_mut().has_swap() {
            let task = self.sim.spawn(Box::new(Script::new([Op::SwapOff])), GroupId::ROOT);
            self.finish(&mut [Running { task, tally: Tally::shared(), killed: false }])?;
        }
        for (disk, begin, bytes) in self.swap.drain(..) {
            self.disks[disk].freed.push((begin, bytes));
        }
        // The first is used first: the kernel gives each a lower priority than the one before.
        for (priority, area) in (-i32::try_from(areas.len()).unwrap_or(i32::MAX)..0).rev().zip(areas) {
            match area {
                SwapSpec::None => {}
                SwapSpec::Disk { size, disk } => {
                    let at = disk_at(&self.disks, Some(disk))?;
                    let disk = &mut self.disks[at];
                    let offset = disk.take(size.get());
                    self.swap.push((at, offset, size.get()));
                    self.sim.host_mut().swap_on_disk(disk.id, offset, *size, priority)?;
                }
                SwapSpec::Zram { size, .. } => self.sim.host_mut().swap_on_zram(*size, 100, priority)?,
            }
        }
        Ok(())
    }
}

/// Writes what is dirty and drops the caches.
fn dropping_caches() -> Script {
    Script::new([Op::SyncAll, Op::DropCaches { pages: true, slab: true }])
}

/// A part of a parallel step that runs.
struct PartRun {
    running: Running,
    before: Reading,
    disks: Vec<String>,
    file: Option<FileId>,
    cached: Option<u64>,
    started_ns: i64,
}

fn disk_at_of(disks: &[pagetide_core::DiskSpec], name: &str) -> Result<usize, Error> {
    disks
        .iter()
        .position(|disk| disk.name == name)
        .ok_or_else(|| Error::input(format!("`{name}` is not a disk of this machine"), "use a disk of the scenario"))
}

/// Sets the share of what a job asked for that the page cache had.
fn hit_ratio(job: &FioJob, figures: &mut Figures) {
    if !job.reads_only() {
        return;
    }
    if let (Some(asked), Some(read)) = (figures.get(Figure::Processed), figures.get(Figure::DiskReadBytes))
        && asked > 0.0
    {
        figures.set(Figure::CacheHitRatio, (1.0 - read / asked).max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(steps: &str) -> Result<(), Error> {
        let text = format!(
            "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"64MiB\"\n[[machine.disk]]\nname = \"d\"\n\
             size = \"1GiB\"\n{steps}"
        );
        check_time(&Scenario::parse(&text, "t.toml").unwrap())
    }

    #[test]
    fn times_that_are_too_long_are_refused_before_the_run() {
        let sleep = |id: &str| format!("[[step]]\nid = \"{id}\"\nsleep = \"13h\"\n");
        assert!(check(&sleep("A")).is_ok());
        assert!(check(&format!("{}{}", sleep("A"), sleep("B"))).unwrap_err().what.contains("more than 86400 s"));
        let parts = |background| {
            format!(
                "[[step]]\nid = \"P\"\nparallel = [{{ name = \"a\", spin = {{ time = \"25h\" }}, background = {background} }}, \
                 {{ name = \"b\", spin = {{ time = \"1h\" }} }}]\n"
            )
        };
        assert!(check(&parts(true)).is_ok(), "the other part ends it");
        assert!(check(&parts(false)).is_err());
    }
}

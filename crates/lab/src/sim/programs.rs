//! The steps' work as programs of the model.

use super::files::SimFiles;
use super::machine::SimDisk;
use crate::executor::files::writes_only;
use pagetide_core::{
    Action, Bytes, BytesPerSecond, Error, Fill, FioEngine, FioJob, HoldKind, HoldSpec, Load, MapAndWalkSpec, Nanos,
    Place, Scenario, Sharing,
};
use pagetide_sim::workload::fio::{Direction, Distribution, FioPlan, FioThread, Pattern};
use pagetide_sim::workload::{
    Grow, Hold, HoldMemory, Lookups, SharedTally, Spin, Stored, Tally, Transfer, TransferPlan, Walk, WalkPlan,
};
use pagetide_sim::{Advice, PAGE_SIZE, Program, Sim};

/// A program and what it counts.
pub(super) type Counted = (Box<dyn Program>, SharedTally);

/// What programs are made of.
pub(super) struct Workshop<'a> {
    pub(super) sim: &'a mut Sim,
    pub(super) disks: &'a mut [SimDisk],
    pub(super) files: &'a mut SimFiles,
    /// The seed of what the step chooses at random.
    pub(super) seed: u64,
    /// Requests or touches after which it ends; 0 means no limit.
    pub(super) requests: u64,
    /// Bytes per second of a transfer at most, beside what its own rate says.
    pub(super) pace: Option<BytesPerSecond>,
}

fn nanos(time: Option<Nanos>) -> u64 {
    time.map_or(0, |time| time.get().max(1))
}

fn rate(rate: Option<BytesPerSecond>) -> u64 {
    rate.map_or(0, BytesPerSecond::get)
}

fn pages(size: Bytes) -> u64 {
    size.get() / PAGE_SIZE
}

impl Workshop<'_> {
    fn open(&mut self, place: &Place, size: Bytes, written: bool) -> Result<Option<Stored>, Error> {
        if !place.stored() {
            return Ok(None);
        }
        self.files.open(place, size, written, self.sim, self.disks).map(Some)
    }

    /// The program of a load.
    pub(super) fn load(&mut self, load: &Load) -> Result<Counted, Error> {
        let spec = load.spec();
        let from = spec.reads().map(|(place, size)| self.open(place, size, true)).transpose()?.flatten();
        if let Some((place, _)) = spec.writes()
            && place.is_file()
        {
            self.files.remove(place, self.sim, self.disks);
        }
        // A file that is written at random has its blocks.
        let has_blocks = matches!(load, Load::Dd(dd) if dd.random);
        let to = spec.writes().map(|(place, size)| self.open(place, size, has_blocks)).transpose()?.flatten();
        let tally = Tally::shared();
        let plan = TransferPlan { from, to, caching: spec.caching(), seed: self.seed, ..TransferPlan::default() };
        let pace = self.pace;
        let transfer = |mut plan: TransferPlan| {
            plan.rate = [plan.rate, rate(pace)].into_iter().filter(|rate| *rate > 0).min().unwrap_or(0);
            Box::new(Transfer::new(plan, tally.clone()))
        };
        let program: Box<dyn Program> = match load {
            Load::Stream(stream) => transfer(TransferPlan {
                size: stream.size.get(),
                bs: stream.bs.get(),
                rate: rate(stream.rate),
                random: stream.random,
                skew: stream.skew,
                repeat: stream.repeat,
                stride: stream.stride.map_or(0, |stride| stride.read.get()),
                skip: stream.stride.map_or(0, |stride| stride.skip.get()),
                compute: stream.compute.map_or(0, Nanos::get),
                think: stream.think.map_or(0, Nanos::get),
                time: nanos(stream.time),
                ..plan
            }),
            Load::Dd(dd) => transfer(TransferPlan {
                size: dd.size.get(),
                bs: dd.bs.get(),
                rate: rate(dd.rate),
                random: dd.random,
                sync: dd.sync,
                sync_every: dd.sync_every.map_or(0, Bytes::get),
                compute: dd.compute.map_or(0, Nanos::get),
                think: dd.think.map_or(0, Nanos::get),
                time: nanos(dd.time),
                ..plan
            }),
            Load::Copy(copy) => transfer(TransferPlan { size: copy.size.get(), bs: copy.bs.get(), ..plan }),
            Load::MapAndWalk(walk) => Box::new(Walk::new(self.walk(walk, from), tally.clone())),
            Load::Grow(grow) => {
                let zeros = grow.fill == Fill::Zero;
                Box::new(Grow::new(pages(grow.size), rate(grow.rate), grow.hold_for, zeros, tally.clone()))
            }
            Load::Spin(spin) => Box::new(Spin::new(nanos(spin.time), spin.pause().get(), tally.clone())),
            Load::StatMissing(stat) => {
                Box::new(Lookups::new(stat.count, stat.rate.unwrap_or(0), stat.hold_for, tally.clone()))
            }
        };
        Ok((program, tally))
    }

    fn walk(&self, walk: &MapAndWalkSpec, file: Option<Stored>) -> WalkPlan {
        let (code, data) = (pages(walk.code), walk.data.get().div_ceil(PAGE_SIZE));
        let hot = walk.hot.map_or(data, |hot| hot.get().div_ceil(PAGE_SIZE));
        let whole = if data > 0 { hot } else { code };
        WalkPlan {
            file: file.map(|stored| stored.file),
            code,
            executable: walk.executable,
            data,
            shared: walk.sharing == Sharing::Shared,
            zeros: walk.fill == Fill::Zero,
            fill_rate: rate(walk.fill_rate),
            chunk: walk.chunk.map_or(whole, |chunk| chunk.get().div_ceil(PAGE_SIZE)).min(whole),
            hot,
            iterations: walk.iterations,
            order: walk.order,
            seed: self.seed,
            rate: walk.rate.unwrap_or(0),
            compute: walk.compute.map_or(0, Nanos::get),
            // What ends a step after so many touches does not end it by time.
            time: if self.requests > 0 { 0 } else { nanos(walk.time) },
            touches: self.requests,
        }
    }

    /// The program of memory that is held.
    pub(super) fn hold(&mut self, step: &str, spec: &HoldSpec) -> Result<Counted, Error> {
        let memory = match spec.kind {
            HoldKind::Anon => HoldMemory::Anonymous,
            HoldKind::Mlock => HoldMemory::Locked,
            HoldKind::Shared => HoldMemory::Shared,
            HoldKind::File => {
                let place = Place::File { name: format!("hold-{step}"), disk: None };
                let stored = self.files.open(&place, spec.size, false, self.sim, self.disks)?;
                HoldMemory::File(stored)
            }
        };
        let tally = Tally::shared();
        let touch = spec.touched().get().div_ceil(PAGE_SIZE);
        Ok((Box::new(Hold::new(memory, spec.size.get().div_ceil(PAGE_SIZE), touch, tally.clone())), tally))
    }

    /// The programs of a fio job, one for each of its threads.
    pub(super) fn fio(&mut self, place: &Place, job: &FioJob) -> Result<Vec<Counted>, Error> {
        let distribution = Distribution::parse(job.random_distribution.as_deref())
            .ok_or_else(|| Error::input("the model does not have this random_distribution", "run it on vm"))?;
        let direction = match job.rw.as_str() {
            "read" | "randread" => Direction::Read,
            "write" | "randwrite" => Direction::Write,
            _ => Direction::Mixed,
        };
        let randseed = has_own_sequence(job).then_some(self.seed >> 1);
        let mut programs = Vec::new();
        for thread in 1..=u64::from(job.numjobs.unwrap_or(1).max(1)) {
            let file = self.files.open(place, job.size, !writes_only(job), self.sim, self.disks)?;
            // fio tells the kernel how it reads (`fadvise_hint`).
            let advice = if job.random() { Advice::Random } else { Advice::Sequential };
            self.sim.host_mut().advise(file.handle, advice);
            let plan = FioPlan {
                file,
                direction,
                pattern: Pattern { random: job.random(), map: !job.norandommap, distribution: distribution.clone() },
                bs: job.bs.get(),
                size: job.size.get(),
                direct: job.direct,
                depth: if asynchronous(job) { job.iodepth.unwrap_or(1) } else { 1 },
                runtime: nanos(job.runtime),
                time_based: job.time_based,
                rate_iops: job.rate_iops.unwrap_or(0),
                fsync: u64::from(job.fsync.unwrap_or(0)),
                end_fsync: job.end_fsync,
                invalidate: job.invalidate.unwrap_or(true),
            };
            let tally = Tally::shared();
            programs.push((Box::new(FioThread::new(plan, randseed, thread, tally.clone())) as Box<dyn Program>, tally));
        }
        Ok(programs)
    }
}

/// Whether a run of the scenario may choose something by its seed. If not, its runs with all seeds are one run.
pub fn depends_on_seed(scenario: &Scenario) -> bool {
    let is_drawn = |action: &Action| matches!(action, Action::Fio(job) if has_own_sequence(job));
    scenario.loads().next().is_some() || scenario.steps.iter().any(|step| is_drawn(&step.action))
}

/// Whether a job has a random sequence of its own rather than the one that fio repeats.
fn has_own_sequence(job: &FioJob) -> bool {
    job.randrepeat == Some(false)
}

/// Whether an engine has several requests in flight.
fn asynchronous(job: &FioJob) -> bool {
    matches!(job.ioengine, FioEngine::Libaio | FioEngine::IoUring)
}

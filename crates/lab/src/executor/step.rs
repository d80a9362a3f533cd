//! Runs one step and measures it. A new kind of step is an arm of `act`; loads have `crates/lab/src/load/work.rs`.

use super::caches;
use super::dirty;
use super::files::name_of;
use super::reading::{End, Reading};
use super::state::{Done, Executor};
use super::traced::{TracedStep, process_names};
use crate::fio;
use crate::hold::{self, Hold, HoldObserver};
use crate::undo::{Change, Identity, Journal};
use pagetide_core::{
    Action, Bytes, Error, ErrorKind, Figure, Figures, FioJob, HoldSpec, MarkKind, Nanos, Outcome, Parallel, Progress,
    Quantity, Release, Sleep, Step, StepResult, Swaps, Sysctls, Unit,
};
use pagetide_kernel::cached;
use pagetide_recorder::now;
use std::time::{Duration, Instant};

impl Executor<'_, '_> {
    /// Does a step and measures it.
    pub(super) fn step(&mut self, step: &Step) -> Result<StepResult, Error> {
        let mut notes = Vec::new();
        self.prepare(step, &mut notes)?;
        let group = self.context.group.as_ref();
        let file = match &step.action {
            Action::Load(load) => self.load_file(load),
            _ => self.files.of(step),
        };
        let disks = self.disks_of(step)?;
        let cached_now = || file.as_ref().and_then(|file| cached::bytes(file).ok()).map(Bytes::as_f64);
        let cached_before = cached_now();
        let dirty = dirty::PeakSampler::start();
        let traced = self.recorder.traced().map(TracedStep::begin);
        self.recorder.sample_now();
        let before = Reading::read(End::Before, &disks, group)?;
        self.recorder.mark(MarkKind::StepStarted { id: step.id.clone(), title: step.title.clone() });
        let started = now();
        let mut done = self.act(step)?;
        let ended = now();
        let after = Reading::read(End::After, &disks, group)?;
        self.recorder.sample_now();
        notes.append(&mut done.notes);

        let mut figures = Figures::default();
        figures.set(Figure::Elapsed, (ended.boot_ns - started.boot_ns) as f64);
        before.difference(&after, &mut figures);
        // The process's own counters are more precise than those of the whole machine during the step.
        figures.override_with(&done.figures);
        figures
            .set_some(Figure::DiskUtil, figures.get(Figure::Elapsed).and_then(|time| before.disk_util(&after, time)));
        figures.set_some(Figure::DirtyPeak, dirty.peak().map(Bytes::as_f64));
        if let Some((limit, background)) = self.control.dirty_thresholds().or_else(|| before.thresholds()) {
            figures.set(Figure::DirtyThreshold, limit.as_f64());
            figures.set(Figure::BackgroundThreshold, background.as_f64());
        }
        figures.set_some(Figure::CachedBefore, cached_before);
        figures.set_some(Figure::CachedAfter, cached_now());
        if let (Action::Fio(job), Some(file)) = (&step.action, &file) {
            // To fio a file is as large as the job says, also when others use more of it.
            let size = std::fs::metadata(file).ok().map(|meta| meta.len().min(job.size.get()));
            figures.set_some(Figure::FileBytes, size.map(|size| size as f64));
        }
        if let (Action::Fio(job), Some(ended)) = (&step.action, &done.fio) {
            self.compare_with_fio(job, ended, &disks, &mut figures, &mut notes);
        }
        if let (Some(traced), Some(summary)) = (traced, self.recorder.traced()) {
            traced.figures(&summary, &process_names(step), &mut figures);
            self.predictions.figures(step, &traced, &summary, group, &mut figures, &mut notes);
            for part in step.parts() {
                let id = step.part_id(part);
                if let Some(result) = self.parts.iter_mut().find(|result| result.id == id) {
                    traced.figures(&summary, &[part.process()], &mut result.figures);
                }
            }
        }
        for (id, hold) in self.holds.iter().filter(|(_, hold)| !hold.held()) {
            notes.push(format!("the memory of step {id} ({}) was lost: its holder was killed", hold.touched()));
        }
        self.files.finish(step);
        Ok(StepResult {
            id: step.id.clone(),
            kind: step.action.kind().to_owned(),
            title: step.title.clone(),
            started_ns: started.boot_ns,
            ended_ns: ended.boot_ns,
            outcome: done.outcome,
            notes,
            figures,
        })
    }

    fn act(&mut self, step: &Step) -> Result<Done, Error> {
        match &step.action {
            Action::Fio(job) => self.fio(step, job),
            Action::Hold(spec) => self.hold(step, spec),
            Action::Release(Release(id)) => Ok(match self.holds.remove(id) {
                Some(_) => Done::well(),
                None => Done::badly(Outcome::Refused, format!("step {id} holds no memory")),
            }),
            Action::DropCaches(_) => {
                let left = caches::drop_all(&self.files.shared())?;
                Ok(Done { notes: left.into_iter().collect(), ..Done::well() })
            }
            Action::Sleep(Sleep(time)) => self.sleep(*time),
            Action::Sysctl(Sysctls(settings)) => {
                for (name, value) in settings {
                    self.control.set_sysctl(name, *value)?;
                }
                self.control.before_step()?;
                Ok(Done::well())
            }
            Action::Snapshot(_) => Ok(Done::well()),
            Action::Load(load) => self.load(step, load),
            Action::Parallel(Parallel(parts)) => self.parallel(step, parts),
            Action::Device(change) => Ok(Done::of(self.control.change_disk(change))),
            Action::Swap(Swaps(areas)) => Ok(Done::of(self.control.replace_swap(areas))),
        }
    }

    fn fio(&mut self, step: &Step, job: &FioJob) -> Result<Done, Error> {
        let Some(name) = name_of(step) else { return Ok(Done::well()) };
        let result = self.context.results.join(format!("fio-{}.json", step.id));
        let seed = crate::seed::derive(self.context.seed, &step.id);
        let arguments = fio::arguments(&step.id, job, &name, seed);
        let own = match &step.cgroup {
            Some(spec) => match self.groups.get(spec, self.context.group.as_ref(), self.context.journal, &self.disks) {
                Ok(group) => Some(group),
                Err(error) => return Ok(Done::badly(Outcome::Refused, error.to_string())),
            },
            None => None,
        };
        let group = own.as_ref().or(self.context.group.as_ref());
        let run = fio::Run::start(&self.context.fio, &arguments, self.files.folder(), &result, group)?;
        self.recorder.watch_pid(run.pid());
        if let Some(process) = Identity::of(run.pid()) {
            self.context.journal.note(Change::Process { process, what: format!("fio of step {}", step.id) })?;
        }
        let ended = run.wait(self.progress)?;
        let mut figures = Figures::default();
        ended.usage.figures(&mut figures);
        if let Some(output) = &ended.output {
            output.figures(&mut figures);
        }
        Ok(Done { outcome: ended.outcome, notes: ended.notes.clone(), figures, fio: Some(ended) })
    }

    /// Sets fio's own view of the disk, and the part of the reads that the cache served; says where the views differ.
    fn compare_with_fio(
        &self,
        job: &FioJob,
        ended: &fio::Ended,
        disks: &[String],
        figures: &mut Figures,
        notes: &mut Vec<String>,
    ) {
        let Some(output) = &ended.output else { return };
        let ours: Vec<_> = output.disks().iter().filter(|disk| disks.contains(&disk.name)).collect();
        if !ours.is_empty() {
            figures.set(Figure::FioDiskReads, ours.iter().map(|disk| disk.read_ios).sum::<u64>() as f64);
            figures.set(Figure::FioDiskWrites, ours.iter().map(|disk| disk.write_ios).sum::<u64>() as f64);
        }
        for (what, own, fios) in
            [("reads", Figure::DiskReads, Figure::FioDiskReads), ("writes", Figure::DiskWrites, Figure::FioDiskWrites)]
        {
            if let (Some(own), Some(fios)) = (figures.get(own), figures.get(fios))
                && (own - fios).abs() > (own.max(fios) * 0.01).max(100.0)
            {
                notes.push(format!(
                    "the disk did {own:.0} {what} during the step, of which fio saw {fios:.0} during its job"
                ));
            }
        }
        // Others' IO can be told from the job's own only if it does not write.
        if !job.reads_only() || output.read_bytes() == 0 {
            return;
        }
        let (asked, own) = (output.read_bytes() as f64, ended.read_from_disk.as_f64());
        let all = figures.get(Figure::DiskReadBytes);
        // What others read from the same disk during the step is not a miss of this job.
        figures.set_some(Figure::CacheHitRatio, all.map(|all| (1.0 - all.min(own) / asked).max(0.0)));
        let others = [("read", all.map(|all| all - own)), ("wrote", figures.get(Figure::DiskWrittenBytes))];
        for (did, bytes) in others.into_iter().filter_map(|(did, bytes)| Some((did, bytes?))) {
            // Below a twentieth of what the job asked for they do not change what the figures say.
            if bytes > asked / 20.0 {
                let bytes = Quantity::new(bytes, Unit::Bytes);
                notes.push(format!("other processes {did} {bytes} on the same disk during the step"));
            }
        }
    }

    fn hold(&mut self, step: &Step, spec: &HoldSpec) -> Result<Done, Error> {
        struct Observer<'a> {
            progress: &'a mut dyn Progress,
            journal: &'a Journal,
            what: String,
            of: Bytes,
        }
        impl HoldObserver for Observer<'_> {
            fn started(&mut self, process: Identity) -> Result<(), Error> {
                self.journal.note(Change::Process { process, what: self.what.clone() })
            }
            fn touched(&mut self, touched: Bytes) -> bool {
                if touched > Bytes::ZERO {
                    let part = touched.as_f64() / self.of.as_f64().max(1.0);
                    self.progress.update(Some(part.min(1.0)), None, &format!("{touched} touched"));
                }
                !self.progress.interrupted()
            }
        }
        let options = hold::Options {
            group: self.context.group.as_ref(),
            floor: self.context.floor,
            ..hold::Options::new(&self.context.data)
        };
        let mut observer = Observer {
            progress: &mut *self.progress,
            journal: self.context.journal,
            what: format!("memory held by step {}", step.id),
            of: spec.touched(),
        };
        match Hold::occupy(spec, &options, &mut observer) {
            Ok(hold) => {
                let mut done = Done::well();
                done.figures.set(Figure::Resident, hold.resident().as_f64());
                done.figures.set(Figure::Processed, hold.touched().as_f64());
                done.figures.set(Figure::Elapsed, hold.took().as_f64());
                self.recorder.watch_pid(hold.holder().pid);
                self.holds.insert(step.id.clone(), hold);
                Ok(done)
            }
            Err(error) if error.kind == ErrorKind::Interrupted => Err(error),
            Err(error) if error.kind == ErrorKind::Killed => Ok(Done::badly(Outcome::Killed, error.to_string())),
            Err(error) => Ok(Done::badly(Outcome::Refused, error.to_string())),
        }
    }

    fn sleep(&mut self, time: Nanos) -> Result<Done, Error> {
        let began = Instant::now();
        let whole = Duration::from_nanos(time.get());
        while let Some(left) = whole.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) {
            self.check_interrupted()?;
            let part = began.elapsed().as_secs_f64() / whole.as_secs_f64();
            self.progress.update(Some(part), Nanos::from_secs_f64(left.as_secs_f64()), "");
            std::thread::sleep(left.min(Duration::from_millis(50)));
        }
        Ok(Done::well())
    }
}

/// The line that ends a step: why it did not succeed, then the figures that its kind names.
pub(crate) fn headline(step: &Step, result: &StepResult) -> String {
    let mut words = Vec::new();
    if result.outcome != Outcome::Done {
        words.push(result.notes.first().cloned().unwrap_or_default());
    }
    for (figure, what) in step.action.spec().headline() {
        words.extend(result.quantity(*figure).map(|quantity| format!("{quantity} {what}").trim_end().to_owned()));
    }
    words.join(", ")
}

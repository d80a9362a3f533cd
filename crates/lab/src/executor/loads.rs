//! Runs the lab's own loads: one, or several at once.

use super::changes::Changes;
use super::reading::{End, Reading};
use super::state::{Done, Executor};
use crate::load::{Ended, Run};
use crate::undo::Change;
use pagetide_core::{
    Action, Bytes, Error, ErrorKind, Figure, Figures, GroupSpec, Load, Nanos, Outcome, Part, Quantity, Step,
    StepResult, TimedChange,
};
use pagetide_kernel::{Root, cached};
use pagetide_recorder::now;
use std::time::{Duration, Instant};

/// Time between two looks at what runs.
const PAUSE: Duration = Duration::from_millis(10);

/// A load that is to run.
struct Job<'a> {
    id: String,
    /// What its process is called.
    name: &'a str,
    load: &'a Load,
    cgroup: Option<&'a GroupSpec>,
    delay: Duration,
    background: bool,
}

/// A load that runs, or has.
struct Running<'a> {
    job: Job<'a>,
    run: Option<Run>,
    /// Where its disks stood when it began.
    before: Option<(Reading, i64, Option<Bytes>)>,
    ended: Option<(Ended, Figures, i64)>,
}

impl Executor<'_, '_> {
    /// Runs one load.
    pub(super) fn load(&mut self, step: &Step, load: &Load) -> Result<Done, Error> {
        let cgroup = step.cgroup.as_ref();
        let job = Job { id: step.id.clone(), name: &step.id, load, cgroup, delay: Duration::ZERO, background: false };
        let mut all = self.all(vec![job], &mut Changes::of(step))?.0;
        let Some((ended, _, _)) = all.pop().and_then(|running| running.ended) else { return Ok(Done::well()) };
        Ok(Done { outcome: ended.outcome, notes: ended.notes, figures: ended.figures, ..Done::well() })
    }

    /// Runs several at once. Each gives a result of its own beside that of the step.
    pub(super) fn parallel(&mut self, step: &Step, parts: &[Part]) -> Result<Done, Error> {
        let jobs = parts.iter().map(|part| Job {
            id: step.part_id(part),
            name: part.process(),
            load: &part.load,
            cgroup: part.cgroup.as_ref(),
            delay: Duration::from_nanos(part.delay.get()),
            background: part.background,
        });
        let mut changes = Changes::of(step);
        let (all, took) = self.all(jobs.collect(), &mut changes)?;
        let (refused, happened) = changes.end(took);
        let mut done = Done { notes: refused, ..Done::well() };
        let as_written = done.notes.is_empty();
        for (running, part) in all.into_iter().zip(parts) {
            let started = running.before.as_ref().map_or(0, |(_, started, _)| *started);
            let Some((ended, mut figures, at)) = running.ended else { continue };
            figures.override_with(&ended.figures);
            if ended.outcome != Outcome::Done {
                done.notes.push(format!("{}: {}", part.name, ended.notes.first().map_or("", String::as_str)));
                if !part.background {
                    done.outcome = ended.outcome;
                }
            }
            self.parts.push(StepResult {
                id: running.job.id,
                kind: part.load.kind().to_owned(),
                title: part.name.clone(),
                started_ns: started,
                ended_ns: at,
                outcome: ended.outcome,
                notes: ended.notes,
                figures,
            });
        }
        if !as_written {
            done.outcome = Outcome::Refused;
        }
        done.notes.extend(happened);
        Ok(done)
    }

    /// Runs loads until all have ended, those in the background after the others, and changes the machine while they run. Returns how long
    /// that took, too.
    fn all<'j>(&mut self, jobs: Vec<Job<'j>>, changes: &mut Changes<'_>) -> Result<(Vec<Running<'j>>, Nanos), Error> {
        let mut all = Vec::with_capacity(jobs.len());
        for job in jobs {
            all.push(self.begin(job)?);
        }
        let began = Instant::now();
        let mut told = began;
        let since = || Nanos::from_secs_f64(began.elapsed().as_secs_f64()).unwrap_or_default();
        loop {
            self.check_interrupted()?;
            while let Some(change) = changes.take_due(since()) {
                let to = self.change(change)?;
                changes.made(change, since(), to);
            }
            for running in &mut all {
                self.look(running, began.elapsed())?;
            }
            let going = |running: &Running<'_>| running.run.is_some();
            if !all.iter().any(going) {
                return Ok((all, since()));
            }
            if !all.iter().any(|running| going(running) && !running.job.background) {
                for run in all.iter_mut().filter_map(|running| running.run.as_mut()) {
                    run.stop();
                    // One whose delay is not over yet begins and ends at once.
                    let _ = run.go();
                }
            }
            self.report_progress(&all, began, &mut told);
            std::thread::sleep(PAUSE);
        }
    }

    /// Changes the machine. Says to what, or why it was refused.
    fn change(&mut self, change: &TimedChange) -> Result<Result<String, Error>, Error> {
        if change.drop_caches {
            // What loads read at the same time comes back at once.
            super::caches::drop_all(&[])?;
        }
        for place in &change.drop_files {
            super::caches::drop_file(&self.disks.path(place)?)?;
        }
        let reclaimed = change.reclaim.as_ref().map_or_else(|| Ok(String::new()), |asked| self.groups.reclaim(asked));
        for (name, value) in change.sysctl.iter().flat_map(|settings| &settings.0) {
            self.control.set_sysctl(name, *value)?;
        }
        let changed = change.device.as_ref().map_or(Ok(()), |device| self.control.change_disk(device));
        Ok(reclaimed.and_then(|to| changed.map(|()| to)))
    }

    /// Starts a load's process. One that cannot be started has ended, refused.
    fn begin<'j>(&mut self, job: Job<'j>) -> Result<Running<'j>, Error> {
        let started = job
            .cgroup
            .map(|spec| self.groups.get(spec, self.context.group.as_ref(), self.context.journal, &self.disks))
            .transpose()
            .and_then(|own| {
                let group = own.as_ref().or(self.context.group.as_ref());
                let seed = crate::seed::derive(self.context.seed, &job.id);
                Run::start(job.name, job.load, seed, |place| self.disks.path(place), group)
            });
        let mut running = Running { job, run: None, before: None, ended: None };
        match started {
            Ok(run) => {
                self.recorder.watch_pid(run.process().pid);
                let what = format!("{} of step {}", running.job.load.kind(), running.job.id);
                self.context.journal.note(Change::Process { process: run.process(), what })?;
                running.run = Some(run);
            }
            Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
            Err(error) => {
                let ended =
                    Ended { outcome: Outcome::Refused, notes: vec![error.to_string()], figures: Figures::default() };
                running.ended = Some((ended, Figures::default(), now().boot_ns));
            }
        }
        Ok(running)
    }

    /// Lets a load begin when it is time, and sees whether it has ended.
    fn look(&self, running: &mut Running<'_>, since: Duration) -> Result<(), Error> {
        let Some(run) = running.run.as_mut() else { return Ok(()) };
        let disks = || self.disks.of_load(running.job.load);
        let group = self.context.group.as_ref();
        if running.before.is_none() {
            if since < running.job.delay {
                return Ok(());
            }
            let before = Reading::read(End::Before, &disks()?, group)?;
            running.before = Some((before, now().boot_ns, self.cached(running.job.load)));
            // Parts of one group may have other limits from some moment on.
            running.job.cgroup.map_or(Ok(()), |spec| self.groups.limit(spec, &self.disks))?;
            run.go()?;
        }
        let Some(ended) = run.poll()? else { return Ok(()) };
        let at = now().boot_ns;
        running.run = None;
        let mut figures = Figures::default();
        if let Some((before, began, cached)) = &running.before {
            let after = Reading::read(End::After, &disks()?, group)?;
            before.difference(&after, &mut figures);
            let elapsed = ended.figures.get(Figure::Elapsed).unwrap_or((at - began) as f64);
            figures.set(Figure::Elapsed, elapsed);
            figures.set_some(Figure::DiskUtil, before.disk_util(&after, (at - began) as f64));
            figures.set_some(Figure::CachedBefore, cached.map(Bytes::as_f64));
            figures.set_some(Figure::CachedAfter, self.cached(running.job.load).map(Bytes::as_f64));
        }
        running.ended = Some((ended, figures, at));
        Ok(())
    }

    /// How much of the file that a load reads is in the page cache.
    fn cached(&self, load: &Load) -> Option<Bytes> {
        cached::bytes(&self.load_file(load)?).ok()
    }

    /// The file that a load reads.
    pub(super) fn load_file(&self, load: &Load) -> Option<std::path::PathBuf> {
        let (place, _) = load.spec().reads()?;
        matches!(place, pagetide_core::Place::File { .. }).then(|| self.disks.path(place).ok())?
    }

    /// Says how far the first load is, and for copies now and then what memory looks like.
    fn report_progress(&mut self, all: &[Running<'_>], began: Instant, told: &mut Instant) {
        let going = all.iter().find_map(|running| running.run.as_ref().map(|run| (run.standing(), running.job.load)));
        let Some((standing, load)) = going else { return };
        let elapsed = began.elapsed();
        let left = standing
            .fraction
            .filter(|done| *done > 0.01)
            .and_then(|done| Nanos::from_secs_f64(elapsed.as_secs_f64() * (1.0 - done) / done));
        self.progress.update(standing.fraction, left, &standing.processed.to_string());
        if let Load::Copy(copy) = load
            && told.elapsed() >= Duration::from_nanos(copy.every.get())
        {
            *told = Instant::now();
            let rate = standing.processed.as_f64() / elapsed.as_secs_f64();
            let rate = Quantity::new(rate, pagetide_core::Unit::BytesPerSecond);
            self.progress.say(&format!(
                "{} of {} copied, {rate}, {}",
                standing.processed,
                copy.size,
                memory_in_words()
            ));
        }
    }
}

/// What free(1) shows, in a line, and the CPU time of kswapd.
fn memory_in_words() -> String {
    let Ok(meminfo) = Root::host().meminfo() else { return String::new() };
    let fields = [("MemFree", "free"), ("Buffers", "buffers"), ("Cached", "cached"), ("Dirty", "dirty")];
    let mut words: Vec<String> =
        fields.iter().filter_map(|(field, word)| Some(format!("{word} {}", meminfo.get(field)?))).collect();
    words.extend(super::reading::kswapd_ns().map(|time| format!("kswapd {}", Nanos::new(time))));
    words.join(", ")
}

impl Executor<'_, '_> {
    /// The disks that a step works on, by their names in `/proc/diskstats`.
    pub(super) fn disks_of(&self, step: &Step) -> Result<Vec<String>, Error> {
        match &step.action {
            Action::Load(load) => self.disks.of_load(load),
            Action::Fio(job) => self.disks.of_job(job),
            Action::Parallel(_) => {
                let mut names = Vec::new();
                for load in step.loads() {
                    names.extend(self.disks.of_load(load)?);
                }
                names.sort_unstable();
                names.dedup();
                Ok(names)
            }
            _ => self.disks.of_first(),
        }
    }
}

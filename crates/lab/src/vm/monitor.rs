//! Monitors a guest from the host: handles its messages, and notices when they stop.

use super::nbd::Server;
use super::qemu::Qemu;
use super::wire::{self, Message};
use pagetide_core::{
    BackendRun, DiskSpec, Error, Manifest, Mark, MarkKind, Nanos, Outcome, Progress, Sample, Scenario, Schema, Sink,
    Stamp, Step, StepResult,
};
use pagetide_dir::Dir;
use pagetide_sim::disk::Limits;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a guest may take to boot, and how long it may be silent. Emulation on a busy host is slow, and a guest that thrashes is slower.
const BOOT: Duration = Duration::from_secs(180);
const SILENCE: Duration = Duration::from_secs(120);
/// How long it may take to power off after its last message.
const POWER_OFF: Duration = Duration::from_secs(10);

/// What a guest has reported.
#[derive(Debug)]
pub(super) struct GuestReport {
    pub run: BackendRun,
    /// Host time from the start of QEMU to the first message of init.
    pub boot: Duration,
}

/// The monitor of one guest.
pub(super) struct Monitor<'a> {
    pub scenario: &'a Scenario,
    pub sink: Box<dyn Sink>,
    pub progress: &'a mut dyn Progress,
    /// The folder for the guest's files.
    pub results: PathBuf,
    /// Disks that this process serves. They get their limits when the guest asks for them.
    pub served: Vec<(DiskSpec, Server)>,
    /// Host time that one step may take.
    pub step_limit: Duration,
    pub state: State,
}

/// What the guest has reported so far.
#[derive(Debug, Default)]
pub(super) struct State {
    schema: Schema,
    sample: Sample,
    manifest: Option<Box<Manifest>>,
    finished: bool,
    last: Stamp,
    running: Option<(String, Instant)>,
    report: Option<GuestReport>,
    steps: Vec<StepResult>,
    boot: Option<Duration>,
    /// The latency that the VM adds to a request, without the delay of the disk.
    vm_latency: Nanos,
    first: Option<(Stamp, Instant)>,
}

impl State {
    /// Refuses a guest whose clock is wrong: all of its times and rates would be wrong too.
    fn check_clock(&self) -> Result<(), Error> {
        let Some((first, since)) = self.first else { return Ok(()) };
        let (guest, host) =
            (self.last.boot_ns.saturating_sub(first.boot_ns) as f64 / 1e9, since.elapsed().as_secs_f64());
        // Samples of a busy guest may be late, by as long as it may be silent.
        if guest > 1.1 * host + SILENCE.as_secs_f64() {
            return Err(Error::system(
                format!("{guest:.0} s passed in the guest while {host:.0} s passed on this host: its clock is wrong"),
                "run it again while this host is less busy",
            ));
        }
        Ok(())
    }
}

impl Monitor<'_> {
    /// Handles messages until the guest has ended. If it is lost, the results that it reported are kept.
    ///
    /// # Errors
    /// The guest never began, or refused; the sink refused; the user interrupted it.
    pub(super) fn run(mut self, mut qemu: Qemu) -> Result<GuestReport, Error> {
        let began = Instant::now();
        let mut heard = began;
        let lost = loop {
            if self.progress.interrupted() {
                return Err(Error::interrupted());
            }
            // Messages sent before the end can still be read.
            let ended = qemu.ended();
            let messages = match qemu.listen(Nanos::new(50_000_000)) {
                Ok(messages) => messages,
                Err(why) => break (Outcome::Refused, format!("not a message of the guest: {why}")),
            };
            if !messages.is_empty() {
                heard = Instant::now();
            }
            for message in messages {
                self.handle(message, began)?;
            }
            if let Some(report) = self.state.report.take() {
                wait_for_end(&mut qemu);
                return Ok(report);
            }
            if let Some(status) = ended {
                break end_of(&qemu, status);
            }
            let patience = if self.state.boot.is_some() { SILENCE } else { BOOT };
            if heard.elapsed() > patience {
                break (Outcome::TimedOut, format!("no message from the guest for {} s", patience.as_secs()));
            }
            if let Some((id, since)) = &self.state.running
                && since.elapsed() > self.step_limit
            {
                break (Outcome::TimedOut, format!("step {id} took longer than {} s", self.step_limit.as_secs()));
            }
        };
        let lines = qemu.last_lines();
        drop(qemu);
        self.lost(lost.0, &lost.1, &lines)
    }

    fn handle(&mut self, message: Message, began: Instant) -> Result<(), Error> {
        let state = &mut self.state;
        match message {
            Message::Up { uptime } => {
                let boot = began.elapsed();
                state.boot = Some(boot);
                self.progress.say(&format!(
                    "the guest is up after {:.1} s (its kernel started {uptime} ago)",
                    boot.as_secs_f64()
                ));
            }
            Message::Alive => {}
            Message::Begin(manifest) => {
                self.sink.begin(&manifest)?;
                state.manifest = Some(manifest);
            }
            Message::Grow(mut growth) => growth.apply(&mut state.schema),
            Message::Sample(sample) => {
                sample.fill(&mut state.sample);
                state.last = state.sample.stamp;
                state.first.get_or_insert_with(|| (state.last, Instant::now()));
                state.check_clock()?;
                self.sink.sample(&state.schema, &state.sample)?;
            }
            Message::Mark(mark) => {
                state.last = mark.stamp;
                if let MarkKind::StepEnded { result } = &mark.kind {
                    // Marks are sent by the recorder's thread: the next step may have begun already.
                    state.running = state.running.take().filter(|(id, _)| *id != result.id);
                    state.steps.push(result.as_ref().clone());
                }
                self.sink.mark(&mark)?;
            }
            Message::Finish(manifest) => {
                state.finished = true;
                self.sink.finish(&manifest)?;
            }
            Message::Step { number, of, id, title } => {
                self.progress.step(number, of, &id, &title);
                state.running = Some((id, Instant::now()));
            }
            Message::Update { fraction, left, note } => self.progress.update(fraction, left, &note),
            Message::StepDone { note } => self.progress.step_done(&note),
            Message::Say { line } => self.progress.say(&line),
            Message::StartDisks { vm_latency } => {
                state.vm_latency = vm_latency;
                for (spec, server) in &self.served {
                    server.limit(Limits::of(spec).sooner(vm_latency));
                }
            }
            Message::Device(change) => {
                for (spec, server) in self.served.iter().filter(|(spec, _)| spec.name == change.disk) {
                    server.limit(Limits::of(&change.of(spec)).sooner(state.vm_latency));
                }
            }
            Message::File { name, text } => {
                // A name, not a path: a guest may write only to the results.
                let name = PathBuf::from(name.replace('/', "_"));
                let results = Dir::own(&self.results, None);
                results.and_then(|results| results.replace(&name, text.as_bytes())).map_err(|error| {
                    Error::system(format!("{}: {error}", self.results.join(&name).display()), "free some room")
                })?;
            }
            Message::Part { path, hex } => append(&self.results.join("alongside"), &path, &hex)?,
            Message::End(run) => {
                state.report = Some(GuestReport { run: *run, boot: state.boot.unwrap_or_default() });
            }
            Message::Refused { system, what, hint } => {
                return Err(if system { Error::system(what, hint) } else { Error::input(what, hint) });
            }
        }
        Ok(())
    }

    /// The results of a lost guest: steps that ended, the one that ran, and those that never began.
    fn lost(mut self, outcome: Outcome, why: &str, lines: &[String]) -> Result<GuestReport, Error> {
        let tail: Vec<&str> = lines.iter().rev().take(12).rev().map(String::as_str).collect();
        let Some(manifest) = self.state.manifest.take() else {
            for line in &tail {
                self.progress.say(&format!("console: {line}"));
            }
            let last = tail.last().map_or_else(String::new, |line| format!("; its console's last line: {line}"));
            let hint = match tail.last() {
                None => "its kernel printed nothing: check that the image is whole, or leave out --kernel",
                // What QEMU says before any kernel runs (softmmu/physmem.c: ram_block_add, 7.2).
                Some(line) if line.contains("cannot set up guest memory") => {
                    "this host cannot give the guest that much memory: free some, or give `lab run` a smaller --scale"
                }
                Some(_) => "see the console's lines above; try another kernel with --kernel, or --accelerator tcg",
            };
            return Err(Error::system(format!("{why} before it could begin{last}"), hint));
        };
        let stamp = self.state.last;
        let mut steps = std::mem::take(&mut self.state.steps);
        let running = self.state.running.take().map(|(id, _)| id);
        for step in &self.scenario.steps {
            if steps.iter().any(|done| done.id == step.id) {
                continue;
            }
            let (outcome, notes) = if running.as_deref() == Some(&*step.id) {
                let console = tail.iter().map(|line| format!("console: {line}"));
                (outcome, std::iter::once(why.to_owned()).chain(console).collect())
            } else {
                (Outcome::Refused, vec!["the guest was gone before this step".to_owned()])
            };
            let result = unfinished(step, stamp, outcome, notes);
            self.sink.mark(&Mark { stamp, kind: MarkKind::StepEnded { result: Box::new(result.clone()) } })?;
            steps.push(result);
        }
        self.progress.step_done(why);
        if !self.state.finished {
            self.sink.finish(&manifest)?;
        }
        let run = BackendRun {
            machine: Vec::new(),
            differences: vec![format!("The guest was lost: {why}.")],
            kernel: manifest.kernel,
            started_wall_ns: self.state.first.map_or(0, |(first, _)| first.wall_ns),
            steps,
        };
        Ok(GuestReport { run, boot: self.state.boot.unwrap_or_default() })
    }
}

/// Appends a part of a file that the guest sends. A guest may write only below `folder`.
fn append(folder: &Path, path: &str, hex: &str) -> Result<(), Error> {
    let refuse = |why: String| Error::system(format!("{path} of the guest: {why}"), "free some room");
    let bytes = wire::unhex(hex).ok_or_else(|| refuse("not hexadecimal digits".into()))?;
    let path = Path::new(path);
    let written = Dir::own(folder, None).and_then(|dir| {
        path.parent().map_or(Ok(()), |above| dir.make_dir(above))?;
        dir.append(path, &bytes)
    });
    written.map_err(|error| refuse(error.to_string()))
}

fn unfinished(step: &Step, stamp: Stamp, outcome: Outcome, notes: Vec<String>) -> StepResult {
    StepResult {
        id: step.id.clone(),
        kind: step.action.kind().to_owned(),
        title: step.title.clone(),
        started_ns: stamp.boot_ns,
        ended_ns: stamp.boot_ns,
        outcome,
        notes,
        figures: pagetide_core::Figures::default(),
    }
}

/// Why QEMU ended before the last message of the guest.
fn end_of(qemu: &Qemu, status: std::process::ExitStatus) -> (Outcome, String) {
    let lines = qemu.last_lines();
    if let Some(panic) = lines.iter().rev().find(|line| line.contains("Kernel panic")) {
        let what = panic.split_once("Kernel panic").map_or("", |(_, what)| what.trim_start_matches(" - ").trim());
        return (Outcome::Killed, format!("the guest's kernel panicked ({what})"));
    }
    (Outcome::Killed, if status.success() { "the guest ended".into() } else { format!("QEMU ended ({status})") })
}

/// Waits for a guest to power off after its last message.
fn wait_for_end(qemu: &mut Qemu) {
    let until = Instant::now() + POWER_OFF;
    while Instant::now() < until && qemu.ended().is_none() {
        // Only the console still prints.
        let _ = qemu.listen(Nanos::new(50_000_000));
    }
}

#[cfg(test)]
mod tests {
    use super::append;
    use std::os::unix::fs::symlink;

    #[test]
    fn files_of_a_guest_stay_below_the_folder_of_the_run() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("alongside");
        append(&folder, "sar/one.out", "6869").unwrap();
        append(&folder, "sar/one.out", "21").unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("sar/one.out")).unwrap(), "hi!");
        std::fs::write(scratch.path().join("precious"), "precious").unwrap();
        symlink("../precious", folder.join("link")).unwrap();
        symlink("..", folder.join("way")).unwrap();
        for path in ["../new", "sar/../../new", "/new", "", ".", "..", "link", "way/new", "way/precious"] {
            assert!(append(&folder, path, "78").is_err(), "{path}");
        }
        let mut names: Vec<_> =
            std::fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["alongside", "precious"]);
        assert_eq!(std::fs::read_to_string(scratch.path().join("precious")).unwrap(), "precious");
    }
}

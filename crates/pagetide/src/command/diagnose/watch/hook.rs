//! `pagetide diagnose --watch --exec PROGRAM`: a program that runs when an incident begins and when it ends.

use crate::output;
use pagetide_core::Error;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Programs that run at the same time.
const MOST: usize = 4;
/// How long one may run.
const LONGEST: Duration = Duration::from_secs(30);

/// The program to run, and those that run.
#[derive(Debug)]
pub(super) struct Hook {
    program: PathBuf,
    running: Vec<(Child, Instant)>,
}

impl Hook {
    pub(super) fn new(program: PathBuf) -> Self {
        Self { program, running: Vec::new() }
    }

    /// Runs the program with a line of JSON as its input. It gets no arguments and no shell reads anything: what a recording contains
    /// never becomes part of a command. It leads a process group of its own, so that it can be ended with all that it started.
    pub(super) fn run(&mut self, json: &str) {
        self.reap();
        if self.running.len() >= MOST {
            return self.say(&format!("not run: {MOST} still run"));
        }
        match self.start(json) {
            Ok(child) => self.running.push((child, Instant::now() + LONGEST)),
            Err(error) => self.say(&format!("cannot be run: {error}")),
        }
    }

    fn start(&self, json: &str) -> std::io::Result<Child> {
        // A file and not a pipe: a program that does not read holds up nobody.
        let mut input = File::from(memfd_create("pagetide-incident", MemfdFlags::CLOEXEC)?);
        input.write_all(json.as_bytes())?;
        input.seek(SeekFrom::Start(0))?;
        let output = rustix::io::dup(std::io::stderr())?;
        Command::new(&self.program).stdin(input).stdout(Stdio::from(output)).process_group(0).spawn()
    }

    /// Forgets those that have ended, and ends those that have run for too long.
    pub(super) fn reap(&mut self) {
        let now = Instant::now();
        let mut messages = Vec::new();
        self.running.retain_mut(|(child, until)| match child.try_wait() {
            Ok(Some(status)) if status.success() => false,
            Ok(Some(status)) => {
                messages.push(format!("failed: {status}"));
                false
            }
            Ok(None) if *until > now => true,
            Ok(None) => {
                end(child);
                messages.push(format!("ended after {} s", LONGEST.as_secs()));
                false
            }
            Err(_) => false,
        });
        messages.iter().for_each(|message| self.say(message));
    }

    /// Waits for those that still run, each as long as it may.
    pub(super) fn finish(&mut self) {
        while !self.running.is_empty() {
            self.reap();
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn say(&self, what: &str) {
        output::complain(&Error::system(
            format!("--exec {}: {what}", self.program.display()),
            "the incident is reported all the same",
        ));
    }
}

/// Ends a program with its process group.
fn end(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let killed = group.is_some_and(|group| kill_process_group(group, Signal::KILL).is_ok());
    if !killed {
        // Whoever changed its group is beyond reach; the program itself is not.
        let _ = child.kill();
    }
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(program: &str, json: &str) -> usize {
        let mut hook = Hook::new(PathBuf::from(program));
        hook.run(json);
        let started = hook.running.len();
        hook.finish();
        started
    }

    #[test]
    fn a_program_that_is_missing_holds_up_nobody() {
        assert_eq!(finished("/nowhere/program", "{}"), 0);
    }

    #[test]
    fn a_program_that_does_not_read_holds_up_nobody() {
        assert_eq!(finished("/bin/true", &"x".repeat(1 << 20)), 1);
    }

    #[test]
    fn no_more_than_a_few_run_at_once_and_one_that_stays_is_ended() {
        let mut hook = Hook::new(PathBuf::from("/bin/cat"));
        // A program that never ends: its input is this process' own.
        let stays = || Command::new("/bin/sleep").arg("1000").process_group(0).spawn().unwrap();
        hook.running = (0..MOST).map(|_| (stays(), Instant::now() + LONGEST)).collect();
        hook.run("{}");
        assert_eq!(hook.running.len(), MOST, "no room for another one");
        hook.running.iter_mut().for_each(|(_, until)| *until = Instant::now());
        hook.reap();
        assert_eq!(hook.running.len(), 0, "all were ended");
    }
}

//! `pagetide diagnose --watch --exec PROGRAM`: a program that runs when an incident begins and when it ends.

use crate::output;
use pagetide_core::Error;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Programs that run at the same time.
const MAX_RUNNING: usize = 4;
/// How long one may run.
const MAX_RUN_TIME: Duration = Duration::from_secs(30);
/// The environment variable that marks a program and everything it starts.
const MARK: &str = "PAGETIDE_EXEC";
/// How often to look for processes that a program left behind.
const MAX_ROUNDS: usize = 20;

/// The program to run, and those that run.
#[derive(Debug)]
pub(super) struct Hook {
    program: PathBuf,
    running: Vec<(Child, Instant, String)>,
    started: u64,
}

impl Hook {
    pub(super) fn new(program: PathBuf) -> Self {
        Self { program, running: Vec::new(), started: 0 }
    }

    /// Runs the program with a line of JSON on stdin, without arguments or a shell: what a recording contains never becomes part of a command. It leads a process group of its own and has a mark in its environment, so that it can be ended with
    /// all that it started.
    pub(super) fn run(&mut self, json: &str) {
        self.reap();
        if self.running.len() >= MAX_RUNNING {
            return self.say(&format!("not run: {MAX_RUNNING} earlier ones are still running"));
        }
        self.started += 1;
        let mark = format!("{}-{}", std::process::id(), self.started);
        match self.start(json, &mark) {
            Ok(child) => self.running.push((child, Instant::now() + MAX_RUN_TIME, mark)),
            Err(error) => self.say(&format!("cannot be run: {error}")),
        }
    }

    fn start(&self, json: &str, mark: &str) -> std::io::Result<Child> {
        // A file, not a pipe, so that a program that does not read blocks nothing.
        let mut input = File::from(memfd_create("pagetide-incident", MemfdFlags::CLOEXEC)?);
        input.write_all(json.as_bytes())?;
        input.seek(SeekFrom::Start(0))?;
        let output = rustix::io::dup(std::io::stderr())?;
        let mut command = Command::new(&self.program);
        command.env(MARK, mark).stdin(input).stdout(Stdio::from(output)).process_group(0).spawn()
    }

    /// Removes those that have ended, and kills those that have run for too long.
    pub(super) fn reap(&mut self) {
        let now = Instant::now();
        let mut messages = Vec::new();
        self.running.retain_mut(|(child, until, mark)| match child.try_wait() {
            Ok(Some(status)) if status.success() => false,
            Ok(Some(status)) => {
                messages.push(format!("failed: {status}"));
                false
            }
            Ok(None) if *until > now => true,
            Ok(None) => {
                end(child, mark);
                messages.push(format!("killed after {} s", MAX_RUN_TIME.as_secs()));
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
            "the incident is still reported",
        ));
    }
}

/// Ends a program with its process group, and with those of its processes that have left the group (setsid(2)).
fn end(child: &mut Child, mark: &str) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // Processes that changed their group are found by the mark.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
    // Processes started during the kill are found in the next round.
    for _ in 0..MAX_ROUNDS {
        let left = marked(mark);
        if left.is_empty() {
            return;
        }
        for pid in left {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes that have a mark in their environment and have not ended.
fn marked(mark: &str) -> Vec<Pid> {
    let mark = format!("{MARK}={mark}");
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has = |pid: &i32| {
        // Other users' processes cannot be read, and do not have the mark.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    pids.filter(has).filter_map(Pid::from_raw).collect()
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
        hook.running = (0..MAX_RUNNING).map(|_| (stays(), Instant::now() + MAX_RUN_TIME, String::new())).collect();
        hook.run("{}");
        assert_eq!(hook.running.len(), MAX_RUNNING, "no room for another one");
        hook.running.iter_mut().for_each(|(_, until, _)| *until = Instant::now());
        hook.reap();
        assert_eq!(hook.running.len(), 0, "all were ended");
    }

    #[test]
    fn what_left_its_group_is_ended_with_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (script, pids) = (folder.path().join("script"), folder.path().join("pids"));
        let text = format!("#!/bin/sh\nsetsid sh -c 'echo $$ > {0}; exec sleep 1000' &\nsleep 1000\n", pids.display());
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut hook = Hook::new(script);
        hook.run("{}");
        let begun = Instant::now();
        let escaped = loop {
            let text = std::fs::read_to_string(&pids).unwrap_or_default();
            if text.ends_with('\n') {
                break text.trim().to_owned();
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "the script does not start");
            std::thread::sleep(Duration::from_millis(10));
        };
        hook.running.iter_mut().for_each(|(_, until, _)| *until = Instant::now());
        hook.reap();
        // A zombie, if init is slow, has an empty command line.
        let left = std::fs::read(format!("/proc/{escaped}/cmdline")).unwrap_or_default();
        assert!(left.is_empty(), "{escaped} still runs: {}", String::from_utf8_lossy(&left));
    }
}

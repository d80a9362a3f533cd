//! fio, which does the work of most steps: its command line, its progress, its result. It processes values of a scenario, so it
//! runs in a sandbox.

mod eta;
mod job;
mod lent;
mod output;

pub use eta::{Eta, parse_eta};
pub use job::{arguments, layout};
pub use output::{DiskUse, Output, parse_output};

use crate::confined;
use crate::group::Group;
use crate::program::find_program;
use lent::Lent;
use pagetide_core::{Bytes, Error, Outcome, Progress};
use pagetide_dir::Dir;
use pagetide_sandbox::Sandbox;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// How a run of fio ended.
#[derive(Debug)]
pub struct Ended {
    /// Done, killed or refused.
    pub outcome: Outcome,
    /// What fio measured; absent when it did not get to write its result.
    pub output: Option<Output>,
    /// Bytes that the kernel read from a device on fio's behalf, readahead included: what the page cache did not have.
    pub read_from_disk: Bytes,
    /// What it used.
    pub(crate) usage: confined::Usage,
    /// Why it failed, and what fio wrote to stderr; empty if neither.
    pub notes: Vec<String>,
}

/// The command that gets fio.
const INSTALL_HINT: &str = "apt-get install fio, or name one with --fio";

/// The version of fio at `path`, as it prints it: `fio-3.33`. Running it also brings its program file into the page cache.
///
/// # Errors
/// There is no fio, or it does not run.
pub fn version(path: &Path) -> Result<String, Error> {
    let output = Command::new(path)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::system(format!("cannot run {}: {error}", path.display()), INSTALL_HINT))?;
    let version = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_owned();
    if version.starts_with("fio-") {
        Ok(version)
    } else {
        Err(Error::system(format!("{} is not fio: its --version is `{version}`", path.display()), INSTALL_HINT))
    }
}

/// A run of fio that has been started. Dropped before it ends, it is killed and waited for.
#[derive(Debug)]
pub struct Run {
    child: Child,
    reaped: bool,
    result: File,
    /// What the system refused to its sandbox.
    note: Option<String>,
    /// Its folder and its result, which are its user's while it runs.
    _lent: Lent,
}

/// Options of every run of fio. It uses threads: its sandbox allows no other process, and no child can outlive a kill.
const ALWAYS: [&str; 4] = ["--thread", "--group_reporting", "--eta=always", "--output-format=json+"];

/// The most that is read of a result: fio's histograms take some hundred KiB.
const LARGEST_RESULT: u64 = 64 << 20;

impl Run {
    /// Starts fio with `arguments`, in `folder`, which holds its files, and in a control group when there is one. Its result goes to
    /// `result`, a file that is made here and that it inherits, so that it follows no link that another user put there.
    ///
    /// # Errors
    /// The file cannot be made, or fio cannot be started.
    pub fn start(
        fio: &Path,
        arguments: &[String],
        folder: &Path,
        result: &Path,
        group: Option<&Group>,
    ) -> Result<Self, Error> {
        let cannot_write = |path: &Path, error: std::io::Error| {
            Error::system(format!("cannot write {}: {error}", path.display()), "name a folder of yours with -o")
        };
        let file = result_file(result).map_err(|error| cannot_write(result, error))?;
        let program = find_program(fio, INSTALL_HINT)?;
        // It is started in another folder.
        let program = std::path::absolute(&program).unwrap_or(program);
        let mut sandbox = Sandbox::new().with_io_uring();
        let note = sandbox.note().map(|note| format!("fio ran {note}"));
        let lent = Lent::to(sandbox.user(), folder, &file).map_err(|error| cannot_write(folder, error))?;
        let output = sandbox.inherit(&file).map_err(|error| cannot_write(result, error))?;
        let sandbox = sandbox.in_folder(lent.folder().map_err(|error| cannot_write(folder, error))?);
        let mut command = Command::new(&program);
        command
            .args(arguments)
            .args(ALWAYS)
            .arg(format!("--output={output}"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        confined::confine(&mut command, group)?;
        sandbox.confine(&mut command, &program);
        let child = command.spawn().map_err(|error| {
            let hint = match error.kind() {
                std::io::ErrorKind::PermissionDenied => "put fio where every user can run it, such as /usr/local/bin",
                _ => INSTALL_HINT,
            };
            Error::system(format!("cannot run {}: {error}", program.display()), hint)
        })?;
        Ok(Self { child, reaped: false, result: file, note, _lent: lent })
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until fio has ended, showing its own progress.
    ///
    /// # Errors
    /// The user interrupted it; fio is killed then.
    pub fn wait(mut self, progress: &mut dyn Progress) -> Result<Ended, Error> {
        let (mut said, mut complaint) = (Vec::new(), Vec::new());
        let lost = |error: std::io::Error| Error::system(format!("lost contact with fio: {error}"), "");
        let mut stdout = self.child.stdout.take();
        let mut stderr = self.child.stderr.take();
        while stdout.is_some() || stderr.is_some() {
            let (out_ready, err_ready) = {
                let mut waiting: Vec<PollFd<'_>> = Vec::with_capacity(2);
                waiting.extend(stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
                waiting.extend(stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
                match poll(&mut waiting, Some(&Timespec { tv_sec: 0, tv_nsec: 50_000_000 })) {
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(lost(error.into())),
                }
                let mut ready = waiting.iter().map(|pipe| !pipe.revents().is_empty());
                (stdout.is_some() && ready.next() == Some(true), stderr.is_some() && ready.next() == Some(true))
            };
            if progress.interrupted() {
                return Err(Error::interrupted());
            }
            if out_ready && !read_some(&mut stdout, &mut said).map_err(lost)? {
                stdout = None;
            }
            if err_ready && !read_some(&mut stderr, &mut complaint).map_err(lost)? {
                stderr = None;
            }
            if let Some(eta) = newest_eta(&mut said) {
                progress.update(eta.fraction, eta.left, &eta.rate);
            }
        }
        let (status, usage) = confined::reap(&self.child).map_err(lost)?;
        self.reaped = true;
        Ok(self.ended(status, &String::from_utf8_lossy(&complaint), usage))
    }

    fn ended(&self, status: std::process::ExitStatus, complaint: &str, usage: confined::Usage) -> Ended {
        let mut notes: Vec<String> = self.note.iter().cloned().collect();
        let mut text = Vec::new();
        let read = (&self.result).take(LARGEST_RESULT).read_to_end(&mut text);
        let parsed =
            read.map_err(|error| error.to_string()).and_then(|_| parse_output(&String::from_utf8_lossy(&text)));
        let output = match parsed {
            Ok(output) => Some(output),
            Err(why) => {
                notes.push(format!("fio left no result: {why}"));
                None
            }
        };
        let outcome = match (status.signal(), status.code()) {
            (Some(signal), _) => {
                notes.push(format!("fio was killed by signal {signal}"));
                Outcome::Killed
            }
            (None, Some(0)) if output.is_some() => Outcome::Done,
            (None, code) => {
                notes.push(format!("fio ended with exit code {}", code.unwrap_or(-1)));
                Outcome::Refused
            }
        };
        notes.extend(complaint.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).map(str::to_owned));
        Ended { outcome, output, read_from_disk: Bytes::new(usage.read_from_disk), usage, notes }
    }
}

/// Makes the file of a result, in place of one that may be there.
fn result_file(path: &Path) -> std::io::Result<File> {
    let folder = Dir::own(path.parent().unwrap_or(Path::new("")), None)?;
    let name = Path::new(path.file_name().unwrap_or_default());
    folder.remove_if_there(name)?;
    folder.create_new(name)
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.reaped {
            // They fail only if it is already gone, which is fine.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Reads what is there. Gives whether more may come.
fn read_some(pipe: &mut Option<impl Read>, into: &mut Vec<u8>) -> std::io::Result<bool> {
    let mut buffer = [0; 4096];
    let Some(pipe) = pipe else { return Ok(false) };
    match pipe.read(&mut buffer) {
        Ok(0) => Ok(false),
        Ok(count) => {
            into.extend_from_slice(&buffer[..count]);
            Ok(true)
        }
        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(true),
        Err(error) => Err(error),
    }
}

/// The last progress line that is complete (fio ends them with a carriage return), taken out of what fio has said.
fn newest_eta(said: &mut Vec<u8>) -> Option<Eta> {
    let end = said.iter().rposition(|byte| matches!(byte, b'\r' | b'\n'))?;
    let text = String::from_utf8_lossy(&said[..end]).into_owned();
    said.drain(..=end);
    text.rsplit(['\r', '\n']).find_map(parse_eta)
}

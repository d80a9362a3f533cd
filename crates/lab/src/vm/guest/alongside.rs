//! Commands that run alongside the steps, such as another recorder. They run from a disk, as on any host, so evicted code must be read again.

use super::disk::Disk;
use super::port::Port;
use crate::vm::initramfs::{LIBRARIES, PROGRAMS};
use crate::vm::wire::{Message, hex};
use pagetide_core::Error;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The name of this program in a command alongside the steps.
pub(in crate::vm) const OWN_PROGRAM: &str = "pagetide";
/// How long a command may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(20);
/// How long commands have to start before the first step.
const HEAD_START: Duration = Duration::from_secs(3);
/// Bytes of a file in one message, at most.
const PART: usize = 32 << 10;

/// The commands, running.
#[derive(Debug)]
pub(super) struct Commands {
    folder: PathBuf,
    children: Vec<(String, Child)>,
}

impl Commands {
    /// Copies the programs to the first disk with a file system, and starts the commands in a folder there.
    pub(super) fn start(commands: &[Vec<String>], disks: &[Disk]) -> Result<Self, Error> {
        let mut started = Self { folder: PathBuf::new(), children: Vec::new() };
        if commands.is_empty() {
            return Ok(started);
        }
        let disk = disks.iter().find(|disk| disk.mounted).ok_or_else(|| {
            Error::input("commands alongside the steps need a disk with a file system", "add one to the machine")
        })?;
        let refuse = |error: std::io::Error| Error::system(format!("commands alongside the steps: {error}"), "");
        started.folder = disk.folder.join("alongside");
        let programs = disk.folder.join("programs");
        let libraries = programs.join("lib");
        fs::create_dir_all(&started.folder).and_then(|()| fs::create_dir_all(&libraries)).map_err(refuse)?;
        for entry in fs::read_dir(LIBRARIES).map_err(refuse)?.flatten() {
            fs::copy(entry.path(), libraries.join(entry.file_name())).map_err(refuse)?;
        }
        for words in commands {
            let Some((first, rest)) = words.split_first() else { continue };
            let name = Path::new(first).file_name().unwrap_or_default().to_string_lossy().into_owned();
            let packed = if name == OWN_PROGRAM { PathBuf::from("/init") } else { Path::new(PROGRAMS).join(&name) };
            let program = programs.join(&name);
            if !program.exists() {
                fs::copy(packed, &program).map_err(refuse)?;
            }
            let number = started.children.len();
            let output = fs::File::create(started.folder.join(format!("{name}.{number}.out"))).map_err(refuse)?;
            let child = Command::new(&program)
                .args(rest)
                .current_dir(&started.folder)
                .env("LD_LIBRARY_PATH", &libraries)
                .env("PATH", &programs)
                .env("TZ", "UTC")
                .stdin(Stdio::null())
                .stdout(output.try_clone().map_err(refuse)?)
                .stderr(output)
                .spawn()
                .map_err(refuse)?;
            started.children.push((name, child));
        }
        std::thread::sleep(HEAD_START);
        Ok(started)
    }

    /// Ends the commands, or waits until they end, and sends the files that they left.
    pub(super) fn end(mut self, port: &Port, wait: bool) -> Result<(), Error> {
        let refuse = |error: std::io::Error| Error::system(format!("files of commands: {error}"), "");
        for (name, child) in &mut self.children {
            if wait {
                child.wait().map_err(refuse)?;
                continue;
            }
            if let Some(status) = child.try_wait().map_err(refuse)? {
                port.send(&Message::Say { line: format!("{name} ended early: {status}") })?;
                continue;
            }
            if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                let _ = kill_process(pid, Signal::TERM);
            }
            let end = Instant::now() + GRACE;
            while child.try_wait().map_err(refuse)?.is_none() {
                if Instant::now() > end {
                    port.send(&Message::Say { line: format!("{name} did not end on SIGTERM") })?;
                    child.kill().map_err(refuse)?;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        send(&self.folder, &self.folder, port)
    }
}

/// Sends all files below a folder.
fn send(top: &Path, folder: &Path, port: &Port) -> Result<(), Error> {
    let refuse = |error: std::io::Error| Error::system(format!("{}: {error}", folder.display()), "");
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.map_err(refuse)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(refuse)?);
        if kind.is_dir() {
            send(top, &path, port)?;
        }
        if !kind.is_file() {
            continue;
        }
        let name = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
        let mut file = fs::File::open(&path).map_err(refuse)?;
        loop {
            let mut bytes = Vec::with_capacity(PART);
            file.by_ref().take(PART as u64).read_to_end(&mut bytes).map_err(refuse)?;
            if bytes.is_empty() {
                break;
            }
            port.send(&Message::Part { path: name.clone(), hex: hex(&bytes) })?;
        }
    }
    Ok(())
}

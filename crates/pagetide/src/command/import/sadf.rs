//! Runs `sadf -j` on a binary file of sadc, which may be hostile: as a user without rights, without network, with little memory, for a
//! short time, and with a bounded output. What it starts ends with it.
//!
//! The file is opened by pagetide, copied to memory and handed over as an open descriptor, so that sadf needs no right to any folder.
//! `unshare`, `setpriv` and `prlimit` are those of util-linux.

use pagetide_core::{Error, printable};
use pagetide_store::import::SADC_MAGIC;
use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create, open};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The largest file that is handed over; sadc writes some 10 MiB a day.
const LARGEST_FILE: u64 = 1 << 30;
/// The most that sadf may print.
const LARGEST_OUTPUT: u64 = 4 << 30;
/// The most memory that it may take.
const MOST_MEMORY: u64 = 2 << 30;
/// How long it may run.
const LONGEST: Duration = Duration::from_secs(300);
/// The user and the group that own nothing (`nobody`, `nogroup`).
const NOBODY: &str = "65534";

/// Whether a file is one of sadc's. A file that cannot be read is none: the import says why.
pub(super) fn is_binary(path: &Path) -> bool {
    let mut start = [0; SADC_MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == SADC_MAGIC
}

/// What `sadf -j` prints of the file.
///
/// # Errors
/// When the file is too large, sadf is not there, takes too long or refuses the file.
pub(super) fn json(path: &Path) -> Result<File, Error> {
    let system = |what: &str, error: &io::Error| {
        Error::system(format!("{what}: {error}"), "check memory and the temporary folder")
    };
    let input = copied(path)?;
    let (output, said) = (
        unnamed().map_err(|e| system("no temporary file", &e))?,
        unnamed().map_err(|e| system("no temporary file", &e))?,
    );
    let cloned = |file: &File| file.try_clone().map_err(|error| system("no descriptor", &error));
    let mut sadf = confined();
    sadf.args(["sadf", "-j", "/proc/self/fd/0", "--", "-A"]);
    sadf.stdin(input).stdout(cloned(&output)?).stderr(cloned(&said)?);
    let mut child = sadf
        .spawn()
        .map_err(|error| Error::system(format!("sadf cannot be run: {error}"), "apt-get install util-linux sysstat"))?;
    let end = Instant::now() + LONGEST;
    let status = loop {
        match child.try_wait().map_err(|error| system("sadf", &error))? {
            Some(status) => break status,
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(Error::input(
                    format!("{}: sadf took more than {} s and was ended", path.display(), LONGEST.as_secs()),
                    "is the file damaged?",
                ));
            }
        }
    };
    if !status.success() {
        return Err(Error::input(
            format!(
                "{}: sadf cannot read it: {}",
                path.display(),
                first_line(said).unwrap_or_else(|| status.to_string())
            ),
            "install sysstat; for a file of an older version `sadf -c FILE > NEW` makes one that it reads",
        ));
    }
    rewound(output).map_err(|error| system("sadf's output", &error))
}

/// The command before sadf's own words.
fn confined() -> Command {
    let root = rustix::process::geteuid().is_root();
    // With the first process of its own process namespace end all that it started.
    const NAMESPACES: &[&str] =
        &["unshare", "--net", "--ipc", "--uts", "--pid", "--fork", "--kill-child=KILL", "--", "setpriv"];
    let words: &[&str] = if root { NAMESPACES } else { &["setpriv"] };
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(["--no-new-privs", "--pdeathsig", "KILL"]);
    if root {
        command.args([
            "--reuid",
            NOBODY,
            "--regid",
            NOBODY,
            "--clear-groups",
            "--inh-caps=-all",
            "--bounding-set=-all",
        ]);
    }
    command.args(["prlimit", "--core=0", "--nofile=16", "--nproc=16"]);
    command.arg(format!("--cpu={}", LONGEST.as_secs()));
    command.arg(format!("--as={MOST_MEMORY}"));
    command.arg(format!("--fsize={LARGEST_OUTPUT}"));
    command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("LC_ALL", "C").current_dir("/");
    command
}

/// The file's content as a descriptor that leads to nothing else.
fn copied(path: &Path) -> Result<Stdio, Error> {
    let failed =
        |error: io::Error| Error::input(format!("{}: {error}", path.display()), "check the path and its permissions");
    let file = File::open(path).map_err(failed)?;
    let memory = memfd_create("sadc", MemfdFlags::CLOEXEC).map_err(|error| failed(error.into()))?;
    let mut memory = File::from(memory);
    let copied = io::copy(&mut file.take(LARGEST_FILE + 1), &mut memory).map_err(failed)?;
    if copied > LARGEST_FILE {
        return Err(Error::input(format!("{}: it is larger than 1 GiB", path.display()), "run sadf yourself"));
    }
    Ok(rewound(memory).map_err(failed)?.into())
}

/// A file in the temporary folder that has no name.
fn unnamed() -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(File::from(open(std::env::temp_dir(), flags, Mode::RUSR | Mode::WUSR)?))
}

fn rewound(mut file: File) -> io::Result<File> {
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// The first line of what it said, made safe to print.
fn first_line(said: File) -> Option<String> {
    let mut text = Vec::new();
    rewound(said).ok()?.take(4096).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| printable(line).to_string())
}

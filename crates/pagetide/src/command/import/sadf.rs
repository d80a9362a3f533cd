//! Runs `sadf -j` on a binary file of sadc, which may be hostile: in a sandbox ([`Sandbox`]), with little memory, for a short time, and
//! with a bounded output. It can start nothing.
//!
//! The file is opened by pagetide, copied to memory and handed over as an open descriptor, so that sadf needs no right to any folder.

use pagetide_core::{Error, printable};
use pagetide_sandbox::{Limit, Sandbox};
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
/// The most files that it may have open.
const MOST_FILES: u64 = 16;
/// How long it may run.
const MAX_RUN: Duration = Duration::from_secs(300);
/// Where sadf is looked up, regardless of the caller's `PATH`.
const PROGRAMS: [&str; 4] = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin"];
const INSTALL: &str = "apt-get install sysstat";

/// Whether sadc wrote a file. False for a file that cannot be read, which the import reports, and for a pipe, which can be read only once.
pub(super) fn is_binary(path: &Path) -> bool {
    let mut start = [0; SADC_MAGIC.len()];
    pagetide_dir::open_file(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == SADC_MAGIC
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
    let cannot_run = |error: io::Error| Error::system(format!("cannot run sadf: {error}"), INSTALL);
    let mut sadf = confined(&["-j", "/proc/self/fd/0", "--", "-A"]).map_err(cannot_run)?;
    sadf.stdin(input).stdout(cloned(&output)?).stderr(cloned(&said)?);
    let mut child = sadf.spawn().map_err(cannot_run)?;
    let end = Instant::now() + MAX_RUN;
    let status = loop {
        match child.try_wait().map_err(|error| system("sadf", &error))? {
            Some(status) => break status,
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(Error::input(
                    format!("{}: sadf took more than {} s and was killed", path.display(), MAX_RUN.as_secs()),
                    "is the file damaged?",
                ));
            }
        }
    };
    if !status.success() {
        let why = first_line(said).unwrap_or_else(|| status.to_string());
        return Err(refused(path, &written_by(path), &installed(), &why));
    }
    rewound(output).map_err(|error| system("sadf's output", &error))
}

/// The error for a file that sadf refuses: which sysstat wrote it, which one is installed, and what works.
fn refused(path: &Path, written_by: &str, here: &str, why: &str) -> Error {
    Error::input(
        format!("{}: {written_by}; the sadf on this host ({here}) cannot read it: {why}", path.display()),
        "run `sadf -j FILE -- -A > FILE.json` on the host that wrote it, or with that version, and import FILE.json; for a file of an older \
         version, `sadf -c FILE > NEW` may produce one that this sadf reads",
    )
}

/// Which sysstat wrote a file, by its header: behind the two magic numbers, version, patch level, sublevel and extra version (sysstat's
/// `sa.h`: `struct file_magic`, since 8.1.6 as now).
fn written_by(path: &Path) -> String {
    let mut start = [0; 8];
    match File::open(path).and_then(|mut file| file.read_exact(&mut start)) {
        Ok(()) => {
            let [_, _, _, _, version, patch, sub, extra] = start;
            let extra = if extra == 0 { String::new() } else { format!(".{extra}") };
            format!("sadc of sysstat {version}.{patch}.{sub}{extra} wrote it")
        }
        Err(_) => "it is shorter than a sadc header".to_owned(),
    }
}

/// What the installed sadf says of itself.
fn installed() -> String {
    let said = confined(&["-V"]).and_then(|mut sadf| sadf.stdin(Stdio::null()).output());
    let said = said.map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let first = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no version");
    printable(first).to_string()
}

/// sadf in its sandbox. No word of its command line comes from the file or its name.
fn confined(words: &[&str]) -> io::Result<Command> {
    let programs = PROGRAMS.map(|folder| Path::new(folder).join("sadf"));
    let program = programs.iter().find(|path| path.is_file()).ok_or(io::ErrorKind::NotFound)?;
    let mut command = Command::new(program);
    command.args(words);
    command.env_clear().env("LC_ALL", "C").current_dir("/");
    let limits = [
        Limit::CpuSeconds(MAX_RUN.as_secs()),
        Limit::Memory(MOST_MEMORY),
        Limit::FileSize(LARGEST_OUTPUT),
        Limit::Files(MOST_FILES),
    ];
    Sandbox::new().with_limits(&limits).confine(&mut command, program);
    Ok(command)
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
        return Err(Error::input(
            format!("{}: it is larger than 1 GiB", path.display()),
            "run sadf yourself, and import what it prints",
        ));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_file_is_told_with_its_version_and_the_form_that_works() {
        let folder = std::env::temp_dir().join(format!("pagetide-sadc-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("sa10");
        // Magic, format of sysstat 10 (0x2171), 10.1.5.
        std::fs::write(&path, [0x96, 0xd5, 0x71, 0x21, 10, 1, 5, 0, 0, 0]).unwrap();
        let error = json(&path).unwrap_err();
        let (text, hint) = (error.to_string(), error.hint.clone());
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(text.contains("sadc of sysstat 10.1.5 wrote it") && text.contains("sysstat version"), "{text}");
        assert!(hint.contains("sadf -j FILE -- -A") && hint.contains("sadf -c"), "{hint}");
    }
}

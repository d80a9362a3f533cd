//! The control socket: a Unix socket in the recording's folder that answers the same paths as the TCP listener.

use crate::endpoints::{INCIDENTS, STATUS};
use crate::status::Status;
use pagetide_core::{Error, RuleId};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};
use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The socket's name in the recording's folder.
const SOCKET: &str = "recorder.sock";
/// A recorder that has not answered in full by then counts as hung. A signal waits at most this long.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Size limit of an answer: the folder, and the process that listens there, may be another user's.
const LONGEST_ANSWER: usize = 1 << 20;

/// Where a recording's control socket is, and the socket as long as there is one.
#[derive(Debug)]
pub(crate) struct Control {
    folder: PathBuf,
    group: Option<u32>,
    socket: Option<ControlSocket>,
}

impl Control {
    /// Opens the socket. An existing socket belongs to a killed recorder, because the writer's lock admits only one recorder. The
    /// second value says why there is no socket yet.
    pub(crate) fn open(folder: &Path, group: Option<u32>) -> (Self, Option<io::Error>) {
        let opened = match std::fs::remove_file(folder.join(SOCKET)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => ControlSocket::bind(folder, group),
        };
        let (socket, why) = match opened {
            Ok(socket) => (Some(socket), None),
            Err(error) => (None, Some(error)),
        };
        (Self { folder: folder.to_owned(), group, socket }, why)
    }

    /// Opens the socket again if it is gone: the folder was removed and the writer made a new one, or there was no space. A file that
    /// has taken its name may be another recorder's and stays.
    pub(crate) fn restore(&mut self) {
        if self.socket.as_ref().is_none_or(|socket| !socket.is_there())
            && let Ok(socket) = ControlSocket::bind(&self.folder, self.group)
        {
            self.socket = Some(socket);
        }
    }

    /// What listens.
    pub(crate) fn unix(&self) -> Option<&UnixListener> {
        self.socket.as_ref().map(|socket| &socket.unix)
    }
}

/// The socket in a recording's folder. It is removed when this is dropped.
#[derive(Debug)]
struct ControlSocket {
    unix: UnixListener,
    path: PathBuf,
    /// Device and inode of its name in the folder. The kernel keeps the inode as long as it listens.
    id: (u64, u64),
}

impl ControlSocket {
    /// Makes the socket where nothing has its name, in a folder of the caller's.
    fn bind(folder: &Path, group: Option<u32>) -> io::Result<Self> {
        if std::fs::metadata(folder)?.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::new(ErrorKind::PermissionDenied, "the folder belongs to another user"));
        }
        let unix = with_short_path(folder, |path| {
            let unix = UnixListener::bind(path)?;
            give(path, group)?;
            Ok(unix)
        })?;
        unix.set_nonblocking(true)?;
        let path = folder.join(SOCKET);
        let id = id(&path)?;
        Ok(Self { unix, path, id })
    }

    fn is_there(&self) -> bool {
        id(&self.path).is_ok_and(|id| id == self.id)
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        if self.is_there() {
            // If it stays, the next recorder removes it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Device and inode of what has this name.
fn id(path: &Path) -> io::Result<(u64, u64)> {
    std::fs::symlink_metadata(path).map(|file| (file.dev(), file.ino()))
}

/// Lets everyone who may read the recording query its recorder. It changes the socket through a descriptor, so a link that another user
/// puts in its place has no effect.
fn give(path: &Path, group: Option<u32>) -> io::Result<()> {
    let socket = rustix::fs::open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    if FileType::from_raw_mode(rustix::fs::fstat(&socket)?.st_mode) != FileType::Socket {
        return Err(io::Error::new(ErrorKind::InvalidInput, "somebody replaced the control socket"));
    }
    let socket = format!("/proc/self/fd/{}", socket.as_raw_fd());
    std::os::unix::fs::chown(&socket, None, group)?;
    std::fs::set_permissions(&socket, Permissions::from_mode(0o660))
}

/// A socket's path has at most 107 bytes (`UNIX_PATH_MAX`), a folder's may have more: the folder is named by its descriptor.
fn with_short_path<T>(folder: &Path, call: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let folder = File::open(folder)?;
    call(Path::new(&format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd())))
}

/// Asks the recorder of a folder for its state; absent when none runs.
pub fn query(folder: &Path) -> Result<Option<Status>, Error> {
    let Some(body) = exchange(folder, &format!("GET {STATUS}"))? else { return Ok(None) };
    serde_json::from_str(&body).map(Some).map_err(|error| no_answer(folder, &error))
}

/// Tells the recorder of a folder the rules of the active incidents, for its metrics. Returns whether a recorder runs.
pub fn publish(folder: &Path, rules: &BTreeSet<RuleId>) -> Result<bool, Error> {
    let rules: Vec<&str> = rules.iter().map(|rule| rule.as_str()).collect();
    Ok(exchange(folder, &format!("PUT {INCIDENTS}{}", rules.join(",")))?.is_some())
}

fn no_answer(folder: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::system(
        format!("{}: the recorder does not answer: {error}", folder.display()),
        "run this as the user who records, or as root",
    )
}

/// What to say of a recorder that listens and does not answer.
fn hangs(folder: &Path, process: Option<i32>) -> Error {
    let what = format!("{}: the recorder does not answer within {} s", folder.display(), TIMEOUT.as_secs());
    let Some(process) = process else { return Error::system(what, "") };
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name before the state may have spaces and parentheses.
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    let hint = match state {
        Some('T' | 't') => format!("process {process} is stopped: kill -CONT {process}"),
        Some(state) => {
            format!("process {process} is in state {state}: see /proc/{process}/stack for what it waits for")
        }
        None => format!("process {process} listens there"),
    };
    Error::system(what, hint)
}

/// Sends a request to the recorder of a folder; the body of its response, absent when none runs.
fn exchange(folder: &Path, request: &str) -> Result<Option<String>, Error> {
    let answer = match with_short_path(folder, connect) {
        Ok(stream) => {
            let process = socket_peercred(&stream).map(|peer| peer.pid.as_raw_nonzero().get());
            match ask(stream, request, Instant::now() + TIMEOUT) {
                Err(error) if error.kind() == ErrorKind::TimedOut => return Err(hangs(folder, process.ok())),
                answer => answer,
            }
        }
        // Nor does one run in a file of `pagetide cut`.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::ConnectionRefused
            ) =>
        {
            return Ok(None);
        }
        Err(error) => Err(error),
    };
    let answer = answer.map_err(|error| no_answer(folder, &error))?;
    let response = String::from_utf8_lossy(&answer);
    Ok(Some(response.split_once("\r\n\r\n").map_or_else(String::new, |(_, body)| body.to_owned())))
}

/// Connects, and does not wait for a listener whose queue is full.
fn connect(path: &Path) -> io::Result<UnixStream> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket.into())
}

/// What a peer answers until it closes, all of it before `end`. The stream does not block.
fn ask(mut stream: UnixStream, request: &str, end: Instant) -> io::Result<Vec<u8>> {
    let request = format!("{request} HTTP/1.1\r\nHost: recorder\r\n\r\n");
    let mut unsent = request.as_bytes();
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let done = if unsent.is_empty() { stream.read(&mut piece) } else { stream.write(unsent) };
        match done {
            Ok(0) if unsent.is_empty() => return Ok(answer),
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) if unsent.is_empty() => answer.extend_from_slice(&piece[..count]),
            Ok(count) => unsent = &unsent[count..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if answer.len() > LONGEST_ANSWER {
            return Err(io::Error::new(ErrorKind::InvalidData, "its answer is longer than 1 MiB"));
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(ErrorKind::TimedOut, format!("not within {} s", TIMEOUT.as_secs())));
        }
        let ready = if unsent.is_empty() { PollFlags::IN } else { PollFlags::OUT };
        let time = Timespec { tv_sec: left.as_secs().try_into().unwrap_or(0), tv_nsec: left.subsec_nanos().into() };
        // A signal ends the wait, too: the caller checks its flag when this returns.
        if poll(&mut [PollFd::new(&stream, ready)], Some(&time)) == Err(rustix::io::Errno::INTR) {
            return Err(ErrorKind::Interrupted.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks a listener that does to its first connection what `act` does, until the answer is given up.
    fn asked(act: impl FnOnce(UnixStream) + Send + 'static) -> Result<Option<Status>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let peer = std::thread::spawn(move || act(listener.accept().unwrap().0));
        let answer = query(folder.path());
        peer.join().unwrap();
        answer
    }

    #[test]
    fn a_peer_that_is_silent_or_drips_is_given_up() {
        // Both would go on for ever: they end when who asked hangs up.
        let answer = asked(|mut stream| while stream.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {});
        let error = answer.unwrap_err();
        assert!(error.what.contains("does not answer within 2 s"), "{error}");
        assert!(error.hint.contains(&format!("process {} is in state", std::process::id())), "{error}");
        let answer = asked(|mut stream| {
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        assert!(answer.unwrap_err().what.contains("does not answer within 2 s"));
    }

    #[test]
    fn an_endless_answer_is_not_kept() {
        let answer = asked(|mut stream| while stream.write_all(&[b'x'; 1 << 16]).is_ok() {});
        assert!(answer.unwrap_err().what.contains("longer than 1 MiB"));
    }

    #[test]
    fn a_socket_is_opened_again_and_takes_nobodys_place() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("rec");
        std::fs::create_dir(&folder).unwrap();
        let (mut control, why) = Control::open(&folder, None);
        assert!(why.is_none(), "{why:?}");
        std::fs::remove_dir_all(&folder).unwrap();
        control.restore();
        assert!(!folder.exists(), "the folder is the writer's to make");
        std::fs::create_dir(&folder).unwrap();
        control.restore();
        let path = folder.join(SOCKET);
        assert!(UnixStream::connect(&path).is_ok() && control.unix().unwrap().accept().is_ok());
        std::fs::remove_file(&path).unwrap();
        let other = UnixListener::bind(&path).unwrap();
        control.restore();
        drop(control);
        assert!(UnixStream::connect(&path).is_ok() && other.accept().is_ok(), "the other's socket is still there");
    }

    #[test]
    fn a_listener_that_accepts_nobody_holds_up_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let _listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let mut waiting = Vec::new();
        while let Ok(stream) = connect(&folder.path().join(SOCKET)) {
            waiting.push(stream);
        }
        assert!(query(folder.path()).is_err(), "{} wait", waiting.len());
    }
}

//! The control socket: a Unix socket in the recording's folder that answers the same paths as the TCP listener.

use crate::endpoints::{INCIDENTS, STATUS};
use crate::status::Status;
use pagetide_core::{Error, RuleId};
use rustix::fs::{FileType, Mode, OFlags};
use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The socket's name in the recording's folder.
const SOCKET: &str = "recorder.sock";
/// A recorder that does not answer within this time hangs.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The socket in a recording's folder. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct ControlSocket {
    pub(crate) unix: UnixListener,
    path: PathBuf,
}

impl ControlSocket {
    /// Opens the socket. A socket that is already there belongs to a recorder that was killed: the writer's lock admits one recorder.
    pub(crate) fn open(folder: &Path, group: Option<u32>) -> io::Result<Self> {
        let path = folder.join(SOCKET);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let unix = with_short_path(folder, |path| {
            let unix = UnixListener::bind(path)?;
            give(path, group)?;
            Ok(unix)
        })?;
        unix.set_nonblocking(true)?;
        Ok(Self { unix, path })
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        // If it stays, the next recorder removes it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Lets who may read the recording ask its recorder. The socket is held by a descriptor meanwhile: a link that another user puts in its
/// place gives them nothing.
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

/// Gives the rules of the incidents that last to the recorder of a folder, which shows them in its metrics; whether one runs.
pub fn publish(folder: &Path, rules: &BTreeSet<RuleId>) -> Result<bool, Error> {
    let rules: Vec<&str> = rules.iter().map(|rule| rule.as_str()).collect();
    Ok(exchange(folder, &format!("PUT {INCIDENTS}{}", rules.join(",")))?.is_some())
}

fn no_answer(folder: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::system(
        format!("{}: the recorder does not answer: {error}", folder.display()),
        "run this as the user that records, or as root",
    )
}

/// Sends a request to the recorder of a folder; the body of its response, absent when none runs.
fn exchange(folder: &Path, request: &str) -> Result<Option<String>, Error> {
    let failed = |error: &dyn std::fmt::Display| no_answer(folder, error);
    let mut stream = match with_short_path(folder, |path| UnixStream::connect(path)) {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    let mut response = String::new();
    let exchange = stream.set_read_timeout(Some(TIMEOUT)).and_then(|()| {
        write!(stream, "{request} HTTP/1.1\r\nHost: recorder\r\n\r\n")?;
        stream.read_to_string(&mut response)
    });
    exchange.map_err(|error| failed(&error))?;
    Ok(Some(response.split_once("\r\n\r\n").map_or_else(String::new, |(_, body)| body.to_owned())))
}

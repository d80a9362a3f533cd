//! Where the recorder can be asked how it goes: a Unix socket in the recording's folder, and a TCP address if wanted.

use pagetide_core::Error;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// The socket's name in the recording's folder.
const SOCKET: &str = "recorder.sock";

/// What `--listen` takes: `9815`, `127.0.0.1:9815`, `[::1]:9815`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address(SocketAddr);

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let port = text.parse().map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port))).ok();
        port.or_else(|| text.parse().ok())
            .map(Self)
            .ok_or_else(|| "write a port, or an address and a port: 9815, 127.0.0.1:9815, [::1]:9815".to_owned())
    }
}

/// Listens for Prometheus.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) tcp: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Listens at `address`, which only this host can reach unless `expose` says otherwise.
    pub(super) fn bind(Address(address): Address, expose: bool) -> Result<Self, Error> {
        if !expose && !is_loopback(address.ip()) {
            return Err(Error::input(
                format!("--listen {address} can be reached from other hosts, and asks for no password"),
                format!("listen at 127.0.0.1:{}, or add --expose", address.port()),
            ));
        }
        let failed = |error: io::Error| {
            Error::system(format!("cannot listen at {address}: {error}"), "choose another port, or stop who has it")
        };
        let tcp = TcpListener::bind(address).map_err(failed)?;
        tcp.set_nonblocking(true).map_err(failed)?;
        let address = tcp.local_addr().map_err(failed)?;
        Ok(Self { tcp, address })
    }

    /// Where it listens; the port is the real one when 0 was asked for.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

fn is_loopback(address: IpAddr) -> bool {
    address.is_loopback() || matches!(address, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback()))
}

/// The socket in a recording's folder. It is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Door {
    pub(super) unix: UnixListener,
    path: PathBuf,
}

impl Door {
    /// Opens it. One that is there was left by a recorder that was killed: the writer's lock says that there is no other.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let path = folder.join(SOCKET);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let unix = through(folder, |short| UnixListener::bind(short))?;
        unix.set_nonblocking(true)?;
        Ok(Self { unix, path })
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // If it stays, the next recorder removes it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Connects to the recorder of a folder; an error of kind `NotFound` or `ConnectionRefused` when there is none.
pub(super) fn connect(folder: &Path) -> io::Result<UnixStream> {
    through(folder, |short| UnixStream::connect(short))
}

/// A socket's path has 107 bytes at most (`UNIX_PATH_MAX`), a folder's may have more: the folder is named by its
/// descriptor.
fn through<T>(folder: &Path, with: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let folder = File::open(folder)?;
    with(Path::new(&format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd())))
}

/// A connection of either kind.
pub(super) trait Connection: Read + Write {
    /// Bounds the next read or write.
    fn limit(&self, time: Duration) -> io::Result<()>;
}

impl Connection for TcpStream {
    fn limit(&self, time: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(time))?;
        self.set_write_timeout(Some(time))
    }
}

impl Connection for UnixStream {
    fn limit(&self, time: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(time))?;
        self.set_write_timeout(Some(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_of_this_host() {
        let address = |text: &str| text.parse::<Address>().map(|Address(address)| address.to_string());
        assert_eq!(address("9815").unwrap(), "127.0.0.1:9815");
        assert_eq!(address("[::1]:9815").unwrap(), "[::1]:9815");
        for wrong in ["", "x", "99999", "127.0.0.1", ":1"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn other_hosts_are_let_in_only_when_told() {
        for open in ["0.0.0.0:0", "[::]:0", "[::ffff:0.0.0.0]:0"] {
            let error = Listener::bind(open.parse().unwrap(), false).unwrap_err();
            assert!(error.hint.contains("--expose"), "{error}");
        }
        assert!(Listener::bind("0".parse().unwrap(), false).unwrap().address().port() > 0);
    }
}

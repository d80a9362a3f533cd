//! Messages to the service manager (sd_notify(3)): datagrams to the socket that `NOTIFY_SOCKET` names.

use pagetide_core::{Nanos, Stamp};
use pagetide_recorder::Progress;
use std::ffi::OsString;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The service manager, if there is one.
#[derive(Debug)]
pub(crate) struct ServiceManager {
    socket: Option<(UnixDatagram, SocketAddr)>,
    /// How often it expects a sign of life.
    period: Option<Duration>,
}

impl ServiceManager {
    /// The one that started this process.
    pub(crate) fn from_environment() -> Self {
        let watched = std::env::var("WATCHDOG_PID").map_or(true, |pid| pid.parse() == Ok(std::process::id()));
        let watchdog = std::env::var("WATCHDOG_USEC").ok().filter(|_| watched);
        Self::new(std::env::var_os("NOTIFY_SOCKET"), watchdog.as_deref())
    }

    fn new(socket: Option<OsString>, watchdog: Option<&str>) -> Self {
        let address = socket.and_then(|name| match name.as_bytes() {
            [b'@', name @ ..] => SocketAddr::from_abstract_name(name).ok(),
            _ => SocketAddr::from_pathname(name).ok(),
        });
        let socket = address.and_then(|address| {
            let socket = UnixDatagram::unbound().ok()?;
            // A manager that does not read must not block the recorder.
            socket.set_nonblocking(true).ok().map(|()| (socket, address))
        });
        let micros = watchdog.and_then(|text| text.parse().ok()).filter(|micros| *micros > 0);
        // sd_watchdog_enabled(3) recommends half of the time that is allowed.
        let period = micros.map(|micros| Duration::from_micros(micros) / 2).filter(|_| socket.is_some());
        Self { socket, period }
    }

    /// How often to call [`Self::notify_alive`].
    pub(crate) fn period(&self) -> Option<Duration> {
        self.period
    }

    /// The first sample has been taken.
    pub(crate) fn notify_ready(&self) {
        self.send(&format!("READY=1\nMAINPID={}", std::process::id()));
    }

    /// Samples are being taken, every `interval`. Sends nothing when the last sample is too old: then the
    /// sampling thread hangs, and the manager starts another recorder.
    pub(crate) fn notify_alive(&self, progress: &Progress, interval: Nanos, now: Stamp) {
        let Some(period) = self.period else { return };
        let age = now.mono_ns.saturating_sub(progress.last.mono_ns);
        if i128::from(age) > i128::from(interval.get()) * 2 + i128::try_from(period.as_nanos()).unwrap_or(i128::MAX) {
            return;
        }
        let state =
            progress.refused.as_ref().map_or_else(String::new, |why| format!(", {} wait: {why}", progress.waiting));
        self.send(&format!("WATCHDOG=1\nSTATUS={} samples, {} lost{state}", progress.samples, progress.lost));
    }

    /// The recording is being ended.
    pub(crate) fn notify_stopping(&self) {
        self.send("STOPPING=1");
    }

    fn send(&self, state: &str) {
        if let Some((socket, address)) = &self.socket {
            // The recorder does not need the manager.
            let _ = socket.send_to_addr(state.as_bytes(), address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Stamp;

    fn at(seconds: i64) -> Stamp {
        Stamp { mono_ns: seconds * 1_000_000_000, ..Stamp::default() }
    }

    #[test]
    fn signs_of_life_are_sent_only_while_samples_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let manager = UnixDatagram::bind(&path).unwrap();
        manager.set_nonblocking(true).unwrap();
        let heard = || {
            let mut bytes = [0; 256];
            manager.recv(&mut bytes).ok().map(|length| String::from_utf8_lossy(&bytes[..length]).into_owned())
        };
        let supervisor = ServiceManager::new(Some(path.into()), Some("4000000"));
        assert_eq!(supervisor.period(), Some(Duration::from_secs(2)));
        supervisor.notify_ready();
        assert!(heard().unwrap().starts_with("READY=1\n"));
        let progress = Progress {
            samples: 1,
            late: 0,
            missed: 0,
            lost: 2,
            waiting: 0,
            skipped_groups: 0,
            last: at(10),
            refused: None,
            ended: false,
        };
        let interval = Nanos::new(1_000_000_000);
        supervisor.notify_alive(&progress, interval, at(12));
        assert_eq!(heard().unwrap(), "WATCHDOG=1\nSTATUS=1 samples, 2 lost");
        supervisor.notify_alive(&progress, interval, at(15));
        assert_eq!(heard(), None, "no sample for too long");
        supervisor.notify_alive(&Progress { last: at(15), ..progress }, interval, at(15));
        assert!(heard().is_some());
        supervisor.notify_stopping();
        assert_eq!(heard().unwrap(), "STOPPING=1");
    }

    #[test]
    fn without_a_manager_nothing_is_sent() {
        let supervisor = ServiceManager::new(None, Some("1000"));
        assert_eq!(supervisor.period(), None);
        supervisor.notify_ready();
    }
}

//! Signals as something to wait for: a recorder that has nothing to do wakes for its samples only.

use pagetide_core::Error;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::io::{ErrorKind, Read};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Why [`Signals::wait`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// The recording is to end.
    Stop,
    /// The open segment is to end.
    Seal,
    /// The time is over, or one of `beside` is readable.
    Other,
}

/// The signals that a recording handles.
#[derive(Debug)]
pub(crate) struct Signals {
    stop: UnixStream,
    /// Only for a service. Without a writer the socket would be readable at once.
    seal: Option<UnixStream>,
}

impl Signals {
    /// Catches SIGINT, SIGTERM and SIGHUP from now on. In a service SIGHUP ends the segment; else it means that the
    /// terminal is gone, and ends the recording. A second signal to stop ends the process at once, with exit code 130.
    pub(crate) fn catch(service: bool) -> Result<Self, Error> {
        let failed = |error: std::io::Error| Error::system(format!("cannot catch signals: {error}"), "");
        let pair = || {
            let (ours, theirs) = UnixStream::pair()?;
            ours.set_nonblocking(true)?;
            Ok((ours, theirs))
        };
        let (stop, stops) = pair().map_err(failed)?;
        let (seal, seals) = if service { Some(pair().map_err(failed)?).unzip() } else { (None, None) };
        let stopped = Arc::new(AtomicBool::new(false));
        let mut stopping = vec![SIGINT, SIGTERM];
        match seals {
            Some(seals) => signal_hook::low_level::pipe::register(SIGHUP, seals).map(drop).map_err(failed)?,
            None => stopping.push(SIGHUP),
        }
        for signal in stopping {
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stopped))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stopped)))
                .and_then(|_| signal_hook::low_level::pipe::register(signal, stops.try_clone()?))
                .map_err(failed)?;
        }
        Ok(Self { stop, seal })
    }

    /// Waits for a signal, for one of `beside` to become readable, or for the time to pass.
    pub(crate) fn wait<'a>(
        &self,
        time: Option<Duration>,
        beside: impl IntoIterator<Item = BorrowedFd<'a>>,
    ) -> Result<Event, Error> {
        let time = time.and_then(|time| Timespec::try_from(time).ok());
        let mut fds = vec![PollFd::new(&self.stop, PollFlags::IN)];
        fds.extend(self.seal.as_ref().map(|seal| PollFd::new(seal, PollFlags::IN)));
        fds.extend(beside.into_iter().map(|beside| PollFd::from_borrowed_fd(beside, PollFlags::IN)));
        match poll(&mut fds, time.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Error::system(format!("waiting for a signal: {error}"), "")),
        }
        Ok(match (drain(&self.stop), self.seal.as_ref().is_some_and(drain)) {
            (true, _) => Event::Stop,
            (_, true) => Event::Seal,
            _ => Event::Other,
        })
    }
}

/// Whether something arrived; reads all of it.
fn drain(mut from: &UnixStream) -> bool {
    let mut bytes = [0; 64];
    let mut any = false;
    loop {
        match from.read(&mut bytes) {
            Ok(0) => return any,
            Ok(_) => any = true,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return any,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn waiting_for_signals_that_do_not_come_takes_the_time_it_is_given() {
        for service in [false, true] {
            let signals = Signals::catch(service).unwrap();
            let (began, time) = (Instant::now(), Duration::from_millis(50));
            assert!(matches!(signals.wait(Some(time), None).unwrap(), Event::Other));
            assert!(began.elapsed() >= time, "as a service: {service}");
        }
    }
}

//! The thread that answers requests. Recording does not depend on it.

use crate::control::ControlSocket;
use crate::endpoints::Endpoints;
use crate::http::serve_one;
use crate::listen::Listener;
use pagetide_core::Error;
use rustix::event::{PollFd, PollFlags, poll};
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread::{Builder, JoinHandle};

const STACK: usize = 512 << 10;

/// The thread that answers. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Responder {
    quit: UnixStream,
    thread: Option<JoinHandle<()>>,
    /// Why the folder has no control socket, when it has none.
    pub(crate) no_socket: Option<String>,
}

impl Responder {
    /// Answers at the control socket of `folder`, and at `listener`.
    pub(crate) fn start(folder: &Path, listener: Option<Listener>, endpoints: Endpoints) -> Result<Self, Error> {
        let (control, no_socket) = match ControlSocket::open(folder) {
            Ok(control) => (Some(control), None),
            // A file system without sockets or without room: recording continues without.
            Err(error) => (None, Some(format!("no socket in {}: {error}", folder.display()))),
        };
        let failed = |error: io::Error| Error::system(format!("cannot start the thread that answers: {error}"), "");
        let (quit, quits) = UnixStream::pair().map_err(failed)?;
        let run = move || serve(&quits, listener.as_ref(), control.as_ref(), endpoints);
        let thread = Builder::new().name("pagetide-answer".into()).stack_size(STACK).spawn(run).map_err(failed)?;
        Ok(Self { quit, thread: Some(thread), no_socket })
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        let _ = self.quit.shutdown(Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            // A panic was printed when it happened.
            let _ = thread.join();
        }
    }
}

fn serve(quit: &UnixStream, listener: Option<&Listener>, control: Option<&ControlSocket>, mut endpoints: Endpoints) {
    loop {
        let mut fds = vec![PollFd::new(quit, PollFlags::IN)];
        fds.extend(listener.map(|listener| PollFd::new(&listener.tcp, PollFlags::IN)));
        fds.extend(control.map(|control| PollFd::new(&control.unix, PollFlags::IN)));
        if poll(&mut fds, None).is_err_and(|error| error != rustix::io::Errno::INTR) || !fds[0].revents().is_empty() {
            return;
        }
        // A client that disconnects before it has its response needs none.
        if let Some(Ok((stream, _))) = listener.map(|listener| listener.tcp.accept()) {
            let _ = stream.set_nonblocking(false).and_then(|()| serve_one(stream, |path| endpoints.respond(path)));
        }
        if let Some(Ok((stream, _))) = control.map(|control| control.unix.accept()) {
            let _ = stream.set_nonblocking(false).and_then(|()| serve_one(stream, |path| endpoints.respond(path)));
        }
    }
}

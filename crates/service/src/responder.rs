//! The thread that answers requests. Recording does not depend on it.

use crate::control::Control;
use crate::endpoints::{Client, Endpoints};
use crate::http::{Connection, Request, Response, Timeouts};
use crate::listen::Listener;
use pagetide_core::Error;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

const STACK: usize = 512 << 10;
/// Clients that are served at once.
const MOST_CLIENTS: usize = 32;
/// How often the control socket is looked for.
const SOCKET_CHECK: Duration = Duration::from_secs(1);
const TIMEOUTS: Timeouts = Timeouts { head: Duration::from_secs(1), response: Duration::from_secs(5) };

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
    pub(crate) fn start(
        folder: &Path,
        group: Option<u32>,
        listener: Option<Listener>,
        mut endpoints: Endpoints,
    ) -> Result<Self, Error> {
        let (mut control, no_socket) = Control::open(folder, group);
        // A file system without sockets or without room: recording continues without.
        let no_socket = no_socket.map(|error| format!("no socket in {}: {error}", folder.display()));
        let failed = |error: io::Error| Error::system(format!("cannot start the responder thread: {error}"), "");
        let (quit, quits) = UnixStream::pair().map_err(failed)?;
        let run = move || {
            let respond = &mut |request: Request<'_>, client| endpoints.respond(request, client);
            serve(&quits, listener.as_ref(), Some(&mut control), respond, TIMEOUTS);
        };
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

/// A client of either kind of socket.
#[derive(Debug)]
enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    fn either(&mut self) -> &mut dyn ReadWrite {
        match self {
            Self::Tcp(stream) => stream,
            Self::Unix(stream) => stream,
        }
    }
}

trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.either().read(bytes)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.either().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
        }
    }
}

/// Serves all clients until `quit` says to end. `respond` gives the response to a request of a client.
fn serve(
    quit: &UnixStream,
    listener: Option<&Listener>,
    mut control: Option<&mut Control>,
    respond: &mut dyn FnMut(Request<'_>, Client) -> Response,
    timeouts: Timeouts,
) {
    let mut clients: Vec<Connection<Stream>> = Vec::new();
    let mut look = Instant::now() + SOCKET_CHECK;
    loop {
        if let Some(control) = control.as_mut().filter(|_| look <= Instant::now()) {
            control.restore();
            look = Instant::now() + SOCKET_CHECK;
        }
        let unix = control.as_ref().and_then(|control| control.unix());
        let mut fds = vec![PollFd::new(quit, PollFlags::IN)];
        fds.extend(listener.map(|listener| PollFd::new(&listener.tcp, PollFlags::IN)));
        fds.extend(unix.map(|unix| PollFd::new(unix, PollFlags::IN)));
        fds.extend(
            clients
                .iter()
                .map(|client| PollFd::new(&client.stream, if client.reads() { PollFlags::IN } else { PollFlags::OUT })),
        );
        let first = clients.iter().map(Connection::deadline).chain(control.is_some().then_some(look)).min();
        let timeout = first.map(|first| timespec(first.saturating_duration_since(Instant::now())));
        let polled = poll(&mut fds, timeout.as_ref());
        if polled.is_err_and(|error| error != rustix::io::Errno::INTR) || !fds[0].revents().is_empty() {
            return;
        }
        while clients.len() < 2 * MOST_CLIENTS
            && let Some(stream) = accept(listener, unix)
        {
            clients.push(Connection::new(stream, timeouts));
        }
        let now = Instant::now();
        clients.retain_mut(|client| {
            // The control socket's own mode says who may connect to it.
            let control = matches!(client.stream, Stream::Unix(_));
            // Who may connect to the control socket may name it as they like.
            let any_name = control || listener.is_some_and(|listener| listener.exposed);
            let who = Client { names: control || listener.is_some_and(|listener| listener.names), control, any_name };
            // What has come is answered, however late this thread has a CPU.
            client.advance(&mut |request| respond(request, who)) && client.deadline() > now
        });
        // Those that have waited longest without a request give way: a client that asks is served, however many only connect.
        let mut surplus = clients.len().saturating_sub(MOST_CLIENTS);
        clients.retain(|client| {
            let gives_way = surplus > 0 && client.reads();
            surplus -= usize::from(gives_way);
            !gives_way
        });
    }
}

fn accept(listener: Option<&Listener>, unix: Option<&UnixListener>) -> Option<Stream> {
    let tcp = listener.and_then(|listener| listener.tcp.accept().ok()).map(|(stream, _)| Stream::Tcp(stream));
    let stream = tcp.or_else(|| Some(Stream::Unix(unix?.accept().ok()?.0)))?;
    match &stream {
        Stream::Tcp(stream) => stream.set_nonblocking(true).ok()?,
        Stream::Unix(stream) => stream.set_nonblocking(true).ok()?,
    }
    Some(stream)
}

fn timespec(time: Duration) -> Timespec {
    // A little later than the deadline, not a little before it.
    let time = time + Duration::from_millis(1);
    Timespec { tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX), tv_nsec: time.subsec_nanos().into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;

    /// A request's answer, or nothing when the server closes first.
    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Serves with these timeouts while `act` runs.
    fn served(timeouts: Timeouts, act: impl FnOnce(SocketAddr)) {
        let listener = Listener::bind("0".parse().unwrap(), false, false).unwrap();
        let address = listener.address();
        let (quit, quits) = UnixStream::pair().unwrap();
        let thread = std::thread::spawn(move || {
            serve(&quits, Some(&listener), None, &mut |request, _| Response::text("200 OK", request.path), timeouts);
        });
        act(address);
        quit.shutdown(Shutdown::Both).unwrap();
        thread.join().unwrap();
    }

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn a_request_that_waits_is_answered_although_its_time_is_over() {
        let listener = Listener::bind("0".parse().unwrap(), false, false).unwrap();
        let mut client = TcpStream::connect(listener.address()).unwrap();
        client.write_all(b"GET /x HTTP/1.1\n\n").unwrap();
        let (quit, quits) = UnixStream::pair().unwrap();
        let thread = std::thread::spawn(move || {
            let over = Timeouts { head: Duration::ZERO, response: LONG };
            serve(&quits, Some(&listener), None, &mut |request, _| Response::text("200 OK", request.path), over);
        });
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        quit.shutdown(Shutdown::Both).unwrap();
        thread.join().unwrap();
        assert!(answer.ends_with("/x"), "{answer}");
    }

    #[test]
    fn clients_that_only_connect_hold_up_nobody() {
        served(Timeouts { head: LONG, response: LONG }, |address| {
            let mut idle: Vec<TcpStream> = (0..5).map(|_| TcpStream::connect(address).unwrap()).collect();
            idle[0].write_all(b"GET / HT").unwrap();
            assert!(ask(address, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
            assert!(ask(address, "GET / HTTP/1.1\n\n").starts_with("HTTP/1.1 200"), "bare line feeds");
            // They were there all the time.
            idle[0].write_all(b"TP/1.1\r\n\r\n").unwrap();
            let mut answer = String::new();
            idle[0].read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            // However many there are.
            let crowd: Vec<TcpStream> = (0..4 * MOST_CLIENTS).map(|_| TcpStream::connect(address).unwrap()).collect();
            assert!(ask(address, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
            drop(crowd);
        });
    }

    #[test]
    fn a_client_that_is_too_slow_is_closed() {
        served(Timeouts { head: Duration::from_millis(50), response: LONG }, |address| {
            assert_eq!(ask(address, "GET / HTTP/1.1\r\n"), "");
        });
    }
}

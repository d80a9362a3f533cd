//! As much of HTTP/1.1 as a scraper and `--status` need: one request per connection, answered by one thread.
//!
//! A request has 8 KiB and a connection five seconds at most, so that nobody can hold more than the one thread, and
//! that not for long. The recorder does not depend on this thread.

use super::answer::Answers;
use super::listen::{Connection, Door, Listener};
use pagetide_core::Error;
use rustix::event::{PollFd, PollFlags, poll};
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

const LONGEST_REQUEST: usize = 8 << 10;
const PATIENCE: Duration = Duration::from_secs(5);
const STACK: usize = 512 << 10;

/// The thread that answers. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Responder {
    quit: UnixStream,
    thread: Option<JoinHandle<()>>,
    /// Why `--status` finds nobody to ask, when there is no socket in the folder.
    pub(super) missing: Option<String>,
}

/// Answers at the socket of `folder`, and at `listener`.
pub(super) fn start(folder: &Path, listener: Option<Listener>, answers: Answers) -> Result<Responder, Error> {
    let (door, missing) = match Door::open(folder) {
        Ok(door) => (Some(door), None),
        // A file system without sockets or without room: recording is what matters.
        Err(error) => (None, Some(format!("no socket in {}: {error}", folder.display()))),
    };
    let failed = |error: io::Error| Error::system(format!("cannot start to answer: {error}"), "");
    let (quit, quits) = UnixStream::pair().map_err(failed)?;
    let run = move || serve(&quits, listener.as_ref(), door.as_ref(), answers);
    let thread = Builder::new().name("pagetide-answer".into()).stack_size(STACK).spawn(run).map_err(failed)?;
    Ok(Responder { quit, thread: Some(thread), missing })
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

fn serve(quit: &UnixStream, listener: Option<&Listener>, door: Option<&Door>, mut answers: Answers) {
    loop {
        let mut fds = vec![PollFd::new(quit, PollFlags::IN)];
        fds.extend(listener.map(|listener| PollFd::new(&listener.tcp, PollFlags::IN)));
        fds.extend(door.map(|door| PollFd::new(&door.unix, PollFlags::IN)));
        if poll(&mut fds, None).is_err_and(|error| error != rustix::io::Errno::INTR) || !fds[0].revents().is_empty() {
            return;
        }
        // Those who go away before they are answered are no concern of anybody.
        if let Some(Ok((stream, _))) = listener.map(|listener| listener.tcp.accept()) {
            let _ = stream.set_nonblocking(false).and_then(|()| converse(stream, &mut answers));
        }
        if let Some(Ok((stream, _))) = door.map(|door| door.unix.accept()) {
            let _ = stream.set_nonblocking(false).and_then(|()| converse(stream, &mut answers));
        }
    }
}

/// What is answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: &'static str,
    pub(super) kind: &'static str,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn text(status: &'static str, body: impl Into<String>) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: body.into() }
    }
}

fn converse(mut stream: impl Connection, answers: &mut Answers) -> io::Result<()> {
    let end = Instant::now() + PATIENCE;
    let request = read_request(&mut stream, end)?;
    let (answer, body) = match parse(&request) {
        Ok(("GET", path)) => (answers.to(path), true),
        Ok(("HEAD", path)) => (answers.to(path), false),
        Ok(_) => (Answer::text("405 Method Not Allowed", "only GET and HEAD\n"), true),
        Err(why) => (Answer::text("400 Bad Request", format!("{why}\n")), true),
    };
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nAllow: GET, HEAD\r\nConnection: close\r\n\r\n",
        answer.status,
        answer.kind,
        answer.body.len()
    );
    write(&mut stream, head.as_bytes(), end)?;
    if body { write(&mut stream, answer.body.as_bytes(), end) } else { Ok(()) }
}

fn left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Reads up to the empty line that ends a request's head.
fn read_request(stream: &mut impl Connection, end: Instant) -> io::Result<Vec<u8>> {
    let mut request = vec![0; LONGEST_REQUEST];
    let mut length = 0;
    while length < request.len() && !request[..length].windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        stream.limit(left(end)?)?;
        match stream.read(&mut request[length..])? {
            0 => break,
            read => length += read,
        }
    }
    request.truncate(length);
    Ok(request)
}

fn write(stream: &mut impl Connection, mut bytes: &[u8], end: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.limit(left(end)?)?;
        match stream.write(bytes)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => bytes = &bytes[written..],
        }
    }
    Ok(())
}

/// Method and path of a request; a query is left out.
fn parse(request: &[u8]) -> Result<(&str, &str), &'static str> {
    if !request.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        return Err("the request does not end, or is longer than 8 KiB");
    }
    let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = std::str::from_utf8(line).map_err(|_| "the request is not text")?.split(' ');
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some(method), Some(target), Some("HTTP/1.0" | "HTTP/1.1"), None) if target.starts_with('/') => {
            Ok((method, target.split('?').next().unwrap_or_default()))
        }
        _ => Err("not a request of HTTP/1.1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_or_refused() {
        assert_eq!(parse(b"GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\n\r\n"), Ok(("GET", "/metrics")));
        assert_eq!(parse(b"HEAD / HTTP/1.0\r\n\r\n"), Ok(("HEAD", "/")));
        for wrong in [
            &b""[..],
            b"GET /metrics HTTP/1.1\r\n",
            b"GET metrics HTTP/1.1\r\n\r\n",
            b"GET / HTTP/2\r\n\r\n",
            b"GET /\r\n\r\n",
            b"\xff\xff / HTTP/1.1\r\n\r\n",
            b"\r\n\r\n",
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}

//! As much of HTTP/1.1 as a scraper and `--status` need: one request per connection.
//!
//! A request has at most 8 KiB and a connection at most five seconds, so that one client blocks the others for no longer.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

const LONGEST_REQUEST: usize = 8 << 10;
const TIMEOUT: Duration = Duration::from_secs(5);

/// A connection of either kind.
pub(crate) trait Connection: Read + Write {
    /// Limits the time of the next read or write.
    fn set_timeout(&self, time: Duration) -> io::Result<()>;
}

impl Connection for TcpStream {
    fn set_timeout(&self, time: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(time))?;
        self.set_write_timeout(Some(time))
    }
}

impl Connection for UnixStream {
    fn set_timeout(&self, time: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(time))?;
        self.set_write_timeout(Some(time))
    }
}

/// The response to a request.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: &'static str,
    pub(crate) content_type: &'static str,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn text(status: &'static str, body: impl Into<String>) -> Self {
        Self { status, content_type: "text/plain; charset=utf-8", body: body.into() }
    }
}

/// Reads one request and writes what `respond` gives for its path.
pub(crate) fn serve_one(mut stream: impl Connection, mut respond: impl FnMut(&str) -> Response) -> io::Result<()> {
    let end = Instant::now() + TIMEOUT;
    let request = read_request(&mut stream, end)?;
    let (response, body) = match parse(&request) {
        Ok(("GET", path)) => (respond(path), true),
        Ok(("HEAD", path)) => (respond(path), false),
        Ok(_) => (Response::text("405 Method Not Allowed", "only GET and HEAD\n"), true),
        Err(why) => (Response::text("400 Bad Request", format!("{why}\n")), true),
    };
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nAllow: GET, HEAD\r\nConnection: close\r\n\r\n",
        response.status,
        response.content_type,
        response.body.len()
    );
    write(&mut stream, head.as_bytes(), end)?;
    if body { write(&mut stream, response.body.as_bytes(), end) } else { Ok(()) }
}

fn time_left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Reads up to the empty line that ends a request's head.
fn read_request(stream: &mut impl Connection, end: Instant) -> io::Result<Vec<u8>> {
    let mut request = vec![0; LONGEST_REQUEST];
    let mut length = 0;
    while length < request.len() && !request[..length].windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        stream.set_timeout(time_left(end)?)?;
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
        stream.set_timeout(time_left(end)?)?;
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

//! The part of HTTP/1.1 that a scraper and `--status` need: one request per connection.
//!
//! A [`Connection`] never waits: it reads and writes what it can, so that one thread serves many clients and a slow one holds up
//! nobody. A request has at most 8 KiB.

use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, Instant};

const LONGEST_REQUEST: usize = 8 << 10;

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    /// For the head of its request, from the connection's start.
    pub(crate) head: Duration,
    /// To take the response.
    pub(crate) response: Duration,
}

/// What a client asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request<'a> {
    pub(crate) method: Method,
    /// Without a query.
    pub(crate) path: &'a str,
    /// The name that the client used for this host, with a port; absent if it sent none.
    pub(crate) host: Option<&'a str>,
}

/// The methods that are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Head,
    Put,
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

    pub(crate) fn method_not_allowed() -> Self {
        Self::text("405 Method Not Allowed", "only GET and HEAD\n")
    }
}

/// A client, from its connection to the end of its response. The stream does not block.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    pub(crate) stream: S,
    timeouts: Timeouts,
    deadline: Instant,
    exchange: Exchange,
}

#[derive(Debug)]
enum Exchange {
    Request(Vec<u8>),
    Response { bytes: Vec<u8>, written: usize },
}

impl<S: Read + Write> Connection<S> {
    pub(crate) fn new(stream: S, timeouts: Timeouts) -> Self {
        let exchange = Exchange::Request(Vec::new());
        Self { stream, timeouts, deadline: Instant::now() + timeouts.head, exchange }
    }

    /// When it is closed, even in the middle of a request.
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether its request is not complete yet.
    pub(crate) fn reads(&self) -> bool {
        matches!(self.exchange, Exchange::Request(_))
    }

    /// Reads or writes what can be read or written now. Gives false when the connection is over.
    pub(crate) fn advance(&mut self, respond: &mut dyn FnMut(Request<'_>) -> Response) -> bool {
        match self.step(respond) {
            Ok(open) => open,
            Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        }
    }

    fn step(&mut self, respond: &mut dyn FnMut(Request<'_>) -> Response) -> io::Result<bool> {
        if let Exchange::Request(request) = &mut self.exchange {
            let mut piece = [0; 1024];
            loop {
                let read = self.stream.read(&mut piece)?;
                request.extend_from_slice(&piece[..read]);
                if read == 0 || request.len() >= LONGEST_REQUEST || head_ends(request) {
                    break;
                }
            }
            let bytes = response_to(request, respond);
            self.exchange = Exchange::Response { bytes, written: 0 };
            self.deadline = Instant::now() + self.timeouts.response;
        }
        if let Exchange::Response { bytes, written } = &mut self.exchange {
            while *written < bytes.len() {
                match self.stream.write(&bytes[*written..])? {
                    0 => return Ok(false),
                    more => *written += more,
                }
            }
        }
        Ok(false)
    }
}

fn response_to(request: &[u8], respond: &mut dyn FnMut(Request<'_>) -> Response) -> Vec<u8> {
    let (response, with_body) = match parse(request) {
        Ok(request) => (respond(request), request.method != Method::Head),
        Err(response) => (response, true),
    };
    let Response { status, content_type, body } = response;
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\nAllow: GET, HEAD\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    );
    if with_body { head + &body } else { head }.into_bytes()
}

/// Whether an empty line ends the head. A line may end without a carriage return (RFC 9112, 2.2).
fn head_ends(request: &[u8]) -> bool {
    request.windows(2).any(|bytes| bytes == b"\n\n") || request.windows(3).any(|bytes| bytes == b"\n\r\n")
}

/// The value of the first `Host` field; a value that is not text is not a name of this host.
fn host(request: &[u8]) -> Option<&str> {
    let fields = request.split(|byte| *byte == b'\n').skip(1);
    let mut values = fields.filter_map(|field| {
        let (name, value) = field.split_at(field.iter().position(|byte| *byte == b':')?);
        name.eq_ignore_ascii_case(b"host").then(|| std::str::from_utf8(&value[1..]).map_or("\u{fffd}", str::trim))
    });
    values.next()
}

/// Method and path of a request; a query is left out.
fn parse(request: &[u8]) -> Result<Request<'_>, Response> {
    let bad = |why: &str| Response::text("400 Bad Request", format!("{why}\n"));
    if !head_ends(request) {
        return Err(bad("the request is incomplete, or longer than 8 KiB"));
    }
    let line = request.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut words = std::str::from_utf8(line).map_err(|_| bad("the request is not text"))?.split(' ');
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some(method), Some(target), Some("HTTP/1.0" | "HTTP/1.1"), None) if target.starts_with('/') => {
            let method = match method {
                "GET" => Method::Get,
                "HEAD" => Method::Head,
                "PUT" => Method::Put,
                _ => return Err(Response::method_not_allowed()),
            };
            Ok(Request { method, path: target.split('?').next().unwrap_or_default(), host: host(request) })
        }
        _ => Err(bad("not an HTTP/1.1 request")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_request_is_found() {
        let host = |request: &str| parse(request.as_bytes()).unwrap().host.map(str::to_owned);
        assert_eq!(host("GET / HTTP/1.1\r\nA: b\r\nhOST:  a:1 \r\n\r\n").as_deref(), Some("a:1"));
        assert_eq!(host("GET / HTTP/1.1\r\n\r\n"), None);
    }

    #[test]
    fn requests_are_read_or_refused() {
        let parsed = |bytes| parse(bytes).map(|request| (request.method, request.path.to_owned())).ok();
        let read = |method, path: &str| Some((method, path.to_owned()));
        assert_eq!(parsed(b"GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\n\r\n"), read(Method::Get, "/metrics"));
        assert_eq!(parsed(b"HEAD / HTTP/1.0\r\n\r\n"), read(Method::Head, "/"));
        assert_eq!(parsed(b"GET / HTTP/1.1\nHost: a\n\n"), read(Method::Get, "/"), "bare line feeds");
        assert_eq!(parsed(b"GET / HTTP/1.1\nHost: a\n\r\n"), read(Method::Get, "/"), "bare line feeds");
        assert_eq!(parse(b"POST / HTTP/1.1\n\n").unwrap_err().status, "405 Method Not Allowed");
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

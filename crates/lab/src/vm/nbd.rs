//! Serves a disk to QEMU over a socket (Network Block Device), with a delay for each request.
//!
//! QEMU can limit a disk's rates but cannot delay its requests. One thread reads requests, performs them on a file and asks the [`Limits`] when
//! they would be done; another sends the replies at that time. The protocol is the "fixed newstyle" handshake with `NBD_OPT_GO` and simple
//! replies (NetworkBlockDevice/nbd, doc/proto.md).

use pagetide_core::{Bytes, Error, Nanos};
use pagetide_sim::IoKind;
use pagetide_sim::disk::Limits;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054; // IHAVEOPT
const OPTION_REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
const REQUEST_MAGIC: u32 = 0x2560_9513;
const REPLY_MAGIC: u32 = 0x6744_6698;

const OPTION_ABORT: u32 = 2;
const OPTION_INFO: u32 = 6;
const OPTION_GO: u32 = 7;
const REPLY_ACK: u32 = 1;
const REPLY_INFO: u32 = 3;
const REPLY_UNSUPPORTED: u32 = (1 << 31) + 1;

const READ: u16 = 0;
const WRITE: u16 = 1;
const DISCONNECT: u16 = 2;
const FLUSH: u16 = 3;

/// NBD_FLAG_HAS_FLAGS and NBD_FLAG_SEND_FLUSH.
const FLAGS: u16 = 1 | 4;
const INVALID: u32 = 22;
const IO_ERROR: u32 = 5;
/// QEMU splits what is larger.
const MAX_REQUEST_BYTES: u32 = 32 << 20;

/// A reply that waits for its time.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Answer {
    due: Instant,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct State {
    device: Option<Limits>,
    answers: BinaryHeap<Reverse<Answer>>,
    closed: bool,
}

#[derive(Debug)]
struct Shared {
    began: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    fn now(&self) -> Nanos {
        Nanos::new(u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}

/// A disk that is being served. It ends with its client or when dropped.
#[derive(Debug)]
pub(super) struct Server {
    shared: Arc<Shared>,
    socket: UnixStream,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Serves `file` as a disk of `size`, without a delay until [`Self::limit`] is called. Returns the client's end of the socket.
    ///
    /// # Errors
    /// A socket or a thread cannot be created.
    pub(super) fn start(file: File, size: Bytes) -> Result<(Self, OwnedFd), Error> {
        let refuse = |error: io::Error| Error::system(format!("cannot serve a disk to the VM: {error}"), "");
        let (socket, client) = UnixStream::pair().map_err(refuse)?;
        let state = State { device: None, answers: BinaryHeap::new(), closed: false };
        let shared = Arc::new(Shared { began: Instant::now(), state: Mutex::new(state), changed: Condvar::new() });
        let mut server = Self { shared, socket, threads: Vec::new() };
        let (shared, reader) = (Arc::clone(&server.shared), server.socket.try_clone().map_err(refuse)?);
        let end = server.socket.try_clone().map_err(refuse)?;
        server.spawn("pagetide-disk", move || {
            // An error means that the client is gone: QEMU has ended, and the run reports why.
            let _ = serve(reader, &file, size, &shared);
            // Other descriptors of this socket are still open, so without this a client that waits for end of file would wait for ever.
            let _ = end.shutdown(std::net::Shutdown::Both);
            shared.close();
        })?;
        let (shared, writer) = (Arc::clone(&server.shared), server.socket.try_clone().map_err(refuse)?);
        server.spawn("pagetide-delay", move || {
            // By default timers may be 50 us late (prctl(2), PR_SET_TIMERSLACK), which would add to every request.
            let _ = rustix::thread::set_current_timer_slack(core::num::NonZeroU64::new(1));
            let _ = answer(writer, &shared);
        })?;
        Ok((server, client.into()))
    }

    /// From now on the disk is as slow as `device`.
    pub(super) fn limit(&self, device: Limits) {
        self.shared.state().device = Some(device);
    }

    fn spawn(&mut self, name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
        let thread = Builder::new().name(name.into()).spawn(run);
        self.threads.push(thread.map_err(|error| Error::system(format!("cannot start a thread: {error}"), ""))?);
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is closed already if the client went first.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        self.shared.close();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Sends the replies, each at its time.
fn answer(mut socket: UnixStream, shared: &Shared) -> io::Result<()> {
    let mut state = shared.state();
    loop {
        if state.closed {
            return Ok(());
        }
        let now = Instant::now();
        let Some(Reverse(first)) = state.answers.peek() else {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        if let Some(left) = first.due.checked_duration_since(now).filter(|left| !left.is_zero()) {
            state = shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        if let Some(Reverse(due)) = state.answers.pop() {
            drop(state);
            socket.write_all(&due.bytes)?;
            state = shared.state();
        }
    }
}

/// Performs the handshake, then serves requests until the client goes.
fn serve(mut socket: UnixStream, file: &File, size: Bytes, shared: &Shared) -> io::Result<()> {
    if !shake_hands(&mut socket, size)? {
        return Ok(());
    }
    loop {
        let mut head = [0; 28];
        socket.read_exact(&mut head)?;
        let request = Request::parse(&head)?;
        let mut data = Vec::new();
        if request.kind == WRITE {
            data.resize(request.length as usize, 0);
            socket.read_exact(&mut data)?;
        }
        // The delay counts from the arrival of the request, not from the end of IO on the host's file.
        let now = shared.now();
        let mut error = 0;
        let mut done = |result: io::Result<()>| error = if result.is_ok() { 0 } else { IO_ERROR };
        let inside = request.offset.checked_add(u64::from(request.length)).is_some_and(|end| end <= size.get());
        match request.kind {
            DISCONNECT => return Ok(()),
            READ | WRITE if !inside || request.length > MAX_REQUEST_BYTES => {
                data.clear();
                error = INVALID;
            }
            READ => {
                data.resize(request.length as usize, 0);
                done(file.read_exact_at(&mut data, request.offset));
                if error != 0 {
                    data.clear();
                }
            }
            WRITE => {
                done(file.write_all_at(&data, request.offset));
                data.clear();
            }
            // The file lives only as long as the VM, so nothing has to reach the host's disk.
            FLUSH => {}
            _ => error = INVALID,
        }
        let mut bytes = Vec::with_capacity(16 + data.len());
        bytes.extend_from_slice(&REPLY_MAGIC.to_be_bytes());
        bytes.extend_from_slice(&error.to_be_bytes());
        bytes.extend_from_slice(&request.handle.to_be_bytes());
        bytes.extend_from_slice(&data);
        let kind = match request.kind {
            READ => IoKind::Read,
            WRITE => IoKind::Write,
            _ => IoKind::Flush,
        };
        let size = Bytes::new(u64::from(request.length));
        let mut state = shared.state();
        let done_at = state.device.as_mut().map_or(now, |device| device.done_at(now, kind, size));
        let due = shared.began + Duration::from_nanos(done_at.get());
        state.answers.push(Reverse(Answer { due, bytes }));
        drop(state);
        shared.changed.notify_all();
    }
}

/// A client's request.
#[derive(Debug)]
struct Request {
    kind: u16,
    handle: u64,
    offset: u64,
    length: u32,
}

impl Request {
    fn parse(head: &[u8; 28]) -> io::Result<Self> {
        let mut fields = Fields(head);
        if fields.u32() != REQUEST_MAGIC {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a request"));
        }
        let _flags = fields.u16();
        Ok(Self { kind: fields.u16(), handle: fields.u64(), offset: fields.u64(), length: fields.u32() })
    }
}

/// Reads big-endian numbers from bytes; zero past their end.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (head, rest) = self.0.split_at_checked(N).unwrap_or((&[], &[]));
        self.0 = rest;
        head.try_into().unwrap_or([0; N])
    }
    fn u16(&mut self) -> u16 {
        u16::from_be_bytes(self.take())
    }
    fn u32(&mut self) -> u32 {
        u32::from_be_bytes(self.take())
    }
    fn u64(&mut self) -> u64 {
        u64::from_be_bytes(self.take())
    }
}

/// The fixed newstyle handshake. Returns whether the client wants the disk.
fn shake_hands(socket: &mut UnixStream, size: Bytes) -> io::Result<bool> {
    socket.write_all(b"NBDMAGICIHAVEOPT\x00\x03")?;
    let mut flags = [0; 4];
    socket.read_exact(&mut flags)?;
    loop {
        let mut head = [0; 16];
        socket.read_exact(&mut head)?;
        let mut fields = Fields(&head);
        let (magic, option, length) = (fields.u64(), fields.u32(), fields.u32());
        if magic != OPTION_MAGIC || length > 4096 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not an option"));
        }
        let mut data = vec![0; length as usize];
        socket.read_exact(&mut data)?;
        let mut reply = |kind: u32, data: &[u8]| -> io::Result<()> {
            let mut bytes = Vec::with_capacity(20 + data.len());
            bytes.extend_from_slice(&OPTION_REPLY_MAGIC.to_be_bytes());
            bytes.extend_from_slice(&option.to_be_bytes());
            bytes.extend_from_slice(&kind.to_be_bytes());
            bytes.extend_from_slice(&u32::try_from(data.len()).unwrap_or(0).to_be_bytes());
            bytes.extend_from_slice(data);
            socket.write_all(&bytes)
        };
        match option {
            OPTION_INFO | OPTION_GO => {
                // NBD_INFO_EXPORT: its number 0, the size, the flags.
                let mut export = vec![0, 0];
                export.extend_from_slice(&size.get().to_be_bytes());
                export.extend_from_slice(&FLAGS.to_be_bytes());
                reply(REPLY_INFO, &export)?;
                reply(REPLY_ACK, &[])?;
                if option == OPTION_GO {
                    return Ok(true);
                }
            }
            OPTION_ABORT => {
                reply(REPLY_ACK, &[])?;
                return Ok(false);
            }
            _ => reply(REPLY_UNSUPPORTED, &[])?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Client(UnixStream);

    impl Client {
        fn connect(fd: OwnedFd, size: u64) -> Self {
            let mut socket = UnixStream::from(fd);
            let mut hello = [0; 18];
            socket.read_exact(&mut hello).unwrap();
            assert_eq!(&hello, b"NBDMAGICIHAVEOPT\x00\x03");
            socket.write_all(&3u32.to_be_bytes()).unwrap();
            // An option that the server does not know, then NBD_OPT_GO.
            for option in [8u32, OPTION_GO] {
                let data: &[u8] = if option == OPTION_GO { &[0; 6] } else { &[] };
                socket.write_all(&OPTION_MAGIC.to_be_bytes()).unwrap();
                socket.write_all(&option.to_be_bytes()).unwrap();
                socket.write_all(&u32::try_from(data.len()).unwrap().to_be_bytes()).unwrap();
                socket.write_all(data).unwrap();
                let mut reply = [0; 20];
                socket.read_exact(&mut reply).unwrap();
                let mut fields = Fields(&reply[12..]);
                let (kind, length) = (fields.u32(), fields.u32());
                if option == 8 {
                    assert_eq!((kind, length), (REPLY_UNSUPPORTED, 0));
                } else {
                    assert_eq!((kind, length), (REPLY_INFO, 12));
                    let mut export = [0; 12];
                    socket.read_exact(&mut export).unwrap();
                    assert_eq!(Fields(&export[2..]).u64(), size);
                    socket.read_exact(&mut reply).unwrap();
                    assert_eq!(Fields(&reply[12..]).u32(), REPLY_ACK);
                }
            }
            Self(socket)
        }

        fn ask(&mut self, kind: u16, handle: u64, offset: u64, length: u32, data: &[u8]) {
            let mut bytes = REQUEST_MAGIC.to_be_bytes().to_vec();
            bytes.extend([0, 0]);
            bytes.extend(kind.to_be_bytes());
            bytes.extend(handle.to_be_bytes());
            bytes.extend(offset.to_be_bytes());
            bytes.extend(length.to_be_bytes());
            bytes.extend(data);
            self.0.write_all(&bytes).unwrap();
        }

        fn answer(&mut self, length: usize) -> (u32, u64, Vec<u8>) {
            let mut head = [0; 16];
            self.0.read_exact(&mut head).unwrap();
            let mut fields = Fields(&head);
            assert_eq!(fields.u32(), REPLY_MAGIC);
            let (error, handle) = (fields.u32(), fields.u64());
            let mut data = vec![0; if error == 0 { length } else { 0 }];
            self.0.read_exact(&mut data).unwrap();
            (error, handle, data)
        }
    }

    fn disk() -> (Server, Client) {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 20).unwrap();
        let (server, fd) = Server::start(file, Bytes::new(1 << 20)).unwrap();
        (server, Client::connect(fd, 1 << 20))
    }

    #[test]
    fn what_is_written_is_read_and_outside_is_refused() {
        let (_server, mut client) = disk();
        client.ask(WRITE, 1, 4096, 4, b"page");
        assert_eq!(client.answer(0), (0, 1, vec![]));
        client.ask(READ, 2, 4094, 8, &[]);
        assert_eq!(client.answer(8), (0, 2, b"\0\0page\0\0".to_vec()));
        client.ask(READ, 3, (1 << 20) - 4, 8, &[]);
        assert_eq!(client.answer(8).0, INVALID);
        client.ask(WRITE, 4, u64::MAX, 1, b"x");
        assert_eq!(client.answer(0).0, INVALID);
        client.ask(99, 5, 0, 0, &[]);
        assert_eq!(client.answer(0), (INVALID, 5, vec![]));
        client.ask(FLUSH, 6, 0, 0, &[]);
        assert_eq!(client.answer(0), (0, 6, vec![]));
    }

    #[test]
    fn each_request_takes_its_time_and_those_in_flight_overlap() {
        let (server, mut client) = disk();
        // At an hour each, they must wait in parallel, or the second would not begin to wait.
        server.limit(Limits::new(Nanos::new(3_600_000_000_000), None, None, Nanos::ZERO));
        for handle in 0..8 {
            client.ask(READ, handle, handle * 4096, 4096, &[]);
        }
        let patience = Instant::now() + Duration::from_secs(120);
        while server.shared.state().answers.len() < 8 {
            assert!(Instant::now() < patience, "{:?}", server.shared.state());
            std::thread::sleep(Duration::from_millis(1));
        }
        drop((server, client));
        let (server, mut client) = disk();
        let latency = Duration::from_millis(20);
        server.limit(Limits::new(Nanos::new(20_000_000), None, None, Nanos::ZERO));
        let began = Instant::now();
        for handle in 0..8 {
            client.ask(READ, handle, handle * 4096, 4096, &[]);
        }
        for handle in 0..8 {
            assert_eq!(client.answer(4096).1, handle, "in order of their times");
        }
        assert!(began.elapsed() >= latency);
        let began = Instant::now();
        for handle in 0..3 {
            client.ask(READ, handle, 0, 512, &[]);
            client.answer(512);
        }
        assert!(began.elapsed() >= 3 * latency);
    }

    #[test]
    fn a_client_that_goes_ends_it() {
        let (server, client) = disk();
        drop(client);
        drop(server);
        let (_server, mut client) = disk();
        client.ask(DISCONNECT, 0, 0, 0, &[]);
        assert_eq!(client.0.read(&mut [0; 1]).unwrap(), 0, "no answer, the end");
    }
}

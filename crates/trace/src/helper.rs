//! A helper process that has the rights, for a recorder that has none.
//!
//! The recorder connects to a socket; the helper attaches to the tracepoints and hands the descriptors of the rings and of the map of
//! totals over. The recorder maps them: all it can do with them is read what comes. It asks the helper to switch the trace on and off,
//! one byte each, and the helper detaches and ends when the recorder closes the socket, however it ended.

use crate::attachment::{Attachment, Description};
use crate::format::Format;
use crate::missing::Missing;
use crate::options::{Method, Options};
use crate::sampling::Sampling;
use crate::tracepoint::Tracepoint;
use pagetide_core::Error;
use rustix::io::{IoSlice, IoSliceMut};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType, recvmsg, sendmsg, socket_with, sockopt,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// The first line of each side: the protocol and its version.
const GREETING: &str = "pagetide-trace 1";
/// A message is no longer.
const MESSAGE_MAX: usize = 64 << 10;
/// Descriptors in a message (`SCM_MAX_FD` is 253).
const DESCRIPTORS: usize = 128;
/// How long the recorder waits for an answer of the helper.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long all of an offer may take.
const OFFER: Duration = Duration::from_secs(5);
/// Rings at most: one for each CPU.
const RINGS_MAX: usize = 8192;

/// What the helper offers.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) switch: RemoteSwitch,
    pub(crate) description: Description,
    pub(crate) rings: Vec<OwnedFd>,
    pub(crate) counts: Option<OwnedFd>,
}

/// The connection to the helper: asks it to switch the trace on and off. Closing it ends the helper.
#[derive(Debug)]
pub(crate) struct RemoteSwitch(OwnedFd);

impl AsFd for RemoteSwitch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl RemoteSwitch {
    /// Why the helper is gone.
    pub(crate) fn ended() -> Error {
        Error::system("the trace helper ended", "see its messages in the journal")
    }

    pub(crate) fn switch(&self, on: bool) -> Result<(), Error> {
        let failed = |error: io::Error| match error.kind() {
            // It ended before it was asked, or before it answered.
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => Self::ended(),
            _ => Error::system(format!("the trace helper does not answer: {error}"), "see its messages in the journal"),
        };
        send(self.0.as_fd(), if on { b"1" } else { b"0" }, &[]).map_err(failed)?;
        let (answer, _) = receive(self.0.as_fd()).map_err(failed)?;
        match answer.as_slice() {
            b"done" => Ok(()),
            b"" => Err(Self::ended()),
            other => Err(Error::system(String::from_utf8_lossy(other).into_owned(), "")),
        }
    }
}

/// Connects to the helper that listens at this socket.
pub(crate) fn connect(socket: &Path, options: Options) -> Result<Offer, Error> {
    let refused = |error: io::Error| {
        let hint = "start it: systemctl enable --now pagetide-trace.socket (docs/SERVICE.md)";
        Error::system(format!("the trace helper at {}: {error}", socket.display()), hint)
    };
    let end = Instant::now() + OFFER;
    let connection = open(socket).map_err(refused)?;
    let filters = u8::from(options.method == Method::Filters);
    send(connection.as_fd(), format!("{GREETING}\n{}\n{filters}\n", options.shift).as_bytes(), &[]).map_err(refused)?;
    let (text, mut descriptors) = receive(connection.as_fd()).map_err(refused)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let Some(offer) = text.strip_prefix(GREETING) else {
        // The helper says why it cannot.
        let (what, hint) = text.split_once('\n').unwrap_or((&text, ""));
        return Err(Error::system(format!("the trace helper: {what}"), hint.trim()));
    };
    let Some((rings, description)) = parse(offer) else {
        return Err(refused(io::Error::new(io::ErrorKind::InvalidData, "its offer cannot be read")));
    };
    let wanted = rings + usize::from(description.counted_cpus.is_some());
    while descriptors.len() < wanted {
        if Instant::now() > end {
            return Err(refused(io::ErrorKind::TimedOut.into()));
        }
        let (_, more) = receive(connection.as_fd()).map_err(refused)?;
        if more.is_empty() {
            return Err(refused(io::Error::new(io::ErrorKind::InvalidData, "it sent too few descriptors")));
        }
        descriptors.extend(more);
    }
    // Only the kernel's own objects may be mapped: a mapped file could be truncated.
    if descriptors.len() != wanted || !descriptors.iter().all(is_kernels) {
        return Err(refused(io::Error::new(io::ErrorKind::InvalidData, "it sent something other than rings")));
    }
    let counts = description.counted_cpus.and_then(|_| descriptors.pop());
    Ok(Offer { switch: RemoteSwitch(connection), description, rings: descriptors, counts })
}

/// Connects. Neither that nor what follows waits for long: the helper may have been stopped, or its queue may be full.
fn open(socket: &Path) -> io::Result<OwnedFd> {
    let connection = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    sockopt::set_socket_timeout(&connection, sockopt::Timeout::Recv, Some(PATIENCE))?;
    sockopt::set_socket_timeout(&connection, sockopt::Timeout::Send, Some(PATIENCE))?;
    rustix::net::connect(&connection, &SocketAddrUnix::new(socket)?)?;
    Ok(connection)
}

/// Whether a descriptor is of a perf event or of a map of BPF, by the name that the kernel gives it, which no file can have.
fn is_kernels(descriptor: &OwnedFd) -> bool {
    let name = rustix::fs::readlink(format!("/proc/self/fd/{}", descriptor.as_raw_fd()), Vec::new());
    name.is_ok_and(|name| matches!(name.to_bytes(), b"anon_inode:[perf_event]" | b"anon_inode:bpf-map"))
}

/// Serves one recorder at a connected socket until it closes its end.
pub fn serve(connection: &OwnedFd) -> Result<(), Error> {
    let broken = |error: io::Error| Error::system(format!("the connection to the recorder: {error}"), "");
    let (request, _) = receive(connection.as_fd()).map_err(broken)?;
    let Some(options) = parse_request(&String::from_utf8_lossy(&request)) else {
        let hint = "the recorder and its helper must be of the same version of pagetide";
        let _ = send(connection.as_fd(), format!("cannot read the request\n{hint}").as_bytes(), &[]);
        return Err(Error::input("cannot read the recorder's request", hint));
    };
    let mut attachment = match Attachment::open(options) {
        Ok(attachment) => attachment,
        Err(error) => {
            let _ = send(connection.as_fd(), format!("{}\n{}", error.what, error.hint).as_bytes(), &[]);
            return Err(error);
        }
    };
    let descriptors: Vec<BorrowedFd<'_>> = attachment.rings().chain(attachment.counts()).map(AsFd::as_fd).collect();
    let text = offer(&attachment.description, attachment.rings().count());
    let mut text = text.as_bytes();
    for some in descriptors.chunks(DESCRIPTORS) {
        send(connection.as_fd(), text, some).map_err(broken)?;
        text = b"more";
    }
    loop {
        let (command, _) = receive(connection.as_fd()).map_err(broken)?;
        let switched = match command.as_slice() {
            b"1" => attachment.enable(),
            b"0" => attachment.disable(),
            _ => return Ok(()),
        };
        let answer = switched.map_or_else(|error| error.what, |()| "done".to_owned());
        send(connection.as_fd(), answer.as_bytes(), &[]).map_err(broken)?;
    }
}

fn parse_request(text: &str) -> Option<Options> {
    let mut lines = text.strip_prefix(GREETING)?.strip_prefix('\n')?.lines();
    let shift = lines.next()?.parse().ok()?;
    let method = match lines.next()? {
        "0" => Method::Auto,
        "1" => Method::Filters,
        _ => return None,
    };
    Some(Options { shift, method })
}

/// Everything but the descriptors, as lines of text. Formats are in the kernel's own form.
fn offer(description: &Description, rings: usize) -> String {
    let mut text = format!("{GREETING}\n{rings} {}", description.ring_bytes);
    let place = description.sampling.place().map_or_else(|| "hash".to_owned(), |place| place.to_string());
    let counted = description.counted_cpus.map_or_else(|| "-".to_owned(), |cpus| cpus.to_string());
    let _ = writeln!(text, " {} {place} {counted}", description.sampling.shift());
    for Missing { why, lost, hint } in &description.missing {
        let _ = writeln!(text, "missing\t{why}\t{lost}\t{hint}");
    }
    for (tracepoint, format) in &description.formats {
        let _ = write!(text, "tracepoint\t{}\n{}", tracepoint.name(), format.to_text());
    }
    text
}

/// The number of rings, and the description.
fn parse(text: &str) -> Option<(usize, Description)> {
    let mut lines = text.strip_prefix('\n')?.lines();
    let head: Vec<&str> = lines.next()?.split(' ').collect();
    let [rings, ring_bytes, shift, place, counted] = head.as_slice() else { return None };
    let shift = shift.parse().ok()?;
    let sampling = match *place {
        "hash" => Sampling::by_hash(shift),
        place => Sampling::by_place(shift, place.parse().ok()?),
    };
    let counted_cpus = if *counted == "-" { None } else { Some(counted.parse().ok().filter(|cpus| *cpus <= 8192)?) };
    let (mut missing, mut formats) = (Vec::new(), BTreeMap::<Tracepoint, String>::new());
    let mut described = None;
    for line in lines {
        let mut words = line.split('\t');
        match words.next()? {
            "missing" => {
                let mut word = || words.next().map(str::to_owned);
                missing.push(Missing { why: word()?, lost: word()?, hint: word()? });
            }
            "tracepoint" => {
                let name = words.next()?;
                described = Some(Tracepoint::all().find(|tracepoint| tracepoint.name() == name)?);
            }
            _ => {
                let text = formats.entry(described?).or_default();
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    let formats = formats.into_iter().map(|(tracepoint, text)| Some((tracepoint, Format::parse(&text)?)));
    let formats = formats.collect::<Option<_>>()?;
    let ring_bytes: usize = ring_bytes.parse().ok()?;
    let rings: usize = rings.parse().ok().filter(|rings| (1..=RINGS_MAX).contains(rings))?;
    ring_bytes
        .is_power_of_two()
        .then_some((rings, Description { formats, sampling, missing, ring_bytes, counted_cpus }))
}

fn send(socket: BorrowedFd<'_>, text: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    sendmsg(socket, &[IoSlice::new(text)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// A message with its descriptors; empty when the other side has closed.
fn receive(socket: BorrowedFd<'_>) -> io::Result<(Vec<u8>, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut text = vec![0; MESSAGE_MAX];
    let received = loop {
        match recvmsg(socket, &mut [IoSliceMut::new(&mut text)], &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer"));
            }
            received => break received?,
        }
    };
    if received.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message was too long"));
    }
    text.truncate(received.bytes);
    let mut descriptors = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(fds) = message {
            descriptors.extend(fds);
        }
    }
    Ok((text, descriptors))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn description() -> Description {
        let format = "ID:601\nfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n";
        Description {
            formats: BTreeMap::from([(Tracepoint::Deleted, Format::parse(format).unwrap())]),
            sampling: Sampling::by_place(6, 37),
            missing: vec![Missing { why: "no \"x\"".into(), lost: "y".into(), hint: String::new() }],
            ring_bytes: 8 << 20,
            counted_cpus: Some(64),
        }
    }

    #[test]
    fn an_offer_is_read_as_it_was_written() {
        for (place, counted_cpus) in [(Sampling::by_hash(6), None), (Sampling::by_place(3, 5), Some(2))] {
            let description = Description { sampling: place, counted_cpus, ..description() };
            let text = offer(&description, 70);
            let (rings, read) = parse(text.strip_prefix(GREETING).unwrap()).unwrap();
            assert_eq!(rings, 70);
            assert_eq!(format!("{read:?}"), format!("{description:?}"));
        }
    }

    #[test]
    fn a_helper_that_ended_is_said_to_have_ended_whenever_that_is_noticed() {
        use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
        let pair = || socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let (own, other) = pair();
        drop(other);
        let asked = RemoteSwitch(own).switch(true).unwrap_err();
        assert_eq!(asked.what, RemoteSwitch::ended().what, "before it was asked");
        let (own, other) = pair();
        send(other.as_fd(), b"", &[]).unwrap();
        let answered = RemoteSwitch(own).switch(true).unwrap_err();
        assert_eq!(answered.what, RemoteSwitch::ended().what, "before it answered");
    }

    #[test]
    fn requests_of_another_version_are_refused() {
        assert!(parse_request("pagetide-trace 1\n6\n0\n").is_some());
        for text in ["pagetide-trace 2\n6\n0\n", "pagetide-trace 1\n6\n2\n", "pagetide-trace 1\nsix\n0\n", "", "1"] {
            assert!(parse_request(text).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_offer_is_read_or_refused(cut in 0usize..400, junk in ".{0,40}") {
            let text = offer(&description(), 2);
            let text = text.strip_prefix(GREETING).unwrap();
            let at = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= cut).last().unwrap_or(0);
            let _ = parse(&format!("{}{junk}{}", &text[..at], &text[at..]));
            let _ = parse(&text[..at]);
            let _ = parse_request(&junk);
        }
    }
}

//! `pagetide trace-helper`: attaches a trace for a recorder that has no rights to.

use super::Outcome;
use pagetide_core::Error;
use std::os::fd::AsFd;

/// Attach the trace for a recorder that lacks the rights to do it.
///
/// systemd starts it (`Accept=yes`) with a connected SOCK_SEQPACKET socket as its standard input. It exits when the recorder closes
/// its end.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  systemctl enable --now pagetide-trace.socket     then: pagetide record --trace=auto --trace-socket /run/pagetide-trace.sock

docs/SERVICE.md lists its rights and what it passes to the recorder.")]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments) -> Result<Outcome, Error> {
    let socket = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map_err(|error| Error::system(format!("standard input: {error}"), ""))?;
    if rustix::net::sockopt::socket_type(&socket) != Ok(rustix::net::SocketType::SEQPACKET) {
        let hint = "systemd starts it for each recorder that connects: systemctl enable --now pagetide-trace.socket";
        return Err(Error::input("standard input is not a SOCK_SEQPACKET socket", hint));
    }
    pagetide_trace::serve_helper(&socket).map(|()| Outcome::Done)
}

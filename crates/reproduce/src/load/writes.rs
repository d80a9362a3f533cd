//! What a command writes.

use super::kind::Kind;
use super::reads::MIN_STREAM_REQUEST;
use super::seen::{MIN_TRAFFIC, Seen, block};
use crate::guess::Guess;
use crate::recorded::PAGE;

/// Write calls per second from which on they matter to who waits for each page.
const MIN_CALLS: f64 = 0.1;

/// The files that it writes.
pub(super) fn kind(seen: &Seen<'_>, guesses: &mut Vec<Guess>) -> Option<Kind> {
    let (calm, trouble, host) = (seen.calm(), seen.trouble(), seen.host);
    let written = trouble.written.max(calm.written);
    if written <= MIN_TRAFFIC {
        return None;
    }
    let rate = seen.paced(trouble.written);
    let call = (calm.given + trouble.given) / (calm.write_calls + trouble.write_calls).max(1e-9);
    // What is written in order the kernel writes back in large requests, unless somebody syncs it.
    let random = (host.write_size < MIN_STREAM_REQUEST).then(|| (written * host.seconds).max(1e6));
    let block = if random.is_some() { block(call.min(host.write_size)) } else { block(call) };
    let direct = host.dirtied.is_some_and(|dirtied| trouble.written > 2.0 * dirtied);
    if direct {
        guesses.push(Guess::new(
            format!("{} writes past the page cache", seen.command.name),
            "it wrote twice as much as all programs dirtied in it",
        ));
    }
    Some(Kind::Write { rate, block, direct, sync_every: None, random: random.filter(|_| !direct) })
}

/// The lines of a log of a program that waits for each page. Most begin a page anew: the kernel took the last one.
pub(super) fn lines(seen: &Seen<'_>) -> Option<Kind> {
    let (calm, trouble) = (seen.calm(), seen.trouble());
    let calls = calm.write_calls.max(trouble.write_calls);
    let few = trouble.written.max(calm.written) <= MIN_TRAFFIC;
    (seen.host.is_throttled && few && calls >= MIN_CALLS).then_some(Kind::Write {
        rate: Some(calls * PAGE),
        block: PAGE,
        direct: false,
        sync_every: None,
        random: None,
    })
}

//! `/proc/loadavg` (`fs/proc/loadavg.c:loadavg_proc_show`).

use crate::error::{Error, Problem};
use crate::text::{fixed, lines, number};

const FILE: &str = "/proc/loadavg";

/// What `/proc/loadavg` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loadavg {
    /// Load averages over 1, 5 and 15 minutes, in thousandths.
    pub load_milli: [u64; 3],
    /// Runnable tasks.
    pub running: u64,
    /// Tasks that exist.
    pub total: u64,
    /// The process id that was given out last.
    pub last_pid: u64,
}

/// Parses `/proc/loadavg`.
pub fn parse_loadavg(text: &str) -> Result<Loadavg, Error> {
    let wrong = |problem| Error::line(FILE, 1, problem);
    let line = lines(FILE, text)?.next().map_or("", |(_, line)| line);
    let mut fields = line.split_ascii_whitespace();
    let mut next = || fields.next().ok_or_else(|| wrong(Problem::Short));
    let load = |field: &str| fixed(field, 3).ok_or_else(|| wrong(Problem::NotANumber));
    let load_milli = [load(next()?)?, load(next()?)?, load(next()?)?];
    let (running, total) = next()?.split_once('/').ok_or_else(|| wrong(Problem::Short))?;
    let whole = |field: &str| number(field).ok_or_else(|| wrong(Problem::NotANumber));
    Ok(Loadavg { load_milli, running: whole(running)?, total: whole(total)?, last_pid: whole(next()?)? })
}

/// The numbers as the sampler stores them.
pub fn values(text: &str) -> Result<[Option<u64>; 5], Error> {
    let Loadavg { load_milli: [one, five, fifteen], running, total, .. } = parse_loadavg(text)?;
    Ok([one, five, fifteen, running, total].map(Some))
}

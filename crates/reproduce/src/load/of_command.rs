//! The loads of a command.

use super::command_load::CommandLoad;
use super::compute::CpuTime;
use super::host_shape::{HostShape, MIN_MISS_SHARE};
use super::kind::Kind;
use super::parts::as_before_and_more;
use super::seen::Seen;
use super::{faults, reads, writes};
use crate::guess::Guess;
use crate::recorded::Command;

/// The loads of a command: one for each thing that it does.
pub(super) fn of(
    command: &Command,
    host: &HostShape,
    group_cache: Option<f64>,
    guesses: &mut Vec<Guess>,
) -> Vec<CommandLoad> {
    let seen = Seen::new(command, host, group_cache);
    let read = faults::kind(&seen, guesses).or_else(|| reads::kind(&seen, guesses));
    let mut kinds: Vec<Kind> = read.into_iter().chain(writes::kind(&seen, guesses)).collect();
    kinds.extend(grows(&seen, &kinds));
    let CpuTime { of_request, instead, beside } = CpuTime::of(&seen, &kinds, guesses);
    kinds.extend(instead);
    let mut loads: Vec<CommandLoad> = kinds.into_iter().flat_map(|kind| loads(&seen, kind)).collect();
    for load in &mut loads {
        load.compute = of_request[usize::from(!load.ran_before)];
        load.spread();
    }
    loads.extend(beside.map(|kind| CommandLoad::new(command, kind, false)));
    loads.extend(faults::code(&seen, guesses).map(|kind| CommandLoad::new(command, kind, true)));
    loads.extend(writes::lines(&seen).map(|kind| CommandLoad::new(command, kind, seen.ran_before)));
    loads
}

/// The memory that it takes beside what it does.
fn grows(seen: &Seen<'_>, kinds: &[Kind]) -> Option<Kind> {
    let (calm, trouble) = (seen.calm(), seen.trouble());
    // Each of those that came one after the other took it anew.
    let of_lives = seen.command.lives.iter().map(|life| life.took).reduce(f64::max);
    // What went to swap meanwhile it took as well.
    let grown = of_lives.or(seen.command.grew_by).unwrap_or_else(|| {
        trouble.anon.1 + (trouble.swapped - calm.swapped).max(0.0) - trouble.anon.0.min(calm.anon.1.max(calm.anon.0))
    });
    // Who comes and uses memory that is in swap has taken it for that.
    let touches = !seen.ran_before && kinds.iter().any(|kind| matches!(kind, Kind::Touch { data, .. } if *data > 0.0));
    (grown > seen.host.memory / 50.0 && !touches).then_some(Kind::Grow { to: grown, rate: 0.0 })
}

/// What it does as loads: of who ran before, what it did before, and what came on top.
fn loads(seen: &Seen<'_>, kind: Kind) -> Vec<CommandLoad> {
    let (calm, trouble, command) = (seen.calm(), seen.trouble(), seen.command);
    if !seen.ran_before {
        return vec![CommandLoad::new(command, kind, false)];
    }
    // What came on top of a cached set and misses the cache is no part of that set, unless it was evicted from it.
    let (read, asked) = (trouble.read - calm.read, trouble.asked - calm.asked);
    let anew =
        asked > 0.5 * calm.asked && read >= MIN_MISS_SHARE * asked && seen.host.refaulted < MIN_MISS_SHARE * read;
    match kind {
        // What each of its processes takes.
        Kind::Grow { .. } if !command.lives.is_empty() => vec![CommandLoad::new(command, kind, false)],
        Kind::WorkingSet { block, size, warm, .. } if anew => {
            let usual = Kind::WorkingSet { rate: calm.asked, block, size, warm };
            let cold = Kind::Cold { rate: seen.paced(read), block, direct: false };
            vec![CommandLoad::new(command, cold, false), CommandLoad::new(command, usual, true)]
        }
        // What it touches for the first time.
        Kind::WorkingSet { warm: false, .. } => vec![CommandLoad::new(command, kind, false)],
        kind => as_before_and_more(command, kind),
    }
}

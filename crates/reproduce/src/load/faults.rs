//! What a command does that reads from devices what no system call asks for: it touches mapped files, or memory that is in swap.

use super::kind::{Kind, TOUCHES_PER_FAULT};
use super::seen::{Seen, block};
use crate::guess::{Guess, megabytes};
use crate::recorded::{PAGE, Phase};

/// Of what a command reads from devices a smaller share that comes back after it was evicted says that it uses other pages than before: faults are
/// read around, and what is read beside the page that was evicted is no refault.
const MIN_SHARE_EVICTED: f64 = 0.25;

/// What it touches.
pub(super) fn kind(seen: &Seen<'_>, guesses: &mut Vec<Guess>) -> Option<Kind> {
    let faults = seen.faults?;
    let (calm, trouble, host) = (seen.calm(), seen.trouble(), seen.host);
    // What it touches beside what it did before, and nobody evicted or dropped, it touches for the first time.
    let touches_anew = calm.major_faults < 0.1 * trouble.major_faults
        && trouble.asked >= 0.5 * calm.asked
        && host.refaulted < MIN_SHARE_EVICTED * trouble.read
        && !host.is_dropped;
    // Who has as many major faults before the incident finds little of what it touches.
    let is_usual = seen.ran_before && !seen.in_swap && calm.major_faults > 0.5 * faults;
    if is_usual && seen.command.phase == Phase::Usual {
        return Some(usual(seen, faults, guesses));
    }
    if seen.ran_before && !touches_anew || seen.in_swap {
        return Some(again(seen, faults, guesses));
    }
    if seen.changed() {
        return Some(anew(seen, faults, guesses));
    }
    if host.had_read(trouble, seen.group_cache) {
        return Some(outgrown(seen, faults, guesses));
    }
    Some(for_the_first_time(seen, faults, guesses))
}

/// The code of a program, which it touches again when reclaim has taken it: of one that has some major faults beside what it does.
pub(super) fn code(seen: &Seen<'_>, guesses: &mut Vec<Guess>) -> Option<Kind> {
    /// Major faults per second from which on reclaim takes code.
    const MIN_FAULTS: f64 = 0.2;
    /// How often it touches a page of it, per second.
    const TOUCHES: f64 = 1.0;
    let (calm, trouble) = (seen.calm(), seen.trouble());
    let is_taken = seen.faults.is_none() && seen.host.refaulted > 0.0 && trouble.major_faults >= MIN_FAULTS;
    let is_there = seen.command.appeared.is_none() && calm.mapped >= PAGE;
    if !is_taken || !is_there {
        return None;
    }
    guesses.push(Guess::new(
        format!("{} touches each page of its {} of code once a second", seen.command.name, megabytes(calm.mapped)),
        "it has major faults in the incident, and evicted pages came back; nobody counts how often it touches one",
    ));
    Some(Kind::Touch { code: calm.mapped, data: 0.0, fill: None, rate: calm.mapped / PAGE * TOUCHES, warm: true })
}

/// Files that do not fit, before the incident.
fn usual(seen: &Seen<'_>, faults: f64, guesses: &mut Vec<Guess>) -> Kind {
    guesses.push(Guess::new(
        format!("{} touches mapped files at random that do not fit into memory", seen.command.name),
        "it has major faults before the incident, and no system calls for what it reads",
    ));
    let read = seen.calm().read;
    Kind::Cold { rate: Some(read), block: block(read / faults), direct: false }
}

/// Its memory where that is in swap, or files that were cached.
fn again(seen: &Seen<'_>, faults: f64, guesses: &mut Vec<Guess>) -> Kind {
    let name = &seen.command.name;
    // What it took since the onset is no part of what it touches all the time.
    let own = if seen.ran_before { seen.calm() } else { seen.trouble() };
    let data = if seen.in_swap { own.anon.1 + own.swapped } else { 0.0 };
    let code = if data > 0.0 { 0.0 } else { seen.cached().max(1e6) };
    let grew_for = seen.command.grew_for;
    // Who comes fills its memory, and then uses it.
    let fill = (data > 0.0 && !seen.ran_before && grew_for > 0.0).then(|| data / grew_for);
    // Until pages come back from swap nobody misses them.
    let faults = if data > 0.0 { seen.using().major_faults.max(faults) } else { faults };
    guesses.push(Guess::new(
        if data > 0.0 {
            format!("{name} uses all of its {} of memory", megabytes(data))
        } else {
            format!("{name} uses {} of mapped files at random", megabytes(code))
        },
        "it has major faults, and no system calls for what it reads",
    ));
    Kind::Touch { code, data, fill, rate: faults * TOUCHES_PER_FAULT, warm: true }
}

/// Other files than before the onset.
fn anew(seen: &Seen<'_>, faults: f64, guesses: &mut Vec<Guess>) -> Kind {
    guesses.push(Guess::new(
        format!("{} touches mapped files at random that nobody had read before", seen.command.name),
        "it has major faults from the onset on, and no system calls for what it reads",
    ));
    let read = seen.trouble().read;
    Kind::Cold { rate: Some(read), block: block(read / faults), direct: false }
}

/// Files that it had read before, and that do not fit.
fn outgrown(seen: &Seen<'_>, faults: f64, guesses: &mut Vec<Guess>) -> Kind {
    let code = seen.host.outgrown(seen.trouble(), seen.group_cache).max(1e6);
    guesses.push(Guess::new(
        format!("{} uses {} of mapped files at random, which do not fit into memory", seen.command.name, megabytes(code)),
        "most of what it reads from devices it reads again after it was evicted; it has major faults, and no system calls for it",
    ));
    // What comes back it had read before.
    Kind::Touch { code, data: 0.0, fill: None, rate: faults * TOUCHES_PER_FAULT, warm: true }
}

/// Files that nobody had read.
fn for_the_first_time(seen: &Seen<'_>, faults: f64, guesses: &mut Vec<Guess>) -> Kind {
    let (read, host) = (seen.trouble().read, seen.host);
    // A fault reads what is around it.
    let size = ((read - host.refaulted) * host.seconds).max(1e6);
    guesses.push(Guess::new(
        format!("{} uses {} of mapped files at random", seen.command.name, megabytes(size)),
        "what it reads from devices in the incident, less what it reads again; it has major faults, and no system calls for it",
    ));
    Kind::WorkingSet { rate: read, block: block(read / faults), size, warm: false }
}

//! What a command does that asks for files by system calls.

use super::host_shape::MIN_MISS_SHARE;
use super::kind::Kind;
use super::seen::{MIN_TRAFFIC, Seen, block};
use crate::guess::{Guess, megabytes};

/// Requests of this size on average are a stream.
pub(super) const MIN_STREAM_REQUEST: f64 = 48.0 * 1024.0;
/// A command that reads this many times what it asks for has more read for it than it wants.
const MORE_THAN_ASKED: f64 = 1.3;
/// What is read beside much more than this is no part of the same files: directories, or mapped files.
const MOST_SKIPPED: f64 = 8.0;

/// What it reads, if it reads enough.
pub(super) fn kind(seen: &Seen<'_>, guesses: &mut Vec<Guess>) -> Option<Kind> {
    let (calm, trouble) = (seen.calm(), seen.trouble());
    if trouble.read.max(calm.read).max(trouble.asked / 16.0).max(calm.asked / 16.0) <= MIN_TRAFFIC {
        return None;
    }
    // Who ran before the incident shows in the calm whether its files fit into memory.
    let usual = if seen.ran_before && calm.asked > 0.0 { calm } else { trouble };
    // Who comes and reads little again finds the rest in the cache because others had read it.
    let is_new = !seen.ran_before && seen.host.pass(trouble.read).is_none() && trouble.read > MIN_TRAFFIC;
    let misses = usual.read >= MIN_MISS_SHARE * usual.asked || is_new;
    Some(if misses { missed(seen, guesses) } else { working_set(seen, guesses) })
}

/// Bytes of a read call.
fn call(seen: &Seen<'_>) -> f64 {
    let (calm, trouble) = (seen.calm(), seen.trouble());
    (calm.asked + trouble.asked) / (calm.read_calls + trouble.read_calls).max(1e-9)
}

/// Files that are not in the page cache.
fn missed(seen: &Seen<'_>, guesses: &mut Vec<Guess>) -> Kind {
    let (trouble, host, name) = (seen.trouble(), seen.host, &seen.command.name);
    let (size, rate) = (call(seen), seen.paced(trouble.read));
    // Who passes the cache by reads no more than it asks for; of what no system call asked for that tells nothing.
    let more = trouble.read / trouble.asked.max(1.0);
    let is_read_on =
        !seen.ran_before && host.read_size >= MIN_STREAM_REQUEST && (MORE_THAN_ASKED..MOST_SKIPPED).contains(&more);
    let direct = host.reads_directly() && !is_read_on;
    let again = host.pass(trouble.read).filter(|_| !direct);
    // What others read in the incident says nothing of who read before.
    let read_size =
        host.usual_read_size.filter(|_| seen.ran_before && seen.calm().read > 0.0).unwrap_or(host.read_size);
    let is_large = size.max(read_size) >= MIN_STREAM_REQUEST || !seen.ran_before && host.read_size > 2.0 * size;
    let scattered = !direct && !seen.ran_before && host.waits_for_each(trouble, size);
    if is_large && !scattered {
        if let Some(pass) = again {
            guesses.push(Guess::new(
                format!("{name} reads {} of files again and again", megabytes(pass)),
                "what it read from devices, less what came back after it was evicted",
            ));
        }
        let stride = (is_read_on && again.is_none()).then(|| block(size) * more);
        if let Some(stride) = stride {
            guesses.push(Guess::new(
                format!("{name} reads {} of each {}", megabytes(block(size)), megabytes(stride)),
                "more was read from devices than it asked for: the kernel read on behind what it wanted",
            ));
        }
        return Kind::Stream { rate, block: block(size), direct, pass: again, stride };
    }
    if let Some(unique) = again.filter(|_| !seen.ran_before) {
        let drawn = drawn_from(unique, trouble.asked.max(trouble.read) * host.seconds);
        let outgrown = host.outgrown(trouble, seen.group_cache);
        let set = drawn.max(outgrown);
        guesses.push(Guess::new(
            format!("{name} uses {} of files at random, which do not fit into memory", megabytes(set)),
            "part of what it reads from devices it reads again after it was evicted: by that share of all that it asks for",
        ));
        let rate = trouble.asked.max(trouble.read);
        // What comes back at once it had read before.
        return Kind::WorkingSet { rate, block: block(size), size: set, warm: outgrown > 0.0 };
    }
    guesses.push(Guess::new(
        format!("{name} reads at random from files that do not fit into memory"),
        if scattered {
            "it waits for each of its reads, as if nothing was read ahead"
        } else {
            "its reads miss the page cache and are small"
        },
    ));
    Kind::Cold { rate, block: block(size), direct }
}

/// Files most of which it finds in the page cache.
fn working_set(seen: &Seen<'_>, guesses: &mut Vec<Guess>) -> Kind {
    let (calm, trouble, host, name) = (seen.calm(), seen.trouble(), seen.host, &seen.command.name);
    let hits = 1.0 - trouble.read / trouble.asked.max(1.0);
    let outgrew = seen.changed() && host.refaulted >= MIN_MISS_SHARE * trouble.read;
    let (set, why) = if outgrew {
        (
            seen.cached() / hits.max(0.05),
            "the file cache at the onset, by the share of what it asks for that it finds there",
        )
    } else if !seen.ran_before {
        (trouble.read * host.seconds, "what it reads from devices in the incident: it asks for it again and again")
    } else if let Some(cached) = seen.group_cache {
        (cached, "its part of its group's file cache at the onset")
    } else {
        (host.cache, "its part of the file cache at the onset")
    };
    let size = set.max(1e6);
    guesses.push(Guess::new(format!("{name} uses {} of files at random", megabytes(size)), why));
    let rate = calm.asked.max(trouble.asked);
    guesses.push(Guess::new(
        format!("{name} asks files for {} per second", megabytes(rate)),
        "all that its system calls read, of which pipes are a part",
    ));
    Kind::WorkingSet { rate, block: block(call(seen)), size, warm: seen.ran_before || outgrew }
}

/// Bytes of files of which so many different ones are read when so many are drawn at random.
fn drawn_from(different: f64, drawn: f64) -> f64 {
    const MAX_TIMES: f64 = 64.0;
    let read_of = |set: f64| set * (1.0 - (-drawn / set).exp());
    let (mut least, mut most) = (different, different * MAX_TIMES);
    if drawn <= different || read_of(most) < different {
        return most;
    }
    for _ in 0..40 {
        let middle = (least + most) / 2.0;
        if read_of(middle) < different {
            least = middle;
        } else {
            most = middle;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::drawn_from;

    #[test]
    fn so_many_different_ones_of_so_many_that_are_drawn_are_of_so_many() {
        // 1000 draws of 1000 find 632.
        assert!((drawn_from(632.1, 1000.0) - 1000.0).abs() < 2.0);
        assert!(drawn_from(1000.0, 1000.0) > 10_000.0, "all are different");
    }
}

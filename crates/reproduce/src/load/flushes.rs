//! Who waits for the flushes of the disks.

use super::command_load::CommandLoad;
use super::kind::Kind;
use crate::guess::Guess;
use crate::recorded::Stretch;
use crate::recorded::disk::{self, DiskModel};

/// Gives the flushes of the disks to those who write: nobody counts the syncs of a process. A flush of a journal serves all who wait for it.
/// Who wrote before the incident syncs as often as then, and who came has the flushes that came.
pub(crate) fn book_flushes(
    calm: &Stretch<'_>,
    trouble: &Stretch<'_>,
    disks: &[DiskModel],
    loads: &mut [CommandLoad],
    guesses: &mut Vec<Guess>,
) {
    // The kernel's own writeback and a journal that commits every five seconds flush less often.
    const COMMITS: f64 = 1.0;
    // Of a sync the journal flushes once before its commit block, and with that block (FUA, or a flush more).
    let syncs = |stretch: &Stretch<'_>| disks.iter().map(|disk| disk::flushes(stretch, &disk.name)).sum::<f64>() / 2.0;
    let all = syncs(trouble);
    // Who syncs waits for it: writers that wait have the flushes, in proportion to what they write. Delays are not always recorded.
    let told = loads.iter().any(|load| load.command.trouble.waits > 0.01);
    let is_writer =
        |load: &CommandLoad| matches!(load.kind, Kind::Write { .. }) && (!told || load.command.trouble.waits > 0.01);
    let written = |ran_before: bool| {
        let own = loads.iter().filter(|load| is_writer(load) && load.ran_before == ran_before);
        own.map(|load| {
            let (did, ran) = if ran_before { (&load.command.calm, 0) } else { (&load.command.trouble, 1) };
            did.written * load.command.ran[ran]
        })
        .sum::<f64>()
    };
    let [came, usual] = [false, true].map(written);
    let before = if usual <= 0.0 {
        0.0
    } else if came <= 0.0 {
        all
    } else {
        syncs(calm).min(all)
    };
    // The kernel merges what is written in order: a sync of several requests wrote at several places.
    const SCATTERED: f64 = 4.0;
    let write_size = disk::request_size(trouble, "writes", "write_sectors").unwrap_or(f64::MAX);
    let every = |bytes: f64, syncs: f64| (syncs >= COMMITS && bytes > 0.0).then(|| (bytes / syncs).max(4096.0));
    let every = [every(came, all - before), every(usual, before)];
    for load in loads.iter_mut().filter(|load| is_writer(load)) {
        let (Some(every), Kind::Write { sync_every, block, random, direct, .. }) =
            (every[usize::from(load.ran_before)], &mut load.kind)
        else {
            continue;
        };
        *sync_every = Some(every);
        // What is on the disk in order when it syncs is a few large requests; a checkpoint's pages are many small ones.
        *random = random.filter(|_| every > SCATTERED * write_size);
        // What is synced is on the disk at once, whichever way it took.
        *direct = false;
        let smaller = block.min(every).max(4096.0);
        load.compute *= smaller / *block;
        *block = smaller;
        guesses.push(Guess::new(
            format!("{} syncs every {:.0} KiB that it writes", load.command.name, every / 1024.0),
            "the flushes of the disks, booked to the writers that wait for IO",
        ));
    }
}

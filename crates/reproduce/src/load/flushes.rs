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
    // Who syncs waits for it: writers that wait have the flushes, in proportion to what they write; not one process that waits no longer than its reads
    // take. Of several some may read and others sync. Delays are not always recorded.
    const MIN_WAITS: f64 = 0.01;
    let read_size = disk::request_size(trouble, "reads", "read_sectors").unwrap_or(f64::MAX);
    let time_of_bytes = disk::read_time(trouble).unwrap_or(0.0) / read_size;
    let waits_to_write = |load: &CommandLoad| {
        let did = &load.command.trouble;
        let of_reads = if did.active > 1 { 0.0 } else { did.read * time_of_bytes };
        did.waits - of_reads > MIN_WAITS
    };
    let told = loads.iter().any(|load| load.command.trouble.waits > MIN_WAITS);
    let is_writer = |load: &CommandLoad| matches!(load.kind, Kind::Write { .. }) && (!told || waits_to_write(load));
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
        let is_scattered = every > SCATTERED * write_size;
        *random = random.filter(|_| is_scattered);
        // What is synced at once is on the disk at once, whichever way it took; of much that passes the page cache each write is a request.
        *direct &= is_scattered;
        let smaller = block.min(every).max(4096.0);
        load.compute *= smaller / *block;
        *block = smaller;
        guesses.push(Guess::new(
            format!("{} syncs every {:.0} KiB that it writes", load.command.name, every / 1024.0),
            "the flushes of the disks, booked to the writers that wait for IO",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::{Command, Did};
    use pagetide_core::{Column, Kind as MetricKind, Manifest, RecordingBuilder, Stamp, Table, Unit};

    #[test]
    fn a_process_that_waits_for_its_reads_alone_does_not_sync() {
        // A hundred reads of 4 KiB a second, of 2 ms each.
        let syncs = |waits: f64, active: usize| {
            let mut made = RecordingBuilder::new(Manifest::default());
            for second in 0..=20 {
                made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
                for (name, rise) in [("reads", 100), ("read_sectors", 800), ("read_ms", 200), ("flushes", 20)] {
                    let column = Column { name: name.to_owned(), kind: MetricKind::Counter, unit: Unit::Count };
                    made.value(Table::Disk, "vdb", &column, second * rise);
                }
            }
            let recording = made.finish();
            let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
            let did = Did { read: 409_600.0, written: 409_600.0, waits, active, ..Did::default() };
            let command = Command { trouble: did, ran: [1.0; 2], ..Command::default() };
            let kind =
                Kind::Write { rate: Some(409_600.0), block: 4096.0, direct: false, sync_every: None, random: None };
            let mut loads = [CommandLoad::new(&command, kind, false)];
            let disks = [DiskModel { name: "vdb".to_owned(), ..DiskModel::default() }];
            book_flushes(&calm, &calm.with(calm.to, 20_000_000_000), &disks, &mut loads, &mut Vec::new());
            let Kind::Write { sync_every, .. } = loads[0].kind else { panic!("{:?}", loads[0].kind) };
            sync_every.is_some()
        };
        assert!(!syncs(0.2, 1));
        assert!(syncs(0.4, 1), "it waits for more than its reads");
        assert!(syncs(0.2, 2), "one may read, and the other sync");
    }

    #[test]
    fn what_passes_the_page_cache_is_merged_only_where_it_is_synced_at_once() {
        // A hundred writes of 8 KiB a second.
        const WRITTEN: i64 = 100 * 8192;
        let passes = |flushes: i64| {
            let mut made = RecordingBuilder::new(Manifest::default());
            for second in 0..=20 {
                made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
                for (name, rise) in [("writes", 100), ("write_sectors", WRITTEN / 512), ("flushes", flushes)] {
                    let column = Column { name: name.to_owned(), kind: MetricKind::Counter, unit: Unit::Count };
                    made.value(Table::Disk, "vdb", &column, second * rise);
                }
            }
            let recording = made.finish();
            let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
            let trouble = calm.with(calm.to, 20_000_000_000);
            let did = Did { written: WRITTEN as f64, waits: 0.5, active: 1, ..Did::default() };
            let command = Command { trouble: did, ran: [1.0; 2], ..Command::default() };
            let kind =
                Kind::Write { rate: Some(WRITTEN as f64), block: 8192.0, direct: true, sync_every: None, random: None };
            let mut loads = [CommandLoad::new(&command, kind, false)];
            let disks = [DiskModel { name: "vdb".to_owned(), ..DiskModel::default() }];
            book_flushes(&calm, &trouble, &disks, &mut loads, &mut Vec::new());
            let Kind::Write { direct, sync_every, .. } = loads[0].kind else { panic!("{:?}", loads[0].kind) };
            (direct, sync_every)
        };
        assert_eq!(passes(10), (true, Some(20.0 * 8192.0)));
        assert_eq!(passes(100), (false, Some(2.0 * 8192.0)));
    }
}

//! Requests in a disk at once.

use super::command_load::CommandLoad;
use super::kind::Kind;
use super::place;
use crate::guess::Guess;
use crate::recorded::disk::{self, DiskModel};
use crate::recorded::{Phase, Stretch};
use pagetide_core::Table;

/// Gives the reads that were in a disk at its limit to those who came and read most of what it read, and the writes to those who came and synced most
/// of what was written: they are those who filled it.
pub(crate) fn book_depth(
    calm: &Stretch<'_>,
    trouble: &Stretch<'_>,
    disks: &[DiskModel],
    loads: &mut [CommandLoad],
    guesses: &mut Vec<Guess>,
) {
    const MIN_SHARE: f64 = 0.3;
    // A disk that is at its limit now and then does not hold up those who read.
    const MIN_BUSY: f64 = 0.7;
    for disk in disks {
        let busy = trouble.rate(Table::Disk, &disk.name, "io_ms").unwrap_or(0.0) / 1e3;
        let Some((reads, writes)) = disk.reads_at_once.zip(disk.writes_at_once).filter(|_| busy >= MIN_BUSY) else {
            continue;
        };
        let read = trouble.rate(Table::Disk, &disk.name, "read_sectors").unwrap_or(0.0) * disk::SECTOR;
        // A sync has its data and its commit in the disk.
        const REQUESTS_PER_SYNC: f64 = 2.0;
        let written = trouble.rate(Table::Disk, &disk.name, "write_sectors").unwrap_or(0.0) * disk::SECTOR;
        let is_cold = |load: &CommandLoad| matches!(load.kind, Kind::Cold { .. } | Kind::Stream { direct: true, .. });
        let is_here = |load: &CommandLoad| place::disk_of(calm, trouble, disks, load) == disk.name;
        let usual = loads.iter().filter(|load| is_cold(load) && load.ran_before && is_here(load)).count() as f64;
        for load in loads.iter_mut().filter(|load| !load.ran_before && is_here(load)) {
            if let Kind::Write { rate, sync_every: Some(_), .. } = &mut load.kind
                && load.command.trouble.written >= MIN_SHARE * written
                && written > read
            {
                *rate = None;
                load.depth = Some((writes / REQUESTS_PER_SYNC).round().max(1.0));
            }
        }
        for load in loads.iter_mut().filter(|load| is_cold(load) && !load.ran_before && is_here(load)) {
            let (Kind::Cold { rate, .. } | Kind::Stream { rate, .. }) = &mut load.kind else { continue };
            if load.command.trouble.read >= MIN_SHARE * read {
                *rate = None;
                let own = (reads.round() - usual).max(1.0);
                load.depth = Some(own);
                guesses.push(Guess::new(
                    format!(
                        "{} has {own:.0} reads in {} at once, and sends the next when one ends",
                        load.command.name, disk.name
                    ),
                    "it reads most of what the disk reads while that is at its limit",
                ));
            }
        }
    }
}

/// Gives the requests that a disk had at once, while it had any, to a command that read most of what it read and does something else from the onset
/// on: it sent them together.
pub(crate) fn book_bursts(calm: &Stretch<'_>, trouble: &Stretch<'_>, disks: &[DiskModel], loads: &mut [CommandLoad]) {
    const NEARLY_ALL: f64 = 0.7;
    for disk in disks {
        for load in loads.iter_mut().filter(|load| load.command.phase != Phase::Whole) {
            let (stretch, did) =
                if load.ran_before { (calm, &load.command.calm) } else { (trouble, &load.command.trouble) };
            let rate = |metric| stretch.rate(Table::Disk, &disk.name, metric).unwrap_or(0.0);
            let read = rate("read_sectors") * disk::SECTOR;
            if matches!(load.kind, Kind::Cold { .. })
                && read > 0.0
                && (NEARLY_ALL..1.0 / NEARLY_ALL).contains(&(did.read / read))
            {
                load.depth = Some((rate("weighted_io_ms") / rate("io_ms").max(1e-9)).round().max(1.0));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::{Command, Did};
    use pagetide_core::{Column, Kind as MetricKind, Manifest, RecordingBuilder, Stamp, Unit};

    /// Two disks of which one is at its limit with 13 requests, and what a command that comes and reads so many bytes a second has in it at once.
    fn depth(read: f64) -> Option<f64> {
        const READ: [(&str, i64, i64); 2] = [("vdb", 1_000_000, 990), ("vdc", 50_000_000, 500)];
        let mut made = RecordingBuilder::new(Manifest::default());
        for second in 0..=10 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            for (disk, bytes, busy) in READ {
                for (name, rise) in [("read_sectors", bytes / 512), ("io_ms", busy)] {
                    let column = Column { name: name.to_owned(), kind: MetricKind::Counter, unit: Unit::Count };
                    made.value(Table::Disk, disk, &column, second * rise);
                }
            }
        }
        let recording = made.finish();
        let trouble = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let disks = READ.map(|(name, ..)| DiskModel {
            name: name.to_owned(),
            latency: 1e6,
            write_latency: None,
            flush: None,
            iops: None,
            bandwidth: None,
            reads_at_once: (name == "vdb").then_some(13.0),
            writes_at_once: (name == "vdb").then_some(4.0),
            sustained: Some(1.0),
            read_ahead: None,
            slower: None,
            burst: None,
            reads_apart: false,
        });
        let command = Command { trouble: Did { read, ..Did::default() }, ran: [1.0; 2], ..Command::default() };
        let kind = Kind::Cold { rate: Some(read), block: 4096.0, direct: false };
        let mut loads = [CommandLoad::new(&command, kind, false)];
        book_depth(&trouble.with(0, 0), &trouble, &disks, &mut loads, &mut Vec::new());
        loads[0].depth
    }

    #[test]
    fn who_reads_from_another_disk_has_no_requests_in_one_at_its_limit() {
        assert_eq!(depth(1e6), Some(13.0));
        assert_eq!(depth(50e6), None);
    }

    #[test]
    fn requests_that_a_program_had_in_a_disk_together_are_of_as_many_processes_until_it_turns() {
        let mut made = RecordingBuilder::new(Manifest::default());
        for second in 0..=20 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            // Eight at once for a fifth of the time, then one after the other.
            let sum = |calm: i64, trouble: i64| calm * second.min(10) + trouble * (second - 10).max(0);
            for (name, value) in
                [("read_sectors", sum(400, 200)), ("io_ms", sum(200, 900)), ("weighted_io_ms", sum(1600, 900))]
            {
                let column = Column { name: name.to_owned(), kind: MetricKind::Counter, unit: Unit::Count };
                made.value(Table::Disk, "vdb", &column, value);
            }
        }
        let recording = made.finish();
        let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let trouble = calm.with(10_000_000_000, 20_000_000_000);
        let disks = [disk::model(&calm.with(0, trouble.to), calm.to, "vdb", &mut Vec::new())];
        let depths = |read: f64| {
            let did = |read: f64| Did { read, active: 1, ..Did::default() };
            let command = Command { calm: did(read), trouble: did(read / 2.0), ..Command::default() };
            let kind = Kind::Cold { rate: Some(1e6), block: 4096.0, direct: true };
            let mut loads = command.phases(calm.to).map(|phase| {
                let ran_before = phase.phase == Phase::Usual;
                CommandLoad::new(&phase, kind, ran_before)
            });
            book_bursts(&calm, &trouble, &disks, &mut loads);
            loads.map(|load| load.depth)
        };
        assert_eq!(depths(400.0 * 512.0), [Some(1.0), Some(8.0)]);
        assert_eq!(depths(40.0 * 512.0), [None, None], "others read most of it");
    }
}

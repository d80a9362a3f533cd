//! On which disk a load has its files.

use super::command_load::CommandLoad;
use crate::recorded::Stretch;
use crate::recorded::disk::{DiskModel, SECTOR};
use pagetide_core::Table;

/// Waits for IO, as a share of the time, from which on they tell which disk a command waits for.
const MIN_WAITS: f64 = 0.3;

/// The disk of a load: that on which its group reads most, or writes most if it writes; else the one that did what the command did.
pub(crate) fn disk_of(calm: &Stretch<'_>, trouble: &Stretch<'_>, disks: &[DiskModel], load: &CommandLoad) -> String {
    let nearest = nearest(trouble, disks, load);
    let Some(group) = &load.command.group else { return nearest };
    let bytes = if load.kind.writes() { "wbytes" } else { "rbytes" };
    let whole = trouble.with(calm.from, trouble.to);
    let of = |disk: &DiskModel| {
        let row = format!("{group}\t{}", disk.name);
        whole.recording.series(Table::CgroupDisk, &row, "rbytes")?;
        let rate = |metric| whole.rate(Table::CgroupDisk, &row, metric).unwrap_or(0.0);
        // Where it did only the other there, that tells of it too.
        Some(((rate(bytes), rate("rbytes") + rate("wbytes")), disk.name.clone()))
    };
    let most = disks
        .iter()
        .filter_map(of)
        .max_by(|(one, _), (other, _)| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    most.filter(|((_, all), _)| *all > 0.0).map_or(nearest, |(_, name)| name)
}

/// The disk that did what a command did: of one that waits for its reads, one that takes as long for them, else the nearest by rate.
fn nearest(trouble: &Stretch<'_>, disks: &[DiskModel], load: &CommandLoad) -> String {
    let did = &load.command.trouble;
    let (rate, metric) = if load.kind.writes() { (did.written, "write_sectors") } else { (did.read, "read_sectors") };
    let bytes = rate * load.command.ran[1];
    let moved = |disk: &DiskModel| trouble.rate(Table::Disk, &disk.name, metric).unwrap_or(0.0) * SECTOR;
    let by_rate = |disk: &DiskModel| (moved(disk).max(1.0) / bytes.max(1.0)).ln().abs();
    // How long a disk takes for a read, by how long the command waits for one.
    let by_time = |disk: &DiskModel| {
        const NEARLY_ALL: f64 = 0.7;
        let rate = |metric| trouble.rate(Table::Disk, &disk.name, metric);
        let (reads, took) = (rate("reads")?, rate("read_ms")? / 1e3);
        let own = did.waits / (bytes / (moved(disk) / reads));
        (moved(disk) >= NEARLY_ALL * bytes && reads > 0.0).then(|| (took / reads / own).ln().abs())
    };
    let waits = !load.kind.writes() && did.waits >= MIN_WAITS && bytes > 0.0;
    let of_time = disks.iter().filter(|_| waits).filter_map(|disk| Some((by_time(disk)?, disk)));
    let of_rate = disks.iter().map(|disk| (by_rate(disk), disk));
    let least = |(one, _): &(f64, &DiskModel), (other, _): &(f64, &DiskModel)| one.total_cmp(other);
    let nearest = of_time.min_by(least).or_else(|| of_rate.min_by(least));
    nearest.map(|(_, disk)| disk.name.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::kind::Kind;
    use crate::recorded::{Command, Did};
    use pagetide_core::{Column, Kind as MetricKind, Manifest, RecordingBuilder, Stamp, Unit};

    /// Where a command reads that asks a device for 64 KiB a second, in eight reads, and waits for so much of the time: vda does as much, in a
    /// millisecond each, and vdb five times as much, in a tenth of a second each.
    fn place(waits: f64) -> String {
        let mut made = RecordingBuilder::new(Manifest::default());
        for second in 0..=10 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            for (disk, reads, ms) in [("vda", 8, 1), ("vdb", 40, 100)] {
                for (name, rise) in [("reads", reads), ("read_sectors", reads * 16), ("read_ms", reads * ms)] {
                    let column = Column { name: name.to_owned(), kind: MetricKind::Counter, unit: Unit::Count };
                    made.value(Table::Disk, disk, &column, second * rise);
                }
            }
        }
        let recording = made.finish();
        let trouble = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let disks = ["vda", "vdb"].map(|name| DiskModel { name: name.to_owned(), ..DiskModel::default() });
        let did = Did { read: 65536.0, waits, ..Did::default() };
        let command = Command { trouble: did, ran: [1.0; 2], ..Command::default() };
        let kind = Kind::Cold { rate: Some(65536.0), block: 8192.0, direct: false };
        disk_of(&trouble.with(0, 0), &trouble, &disks, &CommandLoad::new(&command, kind, false))
    }

    #[test]
    fn who_waits_for_its_reads_reads_from_a_disk_that_takes_as_long() {
        assert_eq!(place(0.85), "vdb");
        assert_eq!(place(0.01), "vda", "it does not wait: the disk that does as much");
    }
}

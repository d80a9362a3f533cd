//! On which disk a load has its files.

use super::command_load::CommandLoad;
use crate::recorded::Stretch;
use crate::recorded::disk::{DiskModel, SECTOR};
use pagetide_core::Table;

/// The disk of a load: that on which its group reads most, or writes most if it writes; else the one that did what the command did.
pub(crate) fn disk_of(calm: &Stretch<'_>, trouble: &Stretch<'_>, disks: &[DiskModel], load: &CommandLoad) -> String {
    let nearest = by_rate(trouble, disks, load);
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

/// The disk whose reads, or writes, are nearest to those of a command.
fn by_rate(trouble: &Stretch<'_>, disks: &[DiskModel], load: &CommandLoad) -> String {
    let did = &load.command.trouble;
    let (rate, metric) = if load.kind.writes() { (did.written, "write_sectors") } else { (did.read, "read_sectors") };
    let bytes = rate * load.command.ran[1];
    let apart = |disk: &&DiskModel| {
        let moved = trouble.rate(Table::Disk, &disk.name, metric).unwrap_or(0.0) * SECTOR;
        (moved.max(1.0) / bytes.max(1.0)).ln().abs()
    };
    let nearest = disks.iter().min_by(|one, other| apart(one).total_cmp(&apart(other)));
    nearest.map(|disk| disk.name.clone()).unwrap_or_default()
}

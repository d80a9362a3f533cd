//! The reports of a file: how far they are apart, and what it means that one has no row for an entity.

use super::gather::{Gather, LaneKey};
use pagetide_core::{Kind, Table};
use std::collections::{BTreeMap, BTreeSet};

/// The moments at which a file has a column of a table, for whichever entity, in order of time.
fn moments(file: &Gather) -> BTreeMap<(Table, String), Vec<u32>> {
    let mut all: BTreeMap<(Table, String), Vec<u32>> = BTreeMap::new();
    let known = |key: &LaneKey| key.kind != Kind::Unknown;
    for (key, _, lane) in file.lanes.iter().filter(|(key, _, lane)| known(key) && !lane.moments.is_empty()) {
        all.entry((key.table, key.name.clone())).or_default().extend(&lane.moments);
    }
    for moments in all.values_mut() {
        moments.sort_unstable_by_key(|moment| file.moments[*moment as usize]);
        moments.dedup();
    }
    all
}

/// How many reports have a column of a table, and the usual time between them, ns: the median. Columns of a single report have none.
pub(super) fn intervals(file: &Gather) -> BTreeMap<(Table, String), (usize, i64)> {
    let usual = |moments: &[u32]| {
        let at = |moment: u32| file.moments[moment as usize];
        let mut lengths: Vec<i64> = moments.windows(2).map(|pair| at(pair[1]).saturating_sub(at(pair[0]))).collect();
        let middle = lengths.len() / 2;
        (!lengths.is_empty()).then(|| (moments.len(), *lengths.select_nth_unstable(middle).1))
    };
    moments(file).into_iter().filter_map(|(column, moments)| Some((column, usual(&moments)?))).collect()
}

/// Fills in what tools leave out because it is 0: the rows of disks without a request (`iostat -z`, `sar -z`) and of processes that did nothing
/// (`pidstat`). A process did so between its first and its last row; before and after them it may not have been there.
pub(super) fn fill_idle(file: &mut Gather) {
    let reports = moments(file);
    for nth in 0..file.lanes.len() {
        let (key, _, lane) = &file.lanes[nth];
        let (table, is_process) = (key.table, key.table == Table::Process);
        if key.kind != Kind::Rate || !matches!(table, Table::Disk | Table::Process) {
            continue;
        }
        let Some(reports) = reports.get(&(table, key.name.clone())) else { continue };
        let own: BTreeSet<u32> = lane.moments.iter().copied().collect();
        let at = |moment: &u32| file.moments[*moment as usize];
        let Some((first, last)) = own.iter().map(at).min().zip(own.iter().map(at).max()) else { continue };
        let (first, end) = match is_process {
            true => (reports.partition_point(|one| at(one) < first), reports.partition_point(|one| at(one) <= last)),
            false => (0, reports.len()),
        };
        let idle: Vec<u32> = reports[first..end]
            .iter()
            .copied()
            .filter(|moment| !own.contains(moment) && file.whole.is(table, *moment))
            .collect();
        file.fill(nth, &idle);
        if file.exceeded.is_some() {
            return;
        }
    }
}

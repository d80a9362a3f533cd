//! On which disk a control group waits.
//!
//! `io.stat` names devices, and a recording has its sums: the disk whose requests follow those of the group over time is the one.

use crate::signal::Signal;
use crate::window::Window;
use pagetide_core::{Span, Table};
use std::collections::BTreeMap;

/// What this module reads: the requests of a group.
pub(crate) const METRICS: &[&str] = &["io_rios", "io_wios"];
/// The part of a group's requests that its disk completes at least.
const SERVED: f64 = 0.7;

/// The disk that the requests of a group go to; absent where they were not recorded, or where no disk completes most of them.
pub(crate) fn of_group<'a>(during: &Window<'a>, group: &str) -> Option<&'a str> {
    // As much before as while it lasts: what the group does there is less mixed with what others do.
    let span = Span { from: during.span.from.earlier(during.span.length()), ..during.span };
    let own = Signal::rate_within(during.recording, Table::Cgroup, group, METRICS, span)?;
    let own: BTreeMap<Span, f64> = own.intervals().filter(|(at, _)| at.overlaps(span)).collect();
    let all: f64 = own.values().sum();
    let follows = |disk: &&'a str| {
        let served = Signal::rate_within(during.recording, Table::Disk, disk, &["reads", "writes"], span)?;
        let pairs: Vec<(f64, f64)> = served.intervals().filter_map(|(at, rate)| Some((*own.get(&at)?, rate))).collect();
        let both: f64 = pairs.iter().map(|(own, disk)| own.min(*disk)).sum();
        let either: f64 = pairs.iter().map(|(own, disk)| own.max(*disk)).sum();
        (all > 0.0 && both >= all * SERVED).then_some(both / either)
    };
    let disks = during.disks().into_iter().filter_map(|disk| Some((disk, follows(&disk)?)));
    disks.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(disk, _)| disk)
}

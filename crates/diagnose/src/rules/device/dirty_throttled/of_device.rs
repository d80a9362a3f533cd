//! A writer that the kernel makes sleep although little of the host's memory is dirty: the device has a ceiling of its own.
//!
//! Linux 6.12: mm/page-writeback.c: balance_dirty_pages, wb_dirty_limits (BDI_CAP_STRICTLIMIT); mm/backing-dev.c: strict_limit_store. A file system
//! of FUSE has it from its mount on (fs/fuse/inode.c: fuse_bdi_init).

use crate::actors::process::{self, ProcessShare};
use crate::actors::wait_channel::{self, BALANCE_DIRTY_PAGES};
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Count, Limit, grade};
use crate::measure::freerun::{SAMPLES, levels};
use crate::measure::window::Window;
use pagetide_core::{Actor, Finding, Ratio, Relation, RuleId, Table, derived};

pub(super) const SLEEPS: Limit<Ratio> = Limit::new(
    "share of its samples in which a program sleeps in balance_dirty_pages, at least, below all ceilings",
    0.2,
    "Below its ceiling a writer does not sleep there at all; a few samples may be of a moment above it.",
    "mm/page-writeback.c: balance_dirty_pages (6.12), and judgement",
);

/// The program that sleeps there most, and the share of its samples.
fn sleeper<'a>(window: &Window<'a>) -> Option<ProcessShare<'a, Ratio>> {
    let sleeps = |(name, comm): (&'a str, &'a str)| {
        let slept = wait_channel::samples_in(window, name, BALANCE_DIRTY_PAGES) as f64;
        let samples = window.points::<Count>(&window.series(Table::Process, name, "state")?).count() as f64;
        (slept >= SAMPLES.get()).then(|| ProcessShare::of_one(name, comm, Amount::new(slept / samples)))
    };
    let all = process::present(window).filter_map(sleeps).filter(|one| one.amount >= SLEEPS);
    all.max_by(|a, b| a.amount.total_cmp(&b.amount))
}

pub(super) fn examine(window: &Window<'_>) -> Option<Finding> {
    // Most stretches need no look at the levels.
    let sleeper = sleeper(window)?;
    let peak = levels(window, window.span)?.max_by(|a, b| (a.dirty / a.ceiling).total_cmp(&(b.dirty / b.ceiling)))?;
    if peak.above() {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.origin(sleeper.actor(window));
    if let Some((disk, _)) = window.busiest(|disk| window.disk_bytes(disk, &derived::WRITE_BANDWIDTH)) {
        found.origin(Actor::disk(disk));
    }
    let what = format!("share of samples in which {} sleeps in balance_dirty_pages", sleeper.words());
    found.compare(
        1.5 + grade(sleeper.amount, 0.2, 0.5),
        what,
        "wchan of the process",
        sleeper.amount,
        Relation::Above,
        SLEEPS.value(),
    );
    let source = "nr_dirty + nr_writeback compared with (nr_dirty_threshold + nr_dirty_background_threshold) / 2";
    found.compare(1.0, "peak of dirty and writeback memory", source, peak.dirty, Relation::Below, peak.ceiling);
    let statement = format!(
        "The kernel throttled {}: it slept in balance_dirty_pages in {} of its samples, although dirty memory reached {} only, and the freerun ceiling \
         of the host is {}. The device has a ceiling of its own: strict_limit and max_ratio or max_bytes of its bdi, or FUSE.",
        sleeper.words(),
        sleeper.amount,
        peak.dirty,
        peak.ceiling,
    );
    let advice = advise(
        "Look for a limit of the device, and lift it if it is not meant for this one (udev rules for removable media set it).",
        Some("grep . /sys/class/bdi/*/strict_limit /sys/class/bdi/*/max_ratio /sys/class/bdi/*/max_bytes"),
        "The command only reads. Without strict_limit, writers are throttled by the thresholds of the host.",
        None,
    );
    found.finish(RuleId::DirtyThrottled, statement, vec![advice])
}

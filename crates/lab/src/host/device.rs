//! Gives the disk under the work folder the limits of the scenario's disk.

use crate::group::Group;
use crate::undo::{Journal, Throttle, blkio_root};
use pagetide_core::{Error, Progress, Scenario};
use pagetide_kernel::Root;
use std::fmt::Write;

/// Limits the disks: v2 in the group of the work, whose writeback the kernel charges to it; v1 for the whole host, because
/// there what a flusher writes is charged to nobody.
pub(super) fn limit(
    journal: &Journal,
    scenario: &Scenario,
    disks: &[String],
    group: Option<&Group>,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let Some(spec) = scenario.machine.disks.first() else { return Ok(()) };
    let bandwidth = spec.bandwidth.map(|bandwidth| bandwidth.get());
    if spec.iops.is_none() && bandwidth.is_none() {
        return Ok(());
    }
    let stats = Root::host().diskstats().map_err(|error| Error::system(error.to_string(), ""))?;
    let v1 = blkio_root()?.is_some();
    for disk in stats.iter().filter(|disk| disks.contains(&disk.name)) {
        let device = (disk.major, disk.minor);
        match (group.filter(|group| group.has("io.max")), v1) {
            (Some(group), _) => {
                let mut line = format!("{}:{}", disk.major, disk.minor);
                for (name, limit) in [("iops", spec.iops), ("bps", bandwidth)] {
                    if let Some(limit) = limit {
                        // Writing to a text cannot fail.
                        let _ = write!(line, " r{name}={limit} w{name}={limit}");
                    }
                }
                group.write("io.max", &line)?;
            }
            (None, true) => {
                for (throttles, limit) in [
                    ([Throttle::ReadIops, Throttle::WriteIops], spec.iops),
                    ([Throttle::ReadBps, Throttle::WriteBps], bandwidth),
                ] {
                    for throttle in throttles {
                        limit.map_or(Ok(()), |limit| journal.limit_device(throttle, device, limit))?;
                    }
                }
                progress
                    .say(&format!("limiting {} to the scenario's IOPS and bandwidth, for the whole host", disk.name));
            }
            (None, false) => {
                return Err(Error::system(
                    format!("no control group on this host can limit {}", disk.name),
                    "leave --limit-device out, or mount the blkio controller",
                ));
            }
        }
    }
    Ok(())
}

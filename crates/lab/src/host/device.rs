//! Gives the disk under the work folder the limits of the scenario's disk.

use crate::group::Group;
use crate::undo::Journal;
use pagetide_core::{Error, Progress, Scenario};
use pagetide_kernel::Root;
use std::fmt::Write;
use std::path::PathBuf;

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
    let v1 = blkio_root()?;
    for disk in stats.iter().filter(|disk| disks.contains(&disk.name)) {
        let device = format!("{}:{}", disk.major, disk.minor);
        match (group.filter(|group| group.has("io.max")), &v1) {
            (Some(group), _) => {
                let mut line = device;
                for (name, limit) in [("iops", spec.iops), ("bps", bandwidth)] {
                    if let Some(limit) = limit {
                        // Writing to a text cannot fail.
                        let _ = write!(line, " r{name}={limit} w{name}={limit}");
                    }
                }
                group.write("io.max", &line)?;
            }
            (None, Some(blkio)) => {
                for (name, limit) in [("iops", spec.iops), ("bps", bandwidth)] {
                    for direction in ["read", "write"] {
                        if let Some(limit) = limit {
                            let file = blkio.join(format!("blkio.throttle.{direction}_{name}_device"));
                            journal.limit_device(&file, &device, limit)?;
                        }
                    }
                }
                progress.say(&format!("limiting {} as the scenario says, for everybody on this host", disk.name));
            }
            (None, None) => {
                return Err(Error::system(
                    format!("no control group on this host can limit {}", disk.name),
                    "leave --limit-device out, or mount the blkio controller",
                ));
            }
        }
    }
    Ok(())
}

/// The top of the v1 blkio hierarchy, when it has throttles.
fn blkio_root() -> Result<Option<PathBuf>, Error> {
    let mounts = Root::host().mounts().map_err(|error| Error::system(error.to_string(), ""))?;
    let mut blkio = mounts
        .into_iter()
        .filter(|mount| mount.kind == "cgroup" && mount.options.split(',').any(|option| option == "blkio"));
    Ok(blkio.find(|mount| mount.point.join("blkio.throttle.read_iops_device").exists()).map(|mount| mount.point))
}

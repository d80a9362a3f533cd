//! What does not change while a recording runs.

use crate::error::Error;
use crate::root::Root;
use pagetide_core::Manifest;

/// All static facts about a system: host, kernel, CPUs, page size, disks, swap, mounts, settings.
pub fn facts(root: &Root) -> Result<Manifest, Error> {
    let text = |file: &str| Ok::<_, Error>(root.optional(file)?.unwrap_or_default());
    Ok(Manifest {
        host: text("/proc/sys/kernel/hostname")?,
        kernel: text("/proc/sys/kernel/osrelease")?,
        boot_id: text("/proc/sys/kernel/random/boot_id")?,
        memory_total: root.meminfo()?.total().unwrap_or_default(),
        ..Manifest::default()
    })
}

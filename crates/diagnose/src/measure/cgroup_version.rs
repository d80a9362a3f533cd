//! Which version of control groups limits a host: files and properties differ.

use pagetide_core::{Recording, Table};

/// What only v1 counts: hits of the limit.
const FAILCNT: &str = "failcnt";

/// Whether the host limits by control groups v1: `memory.limit_in_bytes` and `blkio.throttle`, and neither `memory.max` and `memory.high` nor
/// `io.max` (`Documentation/admin-guide/cgroup-v1/`). A kernel has a controller in one of the two versions; where the controllers are split, that of
/// memory decides.
pub(crate) fn is_v1(recording: &Recording) -> bool {
    let counted = |(group, _): (&str, &str)| recording.series(Table::Cgroup, group, FAILCNT).is_some();
    recording.manifest.capabilities.iter().any(|known| known == "cgroup1")
        || recording.entities(Table::Cgroup).any(counted)
}

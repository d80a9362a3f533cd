//! What a recording shows, as amounts with units: signals over time, their episodes, and the windows that rules examine.

pub(crate) mod amount;
pub(crate) mod baseline;
pub(crate) mod cache_fall;
pub(crate) mod cgroup_version;
pub(crate) mod coverage;
pub(crate) mod disks;
pub(crate) mod episodes;
pub(crate) mod freerun;
pub(crate) mod group_path;
pub(crate) mod low_priority;
pub(crate) mod onset;
pub(crate) mod queue;
pub(crate) mod readahead;
pub(crate) mod signal;
pub(crate) mod step;
pub(crate) mod stretch;
pub(crate) mod watermarks;
pub(crate) mod window;

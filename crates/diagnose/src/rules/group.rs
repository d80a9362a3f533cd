//! Rules about the limits of control groups.

pub(super) mod cgroup_limit;
pub(super) mod io_limit;
pub(super) mod memory_high;
mod raise;

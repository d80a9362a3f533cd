//! Block devices: their queues, limits and journals, and the dirty pages that wait for each (`struct backing_dev_info`).

pub(crate) mod bdi;
pub(crate) mod device;
pub mod disk;
pub(crate) mod journal;
pub(crate) mod queue;
pub(crate) mod throttle;
pub(crate) mod wbt;

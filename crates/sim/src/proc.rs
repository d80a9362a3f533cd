//! What `/proc` and control groups would say of the machine.

pub(crate) mod counters;
pub(crate) mod waits;

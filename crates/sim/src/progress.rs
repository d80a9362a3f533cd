//! How far a reclaim is: that of a task, and that of kswapd.

pub(crate) mod attempt;
pub(crate) mod scan;
pub(crate) mod sleeper;

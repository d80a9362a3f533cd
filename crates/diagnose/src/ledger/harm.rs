//! From how much lost time on people notice it.

use crate::measure::amount::Limit;
use pagetide_core::{Nanos, Ratio};

/// Loss that is reported although no rule explains it.
pub(crate) const NOTICED: Limit<Ratio> = Limit::new(
    "share of time lost without a known cause",
    0.1,
    "Users notice a service that is a tenth slower.",
    "judgement",
);

/// Waits for a CPU that are reported although no rule explains them.
pub(crate) const UNEXPLAINED_CPU: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for a CPU without a known cause, above the baseline",
    0.3,
    "Every busy host has short waits for a CPU.",
    "judgement",
);
/// Such waits in all.
pub(crate) const UNEXPLAINED_CPU_TIME: Limit<Nanos> = Limit::new(
    "time that tasks wait for a CPU without a known cause",
    10e9,
    "Anything shorter is a job starting up.",
    "judgement",
);

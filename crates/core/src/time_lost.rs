//! The time that tasks lost, by whom and what they waited for.

use crate::actor::Actor;
use crate::resource::Resource;
use serde::{Deserialize, Serialize};

/// Time that tasks lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Fields", into = "Fields")]
pub struct TimeLost {
    /// Whose tasks.
    pub victim: Actor,
    /// What they waited for.
    pub resource: Resource,
    /// Whether the cause makes tasks wait for this; other losses of the same time stand beside it.
    pub by_cause: bool,
    /// Whether a group did clearly more than before, by the CPU time that it used: it waits for its own work. False where that was not
    /// recorded.
    pub busier: bool,
    /// The disk where they waited for IO: of a group the one that completed its requests, of the host the one with most in flight.
    pub disk: Option<String>,
    /// The share of time in which a task waited.
    pub share: f64,
    /// The share before.
    pub before: f64,
    /// The time lost beyond the share before, ns.
    pub lost_ns: u64,
    /// The metric by which it was measured.
    pub source: String,
}

/// In JSON the victim has the older form `by` as well, and the disk is an origin.
#[derive(Serialize, Deserialize)]
struct Fields {
    by: String,
    /// Absent in what older versions wrote.
    victim: Option<Actor>,
    to: Resource,
    #[serde(default)]
    by_cause: bool,
    #[serde(default)]
    busier: bool,
    on: Option<String>,
    share: f64,
    before: f64,
    lost_ns: u64,
    source: String,
}

impl From<TimeLost> for Fields {
    fn from(lost: TimeLost) -> Self {
        let TimeLost { victim, resource, by_cause, busier, disk, share, before, lost_ns, source } = lost;
        let (by, on) = (victim.to_string(), disk.map(|disk| Actor::disk(disk).to_string()));
        Self { by, victim: Some(victim), to: resource, by_cause, busier, on, share, before, lost_ns, source }
    }
}

impl TryFrom<Fields> for TimeLost {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        let Fields { by, victim, to, by_cause, busier, on, share, before, lost_ns, source } = fields;
        let victim = victim.map_or_else(|| by.parse(), Ok)?;
        let disk = on.map(|on| on.parse::<Actor>()).transpose()?.and_then(|on| on.as_disk().map(str::to_owned));
        Ok(Self { victim, resource: to, by_cause, busier, disk, share, before, lost_ns, source })
    }
}

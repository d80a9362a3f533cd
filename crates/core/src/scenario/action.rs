//! The kinds of steps. A new one is a row of the table, a type and its [`StepKind`] here, and an arm in
//! `crates/lab/src/executor/step.rs`. Loads have a table of their own, because parts of parallel steps are loads.

use super::kind::{Effort, StepKind, kinds};
use super::{DeviceChange, FioJob, Load, Parallel, Scale, SwapSpec};
use crate::error::Error;
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

kinds! {
    /// What a step does.
    Action {
        "fio" Fio(FioJob) "runs fio, with fio's own options by their own names";
        "hold" Hold(HoldSpec) "occupies memory until a release step";
        "release" Release(Release) "frees the memory that an earlier hold step occupies";
        "drop_caches" DropCaches(DropCaches) "writes dirty pages and drops the page cache, dentries and inodes";
        "sleep" Sleep(Sleep) "waits";
        "sysctl" Sysctl(Sysctls) "changes kernel settings until the end of the run";
        "snapshot" Snapshot(Snapshot) "only measures memory";
        "parallel" Parallel(Parallel) "runs several loads at once";
        "swap" Swap(Swaps) "replaces the machine's swap";
        "device" Device(DeviceChange) "changes the limits and the latency of a disk";
        or Load(Load)
    }
}

/// The kind of memory that a hold occupies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldKind {
    /// Private anonymous memory.
    #[default]
    Anon,
    /// Shared anonymous memory (shmem).
    Shared,
    /// Page cache of a file, mapped.
    File,
    /// Private anonymous memory that is locked.
    Mlock,
}

/// Memory to occupy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HoldSpec {
    /// How much is allocated.
    pub size: Bytes,
    /// How much of it is touched, and so resident; all of it when absent.
    pub touch: Option<Bytes>,
    /// The kind of memory.
    #[serde(default)]
    pub kind: HoldKind,
}

impl HoldSpec {
    /// How much of it becomes resident.
    pub fn touched(&self) -> Bytes {
        self.touch.unwrap_or(self.size).min(self.size)
    }
}

impl StepKind for HoldSpec {
    fn describe(&self) -> String {
        format!("hold {}", self.size)
    }

    fn scale(&mut self, scale: Scale) {
        self.size = scale.bytes(self.size);
        self.touch = self.touch.map(|touch| scale.bytes(touch));
    }
}

/// The id of the hold step whose memory is freed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Release(pub String);

impl StepKind for Release {
    fn describe(&self) -> String {
        format!("release {}", self.0)
    }

    fn works(&self) -> bool {
        false
    }
}

/// Drops the caches and does nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DropCaches(pub bool);

impl StepKind for DropCaches {
    fn describe(&self) -> String {
        "drop caches".to_owned()
    }

    fn works(&self) -> bool {
        false
    }

    fn check(&self) -> Result<(), Error> {
        only_true(self.0)
    }
}

/// Only measures memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Snapshot(pub bool);

impl StepKind for Snapshot {
    fn describe(&self) -> String {
        "snapshot".to_owned()
    }

    fn works(&self) -> bool {
        false
    }

    fn check(&self) -> Result<(), Error> {
        only_true(self.0)
    }
}

fn only_true(value: bool) -> Result<(), Error> {
    if value { Ok(()) } else { Err(Error::input("false is not an action", "write true, or leave the key out")) }
}

/// How long a step waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sleep(pub Nanos);

impl StepKind for Sleep {
    fn describe(&self) -> String {
        format!("sleep {}", self.0)
    }

    fn effort(&self) -> Effort {
        Effort { after: self.0, ..Effort::default() }
    }
}

/// Settings by name, such as `vm.dirty_ratio`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sysctls(pub BTreeMap<String, i64>);

impl StepKind for Sysctls {
    fn describe(&self) -> String {
        self.0.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }

    fn works(&self) -> bool {
        false
    }
}

/// The swap areas in use from a step on, the first one first. In a scenario: `"none"`, one area or a list of areas.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Swaps(pub Vec<SwapSpec>);

impl<'de> Deserialize<'de> for Swaps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let value = toml::Value::deserialize(deserializer)?;
        let values = if let toml::Value::Array(values) = value { values } else { vec![value] };
        let areas = values.into_iter().map(|value| {
            SwapSpec::deserialize(value).map_err(|error: toml::de::Error| D::Error::custom(error.message()))
        });
        areas.filter(|area| !matches!(area, Ok(SwapSpec::None))).collect::<Result<_, _>>().map(Self)
    }
}

impl StepKind for Swaps {
    fn describe(&self) -> String {
        if self.0.is_empty() { "swap off".to_owned() } else { "swap on".to_owned() }
    }

    fn works(&self) -> bool {
        false
    }

    fn scale(&mut self, scale: Scale) {
        self.0.iter_mut().for_each(|area| area.scale(scale));
    }
}

impl StepKind for DeviceChange {
    fn describe(&self) -> String {
        format!("change disk {} to {}", self.disk, self.limits().join(", "))
    }

    fn works(&self) -> bool {
        false
    }
}

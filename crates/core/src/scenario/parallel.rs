//! Steps that run several loads at once, and the control groups of loads.

use super::kind::StepKind;
use super::{Load, Scale};
use crate::error::Error;
use crate::figure::Figures;
use crate::units::{Bytes, BytesPerSecond, Nanos};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Loads that run at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parallel(pub Vec<Part>);

/// One of several loads that run at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Its name: its result is called `STEP_NAME`.
    pub name: String,
    /// What its process is called, where several parts are processes of one program; its name when absent.
    pub process: Option<String>,
    /// What it does.
    pub load: Load,
    /// The control group of its process.
    pub cgroup: Option<GroupSpec>,
    /// How long after the start of the step it starts.
    pub delay: Nanos,
    /// Whether it runs until all others have ended.
    pub background: bool,
    /// What its author measured, not scaled.
    pub published: Figures,
}

impl Part {
    /// What its process is called.
    pub fn process(&self) -> &str {
        self.process.as_ref().unwrap_or(&self.name)
    }
}

/// Loads that run at once, at most: as many as jobs of fio.
const MOST_PARTS: usize = 1024;

impl StepKind for Parallel {
    fn describe(&self) -> String {
        self.0.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join(" and ")
    }

    fn check(&self) -> Result<(), Error> {
        if self.0.len() > MOST_PARTS {
            let what = format!("{} parts run at once, and a step has {MOST_PARTS} at most", self.0.len());
            return Err(Error::input(what, "use fewer"));
        }
        if self.0.is_empty() {
            return Err(Error::input(
                "it has no parts",
                "write a list: parallel = [{ name = \"a\", spin = { time = \"1s\" } }]",
            ));
        }
        if self.0.iter().all(|part| part.background) {
            return Err(Error::input(
                "all parts run in the background, so none ends the step",
                "leave background out of one part",
            ));
        }
        self.0.iter().try_for_each(|part| {
            part.load.spec().check().map_err(|error| Error {
                what: format!("part `{}`: {}: {}", part.name, part.load.kind(), error.what),
                ..error
            })
        })
    }

    fn scale(&mut self, scale: Scale) {
        for part in &mut self.0 {
            part.load.spec_mut().scale(scale);
            if let Some(group) = &mut part.cgroup {
                group.scale(scale);
            }
        }
    }
}

/// Limits of a device for a control group (`io.max`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IoMax {
    /// The disk.
    pub disk: String,
    /// Bytes read per second at most.
    pub read: Option<BytesPerSecond>,
    /// Bytes written per second at most.
    pub write: Option<BytesPerSecond>,
    /// Reads per second at most.
    pub read_iops: Option<u64>,
    /// Writes per second at most.
    pub write_iops: Option<u64>,
}

/// A control group for the processes of a step. It exists until the end of the run, with the cache that is charged to it; steps
/// that name the same group share it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSpec {
    /// Its name.
    pub name: String,
    /// Memory that it may use at most: above it the kernel reclaims, then kills (`memory.max`).
    pub memory_max: Option<Bytes>,
    /// Memory above which its processes are throttled and reclaim (`memory.high`).
    pub memory_high: Option<Bytes>,
    /// CPUs that its processes may use at most, such as 0.5 (`cpu.max`, in periods of 100 ms).
    pub cpu_max: Option<f64>,
    /// Limits of devices.
    #[serde(default)]
    pub io_max: Vec<IoMax>,
}

impl GroupSpec {
    /// The period of `cpu_max`.
    pub const CPU_PERIOD: Nanos = Nanos::new(100_000_000);
    /// The least and the largest `cpu_max`: the kernel refuses less than 1 ms of a period (`kernel/sched/core.c:tg_set_cfs_bandwidth`, 6.12).
    pub const CPU_MAX: RangeInclusive<f64> = 0.01..=4096.0;

    /// Its name and its limits.
    pub fn describe(&self) -> String {
        let memory = [("memory_max", self.memory_max), ("memory_high", self.memory_high)];
        let memory = memory.into_iter().filter_map(|(name, limit)| Some(format!("{name} {}", limit?)));
        let cpu = self.cpu_max.map(|max| format!("cpu_max {max}"));
        let io = self.io_max.iter().map(|io| format!("io_max of disk {}", io.disk));
        let limits: Vec<String> = memory.chain(cpu).chain(io).collect();
        if limits.is_empty() {
            format!("cgroup {}", self.name)
        } else {
            format!("cgroup {} ({})", self.name, limits.join(", "))
        }
    }

    /// CPU time that its processes may use in a period.
    pub fn cpu_quota(&self) -> Option<Nanos> {
        Nanos::from_secs_f64(self.cpu_max? * Self::CPU_PERIOD.as_secs_f64())
    }

    /// Scales its memory.
    pub(super) fn scale(&mut self, scale: Scale) {
        self.memory_max = self.memory_max.map(|max| scale.bytes(max));
        self.memory_high = self.memory_high.map(|high| scale.bytes(high));
    }
}

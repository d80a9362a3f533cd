//! How the model runs scenarios.

use pagetide_core::{Bytes, BytesPerSecond, Nanos};
use pagetide_kernel::Root;
use pagetide_sim::{Costs, Mechanisms, Release};
use std::collections::BTreeMap;

/// Memory of a machine that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredMemory {
    /// `MemTotal`.
    pub total: Bytes,
    /// `MemAvailable`.
    pub available: Bytes,
    /// `MemFree`.
    pub free: Bytes,
    /// `Buffers`.
    pub buffers: Bytes,
    /// Memory that was taken away after the kernel had set its dirty limit, of what was available then.
    pub taken: Bytes,
}

/// How the model runs scenarios.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// Time between two samples; none to take no samples.
    pub interval: Option<Nanos>,
    /// CPU time of what the kernel and the loads do.
    pub costs: Costs,
    /// Whether disks are as much slower as those of an emulated machine ([`pagetide_core::Machine::time_dilation`]).
    pub dilate: bool,
    /// Memory of the machine before the first step, of one that was measured; the scenario's when absent.
    pub measured: Option<MeasuredMemory>,
    /// The kernel whose rules are followed.
    pub release: Release,
    /// Which mechanisms run.
    pub mechanisms: Mechanisms,
    /// Memory that the model may take of this host; half of what this process can have when nothing else is set, no limit when absent.
    pub memory: Option<Bytes>,
    /// Requests or touches after which a step ends, by its id: those of a run to compare with, whose time limit ended it.
    pub requests: BTreeMap<String, u64>,
    /// Bytes per second of the transfers beside which others work, by the id of their part: those of a run to compare with. How much
    /// the others do in that time depends on how long the transfer takes on that machine's CPU.
    pub paces: BTreeMap<String, BytesPerSecond>,
}

impl ModelOptions {
    /// The defaults with the rules of the release that a kernel (`uname -r`) is nearest to.
    pub fn of_kernel(kernel: &str) -> Self {
        Self { release: Release::near(kernel), ..Self::default() }
    }
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            interval: Some(Nanos::new(100_000_000)),
            costs: Costs::default(),
            dilate: false,
            measured: None,
            release: Release::default(),
            mechanisms: Mechanisms::default(),
            memory: Root::host().spare_memory().map(Bytes::new),
            requests: BTreeMap::new(),
            paces: BTreeMap::new(),
        }
    }
}

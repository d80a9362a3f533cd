//! The stored runs of real kernels.

use crate::sim::MeasuredMemory;
use pagetide_core::{Bytes, Error, Figure, LocalClock, Lru, RunResult};
use serde::{Deserialize, Serialize};

/// A run on a real kernel, as it is stored (`tools/conformance-runs` makes it).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The day, as `2026-11-23`.
    pub date: String,
    /// How the kernel ordered pages for reclaim.
    pub lru: Lru,
    /// Load averages of the host before and after the run; none of one that is not stored.
    pub load: Option<(f64, f64)>,
    /// What it measured.
    pub result: RunResult,
}

impl Reference {
    /// A run that has just been made.
    pub(super) fn new(result: RunResult, lru: Lru) -> Self {
        let began = LocalClock::utc().date_time(result.started_wall_ns);
        let date = began.split(' ').next().unwrap_or_default().to_owned();
        Self { date, lru, load: None, result }
    }

    /// Whether both ran on the same kernel with the same LRU.
    pub(super) fn same_kernel(&self, other: &Self) -> bool {
        self.lru == other.lru && self.result.kernel == other.result.kernel
    }

    /// Memory that the VM's init took away before the first step, after the kernel had set its dirty limit.
    fn taken(&self) -> Option<Bytes> {
        let line = self.result.differences.iter().find(|line| line.contains(" taken away"))?;
        let (taken, _) = line.rsplit_once("; ")?.1.split_once(" of ")?;
        taken.parse().ok()
    }

    /// The memory that its machine had before the first step.
    pub(super) fn memory(&self) -> Option<MeasuredMemory> {
        let first = self.result.steps.first()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes")]
        let bytes = |figure| Some(Bytes::new(first.get(figure)? as u64));
        Some(MeasuredMemory {
            total: bytes(Figure::MemoryTotal)?,
            available: bytes(Figure::AvailableBefore)?,
            free: bytes(Figure::FreeBefore)?,
            buffers: bytes(Figure::BuffersBefore)?,
            taken: self.taken().unwrap_or_default(),
        })
    }

    /// Whether its disks were slower by the scenario's `time_dilation`.
    pub(super) fn dilated(&self) -> bool {
        self.result.differences.iter().any(|line| line.contains("times slower than the scenario's"))
    }
}

macro_rules! stored {
    ($($name:literal)*) => {
        &[$(($name, include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".json"))),)*]
    };
}

/// The stored runs: name, and text as build.rs has compressed it.
const STORED: &[(&str, &[u8])] = stored! {
    "backup-evicts-neighbour-7" "backup-evicts-neighbour-8" "buffered-read-7" "buffered-read-8" "buffered-write-7"
    "buffered-write-8" "buffers-and-cached-7" "buffers-and-cached-8" "copy-clean-vs-polluted-7" "copy-clean-vs-polluted-8" "second-read-7"
    "second-read-8" "ssd-stream-starves-raid-7" "ssd-stream-starves-raid-8" "swap-off-7"
    "swap-off-8"
    "backup-evicts-neighbour-6.12-mglru-7" "backup-evicts-neighbour-6.12-mglru-8" "buffered-read-6.12-mglru-7" "buffered-read-6.12-mglru-8" "buffered-write-6.12-mglru-7" "buffered-write-6.12-mglru-8"
    "second-read-6.12-mglru-7" "swap-off-6.12-mglru-7" "swap-off-6.12-mglru-8"
};

/// The stored runs of each scenario on each kernel and LRU, in the order of the names.
///
/// # Errors
/// One cannot be read.
pub fn references() -> Result<Vec<(String, Vec<Reference>)>, Error> {
    let mut all: Vec<(String, Vec<Reference>)> = Vec::new();
    for (name, compressed) in STORED {
        let text = miniz_oxide::inflate::decompress_to_vec(compressed).unwrap_or_default();
        let reference: Reference = serde_json::from_slice(&text)
            .map_err(|error| Error::input(format!("fixtures/conformance/{name}.json: {error}"), ""))?;
        let scenario = &reference.result.scenario;
        match all
            .iter_mut()
            .find(|(known, runs)| known == scenario && runs.first().is_some_and(|run| run.same_kernel(&reference)))
        {
            Some((_, references)) => references.push(reference),
            None => all.push((scenario.clone(), vec![reference])),
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_runs_say_what_their_machine_had() {
        for reference in references().unwrap().into_iter().flat_map(|(_, runs)| runs) {
            let memory = reference.memory().unwrap();
            // A guest that had less than it was to have loses nothing, and says so.
            assert_eq!(Some(memory.taken), reference.taken());
            assert!(memory.total > memory.available && memory.available > Bytes::new(128 << 20), "{memory:?}");
            assert!(memory.available.saturating_add(memory.taken) < memory.total, "{memory:?}");
        }
    }
}

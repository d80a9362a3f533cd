//! Control groups: charges and limits (`mm/memcontrol.c`).

use crate::PAGE_SIZE;
use crate::cpu_limit::CpuAccount;
use crate::events::Events;
use crate::page::MAX_GROUPS;
use crate::progress::attempt::OVERAGE_BITS;
use pagetide_core::{Bytes, Error};

/// No limit (`PAGE_COUNTER_MAX`).
pub(crate) const UNLIMITED: u64 = u64::MAX / PAGE_SIZE;

/// A control group as it is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupLimits {
    /// `memory.high`; none when absent.
    pub high: Option<Bytes>,
    /// `memory.max`; none when absent.
    pub max: Option<Bytes>,
    /// `memory.low`.
    pub low: Bytes,
    /// `memory.min`.
    pub min: Bytes,
}

/// A control group.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    /// Itself and all below it.
    pub(crate) subtree: Vec<usize>,
    /// Pages charged to it and all below it (`memory.current`).
    pub(crate) usage: u64,
    pub(crate) high: u64,
    pub(crate) max: u64,
    pub(crate) low: u64,
    pub(crate) min: u64,
    /// Its limit of CPU time, and what is left of that.
    pub(crate) cpu: CpuAccount,
    /// What happened to its own pages.
    pub(crate) events: Events,
    pub(crate) over_high: u64,
    pub(crate) over_max: u64,
    pub(crate) ooms: u64,
    pub(crate) file: u64,
    pub(crate) anon: u64,
    pub(crate) shmem: u64,
    pub(crate) mapped: u64,
    pub(crate) dirty: u64,
    pub(crate) writeback: u64,
    pub(crate) swap: u64,
    /// What it and those below it transferred, by device.
    pub(crate) io: Vec<GroupIo>,
}

/// What a group transferred (`io.stat`).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct GroupIo {
    pub(crate) read_bytes: u64,
    pub(crate) write_bytes: u64,
    pub(crate) reads: u64,
    pub(crate) writes: u64,
}

/// What a CPU has charged to a group beyond what was asked for, of one group at a time (`struct memcg_stock_pcp`).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stock {
    pub(crate) group: usize,
    pub(crate) pages: u64,
}

impl Group {
    pub(crate) fn root() -> Self {
        Self::new("/".to_owned(), None, 0)
    }

    pub(crate) fn new(name: String, parent: Option<usize>, at: usize) -> Self {
        Self {
            name,
            parent,
            subtree: vec![at],
            usage: 0,
            high: UNLIMITED,
            max: UNLIMITED,
            low: 0,
            min: 0,
            cpu: CpuAccount::default(),
            events: Events::default(),
            over_high: 0,
            over_max: 0,
            ooms: 0,
            file: 0,
            anon: 0,
            shmem: 0,
            mapped: 0,
            dirty: 0,
            writeback: 0,
            swap: 0,
            io: Vec::new(),
        }
    }

    /// Takes limits over.
    pub(crate) fn limit(&mut self, limits: &GroupLimits) {
        let pages = |bytes: Option<Bytes>| bytes.map_or(UNLIMITED, |bytes| bytes.get() / PAGE_SIZE);
        self.high = pages(limits.high);
        self.max = pages(limits.max);
        self.low = limits.low.get() / PAGE_SIZE;
        self.min = limits.min.get() / PAGE_SIZE;
    }

    /// How far it is above `memory.high`, as a share of that (`calculate_overage`).
    pub(crate) fn overage(&self) -> u128 {
        (u128::from(self.usage.saturating_sub(self.high)) << OVERAGE_BITS) / u128::from(self.high.max(1))
    }

    /// Refuses one more than the model has.
    pub(crate) fn check_count(count: usize) -> Result<(), Error> {
        if count >= MAX_GROUPS {
            return Err(Error::input(format!("more than {MAX_GROUPS} control groups"), "use fewer groups"));
        }
        Ok(())
    }
}

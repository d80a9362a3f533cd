//! What a command does, as a step of the lab.

use crate::recorded::Did;

/// Touches of pages for each that is a major fault: most find their page.
pub(super) const TOUCHES_PER_FAULT: f64 = 8.0;

/// What a command does in the scenario. Rates are bytes per second; none is as fast as it can.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Reads files in order: once, or so many bytes of them again and again; all, or a block of so many bytes each.
    Stream { rate: Option<f64>, block: f64, direct: bool, pass: Option<f64>, stride: Option<f64> },
    /// Reads blocks at random from files that do not fit into memory.
    Cold { rate: Option<f64>, block: f64, direct: bool },
    /// Reads blocks at random from files that fit, and are cached before the incident if they are warm.
    WorkingSet { rate: f64, block: f64, size: f64, warm: bool },
    /// Touches pages of a mapped file, which is cached before the incident if it is warm, and of its own memory, at random. It fills that memory at a
    /// rate first; none is as fast as it can.
    Touch { code: f64, data: f64, fill: Option<f64>, rate: f64, warm: bool },
    /// Writes files, or at random places of so many bytes of them, and syncs after so many bytes.
    Write { rate: Option<f64>, block: f64, direct: bool, sync_every: Option<f64>, random: Option<f64> },
    /// Takes memory.
    Grow { to: f64, rate: f64 },
    /// Uses so many CPUs, and nothing else.
    Spin { cpus: f64 },
    /// Looks up names, which the kernel keeps in its slab.
    Lookups { rate: f64 },
}

impl Kind {
    /// Bytes per second; none where it goes as fast as it can.
    pub(crate) const fn rate(&self) -> Option<f64> {
        match self {
            Self::Stream { rate, .. } | Self::Cold { rate, .. } | Self::Write { rate, .. } => *rate,
            Self::WorkingSet { rate, .. } | Self::Touch { rate, .. } | Self::Grow { rate, .. } => Some(*rate),
            Self::Spin { .. } | Self::Lookups { .. } => None,
        }
    }

    /// Whether it writes files.
    pub(crate) const fn writes(&self) -> bool {
        matches!(self, Self::Write { .. })
    }

    /// Requests per second of what its command did.
    pub(super) fn requests(&self, did: &Did) -> f64 {
        match self {
            Self::Stream { block, .. } | Self::Cold { block, .. } => did.read / block,
            Self::WorkingSet { block, .. } => did.asked.max(did.read) / block,
            Self::Write { block, .. } => did.written / block,
            Self::Touch { fill: Some(_), .. } => did.major_faults * TOUCHES_PER_FAULT,
            Self::Touch { .. } | Self::Grow { .. } | Self::Spin { .. } | Self::Lookups { .. } => 0.0,
        }
    }

    /// Whether it is requests, each with some CPU time.
    pub(super) const fn has_requests(&self) -> bool {
        matches!(
            self,
            Self::Stream { .. }
                | Self::Cold { .. }
                | Self::WorkingSet { .. }
                | Self::Write { .. }
                | Self::Touch { fill: Some(_), .. }
        )
    }

    /// Bytes of files that it uses again and again, cached before the incident or not.
    pub(crate) const fn files(&self) -> Option<f64> {
        match self {
            Self::WorkingSet { size, .. } => Some(*size),
            Self::Touch { code, .. } if *code > 0.0 => Some(*code),
            _ => None,
        }
    }

    /// Bytes of cached files that it uses again and again.
    pub(crate) fn set(&self) -> Option<f64> {
        match self {
            Self::WorkingSet { size, warm: true, .. } => Some(*size),
            Self::Touch { code, warm: true, .. } => (*code > 0.0).then_some(*code),
            _ => None,
        }
    }
}

//! What kswapd of a node does at the moment.

use crate::devices::queue::Request;
use crate::progress::scan::Scan;

/// Rounds without a page after which kswapd leaves it to the tasks (`MAX_RECLAIM_RETRIES`).
pub(crate) const HOPELESS: u32 = 16;

/// What kswapd of a node does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// Sleeps until it is woken.
    #[default]
    Asleep,
    /// Just woke, or goes on.
    Begin,
    /// Reclaims.
    Balance(Box<Scan>),
    /// Sleeps for a tenth of a second to see whether it is enough.
    Nap,
}

/// kswapd of a node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kswapd {
    pub(crate) state: State,
    /// A wake-up came.
    pub(crate) woken: bool,
    pub(crate) failures: u32,
    /// Pages under writeback fill the end of the lists (`PGDAT_WRITEBACK`).
    pub(crate) writeback: bool,
    /// Dirty pages that nobody writes fill the end of the lists (`PGDAT_DIRTY`).
    pub(crate) dirty: bool,
    /// While it waits for writes that end: how many more it waits for (`NR_THROTTLED_WRITTEN`).
    pub(crate) awaits: Option<u64>,
    /// The request that it has not sent yet while others run: a plug is sent by who blocks.
    pub(crate) plugged: Option<(usize, Request)>,
    /// Which groups MGLRU of 6.12 reclaims from next (`memcg_lru.seq`).
    pub(crate) turn: u64,
}

impl Kswapd {
    /// Wakes it, unless it has given up.
    pub(crate) fn wake(&mut self) {
        if self.failures < HOPELESS {
            self.woken = true;
        }
    }

    /// Whether it sleeps for good or naps.
    pub(crate) fn sleeps(&self) -> bool {
        matches!(self.state, State::Asleep | State::Nap)
    }
}

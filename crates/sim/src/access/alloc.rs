//! Taking a free page (`mm/page_alloc.c: get_page_from_freelist, __alloc_pages_slowpath`).

use crate::host::{Host, Stall};
use crate::progress::attempt::MAX_RETRIES;
use crate::progress::scan::CLUSTER;

impl Host {
    /// A free page for the task that runs: its zone. Wakes kswapd below the low watermarks and reclaims below the lowest ones.
    pub(crate) fn take_page(&mut self) -> Result<usize, Stall> {
        self.make_room_in_groups()?;
        if let Some(zone) = self.take_above(|zone| zone.low) {
            return Ok(zone);
        }
        self.wake_kswapds();
        loop {
            if let Some(zone) = self.take_above(|zone| zone.min) {
                self.tasks[self.current].direct.reset();
                return Ok(zone);
            }
            if self.tasks[self.current].exited
                && let Some(zone) = self.take_above(|_| 0)
            {
                return Ok(zone);
            }
            self.reclaim_directly()?;
        }
    }

    /// A free page, without reclaim: what readahead takes. None when that would need reclaim.
    pub(crate) fn take_page_for_readahead(&mut self) -> Option<usize> {
        if self.make_room_in_groups().is_err() {
            return None;
        }
        if let Some(zone) = self.take_above(|zone| zone.low) {
            return Some(zone);
        }
        self.wake_kswapds();
        if let Some(zone) = self.take_above(|zone| zone.min) {
            return Some(zone);
        }
        // Readahead reclaims once and does not insist (`__GFP_NORETRY`).
        self.reclaim_once();
        self.take_above(|zone| zone.min)
    }

    /// A free page for the kernel itself, from the reserves when need be.
    pub(crate) fn take_for_kernel(&mut self) -> Option<usize> {
        if let Some(zone) = self.take_above(|zone| zone.low) {
            return Some(zone);
        }
        self.wake_kswapds();
        self.take_above(|zone| zone.min).or_else(|| {
            let found = self.zones.iter().position(|zone| zone.free > 0)?;
            self.zones[found].free -= 1;
            Some(found)
        })
    }

    /// Gives the pool of huge pages so many pages, and takes back what is more (`mm/hugetlb.c: set_max_huge_pages`). The model has no fragmented
    /// memory: any free pages make a huge one.
    pub(crate) fn step_pool(&mut self, pages: u64) -> Result<(), Stall> {
        while self.pool.len() as u64 > pages
            && let Some(zone) = self.pool.pop()
        {
            self.zones[zone].free += 1;
        }
        let mut taken = 0;
        while (self.pool.len() as u64) < pages {
            // Others run meanwhile.
            if taken >= CLUSTER {
                return Err(Stall::Yield);
            }
            let Some(zone) = self.take_for_pool()? else { return Ok(()) };
            self.pool.push(zone);
            self.spend(self.spec.costs.add_page);
            taken += 1;
        }
        Ok(())
    }

    /// A free page for the pool of huge pages; none where reclaim finds no more. Nobody is killed for it (`__GFP_RETRY_MAYFAIL`).
    fn take_for_pool(&mut self) -> Result<Option<usize>, Stall> {
        if let Some(zone) = self.take_above(|zone| zone.low) {
            return Ok(Some(zone));
        }
        self.wake_kswapds();
        loop {
            let found = self.take_above(|zone| zone.min);
            if found.is_some() || self.tasks[self.current].direct.failures >= MAX_RETRIES {
                self.tasks[self.current].direct.reset();
                return Ok(found);
            }
            self.reclaim_directly()?;
        }
    }

    #[inline]
    fn take_above(&mut self, mark: impl Fn(&crate::memory::zone::Zone) -> u64) -> Option<usize> {
        let node = self.tasks.get(self.current).map_or(0, |task| task.node);
        for at in &self.zonelists[node] {
            let zone = &mut self.zones[*at];
            if zone.above(mark(zone)) {
                zone.free -= 1;
                return Some(*at);
            }
        }
        None
    }

    /// Wakes kswapd of all nodes on which no zone has its high watermark free (`wakeup_kswapd`).
    fn wake_kswapds(&mut self) {
        for node in 0..self.nodes {
            if !self.balanced(node) {
                self.kswapds[node].wake();
            }
        }
    }

    /// Whether one zone of the node has its high watermark free (`pgdat_balanced`).
    pub(crate) fn balanced(&self, node: usize) -> bool {
        self.zones.iter().any(|zone| zone.node == node && zone.above(zone.high))
    }
}

//! kswapd: reclaim in the background (`mm/vmscan.c: kswapd, balance_pgdat, kswapd_try_to_sleep`).

use crate::host::{Host, Stall};
use crate::page::PageId;
use crate::progress::scan::{CLUSTER, DEF_PRIORITY, Scan};
use crate::progress::sleeper::{HOPELESS, State};
use crate::tick::{JIFFY, WRITEBACK_WAIT};

impl Host {
    /// One step of kswapd: one priority. Gives what it waits for then.
    pub(crate) fn step_kswapd(&mut self, node: usize) -> Stall {
        let state = std::mem::take(&mut self.kswapds[node].state);
        let woken = std::mem::take(&mut self.kswapds[node].woken);
        self.kswapds[node].awaits = None;
        match state {
            State::Asleep if !woken => Stall::Wake,
            State::Asleep | State::Begin => {
                self.events.pageoutrun += 1;
                self.balance(node, Box::new(Scan::new(node, 0, true, 0)))
            }
            State::Balance(scan) => self.balance(node, scan),
            State::Nap => {
                if woken {
                    self.events.kswapd_low_wmark_hit_quickly += 1;
                    self.kswapds[node].state = State::Begin;
                    return Stall::Yield;
                }
                if self.may_sleep(node) {
                    return Stall::Wake;
                }
                self.events.kswapd_high_wmark_hit_quickly += 1;
                self.kswapds[node].state = State::Begin;
                Stall::Yield
            }
        }
    }

    /// Whether a task is a kswapd: they are the first tasks, by node.
    pub(crate) fn is_kswapd(&self, task: usize) -> bool {
        task < self.nodes
    }

    /// The write of a page has ended: kswapd may have waited for as many (`acct_reclaim_writeback`).
    pub(crate) fn count_throttled_write(&mut self, page: PageId) {
        let node = self.zones[self.word(page).zone()].node;
        let kswapd = &mut self.kswapds[node];
        match &mut kswapd.awaits {
            None => {}
            Some(0) => {
                kswapd.awaits = None;
                self.woken.push(node as u32);
            }
            Some(left) => *left -= 1,
        }
    }

    fn balance(&mut self, node: usize, mut scan: Box<Scan>) -> Stall {
        if scan.resume.is_none() {
            if self.balanced(node) {
                return self.end_balance(node, &scan);
            }
            let zones = self.zones.iter().filter(|zone| zone.node == node);
            let batch = self.spec.mechanisms.kswapd_batch;
            scan.wanted = if batch { zones.map(|zone| zone.high.max(CLUSTER)).sum() } else { CLUSTER };
            scan.scanned = 0;
            scan.last_reclaimed = scan.reclaimed;
            if self.mglru() {
                self.age_node(node, &mut scan);
            } else {
                self.age_anon(node, &scan);
            }
        }
        self.shrink_node(&mut scan);
        if let Some(device) = scan.waits.take() {
            self.kswapds[node].state = State::Balance(scan);
            return Stall::Room(device);
        }
        if scan.resume.is_some() {
            self.kswapds[node].state = State::Balance(scan);
            return Stall::Yield;
        }
        let progress = scan.reclaimed - scan.last_reclaimed;
        if scan.scanned < scan.wanted || progress == 0 {
            scan.priority -= 1;
        }
        let immediate = scan.found.immediate > 0;
        if scan.priority < 1 {
            return self.end_balance(node, &scan);
        }
        self.kswapds[node].state = State::Balance(scan);
        if !immediate {
            return Stall::Yield;
        }
        self.kswapds[node].awaits = Some(CLUSTER);
        Stall::Until(self.now + WRITEBACK_WAIT)
    }

    fn end_balance(&mut self, node: usize, scan: &Scan) -> Stall {
        if scan.priority < 1 && scan.reclaimed == 0 {
            self.kswapds[node].failures += 1;
        }
        self.snapshot_refaults(0, node);
        if self.may_sleep(node) {
            self.kswapds[node].state = State::Nap;
            return Stall::Until(self.now + 25 * JIFFY);
        }
        self.events.kswapd_high_wmark_hit_quickly += 1;
        self.kswapds[node].state = State::Begin;
        Stall::Yield
    }

    /// `prepare_kswapd_sleep`.
    fn may_sleep(&mut self, node: usize) -> bool {
        if self.kswapds[node].failures >= HOPELESS {
            return true;
        }
        if !self.balanced(node) {
            return false;
        }
        self.kswapds[node].writeback = false;
        self.kswapds[node].dirty = false;
        let lruvec = self.lruvec_at(0, node);
        self.lruvecs[lruvec].congested = false;
        true
    }

    /// Shortens the active anonymous lists of all groups where the inactive ones are low (`age_active_anon`).
    fn age_anon(&mut self, node: usize, scan: &Scan) {
        use crate::memory::kind::Kind;
        use crate::memory::lruvec::inactive_is_low;
        if !self.can_swap() || scan.priority > DEF_PRIORITY {
            return;
        }
        if !inactive_is_low(self.listed(0, node, Kind::Anon, false), self.listed(0, node, Kind::Anon, true)) {
            return;
        }
        for group in 0..self.groups.len() {
            if group == 0 || self.spec.mechanisms.group_lists {
                self.shrink_active(group, Kind::Anon, CLUSTER, node);
            }
        }
    }
}

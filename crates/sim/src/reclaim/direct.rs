//! Reclaim by the task that needs a page, and the OOM killer (`mm/vmscan.c: do_try_to_free_pages`, `mm/oom_kill.c`).

use crate::host::{Host, Stall};
use crate::memory::kind::Kind;
use crate::progress::attempt::{Direct, MAX_RETRIES, OverHigh};
use crate::progress::scan::{CLUSTER, DEF_PRIORITY, Scan};
use crate::progress::sleeper::HOPELESS;
use crate::tick::{HZ, JIFFY};

impl Host {
    /// One priority of a task's reclaim. The task goes on afterwards: other tasks and devices run meanwhile.
    pub(crate) fn reclaim_directly(&mut self) -> Result<(), Stall> {
        let before = self.cpu;
        let mut direct = self.tasks[self.current].direct;
        let own = self.tasks[self.current].node;
        let first = self.paused_node(0).map(|node| (node + self.nodes - own) % self.nodes);
        if direct.priority == DEF_PRIORITY && first.is_none() {
            self.events.allocstall_movable += 1;
        }
        let mut stall = Ok(());
        for step in first.unwrap_or(0)..self.nodes {
            let mut scan = Scan::new((own + step) % self.nodes, 0, false, CLUSTER);
            scan.priority = direct.priority;
            scan.force_deactivate = direct.force;
            scan.ignore_low = direct.ignore_low;
            match self.shrink_for_task(scan) {
                Ok(scan) => {
                    direct.reclaimed += scan.reclaimed;
                    direct.skipped.0 |= scan.skipped_deactivate;
                    direct.skipped.1 |= scan.skipped_low;
                }
                Err(waits) => {
                    stall = Err(waits);
                    break;
                }
            }
        }
        self.reclaims += self.cpu - before;
        if stall.is_ok() {
            let throttled = self.is_throttled(own, direct.priority, direct.reclaimed);
            if direct.reclaimed >= CLUSTER || direct.priority == 0 {
                (0..self.nodes).for_each(|node| self.snapshot_refaults(0, node));
                stall = self.end_direct(&mut direct);
            } else {
                direct.priority -= 1;
                stall = Err(if throttled { Stall::Until(self.now + JIFFY) } else { Stall::Yield });
            }
        }
        self.tasks[self.current].direct = direct;
        stall
    }

    /// Whether a task sleeps for a tick behind a pass (`reclaim_throttle`): because its node is congested, or because it has freed nothing up to the
    /// last priority but one (`consider_reclaim_throttle`); only where most of what can be reclaimed is dirty or on its way (`skip_throttle_noprogress`).
    fn is_throttled(&self, node: usize, priority: u32, reclaimed: u64) -> bool {
        if !self.lruvecs[node].congested && (priority != 1 || reclaimed > 0) {
            return false;
        }
        let of_node = |node, kind| self.listed(0, node, kind, false) + self.listed(0, node, kind, true);
        let listed = |kind| (0..self.nodes).map(|node| of_node(node, kind)).sum::<u64>();
        let anon = if self.can_swap() { listed(Kind::Anon) } else { 0 };
        let pending = self.gauges.dirty + self.gauges.writeback + self.swap.writing;
        self.kswapds[node].failures < HOPELESS && 2 * pending > listed(Kind::File) + anon
    }

    /// A pass over a node for the running task, or the rest of the one that waits.
    fn shrink_for_task(&mut self, scan: Scan) -> Result<Box<Scan>, Stall> {
        let rest = self.tasks[self.current].paused.take();
        let rest = rest.filter(|rest| (rest.node, rest.target) == (scan.node, scan.target));
        let mut scan = rest.unwrap_or_else(|| Box::new(scan));
        self.shrink_node(&mut scan);
        match scan.waits.take() {
            None => Ok(scan),
            Some(device) => {
                self.tasks[self.current].paused = Some(scan);
                Err(Stall::Room(device))
            }
        }
    }

    /// The node of which the running task has a pass that waits, for this group.
    fn paused_node(&self, target: usize) -> Option<usize> {
        self.tasks[self.current].paused.as_ref().filter(|scan| scan.target == target).map(|scan| scan.node)
    }

    fn end_direct(&mut self, direct: &mut Direct) -> Result<(), Stall> {
        let progress = direct.reclaimed > 0;
        let (force, ignore_low) = if progress { (false, false) } else { direct.skipped };
        let failures = if progress { 0 } else { direct.failures + 1 };
        *direct = Direct { failures, force, ignore_low, ..Direct::default() };
        if progress {
            return Ok(());
        }
        if direct.failures <= MAX_RETRIES {
            return Err(Stall::Yield);
        }
        // Writes that end free pages: nobody is killed while there are any.
        if self.gauges.writeback == 0 && self.swap.writing == 0 {
            self.kill_largest();
            direct.failures = 0;
        }
        Err(Stall::Until(self.now + JIFFY))
    }

    /// One pass at the first priority, by a task that can do without the page.
    pub(crate) fn reclaim_once(&mut self) {
        let before = self.cpu;
        let node = self.tasks[self.current].node;
        self.events.allocstall_movable += 1;
        let mut scan = Scan::new(node, 0, false, CLUSTER);
        while scan.reclaimed < CLUSTER {
            self.shrink_node(&mut scan);
            // It does not wait for swap either.
            if scan.priority == 0 || scan.waits.is_some() {
                break;
            }
            scan.priority -= 1;
        }
        self.reclaims += self.cpu - before;
        self.snapshot_refaults(0, node);
    }

    /// Kills the task with most memory (`oom_badness`: resident pages and swap).
    fn kill_largest(&mut self) {
        let size = |at: &usize| self.tasks[*at].stats.anon_pages + self.tasks[*at].stats.swap_pages;
        let alive = (0..self.tasks.len()).filter(|at| !self.tasks[*at].kernel && !self.tasks[*at].exited);
        let Some(victim) = alive.max_by_key(size) else { return };
        self.events.oom_kill += 1;
        self.tasks[victim].exited = true;
        self.killed.push(victim as u32);
    }

    /// Reclaims from groups that are above their limit (`try_charge_memcg`), for the task that runs.
    pub(crate) fn make_room_in_groups(&mut self) -> Result<(), Stall> {
        let mut at = Some(self.tasks.get(self.current).map_or(0, |task| task.group));
        while let Some(group) = at {
            at = self.groups[group].parent;
            if group == 0 || self.groups[group].usage < self.groups[group].max {
                continue;
            }
            self.groups[group].over_max += u64::from(self.paused_node(group).is_none());
            let mut direct = self.tasks[self.current].direct;
            let reclaimed = self.reclaim_group(group, CLUSTER, direct.priority)?;
            direct.reclaimed += reclaimed;
            if self.groups[group].usage < self.groups[group].max {
                direct.reset();
                self.tasks[self.current].direct = direct;
                continue;
            }
            if direct.priority > 0 {
                direct.priority -= 1;
                self.tasks[self.current].direct = direct;
                return Err(Stall::Yield);
            }
            direct =
                Direct { failures: if direct.reclaimed > 0 { 0 } else { direct.failures + 1 }, ..Direct::default() };
            self.tasks[self.current].direct = direct;
            if direct.failures > MAX_RETRIES && self.gauges.writeback == 0 && self.swap.writing == 0 {
                self.groups[group].ooms += 1;
                self.kill_largest_of(group);
                self.tasks[self.current].direct.reset();
            }
            return Err(Stall::Until(self.now + JIFFY));
        }
        Ok(())
    }

    fn kill_largest_of(&mut self, group: usize) {
        let members = &self.groups[group].subtree;
        let size = |at: &usize| self.tasks[*at].stats.anon_pages + self.tasks[*at].stats.swap_pages;
        let alive = (0..self.tasks.len()).filter(|at| {
            !self.tasks[*at].kernel && !self.tasks[*at].exited && members.contains(&self.tasks[*at].group)
        });
        let Some(victim) = alive.max_by_key(size) else { return };
        self.events.oom_kill += 1;
        self.tasks[victim].exited = true;
        self.killed.push(victim as u32);
    }

    /// One priority of the reclaim of a group on all nodes.
    fn reclaim_group(&mut self, group: usize, wanted: u64, priority: u32) -> Result<u64, Stall> {
        let before = self.cpu;
        let mut reclaimed = Ok(0);
        for node in self.paused_node(group).unwrap_or(0)..self.nodes {
            let mut scan = Scan::new(node, group, false, wanted);
            scan.priority = priority;
            let shrunk = self.shrink_for_task(scan);
            reclaimed = reclaimed.and_then(|sum| shrunk.map(|scan| sum + scan.reclaimed));
            if reclaimed.is_err() {
                break;
            }
            self.snapshot_refaults(group, node);
        }
        self.reclaims += self.cpu - before;
        reclaimed
    }

    /// One batch of a write to `memory.reclaim` (`mm/memcontrol.c: memory_reclaim`, 6.1): it ends with as many pages as were asked for, or after
    /// [`MAX_RETRIES`] batches that found none. Other tasks run between two of them.
    pub(crate) fn step_reclaim(&mut self, group: usize, pages: u64) -> Result<(), Stall> {
        let mut direct = self.tasks[self.current].direct;
        let wanted = pages.saturating_sub(direct.reclaimed).min(CLUSTER);
        let mut priority = DEF_PRIORITY;
        let mut freed = 0;
        while freed < wanted {
            freed += self.reclaim_group(group, wanted, priority)?;
            if priority == 0 {
                break;
            }
            priority -= 1;
        }
        direct.reclaimed += freed;
        direct.failures += u32::from(freed == 0);
        let ended = direct.reclaimed >= pages || direct.failures > MAX_RETRIES;
        if ended {
            direct.reset();
        }
        self.tasks[self.current].direct = direct;
        if ended { Ok(()) } else { Err(Stall::Yield) }
    }

    /// What a task does when its groups are above `memory.high` (`mem_cgroup_handle_over_high`): it reclaims as long as that frees pages, and sleeps
    /// where that does not get it near the limit, the longer the further it is above and the more pages it took. Other tasks run between two tries.
    pub(crate) fn handle_over_high(&mut self) -> Result<(), Stall> {
        let task = &mut self.tasks[self.current];
        let mut over = match task.above_high.take() {
            Some(over) => over,
            None if task.over_high == 0 => return Ok(()),
            None => OverHigh::new(std::mem::take(&mut task.over_high)),
        };
        let mut at = Some(task.group);
        let (mut reclaimed, mut overage) = (0, 0);
        while let Some(group) = at {
            at = self.groups[group].parent;
            if group == 0 || self.groups[group].usage <= self.groups[group].high {
                continue;
            }
            self.groups[group].over_high += u64::from(self.paused_node(group).is_none());
            let mut priority = DEF_PRIORITY;
            let mut freed = 0;
            while freed < over.wanted() {
                match self.reclaim_group(group, over.wanted(), priority) {
                    Ok(pages) => freed += pages,
                    Err(stall) => {
                        self.tasks[self.current].above_high = Some(over);
                        return Err(stall);
                    }
                }
                if priority == 0 {
                    break;
                }
                priority -= 1;
            }
            reclaimed += freed;
            overage = overage.max(self.groups[group].overage());
        }
        let pause = over.pause(overage);
        // Below `HZ / 100` it does not sleep.
        if pause <= HZ / 100 {
            return Ok(());
        }
        if over.tries_again(reclaimed) {
            self.tasks[self.current].above_high = Some(over);
            return Err(Stall::Yield);
        }
        Err(Stall::Until(self.now + pause * JIFFY))
    }
}

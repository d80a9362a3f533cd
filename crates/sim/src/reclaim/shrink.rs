//! How much of which list is looked at, and the walk over the lists (`mm/vmscan.c: shrink_node` and what it calls).

use crate::host::Host;
use crate::machine::Release;
use crate::memory::kind::Kind;
use crate::memory::lruvec::{inactive_is_low, list};
use crate::page::{PageId, flag};
use crate::progress::scan::{CLUSTER, DEF_PRIORITY, Found, Lists, Resume, Scan, ScanResult};
use crate::reclaim::mglru::Shrunk;

/// Which lists are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Balance {
    Equal,
    Fraction { parts: [u64; 2] },
    Only(Kind),
}

impl Host {
    /// Reclaims from a node at the priority of the scan (`shrink_node`).
    pub(crate) fn shrink_node(&mut self, scan: &mut Scan) {
        let resumes = scan.resume.is_some();
        if !resumes {
            scan.found = Found::default();
        } else if scan.kswapd {
            self.plug.resume(self.kswapds[scan.node].plugged.take());
        }
        let before = scan.reclaimed;
        if !self.mglru() && !resumes {
            self.prepare_scan(scan);
        }
        let in_turn = self.mglru() && self.spec.release >= Release::V6_12 && !scan.of_group();
        if in_turn {
            self.shrink_in_turn(scan);
        }
        let groups = if in_turn { Vec::new() } else { self.groups[scan.target].subtree.clone() };
        let begin = scan.resume.take_if(|_| !in_turn).unwrap_or_default();
        for (step, at) in groups.into_iter().enumerate().skip(begin.step) {
            if self.protected(at, scan) {
                continue;
            }
            let mut own = if step == begin.step { begin } else { Resume { step, ..Resume::default() } };
            let paused = if self.mglru() {
                self.shrink_generations(at, scan, &mut own.looked_at) == Shrunk::Paused
            } else {
                (at == 0 || self.spec.mechanisms.group_lists) && !self.shrink_lists(at, scan, &mut own.lists)
            };
            if paused {
                scan.resume = Some(own);
                break;
            }
        }
        if scan.resume.is_none() {
            self.shrink_slab(scan);
        } else if scan.waits.is_none() {
            // Who only lets others run keeps the plug; who waits for IO sends it.
            self.kswapds[scan.node].plugged = self.plug.pop();
        }
        self.send_plug();
        // `lru_gen_shrink_node` of 6.12 returns without a look at what was found: kswapd and tasks do not wait for writeback.
        if !in_turn && scan.resume.is_none() {
            self.note_found(scan);
        }
        if scan.reclaimed > before {
            self.kswapds[scan.node].failures = 0;
        }
    }

    /// Draws conclusions from the dirty pages and those under writeback that a scan found.
    fn note_found(&mut self, scan: &Scan) {
        let kswapd = &mut self.kswapds[scan.node];
        if scan.kswapd {
            if scan.found.writeback > 0 && scan.found.writeback == scan.found.taken {
                kswapd.writeback = true;
            }
            if scan.found.unqueued_dirty == scan.found.file_taken && scan.found.file_taken > 0 {
                kswapd.dirty = true;
            }
        }
        if (scan.kswapd || scan.of_group()) && scan.found.dirty > 0 && scan.found.dirty == scan.found.congested {
            let lruvec = self.lruvec_at(scan.target, scan.node);
            self.lruvecs[lruvec].congested = true;
        }
    }

    /// Whether a group is left alone because of `memory.min` or `memory.low`.
    pub(crate) fn protected(&self, at: usize, scan: &mut Scan) -> bool {
        let group = &self.groups[at];
        if at == scan.target {
            return false;
        }
        if group.min > 0 && group.usage <= group.min {
            return true;
        }
        if group.low > 0 && group.usage <= group.low && !scan.ignore_low {
            scan.skipped_low = true;
            return true;
        }
        false
    }

    /// `prepare_scan_count`: whether active lists are shortened, and whether file pages suffice or are all but gone.
    fn prepare_scan(&mut self, scan: &mut Scan) {
        let (target, node) = (scan.target, scan.node);
        let lruvec = target * self.nodes + node;
        scan.cost = self.lruvecs[lruvec].cost;
        for kind in Kind::BOTH {
            let at = kind as usize;
            let refaulted = self.lruvecs[lruvec].activations[at] != self.lruvecs[lruvec].activations_before[at];
            let low = inactive_is_low(self.listed(target, node, kind, false), self.listed(target, node, kind, true));
            scan.deactivate[at] =
                scan.force_deactivate || low || (refaulted && self.spec.mechanisms.deactivate_on_refault);
        }
        let file = self.listed(target, node, Kind::File, false);
        scan.cache_trim = file >> scan.priority > 0 && !scan.deactivate[Kind::File as usize];
        if !scan.of_group() {
            let of_node = |zone: &&crate::memory::zone::Zone| zone.node == node;
            let high: u64 = self.zones.iter().filter(of_node).map(|zone| zone.high).sum();
            let free: u64 = self.zones.iter().filter(of_node).map(|zone| zone.free).sum();
            let file = file + self.listed(target, node, Kind::File, true);
            let anon = self.listed(target, node, Kind::Anon, false);
            scan.file_is_tiny =
                file + free <= high && !scan.deactivate[Kind::Anon as usize] && anon >> scan.priority > 0;
        }
    }

    /// Whether anonymous pages can leave memory (`can_reclaim_anon_pages`).
    pub(crate) fn can_swap(&self) -> bool {
        self.swap.free_slots() > 0
    }

    /// `get_scan_count`: pages to look at, by list.
    fn scan_counts(&self, group: usize, scan: &mut Scan) -> [u64; 4] {
        let swappiness = self.spec.sysctls.swappiness;
        let balance = if !self.can_swap() || (scan.of_group() && swappiness == 0) {
            Balance::Only(Kind::File)
        } else if scan.priority == 0 && swappiness > 0 {
            Balance::Equal
        } else if scan.file_is_tiny {
            Balance::Only(Kind::Anon)
        } else if scan.cache_trim {
            Balance::Only(Kind::File)
        } else if !self.spec.mechanisms.cost_balance {
            Balance::Fraction { parts: [swappiness, 200 - swappiness] }
        } else {
            let total = scan.cost[0] + scan.cost[1];
            let anon = total + scan.cost[0];
            let file = total + scan.cost[1];
            let total = anon + file;
            Balance::Fraction {
                parts: [swappiness * (total + 1) / (anon + 1), (200 - swappiness) * (total + 1) / (file + 1)],
            }
        };
        let lruvec = self.lruvec_at(group, scan.node);
        let limits = &self.groups[group];
        let protection = if group == scan.target {
            0
        } else if !scan.ignore_low && limits.low > limits.min {
            scan.skipped_low |= limits.low > 0;
            limits.low
        } else {
            limits.min
        };
        let mut counts = [0; 4];
        for kind in Kind::BOTH {
            for active in [false, true] {
                let size = self.lruvecs[lruvec].size(kind, active);
                let size = if protection > 0 {
                    let usage = limits.usage.max(protection);
                    (size - (u128::from(size) * u128::from(protection) / u128::from(usage + 1)) as u64).max(CLUSTER)
                } else {
                    size
                };
                let share = size >> scan.priority;
                counts[list(kind, active)] = match balance {
                    Balance::Equal => share,
                    Balance::Only(only) if only == kind => share,
                    Balance::Only(_) => 0,
                    Balance::Fraction { parts } => {
                        let all = u128::from((parts[0] + parts[1]).max(1));
                        (u128::from(share) * u128::from(parts[kind as usize]) / all) as u64
                    }
                };
            }
        }
        counts
    }

    /// `shrink_lruvec`. Whether it has come to its end: else it waits until swap takes more writes, and goes on from `resume`.
    fn shrink_lists(&mut self, group: usize, scan: &mut Scan, resume: &mut Option<Lists>) -> bool {
        let Lists { targets, mut left, mut reclaimed } = resume.take().unwrap_or_else(|| {
            let targets = self.scan_counts(group, scan);
            Lists { targets, left: targets, reclaimed: 0 }
        });
        let proportional = !scan.of_group() && !scan.kswapd && scan.priority == DEF_PRIORITY;
        let [inactive_anon, active_anon] = [list(Kind::Anon, false), list(Kind::Anon, true)];
        let [inactive_file, active_file] = [list(Kind::File, false), list(Kind::File, true)];
        while left[inactive_anon] > 0 || left[active_file] > 0 || left[inactive_file] > 0 {
            for kind in Kind::BOTH {
                for active in [false, true] {
                    let at = list(kind, active);
                    let count = left[at].min(CLUSTER);
                    if count == 0 {
                        continue;
                    }
                    left[at] -= count;
                    if !active {
                        let (freed, rest) = self.shrink_inactive(group, kind, count, scan);
                        reclaimed += freed;
                        if scan.waits.is_some() {
                            left[at] += rest;
                            *resume = Some(Lists { targets, left, reclaimed });
                            return false;
                        }
                    } else if scan.deactivate[kind as usize] {
                        self.shrink_active(group, kind, count, scan.node);
                    } else {
                        scan.skipped_deactivate = true;
                    }
                }
            }
            if reclaimed < scan.wanted || proportional {
                continue;
            }
            let file = left[inactive_file] + left[active_file];
            let anon = left[inactive_anon] + left[active_anon];
            if file == 0 || anon == 0 {
                break;
            }
            // The smaller stops; the larger goes on in proportion to what the smaller had done.
            let (smaller, larger, rest) =
                if file > anon { (Kind::Anon, Kind::File, anon) } else { (Kind::File, Kind::Anon, file) };
            let target = targets[list(smaller, false)] + targets[list(smaller, true)] + 1;
            let percent = rest * 100 / target;
            for active in [false, true] {
                left[list(smaller, active)] = 0;
                let at = list(larger, active);
                let done = targets[at] - left[at];
                left[at] = (targets[at] * (100 - percent) / 100).saturating_sub(done);
            }
        }
        scan.reclaimed += reclaimed;
        let lruvec = self.lruvec_at(group, scan.node);
        if self.can_swap()
            && inactive_is_low(
                self.lruvecs[lruvec].size(Kind::Anon, false),
                self.lruvecs[lruvec].size(Kind::Anon, true),
            )
        {
            self.shrink_active(group, Kind::Anon, CLUSTER, scan.node);
        }
        true
    }

    /// `shrink_active_list`: the oldest active pages become the youngest inactive ones. Only executable file pages that were used
    /// stay.
    pub(crate) fn shrink_active(&mut self, group: usize, kind: Kind, count: u64, node: usize) {
        let lruvec = self.lruvec_at(group, node);
        let mut rotated = 0;
        let pages = self.isolate(lruvec, list(kind, true), count);
        self.spend_times(self.spec.costs.scan_page, pages.len() as u64);
        let mut deactivated = 0;
        for page in &pages {
            let used = self.take_young(*page);
            let word = &mut self.words[*page as usize];
            if used.entries > 0 && used.executable && kind == Kind::File {
                rotated += 1;
            } else {
                word.clear(flag::ACTIVE);
                word.set(flag::WORKINGSET);
                deactivated += 1;
            }
        }
        // Rotated pages go back before the others (`move_folios_to_lru`).
        for active in [true, false] {
            for page in &pages {
                if self.words[*page as usize].has(flag::ACTIVE) == active {
                    self.lruvecs[lruvec].add(*page, &mut self.words);
                }
            }
        }
        self.events.pgdeactivate += deactivated;
        self.groups[group].events.pgdeactivate += deactivated;
        if rotated > 0 && self.spec.release >= Release::V6_12 {
            self.note_cost(group, node, kind, 0, rotated);
        }
    }

    /// Takes the oldest pages off a list (`isolate_lru_folios`).
    fn isolate(&mut self, lruvec: usize, from: usize, count: u64) -> Vec<PageId> {
        let mut pages = Vec::with_capacity(count as usize);
        let ring = &mut self.lruvecs[lruvec].lists[from];
        while (pages.len() as u64) < count {
            let Some(page) = ring.pop_tail() else { break };
            self.words[page as usize].clear(flag::LISTED);
            pages.push(page);
        }
        pages
    }

    /// `shrink_inactive_list`: frees what it can of the oldest inactive pages. Gives how many, and those that it put back because it waits.
    fn shrink_inactive(&mut self, group: usize, kind: Kind, count: u64, scan: &mut Scan) -> (u64, u64) {
        let lruvec = self.lruvec_at(group, scan.node);
        let pages = self.isolate(lruvec, list(kind, false), count);
        if pages.is_empty() {
            return (0, 0);
        }
        let mut pages = pages.into_iter();
        let (mut found, mut freed, mut rest) = (Found::default(), 0, 0);
        while let Some(page) = pages.next() {
            found.taken += 1;
            match self.reclaim_page(page, scan, &mut found) {
                ScanResult::Freed => freed += 1,
                ScanResult::Activated => {
                    self.words[page as usize].set(flag::ACTIVE);
                    self.count_activated(group);
                    self.lruvecs[lruvec].add(page, &mut self.words);
                }
                ScanResult::Kept => self.lruvecs[lruvec].add(page, &mut self.words),
                ScanResult::Waits => {
                    found.taken -= 1;
                    rest = pages.len() as u64 + 1;
                    for page in pages.rev().chain([page]) {
                        self.lruvecs[lruvec].add_oldest(page, &mut self.words);
                    }
                    break;
                }
            }
        }
        let taken = found.taken;
        self.count_scanned(group, kind, taken, scan);
        self.count_reclaimed(group, kind, freed, scan);
        let wasted = if self.spec.release >= Release::V6_12 { taken - freed } else { 0 };
        self.note_cost(group, scan.node, kind, found.pageout, wasted);
        if taken > 0 && found.unqueued_dirty == taken {
            self.wake_flushers();
        }
        if kind == Kind::File {
            found.file_taken = taken;
        }
        scan.found.add(&found);
        (freed, rest)
    }

    pub(crate) fn count_activated(&mut self, group: usize) {
        self.events.pgactivate += 1;
        self.groups[group].events.pgactivate += 1;
    }

    pub(crate) fn count_scanned(&mut self, group: usize, kind: Kind, pages: u64, scan: &Scan) {
        self.spend_times(self.spec.costs.scan_page, pages);
        for (global, events) in [(true, &mut self.events), (false, &mut self.groups[group].events)] {
            // What a group's limit reclaims is counted for the group only.
            if !global || !scan.of_group() {
                if scan.kswapd {
                    events.pgscan_kswapd += pages;
                } else {
                    events.pgscan_direct += pages;
                }
            }
            match kind {
                Kind::Anon => events.pgscan_anon += pages,
                Kind::File => events.pgscan_file += pages,
            }
        }
    }

    pub(crate) fn count_reclaimed(&mut self, group: usize, kind: Kind, pages: u64, scan: &Scan) {
        self.spend_times(self.spec.costs.reclaim_page, pages);
        for (global, events) in [(true, &mut self.events), (false, &mut self.groups[group].events)] {
            if !global || !scan.of_group() {
                if scan.kswapd {
                    events.pgsteal_kswapd += pages;
                } else {
                    events.pgsteal_direct += pages;
                }
            }
            match kind {
                Kind::Anon => events.pgsteal_anon += pages,
                Kind::File => events.pgsteal_file += pages,
            }
        }
    }

    /// Reclaim of a node or group has ended: the refaults until now are known (`snapshot_refaults`).
    pub(crate) fn snapshot_refaults(&mut self, target: usize, node: usize) {
        let lruvec = target * self.nodes + node;
        self.lruvecs[lruvec].activations_before = self.lruvecs[lruvec].activations;
    }
}

//! MGLRU: aging by page table walks, eviction by generations and tiers (`mm/vmscan.c: lru_gen_*` of 6.1 and of 6.12).

use crate::host::Host;
use crate::machine::Release;
use crate::memory::generations::{Generations, MAX_BATCH, MAX_GENERATIONS, MIN_BATCH, MIN_GENERATIONS, tier_of};
use crate::memory::kind::Kind;
use crate::memory::mapping::pte;
use crate::page::{PageId, Word, flag};
use crate::progress::scan::{DEF_PRIORITY, Found, Resume, Scan, ScanResult};

/// Entries of a page table that are looked at around a young one.
const LOOK_AROUND_ENTRIES: u64 = MIN_BATCH;
/// Entries of a page table.
const TABLE: u64 = 512;

/// How the reclaim from a group ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shrunk {
    /// It has freed enough, or there was nothing more to look at.
    Done,
    /// It had to begin a generation instead.
    Aged,
    /// It goes on when others have run.
    Paused,
}

/// Uses of a page beyond the first (`folio_lru_refs`).
fn uses(word: Word) -> u64 {
    word.refs() + u64::from(word.has(flag::WORKINGSET))
}

/// Forgets the uses of a page (`LRU_REFS_MASK | LRU_REFS_FLAGS`).
fn forget_uses(word: &mut Word) {
    word.set_refs(0);
    word.clear(flag::REFERENCED | flag::WORKINGSET);
}

impl Host {
    fn generations(&mut self, word: Word) -> &mut Generations {
        let at = self.lruvec_of(word);
        &mut self.lruvecs[at].generations
    }

    /// Adds a page to a generation (`lru_gen_add_folio`).
    pub(crate) fn generation_add(&mut self, page: PageId) {
        if self.in_fault && !self.word(page).has(flag::UNEVICTABLE) {
            // `folio_add_lru` of a page that a fault brings.
            self.words[page as usize].set(flag::ACTIVE);
        }
        self.put_generation(page, false);
    }

    fn put_generation(&mut self, page: PageId, oldest: bool) {
        let word = self.word(page);
        let kind = Kind::of(word);
        let lru = self.generations(word);
        let generation = if word.has(flag::ACTIVE) {
            lru.youngest
        } else if (kind == Kind::Anon && !word.has(flag::SWAPPED))
            || (word.has(flag::RECLAIM) && word.has(flag::DIRTY | flag::WRITEBACK))
        {
            lru.youngest - 1
        } else if oldest || lru.oldest[kind as usize] + MIN_GENERATIONS >= lru.youngest {
            lru.oldest[kind as usize]
        } else {
            lru.oldest[kind as usize] + 1
        };
        if word.has(flag::ACTIVE) {
            let newer = self.newer();
            let word = &mut self.words[page as usize];
            word.clear(flag::ACTIVE);
            // 6.12 keeps PG_workingset alone, for pressure stall information.
            if newer {
                word.set_refs(0);
                word.clear(flag::REFERENCED);
            }
        }
        self.list_in(page, generation, oldest);
    }

    /// Puts a page, which is on no list, into a generation.
    fn list_in(&mut self, page: PageId, generation: u64, oldest: bool) {
        let word = self.word(page);
        let slot = Generations::slot(generation);
        self.words[page as usize].set(flag::LISTED);
        self.words[page as usize].set_generation(slot);
        let (at, zone) = (self.lruvec_of(word), self.zones[word.zone()].kind);
        let ring = self.lruvecs[at].generations.ring(slot, Kind::of(word), zone);
        if oldest {
            ring.push_tail(page, &mut self.words);
        } else {
            ring.push_head(page, &mut self.words);
        }
    }

    /// Takes a page off its list (`lru_gen_del_folio`).
    pub(crate) fn generation_remove(&mut self, page: PageId) {
        let word = self.word(page);
        let (at, zone) = (self.lruvec_of(word), self.zones[word.zone()].kind);
        self.lruvecs[at].generations.ring(word.generation(), Kind::of(word), zone).remove(page, &self.words);
        self.words[page as usize].clear(flag::LISTED);
    }

    /// A page is used by a system call (`folio_inc_refs`).
    pub(crate) fn generation_used(&mut self, page: PageId) {
        let word = &mut self.words[page as usize];
        if word.has(flag::UNEVICTABLE) {
            return;
        }
        if !word.has(flag::REFERENCED) {
            word.set(flag::REFERENCED);
        } else if !word.has(flag::WORKINGSET) {
            word.set(flag::WORKINGSET);
        } else if word.refs() < 3 {
            word.set_refs(word.refs() + 1);
        }
    }

    /// The write of a page that was to be reclaimed has ended: it is the oldest (`folio_rotate_reclaimable`).
    pub(crate) fn generation_rotate(&mut self, page: PageId) {
        self.generation_remove(page);
        self.words[page as usize].clear(flag::ACTIVE);
        self.put_generation(page, true);
    }

    /// What an evicted page leaves behind (`lru_gen_eviction`): the generation and the uses.
    pub(crate) fn generation_evicted(&mut self, page: PageId, shadow: &mut Word) {
        let word = self.word(page);
        let kind = Kind::of(word) as usize;
        let uses = uses(word);
        let lru = self.generations(word);
        lru.tiers[kind].evicted[tier_of(uses)] += 1;
        shadow.set_place(((lru.oldest[kind] << 2) | uses.saturating_sub(1)) as u32);
        shadow.set_group(word.group());
        shadow.clear(flag::WORKINGSET);
        if uses > 0 {
            shadow.set(flag::WORKINGSET);
        }
    }

    /// A page that was evicted comes back (`lru_gen_refault`): it is recent when its generation is still the oldest.
    pub(crate) fn generation_refault(&mut self, page: PageId, shadow: Word) {
        let word = self.word(page);
        let kind = Kind::of(word);
        if shadow.group() != word.group() || self.zones[shadow.zone()].node != self.zones[word.zone()].node {
            return;
        }
        let in_fault = self.in_fault;
        // 6.12 counts all refaults, and those of the oldest generation as activations too; 6.1 counts these alone.
        let newer = self.newer();
        if newer {
            self.count_refault(word.group(), kind);
        }
        let lru = self.generations(word);
        if u64::from(shadow.place() >> 2) != lru.oldest[kind as usize] & 0x3fff_ffff {
            return;
        }
        let uses = u64::from(shadow.place() & 3) + u64::from(shadow.has(flag::WORKINGSET));
        lru.tiers[kind as usize].refaulted[tier_of(uses)] += 1;
        if newer {
            self.count_activation(word.group(), self.zones[word.zone()].node, kind);
        } else {
            self.count_refault(word.group(), kind);
        }
        if in_fault || uses >= 3 {
            self.words[page as usize].set_refs(3);
            self.words[page as usize].set(flag::WORKINGSET);
            self.count_restore(word.group(), kind);
        }
    }

    /// Pages of a kind on all lists.
    pub(crate) fn generation_size(&self, kind: Kind) -> u64 {
        self.generation_listed(kind, false) + self.generation_listed(kind, true)
    }

    /// Pages of a kind that count as active or not.
    pub(crate) fn generation_listed(&self, kind: Kind, active: bool) -> u64 {
        self.lruvecs.iter().map(|lruvec| lruvec.generations.listed(kind, active)).sum()
    }

    /// 0 where there is nearly no swap (`get_swappiness`).
    fn swappiness_now(&self) -> u64 {
        if self.swap.free_slots() < MIN_BATCH { 0 } else { self.spec.sysctls.swappiness }
    }

    /// Whether a new generation is due, and pages to look at (`should_run_aging`).
    fn aging_due(&self, at: usize, priority: u32, can_swap: bool) -> (bool, u64) {
        let lru = &self.lruvecs[at].generations;
        let (mut young, mut old, mut total) = (0, 0, 0);
        for kind in Kind::BOTH {
            if kind == Kind::Anon && !can_swap {
                continue;
            }
            for generation in lru.oldest[kind as usize]..=lru.youngest {
                let size = lru.size(generation, kind);
                total += size;
                if generation == lru.youngest {
                    young += size;
                } else if generation + MIN_GENERATIONS == lru.youngest {
                    old += size;
                }
            }
        }
        let oldest = lru.oldest[usize::from(!can_swap)];
        let due = if oldest + MIN_GENERATIONS > lru.youngest {
            true
        } else if oldest + MIN_GENERATIONS < lru.youngest {
            false
        } else {
            young * MIN_GENERATIONS > total || old * (MIN_GENERATIONS + 2) < total
        };
        (due, total >> priority)
    }

    /// Whether the rules are those of 6.12.
    fn newer(&self) -> bool {
        self.spec.release >= Release::V6_12
    }

    /// Begins at a priority at which one round may suffice (`set_initial_priority` of 6.12).
    fn set_first_priority(&self, scan: &mut Scan) {
        if scan.priority != DEF_PRIORITY || scan.wanted < MIN_BATCH {
            return;
        }
        let anon = if self.can_swap() { self.generation_listed(Kind::Anon, false) } else { 0 };
        let reclaimable = self.generation_listed(Kind::File, false) + anon;
        let bits = |value: u64| u64::BITS - value.leading_zeros();
        let priority = bits(reclaimable).saturating_sub(1).saturating_sub(bits(scan.wanted - 1));
        scan.priority = priority.clamp(DEF_PRIORITY / 2, DEF_PRIORITY);
    }

    /// kswapd looks for groups that need a new generation (`lru_gen_age_node`); that of 6.12 leaves it to eviction.
    pub(crate) fn age_node(&mut self, node: usize, scan: &mut Scan) {
        if self.newer() {
            self.set_first_priority(scan);
            return;
        }
        if !scan.needs_aging {
            scan.needs_aging = true;
            return;
        }
        let can_swap = self.swappiness_now() > 0;
        for group in 0..self.groups.len() {
            let at = self.lruvec_at(group, node);
            if (group == 0 || self.spec.mechanisms.group_lists) && self.aging_due(at, scan.priority, can_swap).0 {
                self.begin_generation(group, node, can_swap);
            }
        }
    }

    /// Walks page tables and begins a generation (`try_to_inc_max_seq`).
    fn begin_generation(&mut self, group: usize, node: usize, can_swap: bool) {
        let at = self.lruvec_at(group, node);
        self.walk_tables(group, node, can_swap);
        // `inc_max_seq`: room for one more generation, the youngest of which is empty.
        for kind in [Kind::File, Kind::Anon] {
            if self.lruvecs[at].generations.count(kind) != MAX_GENERATIONS {
                continue;
            }
            let oldest = self.lruvecs[at].generations.oldest[kind as usize];
            if kind == Kind::File || can_swap {
                while let Some(page) = self.lruvecs[at].generations.pop_oldest(oldest, kind) {
                    self.spend(self.spec.costs.scan_page);
                    forget_uses(&mut self.words[page as usize]);
                    self.list_in(page, oldest + 1, true);
                }
            }
            // Anonymous pages without swap stay where they are: their generation takes the number of a younger one.
            let lru = &mut self.lruvecs[at].generations;
            lru.tiers[kind as usize].carry_over();
            lru.oldest[kind as usize] += 1;
        }
        self.lruvecs[at].generations.youngest += 1;
    }

    /// Moves the pages of young entries to the youngest generation (`walk_mm`, `walk_pte_range`): in page tables that the
    /// filter names, in all when there is none, and in all of tasks that are newer than the last walk (`iterate_mm_list`).
    fn walk_tables(&mut self, group: usize, node: usize, can_swap: bool) {
        let at = self.lruvec_at(group, node);
        let youngest = self.lruvecs[at].generations.youngest;
        let (now, next) = ((youngest % 2) as usize, ((youngest + 1) % 2) as usize);
        let filtered = self.lruvecs[at].generations.filtered[now];
        let walked = std::mem::replace(&mut self.lruvecs[at].generations.walked, self.tasks.len());
        let areas: Vec<usize> = (0..self.areas.len())
            .filter(|area| !self.areas[*area].unmapped && self.tasks[self.areas[*area].task as usize].group == group)
            .collect();
        for area in areas {
            let tables = self.areas[area].tables.len();
            let all = !filtered || self.areas[area].task as usize >= walked;
            self.areas[area].filters[next] = vec![false; tables];
            for table in 0..tables {
                let named = self.areas[area].filters[now].get(table).copied().unwrap_or(false);
                if !self.areas[area].tables[table] || !(all || named) {
                    continue;
                }
                let first = table as u64 * TABLE;
                let end = (first + TABLE).min(self.areas[area].pages);
                let young = self.promote_young(area, first, end, group, node, can_swap);
                self.areas[area].filters[next][table] = young * 8 >= end - first;
            }
        }
        self.lruvecs[at].generations.filtered[next] = true;
    }

    /// Clears the young bits of entries and moves their pages to the youngest generation. Gives how many were young.
    fn promote_young(&mut self, area: usize, first: u64, end: u64, group: usize, node: usize, can_swap: bool) -> u64 {
        let (mapping, offset) = (self.areas[area].mapping, self.areas[area].first);
        let base = self.mappings[mapping].base;
        let mut young = 0;
        self.cpu += self.spec.costs.scan_page.get() * (end - first) / 16;
        for near in first..end {
            let entry = self.areas[area].entries[near as usize];
            if entry & (pte::PRESENT | pte::YOUNG) != pte::PRESENT | pte::YOUNG {
                continue;
            }
            let page = base + (offset + near) as PageId;
            let word = self.word(page);
            if !word.has(flag::RESIDENT)
                || word.group() != group
                || self.zones[word.zone()].node != node
                || (word.has(flag::ANON) && !can_swap)
            {
                continue;
            }
            self.areas[area].entries[near as usize] &= !pte::YOUNG;
            young += 1;
            if !word.has(flag::LISTED) {
                self.words[page as usize].set(flag::REFERENCED);
                continue;
            }
            let youngest = self.generations(word).youngest;
            if word.generation() != Generations::slot(youngest) {
                self.generation_remove(page);
                forget_uses(&mut self.words[page as usize]);
                self.list_in(page, youngest, false);
            }
        }
        young
    }

    /// A page that is to be evicted has a young entry: its neighbours are looked at as well (`lru_gen_look_around`).
    pub(crate) fn look_around(&mut self, area: usize, at: u64, group: usize, node: usize) {
        let table = at / TABLE;
        let (start, end) = (table * TABLE, ((table + 1) * TABLE).min(self.areas[area].pages));
        let (start, end) = if end - start <= LOOK_AROUND_ENTRIES {
            (start, end)
        } else if at - start < LOOK_AROUND_ENTRIES / 2 {
            (start, start + LOOK_AROUND_ENTRIES)
        } else if end - at < LOOK_AROUND_ENTRIES / 2 {
            (end - LOOK_AROUND_ENTRIES, end)
        } else {
            (at - LOOK_AROUND_ENTRIES / 2, at + LOOK_AROUND_ENTRIES / 2)
        };
        let can_swap = self.can_swap();
        let young = self.promote_young(area, start, end, group, node, can_swap);
        let lruvec = self.lruvec_at(group, node);
        if young * 8 >= end - start {
            let parity = (self.lruvecs[lruvec].generations.youngest % 2) as usize;
            let tables = self.areas[area].tables.len();
            let filter = &mut self.areas[area].filters[parity];
            filter.resize(tables, false);
            filter[table as usize] = true;
        }
    }

    /// Reclaims from the groups whose turn it is, in the order of 6.12 (`shrink_many`): a group that has run out of old pages and got a
    /// new generation comes again when all others have.
    pub(crate) fn shrink_in_turn(&mut self, scan: &mut Scan) {
        let groups = if self.spec.mechanisms.group_lists { self.groups.len() } else { 1 };
        let turn = self.kswapds[scan.node].turn;
        // The kernel begins at random (`get_random_u32_below(MEMCG_NR_BINS)`).
        let first = (self.events.pageoutrun.wrapping_mul(0x9e37_79b9) >> 8) as usize;
        let begin = scan.resume.take().unwrap_or(Resume { first, ..Resume::default() });
        let first = begin.first;
        for step in begin.step..groups {
            let mut looked_at = if step == begin.step { begin.looked_at } else { 0 };
            let group = (first + step) % groups;
            let at = self.lruvec_at(group, scan.node);
            if self.lruvecs[at].generations.turn > turn || self.protected(group, scan) {
                continue;
            }
            let shrunk = self.shrink_generations(group, scan, &mut looked_at);
            if shrunk == Shrunk::Paused {
                scan.resume = Some(Resume { first, step, looked_at, lists: None });
                return;
            }
            if shrunk == Shrunk::Aged || self.lruvecs[at].generations.total() >> scan.priority == 0 {
                self.lruvecs[at].generations.turn = turn + 1;
            }
            if self.enough_for_all(scan) {
                break;
            }
        }
        let left = (0..groups).any(|group| self.lruvecs[self.lruvec_at(group, scan.node)].generations.turn <= turn);
        if !left {
            self.kswapds[scan.node].turn += 1;
        }
    }

    /// `should_abort_scan` of 6.12.
    fn enough_for_all(&self, scan: &Scan) -> bool {
        if scan.of_group() {
            return false;
        }
        if scan.reclaimed - scan.last_reclaimed >= scan.wanted {
            return true;
        }
        let short = |zone: &crate::memory::zone::Zone| zone.node == scan.node && !zone.above(zone.high + MIN_BATCH);
        scan.kswapd && !self.zones.iter().any(short)
    }

    /// Reclaims from a group (`lru_gen_shrink_lruvec`, `try_to_shrink_lruvec`), of which so many pages were looked at before.
    pub(crate) fn shrink_generations(&mut self, group: usize, scan: &mut Scan, looked_at: &mut u64) -> Shrunk {
        if group > 0 && !self.spec.mechanisms.group_lists {
            return Shrunk::Done;
        }
        let shrunk = self.evict_generations(group, scan, looked_at);
        if shrunk == Shrunk::Paused {
            return shrunk;
        }
        // 6.1 leaves it to the writers to wake the flushers.
        if self.newer() && scan.found.unqueued_dirty > 0 && scan.found.unqueued_dirty == scan.found.file_taken {
            self.wake_flushers();
        }
        shrunk
    }

    fn evict_generations(&mut self, group: usize, scan: &mut Scan, looked_at: &mut u64) -> Shrunk {
        let at = self.lruvec_at(group, scan.node);
        let begin = self.lruvecs[at].generations.youngest;
        let before = scan.reclaimed;
        let mut aging = false;
        loop {
            let swappiness = self.swappiness_now();
            let wanted = self.pages_to_scan(group, at, scan, swappiness > 0, &mut aging);
            if wanted == 0 {
                return if aging { Shrunk::Aged } else { Shrunk::Done };
            }
            let Some(delta) = self.evict_generation(group, at, scan, swappiness) else { return Shrunk::Paused };
            if delta == 0 {
                return Shrunk::Done;
            }
            *looked_at += delta;
            if *looked_at >= wanted || self.enough(at, begin, scan) {
                break;
            }
            // Other tasks run and writes to swap end meanwhile (`cond_resched`).
            if scan.kswapd && self.newer() {
                return Shrunk::Paused;
            }
        }
        if scan.reclaimed - before >= MIN_BATCH && !aging {
            scan.needs_aging = false;
        }
        Shrunk::Done
    }

    /// `get_nr_to_scan`.
    fn pages_to_scan(&mut self, group: usize, at: usize, scan: &Scan, can_swap: bool, aging: &mut bool) -> u64 {
        let (due, pages) = self.aging_due(at, scan.priority, can_swap);
        *aging = due;
        if !due {
            return pages;
        }
        if self.newer() {
            if scan.priority != DEF_PRIORITY {
                self.begin_generation(group, scan.node, can_swap);
                return 0;
            }
            *aging = false;
        }
        if scan.priority != DEF_PRIORITY {
            if scan.kswapd {
                return 0;
            }
            self.begin_generation(group, scan.node, can_swap);
            return pages;
        }
        let lru = &self.lruvecs[at].generations;
        if lru.oldest[usize::from(!can_swap)] + MIN_GENERATIONS <= lru.youngest { pages } else { 0 }
    }

    /// `should_abort_scan`.
    fn enough(&self, at: usize, begin: u64, scan: &Scan) -> bool {
        if self.newer() {
            return self.enough_for_all(scan);
        }
        if !scan.kswapd {
            if self.lruvecs[at].generations.youngest - begin > 1 {
                return true;
            }
            if scan.of_group() {
                return false;
            }
        } else if scan.reclaimed - scan.last_reclaimed < scan.wanted {
            return false;
        }
        if scan.priority > DEF_PRIORITY - 2 {
            return false;
        }
        let short = |zone: &crate::memory::zone::Zone| {
            let mark = if scan.kswapd { zone.high } else { zone.low };
            zone.node == scan.node && mark > zone.free
        };
        !self.zones.iter().any(short)
    }

    /// `evict_folios`: gives the pages looked at, 0 when there is nothing to evict; none when it waits until swap takes more writes.
    fn evict_generation(&mut self, group: usize, at: usize, scan: &mut Scan, swappiness: u64) -> Option<u64> {
        let (kind, pages, mut looked_at) = self.isolate_generation(at, swappiness);
        self.drop_empty_generations(at, swappiness > 0);
        if self.lruvecs[at].generations.count(if swappiness > 0 { Kind::Anon } else { Kind::File }) == MIN_GENERATIONS {
            looked_at = 0;
        }
        if pages.is_empty() {
            return Some(looked_at);
        }
        let mut pages = pages.into_iter();
        let (mut found, mut freed) = (Found::default(), 0);
        while let Some(page) = pages.next() {
            let fate = self.reclaim_page(page, scan, &mut found);
            if fate == ScanResult::Waits {
                let oldest = self.lruvecs[at].generations.oldest[kind as usize];
                for page in pages.rev().chain([page]) {
                    self.list_in(page, oldest, true);
                }
                break;
            }
            found.taken += 1;
            if fate == ScanResult::Freed {
                freed += 1;
                continue;
            }
            let word = &mut self.words[page as usize];
            if fate == ScanResult::Activated {
                word.set(flag::ACTIVE);
            }
            if word.has(flag::RECLAIM) && word.has(flag::DIRTY | flag::WRITEBACK) {
                if word.has(flag::WORKINGSET) {
                    word.set(flag::REFERENCED);
                }
            } else if word
                .has(flag::ACTIVE | flag::REFERENCED | flag::MAPPED | flag::LOCKED | flag::DIRTY | flag::WRITEBACK)
            {
                forget_uses(word);
                word.set(flag::ACTIVE);
            }
            self.put_generation(page, false);
        }
        if kind == Kind::File {
            found.file_taken = found.taken;
        }
        self.count_scanned(group, kind, found.taken, scan);
        self.count_reclaimed(group, kind, freed, scan);
        scan.found.add(&found);
        scan.reclaimed += freed;
        scan.waits.is_none().then_some(looked_at)
    }

    /// `isolate_folios`: the kind, the pages taken off the oldest generation, and how many were looked at.
    fn isolate_generation(&mut self, at: usize, swappiness: u64) -> (Kind, Vec<PageId>, u64) {
        let lru = &self.lruvecs[at].generations;
        let [anon, file] = [&lru.tiers[0], &lru.tiers[1]];
        let mut tier = None;
        let mut kind = if swappiness == 0 {
            Kind::File
        } else if lru.oldest[0] < lru.oldest[1] {
            Kind::Anon
        } else if swappiness == 1 {
            Kind::File
        } else if swappiness == 200 {
            Kind::Anon
        } else {
            // `get_type_to_scan`.
            let gains = [swappiness, 200 - swappiness];
            let kind =
                if anon.position(0, gains[0]).tolerates(&file.position(0, gains[1])) { Kind::File } else { Kind::Anon };
            let other = 1 - kind as usize;
            let first = lru.tiers[other].position(0, gains[other]);
            let of = |tier: &usize| lru.tiers[kind as usize].position(*tier, gains[kind as usize]);
            tier = Some((1..4).find(|tier| !first.tolerates(&of(tier))).unwrap_or(4) - 1);
            kind
        };
        for _ in 0..if swappiness == 0 { 1 } else { 2 } {
            let highest =
                tier.take().unwrap_or_else(|| self.lruvecs[at].generations.tiers[kind as usize].evicted_tier([1, 2]));
            let (pages, looked_at) = self.scan_generation(at, kind, highest);
            if looked_at > 0 {
                return (kind, pages, looked_at);
            }
            kind = if kind == Kind::File { Kind::Anon } else { Kind::File };
        }
        (kind, Vec::new(), 0)
    }

    /// `scan_folios`, `sort_folio`, `isolate_folio`.
    fn scan_generation(&mut self, at: usize, kind: Kind, highest: usize) -> (Vec<PageId>, u64) {
        let mut pages = Vec::new();
        if self.lruvecs[at].generations.count(kind) == MIN_GENERATIONS {
            return (pages, 0);
        }
        let oldest = self.lruvecs[at].generations.oldest[kind as usize];
        let newer = self.newer();
        let mut looked_at = 0;
        while let Some(page) = self.lruvecs[at].generations.pop_oldest(oldest, kind) {
            looked_at += 1;
            self.words[page as usize].clear(flag::LISTED);
            let word = self.word(page);
            let uses = uses(word);
            let tier = tier_of(uses);
            if tier > highest || uses == 4 {
                self.lruvecs[at].generations.tiers[kind as usize].protected[tier] += 1;
                forget_uses(&mut self.words[page as usize]);
                self.list_in(page, oldest + 1, true);
                if !newer {
                    self.count_activation(word.group(), self.zones[word.zone()].node, kind);
                }
            } else if !newer
                && (word.has(flag::LOCKED | flag::WRITEBACK) || (kind == Kind::File && word.has(flag::DIRTY)))
            {
                forget_uses(&mut self.words[page as usize]);
                self.words[page as usize].set(flag::RECLAIM);
                self.list_in(page, oldest + 1, false);
            } else {
                let word = &mut self.words[page as usize];
                if !word.has(flag::REFERENCED) {
                    forget_uses(word);
                }
                word.clear(flag::RECLAIM | flag::REFERENCED);
                pages.push(page);
            }
            if looked_at == MAX_BATCH || pages.len() as u64 >= MIN_BATCH {
                break;
            }
        }
        // Those that only change their list cost time as well.
        self.spend_times(self.spec.costs.scan_page, looked_at - pages.len() as u64);
        let any = !pages.is_empty() || looked_at == MAX_BATCH;
        (pages, if any { looked_at } else { 0 })
    }

    /// `try_to_inc_min_seq`.
    fn drop_empty_generations(&mut self, at: usize, can_swap: bool) {
        let lru = &mut self.lruvecs[at].generations;
        let mut oldest = lru.oldest;
        for kind in Kind::BOTH {
            if kind == Kind::Anon && !can_swap {
                continue;
            }
            while oldest[kind as usize] + MIN_GENERATIONS <= lru.youngest && lru.size(oldest[kind as usize], kind) == 0
            {
                oldest[kind as usize] += 1;
            }
        }
        if can_swap {
            oldest[0] = oldest[0].min(oldest[1]);
            oldest[1] = oldest[0].max(lru.oldest[1]);
        }
        for kind in Kind::BOTH {
            if (kind == Kind::File || can_swap) && oldest[kind as usize] != lru.oldest[kind as usize] {
                lru.tiers[kind as usize].carry_over();
                lru.oldest[kind as usize] = oldest[kind as usize];
            }
        }
    }
}

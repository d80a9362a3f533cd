//! Pages on their lists: adding, using, activating, taking off (`mm/swap.c`, `mm/filemap.c`).

use crate::host::Host;
use crate::machine::Release;
use crate::memory::kind::Kind;
use crate::page::{PageId, Word, flag};
use pagetide_core::Lru;

impl Host {
    #[inline]
    pub(crate) fn mglru(&self) -> bool {
        self.spec.lru == Lru::Mglru
    }

    /// Puts a page into memory: it has a zone and a group from now on. The caller adds it to a list.
    pub(crate) fn settle(&mut self, page: PageId, zone: usize, group: usize, flags: u64) {
        let before = self.word(page);
        let mut word = Word::default();
        word.set(flag::RESIDENT | flags | if before.has(flag::SWAPPED) { flag::SWAPPED } else { 0 });
        word.set_zone(zone);
        word.set_group(group);
        self.words[page as usize] = word;
        self.count_resident(page, 1);
    }

    /// Adds a page to its list as the youngest (`folio_add_lru`).
    #[inline]
    pub(crate) fn add_to_list(&mut self, page: PageId) {
        if self.mglru() {
            self.generation_add(page);
            return;
        }
        let lruvec = self.lruvec_of(self.word(page));
        self.lruvecs[lruvec].add(page, &mut self.words);
    }

    /// Takes a page off its list.
    #[inline]
    pub(crate) fn take_off_list(&mut self, page: PageId) {
        if self.mglru() {
            self.generation_remove(page);
            return;
        }
        let lruvec = self.lruvec_of(self.word(page));
        self.lruvecs[lruvec].remove(page, &mut self.words);
    }

    /// Notes the use of a page (`folio_mark_accessed`): the second one activates it.
    #[inline]
    pub(crate) fn mark_accessed(&mut self, page: PageId) {
        if self.mglru() {
            self.generation_used(page);
            return;
        }
        let word = &mut self.words[page as usize];
        if !word.has(flag::REFERENCED) {
            word.set(flag::REFERENCED);
        } else if !word.has(flag::ACTIVE | flag::UNEVICTABLE) && self.spec.mechanisms.second_touch {
            word.clear(flag::REFERENCED);
            self.activate(page);
            self.age_activation(page);
        }
    }

    /// Moves a page to the active list (`folio_activate`).
    pub(crate) fn activate(&mut self, page: PageId) {
        let word = self.word(page);
        let listed = word.has(flag::LISTED);
        let lruvec = self.lruvec_of(word);
        if listed {
            self.lruvecs[lruvec].remove(page, &mut self.words);
        }
        self.words[page as usize].set(flag::ACTIVE);
        if listed {
            self.lruvecs[lruvec].add(page, &mut self.words);
        }
        self.events.pgactivate += 1;
        self.groups[word.group()].events.pgactivate += 1;
    }

    /// Adds to the ages of the lists of a page and of those above it (`workingset_age_nonresident`).
    pub(crate) fn age_lists(&mut self, group: usize, node: usize) {
        let mut at = Some(group);
        while let Some(group) = at {
            let lruvec = group * self.nodes + node;
            self.lruvecs[lruvec].age = self.lruvecs[lruvec].age.wrapping_add(1);
            at = self.groups[group].parent;
        }
    }

    fn age_activation(&mut self, page: PageId) {
        let word = self.word(page);
        self.age_lists(word.group(), self.zones[word.zone()].node);
    }

    /// Notes what reclaim of a kind cost (`lru_note_cost`): 6.1 counts pages written, 6.12 also pages rotated.
    pub(crate) fn note_cost(&mut self, group: usize, node: usize, kind: Kind, io: u64, rotated: u64) {
        let cost = match self.spec.release {
            Release::V6_1 => io,
            Release::V6_12 => io * crate::progress::scan::CLUSTER + rotated,
        };
        let mut at = Some(group);
        while let Some(group) = at {
            let size: u64 = Kind::BOTH
                .iter()
                .map(|kind| self.listed(group, node, *kind, false) + self.listed(group, node, *kind, true))
                .sum();
            let lruvec = &mut self.lruvecs[group * self.nodes + node];
            lruvec.cost[kind as usize] += cost;
            if lruvec.cost[0] + lruvec.cost[1] > size / 4 {
                lruvec.cost[0] /= 2;
                lruvec.cost[1] /= 2;
            }
            at = self.groups[group].parent;
        }
    }

    /// Frees a page that is off its list: it leaves memory.
    pub(crate) fn release_page(&mut self, page: PageId) {
        let word = self.word(page);
        self.count_resident(page, -1);
        self.words[page as usize].clear(flag::RESIDENT);
        self.zones[word.zone()].free += 1;
        self.events.pgfree += 1;
    }
}

//! Shadow entries and the refault distance (`mm/workingset.c`).

use crate::host::Host;
use crate::memory::kind::Kind;
use crate::page::{PageId, Word, flag};

impl Host {
    /// What an evicted page leaves behind (`workingset_eviction`): the age of the lists of the group that was reclaimed.
    pub(crate) fn leave_shadow(&mut self, page: PageId, target: usize) {
        let word = self.word(page);
        let node = self.zones[word.zone()].node;
        let mut shadow = Word::default();
        shadow.set(word_flags(word));
        shadow.set_zone(word.zone());
        shadow.set_group(target);
        if self.mglru() {
            self.generation_evicted(page, &mut shadow);
        } else {
            let age = self.lruvecs[target * self.nodes + node].age;
            shadow.set_place(age as u32);
            self.age_lists(target, node);
        }
        if self.spec.mechanisms.shadows {
            shadow.set(flag::SHADOW);
        }
        self.words[page as usize] = shadow;
    }

    /// A page that was evicted comes back (`workingset_refault`). It is in memory, and on no list yet.
    pub(crate) fn refault(&mut self, page: PageId, shadow: Word) {
        if !shadow.has(flag::SHADOW) {
            return;
        }
        if self.mglru() {
            self.generation_refault(page, shadow);
            return;
        }
        let word = self.word(page);
        let kind = Kind::of(word);
        let (group, node) = (word.group(), self.zones[word.zone()].node);
        let (evicted_group, evicted_node) = (shadow.group(), self.zones[shadow.zone()].node);
        self.count_refault(group, kind);
        let age = self.lruvecs[evicted_group * self.nodes + evicted_node].age;
        let distance = u64::from((age as u32).wrapping_sub(shadow.place()));
        let listed = |kind, active| self.listed(evicted_group, evicted_node, kind, active);
        let mut workingset = listed(Kind::File, true);
        if kind == Kind::Anon {
            workingset += listed(Kind::File, false);
        }
        // 6.1 asks for swap of the group that refaults, 6.12 of the one that was reclaimed; groups have no swap limit here.
        if self.swap.free_slots() > 0 {
            workingset += listed(Kind::Anon, true);
            if kind == Kind::File {
                workingset += listed(Kind::Anon, false);
            }
        }
        if distance > workingset {
            return;
        }
        self.words[page as usize].set(flag::ACTIVE);
        self.age_lists(group, node);
        self.count_activation(group, node, kind);
        if shadow.has(flag::WORKINGSET) {
            self.words[page as usize].set(flag::WORKINGSET);
            // 6.1: `lru_note_cost_folio`; 6.12: `lru_note_cost_refault`. One page of IO in both.
            self.note_cost(group, node, kind, 1, 0);
            self.count_restore(group, kind);
        }
    }

    pub(crate) fn count_refault(&mut self, group: usize, kind: Kind) {
        for events in [&mut self.events, &mut self.groups[group].events] {
            match kind {
                Kind::Anon => events.workingset_refault_anon += 1,
                Kind::File => events.workingset_refault_file += 1,
            }
        }
    }

    pub(crate) fn count_activation(&mut self, group: usize, node: usize, kind: Kind) {
        for events in [&mut self.events, &mut self.groups[group].events] {
            match kind {
                Kind::Anon => events.workingset_activate_anon += 1,
                Kind::File => events.workingset_activate_file += 1,
            }
        }
        let mut at = Some(group);
        while let Some(group) = at {
            self.lruvecs[group * self.nodes + node].activations[kind as usize] += 1;
            at = self.groups[group].parent;
        }
    }

    pub(crate) fn count_restore(&mut self, group: usize, kind: Kind) {
        for events in [&mut self.events, &mut self.groups[group].events] {
            match kind {
                Kind::Anon => events.workingset_restore_anon += 1,
                Kind::File => events.workingset_restore_file += 1,
            }
        }
    }
}

/// What stays of a page's flags when it is evicted.
const fn word_flags(word: Word) -> u64 {
    let mut flags = 0;
    if word.has(flag::WORKINGSET) {
        flags |= flag::WORKINGSET;
    }
    if word.has(flag::SWAPPED) {
        flags |= flag::SWAPPED;
    }
    if word.has(flag::ANON) {
        flags |= flag::ANON;
    }
    flags
}

//! Slab that the page cache needs and the shrinker that frees it: nodes of its index (`lib/xarray.c`, `mm/workingset.c`), heads of
//! its blocks (`fs/buffer.c`), and dentries.

use crate::host::Host;
use crate::memory::mapping::LEAF;
use crate::page::{PageId, Word, flag};
use crate::progress::scan::Scan;

/// Index nodes in one slab of four pages: 576 bytes each.
const NODES_PER_SLAB: u64 = 28;
/// Buffer heads of 104 bytes in one page.
const BUFFER_HEADS_PER_PAGE: u64 = 39;
/// Dentries of 192 bytes in one page.
const DENTRIES_PER_PAGE: u64 = 21;

impl Host {
    /// A page comes into the index. Gives the shadow that it replaces.
    pub(crate) fn index_added(&mut self, page: PageId, before: Word) {
        let owner = self.owner(page);
        let mapping = &mut self.mappings[owner];
        let at = mapping.leaf(page);
        let Some(leaf) = mapping.leaves.get_mut(at) else { return };
        let was_empty = leaf.pages == 0 && leaf.shadows == 0;
        let had_only_shadows = leaf.pages == 0 && leaf.shadows > 0;
        leaf.pages += 1;
        if before.has(flag::SHADOW) {
            leaf.shadows = leaf.shadows.saturating_sub(1);
        }
        if had_only_shadows {
            self.slab.shadow_leaves -= 1;
        }
        if was_empty {
            self.slab.leaves += 1;
            self.fit_slab();
        }
    }

    /// A page leaves the index and leaves a shadow, when there are shadows.
    pub(crate) fn index_evicted(&mut self, page: PageId) {
        let shadows = self.spec.mechanisms.shadows;
        self.index_left(page, shadows);
    }

    /// A page of a file or block device is written: it gets a buffer head, which it keeps (`create_empty_buffers`).
    pub(crate) fn add_buffer_head(&mut self, page: PageId) {
        if !self.word(page).has(flag::BUFFER_HEAD) {
            self.words[page as usize].set(flag::BUFFER_HEAD);
            self.slab.buffer_heads += 1;
            self.fit_slab();
        }
    }

    /// A page leaves the index for good, or leaves a shadow.
    pub(crate) fn index_left(&mut self, page: PageId, shadow: bool) {
        if self.word(page).has(flag::BUFFER_HEAD) {
            self.words[page as usize].clear(flag::BUFFER_HEAD);
            self.slab.buffer_heads -= 1;
            self.fit_slab();
        }
        let owner = self.owner(page);
        let mapping = &mut self.mappings[owner];
        let at = mapping.leaf(page);
        let Some(leaf) = mapping.leaves.get_mut(at) else { return };
        leaf.pages -= 1;
        leaf.shadows += u8::from(shadow);
        if leaf.pages > 0 {
            return;
        }
        if leaf.shadows > 0 {
            self.slab.shadow_leaves += 1;
            if !leaf.listed {
                leaf.listed = true;
                self.slab.listed.push_back((owner as u32, at as u32));
            }
        } else {
            self.slab.leaves -= 1;
            self.fit_slab();
        }
    }

    /// Forgets shadows of a leaf.
    pub(crate) fn forget_shadows(&mut self, owner: usize, at: usize) {
        let mapping = &mut self.mappings[owner];
        let leaf = &mut mapping.leaves[at];
        if leaf.shadows == 0 {
            return;
        }
        if leaf.pages == 0 {
            self.slab.shadow_leaves -= 1;
            self.slab.leaves -= 1;
        }
        leaf.shadows = 0;
        let first = u64::from(mapping.base) + at as u64 * LEAF;
        let last = (first + LEAF).min(u64::from(mapping.base) + mapping.pages);
        for word in &mut self.words[first as usize..last as usize] {
            if !word.has(flag::RESIDENT) {
                *word = Word::default();
            }
        }
        self.fit_slab();
    }

    /// Keeps names that nobody uses (`fs/dcache.c`): negative dentries.
    pub(crate) fn add_dentries(&mut self, count: u64) {
        self.slab.dentries += count;
        self.fit_slab();
    }

    /// Pages of reclaimable slab, that of the system included.
    pub(crate) fn slab_pages(&self) -> u64 {
        self.slab.pages + self.spec.system_slab.get() / crate::PAGE_SIZE
    }

    /// Takes or frees pages so that the slab fits.
    fn fit_slab(&mut self) {
        let upper = self.slab.leaves / LEAF;
        let index = (self.slab.leaves + upper).div_ceil(NODES_PER_SLAB) * 4
            + self.slab.buffer_heads.div_ceil(BUFFER_HEADS_PER_PAGE);
        let index = if self.spec.mechanisms.cache_index { index } else { 0 };
        let wanted = index + self.slab.dentries.div_ceil(DENTRIES_PER_PAGE);
        while self.slab.pages < wanted {
            let Some(zone) = self.take_for_kernel() else { return };
            self.slab.zones.push(zone);
            self.slab.pages += 1;
        }
        while self.slab.pages > wanted {
            let Some(zone) = self.slab.zones.pop() else { return };
            self.zones[zone].free += 1;
            self.slab.pages -= 1;
        }
    }

    /// `shrink_slab`: frees leaves that hold only shadows when there are more than an eighth of the pages, half of them at a
    /// time (`count_shadow_nodes`: its shrinker has no seeks), and dentries by the priority.
    pub(crate) fn shrink_slab(&mut self, scan: &mut Scan) {
        let before = self.slab.pages;
        if self.spec.mechanisms.shadow_shrinker && scan.target == 0 {
            let pages: u64 =
                self.lruvecs.iter().map(crate::memory::lruvec::LruVec::total).sum::<u64>() + self.slab_pages();
            let most = pages >> 3;
            let over = self.slab.shadow_leaves.saturating_sub(most);
            let freed = self.free_shadow_leaves(over / 2);
            self.events.slabs_scanned += freed;
            self.events.workingset_nodereclaim += freed;
        }
        let wanted = self.slab.dentries * self.spec.sysctls.vfs_cache_pressure / 100;
        let dropped = ((wanted >> scan.priority) * 2).min(self.slab.dentries);
        if dropped > 0 {
            self.slab.dentries -= dropped;
            self.events.slabs_scanned += dropped;
            self.fit_slab();
        }
        scan.reclaimed += before.saturating_sub(self.slab.pages);
    }

    fn free_shadow_leaves(&mut self, count: u64) -> u64 {
        let mut freed = 0;
        while freed < count {
            let Some((owner, at)) = self.slab.listed.pop_front() else { break };
            let Some(leaf) = self.mappings[owner as usize].leaves.get_mut(at as usize) else { continue };
            leaf.listed = false;
            if leaf.pages == 0 && leaf.shadows > 0 {
                self.forget_shadows(owner as usize, at as usize);
                freed += 1;
            }
        }
        freed
    }

    /// Drops slab that can go (`drop_slab`): dentries. Shadows stay but for those above their limit.
    pub(crate) fn drop_slab(&mut self) {
        self.slab.dentries = 0;
        self.fit_slab();
        self.events.drop_slab += 1;
    }
}

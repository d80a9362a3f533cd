//! Accesses to cached pages without devices and time: what a trace hits, at the speed of the lists alone.

use crate::host::{Host, Stall};
use crate::id::FileId;
use crate::page::{PageId, flag};

/// What a trace did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Accesses to pages in memory.
    pub hits: u64,
    /// Accesses that had to add their page.
    pub misses: u64,
}

/// Accesses whose words are loaded together: loads that do not wait for each other.
const BATCH: usize = 32;

impl Host {
    /// Accesses pages of a file one after the other, as reads of one page each. A missing page is there at once; kswapd runs to its
    /// end when it is woken.
    pub fn replay(&mut self, file: FileId, pages: &[u32]) -> Replayed {
        let mapping = file.0 as usize;
        let (base, size) = (self.mappings[mapping].base, self.mappings[mapping].pages);
        let mut result = Replayed::default();
        for batch in pages.chunks(BATCH) {
            let mut seen = 0;
            for page in batch {
                seen |= self.words.get((base + page) as usize).map_or(0, |word| word.place());
            }
            std::hint::black_box(seen);
            for index in batch {
                if u64::from(*index) >= size {
                    continue;
                }
                let page = base + *index as PageId;
                if self.word(page).has(flag::RESIDENT) {
                    result.hits += 1;
                } else {
                    result.misses += 1;
                    let Some(zone) = self.take_page_at_once() else { continue };
                    self.add_file_page(page, zone, 0);
                }
                self.mark_accessed(page);
            }
        }
        self.cpu = 0;
        result
    }

    fn take_page_at_once(&mut self) -> Option<usize> {
        let zone = self.take_page_for_readahead();
        for node in 0..self.nodes {
            if self.kswapds[node].woken {
                while self.step_kswapd(node) == Stall::Yield {}
            }
        }
        zone
    }
}

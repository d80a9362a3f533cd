//! fio's random map: which blocks a job has not used yet, and which free one it takes instead of a used one.

/// Bits of a word.
const WORD: u64 = 64;

/// The blocks of a job that are free: a bit for each used block, and above it levels of bits, one for each full word below.
#[derive(Debug, Clone)]
pub(super) struct FreeMap {
    levels: Vec<Vec<u64>>,
    blocks: u64,
}

impl FreeMap {
    /// A map of `blocks` free blocks.
    pub(super) fn new(blocks: u64) -> Self {
        let mut levels = Vec::new();
        let mut count = blocks.max(1);
        loop {
            count = count.div_ceil(WORD);
            levels.push(vec![0; usize::try_from(count).unwrap_or(usize::MAX)]);
            if count == 1 {
                return Self { levels, blocks };
            }
        }
    }

    /// Frees all blocks.
    pub(super) fn clear(&mut self) {
        self.levels.iter_mut().for_each(|level| level.fill(0));
    }

    /// Takes a block: this one when it is free, else the next free one, else the first (`lib/axmap.c: axmap_next_free` of
    /// fio 3.33). None when no block is free.
    pub(super) fn take(&mut self, wanted: u64) -> Option<u64> {
        let block = self.free_from(wanted).or_else(|| self.free_from(0))?;
        self.set(block);
        Some(block)
    }

    fn set(&mut self, block: u64) {
        let mut at = block;
        for level in &mut self.levels {
            let Some(word) = usize::try_from(at / WORD).ok().and_then(|word| level.get_mut(word)) else { return };
            *word |= 1 << (at % WORD);
            if *word != u64::MAX {
                return;
            }
            at /= WORD;
        }
    }

    /// The first free block from `block` on: up the levels to a word with a free bit, then down again.
    fn free_from(&self, block: u64) -> Option<u64> {
        let mut at = block;
        for (level, words) in self.levels.iter().enumerate() {
            // Beyond the last word there is nothing, at this level and above.
            let word = words.get(usize::try_from(at / WORD).ok()?)?;
            let below = (1 << (at % WORD)) - 1;
            if word | below != u64::MAX {
                let found = at / WORD * WORD + u64::from((word | below).trailing_ones());
                return self.descend(level, found);
            }
            at = at / WORD + 1;
        }
        None
    }

    fn descend(&self, level: usize, bit: u64) -> Option<u64> {
        let mut at = bit;
        for words in self.levels[..level].iter().rev() {
            at = at * WORD + u64::from(words.get(usize::try_from(at).ok()?)?.trailing_ones());
        }
        (at < self.blocks).then_some(at)
    }
}

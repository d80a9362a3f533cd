//! A list of reclaim as a ring of page numbers.
//!
//! The kernel's lists are queues: pages enter at the head, leave at the tail, and only activation, truncation or rotation takes
//! one from the middle. A page that leaves the middle leaves a hole. Each page knows its place, so leaving is one write; a full
//! ring closes its holes or doubles.

use crate::page::{NO_PAGE, PageId, Word};

/// A list of pages, oldest at the tail.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ring {
    slots: Vec<PageId>,
    /// Position behind the youngest page; positions grow without end, the slot is the position modulo the size.
    head: u64,
    /// Position of the oldest page, or of a hole.
    tail: u64,
    count: u64,
}

const MIN_SLOTS: usize = 64;

impl Ring {
    /// Pages in it.
    #[inline]
    pub(crate) const fn len(&self) -> u64 {
        self.count
    }

    #[inline]
    const fn slot(&self, position: u64) -> usize {
        position as usize & (self.slots.len() - 1)
    }

    /// Adds a page as the youngest.
    #[inline]
    pub(crate) fn push_head(&mut self, page: PageId, words: &mut [Word]) {
        if self.head - self.tail == self.slots.len() as u64 {
            self.make_room(words);
        }
        let slot = self.slot(self.head);
        self.slots[slot] = page;
        words[page as usize].set_place(slot as u32);
        self.head += 1;
        self.count += 1;
    }

    /// Adds a page as the oldest.
    pub(crate) fn push_tail(&mut self, page: PageId, words: &mut [Word]) {
        if self.head - self.tail == self.slots.len() as u64 {
            self.make_room(words);
        }
        if self.tail == 0 {
            // Positions are only used modulo the size.
            self.head += self.slots.len() as u64;
            self.tail += self.slots.len() as u64;
        }
        self.tail -= 1;
        let slot = self.slot(self.tail);
        self.slots[slot] = page;
        words[page as usize].set_place(slot as u32);
        self.count += 1;
    }

    /// Takes the oldest page.
    #[inline]
    pub(crate) fn pop_tail(&mut self) -> Option<PageId> {
        while self.tail != self.head {
            let slot = self.slot(self.tail);
            self.tail += 1;
            let page = self.slots[slot];
            if page != NO_PAGE {
                self.slots[slot] = NO_PAGE;
                self.count -= 1;
                return Some(page);
            }
        }
        None
    }

    /// Takes a page out, wherever it is. The page knows its place.
    #[inline]
    pub(crate) fn remove(&mut self, page: PageId, words: &[Word]) {
        let slot = words[page as usize].place() as usize;
        debug_assert_eq!(self.slots[slot], page, "a page knows its place");
        self.slots[slot] = NO_PAGE;
        self.count -= 1;
    }

    /// All pages, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = PageId> + '_ {
        (self.tail..self.head).map(|position| self.slots[self.slot(position)]).filter(|page| *page != NO_PAGE)
    }

    /// Closes the holes; doubles when more than half of the slots are taken.
    #[cold]
    fn make_room(&mut self, words: &mut [Word]) {
        let size = if self.count * 2 > self.slots.len() as u64 { self.slots.len() * 2 } else { self.slots.len() };
        let mut slots = vec![NO_PAGE; size.max(MIN_SLOTS)];
        for (at, page) in self.iter().enumerate() {
            slots[at] = page;
            words[page as usize].set_place(at as u32);
        }
        self.slots = slots;
        self.tail = 0;
        self.head = self.count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::VecDeque;

    #[test]
    fn it_is_a_queue_from_which_any_page_can_leave() {
        let pages = 1000;
        let mut words = vec![Word::default(); pages];
        let (mut ring, mut model) = (Ring::default(), VecDeque::new());
        let mut rng = Rng::new(1);
        for step in 0..200_000 {
            let page = rng.below(pages as u64) as PageId;
            match rng.below(8) {
                0..4 if !model.contains(&page) => {
                    ring.push_head(page, &mut words);
                    model.push_front(page);
                }
                4 if !model.contains(&page) => {
                    ring.push_tail(page, &mut words);
                    model.push_back(page);
                }
                5 => assert_eq!(ring.pop_tail(), model.pop_back(), "step {step}"),
                _ => {
                    if let Some(at) = model.iter().position(|other| *other == page) {
                        ring.remove(page, &words);
                        model.remove(at);
                    }
                }
            }
            assert_eq!(ring.len(), model.len() as u64);
        }
        assert!(ring.iter().eq(model.iter().rev().copied()));
    }
}

//! The two kinds of pages that reclaim tells apart.

use crate::page::{Word, flag};

/// Which kind of pages a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Anonymous and shared memory.
    Anon = 0,
    /// Page cache of files.
    File = 1,
}

impl Kind {
    pub(crate) const BOTH: [Self; 2] = [Self::Anon, Self::File];

    #[inline]
    pub(crate) const fn of(word: Word) -> Self {
        if word.has(flag::ANON) { Self::Anon } else { Self::File }
    }
}

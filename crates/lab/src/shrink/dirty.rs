//! Dirty thresholds of a machine that is not there, computed as its kernel would.

use pagetide_core::Bytes;
use pagetide_kernel::formula;

/// How much may be dirty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// So many percent of dirtyable memory (`vm.dirty_ratio`).
    Percent(u64),
    /// So many bytes (`vm.dirty_bytes`).
    Bytes(u64),
}

/// Which threshold a setting is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The one at which writers are stopped.
    Dirty(Part),
    /// The one at which the flusher begins.
    Background(Part),
}

impl Kind {
    /// What setting `name` to `value` says about the thresholds; nothing when it is about something else, or a value that the
    /// kernel would refuse (which it is then asked to do).
    pub(crate) fn of(name: &str, value: i64) -> Option<Self> {
        let value = u64::try_from(value).ok()?;
        let percent = || (value <= 100).then_some(Part::Percent(value));
        let bytes = || (value > 0).then_some(Part::Bytes(value));
        match name {
            "vm.dirty_ratio" => percent().map(Self::Dirty),
            "vm.dirty_background_ratio" => percent().map(Self::Background),
            "vm.dirty_bytes" => bytes().map(Self::Dirty),
            "vm.dirty_background_bytes" => bytes().map(Self::Background),
            _ => None,
        }
    }
}

/// The dirty and the background threshold of a machine with so much dirtyable memory, rounded as
/// `mm/page-writeback.c: domain_dirty_limits` rounds: percent become 4096ths rounded down, thresholds whole pages.
pub(crate) fn thresholds(dirtyable: Bytes, dirty: Part, background: Part, page: Bytes) -> (Bytes, Bytes) {
    let dirtyable = dirtyable.to_pages(page);
    let part = |part| {
        let (bytes, percent) = match part {
            Part::Percent(percent) => (0, percent),
            Part::Bytes(bytes) => (bytes, 0),
        };
        formula::limit(bytes, percent, dirtyable, page).unwrap_or(dirtyable).get()
    };
    let dirty = part(dirty);
    let background = part(background);
    let background = if background >= dirty { dirty / 2 } else { background };
    // The kernel takes no less than two pages (`dirty_bytes_min`) and, of the background threshold, one byte.
    let bytes = |pages: u64| Bytes::new(pages.saturating_mul(page.get()));
    (bytes(dirty.max(2)), bytes(background.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PAGE: Bytes = Bytes::new(4096);

    #[test]
    fn thresholds_are_rounded_as_the_kernel_rounds() {
        // 30 % are 1228/4096 and 10 % are 409/4096.
        let (dirty, background) = thresholds(Bytes::new(1000 << 12), Part::Percent(30), Part::Percent(10), PAGE);
        assert_eq!((dirty.get() >> 12, background.get() >> 12), (1000 * 1228 / 4096, 1000 * 409 / 4096));
        let (dirty, background) = thresholds(Bytes::new(1000 << 12), Part::Bytes(8193), Part::Bytes(1), PAGE);
        assert_eq!((dirty.get() >> 12, background.get() >> 12), (3, 1));
    }

    #[test]
    fn a_background_threshold_above_the_other_is_halved() {
        let (dirty, background) = thresholds(Bytes::new(1000 << 12), Part::Percent(10), Part::Percent(20), PAGE);
        assert_eq!(background.get(), (dirty.get() >> 13) << 12);
    }

    #[test]
    fn settings_differ() {
        assert_eq!(Kind::of("vm.dirty_ratio", 30), Some(Kind::Dirty(Part::Percent(30))));
        assert_eq!(Kind::of("vm.dirty_background_bytes", 4096), Some(Kind::Background(Part::Bytes(4096))));
        assert_eq!(Kind::of("vm.dirty_ratio", 101), None);
        assert_eq!(Kind::of("vm.dirty_bytes", 0), None);
        assert_eq!(Kind::of("vm.swappiness", 1), None);
    }

    proptest! {
        #[test]
        fn thresholds_are_ordered_whole_pages_within_memory(memory in 1u64 << 20..1 << 40, dirty in 1u64..=100, background in 0u64..=100) {
            let (above, below) =
                thresholds(Bytes::new(memory), Part::Percent(dirty), Part::Percent(background), PAGE);
            prop_assert!(below < above && above.get() <= memory.max(8192));
            prop_assert!(above.get() % 4096 == 0 && below.get() % 4096 == 0);
        }

        #[test]
        fn more_held_memory_never_raises_a_threshold(memory in 1u64 << 20..1 << 40, less in 0u64..1 << 20, percent in 1u64..=100) {
            let of = |bytes| thresholds(Bytes::new(bytes), Part::Percent(percent), Part::Percent(10), PAGE).0;
            prop_assert!(of(memory - less) <= of(memory));
        }
    }
}

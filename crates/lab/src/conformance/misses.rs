//! Why figures are beyond their band, by the mechanism that is missing or cannot be known.

/// A reason: the comparison ([`super::Conformance::name`]), the step and the figure, each `*` for all, and the mechanism.
type Reason = (&'static str, &'static str, &'static str, &'static str);

/// Free memory at the begin or the end of a step is that of one instant.
const INSTANT: &str = "free memory at one instant, while kswapd works: it rises and falls between the watermarks";
/// What kswapd does where it cannot free anything.
const HOPELESS: &str = "kswapd finds dirty pages only and gives up after 16 rounds; each page that a task frees meanwhile lets it begin anew \
    (`kswapd_failures`), and how often that happens depends on the host's load";
/// Merges that the model does not make.
const MERGES: &str = "merges with requests that wait in the IO scheduler (`blk_mq_sched_try_merge`); the model merges within one plug and with \
    the last that waits";
/// A step of seconds on a busy host.
const SLOW_HOST: &str = "a step of a fixed time, or of less than a second on the model: on the busy host the emulated CPU took longer, so that it did \
    fewer requests, and the flusher's tick fell into it";

/// A limit that a step before left behind.
const OLD_LIMIT: &str = "how far the dirty limit fell in the step before: only throttled writers lower it, every 200 ms, and those of a busy host \
    are throttled less often (`update_dirty_limit`)";
/// Free memory that is not counted.
const CPU_LISTS: &str = "probably pages on the CPUs' own free lists, which MemFree does not count (`mm/page_alloc.c: free_unref_page`); the model \
    has none";

const REASONS: &[Reason] = &[
    ("backup-evicts-neighbour", "night_plain_backup", "free_after", INSTANT),
    ("buffered-read", "hold", "free_after", CPU_LISTS),
    ("buffered-write", "A9", "pages_scanned", HOPELESS),
    ("buffered-write", "A9_falling", "disk_write_merges", MERGES),
    ("buffered-write", "A9_settled", "*", OLD_LIMIT),
    ("backup-evicts-neighbour on 6.12 with MGLRU", "*", "free_after", INSTANT),
    ("backup-evicts-neighbour on 6.12 with MGLRU", "*", "free_before", INSTANT),
    ("buffered-read on 6.12 with MGLRU", "device", "*", SLOW_HOST),
    ("buffered-read on 6.12 with MGLRU", "A3", "free_after", INSTANT),
    ("buffered-read on 6.12 with MGLRU", "A4", "free_after", INSTANT),
    ("buffered-read on 6.12 with MGLRU", "A4_fresh", "free_before", INSTANT),
    ("buffered-read on 6.12 with MGLRU", "A4_fresh", "free_after", INSTANT),
    ("buffered-read on 6.12 with MGLRU", "hold", "free_before", INSTANT),
    ("buffered-read on 6.12 with MGLRU", "hold", "free_after", INSTANT),
    ("buffered-read on 6.12 with MGLRU", "A6", "free_before", INSTANT),
    ("buffered-write on 6.12 with MGLRU", "device", "disk_write_merges", MERGES),
    ("buffered-write on 6.12 with MGLRU", "device", "*", SLOW_HOST),
    ("buffered-write on 6.12 with MGLRU", "small", "*", SLOW_HOST),
    ("buffered-write on 6.12 with MGLRU", "A9", "pages_scanned", HOPELESS),
];

/// The mechanism behind a figure that is beyond its band; none where it is not known.
pub(super) fn reason(comparison: &str, step: &str, figure: &str) -> Option<&'static str> {
    let is = |pattern: &str, text: &str| pattern == "*" || pattern == text;
    REASONS
        .iter()
        .find(|(of, steps, figures, _)| *of == comparison && is(steps, step) && is(figures, figure))
        .map(|(.., why)| *why)
}

/// Reasons of figures that are within their band by now, or are not there.
pub fn outdated(all: &[super::Conformance]) -> Vec<String> {
    let is = |pattern: &str, text: &str| pattern == "*" || pattern == text;
    let misses = |comparison: &str, steps: &str, figures: &str| {
        all.iter()
            .filter(|one| one.name() == comparison)
            .flat_map(super::Conformance::misses)
            .any(|miss| is(steps, &miss.step) && is(figures, miss.figure.name()))
    };
    let left = REASONS.iter().filter(|(comparison, steps, figures, _)| !misses(comparison, steps, figures));
    left.map(|(comparison, steps, figures, _)| format!("{comparison} {steps}.{figures}")).collect()
}

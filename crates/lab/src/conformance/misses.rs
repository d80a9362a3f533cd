//! Why figures are beyond their band, by the mechanism that is missing or cannot be known.

/// A reason: the comparison ([`super::Conformance::name`]), the step and the figure, each `*` for all, and the mechanism.
type Reason = (&'static str, &'static str, &'static str, &'static str);

/// Free memory at the begin or the end of a step is that of one instant.
const INSTANT: &str = "free memory at one instant, while kswapd works: it rises and falls between the watermarks";
/// What kswapd does where it cannot free anything.
const HOPELESS: &str = "kswapd finds dirty pages only and gives up after 16 rounds; each page that a task frees meanwhile lets it begin anew \
    (`kswapd_failures`), and how often that happens depends on the host's load: runs of one kernel scanned 30, 58 and 1334 thousand pages";
/// Merges that the model does not make.
const MERGES: &str = "blocks of the journal's commits: ext4 sends each block of its extent tree and of its bitmaps by itself, and the plug merges \
    those in a row (`fs/jbd2/commit.c: jbd2_journal_commit_transaction`); the model's commit is one request of 2 or 4 blocks. In \
    a run on 6.1 the merges came in 33 bursts of 6 to 36, most of them 5 s apart";
/// A step of seconds on a busy host.
const SLOW_HOST: &str = "a step of a fixed time, or of less than a second on the model: on the busy host the emulated CPU took longer, so that it did \
    fewer requests, and the flusher's tick fell into it";

/// A limit that a step before left behind.
const OLD_LIMIT: &str = "how far the dirty limit fell in the step before: only throttled writers lower it, every 200 ms, and those of a busy host \
    are throttled less often (`update_dirty_limit`)";
/// What was written by the end of a step.
const FLUSH_CYCLE: &str = "where in the flusher's cycle the step ended: in the VM dirty memory rose to 198 MiB and fell to 11 to 50 MiB, and what was \
    dirty at the end was written after the step";
/// A step that ends before the flusher has done much.
const THIRD_RUN: &str = "how far the flusher got by the end of the step: a third run of this kernel wrote 1.3 MiB in A8, not 4.1, and 4268 times in \
    A9_falling, not 3593";
/// Blocks that the file system reads and makes.
const EXTENT_BLOCKS: &str = "blocks of ext4's extent tree and bitmaps, which a random write into a new file brings into Buffers \
    (`fs/ext4/extents.c: sb_getblk_gfp`); the model has none";
/// Free memory that is not counted.
const CPU_LISTS: &str = "probably pages on the CPUs' own free lists, which MemFree does not count (`mm/page_alloc.c: free_unref_page`); the model \
    has none";

/// Swap is not part of the model's peak.
const SWAP_WRITES: &str = "pages on their way to swap, which Writeback counts; the model leaves them out of the peak, because a whole priority \
    of its kswapd on the classic LRU is one instant: counted, the peak was 72 MiB in D2 on 6.1, where the kernel had 8";

/// Reads beside a stream that takes the CPU.
const SLOW_READS: &str = "the programs read less while the stream ran: each read took them 20 ms, not 13, as the emulated CPU was busy with the \
    stream. With reads as slow, the model has 4900 major faults instead of 7500 (the kernel: 4000)";
/// The same as [`CPU_LISTS`] on kernels since 6.7.
const GROWING_CPU_LISTS: &str = "pages on the CPUs' own free lists, which MemFree does not count and which grow with what is freed at once \
    (`mm/page_alloc.c: nr_pcp_high`); the model has none, and counts those before the first step as in use. In another run of this kernel the \
    fields of meminfo added up to 7 MiB less than all memory at the end of A7 and to 12 MiB less at the begin of A9, but to 2 MiB less while \
    memory was short";

const REASONS: &[Reason] = &[
    ("buffered-read", "hold", "free_after", CPU_LISTS),
    ("buffered-write", "A9_falling", "disk_write_merges", MERGES),
    ("buffered-write", "A9_falling", "*", OLD_LIMIT),
    ("buffered-write", "A9_settled", "*", OLD_LIMIT),
    ("buffers-and-cached", "C6", "disk_written_bytes", FLUSH_CYCLE),
    ("copy-clean-vs-polluted", "C10", "free_after", INSTANT),
    ("ssd-stream-starves-raid", "*", "*", SLOW_READS),
    ("backup-evicts-neighbour on 6.12 with MGLRU", "*", "free_after", INSTANT),
    ("backup-evicts-neighbour on 6.12 with MGLRU", "*", "free_before", INSTANT),
    ("buffered-read on 6.12 with MGLRU", "A4_fresh", "free_after", INSTANT),
    ("buffered-read on 6.12 with MGLRU", "hold", "free_before", INSTANT),
    ("buffered-write on 6.12 with MGLRU", "device", "disk_write_merges", MERGES),
    ("buffered-write on 6.12 with MGLRU", "device", "*", SLOW_HOST),
    ("buffered-write on 6.12 with MGLRU", "small", "*", SLOW_HOST),
    ("buffered-write on 6.12 with MGLRU", "A7", "free_after", GROWING_CPU_LISTS),
    ("buffered-write on 6.12 with MGLRU", "A9", "available_before", GROWING_CPU_LISTS),
    ("buffered-write on 6.12 with MGLRU", "A9", "pages_scanned", HOPELESS),
    ("buffered-write on 6.12 with MGLRU", "A8", "disk_written_bytes", THIRD_RUN),
    ("buffered-write on 6.12 with MGLRU", "A9_falling", "disk_writes", THIRD_RUN),
    ("buffered-write on 6.12 with MGLRU", "A9_falling", "buffers_after", EXTENT_BLOCKS),
    ("buffered-write on 6.12 with MGLRU", "A9", "disk_write_merges", MERGES),
    ("buffered-write on 6.12 with MGLRU", "A9_settled", "disk_write_merges", MERGES),
    ("buffered-write on 6.12 with MGLRU", "A10", "free_after", GROWING_CPU_LISTS),
    ("buffered-write on 6.12 with MGLRU", "A9_settled", "pages_scanned", GROWING_CPU_LISTS),
    ("buffered-write on 6.12 with MGLRU", "A9_settled", "pages_stolen", GROWING_CPU_LISTS),
    ("swap-off on 6.12 with MGLRU", "D2", "dirty_peak", SWAP_WRITES),
    ("swap-off on 6.12 with MGLRU", "D2_cold_data", "dirty_peak", SWAP_WRITES),
];

/// The mechanism behind a figure that is beyond its band; none where it is not known.
pub(super) fn reason(comparison: &str, step: &str, figure: &str) -> Option<&'static str> {
    let is = |pattern: &str, text: &str| pattern == "*" || pattern == text;
    let of_figure = |figure: &str| {
        let fits = |(of, steps, figures, _): &&Reason| *of == comparison && is(steps, step) && is(figures, figure);
        REASONS.iter().find(fits).map(|(.., why)| *why)
    };
    // What is free when a step begins is what was free when the one before ended.
    of_figure(figure).or_else(|| of_figure("free_after").filter(|_| figure == "free_before"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_at_the_begin_of_a_step_has_the_reason_of_the_end_before() {
        let of_write = |figure: &str| reason("buffered-write on 6.12 with MGLRU", "A7", figure);
        assert_eq!((of_write("free_before"), of_write("disk_reads")), (Some(GROWING_CPU_LISTS), None));
        assert_eq!(reason("second-read", "read", "free_before"), None, "no such reason of free_after");
    }
}

//! Which questions a recording can answer.

use pagetide_core::{Manifest, Recording, Table};

/// A question about a host, and the metrics of which any answers it.
struct Question {
    what: &'static str,
    table: Table,
    metrics: &'static [&'static [&'static str]],
    hint: &'static str,
}

/// What has to be known before a host can be called healthy.
const QUESTIONS: &[Question] = &[
    Question {
        what: "whether memory is reclaimed",
        table: Table::Host,
        metrics: &[&["pgscan_kswapd", "pgscan_direct"]],
        hint: "/proc/vmstat or `sar -B`",
    },
    Question {
        what: "whether tasks wait for memory",
        table: Table::Host,
        metrics: &[
            &["psi_memory_some"],
            &["allocstall", "allocstall_normal"],
            &["workingset_refault_file", "workingset_refault"],
            &["pgmajfault"],
        ],
        hint: "/proc/pressure/memory, /proc/vmstat or `sar -B`",
    },
    Question {
        what: "how memory is used",
        table: Table::Host,
        metrics: &[&["MemFree", "Cached"]],
        hint: "/proc/meminfo or `sar -r`",
    },
    Question {
        what: "whether devices are busy",
        table: Table::Disk,
        metrics: &[&["io_ms", "util"]],
        hint: "/proc/diskstats or `sar -d`",
    },
];

/// Samples that a baseline needs: a median and its deviations of fewer mean nothing.
pub const LEAST_SAMPLES: usize = 10;

/// How many control groups had no row.
const SKIPPED: &[&str] = &["scan_groups_skipped"];

/// What the recorder could not read or the kernel does not count there: a sentence each.
pub(crate) fn blind_spots(recording: &Recording) -> impl Iterator<Item = String> {
    let skipped = recording.host(SKIPPED[0]).and_then(|series| series.points().map(|(_, groups)| groups).max());
    let skipped = skipped.and_then(|groups| u64::try_from(groups).ok());
    let groups = skipped.and_then(Manifest::blind_groups);
    let sentence = |spot: String| format!("The recorder {}.", spot.trim_end_matches('.'));
    recording.manifest.blind().into_iter().chain(groups).map(sentence)
}

/// What a recording does not show, and why: a sentence each.
pub(crate) fn gaps(recording: &Recording) -> Vec<String> {
    let samples = recording.stamps().len();
    match samples {
        0 => return vec!["The recording has no samples.".to_owned()],
        1 => return vec!["The recording has one sample: a rate needs two.".to_owned()],
        _ => {}
    }
    let mut gaps = Vec::new();
    if samples < LEAST_SAMPLES {
        gaps.push(format!("The recording has {samples} samples; a baseline needs at least {LEAST_SAMPLES}."));
    }
    for question in QUESTIONS {
        let points = |entity: &str, metric: &str| {
            recording.series(question.table, entity, metric).map_or(0, |series| series.points().take(2).count())
        };
        let answered = recording.entities(question.table).any(|(entity, _)| {
            question.metrics.iter().any(|metrics| metrics.iter().any(|metric| points(entity, metric) >= 2))
        });
        if !answered {
            gaps.push(format!("Not recorded: {} ({}).", question.what, question.hint));
        }
    }
    gaps
}

/// The metrics that answer the questions.
pub(crate) fn metrics() -> impl Iterator<Item = &'static [&'static str]> {
    QUESTIONS.iter().flat_map(|question| question.metrics).copied().chain([SKIPPED])
}

//! What a recording can say at all.

use crate::window::{REFAULTED, SCANNED, STALLS};
use pagetide_core::{Recording, Table};

/// A question about a host, and the metrics of which one answers it.
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
        metrics: &[SCANNED],
        hint: "/proc/vmstat or `sar -B`",
    },
    Question {
        what: "whether programs wait for memory",
        table: Table::Host,
        metrics: &[&["psi_memory_some"], STALLS, REFAULTED, &["pgmajfault"]],
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

/// Samples that it takes to know what is usual: a median and its deviations of fewer mean nothing.
pub(crate) const LEAST_SAMPLES: usize = 10;

/// What cannot be told from a recording, and because of what: a sentence each, nothing when all can be told.
pub(crate) fn gaps(recording: &Recording) -> Vec<String> {
    let samples = recording.stamps().len();
    match samples {
        0 => return vec!["The recording has no samples.".to_owned()],
        1 => return vec!["The recording has one sample: what happens per second needs two.".to_owned()],
        _ => {}
    }
    let mut gaps = Vec::new();
    if samples < LEAST_SAMPLES {
        gaps.push(format!(
            "The recording has {samples} samples; what is usual on this host cannot be told from fewer than {LEAST_SAMPLES}."
        ));
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

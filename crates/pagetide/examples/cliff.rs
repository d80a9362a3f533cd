//! Draws how a second read of a file fares as memory shrinks, from the folders of runs of `second-read`:
//! `cargo run --example cliff -- again|fresh RUN… > cliff.svg`. `tools/cliff` makes the runs. The trace of the run with the least
//! memory predicts the others: that curve is drawn under the measured points.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit, reason = "an example is a program of its own")]

use pagetide_core::{Figure, RunResult, Selection, Source};
use pagetide_store::Reader;
use pagetide_trace::{TABLES, read_tables};
use pagetide_view::{Axes, Measure, Predicted, curve};
use std::path::Path;

/// Points of the predicted curve.
const POINTS: u64 = 200;

/// A run's second read.
struct Run {
    folder: String,
    memory: f64,
    hit_ratio: f64,
    /// From its beginning to that of the next step, on the recording's axis.
    began_ns: i64,
    ended_ns: i64,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(step) = arguments.next() else {
        eprintln!("usage: cliff again|fresh RUN…");
        std::process::exit(2);
    };
    let mut runs: Vec<Run> = arguments.filter_map(|folder| run(&step, folder)).collect();
    runs.sort_by(|a, b| a.memory.total_cmp(&b.memory));
    let predicted = runs.first().zip(runs.last()).and_then(|(least, most)| predict(least, most.memory));
    let points: Vec<(f64, f64)> = runs.iter().map(|run| (run.memory, run.hit_ratio)).collect();
    let axes = Axes {
        title: if step == "again" {
            "256 MiB read again in the same order"
        } else {
            "256 MiB read again in a new order"
        },
        x: "available memory",
        x_measure: Measure::Bytes,
        y: "reads served by the cache",
        y_measure: Measure::Share,
        log: false,
    };
    println!("{}", curve(&points, predicted.as_ref(), &axes));
}

fn run(step: &str, folder: String) -> Option<Run> {
    let text = std::fs::read_to_string(format!("{folder}/result.json")).expect("a run's folder");
    let run: RunResult = serde_json::from_str(&text).expect("a result of this version");
    let at = run.steps.iter().position(|read| read.id == step).expect("a run of second-read");
    let read = &run.steps[at];
    Some(Run {
        memory: read.get(Figure::AvailableBefore)?,
        hit_ratio: read.get(Figure::CacheHitRatio)?,
        began_ns: read.started_ns,
        ended_ns: run.steps.get(at + 1).map_or(i64::MAX, |next| next.started_ns),
        folder,
    })
}

/// The hit ratios that the trace of a run predicts with more memory.
fn predict(run: &Run, most: f64) -> Option<Predicted> {
    let selection = Selection { tables: TABLES.to_vec(), ..Selection::default() };
    let recording = Reader::open(&Path::new(&run.folder).join("recording")).and_then(|reader| reader.load(&selection));
    let recording = recording.expect("the recording of the run");
    let (summary, _) = read_tables(&recording, run.began_ns, run.ended_ns)?;
    let (misses, scale) =
        (summary.misses_within(recording.manifest.workload_cgroup.as_deref()), summary.coverage.scale);
    let page = recording.manifest.page_size.as_f64();
    let hits = |remaining: f64| 1.0 - (1.0 - run.hit_ratio) * remaining;
    let point = |number: u64| {
        let more = (most - run.memory) * number as f64 / POINTS as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and memory in pages"
        )]
        let point = misses.at(scale, (more / page) as u64)?;
        Some((run.memory + more, hits(point.remaining), hits(point.high), hits(point.low)))
    };
    let points: Vec<_> = (0..=POINTS).map_while(point).collect();
    let from = format!("predicted at {}", Measure::Bytes.show(run.memory));
    (points.len() > 1).then_some(Predicted { from, points })
}

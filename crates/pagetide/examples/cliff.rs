//! Draws how a second read of a file fares as memory shrinks, from the folders of runs of `second-read`:
//! `cargo run --example cliff -- again|fresh RUN… > cliff.svg`. `tools/cliff` makes the runs.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit, reason = "an example is a program of its own")]

use pagetide_core::{Figure, RunResult};
use pagetide_view::{Axes, Measure, curve};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(step) = arguments.next() else {
        eprintln!("usage: cliff again|fresh RUN…");
        std::process::exit(2);
    };
    let mut points = Vec::new();
    for folder in arguments {
        let text = std::fs::read_to_string(format!("{folder}/result.json")).expect("a run's folder");
        let run: RunResult = serde_json::from_str(&text).expect("a result of this version");
        let read = run.steps.iter().find(|read| read.id == step).expect("a run of second-read");
        let (Some(memory), Some(value)) = (read.get(Figure::AvailableBefore), read.get(Figure::CacheHitRatio)) else {
            continue;
        };
        points.push((memory, value));
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
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
    println!("{}", curve(&points, &axes));
}

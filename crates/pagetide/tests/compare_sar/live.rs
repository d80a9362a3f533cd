//! sadc and the recorder beside each other on this machine: each takes its own samples, so numbers differ by the moments of reading.

use crate::fields::{FIELDS, Shown, values_of};
use crate::snapshots::{sadf, wall_ns};
use pagetide_core::{Selection, Source};
use pagetide_store::Reader;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::{Command, Stdio};

/// Records both for some seconds and gives the spread as Markdown.
pub(crate) fn spread(seconds: u64) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (sadc, recording) = (folder.path().join("sa"), folder.path().join("recording"));
    let mut recorder = Command::new(env!("CARGO_BIN_EXE_pagetide"))
        .args(["record", "--for", &format!("{}s", seconds + 2), "-o"])
        .arg(&recording)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let sar = Command::new("/usr/lib/sysstat/sadc")
        .args(["-S", "XALL", "1", &seconds.to_string()])
        .arg(&sadc)
        .status()
        .unwrap();
    assert!(sar.success() && recorder.wait().unwrap().success());
    let recording = Reader::open(&recording).unwrap().load(&Selection::default()).unwrap();
    let shown = Shown::new(&recording);
    let walls: Vec<i64> = recording.stamps().iter().map(|stamp| stamp.wall_ns).collect();
    let mut pairs: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
    let mut entities: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let samples = sadf(&sadc);
    let seconds_of: Vec<i64> = samples.iter().filter_map(wall_ns).collect();
    // Each row once: of the pairs below some rows are in two, and some in none.
    let stretch = (seconds_of[0], seconds_of[seconds_of.len() - 1] + 1_000_000_000);
    for sample in samples {
        // sadc tells whole seconds, and takes a sample at any moment within one.
        let Some(second) = wall_ns(&sample) else { continue };
        let distance = |wall: &&i64| (**wall - second - 500_000_000).abs();
        let Some(near) = walls.iter().min_by_key(distance).filter(|wall| distance(wall) < 1_000_000_000) else {
            continue;
        };
        for (at, field) in FIELDS.iter().enumerate() {
            for (entity, printed) in values_of(&sample, field) {
                if let Some(value) = shown.at(field, &entity, *near) {
                    pairs.entry(at).or_default().push((printed, value));
                    entities.entry(at).or_default().insert(entity);
                }
            }
        }
    }
    let mut text = format!(
        "{seconds} s, one sample a second each. The mean over the time, and of the single seconds the median and the 90 % quantile of\n\
         the difference, as a share of the larger number.\n\n\
         | sar | pairs | mean of sar | mean of pagetide | means differ | median | 90 % |\n|---|---:|---:|---:|---:|---:|---:|\n"
    );
    for (at, field) in FIELDS.iter().enumerate() {
        let Some(pairs) = pairs.get(&at) else { continue };
        let share = |(one, other): &(f64, f64)| {
            let larger = one.abs().max(other.abs());
            if larger == 0.0 { 0.0 } else { (one - other).abs() / larger }
        };
        let count = pairs.len() as f64;
        let means = (pairs.iter().map(|pair| pair.0).sum::<f64>() / count, shown.mean(field, &entities[&at], stretch));
        let mut shares: Vec<f64> = pairs.iter().map(share).collect();
        shares.sort_by(f64::total_cmp);
        let quantile = |of: usize| shares[(shares.len() * of / 100).min(shares.len() - 1)] * 100.0;
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.2} | {:.1} % | {:.1} % | {:.1} % |",
            field.sar,
            pairs.len(),
            means.0,
            means.1,
            share(&means) * 100.0,
            quantile(50),
            quantile(90)
        );
    }
    text
}

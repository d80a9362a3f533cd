//! What it ran on.

use super::words::{began, count};
use crate::timeline::Timeline;
use pagetide_core::{Quantity, Report};

/// Names and values: of a run, what the backend says; of a recording, its manifest.
pub(super) fn facts(report: &Report, timeline: Option<&Timeline>) -> Vec<(String, String)> {
    let manifest = &report.recording.manifest;
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: String| {
        if !value.is_empty() {
            facts.push((name.to_owned(), value));
        }
    };
    if let Some(run) = &report.run {
        add("scenario", format!("{} at scale {}, on {}", run.scenario, run.scale, run.backend));
        add("machine", run.machine.join("\n"));
        add("kernel", run.kernel.clone());
        add("seed", run.seed.to_string());
        add("began", began(run, &report.recording));
        add("pagetide", run.tool_version.clone());
    } else {
        add("host", manifest.host.clone());
        let memory = Quantity::bytes(manifest.memory_total);
        add(
            "machine",
            match (manifest.cpus, manifest.memory_total.get()) {
                (0, _) => String::new(),
                (cpus, 0) => count(cpus as usize, "CPU"),
                (cpus, _) => format!("{}, {memory} of memory", count(cpus as usize, "CPU")),
            },
        );
        let disks = manifest.disks.iter().filter(|disk| disk.below.is_empty() && disk.size.get() > 0);
        add("disks", disks.map(|disk| format!("{} {}", disk.name, disk.size)).collect::<Vec<_>>().join(", "));
        let swaps = manifest.swaps.iter().map(|swap| format!("{} {}", swap.path, swap.size)).collect::<Vec<_>>();
        add("swap", if swaps.is_empty() && manifest.cpus > 0 { "none".to_owned() } else { swaps.join(", ") });
        add("kernel", manifest.kernel.clone());
        add("source", manifest.origin.to_string());
        add("pagetide", manifest.tool_version.clone());
    }
    add("sampled", sampling(report, timeline));
    facts
}

/// How it was sampled, with the gaps, which a reader must know.
fn sampling(report: &Report, timeline: Option<&Timeline>) -> String {
    let manifest = &report.recording.manifest;
    let count = report.recording.stamps().len();
    if count == 0 {
        return "not at all".to_owned();
    }
    let gaps = timeline.map(|timeline| timeline.gaps.as_slice()).unwrap_or_default();
    let missing = gaps.iter().map(|(from, to)| to.saturating_sub(*from)).sum::<i64>() as f64;
    let gaps = match gaps.len() {
        0 => "no gap".to_owned(),
        1 => format!("1 gap of {}", Quantity::new(missing, pagetide_core::Unit::Nanos)),
        many => format!("{many} gaps, {} in total", Quantity::new(missing, pagetide_core::Unit::Nanos)),
    };
    let parts = match timeline.map_or(1, |timeline| timeline.stretches.len()) {
        0 | 1 => String::new(),
        many => format!(" in {many} separate stretches"),
    };
    let every = if manifest.interval.get() > 0 { format!(" every {}", manifest.interval) } else { String::new() };
    let cost = if manifest.recorder_cpu.get() > 0 {
        format!("; the recorder used {} of CPU", manifest.recorder_cpu)
    } else {
        String::new()
    };
    let lost = match manifest.lost_samples {
        0 => String::new(),
        lost => format!(", {lost} lost because they could not be written in time"),
    };
    format!("{} samples{parts}{every}, {gaps}{lost}{cost}", Quantity::count(count as f64))
}

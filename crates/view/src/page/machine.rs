//! What it ran on.

use super::words::{began, count};
use crate::clock;
use crate::timeline::{Stretch, Timeline};
use pagetide_core::{Bytes, Origin, Quantity, Report};

/// Names and values: of a run, what the backend says; of a recording, its manifest.
pub(super) fn facts(report: &Report, timeline: Option<&Timeline>) -> Vec<(String, Vec<String>)> {
    let manifest = &report.recording.manifest;
    let mut facts: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |name: &str, lines: Vec<String>| {
        if lines.iter().any(|line| !line.is_empty()) {
            facts.push((name.to_owned(), lines));
        }
    };
    if let Some(run) = &report.run {
        add("scenario", vec![format!("{} at scale {}, on {}", run.scenario, run.scale, run.backend)]);
        add("machine", run.machine.clone());
        add("kernel", vec![run.kernel.clone()]);
        add("seed", vec![run.seed.to_string()]);
        add("began", vec![began(run, &report.recording)]);
        add("pagetide", vec![run.tool_version.clone()]);
    } else {
        add("host", vec![manifest.host.clone()]);
        let memory = Quantity::bytes(manifest.memory_total);
        add(
            "machine",
            vec![match (manifest.cpus, manifest.memory_total.get()) {
                (0, _) => String::new(),
                (cpus, 0) => count(cpus as usize, "CPU"),
                (cpus, _) => format!("{}, {memory} of memory", count(cpus as usize, "CPU")),
            }],
        );
        let disks = manifest.disks.iter().filter(|disk| disk.below.is_empty() && disk.size.get() > 0);
        add("disks", vec![disks.map(|disk| format!("{} {}", disk.name, disk.size)).collect::<Vec<_>>().join(", ")]);
        let swaps = manifest.swaps.iter().map(|swap| format!("{} {}", swap.path, swap.size)).collect::<Vec<_>>();
        // Other tools' logs do not list the swap areas; some have the size of all.
        let is_listed = manifest.cpus > 0 && manifest.origin != Origin::Import;
        let counted = report.recording.host("SwapTotal").and_then(|series| series.points().next_back());
        let counted = counted.and_then(|(_, bytes)| u64::try_from(bytes).ok());
        add(
            "swap",
            vec![match counted {
                _ if !swaps.is_empty() => swaps.join(", "),
                Some(bytes) if bytes > 0 => Bytes::new(bytes).to_string(),
                counted if is_listed || counted.is_some() => "none".to_owned(),
                _ => String::new(),
            }],
        );
        add("kernel", vec![manifest.kernel.clone()]);
        add("source", vec![manifest.origin.to_string()]);
        add("pagetide", vec![manifest.tool_version.clone()]);
    }
    add("sampled", vec![sampling(report, timeline)]);
    facts
}

/// How long each gap is, ns: those that the plots show, and those that are cut out of their axis between two stretches.
fn gaps(timeline: &Timeline) -> Vec<i64> {
    let shown = timeline.gaps.iter().map(|(from, to)| to.saturating_sub(*from));
    let end = |stretch: &Stretch| stretch.start_ns.saturating_add(stretch.to.saturating_sub(stretch.from));
    // From a log of an unknown day to one of a known day is no length of time.
    let is_known = |pair: &&[Stretch]| clock::dated(pair[0].start_local_ns) == clock::dated(pair[1].start_local_ns);
    let pairs = timeline.stretches.windows(2).filter(is_known);
    let cut = pairs.map(|pair| pair[1].start_ns.saturating_sub(end(&pair[0])));
    shown.chain(cut).collect()
}

/// How it was sampled, with the gaps, which a reader must know.
fn sampling(report: &Report, timeline: Option<&Timeline>) -> String {
    let manifest = &report.recording.manifest;
    let count = report.recording.stamps().len();
    if count == 0 {
        return "not at all".to_owned();
    }
    let gaps = timeline.map(gaps).unwrap_or_default();
    let missing = gaps.iter().sum::<i64>() as f64;
    let gaps = match gaps.len() {
        0 => "no gap".to_owned(),
        1 => format!("1 gap of {}", Quantity::new(missing, pagetide_core::Unit::Nanos)),
        many => format!("{many} gaps, {} in total", Quantity::new(missing, pagetide_core::Unit::Nanos)),
    };
    let parts = match timeline.map_or(1, |timeline| timeline.stretches.len()) {
        0 | 1 => String::new(),
        many => format!(" in {many} separate stretches"),
    };
    let every = match (manifest.interval, manifest.longest_interval()) {
        (shortest, _) if shortest.get() == 0 => String::new(),
        (shortest, longest) if longest > shortest => format!(" every {shortest} to {longest}"),
        (interval, _) => format!(" every {interval}"),
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::timeline;
    use pagetide_core::{Column, Kind, Manifest, Nanos, RecordingBuilder, Stamp, Table, Unit};

    #[test]
    fn swap_is_none_where_it_would_be_listed() {
        let of = |origin: Origin, total: Option<i64>| {
            let mut builder = RecordingBuilder::new(Manifest { cpus: 2, origin, ..Manifest::default() });
            builder.stamp(Stamp::default());
            let column = Column { name: "SwapTotal".into(), kind: Kind::Gauge, unit: Unit::Bytes };
            total.into_iter().for_each(|total| builder.value(Table::Host, "", &column, total));
            let report = Report { recording: builder.finish(), ..Report::default() };
            facts(&report, None).into_iter().find(|(name, _)| name == "swap").map(|(_, lines)| lines.join(" "))
        };
        assert_eq!(of(Origin::Host, None).as_deref(), Some("none"));
        assert_eq!(of(Origin::Import, None), None);
        assert_eq!(of(Origin::Import, Some(0)).as_deref(), Some("none"));
        assert_eq!(of(Origin::Import, Some(2 << 30)).as_deref(), Some("2 GiB"), "sar -S has no list of areas");
    }

    #[test]
    fn a_gap_that_is_cut_out_of_the_plots_is_a_gap() {
        let second = 1_000_000_000;
        let mut builder =
            RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
        let column = Column { name: "MemFree".into(), kind: Kind::Gauge, unit: Unit::Bytes };
        for at in (0..=10).chain(60..=70) {
            let wall_ns = (1_795_255_230 + at) * second;
            builder.stamp(Stamp { boot_ns: at * second, wall_ns, mono_ns: at * second });
            builder.value(Table::Host, "", &column, 1 << 30);
        }
        let report = Report { recording: builder.finish(), ..Report::default() };
        let timeline = timeline(&report.recording, None, &[], None, None).unwrap();
        assert_eq!((timeline.stretches.len(), timeline.gaps.len()), (2, 0));
        assert_eq!(sampling(&report, Some(&timeline)), "22 samples in 2 separate stretches every 1 s, 1 gap of 50 s");
    }
}

//! What happens per second: the disk, reclaim, the workload, pressure.

use super::drawing::{Levels, Line, Plot, Shape, Spread};
use super::slots::Slots;
use crate::measure::Measure;
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Disk, EndedName, Figure, Recording, RunResult, Table};

/// Pressure below this share of time is not plotted.
const PRESSURE_MOVED: f64 = 0.01;

pub(super) fn plots(
    recording: &Recording,
    run: Option<&RunResult>,
    disk: Option<&str>,
    slots: &Slots,
    plots: &mut Vec<Plot>,
    left_out: &mut Vec<String>,
) {
    let imported = recording.manifest.origin == pagetide_core::Origin::Import;
    let calls = || {
        recording.entities(Table::Process).any(|(name, _)| recording.series(Table::Process, name, "syscr").is_some())
    };
    match workload(recording, run, slots) {
        Some(plot) => plots.push(plot),
        None if slots.edges().len() < 2 => {}
        None if imported => left_out.push("Workload: the imported logs do not count system calls.".to_owned()),
        None if calls() => left_out.push("Workload: no sampled process made read or write calls.".to_owned()),
        None => left_out.push("Workload: the recording has no read and write calls of processes.".to_owned()),
    }
    if slots.edges().len() < 2 {
        left_out.push("Rates: a rate needs two samples.".to_owned());
        return;
    }
    let disks = disks(recording, disk);
    if disks.is_empty() {
        let none = if imported {
            "the imported logs have no block device with IO."
        } else {
            "the recording has no block device with IO."
        };
        left_out.push(format!("Disk: {none}"));
    }
    plots.extend(requests(recording, &disks, slots));
    plots.extend(bandwidth(recording, &disks, slots));
    match reclaim(recording, slots) {
        Some(plot) => plots.push(plot),
        None => left_out.push(no_reclaim(recording).to_owned()),
    }
    plots.extend(cpu(recording, slots));
    match pressure(recording, slots) {
        Some(plot) => plots.push(plot),
        None if recording.host("psi_io_some").is_none() && recording.host("psi_memory_some").is_none() => {
            left_out.push("Pressure: the recording has no pressure stall information (PSI).".to_owned());
        }
        None => left_out.push("Pressure: tasks stalled on memory, IO or CPU for less than 1 % of the time.".to_owned()),
    }
}

fn rates(id: &'static str, title: String, source: &str, measure: Measure, lines: Vec<Line>) -> Option<Plot> {
    let shape = Shape::Rates { log: false, lines, levels: None };
    let Shape::Rates { lines, .. } = &shape else { return None };
    if lines.is_empty() { None } else { Some(Plot { id, title, source: source.to_owned(), measure, shape }) }
}

/// A derived metric of one entity as a line; absent when it has no value.
fn line(
    (recording, slots): (&Recording, &Slots),
    (name, hue): (String, &'static str),
    metric: &'static Derived,
    (table, entity): (Table, &str),
) -> Option<Line> {
    let mut filled = slots.fill();
    for interval in metric.intervals(recording, table, entity) {
        filled.spread(interval.from, interval.to, metric.unit.to_base(interval.value));
    }
    let values = filled.watched();
    values.iter().any(Option::is_some).then_some(Line { name, hue, values })
}

/// Disks that are plotted.
const SHOWN: usize = 2;

/// The workload's disk; when it is not known, the disk of the cause and the physical disks with the most IO, two in all.
fn disks(recording: &Recording, of_cause: Option<&str>) -> Vec<String> {
    if let Some(disk) = &recording.manifest.workload_disk {
        return vec![disk.clone()];
    }
    let physical = |name: &str| {
        let known: Option<&Disk> = recording.manifest.disks.iter().find(|disk| disk.name == name);
        known.is_none_or(|disk| disk.below.is_empty()) && !name.starts_with("loop") && !name.starts_with("ram")
    };
    let busy = |name: &str| -> f64 {
        let amount = |metric: &'static Derived| {
            let intervals = metric.intervals(recording, Table::Disk, name).into_iter();
            intervals.map(|at| at.value * at.to.saturating_sub(at.from) as f64).sum::<f64>()
        };
        [&derived::TPS, &derived::READ_BANDWIDTH, &derived::WRITE_BANDWIDTH].map(amount).iter().sum()
    };
    let mut disks: Vec<(f64, String)> = recording
        .entities(Table::Disk)
        .filter(|(name, _)| Some(*name) == of_cause || physical(name))
        .map(|(name, _)| (busy(name), name.to_owned()))
        .filter(|(ios, _)| *ios > 0.0)
        .collect();
    let named = |disk: &(f64, String)| of_cause == Some(disk.1.as_str());
    disks.sort_by(|a, b| named(b).cmp(&named(a)).then(b.0.total_cmp(&a.0)).then_with(|| a.1.cmp(&b.1)));
    disks.truncate(SHOWN);
    disks.into_iter().map(|(_, name)| name).collect()
}

fn disk_lines(
    recording: &Recording,
    disks: &[String],
    slots: &Slots,
    metrics: &[(&'static Derived, &str)],
) -> Vec<Line> {
    const HUES: [[&str; 2]; 2] = [["read", "write"], ["read2", "write2"]];
    let prefix = |disk: &String| if disks.len() > 1 { format!("{disk} ") } else { String::new() };
    let lines = disks.iter().zip(HUES).flat_map(|(disk, hues)| {
        metrics.iter().zip(hues).filter_map(move |((metric, name), hue)| {
            line((recording, slots), (format!("{}{name}", prefix(disk)), hue), metric, (Table::Disk, disk))
        })
    });
    lines.collect()
}

fn requests(recording: &Recording, disks: &[String], slots: &Slots) -> Option<Plot> {
    let mut lines = disk_lines(recording, disks, slots, &[(&derived::READS, "reads"), (&derived::WRITES, "writes")]);
    if lines.is_empty() {
        lines = disk_lines(recording, disks, slots, &[(&derived::TPS, "reads and writes")]);
    }
    let title = format!("Requests of {}", disks.join(" and "));
    rates("disk", title, source(recording, "/proc/diskstats, requests completed"), Measure::PerSecond, lines)
}

fn bandwidth(recording: &Recording, disks: &[String], slots: &Slots) -> Option<Plot> {
    let metrics = [(&derived::READ_BANDWIDTH, "read"), (&derived::WRITE_BANDWIDTH, "written")];
    let lines = disk_lines(recording, disks, slots, &metrics);
    let title = format!("Bandwidth of {}", disks.join(" and "));
    rates(
        "bandwidth",
        title,
        source(recording, "/proc/diskstats, sectors of 512 bytes"),
        Measure::BytesPerSecond,
        lines,
    )
}

/// Pages scanned, stolen and refaulted: of the workload's control group where it has the counters, else of the host.
fn reclaim(recording: &Recording, slots: &Slots) -> Option<Plot> {
    let group = recording.manifest.workload_cgroup.as_deref();
    let draw = |name: &str, hue: &'static str, metric: &'static Derived| {
        let draw = |entity| line((recording, slots), (name.to_owned(), hue), metric, entity);
        let own = group.and_then(|group| draw((Table::Cgroup, group)));
        let of_group = own.is_some();
        Some((own.or_else(|| draw((Table::Host, "")))?, of_group))
    };
    let direct =
        line((recording, slots), ("direct scan".to_owned(), "direct"), &derived::SCANNED_DIRECT, (Table::Host, ""));
    let scanned = draw("scanned", "scan", &derived::SCANNED);
    let scanned_of_group = scanned.as_ref().is_some_and(|(_, of_group)| *of_group);
    let lines = [
        scanned.map(|(line, _)| line),
        direct.filter(Line::moved),
        draw("stolen", "steal", &derived::STOLEN).map(|(line, _)| line),
        draw("refaulted", "refault", &derived::REFAULTS_FILE).map(|(line, _)| line),
    ];
    let lines: Vec<Line> = lines.into_iter().flatten().collect();
    if !lines.iter().any(Line::moved) {
        return None;
    }
    let origin = if scanned_of_group {
        "memory.stat of the control group"
    } else if group.is_some() {
        "scanned and stolen: /proc/vmstat of the whole host; refaulted: memory.stat of the control group"
    } else {
        source(recording, "/proc/vmstat")
    };
    rates("reclaim", "Reclaim".to_owned(), origin, Measure::PagesPerSecond, lines)
}

/// What the recording says of reclaim of the host's pages where there is nothing to plot.
fn no_reclaim(recording: &Recording) -> &'static str {
    let counts = |metric: &'static Derived| !metric.intervals(recording, Table::Host, "").is_empty();
    match (counts(&derived::SCANNED), counts(&derived::REFAULTS_FILE)) {
        (true, true) => "Reclaim: no pages were scanned, and none refaulted.",
        (true, false) => "Reclaim: no pages were scanned; refaults were not recorded.",
        (false, true) => "Reclaim: no pages refaulted; scanned pages were not recorded.",
        (false, false) => "Reclaim: the recording does not count pages scanned or refaulted.",
    }
}

/// The kernel's file, or that another tool read it.
fn source<'a>(recording: &Recording, kernel: &'a str) -> &'a str {
    if recording.manifest.origin == pagetide_core::Origin::Import { "imported logs" } else { kernel }
}

/// Shares of CPU time.
fn cpu(recording: &Recording, slots: &Slots) -> Option<Plot> {
    let lines = [
        ("user", "read", &derived::CPU_USER),
        ("system", "write", &derived::CPU_SYSTEM),
        ("waiting for IO", "steal", &derived::CPU_IOWAIT),
    ];
    let lines = lines
        .into_iter()
        .filter_map(|(name, hue, metric)| line((recording, slots), (name.to_owned(), hue), metric, (Table::Host, "")));
    rates("cpu", "CPU time".to_owned(), source(recording, "/proc/stat, all CPUs"), Measure::Share, lines.collect())
}

/// Read and write system calls of all processes that are not kernel threads, and beside them the mean of each step as the
/// load itself counted it, which is there for steps that are shorter than the time between samples.
fn workload(recording: &Recording, run: Option<&RunResult>, slots: &Slots) -> Option<Plot> {
    // The kernel adds what a process did to what its parent did, which has a line of its own.
    let own = |(name, _): &(&str, &str)| !kernel_thread(recording, name) && !EndedName::is(name);
    let sum = |metric: &str| {
        let mut filled = slots.fill();
        for (process, _) in recording.entities(Table::Process).filter(own) {
            let Some(series) = recording.series(Table::Process, process, metric) else { continue };
            let first = derived::born(recording, process, &series).zip(series.points().next());
            if let Some(((from, _), (to, value))) = first {
                filled.spread(from, to, value as f64 / (to.saturating_sub(from) as f64 / 1e9));
            }
            filled.add(&series);
        }
        filled.whole()
    };
    let lines: Vec<Line> = [("read calls", "read", "syscr"), ("write calls", "write", "syscw")]
        .into_iter()
        .map(|(name, hue, metric)| Line { name: name.to_owned(), hue, values: sum(metric) })
        .filter(Line::moved)
        .collect();
    let spans: Vec<(i64, i64, f64)> = run
        .into_iter()
        .flat_map(|run| &run.steps)
        .filter_map(|step| Some((step.started_ns, step.ended_ns, step.get(Figure::Iops)?)))
        .collect();
    let levels = (!spans.is_empty()).then(|| Levels { name: "IOPS of the step".to_owned(), spans });
    if lines.is_empty() && levels.is_none() {
        return None;
    }
    let positive = || {
        let lines = lines.iter().flat_map(|line| line.values.iter().flatten()).map(|spread| spread.high);
        lines.chain(levels.iter().flat_map(|levels| &levels.spans).map(|span| span.2)).filter(|rate| *rate >= 1.0)
    };
    let wide = positive().reduce(f64::max)? > 100.0 * positive().reduce(f64::min)?;
    let source = match levels {
        Some(_) => "/proc/PID/io, system calls of all sampled processes; bars: as counted by the load generator",
        None => "/proc/PID/io, system calls of all sampled processes",
    };
    Some(Plot {
        id: "workload",
        title: "IOPS of the workload".to_owned(),
        source: source.to_owned(),
        measure: Measure::PerSecond,
        shape: Shape::Rates { log: wide, lines, levels },
    })
}

/// A kernel thread has no address space.
fn kernel_thread(recording: &Recording, process: &str) -> bool {
    let size = recording.series(Table::Process, process, "vsize");
    size.is_some_and(|size| size.points().all(|(_, bytes)| bytes == 0))
}

/// The kernel adds a stall when it ends or is looked at, and not to the interval in which it passed: the total of a short interval may be
/// longer than the interval, and no task waits for more than all of it.
fn at_most_all(line: Line) -> Line {
    let most =
        |spread: Spread| Spread { low: spread.low.min(1.0), mean: spread.mean.min(1.0), high: spread.high.min(1.0) };
    Line { values: line.values.into_iter().map(|value| value.map(most)).collect(), ..line }
}

/// Pressure stall information, as the share of time in which some or all tasks waited.
fn pressure(recording: &Recording, slots: &Slots) -> Option<Plot> {
    let lines: Vec<Line> = [
        ("memory, some", "psimem", &derived::PSI_MEMORY_SOME),
        ("memory, full", "psimemfull", &derived::PSI_MEMORY_FULL),
        ("IO, some", "psiio", &derived::PSI_IO_SOME),
        ("IO, full", "psiiofull", &derived::PSI_IO_FULL),
        ("CPU, some", "psicpu", &derived::PSI_CPU_SOME),
    ]
    .into_iter()
    .filter_map(|(name, hue, metric)| line((recording, slots), (name.to_owned(), hue), metric, (Table::Host, "")))
    .map(at_most_all)
    .filter(|line| line.peak().is_some_and(|peak| peak >= PRESSURE_MOVED))
    .collect();
    rates("pressure", "Pressure stall".to_owned(), "/proc/pressure of the whole host", Measure::Share, lines)
}

#[cfg(test)]
mod tests {
    use crate::timeline;
    use pagetide_core::{Column, Disk, Kind, Manifest, RecordingBuilder, Stamp, Table, Unit};

    /// What is said of a host whose metric counts up from sample to sample.
    fn left_out(samples: i64, metric: &str) -> String {
        let mut builder = RecordingBuilder::new(Manifest::default());
        for at in 0..samples {
            builder.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() });
            builder.value(
                Table::Host,
                "",
                &Column { name: metric.to_owned(), kind: Kind::Counter, unit: Unit::Count },
                7,
            );
        }
        timeline::timeline(&builder.finish(), None, &[], None, None).expect("samples").left_out.join(" ")
    }

    #[test]
    fn what_was_not_counted_is_not_said_to_be_nothing() {
        assert!(left_out(3, "pgscan_kswapd").contains("Reclaim: no pages were scanned"), "it was counted");
        let unknown = left_out(3, "pgpgin");
        assert!(unknown.contains("Reclaim: the recording does not count pages scanned or refaulted."), "{unknown}");
        assert!(unknown.contains("Workload: the recording has no read and write calls"), "{unknown}");
        let single = left_out(1, "pgscan_kswapd");
        assert!(single.ends_with("Rates: a rate needs two samples."), "{single}");
        assert!(!single.contains("no pages") && !single.contains("Pressure"), "{single}");
    }

    #[test]
    fn the_disk_of_the_cause_is_plotted_first() {
        let known = |name: &str, below: &[&str]| Disk {
            name: name.to_owned(),
            below: below.iter().map(ToString::to_string).collect(),
            ..Disk::default()
        };
        let disks = vec![known("vda", &[]), known("vdb", &[]), known("vdc", &[]), known("dm-0", &["vda"])];
        let mut builder = RecordingBuilder::new(Manifest { disks, ..Manifest::default() });
        for at in 0..3 {
            builder.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() });
            for (disk, reads) in [("vda", 5), ("vdb", 40), ("vdc", 30), ("dm-0", 5)] {
                for (metric, rate) in [("reads", reads), ("writes", 0)] {
                    let column = Column { name: metric.to_owned(), kind: Kind::Counter, unit: Unit::Count };
                    builder.value(Table::Disk, disk, &column, at * rate);
                }
            }
        }
        let recording = builder.finish();
        assert_eq!(super::disks(&recording, None), ["vdb", "vdc"]);
        assert_eq!(super::disks(&recording, Some("dm-0")), ["dm-0", "vdb"]);
        assert_eq!(super::disks(&recording, Some("sda")), ["vdb", "vdc"], "it was not recorded");
    }
}

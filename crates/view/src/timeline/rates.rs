//! What happens per second: the disk, reclaim, the workload, pressure.

use super::slots::Slots;
use super::{Levels, Line, Plot, Shape, Spread};
use crate::axis::Measure;
use pagetide_core::memory::Memory;
use pagetide_core::{Disk, Figure, Recording, RunResult, Series, Table};

/// Pressure below this share of time is noise.
const PRESSURE_MOVED: f64 = 0.01;

pub(super) fn plots(
    recording: &Recording,
    run: Option<&RunResult>,
    slots: &Slots,
    plots: &mut Vec<Plot>,
    left_out: &mut Vec<String>,
) {
    let imported = recording.manifest.origin == pagetide_core::Origin::Import;
    match workload(recording, run, slots) {
        Some(plot) => plots.push(plot),
        None if imported => left_out.push("Workload: the imported logs say nothing of processes.".to_owned()),
        None => left_out.push("Workload: no process that asks for IO was sampled.".to_owned()),
    }
    let disks = disks(recording);
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
        None => left_out.push("Reclaim: no page was scanned or read back.".to_owned()),
    }
    plots.extend(cpu(recording, slots));
    match pressure(recording, slots) {
        Some(plot) => plots.push(plot),
        None if recording.host("psi_io_some").is_none() && recording.host("psi_memory_some").is_none() => {
            left_out.push("Pressure: the recording has no pressure figures.".to_owned());
        }
        None => left_out.push("Pressure: tasks waited for memory, IO or CPU less than 1 % of the time.".to_owned()),
    }
}

fn rates(id: &'static str, title: String, source: &str, measure: Measure, lines: Vec<Line>) -> Option<Plot> {
    let shape = Shape::Rates { log: false, lines, levels: None };
    let Shape::Rates { lines, .. } = &shape else { return None };
    if lines.is_empty() { None } else { Some(Plot { id, title, source: source.to_owned(), measure, shape }) }
}

fn line(slots: &Slots, name: impl Into<String>, hue: &'static str, series: Option<Series<'_>>) -> Option<Line> {
    let values = slots.rates(&series?);
    values.iter().any(Option::is_some).then(|| Line { name: name.into(), hue, values })
}

/// The workload's disk; when it is not known, the two physical disks with the most IO.
fn disks(recording: &Recording) -> Vec<String> {
    if let Some(disk) = &recording.manifest.workload_disk {
        return vec![disk.clone()];
    }
    let physical = |name: &str| {
        let known: Option<&Disk> = recording.manifest.disks.iter().find(|disk| disk.name == name);
        known.is_none_or(|disk| disk.below.is_empty()) && !name.starts_with("loop") && !name.starts_with("ram")
    };
    let busy = |name: &str| -> f64 {
        let rates = |metric| recording.disk(name, metric).map(|series| series.rates()).unwrap_or_default();
        let requests =
            |metric| rates(metric).iter().map(|(from, to, rate)| rate * to.saturating_sub(*from) as f64).sum::<f64>();
        ["reads", "writes", "reads_writes", "read_sectors", "write_sectors"].map(requests).iter().sum()
    };
    let mut disks: Vec<(f64, String)> = recording
        .entities(Table::Disk)
        .filter(|(name, _)| physical(name))
        .map(|(name, _)| (busy(name), name.to_owned()))
        .filter(|(ios, _)| *ios > 0.0)
        .collect();
    disks.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    disks.truncate(2);
    disks.into_iter().map(|(_, name)| name).collect()
}

fn disk_lines(recording: &Recording, disks: &[String], slots: &Slots, metrics: &[(&str, &str)]) -> Vec<Line> {
    const HUES: [[&str; 2]; 2] = [["read", "write"], ["read2", "write2"]];
    let prefix = |disk: &String| if disks.len() > 1 { format!("{disk} ") } else { String::new() };
    disks
        .iter()
        .zip(HUES)
        .flat_map(|(disk, hues)| {
            metrics.iter().zip(hues).filter_map(move |((metric, name), hue)| {
                line(slots, format!("{}{name}", prefix(disk)), hue, recording.disk(disk, metric))
            })
        })
        .collect()
}

fn requests(recording: &Recording, disks: &[String], slots: &Slots) -> Option<Plot> {
    let mut lines = disk_lines(recording, disks, slots, &[("reads", "reads"), ("writes", "writes")]);
    if lines.is_empty() {
        lines = disk_lines(recording, disks, slots, &[("reads_writes", "reads and writes")]);
    }
    let title = format!("Requests of {}", disks.join(" and "));
    rates("disk", title, source(recording, "/proc/diskstats, requests completed"), Measure::PerSecond, lines)
}

fn bandwidth(recording: &Recording, disks: &[String], slots: &Slots) -> Option<Plot> {
    let lines = disk_lines(recording, disks, slots, &[("read_sectors", "read"), ("write_sectors", "written")]);
    let title = format!("Bandwidth of {}", disks.join(" and "));
    rates(
        "bandwidth",
        title,
        source(recording, "/proc/diskstats, sectors of 512 bytes"),
        Measure::BytesPerSecond,
        lines,
    )
}

/// Pages scanned, stolen and refaulted. Of a control group its own counters where it has them; else the host's by kind
/// of page, which count reclaim for a group's limit too, while `pgscan_kswapd` and `pgscan_direct` leave it out
/// (`mm/vmscan.c:shrink_inactive_list`).
fn reclaim(recording: &Recording, slots: &Slots) -> Option<Plot> {
    let memory = Memory::of(recording);
    let group = |name: &str| recording.series(Table::Cgroup, memory.cgroup.as_ref()?, name);
    let host = |names: &[&str]| names.iter().filter_map(|name| recording.host(name)).collect::<Vec<_>>();
    let first = |own: Option<Series<'_>>, by_type: &[&str], by_whom: &[&str]| -> Vec<Option<Spread>> {
        if let Some(own) = own {
            return slots.rates(&own);
        }
        let by_type = host(by_type);
        slots.sum(if by_type.is_empty() { host(by_whom) } else { by_type })
    };
    let scanned = first(
        group("pgscan"),
        &["pgscan_anon", "pgscan_file"],
        &["pgscan_kswapd", "pgscan_direct", "pgscan_khugepaged", "pgscan_proactive"],
    );
    let mut stolen = first(
        group("pgsteal"),
        &["pgsteal_anon", "pgsteal_file"],
        &["pgsteal_kswapd", "pgsteal_direct", "pgsteal_khugepaged", "pgsteal_proactive"],
    );
    if stolen.iter().all(Option::is_none) {
        // sar prints the sum only.
        stolen = slots.sum(recording.host("pgsteal"));
    }
    let refaulted = memory.refaults.as_ref().map(|series| slots.rates(series)).unwrap_or_default();
    let direct = slots.sum(recording.host("pgscan_direct"));
    let lines: Vec<Line> = [
        ("scanned", "scan", scanned),
        ("direct scan", "direct", direct),
        ("stolen", "steal", stolen),
        ("refaulted", "refault", refaulted),
    ]
    .into_iter()
    .map(|(name, hue, values)| Line { name: name.to_owned(), hue, values })
    .filter(|line| line.values.iter().any(Option::is_some) && (line.hue != "direct" || line.moved()))
    .collect();
    if !lines.iter().any(Line::moved) {
        return None;
    }
    let origin = if group("pgscan").is_some() {
        "memory.stat of the control group"
    } else if memory.cgroup.is_some() {
        "scanned and stolen: /proc/vmstat of the whole host; refaulted: memory.stat of the control group"
    } else {
        source(recording, "/proc/vmstat")
    };
    rates("reclaim", "Reclaim".to_owned(), origin, Measure::PagesPerSecond, lines)
}

/// The kernel's file, or that it is somebody else's reading of it.
fn source<'a>(recording: &Recording, kernel: &'a str) -> &'a str {
    if recording.manifest.origin == pagetide_core::Origin::Import { "as the imported logs have it" } else { kernel }
}

/// The parts of CPU time that other tools print; the kernel's own counters of it are for the table of `show`.
fn cpu(recording: &Recording, slots: &Slots) -> Option<Plot> {
    let lines = [
        ("user", "read", "cpu_user_share"),
        ("system", "write", "cpu_system_share"),
        ("waiting for IO", "steal", "cpu_iowait_share"),
    ];
    let lines = lines.into_iter().filter_map(|(name, hue, metric)| line(slots, name, hue, recording.host(metric)));
    let source = source(recording, "as another tool printed it");
    rates("cpu", "CPU time".to_owned(), source, Measure::Share, lines.collect())
}

/// Read and write system calls of all processes that are not kernel threads, and beside them the mean of each step as the
/// load itself counted it, which is there for steps that are shorter than the time between samples.
fn workload(recording: &Recording, run: Option<&RunResult>, slots: &Slots) -> Option<Plot> {
    let sum = |metric: &str| {
        let mut filled = slots.fill();
        for (process, _) in recording.entities(Table::Process).filter(|(name, _)| !kernel_thread(recording, name)) {
            let Some(series) = recording.series(Table::Process, process, metric) else { continue };
            if let Some((from, to, rate)) = since_birth(slots, process, &series) {
                filled.spread(from, to, rate);
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
        Some(_) => "/proc/PID/io, system calls of all processes sampled; bars: as the load itself counted",
        None => "/proc/PID/io, system calls of all processes sampled",
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

/// What a process did before it was first sampled, when it was started after the sample before: its counters began at
/// zero then. The name of a process is its id and its start time in ticks of 1/100 s after boot.
fn since_birth(slots: &Slots, process: &str, series: &Series<'_>) -> Option<(i64, i64, f64)> {
    const TICK_NS: i64 = 10_000_000;
    let born = process.split_once('@')?.1.parse::<i64>().ok()?.checked_mul(TICK_NS)?;
    let (first, value) = series.points().next()?;
    let before = slots.edges().iter().rev().find(|edge| **edge < first)?;
    (born >= before.saturating_sub(TICK_NS)).then(|| {
        let from = born.clamp(*before, first - 1);
        (from, first, value as f64 / (first.saturating_sub(from) as f64 / 1e9))
    })
}

/// Pressure stall information, as the share of time in which some or all tasks waited.
fn pressure(recording: &Recording, slots: &Slots) -> Option<Plot> {
    let lines: Vec<Line> = [
        ("memory, some", "psimem", "psi_memory_some"),
        ("memory, full", "psimemfull", "psi_memory_full"),
        ("IO, some", "psiio", "psi_io_some"),
        ("IO, full", "psiiofull", "psi_io_full"),
        ("CPU, some", "psicpu", "psi_cpu_some"),
    ]
    .into_iter()
    .filter_map(|(name, hue, metric)| line(slots, name, hue, recording.host(metric)))
    .filter(|line| line.peak().is_some_and(|peak| peak >= PRESSURE_MOVED))
    .collect();
    rates("pressure", "Pressure stall".to_owned(), "/proc/pressure of the whole host", Measure::Share, lines)
}

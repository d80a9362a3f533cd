//! A report made up from a fixed little model of a run: every number in it is derived, none is measured.

use pagetide_core::{
    Advice, Bytes, ClaimStatus, Conclusion, Confidence, Diagnosis, Disk, Entity, EntityId, Evidence, Figure, Figures,
    Finding, Manifest, Mark, MarkKind, Nanos, Outcome, Quantity, Recording, RecordingBuilder, Relation, Report, RuleId,
    RunResult, Sample, Scale, Scenario, Schema, Span, Stamp, StepResult, Table, Unit, Verdict,
};

const BOOT: i64 = 5_000_000_000_000;
const WALL: i64 = 1_795_257_187_000_000_000;
const SECOND: i64 = 1_000_000_000;
const MIB: i64 = 1 << 20;
const CGROUP: &str = "/sys/fs/cgroup/memory/pagetide";

pub(crate) const SCENARIO: &str = r#"
id = "buffered-read"
title = "Random buffered reads: cold, warm, and with half of the memory held"
source = "F. Hoogland, 2022"
about = "The same file is read in random order with an empty cache, again with a full one, and again when another process holds half of the memory."

[machine]
cpus = 2
memory = "3664MiB"
[[machine.disk]]
name = "data"
size = "8GiB"

[[step]]
id = "A1"
title = "random read of 256 MiB, cold"
drop_caches = true
fio = { rw = "randread", bs = "8k", size = "2GiB" }
published = { issued = 262144, iops = 2609, elapsed = "100.465s", clat_mean = "382.22us", disk_reads = 262238, disk_writes = 113 }
[[step]]
id = "A2"
title = "the same read again, warm"
fio = { same_as = "A1" }
published = { issued = 262144, iops = 585000, elapsed = "448ms", clat_mean = "1.343us", disk_reads = 0, disk_writes = 0 }
[[step]]
id = "H"
title = "another process holds 250 MiB"
hold = { size = "2000MiB" }
[[step]]
id = "A6"
title = "the same read with memory held"
fio = { same_as = "A1", norandommap = true }
published = { issued = 262144, iops = 3525, elapsed = "74.366s", clat_mean = "283.19us", disk_reads = 192264, disk_writes = 64 }

[[claim]]
id = "warm-read-does-no-disk-io"
text = "What fits in available memory is read from it"
check = "A2.disk_reads < 0.001 * A2.issued"
"#;

/// A step of the model: id, title, seconds from the start, length in seconds, requests, share that reaches the disk.
const STEPS: [(&str, &str, &str, f64, f64, f64, f64); 4] = [
    ("A1", "fio", "random read of 256 MiB, cold", 2.0, 17.9, 32_768.0, 1.0),
    ("A2", "fio", "the same read again, warm", 20.1, 0.056, 32_768.0, 0.0),
    ("H", "hold", "another process holds 250 MiB", 20.3, 0.09, 0.0, 0.0),
    ("A6", "fio", "the same read with memory held", 20.5, 13.2, 32_768.0, 0.697),
];

/// The report of the made-up run.
pub(crate) fn report() -> Report {
    let scale = Scale::new(1, 8).unwrap();
    let scenario = Scenario::parse(SCENARIO, "buffered-read.toml").unwrap().scaled(scale);
    let steps: Vec<StepResult> = STEPS.iter().map(step).collect();
    let run = RunResult {
        scenario: "buffered-read".to_owned(),
        backend: "host".to_owned(),
        scale,
        machine: vec![
            "2 CPUs, 458 MiB of memory (control group), no swap".to_owned(),
            "vda: 100 GiB, virtio, readahead 8 MiB".to_owned(),
        ],
        differences: vec![
            "Memory is limited by a control group of 458 MiB; the host itself has 15.6 GiB.".to_owned(),
            "vm.dirty_bytes was set to 96 MiB, because dirty limits are not per control group here.".to_owned(),
        ],
        kernel: "6.18.0".to_owned(),
        tool_version: "0.1.0".to_owned(),
        seed: 1,
        started_wall_ns: WALL,
        steps,
        claims: claims(),
        findings: findings(),
    };
    Report {
        scenario: Some(scenario),
        run: Some(run),
        diagnosis: of(findings()),
        steps: Vec::new(),
        measured: None,
        recording: recording(),
    }
}

/// The same recording as one that is not a run, with a gap in it.
pub(crate) fn live() -> Report {
    Report { recording: host_recording(120, 1, Some((50, 62))), ..Report::default() }
}

/// A day of samples, one a second.
pub(crate) fn day() -> Report {
    Report {
        diagnosis: of(findings()),
        recording: host_recording(86_400, 1, Some((40_000, 43_000))),
        ..Report::default()
    }
}

fn step((id, kind, title, at, seconds, issued, share): &(&str, &str, &str, f64, f64, f64, f64)) -> StepResult {
    let mut figures = Figures::default();
    figures.set(Figure::Elapsed, seconds * 1e9);
    if *issued > 0.0 {
        figures.set(Figure::Issued, *issued);
        figures.set(Figure::Iops, issued / seconds);
        figures.set(Figure::ClatMean, seconds * 1e9 / issued * 0.98);
        figures.set(Figure::DiskReads, (issued * share + 3.0 * share).round());
        figures.set(Figure::DiskWrites, 4.0);
        figures.set(Figure::CacheHitRatio, 1.0 - share);
    }
    StepResult {
        id: (*id).to_owned(),
        kind: (*kind).to_owned(),
        title: (*title).to_owned(),
        started_ns: BOOT + ns(*at),
        ended_ns: BOOT + ns(at + seconds),
        outcome: Outcome::Done,
        notes: if *id == "A6" { vec!["fio replays the sequence of A1".to_owned()] } else { Vec::new() },
        figures,
    }
}

#[allow(clippy::cast_possible_truncation, reason = "small numbers of a made-up run")]
fn ns(seconds: f64) -> i64 {
    (seconds * 1e9) as i64
}

fn claims() -> Vec<Verdict> {
    let claim = |id: &str, text: &str, check: &str, holds, evidence: &str| Verdict {
        id: id.to_owned(),
        text: text.to_owned(),
        check: check.to_owned(),
        holds,
        evidence: evidence.to_owned(),
    };
    vec![
        claim(
            "cold-read-is-latency-bound",
            "One IO at a time: IOPS times mean latency is one second per second",
            "within(A1.iops * A1.clat_mean, 1s, 5%)",
            ClaimStatus::Holds,
            "A1.iops = 1 831/s, A1.clat_mean = 535 us: 980 ms against 1 s",
        ),
        claim(
            "warm-read-does-no-disk-io",
            "What fits in available memory is read from it",
            "A2.disk_reads < 0.001 * A2.issued",
            ClaimStatus::Holds,
            "A2.disk_reads = 0, A2.issued = 32 768",
        ),
        claim(
            "held-memory-halves-the-hits",
            "With the held memory the file no longer fits",
            "A6.disk_reads < 0.5 * A6.issued",
            ClaimStatus::Fails,
            "A6.disk_reads = 22 841, A6.issued = 32 768: 69.7 %",
        ),
        claim(
            "writers-are-throttled",
            "Writers are limited by dirty memory",
            "A9.throttled > 0s",
            ClaimStatus::Unknown,
            "the run has no step A9",
        ),
    ]
}

/// What is told of a run.
fn of(findings: Vec<Finding>) -> Diagnosis {
    Diagnosis { verdict: Conclusion::Experiment, findings, ..Diagnosis::default() }
}

fn findings() -> Vec<Finding> {
    let evidence = |what: &str, source: &str, value, against| Evidence {
        what: what.to_owned(),
        source: source.to_owned(),
        range: Span::new(BOOT + ns(20.5), BOOT + ns(33.7)),
        value,
        against,
    };
    vec![
        Finding {
            rule: RuleId::ReplayedSequence,
            statement: "A6 asks for blocks in the order in which the cache has just evicted them: a cache of 63 % of the file served no read of the first pass.".to_owned(),
            origins: pagetide_core::Actors::default(),
            step: Some("A6".to_owned()),
            range: Span::new(BOOT + ns(20.5), BOOT + ns(33.7)),
            confidence: Confidence::new(0.93),
            evidence: vec![
                evidence(
                    "requests that reached the disk",
                    "disk_reads / issued",
                    Quantity::ratio(0.697),
                    Some((Relation::Near, Quantity::ratio(0.632))),
                ),
                evidence(
                    "file in the cache before the step",
                    "cached_before / file_size",
                    Quantity::ratio(0.63),
                    None,
                ),
                evidence(
                    "refaults during the step",
                    "workingset_refault_file of the control group",
                    Quantity::new(41_200.0, Unit::Pages),
                    Some((Relation::Above, Quantity::new(0.0, Unit::Pages))),
                ),
            ],
            contradictions: vec![evidence(
                "reads served although the sequence is replayed",
                "1 - disk_reads / issued",
                Quantity::ratio(0.303),
                Some((Relation::Below, Quantity::ratio(0.368))),
            )],
            advice: vec![Advice {
                action: "Draw a new random sequence in each run, so that the cache is tested and not its eviction order.".to_owned(),
                command: Some("fio --randrepeat=0 …".to_owned()),
                effect: "About twice as many reads are served from the cache; runs no longer repeat each other exactly.".to_owned(),
                undo: None,
                scenario: None,
                gives_back_ns: Some(34_200_000_000),
            }],
        },
        Finding {
            rule: RuleId::LatencyBound,
            statement: "A1 waits for one request at a time: 1 831 IOPS times 535 us is 98 % of the time, below what the disk can do.".to_owned(),
            origins: pagetide_core::Actors::default(),
            step: None,
            range: Span::new(BOOT + ns(2.0), BOOT + ns(19.9)),
            confidence: Confidence::new(0.98),
            evidence: vec![evidence("IOPS times mean latency", "iops * clat_mean", Quantity::ratio(0.98), None)],
            contradictions: Vec::new(),
            advice: Vec::new(),
        },
    ]
}

fn manifest() -> Manifest {
    Manifest {
        tool_version: "0.1.0".to_owned(),
        origin: pagetide_core::Origin::Host,
        host: "db-17".to_owned(),
        kernel: "6.18.0".to_owned(),
        cpus: 2,
        page_size: Bytes::new(4096),
        memory_total: Bytes::new(16 << 30),
        interval: Nanos::new(1_000_000_000),
        disks: vec![Disk { name: "vda".to_owned(), size: Bytes::new(100 << 30), ..Disk::default() }],
        recorder_cpu: Nanos::new(14_000_000),
        ..Manifest::default()
    }
}

fn stamp(at: i64) -> Stamp {
    Stamp { wall_ns: WALL + at - BOOT, mono_ns: at, boot_ns: at }
}

/// Sets one value of a sample; entities and columns come into being as they are named.
struct Filler {
    schema: Schema,
    sample: Sample,
    rows: Vec<(Table, EntityId, Vec<Option<i64>>)>,
}

impl Filler {
    fn new() -> Self {
        Self { schema: Schema::default(), sample: Sample::default(), rows: Vec::new() }
    }

    fn set(&mut self, table: Table, entity: &str, metric: &str, value: i64) {
        let id = self.schema.find_entity(table, entity).unwrap_or_else(|| {
            let label = if table == Table::Process { "fio" } else { entity };
            self.schema.push_entity(table, Entity::new(entity, label))
        });
        let column = self.schema.column(table, metric).0 as usize;
        let at = self.rows.iter().position(|row| (row.0, row.1) == (table, id)).unwrap_or_else(|| {
            self.rows.push((table, id, Vec::new()));
            self.rows.len() - 1
        });
        let row = &mut self.rows[at].2;
        row.resize(row.len().max(column + 1), None);
        row[column] = Some(value);
    }

    fn take(&mut self, at: i64, builder: &mut RecordingBuilder) {
        self.sample.clear();
        self.sample.stamp = stamp(at);
        for (table, id, values) in self.rows.drain(..) {
            let width = self.schema.columns(table).len();
            self.sample.row(table, id, width)[..values.len()].copy_from_slice(&values);
        }
        builder.sample(&self.schema, &self.sample);
    }
}

/// What the model has done by `at` seconds: requests by step.
fn done(at: f64, index: usize) -> f64 {
    let (_, _, _, from, seconds, issued, _) = STEPS[index];
    ((at - from) / seconds).clamp(0.0, 1.0) * issued
}

#[allow(clippy::cast_possible_truncation, reason = "small numbers of a made-up run")]
fn recording() -> Recording {
    let manifest =
        Manifest { workload_cgroup: Some(CGROUP.to_owned()), workload_disk: Some("vda".to_owned()), ..manifest() };
    let mut builder = RecordingBuilder::new(manifest);
    let mut moments: Vec<i64> = (0..=36).map(|second| ns(f64::from(second))).collect();
    for (_, _, _, from, seconds, _, _) in STEPS {
        moments.extend([ns(from), ns(from + seconds)]);
    }
    moments.sort_unstable();
    let mut filler = Filler::new();
    for moment in moments {
        let at = moment as f64 / 1e9;
        let reads: f64 = STEPS.iter().enumerate().map(|(index, step)| done(at, index) * step.6).sum();
        let held = if at >= 20.39 { 250 * MIB } else { ((at - 20.3) / 0.09).clamp(0.0, 1.0) as i64 * 250 * MIB };
        let cache = ((reads * 8192.0) as i64).min(256 * MIB).min(440 * MIB - held);
        for (metric, value) in [
            ("max", 458 * MIB),
            ("current", held + cache + 12 * MIB),
            ("anon", held + 3 * MIB),
            ("file", cache),
            ("file_dirty", if at > 20.5 { 2 * MIB } else { 0 }),
            ("file_writeback", 0),
            ("workingset_refault_file", (done(at, 3) * 1.2) as i64),
        ] {
            filler.set(Table::Cgroup, CGROUP, metric, value);
        }
        for (metric, value) in [
            ("pgscan_file", done(at, 3) * 1.9),
            ("pgscan_anon", 0.0),
            ("pgsteal_anon", 0.0),
            ("pgsteal_file", done(at, 3) * 1.4),
            ("psi_io_some", (done(at, 0) / 1831.0 + done(at, 3) / 2482.0) * 940_000.0),
            ("psi_memory_some", done(at, 3) * 9.0),
        ] {
            filler.set(Table::Host, "", metric, value as i64);
        }
        for (metric, value) in
            [("reads", reads), ("writes", at * 3.0), ("read_sectors", reads * 16.0), ("write_sectors", at * 60.0)]
        {
            filler.set(Table::Disk, "vda", metric, value as i64);
        }
        for (index, (_, kind, _, from, seconds, _, _)) in STEPS.into_iter().enumerate() {
            if kind == "fio" && at >= from && at < from + seconds {
                let born = (BOOT + ns(from)) / 10_000_000;
                let name = format!("{}@{born}", 4000 + index);
                filler.set(Table::Process, &name, "syscr", done(at, index) as i64);
                filler.set(Table::Process, &name, "vsize", 512 * MIB);
            }
        }
        filler.take(BOOT + moment, &mut builder);
    }
    for result in STEPS.iter().map(step) {
        let (started, ended) = (stamp(result.started_ns), stamp(result.ended_ns));
        let kind = MarkKind::StepStarted { id: result.id.clone(), title: result.title.clone() };
        builder.mark(Mark { stamp: started, kind });
        builder.mark(Mark { stamp: ended, kind: MarkKind::StepEnded { result: Box::new(result) } });
    }
    let kind = MarkKind::Note { text: "vm.dirty_bytes set to 100663296".to_owned() };
    builder.mark(Mark { stamp: stamp(BOOT + ns(1.2)), kind });
    builder.finish()
}

/// A host that streams files: a sawtooth of cache, with a spike of one sample and, when asked for, a gap.
fn host_recording(seconds: i64, every: i64, gap: Option<(i64, i64)>) -> Recording {
    let mut builder = RecordingBuilder::new(manifest());
    let mut filler = Filler::new();
    let (mut reads, mut writes, mut scanned, mut stall) = (0, 0, 0, 0);
    for second in (0..=seconds).step_by(usize::try_from(every).unwrap()) {
        let phase = second % 40;
        reads += 300 + phase * 20;
        writes += if second == seconds / 3 { 25_000 } else { 12 };
        scanned += if phase > 30 { 9000 } else { 0 };
        stall += if phase > 30 { 180_000 } else { 900 };
        if gap.is_some_and(|(from, to)| from < second && second < to) {
            continue;
        }
        let cache = 6000 + phase * 190;
        for (metric, value) in [
            ("MemTotal", 16_384 * MIB),
            ("MemFree", (9000 - phase * 190) * MIB),
            ("MemAvailable", 14_000 * MIB),
            ("AnonPages", (900 + phase) * MIB),
            ("Cached", cache * MIB),
            ("Buffers", 40 * MIB),
            ("Dirty", (phase * 8) * MIB),
            ("Writeback", 0),
            ("pgscan_kswapd", scanned),
            ("pgscan_direct", scanned / 20),
            ("pgsteal_kswapd", scanned * 9 / 10),
            ("psi_io_some", stall),
            ("psi_io_full", stall / 2),
        ] {
            filler.set(Table::Host, "", metric, value);
        }
        for (metric, value) in
            [("reads", reads), ("writes", writes), ("read_sectors", reads * 256), ("write_sectors", writes * 64)]
        {
            filler.set(Table::Disk, "vda", metric, value);
        }
        filler.set(Table::Process, "900@400000", "syscr", reads * 4);
        filler.set(Table::Process, "900@400000", "syscw", writes / 2);
        filler.take(BOOT + second * SECOND, &mut builder);
    }
    builder.finish()
}

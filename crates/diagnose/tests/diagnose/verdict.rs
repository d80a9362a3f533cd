//! What a diagnosis comes to as a whole: the verdict, the cause, the chain, what it clears.

use crate::live::{GIB, stream};
use crate::story::{MIB, Story};
use pagetide_core::{Bytes, Conclusion, Recording, Table};
use pagetide_diagnose::diagnose;

/// A host on which a database reads a little from its disk and all is well.
pub(crate) fn quiet(samples: usize) -> Story {
    quiet_every(1.0, samples)
}

/// The same, sampled at an interval.
pub(crate) fn quiet_every(seconds: f64, samples: usize) -> Story {
    Story::new(samples, seconds)
        .manifest(|manifest| manifest.memory_total = Bytes::new(8 << 30))
        .gauge(Table::Host, "", "MemTotal", |_| 8.0 * GIB)
        .gauge(Table::Host, "", "MemFree", |_| 0.3 * GIB)
        .gauge(Table::Host, "", "Cached", |_| 5.0 * GIB)
        .gauge(Table::Host, "", "AnonPages", |_| 2.0 * GIB)
        .counter(Table::Host, "", "pgscan_kswapd", |at| if at % 7.0 < 1.0 { 900.0 } else { 0.0 })
        .counter(Table::Host, "", "pgsteal_kswapd", |at| if at % 7.0 < 1.0 { 800.0 } else { 0.0 })
        .counter(Table::Host, "", "workingset_refault_file", |_| 3.0)
        .counter(Table::Host, "", "pgmajfault", |_| 1.0)
        .counter(Table::Host, "", "psi_memory_some", |_| 90.0)
        .counter(Table::Disk, "sda", "read_sectors", |at| 2000.0 + 300.0 * (at % 3.0))
        .counter(Table::Disk, "sda", "reads", |_| 100.0)
        .counter(Table::Disk, "sda", "read_ms", |_| 60.0)
        .counter(Table::Disk, "sda", "io_ms", |_| 60.0)
}

#[test]
fn a_healthy_host_is_called_healthy_with_its_numbers() {
    let diagnosis = diagnose(&quiet(120).tell());
    assert_eq!(diagnosis.verdict, Conclusion::Healthy, "{diagnosis:#?}");
    let cause = diagnosis.cause.unwrap();
    assert_eq!(cause.rule.as_str(), "healthy");
    assert_eq!(cause.grade, pagetide_core::Grade::Strong);
    assert_eq!(cause.observed, pagetide_diagnose::observed(cause.grade));
    let said: Vec<&str> = diagnosis.findings[0].evidence.iter().map(|evidence| &*evidence.source).collect();
    for number in ["psi_memory_some", "workingset_refault_file", "pgmajfault"] {
        assert!(said.contains(&number), "{number}: {said:?}");
    }
}

#[test]
fn requests_in_flight_that_nobody_waits_for_are_called_asynchronous() {
    let told = |io: f64, memory: f64| {
        let during = |then: f64, else_: f64| move |at: f64| if (40.0..60.0).contains(&at) { then } else { else_ };
        let story = quiet(400)
            .counter(Table::Host, "", "psi_io_some", during(io * 1e6, 500.0))
            .counter(Table::Host, "", "psi_memory_some", during(memory * 1e6, 90.0))
            .counter(Table::Disk, "sda", "io_ms", during(900.0, 60.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", during(4000.0, 60.0));
        diagnose(&story.tell()).summary
    };
    let said =
        "Asynchronous IO: sda had 4.0 requests in flight for 20 s, busy 90 % of it, and no task waited for them.";
    assert!(told(0.01, 0.0001).contains(said), "{}", told(0.01, 0.0001));
    assert!(!told(0.01, 0.15).contains("Asynchronous"), "a page in swap: {}", told(0.01, 0.15));
    assert!(!told(0.15, 0.0001).contains("Asynchronous"), "{}", told(0.15, 0.0001));
}

#[test]
fn what_was_not_recorded_is_named_and_nothing_is_called_healthy() {
    let cannot = |recording: &Recording, because: &str| {
        let diagnosis = diagnose(recording);
        assert_eq!(diagnosis.verdict, Conclusion::CannotTell, "{because}: {}", diagnosis.summary);
        assert_eq!(diagnosis.cause, None, "{because}");
        assert!(diagnosis.unknown.iter().any(|reason| reason.contains(because)), "{because}: {:?}", diagnosis.unknown);
        assert!(diagnosis.summary.contains(because), "{}", diagnosis.summary);
    };
    cannot(&Recording::default(), "no samples");
    cannot(&quiet(1).tell(), "one sample");
    cannot(&quiet(5).tell(), "5 samples");
    let only = |table, metric: &str| {
        Story::new(120, 1.0).counter(table, if table == Table::Host { "" } else { "sda" }, metric, |_| 5.0)
    };
    cannot(&only(Table::Disk, "io_ms").tell(), "whether memory is reclaimed");
    cannot(&only(Table::Host, "pgscan_kswapd").tell(), "whether devices are busy");
    cannot(&only(Table::Host, "ctxt").tell(), "how memory is used");
}

#[test]
fn waiting_that_no_rule_explains_is_not_called_healthy() {
    let waits = quiet(120).counter(Table::Host, "", "psi_memory_some", |_| 80_000.0);
    let diagnosis = diagnose(&waits.tell());
    assert_eq!(diagnosis.verdict, Conclusion::CannotTell);
    assert!(diagnosis.summary.contains("waited for memory 8"), "{}", diagnosis.summary);
}

#[test]
fn a_wait_that_no_service_notices_is_printed_as_its_time() {
    let brief = quiet_every(0.01, 40).counter(Table::Host, "", "psi_memory_some", |_| 80_000.0);
    let diagnosis = diagnose(&brief.tell());
    assert_eq!(diagnosis.verdict, Conclusion::Healthy, "{}", diagnosis.summary);
    assert!(
        diagnosis.summary.contains("waited for memory 31") && diagnosis.summary.contains("ms in total"),
        "{}",
        diagnosis.summary
    );
}

#[test]
fn waits_of_a_group_that_started_meanwhile_are_no_incident() {
    let then = |usual: f64, now: f64| move |at: f64| if at > 60.0 { now } else { usual };
    let told = |others: f64| {
        let story = quiet(120)
            .manifest(|manifest| (manifest.memory_total, manifest.cpus) = (Bytes::new(8 << 30), 1))
            .counter(Table::Host, "", "psi_cpu_some", then(30_000.0, 450_000.0))
            .counter(Table::Host, "", "psi_memory_some", then(0.0, 40_000.0))
            .counter(Table::Host, "", "cpu_user", then(30.0, 98.0))
            .counter(Table::Host, "", "cpu_nice", |_| 0.0)
            .counter(Table::Host, "", "cpu_system", |_| 0.0)
            .counter(Table::Host, "", "cpu_idle", then(70.0, 2.0));
        let group = |story: Story, group, cpu: (f64, f64), memory: f64| {
            story.counter(Table::Cgroup, group, "psi_cpu_some", then(cpu.0, cpu.1)).counter(
                Table::Cgroup,
                group,
                "psi_memory_some",
                then(0.0, memory),
            )
        };
        let story = group(story, "/all", (30_000.0, 450_000.0), 40_000.0);
        let story = group(story, "/all/batch", (0.0, 440_000.0), 39_000.0);
        diagnose(&group(story, "/all/db", (30_000.0, others), 0.0).tell())
    };
    let alone = told(50_000.0);
    assert_eq!(alone.verdict, Conclusion::Healthy, "{}", alone.summary);
    assert!(alone.summary.contains("2.0 % of the time (in /all/batch, which started meanwhile)"), "{}", alone.summary);
    let others = told(300_000.0);
    assert_eq!(others.cause.as_ref().map(|cause| cause.rule.as_str()), Some("cpu-bound"), "{}", others.summary);
}

#[test]
fn a_host_on_which_the_kernel_killed_a_process_is_not_called_healthy() {
    let killed = |node: f64| {
        let short = move |at: f64| if (55.0..=61.0).contains(&at) { 5000.0 } else { 300_000.0 };
        let zone = |story: Story, zone, free: Box<dyn Fn(f64) -> f64>| {
            let story = story.gauge(Table::Zone, zone, "free", free).gauge(Table::Zone, zone, "low", |_| 6000.0);
            story.gauge(Table::Zone, zone, "high", |_| 8000.0).gauge(Table::Zone, zone, "managed", |_| 1_000_000.0)
        };
        let story =
            quiet(120).counter(Table::Host, "", "oom_kill", |at| if at > 60.0 && at <= 61.0 { 1.0 } else { 0.0 });
        let story = zone(story, "node0/Normal", Box::new(move |_| node));
        diagnose(&zone(story, "node1/Normal", Box::new(short)).tell())
    };
    let host = killed(5000.0);
    assert_eq!(host.verdict, Conclusion::Incident, "{}", host.summary);
    assert!(host.summary.contains("ended one process: the host ran out of memory"), "{}", host.summary);
    let rest = diagnose(&quiet(120).tell());
    assert!(rest.findings[0].statement.starts_with("Nothing is wrong with memory and devices"), "{}", rest.summary);
    let bound = killed(400_000.0);
    assert!(bound.summary.contains("node1 ran out of memory"), "{}", bound.summary);
}

#[test]
fn a_finding_by_which_nobody_loses_time_is_no_cause() {
    let waits = |micros: f64| {
        let slow = move |at: f64| if at > 60.0 { micros } else { 100.0 };
        diagnose(&stream().counter(Table::Host, "", "psi_io_some", slow).tell())
    };
    let harmless = waits(150.0);
    assert!(harmless.cause.is_none_or(|cause| cause.rule.as_str() == "healthy"), "{}", harmless.summary);
    assert!(harmless.findings.iter().any(|finding| finding.rule.as_str() == "stream-floods-cache"), "it is a remark");
    let harmful = waits(200_000.0);
    assert_eq!(harmful.cause.unwrap().rule.as_str(), "stream-floods-cache");
    assert!(harmful.summary.contains("Tasks lost 200 ms of each second"), "{}", harmful.summary);
}

#[test]
fn those_who_suffer_come_first_and_what_had_just_started_last() {
    let then = |before: f64, after: f64| move |at: f64| if at > 60.0 { after } else { before };
    let group = |story: Story, name: &'static str, cpu: (f64, f64), waits: f64| {
        story.counter(Table::Cgroup, name, "cpu_usage", then(cpu.0, cpu.1)).counter(
            Table::Cgroup,
            name,
            "psi_io_some",
            then(100.0, waits),
        )
    };
    let story = stream().counter(Table::Host, "", "psi_io_some", then(100.0, 600_000.0));
    let story = group(story, "/idle", (50_000.0, 50_000.0), 15_000.0);
    // It reads again what was evicted, and computes for it.
    let story = group(story, "/served", (100_000.0, 300_000.0), 400_000.0);
    let story = group(story, "/new", (0.0, 300_000.0), 500_000.0);
    let diagnosis = diagnose(&story.tell());
    assert_eq!(diagnosis.cause.as_ref().unwrap().rule.as_str(), "stream-floods-cache");
    let losses = diagnosis.incidents[0].losses.iter();
    let groups: Vec<&str> = losses.filter_map(|loss| loss.victim.as_group()).collect();
    assert_eq!(groups, ["/served", "/idle", "/new"]);
    assert!(diagnosis.summary.contains("the control group /served waited 100 us"), "{}", diagnosis.summary);
}

#[test]
fn a_program_loses_time_only_by_its_own_delays() {
    let waits = || stream().counter(Table::Host, "", "psi_io_some", |at| if at > 60.0 { 200_000.0 } else { 100.0 });
    let unknown = diagnose(&waits().tell());
    assert!(unknown.unknown.iter().any(|why| why.contains("kernel.task_delayacct=1")), "{:?}", unknown.unknown);
    let by = |diagnosis: &pagetide_core::Diagnosis, by: &str| {
        diagnosis.incidents[0].losses.iter().find(|loss| loss.victim.to_string() == by).cloned()
    };
    assert!(unknown.incidents[0].losses.iter().all(|loss| loss.victim.as_command().is_none()));
    let delayed = |at: f64| if at > 60.0 { 150e6 } else { 1e6 };
    let waits = waits().counter(Table::Process, "50@5", "blkio_delay_total", delayed).counter(
        Table::Process,
        "51@5",
        "blkio_delay_total",
        |_| 1e6,
    );
    let known = diagnose(&waits.tell());
    assert!(known.unknown.iter().all(|why| !why.contains("task_delayacct")), "{:?}", known.unknown);
    let loss = by(&known, "process:50@5").unwrap();
    assert!((loss.share - 0.15).abs() < 0.01 && (loss.before - 0.001).abs() < 1e-4, "{loss:?}");
    assert_eq!(by(&known, "process:51@5"), None, "it waits as it did before");
    assert!(known.summary.contains("50@5 waited 150 ms of each second for IO (1 ms before)"), "{}", known.summary);
}

#[test]
fn a_program_that_waits_for_its_own_requests_alone_is_no_incident() {
    let told = |waited: f64| {
        let during = move |at: f64, then: f64, else_: f64| if (40.0..100.0).contains(&at) { then } else { else_ };
        let read = |at: i32| (at >= 40).then(|| i64::from((at - 40).min(60)) * (30 << 20));
        let story = quiet(120)
            .counter(Table::Host, "", "psi_io_some", move |at| during(at, 500_000.0, 2000.0))
            .counter(Table::Cgroup, "/db", "psi_io_some", move |at| during(at, waited, 2000.0))
            .counter(Table::Disk, "sda", "read_sectors", move |at| during(at, 30.0 * MIB / 512.0, 100.0))
            .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "weighted_io_ms", move |at| during(at, 20_000.0, 50.0))
            .line(Table::Process, "9@9", "read_bytes", (0..120).map(read).collect());
        diagnose(&story.tell())
    };
    let alone = told(2000.0);
    assert_eq!(alone.verdict, Conclusion::Healthy, "{}", alone.summary);
    assert_eq!(told(300_000.0).cause.unwrap().rule.as_str(), "device-saturated", "the database waits with it");
}

#[test]
fn time_lost_without_a_known_cause_is_reported_and_not_called_healthy() {
    let lost = |queue: f64| {
        let during = move |at: f64, then: f64, else_: f64| if (40.0..100.0).contains(&at) { then } else { else_ };
        let story = quiet(120)
            .counter(Table::Host, "", "psi_io_some", move |at| during(at, 500_000.0, 2000.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", move |at| during(at, queue * 1000.0, 50.0));
        diagnose(&story.tell())
    };
    let waits = lost(4.0);
    assert_eq!((waits.verdict, waits.cause), (Conclusion::CannotTell, None));
    assert!(waits.summary.contains("tasks lost 500 ms of each second waiting for IO"), "{}", waits.summary);
    assert!(waits.summary.contains("mostly on sda with 4.0 requests in flight"), "{}", waits.summary);
    assert_eq!(lost(20.0).cause.unwrap().rule.as_str(), "device-saturated", "a deep queue explains it");
    assert_eq!(lost(1.0).verdict, Conclusion::Healthy, "a program that reads one request at a time does its work");
}

#[test]
fn the_chain_goes_from_the_stream_to_its_victims() {
    let diagnosis = diagnose(&stream().tell());
    assert_eq!(diagnosis.verdict, Conclusion::Incident);
    let cause = diagnosis.cause.as_ref().unwrap();
    assert_eq!(cause.rule.as_str(), "stream-floods-cache");
    assert_eq!(cause.origins.names(), ["process:9@9", "disk:nvme0n1"]);
    assert_eq!((cause.onset_ns, cause.resolution_ns), (60_000_000_000, 1_000_000_000));
    let links: Vec<(&str, &str)> = diagnosis.chain.iter().map(|link| (&*link.cause, &*link.effect)).collect();
    let at = |part: &str| {
        links.iter().position(|(_, effect)| effect.contains(part)).unwrap_or_else(|| panic!("{part}: {links:#?}"))
    };
    let order = ["kswapd reclaims", "file cache shrinks", "refault at", "major faults", "sda is busy"].map(at);
    assert!(order.is_sorted(), "{links:#?}");
    assert!(links[order[0]].0.contains("nvme0n1"), "{links:#?}");
    assert!(links.iter().all(|(_, effect)| !effect.starts_with("nvme0n1")), "the origin does not suffer: {links:#?}");
    let (cause, effect) = diagnosis.chain[order[0]].amounts.unwrap();
    assert!((cause.value - 400.0 * MIB).abs() < 8.0 * MIB && (effect.value - 400.0 * MIB).abs() < 8.0 * MIB);
    assert!(
        diagnosis
            .chain
            .iter()
            .all(|link| link.lag_ns.is_some() && !link.kernel.is_empty() && !link.evidence.is_empty())
    );
    assert!(diagnosis.summary.contains("sda is a victim"), "{}", diagnosis.summary);
    let cleared: Vec<&str> = diagnosis.cleared.iter().map(|cleared| cleared.rule.as_str()).collect();
    assert!(cleared.contains(&"anonymous-growth-takes-cache"), "{cleared:?}");
}

#[test]
fn a_host_without_swap_is_not_told_that_swap_is_not_the_cause() {
    let cleared = |total: f64| {
        let story = stream()
            .gauge(Table::Host, "", "SwapTotal", move |_| total)
            .counter(Table::Host, "", "pswpin", |_| 0.0)
            .counter(Table::Host, "", "pswpout", |_| 0.0);
        let diagnosis = diagnose(&story.tell());
        diagnosis.cleared.iter().any(|cleared| cleared.rule.as_str() == "swap-thrash")
    };
    assert!(cleared(2.0 * GIB), "it has swap, and none is used");
    assert!(!cleared(0.0), "no swap could have been the cause");
}

#[test]
fn what_began_before_is_not_called_an_effect() {
    // The slow disk is busy from second 20 on; the stream comes at 60.
    let early = stream().counter(Table::Disk, "sda", "io_ms", |at| if at > 20.0 { 990.0 } else { 50.0 });
    let diagnosis = diagnose(&early.tell());
    assert!(diagnosis.chain.iter().all(|link| !link.effect.starts_with("sda is busy")), "{:#?}", diagnosis.chain);
}

#[test]
fn memory_swapped_in_once_is_no_alarm() {
    let back = |at: f64| if (60.0..90.0).contains(&at) { 20_000.0 } else { 0.0 };
    let busy = move |at: f64| if back(at) > 0.0 { 1000.0 } else { 0.0 };
    let storm = |path: &str, out: f64| {
        let on = |name: &str, below: &str| pagetide_core::Disk {
            name: name.to_owned(),
            below: vec![below.to_owned()],
            ..pagetide_core::Disk::default()
        };
        quiet(120)
            .manifest(|manifest| {
                manifest.swaps = vec![pagetide_core::Swap { path: path.to_owned(), ..pagetide_core::Swap::default() }];
                manifest.mounts = [("/", "/dev/sda1"), ("/srv", "/dev/sdb1")]
                    .map(|(at, device)| (at.to_owned(), device.to_owned()))
                    .into();
                // The last two lie on each other, which no kernel says and a spoiled recording may.
                manifest.disks = vec![on("sdb1", "sdb"), on("md0", "md1"), on("md1", "md0")];
            })
            .counter(Table::Host, "", "pswpin", back)
            .counter(Table::Host, "", "pswpout", move |at| back(at) * out)
            .gauge(Table::Host, "", "SwapTotal", |_| 8.0 * GIB)
            .gauge(Table::Host, "", "SwapFree", |at| (3.0 + 2.3 * ((at - 60.0) / 30.0).clamp(0.0, 1.0)) * GIB)
            .counter(Table::Disk, "sdb", "io_ms", busy)
            .counter(Table::Disk, "sdb", "weighted_io_ms", move |at| busy(at) * 4.0)
            .tell()
    };
    for path in ["/dev/sdb", "/dev/sdb1", "/srv/swap.img"] {
        let once = diagnose(&storm(path, 0.0));
        assert_eq!(once.verdict, Conclusion::Healthy, "{path}: {:#?}", once.findings);
        let harmless = once.findings.iter().find(|finding| finding.rule.as_str() == "swap-in-use-harmless").unwrap();
        assert_eq!(harmless.origins.names(), ["disk:sdb"], "{path}");
        assert!(
            once.findings.iter().any(|finding| finding.rule.as_str() == "device-saturated"),
            "it is busy, and no trouble"
        );
    }
    let circle = diagnose(&storm("/dev/md0", 0.0));
    assert_eq!(circle.cause.unwrap().rule.as_str(), "device-saturated", "swap lies nowhere");
    let other = diagnose(&storm("/swap.img", 0.0));
    assert_eq!(other.cause.unwrap().rule.as_str(), "device-saturated", "swap lies elsewhere");
    assert_eq!(diagnose(&storm("/dev/sdb", 0.9)).cause.unwrap().rule.as_str(), "swap-thrash");
}

#[test]
fn a_repeated_effect_is_reported_once() {
    let burst = |at: f64| [60.0, 66.0, 73.0].iter().any(|from| at > *from && at <= from + 4.0);
    let rate = |usual: f64, then: f64| move |at: f64| if burst(at) { then } else { usual };
    let story = Story::new(120, 1.0)
        .manifest(|manifest| manifest.memory_total = Bytes::new(8 << 30))
        .counter(Table::Host, "", "cpu_user", rate(10.0, 198.0))
        .counter(Table::Host, "", "cpu_nice", |_| 0.0)
        .counter(Table::Host, "", "cpu_system", |_| 0.0)
        .counter(Table::Host, "", "cpu_idle", rate(190.0, 2.0))
        .counter(Table::Host, "", "psi_memory_some", |_| 0.0)
        .counter(Table::Host, "", "psi_cpu_some", move |at| if burst(at) { 800_000.0 + at * 1000.0 } else { 1000.0 });
    let diagnosis = diagnose(&story.tell());
    let cause = diagnosis.cause.unwrap();
    assert_eq!((cause.rule.as_str(), cause.onset_ns, cause.end_ns), ("cpu-bound", 60_000_000_000, 77_000_000_000));
    let told: Vec<&str> = diagnosis.chain.iter().map(|link| &*link.effect).collect();
    assert_eq!(told, ["tasks wait for a CPU 61.4 % of the time"], "over all of the cause's time");
}

/// Numbers below `most` without an order, the same every time.
fn noise(seed: u64, most: u64) -> impl Fn(f64) -> f64 {
    move |at| {
        let mut word = (at.to_bits() ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word ^= word >> 29;
        word = word.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((word >> 33) % most) as f64
    }
}

#[test]
fn an_incident_in_a_noisy_day_keeps_its_place() {
    let stream = |at: f64| (2000.0..2100.0).contains(&at);
    let mut story = Story::new(4000, 1.0)
        .manifest(|manifest| manifest.memory_total = Bytes::new(8 << 30))
        .counter(Table::Host, "", "pgscan_kswapd", move |at| if stream(at) { 130_000.0 } else { 0.0 })
        .counter(Table::Host, "", "pgsteal_kswapd", move |at| if stream(at) { 102_400.0 } else { 0.0 });
    for (seed, metric) in
        ["workingset_refault", "psi_io_some", "psi_cpu_some", "compact_stall", "cpu_user"].into_iter().enumerate()
    {
        let random = noise(seed as u64, 40);
        // The stream costs others a twentieth of their time.
        let waits = move |at: f64| if metric == "psi_io_some" && stream(at) { 50_000.0 } else { 0.0 };
        story = story.counter(Table::Host, "", metric, move |at| waits(at) + random(at));
    }
    let faults = noise(99, 40);
    story = story.counter(Table::Host, "", "pgmajfault", move |at| if stream(at) { 400.0 } else { faults(at) });
    for metric in ["Cached", "AnonPages", "Slab"] {
        let random = noise(metric.len() as u64, 4000);
        story = story.gauge(Table::Host, "", metric, move |at| GIB + random(at));
    }
    for (seed, disk) in ["nvme0n1", "sda"].into_iter().enumerate() {
        let reads = noise(seed as u64 + 50, 200);
        let origin = seed == 0;
        let sectors = move |at: f64| if origin && stream(at) { 819_200.0 } else { 300.0 + reads(at) };
        story = story.counter(Table::Disk, disk, "read_sectors", sectors);
        for (other, metric) in
            ["reads", "read_ms", "writes", "write_ms", "write_sectors", "io_ms"].into_iter().enumerate()
        {
            let random = noise((seed * 10 + other) as u64 + 70, 40);
            story = story.counter(Table::Disk, disk, metric, move |at| 5.0 + random(at));
        }
    }
    let diagnosis = diagnose(&story.tell());
    let cause = diagnosis.cause.unwrap();
    assert_eq!((cause.rule.as_str(), &*cause.origins[0].to_string()), ("stream-floods-cache", "disk:nvme0n1"));
    let second = 1_000_000_000;
    assert!((cause.onset_ns - 1999 * second).abs() <= 2 * second, "{cause:?}");
    assert!((cause.end_ns - 2099 * second).abs() <= 2 * second, "{cause:?}");
}

#[test]
fn a_program_in_state_d_that_waits_for_no_device_is_not_healthy() {
    let with = |since: f64, io: f64, state: u8, function: &str| {
        let then = move |before: f64, after: f64| move |at: f64| if at < 60.0 { before } else { after };
        let state = (0..120_i64).map(|at| {
            let blocked = at >= 60 && at % 5 > 0;
            (at as f64 >= since).then(|| i64::from(if blocked { state } else { b'S' }))
        });
        let story = quiet(120)
            .gauge(Table::Host, "", "procs_blocked", |_| 0.0)
            .gauge(
                Table::Host,
                "",
                "scan_tasks_blocked",
                move |at| if at >= 60.0 && at % 5.0 >= 1.0 { 1.0 } else { 0.0 },
            )
            .command("7@4", "office")
            .gauge(Table::Process, "7@4", "rss", |_| 1e6)
            .line(Table::Process, "7@4", "state", state.collect())
            .line(Table::Process, "7@4", "wchan_io_schedule", (0..120).map(|at| (at % 50 == 3).then_some(1)).collect())
            .line(Table::Process, "7@4", function, (0..120).map(|at| (at >= 60 && at % 5 > 0).then_some(1)).collect());
        let story = if io > 0.0 { story.counter(Table::Host, "", "psi_io_some", then(1000.0, io)) } else { story };
        diagnose(&story.tell())
    };
    let told = |since, io, state| with(since, io, state, "wchan_fanotify_handle_event");
    let blocked = told(0.0, 1000.0, b'D');
    assert!(blocked.summary.contains(", mostly in fanotify_handle_event of the kernel, while"), "{}", blocked.summary);
    assert_eq!(blocked.verdict, Conclusion::CannotTell, "{}", blocked.summary);
    let said = "office (pid 7) slept uninterruptibly (state D) 81.2 % of the time (1.6 % before)";
    assert!(blocked.summary.contains(said), "{}", blocked.summary);
    for (healthy, why) in [
        (told(0.0, 1000.0, b'R'), "another task sleeps so"),
        (told(0.0, 500_000.0, b'D'), "most of it is for a device"),
        (told(55.0, 1000.0, b'D'), "it had just started"),
        (told(0.0, 0.0, b'D'), "nobody knows what it waits for without pressure"),
    ] {
        assert!(!healthy.summary.contains("slept uninterruptibly"), "{why}: {}", healthy.summary);
    }
}

#[test]
fn a_service_that_somebody_stops_again_and_again_is_not_healthy() {
    let told = |works: f64, stopped: i64| {
        let state = (0..120_i64).map(|at| Some(i64::from(if at >= 60 && at % 4 < stopped { b'T' } else { b'S' })));
        let story = quiet(120)
            .command("7@4", "modelserver")
            .counter(Table::Process, "7@4", "utime", move |_| works)
            .counter(Table::Process, "7@4", "stime", |_| 0.0)
            .line(Table::Process, "7@4", "state", state.collect());
        diagnose(&story.tell())
    };
    let profiled = told(5.0, 3);
    assert_eq!(profiled.verdict, Conclusion::CannotTell, "{}", profiled.summary);
    let said = "modelserver (pid 7) was stopped (state T) 75 % of the time (0 % before)";
    assert!(profiled.summary.contains(said), "{}", profiled.summary);
    assert_eq!(told(5.0, 1).verdict, Conclusion::Healthy, "a fourth of the time");
    assert_eq!(told(0.0, 4).verdict, Conclusion::Healthy, "an editor at a prompt of a shell");
}

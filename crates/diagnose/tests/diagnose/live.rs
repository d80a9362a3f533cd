//! The rules on made-up recordings of a host: each incident, and beside it what looks like it and is not.

use crate::story::{MIB, Story, finding, seen, whole};
use pagetide_core::{Bytes, KernelMessage, Span, Table};

pub(crate) const GIB: f64 = 1024.0 * MIB;
/// Samples a second apart; what is unusual happens from second 60 to 90.
const SECONDS: usize = 120;

fn busy(at: f64) -> bool {
    at > 60.0 && at <= 90.0
}

/// How far the incident has come, from 0 to 1.
fn progress(at: f64) -> f64 {
    ((at - 60.0) / 30.0).clamp(0.0, 1.0)
}

/// A host with 8 GiB, 5 of them file cache, that reads a little from a slow and a fast disk.
fn host() -> Story {
    Story::new(SECONDS, 1.0).manifest(|manifest| {
        manifest.memory_total = Bytes::new(8 << 30);
        manifest.origin = pagetide_core::Origin::Host;
    })
}

fn memory(story: Story, cached: impl Fn(f64) -> f64, anon: impl Fn(f64) -> f64, free: impl Fn(f64) -> f64) -> Story {
    story
        .gauge(Table::Host, "", "MemTotal", |_| 8.0 * GIB)
        .gauge(Table::Host, "", "Cached", cached)
        .gauge(Table::Host, "", "AnonPages", anon)
        .gauge(Table::Host, "", "MemFree", free)
}

/// Pages per second during the incident, next to nothing otherwise.
fn paging(story: Story, scanned: f64, stolen: f64, refaulted: f64, faults: f64) -> Story {
    let at = |rate: f64| move |at: f64| if busy(at) { rate } else { 0.0 };
    story
        .counter(Table::Host, "", "pgscan_kswapd", at(scanned))
        .counter(Table::Host, "", "pgsteal_kswapd", at(stolen))
        .counter(Table::Host, "", "workingset_refault_file", at(refaulted))
        .counter(Table::Host, "", "pgmajfault", move |at| if busy(at) { faults } else { 1.0 })
}

/// A disk: bytes read per second and part of the time busy, usually and during the incident, with this queue.
fn disk(story: Story, name: &str, read: (f64, f64), used: (f64, f64), queue: f64) -> Story {
    let pick = |pair: (f64, f64)| move |at: f64| if busy(at) { pair.1 } else { pair.0 };
    story
        .counter(Table::Disk, name, "read_sectors", move |at| pick(read)(at) / 512.0)
        .counter(Table::Disk, name, "reads", move |at| pick(read)(at) / 65536.0)
        .counter(Table::Disk, name, "io_ms", move |at| pick(used)(at) * 1000.0)
        .counter(
            Table::Disk,
            name,
            "weighted_io_ms",
            move |at| {
                if busy(at) { used.1 * queue * 1000.0 } else { used.0 * 1000.0 }
            },
        )
}

/// 400 MiB/s from nvme0n1 that nobody reads twice; sda has to read back what others lost.
pub(crate) fn stream() -> Story {
    let story = memory(host(), |at| (5.0 - 2.0 * progress(at)) * GIB, |_| 2.0 * GIB, |_| 0.5 * GIB);
    let story = paging(story, 150_000.0, 102_400.0, 3000.0, 500.0);
    let story = disk(story, "nvme0n1", (0.5 * MIB, 400.0 * MIB), (0.01, 0.4), 2.0);
    disk(story, "sda", (0.2 * MIB, 12.0 * MIB), (0.05, 0.99), 12.0)
        .counter(Table::Process, "9@9", "read_bytes", |at| if busy(at) { 390.0 * MIB } else { 0.0 })
        .counter(Table::Process, "1@1", "read_bytes", |_| 1000.0)
}

#[test]
fn a_stream_is_the_origin_and_the_slow_disk_its_victim() {
    let recording = stream().tell();
    let flood = finding(&recording, "stream-floods-cache").unwrap();
    assert!(flood.statement.contains("9@9 (pid 9) reads 400 MiB/s from nvme0n1"), "{}", flood.statement);
    assert!(flood.statement.contains("; sda read back"), "{}", flood.statement);
    assert_eq!(flood.range, Span::new(60_000_000_000, 90_000_000_000), "onset and end to the sample");
    let saturated = finding(&recording, "device-saturated").unwrap();
    assert!(
        saturated.statement.contains("sda is saturated") && saturated.statement.contains("a victim"),
        "{saturated:?}"
    );
}

#[test]
fn what_is_no_stream_is_not_blamed_on_one() {
    let quick = |story| disk(story, "nvme0n1", (0.5 * MIB, 400.0 * MIB), (0.01, 0.4), 2.0);
    let still = |story| memory(story, |_| 5.0 * GIB, |_| 2.0 * GIB, |_| 0.5 * GIB);
    let spare = memory(host(), |at| (1.0 + 3.0 * progress(at)) * GIB, |_| GIB, |at| (6.0 - 3.0 * progress(at)) * GIB);
    let controls = [
        ("memory to spare", quick(paging(spare, 0.0, 0.0, 0.0, 1.0))),
        ("O_DIRECT", quick(paging(still(host()), 0.0, 0.0, 0.0, 1.0))),
        ("a working set that does not fit", quick(paging(still(host()), 150_000.0, 102_400.0, 95_000.0, 500.0))),
        ("a change of working set", quick(paging(still(host()), 150_000.0, 102_400.0, 0.0, 1.0))),
        (
            "anonymous growth beside a reader",
            quick(paging(
                memory(host(), |at| (5.0 - 4.0 * progress(at)) * GIB, |at| (2.0 + 4.0 * progress(at)) * GIB, |_| GIB),
                60_000.0,
                40_000.0,
                0.0,
                50.0,
            )),
        ),
        (
            "a swap-in storm",
            quick(paging(still(host()), 150_000.0, 60_000.0, 0.0, 9000.0))
                .counter(Table::Host, "", "pswpin", |at| if busy(at) { 40_000.0 } else { 0.0 })
                .counter(Table::Host, "", "pswpout", |at| if busy(at) { 40_000.0 } else { 0.0 }),
        ),
        (
            "dropped caches",
            stream().counter(
                Table::Host,
                "",
                "drop_pagecache",
                |at| if (60.5..61.5).contains(&at) { 1.0 } else { 0.0 },
            ),
        ),
    ];
    for (name, control) in controls {
        assert_eq!(finding(&control.tell(), "stream-floods-cache"), None, "{name}");
    }
}

#[test]
fn a_cache_that_fills_for_the_first_time_is_cold() {
    let fills = memory(host(), |at| (1.0 + 3.0 * progress(at)) * GIB, |_| GIB, |at| (6.0 - 3.0 * progress(at)) * GIB);
    let read = 3.0 * GIB / 30.0;
    let cold = disk(paging(fills, 0.0, 0.0, 0.0, 80.0), "sda", (0.0, read), (0.0, 0.8), 1.5).tell();
    assert_eq!(seen(&cold), ["cold-cache"]);
    assert_eq!(finding(&stream().tell(), "cold-cache"), None);
}

#[test]
fn anonymous_growth_takes_the_cache_only_if_the_cache_falls() {
    let growth = |cached: f64, free: f64, scanned: f64| {
        let story = memory(
            host(),
            move |at| (5.0 - cached * progress(at)) * GIB,
            |at| (2.0 + 3.0 * progress(at)) * GIB,
            move |at| (4.0 - free * progress(at)) * GIB,
        );
        paging(story, scanned, scanned * 0.9, 0.0, 5.0)
            .gauge(Table::Process, "7@7", "RssAnon", |at| (0.1 + 3.0 * progress(at)) * GIB)
            .tell()
    };
    let taken = finding(&growth(2.8, 0.2, 30_000.0), "anonymous-growth-takes-cache").unwrap();
    assert!(taken.statement.contains("3 GiB, most of it in 7@7"), "{}", taken.statement);
    assert_eq!(taken.advice[0].action, "Limit the memory of 7@7 if its growth does not end.");
    assert_eq!(taken.advice[0].command.as_deref(), Some("ps -o pid,etime,rss,args -p 7"));
    assert!(finding(&growth(1.2, 1.8, 30_000.0), "anonymous-growth-takes-cache").is_some(), "after what was free");
    assert_eq!(finding(&growth(0.1, 2.9, 0.0), "anonymous-growth-takes-cache"), None, "free memory sufficed");
    let ended = |at: f64| if at < 88.0 { progress(at) } else { 0.0 };
    let then_free = memory(
        host(),
        |at| (5.0 - 2.8 * progress(at)) * GIB,
        move |at| (2.0 + 3.0 * ended(at)) * GIB,
        move |at| (0.5 + if at < 88.0 { 0.0 } else { 3.0 }) * GIB,
    );
    let taken = finding(&paging(then_free, 30_000.0, 27_000.0, 0.0, 5.0).tell(), "anonymous-growth-takes-cache");
    assert!(taken.is_some(), "the program that took it has ended within the stretch");
    assert_eq!(finding(&stream().tell(), "anonymous-growth-takes-cache"), None);
}

#[test]
fn what_comes_back_from_swap_is_growth_when_swap_was_switched_off() {
    let back = |size: fn(f64) -> f64, free: fn(f64) -> f64| {
        let story =
            memory(host(), |at| (5.0 - 2.8 * progress(at)) * GIB, |at| (2.0 + 3.0 * progress(at)) * GIB, |_| 0.2 * GIB);
        paging(story, 30_000.0, 27_000.0, 0.0, 5.0)
            .gauge(Table::Host, "", "SwapTotal", size)
            .gauge(Table::Host, "", "SwapFree", free)
            .gauge(Table::Process, "7@7", "RssAnon", |at| (0.1 + 3.0 * progress(at)) * GIB)
            .gauge(Table::Process, "7@7", "VmSwap", |at| (3.0 - 3.0 * progress(at)) * GIB)
            .tell()
    };
    // While swap is being switched off its size is what is still in it.
    let off = back(
        |at| if at > 60.0 { (3.0 - 3.0 * progress(at)) * GIB } else { 8.0 * GIB },
        |at| if at > 60.0 { 0.0 } else { 5.0 * GIB },
    );
    let found = finding(&off, "anonymous-growth-takes-cache").expect("swap was switched off");
    assert!(found.statement.starts_with("Swap was switched off"), "{}", found.statement);
    assert_eq!(found.origins.names(), ["process:7@7"]);
    let needed = back(|_| 8.0 * GIB, |at| (5.0 + 3.0 * progress(at)) * GIB);
    assert_eq!(finding(&needed, "anonymous-growth-takes-cache"), None, "it was there before, and is needed again");
}

#[test]
fn swap_thrashes_when_it_goes_both_ways() {
    let swap = |came: f64, went: f64| {
        paging(host(), 50_000.0, 20_000.0, 0.0, 2000.0)
            .counter(Table::Host, "", "pswpin", move |at| if busy(at) { came } else { 0.0 })
            .counter(Table::Host, "", "pswpout", move |at| if busy(at) { went } else { 0.0 })
            .counter(Table::Host, "", "workingset_refault_anon", move |at| if busy(at) { came * 0.9 } else { 0.0 })
            .gauge(Table::Host, "", "SwapTotal", |_| 4.0 * GIB)
            .gauge(Table::Host, "", "SwapFree", |_| 2.0 * GIB)
    };
    assert!(finding(&swap(5000.0, 6000.0).tell(), "swap-thrash").is_some());
    // A job comes and grows, and a service swaps its own memory back in.
    let grown = |job: f64| {
        let story = swap(5000.0, 6000.0)
            .counter(Table::Process, "1@1", "majflt", |at| if busy(at) { 500.0 } else { 0.0 })
            .counter(Table::Process, "1@1", "utime", |_| 5.0)
            .gauge(Table::Process, "1@1", "RssAnon", |_| GIB)
            .line(
                Table::Process,
                "9@6000",
                "RssAnon",
                (0..121).map(|at| (at > 60).then_some(whole(f64::from(at - 60) * job))).collect(),
            );
        finding(&story.tell(), "swap-thrash").expect("it thrashes").origins.names()
    };
    assert_eq!(grown(30.0 * MIB), ["process:9@6000", "process:1@1"]);
    assert_eq!(grown(0.5 * MIB), ["process:1@1"], "it hardly grew");
    // kswapd swaps out in bursts, each fourth second; what made room before is far more.
    let bursts = |every: f64| {
        let filling = |at: f64| busy(at) && at <= 70.0;
        let out = move |at: f64| if filling(at) { 60_000.0 } else { f64::from(busy(at) && at % every < 1.0) * 9000.0 };
        let story = swap(3000.0, 0.0).counter(Table::Host, "", "pswpout", out);
        finding(
            &story.counter(Table::Host, "", "pswpin", |at| if busy(at) { 3000.0 } else { 0.0 }).tell(),
            "swap-thrash",
        )
    };
    assert!(bursts(4.0).is_some(), "as much goes as comes, in a few seconds");
    assert_eq!(bursts(99.0), None, "what went out once comes back");
    for (name, came, went) in
        [("out only", 0.0, 6000.0), ("in only", 5000.0, 10.0), ("idle", 0.0, 0.0), ("a trickle", 2.0, 3.0)]
    {
        assert_eq!(finding(&swap(came, went).tell(), "swap-thrash"), None, "{name}");
    }
    assert!(finding(&swap(5000.0, 6000.0).tell(), "swap-in-use-harmless").is_none());
}

#[test]
fn swap_that_comes_back_slowly_thrashes_where_tasks_wait_for_it() {
    let swap_from = |from: f64, came: f64, waits: f64| {
        let back = move |at: f64| busy(at) && at > from;
        paging(host(), 50_000.0, 20_000.0, 0.0, 2000.0)
            .counter(Table::Host, "", "pswpin", move |at| if back(at) { came } else { 0.0 })
            .counter(Table::Host, "", "pswpout", |at| if busy(at) && at <= 70.0 { 18_000.0 } else { 0.0 })
            .counter(Table::Host, "", "psi_memory_some", move |at| if back(at) { waits * 1e6 } else { 0.0 })
            .gauge(Table::Host, "", "SwapTotal", |_| 4.0 * GIB)
            .gauge(Table::Host, "", "SwapFree", |_| 2.0 * GIB)
            .tell()
    };
    let swap = |came, waits| swap_from(0.0, came, waits);
    assert!(finding(&swap(700.0, 0.5), "swap-thrash").is_some());
    assert_eq!(finding(&swap(700.0, 0.05), "swap-thrash"), None, "nobody waits for what comes back");
    assert_eq!(finding(&swap(5.0, 0.5), "swap-thrash"), None, "hardly anything comes back");
    assert!(finding(&swap_from(75.0, 2000.0, 0.3), "swap-thrash").is_some(), "they wait once it comes back");
}

#[test]
fn who_waits_for_io_that_is_swap_in_waits_for_memory() {
    let swap = |io: f64, read: f64| {
        let back = |rate: f64| move |at: f64| if busy(at) { rate } else { 0.0 };
        let story = paging(host(), 50_000.0, 20_000.0, 0.0, 2000.0)
            .counter(Table::Host, "", "pswpin", back(700.0))
            .counter(Table::Host, "", "pswpout", |at| if busy(at) && at <= 70.0 { 18_000.0 } else { 0.0 })
            .counter(Table::Host, "", "pgpgin", back(read))
            .counter(Table::Host, "", "psi_memory_some", back(50_000.0))
            .counter(Table::Host, "", "psi_io_some", back(io * 1e6))
            .gauge(Table::Host, "", "SwapTotal", |_| 4.0 * GIB)
            .gauge(Table::Host, "", "SwapFree", |_| 2.0 * GIB);
        finding(&story.tell(), "swap-thrash")
    };
    // KiB.
    assert!(swap(0.4, 700.0 * 4.0).is_some());
    assert_eq!(swap(0.1, 700.0 * 4.0), None, "nobody waits for what comes back");
    assert_eq!(swap(0.4, 7000.0 * 4.0), None, "they wait for files");
}

#[test]
fn a_group_whose_cache_is_taken_again_and_again_while_memory_is_free_is_reclaimed_on_request() {
    let told = |free: f64, back: f64, of_host: f64, hits: f64| {
        let then = |rate: f64| move |at: f64| if busy(at) { rate } else { 0.0 };
        let story = memory(host(), |_| 3.0 * GIB, |_| GIB, move |_| free * GIB);
        paging(story, of_host, of_host, back, 20.0)
            .gauge(Table::Cgroup, "/db", "file", |_| 2.0 * GIB)
            .counter(Table::Cgroup, "/db", "pgsteal", then(5000.0))
            .counter(Table::Cgroup, "/db", "workingset_refault_file", then(back))
            .counter(Table::Cgroup, "/db", "events_max", then(hits))
            .gauge(Table::Zone, "node0/Normal", "high", |_| 12_000.0)
            .gauge(Table::Zone, "node0/Normal", "free", move |_| free * GIB / 4096.0)
            .tell()
    };
    let found = finding(&told(4.0, 4000.0, 0.0, 0.0), "over-reclaim").expect("nobody is short of memory");
    assert_eq!(found.origins.names(), ["cgroup:/db"]);
    assert!(found.statement.contains("a program requested it (memory.reclaim)"), "{}", found.statement);
    for (why, other) in [
        ("memory is short", told(0.05, 4000.0, 0.0, 0.0)),
        ("hardly any of it is missed", told(4.0, 500.0, 0.0, 0.0)),
        ("the host reclaims", told(4.0, 4000.0, 5000.0, 0.0)),
        ("it is at its limit", told(4.0, 4000.0, 0.0, 3.0)),
    ] {
        assert_eq!(finding(&other, "over-reclaim"), None, "{why}");
    }
}

#[test]
fn swap_thrashes_where_most_comes_back_while_others_leave_after_a_burst_that_made_room() {
    let swap = |leave: f64, burst_back: f64| {
        let back = move |at: f64| match at {
            at if !busy(at) => 0.0,
            at if at <= 68.0 => burst_back,
            _ => 800.0,
        };
        let out = move |at: f64| match at {
            at if !busy(at) => 0.0,
            at if at <= 68.0 => 40_000.0,
            _ => leave,
        };
        paging(host(), 50_000.0, 20_000.0, 0.0, 2000.0)
            .counter(Table::Host, "", "pswpin", back)
            .counter(Table::Host, "", "pswpout", out)
            .gauge(Table::Host, "", "SwapTotal", |_| 4.0 * GIB)
            .gauge(Table::Host, "", "SwapFree", |_| 2.0 * GIB)
            .tell()
    };
    assert!(finding(&swap(600.0, 10.0), "swap-thrash").is_some());
    assert_eq!(finding(&swap(10.0, 10.0), "swap-thrash"), None, "nothing leaves any more");
    assert_eq!(
        finding(&swap(600.0, 4000.0), "swap-thrash"),
        None,
        "most came back in the burst, in which memory moved out"
    );
}

#[test]
fn swap_in_use_is_harmless_when_nobody_asks_for_it() {
    let idle = |used: f64| {
        host()
            .counter(Table::Host, "", "pswpin", |_| 0.0)
            .gauge(Table::Host, "", "SwapTotal", |_| 4.0 * GIB)
            .gauge(Table::Host, "", "SwapFree", move |_| (4.0 - used) * GIB)
            .tell()
    };
    assert_eq!(seen(&idle(1.5)), ["swap-in-use-harmless"]);
    assert_eq!(seen(&idle(0.0)), [""; 0]);
}

#[test]
fn direct_reclaim_differs_from_kswapd() {
    let reclaim = |stalls: f64, direct: f64| {
        paging(host(), 50_000.0, 20_000.0, 0.0, 10.0)
            .counter(Table::Host, "", "allocstall_normal", move |at| if busy(at) { stalls } else { 0.0 })
            .counter(Table::Host, "", "pgscan_direct", move |at| if busy(at) { direct } else { 0.0 })
            .counter(Table::Host, "", "psi_memory_some", move |at| if busy(at) { direct * 5.0 } else { 0.0 })
            .tell()
    };
    assert!(finding(&reclaim(40.0, 20_000.0), "direct-reclaim-stalls").is_some());
    assert_eq!(finding(&reclaim(0.0, 0.0), "direct-reclaim-stalls"), None);
    assert_eq!(finding(&reclaim(1.2, 40.0), "direct-reclaim-stalls"), None, "hardly any");
}

#[test]
fn a_group_at_its_limit_is_not_a_host_without_memory() {
    let group = |hits: f64, used: f64| {
        let story =
            memory(host(), |_| 3.0 * GIB, |_| GIB, |_| 3.0 * GIB).gauge(Table::Host, "", "MemAvailable", |_| 5.0 * GIB);
        disk(story, "sda", (0.0, 40.0 * MIB), (0.0, 0.5), 1.0)
            .counter(Table::Cgroup, "/g", "failcnt", move |at| if busy(at) { hits } else { 0.0 })
            .gauge(Table::Cgroup, "/g", "current", move |_| used * GIB)
            .gauge(Table::Cgroup, "/g", "max", |_| GIB)
            .counter(Table::Cgroup, "/g", "workingset_refault_file", |at| if busy(at) { 900.0 } else { 0.0 })
            .tell()
    };
    let limited = group(300.0, 0.999);
    assert!(finding(&limited, "cgroup-limit-reclaim").is_some());
    assert_eq!(finding(&limited, "stream-floods-cache"), None);
    assert_eq!(finding(&group(0.0, 0.999), "cgroup-limit-reclaim"), None, "full and never asked for more");
    assert_eq!(finding(&group(300.0, 0.4), "cgroup-limit-reclaim"), None, "far below");
}

#[test]
fn advice_names_the_limit_that_the_version_of_control_groups_has() {
    let command = |counter: &'static str| {
        let story = memory(host(), |_| 3.0 * GIB, |_| GIB, |_| 3.0 * GIB)
            .counter(Table::Cgroup, "/g", counter, |at| if busy(at) { 300.0 } else { 0.0 })
            .gauge(Table::Cgroup, "/g", "current", |_| 0.999 * GIB)
            .gauge(Table::Cgroup, "/g", "max", |_| GIB)
            .counter(Table::Cgroup, "/g", "workingset_refault_file", |at| if busy(at) { 900.0 } else { 0.0 });
        let mut limited = finding(&story.tell(), "cgroup-limit-reclaim").unwrap();
        limited.advice.remove(0).command.unwrap()
    };
    assert_eq!(command("failcnt"), "echo 1342177280 > /g/memory.limit_in_bytes");
    assert_eq!(command("events_max"), "echo 1342177280 > /g/memory.max");
}

#[test]
fn free_memory_far_above_the_watermarks_contradicts_shortage() {
    let falls = |gained: f64| {
        let story = memory(
            host(),
            |at| (5.0 - 4.5 * progress(at)) * GIB,
            |_| 2.0 * GIB,
            move |at| (0.3 + gained * progress(at)) * GIB,
        );
        paging(story, 80_000.0, 40_000.0, 0.0, 20.0).gauge(Table::Zone, "node0/Normal", "high", |_| 12_000.0).gauge(
            Table::Zone,
            "node0/Normal",
            "free",
            move |at| (0.3 + gained * progress(at)) * GIB / 4096.0,
        )
    };
    assert!(finding(&falls(4.4).tell(), "over-reclaim").is_some());
    assert_eq!(finding(&falls(0.2).tell(), "over-reclaim"), None, "somebody took what was freed");
    let dropped =
        falls(4.4).counter(Table::Host, "", "drop_pagecache", |at| if (61.5..62.5).contains(&at) { 1.0 } else { 0.0 });
    assert_eq!(finding(&dropped.tell(), "over-reclaim"), None);
}

#[test]
fn a_sequence_that_is_read_again_and_again_is_a_stream_where_others_lose_by_it() {
    let again = |victim: f64| {
        let story = memory(host(), |_| 5.0 * GIB, |_| 2.0 * GIB, |_| 0.2 * GIB);
        let story = paging(story, 150_000.0, 102_400.0, 95_000.0, 2.0);
        let story = disk(story, "nvme0n1", (0.5 * MIB, 400.0 * MIB), (0.01, 0.4), 2.0);
        disk(story, "sda", (0.2 * MIB, 0.2 * MIB + victim), (0.05, 0.05), 1.0)
            .manifest(|manifest| {
                let disk = pagetide_core::Disk {
                    name: "nvme0n1".to_owned(),
                    read_ahead: Some(Bytes::new(65536)),
                    ..Default::default()
                };
                manifest.disks.push(disk);
            })
            .counter(Table::Host, "", "pgpgin", |at| if busy(at) { 400.0 * 1024.0 } else { 512.0 })
            .counter(Table::Process, "9@9", "read_bytes", |at| if busy(at) { 398.0 * MIB } else { 0.0 })
            .counter(Table::Process, "1@1", "read_bytes", move |at| if busy(at) { victim } else { 0.0 })
            .tell()
    };
    let others = again(MIB);
    let stream = finding(&others, "stream-floods-cache").unwrap();
    assert!(stream.statement.contains("rereading the same data"), "{}", stream.statement);
    let alone = again(0.0);
    assert_eq!(finding(&alone, "stream-floods-cache"), None, "nobody else lost a page");
    assert!(finding(&alone, "working-set-exceeds-cache").is_some());
    assert_eq!(finding(&alone, "changed-working-set"), None);
}

#[test]
fn a_service_that_reads_other_data_and_some_of_its_own_again_floods_nobody() {
    let told = |from: i64| {
        let story = memory(host(), |_| 5.0 * GIB, |_| 2.0 * GIB, |_| 0.2 * GIB);
        let story = paging(story, 150_000.0, 102_400.0, 20_000.0, 2.0);
        let mut read = 0;
        let read_bytes = (0..120).map(|at| {
            read += if busy(at as f64) { 398 << 20 } else { 0 };
            (at >= from).then_some(read)
        });
        disk(story, "nvme0n1", (0.5 * MIB, 400.0 * MIB), (0.01, 0.4), 2.0)
            .counter(Table::Host, "", "pgpgin", |at| if busy(at) { 400.0 * 1024.0 } else { 512.0 })
            .line(Table::Process, "9@9", "read_bytes", read_bytes.collect())
            .line(Table::Process, "9@9", "utime", (0..120).map(|at| (at >= from).then_some(at)).collect())
            .line(Table::Process, "1@1", "utime", (0..120).map(Some).collect())
            .tell()
    };
    assert_eq!(finding(&told(0), "stream-floods-cache"), None, "it alone misses what it evicted");
    assert!(finding(&told(55), "stream-floods-cache").is_some(), "a job: somebody missed what it evicted");
}

#[test]
fn a_mapped_file_that_is_read_at_random_through_a_large_readahead_is_no_stream() {
    // 400 MiB/s are 100 windows of 4 MiB, and many requests each.
    let told = |ahead: u64, faults: f64| {
        let story = memory(host(), |_| 5.0 * GIB, |_| 2.0 * GIB, |_| 0.2 * GIB);
        let story = paging(story, 150_000.0, 102_400.0, 20_000.0, 2.0);
        let since = |rate: f64| (0..120).map(move |at| (at >= 55).then_some(whole(f64::from((at - 60).max(0)) * rate)));
        let story = disk(story, "nvme0n1", (0.5 * MIB, 400.0 * MIB), (0.01, 0.4), 2.0)
            .manifest(|manifest| {
                let read_ahead = Some(Bytes::new(ahead));
                manifest.disks.push(pagetide_core::Disk {
                    name: "nvme0n1".to_owned(),
                    read_ahead,
                    ..Default::default()
                });
            })
            .counter(Table::Host, "", "pgpgin", |at| if busy(at) { 400.0 * 1024.0 } else { 512.0 })
            .line(Table::Process, "9@9", "read_bytes", since(398.0 * MIB).collect())
            .line(Table::Process, "9@9", "utime", since(1.0).collect())
            .line(Table::Process, "9@9", "majflt", since(faults).collect())
            .line(Table::Process, "1@1", "utime", (0..120).map(Some).collect());
        finding(&story.tell(), "stream-floods-cache").is_some()
    };
    assert!(!told(4 << 20, 60.0), "a fault reads most of the windows");
    assert!(told(4 << 20, 10.0), "few windows begin with a fault");
    assert!(told(128 << 10, 60.0), "a fault begins a window of a sequence now and then");
}

#[test]
fn a_program_that_repeats_a_sequence_longer_than_the_cache_is_told_from_one_that_reads_at_random() {
    // From 60 s on it asks for 40 MiB/s, before for as much of what was cached.
    let story = |percent: i64, refaulted: f64, size: f64, from: i64| {
        let asked: i64 = 40 << 20;
        let read = (asked / 100 * percent) as f64;
        let count = move |value: i64| (0..120).map(move |at| (at >= from).then_some(value * at)).collect();
        let host = memory(host(), |_| 5.0 * GIB, |_| GIB, |_| 0.1 * GIB);
        let host = disk(
            paging(host, read / 4096.0, read / 4096.0, read * refaulted / 4096.0, 5.0),
            "sda",
            (0.0, read),
            (0.0, 0.8),
            1.0,
        );
        host.counter(Table::Host, "", "pgpgin", move |at| if busy(at) { read / 1024.0 } else { 0.0 })
            .counter(Table::Disk, "sda", "reads", move |at| if busy(at) { read / size } else { 0.0 })
            .command("9@9", "linker")
            .line(Table::Process, "9@9", "rchar", count(asked))
            .line(Table::Process, "9@9", "write_bytes", count(0))
            .line(Table::Process, "9@9", "utime", count(10))
            .line(
                Table::Process,
                "9@9",
                "read_bytes",
                (0..120).map(|at| (at >= from).then_some(asked / 100 * percent * (at - 60).clamp(0, 30))).collect(),
            )
            .line(Table::Process, "1@1", "utime", (0..120).map(Some).collect())
    };
    let told = |percent, refaulted, size, from| story(percent, refaulted, size, from).tell();
    let loops = |percent, refaulted, size, from| finding(&told(percent, refaulted, size, from), "replayed-sequence");
    let found = loops(95, 1.0, 131_072.0, 0).expect("it reads again what it evicted");
    assert!(
        found.statement.starts_with("linker (pid 9) reads 38.0 MiB/s in order, and the cache serves 5.0 %"),
        "{}",
        found.statement
    );
    assert_eq!(found.origins.names(), ["process:linker"]);
    let cause = pagetide_diagnose::diagnose(&told(95, 1.0, 131_072.0, 0)).cause.expect("a cause");
    assert_eq!(cause.rule.as_str(), "replayed-sequence", "it accounts for the working set that does not fit");
    // The first pass reads what was never cached.
    let later = |at: f64| if (75.0..90.0).contains(&at) { 9728.0 } else { 0.0 };
    let first = story(95, 1.0, 131_072.0, 0).counter(Table::Host, "", "workingset_refault_file", later).tell();
    let found = finding(&first, "replayed-sequence").expect("the second pass misses");
    assert_eq!(found.range.from.ns(), 60_000_000_000, "it began with the first pass");
    for (why, other) in [
        ("the cache serves half of it, as of random reads", loops(50, 1.0, 131_072.0, 0)),
        ("it reads new data", loops(95, 0.3, 131_072.0, 0)),
        ("it reads at random", loops(95, 1.0, 16_384.0, 0)),
        ("a job reads once what others had cached", loops(95, 1.0, 131_072.0, 55)),
    ] {
        assert_eq!(other, None, "{why}");
    }
}

#[test]
fn cache_that_is_reclaimed_from_a_group_while_memory_is_free_is_no_working_set_that_does_not_fit() {
    // The cache falls in 3 s, and for the rest of the time the group reads it back.
    let left = |at: f64| (at - 60.0).clamp(0.0, 3.0) / 3.0;
    let back = |at: f64| if busy(at) { 2000.0 } else { 0.0 };
    let waits = |at: f64| if busy(at) { 200_000.0 } else { 0.0 };
    let hit_and_read = |free: f64, limit: f64, refaults: f64, usual: f64, hits: f64| {
        let story =
            memory(host(), move |at| (5.0 - 4.5 * left(at)) * GIB, |_| GIB, move |at| (0.3 + free * left(at)) * GIB);
        let story =
            disk(paging(story, 400_000.0, 400_000.0, refaults, 20.0), "sda", (0.0, 2000.0 * 4096.0), (0.0, 0.4), 1.0);
        let max = move |at: f64| if at > 60.0 { limit * GIB } else { 64.0 * GIB };
        story
            .gauge(Table::Cgroup, "/db", "current", move |at| (5.0 - 4.5 * left(at)) * GIB)
            .gauge(Table::Cgroup, "/db", "max", max)
            .counter(Table::Cgroup, "/db", "events_max", move |at| if (60.0..62.0).contains(&at) { hits } else { 0.0 })
            .counter(Table::Host, "", "pgpgin", move |at| back(at) * 4.0)
            .counter(Table::Host, "", "psi_io_some", waits)
            .counter(Table::Host, "", "psi_io_full", waits)
            .counter(Table::Cgroup, "/db", "workingset_refault_file", move |at| if busy(at) { refaults } else { 0.0 })
            .counter(Table::Process, "1@1", "read_bytes", move |at| if busy(at) { 2000.0 * 4096.0 } else { usual })
            .counter(Table::Process, "1@1", "syscr", |_| 2000.0)
            .gauge(Table::Cgroup, "/db", "file", move |at| (4.9 - 4.5 * left(at)) * GIB)
            .gauge(Table::Zone, "node0/Normal", "high", |_| 12_000.0)
            .gauge(Table::Zone, "node0/Normal", "free", move |at| (0.3 + free * left(at)) * GIB / 4096.0)
            .tell()
    };
    let limited_and_read = |free, limit, refaults, usual| hit_and_read(free, limit, refaults, usual, 0.0);
    let limited = |free: f64, limit: f64| limited_and_read(free, limit, 2000.0, 0.0);
    let told = |free: f64| limited(free, 64.0);
    let reclaimed = pagetide_diagnose::diagnose(&told(4.4));
    let cause = reclaimed.cause.as_ref().expect("a cause");
    assert_eq!(cause.rule.to_string(), "over-reclaim", "{}", reclaimed.summary);
    assert_eq!(cause.origins.names(), ["cgroup:/db"]);
    assert_eq!(finding(&told(0.0), "over-reclaim"), None, "what was freed is not free: memory is short");
    // A limit that is lowered below what the group uses has the kernel free the difference, without a hit of it.
    let lowered = limited(4.4, 0.5);
    assert_eq!(finding(&lowered, "over-reclaim"), None);
    let found = finding(&lowered, "cgroup-limit-reclaim").expect("the limit was lowered");
    assert!(found.statement.contains("was lowered to 512 MiB, below the 5 GiB in use"), "{}", found.statement);
    // With MGLRU a page that another group evicted is no refault: who reads back what it did not read before tells.
    let of_another = |usual: f64| finding(&limited_and_read(4.4, 0.5, 0.0, usual), "cgroup-limit-reclaim");
    let found = of_another(0.0).expect("the limit was lowered");
    assert!(found.statement.contains("other programs read back what it lost"), "{}", found.statement);
    assert!(found.advice[0].action.contains("Restore the limit"), "{:?}", found.advice);
    assert_eq!(of_another(2000.0 * 4096.0), None, "it read as much before");
    // Lowered and raised again between two samples: the group hits it far below what both show.
    let moment = hit_and_read(4.4, 64.0, 2000.0, 0.0, 100.0);
    let found = finding(&moment, "cgroup-limit-reclaim").expect("it hit a limit that no sample shows");
    assert!(found.statement.contains("/db was lowered for a moment, below the 5 GiB in use"), "{}", found.statement);
    assert!(found.advice[0].action.starts_with("Find what lowers the limit"), "{:?}", found.advice);
    assert_eq!(finding(&told(4.4), "cgroup-limit-reclaim"), None, "it hit no limit");
}

#[test]
fn dropped_caches_are_named() {
    let drop =
        |times: f64| {
            memory(
                host(),
                |at| if at > 70.5 { GIB } else { 5.0 * GIB },
                |_| GIB,
                |at| if at > 70.5 { 5.0 * GIB } else { GIB },
            )
            .counter(Table::Host, "", "drop_pagecache", move |at| if (70.5..71.5).contains(&at) { times } else { 0.0 })
        };
    assert_eq!(seen(&drop(1.0).tell()), ["caches-dropped"]);
    let found = |value, at| {
        let message = KernelMessage::CachesDropped { command: "bench.sh".to_owned(), pid: 417, value };
        finding(&drop(1.0).note(at, message.note()).tell(), "caches-dropped").expect("a drop")
    };
    let logged = found(3, 71.3);
    assert!(logged.statement.starts_with("bench.sh (pid 417) dropped the page cache once"), "{}", logged.statement);
    assert_eq!(logged.origins.first_command(), Some("bench.sh"));
    assert!(found(2, 71.3).statement.starts_with("A program dropped"), "it dropped slab");
    assert!(found(3, 30.0).statement.starts_with("A program dropped"), "that was long before");
    assert_eq!(finding(&drop(0.0).tell(), "caches-dropped"), None, "a large file that is deleted looks so");
}

#[test]
fn a_cache_that_falls_without_reclaim_and_is_read_again_was_dropped() {
    let told = |metric: &'static str, (by, freed): (&'static str, f64), shared: f64, usual: f64, reads: f64| {
        let falls = |from: f64, to: f64| move |at: f64| if at > 60.5 { to } else { from };
        let story = memory(host(), |_| GIB, |_| GIB, falls(GIB, 4.0 * GIB));
        let story =
            if metric == "Cached" { story } else { story.gauge(Table::Host, "", metric, falls(3.0 * GIB, 0.1 * GIB)) };
        let pages = move |at: f64| if (60.5..61.5).contains(&at) { freed * GIB / 4096.0 } else { 0.0 };
        let story = story
            .gauge(Table::Host, "", "Shmem", falls(shared * GIB, 0.0))
            .counter(Table::Host, "", "drop_pagecache", |_| 0.0)
            .counter(Table::Host, "", "pgsteal_kswapd", |_| 0.0)
            .counter(Table::Host, "", "pgsteal_direct", |_| 0.0)
            .counter(Table::Host, "", by, pages)
            .counter(Table::Host, "", "psi_io_some", move |at| if at > 60.5 { reads * 5000.0 } else { 1000.0 })
            .counter(Table::Process, "1@1", "utime", |_| 2.0)
            .counter(Table::Process, "1@1", "read_bytes", move |at| 65536.0 * if at > 60.5 { reads } else { usual });
        disk(story, "sda", (usual * 65536.0, reads * 65536.0), (0.01, 0.8), 0.9).tell()
    };
    let nobody = ("pgsteal_kswapd", 0.0);
    let found = finding(&told("Buffers", nobody, 0.0, 0.1, 100.0), "caches-dropped").expect("nobody reclaimed");
    assert!(found.statement.contains("fell by 2.90 GiB in 1 s, of which reclaim freed 0 B"), "{}", found.statement);
    let command = found.advice[0].command.as_deref().unwrap_or_default();
    assert!(command.contains("sys_enter_ioctl /args->cmd == 0x1261/"), "no file was deleted: {command}");
    let dropped = |freed, shared, usual, reads| {
        finding(&told("Buffers", freed, shared, usual, reads), "caches-dropped").is_some()
    };
    assert!(!dropped(("pgsteal_kswapd", 2.9), 0.0, 0.1, 100.0), "reclaim took it");
    assert!(!dropped(("pginodesteal", 2.9), 0.0, 0.1, 100.0), "reclaim freed it with the inodes of large files");
    assert!(!dropped(nobody, 2.9, 0.1, 100.0), "files of a tmpfs were deleted");
    assert!(!dropped(nobody, 0.0, 0.1, 2.0), "hardly anything is read again");
    assert!(!dropped(nobody, 0.0, 60.0, 100.0), "it read as much before");
    assert_eq!(finding(&told("Cached", nobody, 0.0, 0.1, 100.0), "caches-dropped"), None, "the cache stays");
}

#[test]
fn files_of_an_unmounted_loop_device_are_dropped_and_read_again_by_its_thread() {
    // A fourth of the files of a service, which its thread reads for it before Linux 5.14.
    let told = |left: f64, comm: &'static str| {
        let cached = move |at: f64| if at > 60.5 { left * GIB } else { 4.0 * GIB };
        let read = |at: f64| if at > 60.5 { 3e6 } else { 1e4 };
        let story = memory(host(), cached, |_| GIB, move |at| 6.0 * GIB - cached(at))
            .counter(Table::Host, "", "drop_pagecache", |_| 0.0)
            .counter(Table::Host, "", "pgsteal_kswapd", |_| 0.0)
            .counter(Table::Host, "", "pgsteal_direct", |_| 0.0)
            .counter(Table::Host, "", "psi_io_some", |at| if at > 60.5 { 500_000.0 } else { 1000.0 })
            .command("2@1", comm)
            .counter(Table::Process, "2@1", "utime", |at| if at > 60.5 { 1.0 } else { 0.0 })
            .counter(Table::Process, "2@1", "read_bytes", move |at| 1.1 * read(at))
            .command("1@1", "served")
            .counter(Table::Process, "1@1", "utime", |_| 2.0)
            .counter(Table::Process, "1@1", "read_bytes", read);
        finding(&disk(story, "sda", (1e5, 6e6), (0.01, 0.8), 0.9).tell(), "caches-dropped")
    };
    let found = told(3.0, "loop0").expect("a fourth is enough").statement;
    assert!(found.contains("served (pid 1) reads"), "{found}");
    assert_eq!(told(3.5, "loop0"), None, "an eighth may be anything");
    assert_eq!(told(3.0, "looper"), None, "a program that came reads more");
}

#[test]
fn writers_of_a_live_host_are_throttled_above_the_ceiling() {
    let of = |writer: &str, peak: f64| {
        host()
            .gauge(Table::Host, "", "nr_dirty", move |at| if busy(at) { peak } else { 100.0 })
            .gauge(Table::Host, "", "nr_writeback", |at| if busy(at) { 5000.0 } else { 0.0 })
            .gauge(Table::Host, "", "nr_dirty_threshold", |_| 100_000.0)
            .gauge(Table::Host, "", "nr_dirty_background_threshold", |_| 50_000.0)
            .counter(Table::Disk, "sda", "write_sectors", |at| if busy(at) { 200_000.0 } else { 10.0 })
            .counter(Table::Process, writer, "write_bytes", |at| if busy(at) { 90.0 * MIB } else { 0.0 })
            .tell()
    };
    let writes = |peak: f64| of("7@7", peak);
    let found = finding(&writes(80_000.0), "dirty-throttled").expect("above the ceiling");
    assert!(found.statement.ends_with(" 7@7 (pid 7) writes 90 MiB/s."), "{}", found.statement);
    let first = &found.advice[0].action;
    assert!(first.starts_with("Write less with 7@7"), "the device sets the rate, not free memory: {first}");
    assert_eq!(found.advice.len(), 1, "it writes more than may be dirty: no threshold helps it");
    assert_eq!(finding(&writes(40_000.0), "dirty-throttled"), None, "below the background threshold");
    // Another one may write before it: the disk's own work is no sign of it.
    let onset = |writer: &str| finding(&of(writer, 80_000.0), "dirty-throttled").expect("throttled").range.from.ns();
    assert_eq!(onset("7@7"), 60_000_000_000);
    assert_eq!(onset("7@7000/unpack"), 70_000_000_000, "it came meanwhile, and became what it is by exec");
}

#[test]
fn swapped_pages_under_writeback_throttle_no_writer() {
    let swaps = |pages: f64| {
        let swap = |manifest: &mut pagetide_core::Manifest| {
            manifest.swaps = vec![pagetide_core::Swap { path: "/dev/sda".into(), ..pagetide_core::Swap::default() }];
        };
        host()
            .manifest(swap)
            .gauge(Table::Host, "", "nr_dirty", |_| 100.0)
            .gauge(Table::Host, "", "nr_writeback", |at| if busy(at) { 80_000.0 } else { 0.0 })
            .gauge(Table::Host, "", "nr_dirty_threshold", |_| 100_000.0)
            .gauge(Table::Host, "", "nr_dirty_background_threshold", |_| 50_000.0)
            .counter(Table::Host, "", "pswpout", move |at| if busy(at) { pages } else { 0.0 })
            .counter(Table::Disk, "sda", "write_sectors", |at| if busy(at) { 200_000.0 } else { 10.0 })
            .tell()
    };
    assert_eq!(finding(&swaps(25_000.0), "dirty-throttled"), None, "all that sda writes is swapped out");
    assert!(finding(&swaps(2_500.0), "dirty-throttled").is_some(), "a tenth of it is");
}

#[test]
fn a_dirty_threshold_that_falls_with_the_memory_of_files_was_lowered_by_nobody() {
    let told = |cached: fn(f64) -> f64, threshold: fn(f64) -> f64| {
        let story = memory(host(), cached, |at| 7.0 * GIB - cached(at), |_| GIB)
            .gauge(Table::Host, "", "nr_dirty", |at| if busy(at) { 20_000.0 } else { 100.0 })
            .gauge(Table::Host, "", "nr_writeback", |_| 0.0)
            .gauge(Table::Host, "", "nr_dirty_threshold", threshold)
            .gauge(Table::Host, "", "nr_dirty_background_threshold", move |at| threshold(at) / 2.0)
            .counter(Table::Disk, "sda", "write_sectors", |at| if busy(at) { 200_000.0 } else { 10.0 })
            .tell();
        finding(&story, "dirty-throttled").unwrap().statement
    };
    let falls = |at: f64| 5.0 * GIB * (1.0 - 0.95 * progress(at));
    let followed = told(falls, |at| 200_000.0 * (1.0 - 0.95 * progress(at)));
    assert!(!followed.contains("was lowered"), "{followed}");
    let set = told(|_| 5.0 * GIB, |at| if at > 60.0 { 10_000.0 } else { 200_000.0 });
    assert!(set.contains("vm.dirty_bytes or vm.dirty_ratio was lowered"), "{set}");
    let long_before = told(|_| 5.0 * GIB, |at| if at > 2.0 { 16_000.0 } else { 200_000.0 });
    assert!(long_before.contains("fell from 781 MiB"), "nearly all of the quiet time is after it: {long_before}");
}

#[test]
fn a_disk_with_one_request_in_flight_is_latency_bound() {
    let reads = |queue: f64| disk(host(), "sda", (10.0 * MIB, 10.0 * MIB), (0.95, 0.95), queue);
    let at_one = host()
        .counter(Table::Disk, "sda", "reads", |_| 2600.0)
        .counter(Table::Disk, "sda", "read_sectors", |_| 41_600.0)
        .counter(Table::Disk, "sda", "io_ms", |_| 970.0)
        .counter(Table::Disk, "sda", "weighted_io_ms", |_| 985.0);
    let bound = finding(&at_one.tell(), "latency-bound").unwrap();
    assert!(bound.statement.contains("2 600/s of 379 us"), "{}", bound.statement);
    assert!(finding(&reads(8.0).tell(), "latency-bound").is_none(), "many in flight");
}

#[test]
fn a_gap_is_a_blind_spot_and_ten_minute_averages_are_none() {
    let stamps = |origin: pagetide_core::Origin, late: bool| {
        let at = |index: usize| index as f64 + if late && index > 50 { 40.0 } else { 0.0 };
        let manifest = pagetide_core::Manifest {
            origin,
            interval: pagetide_core::Nanos::new(1_000_000_000),
            ..Default::default()
        };
        let mut builder = pagetide_core::RecordingBuilder::new(manifest);
        for index in 0..100 {
            let boot_ns = crate::story::whole(at(index) * 1e9);
            builder.stamp(pagetide_core::Stamp { boot_ns, ..Default::default() });
        }
        builder.finish()
    };
    assert_eq!(seen(&stamps(pagetide_core::Origin::Host, true)), ["recorder-blind-spot"]);
    assert_eq!(seen(&stamps(pagetide_core::Origin::Host, false)), [""; 0]);
    assert_eq!(finding(&stamps(pagetide_core::Origin::Host, false), "recorder-blind-spot"), None, "no gap");
    assert_eq!(seen(&stamps(pagetide_core::Origin::Import, true)), [""; 0]);
}

#[test]
fn averages_over_ten_minutes_show_a_stream_too() {
    let day = |at: f64| (6000.0..9000.0).contains(&at);
    let story = Story::new(30, 600.0)
        .rate(Table::Host, "", "pgscan_kswapd", move |at| if day(at) { 2e5 } else { 0.0 })
        .rate(Table::Host, "", "pgsteal", move |at| if day(at) { 1.8e5 } else { 0.0 })
        .rate(Table::Host, "", "pgmajfault", move |at| if day(at) { 600.0 } else { 0.2 })
        .rate(Table::Disk, "ssd", "read_sectors", move |at| if day(at) { 1.4e6 } else { 1600.0 })
        .rate(Table::Disk, "hdd", "read_sectors", move |at| if day(at) { 12_000.0 } else { 0.0 });
    let flood = finding(&story.tell(), "stream-floods-cache").unwrap();
    assert_eq!(
        flood.range.from.ns(),
        5_400_000_000_000,
        "known to an interval: the average of the first busy one begins here"
    );
}

/// A process from its first to its last sample: a second apart, rchar at each.
fn reader(story: Story, process: &str, rchar: impl Fn(f64) -> Option<f64>) -> Story {
    let values = (0u32..60).map(|at| rchar(f64::from(at)).map(crate::story::whole)).collect();
    story.line(Table::Process, process, "rchar", values)
}

#[test]
fn what_a_child_read_is_not_read_again_by_its_parent() {
    let resting = || {
        Story::new(60, 1.0).counter(Table::Disk, "sda", "read_sectors", |_| 1.0).counter(
            Table::Disk,
            "sda",
            "reads",
            |_| 1.0,
        )
    };
    let alive = |at: f64| (10.0..=20.0).contains(&at);
    let child = move |at: f64| alive(at).then_some((at - 10.0) * 400.0 * MIB);
    // The shell read nothing; at second 21 it has waited for dd, which had read 4000 MiB and a little after its last sample.
    let shell = |at: f64| Some(if at > 20.0 { 4010.0 * MIB } else { MIB });
    let both = reader(reader(resting(), "10@1", shell), "11@2", child).tell();
    let found = finding(&both, "served-from-cache").unwrap();
    assert!(found.statement.starts_with("11@2 (pid 11) read"), "{}", found.statement);
    let alone = reader(resting(), "10@1", move |at| Some(MIB + (at - 10.0).clamp(0.0, 10.0) * 400.0 * MIB)).tell();
    let found = finding(&alone, "served-from-cache").unwrap();
    assert!(found.statement.starts_with("10@1"), "a process that read itself: {}", found.statement);
    // A child that was there before the recording: what it had read long ago comes to its parent at once.
    let old = |at: f64| (at <= 20.0).then_some(4000.0 * MIB);
    let inherited = reader(reader(resting(), "10@1", shell), "11@2", old).tell();
    assert_eq!(finding(&inherited, "served-from-cache"), None, "nobody read");
}

#[test]
fn a_mapped_device_that_delays_requests_is_slow_itself() {
    // 40 requests a second; those of dm-0 take `own` ms from the onset on, those of the disk below it 1 ms.
    let mapped = |own: f64, below: f64| {
        let requests = |story: Story, name: &'static str, during: f64| {
            let ms = move |at: f64| 40.0 * if busy(at) { during } else { 1.0 };
            let story = story.counter(Table::Disk, name, "reads", |_| 40.0);
            let story = story.counter(Table::Disk, name, "read_sectors", |_| 320.0).counter(
                Table::Disk,
                name,
                "writes",
                |_| 0.0,
            );
            let story =
                story.counter(Table::Disk, name, "write_sectors", |_| 0.0).counter(Table::Disk, name, "read_ms", ms);
            let story =
                story.counter(Table::Disk, name, "write_ms", |_| 0.0).counter(Table::Disk, name, "weighted_io_ms", ms);
            story.counter(Table::Disk, name, "io_ms", move |at| ms(at).min(1000.0))
        };
        let story = host().manifest(|manifest| {
            manifest.disks = vec![pagetide_core::Disk {
                name: "dm-0".to_owned(),
                below: vec!["sda".to_owned()],
                ..pagetide_core::Disk::default()
            }];
        });
        let story = requests(requests(story, "sda", below), "dm-0", own);
        story.counter(Table::Host, "", "psi_io_some", |at| if busy(at) { 600_000.0 } else { 1000.0 }).tell()
    };
    let slow = finding(&mapped(150.0, 1.0), "device-slow").unwrap();
    assert_eq!(slow.origins.names(), ["disk:dm-0"]);
    let below = finding(&mapped(151.0, 150.0), "device-slow").unwrap();
    assert_eq!(below.origins.names(), ["disk:sda"], "it passes on what it waits for");
}

#[test]
fn a_disk_is_saturated_by_what_a_layer_on_it_copies() {
    // dm-0 is asked for 20 writes a second of 4 KiB, and then for 8 of `asked` bytes that keep it busy; the disk below it then copies 16 blocks a second.
    // A program sends `sent` bytes a second.
    let copied_beside = |asked: f64, block: f64, layer_busy: f64, sent: f64| {
        let pick = |usual: f64, then: f64| move |at: f64| if busy(at) { then } else { usual };
        let disk = |story: Story, name: &'static str, rate: f64, bytes: f64, busy: f64| {
            let story = ["reads", "read_sectors", "read_ms"]
                .into_iter()
                .fold(story, |story, metric| story.counter(Table::Disk, name, metric, |_| 0.0));
            let ms = pick(20.0, busy * 1000.0);
            story
                .counter(Table::Disk, name, "writes", pick(20.0, rate))
                .counter(Table::Disk, name, "write_sectors", pick(160.0, rate * bytes / 512.0))
                .counter(Table::Disk, name, "write_ms", ms)
                .counter(Table::Disk, name, "weighted_io_ms", ms)
                .counter(Table::Disk, name, "io_ms", ms)
        };
        let story = host().manifest(|manifest| {
            manifest.disks = vec![pagetide_core::Disk {
                name: "dm-0".to_owned(),
                below: vec!["sda".to_owned()],
                ..pagetide_core::Disk::default()
            }];
        });
        let story = disk(disk(story, "sda", 16.0, block, 0.7), "dm-0", 8.0, asked, layer_busy);
        let story = story.counter(Table::Process, "7@7", "write_bytes", pick(0.0, sent));
        let told = story.counter(Table::Host, "", "psi_io_some", pick(1000.0, 900_000.0)).tell();
        finding(&told, "device-saturated")
    };
    let copied = |asked: f64, block: f64, layer_busy: f64| copied_beside(asked, block, layer_busy, 0.0);
    let found = copied(4096.0, 512.0 * 1024.0, 0.95).expect("the copies keep the disk busy");
    assert_eq!(found.origins.names(), ["disk:sda"]);
    assert!(
        found.statement.contains("a layer between dm-0, which lies on sda, and sda copies blocks"),
        "{}",
        found.statement
    );
    assert_eq!(copied(1024.0 * 1024.0, 512.0 * 1024.0, 0.95), None, "all of it was asked for");
    assert_eq!(copied(4096.0, 8192.0, 0.95), None, "the requests are about as large as before");
    assert_eq!(copied(4096.0, 512.0 * 1024.0, 0.4), None, "nobody waits for the layer");
    let filled = copied_beside(4096.0, 512.0 * 1024.0, 0.95, 16.0 * 512.0 * 1024.0);
    assert_eq!(filled, None, "a program fills another volume on the same disk");
}

#[test]
fn a_device_that_hardly_completes_anything_is_slow() {
    // 20 writes a second of 5 ms; from the onset on so many a second, of 3 s each.
    let hangs = |rate: f64| {
        let pick = move |quiet: f64, hung: f64| move |at: f64| if busy(at) { hung } else { quiet };
        let ms = pick(100.0, rate * 3000.0);
        let story = host()
            .counter(Table::Disk, "sda", "writes", pick(20.0, rate))
            .counter(Table::Disk, "sda", "write_sectors", pick(160.0, rate * 8.0))
            .counter(Table::Disk, "sda", "write_ms", ms)
            .counter(Table::Disk, "sda", "weighted_io_ms", ms)
            .counter(Table::Disk, "sda", "io_ms", pick(100.0, 1000.0));
        let story = ["reads", "read_sectors", "read_ms"]
            .into_iter()
            .fold(story, |story, metric| story.counter(Table::Disk, "sda", metric, |_| 0.0));
        story.counter(Table::Host, "", "psi_io_some", pick(1000.0, 900_000.0)).tell()
    };
    assert_eq!(finding(&hangs(1.2), "device-slow").unwrap().origins.names(), ["disk:sda"]);
    assert_eq!(finding(&hangs(0.1), "device-slow"), None, "a mean over three requests");
}

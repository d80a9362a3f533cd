//! What a command is taken for.

use super::command_load::CommandLoad;
use super::host_shape::HostShape;
use super::kind::Kind;
use super::of_command::of;
use super::parts::with_part;
use crate::recorded::{Command, Did};

/// A command that ran before, and what it asks for and reads from devices, before and in an incident.
fn reader(asked: (f64, f64), read: (f64, f64)) -> Command {
    let did = |asked: f64, read: f64| Did { asked, read, read_calls: asked / 8192.0, active: 1, ..Did::default() };
    let (calm, trouble) = (did(asked.0, read.0), did(asked.1, read.1));
    Command { name: "db".to_owned(), calm, trouble, ran: [1.0; 2], ..Command::default() }
}

fn host(refaulted: f64) -> HostShape {
    HostShape {
        memory: 512e6,
        cache: 256e6,
        read: 1e6,
        cached: 1e6,
        dirtied: Some(1e6),
        read_size: 8192.0,
        usual_read_size: None,
        write_size: 8192.0,
        read_time: 0.001,
        busy: 0.5,
        seconds: 30.0,
        refaulted,
        is_dropped: false,
        is_throttled: false,
    }
}

#[test]
fn what_is_read_on_top_of_a_cached_set_is_cold_unless_it_was_evicted() {
    let kinds = |refaulted: f64, command: &Command| -> Vec<(Kind, bool)> {
        let all = of(command, &host(refaulted), None, &mut Vec::new());
        all.into_iter().map(|load| (load.kind, load.ran_before)).collect()
    };
    let clients = reader((1e6, 3e6), (0.0, 2e6));
    let cold = kinds(0.0, &clients);
    assert!(matches!(cold[..], [(Kind::Cold { .. }, false), (Kind::WorkingSet { .. }, true)]), "{cold:?}");
    let evicted = kinds(1.8e6, &clients);
    assert!(evicted.iter().all(|(kind, _)| matches!(kind, Kind::WorkingSet { .. })), "{evicted:?}");
    let more = kinds(0.0, &reader((1e6, 3e6), (0.0, 0.1e6)));
    assert!(more.iter().all(|(kind, _)| matches!(kind, Kind::WorkingSet { .. })), "cached as well: {more:?}");
}

#[test]
fn a_stream_that_computes_on_several_cpus_is_of_several_processes() {
    let processes = |cpu: f64, cpu_waits: f64, active: usize| {
        let trouble = Did { cpu, cpu_waits, active, ..Did::default() };
        let command = Command { trouble, appeared: Some(1), ..reader((0.0, 0.0), (0.0, 0.0)) };
        let kind = Kind::Stream { rate: Some(1e6), block: 8192.0, direct: false, pass: None, stride: None };
        CommandLoad::new(&command, kind, false).at_once()
    };
    assert_eq!(processes(1.6, 2.2, 10), 4, "two of four wait for a CPU at any time");
    assert_eq!(processes(1.6, 2.2, 2), 2, "it has no more");
    assert_eq!(processes(0.9, 0.2, 10), 1, "one at a time computes");
}

#[test]
fn who_writes_more_than_all_dirty_writes_past_the_page_cache() {
    let writes = |dirtied: Option<f64>| {
        let trouble = Did { written: 50e6, given: 50e6, write_calls: 50.0, active: 1, ..Did::default() };
        let command = Command { trouble, calm: Did::default(), appeared: Some(1), ..reader((0.0, 0.0), (0.0, 0.0)) };
        let loads = of(&command, &HostShape { dirtied, ..host(0.0) }, None, &mut Vec::new());
        loads.iter().any(|load| matches!(load.kind, Kind::Write { direct: true, .. }))
    };
    assert!(writes(Some(1e6)));
    assert!(!writes(Some(49e6)));
    assert!(!writes(None), "not recorded");
}

#[test]
fn of_who_is_throttled_at_memory_high_each_line_of_a_log_matters() {
    let pages = |is_throttled: bool, calls: f64| {
        let trouble = Did { written: 500.0, given: 20.0 * calls, write_calls: calls, active: 1, ..Did::default() };
        let command = Command { calm: Did::default(), trouble, ..reader((0.0, 0.0), (0.0, 0.0)) };
        let loads = of(&command, &HostShape { is_throttled, ..host(0.0) }, None, &mut Vec::new());
        loads.iter().find_map(|load| match load.kind {
            Kind::Write { rate, .. } => rate.map(|bytes| bytes / 4096.0),
            _ => None,
        })
    };
    assert_eq!(pages(true, 2.0), Some(2.0));
    assert_eq!(pages(false, 2.0), None);
    assert_eq!(pages(true, 0.01), None, "it hardly writes");
}

#[test]
fn a_program_that_turns_to_more_than_fits_has_a_set_larger_than_the_cache() {
    let sets = |read: f64, refaulted: f64| -> Vec<(Kind, bool)> {
        let phases = reader((2e6, 1e6), (0.0, read)).phases(10);
        let all = phases.iter().flat_map(|phase| of(phase, &host(refaulted), None, &mut Vec::new()));
        all.map(|load| (load.kind, load.ran_before)).collect()
    };
    let outgrown = sets(0.4e6, 0.4e6);
    let [(Kind::WorkingSet { size, warm: true, .. }, false), (Kind::WorkingSet { size: usual, .. }, true)] =
        outgrown[..]
    else {
        panic!("{outgrown:?}")
    };
    // It finds six of ten in a cache of 256 MB.
    assert!((size - 256e6 / 0.6).abs() < 1e3 && (usual - 256e6).abs() < 1e3, "{outgrown:?}");
    let new = sets(0.8e6, 0.0);
    assert!(matches!(new[0], (Kind::Cold { .. }, false)), "it had not read that before: {new:?}");
}

/// A command that ran before and has major faults: before and in the incident, and what it reads from devices for them.
fn toucher(faults: (f64, f64), read: (f64, f64)) -> Command {
    let did = |major_faults: f64, read: f64| Did { major_faults, read, active: 1, ..Did::default() };
    Command { calm: did(faults.0, read.0), trouble: did(faults.1, read.1), ..reader((0.0, 0.0), (0.0, 0.0)) }
}

#[test]
fn mapped_files_that_were_evicted_or_dropped_are_used_again_and_others_for_the_first_time() {
    let kinds = |refaulted: f64, is_dropped: bool| -> Vec<Kind> {
        let host = HostShape { is_dropped, ..host(refaulted) };
        of(&toucher((0.0, 60.0), (0.0, 4e6)), &host, None, &mut Vec::new()).iter().map(|load| load.kind).collect()
    };
    assert!(matches!(kinds(0.0, false)[..], [Kind::WorkingSet { warm: false, .. }]), "{:?}", kinds(0.0, false));
    for (refaulted, is_dropped) in [(4e6, false), (0.0, true)] {
        let again = kinds(refaulted, is_dropped);
        assert!(matches!(again[..], [Kind::Touch { .. }]), "{again:?}");
    }
}

#[test]
fn what_was_swapped_out_while_a_program_grew_it_took_as_well() {
    let loads = |swapped: f64| {
        let did = |anon, swapped| Did { anon, swapped, major_faults: 60.0, read: 1e6, ..Did::default() };
        let (calm, trouble) = (did((200e6, 200e6), 0.0), did((200e6, 300e6), swapped));
        let command = Command { calm, trouble, ..reader((0.0, 0.0), (0.0, 0.0)) };
        let all = of(&command, &host(1e6), None, &mut Vec::new());
        let grown = all.iter().find_map(|load| if let Kind::Grow { to, .. } = load.kind { Some(to) } else { None });
        let data = all.iter().find_map(|load| if let Kind::Touch { data, .. } = load.kind { Some(data) } else { None });
        (grown.unwrap(), data.unwrap())
    };
    assert_eq!(loads(150e6), (250e6, 200e6));
    assert_eq!(loads(0.0), (100e6, 0.0), "nothing is in swap");
}

#[test]
fn who_comes_fills_its_memory_and_then_uses_it_as_fast_as_while_pages_came_back() {
    let touches = |appeared: Option<i64>, swapping: Option<f64>| {
        let did = |major_faults: f64| Did {
            anon: (0.0, 200e6),
            swapped: 100e6,
            major_faults,
            read: 1e6,
            cpu: 0.4,
            active: 1,
            ..Did::default()
        };
        let calm = if appeared.is_none() { did(0.0) } else { Did::default() };
        let command = Command {
            calm,
            trouble: did(60.0),
            swapping: swapping.map(did),
            grew_for: 20.0,
            appeared,
            ..reader((0.0, 0.0), (0.0, 0.0))
        };
        of(&command, &host(0.0), None, &mut Vec::new())
    };
    let [CommandLoad { kind: Kind::Touch { fill, rate, .. }, compute, .. }] = &touches(Some(1), Some(250.0))[..] else {
        panic!("{:?}", touches(Some(1), Some(250.0)))
    };
    // 300 MB in 20 s; 250 faults per second, and 0.4 CPUs for their 2000 touches.
    assert_eq!((*fill, *rate), (Some(15e6), 2000.0));
    assert!((compute - 0.2e6).abs() < 1.0, "{compute}");
    let rate = |appeared, swapping| {
        let all = touches(appeared, swapping);
        all.iter()
            .find_map(|load| if let Kind::Touch { fill, rate, .. } = load.kind { Some((fill, rate)) } else { None })
    };
    assert_eq!(rate(Some(1), None), Some((Some(15e6), 480.0)), "nobody counts what comes back");
    assert_eq!(rate(None, Some(250.0)), Some((None, 2000.0)), "it had its memory before");
}

#[test]
fn who_comes_and_neither_reads_nor_waits_has_no_part() {
    let has_part = |read: f64, waits: f64, appeared: Option<i64>| {
        let trouble = Did { read, waits, ..Did::default() };
        let command = Command { trouble, appeared, ..reader((0.0, 0.0), (0.0, 0.0)) };
        let kind = Kind::Cold { rate: None, block: 4096.0, direct: false };
        CommandLoad::new(&command, kind, appeared.is_none()).has_part(1e6)
    };
    assert!(!has_part(1e4, 0.0, Some(1)));
    assert!(has_part(1e5, 0.0, Some(1)) && has_part(1e4, 0.1, Some(1)) && has_part(1e4, 0.0, None));
}

#[test]
fn what_a_command_computes_stays_where_what_it_reads_has_no_part() {
    let kinds = |cpu: f64, cpu_waits: f64, read: f64| -> Vec<Kind> {
        let trouble = Did { asked: 2.0 * read, read, read_calls: 1.0, cpu, cpu_waits, active: 1, ..Did::default() };
        let command = Command { trouble, calm: Did::default(), appeared: Some(1), ..reader((0.0, 0.0), (0.0, 0.0)) };
        let kind = Kind::WorkingSet { rate: 2.0 * read, block: 8192.0, size: 1e6, warm: false };
        let load = CommandLoad { compute: 1e6, ..CommandLoad::new(&command, kind, false) };
        with_part(vec![load], 10e6).into_iter().map(|load| load.kind).collect()
    };
    assert_eq!(kinds(0.8, 2.2, 1e4), [Kind::Spin { cpus: 3.0 }], "as many as it wants");
    assert_eq!(kinds(0.01, 0.0, 1e4), [], "next to nothing");
    assert!(matches!(kinds(0.8, 2.2, 1e6)[..], [Kind::WorkingSet { .. }]), "it computes for what it reads");
}

#[test]
fn what_a_service_computes_beyond_its_requests_is_work_of_its_own() {
    let spins = |cpu: f64, asked: f64| -> Vec<Kind> {
        let mut command = reader((1e6, asked), (0.0, 0.0));
        (command.calm.cpu, command.trouble.cpu) = (0.1, cpu);
        let loads = of(&command, &host(0.0), None, &mut Vec::new());
        let own = loads.iter().filter(|load| !load.ran_before && matches!(load.kind, Kind::Spin { .. }));
        own.map(|load| load.kind).collect()
    };
    assert_eq!(spins(0.98, 1e6), [Kind::Spin { cpus: 1.0 }], "a CPU that never rests");
    let some = spins(0.6, 1e6);
    assert!(matches!(some[..], [Kind::Spin { cpus }] if (cpus - 0.5).abs() < 0.01), "{some:?}");
    assert_eq!(spins(0.98, 9e6), [], "it serves as many requests more");
    assert_eq!(spins(0.3, 1e6), [], "a little more");
}

#[test]
fn who_gets_less_of_a_cpu_and_waits_for_it_does_what_it_did_before() {
    let spins = |cpu: f64, waits: f64| -> Vec<(Kind, bool)> {
        let did = |cpu: f64, waits: f64, written: f64| Did {
            cpu,
            cpu_waits: waits,
            cpu_of_each: vec![(cpu, waits)],
            written,
            ..Did::default()
        };
        // It begins a page of its log now and then.
        let (calm, trouble) = (did(0.37, 0.0, 19.0), did(cpu, waits, 560.0));
        let command = Command { calm, trouble, ..reader((0.0, 0.0), (0.0, 0.0)) };
        let loads = with_part(of(&command, &host(0.0), None, &mut Vec::new()), 1e6);
        loads.into_iter().map(|load| (load.kind, load.ran_before)).collect()
    };
    assert_eq!(spins(0.22, 0.77), [(Kind::Spin { cpus: 0.37 }, true)]);
    assert_eq!(spins(0.95, 0.0).iter().filter(|(_, ran_before)| !ran_before).count(), 1, "it computes more");
}

#[test]
fn of_a_thread_that_comes_to_compute_all_the_time_it_tells_how_little_it_did_before() {
    let mut command = reader((0.0, 0.0), (0.0, 0.0));
    (command.calm.cpu, command.trouble.cpu) = (0.03, 0.98);
    let spins = |command: &Command| -> Vec<Kind> {
        let loads = of(command, &host(0.0), None, &mut Vec::new());
        with_part(loads, 0.0).into_iter().map(|load| load.kind).collect()
    };
    let [changed, usual] = command.phases(10).map(|phase| spins(&phase));
    assert!(matches!(changed[..], [Kind::Spin { cpus }] if cpus > 0.9), "{changed:?}");
    assert!(matches!(usual[..], [Kind::Spin { cpus }] if cpus < 0.05), "{usual:?}");
    let [_, usual] = Command { calm: Did { cpu: 0.001, ..Did::default() }, ..command }.phases(10);
    assert_eq!(spins(&usual), [], "it was at rest");
}

#[test]
fn a_request_of_who_did_nothing_before_takes_what_it_takes_in_the_incident() {
    let of = |cpu_before: f64, asked_before: f64| -> Vec<CommandLoad> {
        let mut command = reader((asked_before, 1e6), (asked_before, 1e6));
        (command.calm.cpu, command.trouble.cpu) = (cpu_before, 0.5);
        let loads = of(&command, &host(0.0), None, &mut Vec::new());
        loads.into_iter().filter(|load| !load.ran_before).collect()
    };
    // 122 reads of 8 KiB per second.
    let [CommandLoad { kind: Kind::Cold { .. }, compute, .. }] = of(0.02, 0.0)[..] else {
        panic!("{:?}", of(0.02, 0.0))
    };
    assert!((compute / 1e9 - 0.5 * 8192.0 / 1e6).abs() < 1e-4, "{compute}");
    let spins = |loads: &[CommandLoad]| loads.iter().any(|load| matches!(load.kind, Kind::Spin { .. }));
    assert!(spins(&of(0.4, 0.0)), "it computed before, and for no request");
}

#[test]
fn who_only_computes_is_as_many_processes_as_compute() {
    let processes = |each: &[(f64, f64)], cpus: f64, appeared: Option<i64>| {
        let trouble = Did { cpu_of_each: each.to_vec(), ..Did::default() };
        let command = Command { trouble, appeared, ..Command::default() };
        CommandLoad::new(&command, Kind::Spin { cpus }, false).at_once()
    };
    assert_eq!(processes(&[(0.07, 0.4); 4], 0.5, Some(1)), 4);
    assert_eq!(processes(&[(0.3, 0.0), (0.0, 0.001)], 0.3, Some(1)), 1, "the other one sleeps");
    assert_eq!(processes(&[(0.9, 1.8)], 2.7, Some(1)), 3, "threads");
    assert_eq!(processes(&[(0.07, 0.4); 4], 0.5, None), 1, "it serves requests as well");
}

#[test]
fn processes_that_read_files_again_have_a_part_of_them_each() {
    let of = |pass: Option<f64>| {
        let kind = Kind::Stream { rate: Some(8e6), block: 8192.0, direct: false, pass, stride: None };
        CommandLoad::new(&Command::default(), kind, false).part_of(4).kind
    };
    assert!(matches!(of(Some(400e6)), Kind::Stream { rate: Some(2e6), pass: Some(100e6), .. }));
    assert!(matches!(of(None), Kind::Stream { rate: Some(2e6), pass: None, .. }), "it reads each page once");
}

#[test]
fn who_read_before_is_told_by_the_requests_of_then() {
    let kind = |usual_read_size: Option<f64>| {
        let stream_beside = HostShape { read_size: 131_072.0, usual_read_size, ..host(0.0) };
        of(&reader((1e6, 1e6), (1e6, 1e6)), &stream_beside, None, &mut Vec::new())[0].kind
    };
    assert!(matches!(kind(Some(8192.0)), Kind::Cold { .. }), "who came reads in large pieces");
    assert!(matches!(kind(Some(131_072.0)), Kind::Stream { .. }) && matches!(kind(None), Kind::Stream { .. }));
}

#[test]
fn a_reader_of_large_blocks_computes_while_the_next_part_is_read_ahead() {
    let spread = |block: f64, direct: bool| {
        let kind = Kind::Stream { rate: None, block, direct, pass: None, stride: None };
        let mut load = CommandLoad { compute: 8e6, ..CommandLoad::new(&Command::default(), kind, false) };
        load.spread();
        let Kind::Stream { block, .. } = load.kind else { panic!("{load:?}") };
        (block, load.compute)
    };
    assert_eq!(spread(1_048_576.0, false), (131_072.0, 1e6));
    assert_eq!(spread(1_048_576.0, true), (1_048_576.0, 8e6), "nothing is read ahead");
    assert_eq!(spread(65_536.0, false), (65_536.0, 8e6));
}

/// What a command that comes, asks for so much in calls of a size and reads so much from devices does on a host.
fn comes(asked: f64, call: f64, read: f64, waits: f64, host: &HostShape) -> Kind {
    let trouble = Did { asked, read, read_calls: asked / call, waits, active: 1, ..Did::default() };
    let command = Command { trouble, appeared: Some(1), ..reader((0.0, 0.0), (0.0, 0.0)) };
    of(&Command { calm: Did::default(), ..command }, host, None, &mut Vec::new())[0].kind
}

#[test]
fn who_waits_for_each_of_its_reads_reads_at_random_even_in_large_blocks() {
    const LARGE: f64 = 131_072.0;
    // 100 reads per second of a millisecond each.
    let large = HostShape { read_size: LARGE, cached: 13e6, read: 13e6, ..host(0.0) };
    assert!(matches!(comes(13.1e6, LARGE, 13.1e6, 0.1, &large), Kind::Cold { .. }));
    let stream = |kind: Kind| matches!(kind, Kind::Stream { .. });
    assert!(stream(comes(13.1e6, LARGE, 13.1e6, 0.05, &large)), "it computes while the kernel reads ahead");
    let full = HostShape { busy: 0.95, ..large };
    assert!(stream(comes(13.1e6, LARGE, 13.1e6, 0.1, &full)), "a stream waits for a full disk as well");
    let ahead = HostShape { read_size: 4.0 * LARGE, read_time: 0.004, ..large };
    assert!(stream(comes(13.1e6, LARGE, 13.1e6, 0.1, &ahead)), "the disk reads more at a time than it asks for");
}

#[test]
fn what_comes_back_of_files_that_are_read_at_random_says_how_large_they_are() {
    let small = HostShape { cached: 2e6, read: 2e6, ..host(1e6) };
    let Kind::WorkingSet { size, warm: true, .. } = comes(4e6, 8192.0, 2e6, 0.1, &small) else {
        panic!("half of what it reads comes back")
    };
    // It finds half of what it asks for in a cache of 256 MB.
    assert!((size - 512e6).abs() < 1e6, "{size}");
    let some = HostShape { refaulted: 0.4e6, ..small };
    let kind = comes(2.1e6, 8192.0, 2e6, 0.1, &some);
    assert!(matches!(kind, Kind::WorkingSet { warm: false, .. }), "it reads most for the first time: {kind:?}");
    assert!(matches!(comes(2.1e6, 8192.0, 2e6, 0.1, &HostShape { refaulted: 0.0, ..small }), Kind::Cold { .. }));
}

#[test]
fn who_reads_more_than_it_asks_for_in_large_requests_leaves_out_the_rest() {
    let large = HostShape { read_size: 262_144.0, cached: 0.0, ..host(0.0) };
    let stride = |asked: f64, read_size: f64| {
        let kind = comes(asked, 65_536.0, 20e6, 0.1, &HostShape { read_size, ..large });
        if let Kind::Stream { stride, direct, .. } = kind { (stride, direct) } else { panic!("{kind:?}") }
    };
    assert_eq!(stride(10e6, 262_144.0), (Some(131_072.0), false));
    assert_eq!(stride(20e6, 262_144.0), (None, true), "it reads what it asks for, past the cache");
    assert_eq!(stride(1e6, 262_144.0).0, None, "no system call asks for it");
}

#[test]
fn mapped_files_that_come_back_at_once_were_in_use_before_the_program_was_seen() {
    let kind = |read: f64, refaulted: f64| {
        let did = Did { major_faults: 100.0, read, active: 1, ..Did::default() };
        let command =
            Command { trouble: did, calm: Did::default(), appeared: Some(1), ..reader((0.0, 0.0), (0.0, 0.0)) };
        of(&command, &host(refaulted), None, &mut Vec::new())[0].kind
    };
    assert!(matches!(kind(10e6, 9e6), Kind::Touch { warm: true, .. }), "{:?}", kind(10e6, 9e6));
    // 300 MB for the first time in 30 s, beside a cache of 256 MB.
    assert!(matches!(kind(20e6, 10e6), Kind::WorkingSet { warm: false, .. }), "{:?}", kind(20e6, 10e6));
}

#[test]
fn what_a_program_in_swap_reads_is_no_file() {
    let did = |swapped: f64, asked: f64| Did { swapped, asked, read: 1e6, anon: (0.0, 50e6), ..Did::default() };
    assert!(did(50e6, 0.0).is_swapped_in());
    assert!(!did(1e6, 0.0).is_swapped_in(), "little is in swap");
    assert!(!did(50e6, 1e6).is_swapped_in(), "it asks for what it reads");
}

#[test]
fn code_that_reclaim_took_is_touched_again_by_who_has_major_faults_for_it() {
    let code = |major_faults: f64, mapped: f64, refaulted: f64| {
        let did =
            |major_faults: f64| Did { major_faults, mapped, cpu: 0.3, cpu_of_each: vec![(0.3, 0.0)], ..Did::default() };
        let command = Command { calm: did(0.0), trouble: did(major_faults), ..reader((0.0, 0.0), (0.0, 0.0)) };
        let mut guesses = Vec::new();
        let loads = of(&command, &host(refaulted), None, &mut guesses);
        let told = guesses.iter().any(|guess| guess.what.contains("once a second"));
        assert_eq!(told, loads.iter().any(|load| matches!(load.kind, Kind::Touch { .. })), "each guess is told");
        loads.iter().find_map(|load| match load.kind {
            Kind::Touch { code, rate, .. } => Some((code, rate, load.ran_before)),
            _ => None,
        })
    };
    assert_eq!(code(2.0, 8_192_000.0, 1e6), Some((8_192_000.0, 2000.0, true)));
    assert_eq!(code(2.0, 8_192_000.0, 0.0), None, "nothing came back");
    assert_eq!(code(0.1, 8_192_000.0, 1e6), None, "next to none");
    assert_eq!(code(2.0, 0.0, 1e6), None, "not recorded");
}

use super::*;
use pagetide_core::{
    BytesPerSecond, CopySpec, DdSpec, Fill, GrowSpec, MapAndWalkSpec, Nanos, Order, Sharing, SpinSpec, StatMissingSpec,
    StepKind, StreamSpec, Stride,
};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;

/// A folder on a disk: tmpfs has no direct IO and its pages cannot be dropped.
fn folder() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("pagetide-load").tempdir_in("/var/tmp").unwrap()
}

fn file(name: &str) -> Place {
    Place::File { name: name.into(), disk: None }
}

fn start(load: &Load, folder: &Path) -> Result<Run, Error> {
    let path = |place: &Place| {
        Ok(match place {
            Place::Zero => PathBuf::from("/dev/zero"),
            Place::Null => PathBuf::from("/dev/null"),
            Place::File { name, .. } => folder.join(name),
            Place::Disk(disk) => PathBuf::from("/nowhere").join(disk),
        })
    };
    Run::start("a-load", load, 7, path, None)
}

fn finish(mut run: Run) -> Ended {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(ended) = run.poll().unwrap() {
            return ended;
        }
        assert!(Instant::now() < until, "it does not end");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn run(load: &Load, folder: &Path) -> Ended {
    let mut run = start(load, folder).unwrap();
    run.go().unwrap();
    finish(run)
}

fn dd(from: Place, to: Place, size: u64) -> DdSpec {
    DdSpec {
        from,
        to,
        size: Bytes::new(size),
        bs: Bytes::new(MIB),
        rate: None,
        cache: Caching::Keep,
        sync: false,
        random: false,
        sync_every: None,
        compute: None,
        think: None,
        time: None,
    }
}

/// Reads the file `a`.
fn stream(size: u64, bs: u64) -> StreamSpec {
    StreamSpec {
        from: file("a"),
        size: Bytes::new(size),
        bs: Bytes::new(bs),
        rate: None,
        cache: Caching::Keep,
        random: false,
        skew: None,
        compute: None,
        think: None,
        repeat: false,
        stride: None,
        time: None,
    }
}

fn walk(code: u64, data: u64) -> MapAndWalkSpec {
    MapAndWalkSpec {
        code: Bytes::new(code),
        file: file("code"),
        executable: false,
        data: Bytes::new(data),
        sharing: Sharing::Private,
        fill: Fill::Random,
        fill_rate: None,
        chunk: None,
        hot: None,
        iterations: 3,
        order: Order::Random,
        rate: None,
        compute: None,
        time: None,
    }
}

fn content(folder: &Path, name: &str, size: u64) -> Vec<u8> {
    let bytes: Vec<u8> = (0..size).map(|at| u8::try_from(at * 7 % 251).unwrap()).collect();
    std::fs::write(folder.join(name), &bytes).unwrap();
    bytes
}

fn get(ended: &Ended, figure: Figure) -> f64 {
    ended.figures.get(figure).unwrap_or_else(|| panic!("no {figure:?}: {ended:?}"))
}

#[test]
fn dd_moves_every_byte_in_every_way() {
    let folder = folder();
    let size = 3 * MIB + 4096;
    let bytes = content(folder.path(), "a", size);
    for cache in [Caching::Keep, Caching::Direct, Caching::DontNeed] {
        let ended = run(&Load::Dd(DdSpec { cache, sync: true, ..dd(file("a"), file("b"), size) }), folder.path());
        assert_eq!((ended.outcome, ended.notes.len()), (Outcome::Done, 0), "{cache:?}: {ended:?}");
        assert_eq!(std::fs::read(folder.path().join("b")).unwrap(), bytes, "{cache:?}");
        assert_eq!((get(&ended, Figure::Processed), get(&ended, Figure::Issued)), (size as f64, 4.0));
        assert!(get(&ended, Figure::Bandwidth) > 0.0 && get(&ended, Figure::ClatMean) > 0.0);
    }
    let ended = run(&Load::Dd(dd(Place::Zero, Place::Null, 64 * MIB)), folder.path());
    assert_eq!((ended.outcome, get(&ended, Figure::Processed)), (Outcome::Done, 64.0 * MIB as f64));
}

#[test]
fn the_cache_is_kept_bypassed_or_dropped_as_told() {
    let folder = folder();
    let size = 16 * MIB;
    content(folder.path(), "a", size);
    let path = folder.path().join("a");
    let forget = || {
        let handle = File::open(&path).unwrap();
        handle.sync_all().unwrap();
        rustix::fs::fadvise(&handle, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    };
    for (cache, left) in [(Caching::Keep, size), (Caching::Direct, 0), (Caching::DontNeed, 0)] {
        forget();
        let stream = StreamSpec { cache, ..stream(size, MIB) };
        let ended = run(&Load::Stream(stream), folder.path());
        assert_eq!(ended.outcome, Outcome::Done, "{ended:?}");
        // Pages that another CPU is just adding to the lists can neither be dropped nor, on a full host, be kept.
        let cached = pagetide_kernel::cached::bytes(&path).unwrap().get();
        assert!(cached.abs_diff(left) <= size / 8, "{cache:?}: {cached} of {size} are cached");
    }
}

#[test]
fn a_stream_keeps_its_rate_and_its_time() {
    let folder = folder();
    content(folder.path(), "a", 8 * MIB);
    let mut stream = StreamSpec { rate: Some(BytesPerSecond::new(16 * MIB)), ..stream(8 * MIB, MIB / 4) };
    let ended = run(&Load::Stream(stream.clone()), folder.path());
    assert!((0.5e9..2e9).contains(&get(&ended, Figure::Elapsed)), "{ended:?}");
    stream.time = Some(Nanos::new(100_000_000));
    let ended = run(&Load::Stream(stream), folder.path());
    assert_eq!(ended.outcome, Outcome::TimedOut);
    let done = get(&ended, Figure::Processed);
    assert!(done > 0.0 && done < 8.0 * MIB as f64, "{done}");
}

#[test]
fn a_stream_that_repeats_begins_again_until_its_time_is_over() {
    let folder = folder();
    content(folder.path(), "a", MIB);
    for cache in [Caching::Keep, Caching::DontNeed] {
        let time = Some(Nanos::new(500_000_000));
        let ended = run(&Load::Stream(StreamSpec { repeat: true, time, cache, ..stream(MIB, MIB / 4) }), folder.path());
        assert_eq!(ended.outcome, Outcome::Done, "{ended:?}");
        assert!(get(&ended, Figure::Processed) > MIB as f64, "{ended:?}");
    }
}

#[test]
fn what_cannot_be_done_is_refused_with_its_reason() {
    let folder = folder();
    content(folder.path(), "a", 2 * MIB);
    let ended = run(&Load::Dd(dd(file("a"), Place::Null, 8 * MIB)), folder.path());
    assert_eq!(ended.outcome, Outcome::Refused);
    assert!(
        ended.notes[0].contains("failed to read") && ended.notes[0].contains("unexpected end of file"),
        "{ended:?}"
    );
    assert_eq!(get(&ended, Figure::Processed), 2.0 * MIB as f64);
}

#[test]
fn a_place_that_cannot_be_opened_is_named() {
    let folder = folder();
    let error = start(&Load::Dd(dd(file("missing"), Place::Null, MIB)), folder.path()).unwrap_err();
    assert!(error.what.contains("missing"), "{error}");
}

#[test]
fn a_walk_fills_touches_and_counts() {
    let folder = folder();
    content(folder.path(), "code", 2 * MIB);
    for (sharing, fill, order) in
        [(Sharing::Private, Fill::Random, Order::Random), (Sharing::Shared, Fill::Zero, Order::Shuffled)]
    {
        let spec = MapAndWalkSpec { sharing, fill, order, chunk: Some(Bytes::new(4 * MIB)), ..walk(2 * MIB, 12 * MIB) };
        let ended = run(&Load::MapAndWalk(spec), folder.path());
        assert_eq!((ended.outcome, ended.notes.len()), (Outcome::Done, 0), "{ended:?}");
        assert_eq!((get(&ended, Figure::Iterations), get(&ended, Figure::Issued)), (3.0, 3.0 * 1024.0));
        assert_eq!(get(&ended, Figure::Processed), 3.0 * 2.0 * 4.0 * MIB as f64);
        let resident = get(&ended, Figure::Resident);
        assert!((12.0 * MIB as f64..20.0 * MIB as f64).contains(&resident), "{sharing:?}: {resident}");
    }
}

#[test]
fn a_walk_of_a_part_goes_round_in_that_part() {
    let folder = folder();
    let spec = MapAndWalkSpec { hot: Some(Bytes::new(4 * MIB)), ..walk(0, 12 * MIB) };
    let ended = run(&Load::MapAndWalk(spec), folder.path());
    assert_eq!((get(&ended, Figure::Iterations), get(&ended, Figure::Issued)), (3.0, 3.0 * 1024.0));
    assert!(get(&ended, Figure::Resident) > 12.0 * MIB as f64, "all of it is filled: {ended:?}");
}

#[test]
fn a_walk_fills_at_its_rate_and_computes_after_each_touch() {
    let folder = folder();
    let of = |fill_rate, compute| {
        let fill_rate = Some(BytesPerSecond::new(fill_rate));
        let spec = MapAndWalkSpec { fill_rate, compute: Some(Nanos::new(compute)), iterations: 1, ..walk(0, 4 * MIB) };
        let ended = run(&Load::MapAndWalk(spec.clone()), folder.path());
        (get(&ended, Figure::Elapsed), get(&ended, Figure::UserCpu) + get(&ended, Figure::SystemCpu), spec.effort())
    };
    // 4 MiB at 16 MiB/s; 1024 touches, each followed by 200 us of CPU time.
    let (elapsed, used, effort) = of(16 * MIB, 200_000);
    assert!(elapsed >= 450e6 && (200e6..400e6).contains(&used), "{elapsed} {used}");
    assert!((effort.paced.as_f64() / 454.8e6 - 1.0).abs() < 0.01, "{effort:?}");
    assert!(of(1 << 40, 1_000).1 < 200e6);
}

#[test]
fn a_walk_over_a_cold_file_faults_for_every_page_once() {
    let folder = folder();
    content(folder.path(), "code", 4 * MIB);
    let handle = File::open(folder.path().join("code")).unwrap();
    handle.sync_all().unwrap();
    rustix::fs::fadvise(&handle, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    let spec = MapAndWalkSpec { order: Order::Shuffled, iterations: 1, ..walk(4 * MIB, 0) };
    let cold = run(&Load::MapAndWalk(spec.clone()), folder.path());
    assert!(get(&cold, Figure::MajorFaults) >= 1.0, "{cold:?}");
    let warm = run(&Load::MapAndWalk(spec), folder.path());
    assert_eq!(get(&warm, Figure::MajorFaults), 0.0, "{warm:?}");
}

#[test]
fn a_walk_ends_after_its_time_or_on_request() {
    let folder = folder();
    content(folder.path(), "code", MIB);
    let spec = MapAndWalkSpec { iterations: u64::MAX, time: Some(Nanos::new(200_000_000)), ..walk(MIB, MIB) };
    let ended = run(&Load::MapAndWalk(spec.clone()), folder.path());
    assert_eq!(ended.outcome, Outcome::TimedOut);
    assert!((0.19e9..2e9).contains(&get(&ended, Figure::Elapsed)));
    let mut endless = start(&Load::MapAndWalk(MapAndWalkSpec { time: None, ..spec }), folder.path()).unwrap();
    endless.go().unwrap();
    endless.stop();
    let ended = finish(endless);
    assert_eq!((ended.outcome, ended.notes.len()), (Outcome::Done, 0), "{ended:?}");
}

#[test]
fn what_grows_is_resident_and_takes_its_time() {
    let folder = folder();
    let grow = GrowSpec {
        size: Bytes::new(24 * MIB),
        rate: Some(BytesPerSecond::new(96 * MIB)),
        fill: Fill::Zero,
        hold_for: Nanos::new(50_000_000),
    };
    let ended = run(&Load::Grow(grow), folder.path());
    assert_eq!((ended.outcome, get(&ended, Figure::Processed)), (Outcome::Done, 24.0 * MIB as f64));
    assert!(get(&ended, Figure::Resident) >= 23.0 * MIB as f64, "{ended:?}");
    assert!((0.3e9..3e9).contains(&get(&ended, Figure::Elapsed)));
}

#[test]
fn a_killed_load_reports_what_it_had_done_and_a_dropped_load_is_gone() {
    let folder = folder();
    let endless = Load::Grow(GrowSpec {
        size: Bytes::new(8 * MIB),
        rate: None,
        fill: Fill::Zero,
        hold_for: Nanos::new(3_600_000_000_000),
    });
    let mut run = start(&endless, folder.path()).unwrap();
    run.go().unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while run.standing().processed.get() < 8 * MIB && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(2));
    }
    crate::undo::kill(run.process());
    let ended = finish(run);
    assert_eq!(ended.outcome, Outcome::Killed);
    assert_eq!(get(&ended, Figure::Processed), 8.0 * MIB as f64, "known although it was killed");
    let run = start(&endless, folder.path()).unwrap();
    let process = run.process();
    drop(run);
    assert!(Identity::of(process.pid) != Some(process), "not even a zombie is left");
}

#[test]
fn a_copy_is_equal() {
    let folder = folder();
    let bytes = content(folder.path(), "a", MIB + 4096);
    let copy = CopySpec {
        from: file("a"),
        to: file("b"),
        size: Bytes::new(MIB + 4096),
        bs: Bytes::new(128 << 10),
        every: Nanos::new(1_000_000_000),
        cache: Caching::Keep,
    };
    assert_eq!(run(&Load::Copy(copy), folder.path()).outcome, Outcome::Done);
    assert_eq!(std::fs::read(folder.path().join("b")).unwrap(), bytes);
}

#[test]
fn a_stride_leaves_out_what_it_does_not_read() {
    let folder = folder();
    content(folder.path(), "a", 8 * MIB);
    // Two blocks of every eight, from the begin to the last two: the whole file is needed, a quarter is read.
    let stride = Some(Stride { read: Bytes::new(MIB / 4), skip: Bytes::new(3 * MIB / 4) });
    let strided = StreamSpec { stride, ..stream(2 * MIB, MIB / 8) };
    assert_eq!(strided.reads().unwrap().1, Bytes::new(8 * MIB));
    let ended = run(&Load::Stream(strided.clone()), folder.path());
    assert_eq!((ended.outcome, get(&ended, Figure::Processed)), (Outcome::Done, 2.0 * MIB as f64));
    let short = folder.path().join("a");
    std::fs::File::options().write(true).open(short).unwrap().set_len(7 * MIB).unwrap();
    let ended = run(&Load::Stream(strided), folder.path());
    assert_eq!(ended.outcome, Outcome::Refused, "the last blocks are past the end: {ended:?}");
}

#[test]
fn a_random_stream_runs_until_its_time_is_over_and_stays_in_its_file() {
    let folder = folder();
    content(folder.path(), "a", MIB);
    for skew in [None, Some(0.9)] {
        let time = Some(Nanos::new(200_000_000));
        let random = StreamSpec { random: true, skew, time, ..stream(MIB, 4096) };
        let ended = run(&Load::Stream(random), folder.path());
        assert_eq!(ended.outcome, Outcome::Done, "{ended:?}");
        assert!(get(&ended, Figure::Processed) > 2.0 * MIB as f64, "{ended:?}");
    }
}

#[test]
fn random_writes_stay_in_their_file_and_go_on_until_their_time_is_over() {
    let folder = folder();
    let time = Some(Nanos::new(200_000_000));
    let random = DdSpec { bs: Bytes::new(4096), random: true, time, ..dd(Place::Zero, file("b"), MIB) };
    let ended = run(&Load::Dd(random), folder.path());
    assert_eq!(ended.outcome, Outcome::Done, "{ended:?}");
    assert!(get(&ended, Figure::Processed) > 2.0 * MIB as f64, "{ended:?}");
    assert_eq!(std::fs::metadata(folder.path().join("b")).unwrap().len(), MIB);
}

#[test]
fn a_client_that_thinks_asks_again_when_it_has_thought() {
    let folder = folder();
    content(folder.path(), "a", MIB);
    let think = Some(Nanos::new(20_000_000));
    let thinking = StreamSpec { think, ..stream(MIB, MIB / 16) };
    let ended = run(&Load::Stream(thinking.clone()), folder.path());
    assert_eq!((ended.outcome, get(&ended, Figure::Issued)), (Outcome::Done, 16.0), "{ended:?}");
    assert!(get(&ended, Figure::Elapsed) >= 15.0 * 20e6, "{ended:?}");
    assert!((thinking.effort().paced.as_f64() / 320e6 - 1.0).abs() < 0.01, "{:?}", thinking.effort());
}

#[test]
fn spinning_uses_a_cpu_and_nothing_else() {
    let spin = |share| {
        let ended = run(&Load::Spin(SpinSpec { share, time: Some(Nanos::new(300_000_000)) }), Path::new("/"));
        assert_eq!(ended.outcome, Outcome::Done);
        assert!(get(&ended, Figure::UserCpu) > 0.0 && get(&ended, Figure::Iterations) >= 1.0, "{ended:?}");
        assert_eq!((get(&ended, Figure::Processed), ended.figures.get(Figure::Issued)), (0.0, None), "{ended:?}");
        get(&ended, Figure::Iterations)
    };
    spin(None);
    // Slices of a millisecond, with nine between two.
    assert!(spin(Some(0.1)) <= 31.0);
}

#[test]
fn a_share_of_a_cpu_is_more_than_none_and_at_most_one() {
    for share in [0.0, -0.1, 1.01, f64::NAN] {
        assert!(SpinSpec { share: Some(share), time: None }.check().is_err(), "{share}");
    }
    assert_eq!(SpinSpec { share: Some(0.25), time: None }.pause(), Nanos::new(3_000_000));
    assert_eq!(SpinSpec { share: None, time: None }.pause(), Nanos::ZERO);
}

#[test]
fn a_program_that_computes_uses_a_cpu_after_each_request() {
    let folder = folder();
    content(folder.path(), "a", MIB);
    let computing = StreamSpec { compute: Some(Nanos::new(10_000_000)), ..stream(MIB, MIB / 16) };
    let ended = run(&Load::Stream(computing.clone()), folder.path());
    assert_eq!((ended.outcome, get(&ended, Figure::Issued)), (Outcome::Done, 16.0), "{ended:?}");
    let used = get(&ended, Figure::UserCpu) + get(&ended, Figure::SystemCpu);
    assert!((150e6..300e6).contains(&used), "{ended:?}");
    assert!((computing.effort().paced.as_f64() / 160e6 - 1.0).abs() < 0.01, "{:?}", computing.effort());
}

#[test]
fn missing_names_are_looked_up_in_the_folder_and_none_is_made() {
    let folder = folder();
    let names = StatMissingSpec { folder_of: file("a"), count: 5000, rate: None, hold_for: Nanos::ZERO };
    let ended = run(&Load::StatMissing(names), folder.path());
    assert_eq!((ended.outcome, get(&ended, Figure::Issued)), (Outcome::Done, 5000.0), "{ended:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

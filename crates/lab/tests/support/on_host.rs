//! Scenarios on the very machine of the test, at a tiny scale. They need root and fio.

use super::run::{self, Memory, Quiet, alone, folder, groups, options, scenario, settings};
use pagetide_core::{Bytes, ErrorKind, Figure, MarkKind, Outcome, RunResult, StepResult};
use pagetide_kernel::{Root, damon};
use pagetide_lab::host::{Host, HostOptions, Shrink};
use pagetide_lab::undo::HostLock;
use std::fs;
use std::path::Path;

const MIB: f64 = 1024.0 * 1024.0;

const STEPS: &str = r#"
[[step]]
id = "cold"
drop_caches = true
fio = { rw = "randread", bs = "8k", size = "32MiB", invalidate = false }
[[step]]
id = "warm"
fio = { same_as = "cold" }
[[step]]
id = "hold"
hold = { size = "40MiB" }
[[step]]
id = "squeezed"
fio = { same_as = "cold", randrepeat = false }
[[step]]
id = "write"
fio = { rw = "randwrite", bs = "8k", size = "32MiB" }
[[step]]
id = "free"
release = "hold"
[[step]]
id = "wrong"
fio = { rw = "read", bs = "8k", size = "1MiB", random_distribution = "zoned:1/1" }
[[step]]
id = "tune"
sysctl = { "vm.dirty_ratio" = 40, "vm.swappiness" = 7 }
[[step]]
id = "look"
snapshot = true
"#;

fn run(steps: &str, options: HostOptions, progress: &mut Quiet) -> (Result<RunResult, pagetide_core::Error>, Memory) {
    run::run(&mut Host::new(options), &scenario(steps), progress)
}

#[allow(clippy::print_stdout, reason = "shown when an assertion fails")]
pub(crate) fn a_scenario_runs_is_measured_and_leaves_no_trace() {
    let _alone = alone();
    let folder = folder();
    let before = settings();
    let (result, sink) = run(STEPS, options(folder.path()), &mut Quiet::default());
    let result = result.expect("root and fio (apt-get install fio) are needed");
    assert_eq!(settings(), before);
    assert_eq!(groups(std::process::id()), Vec::<std::path::PathBuf>::new());
    let left: Vec<String> =
        fs::read_dir(folder.path()).unwrap().flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    assert!(left.iter().all(|name| name.starts_with("fio-") || name == "lab.lock"), "{left:?}");

    println!("{:#?}", result.steps);
    let step = |id: &str| -> &StepResult { result.steps.iter().find(|step| step.id == id).unwrap() };
    let get = |id: &str, figure: Figure| step(id).get(figure).unwrap_or_else(|| panic!("{id}: no {figure:?}"));
    assert_eq!(get("cold", Figure::Issued), 32.0 * 128.0);
    assert_eq!(get("cold", Figure::CachedBefore), 0.0, "{:?}", step("cold").notes);
    // The group is twice as large as the file: without DAMON nobody evicts its pages, and with it those that it evicts refault.
    let (hits, refaults) = (get("warm", Figure::CacheHitRatio), get("warm", Figure::Refaults));
    if damon::evicts(&damon::actions(&Root::host())) {
        // Nor does it spare fio's own program, whose pages are none of the group's and count as misses of the job.
        let program = fs::metadata("/usr/bin/fio").map_or(0, |fio| fio.len()) as f64;
        let missed = (1.0 - hits) * 32.0 * MIB;
        assert!(missed <= refaults * rustix::param::page_size() as f64 + program, "{missed} B, {refaults} refaults");
    } else {
        assert_eq!(
            (get("cold", Figure::CachedAfter), get("warm", Figure::CachedBefore), hits, refaults),
            (32.0 * MIB, 32.0 * MIB, 1.0, 0.0)
        );
        // They are charged to the group.
        assert!(get("warm", Figure::FreeBefore) <= 32.0 * MIB);
    }
    assert_eq!(get("cold", Figure::MemoryTotal), 64.0 * MIB);
    assert!(get("cold", Figure::DiskReadBytes) >= 32.0 * MIB);
    assert!(get("cold", Figure::CacheHitRatio) < 0.01);
    // No process lives between the steps. memory.stat lags by at most 64 pages for each CPU (`mm/memcontrol.c:
    // memcg_vmstats_needs_flush`).
    assert!(get("warm", Figure::AvailableBefore) > 60.0 * MIB);
    assert!(get("hold", Figure::Resident) >= 40.0 * MIB);
    assert!(get("hold", Figure::AvailableAfter) < 25.0 * MIB);
    assert!(get("squeezed", Figure::CachedBefore) < 25.0 * MIB, "the held memory has taken the cache's place");
    assert!(get("squeezed", Figure::Refaults) > 1000.0 && get("squeezed", Figure::CacheHitRatio) < 0.7);
    assert!(get("squeezed", Figure::PagesStolen) > 1000.0);
    // 30 % of the 24 MiB that nobody holds, less what fio and the kernel's own counting take.
    assert!((5.0 * MIB..=7.2 * MIB).contains(&get("write", Figure::DirtyThreshold)));
    assert!(get("write", Figure::DirtyPeak) > 0.0);
    assert_eq!(get("write", Figure::Issued), 32.0 * 128.0);
    assert!(get("free", Figure::AvailableAfter) > 60.0 * MIB);
    assert_eq!(step("wrong").outcome, Outcome::Refused);
    assert!(step("wrong").notes.iter().any(|note| note.contains("zoned")), "{:?}", step("wrong").notes);
    let threshold = get("look", Figure::DirtyThreshold);
    assert!((25.0 * MIB..=25.6 * MIB).contains(&threshold), "40 % of 64 MiB: {threshold}");
    assert!(result.differences.iter().any(|line| line.contains("64 MiB")));

    let seen = sink.0.lock().unwrap();
    assert!(seen.finished && seen.samples >= 2 * result.steps.len());
    let started = seen.marks.iter().filter(|mark| matches!(mark, MarkKind::StepStarted { .. })).count();
    let ended = seen.marks.iter().filter(|mark| matches!(mark, MarkKind::StepEnded { .. })).count();
    assert_eq!((started, ended), (result.steps.len(), result.steps.len()));
    assert!(seen.manifest.workload_cgroup.as_deref().unwrap().ends_with(&format!("pagetide-{}", std::process::id())));
}

pub(crate) fn the_lab_itself_does_no_io_while_a_step_sleeps() {
    let _alone = alone();
    let folder = folder();
    let io = || -> Vec<u64> {
        let text = fs::read_to_string("/proc/self/io").unwrap();
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().parse().unwrap();
        vec![field("read_bytes:"), field("write_bytes:")]
    };
    let before = io();
    let (result, _) = run("[[step]]\nid = \"rest\"\nsleep = \"1s\"\n", options(folder.path()), &mut Quiet::default());
    let grown: Vec<u64> = io().iter().zip(before).map(|(after, before)| after - before).collect();
    let rest = &result.unwrap().steps[0];
    let elapsed = rest.get(Figure::Elapsed).unwrap();
    assert!(elapsed >= 1.0e9, "{elapsed}");
    assert_eq!((rest.get(Figure::SwapIn), rest.get(Figure::Refaults)), (Some(0.0), Some(0.0)));
    // The journal's few records are all that is written. What is read is this test's own code, when somebody on the host has
    // just dropped the caches: 80 KiB were seen.
    assert!(grown[0] < 1 << 20 && grown[1] < 256 << 10, "{grown:?}");
}

pub(crate) fn an_interrupted_run_is_undone_and_its_recording_ended() {
    let _alone = alone();
    let folder = folder();
    let before = settings();
    for stop_in in ["warm", "hold"] {
        let mut progress = Quiet { stop_in: Some(stop_in), ..Quiet::default() };
        let (result, sink) = run(STEPS, options(folder.path()), &mut progress);
        assert_eq!(result.unwrap_err().kind, ErrorKind::Interrupted);
        assert!(sink.0.lock().unwrap().finished);
        assert_eq!(settings(), before);
        assert!(groups(std::process::id()).is_empty());
    }
}

pub(crate) fn what_cannot_be_done_is_refused_before_anything_changes() {
    let _alone = alone();
    let folder = folder();
    let before = settings();
    let check = |steps: &str, options: HostOptions, words: &str| {
        let error = run(steps, options, &mut Quiet::default()).0.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert!(!error.to_string().contains('\n'));
    };
    let plain = || options(folder.path());
    check(STEPS, HostOptions { fio: "/nowhere/fio".into(), ..plain() }, "apt-get install fio");
    check(STEPS, HostOptions { fio: "true".into(), ..plain() }, "is not fio");
    check(STEPS, HostOptions { work_dir: "/dev/shm".into(), ..plain() }, "--work-dir");
    check(STEPS, HostOptions { work_dir: "/nowhere".into(), ..plain() }, "/nowhere");
    let huge = "[[step]]\nid = \"A\"\nfio = { rw = \"read\", bs = \"1MiB\", size = \"4096TiB\" }\n";
    check(huge, plain(), "make room");
    check("[[step]]\nid = \"A\"\nhold = { size = \"65MiB\" }\n", plain(), "hold less");
    let odd = "[[step]]\nid = \"A\"\nfio = { rw = \"read\", bs = \"1000B\", size = \"1MiB\", direct = true }\n";
    check(odd, plain(), "multiple of");
    check("[[step]]\nid = \"A\"\nsysctl = { \"vm.no_such_thing\" = 1 }\n", plain(), "vm.no_such_thing");
    let other = HostLock::acquire_in(folder.path()).unwrap();
    check(STEPS, plain(), "another lab run is active");
    drop(other);
    assert_eq!(settings(), before);
    assert!(fs::read_dir(folder.path()).unwrap().flatten().all(|entry| entry.file_name() == "lab.lock"));
}

pub(crate) fn without_shrinking_the_hosts_own_settings_are_used_and_restored() {
    let _alone = alone();
    let folder = folder();
    let before = settings();
    let steps =
        "[[step]]\nid = \"A\"\nsysctl = { \"vm.dirty_bytes\" = 33554432 }\n[[step]]\nid = \"B\"\nsnapshot = true\n";
    let (result, sink) =
        run(steps, HostOptions { shrink: Shrink::None, ..options(folder.path()) }, &mut Quiet::default());
    let result = result.unwrap();
    assert_eq!(result.steps[1].get(Figure::DirtyThreshold), Some(32.0 * MIB));
    assert!(result.steps[1].get(Figure::MemoryTotal).unwrap() > 512.0 * MIB);
    assert_eq!(sink.0.lock().unwrap().manifest.workload_cgroup, None);
    assert_eq!(settings(), before);
}

pub(crate) fn the_devices_limits_are_set_while_it_runs_and_only_then() {
    let _alone = alone();
    let folder = folder();
    // Under v2 the limit is the group's own and goes with it.
    let v1 = Path::new("/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device");
    let v2 = format!("/sys/fs/cgroup/pagetide-{}/io.max", std::process::id());
    let file = if v1.exists() { v1 } else { Path::new(&v2) };
    let before = fs::read_to_string(file).ok();
    let mut scenario = scenario("[[step]]\nid = \"A\"\nsnapshot = true\n");
    scenario.machine.disks[0].iops = Some(987_654);
    let mut progress = Quiet { look_at: Some(file.to_owned()), ..Quiet::default() };
    let options = HostOptions { limit_device: true, ..options(folder.path()) };
    run::run(&mut Host::new(options), &scenario, &mut progress).0.unwrap();
    let limited = progress.held[0].contains(" 987654") || progress.held[0].contains("riops=987654");
    assert!(limited, "{:?}", progress.held);
    assert_eq!(fs::read_to_string(file).ok(), before);
}

pub(crate) fn the_hosts_other_memory_can_be_held_instead() {
    let _alone = alone();
    let folder = folder();
    let before = settings();
    let available = pagetide_kernel::Root::host().meminfo().unwrap().available().unwrap();
    let mut scenario = scenario("[[step]]\nid = \"A\"\nsnapshot = true\n");
    // As large as this host but for what a test may take.
    scenario.machine.memory = available.saturating_sub(Bytes::new(256 << 20));
    scenario.machine.system = Bytes::ZERO;
    let mut progress = Quiet::default();
    let options = HostOptions { shrink: Shrink::Hold, ..options(folder.path()) };
    let result = run::run(&mut Host::new(options), &scenario, &mut progress).0;
    match result {
        Ok(result) => {
            assert!(result.differences[0].starts_with("A process holds "), "{:?}", result.differences);
            assert!(result.steps[0].get(Figure::MemoryTotal).unwrap() > available.as_f64());
        }
        // Another process has just taken what was to be held.
        Err(error) => assert!(error.to_string().contains("available"), "{error}"),
    }
    assert_eq!(settings(), before);
}

/// Gives the names of these tests to a macro.
macro_rules! each_on_host {
    ($with:ident) => {
        $with! { on_host: a_scenario_runs_is_measured_and_leaves_no_trace the_lab_itself_does_no_io_while_a_step_sleeps an_interrupted_run_is_undone_and_its_recording_ended what_cannot_be_done_is_refused_before_anything_changes without_shrinking_the_hosts_own_settings_are_used_and_restored the_devices_limits_are_set_while_it_runs_and_only_then the_hosts_other_memory_can_be_held_instead }
    };
}
pub(crate) use each_on_host;

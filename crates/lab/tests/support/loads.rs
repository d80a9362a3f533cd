//! The lab's own loads in scenarios on the very machine of the test, at a tiny scale. They need root and fio.

use super::run::{self, Memory, Quiet, alone, folder, groups, options, scenario, settings};
use pagetide_core::{ErrorKind, Figure, MarkKind, Outcome, RunResult, StepResult};
use pagetide_kernel::{Root, damon};
use pagetide_lab::host::Host;
use std::path::Path;

const MIB: f64 = 1024.0 * 1024.0;

const STEPS: &str = r#"
[[step]]
id = "read"
drop_caches = true
dd = { from = "file:in", to = "null", size = "24MiB" }
[[step]]
id = "again"
stream = { from = "file:in", size = "24MiB" }
[[step]]
id = "behind"
drop_caches = true
stream = { from = "file:in", size = "24MiB", cache = "dont_need" }
[[step]]
id = "copied"
copy = { from = "file:in", to = "file:out", size = "24MiB" }
[[step]]
id = "both"
parallel = [
  { name = "grown", grow = { size = "8MiB", hold_for = "300ms" }, cgroup = { name = "small", memory_max = "32MiB" } },
  { name = "late", delay = "100ms", dd = { from = "zero", to = "null", size = "8MiB" } },
  { name = "service", background = true, map_and_walk = { code = "4MiB", iterations = 1000000000, rate = 100 } },
  { name = "high_limit", dd = { from = "zero", to = "file:in", size = "8MiB" }, cgroup = { name = "high", memory_high = "8MiB" } },
]
[[step]]
id = "killed"
grow = { size = "48MiB" }
cgroup = { name = "tight", memory_max = "24MiB" }
[[step]]
id = "swap"
swap = "none"
"#;

fn run(folder: &Path, progress: &mut Quiet) -> (Result<RunResult, pagetide_core::Error>, Memory) {
    run::run(&mut Host::new(options(folder)), &scenario(STEPS), progress)
}

#[allow(clippy::print_stdout, reason = "shown when an assertion fails")]
pub(crate) fn loads_run_are_measured_and_leave_no_trace() {
    let _alone = alone();
    let folder = folder();
    let before = settings();
    let (result, sink) = run(folder.path(), &mut Quiet::default());
    let result = result.expect("root and fio (apt-get install fio) are needed");
    assert_eq!(settings(), before);
    assert!(groups(std::process::id()).is_empty());

    println!("{:#?}", result.steps);
    let step = |id: &str| -> &StepResult { result.steps.iter().find(|step| step.id == id).unwrap() };
    let get = |id: &str, figure: Figure| step(id).get(figure).unwrap_or_else(|| panic!("{id}: no {figure:?}"));
    assert_eq!(step("read").outcome, Outcome::Done, "{:?}", step("read"));
    assert_eq!(get("read", Figure::CachedBefore), 0.0);
    assert_eq!(get("read", Figure::Processed), 24.0 * MIB);
    assert!(get("read", Figure::DiskReadBytes) >= 24.0 * MIB && get("read", Figure::DiskAwait) > 0.0);
    // Nothing of its own had to be read; others may use the disk meanwhile.
    assert_eq!(get("again", Figure::MajorFaults), 0.0);
    let cached = (get("read", Figure::CachedAfter), get("again", Figure::CachedBefore));
    assert!(damon::evicts(&damon::actions(&Root::host())) || cached == (24.0 * MIB, 24.0 * MIB));
    assert_eq!(get("behind", Figure::CachedAfter), 0.0);
    assert_eq!(get("copied", Figure::Processed), 24.0 * MIB);

    // Under cgroup v1 one of its parts cannot begin, and so the step is not done well.
    let v1 = Path::new("/sys/fs/cgroup/memory").exists();
    let outcome = if v1 { Outcome::Refused } else { Outcome::Done };
    assert_eq!(
        (step("both").outcome, step("both_high_limit").outcome),
        (outcome, outcome),
        "{:?}",
        step("both_high_limit")
    );
    assert_eq!(step("both_grown").outcome, Outcome::Done, "{:?}", step("both_grown"));
    assert!(get("both_grown", Figure::Resident) >= 7.0 * MIB && get("both_grown", Figure::Elapsed) >= 0.3e9);
    assert!(step("both_late").started_ns >= step("both").started_ns + 100_000_000);
    assert_eq!(step("both_service").outcome, Outcome::Done, "told to end: {:?}", step("both_service"));
    assert!(get("both_service", Figure::Issued) >= 1.0 && get("both_service", Figure::Iterations) == 0.0);
    if v1 {
        let notes = &step("both_high_limit").notes;
        assert!(notes[0].contains("version 2") && notes[0].contains("--on vm"), "{notes:?}");
    }
    let killed = step("killed");
    assert_eq!(killed.outcome, Outcome::Killed, "{killed:?}");
    assert!(killed.notes[0].contains("the OOM killer"), "{:?}", killed.notes);
    assert!(get("killed", Figure::Processed) >= 16.0 * MIB && get("killed", Figure::Processed) <= 24.0 * MIB);
    assert_eq!(step("swap").outcome, Outcome::Refused, "the host's swap is its own");

    let seen = sink.0.lock().unwrap();
    let ended = seen.marks.iter().filter(|mark| matches!(mark, MarkKind::StepEnded { .. })).count();
    assert_eq!(ended, 7, "parts are no steps of the recording");
    assert_eq!(result.steps.len(), 7 + 4);
}

pub(crate) fn an_interrupt_ends_every_load() {
    let _alone = alone();
    let folder = folder();
    let mut progress = Quiet { stop_in: Some("both"), ..Quiet::default() };
    let error = run(folder.path(), &mut progress).0.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
    assert!(groups(std::process::id()).is_empty(), "no process is left in its groups");
}

/// Gives the names of these tests to a macro.
macro_rules! each_load {
    ($with:ident) => {
        $with! { loads: loads_run_are_measured_and_leave_no_trace an_interrupt_ends_every_load }
    };
}
pub(crate) use each_load;

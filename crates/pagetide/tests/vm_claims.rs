//! The smallest runs of shipped scenarios in a virtual machine that still show what they claim. A claim that breaks fails here.
//!
//! They take some three minutes on two CPUs without KVM. They need what `make test` installs, and Debian's kernel, which is
//! downloaded once into `$PAGETIDE_CACHE`.

use serde_json::Value;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// One guest at a time: two would take each other's CPUs.
static TURN: Mutex<()> = Mutex::new(());

/// Runs a scenario, in a folder that is gone when it is dropped: its exit code, result and what it said.
fn run(scenario: &str, arguments: &[&str]) -> (TempDir, Option<i32>, Value, String) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let usual = ["--on", "vm", "--json", "--interval", "500ms", "--out", "run", "--work-dir", "."];
    let output = pagetide(&folder).args(["lab", "run", scenario]).args(usual).args(arguments).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let result = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{scenario}: {stderr}"));
    (folder, output.status.code(), result, stderr)
}

fn pagetide(folder: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pagetide"));
    command.current_dir(folder.path());
    command
}

/// Runs a scenario and holds it to all the claims that its steps can be held to, which must be these.
fn holds(scenario: &str, arguments: &[&str], claims: &[&str]) -> Value {
    let (_folder, code, run, stderr) = run(scenario, arguments);
    let verdicts = run["claims"].as_array().unwrap();
    let ids: Vec<&str> = verdicts.iter().map(|claim| claim["id"].as_str().unwrap()).collect();
    assert_eq!(ids, claims, "{scenario}");
    let broken: Vec<&Value> = verdicts.iter().filter(|claim| claim["holds"] != "yes").collect();
    assert!(broken.is_empty(), "{scenario}: {broken:#?}\n{stderr}");
    assert_eq!(code, Some(0), "{scenario}: {stderr}");
    run
}

#[test]
fn a_file_that_fits_is_read_once() {
    let run = holds(
        "second-read",
        &["--scale", "1/16"],
        &["a-fresh-sequence-finds-what-is-cached", "cold-read-is-latency-bound"],
    );
    // Requests are counted alike wherever it runs: 128 MiB in blocks of 8 KiB, all from the disk once and never again.
    let step = |id: &str| run["steps"].as_array().unwrap().iter().find(|step| step["id"] == id).unwrap();
    let reads = |id: &str| step(id)["disk_reads"].as_f64().unwrap();
    assert_eq!(step("cold")["issued"], 16_384.0);
    assert!((reads("cold") / 16_384.0 - 1.0).abs() < 0.03, "{}", step("cold"));
    assert!(reads("again") < 500.0, "{}", step("again"));
}

#[test]
fn without_swap_a_program_reads_its_code_again_and_again() {
    holds(
        "swap-off",
        &["--scale", "1/64", "--steps", "D2,D4", "--set", "D4.time=30s"],
        &["without-swap-code-is-evicted", "without-swap-much-more-is-read"],
    );
}

#[test]
fn a_backup_evicts_its_neighbour_unless_it_goes_past_the_cache() {
    holds(
        "backup-evicts-neighbour",
        &["--scale", "1/32", "--steps", "warm_plain,night_plain,morning_plain,warm_direct,night_direct,morning_direct"],
        &["the-backup-evicts-the-service", "the-service-looks-healthy", "direct-io-spares-the-service"],
    );
}

#[test]
fn a_stream_is_found_to_starve_the_other_disk() {
    let (folder, _, _, stderr) = run("ssd-stream-starves-raid", &["--scale", "1/64", "--steps", "warm,before,B1"]);
    // Only what was recorded: no step, no name of a part.
    let output = pagetide(&folder).args(["diagnose", "run", "--step", "B1", "--json"]).output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{stderr}"));
    assert_eq!(told["cause"]["rule"], "stream-floods-cache", "{told:#}");
    assert_eq!(told["cause"]["origins"], serde_json::json!(["process:stream", "disk:vdb"]), "{told:#}");
    let chain = told["chain"].as_array().unwrap();
    let effects: Vec<&str> = chain.iter().map(|link| link["effect"].as_str().unwrap()).collect();
    let place = |what: &str| effects.iter().position(|effect| effect.contains(what));
    // Whether the slow disk is busy all the time as well depends on how fast the guest's CPU is, at this scale.
    let order = ["kswapd reclaims", "the file cache shrinks", "major faults"].map(place);
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{effects:#?}");
}

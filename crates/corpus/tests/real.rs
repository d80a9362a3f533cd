//! The cases of real programs: each file of corpus/real/cases is whole, names causes, programs and kernels that there are, and the tool
//! that records them reads it in the same way.

use pagetide_core::RuleId;
use pagetide_corpus::truth::Truth;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The kernels that a case may be recorded on.
const KERNELS: [&str; 3] = ["old", "classic", "mglru"];
/// Cases as new ones are written; `corpus/README.md` says why older ones accept more.
const ACCEPTED_MAX: usize = 7;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What happens, in a sentence.
    what: String,
    /// The address of the public report that it follows.
    source: Option<String>,
    machine: Machine,
    #[serde(default)]
    service: Service,
    #[serde(default)]
    recording: Times,
    truth: Origin,
    #[serde(default)]
    trouble: Trouble,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Machine {
    memory: String,
    cpus: u32,
    disk_iops: u32,
    disk_bytes_per_s: Option<u64>,
    #[serde(default)]
    swap: bool,
    nodes: Option<u32>,
    psi: Option<bool>,
    kernels: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Service {
    name: Option<String>,
    node: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Times {
    interval: Option<String>,
    before: Option<String>,
    after: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Origin {
    causes: Vec<String>,
    #[serde(default)]
    origins: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Trouble {
    #[serde(default)]
    prepare: String,
    #[serde(default)]
    start: String,
    disk_limit: Option<BTreeMap<String, u64>>,
    pause: Option<String>,
}

fn real() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/real")
}

/// The files of a folder by their names.
fn files(folder: &Path) -> BTreeMap<String, PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    paths.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path)).collect()
}

fn cases() -> BTreeMap<String, Case> {
    let read = |(name, path): (String, PathBuf)| {
        let text = fs::read_to_string(&path).unwrap();
        let case = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (name.strip_suffix(".toml").unwrap_or_else(|| panic!("{name} is no case")).to_owned(), case)
    };
    files(&real().join("cases")).into_iter().map(read).collect()
}

/// What is wrong with a case.
fn wrong(case: &Case) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut need = |holds: bool, what: &str| {
        if !holds {
            wrong.push(what.to_owned());
        }
    };
    let number = |text: &str, unit: &str| text.strip_suffix(unit).is_some_and(|number| number.parse::<u32>().is_ok());
    let Machine { memory, cpus, disk_iops, disk_bytes_per_s, nodes, psi, swap, kernels } = &case.machine;
    need(case.what.len() > 5 && case.what.ends_with('.'), "`what` is no sentence");
    need(case.source.as_ref().is_none_or(|source| source.starts_with("http")), "`source` is no address");
    need(number(memory, "MiB"), "memory is not in MiB");
    need((1..=8).contains(cpus) && *disk_iops > 0 && *disk_bytes_per_s != Some(0), "a machine without a CPU or a disk");
    need(nodes.is_none_or(|nodes| nodes == 2 && *cpus == 2), "two nodes need two CPUs");
    need(*psi != Some(true), "psi is true when left out");
    let known = |kernel: &String| KERNELS.contains(&kernel.as_str());
    need(kernels.as_ref().is_none_or(|all| !all.is_empty() && all.iter().all(known)), "an unknown kernel");
    need(case.service.node.is_none_or(|node| Some(node) < *nodes), "the service is bound to a node that is not there");
    let Times { interval, before, after } = &case.recording;
    for time in [interval, before, after, &case.trouble.pause].into_iter().flatten() {
        need(number(time, "s"), "a time is not in seconds");
    }
    let Origin { causes, origins } = &case.truth;
    let cause = |cause: &String| cause == "cannot tell" || RuleId::named(cause).is_some();
    need((1..=ACCEPTED_MAX).contains(&causes.len()) && causes.iter().all(cause), "an unknown cause, or too many");
    need(causes.iter().collect::<BTreeSet<_>>().len() == causes.len(), "a cause twice");
    let healthy = causes.first().is_some_and(|cause| cause == "healthy");
    need(!healthy || origins.is_empty(), "a healthy host has no origin");
    need(*swap || !origins.iter().any(|origin| origin == "vde"), "vde is the disk of the swap, which is off");
    let Trouble { prepare, start, disk_limit, pause } = &case.trouble;
    let happens = !prepare.is_empty() || !start.is_empty() || disk_limit.is_some() || pause.is_some();
    need(happens || healthy, "nothing happens");
    let limits = ["iops", "iops_rd", "iops_wr", "bps", "bps_rd", "bps_wr"];
    let limit =
        |limits_of_case: &BTreeMap<String, u64>| limits_of_case.keys().all(|name| limits.contains(&name.as_str()));
    need(disk_limit.as_ref().is_none_or(limit), "a disk has no such limit");
    wrong
}

#[test]
fn every_case_is_whole() {
    let cases = cases();
    assert!(cases.len() > 330, "{} cases", cases.len());
    let all = cases.iter().flat_map(|(name, case)| wrong(case).into_iter().map(move |what| format!("{name}: {what}")));
    let all: Vec<_> = all.collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn a_case_with_an_unknown_key_or_cause_is_refused() {
    let good = "what = 'Nothing happens.'\n[machine]\nmemory = '1MiB'\ncpus = 1\ndisk_iops = 1\n[truth]\ncauses = ['healthy']\n";
    assert!(wrong(&toml::from_str(good).unwrap()).is_empty());
    let refused = |from: &str, to: &str| wrong(&toml::from_str(&good.replace(from, to)).unwrap());
    assert_eq!(refused("healthy", "cpu"), ["an unknown cause, or too many", "nothing happens"]);
    assert_eq!(refused("1MiB", "1"), ["memory is not in MiB"]);
    assert_eq!(refused("cpus = 1", "cpus = 1\nkernels = ['new']"), ["an unknown kernel"]);
    assert!(toml::from_str::<Case>(&good.replace("cpus", "cpu")).is_err());
}

#[test]
fn every_program_is_there_and_started_by_somebody() {
    let programs = files(&real().join("programs"));
    let functions = fs::read_to_string(real().join("functions.sh")).unwrap();
    let scripts: String =
        cases().values().map(|case| format!("{}{}", case.trouble.prepare, case.trouble.start)).collect();
    let text = [functions, scripts].concat();
    let started: BTreeSet<&str> =
        text.split("/rec/programs/").skip(1).filter_map(|rest| rest.split([' ', '\n', ')', ';', '"']).next()).collect();
    let missing: Vec<_> = started.iter().filter(|name| !programs.contains_key(**name)).collect();
    assert!(missing.is_empty(), "no such programs: {missing:?}");
    let text: String = programs.values().map(|path| fs::read_to_string(path).unwrap()).collect();
    let imported = |name: &str| {
        let module = name.trim_end_matches(".py");
        text.contains(&format!("import {module}\n")) || text.contains(&format!("from {module} import"))
    };
    let idle: Vec<_> = programs.keys().filter(|name| !started.contains(name.as_str()) && !imported(name)).collect();
    assert!(idle.is_empty(), "started by no case: {idle:?}");
}

#[test]
fn the_guest_starts_every_service() {
    let guest = fs::read_to_string(real().join("guest.sh")).unwrap();
    let cases = cases();
    let named = cases.values().filter_map(|case| case.service.name.as_deref()).filter(|name| *name != "none");
    let unknown: Vec<_> = named.filter(|name| !guest.contains(&format!("\n{name}) "))).collect();
    assert!(unknown.is_empty(), "guest.sh starts no {unknown:?}");
}

/// Scripts of a case run in the shell of the guest.
#[test]
fn every_script_is_shell() {
    let parse = |text: &str| Command::new("sh").args(["-n", "-c", text]).output().unwrap();
    let mut scripts: BTreeMap<String, String> =
        ["guest.sh", "functions.sh", "init.sh", "image/build.sh", "image/databases.sh"]
            .map(|name| (name.to_owned(), fs::read_to_string(real().join(name)).unwrap()))
            .into();
    for (name, case) in cases() {
        scripts.insert(format!("{name}.toml: prepare"), case.trouble.prepare);
        scripts.insert(format!("{name}.toml: start"), case.trouble.start);
    }
    for (name, text) in scripts {
        let parsed = parse(&text);
        assert!(parsed.status.success(), "{name}: {}", String::from_utf8_lossy(&parsed.stderr));
    }
    assert!(!parse("for one in 1; do").status.success());
}

#[test]
fn the_recorder_of_cases_reads_them_all_in_the_same_way() {
    let listed = Command::new("python3").arg("-B").arg(real().join("case.py")).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let written = |(name, case): (&String, &Case)| {
        let kernels = case.machine.kernels.clone().unwrap_or_else(|| KERNELS.map(str::to_owned).to_vec());
        format!("{name}\t{}\t{}\n", case.truth.causes[0], kernels.join(","))
    };
    let wanted: String = cases().iter().map(written).collect();
    assert_eq!(String::from_utf8_lossy(&listed.stdout), wanted);
}

/// A case with an advice of `pagetide reproduce` applied.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Advised {
    /// The recording in fixtures/real that the advice is of.
    of: String,
    /// The words of the advice.
    advice: String,
    #[serde(default)]
    machine: BTreeMap<String, toml::Value>,
    #[serde(default)]
    trouble: Trouble,
}

#[test]
fn every_advised_case_changes_a_case_whose_recording_is_kept() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/real");
    let advised = files(&real().join("advised"));
    assert!(advised.len() >= 20);
    for (name, path) in advised {
        let advised: Advised =
            toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(fixtures.join(&advised.of).join("recording").is_dir(), "{name}: {} is not kept", advised.of);
        assert!(!advised.advice.is_empty(), "{name}");
        let Trouble { prepare, start, .. } = &advised.trouble;
        assert!(!advised.machine.is_empty() || !prepare.is_empty() || !start.is_empty(), "{name} changes nothing");
    }
    let all = "import case, pathlib\nfor path in (case.HERE / 'advised').glob('*.toml'): case.named(path.stem)";
    let read = Command::new("python3").args(["-B", "-c", all]).current_dir(real()).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
}

#[test]
fn the_tables_of_effects_are_those_of_what_was_predicted_and_measured() {
    let checked = Command::new("python3").arg("-B").arg(real().join("effects.py")).arg("--check").output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

#[test]
fn every_kept_recording_is_of_a_case_and_has_its_truth() {
    let cases = cases();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/real");
    let mut kept = 0;
    for entry in fs::read_dir(fixtures).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(truth) = Truth::read(&folder.join("truth.toml")) else { continue };
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let (family, kernel) = name.rsplit_once('-').unwrap();
        let case = cases.get(family).unwrap_or_else(|| panic!("{name} is of no case"));
        let kernels = case.machine.kernels.clone().unwrap_or_else(|| KERNELS.map(str::to_owned).to_vec());
        assert!(kernels.iter().any(|one| one == kernel), "{name}: its case names {kernels:?}");
        // An incident that harmed no service became a control.
        let causes = &case.truth.causes;
        let harmless = std::iter::once("healthy").chain(causes.iter().take(2).map(String::as_str));
        let wanted: Vec<_> = match truth.control && causes[0] != "healthy" {
            true => harmless.collect(),
            false => causes.iter().map(String::as_str).collect(),
        };
        assert_eq!(
            (truth.cause, truth.best.as_str()),
            (wanted.iter().map(|&cause| cause.to_owned()).collect(), wanted[0]),
            "{name}"
        );
        kept += 1;
    }
    assert!(kept > 60, "{kept} recordings");
}

//! `corpus`: lists and records the labelled incidents, and scores the rules on them. `make corpus` and `make score` run it from the
//! project's folder.
#![allow(clippy::print_stderr, reason = "a program of its own")]

use pagetide_core::{Error, ErrorKind, Nanos, Progress};
use pagetide_corpus::score::Judged;
use pagetide_corpus::{Incident, Variant, family, fleet, page, record, score, truth};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

const FAMILIES: &str = "corpus";
const RECORDINGS: &str = "fixtures/corpus";
const WORK: &str = "/var/tmp";
/// Recordings of real programs.
const REAL: &str = "fixtures/real";
const PAGE: &str = "docs/SCORE.md";
const MISSES: &str = "crates/corpus/misses.toml";

const USAGE: &str = "corpus list              the cases, and which are recorded
corpus record [NAME...]  record the missing cases, or these cases or families again
corpus fleet FOLDER [--hosts N] [--hours N] [--seed N] [--plant strong|weak|nothing]
                         make a fleet out of the recordings, with its truth and its inventory
corpus vary FOLDER       score the rules on each recording of a folder and on variants of it: shorter, slower, with less in it
corpus open FOLDER       score recordings of real programs that the rules have not seen: lines for track_record.tsv, misses, sums
corpus score [--held]    score the rules and write docs/SCORE.md; --held: print the single cases of the held-out half, too";

fn main() -> ExitCode {
    if std::process::id() == 1 {
        eprintln!("{}", pagetide_lab::vm::guest::run());
        return ExitCode::from(3);
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.split_first() {
        Some((word, [])) if word == "list" => list(),
        Some((word, names)) if word == "record" => record_all(names),
        Some((word, [folder, options @ ..])) if word == "fleet" => make_fleet(Path::new(folder), options),
        Some((word, [folder])) if word == "vary" => vary(Path::new(folder)),
        Some((word, [folder])) if word == "open" => open(Path::new(folder)),
        Some((word, [])) if word == "score" => write_score(false),
        Some((word, [held])) if word == "score" && held == "--held" => write_score(true),
        _ => Err(Error::input("unknown arguments", format!("usage:\n{USAGE}"))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("corpus: {error}");
            ExitCode::from(if matches!(error.kind, ErrorKind::Input | ErrorKind::TooNew) { 2 } else { 3 })
        }
    }
}

/// Prints; a closed output is not an error.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn recorded(case: &Incident) -> bool {
    Path::new(RECORDINGS).join(&case.name).join(truth::FILE).exists()
}

fn list() -> Result<(), Error> {
    for case in family::all(Path::new(FAMILIES))? {
        let kind = if case.control { "control" } else { "incident" };
        let there = if recorded(&case) { "recorded" } else { "missing" };
        print(&format!("{}\t{}\t{kind}\t{there}\t{}\n", case.name, case.half.name(), case.cause.join("/")));
    }
    Ok(())
}

fn record_all(names: &[String]) -> Result<(), Error> {
    let mut cases = family::all(Path::new(FAMILIES))?;
    if let Some(unknown) =
        names.iter().find(|name| !cases.iter().any(|case| case.name == **name || case.family == **name))
    {
        return Err(Error::input(format!("no case or family `{unknown}`"), "`corpus list` names them"));
    }
    cases.retain(|case| {
        if names.is_empty() { !recorded(case) } else { names.contains(&case.name) || names.contains(&case.family) }
    });
    let (began, mut failed) = (Instant::now(), Vec::new());
    for (at, case) in cases.iter().enumerate() {
        let folder = Path::new(RECORDINGS).join(&case.name);
        let one = Instant::now();
        let outcome = record::record(case, &folder, Path::new(WORK), &mut Quiet);
        let left = began.elapsed().as_secs_f64() / (at + 1) as f64 * (cases.len() - at - 1) as f64 / 60.0;
        let how = match &outcome {
            Ok(()) => format!("{} KiB", size(&folder) / 1024),
            Err(error) => error.to_string(),
        };
        let seconds = one.elapsed().as_secs_f64();
        print(&format!(
            "[{}/{}] {} ({seconds:.0} s): {how}; about {left:.0} min left\n",
            at + 1,
            cases.len(),
            case.name
        ));
        if outcome.is_err() {
            failed.push(case.name.as_str());
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Error::system(format!("not recorded: {}", failed.join(", ")), "run it again"))
    }
}

/// Bytes of the files below a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(
            |entry| {
                if entry.path().is_dir() { size(&entry.path()) } else { entry.metadata().map_or(0, |meta| meta.len()) }
            },
        )
        .sum()
}

/// Scores recordings outside of fixtures, as `corpus/real/keep.py --to` leaves them.
fn open(folder: &Path) -> Result<(), Error> {
    let judged = score::judge(folder, None)?;
    let date = jiff::Zoned::now().date().to_string();
    print(&page::opening(&judged, &date));
    Ok(())
}

fn write_score(held_cases: bool) -> Result<(), Error> {
    let began = Instant::now();
    let judged = score::judge(Path::new(RECORDINGS), None)?;
    let real = score::judge(Path::new(REAL), None)?;
    let text = fs::read_to_string(MISSES).map_err(|error| Error::input(format!("{MISSES}: {error}"), ""))?;
    let explained: BTreeMap<String, String> =
        toml::from_str(&text).map_err(|error| Error::input(format!("{MISSES}: {}", error.message()), ""))?;
    let page = page::page(&judged, &real, &explained, held_cases);
    print(&format!("{page}\n{} recordings in {:.1} s\n", judged.len() + real.len(), began.elapsed().as_secs_f64()));
    if held_cases {
        return Ok(());
    }
    fs::write(PAGE, page).map_err(|error| Error::system(format!("{PAGE}: {error}"), ""))
}

/// Prints what the rules report of each recording of a folder and of its variants, and the score of each variant.
fn vary(folder: &Path) -> Result<(), Error> {
    let mut all: BTreeMap<&str, Vec<Judged>> = BTreeMap::new();
    for (name, truth, recording) in score::read(folder, None)? {
        let whole = score::judged(name.clone(), truth.clone(), &recording);
        let varied = Variant::ALL.iter().filter_map(|one| Some((one.name(), one.judge(&name, &truth, &recording)?)));
        for (variant, judged) in std::iter::once(("as recorded", whole)).chain(varied) {
            print(&format!("{}\n", page::line(variant, &judged)));
            all.entry(variant).or_default().push(judged);
        }
    }
    all.iter().for_each(|(variant, judged)| print(&format!("{}\n", page::variant(variant, judged))));
    Ok(())
}

/// Makes a fleet that ends with the hour that ended last.
fn make_fleet(folder: &Path, options: &[String]) -> Result<(), Error> {
    let wrong = |what: String| Error::input(what, format!("usage:\n{USAGE}"));
    let now = jiff::Timestamp::now();
    let mut settings = fleet::Settings {
        hosts: 200,
        hours: 3,
        seed: now.as_second().unsigned_abs(),
        planted: fleet::Planted::Strong,
        until_ns: now.as_second() / 3600 * 3600 * 1_000_000_000,
    };
    for pair in options.chunks(2) {
        let [name, value] = pair else { return Err(wrong(format!("{} has no value", pair[0]))) };
        let number = || {
            value
                .parse::<u64>()
                .ok()
                .filter(|number| *number > 0)
                .ok_or_else(|| wrong(format!("{name}: not a number: {value}")))
        };
        match (name.as_str(), value.as_str()) {
            ("--hosts", _) => settings.hosts = number()?,
            ("--hours", _) => settings.hours = number()?,
            ("--seed", _) => settings.seed = number()?,
            ("--plant", "strong") => settings.planted = fleet::Planted::Strong,
            ("--plant", "weak") => settings.planted = fleet::Planted::Weak,
            ("--plant", "nothing") => settings.planted = fleet::Planted::Nothing,
            _ => return Err(wrong(format!("no such option: {name} {value}"))),
        }
    }
    let library = fleet::Library::read(Path::new(RECORDINGS))?;
    let plan = fleet::plan(&settings, &library);
    let (began, hosts) = (Instant::now(), settings.hosts);
    plan.write(&library, folder, |done| {
        if done % 100 == 0 {
            eprintln!("{done} of {hosts} hosts ({:.0} s)", began.elapsed().as_secs_f64());
        }
    })?;
    let hit = plan.hosts.iter().filter(|host| host.planted).count();
    print(&format!(
        "{}: {hosts} hosts of {} h, seed {}, planted {:?} ({hit} hosts); truth.json, inventory.csv\n",
        folder.display(),
        settings.hours,
        settings.seed,
        settings.planted
    ));
    Ok(())
}

/// Prints steps and messages, without progress bars.
struct Quiet;

impl Progress for Quiet {
    fn step(&mut self, number: usize, of: usize, id: &str, title: &str) {
        eprintln!("  [{number}/{of}] {id}: {title}");
    }
    fn update(&mut self, _fraction: Option<f64>, _left: Option<Nanos>, _note: &str) {}
    fn step_done(&mut self, note: &str) {
        eprintln!("      {note}");
    }
    fn say(&mut self, line: &str) {
        eprintln!("  {line}");
    }
    fn interrupted(&self) -> bool {
        false
    }
}

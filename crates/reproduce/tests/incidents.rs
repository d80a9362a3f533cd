//! Incidents whose cause is known, shown again from their recordings alone.
//!
//! `make reproduce-all` tries all recordings of real programs and writes the table of docs/REPRODUCE.md; here are some of those that are
//! reproduced.

mod page;
mod silent;

use page::{has_table, top};
use pagetide_core::{Diagnosis, Error, Recording, Selection, Source};
use pagetide_reproduce::{Compared, Tried, reproduce, synthesise, try_advice};
use pagetide_store::Reader;
use silent::Silent;
use std::fmt::Write;

/// Recordings that are reproduced, of several causes: a gate test of the whole way.
const REPRODUCED: [&str; 19] = [
    "aof-mglru",
    "appmax-mglru",
    "catalog-classic",
    // It writes past the page cache.
    "ddwrite-mglru",
    // Its 64 clients are all in the queue of one disk.
    "bitmap-mglru",
    // A group at its `cpu.max`.
    "quotacache-mglru",
    // The same, in a recording without groups of processes and without that limit.
    "quota-mglru",
    // A copy that comes minutes later is no origin of the first one.
    "twice-mglru",
    "dropped-classic",
    "fsync-mglru",
    // Its new clients read what nobody had cached.
    "iops-classic",
    "lite-mglru",
    // The kernel's slab grows.
    "manyfiles-mglru",
    // Reclaim is slow.
    "perlhash-old",
    "redis-old",
    "sidecar-mglru",
    "slowqueue-old",
    // It reads one disk and writes another.
    "rsync-classic",
    // It fills more memory than there is, and then uses it. What a program holds is no zeros, which take no swap.
    "swapstorm-mglru",
];

/// A recording of real programs, and what the rules say of it.
fn real(name: &str) -> (Recording, Diagnosis) {
    let folder = top().join("fixtures/real").join(name).join("recording");
    let mut recording = Reader::open(&folder).unwrap().load(&Selection::default()).unwrap();
    recording.marks.clear();
    let diagnosis = pagetide_diagnose::diagnose(&recording);
    (recording, diagnosis)
}

fn compared(name: &str) -> Result<Vec<Compared>, Error> {
    let (recording, diagnosis) = real(name);
    let synthesis = synthesise(&recording, &diagnosis)?;
    Ok(reproduce(&synthesis, &diagnosis, 1, &Silent)?.compared)
}

fn tried(name: &str) -> Vec<Tried> {
    let (recording, diagnosis) = real(name);
    let synthesis = synthesise(&recording, &diagnosis).unwrap();
    let again = reproduce(&synthesis, &diagnosis, 1, &Silent).unwrap();
    try_advice(&synthesis, &again.scenario, 1, &Silent).unwrap()
}

/// What differs between a recording and its reproduction.
fn unlike(name: &str) -> Vec<Compared> {
    compared(name)
        .unwrap_or_else(|refused| panic!("{name}: {refused}"))
        .into_iter()
        .filter(|one| one.differs())
        .collect()
}

#[test]
fn a_tar_beside_postgres_is_the_same_incident_on_the_model() {
    // The database reads files that another group had read: with MGLRU a page that another group evicted is no refault.
    let unlike = unlike("tar-mglru");
    assert!(unlike.is_empty(), "{unlike:?}");
}

#[test]
fn some_recordings_of_real_programs_are_reproduced() {
    for name in REPRODUCED {
        let unlike = unlike(name);
        assert!(unlike.is_empty(), "{name}: {unlike:?}");
    }
}

#[test]
fn what_spares_the_cache_helps_against_a_tar_and_swap_does_not() {
    let tried = tried("tar-mglru");
    let lost = |what: &str| {
        tried.iter().find(|one| one.what.contains(what)).unwrap_or_else(|| panic!("{what}: {tried:?}")).effect.lost
    };
    let as_it_was = lost("nothing");
    assert!(as_it_was > 0.01, "{tried:?}");
    for helps in ["O_DIRECT for tar", "POSIX_FADV_DONTNEED", "memory.high"] {
        assert!(lost(helps) < as_it_was / 2.0, "{helps}: {tried:?}");
    }
    assert!(lost("in zram") > as_it_was / 2.0, "{tried:?}");
    // What changes nothing is first, as that is what the others are compared with.
    assert_eq!(tried[0].what, "nothing");
}

#[test]
fn a_recording_without_an_incident_is_refused_in_one_line() {
    let (recording, diagnosis) = real("polite-mglru");
    let refused = synthesise(&recording, &diagnosis).unwrap_err();
    assert!(refused.what.contains("no incident with a cause"), "{}", refused.what);
}

#[test]
fn of_an_incident_that_is_short_what_follows_is_repeated_too() {
    let (recording, mut diagnosis) = real("hugepool-classic");
    let incidents = diagnosis.incidents.iter_mut().filter_map(|incident| incident.cause.as_mut());
    for cause in incidents.chain(&mut diagnosis.cause) {
        cause.end_ns = cause.onset_ns + 1_000_000_000;
    }
    let (_, onset, end) = synthesise(&recording, &diagnosis).unwrap().span();
    assert_eq!(end - onset, 4_000_000_000, "{onset} {end}");
}

/// The answer for a recording, as a row of the table.
fn row(name: &str, alike: &mut usize, tried: &mut usize) -> String {
    match compared(name) {
        Ok(compared) => {
            *tried += 1;
            let unlike: Vec<&str> = compared.iter().filter(|one| one.differs()).map(|one| one.what.as_str()).collect();
            *alike += usize::from(unlike.is_empty());
            let cause = compared.iter().find(|one| one.what == "cause").map_or("", |one| one.recorded.as_str());
            let answer =
                if unlike.is_empty() { "reproduced".to_owned() } else { format!("differs: {}", unlike.join(", ")) };
            format!("| {name} | {cause} | {answer} |\n")
        }
        Err(refused) => format!("| {name} | - | not tried: {} |\n", refused.what),
    }
}

#[test]
#[ignore = "many minutes; `make reproduce-all` runs it"]
fn all_recordings_of_real_programs() {
    let mut names: Vec<String> = std::fs::read_dir(top().join("fixtures/real"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let (mut rows, mut alike, mut tried) = (String::new(), 0, 0);
    for name in &names {
        rows += &row(name, &mut alike, &mut tried);
    }
    let mut table = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        table,
        "{alike} of {} are reproduced; {} were not tried, for the reason in their row.\n\n| recording | cause | on the model |\n|---|---|---|\n{rows}",
        names.len(),
        names.len() - tried
    );
    has_table("table", &table);
}

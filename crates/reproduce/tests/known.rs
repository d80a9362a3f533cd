//! Incidents of the corpus, recorded on a real kernel: the model shows the cause that their author knows, and what helps.

mod silent;

use pagetide_core::{Cause, Incident, RuleId, Selection, Source};
use pagetide_reproduce::{Tried, reproduce, synthesise, try_advice};
use pagetide_store::Reader;
use silent::Silent;
use std::path::Path;

/// Whether a recording and its reproduction have this cause, and no advice is better than one of these but for leaving the others out.
fn check(name: &str, cause: &str, helps: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus").join(name).join("recording");
    let recording = Reader::open(&folder).unwrap().load(&Selection::default()).unwrap();
    let diagnosis = pagetide_diagnose::diagnose(&recording);
    let synthesis = synthesise(&recording, &diagnosis).unwrap();
    let again = reproduce(&synthesis, &diagnosis, 1, &Silent).unwrap();
    let compared = again.compared.iter().find(|one| one.what == "cause").unwrap();
    assert_eq!((compared.recorded.as_str(), compared.again.as_str()), (cause, cause), "{:?}", again.compared);
    // As many seeds as the command has: of one alone, an advice may be the best by chance.
    let tried = try_advice(&synthesis, &again.scenario, 5, &Silent).unwrap();
    let best = tried.iter().skip(1).find(|one| !one.what.contains("at another time")).unwrap();
    let is_as_good = |one: &&Tried| one.effect.lost <= best.effect.lost;
    let good: Vec<&str> = tried.iter().filter(is_as_good).map(|one| one.what.as_str()).collect();
    assert!(helps.iter().any(|what| good.iter().any(|good| good.contains(what))), "{good:?}");
    assert!(best.effect.lost < tried[0].effect.lost / 2.0, "{tried:#?}");
}

#[test]
fn a_backup_that_floods_the_cache_of_a_service_is_to_pass_it_by() {
    check("stream-floods-cache-1", "stream-floods-cache", &["O_DIRECT", "DONTNEED", "memory.high"]);
}

#[test]
fn a_leak_needs_memory_or_a_slower_leak() {
    check("memory-leak-1", "memory-leak", &["more memory", "half the rate"]);
}

#[test]
fn a_log_that_fills_the_disk_of_readers_is_to_have_its_own() {
    // Or a faster one: for as much work the readers lose as little there.
    let helps = ["a disk of their own", "half the rate", "disks twice as fast"];
    check("writeback-saturates-disk-1", "writeback-saturates-disk", &helps);
}

#[test]
fn a_group_above_memory_high_by_what_the_kernel_charges_it_sleeps_as_long_on_the_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/real/high-classic/recording");
    let recording = Reader::open(&folder).unwrap().load(&Selection::default()).unwrap();
    let mut diagnosis = pagetide_diagnose::diagnose(&recording);
    // What a job waits for at its own limit is a remark to the rules; here it is to happen again.
    let limit = diagnosis.findings.iter().find(|finding| finding.rule == RuleId::MemoryHigh).unwrap();
    let (range, origins) = (limit.range, limit.origins.clone());
    let healthy = diagnosis.cause.take().unwrap();
    let cause =
        Cause { rule: RuleId::MemoryHigh, origins, onset_ns: range.from.ns(), end_ns: range.to.ns(), ..healthy };
    diagnosis.cause = Some(cause.clone());
    diagnosis.incidents.push(Incident {
        range,
        ongoing: false,
        cause: Some(cause),
        statement: String::new(),
        losses: Vec::new(),
        victim: None,
        changes: Vec::new(),
    });
    let again = reproduce(&synthesise(&recording, &diagnosis).unwrap(), &diagnosis, 1, &Silent).unwrap();
    let waits = again.compared.iter().find(|one| one.what == "waits for IO or memory").unwrap();
    assert!(waits.alike, "{:?}", again.compared);
}

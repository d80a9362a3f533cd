//! Scenarios whose authors know the cause and what helps: each is run on the model, recorded as a host would be, and reproduced from that
//! recording alone.
//!
//! `make reproduce-all` tries all of them and writes the table of docs/REPRODUCE.md; here are some for the gate.

mod page;
mod silent;

use page::{has_table, top};
use pagetide_core::{
    Backend, Error, Manifest, Mark, MarkKind, Nanos, Progress, Recording, RecordingBuilder, RunRequest, Sample, Scale,
    Scenario, Schema, Sink,
};
use pagetide_lab::catalogue;
use pagetide_lab::sim::{Model, ModelOptions};
use pagetide_reproduce::{Tried, reproduce, synthesise, try_advice};
use silent::Silent;
use std::fmt::Write;
use std::sync::{Arc, Mutex};

/// Advice that has what is read once pass the cache of others by.
const SPARES_THE_CACHE: &[&str] = &["O_DIRECT", "DONTNEED", "memory.high"];

/// What the author of a scenario says helps, as parts of the words of advice, and where the scenario says so.
struct Known {
    name: &'static str,
    /// Empty where nothing is to help.
    helps: &'static [&'static str],
    because: &'static str,
}

const fn known(name: &'static str, helps: &'static [&'static str], because: &'static str) -> Known {
    Known { name, helps, because }
}

/// The incidents of corpus/, each with its first seed. Written before the first of them was reproduced, but for more CPUs: an advice that came later.
const FAMILIES: [Known; 15] = [
    known(
        "anonymous-growth-takes-cache",
        &["more memory", "in zram"],
        "memory is taken and kept, and the cache has to go",
    ),
    known("cgroup-limit-reclaim", &["the memory for the group"], "the group has reached its own limit"),
    known("code-thrash", &["in zram", "more memory"], "there is no swap, and code and data are more than memory"),
    known("cpu-bound", &["CPUs"], "more programs compute than there are CPUs"),
    known(
        "device-saturated",
        &["disks twice as fast", "a disk of their own", "half the rate"],
        "readers ask more of a disk than it can do",
    ),
    known("device-slow", &["as fast as it was", "disks twice as fast"], "the disk becomes slow by itself"),
    known("dirty-throttled", &["disks twice as fast"], "the writer sleeps at the rate of the disk"),
    known("latency-bound", &["disks twice as fast"], "it waits for one block after the other"),
    known("memory-leak", &["more memory", "half the rate"], "it takes what is free, then what is cached"),
    known(
        "read-ahead-waste",
        &["O_DIRECT", "DONTNEED", "memory.high"],
        "what is read ahead takes the place of what others use",
    ),
    known("slab-growth", &["more memory"], "dentries fill slab at the expense of the page cache"),
    known("stream-floods-cache", SPARES_THE_CACHE, "each page of the stream takes the place of another"),
    known("swap-thrash", &["more memory", "in zram"], "it walks through more memory than the machine has"),
    known("working-set-exceeds-cache", &["more memory"], "the file is larger than memory"),
    known(
        "writeback-saturates-disk",
        &["a disk of their own", "disks twice as fast", "half the rate"],
        "readers of the same disk wait behind its writeback",
    ),
];

/// The shipped scenarios. They are experiments: some have no incident.
const SHIPPED: [Known; 10] = [
    known("buffered-read", &["more memory"], "held memory sends reads back to the disk"),
    known("buffered-write", &["more memory"], "with memory held the same write is throttled"),
    known("second-read", &["more memory"], "the hit ratio is the cached share of the file"),
    known("ssd-stream-starves-raid", SPARES_THE_CACHE, "the stream is larger than the cache"),
    known("buffers-and-cached", &[], "nobody loses anything"),
    known("copy-clean-vs-polluted", &[], "a full cache does not make the copy slower"),
    known("swap-off", &["in zram", "more memory"], "with swap it runs"),
    known("who-evicts-whom", SPARES_THE_CACHE, "a stream evicts the file of a service"),
    known("memory-advice", &["more memory"], "what more memory would save"),
    known("backup-evicts-neighbour", SPARES_THE_CACHE, "these three spare the service"),
];

/// Incidents that are reproduced with the advice of their author: a gate test of the whole way.
const GATE: [&str; 3] = ["cpu-bound", "swap-thrash", "stream-floods-cache"];

impl Progress for Silent {
    fn step(&mut self, _: usize, _: usize, _: &str, _: &str) {}
    fn update(&mut self, _: Option<f64>, _: Option<Nanos>, _: &str) {}
    fn step_done(&mut self, _: &str) {}
    fn say(&mut self, _: &str) {}
    fn interrupted(&self) -> bool {
        false
    }
}

/// Keeps the samples from a step on, or all, and no marks: what a recorder on a host would have.
#[derive(Debug, Clone)]
struct Field {
    from: Option<&'static str>,
    state: Arc<Mutex<(Option<RecordingBuilder>, bool)>>,
}

impl Sink for Field {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.state.lock().unwrap().0 = Some(RecordingBuilder::new(manifest.clone()));
        Ok(())
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap();
        if let (Some(builder), true) = &mut *state {
            builder.sample(schema, sample);
        }
        Ok(())
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        if let MarkKind::StepStarted { id, .. } = &mark.kind {
            self.state.lock().unwrap().1 |= self.from.is_none_or(|from| id == from);
        }
        Ok(())
    }

    fn finish(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
}

/// What a recorder would have of a scenario on the model, from a step on.
fn recorded(scenario: &Scenario, from: Option<&'static str>) -> Recording {
    let options = ModelOptions { interval: Some(Nanos::new(500_000_000)), ..ModelOptions::default() };
    let field = Field { from, state: Arc::default() };
    // The model has no tracepoints, and predicts nothing of what it traced.
    let mut scenario = Scenario { trace: None, ..scenario.clone() };
    scenario.steps.iter_mut().for_each(|step| step.predicted_from = None);
    let request = RunRequest { scenario, scale: Scale::FULL, seed: 1 };
    Model::new(options).run(&request, Box::new(field.clone()), &mut Silent).unwrap();
    let builder = field.state.lock().unwrap().0.take().unwrap();
    builder.finish()
}

/// The recording of a labelled incident on the model.
fn of_family(name: &str) -> Recording {
    let folder = top().join("fixtures/corpus").join(format!("{name}-1"));
    let text = std::fs::read_to_string(folder.join("scenario.toml")).unwrap();
    let truth = std::fs::read_to_string(folder.join("truth.toml")).unwrap();
    let scale =
        truth.split_once("'scale = \"").and_then(|(_, rest)| rest.split_once('"')).map_or("1", |(scale, _)| scale);
    recorded(&Scenario::parse(&text, name).unwrap().scaled(scale.parse().unwrap()), Some("run"))
}

/// The recording of a shipped scenario on the model, at the scale of its conformance.
fn of_shipped(name: &str) -> Recording {
    let scenario = catalogue::find(name, &[]).unwrap().scenario;
    recorded(&scenario.scaled("1/16".parse().unwrap()), None)
}

/// What became of a scenario.
#[derive(Debug)]
struct Outcome {
    /// The verdict and the cause, as recorded and as reproduced.
    verdicts: [String; 2],
    causes: [String; 2],
    /// What differs.
    unlike: Vec<String>,
    /// The best advice of those that do one thing and leave the programs in.
    best: String,
    gains: bool,
}

fn outcome(recording: &Recording) -> Result<Outcome, Error> {
    let diagnosis = pagetide_diagnose::diagnose(recording);
    let synthesis = synthesise(recording, &diagnosis)?;
    let again = reproduce(&synthesis, &diagnosis, 1, &Silent)?;
    let pair = |what: &str| {
        let one = again.compared.iter().find(|one| one.what == what).unwrap();
        [one.recorded.clone(), one.again.clone()]
    };
    let tried = try_advice(&synthesis, &again.scenario, 1, &Silent)?;
    let is_single = |one: &&Tried| !one.what.contains("at another time") && !one.what.contains(", and ");
    let best = tried.iter().skip(1).find(is_single);
    Ok(Outcome {
        verdicts: pair("verdict"),
        causes: pair("cause"),
        unlike: again.compared.iter().filter(|one| one.differs()).map(|one| one.what.clone()).collect(),
        best: best.map_or_else(String::new, |one| one.what.clone()),
        gains: best.is_some_and(|one| one.effect.lost < 0.8 * tried[0].effect.lost),
    })
}

/// Whether the best advice is one that the author names, and it helps; or none does, where the author says that nobody loses anything.
fn is_known(outcome: &Outcome, known: &Known) -> bool {
    let is_named = known.helps.iter().any(|what| outcome.best.contains(what));
    if known.helps.is_empty() { !outcome.gains } else { outcome.gains && is_named }
}

#[test]
fn some_labelled_incidents_are_reproduced_with_the_advice_of_their_author() {
    for name in GATE {
        let known = FAMILIES.iter().find(|known| known.name == name).unwrap();
        let outcome = outcome(&of_family(name)).unwrap();
        assert_eq!(outcome.causes[0], outcome.causes[1], "{name}: {outcome:?}");
        assert!(is_known(&outcome, known), "{name}: {outcome:?}");
    }
}

/// The rows of scenarios, and how many were reproduced at all, have the same verdict and cause, and the advice of their author.
fn rows(all: &[Known], record: fn(&str) -> Recording) -> (String, [usize; 3]) {
    let (mut rows, mut counts) = (String::new(), [0; 3]);
    for known in all {
        let row = match outcome(&record(known.name)) {
            Ok(outcome) => {
                let same = outcome.verdicts[0] == outcome.verdicts[1] && outcome.causes[0] == outcome.causes[1];
                let best = is_known(&outcome, known);
                for (count, is) in counts.iter_mut().zip([true, same, best]) {
                    *count += usize::from(is);
                }
                let words = |[recorded, again]: &[String; 2]| {
                    if recorded == again { recorded.clone() } else { format!("{recorded} -> {again}") }
                };
                let unlike = outcome.unlike.iter().filter(|what| !matches!(what.as_str(), "verdict" | "cause"));
                let unlike: Vec<&str> = unlike.map(String::as_str).collect();
                format!(
                    "{} | {} | {} | {}{} | {}",
                    words(&outcome.verdicts),
                    words(&outcome.causes),
                    if unlike.is_empty() { "nothing".to_owned() } else { unlike.join(", ") },
                    outcome.best,
                    if outcome.gains { "" } else { " (does not help)" },
                    if best { "yes" } else { "no" }
                )
            }
            Err(refused) => format!("not tried: {} | | | | ", refused.what),
        };
        // Writing to a string does not fail.
        let _ = writeln!(rows, "| {} | {} | {row} |", known.name, known.because);
    }
    (rows, counts)
}

/// Writes or checks the table of these scenarios.
fn table_of(name: &str, what: &str, all: &[Known], record: fn(&str) -> Recording) {
    let (rows, [tried, same, best]) = rows(all, record);
    let table = format!(
        "Of {} {what}, {tried} were tried: {same} have the same verdict and cause, {best} the advice that the author knows.\n\n\
         | scenario | what its author says | verdict | cause | differs as well | best advice | as the author says |\n\
         |---|---|---|---|---|---|---|\n{rows}",
        all.len()
    );
    has_table(name, &table);
}

#[test]
#[ignore = "minutes; `make reproduce-all` runs it"]
fn all_labelled_incidents() {
    table_of("labelled", "labelled incidents", &FAMILIES, of_family);
}

#[test]
#[ignore = "minutes; `make reproduce-all` runs it"]
fn all_shipped_scenarios() {
    table_of("shipped", "shipped scenarios", &SHIPPED, of_shipped);
}

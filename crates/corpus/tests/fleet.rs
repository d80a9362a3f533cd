//! Fleets with a planted cause, with none, and with a confounder: what the answers name.

use pagetide_corpus::fleet::{self, FIRMWARE, FleetPlan, KERNEL, Library, MODEL, Planted, SITE, Settings};
use pagetide_fleet::{Answers, CauseFactors, Question, Row, Split, TimeRange, labels, reduce};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

const UNTIL: i64 = 1_795_399_200_000_000_000;

fn library() -> &'static (Library, BTreeMap<String, Row>) {
    static LIBRARY: OnceLock<(Library, BTreeMap<String, Row>)> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus");
        let library = Library::read(&folder).unwrap();
        let rows = fleet::rows_of(&library, &folder);
        (library, rows)
    })
}

fn plan(hosts: u64, seed: u64, planted: Planted) -> FleetPlan {
    fleet::plan(&Settings { hosts, hours: 3, seed, planted, until_ns: UNTIL }, &library().0)
}

/// The answers about a fleet of rows.
fn answers(plan: &FleetPlan) -> Answers {
    let folder = tempfile::tempdir().unwrap();
    let inventory = folder.path().join("inventory.csv");
    std::fs::write(&inventory, plan.inventory()).unwrap();
    let labels = labels(&inventory).unwrap();
    reduce(&plan.rows(&library().1), &Question { labels, split: None }).unwrap()
}

/// What is named of a cause, each factor's conditions joined.
fn named(factors: &CauseFactors) -> Vec<String> {
    let conditions = |factor: &pagetide_fleet::Factor| {
        factor.conditions.iter().map(|one| format!("{}={}", one.attribute, one.value)).collect::<Vec<_>>().join(" ")
    };
    factors.factors.iter().map(conditions).collect()
}

#[test]
fn the_planted_pair_is_named_and_the_confounder_is_not() {
    for seed in 1..=3 {
        let plan = plan(1000, seed, Planted::Strong);
        let answers = answers(&plan);
        let of_cause = answers.factors.iter().find(|factors| factors.cause.as_deref() == Some(fleet::CAUSE)).unwrap();
        let expected = format!("disk model={MODEL} kernel={KERNEL}");
        assert_eq!(named(of_cause).first(), Some(&expected), "seed {seed}");
        assert!(!named(of_cause).iter().any(|name| name.contains(SITE)), "seed {seed}: {:?}", named(of_cause));
        let factor = &of_cause.factors[0];
        let planted = plan.hosts.iter().filter(|host| host.planted).count() as u64;
        assert_eq!((factor.hosts, factor.affected), (planted, planted), "seed {seed}");
        assert!(factor.follows.iter().any(|one| one.value.as_ref() == SITE), "seed {seed}: {:?}", factor.follows);
    }
}

#[test]
fn a_weak_factor_is_named_with_its_interval() {
    let found = (1..=5).filter(|seed| {
        let answers = answers(&plan(1000, *seed, Planted::Weak));
        let of_cause = answers.factors.iter().find(|factors| factors.cause.as_deref() == Some(fleet::CAUSE)).unwrap();
        let factor = of_cause.factors.iter().find(|factor| factor.conditions[0].value.as_ref() == FIRMWARE);
        // 20 % of 150 against 5 % of 850 hosts: a ratio of 3.1, less the noise.
        factor.is_some_and(|factor| factor.risk_ratio_low > 1.0 && factor.risk_ratio_high > 3.1)
    });
    assert!(found.count() >= 4);
}

#[test]
fn fleets_without_a_cause_are_given_none() {
    let fleets: u64 = std::env::var("PAGETIDE_FLEETS").ok().and_then(|count| count.parse().ok()).unwrap_or(20);
    let naming: Vec<(u64, Vec<String>)> = (1..=fleets)
        .filter_map(|seed| {
            let answers = answers(&plan(300, seed, Planted::Nothing));
            let named: Vec<String> = answers.factors.iter().flat_map(named).collect();
            (!named.is_empty()).then_some((seed, named))
        })
        .collect();
    assert!(naming.len() as u64 * 20 <= fleets, "{} of {fleets}: {naming:?}", naming.len());
}

#[test]
fn the_planted_kernel_is_worse_and_the_moment_before_it_is_not() {
    let plan = plan(1000, 3, Planted::Strong);
    let rows = plan.rows(&library().1);
    let split = |by: Split| reduce(&rows, &Question { split: Some(by), ..Question::default() }).unwrap().split.unwrap();
    let by_model = split(Split::Attribute("disk model".into()));
    let side = by_model.sides.iter().find(|side| side.name.as_ref() == MODEL).unwrap();
    assert!(side.effect.as_ref().unwrap().low > 0.0, "{side:?}");
    let error =
        reduce(&rows, &Question { split: Some(Split::Attribute("colour".into())), ..Question::default() }).unwrap_err();
    assert!(error.what == "no host has the attribute `colour`" && error.hint.contains("kernel"), "{error}");
    // The first hour of planted hosts always has their incident: the time after it is better.
    let by_time = split(Split::Time(UNTIL - 7_200_000_000_000));
    assert_eq!(by_time.sides.iter().map(|side| side.name.as_ref()).collect::<Vec<_>>(), ["before", "after"]);
    let effect = by_time.sides[1].effect.as_ref().unwrap();
    assert!(effect.paired_hosts == 1000 && effect.high < 0.0, "{effect:?}");
}

#[test]
fn a_fleet_on_disk_gives_the_rows_of_its_plan() {
    let (library, rows) = library();
    let plan = plan(4, 11, Planted::Strong);
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("fleet");
    plan.write(library, &folder, |_| {}).unwrap();
    let range = TimeRange { from_ns: None, until_ns: UNTIL };
    let read: Vec<Row> =
        pagetide_fleet::recordings(&folder).unwrap().iter().flat_map(|one| pagetide_fleet::map(one, range)).collect();
    let planned = plan.rows(rows);
    assert_eq!((read.len(), planned.len()), (12, 12));
    for (read, planned) in read.iter().zip(&planned) {
        let told = |row: &Row| {
            (
                row.host.clone(),
                row.hour_ns,
                row.verdict.clone(),
                row.cause.clone(),
                row.harm_ns,
                row.kernel.clone(),
                row.disk_models.clone(),
            )
        };
        assert_eq!(told(read), told(planned));
    }
    assert!(plan.write(library, &folder, |_| {}).is_err(), "a folder that is there is left alone");
}

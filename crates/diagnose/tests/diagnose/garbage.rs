//! What is empty, short, partial or nonsense must neither stop the rules nor convince them.

use crate::story::{Story, seen, step};
use pagetide_core::{Figure, Recording, Table, metric};
use proptest::prelude::*;

#[test]
fn an_empty_recording_and_one_sample_show_nothing() {
    assert_eq!(seen(&Recording::default()), [""; 0]);
    let mut story = Story::new(1, 1.0);
    for table in Table::ALL {
        for known in metric::all(table) {
            story = story.gauge(table, if table == Table::Host { "" } else { "x" }, known.name, |_| 1e9);
        }
    }
    assert_eq!(seen(&story.tell()), [""; 0]);
}

#[test]
fn one_metric_alone_shows_nothing() {
    for table in Table::ALL {
        for known in metric::all(table) {
            let entity = if table == Table::Host { "" } else { "x" };
            let story = Story::new(100, 1.0).counter(table, entity, known.name, |at| if at > 50.0 { 1e6 } else { 1.0 });
            // This counter alone says all there is to say.
            let expected = if known.name == "drop_pagecache" { vec!["caches-dropped"] } else { vec![] };
            assert_eq!(seen(&story.tell()), expected, "{} of {}", known.name, table.name());
        }
    }
}

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![Just(0), Just(-1), Just(i64::MAX), Just(i64::MIN), any::<i64>(), 0..100_000i64]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_numbers_stop_the_rules(
        lines in prop::collection::vec(
            (0usize..5, 0usize..400, 0usize..3, prop::collection::vec(prop::option::of(number()), 0..12)), 0..60),
        figures in prop::collection::vec((0usize..64, prop_oneof![Just(0.0), Just(-1.0), Just(f64::MAX), any::<f64>(), 0.0..1e6]), 0..40),
        interval in prop_oneof![Just(0.0), Just(1.0), Just(600.0)],
        with_step: bool,
    ) {
        let mut story = Story::new(12, interval);
        for (table, name, entity, values) in lines {
            let table = Table::ALL[table];
            let known = metric::all(table);
            let entity = if table == Table::Host { "" } else { ["vda", "sda", "7@1"][entity] };
            story = story.line(table, entity, known[name % known.len()].name, values);
        }
        let figures: Vec<_> = figures.into_iter().map(|(at, value)| (Figure::ALL[at % Figure::ALL.len()], value)).collect();
        if with_step {
            let figures: Vec<_> = figures.into_iter().filter(|(figure, _)| *figure != Figure::Elapsed).collect();
            story = story.step(step("S", &figures));
        }
        for finding in pagetide_diagnose::diagnose(&story.tell()).findings {
            prop_assert!((0.0..=1.0).contains(&finding.confidence.get()));
            prop_assert!(!finding.evidence.is_empty(), "{} without evidence", finding.rule);
        }
    }
}

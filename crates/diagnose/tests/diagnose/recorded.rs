//! The rules on what was really recorded: `buffered-read` on a host at scale 1/8, Linux 6.18, while other programs used the
//! same disk. The file holds the columns that rules look at, each value as the difference to the one before.

use pagetide_core::{Column, Entity, Kind, Manifest, Mark, Recording, RecordingBuilder, Stamp, Table, metric};
use serde_json::Value;

fn sums(differences: &Value) -> Vec<Option<i64>> {
    let mut sum = 0;
    let differences = differences.as_array().unwrap();
    differences
        .iter()
        .map(|difference| {
            difference.as_i64().map(|difference| {
                sum += difference;
                sum
            })
        })
        .collect()
}

fn load(text: &str) -> Recording {
    let file: Value = serde_json::from_str(text).unwrap();
    let manifest: Manifest = serde_json::from_value(file["manifest"].clone()).unwrap();
    let marks: Vec<Mark> = serde_json::from_value(file["marks"].clone()).unwrap();
    let mut builder = RecordingBuilder::new(manifest);
    for at in sums(&file["stamps"]).into_iter().flatten() {
        builder.stamp(Stamp { wall_ns: at, mono_ns: at, boot_ns: at });
    }
    for line in file["lines"].as_array().unwrap() {
        let text = |key: &str| line[key].as_str().unwrap().to_owned();
        let table = Table::by_name(&text("table")).unwrap();
        let column: Column = match line.get("column") {
            Some(column) => serde_json::from_value(column.clone()).unwrap(),
            None => {
                let known = metric::find(table, &text("name")).unwrap();
                Column { name: text("name"), kind: known.kind, unit: known.unit }
            }
        };
        let first = usize::try_from(line["first"].as_u64().unwrap()).unwrap();
        // The file keeps rates in thousandths of their unit, as recordings before format version 3 did.
        let factor = if column.kind == Kind::Rate { metric::RATE_SCALE / 1000 } else { 1 };
        let points = sums(&line["differences"]).into_iter().zip(first..);
        let entity = Entity::new(text("entity"), text("label"));
        builder.column(table, entity, &column, points.filter_map(|(value, at)| Some((at, value? * factor))));
    }
    marks.into_iter().for_each(|mark| builder.mark(mark));
    builder.finish()
}

#[test]
fn a_real_run_is_reported_as_it_was() {
    let recording = load(include_str!("recordings/buffered-read-host.json"));
    let findings = pagetide_diagnose::diagnose(&recording).findings;
    let of = |step: &str| -> Vec<&str> {
        let mut rules: Vec<&str> = findings
            .iter()
            .filter(|finding| finding.step.as_deref() == Some(step))
            .map(|finding| finding.rule.as_str())
            .collect();
        rules.sort_unstable();
        rules
    };
    assert_eq!(of("device"), ["device-saturated"], "32 requests in flight are not latency-bound");
    assert_eq!(of("A1"), ["cold-cache", "latency-bound"]);
    assert_eq!(of("A2"), ["served-from-cache"]);
    assert_eq!(of("A3"), ["cold-cache", "latency-bound"]);
    assert_eq!(of("A4"), ["latency-bound", "replayed-sequence", "working-set-exceeds-cache"]);
    assert_eq!(of("A4_fresh"), ["working-set-exceeds-cache"]);
    assert_eq!(of("A5"), ["cold-cache", "latency-bound"]);
    assert_eq!(of("A6"), ["latency-bound", "replayed-sequence", "working-set-exceeds-cache"]);
    assert_eq!(of("A6_fresh"), ["working-set-exceeds-cache"]);
    let statements: Vec<String> = findings
        .iter()
        .map(|finding| {
            format!(
                "{} {:.2} {}: {}",
                finding.step.as_deref().unwrap_or("-"),
                finding.confidence.get(),
                finding.rule,
                finding.statement
            )
        })
        .collect();
    insta::assert_snapshot!("buffered-read-host", statements.join("\n"));
}

/// A production incident of 2016 as its operator's tools printed it (`fixtures/import/curious-case`), imported: averages over
/// ten minutes of several days, four copies of meminfo and one of zoneinfo.
#[test]
fn the_curious_case_names_the_stream_and_the_contradiction() {
    let recording = load(include_str!("recordings/curious-case.json"));
    let diagnosis = pagetide_diagnose::diagnose(&recording);
    let cause = diagnosis.cause.as_ref().unwrap();
    assert_eq!((cause.rule.as_str(), cause.origins.names()), ("stream-floods-cache", vec!["disk:vgca0".to_owned()]));
    let links: Vec<(&str, &str)> = diagnosis.chain.iter().map(|link| (&*link.cause, &*link.effect)).collect();
    let at = |part: &str| {
        links.iter().position(|(_, effect)| effect.contains(part)).unwrap_or_else(|| panic!("{part}: {links:#?}"))
    };
    let order =
        ["kswapd reclaims", "file cache shrinks by 12.6 GiB in 8.53 s", "major faults", "sda is busy", "sdb is busy"]
            .map(at);
    assert!(order.is_sorted() && links[order[0]].0.starts_with("vgca0 reads"), "{links:#?}");
    assert!(diagnosis.summary.contains("sda and sdb are victims, not the cause"), "{}", diagnosis.summary);
    let cleared: Vec<&str> = diagnosis.cleared.iter().map(|cleared| cleared.rule.as_str()).collect();
    assert_eq!(cleared, ["anonymous-growth-takes-cache", "swap-thrash"]);
    assert!(diagnosis.cleared.iter().all(|cleared| !cleared.evidence.is_empty()));
    let over = &diagnosis.contradictions[0];
    assert!(over.statement.contains("13.4 GiB, far above the high watermarks (132 MiB in all)"), "{over:?}");
    assert!(
        over.command.as_deref().is_some_and(|command| command.contains("buddyinfo") && command.contains("kswapd_wake"))
    );
    let findings = diagnosis.findings;
    let stream = &findings[0];
    assert_eq!(stream.rule.as_str(), "stream-floods-cache");
    assert!(stream.statement.contains("vgca0"), "the origin, although its latency is fine: {}", stream.statement);
    assert!(stream.statement.contains("sda and sdb"), "the victims: {}", stream.statement);
    assert!(stream.contradictions.iter().any(|against| against.what.contains("free memory")), "{stream:?}");
    let rules: Vec<&str> = findings.iter().map(|finding| finding.rule.as_str()).collect();
    assert!(rules.contains(&"over-reclaim"), "{rules:?}");
    let blamed = ["swap-thrash", "anonymous-growth-takes-cache", "caches-dropped"];
    assert!(!rules.iter().any(|rule| blamed.contains(rule)), "{rules:?}");
    let saturated = findings.iter().find(|finding| finding.rule.as_str() == "device-saturated").unwrap();
    assert!(saturated.statement.contains("a victim of the stream from vgca0"), "{}", saturated.statement);
    insta::assert_snapshot!("curious-case", serde_json::to_string_pretty(&findings).unwrap());
}

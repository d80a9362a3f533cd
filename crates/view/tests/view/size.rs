//! A page stays small however long the recording is, and loses no spike.

use crate::report;
use pagetide_core::{Recording, Report};
use pagetide_view::{Block, Shape, html, page, text};

#[test]
fn a_day_of_samples_stays_below_a_megabyte_and_keeps_its_spike() {
    let page = page(&report::day());
    let mut out = Vec::new();
    html::draw(&page, &mut out).unwrap();
    assert!(out.len() < 1_000_000, "{} bytes", out.len());

    let timeline = page.blocks.iter().find_map(|block| match block {
        Block::Timeline(timeline) => Some(timeline),
        _ => None,
    });
    let timeline = timeline.unwrap();
    assert!(timeline.merged);
    let plot = timeline.plots.iter().find(|plot| plot.id == "disk").unwrap();
    let Shape::Rates { lines, .. } = &plot.shape else { panic!("rates") };
    let writes = lines.iter().find(|line| line.name == "writes").unwrap();
    let peak = writes.values.iter().position(|value| value.is_some_and(|spread| spread.high == 25_000.0)).unwrap();
    let spread = writes.values[peak].unwrap();
    assert_eq!(spread.low, 12.0, "the quiet seconds beside the spike are told as well");
    let seconds = (timeline.edges[peak + 1] - timeline.edges[peak]) as f64 / 1e9;
    assert!((spread.mean * seconds - (25_000.0 + 12.0 * (seconds - 1.0))).abs() < 1e-3, "the mean keeps the amount");
    let (from, to) = (timeline.edges[peak] / 1_000_000_000, timeline.edges[peak + 1] / 1_000_000_000);
    assert!((from..to).contains(&28_799), "the spike is where it was: {from} to {to}");
    let blind = |at: i64| {
        let slot = timeline.edges.partition_point(|edge| *edge <= at * 1_000_000_000) - 1;
        writes.values[slot].is_none()
    };
    assert!(blind(41_500) && !blind(39_000) && !blind(44_000), "the gap is a gap");
    assert!(String::from_utf8(out).unwrap().contains("no samples for 3000 s"));
}

#[test]
fn an_empty_report_and_one_sample_draw() {
    let mut builder = pagetide_core::RecordingBuilder::new(Default::default());
    builder.stamp(pagetide_core::Stamp { wall_ns: 1, mono_ns: 5, boot_ns: 5 });
    for recording in [Recording::default(), builder.finish()] {
        let page = page(&Report { recording, ..Report::default() });
        html::draw(&page, &mut Vec::new()).unwrap();
        text::draw(&page, text::Style { colour: false, width: 20 }, &mut Vec::new()).unwrap();
    }
}

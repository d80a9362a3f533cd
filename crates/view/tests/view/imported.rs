//! A page of imported logs: averages that another tool printed, of days that are years apart.

use pagetide_core::{Column, Kind, Manifest, Nanos, Recording, RecordingBuilder, Report, Stamp, Table, Unit};
use pagetide_view::{Block, Shape, Timeline, html, page, text};

const MINUTE: i64 = 60_000_000_000;
/// 2016-09-10 12:00:00 UTC.
const NOON: i64 = 1_473_508_800_000_000_000;

/// CPU shares of an unknown day, and a disk and reclaim of a known one, every ten minutes.
fn logs() -> Recording {
    let interval = Nanos::new(10 * 60_000_000_000);
    let mut builder =
        RecordingBuilder::new(Manifest { origin: pagetide_core::Origin::Import, interval, ..Manifest::default() });
    let rate = |name: &str, unit| Column { name: name.to_owned(), kind: Kind::Rate, unit };
    let stamp = |at: i64| Stamp { wall_ns: at, mono_ns: at, boot_ns: at };
    for row in 1..=40 {
        builder.stamp(stamp(row * 10 * MINUTE));
        builder.value(Table::Host, "", &rate("cpu_user_share", Unit::Ratio), 250_000);
    }
    for row in 1..=60 {
        builder.stamp(stamp(NOON + row * 10 * MINUTE));
        builder.value(Table::Host, "", &rate("pgscan_kswapd", Unit::Pages), row * 1_000_000_000);
        builder.value(Table::Host, "", &rate("pgsteal", Unit::Pages), row * 900_000_000);
        builder.value(Table::Disk, "sda", &rate("reads_writes", Unit::Count), 80_000_000);
        builder.value(Table::Disk, "sda", &rate("read_sectors", Unit::Sectors), row * 2_000_000_000);
    }
    builder.finish()
}

fn report() -> Report {
    Report { recording: logs(), ..Report::default() }
}

fn timeline(report: &Report) -> Timeline {
    let mut timelines = page(report).blocks.into_iter().filter_map(|block| match block {
        Block::Timeline(timeline) => Some(*timeline),
        _ => None,
    });
    timelines.next_back().unwrap()
}

#[test]
fn time_without_samples_is_cut_out_of_the_axis() {
    let timeline = timeline(&report());
    let starts: Vec<i64> = timeline.stretches.iter().map(|stretch| stretch.start_local_ns).collect();
    assert_eq!(starts, [0, NOON], "a stored rate is of the ten minutes before its stamp");
    let lengths: Vec<i64> = timeline.stretches.iter().map(|stretch| stretch.to - stretch.from).collect();
    assert_eq!(lengths, [400 * MINUTE, 600 * MINUTE]);
    assert!(timeline.span_ns < 1100 * MINUTE, "{} min", timeline.span_ns / MINUTE);
    assert_eq!(timeline.gaps, []);
}

#[test]
fn averages_are_drawn_over_the_time_that_they_are_of() {
    let timeline = timeline(&report());
    let ids: Vec<&str> = timeline.plots.iter().map(|plot| plot.id).collect();
    assert_eq!(ids, ["disk", "bandwidth", "reclaim", "cpu"]);
    for plot in &timeline.plots {
        let Shape::Rates { lines, .. } = &plot.shape else { panic!("{}", plot.id) };
        let drawn = |values: &[Option<_>]| values.iter().filter(|value| value.is_some()).count();
        let counts: Vec<usize> = lines.iter().map(|line| drawn(&line.values)).collect();
        let rows = if plot.id == "cpu" { 40 } else { 60 };
        assert!(counts.iter().all(|count| *count == rows), "{}: {counts:?}", plot.id);
    }
    let peak = |id: &str| {
        let plot = timeline.plots.iter().find(|plot| plot.id == id).unwrap();
        let Shape::Rates { lines, .. } = &plot.shape else { panic!("{id}") };
        lines.iter().filter_map(pagetide_view::Line::peak).collect::<Vec<_>>()
    };
    assert_eq!(peak("bandwidth"), [60.0 * 2000.0 * 512.0]);
    assert_eq!(peak("reclaim"), [60_000.0, 54_000.0]);
    assert_eq!(peak("cpu"), [0.25]);
}

#[test]
fn both_views_say_where_time_is_cut_and_nothing_that_was_not_measured() {
    let report = report();
    let mut text = Vec::new();
    text::draw(&page(&report), text::Style { colour: false, width: 120 }, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut html = Vec::new();
    html::draw(&page(&report), &mut html).unwrap();
    let html = String::from_utf8(html).unwrap();
    assert!(html.contains("class=\"cut\""));
    for page in [&text, &html] {
        assert!(page.contains("2016-09-10 12:00"), "{page}");
        assert!(page.contains("day unknown"), "{page}");
        for wrong in ["no block device", "less than 1 %", "1473", "1 473", "1970-01"] {
            let body = page.split("<script").next().unwrap();
            assert!(!body.contains(wrong), "{wrong}: {body}");
        }
    }
}

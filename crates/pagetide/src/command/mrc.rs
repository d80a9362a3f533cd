//! `pagetide mrc`: the miss-ratio curve, for more memory and for less.

mod curve;
mod less;
mod picture;

use super::Outcome;
use crate::live_trace::{self, Traced};
use crate::output;
use crate::reports;
use curve::{Curve, answer, refusal};
use less::Less;
use pagetide_core::{Bytes, Error, Nanos, Quantity};
use pagetide_trace::{Misses, Point};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Show the miss-ratio curve of the page cache: how many misses more memory would save, and what less memory would cost.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide mrc --for 60s               this host, and each control group at its limit
  pagetide mrc --for 60s --by readers  one curve for each control group that reads
  pagetide mrc rec                     a recording made with `pagetide record --trace`
  pagetide mrc rec --html mrc.html     the curves as pictures

A curve needs 200 sampled misses and 1000 sampled reads. With fewer, trace longer or sample more pages (--sample 1/16).
The cost of less memory needs Linux 6.12 or later and bpf(2). docs/TRACE.md describes the method and its accuracy.")]
pub(crate) struct Arguments {
    /// A recording made with --trace [default: trace this host now].
    #[arg(value_name = "REC")]
    recording: Option<PathBuf>,
    #[command(flatten)]
    live: live_trace::TraceArguments,
    /// One curve per place where memory is limited, or per control group that reads there.
    #[arg(long, value_enum, default_value = "limit")]
    by: By,
    /// Also write the curves to one HTML file.
    #[arg(long, value_name = "FILE", value_parser = reports::new_file())]
    html: Option<PathBuf>,
    /// Distance between points of the curve [default: chosen by the curve].
    #[arg(value_parser = Bytes::typed, long, value_name = "SIZE")]
    step: Option<Bytes>,
}

/// What has a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// The host, and each control group at its limit.
    Limit,
    /// Each control group that reads, under each limit.
    Readers,
}

/// Points of a curve, about.
const POINTS: u64 = 16;
/// Number of places for which the cost of less memory is printed.
const LESS_MAX: usize = 3;

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let traced = live_trace::read_or_run(arguments.recording.as_deref(), &arguments.live)?;
    let curves = curves(&traced, arguments.by, arguments.step);
    let less = less::all(&traced.summary);
    if json {
        output::print_json(&document(&traced, &curves, &less))?;
    } else {
        output::print(&text(&traced, &curves, &less))?;
        traced.say_gaps();
    }
    // Last, so that a file that cannot be written does not cost the answer.
    if let Some(path) = &arguments.html {
        reports::write_page(&picture::page(&traced, &curves, &less), path)?;
    }
    Ok(Outcome::Done)
}

fn curves(traced: &Traced, by: By, step: Option<Bytes>) -> Vec<Curve> {
    let mut sums: BTreeMap<(Option<String>, Option<String>), Misses> = BTreeMap::new();
    for (key, misses) in &traced.summary.misses {
        let readers = (by == By::Readers).then(|| key.readers.clone());
        sums.entry((key.limit.clone(), readers)).or_default().add(misses);
    }
    let scale = traced.summary.coverage.scale;
    let page = traced.bytes(1.0).get().max(1);
    let mut curves: Vec<Curve> = sums
        .into_iter()
        .map(|((limit, readers), misses)| {
            let mib = (1 << 20) / page;
            let fitting = (misses.reach_pages(scale) / POINTS / mib).max(1).next_power_of_two() * mib;
            let step = step.map_or(fitting, |step| (step.get() / page).max(1));
            Curve { limit, readers, sampled: misses.sampled(), points: misses.curve(scale, step) }
        })
        .collect();
    curves.sort_by_key(|curve| std::cmp::Reverse(curve.sampled));
    curves
}

fn document(traced: &Traced, curves: &[Curve], less: &[Less]) -> serde_json::Value {
    let coverage = &traced.summary.coverage;
    json!({
        "coverage": live_trace::coverage(traced),
        "miss_ratio": miss_ratio(less),
        "missed_bytes": coverage.added_pages.map(|pages| traced.bytes(pages as f64).get()),
        "looked_up_bytes": coverage.read_pages.map(|pages| traced.bytes(pages as f64).get()),
        "curves": curves.iter().map(|curve| json!({
            "limit": curve.limit,
            "readers": curve.readers,
            "sampled_misses": curve.sampled,
            "refused": curve.points.is_none().then(|| refusal(curve)),
            "points": curve.points.as_ref().map(|points| points.iter().map(|point| json!({
                "more_bytes": traced.bytes(point.more_pages as f64).get(),
                "remaining": point.remaining, "remaining_low": point.low, "remaining_high": point.high,
            })).collect::<Vec<_>>()),
        })).collect::<Vec<_>>(),
        "less": less.iter().map(|less| less.document(traced)).collect::<Vec<_>>(),
    })
}

/// Share of all page reads of the host that missed, where enough of them were seen.
fn miss_ratio(less: &[Less]) -> Option<f64> {
    less.iter().find(|less| less.group.is_none() && less.is_known()).map(|less| less.present)
}

/// What the total says of the pages that were not in the cache.
fn missed(ratio: f64) -> String {
    format!(", {} of them missed", Quantity::ratio(ratio))
}

fn text(traced: &Traced, curves: &[Curve], less: &[Less]) -> String {
    let mut text = String::new();
    let seconds = Nanos::new(traced.summary.coverage.time_ns);
    if curves.is_empty() {
        text += &format!("No page entered the page cache in {seconds}: there are no misses to save.\n");
    }
    for curve in curves {
        let place = curve.place();
        let Some(points) = &curve.points else {
            text += &format!("{place}: not enough misses yet: {}. Trace longer, or more pages.\n\n", refusal(curve));
            continue;
        };
        text += &answer(traced, curve, points, &place);
        if points.len() > 1 {
            text += &plot(traced, points);
        }
        text += "\n";
    }
    for less in less.iter().take(LESS_MAX).filter(|less| less.result.is_ok() || less.group.is_none()) {
        text += &less.text(traced);
        text += "\n";
    }
    if let (Some(read), Some(added)) = (traced.summary.coverage.read_pages, traced.summary.coverage.added_pages) {
        let missed = miss_ratio(less).map_or_else(String::new, missed);
        text += &format!(
            "Total in {seconds}: buffered reads looked up {}{missed}; {} entered the cache (with readahead and writes).\n",
            traced.bytes(read as f64),
            traced.bytes(added as f64),
        );
    }
    text
}

/// Characters of a full bar.
const BAR: f64 = 40.0;

/// The curve as bars: misses that remain, with the band of each.
fn plot(traced: &Traced, points: &[Point]) -> String {
    let mut text = "more memory   misses that remain\n".to_owned();
    for point in points {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to BAR")]
        let bar = |share: f64| (share.clamp(0.0, 1.0) * BAR).round() as usize;
        let (sure, high) = (bar(point.low), bar(point.high));
        text += &format!(
            "{:>11}   {:>5.1} % ({:>3.0} to {:>3.0})  {}{}\n",
            traced.bytes(point.more_pages as f64).to_string(),
            point.remaining * 100.0,
            point.low * 100.0,
            point.high * 100.0,
            "#".repeat(sure),
            "-".repeat(high - sure)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(more_pages: u64, remaining: f64) -> Point {
        Point { more_pages, remaining, low: remaining - 0.01, high: remaining + 0.01 }
    }

    fn curve(remaining: &[f64]) -> Curve {
        let points = (0..).zip(remaining).map(|(number, remaining)| point(number * 256, *remaining)).collect();
        Curve { limit: None, readers: None, sampled: 1000, points: Some(points) }
    }

    #[test]
    fn what_was_missed_is_a_percentage() {
        assert_eq!(missed(0.5961), ", 59.6 % of them missed");
    }

    #[test]
    fn the_advice_is_the_smallest_amount_that_saves_most() {
        let curve = curve(&[1.0, 0.7, 0.42, 0.4, 0.39]);
        assert_eq!(curve.advice().map(|point| point.more_pages), Some(512));
    }

    #[test]
    fn the_advice_is_the_knee_when_the_rest_costs_much() {
        let knee = curve(&[1.0, 0.46, 0.31, 0.31, 0.31, 0.31, 0.31, 0.30, 0.28, 0.27, 0.18, 0.17]);
        let text = answer(&Traced::empty(), &knee, knee.points.as_ref().unwrap(), "host");
        assert_eq!(
            text,
            "host: 2 MiB more memory would save 69 % of the misses (68 % to 70 %), 10 MiB 82 %. \
             Up to 11 MiB more saves little beyond that.\n"
        );
        let straight = curve(&[1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0]);
        assert_eq!(straight.advice(), straight.most(), "a straight line has no knee");
    }

    #[test]
    fn a_flat_curve_promises_nothing() {
        let flat = curve(&[1.0, 0.995, 0.99]);
        let traced = Traced::empty();
        let text = answer(&traced, &flat, flat.points.as_ref().unwrap(), "host");
        assert_eq!(text, "host: up to 2 MiB more memory would save no misses.\n");
    }

    #[test]
    fn a_curve_that_still_falls_says_so() {
        let falling = curve(&[1.0, 0.9, 0.5]);
        let text = answer(&Traced::empty(), &falling, falling.points.as_ref().unwrap(), "host");
        assert_eq!(
            text,
            "host: 2 MiB more memory would save 50 % of the misses (49 % to 51 %). \
             The misses still fall at that point: trace longer to see further.\n"
        );
    }

    #[test]
    fn a_group_at_its_limit_has_the_amount_to_raise_it_by() {
        let falling = Curve { limit: Some("/batch".into()), ..curve(&[1.0, 0.6, 0.1, 0.1]) };
        let text = answer(&Traced::empty(), &falling, falling.points.as_ref().unwrap(), "group /batch");
        assert!(text.ends_with(
            "  to do: raise memory.max of /batch by 2 MiB (v1: memory.limit_in_bytes). That leaves the rest of the host 2 MiB less.\n"
        ), "{text}");
    }

    #[test]
    fn too_few_misses_are_refused_with_their_number() {
        let few = Curve { limit: Some("/batch".into()), readers: None, sampled: 12, points: None };
        let text = text(&Traced::empty(), &[few], &[]);
        assert_eq!(
            text,
            "group /batch: not enough misses yet: 12 sampled misses, 200 are needed. Trace longer, or more pages.\n\n"
        );
    }
}

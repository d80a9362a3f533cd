//! The curves as a page with pictures: file cache across, miss ratio or remaining misses up.

use super::curve::{Curve, refusal, sentence};
use super::less::Less;
use crate::live_trace::Traced;
use pagetide_core::Bytes;
use pagetide_view::{Axes, Block, Measure, Page, Predicted, curve};

/// The page: a picture for each curve that is published, a sentence for each that is not.
pub(super) fn page(traced: &Traced, curves: &[Curve], less: &[Less]) -> Page {
    let mut blocks = Vec::new();
    for of in curves {
        let below = less.iter().find(|less| of.readers.is_none() && less.group == of.limit);
        blocks.push(Block::Heading(of.place()));
        blocks.extend(picture(traced, of, below));
    }
    // A group for which neither is known is left off the page.
    let alone = less.iter().filter(|less| less.result.is_ok() || less.group.is_none());
    for alone in alone.filter(|less| !curves.iter().any(|of| of.readers.is_none() && of.limit == less.group)) {
        blocks.push(Block::Heading(
            alone.group.clone().map_or_else(|| "host".to_owned(), |group| format!("group {group}")),
        ));
        blocks.extend(sentences(&alone.text(traced)));
        if let Some(points) = alone.curve(traced) {
            blocks.push(draw(&points, None, "miss ratio of page reads", "file cache"));
        }
    }
    let time = pagetide_core::Nanos::new(traced.summary.coverage.time_ns);
    Page {
        title: "Miss ratio against memory".to_owned(),
        lead: vec![format!(
            "From {time} of page cache events, sampling one page in {}. The band is the 95 % interval of the sample.",
            traced.summary.coverage.scale
        )],
        outcome: curves.iter().find_map(|of| sentence(traced, of)).unwrap_or_default(),
        blocks,
        ..Page::default()
    }
}

fn picture(traced: &Traced, of: &Curve, below: Option<&Less>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let Some(points) = of.points.as_ref().filter(|points| points.len() > 1) else {
        let why = if of.points.is_none() { refusal(of) } else { "too few evicted pages were read again".to_owned() };
        blocks.push(Block::Paragraph(format!("Savings with more memory are unknown: {why}.")));
        blocks.extend(below.map(|less| sentences(&less.text(traced))).into_iter().flatten());
        if let Some(points) = below.and_then(|less| less.curve(traced)) {
            blocks.push(draw(&points, None, "miss ratio of page reads", "file cache"));
        }
        return blocks;
    };
    blocks.extend(sentence(traced, of).map(Block::Paragraph));
    blocks.extend(below.map(|less| sentences(&less.text(traced))).into_iter().flatten());
    let known = below.and_then(|less| Some((less, less.curve(traced)?)));
    // If the present miss ratio is known, the curve shows miss ratios, else shares of the misses.
    let (measured, now, ratio) = match &known {
        Some((less, measured)) => (measured.clone(), less.cache(traced), less.present),
        None => (vec![(0.0, 1.0)], Bytes::ZERO, 1.0),
    };
    let predicted = points.iter().map(|point| {
        let at = now.as_f64() + traced.bytes(point.more_pages as f64).as_f64();
        (at, ratio * point.remaining, ratio * point.low, ratio * point.high)
    });
    let predicted = Predicted { from: "predicted with more memory".to_owned(), points: predicted.collect() };
    let (up, across) = if known.is_some() {
        ("miss ratio of page reads", "file cache")
    } else {
        ("misses that remain", "more memory")
    };
    blocks.push(draw(&measured, Some(&predicted), up, across));
    blocks
}

/// The lines of a text that are sentences, not rows of its plot.
fn sentences(text: &str) -> Vec<Block> {
    let lines = text.lines().take_while(|line| !line.starts_with("less memory"));
    lines.map(|line| Block::Paragraph(line.trim().to_owned())).collect()
}

fn draw(points: &[(f64, f64)], predicted: Option<&Predicted>, up: &str, across: &str) -> Block {
    let axes = Axes { title: up, x: across, x_measure: Measure::Bytes, y: "", y_measure: Measure::Share, log: false };
    Block::Picture { svg: curve(points, predicted, &axes), words: format!("{up} against {across}") }
}

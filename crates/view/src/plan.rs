//! The page of a plan: the answer, the curve, every point.

use crate::curve::{Axes, Predicted, curve};
use crate::measure::Measure;
use crate::page::words::capital;
use crate::page::{Block, Page};
use crate::table::{Cell, Table, Tone};
use pagetide_core::{Plan, PlanCurve, PlanPoint, Unit, VariedSetting};

/// Characters of the longest bar of the plot in the table.
const BAR: usize = 40;

/// The page of a plan.
pub fn plan(plan: &Plan) -> Page {
    let mut blocks = Vec::new();
    for curve in plan.curves() {
        blocks.extend(picture(plan, &curve));
    }
    blocks.push(Block::Heading(format!("{}.{} at each setting", plan.step, plan.figure)));
    blocks.push(Block::Table(points(plan)));
    let effects = plan.effects();
    if effects.len() > 1 {
        blocks.push(Block::Heading("Which setting matters most".to_owned()));
        let line = |(key, share): &(&str, f64)| format!("{key}: {:.0} % of the largest mean", share * 100.0);
        blocks.push(Block::List(effects.iter().map(line).collect()));
    }
    if !plan.measured.is_empty() {
        blocks.push(Block::Heading("Measured on a real kernel".to_owned()));
        blocks.push(Block::List(
            plan.measured.iter().map(|point| measured(plan, point.x, point.y, &point.backend)).collect(),
        ));
    }
    if !plan.explanation.is_empty() {
        blocks.push(Block::Heading("What this means".to_owned()));
        blocks.push(Block::Paragraph(plan.explanation.clone()));
    }
    if !plan.guesses.is_empty() {
        blocks.push(Block::Heading("What was guessed".to_owned()));
        blocks.push(Block::List(plan.guesses.clone()));
    }
    blocks.push(Block::Paragraph(
        "These numbers come from a model; docs/CONFORMANCE.md shows how far it is from real kernels.".to_owned(),
    ));
    let title = if plan.question.is_empty() { format!("Plan: {}", plan.scenario) } else { plan.question.clone() };
    Page { title, headline: answer(plan), outcome: outcome(plan), blocks, ..Page::default() }
}

/// The answer in one sentence: the cheapest setting that meets the goal, else where the curve bends, else the best point.
fn answer(plan: &Plan) -> String {
    if let Some(goal) = &plan.goal {
        return match plan.cheapest() {
            Some(point) => {
                format!("Cheapest setting that meets {goal}: {} ({}).", plan.settings(point), spread(plan, point))
            }
            None => format!("No setting meets {goal}; {}.", best(plan)),
        };
    }
    match plan.curves().first().and_then(PlanCurve::knee) {
        Some(knee) => format!("The knee is at {}: {}.", plan.settings(knee), spread(plan, knee)),
        None => format!("{}.", capital(&best(plan))),
    }
}

fn best(plan: &Plan) -> String {
    let known = plan.points.iter().filter(|point| point.median().is_some());
    let largest = known.max_by(|a, b| a.median().unwrap_or(0.0).total_cmp(&b.median().unwrap_or(0.0)));
    largest.map_or_else(
        || "no point has this figure".to_owned(),
        |point| format!("the largest {} is {} with {}", plan.figure, spread(plan, point), plan.settings(point)),
    )
}

fn outcome(plan: &Plan) -> String {
    let knees: Vec<String> = plan
        .curves()
        .iter()
        .filter_map(|curve| Some(format!("the knee is at {}", plan.settings(curve.knee()?))))
        .take(3)
        .collect();
    let mut parts = vec![format!("{} of {} points, {} seeds each", plan.points.len(), plan.planned, plan.seeds)];
    parts.extend(knees);
    format!("{}.", capital(&parts.join("; ")))
}

/// The median, and the range of the seeds where it is not one number.
fn spread(plan: &Plan, point: &PlanPoint) -> String {
    let Some(median) = point.median() else { return "no figure".to_owned() };
    match (point.values.first(), point.values.last()) {
        (Some(low), Some(high)) if low < high => {
            format!("{} ({} to {})", plan.quantity(median), plan.quantity(*low), plan.quantity(*high))
        }
        _ => plan.quantity(median),
    }
}

fn points(plan: &Plan) -> Table {
    let mut table = plan.varied.iter().fold(Table::new(), |table, setting| table.right(&setting.key));
    table = table.right(&plan.figure).left("range of the seeds").left("");
    if plan.goal.is_some() {
        table = table.left("goal");
    }
    let most = plan.points.iter().filter_map(PlanPoint::median).fold(0.0, f64::max);
    for point in &plan.points {
        let mut cells: Vec<Cell> =
            plan.varied.iter().zip(&point.at).map(|(setting, at)| setting.values[*at].as_str().into()).collect();
        let median = point.median();
        cells.push(median.map_or_else(|| "-".into(), |median| plan.quantity(median).into()));
        let range = match (point.values.first(), point.values.last(), &point.refused) {
            (_, _, Some(why)) => why.clone(),
            (Some(low), Some(high), None) if low < high => {
                format!("{} to {}", plan.quantity(*low), plan.quantity(*high))
            }
            _ => String::new(),
        };
        cells.push(range.into());
        cells.push(bar(median, most).into());
        if plan.goal.is_some() {
            cells.push(match point.meets_goal {
                Some(true) => Cell::toned("met", Tone::Good),
                Some(false) => Cell::toned("not met", Tone::Bad),
                None => "cannot be computed".into(),
            });
        }
        table.row(cells);
    }
    table
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the longest bar")]
fn bar(value: Option<f64>, most: f64) -> String {
    let share = value.filter(|_| most > 0.0).map_or(0.0, |value| (value / most).clamp(0.0, 1.0));
    "█".repeat((share * BAR as f64).round() as usize)
}

fn measured(plan: &Plan, x: f64, y: f64, backend: &str) -> String {
    let key = plan.varied.first().map_or("", |setting| setting.key.as_str());
    let near = plan
        .points
        .iter()
        .filter(|point| point.median().is_some())
        .min_by(|a, b| (plan.x(a) - x).abs().total_cmp(&(plan.x(b) - x).abs()));
    let model = near.map_or_else(String::new, |point| {
        format!("; the model's nearest point, {}, is {}", plan.settings(point), spread(plan, point))
    });
    format!("{backend} at {key}={}: {}{model}", x_words(plan, x), plan.quantity(y))
}

fn x_measure(plan: &Plan) -> Measure {
    let bytes = plan.varied.first().and_then(|setting| setting.values.first());
    if bytes.is_some_and(|value| value.parse::<pagetide_core::Bytes>().is_ok()) {
        Measure::Bytes
    } else {
        Measure::Count
    }
}

fn x_words(plan: &Plan, x: f64) -> String {
    x_measure(plan).show(x)
}

fn picture(plan: &Plan, of: &PlanCurve<'_>) -> Option<Block> {
    let figure = plan.figure()?;
    let setting = plan.varied.first()?;
    if of.points.len() < 2 || setting.values.iter().any(|value| VariedSetting::number(value).is_none()) {
        return None;
    }
    let (y_measure, factor) = match figure.unit() {
        Unit::Bytes => (Measure::Bytes, 1.0),
        Unit::PerSecond => (Measure::PerSecond, 1.0),
        Unit::BytesPerSecond => (Measure::BytesPerSecond, 1.0),
        Unit::Ratio => (Measure::Share, 1.0),
        _ => (Measure::Count, 1.0),
    };
    let points = of.points.iter().filter_map(|(x, point)| Some((*x, point.median()? * factor, *point)));
    let predicted = Predicted {
        from: "the model".to_owned(),
        points: points
            .clone()
            .map(|(x, y, point)| {
                (x, y, point.values.first().copied().unwrap_or(y), point.values.last().copied().unwrap_or(y))
            })
            .collect(),
    };
    let real: Vec<(f64, f64)> = plan.measured.iter().map(|point| (point.x, point.y)).collect();
    let title = if of.name.is_empty() { plan.scenario.clone() } else { format!("{}, {}", plan.scenario, of.name) };
    let axes = Axes {
        title: &title,
        x: &setting.key,
        x_measure: x_measure(plan),
        y: &format!("{}.{}", plan.step, plan.figure),
        y_measure,
        log: false,
    };
    Some(Block::Picture {
        svg: curve(&real, Some(&predicted), &axes),
        words: format!("{}.{} against {}, {title}", plan.step, plan.figure, setting.key),
    })
}

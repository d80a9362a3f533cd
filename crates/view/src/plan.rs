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
        blocks.push(Block::Heading("Measured".to_owned()));
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
    let headline = [Some(answer(plan)), warning(plan)].into_iter().flatten().collect::<Vec<_>>().join(" ");
    Page { title, headline, outcome: outcome(plan), blocks, ..Page::default() }
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
    let curves = plan.curves();
    let first = curves.first();
    match first.and_then(PlanCurve::knee) {
        Some(knee) => format!("The knee is at {}: {}.", plan.settings(knee), spread(plan, knee)),
        None if first.is_some_and(PlanCurve::is_without_order) => {
            let setting = plan.varied.first().map_or("", |setting| setting.key.as_str());
            format!("{}.{} goes up and down with {setting}: {}.", plan.step, plan.figure, best(plan))
        }
        None => format!("{}.", capital(&best(plan))),
    }
}

/// How far a measured setting may be from that of a point to be the same, as a share: a machine has less memory than was built in.
const NEAR: f64 = 0.05;
/// How far the model may be from what was measured, as a share of it, before the answer says so.
const FAR: f64 = 0.5;

/// What was measured at a setting for which the model says something else.
fn warning(plan: &Plan) -> Option<String> {
    plan.measured.iter().find_map(|real| {
        let point = nearest(plan, real.x)?;
        let (x, model) = (plan.x(point), point.median()?);
        let is_there = (x - real.x).abs() <= NEAR * real.x.abs();
        let is_far = (model - real.y).abs() > FAR * real.y.abs();
        (is_there && is_far).then(|| {
            format!(
                "The model is wrong here: it says {} at {}, where {} were measured ({}).",
                plan.quantity(model),
                plan.settings(point),
                plan.quantity(real.y),
                real.backend
            )
        })
    })
}

/// The point with a figure whose first setting is nearest to a number.
fn nearest(plan: &Plan, x: f64) -> Option<&PlanPoint> {
    let known = plan.points.iter().filter(|point| point.median().is_some());
    known.min_by(|a, b| (plan.x(a) - x).abs().total_cmp(&(plan.x(b) - x).abs()))
}

fn best(plan: &Plan) -> String {
    let Some(point) = plan.best() else { return "no point has this figure".to_owned() };
    let figure = spread(plan, point);
    if plan.is_flat() {
        let varied: Vec<&str> = plan.varied.iter().map(|setting| setting.key.as_str()).collect();
        return format!(
            "there is no difference: {} is {figure} at every setting of {}",
            plan.figure,
            varied.join(" and ")
        );
    }
    let which = if plan.is_better_small() { "smallest" } else { "largest" };
    format!("the {which} {} is {figure} with {}", plan.figure, plan.settings(point))
}

fn outcome(plan: &Plan) -> String {
    let mut parts = vec![format!(
        "{} of {} points, {} {} each",
        plan.points.len(),
        plan.planned,
        plan.seeds,
        if plan.seeds == 1 { "seed" } else { "seeds" }
    )];
    parts.extend(knees(plan));
    format!("{}.", capital(&parts.join("; ")))
}

/// Knees that are listed at most.
const KNEES: usize = 3;

/// Where the curves bend: one place if it is the same on all of them, else with the other settings of each.
fn knees(plan: &Plan) -> Option<String> {
    let curves = plan.curves();
    let setting = plan.varied.first()?;
    let knee = |curve: &PlanCurve<'_>| Some(format!("{}={}", setting.key, setting.values[*curve.knee()?.at.first()?]));
    let found: Vec<(String, &str)> =
        curves.iter().filter_map(|curve| Some((knee(curve)?, curve.name.as_str()))).collect();
    let (first, _) = found.first()?;
    if found.len() == curves.len() && found.iter().all(|(at, _)| at == first) {
        let whose = if curves.len() > 1 { " on each curve" } else { "" };
        return Some(format!("the knee is at {first}{whose}"));
    }
    let of: Vec<String> = found.iter().take(KNEES).map(|(at, name)| format!("at {at} with {name}")).collect();
    Some(format!("the knee is {}", of.join(", ")))
}

/// The median, and the range of the seeds where it is not one number.
fn spread(plan: &Plan, point: &PlanPoint) -> String {
    let Some(median) = point.median() else { return "no figure".to_owned() };
    let range = seeds(plan, point).map_or_else(String::new, |range| format!(" ({range})"));
    format!("{}{range}", plan.quantity(median))
}

/// From the least to the most of what the seeds have; absent where they print alike.
fn seeds(plan: &Plan, point: &PlanPoint) -> Option<String> {
    let [least, most] = [point.values.first()?, point.values.last()?].map(|value| plan.quantity(*value));
    (least != most).then(|| format!("{least} to {most}"))
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
        let range = point.refused.clone().or_else(|| seeds(plan, point)).unwrap_or_default();
        cells.push(range.as_str().into());
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
    let near = nearest(plan, x);
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

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{MeasuredPoint, Scale};

    fn answer_of(figure: &str, goal: Option<&str>, values: [f64; 2]) -> String {
        answer(&plan_of(figure, goal, values))
    }

    fn plan_of(figure: &str, goal: Option<&str>, values: [f64; 2]) -> Plan {
        let setting = VariedSetting { key: "memory".into(), values: vec!["1GiB".into(), "2GiB".into()] };
        let point = |(at, value): (usize, f64)| PlanPoint {
            at: vec![at],
            values: vec![value],
            meets_goal: goal.map(|_| false),
            refused: None,
        };
        Plan {
            question: String::new(),
            explanation: String::new(),
            guesses: Vec::new(),
            scenario: "s".into(),
            scale: Scale::FULL,
            step: "work".into(),
            figure: figure.into(),
            varied: vec![setting],
            goal: goal.map(Into::into),
            seeds: 1,
            points: values.into_iter().enumerate().map(point).collect(),
            planned: 2,
            measured: Vec::new(),
        }
    }

    #[test]
    fn a_knee_of_all_curves_is_told_once() {
        let plan_of = |values: [[f64; 4]; 2]| {
            let setting = |key: &str, values: &[&str]| VariedSetting {
                key: key.into(),
                values: values.iter().map(|value| (*value).to_owned()).collect(),
            };
            let point = |(at, value): (usize, &f64)| PlanPoint {
                at: vec![at % 4, at / 4],
                values: vec![*value],
                meets_goal: None,
                refused: None,
            };
            let varied = vec![setting("vm.dirty_ratio", &["5", "10", "15", "20"]), setting("cpus", &["1", "2"])];
            let points = values.as_flattened().iter().enumerate().map(point).collect();
            Plan { varied, points, ..plan_of("clat_p999", None, [0.0; 2]) }
        };
        let bent = [12e6, 8e6, 8e6, 8e6];
        let knees_of = |values| knees(&plan_of(values)).unwrap();
        assert_eq!(knees_of([bent, bent]), "the knee is at vm.dirty_ratio=10 on each curve");
        let later = [12e6, 12e6, 8e6, 8e6];
        assert_eq!(
            knees_of([bent, later]),
            "the knee is at vm.dirty_ratio=10 with cpus=1, at vm.dirty_ratio=15 with cpus=2"
        );
    }

    #[test]
    fn a_model_that_is_far_from_what_was_measured_is_said_to_be_wrong() {
        let with = |x: f64, y: f64| {
            let measured = vec![MeasuredPoint { backend: "recording".to_owned(), x, y }];
            warning(&Plan { measured, ..plan_of("disk_read_bytes", None, [0.0, 1e6]) })
        };
        let says = "The model is wrong here: it says 0 B at memory=1GiB, where 627 MiB were measured (recording).";
        assert_eq!(with(1.05e9, 657_457_152.0).as_deref(), Some(says));
        assert_eq!(with(1.5e9, 657_457_152.0), None, "no point is there");
        assert_eq!(with(2.1e9, 1.2e6), None, "near enough");
    }

    #[test]
    fn a_figure_that_goes_up_and_down_is_said_to() {
        let of = |values: [f64; 4]| {
            let all = ["1GiB", "2GiB", "3GiB", "4GiB"].map(str::to_owned).to_vec();
            let varied = vec![VariedSetting { key: "memory".into(), values: all }];
            let point = |(at, value): (usize, f64)| PlanPoint {
                at: vec![at],
                values: vec![value],
                meets_goal: None,
                refused: None,
            };
            let points = values.into_iter().enumerate().map(point).collect();
            answer(&Plan { varied, points, ..plan_of("iops", None, [0.0; 2]) })
        };
        let wild = of([500.0, 300.0, 480.0, 310.0]);
        assert_eq!(wild, "work.iops goes up and down with memory: the largest iops is 500/s with memory=1GiB.");
        assert_eq!(of([300.0, 500.0, 400.0, 310.0]), "The largest iops is 500/s with memory=2GiB.");
    }

    #[test]
    fn a_setting_that_changes_nothing_is_said_to_make_no_difference() {
        let flat = answer_of("clat_p99", None, [377e3, 377e3]);
        assert_eq!(flat, "There is no difference: clat_p99 is 377 us at every setting of memory.");
        let missed = answer_of("clat_p99", Some("work.clat_p99 <= 1us"), [377e3, 377e3]);
        assert!(
            missed.ends_with("; there is no difference: clat_p99 is 377 us at every setting of memory."),
            "{missed}"
        );
        let reads = answer_of("disk_reads", None, [400.0, 100.0]);
        assert_eq!(reads, "The smallest disk_reads is 100 with memory=2GiB.");
        assert_eq!(answer_of("iops", None, [100.0, 400.0]), "The largest iops is 400/s with memory=2GiB.");
    }
    #[test]
    fn the_range_of_the_seeds_is_shown_where_they_print_apart() {
        let told = |values: &[f64]| {
            let point = PlanPoint { at: vec![0], values: values.to_vec(), meets_goal: None, refused: None };
            let plan = Plan { points: vec![point], ..plan_of("iops", None, [0.0; 2]) };
            let table = points(&plan);
            let Some(crate::table::Row::Cells(cells)) = table.rows.first() else { panic!("a row") };
            (answer(&plan), cells[2].text.clone())
        };
        let apart = told(&[400.0, 500.0, 640.0]);
        assert_eq!(apart.0, "The largest iops is 500/s (400/s to 640/s) with memory=1GiB.");
        assert_eq!(apart.1, "400/s to 640/s");
        assert_eq!(told(&[500.0, 500.001, 500.002]).1, "", "they print alike");
    }
}

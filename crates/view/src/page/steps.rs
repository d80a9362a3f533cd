//! The step table: what was measured beside what was published.

use super::words::step;
use crate::table::{Cell, Table, Tone};
use pagetide_core::{Action, Figure, Figures, Goal, Outcome, Quantity, RunResult, Scenario, StepResult, Unit};

/// A column of the step table: a figure, or the share of requests that reached the disk.
#[derive(Clone, Copy, PartialEq)]
enum Measure {
    Plain(Figure),
    Reached,
}

const COLUMNS: [(Measure, &str); 8] = [
    (Measure::Plain(Figure::Issued), "issued"),
    (Measure::Plain(Figure::Iops), "IOPS"),
    (Measure::Plain(Figure::ClatMean), "mean\nlatency"),
    (Measure::Reached, "reached\nthe disk"),
    (Measure::Plain(Figure::DiskReads), "disk\nreads"),
    (Measure::Plain(Figure::DiskWrites), "disk\nwrites"),
    (Measure::Plain(Figure::Iterations), "iterations"),
    (Measure::Plain(Figure::Elapsed), "elapsed"),
];

/// The heading over the table.
pub(super) fn heading(scenario: Option<&Scenario>) -> &'static str {
    if any_published(scenario) { "Steps beside the published figures" } else { "Steps" }
}

/// The figures that were published of a step or of a part of it.
fn published<'a>(scenario: Option<&'a Scenario>, id: &str) -> Option<&'a Figures> {
    scenario?.published(id).filter(|figures| figures.iter().next().is_some())
}

/// Whether figures were published of any step.
pub(super) fn any_published(scenario: Option<&Scenario>) -> bool {
    scenario.is_some_and(|scenario| scenario.results().any(|(_, figures)| figures.iter().next().is_some()))
}

/// Whether the published run of a step was stopped before it had done its iterations: its time then is how long somebody waited, whatever the scale.
fn was_stopped(scenario: Option<&Scenario>, id: &str) -> bool {
    let Some(figures) = published(scenario, id) else { return false };
    let is_killed = figures.get(Figure::OomKills).is_some_and(|kills| kills > 0.0);
    match step(scenario, id).map(|step| step.action.spec().goal()) {
        Some(Goal::Iterations(all)) => {
            figures.get(Figure::Iterations).is_some_and(|did| did < all as f64) && !is_killed
        }
        _ => false,
    }
}

/// The table. Figures of another machine that mean nothing on this one stand in parentheses.
pub(super) fn table(run: &RunResult, scenario: Option<&Scenario>) -> Table {
    let factor = run.scale.ratio();
    let scaled = |figure: Figure, value: f64| if figure.scales() { value * factor } else { value };
    let expected = |id: &str, writes: bool, shown: Measure| -> Option<f64> {
        let figures = published(scenario, id)?;
        match shown {
            Measure::Plain(Figure::Elapsed) if was_stopped(scenario, id) => figures.get(Figure::Elapsed),
            Measure::Plain(figure) => Some(scaled(figure, figures.get(figure)?)),
            Measure::Reached => reached(figures, writes),
        }
    };
    let measured = |step: &StepResult, writes: bool, shown: Measure| match shown {
        // The disk counts what all parts of a step do.
        Measure::Reached | Measure::Plain(Figure::DiskReads | Figure::DiskWrites)
            if scenario.is_some_and(|scenario| scenario.shares_a_disk(&step.id)) =>
        {
            None
        }
        Measure::Plain(figure) => step.get(figure),
        Measure::Reached => reached(&step.figures, writes),
    };
    let writes = |result: &StepResult| match step(scenario, &result.id).map(|step| &step.action) {
        Some(Action::Fio(job)) => !job.reads_only(),
        _ => result.get(Figure::DiskWrites) > result.get(Figure::DiskReads),
    };
    // Only what has to be done so many times is counted.
    let repeats = |id: &str| {
        let goal = step(scenario, id).map(|step| step.action.spec().goal());
        matches!(goal, Some(Goal::Iterations(_)))
    };
    let columns: Vec<(Measure, &str)> = COLUMNS
        .into_iter()
        .filter(|(shown, _)| {
            run.steps.iter().any(|step| {
                let writes = writes(step);
                let counts = !matches!(shown, Measure::Plain(Figure::Iterations)) || repeats(&step.id);
                counts && measured(step, writes, *shown).or(expected(&step.id, writes, *shown)).is_some()
            })
        })
        .collect();

    let mut table = columns.iter().fold(Table::new().left("step"), |table, (_, head)| table.right(head));
    let label = if factor == 1.0 { "published".to_owned() } else { format!("published × {}", run.scale) };
    for result in &run.steps {
        let writes = writes(result);
        table.group(result.id.as_str(), describe(result));
        // A step that only sets the machine has no row, unless figures of it were published.
        let published = published(scenario, &result.id).is_some();
        if !published && step(scenario, &result.id).is_some_and(|step| !step.action.spec().works()) {
            continue;
        }
        let values = columns.iter().map(|(shown, _)| cell(*shown, measured(result, writes, *shown)));
        table.row(std::iter::once("measured".into()).chain(values));
        if !published {
            continue;
        }
        let values = columns.iter().map(|(shown, _)| elsewhere(*shown, expected(&result.id, writes, *shown)));
        table.row(std::iter::once(label.as_str().into()).chain(values));
        let ratios = columns
            .iter()
            .map(|(shown, _)| ratio(*shown, measured(result, writes, *shown), expected(&result.id, writes, *shown)));
        table.row(std::iter::once("ratio".into()).chain(ratios));
    }
    if any_published(scenario) {
        let scale = if factor == 1.0 {
            String::new()
        } else {
            let is_stopped = run.steps.iter().any(|step| was_stopped(scenario, &step.id));
            let but = if is_stopped {
                ", but for the time of a run that was stopped before it had done its iterations"
            } else {
                ""
            };
            format!(" Published counts, amounts and times are multiplied by the scale, {}{but}.", run.scale)
        };
        table.note = format!(
            "Ratio is measured over published: counts and shares compare across machines. Times and rates, in parentheses, were measured on the \
             author's machine: only their ratios within one run compare.{scale} Reached the disk: reads (for writers: writes) that the device \
             completed within the step, per request issued."
        );
    }
    table
}

/// What a step was, and how it ended when it did not end well.
fn describe(step: &StepResult) -> String {
    let ended = match step.outcome {
        Outcome::Done => return step.title.clone(),
        Outcome::Killed => "was killed",
        Outcome::TimedOut => "timed out",
        Outcome::Refused => "failed or could not start",
    };
    format!("{} ({ended})", step.title)
}

/// Requests of the device per request issued, from either machine's counts alike.
fn reached(figures: &Figures, writes: bool) -> Option<f64> {
    let requests = figures.get(if writes { Figure::DiskWrites } else { Figure::DiskReads })?;
    figures.get(Figure::Issued).filter(|issued| *issued > 0.0).map(|issued| requests / issued)
}

fn text(shown: Measure, value: f64) -> String {
    match shown {
        Measure::Reached => Quantity::ratio(value).to_string(),
        Measure::Plain(figure) if figure.unit() == Unit::PerSecond => Quantity::count(value.round()).to_string(),
        Measure::Plain(figure) if figure.unit() == Unit::Count => Quantity::count(value.round()).to_string(),
        Measure::Plain(figure) => Quantity::new(value, figure.unit()).to_string(),
    }
}

fn cell(shown: Measure, value: Option<f64>) -> Cell {
    value.map_or_else(dash, |value| Cell::toned(text(shown, value), Tone::Strong))
}

fn elsewhere(shown: Measure, value: Option<f64>) -> Cell {
    let Some(value) = value else { return dash() };
    if comparable(shown) {
        text(shown, value).into()
    } else {
        Cell::toned(format!("({})", text(shown, value)), Tone::Dim)
    }
}

fn ratio(shown: Measure, measured: Option<f64>, published: Option<f64>) -> Cell {
    match (measured, published) {
        (Some(measured), Some(published)) if comparable(shown) => {
            if published > 0.0 {
                format!("{:.2}", measured / published).into()
            } else if measured == published {
                "same".into()
            } else {
                dash()
            }
        }
        _ => Cell::default(),
    }
}

fn dash() -> Cell {
    Cell::toned("-", Tone::Dim)
}

fn comparable(shown: Measure) -> bool {
    match shown {
        Measure::Reached => true,
        Measure::Plain(figure) => figure.comparability().across_machines(),
    }
}

/// What the steps have to say, one sentence each.
pub(super) fn notes(run: &RunResult) -> Vec<String> {
    run.steps.iter().flat_map(|step| step.notes.iter().map(move |note| format!("{}: {note}", step.id))).collect()
}

/// Every figure that any step has: a row per figure, a column per step.
pub(super) fn all_figures<'a>(steps: impl Iterator<Item = &'a StepResult>) -> Table {
    let steps: Vec<&StepResult> = steps.filter(|step| step.figures.iter().next().is_some()).collect();
    let mut table = steps.iter().fold(Table::new().left("figure"), |table, step| table.right(&step.id));
    table = table.left("what it is");
    for figure in Figure::ALL.iter().filter(|figure| steps.iter().any(|step| step.get(**figure).is_some())) {
        let values = steps.iter().map(|step| Cell::from(step.quantity(*figure)));
        let meaning = Cell::toned(figure.meaning(), Tone::Dim);
        table.row(std::iter::once(figure.name().into()).chain(values).chain([meaning]));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_run_that_was_stopped_before_it_was_done_has_its_time_unscaled() {
        let step = |id: &str, published: &str| {
            format!(
                "[[step]]\nid = \"{id}\"\nmap_and_walk = {{ data = \"1GiB\", iterations = 11 }}\npublished = {{ {published} }}\n"
            )
        };
        let text = [
            "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n\
             [[machine.disk]]\nname = \"d\"\nsize = \"8GiB\"\n"
                .to_owned(),
            step("done", "iterations = 11, elapsed = \"115s\""),
            step("stopped", "iterations = 0, elapsed = \"2min\""),
            step("killed", "iterations = 0, elapsed = \"6s\", oom_kills = 1"),
            step("unknown", "elapsed = \"6s\""),
        ];
        let scenario = Scenario::parse(&text.concat(), "t.toml").unwrap();
        let stopped = ["done", "stopped", "killed", "unknown"].map(|id| was_stopped(Some(&scenario), id));
        assert_eq!(stopped, [false, true, false, false]);
    }
}

//! The page of a comparison: published and measured figures side by side, those that compare across machines apart from the others.

use super::block::{Block, Page};
use super::words::capital;
use crate::claim::sign_word_tone;
use crate::table::{Cell, Table, Tone};
use pagetide_core::{
    ClaimStatus, Comparability, ComparedFigure, ComparedNumbers, ComparedStep, Comparison, Figure, Outcome, Quantity,
    Unit,
};

/// Figures that are shown of every step that has them, beside those that were published or are claimed about.
const ALWAYS: [Figure; 12] = [
    Figure::Elapsed,
    Figure::Issued,
    Figure::Iops,
    Figure::Bandwidth,
    Figure::ClatMean,
    Figure::DiskReads,
    Figure::DiskWrites,
    Figure::CacheHitRatio,
    Figure::Iterations,
    Figure::MajorFaults,
    Figure::SwapIn,
    Figure::SwapOut,
];

/// Numbers agree when they differ by at most this part, or counts by at most this part of the step's requests.
const AGREEING_SHARE: f64 = 0.1;
const AGREEING_COUNT_SHARE: f64 = 0.05;

/// The page of a comparison.
pub fn comparison(comparison: &Comparison) -> Page {
    let mut blocks = vec![Block::Heading("Runs".to_owned()), Block::Table(runs(comparison))];
    if !comparison.notes.is_empty() {
        blocks.push(Block::List(comparison.notes.clone()));
    }
    if !comparison.claims.is_empty() {
        blocks.push(Block::Heading("Claims, which are ratios within a run".to_owned()));
        blocks.push(Block::Table(claims(comparison)));
    }
    blocks.push(Block::Heading("Figures to compare across machines".to_owned()));
    blocks.push(Block::Table(counts(comparison, false)));
    blocks.push(Block::Heading("Figures to compare only within a run".to_owned()));
    blocks.push(Block::Table(paces(comparison, false)));
    for run in comparison.runs.iter().filter(|run| !run.differences.is_empty()) {
        blocks.push(Block::Heading(format!("How {} differs from the scenario's machine", run.name)));
        blocks.push(Block::List(run.differences.clone()));
    }
    for (summary, table) in [
        ("All figures to compare across machines", counts(comparison, true)),
        ("All figures to compare only within a run", paces(comparison, true)),
    ] {
        blocks.push(Block::More { summary: summary.to_owned(), table });
    }
    let names = comparison.runs.iter().map(|run| run.name.as_str());
    let columns: Vec<&str> = published(comparison).then_some("published").into_iter().chain(names).collect();
    Page {
        title: format!("{}: {}", comparison.scenario, columns.join(", ")),
        lead: vec![format!("{}.", comparison.title)],
        outcome: outcome(comparison),
        blocks,
        ..Page::default()
    }
}

/// Whether two numbers of a step agree: within a tenth, or counts that differ by little beside the requests of the step, which is
/// what others do on the same disk.
fn agree(step: &ComparedStep, figure: Figure, value: f64, base: f64) -> bool {
    let asked = step.figures.iter().find(|compared| compared.figure == Figure::Issued);
    let asked = asked.and_then(|issued| issued.numbers.measured.iter().flatten().copied().reduce(f64::min));
    let little = if figure.unit() == Unit::Count { asked.unwrap_or(0.0) * AGREEING_COUNT_SHARE } else { 0.0 };
    (value - base).abs() <= (base.abs() * AGREEING_SHARE).max(little)
}

/// Of the comparable figures of the run at this place: how many agree with the base, and how many there are.
fn agreeing(comparison: &Comparison, at: usize, base: impl Fn(&ComparedNumbers) -> Option<f64>) -> (usize, usize) {
    let (mut near, mut all) = (0, 0);
    for step in comparison.steps.iter().filter(|step| step.same_work) {
        for compared in step.figures.iter().filter(|compared| compared.comparable && wanted(comparison, step, compared))
        {
            let numbers = &compared.numbers;
            let Some((value, base)) = numbers.measured.get(at).copied().flatten().zip(base(numbers)) else { continue };
            all += 1;
            near += usize::from(agree(step, compared.figure, value, base));
        }
    }
    (near, all)
}

/// The claims of each run, and how many of the comparable figures agree.
fn outcome(comparison: &Comparison) -> String {
    let mut parts = Vec::new();
    for (at, run) in comparison.runs.iter().enumerate() {
        let checked: Vec<ClaimStatus> = comparison.claims.iter().filter_map(|claim| claim.holds[at]).collect();
        let held = checked.iter().filter(|holds| **holds == ClaimStatus::Holds).count();
        let mut part = format!("on {} {held} of {} claims hold", run.name, checked.len());
        if let (near, all @ 1..) = agreeing(comparison, at, |numbers| numbers.published) {
            part += &format!(" and {near} of {all} published counts are matched");
        }
        parts.push(part);
    }
    let first = comparison.runs.first().map_or("", |run| run.name.as_str());
    for (at, run) in comparison.runs.iter().enumerate().skip(1) {
        if let (near, all @ 1..) = agreeing(comparison, at, |numbers| numbers.measured.first().copied().flatten()) {
            parts.push(format!("{near} of {all} comparable figures of {} equal those of {first}", run.name));
        }
    }
    format!("{} (within 10 %, counts also within 5 % of the step's requests).", capital(&parts.join("; ")))
}

fn runs(comparison: &Comparison) -> Table {
    let mut table = Table::new().left("run").left("on").right("scale").left("kernel").left("machine");
    for run in &comparison.runs {
        let machine = run.machine.join("; ");
        table.row([
            run.name.as_str().into(),
            run.backend.as_str().into(),
            run.scale.to_string().into(),
            run.kernel.as_str().into(),
            machine.into(),
        ]);
    }
    table
}

fn claims(comparison: &Comparison) -> Table {
    let mut table = comparison.runs.iter().fold(Table::new().left("claim"), |table, run| table.left(&run.name));
    table = table.left("numbers");
    for claim in &comparison.claims {
        let verdicts = claim.holds.iter().map(|holds| {
            holds.map_or_else(dash, |holds| {
                let (sign, word, tone) = sign_word_tone(holds);
                Cell::toned(format!("{sign} {word}"), tone)
            })
        });
        let numbers: Vec<String> = comparison
            .runs
            .iter()
            .zip(&claim.evidence)
            .filter_map(|(run, evidence)| Some(format!("{}: {}", run.name, evidence.as_ref()?)))
            .collect();
        let numbers = Cell::toned(numbers.join("; "), Tone::Dim);
        table.row(std::iter::once(claim.id.as_str().into()).chain(verdicts).chain([numbers]));
    }
    table
}

/// Whether a figure is shown beside the full list.
fn wanted(comparison: &Comparison, step: &ComparedStep, compared: &ComparedFigure) -> bool {
    let figure = compared.figure;
    let token = format!("{}.{}", step.id, figure.name());
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let claimed = || comparison.claims.iter().any(|claim| claim.check.split(|c| !word(c)).any(|part| part == token));
    let something = compared.numbers.measured.iter().flatten().any(|value| *value != 0.0);
    compared.numbers.published.is_some() || (ALWAYS.contains(&figure) && something) || claimed()
}

fn published_label(comparison: &Comparison) -> String {
    if comparison.scale.ratio() == 1.0 { "published".into() } else { format!("published\n× {}", comparison.scale) }
}

/// Whether anything of this scenario was published.
fn published(comparison: &Comparison) -> bool {
    comparison.steps.iter().flat_map(|step| &step.figures).any(|compared| compared.numbers.published.is_some())
}

/// The steps with the figures of one table, as groups of rows.
fn grouped(
    comparison: &Comparison,
    mut table: Table,
    wanted: impl Fn(&ComparedStep, &ComparedFigure) -> bool,
    cells: impl Fn(&ComparedFigure) -> Vec<Cell>,
) -> Table {
    for step in &comparison.steps {
        let figures: Vec<&ComparedFigure> = step.figures.iter().filter(|compared| wanted(step, compared)).collect();
        if figures.is_empty() {
            continue;
        }
        table.group(step.id.as_str(), describe(comparison, step));
        for compared in figures {
            table.row(cells(compared));
        }
    }
    table
}

fn describe(comparison: &Comparison, step: &ComparedStep) -> String {
    let ended = comparison.runs.iter().zip(&step.outcomes).filter_map(|(run, outcome)| {
        let word = match outcome {
            Some(Outcome::Done) => return None,
            Some(Outcome::Killed) => "was killed",
            Some(Outcome::TimedOut) => "timed out",
            Some(Outcome::Refused) => "failed",
            None => "not run",
        };
        Some(format!("{}: {word}", run.name))
    });
    let mut ended: Vec<String> = ended.collect();
    if !step.same_work {
        ended.push("different amounts of work".to_owned());
    }
    if ended.is_empty() { step.title.clone() } else { format!("{} ({})", step.title, ended.join(", ")) }
}

/// Counts, amounts and shares, with their ratios.
fn counts(comparison: &Comparison, all: bool) -> Table {
    let names: Vec<&str> = comparison.runs.iter().map(|run| run.name.as_str()).collect();
    let published = published(comparison);
    let mut table = Table::new().left("figure");
    if published {
        table = table.right(&published_label(comparison));
    }
    table = names.iter().fold(table, |table, name| table.right(name));
    if published {
        table = names.iter().fold(table, |table, name| table.right(&format!("{name} /\npublished")));
    }
    let first = names.first().copied().unwrap_or_default();
    table = names.iter().skip(1).fold(table, |table, name| table.right(&format!("{name} /\n{first}")));
    let cells = |compared: &ComparedFigure| {
        let numbers = &compared.numbers;
        let show = |value: Option<f64>| {
            value.map_or_else(dash, |value| Cell::toned(text(compared.figure, value), Tone::Strong))
        };
        let mut cells: Vec<Cell> = vec![compared.figure.name().into()];
        if published {
            cells.push(numbers.published.map_or_else(dash, |value| text(compared.figure, value).into()));
        }
        cells.extend(numbers.measured.iter().map(|value| show(*value)));
        if published {
            cells.extend(numbers.to_published.iter().map(|value| ratio(*value)));
        }
        cells.extend(numbers.to_first.iter().skip(1).map(|value| ratio(*value)));
        cells
    };
    let wanted = |step: &ComparedStep, compared: &ComparedFigure| {
        compared.comparable && (all || wanted(comparison, step, compared))
    };
    let mut table = grouped(comparison, table, wanted, cells);
    table.note = "Memory, files and requests determine how many requests, bytes and pages a step takes. These figures are the same on any \
        machine with that memory, up to the scale, so their ratios should be near 1."
        .to_owned();
    table
}

/// Times and rates: each as it was measured, and over that of another step of the same run.
fn paces(comparison: &Comparison, all: bool) -> Table {
    let names: Vec<&str> = comparison.runs.iter().map(|run| run.name.as_str()).collect();
    let published = published(comparison);
    let columns = |mut table: Table, over: &str| {
        if published {
            let label = if over.is_empty() { published_label(comparison) } else { format!("{over}\npublished") };
            table = table.right(&label);
        }
        let head = |name: &str| if over.is_empty() { name.to_owned() } else { format!("{over}\n{name}") };
        names.iter().fold(table, |table, name| table.right(&head(name)))
    };
    let table = columns(Table::new().left("figure"), "").left("over that\nof step");
    let table = columns(table, "ratio");
    let cells = |compared: &ComparedFigure| {
        let line = |numbers: &ComparedNumbers, show: &dyn Fn(Option<f64>) -> Cell| {
            let all = numbers
                .published
                .map(Some)
                .into_iter()
                .chain((published && numbers.published.is_none()).then_some(None));
            all.chain(numbers.measured.iter().copied()).map(show).collect::<Vec<_>>()
        };
        let alone =
            |value: Option<f64>| value.map_or_else(dash, |value| Cell::toned(text(compared.figure, value), Tone::Dim));
        let mut cells: Vec<Cell> = vec![compared.figure.name().into()];
        cells.extend(line(&compared.numbers, &alone));
        if let Some(within) = &compared.within {
            cells.push(within.step.as_str().into());
            cells.extend(line(&within.numbers, &|value| ratio(value)));
        }
        cells
    };
    let wanted = |step: &ComparedStep, compared: &ComparedFigure| {
        !compared.comparable && (all || wanted(comparison, step, compared))
    };
    let mut table = grouped(comparison, table, wanted, cells);
    let why = |kind| match kind {
        Comparability::Time => "times depend on the CPU, which may be emulated, and on the disk",
        Comparability::Rate => "rates depend on the disk, or on the CPU if no disk is involved",
        Comparability::Count => "counts depend on neither",
    };
    let reasons = [Comparability::Time, Comparability::Rate].map(why).join("; ");
    table.note = format!(
        "{}. What compares is how a step relates to an earlier step of the same run: the ratios on the right.",
        capital(&reasons)
    );
    table
}

fn text(figure: Figure, value: f64) -> String {
    match figure.unit() {
        Unit::Count => Quantity::count(value.round()).to_string(),
        Unit::PerSecond => format!("{}/s", Quantity::count(value.round())),
        unit => Quantity::new(value, unit).to_string(),
    }
}

/// A ratio with as many digits as it deserves.
fn ratio(value: Option<f64>) -> Cell {
    let Some(value) = value else { return dash() };
    let text = match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 0.1 || value == 0.0 => format!("{value:.2}"),
        value if value >= 0.001 => format!("{value:.4}"),
        value => format!("{value:.1e}"),
    };
    Cell::toned(text, Tone::Plain)
}

fn dash() -> Cell {
    Cell::toned("-", Tone::Dim)
}

//! The page on a terminal, and the parts of it that commands use by themselves.

use crate::claim::sign_word_tone;
use crate::clock;
use crate::page::{Block, FindingCard, Page, StepVerdict};
use crate::stage::Stage;
use crate::table::{Row, Tone};
use crate::timeline::{Band, Event, Plot, Shape, Stretch, Timeline};
use pagetide_core::{Advice, Quantity, Verdict, is_log_entry};
use std::io::{self, Write};

mod grid;
mod spark;
pub(crate) mod words;

pub use crate::table::Table;
pub use spark::sparkline;
pub use words::lines as wrap;

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether the terminal shows colours. The text says the same without them.
    pub colour: bool,
    /// Characters in a line. Words wrap at it; a table that cannot be made narrower may go beyond.
    pub width: usize,
}

impl Style {
    /// A text in a tone; plain without colour.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            _ if !self.colour => return text.to_owned(),
            Tone::Plain => return text.to_owned(),
            Tone::Dim => "2",
            Tone::Strong => "1",
            Tone::Good => "32",
            Tone::Bad => "31",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Writes the page.
///
/// # Errors
///
/// Those of the writer.
pub fn draw(page: &Page, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let title = words::clean(&page.title);
    writeln!(out, "{}", style.paint(Tone::Strong, &title))?;
    writeln!(out, "{}", "=".repeat(words::width(&title).min(style.width)))?;
    // What is missing comes before what is said about the rest.
    for line in &page.damaged {
        writeln!(out)?;
        words::wrapped(out, style.width, "", "", line)?;
    }
    if !page.headline.is_empty() {
        writeln!(out)?;
        words::wrapped(out, style.width, "", "", &page.headline)?;
    }
    for paragraph in &page.lead {
        writeln!(out)?;
        words::wrapped(out, style.width, "", "", paragraph)?;
    }
    if !page.outcome.is_empty() {
        writeln!(out)?;
        words::wrapped(out, style.width, "", "", &page.outcome)?;
    }
    for block in &page.blocks {
        block_text(block, style, out)?;
    }
    Ok(())
}

fn block_text(block: &Block, style: Style, out: &mut dyn Write) -> io::Result<()> {
    match block {
        Block::Heading(text) => {
            let text = words::clean(text);
            writeln!(out, "\n{}", style.paint(Tone::Strong, &text))?;
            writeln!(out, "{}", "-".repeat(words::width(&text).min(style.width)))
        }
        Block::Paragraph(text) => words::wrapped(out, style.width, "", "", text),
        Block::List(items) => items.iter().try_for_each(|item| words::wrapped(out, style.width, "- ", "  ", item)),
        Block::Facts(facts) => {
            let longest = facts.iter().map(|(name, _)| words::width(name)).max().unwrap_or(0);
            for (name, value) in facts {
                let mut first = format!("{name:longest$}  ");
                for line in value {
                    words::wrapped(out, style.width, &first, &" ".repeat(longest + 2), line)?;
                    first = " ".repeat(longest + 2);
                }
            }
            Ok(())
        }
        Block::Table(table) => table.draw(style, out),
        Block::Steps(steps) => steps.iter().try_for_each(|step| step_text(step, style, out)),
        Block::Claims(claims) => claims.iter().try_for_each(|claim| claim_text(claim, style, out)),
        Block::Finding(card) => finding_text(card, style, out),
        Block::Chain(stages) => chain_text(stages, style, out),
        Block::Advice(all) => all.iter().enumerate().try_for_each(|(index, advice)| {
            if index > 0 {
                writeln!(out)?;
            }
            advice_text(advice, style, "", out)
        }),
        Block::Timeline(timeline) => timeline_text(timeline, style, out),
        Block::More { .. } | Block::Picture { .. } => Ok(()),
    }
}

fn claim_text(claim: &Verdict, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (sign, word, tone) = sign_word_tone(claim.holds);
    let id = words::clean(&claim.id);
    writeln!(out, "{}  {id}", style.paint(tone, &format!("{sign} {word}")))?;
    words::wrapped(out, style.width, "    ", "    ", &claim.text)?;
    words::wrapped(out, style.width, "    check     ", "              ", &claim.check)?;
    words::wrapped(out, style.width, "    evidence  ", "              ", &claim.evidence)
}

fn finding_text(card: &FindingCard, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (rule, place) = (words::clean(&card.rule), words::clean(&card.place));
    writeln!(out, "{}  {place}, {}", style.paint(Tone::Strong, &rule), card.sureness)?;
    words::wrapped(out, style.width, "    ", "    ", &card.statement)?;
    for (table, first) in [(&card.evidence, "    shown by  "), (&card.contradictions, "    against   ")] {
        if table.rows.is_empty() {
            continue;
        }
        if card.open {
            writeln!(out)?;
            table.draw_indented(style, 4, out)?;
        } else {
            words::wrapped(out, style.width, first, "              ", &in_line(table))?;
        }
    }
    for (at, also) in card.also.iter().enumerate() {
        let text = format!("{}, {}: {}", also.place, also.sureness, also.statement);
        let first = if at == 0 { "    also      " } else { "              " };
        words::wrapped(out, style.width, first, "              ", &text)?;
    }
    for advice in &card.advice {
        advice_text(advice, style, "    to do     ", out)?;
    }
    writeln!(out)
}

/// The rows of a table of evidence as one line: what was measured, and what it is compared with.
fn in_line(table: &Table) -> String {
    let rows = table.rows.iter().filter_map(|row| match row {
        Row::Cells(cells) => Some(cells),
        Row::Group { .. } => None,
    });
    let texts = rows.map(|cells| {
        let text = |at: usize| cells.get(at).map_or("", |cell| cell.text.as_str());
        let against = if text(2).is_empty() { String::new() } else { format!(" ({})", text(2)) };
        format!("{} {}{against}", text(0), text(1))
    });
    texts.collect::<Vec<_>>().join("; ")
}

fn step_text(step: &StepVerdict, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let hits = step.hit_ratio.map(|ratio| format!("{} hits", Quantity::ratio(ratio)));
    let numbers: Vec<String> =
        Some(step.iops.clone()).filter(|iops| !iops.is_empty()).into_iter().chain(hits).collect();
    let numbers = if numbers.is_empty() { String::new() } else { format!(" ({})", numbers.join(", ")) };
    words::wrapped(out, style.width, "", "    ", &format!("{}  {}{numbers}", step.id, step.title))?;
    let verdict = style.paint(step.tone, &words::clean(&step.verdict));
    if step.statement.is_empty() {
        return writeln!(out, "    {verdict}");
    }
    writeln!(out, "    {verdict}")?;
    words::wrapped(out, style.width, "      ", "      ", &step.statement)
}

/// What to do, and how much of the lost time it can give back.
pub(crate) fn action(advice: &Advice) -> String {
    let back = advice.gives_back_ns.map(|back| {
        let time = Quantity::nanos(pagetide_core::Nanos::new(back));
        format!(" It can give back up to {time} of the time lost.")
    });
    format!("{}{}", advice.action, back.unwrap_or_default())
}

fn advice_text(advice: &Advice, style: Style, first: &str, out: &mut dyn Write) -> io::Result<()> {
    let rest = " ".repeat(words::width(first));
    words::wrapped(out, style.width, first, &rest, &action(advice))?;
    if let Some(command) = &advice.command {
        writeln!(out, "{rest}$ {}", words::clean(command))?;
    }
    words::wrapped(out, style.width, &rest, &rest, &advice.effect)?;
    for (what, command) in also(advice) {
        writeln!(out, "{rest}{what}: {}", words::clean(command))?;
    }
    Ok(())
}

/// What else an advice comes with: how to undo it, and how to reproduce the situation.
pub(crate) fn also(advice: &Advice) -> impl Iterator<Item = (&'static str, &str)> {
    let undo = advice.undo.as_deref().map(|undo| ("undo", undo));
    undo.into_iter().chain(advice.scenario.as_deref().map(|scenario| ("reproduce", scenario)))
}

fn chain_text(stages: &[Stage], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for (index, stage) in stages.iter().enumerate() {
        let number = format!("{:2}  ", index + 1);
        let after = stage.after.map_or(String::new(), |after| format!(", after {}: {}", after + 1, stage.lag));
        words::wrapped(out, style.width, &number, "    ", &format!("{}  ({}{after})", stage.words, stage.when))?;
        let amounts = if stage.amounts.is_empty() { String::new() } else { format!(" {}.", stage.amounts) };
        words::wrapped(out, style.width, "      ", "      ", &format!("{}{amounts}", stage.how))?;
        if !stage.kernel.is_empty() {
            words::wrapped(out, style.width, "      ", "      ", &stage.kernel)?;
        }
    }
    Ok(())
}

fn timeline_text(timeline: &Timeline, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let names =
        timeline.plots.iter().flat_map(|plot| lines(plot, timeline, 1)).map(|(name, ..)| name.chars().count() + 3);
    let names = names.max().unwrap_or(0).clamp(22, (style.width / 3).max(22));
    let columns = style.width.saturating_sub(names + 16).clamp(10, 200);
    let name = |text: &str| format!("{text:names$.names$}");
    for (index, ruler) in rulers(&timeline.steps, timeline.span_ns, columns).iter().enumerate() {
        writeln!(out, "{}{ruler}", name(if index == 0 { "  steps" } else { "" }))?;
    }
    if timeline.stretches.len() > 1 {
        for (index, ruler) in rulers(&times(timeline), timeline.span_ns, columns).iter().enumerate() {
            writeln!(out, "{}{ruler}", name(if index == 0 { "  from" } else { "" }))?;
        }
    }
    for plot in &timeline.plots {
        writeln!(out, "{}", style.paint(Tone::Strong, &words::clean(&plot.title)))?;
        for (line, values, peak) in lines(plot, timeline, columns) {
            let peak = peak.map_or_else(|| "-".to_owned(), |peak| plot.measure.show(peak));
            writeln!(out, "{}{} {peak:>14}", name(&format!("  {}", words::clean(&line))), spark::bars(&values))?;
        }
    }
    for sentence in timeline.left_out.iter().chain(&timeline.cuts()) {
        words::wrapped(out, style.width, "", "", sentence)?;
    }
    let entries: Vec<&Event> = timeline.events.iter().filter(|event| is_log_entry(&event.text)).collect();
    for event in entries.iter().take(LOG_ENTRIES) {
        let at = clock::short(timeline.local_ns(event.at));
        words::wrapped(out, style.width, "", "  ", &format!("{at}: {}", words::clean(&event.text)))?;
    }
    if entries.len() > LOG_ENTRIES {
        writeln!(out, "{} more comments and restarts are in the JSON.", entries.len() - LOG_ENTRIES)?;
    }
    Ok(())
}

/// Comments and restarts of an imported log that stand below the plots; judgement.
const LOG_ENTRIES: usize = 20;

/// The stretches of the axis, each with the time at which it begins.
fn times(timeline: &Timeline) -> Vec<Band> {
    let band = |stretch: &Stretch| Band {
        id: clock::short(stretch.start_local_ns),
        title: String::new(),
        from: stretch.from,
        to: stretch.to,
    };
    timeline.stretches.iter().map(band).collect()
}

/// The ids of the steps, each with a mark at its start, in as many lines as it takes for none to cover another (at most
/// four; what finds no room is left out).
fn rulers(steps: &[Band], span: i64, columns: usize) -> Vec<String> {
    let mut rows: Vec<Vec<char>> = Vec::new();
    for step in steps {
        let at = spark::column(step.from, span, columns);
        let id: Vec<char> = std::iter::once('|').chain(words::clean(&step.id).chars()).collect();
        let row = rows.iter().position(|row| row.len() < at).unwrap_or(rows.len());
        if row == rows.len() {
            rows.push(Vec::new());
        }
        rows[row].resize(at, ' ');
        rows[row].extend(id);
    }
    rows.truncate(4);
    rows.into_iter().map(|row| row.into_iter().collect()).collect()
}

/// Each line of a plot: its name, the largest value in each column, and its peak. Lines share the plot's scale.
fn lines(plot: &Plot, timeline: &Timeline, columns: usize) -> Vec<(String, Vec<Option<f64>>, Option<f64>)> {
    match &plot.shape {
        Shape::Stacked(points) => {
            let top = points.layers.iter().filter_map(crate::Layer::peak).fold(0.0, f64::max);
            let one = |layer: &crate::Layer| {
                let until = points.at.iter().skip(1).chain(points.at.last());
                let moments = points.at.iter().zip(until).zip(&layer.values);
                let moments = moments.filter_map(|((at, next), value)| Some((*at, *next, (*value)?)));
                let values = spark::fill(moments, timeline.span_ns, columns);
                (layer.name.clone(), spark::scaled(values, top, false), layer.peak())
            };
            points.layers.iter().map(one).collect()
        }
        Shape::Rates { log, lines, levels } => {
            let tops = lines.iter().filter_map(crate::Line::peak);
            let tops = tops.chain(levels.iter().flat_map(|levels| &levels.spans).map(|span| span.2));
            let top = tops.fold(0.0, f64::max);
            let mut out: Vec<_> = lines
                .iter()
                .map(|line| {
                    let spans = timeline.edges.windows(2).zip(&line.values);
                    let spans = spans.filter_map(|(pair, value)| Some((pair[0], pair[1], (*value)?.high)));
                    let values = spark::fill(spans, timeline.span_ns, columns);
                    (line.name.clone(), spark::scaled(values, top, *log), line.peak())
                })
                .collect();
            if let Some(levels) = levels {
                let values = spark::fill(levels.spans.iter().copied(), timeline.span_ns, columns);
                let peak = levels.spans.iter().map(|span| span.2).reduce(f64::max);
                out.push((levels.name.clone(), spark::scaled(values, top, *log), peak));
            }
            out
        }
    }
}

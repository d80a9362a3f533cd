//! The page as one self-contained HTML file: no network and no other file, and it can be read without its script.

use crate::claim::sign_word_tone;
use crate::page::{Block, FindingCard, Page, StepVerdict};
use crate::stage::Stage;
use crate::table::{Align, Cell, Row, Table, Tone};
use crate::text;
pub(crate) use escape::escaped;
use pagetide_core::{Advice, Quantity, Verdict};
use std::io::{self, Write};

mod chain;
mod data;
mod escape;
mod names;
pub(crate) mod path;
mod place;
mod plot;
mod strip;
mod terms;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/hover.js");

/// What the page may do, enforced by the browser: run and style what is in the file, load nothing.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

/// Writes the page.
///
/// # Errors
///
/// Those of the writer.
pub fn draw(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let title = escaped(&page.title);
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n"
    )?;
    let mut body = Vec::new();
    for line in &page.damaged {
        writeln!(body, "<p class=\"lead\">{}</p>", escaped(line))?;
    }
    if !page.headline.is_empty() {
        writeln!(body, "<p class=\"headline\">{}</p>", escaped(&page.headline))?;
    }
    for paragraph in &page.lead {
        writeln!(body, "<p class=\"lead\">{}</p>", escaped(paragraph))?;
    }
    writeln!(body, "<p class=\"outcome\">{}</p>", escaped(&page.outcome))?;
    for block in &page.blocks {
        block_html(block, &mut body)?;
    }
    let body = terms::marked(&String::from_utf8_lossy(&body));
    let parties = [("culprit", &page.culprits), ("victim", &page.victims)];
    out.write_all(names::marked(&body, &parties).as_bytes())?;
    writeln!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>")
}

fn block_html(block: &Block, out: &mut dyn Write) -> io::Result<()> {
    match block {
        Block::Heading(text) => writeln!(out, "<h2>{}</h2>", escaped(text)),
        Block::Paragraph(text) => writeln!(out, "<p>{}</p>", escaped(text)),
        Block::List(items) => {
            writeln!(out, "<ul class=\"notes\">")?;
            items.iter().try_for_each(|item| writeln!(out, "<li>{}</li>", escaped(item)))?;
            writeln!(out, "</ul>")
        }
        Block::Facts(facts) => {
            writeln!(out, "<dl class=\"facts\">")?;
            for (name, value) in facts {
                let lines: Vec<String> = value.iter().map(|line| escaped(line)).collect();
                writeln!(out, "<dt>{}</dt><dd>{}</dd>", escaped(name), lines.join("<br>"))?;
            }
            writeln!(out, "</dl>")
        }
        Block::Table(table) => table_html(table, out),
        Block::Steps(steps) => steps_html(steps, out),
        Block::Claims(claims) => {
            writeln!(out, "<ul class=\"claims\">")?;
            claims.iter().try_for_each(|claim| claim_html(claim, out))?;
            writeln!(out, "</ul>")
        }
        Block::Finding(card) => finding_html(card, out),
        Block::Chain(stages) => chain_html(stages, out),
        Block::Advice(advice) => advice.iter().try_for_each(|advice| advice_html(advice, out)),
        Block::Timeline(timeline) => plot::timeline(timeline, out),
        Block::Picture { svg, words } => {
            // An image of its own: its style is not that of the page.
            let data: String = svg.bytes().map(|byte| format!("%{byte:02x}")).collect();
            writeln!(out, "<p><img alt=\"{}\" src=\"data:image/svg+xml,{data}\"></p>", escaped(words))
        }
        Block::More { summary, table } => {
            writeln!(out, "<details class=\"more\">\n<summary>{}</summary>", escaped(summary))?;
            table_html(table, out)?;
            writeln!(out, "</details>")
        }
    }
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Dim => "dim",
        Tone::Strong => "strong",
        Tone::Good => "good",
        Tone::Bad => "bad",
    }
}

fn table_html(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<div class=\"wide\">\n<table>\n<thead><tr>")?;
    for column in &table.columns {
        let class = if column.align == Align::Right { " class=\"num\"" } else { "" };
        let unit =
            if column.unit.is_empty() { String::new() } else { format!(" <small>{}</small>", escaped(&column.unit)) };
        writeln!(out, "<th scope=\"col\"{class}>{}{unit}</th>", escaped(&column.head.replace('\n', " ")))?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for (index, row) in table.rows.iter().enumerate() {
        match row {
            Row::Group { name, what } => {
                if index > 0 {
                    writeln!(out, "</tbody>\n<tbody>")?;
                }
                writeln!(
                    out,
                    "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\">{} <span>{}</span></th></tr>",
                    table.columns.len(),
                    escaped(name),
                    escaped(what)
                )?;
            }
            Row::Cells(cells) => row_html(table, cells, out)?,
        }
    }
    writeln!(out, "</tbody>\n</table>\n</div>")?;
    if table.note.is_empty() { Ok(()) } else { writeln!(out, "<p class=\"note\">{}</p>", escaped(&table.note)) }
}

fn row_html(table: &Table, cells: &[Cell], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<tr>")?;
    for (column, cell) in table.columns.iter().zip(cells) {
        let number = if column.align == Align::Right { "num" } else { "" };
        let classes = [number, class(cell.tone)].join(" ");
        let class = match classes.trim() {
            "" => String::new(),
            classes => format!(" class=\"{classes}\""),
        };
        let text = escaped(&cell.text);
        let span = cell.span.map_or_else(String::new, |(from, to)| {
            format!(" data-from=\"{}\" data-to=\"{}\"", data::ms(from), data::ms(to))
        });
        let class = format!("{class}{span}");
        if cell.link.is_empty() {
            write!(out, "<td{class}>{text}</td>")?;
        } else {
            write!(out, "<td{class}><a href=\"{}\">{text}</a></td>", escaped(&cell.link))?;
        }
    }
    writeln!(out, "</tr>")
}

fn claim_html(claim: &Verdict, out: &mut dyn Write) -> io::Result<()> {
    let (sign, word, tone) = sign_word_tone(claim.holds);
    writeln!(
        out,
        "<li><b class=\"verdict {}\"><span aria-hidden=\"true\">{sign}</span> {word}</b><div>{} <code class=\"dim\">{}</code>\
         <br><code>{}</code><br><span class=\"dim\">{}</span></div></li>",
        class(tone),
        escaped(&claim.text),
        escaped(&claim.id),
        escaped(&claim.check),
        escaped(&claim.evidence)
    )
}

fn finding_html(card: &FindingCard, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<article>\n<h3>{}</h3>\n<p class=\"meta\"><code>{}</code> {} <span class=\"sure\">{}</span></p>",
        escaped(&card.statement),
        escaped(&card.rule),
        escaped(&card.place),
        card.sureness
    )?;
    if card.open {
        evidence_html(card, out)?;
    } else {
        folded_html("evidence", card, out)?;
    }
    for also in &card.also {
        let summary = format!("also {}, {}: {}", also.place, also.sureness, also.statement);
        folded_html(&summary, also, out)?;
    }
    card.advice.iter().try_for_each(|advice| advice_html(advice, out))?;
    writeln!(out, "</article>")
}

/// The evidence of a card below a line that opens it.
fn folded_html(summary: &str, card: &FindingCard, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<details><summary>{}</summary>", escaped(summary))?;
    evidence_html(card, out)?;
    writeln!(out, "</details>")
}

/// A row for each step: what it is, its numbers, the verdict.
fn steps_html(steps: &[StepVerdict], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<ol class=\"steps\">")?;
    for step in steps {
        write!(
            out,
            "<li><b class=\"id\">{}</b><span class=\"title\">{}</span><span class=\"num\">{}</span>",
            escaped(&step.id),
            escaped(&step.title),
            escaped(&step.iops)
        )?;
        match step.hit_ratio {
            Some(ratio) => write!(
                out,
                "<span class=\"hit\"><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
                 <rect class=\"trough\" width=\"100\" height=\"8\"/><rect width=\"{:.1}\" height=\"8\"/></svg>hits {}</span>",
                ratio.clamp(0.0, 1.0) * 100.0,
                escaped(&Quantity::ratio(ratio).to_string())
            )?,
            None => write!(out, "<span class=\"hit\"></span>")?,
        }
        writeln!(
            out,
            "<span class=\"says\"><b class=\"{}\">{}</b> {}</span></li>",
            class(step.tone),
            escaped(&step.verdict),
            escaped(&step.statement)
        )?;
    }
    writeln!(out, "</ol>")
}

fn evidence_html(card: &FindingCard, out: &mut dyn Write) -> io::Result<()> {
    let tables = [&card.evidence, &card.contradictions].into_iter().filter(|table| !table.rows.is_empty());
    tables.into_iter().try_for_each(|table| table_html(table, out))
}

fn advice_html(advice: &Advice, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<div class=\"advice\"><p>{}</p>", escaped(&text::action(advice)))?;
    if let Some(command) = &advice.command {
        writeln!(out, "<pre><code>{}</code></pre>", escaped(command))?;
    }
    writeln!(out, "<p class=\"dim\">{}</p>", escaped(&advice.effect))?;
    for (what, command) in text::also(advice) {
        writeln!(out, "<p class=\"dim\">{what}: <code>{}</code></p>", escaped(command))?;
    }
    writeln!(out, "</div>")
}

fn chain_html(stages: &[Stage], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<ol class=\"chain\">")?;
    for stage in stages {
        write!(out, "<li><b>{}</b> <span class=\"dim\">{}", escaped(&stage.words), escaped(&stage.when))?;
        if let Some(after) = stage.after {
            write!(out, ", after {}: {}", after + 1, escaped(&stage.lag))?;
        }
        write!(out, "</span><br>{}", escaped(&stage.how))?;
        if !stage.amounts.is_empty() {
            write!(out, " <span class=\"strong\">{}</span>", escaped(&stage.amounts))?;
        }
        if !stage.kernel.is_empty() {
            write!(out, " <code class=\"dim\">{}</code>", escaped(&stage.kernel))?;
        }
        writeln!(out, "</li>")?;
    }
    writeln!(out, "</ol>")
}

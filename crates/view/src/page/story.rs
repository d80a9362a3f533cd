//! A diagnosis on a page: what happened, the chain, the numbers, what does not fit, what to do.

use super::block::Block;
use super::{chain, findings};
use crate::stage::Stage;
use crate::table::Table;
use pagetide_core::{Advice, Conclusion, Diagnosis, Grade, HitRate, Quantity, Report, Span, Unit};

/// What happened, in one sentence or two: of an incident its cause.
pub(super) fn headline(report: &Report) -> String {
    let diagnosis = &report.diagnosis;
    cause_statement(diagnosis).unwrap_or(&diagnosis.summary).to_owned()
}

/// The statement of the cause, which the summary of an incident has after the time lost.
fn cause_statement(diagnosis: &Diagnosis) -> Option<&str> {
    let statement = diagnosis.findings.first().map(|finding| finding.statement.as_str())?;
    let leads = matches!(diagnosis.verdict, Conclusion::Incident | Conclusion::Forecast);
    (leads && !statement.is_empty() && diagnosis.summary.contains(statement)).then_some(statement)
}

/// When it happened, what it cost, and what else belongs to the summary of an incident.
pub(super) fn lead(report: &Report) -> Vec<String> {
    let diagnosis = &report.diagnosis;
    let Some(cause) = &diagnosis.cause else { return Vec::new() };
    if !matches!(diagnosis.verdict, Conclusion::Incident | Conclusion::Forecast) {
        return Vec::new();
    }
    let when = |span| findings::range(span, &report.recording);
    let first = format!(
        "The cause, from {}, has {}.{}",
        when(Span::new(cause.onset_ns, cause.end_ns)),
        cause.grade.words(),
        observed(cause.observed)
    );
    let (before, rest) = cause_statement(diagnosis)
        .and_then(|statement| diagnosis.summary.split_once(statement))
        .map_or(("", ""), |(before, rest)| (before.trim(), rest.trim()));
    // The summary has no times of day: the page says when.
    let lost = diagnosis.ledger.as_ref().filter(|_| !before.is_empty()).map(|ledger| {
        let part = ledger.is_part_of(Span::new(cause.onset_ns, cause.end_ns));
        let worst = if part { format!("in the worst {}, ", ledger.range.length()) } else { String::new() };
        ledger.sentence(&format!("{worst}from {}", when(ledger.range)))
    });
    let rest = Some(rest.to_owned()).filter(|rest| !rest.is_empty());
    lost.into_iter().chain(std::iter::once(first)).chain(rest).collect()
}

/// How often causes of a grade were right, where that was observed.
fn observed(rate: HitRate) -> String {
    match rate {
        HitRate { of: 0, .. } => String::new(),
        HitRate { right, of } => {
            format!(
                " Of {of} verdicts with such evidence on incidents of real programs in test machines, {right} were right at first sight."
            )
        }
    }
}

/// The incidents of a recording with several, the one that cost most time first.
pub(super) fn incidents(report: &Report, blocks: &mut Vec<Block>) {
    let incidents = &report.diagnosis.incidents;
    if incidents.len() < 2 {
        return;
    }
    let mut table =
        Table::new().left("from").left("to").left("cause").right("lost by the host").left("waiting for").left("origin");
    for incident in incidents {
        let [from, to] =
            [incident.range.from, incident.range.to].map(|at| findings::moment(at.ns(), &report.recording));
        let time = report.diagnosis.time_lost(incident);
        let time = time.map_or_else(String::new, |lost| Quantity::new(lost as f64, Unit::Nanos).to_string());
        let origins = incident.cause.as_ref().map_or_else(String::new, |cause| cause.origins.names().join(" "));
        table.row([
            from.as_str().into(),
            if incident.ongoing { "continues".into() } else { findings::later(&from, &to).into() },
            incident.cause.as_ref().map_or("unknown", |cause| cause.rule.as_str()).into(),
            time.as_str().into(),
            incident.lost_by_host().map_or("", |lost| lost.resource.words()).into(),
            origins.as_str().into(),
        ]);
    }
    blocks.push(Block::Heading("Incidents".to_owned()));
    blocks.push(Block::Table(table));
}

/// What stands behind the plots: the chain, the numbers of the cause, and what to do.
pub(super) fn chain(report: &Report, stages: Vec<Stage>, blocks: &mut Vec<Block>) {
    let diagnosis = &report.diagnosis;
    let Some(root) = diagnosis.findings.first() else { return };
    if !stages.is_empty() {
        blocks.push(Block::Heading("From cause to effect".to_owned()));
        blocks.push(Block::Chain(stages));
    }
    blocks.push(Block::Heading("Evidence".to_owned()));
    let mut card = findings::card(root, &report.recording);
    card.open = true;
    card.advice.clear();
    card.contradictions.rows.clear();
    blocks.push(Block::Finding(Box::new(card)));
    let table = chain::evidence(diagnosis);
    if !table.rows.is_empty() {
        blocks.push(Block::Table(table));
    }
    if !root.advice.is_empty() {
        blocks.push(Block::Heading("What to do".to_owned()));
        order(report, root.advice.len(), blocks);
        blocks.push(Block::Advice(root.advice.clone()));
    }
}

/// How the advice is ordered: by its measured effect on a reproduction, else by judgement.
fn order(report: &Report, count: usize, blocks: &mut Vec<Block>) {
    const SHOWN: usize = 5;
    let share = |lost: f64| Quantity::new((lost * 1e4).round() / 1e4, Unit::Ratio).to_string();
    let Some(measured) = &report.measured else {
        if count > 1 && report.run.is_none() {
            blocks.push(Block::Paragraph(
                "The order is a judgement. `pagetide reproduce REC --keep` measures what each advice does.".to_owned(),
            ));
        }
        return;
    };
    blocks.push(Block::Paragraph(format!(
        "Measured on a model of this incident by `pagetide reproduce`. Lost: how many tasks waited on average beyond what they did before; 100 % is one \
         task all the time. With nothing changed: {}.",
        share(measured.unchanged)
    )));
    let mut table = Table::new().right("lost").left("advice").left("apply").left("undo");
    for one in measured.advice.iter().filter(|one| one.lost < measured.unchanged).take(SHOWN) {
        let command = |command: &Option<String>| command.clone().unwrap_or_default();
        let cells = [share(one.lost), one.what.clone(), command(&one.apply), command(&one.undo)];
        table.row(cells.map(|cell| cell.as_str().into()));
    }
    if table.rows.is_empty() {
        blocks.push(Block::Paragraph("No advice helped.".to_owned()));
    } else {
        blocks.push(Block::Table(table));
    }
    blocks.push(Block::Paragraph("By judgement:".to_owned()));
}

/// What speaks against it, and what else was found.
pub(super) fn after(report: &Report, blocks: &mut Vec<Block>) {
    let diagnosis = &report.diagnosis;
    let Some((root, others)) = diagnosis.findings.split_first() else { return };
    let against = findings::table("against it", &root.contradictions);
    if !against.rows.is_empty() || !diagnosis.contradictions.is_empty() {
        blocks.push(Block::Heading("Contradictions".to_owned()));
        if !against.rows.is_empty() {
            blocks.push(Block::Table(against));
        }
        for contradiction in &diagnosis.contradictions {
            blocks.push(Block::Paragraph(contradiction.statement.clone()));
            blocks.push(Block::Paragraph(format!("Observation that would explain it: {}", contradiction.settles)));
        }
    }
    list("Ruled out", diagnosis.cleared.iter().map(|cleared| cleared.statement.clone()), blocks);
    let rival = |rival: &pagetide_core::Rival| {
        format!("{} ({}): {} {}", rival.rule, Grade::of(rival.confidence).words(), rival.statement, rival.deciding_test)
    };
    list("What else it could be", diagnosis.rivals.iter().map(rival), blocks);
    unknown(report, blocks);
    if !others.is_empty() {
        blocks.push(Block::Heading("Other findings".to_owned()));
        let mut cards = findings::cards(others, &report.recording);
        // "What to do" has it.
        let told = |advice: &Advice| root.advice.iter().any(|known| findings::is_same(known, advice));
        cards.iter_mut().for_each(|card| card.advice.retain(|advice| !told(advice)));
        blocks.extend(cards.into_iter().map(|card| Block::Finding(Box::new(card))));
    }
}

/// For a file of `pagetide cut`: whether the diagnosis stored at the cut is the same as here, else its words.
pub(super) fn when_cut(report: &Report, blocks: &mut Vec<Block>) {
    let Some(cut) = &report.recording.manifest.cut_diagnosis else { return };
    let version = cut.tool_version();
    blocks.push(Block::Heading("Diagnosis in the file".to_owned()));
    if cut.is_same(&report.diagnosis) {
        let same = format!("pagetide {version} made the same diagnosis when it cut this recording.");
        return blocks.push(Block::Paragraph(same));
    }
    blocks.push(Block::Paragraph(format!(
        "According to the file, pagetide {version} diagnosed this when it cut the recording. This page is computed from the samples and differs."
    )));
    let texts = std::iter::once(cut.summary()).chain(cut.chain().iter().chain(cut.findings()).map(String::as_str));
    blocks.push(Block::List(texts.filter(|text| !text.is_empty()).map(str::to_owned).collect()));
}

/// What the recording does not show.
pub(super) fn unknown(report: &Report, blocks: &mut Vec<Block>) {
    list("Unknown", report.diagnosis.unknown.iter().cloned(), blocks);
}

fn list(heading: &str, items: impl Iterator<Item = String>, blocks: &mut Vec<Block>) {
    let items: Vec<String> = items.collect();
    if !items.is_empty() {
        blocks.push(Block::Heading(heading.to_owned()));
        blocks.push(Block::List(items));
    }
}

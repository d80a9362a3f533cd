//! `pagetide explain`: rules and terms.

use super::Outcome;
use crate::output;
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Error, RuleDoc, glossary, suggest};
use pagetide_view::text::wrap;
use serde_json::{Value, json};
use std::fmt::Write;

/// Explain a rule (its evidence and thresholds, other causes that look the same, what to do, the kernel functions behind it), or a term.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pagetide explain                      the rules, a line each\n  pagetide explain replayed-sequence\n  pagetide explain freerun"
)]
pub(crate) struct Arguments {
    /// A rule's id, a term of docs/GLOSSARY.md or a derived metric; without one, all rules are listed.
    #[arg(value_name = "RULE|TERM")]
    rule: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let rules = pagetide_diagnose::rules();
    let Some(id) = &arguments.rule else {
        if json {
            output::print_json(&json!({ "rules": rules }))?;
        } else {
            let width = rules.iter().map(|rule| rule.id.as_str().len()).max().unwrap_or(0);
            let lines: Vec<String> = rules.iter().map(|rule| format!("{:width$}  {}\n", rule.id, rule.title)).collect();
            output::print(&lines.concat())?;
        }
        return Ok(Outcome::Done);
    };
    if let Some((text, object)) = term(id).filter(|_| !rules.iter().any(|rule| rule.id.as_str() == id)) {
        if json {
            output::print_json(&object)?;
        } else {
            output::print(&text)?;
        }
        return Ok(Outcome::Done);
    }
    let rule = rules.iter().find(|rule| rule.id.as_str() == id).ok_or_else(|| {
        let hint = suggest::hint(id, rules.iter().map(|rule| rule.id.as_str()));
        Error::input(
            format!("no rule and no term `{id}`{hint}"),
            "`pagetide explain` lists the rules, docs/GLOSSARY.md the terms",
        )
    })?;
    if json {
        output::print_json(rule)?
    } else {
        output::print(&page(rule, output::width().min(100)))?
    }
    Ok(Outcome::Done)
}

/// A rule's page as text.
fn page(rule: &RuleDoc, width: usize) -> String {
    let mut text = format!("{}: {}\n", rule.id, rule.title);
    for (heading, body) in pagetide_diagnose::sections(rule) {
        let _ = write!(text, "\n{heading}\n{}", paragraphs(&body, width));
    }
    text
}

/// Paragraphs in lines of at most `width` columns, indented by two.
fn paragraphs(body: &str, width: usize) -> String {
    let lines = body.lines().flat_map(|paragraph| wrap(paragraph, width.saturating_sub(2)));
    lines.map(|line| format!("  {line}\n")).collect()
}

/// A term of the glossary, or a derived metric; as text and as JSON.
fn term(name: &str) -> Option<(String, Value)> {
    if let Some(term) = glossary::find(name) {
        let json = json!({ "term": term.name, "definition": term.definition, "source": term.source });
        return Some((format!("{}\n\n{}\nSource: {}\n", term.name, term.definition, term.source), json));
    }
    let Derived { name, unit, meaning, source, .. } = derived::find(name)?;
    let source = format!("{} {}:{}", source.release, source.file, source.function);
    let json = json!({ "term": name, "definition": meaning, "source": source, "unit": unit });
    Some((format!("{name}\n\n{meaning}\nSource: {source}\n"), json))
}

//! `pagetide explain`: what a rule means.

use super::Outcome;
use crate::output;
use pagetide_core::{Error, RuleDoc, suggest};
use serde_json::json;
use std::fmt::Write;

/// Say what a rule means: its evidence, what else it could be, what to do, the kernel functions behind it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pagetide explain                      the rules, a line each\n  pagetide explain replayed-sequence"
)]
pub(crate) struct Arguments {
    /// The rule's id; all rules, a line each, when left out.
    rule: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let rules = pagetide_diagnose::rules();
    let Some(id) = &arguments.rule else {
        if json {
            output::print_json(&json!({ "rules": rules }))?;
        } else {
            let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
            let lines: Vec<String> = rules.iter().map(|rule| format!("{:width$}  {}\n", rule.id, rule.title)).collect();
            output::print(&lines.concat())?;
        }
        return Ok(Outcome::Done);
    };
    let rule = rules.iter().find(|rule| rule.id == id).ok_or_else(|| {
        let hint = suggest::hint(id, rules.iter().map(|rule| rule.id));
        Error::input(format!("no rule `{id}`{hint}"), "`pagetide explain` lists them")
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
    for (heading, body) in rule.sections() {
        let _ = write!(text, "\n{heading}\n{}", wrapped(body, width.saturating_sub(2)));
    }
    text
}

/// Paragraphs filled to `width` columns, each line indented by two.
fn wrapped(body: &str, width: usize) -> String {
    let mut text = String::new();
    for paragraph in body.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                let _ = writeln!(text, "  {line}");
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let _ = writeln!(text, "  {line}");
    }
    text
}

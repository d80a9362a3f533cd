//! `pagetide explain`: rules and terms.

use super::Outcome;
use crate::output;
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Error, Kind, RuleDoc, SETTINGS, Table, Unit, glossary, metric, setting, suggest};
use pagetide_view::show::{Heading, Topic, WordHeading, headings, word_headings};
use pagetide_view::text::wrap;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// Explain a rule, a term, a column of `show`, a kernel counter or a kernel setting.
///
/// For a rule: its evidence and thresholds, other causes that look the same, what to do, and the kernel functions behind it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pagetide explain                      the rules, a line each\n  pagetide explain replayed-sequence\n  pagetide explain freerun\n  pagetide explain util                 a column of show\n  pagetide explain Dirty                a kernel counter, as recorded\n  pagetide explain vm.dirty_ratio       a setting"
)]
pub(crate) struct Arguments {
    /// A rule's id, a term of docs/GLOSSARY.md, a derived metric, a column of `show` or sar, a recorded counter or a setting [default: list
    /// all rules].
    #[arg(value_name = "NAME")]
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
            output::print(&wrapped(&text, output::width().min(100)))?;
        }
        return Ok(Outcome::Done);
    }
    let rule = rules.iter().find(|rule| rule.id.as_str() == id).ok_or_else(|| {
        let hint = suggest::hint(id, names());
        Error::input(
            format!("no rule, term, column, counter or setting `{id}`{hint}"),
            "`pagetide explain` lists the rules, docs/GLOSSARY.md the terms, `pagetide show --help` the topics",
        )
    })?;
    if json {
        output::print_json(rule)?
    } else {
        output::print(&page(rule, output::width().min(100)))?
    }
    Ok(Outcome::Done)
}

/// Lines of at most `width` columns.
fn wrapped(text: &str, width: usize) -> String {
    let lines = text.lines().flat_map(|line| if line.is_empty() { vec![String::new()] } else { wrap(line, width) });
    lines.map(|line| line + "\n").collect()
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

/// Everything that can be explained, by name.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let rules = pagetide_diagnose::rules().iter().map(|rule| rule.id.as_str());
    let terms = glossary::TERMS.iter().map(|term| term.name);
    let columns = Topic::ALL.into_iter().flat_map(|topic| headings(topic, true)).map(|heading| heading.name);
    let words = Topic::ALL.into_iter().flat_map(word_headings).map(|heading| heading.name);
    let metrics = Table::ALL.into_iter().flat_map(metric::all).map(|metric| metric.name);
    let settings = SETTINGS.iter().map(|setting| setting.name);
    rules
        .chain(terms)
        .chain(derived::ALL.iter().map(|derived| derived.name))
        .chain(columns)
        .chain(words)
        .chain(metrics)
        .chain(settings)
}

/// The meanings of a name, in the order they are printed.
#[derive(Debug, Serialize)]
struct Meaning {
    /// What it is: `term`, `column of show disk`, `counter of /proc/vmstat`, `setting`.
    kind: String,
    definition: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<Unit>,
}

/// All meanings of a name as spelled; if there is none, ignoring case, or as sar spells it (`%util`, `kbdirty`).
fn meanings(name: &str) -> Vec<Meaning> {
    let found = meanings_where(&|known| known == name);
    if !found.is_empty() {
        return found;
    }
    let plain = |name: &str| {
        let lower = name.to_ascii_lowercase();
        let bare = lower.trim_start_matches('%').trim_end_matches("/s").trim_end_matches('%');
        bare.strip_prefix("kb").unwrap_or(bare).to_owned()
    };
    let wanted = plain(name);
    if wanted.is_empty() {
        return Vec::new();
    }
    let found = meanings_where(&|known| plain(known) == wanted);
    if !found.is_empty() {
        return found;
    }
    let column = VMSTAT.iter().find(|(column, _)| *column == name);
    column.map_or_else(|| of_file(name), |(_, ours)| meanings_where(&|known| known == *ours))
}

/// The columns of vmstat, and what they are called here.
const VMSTAT: &[(&str, &str)] = &[
    ("swpd", "swapused"),
    ("buff", "buffers"),
    ("si", "pswpin/s"),
    ("so", "pswpout/s"),
    ("bi", "pgpgin/s"),
    ("bo", "pgpgout/s"),
    ("in", "intr/s"),
    ("cs", "cswch/s"),
    ("us", "user"),
    ("sy", "system"),
    ("id", "idle"),
    ("wa", "iowait"),
    ("st", "steal"),
];

/// What is recorded of a file that has few numbers, such as `memory.high`.
fn of_file(name: &str) -> Vec<Meaning> {
    const FEW: usize = 4;
    let names = |file: &str| file.split(", ").any(|file| file.split(' ').next() == Some(name));
    let all: Vec<_> = Table::ALL.into_iter().flat_map(metric::all).filter(|metric| names(metric.file)).collect();
    if all.len() > FEW {
        return Vec::new();
    }
    all.into_iter().map(of_metric).collect()
}

fn of_metric(metric: &metric::Metric) -> Meaning {
    let kind = match metric.kind {
        Kind::Counter => "counter",
        _ => "value",
    };
    Meaning {
        kind: format!("{kind} of the {} table", metric.table.name()),
        definition: metric.meaning.to_owned(),
        source: metric.file.to_owned(),
        unit: Some(metric.unit),
    }
}

fn meanings_where(is: &dyn Fn(&str) -> bool) -> Vec<Meaning> {
    let mut found: Vec<Meaning> = Vec::new();
    let terms = glossary::TERMS.iter().filter(|term| is(term.name) || term.forms.iter().any(|form| is(form)));
    found.extend(terms.map(|term| Meaning {
        kind: "term".to_owned(),
        definition: term.definition.to_owned(),
        source: term.source.to_owned(),
        unit: None,
    }));
    let derived = derived::ALL.iter().filter(|derived| is(derived.name));
    found.extend(derived.map(|Derived { unit, meaning, source, .. }| Meaning {
        kind: "derived metric".to_owned(),
        definition: (*meaning).to_owned(),
        source: format!("{} {}:{}", source.release, source.file, source.function),
        unit: Some(*unit),
    }));
    for topic in Topic::ALL {
        let columns = headings(topic, true).chain(headings(topic, false)).filter(|heading| is(heading.name));
        for Heading { unit, meaning, .. } in columns {
            let kind = format!("column of show {}", topic.name());
            if !found.iter().any(|known| known.kind == kind || known.definition == meaning) {
                found.push(Meaning { kind, definition: meaning.to_owned(), source: String::new(), unit: Some(unit) });
            }
        }
    }
    for topic in Topic::ALL {
        for WordHeading { meaning, .. } in word_headings(topic).filter(|heading| is(heading.name)) {
            let kind = format!("column of show {}", topic.name());
            found.push(Meaning { kind, definition: meaning.to_owned(), source: String::new(), unit: None });
        }
    }
    let metrics = Table::ALL.into_iter().flat_map(metric::all).filter(|metric| is(metric.name));
    found.extend(metrics.map(of_metric));
    let settings = SETTINGS.iter().filter(|setting| is(setting.name));
    found.extend(settings.map(|setting| Meaning {
        kind: "setting".to_owned(),
        definition: setting.meaning.to_owned(),
        source: setting.source.to_owned(),
        unit: None,
    }));
    found
}

/// What a name means, as text and as JSON; absent if only a rule can have that name.
fn term(name: &str) -> Option<(String, Value)> {
    let mut found = meanings(name);
    if found.is_empty() {
        let setting = setting(name)?;
        found = meanings_where(&|known| known == setting.name);
    }
    let first = found.first()?;
    let mut json = json!({ "term": name, "definition": first.definition, "source": first.source });
    json["meanings"] = json!(found);
    if let Some(unit) = found.iter().find_map(|meaning| meaning.unit) {
        json["unit"] = json!(unit);
    }
    let mut text = format!("{name}\n");
    for Meaning { kind, definition, source, .. } in &found {
        let kind = if kind == "term" || kind == "derived metric" { String::new() } else { format!("{kind}: ") };
        let source = if source.is_empty() { String::new() } else { format!("Source: {source}\n") };
        let _ = write!(text, "\n{kind}{definition}\n{source}");
    }
    Some((text, json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_fits_the_terminal() {
        let (text, _) = term("freerun").unwrap();
        let shown = wrapped(&text, 80);
        assert!(text.lines().any(|line| line.len() > 80) && shown.lines().all(|line| line.len() <= 80), "{shown}");
        assert_eq!(shown.split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
        assert!(shown.starts_with("freerun\n\n"), "{shown}");
    }

    #[test]
    fn every_column_counter_and_setting_is_explained() {
        for name in names().filter(|name| !pagetide_diagnose::rules().iter().any(|rule| rule.id.as_str() == *name)) {
            let (text, _) = term(name).unwrap_or_else(|| panic!("{name}"));
            assert!(text.lines().filter(|line| line.len() > 8).count() > 0, "{text}");
        }
        for (name, part) in [
            ("util", "column of show disk"),
            ("%util", "column of show disk"),
            ("Dirty", "/proc/meminfo"),
            ("pgscank/s", "column of show paging"),
            ("pgscank", "column of show paging"),
            ("vm.dirty_ratio", "setting: "),
            ("dirty_ratio", "setting: "),
            ("kbdirty", "/proc/meminfo"),
            ("await", "iostat(1)"),
            ("wa", "waited for IO"),
            ("memory.high", "throttled"),
            ("memory.max", "hard limit"),
        ] {
            let (text, _) = term(name).unwrap_or_else(|| panic!("{name}"));
            assert!(text.contains(part), "{name}: {text}");
        }
        assert!(term("nosuchthing").is_none() && term("").is_none() && term("%").is_none());
    }

    /// Whatever setting the text of a rule names.
    #[test]
    fn every_setting_that_advice_names_is_explained() {
        let named = regex::Regex::new(r"\b(?:vm|kernel)\.[a-z_-]{4,}").unwrap();
        let texts: String =
            pagetide_diagnose::rules().iter().flat_map(pagetide_diagnose::sections).map(|(_, text)| text).collect();
        let mut count = 0;
        for name in named.find_iter(&texts).map(|found| found.as_str().trim_end_matches('-')) {
            assert!(setting(name).is_some(), "{name}");
            count += 1;
        }
        assert!(count > 5, "{count}");
    }
}

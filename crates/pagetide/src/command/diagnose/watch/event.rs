//! What `--watch` prints: a line for a finding that begins or ends, as text or JSON, with the journal's priority where that reads it.

use crate::output::{self, Content};
use crate::recordings;
use pagetide_core::{Actors, Confidence, Document, Error, Grade, RuleId, printable};
use serde::Serialize;
use std::os::fd::AsFd;

/// What happened to a finding: one line of JSON.
#[derive(Debug, Serialize)]
struct Event<'a> {
    event: &'static str,
    #[serde(flatten)]
    of: &'a Active,
}

/// What lasts: a finding, or time that tasks lose and no rule explains.
#[derive(Debug, Serialize)]
pub(super) struct Active {
    /// Whether it is the cause of the others, or has no known one.
    pub(super) cause: bool,
    /// Absent when no rule explains it.
    pub(super) rule: Option<RuleId>,
    #[serde(flatten)]
    pub(super) origins: Actors,
    pub(super) statement: String,
    pub(super) confidence: Option<f64>,
    /// When it began and when it was last seen, ns since 1970-01-01 UTC.
    pub(super) onset_wall_ns: i64,
    pub(super) end_wall_ns: i64,
}

/// How urgent a line is, as syslog(3) numbers it.
#[derive(Debug, Clone, Copy)]
enum Priority {
    Error = 3,
    Warning = 4,
    Notice = 5,
    Info = 6,
}

/// Where lines go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Log {
    json: bool,
    /// Whether stdout is the journal, which takes `<4>` before a line for its priority (sd-daemon(3)).
    journal: bool,
}

impl Log {
    pub(super) fn new(json: bool) -> Self {
        Self { json, journal: is_journal(std::env::var("JOURNAL_STREAM").ok().as_deref(), std::io::stdout()) }
    }

    /// Reports that a finding began or ended, or that nobody knows whether it lasts.
    pub(super) fn finding(self, event: &'static str, one: &Active) -> Result<(), Error> {
        let priority = match (event, one.cause) {
            ("began", true) => Priority::Warning,
            ("began", false) => Priority::Notice,
            _ => Priority::Info,
        };
        if self.json {
            return self.line(priority, &one.json(event)?);
        }
        let Active { cause, rule, statement, confidence, onset_wall_ns, end_wall_ns, .. } = one;
        let at = if event == "began" { *onset_wall_ns } else { *end_wall_ns };
        let role = if *cause { "cause" } else { "also" };
        let what = rule.map_or_else(|| "unexplained".to_owned(), |rule| rule.to_string());
        let grade = confidence.map(|confidence| format!(" ({})", Grade::of(Confidence::new(confidence)).words()));
        let text = format!(
            "{} {event} {role:5} {what}{}: {}\n",
            recordings::timestamp(at),
            grade.unwrap_or_default(),
            printable(statement)
        );
        self.line(priority, &text)
    }

    /// Reports that samples stopped coming, or come again.
    pub(super) fn silence(self, one: &Silent) -> Result<(), Error> {
        let priority = if one.event == Silent::BEGAN { Priority::Error } else { Priority::Notice };
        if self.json {
            return self.line(priority, &one.json()?);
        }
        self.line(priority, &format!("{}: {}\n", one.event, printable(&one.statement)))
    }

    /// Reports a file of the recording that cannot be read.
    pub(super) fn damage(self, line: &str) -> Result<(), Error> {
        if self.json {
            return self.line(Priority::Error, &json(serde_json::json!({ "event": "damaged", "statement": line }))?);
        }
        self.line(Priority::Error, &format!("damaged: {}\n", printable(line)))
    }

    fn line(self, priority: Priority, line: &str) -> Result<(), Error> {
        let prefix = if self.journal { format!("<{}>", priority as u8) } else { String::new() };
        let content = if self.json { Content::Json } else { Content::Text };
        output::stream(content, |out| write!(out, "{prefix}{line}"))
    }
}

impl Active {
    /// Its event as a line of JSON.
    pub(super) fn json(&self, event: &'static str) -> Result<String, Error> {
        json(Event { event, of: self })
    }
}

/// Samples stopped coming, or come again: one line of JSON.
#[derive(Debug, Serialize)]
pub(super) struct Silent {
    event: &'static str,
    /// Absent, for programs that ask every event for its rule.
    rule: Option<RuleId>,
    statement: String,
    /// The last sample before the silence, ns since 1970-01-01 UTC.
    since_wall_ns: Option<i64>,
}

impl Silent {
    const BEGAN: &'static str = "silent";

    pub(super) fn began(statement: String, since_wall_ns: Option<i64>) -> Self {
        Self { event: Self::BEGAN, rule: None, statement, since_wall_ns }
    }

    pub(super) fn ended(statement: String, since_wall_ns: Option<i64>) -> Self {
        Self { event: "resumed", rule: None, statement, since_wall_ns }
    }

    pub(super) fn json(&self) -> Result<String, Error> {
        json(self)
    }
}

fn json(event: impl Serialize) -> Result<String, Error> {
    Document::new(event).to_line().map_err(|error| Error::system(format!("JSON: {error}"), ""))
}

/// Whether a descriptor is the stream that systemd connected with the journal: it names its device and inode (systemd.exec(5)).
fn is_journal(named: Option<&str>, stream: impl AsFd) -> bool {
    let Ok(stat) = rustix::fs::fstat(stream) else { return false };
    named == Some(format!("{}:{}", stat.st_dev, stat.st_ino).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_journal_is_known_by_device_and_inode() {
        let file = std::fs::File::open("/dev/null").unwrap();
        let stat = rustix::fs::fstat(&file).unwrap();
        let name = format!("{}:{}", stat.st_dev, stat.st_ino);
        assert!(is_journal(Some(&name), &file));
        assert!(!is_journal(Some("1:1"), &file), "a shell that a service started has another stdout");
        assert!(!is_journal(None, &file));
    }
}

//! What an import read, what it left out, and why.

use serde::Serialize;
use std::fmt;

/// How many ranges of unreadable lines, kinds of what was left out, and notes a report lists. The lines of all of them are counted.
const LISTED: usize = 1000;
/// What was left out beyond that.
const MORE_KINDS: &str = "more of other kinds";

/// What a file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Text of sar.
    Sar,
    /// JSON of `sadf -j`.
    Sadf,
    /// Tables of `sadf -d` and lines of `sadf -p`.
    SadfText,
    /// Copies of the kernel's files: meminfo, vmstat, zoneinfo, buddyinfo, stat, diskstats, loadavg, pressure, one or many of each.
    KernelFiles,
    /// Text of `vmstat 1`.
    Vmstat,
    /// Text of `iostat -x`.
    Iostat,
    /// JSON of fio.
    Fio,
}

impl FileKind {
    /// What a person calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sar => "sar text",
            Self::Sadf => "sadf -j",
            Self::SadfText => "sadf -d or -p",
            Self::KernelFiles => "kernel files",
            Self::Vmstat => "vmstat text",
            Self::Iostat => "iostat text",
            Self::Fio => "fio JSON",
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Lines that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The first of them, counted from 1.
    pub from_line: u64,
    /// The last of them.
    pub to_line: u64,
    /// Why.
    pub reason: String,
}

/// Something that was understood but is not part of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// What, and why.
    pub what: String,
    /// Lines of it.
    pub lines: u64,
    /// The first of them, counted from 1.
    pub first_line: u64,
}

/// What was read from one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileReport {
    /// The file, as it was given.
    pub name: String,
    /// What it is; absent if it cannot be read.
    pub kind: Option<FileKind>,
    /// Lines in it.
    pub lines: u64,
    /// Moments that it has values for.
    pub samples: u64,
    /// Values taken from it.
    pub values: u64,
    /// The first moment, nanoseconds since 1970-01-01 UTC; absent without samples.
    pub from_wall_ns: Option<i64>,
    /// The last moment.
    pub to_wall_ns: Option<i64>,
    /// Whether the day is known, from the file or from the options.
    pub day_known: bool,
    /// Lines that could not be read.
    pub skipped_lines: u64,
    /// The ranges of these lines, at most 1000.
    pub skipped: Vec<Skipped>,
    /// Values that differ from an earlier value for the same moment, in this file or one before it; the first was kept.
    pub conflicts: u64,
    /// What was understood and left out.
    pub left_out: Vec<LeftOut>,
    /// What was assumed.
    pub notes: Vec<String>,
}

impl FileReport {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: None,
            lines: 0,
            samples: 0,
            values: 0,
            from_wall_ns: None,
            to_wall_ns: None,
            day_known: false,
            skipped_lines: 0,
            skipped: Vec::new(),
            conflicts: 0,
            left_out: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Counts a line that could not be read.
    pub(super) fn skip(&mut self, line: u64, reason: impl Into<String>) {
        let reason = reason.into();
        self.skipped_lines += 1;
        if let Some(last) = self.skipped.last_mut().filter(|last| last.to_line + 1 == line && last.reason == reason) {
            last.to_line = line;
        } else if self.skipped.len() < LISTED {
            self.skipped.push(Skipped { from_line: line, to_line: line, reason });
        }
    }

    /// Counts a line that is not part of a recording.
    pub(super) fn leave_out(&mut self, line: u64, what: &str) {
        let known = |left: &LeftOut, what: &str| left.what == what;
        let is_new = self.left_out.len() >= LISTED && !self.left_out.iter().any(|left| known(left, what));
        let what = if is_new { MORE_KINDS } else { what };
        match self.left_out.iter_mut().find(|left| known(left, what)) {
            Some(left) => left.lines += 1,
            None => self.left_out.push(LeftOut { what: what.to_owned(), lines: 1, first_line: line }),
        }
    }

    /// Why nothing was taken from the file: its name and the first reasons.
    pub(super) fn why_nothing(&self) -> String {
        let skipped = self.skipped.iter().map(|skipped| format!("line {}: {}", skipped.from_line, skipped.reason));
        let left_out = self.left_out.iter().map(|left| format!("line {}: {}", left.first_line, left.what));
        let reasons: Vec<String> = skipped.chain(left_out).take(3).collect();
        let reasons = if reasons.is_empty() { "no row with values".to_owned() } else { reasons.join("; ") };
        format!("{} ({reasons})", self.name)
    }

    /// Adds a note, unless it is there already.
    pub(super) fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if self.notes.len() < LISTED && !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}

/// What an import read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// File by file, as they were given.
    pub files: Vec<FileReport>,
    /// What was assumed about the files together.
    pub notes: Vec<String>,
}

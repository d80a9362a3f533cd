//! Recognises a file by its beginning.

use super::banner::Banner;
use super::clock::stamp;
use super::line::without_colours;
use super::report::FileKind;
use super::{dump, iostat, sadf_text, sar, vmstat};

/// Bytes of a file that are looked at.
pub(super) const LOOKED_AT: usize = 64 << 10;

/// Why a file is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unreadable {
    /// What it is.
    pub(super) what: &'static str,
    /// What to do about it.
    pub(super) hint: &'static str,
}

/// What a file is.
pub(super) fn kind(start: &[u8]) -> Result<FileKind, Unreadable> {
    if let Some(known) = FOREIGN.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Err(known.1);
    }
    let mut start = start.to_vec();
    without_colours(&mut start);
    let text = String::from_utf8_lossy(&start);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    for line in text.lines() {
        if let Some((_, why)) = FOREIGN_TEXT.iter().find(|(is, _)| is(line)) {
            return Err(*why);
        }
        if sadf_text::looks_like_line(line) {
            return Ok(FileKind::SadfText);
        }
        if line.starts_with('{') {
            if text.contains("\"sysstat\"") {
                return Ok(FileKind::Sadf);
            }
            if text.contains("\"fio version\"") {
                return Ok(FileKind::Fio);
            }
        }
        if vmstat::looks_like_header(line) {
            return Ok(FileKind::Vmstat);
        }
        if iostat::looks_like_header(line) {
            return Ok(FileKind::Iostat);
        }
        if sar::looks_like_header(line) {
            return Ok(FileKind::Sar);
        }
        if dump::looks_like_line(line) {
            return Ok(FileKind::KernelFiles);
        }
    }
    if text.lines().any(has_no_values) {
        return Err(WITHOUT_ROWS);
    }
    Err(Unreadable { what: "nothing in it looks like a log that pagetide reads", hint: READABLE })
}

/// Whether a line of a sysstat tool has no values: a banner, a restart or a comment.
fn has_no_values(line: &str) -> bool {
    Banner::parse(line).is_some() || sadf_text::looks_like_mark(line)
}

const WITHOUT_ROWS: Unreadable = Unreadable {
    what: "sysstat output without a table: only its first line, restarts or comments",
    hint: "run `sar -A -f FILE` to print what the file has, and import that",
};

/// Whether a line has numbers in Persian or Arabic-Indic digits.
fn has_other_digits(line: &str) -> bool {
    line.chars().any(|c| matches!(c, '۰'..='۹' | '٠'..='٩'))
}

/// Whether a line is raw output of sadf: a time, then names and pairs of counters, each followed by a semicolon.
fn is_raw(line: &str) -> bool {
    let mut fields = line.split(';');
    fields.next().is_some_and(|first| stamp(first, None).is_some()) && fields.count() > 3
}

/// Whether a line shows what a text is.
type IsLineOf = fn(&str) -> bool;

/// Text that is recognised but not read, by a typical line.
static FOREIGN_TEXT: &[(IsLineOf, Unreadable)] = &[
    (|line| line.starts_with("Tape:"), Unreadable { what: "output of tapestat", hint: "a recording has no tapes" }),
    (
        |line| line.starts_with("Filesystem") && (line.contains("rB/s") || line.contains("rkB/s")),
        Unreadable { what: "output of cifsiostat or nfsiostat", hint: "a recording has no network file systems" },
    ),
    (
        // With -h the name comes last.
        |line| line.contains(" rops/s") && line.contains(" wops/s"),
        Unreadable { what: "output of cifsiostat or nfsiostat", hint: "a recording has no network file systems" },
    ),
    (
        |line| line.starts_with("System activity data file:"),
        Unreadable {
            what: "the header of a sadc file (sadf -H), without the values",
            hint: "run `sadf -j FILE -- -A > FILE.json`, and import FILE.json",
        },
    ),
    (
        has_other_digits,
        Unreadable { what: "its numbers use other digits than 0 to 9", hint: "print it again with LC_ALL=C" },
    ),
    (
        is_raw,
        Unreadable {
            what: "raw output of sadf (-r): pairs of counters",
            hint: "run `sadf -j FILE -- -A > FILE.json`, and import FILE.json",
        },
    ),
    (
        |line| line.starts_with("<sysstat"),
        Unreadable { what: "XML", hint: "run `sadf -j FILE -- -A > FILE.json`, and import FILE.json" },
    ),
    (
        |line| line.starts_with("<svg"),
        Unreadable { what: "an SVG picture", hint: "run `sadf -j FILE -- -A > FILE.json`, and import FILE.json" },
    ),
];

/// What can be read, for messages.
pub(super) const READABLE: &str = "import reads text output of sar, mpstat and pidstat, `sadf -j`, `-d` and `-p`, copies of /proc/meminfo, vmstat, zoneinfo, \
     buddyinfo, stat, diskstats, loadavg and pressure, `vmstat 1`, `iostat -x` and fio JSON; an excerpt needs its header lines";

/// How a binary file of sadc begins, on a machine of the byte order of the one that wrote it (sysstat's `SYSSTAT_MAGIC`).
pub const SADC_MAGIC: [u8; 2] = 0xd596_u16.to_le_bytes();

/// Binary files, by their first bytes.
static FOREIGN: &[(&[u8], Unreadable)] = &[
    (
        &SADC_MAGIC,
        Unreadable {
            what: "a binary sadc file",
            hint: "run `sadf -j FILE -- -A > FILE.json`, and import FILE.json; --allow-sadf runs sadf for you",
        },
    ),
    (
        &[0xd5, 0x96],
        Unreadable {
            what: "a binary sadc file from a machine with the other byte order",
            hint: "run `sadf -j FILE -- -A > FILE.json` on such a machine, and import FILE.json",
        },
    ),
    (&[0x1f, 0x8b], Unreadable { what: "a compressed file", hint: "unpack it with gunzip" }),
    (b"\xfd7zXZ", Unreadable { what: "a compressed file", hint: "unpack it with unxz" }),
    (b"BZh", Unreadable { what: "a compressed file", hint: "unpack it with bunzip2" }),
    (&[0x28, 0xb5, 0x2f, 0xfd], Unreadable { what: "a compressed file", hint: "unpack it with unzstd" }),
];

//! What the commands write: results to stdout, everything else to stderr. All of it goes through [`Escaping`].

mod escaping;

pub(crate) use escaping::Content;

use escaping::Escaping;
use pagetide_core::{Document, Error, ErrorKind, printable};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// Writes to stdout.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    stream(Content::Text, |out| out.write_all(text.as_bytes()))
}

/// Empties the terminal, for what is drawn again and again.
pub(crate) fn clear_screen() -> Result<(), Error> {
    stdout(|out| out.write_all(b"\x1b[2J\x1b[H"))
}

/// Writes to stdout piece by piece, for output too long to hold in memory.
pub(crate) fn stream<T>(content: Content, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Error> {
    stdout(|out| {
        let mut out = Escaping::new(out, content);
        let mut buffer = io::BufWriter::with_capacity(64 << 10, &mut out);
        let done = write(&mut buffer)?;
        buffer.flush()?;
        drop(buffer);
        out.finish().map(|_| done)
    })
}

fn stdout<T>(write: impl FnOnce(&mut io::StdoutLock<'_>) -> io::Result<T>) -> Result<T, Error> {
    let mut out = io::stdout().lock();
    let written = write(&mut out).and_then(|done| out.flush().map(|()| done));
    written.map_err(|error| {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Error::output_closed()
        } else {
            Error::system(format!("stdout: {error}"), "")
        }
    })
}

/// Writes a JSON document to stdout.
pub(crate) fn print_json(body: &impl Serialize) -> Result<(), Error> {
    let text = Document::new(body).to_text().map_err(|error| Error::system(format!("JSON: {error}"), ""))?;
    stream(Content::Json, |out| out.write_all(text.as_bytes()))
}

/// Writes a line to stderr, for people who look on.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(line));
}

/// Writes a line to a terminal on stderr in place of the one before.
pub(crate) fn say_over(line: &str) {
    let _ = write!(io::stderr().lock(), "\r\x1b[K{}", printable(line));
}

/// Writes an error and its hint to stderr; nothing when the reader of stdout has closed it.
pub(crate) fn complain(error: &Error) {
    if error.kind == ErrorKind::OutputClosed {
        return;
    }
    say(&format!("pagetide: {}", error.what));
    if !error.hint.is_empty() {
        say(&format!("  hint: {}", error.hint));
    }
}

/// Whether stdout is a terminal that wants colour (`NO_COLOR` is respected).
pub(crate) fn colour() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Lines of the terminal that stdout is.
pub(crate) fn height() -> Option<usize> {
    rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_row)).filter(|rows| *rows > 0)
}

/// Width for text on stdout: the terminal's, else 100.
pub(crate) fn width() -> usize {
    rustix::termios::tcgetwinsize(io::stdout())
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|columns| *columns >= 40)
        .unwrap_or(100)
}

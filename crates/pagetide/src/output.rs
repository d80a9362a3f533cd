//! What the commands write: results to stdout, everything else to stderr. All of it goes through [`Escaping`].

mod escaping;

pub(crate) use escaping::Content;

use escaping::Escaping;
use pagetide_core::{Document, Error, ErrorKind, printable};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Writes to stdout.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    stream(Content::Text, |out| out.write_all(text.as_bytes()))
}

/// Writes a file to stdout, which is no terminal.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Error> {
    stdout(|out| out.write_all(bytes))
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

/// A path in JSON, which is UTF-8: other bytes of a name are replaced.
pub(crate) fn path_as_text<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// A path as a shell reads it: in quotes where it has more than the plain characters of names.
pub(crate) fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Writes a JSON document to stdout.
pub(crate) fn print_json(body: &impl Serialize) -> Result<(), Error> {
    let text = Document::new(body).to_text().map_err(|error| Error::system(format!("JSON: {error}"), ""))?;
    stream(Content::Json, |out| out.write_all(text.as_bytes()))
}

/// Writes a JSON document to stdout as one line of several.
pub(crate) fn print_json_line(body: &impl Serialize) -> Result<(), Error> {
    let line = Document::new(body).to_line().map_err(|error| Error::system(format!("JSON: {error}"), ""))?;
    stream(Content::Json, |out| out.write_all(line.as_bytes()))
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

/// Whether stdout is a terminal that wants and knows colour (`NO_COLOR` and `TERM=dumb` are respected).
pub(crate) fn colour() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !is_dumb && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// `1 sample`, `7 samples`.
pub(crate) fn samples(count: usize) -> String {
    format!("{count} sample{}", if count == 1 { "" } else { "s" })
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn paths_are_text_in_json_and_words_in_a_shell() {
        let latin = Path::new(OsStr::from_bytes(b"caf\xe9.txt"));
        let text = path_as_text(latin, serde_json::value::Serializer).unwrap();
        assert_eq!(text, "caf\u{fffd}.txt");
        for (path, word) in [("rec/a-1", "rec/a-1"), ("my rec/r", "'my rec/r'"), ("it's", r"'it'\''s'"), ("$x", "'$x'")]
        {
            assert_eq!(shell_word(Path::new(path)), word);
        }
    }
}

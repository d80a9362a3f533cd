//! What the commands write: results to stdout, everything else to stderr.

use pagetide_core::Refusal;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// The `what` of the refusal when nobody reads stdout any more (`pagetide … | head`): not an error.
pub(crate) const CLOSED: &str = "stdout was closed";

/// Writes to stdout.
pub(crate) fn print(text: &str) -> Result<(), Refusal> {
    stream(|out| out.write_all(text.as_bytes()))
}

/// Writes to stdout as it comes, for what is too long to be held.
pub(crate) fn stream<T>(write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Refusal> {
    let mut out = io::BufWriter::with_capacity(64 << 10, io::stdout().lock());
    let written = write(&mut out).and_then(|done| out.flush().map(|()| done));
    written.map_err(|error| {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Refusal::system(CLOSED, "")
        } else {
            Refusal::system(format!("stdout: {error}"), "")
        }
    })
}

/// Writes a value to stdout as indented JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Refusal> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Refusal::system(format!("JSON: {error}"), ""))?;
    print(&(text + "\n"))
}

/// Writes a line to stderr, for people who look on.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes a refusal to stderr: what is wrong, and how to mend it.
pub(crate) fn complain(refusal: &Refusal) {
    say(&format!("pagetide: {}", refusal.what));
    if !refusal.mend.is_empty() {
        say(&format!("  mend: {}", refusal.mend));
    }
}

/// Whether stdout is a terminal that wants colour (`NO_COLOR` is respected).
pub(crate) fn colour() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Width for text on stdout: the terminal's, else 100.
pub(crate) fn width() -> usize {
    rustix::termios::tcgetwinsize(io::stdout())
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|columns| *columns >= 40)
        .unwrap_or(100)
}

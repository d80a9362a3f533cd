//! Lines of a file, one at a time, of bounded length.

use super::gather::Gather;
use pagetide_core::Error;
use std::io::{self, BufRead, Read};

/// A longer line is not one of a tool's tables; sar's widest (interrupts by CPU) stay below 100 KiB.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// One line of a file.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    /// A whole line, without its end.
    Whole(&'a str),
    /// The last line, if it has no newline: it may have been cut in the middle of a number.
    Unended,
    /// A line of more than a mebibyte.
    TooLong,
}

/// Why an unended line is left out.
const UNENDED: &str =
    "the last line has no newline, so its last number may be cut off (add a newline if the line is complete)";

/// Why a long line is left out.
const TOO_LONG: &str = "the line is longer than 1 MiB";

/// Starts an escape sequence of a terminal.
const ESCAPE: u8 = 0x1b;

/// Removes colour sequences such as `ESC [ 34;1m`.
pub(super) fn without_colours(line: &mut Vec<u8>) {
    let mut inside = false;
    line.retain(|byte| {
        let ends = inside && byte.is_ascii_alphabetic();
        let out = inside || *byte == ESCAPE;
        inside = out && !ends;
        !out
    });
}

/// Reads lines and counts them.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: R,
    number: u64,
    bytes: Vec<u8>,
    text: String,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, number: 0, bytes: Vec::new(), text: String::new() }
    }

    /// The next line. Bytes that are not UTF-8 become the replacement character.
    fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.bytes.clear();
        let read = (&mut self.reader).take(MAX_LINE_BYTES).read_until(b'\n', &mut self.bytes)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.bytes.pop_if(|last| *last == b'\n').is_none() {
            if self.bytes.len() as u64 == MAX_LINE_BYTES {
                return self.skip_rest().map(|()| Some(Line::TooLong));
            }
            return Ok(Some(Line::Unended));
        }
        self.bytes.pop_if(|last| *last == b'\r');
        if self.bytes.contains(&ESCAPE) {
            without_colours(&mut self.bytes);
        }
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Ok(Some(Line::Whole(text))),
            Err(_) => {
                self.text = String::from_utf8_lossy(&self.bytes).into_owned();
                Ok(Some(Line::Whole(&self.text)))
            }
        }
    }

    /// Skips the rest of a line.
    fn skip_rest(&mut self) -> io::Result<()> {
        loop {
            let chunk = self.reader.fill_buf()?;
            let Some(last) = chunk.len().checked_sub(1) else { return Ok(()) };
            let end = chunk.iter().position(|byte| *byte == b'\n');
            self.reader.consume(end.unwrap_or(last) + 1);
            if end.is_some() {
                return Ok(());
            }
        }
    }
}

/// Calls `take` with each complete line and its number, from 1, and reports the others.
pub(super) fn each_line<R: BufRead>(
    lines: &mut Lines<R>,
    gather: &mut Gather,
    mut take: impl FnMut(&mut Gather, u64, &str) -> Result<(), Error>,
) -> Result<(), Error> {
    loop {
        let number = lines.number + 1;
        match lines.next() {
            Ok(None) => return Ok(()),
            Ok(Some(Line::Whole(line))) => take(gather, number, line.strip_prefix('\u{feff}').unwrap_or(line))?,
            Ok(Some(Line::Unended)) => gather.report.skip(number, UNENDED),
            Ok(Some(Line::TooLong)) => gather.report.skip(number, TOO_LONG),
            Err(error) => return Err(read_failed(&gather.report.name, &error)),
        }
        gather.report.lines = number;
        if gather.exceeded.is_some() {
            return Ok(());
        }
    }
}

/// The error for a file that cannot be read to its end.
pub(super) fn read_failed(name: &str, error: &io::Error) -> Error {
    Error::system(format!("{name}: {error}"), "check the path, its permissions and its disk")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_a_cut_one_is_reported() {
        let mut lines = Lines::new(&b"one\r\n\n\xff2\nthr"[..]);
        assert_eq!(lines.next().unwrap(), Some(Line::Whole("one")));
        assert_eq!(lines.next().unwrap(), Some(Line::Whole("")));
        assert_eq!(lines.next().unwrap(), Some(Line::Whole("\u{fffd}2")));
        assert_eq!(lines.next().unwrap(), Some(Line::Unended));
        assert_eq!(lines.number, 4);
        assert_eq!(lines.next().unwrap(), None);
    }

    #[test]
    fn colours_are_taken_out() {
        let mut lines = Lines::new(&b"00:19:47 \x1b[34;1m   1860.00\x1b[0m\x1b[34;22m  0.00\x1b[0m\n"[..]);
        assert_eq!(lines.next().unwrap(), Some(Line::Whole("00:19:47    1860.00  0.00")));
    }

    #[test]
    fn a_line_without_end_costs_no_memory() {
        let mut text = vec![b'x'; 3 << 20];
        text.extend_from_slice(b"\nnext\n");
        let mut lines = Lines::new(&text[..]);
        assert_eq!(lines.next().unwrap(), Some(Line::TooLong));
        assert_eq!(lines.next().unwrap(), Some(Line::Whole("next")));
        assert_eq!(lines.number, 2);
        assert!(lines.bytes.capacity() <= 2 << 20);
    }
}

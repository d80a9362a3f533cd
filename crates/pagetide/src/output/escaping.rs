//! The writer that all output goes through, so that the terminal shows control characters in names and never executes them.

use pagetide_core::{is_unprintable, push_printable};
use std::fmt::Write as _;
use std::io::{self, Write};

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Lines of text. Unprintable characters are escaped.
    Text,
    /// The same with colours: sequences that set them pass, no others. The code that added the colours has escaped the names.
    Coloured,
    /// JSON. Unprintable characters can only be within strings, and are escaped as JSON does.
    Json,
}

/// Escapes what is unprintable in UTF-8 that comes in pieces.
#[derive(Debug)]
pub(crate) struct Escaping<W> {
    inner: W,
    content: Content,
    /// The beginning of a character or of a sequence whose end has not come yet.
    rest: Vec<u8>,
}

/// The longest sequence that sets a colour and passes, such as `ESC [ 1 ; 3 1 m`.
const LONGEST_COLOUR: usize = 10;

impl<W: Write> Escaping<W> {
    pub(crate) fn new(inner: W, content: Content) -> Self {
        Self { inner, content, rest: Vec::new() }
    }

    /// Writes what is left, and gives the writer below.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let rest = std::mem::take(&mut self.rest);
        self.put(&rest, true)?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    /// Writes the bytes, but for an end that may continue.
    fn put(&mut self, mut bytes: &[u8], last: bool) -> io::Result<()> {
        let mut out = String::with_capacity(bytes.len());
        while !bytes.is_empty() {
            let (valid, invalid) = match std::str::from_utf8(bytes) {
                Ok(text) => (text, None),
                Err(error) => {
                    let (valid, _) = bytes.split_at(error.valid_up_to());
                    (std::str::from_utf8(valid).unwrap_or_default(), Some(error.error_len()))
                }
            };
            let taken = self.put_text(valid, last || invalid.is_some(), &mut out);
            bytes = &bytes[taken..];
            if taken < valid.len() {
                break;
            }
            match invalid {
                None => break,
                // A character whose end may come with the next piece.
                Some(None) if !last => break,
                Some(length) => {
                    let (wrong, after) = bytes.split_at(length.unwrap_or(bytes.len()));
                    wrong.iter().for_each(|byte| {
                        let _ = write!(out, "\\x{byte:02x}");
                    });
                    bytes = after;
                }
            }
        }
        self.rest = bytes.to_vec();
        self.inner.write_all(out.as_bytes())
    }

    /// Appends text in its safe form, and returns how many bytes it consumed: all but an incomplete sequence at the end.
    fn put_text(&self, text: &str, last: bool, out: &mut String) -> usize {
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            match (self.content, c) {
                (_, '\n') | (Content::Text | Content::Coloured, '\t') => out.push(c),
                (_, c) if !is_unprintable(c) => out.push(c),
                (Content::Json, c) => {
                    c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                        let _ = write!(out, "\\u{unit:04x}");
                    });
                }
                (Content::Coloured, '\x1b') => {
                    let rest = &text[at..];
                    if let Some(length) = colour(rest) {
                        out.push_str(&rest[..length]);
                        at += length;
                        continue;
                    }
                    if !last && rest.len() < LONGEST_COLOUR && may_become_colour(rest) {
                        return at;
                    }
                    push_printable(out, c);
                }
                (_, c) => push_printable(out, c),
            }
            at += c.len_utf8();
        }
        text.len()
    }
}

/// The length of the sequence that sets a colour at the beginning of a text.
fn colour(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\x1b[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    (parameters[end..].starts_with('m') && end + 3 <= LONGEST_COLOUR).then_some(end + 3)
}

fn may_become_colour(text: &str) -> bool {
    let rest = text.strip_prefix('\x1b').unwrap_or(text);
    rest.strip_prefix('[').unwrap_or(rest).chars().all(|c| c.is_ascii_digit() || c == ';')
}

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.put(bytes, false)?;
        } else {
            let whole = [self.rest.as_slice(), bytes].concat();
            self.put(&whole, false)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(content: Content, pieces: &[&[u8]]) -> String {
        let mut out = Escaping::new(Vec::new(), content);
        pieces.iter().for_each(|piece| out.write_all(piece).unwrap());
        String::from_utf8(out.finish().unwrap()).unwrap()
    }

    #[test]
    fn text_shows_what_a_terminal_would_obey() {
        let evil = "a\x1b]0;x\x07\u{9b}2J\u{202e}b\u{200b}\tc\n";
        assert_eq!(through(Content::Text, &[evil.as_bytes()]), "a\\x1b]0;x\\x07\\u{9b}2J\\u{202e}b\\u{200b}\tc\n");
        assert_eq!(through(Content::Text, &[b"a\x1b[1mb"]), "a\\x1b[1mb");
        assert_eq!(through(Content::Text, &[b"a\xff\xc3"]), "a\\xff\\xc3");
    }

    #[test]
    fn of_coloured_text_only_colours_pass() {
        let text = "\x1b[1;31mred\x1b[0m \x1b[2J\x1b]0;x\x07\x1b[1;1;1;1;1;1m";
        assert_eq!(
            through(Content::Coloured, &[text.as_bytes()]),
            "\x1b[1;31mred\x1b[0m \\x1b[2J\\x1b]0;x\\x07\\x1b[1;1;1;1;1;1m"
        );
    }

    #[test]
    fn json_stays_the_same_json() {
        let value = serde_json::json!({ "name": "a\u{1b}\u{85}\u{9b}\u{202e}\u{e0041}\n\t\u{4e16}" });
        let text = serde_json::to_string_pretty(&value).unwrap();
        let shown = through(Content::Json, &[text.as_bytes()]);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        assert!(!shown.contains(|c| is_unprintable(c) && c != '\n'), "{shown}");
        assert!(shown.contains("\\u009b") && shown.contains("\\u202e"), "{shown}");
    }

    #[test]
    fn pieces_give_what_the_whole_gives() {
        let text = "\x1b[1;31m\u{e4}\u{9b}\u{1f600}\x1b[0m\x1b[3".as_bytes();
        let text = [text, b"\xe4\xb8x\xff"].concat();
        for content in [Content::Text, Content::Coloured, Content::Json] {
            let whole = through(content, &[&text]);
            for at in 0..text.len() {
                let (a, b) = text.split_at(at);
                assert_eq!(through(content, &[a, b]), whole, "{content:?} at {at}");
            }
            assert_eq!(through(content, &text.chunks(1).collect::<Vec<_>>()), whole);
        }
    }
}

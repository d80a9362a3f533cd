//! Text that other users choose (names of processes, control groups, files) as text that only shows.
//!
//! A terminal obeys control characters, a reader is misled by characters that reorder text or take no room. [`printable`] shows both
//! escaped: `\x1b`, `\u{202e}`.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does something else than show: control characters (C0, DEL, C1), those that set the direction of text, those
/// without width, and separators of lines and paragraphs.
pub const fn is_unprintable(c: char) -> bool {
    matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}'
        // Soft hyphen, combining grapheme joiner, Arabic letter mark, Khmer inherent vowels, Mongolian selectors and vowel separator.
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        // What looks like a blank or like nothing: Hangul fillers, Braille without dots.
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}'
        // Zero width, marks of direction, separators, embeddings, overrides, isolates, invisible operators.
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        // Variation selectors, byte order mark, reserved and interlinear annotation, shorthand and musical format controls, tags.
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Appends a character, escaped when it is unprintable.
pub fn push_printable(out: &mut String, c: char) {
    // Writing to a text cannot fail.
    let _ = match u32::from(c) {
        _ if !is_unprintable(c) => return out.push(c),
        code @ 0..=0x7f => write!(out, "\\x{code:02x}"),
        code => write!(out, "\\u{{{code:x}}}"),
    };
}

/// The text on one line, with unprintable characters escaped.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    text.chars().for_each(|c| push_printable(&mut out, c));
    Cow::Owned(out)
}

/// A name of bytes as text: what is not UTF-8 as `\xNN`, so that names which differ in such bytes differ as text.
pub fn name_of_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_shows_stays_and_the_rest_is_escaped() {
        for plain in ["postgres: wal writer", "a\u{e4}\u{4e16}\u{1f600}", "back\\slash"] {
            assert!(matches!(printable(plain), Cow::Borrowed(_)), "{plain}");
        }
        for (text, shown) in [
            ("\x1b]0;evil\x07", r"\x1b]0;evil\x07"),
            ("a\nb\tc\rd\x7f", r"a\x0ab\x09c\x0dd\x7f"),
            ("\u{9b}31m", r"\u{9b}31m"),
            ("user\u{202e}txt.exe\u{2066}", r"user\u{202e}txt.exe\u{2066}"),
            ("a\u{200b}b\u{feff}\u{e0041}", r"a\u{200b}b\u{feff}\u{e0041}"),
        ] {
            assert_eq!(printable(text), shown);
        }
        for alike in [
            '\u{34f}',
            '\u{fe0f}',
            '\u{180b}',
            '\u{17b5}',
            '\u{e0101}',
            '\u{1d173}',
            '\u{115f}',
            '\u{3164}',
            '\u{ffa0}',
            '\u{2800}',
        ] {
            assert_eq!(printable(&format!("post{alike}gres")), format!("post\\u{{{:x}}}gres", u32::from(alike)));
        }
    }

    #[test]
    fn names_that_differ_in_invalid_bytes_differ_as_text() {
        assert_eq!(name_of_bytes(b"job\xff"), "job\\xff");
        assert_eq!(name_of_bytes(b"job\xfe\xc3"), "job\\xfe\\xc3");
        assert!(matches!(name_of_bytes("j\u{e4}b".as_bytes()), Cow::Borrowed(_)));
    }
}

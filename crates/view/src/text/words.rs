//! Words in lines. In whatever comes from outside, characters that a terminal would obey are escaped.

use pagetide_core::printable;
use std::io::{self, Write};
use textwrap::{Options, WordSeparator, WordSplitter};
use unicode_width::UnicodeWidthStr;

/// The text on one line, with unprintable characters escaped.
pub(crate) fn clean(text: &str) -> String {
    printable(text).into_owned()
}

/// The columns that the text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text in lines of at most `width` columns; a longer word stands alone and is not broken.
pub fn lines(text: &str, width: usize) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let options = Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
        .break_words(false);
    let text = clean(&words.join(" "));
    textwrap::wrap(&text, options).into_iter().map(|line| line.into_owned()).collect()
}

/// Writes the text wrapped, with `first` before its first line and `rest` before the others.
pub(crate) fn wrapped(out: &mut dyn Write, width: usize, first: &str, rest: &str, text: &str) -> io::Result<()> {
    let room = width.saturating_sub(self::width(rest)).max(20);
    for (index, line) in lines(text, room).iter().enumerate() {
        writeln!(out, "{}{line}", if index == 0 { first } else { rest })?;
    }
    Ok(())
}

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
    // Most texts are numbers, and a table of a day has a million of them.
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) { text.len() } else { text.width() }
}

/// The text in lines of at most `width` columns; a longer word stands alone and is not broken, nor is a number such as `20 000` or
/// `63.2 %`. Only blanks part words: a newline is one that somebody put into a name.
pub fn lines(text: &str, width: usize) -> Vec<String> {
    let text = clean(text);
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let options = Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
        .break_words(false);
    let text = joined(&words.join(" "));
    textwrap::wrap(&text, options).into_iter().map(|line| line.replace(NO_BREAK, " ")).collect()
}

const NO_BREAK: char = '\u{a0}';

/// The text with spaces at which no line ends: within a number, and between a number and its percent sign.
fn joined(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let whole =
        |at: usize| at > 0 && digit(at - 1) && (letters.get(at + 1) == Some(&'%') || (1..=3).all(|to| digit(at + to)));
    letters
        .iter()
        .enumerate()
        .map(|(at, letter)| if *letter == ' ' && whole(at) { NO_BREAK } else { *letter })
        .collect()
}

/// Writes the text wrapped, with `first` before its first line and `rest` before the others.
pub(crate) fn wrapped(out: &mut dyn Write, width: usize, first: &str, rest: &str, text: &str) -> io::Result<()> {
    let room = width.saturating_sub(self::width(rest)).max(20);
    for (index, line) in lines(text, room).iter().enumerate() {
        writeln!(out, "{}{line}", if index == 0 { first } else { rest })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn numbers_stay_whole() {
        assert_eq!(
            lines("it reads 20 000 pages, 63.2 % of all", 12),
            ["it reads", "20 000", "pages,", "63.2 % of", "all"]
        );
        assert_eq!(lines("in 3 of 40 steps", 6), ["in 3", "of 40", "steps"]);
    }

    #[test]
    fn a_newline_in_a_name_is_shown_and_ends_no_line() {
        assert_eq!(lines("q\n\n$ rm -rf /  reads", 80), [r"q\x0a\x0a$ rm -rf / reads"]);
    }
}

//! Words in lines. Whatever comes from outside is cleaned of control characters, which a terminal would obey.

use std::io::{self, Write};

/// The text with a mark for every control character.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Characters, as a terminal counts them for all but wide scripts.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// The text in lines of at most `width` characters; a longer word stands alone and is not broken.
pub(crate) fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in clean(&text.replace('\n', " ")).split(' ').filter(|word| !word.is_empty()) {
        if let Some(line) = lines.last_mut() {
            if line.is_empty() {
                line.push_str(word);
                continue;
            }
            if self::width(line) + 1 + self::width(word) <= width {
                line.push(' ');
                line.push_str(word);
                continue;
            }
        }
        lines.push(word.to_owned());
    }
    lines
}

/// Writes the text wrapped, with `first` before its first line and `rest` before the others.
pub(crate) fn wrapped(out: &mut dyn Write, width: usize, first: &str, rest: &str, text: &str) -> io::Result<()> {
    let room = width.saturating_sub(self::width(rest)).max(20);
    for (index, line) in lines(text, room).iter().enumerate() {
        writeln!(out, "{}{line}", if index == 0 { first } else { rest })?;
    }
    Ok(())
}

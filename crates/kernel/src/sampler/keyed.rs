//! The last text of a file of names and numbers: most lines are the same the next time.

use crate::error::Error;
use pagetide_core::ColumnId;
use pagetide_proctext::Problem;
use pagetide_proctext::keyed::Line;
use pagetide_proctext::text::lines;

/// The lines of the last reading. An unchanged line takes one comparison and is not parsed.
#[derive(Debug, Default)]
pub(crate) struct KeyedLines {
    text: String,
    lines: Vec<KeyedLine>,
}

#[derive(Debug, Clone, Copy)]
struct KeyedLine {
    /// Where it ends in the text, behind its line feed.
    end: usize,
    /// Length of the name at its start.
    name: usize,
    column: ColumnId,
    value: u64,
}

impl KeyedLines {
    /// Passes on the number of every line of `text` with its column. `learn` returns the column of a name that was not at this position before.
    pub(crate) fn read(
        &mut self,
        file: &'static str,
        text: &str,
        parse: fn(&str) -> Result<Line<'_>, Problem>,
        learn: impl FnMut(&str) -> ColumnId,
        give: impl FnMut(ColumnId, u64),
    ) -> Result<(), Error> {
        let read = self.compare(file, text, parse, learn, give);
        if read.is_err() {
            self.lines.clear();
        }
        if self.text.capacity() < text.len() {
            // Numbers get longer. Touch the memory for that now, so that no later sample has to allocate it.
            self.text = "\n".repeat(2 * text.len());
        }
        self.text.clear();
        self.text.push_str(text);
        read
    }

    fn compare(
        &mut self,
        file: &'static str,
        text: &str,
        parse: fn(&str) -> Result<Line<'_>, Problem>,
        mut learn: impl FnMut(&str) -> ColumnId,
        mut give: impl FnMut(ColumnId, u64),
    ) -> Result<(), Error> {
        // An empty or truncated file does not count.
        lines(file, text).map(drop)?;
        let (mut start, mut at, mut before) = (0, 0, 0);
        while start < text.len() {
            let known = self.lines.get(at).copied();
            let old = known.map_or("", |known| &self.text[before..known.end]);
            let rest = &text[start..];
            let line = match known {
                Some(known) if rest.starts_with(old) => KeyedLine { end: start + old.len(), ..known },
                _ => {
                    let length = rest.bytes().position(|byte| byte == b'\n').unwrap_or(rest.len());
                    let (name, value) = parse(&rest[..length]).map_err(|problem| Error::line(file, at + 1, problem))?;
                    let same = known.filter(|known| old[..known.name] == *name);
                    let column = same.map_or_else(|| learn(name), |known| known.column);
                    KeyedLine { end: start + length + 1, name: name.len(), column, value }
                }
            };
            give(line.column, line.value);
            (start, before) = (line.end, before + old.len());
            match self.lines.get_mut(at) {
                Some(known) => *known = line,
                None => self.lines.push(line),
            }
            at += 1;
        }
        self.lines.truncate(at);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_proctext::keyed::spaced;
    use proptest::prelude::*;

    /// The names and numbers of a reading, and how many names were looked up.
    fn read(known: &mut KeyedLines, names: &mut Vec<String>, text: &str) -> Result<(Vec<(String, u64)>, usize), Error> {
        let (mut asked, mut given) = (0, Vec::new());
        let learn = |name: &str| {
            asked += 1;
            let at = names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            });
            ColumnId(u32::try_from(at).unwrap())
        };
        known.read("f", text, spaced, learn, |column, value| given.push((column.0, value)))?;
        Ok((given.into_iter().map(|(column, value)| (names[column as usize].clone(), value)).collect(), asked))
    }

    #[test]
    fn a_name_is_requested_when_it_was_not_there_before() {
        let (mut known, mut names) = (KeyedLines::default(), Vec::new());
        let mut asked = |text| read(&mut known, &mut names, text).map(|(_, asked)| asked).ok();
        assert_eq!(asked("a 1\nbb 2\n"), Some(2));
        assert_eq!(asked("a 1\nbb 23\n"), Some(0));
        assert_eq!(asked("a 1\nb 23\n"), Some(1));
        assert_eq!(asked("a 1\nb 23\nc 1\n"), Some(1));
        assert_eq!(asked("a 1\nb x\n"), None);
        assert_eq!(asked("a 1\nb 23"), None);
        assert_eq!(asked(""), None);
        assert_eq!(asked("a 1\n"), Some(1), "after an error nothing is known");
    }

    proptest! {
        #[test]
        fn every_reading_gives_what_the_text_says(
            readings in prop::collection::vec(prop::collection::vec(("[ab]{1,3}", 0u64..200), 1..6), 1..8),
        ) {
            let (mut known, mut names) = (KeyedLines::default(), Vec::new());
            for reading in readings {
                let text: String = reading.iter().map(|(name, value)| format!("{name} {value}\n")).collect();
                prop_assert_eq!(read(&mut known, &mut names, &text).unwrap().0, reading);
            }
        }
    }
}

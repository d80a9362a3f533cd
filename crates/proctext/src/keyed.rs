//! Files that are a list of names with one number each: meminfo, vmstat, memory.stat and their kind.

use crate::error::{Error, Problem};
use crate::text::{cut, lines, number};

/// One line: a name and its number in the unit that samples store.
pub type Line<'a> = (&'a str, u64);

/// `name value`, as in vmstat and memory.stat.
pub fn spaced(line: &str) -> Result<Line<'_>, Problem> {
    let (name, value) = cut(line, b' ').ok_or(Problem::Short)?;
    if name.is_empty() {
        return Err(Problem::Foreign);
    }
    Ok((name, number(value).ok_or(Problem::NotANumber)?))
}

/// `Name:   value kB` or `Name: value`, as in meminfo and status. A number with `kB` is turned into bytes.
pub fn with_colon(line: &str) -> Result<Line<'_>, Problem> {
    let (name, rest) = cut(line, b':').ok_or(Problem::Short)?;
    if name.is_empty() || name.contains(' ') {
        return Err(Problem::Foreign);
    }
    let rest = rest.trim_ascii();
    let value = match rest.strip_suffix(" kB") {
        Some(kib) => number(kib).map(|kib| kib.saturating_mul(1024)),
        None => number(rest),
    };
    Ok((name, value.ok_or(Problem::NotANumber)?))
}

/// Names with their numbers, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(pub Vec<(String, u64)>);

impl Fields {
    /// All lines of a file of this kind.
    pub fn parse(file: &'static str, text: &str, line: fn(&str) -> Result<Line<'_>, Problem>) -> Result<Self, Error> {
        let mut fields = Vec::new();
        for (at, text) in lines(file, text)? {
            let (name, value) = line(text).map_err(|problem| Error::line(file, at, problem))?;
            fields.push((name.to_owned(), value));
        }
        Ok(Self(fields))
    }

    /// The number of a name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

//! How the process table names processes that began and ended between two samples: those of one command and one parent have a row together.

use std::fmt;
use std::str::FromStr;

/// What the names of such rows begin with. A process has its id there.
const MARK: &str = "ended/";

/// The name of a row in the process table, `ended/PARENT.NTH@TICK`: the processes of one command and parent that no sample saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedName {
    /// The process id of their parent; absent where no sample saw that either.
    pub parent: Option<u32>,
    /// Which of the rows of a recorder it is: a name is not used again.
    pub nth: u64,
    /// When their counters were 0, in ticks of 1/100 s after boot: at the sample before the first of them ended.
    pub tick: u64,
}

impl EndedName {
    /// Whether a name of the process table is one.
    pub fn is(name: &str) -> bool {
        name.parse::<Self>().is_ok()
    }
}

impl fmt::Display for EndedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parent, nth, tick } = self;
        write!(f, "{MARK}{}.{nth}@{tick}", parent.unwrap_or(0))
    }
}

impl FromStr for EndedName {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let (who, tick) = text.strip_prefix(MARK).and_then(|rest| rest.split_once('@')).ok_or(())?;
        let (parent, nth) = who.split_once('.').ok_or(())?;
        let parent: u32 = parent.parse().map_err(drop)?;
        let (nth, tick) = (nth.parse().map_err(drop)?, tick.parse().map_err(drop)?);
        Ok(Self { parent: (parent != 0).then_some(parent), nth, tick })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moment;

    #[test]
    fn a_name_says_whose_children_they_were_and_from_when_on_they_count() {
        let name = EndedName { parent: Some(4711), nth: 3, tick: 98_765 };
        assert_eq!(name.to_string(), "ended/4711.3@98765");
        assert_eq!(name.to_string().parse(), Ok(name));
        assert_eq!(
            Moment::of_start(&name.to_string()),
            Some(Moment::new(987_650_000_000)),
            "their counters began at 0 then"
        );
        let orphans = EndedName { parent: None, ..name };
        assert_eq!(orphans.to_string().parse(), Ok(orphans));
        for other in ["4711@98765", "4711@98765/dd", "ended/", "ended/1@2", "ended/x.1@2", "ended/1.2@x", "ended/1.2"] {
            assert!(!EndedName::is(other), "{other}");
        }
    }
}

//! `/proc/vmstat` (`mm/vmstat.c:vmstat_show`).

use crate::error::{Error, Problem};
use crate::keyed::{Fields, spaced};
use pagetide_core::{Pages, Table, metric};

const FILE: &str = "/proc/vmstat";

/// What `/proc/vmstat` says, every line of it: pages for most `nr_*` lines, counts of events for the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vmstat {
    fields: Fields,
}

impl Vmstat {
    /// A number by the kernel's name for it; absent when this kernel does not give it.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.fields.get(name)
    }

    /// A number of pages.
    pub fn pages(&self, name: &str) -> Option<Pages> {
        self.get(name).map(Pages::new)
    }

    /// Every line, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.fields.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// The names that the metric table does not know.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name).filter(|name| metric::find(Table::Host, name).is_none())
    }
}

/// Parses `/proc/vmstat`.
pub fn parse_vmstat(text: &str) -> Result<Vmstat, Error> {
    let fields = Fields::parse(FILE, text, spaced)?;
    if fields.get("pgpgin").is_none() && fields.get("nr_free_pages").is_none() {
        return Err(Error::line(FILE, 1, Problem::Foreign));
    }
    Ok(Vmstat { fields })
}

//! `/proc/meminfo` (`fs/proc/meminfo.c:meminfo_proc_show`).

use crate::error::{Error, Problem};
use crate::keyed::{Fields, with_colon};
use pagetide_core::{Bytes, Table, metric};

const FILE: &str = "/proc/meminfo";

/// What `/proc/meminfo` says, every line of it. The kernel's `kB` are turned into bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meminfo {
    fields: Fields,
}

impl Meminfo {
    /// An amount by the kernel's name for it; absent when this kernel does not give it.
    pub fn get(&self, name: &str) -> Option<Bytes> {
        self.fields.get(name).map(Bytes::new)
    }

    /// A line that is a plain count, such as `HugePages_Total`.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.fields.get(name)
    }

    /// `MemTotal`: memory that the kernel manages.
    pub fn total(&self) -> Option<Bytes> {
        self.get("MemTotal")
    }

    /// `MemFree`: memory nobody uses.
    pub fn free(&self) -> Option<Bytes> {
        self.get("MemFree")
    }

    /// `MemAvailable`; absent before Linux 3.14 (34e431b0ae39, "/proc/meminfo: provide estimated available memory").
    pub fn available(&self) -> Option<Bytes> {
        self.get("MemAvailable")
    }

    /// Every line: name and number (bytes, or a count for lines without `kB`), in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.fields.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// The names that the metric table does not know.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name).filter(|name| metric::find(Table::Host, name).is_none())
    }
}

/// Parses `/proc/meminfo`.
pub fn parse_meminfo(text: &str) -> Result<Meminfo, Error> {
    let fields = Fields::parse(FILE, text, with_colon)?;
    if fields.get("MemTotal").is_none() {
        return Err(Error::line(FILE, 1, Problem::Foreign));
    }
    Ok(Meminfo { fields })
}

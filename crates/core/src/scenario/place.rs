//! Where loads read and write.

use super::name;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Where a load reads from or writes to: `zero`, `null`, `file:NAME`, `file:NAME@DISK` or `disk:NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// `/dev/zero`.
    Zero,
    /// `/dev/null`.
    Null,
    /// A file in the run's data folder.
    File {
        /// Its name.
        name: String,
        /// The disk that it lies on; the machine's first when absent.
        disk: Option<String>,
    },
    /// A disk of the machine as a block device. A disk that a load writes must have no file system.
    Disk(String),
}

impl Place {
    /// The disk that it names.
    pub fn disk(&self) -> Option<&str> {
        match self {
            Self::File { disk, .. } => disk.as_deref(),
            Self::Disk(disk) => Some(disk),
            Self::Zero | Self::Null => None,
        }
    }

    /// Whether it lies on a disk.
    pub const fn stored(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Disk(_))
    }

    /// Whether it is a file.
    pub const fn is_file(&self) -> bool {
        matches!(self, Self::File { .. })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("zero"),
            Self::Null => f.write_str("null"),
            Self::File { name, disk: None } => write!(f, "file:{name}"),
            Self::File { name, disk: Some(disk) } => write!(f, "file:{name}@{disk}"),
            Self::Disk(disk) => write!(f, "disk:{disk}"),
        }
    }
}

impl FromStr for Place {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let named = |text: &str| name::is_plain(text).then(|| text.to_owned());
        let place = match text.split_once(':') {
            None if text == "zero" => Some(Self::Zero),
            None if text == "null" => Some(Self::Null),
            Some(("disk", disk)) => named(disk).map(Self::Disk),
            Some(("file", file)) => match file.split_once('@') {
                None => named(file).map(|name| Self::File { name, disk: None }),
                Some((file, disk)) => {
                    named(file).zip(named(disk)).map(|(name, disk)| Self::File { name, disk: Some(disk) })
                }
            },
            _ => None,
        };
        place.ok_or_else(|| format!("not a place: `{text}` (write zero, null, file:NAME, file:NAME@DISK or disk:NAME)"))
    }
}

impl Serialize for Place {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

//! Sealed segments: one Parquet file per table and segment, see FORMAT.md.

mod error;
mod pages;
mod read;
mod write;

pub(crate) use crate::layout::{MARKS, SAMPLES};
pub(crate) use error::SealedError;
pub(crate) use read::{Numbers, SealedFile};
pub(crate) use write::FileWriter;

use pagetide_core::{Column, Manifest, Table};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

/// The file of buckets on coarser time. It is computed from the others and may be missing.
pub(crate) const PYRAMID: &str = "pyramid";
/// The file of a day's longer buckets, named by the first segment of the day. It is computed from those in `pyramid/` and may be missing.
pub(crate) const PYRAMID_DAY: &str = "pyramid-day";
/// Columns of the file of buckets.
pub(crate) const BUCKET_COLUMNS: (&str, [&str; 2], [&str; 5]) =
    ("end_ns", ["metric", "entity"], ["mean", "amount", "min", "max", "weight"]);

/// All folders of files of a segment, that of samples first.
pub(crate) fn folders() -> impl Iterator<Item = &'static str> {
    kinds().chain([PYRAMID, PYRAMID_DAY])
}

/// All folders of what was recorded.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    [SAMPLES, MARKS].into_iter().chain(Table::ALL.into_iter().map(Table::name))
}

/// Columns of the file of samples.
pub(crate) const TIME_COLUMNS: [&str; 4] = ["sample", "wall_ns", "mono_ns", "boot_ns"];
/// Columns of a table before the entity and the metrics: the number of the sample, and its time for people. Its other times are in the file
/// of samples.
pub(crate) const ROW_COLUMNS: [&str; 2] = ["sample", "wall_ns"];
/// Columns that name the entity of a row.
pub(crate) const ENTITY_COLUMNS: [&str; 2] = ["entity", "label"];
/// The column after them, if command lines are recorded; empty where unknown.
pub(crate) const COMMAND_LINE_COLUMN: &str = "command_line";
/// Columns of the file of marks.
pub(crate) const MARK_COLUMNS: [&str; 5] = ["wall_ns", "mono_ns", "boot_ns", "type", "json"];

/// The key in the Parquet metadata under which [`Description`] is, as JSON.
const DESCRIPTION: &str = "pagetide";

/// What a sealed file says about itself, so that it can be read without the others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Description {
    /// The format version.
    pub(crate) version: u32,
    /// Which file it is: `sample`, `mark` or a table's name.
    pub(crate) file: String,
    /// The label of the only entity, where the file has no columns for entities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<String>,
    /// The metrics, in the order of their Parquet columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty", serialize_with = "as_lists")]
    pub(crate) metrics: Vec<Column>,
    /// The other files of the segment and what is in them, by table; in the file of samples, since version 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) siblings: Option<BTreeMap<String, Content>>,
    /// In a file of buckets: the checksum of the file of samples that it was computed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) samples: Option<u32>,
    /// In a file of a day's buckets: the checksums of that day's files of samples, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) days: Vec<u32>,
    /// In a file of buckets: for each row group the length of its buckets in seconds, and their table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) groups: Option<Vec<(i64, Table)>>,
    /// The row groups whose buckets stand for every longer one around them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tops: Vec<usize>,
    /// The manifest when the segment began; in the file of samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) manifest: Option<Manifest>,
}

/// Writes name, kind and unit of each as a list: the keys would be half of the text. Every reader takes both forms.
fn as_lists<S: Serializer>(metrics: &[Column], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(metrics.iter().map(|Column { name, kind, unit }| (name, kind, unit)))
}

/// Size and checksum, which show that a file is the one that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    /// How many there are.
    pub(crate) size: u64,
    /// Their CRC-32.
    pub(crate) crc32: u32,
}

/// The names of the Parquet columns of `metrics`. SQL engines ignore case, so a name that is taken gets a number: of two metrics that
/// differ only in case, or a metric named like a time column.
pub(crate) fn column_names(taken: &[&str], metrics: &[Column]) -> Vec<String> {
    let mut used: BTreeSet<String> = taken.iter().map(|name| (*name).to_owned()).collect();
    let mut names = Vec::with_capacity(metrics.len());
    for metric in metrics {
        let free = (1..).map(|n| if n == 1 { metric.name.clone() } else { format!("{}_{n}", metric.name) });
        let name = free.into_iter().find(|name| used.insert(name.to_ascii_lowercase())).unwrap_or_default();
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Kind, Unit};

    #[test]
    fn metrics_are_read_as_lists_and_as_objects() {
        let metric = Column { name: "MemFree".into(), kind: Kind::Gauge, unit: Unit::Bytes };
        let description = Description { version: 3, metrics: vec![metric], ..Description::default() };
        let text = serde_json::to_string(&description).unwrap();
        assert!(text.contains(r#""metrics":[["MemFree","gauge","bytes"]]"#), "{text}");
        let object =
            text.replace(r#"["MemFree","gauge","bytes"]"#, r#"{"name":"MemFree","kind":"gauge","unit":"bytes"}"#);
        for text in [text, object] {
            assert_eq!(serde_json::from_str::<Description>(&text).unwrap(), description);
        }
    }

    #[test]
    fn column_names_are_unique_without_case() {
        let metric = |name: &str| Column { name: name.into(), kind: Kind::Unknown, unit: Unit::Unknown };
        let metrics = [metric("file"), metric("File"), metric("FILE"), metric("Label"), metric("file_2")];
        assert_eq!(column_names(&["label"], &metrics), ["file", "File_2", "FILE_3", "Label_2", "file_2_2"]);
    }
}

//! A row: what one recording says of one hour, or why it says nothing.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;

/// The version of the columns: raised when one changes its meaning or goes. New columns do not raise it.
pub const ROW_VERSION: i64 = 4;

/// What made a row: the program's version and a number of the sources that decide what rows say. Rows of different makers are not
/// compared.
pub const MADE_BY: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("PAGETIDE_SOURCES"));

/// A text of a row. Rows of one recording share most of theirs.
pub type Text = Arc<str>;

/// The type of a column's values, each of which may be absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// UTF-8 text.
    Text,
    /// A signed 64-bit integer.
    Integer,
    /// A 64-bit floating-point number.
    Real,
}

impl ColumnType {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Real => "real",
        }
    }
}

/// A column of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnDoc {
    /// Its name; the unit of amounts is its end.
    pub name: &'static str,
    /// The type of its values.
    pub kind: ColumnType,
    /// What it says.
    pub meaning: &'static str,
}

/// One value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of a column of texts.
    Text(Option<Text>),
    /// Of a column of integers.
    Integer(Option<i64>),
    /// A column of real numbers.
    Real(Option<f64>),
}

macro_rules! columns {
    ($($name:ident $kind:ident $type:ty = $meaning:literal;)*) => {
        /// What one recording says of one hour, or why it says nothing: then `problem` is there.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Row {
            $(#[doc = $meaning] #[serde(default, skip_serializing_if = "Option::is_none")] pub $name: Option<$type>,)*
        }

        /// The columns, in order.
        pub static COLUMNS: &[ColumnDoc] =
            &[$(ColumnDoc { name: stringify!($name), kind: ColumnType::$kind, meaning: $meaning }),*];

        impl Row {
            /// The values, in the order of [`COLUMNS`].
            pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
                [$(Value::$kind(self.$name.clone())),*].into_iter()
            }

            /// Sets the value of a column, if it is of the column's type.
            pub fn set(&mut self, column: &str, value: Value) {
                match (column, value) {
                    $((stringify!($name), Value::$kind(value)) => self.$name = value,)*
                    _ => {}
                }
            }
        }
    };
}

columns! {
    row_version Integer i64 = "version of these columns";
    made_by Text Text = "version of pagetide and of its rules that produced the row";
    recording Text Text = "the recording: its folder, and `/host=NAME` where it is one of several hosts in a tree";
    host Text Text = "the host's name";
    boot_id Text Text = "boot id of its kernel: recordings of the same hours with another one are of another machine";
    hour_ns Integer i64 = "start of the UTC hour, ns since 1970-01-01 UTC; absent when the row covers the whole recording";
    problem Text Text = "why there is no verdict: `unreadable`, `empty`, `out-of-range`, `damaged`, `too-new`, `clock-skewed`, `duplicate-host`, `crashed`";
    problem_text Text Text = "the same as a sentence";

    origin Text Text = "where the samples come from: host, vm, sim, import";
    kernel Text Text = "the kernel's release";
    cpus Integer i64 = "CPUs online";
    memory_bytes Integer i64 = "memory managed by the kernel";
    disks Text Text = "whole disks: names, separated by a space";
    disk_models Text Text = "their models, each once, separated by `; `";
    disk_classes Text Text = "their classes, each once, separated by a space: nvme, virtual, rotational, ssd, other";
    filesystems Text Text = "kinds of file systems on disks, each once, separated by a space";
    swap_bytes Integer i64 = "size of all swap areas";
    lru Text Text = "page reclaim lists of the kernel: classic, mglru";
    sysctls Text Text = "settings of memory and writeback: a JSON object";

    labels Text Text = "labels of the host (`record --labels`): a JSON object";

    samples Integer i64 = "samples in the hour";
    covered_ns Integer i64 = "time from the first to the last sample";
    verdict Text Text = "`incident`, `forecast`, `healthy` or `cannot-tell`";
    cause Text Text = "the cause of the worst incident: a rule's id";
    confidence Real f64 = "observed share of right causes among those of its grade, 0 to 1";
    program Text Text = "the program that caused it";
    group Text Text = "the control group that caused it";
    disk Text Text = "the disk that caused it";
    disk_class Text Text = "the class of that disk";
    harm_ns Integer i64 = "time lost in incidents beyond the usual waits, as `diagnose` says of that hour: by the group that lost most, else by the tasks of the host";
    stalled_io_ns Integer i64 = "time in which at least one task waited for IO";
    stalled_memory_ns Integer i64 = "time in which at least one task waited for memory";
    iowait_share Real f64 = "share of CPU time that was idle while a task waited for IO";

    refaults Integer i64 = "pages that were read or swapped in again after reclaim had evicted them";
    refaults_per_s_p99 Real f64 = "99th percentile of their rate between two samples";
    major_faults_per_s Real f64 = "page faults that read from a device";
    major_faults_per_s_p99 Real f64 = "99th percentile of their rate between two samples";
    scanned_per_s Real f64 = "pages scanned by reclaim for the host";
    scanned_direct_per_s Real f64 = "pages scanned by tasks in direct reclaim";
    swap_in_per_s Real f64 = "pages read from swap";
    swap_out_per_s Real f64 = "pages written to swap";
    read_bytes_per_s Real f64 = "bytes read from block devices";
    written_bytes_per_s Real f64 = "bytes written to block devices";
    await_ns_p50 Real f64 = "median of the mean request time, for the disk that was busy most of the hour";
    await_ns_p99 Real f64 = "99th percentile of the same";
    busy_share Real f64 = "share of time in which that disk had a request in flight";
    dirty_room_bytes_min Integer i64 = "smallest room until writers are throttled";
    available_bytes_min Integer i64 = "smallest MemAvailable";
}

impl Row {
    /// An empty row of this version.
    pub(crate) fn new(recording: &str) -> Self {
        let (row_version, made_by) = (Some(ROW_VERSION), Some(MADE_BY.into()));
        Self { row_version, made_by, recording: Some(recording.into()), ..Self::default() }
    }

    /// What a row is sorted by: host, recording, hour.
    pub(crate) fn key(&self) -> (&str, &str, i64, &str) {
        (
            self.host.as_deref().unwrap_or(""),
            self.recording.as_deref().unwrap_or(""),
            self.hour_ns.unwrap_or(i64::MIN),
            self.problem.as_deref().unwrap_or(""),
        )
    }
}

/// Sorts rows into a fixed order, so that every way to compute them gives the same bytes.
pub fn sort(rows: &mut [Row]) {
    rows.sort_by(|one, other| one.key().cmp(&other.key()));
}

/// Lets rows share equal texts, as those have that were made together: rows that were read back take a third of the memory then.
pub fn share_texts(rows: &mut [Row], known: &mut HashSet<Text>) {
    for row in rows {
        for (column, value) in COLUMNS.iter().zip(row.clone().values()) {
            let Value::Text(Some(text)) = value else { continue };
            let text = match known.get(&text) {
                Some(known) => Arc::clone(known),
                None => {
                    known.insert(Arc::clone(&text));
                    text
                }
            };
            row.set(column.name, Value::Text(Some(text)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_its_values_and_its_json() {
        let mut row = Row::new("a");
        for column in COLUMNS {
            row.set(
                column.name,
                match column.kind {
                    ColumnType::Text => Value::Text(Some(column.name.into())),
                    ColumnType::Integer => Value::Integer(Some(i64::MAX - 7)),
                    ColumnType::Real => Value::Real(Some(0.1 + 0.2)),
                },
            );
        }
        assert!(
            row.values().all(|value| !matches!(value, Value::Text(None) | Value::Integer(None) | Value::Real(None)))
        );
        let json = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<Row>(&json).unwrap(), row);
        let mut again = Row::default();
        for (column, value) in COLUMNS.iter().zip(row.values()) {
            again.set(column.name, value);
        }
        assert_eq!(again, row);
    }

    #[test]
    fn equal_texts_are_one() {
        let mut rows = [Row::new("a"), Row::new("a")];
        share_texts(&mut rows, &mut HashSet::new());
        assert!(Arc::ptr_eq(rows[0].recording.as_ref().unwrap(), rows[1].recording.as_ref().unwrap()));
    }
}

//! What the columns of sysstat's tools mean, and how a row of them becomes values.
//!
//! A rate or an average is stored as [`Kind::Rate`], in millionths of the unit. A rate that is the change per second of a kernel counter
//! gets the counter's name. Percentages are stored as shares of 1.

use super::gather::{Gather, LaneId};
use super::number::{millionths, millionths_of_kib, scaled};
use pagetide_core::{Column, Kind, Table};
use std::collections::HashMap;

mod meaning;
pub(super) use meaning::{ColumnSource, DISK, HOST, PROCESS, VMSTAT};

/// How to fill one column of the recording from columns of the text.
#[derive(Debug)]
struct Target {
    meaning: &'static ColumnSource,
    sources: Vec<usize>,
}

/// A table in a text: the columns of its header, and the columns of the recording that they fill.
#[derive(Debug)]
pub(super) struct Section {
    table: Table,
    meanings: &'static [ColumnSource],
    names: Vec<String>,
    sizes: Vec<Option<i64>>,
    targets: Vec<Target>,
    lanes: HashMap<Table, HashMap<String, Vec<LaneId>>>,
}

impl Section {
    /// The table under a header. A column is filled in the first way whose sources are all present.
    pub(super) fn new<S: AsRef<str>>(table: Table, meanings: &'static [ColumnSource], names: &[S]) -> Self {
        let mut targets: Vec<Target> = Vec::new();
        for meaning in meanings {
            let position = |wanted: &&str| names.iter().position(|name| name.as_ref() == *wanted);
            let sources: Option<Vec<usize>> = meaning.of.iter().map(position).collect();
            let Some(sources) = sources else { continue };
            if targets.iter().all(|target| target.meaning.name != meaning.name) {
                targets.push(Target { meaning, sources });
            }
        }
        let names: Vec<String> = names.iter().map(|name| name.as_ref().to_owned()).collect();
        let sizes = names.iter().map(|name| kib_of(name)).collect();
        Self { table, meanings, names, sizes, targets, lanes: HashMap::new() }
    }

    /// How many columns a row has.
    pub(super) fn width(&self) -> usize {
        self.names.len()
    }

    /// Whether column `at` fills something.
    pub(super) fn uses(&self, at: usize) -> bool {
        self.targets.iter().any(|target| target.sources.contains(&at))
    }

    /// Whether there is a column of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Whether any of its columns has a place in a recording.
    pub(super) fn is_known(&self) -> bool {
        !self.targets.is_empty()
    }

    /// Columns that fill nothing and do not repeat another column.
    pub(super) fn unused(&self) -> impl Iterator<Item = &str> {
        let known = |name: &str| self.meanings.iter().any(|meaning| meaning.of.contains(&name));
        self.names.iter().map(String::as_str).filter(move |name| !known(name))
    }

    /// Reports what is known to be wrong in the table, and which of its columns a recording does not have; `key` is the column that
    /// says what a row is about.
    pub(super) fn note_unused(&self, gather: &mut Gather, key: Option<&str>) {
        gather.doubled_steal(self.has("pgsteal/s"));
        let unused: Vec<&str> = self.unused().filter(|name| key != Some(*name)).collect();
        if self.is_known() && !unused.is_empty() {
            gather.report.note(format!("columns that a recording does not have: {}", unused.join(" ")));
        }
    }

    /// Millionths of the number in column `at`, in KiB or MiB where the column counts in these. The suffix of a number takes
    /// precedence over the unit in the header.
    pub(super) fn number(&self, at: usize, text: &str) -> Option<i64> {
        if let Some(percent) = text.strip_suffix('%') {
            return millionths(percent);
        }
        match self.sizes.get(at).copied().flatten() {
            Some(kib) if text.ends_with(|c: char| c.is_ascii_alphabetic()) => Some(millionths_of_kib(text)? / kib),
            _ => millionths(text),
        }
    }

    /// The name of column `at`.
    pub(super) fn name(&self, at: usize) -> &str {
        &self.names[at]
    }

    /// Stores a row of this table's own entity.
    pub(super) fn row(&mut self, gather: &mut Gather, entity: &str, values: &[Option<i64>], keep: fn(Kind) -> bool) {
        self.row_of(gather, (self.table, entity), values, keep);
    }

    /// Stores a row of values in millionths, by column. A column with a missing source gets no value. `keep` says which kinds are wanted.
    pub(super) fn row_of(
        &mut self,
        gather: &mut Gather,
        (table, entity): (Table, &str),
        values: &[Option<i64>],
        keep: fn(Kind) -> bool,
    ) {
        gather.row(table);
        let known = self.lanes.entry(table).or_default();
        if !known.contains_key(entity) {
            let lanes = self.targets.iter().map(|target| gather.lane(table, entity, target.meaning.column()));
            known.insert(entity.to_owned(), lanes.collect());
        }
        let Some(lanes) = known.get(entity) else { return };
        for (target, lane) in self.targets.iter().zip(lanes) {
            let sum = target.sources.iter().try_fold(0i64, |sum, at| sum.checked_add((*values.get(*at)?)?));
            let value = sum.and_then(|sum| scaled(sum, target.meaning.numerator, target.meaning.denominator));
            let Some(value) = value.filter(|_| keep(target.meaning.kind)) else { continue };
            if target.meaning.can_be(value) {
                gather.put(*lane, value);
            } else {
                let columns = target.meaning.of.join(" + ");
                gather.report.note(format!("left out: values of {columns} below 0 or above 100 % of the CPU time"));
            }
        }
    }
}

/// The unit of a column of sizes, in KiB, by its name; `None` if it is no size.
fn kib_of(name: &str) -> Option<i64> {
    if name.contains("MB") {
        return Some(1024);
    }
    let kib =
        name.starts_with("kb") || name.contains("kB") || name.ends_with("areq-sz") || matches!(name, "VSZ" | "RSS");
    kib.then_some(1)
}

impl ColumnSource {
    fn column(&self) -> Column {
        Column { name: self.name.to_owned(), kind: self.kind, unit: self.unit }
    }
}

/// What the name of a rate ends with whose column another file fills with a counter.
pub(super) const BESIDE_COUNTER: &str = "_rate";

/// Whether a column of a table is one that an import has, under the name that it gives.
pub(crate) fn is_column(table: Table, name: &str, kind: Kind) -> bool {
    let meanings: &[&[ColumnSource]] = match table {
        Table::Host => &[HOST, VMSTAT],
        Table::Cpu => &[HOST],
        Table::Disk => &[DISK],
        Table::Process => &[PROCESS],
        _ => &[],
    };
    let name = name.strip_suffix(BESIDE_COUNTER).filter(|_| kind == Kind::Rate).unwrap_or(name);
    meanings.iter().copied().flatten().any(|meaning| meaning.name == name && meaning.kind == kind)
}

/// Every kind of value.
pub(super) fn everything(_: Kind) -> bool {
    true
}

/// Gauges only: the averages since boot that vmstat and iostat begin with are left out.
pub(super) fn gauges(kind: Kind) -> bool {
    kind == Kind::Gauge
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Unit;

    #[test]
    fn every_meaning_is_stored_in_its_unit() {
        for meaning in HOST.iter().chain(DISK).chain(PROCESS).chain(VMSTAT) {
            assert!(meaning.numerator > 0 && meaning.denominator > 0 && !meaning.of.is_empty(), "{}", meaning.name);
            assert!(matches!(meaning.kind, Kind::Rate | Kind::Gauge), "{}: sysstat prints no counters", meaning.name);
            assert_ne!(meaning.unit, Unit::Unknown);
        }
    }

    #[test]
    fn the_documentation_names_every_column() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/IMPORT.md");
        let text = std::fs::read_to_string(path).unwrap();
        for meaning in HOST.iter().chain(DISK).chain(PROCESS).chain(VMSTAT) {
            assert!(text.contains(&format!("`{}`", meaning.name)), "{} is not in docs/IMPORT.md", meaning.name);
        }
    }

    #[test]
    fn old_and_new_columns_fill_the_same_metric() {
        let mut gather = Gather::new("test", &crate::budget::Budget::default());
        let mut old = Section::new(Table::Disk, DISK, &["rd_sec/s"]);
        let mut new = Section::new(Table::Disk, DISK, &["rkB/s"]);
        gather.at(0);
        old.row(&mut gather, "sda", &[old.number(0, "12397,52")], everything);
        gather.at(1);
        new.row(&mut gather, "sda", &[new.number(0, "6198.76")], everything);
        let (key, column, lane) = &gather.lanes[0];
        assert_eq!((key.name.as_str(), column.unit, gather.lanes.len()), ("read_sectors", Unit::Sectors, 1));
        assert_eq!(lane.values, [12_397_520_000, 12_397_520_000]);
    }
}

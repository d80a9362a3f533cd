//! When something is unusual, found once for each signal of a recording, however many rules and stretches ask.

use crate::signal::{Signal, Weighed};
use pagetide_core::{Recording, Table};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a signal is of: an entity, and what is made of its metrics.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Of<'a> {
    table: Table,
    entity: &'a str,
    made: Made,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Made {
    Rate(&'static [&'static str]),
    Growth(&'static str),
    Fall(&'static str),
    Waits,
}

impl<'a> Of<'a> {
    /// The sum of the rates of those metrics that exist.
    pub(crate) fn rate(table: Table, entity: &'a str, metrics: &'static [&'static str]) -> Self {
        Self { table, entity, made: Made::Rate(metrics) }
    }

    /// The same of a disk.
    pub(crate) fn disk(disk: &'a str, metrics: &'static [&'static str]) -> Self {
        Self::rate(Table::Disk, disk, metrics)
    }

    /// How fast a gauge grows.
    pub(crate) fn growth(table: Table, entity: &'a str, metric: &'static str) -> Self {
        Self { table, entity, made: Made::Growth(metric) }
    }

    /// The time of a request at a disk.
    pub(crate) fn waits(disk: &'a str) -> Self {
        Self { table: Table::Disk, entity: disk, made: Made::Waits }
    }

    /// The signal; absent when nothing that it needs was recorded.
    pub(crate) fn signal(self, recording: &Recording) -> Option<Signal> {
        let Self { table, entity, made } = self;
        match made {
            Made::Rate(metrics) => Signal::rate(recording, table, entity, metrics),
            Made::Growth(metric) => Signal::slope(recording, table, entity, metric, 1.0),
            Made::Fall(metric) => Signal::slope(recording, table, entity, metric, -1.0),
            Made::Waits => Signal::waits(recording, entity),
        }
    }
}

impl Of<'static> {
    /// The sum of the rates of those metrics of the host that exist.
    pub(crate) fn host(metrics: &'static [&'static str]) -> Self {
        Self::rate(Table::Host, "", metrics)
    }

    /// How fast a gauge of the host grows.
    pub(crate) fn host_growth(metric: &'static str) -> Self {
        Self::growth(Table::Host, "", metric)
    }

    /// How fast a gauge of the host falls.
    pub(crate) fn host_fall(metric: &'static str) -> Self {
        Self { table: Table::Host, entity: "", made: Made::Fall(metric) }
    }
}

/// A signal by its entity's table and name.
type Key = (Table, String, Made);
/// The episodes of one recording's signals, as far as they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Episodes {
    known: RefCell<BTreeMap<Key, Rc<[Weighed]>>>,
}

impl Episodes {
    /// When a signal is far above the usual; nothing when there is no such signal.
    pub(crate) fn of(&self, recording: &Recording, of: Of<'_>) -> Rc<[Weighed]> {
        let find = || of.signal(recording).map(|signal| signal.weighed()).unwrap_or_default().into();
        self.known.borrow_mut().entry((of.table, of.entity.to_owned(), of.made)).or_insert_with(find).clone()
    }
}

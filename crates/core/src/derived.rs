//! Derived metrics: what is computed from recorded fields, each defined once.
//!
//! Tables, plots, rules, figures and Prometheus take `scanned` or `await` from here and from nowhere else. A definition is a
//! [`Formula`] over recorded metrics. [`Derived::walk`] evaluates it over a recording:
//!
//! - of a counter, the difference between its samples over the time between them;
//! - of a rate or an average that another tool printed, its mean over time;
//! - of a gauge, its mean over time, where each sample stands for the time since the sample before.
//!
//! A process that started after the sample before its first row did by that row what its counters say: they began at 0.
//!
//! Nothing is invented: where a member of the formula has no sample there is no value, and a gap counts only where an interval
//! contains all of it. When one counter of a formula falls (a CPU went offline, a disk was replaced), all members of that entity are
//! left out for the time between those two samples. The host's CPU shares are sums over its CPUs where the recording has them, so
//! that a CPU that goes offline takes only its own time with it.

mod carry;
mod formula;
mod recorded;
mod sum;
mod table;
mod walk;

pub use carry::Carry;
pub use formula::{Formula, Term};
pub use recorded::recorded;
pub use sum::{Fall, Sums};
pub use table::*;
pub use walk::{Interval, Walk, born};

use crate::metric::Table;
use crate::quantity::Unit;
use crate::recording::Recording;

/// One derived metric.
#[derive(Debug)]
pub struct Derived {
    /// Its name.
    pub name: &'static str,
    /// The unit of its values.
    pub unit: Unit,
    /// The tables that may have it.
    pub tables: &'static [Table],
    /// What it is made of.
    pub formula: Formula,
    /// What it is, in one line.
    pub meaning: &'static str,
    /// The code that counts its members or defines it.
    pub source: CodeSource,
}

/// A function in released code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeSource {
    /// The program and its release, such as `Linux 6.12`.
    pub release: &'static str,
    /// The file.
    pub file: &'static str,
    /// The function.
    pub function: &'static str,
}

impl Derived {
    /// Evaluates it from its members' values in base units (seconds, bytes, pages, counts): of a [`Term::Gauge`] the value, of a
    /// [`Term::Rate`] the rise per second. With rises in place of rates, a rate becomes an amount.
    pub fn evaluate(&self, member: &impl Fn(Term) -> Option<f64>) -> Option<f64> {
        self.formula.evaluate(member).map(|value| self.unit.of_base(value))
    }

    /// Walks along the series of one entity; absent when the recording lacks its members.
    pub fn walk<'a>(&'static self, recording: &'a Recording, table: Table, entity: &str) -> Option<Walk<'a>> {
        self.formula.walk(self.unit, recording, table, entity)
    }

    /// Its value over the time after `from` up to `to`.
    pub fn over(
        &'static self,
        recording: &Recording,
        table: Table,
        entity: &str,
        (from, to): (i64, i64),
    ) -> Option<f64> {
        Walk::new((&self.formula, self.unit), (recording, &carry::NOTHING), table, entity, Some((from, to)))?
            .over(from, to)
    }

    /// Its value over each interval between neighbouring samples of its members, in order of time.
    pub fn intervals(&'static self, recording: &Recording, table: Table, entity: &str) -> Vec<Interval> {
        self.walk(recording, table, entity).map(Walk::intervals).unwrap_or_default()
    }

    /// The names of the recorded metrics that it reads.
    pub fn metrics(&self) -> Vec<&'static str> {
        self.formula.terms().into_iter().flat_map(Term::needs).map(|(_, metric)| metric).collect()
    }
}

/// The metric of a table called `name`: a derived one, else a recorded one as it is.
pub fn of_table(table: Table, name: &str) -> Option<&'static Derived> {
    find(name).filter(|derived| derived.tables.contains(&table)).or_else(|| recorded(table, name))
}

/// The derived metric called `name`.
pub fn find(name: &str) -> Option<&'static Derived> {
    ALL.iter().copied().find(|derived| derived.name == name)
}

#[cfg(test)]
mod tests;

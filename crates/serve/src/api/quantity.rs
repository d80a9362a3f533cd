//! What a series is of: a metric of an entity, or a part of memory.

use pagetide_core::derived::{self, Derived, Term, Walk};
use pagetide_core::memory::{Split, SplitFields};
use pagetide_core::{Error, Recording, Selection, Table, Unit};
use pagetide_store::Curve;

/// `TABLE/METRIC`, `TABLE/METRIC/ENTITY`, `memory/PART` or `memory/PART/GROUP`.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) table: String,
    pub(super) metric: String,
    pub(super) entity: String,
    content: Content,
}

#[derive(Debug, Clone, Copy)]
enum Content {
    Metric(Table, &'static Derived),
    Memory(Part),
    /// Nothing of this name is known.
    Unknown,
}

/// A part of memory, as [`Split`] has them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Anonymous,
    Other,
    Dirty,
    Clean,
    Free,
}

const PARTS: [(&str, Part); 5] = [
    ("anonymous", Part::Anonymous),
    ("other", Part::Other),
    ("dirty", Part::Dirty),
    ("clean", Part::Clean),
    ("free", Part::Free),
];

impl Part {
    fn of(self, split: &Split) -> Option<f64> {
        match self {
            Self::Anonymous => Some(split.anonymous),
            Self::Other => split.other,
            Self::Dirty => Some(split.dirty),
            Self::Clean => Some(split.clean),
            Self::Free => split.free,
        }
    }
}

impl Wanted {
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let mut parts = text.splitn(3, '/');
        let (table, metric, entity) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let hint = "s=TABLE/METRIC or s=TABLE/METRIC/ENTITY, as in s=host/MemFree or s=disk/busy/vda";
        let wrong = || Error::input(format!("not a series: {text:?}"), hint);
        let metric = metric.ok_or_else(wrong)?;
        let content = if table == "memory" {
            PARTS.iter().find(|(name, _)| *name == metric).map(|(_, part)| Content::Memory(*part))
        } else {
            let table = Table::by_name(table).ok_or_else(wrong)?;
            if entity.is_none() && table != Table::Host {
                return Err(Error::input(format!("{text:?} names no entity of that table"), hint));
            }
            derived::of_table(table, metric).map(|metric| Content::Metric(table, metric))
        };
        Ok(Self {
            table: table.to_owned(),
            metric: metric.to_owned(),
            entity: entity.unwrap_or_default().to_owned(),
            content: content.unwrap_or(Content::Unknown),
        })
    }

    /// Adds to a selection what this needs.
    pub(super) fn select(&self, selection: &mut Selection) {
        match self.content {
            Content::Metric(table, metric) => {
                for (of, name) in metric.formula.terms().into_iter().flat_map(Term::needs) {
                    selection.tables.push(of.unwrap_or(table));
                    selection.metrics.push(name.to_owned());
                }
            }
            Content::Memory(_) => {
                let (table, fields) = self.split();
                selection.tables.push(table);
                selection.metrics.extend(fields.names().map(str::to_owned));
            }
            Content::Unknown => {}
        }
    }

    fn split(&self) -> (Table, SplitFields) {
        if self.entity.is_empty() { (Table::Host, SplitFields::HOST) } else { (Table::Cgroup, SplitFields::CGROUP) }
    }

    /// The metrics that it is made of.
    pub(super) fn curves(&self) -> Vec<Curve> {
        let curve = |table, metric| Curve { table, entity: self.entity.clone(), metric };
        match self.content {
            Content::Metric(table, metric) => vec![curve(table, metric)],
            Content::Memory(_) => {
                let (table, fields) = self.split();
                fields.names().filter_map(|name| Some(curve(table, derived::recorded(table, name)?))).collect()
            }
            Content::Unknown => Vec::new(),
        }
    }

    /// Its value from those of its metrics.
    pub(super) fn combine(&self, get: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        match self.content {
            Content::Metric(_, metric) => get(metric.name),
            Content::Memory(part) => part.of(&Split::new(self.split().1, get)?),
            Content::Unknown => None,
        }
    }

    /// Its unit in the recording.
    pub(super) fn unit(&self) -> Unit {
        match self.content {
            Content::Metric(_, metric) => metric.unit,
            Content::Memory(_) => Unit::Bytes,
            Content::Unknown => Unit::Unknown,
        }
    }

    /// What evaluates it over intervals in order of time; says why not when it cannot be.
    pub(super) fn evaluator<'a>(&self, recording: &'a Recording) -> Result<Evaluator<'a>, String> {
        let missing = || "the recording has no values of it in this range".to_owned();
        match self.content {
            Content::Unknown => Err(format!("no metric has this name: GET /api/metrics lists those of {}", self.table)),
            Content::Metric(table, metric) => {
                metric.walk(recording, table, &self.entity).map(Evaluator::Metric).ok_or_else(missing)
            }
            Content::Memory(part) => {
                let (table, fields) = self.split();
                let walk = |name| Some((name, derived::recorded(table, name)?.walk(recording, table, &self.entity)?));
                let walks: Vec<_> = fields.names().filter_map(walk).collect();
                if walks.is_empty() { Err(missing()) } else { Ok(Evaluator::Memory(part, fields, walks)) }
            }
        }
    }
}

/// Gives values over intervals in order of time.
pub(super) enum Evaluator<'a> {
    Metric(Walk<'a>),
    Memory(Part, SplitFields, Vec<(&'static str, Walk<'a>)>),
}

impl Evaluator<'_> {
    /// The value over the time after `from` up to `to`.
    pub(super) fn over(&mut self, from: i64, to: i64) -> Option<f64> {
        match self {
            Self::Metric(walk) => walk.over(from, to),
            Self::Memory(part, fields, walks) => {
                let values: Vec<(&str, Option<f64>)> =
                    walks.iter_mut().map(|(name, walk)| (*name, walk.over(from, to))).collect();
                let get = |name: &str| values.iter().find(|(known, _)| *known == name)?.1;
                let split = Split::new(*fields, get)?;
                part.of(&split)
            }
        }
    }
}

//! The host's row: meminfo, vmstat, stat, loadavg, pressure.

use super::kernel_file::{KernelFile, Text};
use super::keyed::KeyedLines;
use super::pass::Pass;
use super::row::Row;
use super::stat::StatFile;
use crate::error::Error;
use crate::root::Root;
use pagetide_core::{ColumnId, Entity, EntityId, Sample, Schema, Table};
use pagetide_proctext::Problem;
use pagetide_proctext::keyed::{Line, spaced, with_colon};
use pagetide_proctext::{loadavg, pressure};

/// A file of names and numbers.
#[derive(Debug)]
pub(crate) struct KeyedFile {
    kept: KernelFile,
    name: &'static str,
    line: fn(&str) -> Result<Line<'_>, Problem>,
    lines: KeyedLines,
}

impl KeyedFile {
    pub(crate) fn open(
        root: &Root,
        name: &'static str,
        text: Text,
        line: fn(&str) -> Result<Line<'_>, Problem>,
    ) -> Result<Option<Self>, Error> {
        let kept = KernelFile::open(root.join(name), text)?;
        Ok(kept.map(|kept| Self { kept, name, line, lines: KeyedLines::default() }))
    }

    fn sample(&mut self, pass: &mut Pass<'_>, row: &mut Row) -> Result<(), Error> {
        let Self { kept, name, line, lines } = self;
        kept.with(pass.buffer, |text| {
            lines.read(
                name,
                text,
                *line,
                |name| pass.schema.column(Table::Host, name),
                |column, value| row.set(column, value),
            )
        })?;
        Ok(())
    }
}

/// A file whose lines are known in advance.
#[derive(Debug)]
struct FixedFile<const N: usize> {
    kept: KernelFile,
    names: [&'static str; N],
    columns: Option<[ColumnId; N]>,
    parse: fn(&str) -> Result<[Option<u64>; N], pagetide_proctext::Error>,
}

impl<const N: usize> FixedFile<N> {
    fn open(
        root: &Root,
        file: &str,
        names: [&'static str; N],
        parse: fn(&str) -> Result<[Option<u64>; N], pagetide_proctext::Error>,
    ) -> Result<Option<Self>, Error> {
        Ok(KernelFile::open(root.join(file), Text::Record)?.map(|kept| Self { kept, names, columns: None, parse }))
    }

    fn sample(&mut self, pass: &mut Pass<'_>, row: &mut Row) -> Result<(), Error> {
        let Some(values) = self.kept.with(pass.buffer, |text| Ok((self.parse)(text)?))? else { return Ok(()) };
        let columns = *self.columns.get_or_insert_with(|| self.names.map(|name| pass.schema.column(Table::Host, name)));
        for (column, value) in columns.into_iter().zip(values) {
            if let Some(value) = value {
                row.set(column, value);
            }
        }
        Ok(())
    }
}

/// The metrics of a pressure file, in the order of [`pressure::values`].
macro_rules! psi {
    ($resource:literal) => {
        [
            concat!("psi_", $resource, "_some"),
            concat!("psi_", $resource, "_some_avg10"),
            concat!("psi_", $resource, "_some_avg60"),
            concat!("psi_", $resource, "_some_avg300"),
            concat!("psi_", $resource, "_full"),
            concat!("psi_", $resource, "_full_avg10"),
            concat!("psi_", $resource, "_full_avg60"),
            concat!("psi_", $resource, "_full_avg300"),
        ]
    };
}

/// The files of the host's row.
#[derive(Debug)]
pub(crate) struct HostFiles {
    keyed: Vec<KeyedFile>,
    stat: Option<StatFile>,
    loadavg: Option<FixedFile<5>>,
    pressure: Vec<FixedFile<{ pressure::FIELDS }>>,
    entity: Option<EntityId>,
    row: Row,
}

impl HostFiles {
    pub(crate) fn open(root: &Root) -> Result<Self, Error> {
        let keyed = [
            KeyedFile::open(root, "/proc/meminfo", Text::Record, with_colon)?,
            KeyedFile::open(root, "/proc/vmstat", Text::Records, spaced)?,
        ];
        let psi = [
            ("/proc/pressure/cpu", psi!("cpu")),
            ("/proc/pressure/io", psi!("io")),
            ("/proc/pressure/memory", psi!("memory")),
        ];
        let mut pressure = Vec::new();
        for (file, names) in psi {
            pressure.extend(FixedFile::open(root, file, names, pressure::values)?);
        }
        Ok(Self {
            keyed: keyed.into_iter().flatten().collect(),
            stat: StatFile::open(root)?,
            loadavg: FixedFile::open(
                root,
                "/proc/loadavg",
                ["load1", "load5", "load15", "tasks_running", "tasks_total"],
                loadavg::values,
            )?,
            pressure,
            entity: None,
            row: Row::default(),
        })
    }

    /// Reads all of them into the row. A file that cannot be read or parsed leaves its values absent; the first such error is returned after all
    /// others were read.
    pub(crate) fn read(&mut self, pass: &mut Pass<'_>) -> Result<(), Error> {
        let Self { keyed, stat, loadavg, pressure, row, .. } = self;
        row.clear();
        let mut result = Ok(());
        for file in keyed {
            result = result.and(file.sample(pass, row));
        }
        if let Some(stat) = stat {
            result = result.and(stat.sample(pass, row));
        }
        if let Some(loadavg) = loadavg {
            result = result.and(loadavg.sample(pass, row));
        }
        for file in pressure {
            result = result.and(file.sample(pass, row));
        }
        result
    }

    /// Adds one of the sampler's own numbers to the row.
    pub(crate) fn set(&mut self, schema: &mut Schema, name: &str, value: u64) {
        self.row.set(schema.column(Table::Host, name), value);
    }

    /// Copies the row into the sample.
    pub(crate) fn put(&mut self, schema: &mut Schema, sample: &mut Sample) {
        let entity = *self.entity.get_or_insert_with(|| schema.push_entity(Table::Host, Entity::new("", "")));
        if !self.row.is_empty() {
            self.row.put(schema, sample, Table::Host, entity);
        }
    }
}

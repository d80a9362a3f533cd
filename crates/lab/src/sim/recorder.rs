//! Samples of the model, as the recorder takes them of a kernel.

use crate::executor::reading::{Counters, Reading};
use pagetide_core::{Bytes, Entity, Error, Manifest, Mark, MarkKind, Sample, Schema, Sink, Stamp, Table};
use pagetide_sim::Sim;
use std::collections::BTreeMap;

/// Takes samples of a model and gives them to a sink.
pub(super) struct SimRecorder {
    sink: Box<dyn Sink>,
    schema: Schema,
    sample: Sample,
    manifest: Manifest,
    /// Wall clock at the model's time 0, ns since 1970-01-01 UTC.
    began_wall_ns: i64,
}

impl SimRecorder {
    pub(super) fn begin(mut sink: Box<dyn Sink>, manifest: Manifest, began_wall_ns: i64) -> Result<Self, Error> {
        sink.begin(&manifest)?;
        Ok(Self { sink, schema: Schema::default(), sample: Sample::default(), manifest, began_wall_ns })
    }

    /// The model's time on the recording's axis.
    pub(super) fn stamp(&self, sim: &Sim) -> Stamp {
        let now = i64::try_from(sim.now().get()).unwrap_or(i64::MAX);
        Stamp { wall_ns: self.began_wall_ns.saturating_add(now), mono_ns: now, boot_ns: now }
    }

    /// Takes a sample of all that the model counts.
    pub(super) fn sample(&mut self, sim: &Sim) -> Result<(), Error> {
        self.sample.clear();
        self.sample.stamp = self.stamp(sim);
        let mut rows: BTreeMap<(Table, String), Vec<(&'static str, i64)>> = BTreeMap::new();
        sim.counters(&mut |table, entity: &str, metric, value| {
            rows.entry((table, entity.to_owned())).or_default().push((metric, value));
        });
        for ((table, entity), values) in rows {
            let id = self
                .schema
                .find_entity(table, &entity)
                .unwrap_or_else(|| self.schema.push_entity(table, Entity::new(entity.clone(), label(&entity))));
            let columns: Vec<usize> =
                values.iter().map(|(metric, _)| self.schema.column(table, metric).0 as usize).collect();
            let row = self.sample.row(table, id, self.schema.columns(table).len());
            for (column, (_, value)) in columns.into_iter().zip(values) {
                row[column] = Some(value);
            }
        }
        self.manifest.samples += 1;
        self.sink.sample(&self.schema, &self.sample)
    }

    pub(super) fn mark(&mut self, sim: &Sim, kind: MarkKind) -> Result<(), Error> {
        self.sink.mark(&Mark { stamp: self.stamp(sim), kind })
    }

    pub(super) fn finish(&mut self) -> Result<(), Error> {
        self.sink.finish(&self.manifest)
    }
}

/// An entity's name for people: the part that distinguishes it from others. A group's IO on a device is named after the device.
fn label(entity: &str) -> String {
    entity.rsplit(['/', '\t']).next().unwrap_or_default().to_owned()
}

/// The counters of the model at the start or the end of a step. `disks` are names as in `/proc/diskstats`.
pub(super) fn reading(sim: &Sim, disks: &[String]) -> Reading {
    let mut host = Counters::new();
    let mut rows: BTreeMap<String, Counters> = BTreeMap::new();
    sim.counters(&mut |table, entity: &str, metric, value| {
        let value = u64::try_from(value).unwrap_or(0);
        match table {
            Table::Host => {
                host.insert(metric.to_owned(), value);
            }
            Table::Disk if disks.iter().any(|disk| disk == entity) => {
                rows.entry(entity.to_owned()).or_default().insert(metric.to_owned(), value);
            }
            _ => {}
        }
    });
    Reading::of(rows, host, Some(sim.kswapd_cpu().get()))
}

/// One of the host's values.
pub(super) fn host_value(sim: &Sim, name: &str) -> Option<u64> {
    value(sim, Table::Host, "", name)
}

/// The memory that is charged to a control group.
pub(super) fn charged(sim: &Sim, group: &str) -> Bytes {
    Bytes::new(value(sim, Table::Cgroup, group, "current").unwrap_or(0))
}

fn value(sim: &Sim, of: Table, row: &str, name: &str) -> Option<u64> {
    let mut found = None;
    sim.counters(&mut |table, entity: &str, metric, value| {
        if table == of && entity == row && metric == name {
            found = u64::try_from(value).ok();
        }
    });
    found
}

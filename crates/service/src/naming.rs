//! Gives control groups the names of their containers, on the way to the recording's files and to Prometheus.
//!
//! Never on the thread that samples: state files of runtimes may be on a disk that hangs.

use crate::containers::Containers;
use pagetide_core::{Error, Manifest, Mark, Sample, Schema, SchemaCursor, SchemaGrowth, Sink, Table};

/// A schema in which a control group's label is the name of its container, where it has one.
#[derive(Debug)]
pub(crate) struct NamedSchema {
    containers: Containers,
    schema: Schema,
    known: SchemaCursor,
}

impl NamedSchema {
    pub(crate) fn new(containers: Containers) -> Self {
        Self { containers, schema: Schema::default(), known: SchemaCursor::default() }
    }

    /// Takes over what `schema` has gained since the last call.
    pub(crate) fn follow(&mut self, schema: &Schema) -> &Schema {
        let mut growth = SchemaGrowth::default();
        self.known.collect(schema, &mut growth);
        for (_, group) in growth.entities.iter_mut().filter(|(table, _)| *table == Table::Cgroup) {
            if let Some(name) = self.containers.name(&group.name) {
                group.label = name;
            }
        }
        growth.apply(&mut self.schema);
        &self.schema
    }
}

/// Hands everything on, under a [`NamedSchema`].
#[derive(Debug)]
pub(crate) struct NamingSink<S> {
    sink: S,
    schema: NamedSchema,
}

impl<S> NamingSink<S> {
    pub(crate) fn new(sink: S, containers: Containers) -> Self {
        Self { sink, schema: NamedSchema::new(containers) }
    }
}

impl<S: Sink> Sink for NamingSink<S> {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.sink.begin(manifest)
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        self.sink.sample(self.schema.follow(schema), sample)
    }

    fn renew(&mut self) {
        self.schema = NamedSchema::new(self.schema.containers.clone());
        self.sink.renew();
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        self.sink.mark(mark)
    }

    fn take_lost(&mut self) -> u64 {
        self.sink.take_lost()
    }

    fn finish(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.sink.finish(manifest)
    }
}

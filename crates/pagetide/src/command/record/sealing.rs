//! Lets the process that records end a segment while the recorder has the writer.

use pagetide_core::{Error, Manifest, Mark, Sample, Schema, Sink};
use pagetide_store::Writer;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks for the open segment to be ended.
#[derive(Debug, Clone, Default)]
pub(super) struct Ends(Arc<AtomicBool>);

impl Ends {
    /// Ends the segment before whatever is written next.
    pub(super) fn segment(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A writer that ends its segment when it is asked to.
#[derive(Debug)]
pub(super) struct Sealing {
    writer: Writer,
    ends: Ends,
}

impl Sealing {
    pub(super) fn new(writer: Writer) -> (Self, Ends) {
        let ends = Ends::default();
        (Self { writer, ends: ends.clone() }, ends)
    }

    fn writer(&mut self) -> &mut Writer {
        if self.ends.0.swap(false, Ordering::Acquire) {
            self.writer.end_segment();
        }
        &mut self.writer
    }
}

impl Sink for Sealing {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.writer.begin(manifest)
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        self.writer().sample(schema, sample)
    }

    fn renew(&mut self) {
        self.writer.renew();
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        self.writer().mark(mark)
    }

    fn finish(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.writer.finish(manifest)
    }
}

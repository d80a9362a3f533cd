//! Ends a segment on request while the recorder owns the writer.

use pagetide_core::{Error, Manifest, Mark, Sample, Schema, Sink};
use pagetide_store::Writer;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to end the open segment.
#[derive(Debug, Clone, Default)]
pub(crate) struct SealRequest(Arc<AtomicBool>);

impl SealRequest {
    /// Ends the segment before the next write.
    pub(crate) fn request(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A writer that ends its segment on request.
#[derive(Debug)]
pub(crate) struct SealingWriter {
    writer: Writer,
    seal: SealRequest,
}

impl SealingWriter {
    pub(crate) fn new(writer: Writer) -> (Self, SealRequest) {
        let seal = SealRequest::default();
        (Self { writer, seal: seal.clone() }, seal)
    }

    fn writer(&mut self) -> &mut Writer {
        if self.seal.0.swap(false, Ordering::Acquire) {
            self.writer.end_segment();
        }
        &mut self.writer
    }
}

impl Sink for SealingWriter {
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

    fn take_lost(&mut self) -> u64 {
        self.writer.take_lost()
    }

    fn finish(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.writer.finish(manifest)
    }
}

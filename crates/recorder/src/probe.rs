//! What the recorder samples.

use crate::trace::Trace;
use pagetide_core::{Error, Sample, Schema};
use pagetide_kernel::Sampler;
use std::error::Error as _;
use std::path::Path;

/// Something that can be sampled. Lives on the sampling thread alone; it is made there too.
pub trait Probe {
    /// Fills the rows of `sample`, which has none, and adds to `schema` what it sees for the first time. The stamp is
    /// set already. An error is noted in the recording; the rows that could be read are recorded all the same.
    fn sample(&mut self, schema: &mut Schema, sample: &mut Sample) -> Result<(), Error>;

    /// Announces the last sample, which must contain all that happened before this call. Returns whether it must be taken even if
    /// little time has passed.
    fn end(&mut self) -> bool {
        false
    }

    /// What the recording should say of the time up to the last sample.
    fn take_notes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Control groups that had no row in the last sample, because there were too many.
    fn skipped_groups(&self) -> u64 {
        0
    }

    /// Starts over with an empty schema: forgets all numbers of the old schema, and what it was told to watch since it was made.
    /// After an error it continues as before.
    fn renew(&mut self) -> Result<(), Error>;

    /// Includes this process and its descendants in every sample from the next one on, as long as it lives.
    fn watch_pid(&mut self, pid: u32);

    /// Includes this control group (the full path of its directory) in every sample from the next one on.
    fn watch_cgroup(&mut self, path: &Path);
}

impl Probe for Sampler {
    fn sample(&mut self, schema: &mut Schema, sample: &mut Sample) -> Result<(), Error> {
        Sampler::sample(self, schema, sample).map_err(|error| kernel_error(&error))
    }

    fn skipped_groups(&self) -> u64 {
        Sampler::skipped_groups(self)
    }

    fn renew(&mut self) -> Result<(), Error> {
        Sampler::renew(self).map_err(|error| kernel_error(&error))
    }

    fn watch_pid(&mut self, pid: u32) {
        Sampler::watch_pid(self, pid);
    }

    fn watch_cgroup(&mut self, path: &Path) {
        Sampler::watch_cgroup(self, path);
    }
}

/// This host's counters, and a trace beside them.
pub(crate) struct TracedProbe {
    pub(crate) sampler: Sampler,
    pub(crate) trace: Option<Trace>,
}

impl Probe for TracedProbe {
    fn sample(&mut self, schema: &mut Schema, sample: &mut Sample) -> Result<(), Error> {
        let sampled = Probe::sample(&mut self.sampler, schema, sample);
        let traced = self.trace.as_mut().map_or(Ok(()), |trace| trace.sample(schema, sample));
        sampled.and(traced)
    }

    fn end(&mut self) -> bool {
        self.trace.as_mut().is_some_and(|trace| {
            trace.end();
            true
        })
    }

    fn take_notes(&mut self) -> Vec<String> {
        self.trace.as_ref().map_or_else(Vec::new, Trace::take_notes)
    }

    fn skipped_groups(&self) -> u64 {
        self.sampler.skipped_groups()
    }

    fn renew(&mut self) -> Result<(), Error> {
        Probe::renew(&mut self.sampler)?;
        if let Some(trace) = &mut self.trace {
            trace.renew();
        }
        Ok(())
    }

    fn watch_pid(&mut self, pid: u32) {
        self.sampler.watch_pid(pid);
    }

    fn watch_cgroup(&mut self, path: &Path) {
        self.sampler.watch_cgroup(path);
    }
}

/// An error of the kernel's readers with all its causes, as one error.
pub(crate) fn kernel_error(error: &pagetide_kernel::Error) -> Error {
    let mut what = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        what = format!("{what}: {error}");
        cause = error.source();
    }
    Error::system(what, "")
}

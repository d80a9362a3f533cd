//! The recorder on the machine that it runs on.

use pagetide_core::{Error, Manifest, Mark, Nanos, RecordingBuilder, Sample, Schema, Sink, Table};
use pagetide_kernel::Root;
use pagetide_recorder::{Options, Recorder, now};
use std::sync::{Arc, Mutex};

/// Builds a recording in memory.
struct Build(Arc<Mutex<RecordingBuilder>>);

impl Sink for Build {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        *self.0.lock().unwrap() = RecordingBuilder::new(manifest.clone());
        Ok(())
    }
    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        self.0.lock().unwrap().sample(schema, sample);
        Ok(())
    }
    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        self.0.lock().unwrap().mark(mark.clone());
        Ok(())
    }
    fn finish(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
}

#[test]
fn a_recording_of_this_host_has_its_numbers_and_its_facts() {
    let built = Arc::new(Mutex::new(RecordingBuilder::new(Manifest::default())));
    let options = Options {
        interval: Nanos::new(3_600_000_000_000),
        workload_cgroup: Some("/sys/fs/cgroup/lab".into()),
        workload_disk: Some("vda".into()),
        ..Options::default()
    };
    let before = now();
    let recorder = Recorder::start(Root::host(), options, Box::new(Build(Arc::clone(&built)))).unwrap();
    let sampled = recorder.sample_now();
    let manifest = recorder.finish().unwrap();

    assert_eq!((manifest.samples, manifest.late_samples, manifest.lost_samples), (3, 0, 0));
    assert_eq!((manifest.origin.name(), manifest.workload_disk.as_deref()), ("host", Some("vda")));
    assert!(!manifest.kernel.is_empty() && !manifest.tool_version.is_empty());
    let builder = std::mem::replace(&mut *built.lock().unwrap(), RecordingBuilder::new(Manifest::default()));
    let recording = builder.finish();
    assert_eq!(recording.stamps().len(), 3);
    assert!(recording.stamps()[0].boot_ns >= before.boot_ns && recording.stamps()[1] == sampled);
    assert_eq!(recording.host("MemTotal").unwrap().points().count(), 3);
    assert!(recording.host("pgfault").unwrap().rise(i64::MIN, i64::MAX).unwrap() >= 0);
    assert!(recording.entities(Table::Disk).next().is_some());
}

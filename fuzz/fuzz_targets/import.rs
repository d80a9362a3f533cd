//! Any bytes as a log of one of the kinds that are imported: they are read or refused, and what was read can be replayed.
//! `cargo +nightly fuzz run import fuzz/corpus/import fixtures/import/curious-case fixtures/import/sysstat-12.6.1 …`
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagetide_core::{Manifest, Mark, Recording, RecordingBuilder, Refusal, Sample, Schema, Sink};
use pagetide_store::import::{Input, Options, import, replay};

/// Beginnings that lead to each reader; the first byte of the input chooses one.
const BEGINNINGS: [&str; 9] = [
    "",
    "Linux 6.1 (h) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n11:13:22     pgpgin/s pgpgout/s\n",
    "Linux 6.1 (h) \t11/21/2026 \t_x86_64_\t(2 CPU)\n\n11:13:22 PM       DEV       tps     rkB/s     %util\n",
    "{\"sysstat\": {\"hosts\": [{\"nodename\": \"h\", \"statistics\": [",
    "Node 0, zone   Normal\n  pages free     3933\n",
    "2016-09-10 10:53:32.9 MemTotal: 5 kB\n",
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n",
    "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n",
    "{\n  \"fio version\" : \"fio-3.33\",\n",
];

/// A sink that makes a recording.
struct Collect(RecordingBuilder);

impl Sink for Collect {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Refusal> {
        self.0 = RecordingBuilder::new(manifest.clone());
        Ok(())
    }
    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Refusal> {
        self.0.sample(schema, sample);
        Ok(())
    }
    fn mark(&mut self, mark: &Mark) -> Result<(), Refusal> {
        self.0.mark(mark.clone());
        Ok(())
    }
    fn finish(&mut self, _: &Manifest) -> Result<(), Refusal> {
        Ok(())
    }
}

fn replayed(recording: &Recording) -> Recording {
    let mut collect = Collect(RecordingBuilder::default());
    replay(recording, &mut collect).expect("this sink refuses nothing");
    collect.0.finish()
}

fuzz_target!(|bytes: &[u8]| {
    let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let beginning = BEGINNINGS.get(usize::from(*first)).copied().unwrap_or_default();
    let rest = if beginning.is_empty() { bytes } else { rest };
    let log = [beginning.as_bytes(), rest].concat();
    if let Ok(import) = import(&[Input::bytes("log", log)], &Options::default()) {
        assert_eq!(replayed(&import.recording), import.recording);
    }
});

//! Which memory the recorder locks. Alone in its binary, because memory is locked for a process as a whole.

use pagetide_core::{Bytes, Error, Manifest, Mark, Nanos, Sample, Schema, Sink};
use pagetide_kernel::Root;
use pagetide_recorder::{Lock, Options, Priority, Protection, Recorder};

/// Takes everything, and is surprised by a note: it would say that something was not granted.
struct NoNotes;

impl Sink for NoNotes {
    fn begin(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
    fn sample(&mut self, _: &Schema, _: &Sample) -> Result<(), Error> {
        Ok(())
    }
    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        Err(Error::system(format!("{mark:?}"), "run as root"))
    }
    fn finish(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
}

/// `VmLck` of this process before the recorder starts, while it runs, and when 64 MiB more have come.
fn locked_with(lock: Lock) -> [u64; 3] {
    let before = locked();
    let options = Options { interval: Nanos::new(3_600_000_000_000), ..Options::default() };
    let protection = Protection { lock, priority: Priority::Unchanged, ring: Bytes::ZERO, entities: usize::MAX };
    let recorder = Recorder::start_protected(Root::host(), options, protection, Box::new(NoNotes)).unwrap();
    recorder.sample_now();
    let running = locked();
    let held = std::hint::black_box(vec![1u8; 64 << 20]);
    let holding = locked();
    drop(held);
    recorder.finish().unwrap();
    [before, running, holding]
}

/// In kB.
fn locked() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmLck:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

#[test]
fn current_memory_is_locked_and_future_memory_only_when_asked_for() {
    let [before, running, holding] = locked_with(Lock::None);
    assert_eq!((before, running, holding), (0, 0, 0));
    let [_, running, holding] = locked_with(Lock::Current);
    assert!(running > 0 && holding < running + (64 << 10), "{running} {holding}");
    let [_, running, holding] = locked_with(Lock::Future);
    assert!(running > 0 && holding >= running + (64 << 10), "{running} {holding}");
}

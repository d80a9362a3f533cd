//! The recorder against sinks that remember, block and fail. Samples are asked for one by one; no test depends on time.

use pagetide_core::{Bytes, EntityId};
use pagetide_core::{Entity, Error, Manifest, Mark, MarkKind, Nanos, Sample, Schema, Sink, Table};
use pagetide_recorder::{Lock, Priority, Probe, Protection, Recorder};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Longer than any test: only the samples that a test asks for are taken, and the first and the last one.
const NEVER: Nanos = Nanos::new(3_600_000_000_000);

/// Nothing locked or raised, and the smallest ring: eight buffers beside the one in use.
const BARE: Protection =
    Protection { lock: Lock::None, priority: Priority::Unchanged, ring: Bytes::ZERO, entities: usize::MAX };

/// One thing that a sink was given.
#[derive(Debug, Clone, PartialEq)]
enum Event {
    Begin,
    /// The count that the probe had reached, and the names of the rows as the schema of the moment has them.
    Sample(i64, Vec<String>),
    Mark(String),
    Finish(Box<Manifest>),
}

#[derive(Default)]
struct Log {
    events: Mutex<Vec<Event>>,
    grown: Condvar,
}

impl Log {
    fn add(&self, event: Event) {
        self.events.lock().unwrap().push(event);
        self.grown.notify_all();
    }

    fn wait_for(&self, reached: impl Fn(&[Event]) -> bool) {
        let mut events = self.events.lock().unwrap();
        while !reached(&events) {
            events = self.grown.wait(events).unwrap();
        }
    }

    fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap().clone()
    }

    fn counts(&self) -> Vec<i64> {
        self.events()
            .iter()
            .filter_map(|event| if let Event::Sample(count, _) = event { Some(*count) } else { None })
            .collect()
    }

    fn marks(&self) -> Vec<String> {
        self.events()
            .into_iter()
            .filter_map(|event| if let Event::Mark(text) = event { Some(text) } else { None })
            .collect()
    }
}

/// Remembers what it is given, after `before` has had its say about the call.
struct Remember<F> {
    log: Arc<Log>,
    before: F,
}

impl<F: FnMut(&'static str) -> Result<(), Error> + Send> Sink for Remember<F> {
    fn begin(&mut self, _: &Manifest) -> Result<(), Error> {
        (self.before)("begin")?;
        self.log.add(Event::Begin);
        Ok(())
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        (self.before)("sample")?;
        let entities = schema.entities(Table::Disk);
        let names = sample.table(Table::Disk).unwrap().rows().map(|(id, _)| entities[id.0 as usize].name.clone());
        let (_, host) = sample.table(Table::Host).unwrap().rows().next().unwrap();
        assert_eq!(schema.columns(Table::Host).len(), host.len());
        self.log.add(Event::Sample(host[0].unwrap(), names.collect()));
        Ok(())
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        (self.before)("mark")?;
        let MarkKind::Note { text } = &mark.kind else { panic!("only notes are marked here: {mark:?}") };
        self.log.add(Event::Mark(text.clone()));
        Ok(())
    }

    fn finish(&mut self, manifest: &Manifest) -> Result<(), Error> {
        (self.before)("finish")?;
        self.log.add(Event::Finish(Box::new(manifest.clone())));
        Ok(())
    }
}

fn always(_: &'static str) -> Result<(), Error> {
    Ok(())
}

/// Counts its samples and sees one more disk each time.
#[derive(Default)]
struct Counting {
    count: i64,
    fails: bool,
    /// The third sample takes that long.
    stalls: Duration,
    /// A disk is gone in the next sample.
    short_lived: bool,
    watched: Arc<Mutex<Vec<(i64, String)>>>,
}

impl Probe for Counting {
    fn sample(&mut self, schema: &mut Schema, sample: &mut Sample) -> Result<(), Error> {
        let column = schema.column(Table::Host, "MemFree");
        schema.column(Table::Disk, "no_such_metric");
        if schema.entities(Table::Host).is_empty() {
            schema.push_entity(Table::Host, Entity::new("", ""));
        }
        sample.row(Table::Host, EntityId(0), 1)[column.0 as usize] = Some(self.count);
        let name = format!("disk{}", self.count);
        let disk = schema.push_entity(Table::Disk, Entity::new(name.clone(), name));
        let first = if self.short_lived { disk.0 } else { 0 };
        for id in first..=disk.0 {
            sample.row(Table::Disk, EntityId(id), 1);
        }
        if self.count == 2 {
            std::thread::sleep(self.stalls);
        }
        self.count += 1;
        if self.fails { Err(Error::system("/proc/none: cannot be read", "")) } else { Ok(()) }
    }

    fn renew(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn watch_pid(&mut self, pid: u32) {
        self.watched.lock().unwrap().push((self.count, pid.to_string()));
    }

    fn watch_cgroup(&mut self, path: &Path) {
        self.watched.lock().unwrap().push((self.count, path.display().to_string()));
    }
}

fn start<F>(probe: Counting, before: F) -> (Result<Recorder, Error>, Arc<Log>)
where
    F: FnMut(&'static str) -> Result<(), Error> + Send + 'static,
{
    let log = Arc::new(Log::default());
    let sink = Box::new(Remember { log: Arc::clone(&log), before });
    let manifest = Manifest { interval: NEVER, ..Manifest::default() };
    (Recorder::with_probe(move || Ok(probe), manifest, BARE, sink), log)
}

fn note(text: &str) -> MarkKind {
    MarkKind::Note { text: text.to_owned() }
}

#[test]
fn samples_and_marks_arrive_in_order_with_the_schema_they_need() {
    let (recorder, log) = start(Counting::default(), always);
    let recorder = recorder.unwrap();
    let before = recorder.mark(note("one"));
    let sampled = recorder.sample_now();
    let after = recorder.mark(note("two"));
    assert!(before.mono_ns <= sampled.mono_ns && sampled.mono_ns <= after.mono_ns);
    let manifest = recorder.finish().unwrap();

    let disks = |upto: i64| (0..=upto).map(|at| format!("disk{at}")).collect();
    assert_eq!(
        log.events(),
        [
            Event::Begin,
            Event::Sample(0, disks(0)),
            Event::Mark("one".into()),
            Event::Sample(1, disks(1)),
            Event::Mark("two".into()),
            Event::Sample(2, disks(2)),
            Event::Finish(Box::new(manifest.clone())),
        ]
    );
    assert_eq!((manifest.samples, manifest.late_samples, manifest.lost_samples), (3, 0, 0));
    assert_eq!(manifest.unknown_fields, 1, "no_such_metric");
    assert!(manifest.recorder_cpu > Nanos::ZERO);
}

#[test]
fn a_blocked_sink_stops_no_sample_and_the_gap_is_recorded() {
    let gate = Arc::new((Mutex::new((false, false)), Condvar::new()));
    let (recorder, log) = start(Counting::default(), {
        let gate = Arc::clone(&gate);
        move |call| {
            let (state, changed) = &*gate;
            let mut state = state.lock().unwrap();
            state.0 |= call == "sample";
            changed.notify_all();
            while state.0 && !state.1 {
                state = changed.wait(state).unwrap();
            }
            Ok(())
        }
    });
    let recorder = recorder.unwrap();
    let (state, changed) = &*gate;
    drop(changed.wait_while(state.lock().unwrap(), |(entered, _)| !*entered).unwrap());
    for _ in 0..20 {
        recorder.sample_now();
    }
    recorder.mark(note("kept"));
    state.lock().unwrap().1 = true;
    changed.notify_all();
    log.wait_for(|events| events.contains(&Event::Mark("kept".into())));
    let manifest = recorder.finish().unwrap();

    let counts = log.counts();
    assert_eq!(manifest.samples, 22);
    assert_eq!(counts.len() as u64 + manifest.lost_samples, manifest.samples);
    assert_eq!(counts[0], 0, "the sink held this one");
    assert!(counts[1..].is_sorted() && *counts.last().unwrap() == 21);
    assert!(counts.contains(&20) && !counts.contains(&1), "the oldest make room: {counts:?}");
    let marks = log.marks();
    assert_eq!(marks.last().unwrap(), "kept");
    assert!(marks[0].starts_with("recorder: gap: 13 samples are lost in the "), "{marks:?}");
    let gap = log.events().iter().position(|event| *event == Event::Mark(marks[0].clone())).unwrap();
    assert!(
        matches!(log.events()[gap - 1], Event::Sample(0, _)) && matches!(log.events()[gap + 1], Event::Sample(14, _))
    );
}

#[test]
fn whichever_call_of_the_sink_fails_once_nothing_is_lost() {
    for failing in 1.. {
        let failed = Arc::new(Mutex::new(None));
        let (recorder, log) = start(Counting::default(), {
            let (failed, mut calls) = (Arc::clone(&failed), 0);
            move |call| {
                calls += 1;
                if calls == failing {
                    *failed.lock().unwrap() = Some(call);
                    return Err(Error::system("disk full", "make room"));
                }
                Ok(())
            }
        });
        let finished = recorder.and_then(|recorder| {
            for at in 0..4 {
                recorder.mark(note(&format!("mark {at}")));
                recorder.sample_now();
            }
            recorder.finish()
        });
        let failed = *failed.lock().unwrap();
        let said = log.marks().iter().filter(|text| text.contains("disk full (make room)")).count();
        match failed {
            Some("begin") => assert_eq!((finished.unwrap_err().what.as_str(), log.events().len()), ("disk full", 0)),
            Some("finish") => assert_eq!(finished.unwrap_err().what, "disk full"),
            Some(_) => {
                assert_eq!(finished.unwrap().lost_samples, 0);
                assert_eq!(said, 1, "{:?}", log.marks());
            }
            None => {
                assert_eq!((finished.unwrap().lost_samples, said), (0, 0));
            }
        }
        if failed != Some("begin") {
            assert_eq!(log.counts(), [0, 1, 2, 3, 4, 5], "call {failing}");
            let marks: Vec<_> = log.marks().into_iter().filter(|text| text.starts_with("mark")).collect();
            assert_eq!(marks, ["mark 0", "mark 1", "mark 2", "mark 3"]);
        }
        if failed.is_none() {
            return;
        }
    }
}

#[test]
fn a_sink_that_never_takes_anything_again_is_an_error_at_the_end() {
    let mut samples = 0;
    let (recorder, log) = start(Counting::default(), move |call| {
        samples += u64::from(call == "sample");
        if samples > 2 { Err(Error::system("disk full", "")) } else { Ok(()) }
    });
    let recorder = recorder.unwrap();
    for _ in 0..30 {
        recorder.sample_now();
    }
    let monitor = recorder.monitor();
    let progress = monitor.progress();
    // Two are taken, when the writing thread has had a CPU; nine fit into the buffers, or eight and the one that the sink looks at.
    assert_eq!((progress.samples, progress.late, progress.ended), (31, 0, false));
    assert!((20..=23).contains(&progress.lost), "{progress:?}");
    assert!(progress.waiting <= 9, "{progress:?}");
    let what = recorder.finish().unwrap_err().what;
    // With those that made room since the sink was asked last.
    let waited = what.strip_suffix(" samples could not be written and are lost: disk full").unwrap_or_default();
    // 31, without the two and at most 23.
    assert!((6..=30).contains(&waited.parse::<u64>().unwrap_or(0)), "{what}");
    assert!(monitor.progress().ended);
    assert_eq!(log.counts().len(), 2);
}

#[test]
fn samples_that_are_not_taken_are_counted_apart_from_late_ones() {
    let log = Arc::new(Log::default());
    let sink = Box::new(Remember { log: Arc::clone(&log), before: always });
    let manifest = Manifest { interval: Nanos::new(5_000_000), ..Manifest::default() };
    let probe = Counting { stalls: Duration::from_millis(200), ..Counting::default() };
    let recorder = Recorder::with_probe(move || Ok(probe), manifest, BARE, sink).unwrap();
    log.wait_for(|events| events.iter().any(|event| matches!(event, Event::Sample(5, _))));
    let progress = recorder.monitor().progress();
    assert!(progress.missed >= 38 && progress.late >= 1 && progress.late < progress.samples, "{progress:?}");
    let manifest = recorder.finish().unwrap();
    assert!(manifest.missed_samples >= 38 && manifest.late_samples < manifest.samples, "{manifest:?}");
}

#[test]
fn the_error_of_the_sink_can_be_read() {
    let full = Arc::new(Mutex::new(false));
    let (recorder, log) = start(Counting::default(), {
        let full = Arc::clone(&full);
        move |_| if *full.lock().unwrap() { Err(Error::system("disk full", "")) } else { Ok(()) }
    });
    let recorder = recorder.unwrap();
    log.wait_for(|events| events.len() == 2);
    assert_eq!(recorder.refused(), None);
    *full.lock().unwrap() = true;
    while recorder.refused().is_none() {
        recorder.sample_now();
    }
    *full.lock().unwrap() = false;
    while recorder.refused().is_some() {
        recorder.sample_now();
    }
    let manifest = recorder.finish().unwrap();
    assert_eq!(log.counts().len() as u64 + manifest.lost_samples, manifest.samples);
    let again = |text: &String| text.starts_with("recorder: writing samples again after");
    assert_eq!(log.marks().iter().filter(|text| again(text)).count(), 1);
}

#[test]
fn a_sink_that_refuses_for_long_leaves_one_gap_and_not_one_for_each_refusal() {
    let full = Arc::new(Mutex::new(false));
    let (recorder, log) = start(Counting::default(), {
        let full = Arc::clone(&full);
        move |_| if *full.lock().unwrap() { Err(Error::system("disk full", "")) } else { Ok(()) }
    });
    let recorder = recorder.unwrap();
    log.wait_for(|events| events.len() == 2);
    *full.lock().unwrap() = true;
    // The sink is asked again and again meanwhile, and each time another sample has been given up.
    for _ in 0..100 {
        recorder.sample_now();
        std::thread::yield_now();
    }
    *full.lock().unwrap() = false;
    recorder.sample_now();
    log.wait_for(|events| events.iter().any(|event| matches!(event, Event::Sample(101, _))));
    let manifest = recorder.finish().unwrap();

    let marks = log.marks();
    let gaps: Vec<_> = marks.iter().filter_map(|text| text.strip_prefix("recorder: gap: ")).collect();
    // The sample that comes when the sink takes them again may find no free buffer yet: that is another gap, of one.
    assert!(gaps.len() <= 2, "{marks:?}");
    let lost = gaps.iter().map(|gap| gap.split(' ').next().unwrap().parse::<u64>().unwrap());
    assert_eq!(lost.sum::<u64>(), manifest.lost_samples, "{marks:?}");
    assert_eq!(log.counts().len() as u64 + manifest.lost_samples, manifest.samples);
}

#[test]
fn a_recorder_that_is_dropped_stops_its_threads() {
    let watched = Arc::new(Mutex::new(Vec::new()));
    let (recorder, log) = start(Counting { watched: Arc::clone(&watched), ..Counting::default() }, always);
    drop(recorder.unwrap());
    assert_eq!(Arc::strong_count(&watched), 1, "the sampling thread is gone");
    assert_eq!(Arc::strong_count(&log), 1, "the writing thread is gone");
    assert!(!log.events().iter().any(|event| matches!(event, Event::Finish(_))));
}

#[test]
fn what_is_watched_is_watched_before_the_next_sample() {
    let watched = Arc::new(Mutex::new(Vec::new()));
    let (recorder, _) = start(Counting { watched: Arc::clone(&watched), ..Counting::default() }, always);
    let recorder = recorder.unwrap();
    recorder.watch_pid(4711);
    recorder.sample_now();
    recorder.watch_cgroup("/sys/fs/cgroup/lab");
    recorder.sample_now();
    drop(recorder);
    assert_eq!(*watched.lock().unwrap(), [(1, "4711".to_owned()), (2, "/sys/fs/cgroup/lab".to_owned())]);
}

#[test]
fn a_probe_that_fails_is_noted_once_and_its_rows_are_kept() {
    let (recorder, log) = start(Counting { fails: true, ..Counting::default() }, always);
    let recorder = recorder.unwrap();
    recorder.sample_now();
    recorder.finish().unwrap();
    assert_eq!(log.counts(), [0, 1, 2]);
    assert_eq!(log.marks(), ["recorder: /proc/none: cannot be read"]);
}

#[test]
fn a_probe_that_cannot_be_made_is_the_reason_not_to_start() {
    let manifest = Manifest { interval: NEVER, ..Manifest::default() };
    let sink = Box::new(Remember { log: Arc::default(), before: always });
    let made = || Err::<Counting, _>(Error::system("no /proc", "mount it"));
    assert_eq!(Recorder::with_probe(made, manifest, BARE, sink).unwrap_err().what, "no /proc");
}

#[test]
fn an_interval_that_is_too_short_is_refused() {
    let manifest = Manifest { interval: Nanos::new(500_000), ..Manifest::default() };
    let sink = Box::new(Remember { log: Arc::default(), before: always });
    let error = Recorder::with_probe(|| Ok(Counting::default()), manifest, BARE, sink).unwrap_err();
    assert_eq!(error.to_string(), "cannot take a sample every 500 us (use an interval of 1 ms or more)");
}

/// Panics at its third sample.
struct Panicking(Counting);

impl Probe for Panicking {
    fn sample(&mut self, schema: &mut Schema, sample: &mut Sample) -> Result<(), Error> {
        assert!(self.0.count < 2, "a defect in a probe (this panic belongs to the test)");
        self.0.sample(schema, sample)
    }
    fn renew(&mut self) -> Result<(), Error> {
        Ok(())
    }
    fn watch_pid(&mut self, _: u32) {}
    fn watch_cgroup(&mut self, _: &Path) {}
}

#[test]
fn nobody_waits_for_a_sampling_thread_that_has_died() {
    let log = Arc::new(Log::default());
    let sink = Box::new(Remember { log: Arc::clone(&log), before: always });
    let manifest = Manifest { interval: NEVER, ..Manifest::default() };
    let made = || Ok(Panicking(Counting::default()));
    let recorder = Recorder::with_probe(made, manifest, BARE, sink).unwrap();
    recorder.sample_now();
    recorder.sample_now();
    recorder.sample_now();
    assert_eq!(recorder.finish().unwrap_err().what, "the recorder's sampling thread ended early");
    assert_eq!(log.counts(), [0, 1], "what was sampled is recorded");
}

#[test]
fn a_sink_that_panics_ends_the_recording_and_nobody_waits_for_it() {
    let (recorder, log) = start(Counting::default(), |call| {
        assert!(call != "mark", "a defect in a sink (this panic belongs to the test)");
        Ok(())
    });
    let recorder = recorder.unwrap();
    log.wait_for(|events| events.len() == 2);
    recorder.mark(note("one"));
    for _ in 0..30 {
        recorder.sample_now();
    }
    assert_eq!(recorder.finish().unwrap_err().what, "the recorder's writing thread ended early");
    assert_eq!(log.counts(), [0]);
}

#[test]
fn samples_come_by_themselves() {
    let log = Arc::new(Log::default());
    let sink = Box::new(Remember { log: Arc::clone(&log), before: always });
    let manifest = Manifest { interval: Nanos::new(1_000_000), ..Manifest::default() };
    let recorder = Recorder::with_probe(|| Ok(Counting::default()), manifest, Protection::default(), sink).unwrap();
    log.wait_for(|events| events.len() > 20);
    let manifest = recorder.finish().unwrap();
    let counts = log.counts();
    assert_eq!(counts.len() as u64 + manifest.lost_samples, manifest.samples);
    assert!(counts.is_sorted());
}

#[test]
fn a_schema_that_has_grown_too_large_begins_anew_without_what_is_gone() {
    /// Counts the entities under which each sample comes.
    struct Entities(Arc<Mutex<Vec<(i64, usize)>>>);
    impl Sink for Entities {
        fn begin(&mut self, _: &Manifest) -> Result<(), Error> {
            Ok(())
        }
        fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
            let (_, host) = sample.table(Table::Host).unwrap().rows().next().unwrap();
            let disks = schema.entities(Table::Disk);
            let names: Vec<_> =
                sample.table(Table::Disk).unwrap().rows().map(|(id, _)| &disks[id.0 as usize].name).collect();
            assert_eq!(names.last().unwrap().as_str(), format!("disk{}", host[0].unwrap()));
            self.0.lock().unwrap().push((host[0].unwrap(), disks.len()));
            Ok(())
        }
        fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
            panic!("nothing is to be said: {mark:?}");
        }
        fn finish(&mut self, _: &Manifest) -> Result<(), Error> {
            Ok(())
        }
    }
    for short_lived in [true, false] {
        let seen = Arc::default();
        let manifest = Manifest { interval: Nanos::new(3_600_000_000_000), ..Manifest::default() };
        let probe = Counting { short_lived, ..Counting::default() };
        let protection = Protection { entities: 5, ring: Bytes::new(1 << 20), ..BARE };
        let sink = Box::new(Entities(Arc::clone(&seen)));
        let recorder = Recorder::with_probe(|| Ok(probe), manifest, protection, sink).unwrap();
        for _ in 0..8 {
            recorder.sample_now();
        }
        recorder.finish().unwrap();
        let seen: Vec<(i64, usize)> = seen.lock().unwrap().clone();
        let counts: Vec<i64> = seen.iter().map(|(count, _)| *count).collect();
        assert_eq!(counts, (0..10).collect::<Vec<_>>());
        // One host and four disks are five. Disks that are all there are not forgotten.
        let most = seen.iter().map(|(_, disks)| *disks).max().unwrap();
        assert_eq!(most, if short_lived { 4 } else { 10 });
    }
}

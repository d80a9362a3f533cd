//! The writing thread: it alone talks to the sink.

use crate::clock;
use crate::ring::{Item, Lost};
use crate::sampling::Account;
use crate::shared::{Shared, Work};
use pagetide_core::{Error, Kind, Manifest, Mark, MarkKind, Nanos, Schema, Sink, Stamp, Table};
use std::collections::VecDeque;

/// The writing thread's own state.
pub(crate) struct Writer {
    sink: Box<dyn Sink>,
    schema: Schema,
    /// The recorder's own notes that the sink has not taken yet.
    notes: VecDeque<Mark>,
    /// What was lost since the last sample that the sink took; one note reports it when the sink takes samples again.
    gap: Option<Lost>,
    /// Stamp of the sample before.
    before: Option<Stamp>,
    /// Why the sink refuses, and since when (`CLOCK_MONOTONIC`).
    refused: Option<(Error, i64)>,
    lost: u64,
    /// Samples that the sink refused until the end.
    unwritten: u64,
    cpu: Nanos,
}

impl Writer {
    pub(crate) fn new(sink: Box<dyn Sink>) -> Self {
        Self {
            sink,
            schema: Schema::default(),
            notes: VecDeque::new(),
            gap: None,
            before: None,
            refused: None,
            lost: 0,
            unwritten: 0,
            cpu: Nanos::ZERO,
        }
    }

    /// Delivers until sampling has ended and everything is delivered, or given up. Gives nothing when the recorder was
    /// dropped.
    pub(crate) fn run(mut self, shared: &Shared) -> Option<Self> {
        let mut spent = None;
        let mut last_chance = false;
        loop {
            let (item, lost, arrivals) = match shared.next_work(&mut self.schema, spent.take()) {
                Work::Deliver { item, lost, arrivals } => (item, lost, arrivals),
                Work::Finish => break,
                Work::Abandon => return None,
            };
            self.observe(&item, lost);
            match self.deliver(&item) {
                Ok(()) => {
                    self.accepted(shared);
                    let removed = self.sink.take_lost();
                    self.lost += removed;
                    shared.add_removed(removed);
                    last_chance = false;
                    if let Item::Sample(sample) = item {
                        spent = Some(sample);
                    }
                }
                Err(error) => {
                    self.refuse(&error);
                    shared.put_back(item, error);
                    // With each new sample the sink is asked again; when no more samples come, once more.
                    if last_chance {
                        self.unwritten += shared.give_up();
                    }
                    last_chance = shared.wait_for_news(arrivals);
                }
            }
        }
        self.cpu = clock::thread_cpu();
        Some(self)
    }

    /// Remembers what the recording should say before this item: samples that were lost, clocks that jumped.
    fn observe(&mut self, item: &Item, lost: Option<Lost>) {
        if let Some(lost) = lost {
            self.lost += lost.count;
            self.gap = Some(self.gap.map_or(lost, |gap| gap.and(lost)));
        }
        if let Item::Sample(sample) = item {
            let before = self.before.replace(sample.stamp).unwrap_or(sample.stamp);
            for jump in clock::jumps(&before, &sample.stamp).into_iter().flatten() {
                self.note(sample.stamp, jump.note());
            }
        }
    }

    fn note(&mut self, stamp: Stamp, text: String) {
        self.notes.push_back(Mark { stamp, kind: MarkKind::Note { text } });
    }

    fn deliver(&mut self, item: &Item) -> Result<(), Error> {
        self.deliver_notes()?;
        match item {
            Item::Sample(sample) => self.sink.sample(&self.schema, sample),
            Item::Mark(mark) => self.sink.mark(mark),
            Item::Renewal => {
                self.sink.renew();
                Ok(())
            }
        }
    }

    fn deliver_notes(&mut self) -> Result<(), Error> {
        while let Some(note) = self.notes.front() {
            self.sink.mark(note)?;
            self.notes.pop_front();
        }
        if let Some(gap) = &self.gap {
            self.sink.mark(&Mark { stamp: gap.first, kind: MarkKind::Note { text: describe(gap) } })?;
            self.gap = None;
        }
        Ok(())
    }

    /// Says once that the sink refuses.
    fn refuse(&mut self, error: &Error) {
        if self.refused.is_none() {
            let stamp = clock::now();
            self.refused = Some((error.clone(), stamp.mono_ns));
            self.note(stamp, format!("recorder: samples are waiting in memory: {error}"));
        }
    }

    /// Says once that the sink takes samples again.
    fn accepted(&mut self, shared: &Shared) {
        if let Some((_, since)) = self.refused.take() {
            let stamp = clock::now();
            let seconds = (stamp.mono_ns - since) as f64 / 1e9;
            self.note(stamp, format!("recorder: writing samples again after {seconds:.1} s"));
            shared.accepted();
        }
    }

    /// Ends the recording.
    pub(crate) fn finish(mut self, mut manifest: Manifest, account: Account) -> Result<Manifest, Error> {
        let notes = self.deliver_notes();
        let unknown = |table| self.schema.columns(table).iter().filter(|column| column.kind == Kind::Unknown).count();
        manifest.unknown_fields = Table::ALL.into_iter().map(|table| unknown(table) as u64).sum();
        manifest.recorder_cpu = account.cpu.checked_add(self.cpu).unwrap_or(account.cpu);
        manifest.samples = account.samples;
        manifest.late_samples = account.late;
        manifest.missed_samples = account.missed;
        manifest.lost_samples = self.lost + self.unwritten + self.sink.take_lost();
        let finished = self.sink.finish(&manifest);
        match self.refused {
            Some((error, _)) => Err(match self.unwritten {
                0 => error,
                1 => Error { what: format!("1 sample could not be written and is lost: {}", error.what), ..error },
                count => Error {
                    what: format!("{count} samples could not be written and are lost: {}", error.what),
                    ..error
                },
            }),
            None => notes.and(finished).map(|()| manifest),
        }
    }
}

/// What the recording says about samples that were lost.
fn describe(lost: &Lost) -> String {
    let seconds = (lost.last.boot_ns - lost.first.boot_ns) as f64 / 1e9;
    let samples = if lost.count == 1 { "sample is" } else { "samples are" };
    format!("recorder: gap: {} {samples} lost in the {seconds:.3} s from here: not written in time", lost.count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{NullSink, Sample};

    const SECOND: i64 = 1_000_000_000;

    fn sample(mono: i64, boot: i64, wall: i64) -> Item {
        let mut sample = Sample::default();
        sample.stamp = Stamp { mono_ns: mono * SECOND, boot_ns: boot * SECOND, wall_ns: wall * SECOND };
        Item::Sample(sample)
    }

    fn notes(writer: &Writer) -> Vec<(i64, &str)> {
        writer
            .notes
            .iter()
            .map(|mark| match &mark.kind {
                MarkKind::Note { text } => (mark.stamp.boot_ns / SECOND, text.as_str()),
                other => panic!("only notes are written here: {other:?}"),
            })
            .collect()
    }

    #[test]
    fn clocks_that_jump_are_noted_once_each_time() {
        let mut writer = Writer::new(Box::new(NullSink));
        for item in [sample(1, 1, 100), sample(2, 2, 101), sample(3, 63, 162), sample(4, 64, 3763)] {
            writer.observe(&item, None);
            writer.observe(&item, None); // as when the sink refuses it and is asked again
        }
        assert_eq!(
            notes(&writer),
            [
                (63, "recorder: the host was suspended for 60.000 s"),
                (64, "recorder: the wall clock was set forward by 3600.000 s"),
            ]
        );
    }

    #[test]
    fn a_gap_that_grows_is_noted_once_where_it_begins() {
        let mut writer = Writer::new(Box::new(NullSink));
        let at = |boot_ns: i64| Stamp { boot_ns: boot_ns * SECOND, ..Stamp::default() };
        writer.observe(&sample(8, 8, 8), Some(Lost { count: 3, first: at(5), last: at(7) }));
        writer.observe(&sample(9, 9, 9), Some(Lost { count: 1, first: at(8), last: at(8) }));
        let gap = writer.gap.unwrap();
        assert_eq!(gap, Lost { count: 4, first: at(5), last: at(8) });
        assert_eq!(describe(&gap), "recorder: gap: 4 samples are lost in the 3.000 s from here: not written in time");
        writer.deliver(&sample(9, 9, 9)).unwrap();
        assert_eq!((writer.gap, writer.lost), (None, 4));
    }
}

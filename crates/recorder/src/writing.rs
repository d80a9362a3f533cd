//! The writing thread: it alone talks to the sink.

use crate::clock;
use crate::ring::{Item, Lost};
use crate::sampling::Account;
use crate::shared::{Shared, Work};
use pagetide_core::{Kind, Manifest, Mark, MarkKind, Nanos, Refusal, Schema, Sink, Stamp, Table};
use std::collections::VecDeque;

/// The writing thread's own state.
pub(crate) struct Writer {
    sink: Box<dyn Sink>,
    schema: Schema,
    /// The recorder's own notes that the sink has not taken yet.
    notes: VecDeque<Mark>,
    /// Stamp of the sample before.
    before: Option<Stamp>,
    /// Why the sink refuses, and since when (`CLOCK_MONOTONIC`).
    refused: Option<(Refusal, i64)>,
    lost: u64,
    cpu: Nanos,
}

impl Writer {
    pub(crate) fn new(sink: Box<dyn Sink>) -> Self {
        Self {
            sink,
            schema: Schema::default(),
            notes: VecDeque::new(),
            before: None,
            refused: None,
            lost: 0,
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
                    last_chance = false;
                    if let Item::Sample(sample) = item {
                        spent = Some(sample);
                    }
                }
                Err(refusal) => {
                    self.refuse(&refusal);
                    shared.put_back(item, refusal);
                    // With each new sample the sink is asked again; when no more samples come, once more.
                    if last_chance {
                        self.lost += shared.give_up();
                    }
                    last_chance = shared.wait_for_news(arrivals);
                }
            }
        }
        self.cpu = clock::thread_cpu();
        Some(self)
    }

    /// Notes what the recording should say before this item: samples that were lost, clocks that jumped.
    fn observe(&mut self, item: &Item, lost: Option<Lost>) {
        if let Some(lost) = lost {
            self.lost += lost.count;
            self.note(lost.first, describe(&lost));
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

    fn deliver(&mut self, item: &Item) -> Result<(), Refusal> {
        self.deliver_notes()?;
        match item {
            Item::Sample(sample) => self.sink.sample(&self.schema, sample),
            Item::Mark(mark) => self.sink.mark(mark),
        }
    }

    fn deliver_notes(&mut self) -> Result<(), Refusal> {
        while let Some(note) = self.notes.front() {
            self.sink.mark(note)?;
            self.notes.pop_front();
        }
        Ok(())
    }

    /// Says once that the sink refuses.
    fn refuse(&mut self, refusal: &Refusal) {
        if self.refused.is_none() {
            let stamp = clock::now();
            self.refused = Some((refusal.clone(), stamp.mono_ns));
            self.note(stamp, format!("recorder: samples wait in memory: {refusal}"));
        }
    }

    /// Says once that the sink takes samples again.
    fn accepted(&mut self, shared: &Shared) {
        if let Some((_, since)) = self.refused.take() {
            let stamp = clock::now();
            let seconds = (stamp.mono_ns - since) as f64 / 1e9;
            self.note(stamp, format!("recorder: samples are written again after {seconds:.1} s"));
            shared.accepted();
        }
    }

    /// Ends the recording.
    pub(crate) fn finish(mut self, mut manifest: Manifest, account: Account) -> Result<Manifest, Refusal> {
        let notes = self.deliver_notes();
        let unknown = |table| self.schema.columns(table).iter().filter(|column| column.kind == Kind::Unknown).count();
        manifest.unknown_fields = Table::ALL.into_iter().map(|table| unknown(table) as u64).sum();
        manifest.recorder_cpu = account.cpu.checked_add(self.cpu).unwrap_or(account.cpu);
        manifest.samples = account.samples;
        manifest.late_samples = account.late;
        manifest.lost_samples = self.lost;
        let finished = self.sink.finish(&manifest);
        match self.refused {
            Some((refusal, _)) => Err(refusal),
            None => notes.and(finished).map(|()| manifest),
        }
    }
}

/// What the recording says about samples that were lost.
fn describe(lost: &Lost) -> String {
    let seconds = (lost.last.boot_ns - lost.first.boot_ns) as f64 / 1e9;
    format!(
        "recorder: gap: {} samples over {seconds:.3} s are lost from here on, because they were not written in time",
        lost.count
    )
}

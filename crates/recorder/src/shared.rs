//! What the sampling thread, the writing thread and the callers share: one lock, held for moments only.

use crate::clock;
use crate::ring::{Item, Lost, Ring};
use pagetide_core::{Error, Mark, MarkKind, Sample, Schema, SchemaGrowth, Stamp};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// State of a recording at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Samples taken.
    pub samples: u64,
    /// Samples that came later than one and a half intervals after the one before.
    pub late: u64,
    /// Samples that were due and not taken, because the one before took longer or the recorder did not run.
    pub missed: u64,
    /// Samples that were taken and are not kept: the sink did not take them in time, or somebody removed what it wrote them to.
    pub lost: u64,
    /// Samples and marks that wait for the sink.
    pub waiting: u64,
    /// Control groups without a row in the last sample, because there were too many.
    pub skipped_groups: u64,
    /// When the last sample was taken.
    pub last: Stamp,
    /// Why the sink refuses samples at present; absent while it takes them.
    pub refused: Option<Error>,
    /// Whether sampling has ended.
    pub ended: bool,
}

/// Something to sample from now on.
#[derive(Debug)]
pub(crate) enum Command {
    Pid(u32),
    Cgroup(PathBuf),
}

/// Why the sampling thread takes a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SampleRequest {
    /// The deadline has come.
    pub(crate) due: bool,
    /// It is the last one.
    pub(crate) last: bool,
    /// Requests for an extra sample that this one serves.
    pub(crate) asked: u64,
}

/// What the writing thread has to do next.
#[derive(Debug)]
pub(crate) enum Work {
    /// Give this to the sink; before it, say what was lost. The number is for [`Shared::wait_for_news`].
    Deliver { item: Item, lost: Option<Lost>, arrivals: u64 },
    /// Everything has been taken, and nothing more will come.
    Finish,
    /// The recorder was dropped.
    Abandon,
}

#[derive(Debug, Default)]
struct State {
    ring: Ring,
    /// Samples that were put in the ring so far.
    arrivals: u64,
    /// Samples that came late, and those that were not taken, up to the last one.
    late: u64,
    missed: u64,
    /// Samples that the sink took and somebody removed.
    removed: u64,
    commands: Vec<Command>,
    /// Extra samples that were asked for, and how many of these requests have been served.
    asked: u64,
    served: u64,
    last_stamp: Stamp,
    stop: bool,
    abandoned: bool,
    sampling_ended: bool,
    refused: Option<Error>,
}

#[derive(Debug, Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
    sampling: Condvar,
    writing: Condvar,
    callers: Condvar,
    skipped_groups: AtomicU64,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // The sampling thread.

    pub(crate) fn set_skipped_groups(&self, groups: u64) {
        self.skipped_groups.store(groups, Ordering::Relaxed);
    }

    /// Waits until `deadline` (on `CLOCK_MONOTONIC`), a request or the end, and swaps the commands so far into
    /// `commands`, which is empty. The wait itself has an absolute end, so time lost in here does not add up.
    pub(crate) fn wait_for_turn(&self, deadline: i64, commands: &mut Vec<Command>) -> SampleRequest {
        let mut state = self.lock();
        loop {
            let left = deadline.saturating_sub(clock::monotonic_ns());
            if left <= 0 || state.stop || state.asked > state.served {
                std::mem::swap(&mut state.commands, commands);
                return SampleRequest { due: left <= 0, last: state.stop, asked: state.asked };
            }
            let left = Duration::from_nanos(left.unsigned_abs());
            state = self.sampling.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Gives the ring its buffers.
    pub(crate) fn prepare(&self, spare: Vec<Sample>) {
        self.lock().ring.prepare(spare);
    }

    /// Queues the sample that was taken in `turn` and gives the buffer for the next one.
    pub(crate) fn push_sample(
        &self,
        sample: Sample,
        growth: &mut SchemaGrowth,
        turn: SampleRequest,
        (late, missed): (u64, u64),
    ) -> Sample {
        let mut state = self.lock();
        (state.late, state.missed) = (late, missed);
        state.last_stamp = sample.stamp;
        let next = state.ring.push_sample(sample, growth);
        state.arrivals += 1;
        let requested = turn.asked > state.served;
        state.served = turn.asked;
        drop(state);
        self.writing.notify_one();
        if requested {
            self.callers.notify_all();
        }
        next
    }

    /// Queues the beginning of a new schema.
    pub(crate) fn renew(&self) {
        self.lock().ring.push_renewal();
    }

    /// Says that no more samples come.
    pub(crate) fn end_sampling(&self) {
        self.lock().sampling_ended = true;
        self.writing.notify_one();
        self.callers.notify_all();
    }

    // The writing thread.

    /// Waits for something to do. `schema` gets what the next sample may need; `spent` is the buffer of a sample that
    /// was delivered.
    pub(crate) fn next_work(&self, schema: &mut Schema, spent: Option<Sample>) -> Work {
        let mut state = self.lock();
        if let Some(spent) = spent {
            state.ring.recycle(spent);
        }
        loop {
            if state.abandoned {
                return Work::Abandon;
            }
            if let Some(item) = state.ring.pop(schema) {
                let lost = state.ring.take_lost();
                return Work::Deliver { item, lost, arrivals: state.arrivals };
            }
            if state.sampling_ended {
                return Work::Finish;
            }
            state = self.writing.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Puts back what the sink refused and remembers why.
    pub(crate) fn put_back(&self, item: Item, error: Error) {
        let mut state = self.lock();
        state.ring.put_back(item);
        state.refused = Some(error);
    }

    /// Counts samples that the sink took and somebody removed.
    pub(crate) fn add_removed(&self, samples: u64) {
        if samples > 0 {
            self.lock().removed += samples;
        }
    }

    /// Forgets why the sink refused: it takes samples again.
    pub(crate) fn accepted(&self) {
        self.lock().refused = None;
    }

    /// Waits until another sample has come since `arrivals`, or the end. Gives whether it is the end.
    pub(crate) fn wait_for_news(&self, arrivals: u64) -> bool {
        let mut state = self.lock();
        while state.arrivals == arrivals && !state.sampling_ended && !state.abandoned {
            state = self.writing.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.sampling_ended || state.abandoned
    }

    /// Drops what still waits and gives how many samples that were.
    pub(crate) fn give_up(&self) -> u64 {
        self.lock().ring.clear()
    }

    // The callers.

    /// Stamps and queues a mark.
    pub(crate) fn mark(&self, kind: MarkKind) -> Stamp {
        let mut state = self.lock();
        let stamp = clock::now();
        state.ring.push_mark(Mark { stamp, kind });
        drop(state);
        self.writing.notify_one();
        stamp
    }

    /// Queues a note in the recorder's own name.
    pub(crate) fn note(&self, text: String) {
        self.mark(MarkKind::Note { text });
    }

    pub(crate) fn command(&self, command: Command) {
        self.lock().commands.push(command);
    }

    /// Asks for a sample and waits until it is in the ring. Absent when sampling has ended.
    pub(crate) fn sample_now(&self) -> Option<Stamp> {
        let mut state = self.lock();
        state.asked += 1;
        let request = state.asked;
        self.sampling.notify_one();
        while state.served < request {
            if state.sampling_ended {
                return None;
            }
            state = self.callers.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Some(state.last_stamp)
    }

    /// Has the sampling thread take a last sample and end; with `abandon`, the writing thread drops what waits.
    pub(crate) fn stop(&self, abandon: bool) {
        let mut state = self.lock();
        state.stop = true;
        state.abandoned |= abandon;
        drop(state);
        self.sampling.notify_one();
        self.writing.notify_one();
    }

    pub(crate) fn refused(&self) -> Option<Error> {
        self.lock().refused.clone()
    }

    pub(crate) fn progress(&self) -> Progress {
        let state = self.lock();
        Progress {
            samples: state.arrivals,
            late: state.late,
            missed: state.missed,
            lost: state.ring.lost_so_far() + state.removed,
            waiting: state.ring.waiting() as u64,
            skipped_groups: self.skipped_groups.load(Ordering::Relaxed),
            last: state.last_stamp,
            refused: state.refused.clone(),
            ended: state.sampling_ended,
        }
    }
}

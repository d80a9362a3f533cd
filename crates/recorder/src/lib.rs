//! The flight recorder: samples a host on a clock and hands the samples to a [`Sink`](pagetide_core::Sink).
//!
//! [`Recorder::start`] starts two threads. The *sampling* thread wakes on an absolute schedule, fills a preallocated
//! [`Sample`](pagetide_core::Sample) from a [`Probe`] and puts it in a bounded ring; after the first samples it neither
//! allocates nor faults, does no file IO but reading the kernel's files, and never waits for the sink. The *writing*
//! thread owns the sink. While the sink blocks or refuses, samples wait in the ring; when the ring is full the oldest
//! sample makes room for the newest, and the recording says so (a note, and [`Manifest::lost_samples`]).
//!
//! [`Manifest::lost_samples`]: pagetide_core::Manifest::lost_samples

mod clock;
mod history;
mod monitor;
mod probe;
mod protection;
mod recorder;
mod ring;
mod sampling;
mod schedule;
mod shared;
mod tasks;
mod trace;
mod writing;

pub use clock::now;
pub use history::History;
pub use monitor::Monitor;
pub use probe::Probe;
pub use protection::{Lock, Priority, Protection, check_interval};
pub use recorder::{Options, Recorder, Scope};
pub use shared::Progress;
pub use trace::Tracing;

//! The seams between the crates: who runs a scenario, who takes samples, who gives recordings.

use crate::error::Error;
use crate::recording::{Manifest, Mark, Recording};
use crate::sample::{Sample, Schema};
use crate::scenario::{Scale, Scenario};
use crate::selection::Selection;
use crate::step::StepResult;
use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// Takes the samples of a recording as they come.
///
/// An error is about the sink (a full disk, a closed pipe), not about the samples: the caller may go on.
pub trait Sink: Send {
    /// Starts the recording.
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error>;
    /// Takes a sample. The schema only grows between calls, unless [`Self::renew`] comes between them.
    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error>;
    /// The schema begins anew: what comes is under another one, with numbers of its own. Only recorders that are told to do so
    /// ([`Self::sample`]'s schema would grow for weeks) call it; a sink that keeps nothing of a schema between calls need not care.
    fn renew(&mut self) {}
    /// Takes a mark.
    fn mark(&mut self, mark: &Mark) -> Result<(), Error>;
    /// How many samples that it took are gone since the last call, because somebody removed what they were written to.
    fn take_lost(&mut self) -> u64 {
        0
    }
    /// Ends the recording with the final manifest.
    fn finish(&mut self, manifest: &Manifest) -> Result<(), Error>;
}

/// A sink that takes everything and keeps nothing, to run or to measure what comes before a sink.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullSink;

impl Sink for NullSink {
    fn begin(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
    fn sample(&mut self, _: &Schema, _: &Sample) -> Result<(), Error> {
        Ok(())
    }
    fn mark(&mut self, _: &Mark) -> Result<(), Error> {
        Ok(())
    }
    fn finish(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
}

/// Gives a recording.
pub trait Source {
    /// Loads the selected part of it.
    fn load(&self, selection: &Selection) -> Result<Recording, Error>;

    /// Loads the times and marks of the selected part, and no value.
    fn times(&self, selection: &Selection) -> Result<Recording, Error> {
        self.load(&Selection { tables: Vec::new(), metrics: vec![String::new()], ..selection.clone() })
    }
}

impl<S: Source + ?Sized> Source for &S {
    fn load(&self, selection: &Selection) -> Result<Recording, Error> {
        (**self).load(selection)
    }

    fn times(&self, selection: &Selection) -> Result<Recording, Error> {
        (**self).times(selection)
    }
}

/// Shows how a run proceeds, and knows when the user wants it to stop.
pub trait Progress: Send {
    /// A step begins: its number from 1, how many there are, its id and what it is in a few words.
    fn step(&mut self, number: usize, of: usize, id: &str, title: &str);
    /// How far the step is (0 to 1, when that can be told), the time it still needs, and a few words such as the rate.
    fn update(&mut self, fraction: Option<f64>, left: Option<Nanos>, note: &str);
    /// The step ended with this in a few words.
    fn step_done(&mut self, note: &str);
    /// A line: what was changed on the system, how the machine differs from the scenario's.
    fn say(&mut self, line: &str);
    /// Whether the user wants to stop. Called many times a second.
    fn interrupted(&self) -> bool;
}

/// A run that a backend is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    /// The scenario, already scaled.
    pub scenario: Scenario,
    /// By how much it was scaled.
    pub scale: Scale,
    /// The seed of everything that the run chooses at random.
    pub seed: u64,
}

/// What a backend has run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BackendRun {
    /// The machine it ran on, one line each.
    pub machine: Vec<String>,
    /// How that machine differs from the scenario's, one sentence each.
    pub differences: Vec<String>,
    /// The kernel's release.
    pub kernel: String,
    /// When it began, nanoseconds since 1970-01-01 UTC.
    pub started_wall_ns: i64,
    /// What each step measured, in order.
    pub steps: Vec<StepResult>,
}

/// Runs scenarios.
pub trait Backend {
    /// `host`, `vm` or `sim`.
    fn name(&self) -> &'static str;
    /// Runs a scenario and gives its samples to `sink`. Claims are not checked here.
    ///
    /// # Errors
    /// The machine cannot be made, the user interrupted the run, or the sink refused.
    fn run(
        &mut self,
        request: &RunRequest,
        sink: Box<dyn Sink>,
        progress: &mut dyn Progress,
    ) -> Result<BackendRun, Error>;
}

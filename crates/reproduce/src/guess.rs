//! What a recording does not tell.

use pagetide_core::printable;
use serde::Serialize;

/// Something that the scenario says and the recording does not. Names in it are those of a recording, which others choose: it is one line
/// of text, as a comment of the scenario as well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Guess {
    /// What is taken to be.
    pub what: String,
    /// Why.
    pub why: String,
}

impl Guess {
    pub(crate) fn new(what: impl Into<String>, why: impl Into<String>) -> Self {
        let line = |text: String| printable(&text).into_owned();
        Self { what: line(what.into()), why: line(why.into()) }
    }
}

/// An amount of bytes in words.
pub(crate) fn megabytes(bytes: f64) -> String {
    pagetide_core::Quantity::new(bytes, pagetide_core::Unit::Bytes).to_string()
}

/// An amount that a recording leaves open within a range. It is a factor of what the synthesis takes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Knob {
    /// How large the working sets are.
    WorkingSets,
    /// How long those who ran before wait between two requests.
    ThinkTime,
    /// How much those who began it read, write or take per second.
    NewLoad,
    /// How long one request takes on its own.
    Latency,
    /// How many requests and bytes the disks do per second.
    Limits,
    /// Bytes between two syncs.
    Syncs,
    /// How much more often the popular part of a working set is used than the rest.
    Skew,
}

impl Knob {
    pub(crate) const ALL: [Self; 7] =
        [Self::ThinkTime, Self::Limits, Self::WorkingSets, Self::Skew, Self::NewLoad, Self::Latency, Self::Syncs];

    /// What it is a factor of.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::WorkingSets => "size of the working sets",
            Self::ThinkTime => "time between two requests of those who ran before",
            Self::NewLoad => "rate of those who began it",
            Self::Latency => "time of one request of the disks on its own",
            Self::Limits => "requests and bytes per second of the disks at most",
            Self::Syncs => "bytes between two syncs",
            Self::Skew => "how unevenly working sets are read",
        }
    }

    /// Why the recording leaves it open.
    pub(crate) const fn why(self) -> &'static str {
        match self {
            Self::WorkingSets => "a recording counts cached pages, and not which of them are used",
            Self::ThinkTime => "system calls on pipes, sockets and files are counted as one",
            Self::NewLoad => "it was recorded while they waited",
            Self::Latency => "the recorded time of a request is a mean, with what it queued",
            Self::Limits => {
                "what a disk did is recorded, and not what it could do: no less, but for flushes, which count as writes; where it was at its limit at most half as much again"
            }
            Self::Syncs => "flushes are counted for a disk, and not for a process",
            Self::Skew => "a recording counts reads, and not how often each page was read",
        }
    }
}

/// The factors of all knobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Factors([f64; Knob::ALL.len()]);

impl Factors {
    /// What the synthesis takes first.
    pub(crate) const FIRST: Self = Self([1.0; Knob::ALL.len()]);

    pub(crate) const fn of(&self, knob: Knob) -> f64 {
        self.0[knob as usize]
    }

    #[must_use]
    pub(crate) const fn with(mut self, knob: Knob, factor: f64) -> Self {
        self.0[knob as usize] = factor;
        self
    }

    /// The share of the reads of working sets that goes to their popular blocks, where that is more than half.
    pub(crate) fn skew(&self) -> Option<f64> {
        let odds = self.of(Knob::Skew);
        (odds > 1.01).then(|| odds / (1.0 + odds))
    }

    /// Whether they are the same, but for what multiplying and dividing by a step leaves.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(one, other)| (one / other - 1.0).abs() < 1e-9)
    }
}

/// A guess that was tried at other values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FittedGuess {
    /// What it is a factor of.
    pub what: &'static str,
    /// Why the recording leaves it open.
    pub why: &'static str,
    /// The range that the recording leaves open, as factors of what the recording suggests.
    pub range: (f64, f64),
    /// The factor that came nearest.
    pub factor: f64,
    /// What the amounts were at other factors: how sensitive the incident is to the guess.
    pub sensitivity: Vec<String>,
}

//! A program with code and data, as far as the page cache is concerned.

use super::Fill;
use crate::error::Error;
use crate::figure::Figure;
use crate::scenario::kind::{Effort, Goal, StepKind, no_zero_rate};
use crate::scenario::{Place, Scale};
use crate::units::{Bytes, BytesPerSecond, Nanos};
use serde::{Deserialize, Serialize};

/// Which anonymous memory a walk maps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// `MAP_PRIVATE | MAP_ANONYMOUS`.
    #[default]
    Private,
    /// `MAP_SHARED | MAP_ANONYMOUS`, which is shmem.
    Shared,
}

/// The order in which the pages of the mapped file are touched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Each page is an independent random choice.
    #[default]
    Random,
    /// A random permutation: every page once, then again in the same order.
    Shuffled,
}

/// Maps a file read-only and shared, fills anonymous memory, then walks the memory page by page and touches one page of the
/// file at each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapAndWalkSpec {
    /// Size of the file that is mapped.
    #[serde(default)]
    pub code: Bytes,
    /// The file.
    #[serde(default = "code_file")]
    pub file: Place,
    /// Whether it is mapped executable (`PROT_EXEC`), which reclaim evicts later.
    #[serde(default)]
    pub executable: bool,
    /// Size of the anonymous memory.
    #[serde(default)]
    pub data: Bytes,
    /// Private or shared anonymous memory.
    #[serde(default)]
    pub sharing: Sharing,
    /// What the memory is filled with.
    #[serde(default)]
    pub fill: Fill,
    /// Bytes per second at which it is filled at most; no limit when absent.
    pub fill_rate: Option<BytesPerSecond>,
    /// Bytes that one iteration walks: of the data, or of the file when there are no data. All of it when absent.
    pub chunk: Option<Bytes>,
    /// Bytes of the data, from their start, that are walked again and again. The rest is filled once and stays cold, as most
    /// memory of a long-running program does. All of it is hot when absent.
    pub hot: Option<Bytes>,
    /// Number of iterations.
    pub iterations: u64,
    /// The order in which the pages of the file are touched.
    #[serde(default)]
    pub order: Order,
    /// Touches of the file per second at most; no limit when absent.
    pub rate: Option<u64>,
    /// CPU time after each touch.
    pub compute: Option<Nanos>,
    /// Time after which it ends, filling included.
    pub time: Option<Nanos>,
}

impl StepKind for MapAndWalkSpec {
    fn describe(&self) -> String {
        format!("walk {} of data and {} of code", self.data, self.code)
    }

    fn check(&self) -> Result<(), Error> {
        let wrong = |what: String, hint: &str| Err(Error::input(what, hint));
        match self {
            _ if self.code == Bytes::ZERO && self.data == Bytes::ZERO => {
                wrong("neither code nor data".into(), "write code = \"3GiB\", data = \"14GiB\" or both")
            }
            _ if !self.file.is_file() => {
                wrong(format!("file = \"{}\" is not a file", self.file), "write \"file:NAME\"")
            }
            _ if self.iterations == 0 => wrong("iterations is 0".into(), "write iterations = 1 or more"),
            _ if self.chunk == Some(Bytes::ZERO) => {
                wrong("chunk is 0".into(), "leave chunk out to walk all of it in one iteration")
            }
            Self { hot: Some(hot), .. } if *hot == Bytes::ZERO || *hot > self.data => wrong(
                format!("hot {hot} is not between 1 page and data, {}", self.data),
                "leave hot out to walk all data",
            ),
            _ => no_zero_rate(self.rate).and_then(|()| no_zero_rate(self.fill_rate.map(BytesPerSecond::get))),
        }
    }

    fn scale(&mut self, scale: Scale) {
        self.code = scale.bytes(self.code);
        self.data = scale.bytes(self.data);
        self.chunk = self.chunk.map(|chunk| scale.bytes(chunk));
        self.hot = self.hot.map(|hot| scale.bytes(hot));
    }

    fn reads(&self) -> Option<(&Place, Bytes)> {
        (self.code > Bytes::ZERO).then_some((&self.file, self.code))
    }

    fn goal(&self) -> Goal {
        Goal::Iterations(self.iterations)
    }

    fn effort(&self) -> Effort {
        // Touches of an iteration on the smallest pages. Larger ones need fewer: the forecast is then too long until the first run.
        let touches = self.code.max(self.hot.unwrap_or(self.data)).as_f64() / 4096.0;
        let computes = Nanos::from_secs_f64(self.compute.map_or(0.0, |time| time.as_secs_f64() * touches));
        let fills = Effort::paced(self.data.as_f64(), self.fill_rate.map(BytesPerSecond::as_f64));
        let paced = Effort::paced(self.code.as_f64() / 4096.0, self.rate.map(|rate| rate as f64));
        let paced = paced.saturating_add(computes.unwrap_or_default()).saturating_add(fills);
        Effort { paced, limit: self.time, lasts: true, ..Effort::sequential(self.code) }
    }

    fn headline(&self) -> &'static [(Figure, &'static str)] {
        &[
            (Figure::Iterations, "iterations"),
            (Figure::Elapsed, ""),
            (Figure::MajorFaults, "major faults"),
            (Figure::Resident, "resident"),
            (Figure::AvailableAfter, "available"),
        ]
    }
}

fn code_file() -> Place {
    Place::File { name: "code".to_owned(), disk: None }
}

//! Many hosts: which are worst, what they have in common, and whether a change made it worse.
//!
//! [`map()`] turns a recording into rows, one for each hour; [`reduce()`] turns rows into answers. A [`Unit`] of work is a day of a
//! recording, whose rows depend on nothing but the files of that day: they are the same bytes on one machine, on a cluster, and when
//! computed twice. What goes wrong with a recording is a row too.

mod cache;
mod factor;
mod host;
mod labels;
mod local;
mod location;
mod map;
mod naming;
mod problem;
mod reduce;
mod row;
mod split;
mod statistics;
mod unit;
mod write;

pub use factor::{CauseFactors, Condition, Factor};

pub use cache::RowCache;
pub use labels::labels;
pub use local::{Observer, Tally, run};
pub use location::recordings;
pub use map::{map, map_unit};
pub use naming::hosts_from_folders;
pub use problem::Problem;
pub use reduce::{
    Answers, CauseAnswer, CauseDay, HourAnswer, ProblemAnswer, ProblemRecording, Question, WorstHost, reduce,
};
pub use row::{COLUMNS, ColumnDoc, ColumnType, MADE_BY, ROW_VERSION, Row, Text, Value, share_texts, sort};
pub use split::{Effect, Side, Split, SplitAnswer};
pub use unit::{TimeRange, Unit, units};
pub use write::{csv, parquet};

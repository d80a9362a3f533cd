//! The words of pagetide, as types.
//!
//! Every other crate speaks in these: [`Bytes`], [`Pages`], [`Nanos`] and [`Ratio`] for amounts,
//! [`metric`] for what the kernel's fields are called and mean, [`derived`] for what is computed from them, [`Sample`] for one reading of them,
//! [`Recording`] for many, [`Scenario`] for an experiment, [`StepResult`] and [`Figure`] for what a
//! step measured, [`Finding`] for what a rule found, [`Diagnosis`] for the conclusion of all rules, [`Report`] for what a
//! person reads.
//!
//! Three seams join the crates: a [`Backend`] runs a scenario and gives samples to a [`Sink`]; a
//! [`Source`] gives them back as a [`Recording`].
//!
//! This crate does no input or output, reads no clock and draws no randomness.

mod actor;
mod batch;
mod clock;
mod comparison;
mod cores;
mod cut_content;
mod cut_diagnosis;
mod decimal;
pub mod derived;
mod diagnosis;
mod document;
mod ended;
mod error;
mod figure;
mod finding;
pub mod glossary;
mod grade;
mod kernel_message;
mod lazy;
mod ledger;
mod log_entry;
pub mod memory;
pub mod metric;
mod plan;
mod port;
mod printable;
mod quantity;
mod range_comparison;
mod recording;
mod report;
mod resource;
mod rule;
mod sample;
mod scenario;
mod selection;
mod setting_change;
mod span;
mod step;
pub mod suggest;
mod sysctl;
mod time_lost;
mod units;
mod values;

pub use actor::{Actor, Actors};
pub use batch::{Attempt, AttemptOutcome, Batch};
pub use clock::LocalClock;
pub use comparison::{
    Candidate, ComparedClaim, ComparedFigure, ComparedNumbers, ComparedRun, ComparedStep, Comparison, StepRatio,
    compare,
};
pub use cores::{cores, in_order, on_all_cores, share_cores};
pub use cut_content::CutContent;
pub use cut_diagnosis::CutDiagnosis;
pub use diagnosis::{Cause, Change, Cleared, Conclusion, Contradiction, Diagnosis, Incident, Link, Rival};
pub use document::Document;
pub use ended::EndedName;
pub use error::{Error, ErrorKind, os_text};
pub use figure::{Comparability, Figure, Figures};
pub use finding::{Advice, Confidence, Evidence, Finding, Relation};
pub use grade::{Grade, HitRate};
pub use kernel_message::KernelMessage;
pub use lazy::LazyRecording;
pub use ledger::{Account, Booking, GroupLoss, Ledger, LostAt};
pub use log_entry::{LOG_COMMENT, LOG_HOST_STARTED, is_log_entry};
pub use metric::{Kind, Metric, Table};
pub use plan::{MeasuredPoint, Plan, PlanCurve, PlanPoint, VariedSetting};
pub use port::{Backend, BackendRun, NullSink, Progress, RunRequest, Sink, Source};
pub use printable::{is_unprintable, name_of_bytes, printable, push_printable};
pub use quantity::{Dimension, Quantity, Unit};
pub use range_comparison::{ChangeVerdict, ComparedLoad, ComparedRange, ComparedValue, RangeComparison};
pub use recording::{
    Disk, Gap, HostTimeZone, Manifest, Mark, MarkKind, Origin, Recording, RecordingBuilder, Series, Swap, Unreadable,
};
pub use report::{ClaimStatus, MeasuredAdvice, MeasuredEffects, Report, RunResult, StepDiagnosis, Verdict};
pub use resource::Resource;
pub use rule::{RuleDoc, RuleId, Threshold};
pub use sample::{Column, ColumnId, Entity, EntityId, Sample, Schema, SchemaCursor, SchemaGrowth, Stamp, TableSample};
pub use scenario::*;
pub use selection::{Selection, WantedMetrics};
pub use setting_change::{HOST_NOTE, SettingChange};
pub use span::{Moment, Span};
pub use step::{Outcome, StepResult};
pub use sysctl::{SETTINGS, Setting, Sysctl, is_sysctl_name, setting};
pub use time_lost::TimeLost;
pub use units::{Bytes, BytesPerSecond, Nanos, Pages, Ratio, UnitError};
pub use values::Values;

//! The commands, one file each.

pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod cut;
pub(crate) mod diagnose;
pub(crate) mod doctor;
pub(crate) mod evictions;
pub(crate) mod explain;
#[cfg(feature = "fleet")]
pub(crate) mod fleet;
pub(crate) mod guest;
pub(crate) mod help;
pub(crate) mod hold;
pub(crate) mod import;
pub(crate) mod lab;
pub(crate) mod man;
pub(crate) mod mem;
pub(crate) mod mrc;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod reproduce;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod state;
pub(crate) mod top;
pub(crate) mod trace_helper;
pub(crate) mod undo;

/// How a command ended, short of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It did what it was asked to do (exit 0).
    Done,
    /// A claim or a check failed (exit 1).
    Failed,
}

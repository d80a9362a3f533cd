//! One pass over all files: what is lent to each reader of one.

use super::group_of::GroupFinder;
use super::kernel_file::{Budget, Buffer};
use super::runs::TaskRun;
use pagetide_core::{Sample, Schema};

/// The parts are apart, so that a text in the buffer can be read while columns are added to the schema.
pub(crate) struct Pass<'a> {
    /// What files are read into.
    pub(crate) buffer: &'a mut Buffer,
    /// Files that may stay open.
    pub(crate) budget: &'a mut Budget,
    /// Finds the control groups of processes.
    pub(crate) groups: &'a mut GroupFinder,
    /// How all tasks have run, by their ids; none without a source of that.
    pub(crate) tasks: &'a [TaskRun],
    /// Whether to record what processes were started with.
    pub(crate) command_lines: bool,
    /// The columns and entities so far.
    pub(crate) schema: &'a mut Schema,
    /// The sample that is filled.
    pub(crate) sample: &'a mut Sample,
}

//! What each reader of a file borrows while a sample is taken.

use super::group_of::GroupFinder;
use super::kernel_file::{Budget, Buffer};
use super::runs::TaskRun;
use pagetide_core::{Sample, Schema};

/// The fields are separate, so that text in the buffer can be read while columns are added to the schema.
pub(crate) struct Pass<'a> {
    /// What files are read into.
    pub(crate) buffer: &'a mut Buffer,
    /// Files that may stay open.
    pub(crate) budget: &'a mut Budget,
    /// Finds the control groups of processes.
    pub(crate) groups: &'a mut GroupFinder,
    /// The run times of all tasks, by id; empty without a source.
    pub(crate) tasks: &'a [TaskRun],
    /// Whether to record command lines.
    pub(crate) command_lines: bool,
    /// The columns and entities so far.
    pub(crate) schema: &'a mut Schema,
    /// The sample that is filled.
    pub(crate) sample: &'a mut Sample,
}

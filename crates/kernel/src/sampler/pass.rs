//! One pass over all files: what is lent to each reader of one.

use super::kernel_file::{Budget, Buffer};
use pagetide_core::{Sample, Schema};

/// The parts are apart, so that a text in the buffer can be read while columns are added to the schema.
pub(crate) struct Pass<'a> {
    /// What files are read into.
    pub(crate) buffer: &'a mut Buffer,
    /// Files that may stay open.
    pub(crate) budget: &'a mut Budget,
    /// The columns and entities so far.
    pub(crate) schema: &'a mut Schema,
    /// The sample that is filled.
    pub(crate) sample: &'a mut Sample,
}

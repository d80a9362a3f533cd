//! The targets, one file each.

pub mod cut;
pub mod import;
pub mod kernel;
pub mod log;
pub mod pyramid;
pub(crate) mod records;
pub mod scenario;
pub mod segment;
pub mod tree;

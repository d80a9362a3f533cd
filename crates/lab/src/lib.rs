//! The lab: runs scenarios; the only code that changes a system

pub mod catalogue;
pub mod claims;

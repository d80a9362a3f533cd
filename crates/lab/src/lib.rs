//! The lab: runs scenarios on real machines. The only crate that changes a system.
//!
//! [`host::Host`] is the backend that runs a [`pagetide_core::Scenario`] on this machine, made as small as the scenario's; the
//! [`executor`] does the steps on whatever machine it is on; [`undo`] writes down every change before it is made and takes it
//! back; [`claims`] holds the results against what the scenario claims; [`catalogue`] has the scenarios that come with pagetide.

pub mod catalogue;
pub mod claims;
pub mod executor;
pub mod fio;
pub mod group;
pub mod hold;
pub mod host;
pub mod load;
pub mod undo;
pub mod vm;

mod confined;
mod forecast;
mod shrink;

pub use forecast::forecast;

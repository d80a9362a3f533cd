//! The lab: runs scenarios. It is the only crate that changes a system.
//!
//! A [`backend`] makes the machine of a [`pagetide_core::Scenario`]: [`host`] of this machine, [`vm`] in QEMU, [`sim`] of a
//! model. The [`executor`] runs the steps on whatever machine it is on. [`undo`] journals every change before it is made, and
//! reverts it. [`claims`] checks what the scenario claims against the results. [`catalogue`] has the scenarios that come with
//! pagetide.

pub mod backend;
pub mod backends;
pub mod calibrate;
pub mod catalogue;
pub mod claims;
pub mod conformance;
pub mod control;
pub mod executor;
pub mod fio;
pub mod group;
pub mod hold;
pub mod host;
pub mod load;
pub mod plan;
pub mod sim;
pub mod undo;
pub mod vm;

#[cfg(test)]
mod command_lines;
mod confined;
mod forecast;
mod program;
mod seed;
mod shrink;
mod worker;
